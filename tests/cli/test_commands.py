"""The commands, end to end, on files."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import isonomy as iso
from isonomy._compare import METHODS
from isonomy.cli import _fetch, _rank
from tests.cli.command import Shell
from tests.cli.conftest import make_table

BOTH = ("--labels", "click,buy")
# Where `compare` is a means only.
QUICK = ("--family", "linear", "--no-tune", "--folds", "2", "--repeats", "1")


def strict_json(text: str) -> dict[str, object]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    found = json.loads(text, parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def test_compare_writes_all_that_is_asked_for(shell: Shell, file: Path, tmp_path: Path) -> None:
    report, numbers, model = (tmp_path / name for name in ("r.html", "r.json", "m.isonomy"))
    done = shell(
        *("compare", file, *BOTH, "--exclude", "score", "--folds", "2", "--repeats", "1"),
        *("--report", report, "--json", numbers, "--out", model, "--pictures", tmp_path / "p"),
    )
    assert done.code == 0, done.err
    document = strict_json(numbers.read_text())
    assert document["schema"] == "isonomy.comparison"
    assert str(document["recommended"]) in done.out
    for text in ("AUC", "Diff", "Min", "chance", "blend", "linear + boosted", "Take "):
        assert text in done.out
    html = report.read_text()
    assert str(document["recommended"]) in html
    assert f"isonomy compare {file}" in html
    pictures = {path.name for path in (tmp_path / "p").iterdir()}
    assert {"aucs.png", "aucs.svg", "tradeoff.png", "conflicts.svg"} <= pictures
    assert (done.out + done.err).count("Column 'id' is not used") == 1
    # The model takes the raw table.
    scores = iso.load(model).predict(make_table())
    ranked = tmp_path / "ranked.parquet"
    done = shell("rank", file, "--model", model, "--out", ranked, "--score-name", "new")
    assert done.code == 0, done.err
    assert pl.read_parquet(ranked)["new"].to_numpy() == pytest.approx(scores, rel=1e-12)


def test_compare_takes_only_the_methods_that_are_named(shell: Shell, file: Path) -> None:
    done = shell(
        *("compare", file, *BOTH, "--exclude", "score", "--folds", "2", "--repeats", "1"),
        *("--family", "linear", "--methods", "mean,worst", "--methods", "blend", "--json", "-"),
    )
    assert done.code == 0, done.err
    methods = strict_json(done.out)["methods"]
    assert {each["kind"] for each in methods} == {"mean", "worst", "blend", "chance"}


def test_the_recommended_model_is_what_fit_gives(shell: Shell, file: Path, tmp_path: Path) -> None:
    numbers, one, two = (tmp_path / name for name in ("r.json", "one", "two"))
    options = (file, *BOTH, "--exclude", "score", "--seed", "3")
    splits = ("--folds", "2", "--repeats", "1")
    assert shell("compare", *options, *splits, "--json", numbers, "--out", one).code == 0
    document = strict_json(numbers.read_text())
    methods = document["methods"]
    assert isinstance(methods, list)
    best = next(each for each in methods if each["name"] == document["recommended"])
    like = ("--method", best["kind"], "--family", best["family"].replace(" + ", ","))
    done = shell("fit", *options, *like, "--out", two)
    assert done.code == 0, done.err
    first, second = (iso.load(path).predict(make_table()) for path in (one, two))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("family", "method"),
    [*product(["linear", "boosted"], ["blend", "plug-in", "mean"]), ("linear,boosted", "blend")],
)
def test_models_of_texts_are_saved_and_loaded(
    shell: Shell, tmp_path: Path, family: str, method: str
) -> None:
    """The features are then sparse, which every part of the model has to take."""
    rng = np.random.default_rng(0)
    notes = rng.choice(["good tea", "bad tea", "cold tea"], 200)
    table = pl.DataFrame({"note": notes, "price": rng.normal(size=200)}).with_columns(
        click=pl.Series((notes == "good tea") ^ (rng.random(200) < 0.1)).cast(int),
        buy=pl.Series(rng.random(200) < 0.3).cast(int),
    )
    file, model = tmp_path / "t.csv", tmp_path / "m.isonomy"
    table.write_csv(file)
    like = ("--text", "note", "--method", method, "--family", family, "--no-tune", "--out", model)
    done = shell("fit", file, *BOTH, *like)
    assert done.code == 0, done.err
    assert iso.auc(table["click"], iso.load(model).predict(table)) > 0.8


def test_a_mix_of_families_is_compared_fitted_and_shown(shell: Shell, tmp_path: Path) -> None:
    """With gaps, words and texts: each family sees them its own way."""
    table = make_table()
    rng = np.random.default_rng(0)
    table = table.with_columns(
        x=pl.when(pl.Series(rng.random(len(table))) < 0.2).then(None).otherwise(pl.col("x")),
        note=pl.Series([f"{a} tea" for a in rng.choice(["good", "bad", "cold"], len(table))]),
    )
    two = tmp_path / "two"
    for text in ((), ("--text", "note")):
        file = tmp_path / f"t{len(text)}.csv"
        table.write_csv(file)
        options = (file, *BOTH, "--exclude", "score", "--seed", "1", *text)
        mixed = ("--methods", "blend-mean", "--family", "linear,boosted")
        few = ("--folds", "2", "--repeats", "1", "--json", "-")
        done = shell("compare", *options, *mixed, *few)
        assert done.code == 0, done.err
        found = strict_json(done.out)
        name = "blend for the mean, linear + boosted"
        assert {each["name"]: each["failed"] for each in found["methods"]}[name] is None
        like = ("--method", "blend-mean", "--family", "linear,boosted", "--out", two)
        done = shell("fit", *options, *like)
        assert done.code == 0, done.err
        scores = iso.load(two).predict(pl.read_csv(file))
        assert iso.auc(table["click"], scores) > 0.6
    told = strict_json(shell("show", two, "--json", "-").out)
    assert [each["classifier"] for each in told["blend"]["shares"]] == [
        "LogisticRegression",
        "BoostedClassifier",
    ]
    assert {each["feature"] for each in told["features"]} <= set(table.columns)
    assert "LogisticRegression says" in shell("show", two).out


def test_quiet_changes_no_result(shell: Shell, file: Path, tmp_path: Path) -> None:
    documents, outs = [], []
    for more in ((), ("--quiet",)):
        path = tmp_path / "r.json"
        done = shell("compare", file, *BOTH, *QUICK, "--json", path, *more)
        documents.append(re.sub(r'"command": .*', "", path.read_text()))
        outs.append(done.out)
    assert documents[0] == documents[1]
    assert outs[0] == outs[1]
    assert done.err == ""


@pytest.mark.parametrize(
    "method", ["mean", "product", "loss", "balanced", "soft", "worst", "plug-in"]
)
def test_every_method_can_be_fitted(shell: Shell, file: Path, tmp_path: Path, method: str) -> None:
    done = shell("fit", file, *BOTH, "--method", method, "--out", tmp_path / "m")
    assert done.code == 0, done.err
    scores = iso.load(tmp_path / "m").predict(make_table())
    labels = make_table().select("click", buy=pl.col("buy") == "yes")
    assert iso.label_aucs(labels, scores).min() > 0.55


@pytest.mark.parametrize(
    "goal", [("--goal", "mean"), ("--value", "click=1,buy=3"), ("--at-least", "click=0.6")]
)
def test_a_report_has_the_command_that_fits_the_recommended_model(
    shell: Shell, file: Path, tmp_path: Path, goal: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For any goal, and to the last bit."""
    monkeypatch.chdir(tmp_path)
    options = (file, *BOTH, "--exclude", "score", "--methods", "mean", *QUICK, *goal)
    made = ("--report", "page.html", "--out", "one")
    done = shell("compare", *options, *made)
    assert done.code == 0, done.err
    page = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    command = page.split('id="use-command">')[1].splitlines()[0]
    assert " ".join(goal) in command
    assert shell(*shlex.split(command)[1:]).code == 0
    first, second = (iso.load(path).predict(make_table()) for path in ("one", "model.isonomy"))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("mix", "objective"), [("rarity", iso.SoftLabel("rarity")), ("1,3", iso.SoftLabel([1, 3]))]
)
def test_a_mix_of_soft_labels(
    shell: Shell, file: Path, tmp_path: Path, mix: str, objective: iso.SoftLabel
) -> None:
    model = tmp_path / "soft"
    soft = ("--method", "soft", "--mix", mix)
    assert shell("fit", file, *BOTH, *soft, "--no-tune", "--out", model).code == 0
    assert iso.load(model)[-1].objective == objective
    assert repr(objective) in shell("show", model).out


def test_one_label_and_a_mix(shell: Shell, file: Path, tmp_path: Path) -> None:
    one, mix = tmp_path / "one", tmp_path / "mix"
    done = shell("fit", file, *BOTH, "--method", "one-label", "--only", "buy", "--out", one)
    assert done.code == 0, done.err
    assert shell("fit", file, *BOTH, "--method", "loss", "--mix", "0,1", "--out", mix).code == 0
    first, second = (iso.load(path).predict(make_table()) for path in (one, mix))
    assert np.corrcoef(first, second)[0, 1] > 0.999


def test_labels_are_made_from_values_and_thresholds(shell: Shell, file: Path) -> None:
    done = shell(
        *("audit", file, "--score", "score", "--positive", "country=fr"),
        *("--threshold", "stars=3", "--json", "-"),
    )
    document = strict_json(done.out)
    labels = document["labels"]
    assert isinstance(labels, list)
    assert [each["name"] for each in labels] == ["country", "stars"]
    assert labels[0]["positives"] == (make_table()["country"] == "fr").sum()


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz"])
def test_rank_keeps_the_table(
    shell: Shell, model: Path, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_rank, "PIECE", 70)
    table = make_table(seed=1)
    given, out = tmp_path / "new.parquet", tmp_path / f"out{suffix}"
    table.write_parquet(given)
    done = shell("rank", given, "--model", model, "--out", out, "--score-name", "ours")
    assert done.code == 0, done.err
    data = gzip.decompress(out.read_bytes()) if suffix.endswith(".gz") else out.read_bytes()
    if ".jsonl" in suffix:
        found = pl.read_ndjson(data)
    elif suffix == ".parquet":
        found = pl.read_parquet(out)
    else:
        found = pl.read_csv(data, separator="\t" if suffix == ".tsv" else ",")
    assert found.columns == [*table.columns, "ours"]
    assert found["id"].to_list() == table["id"].to_list()
    assert found["ours"].to_numpy() == pytest.approx(iso.load(model).predict(table), rel=1e-14)


def test_rank_keeps_the_text_of_csv_fields(shell: Shell, model: Path, tmp_path: Path) -> None:
    given, out = tmp_path / "new.csv", tmp_path / "out.csv"
    text = "zip,x,z,country,query,weight,score,stars,more\n007,1.50,,fr,1,1,0,3,1e5\n"
    given.write_text(text)
    done = shell("rank", given, "--model", model, "--out", out, "--score-name", "s")
    assert done.code == 0, done.err
    lines = out.read_text().splitlines()
    assert lines[0] == text.splitlines()[0] + ",s"
    assert lines[1].startswith("007,1.50,,fr,1,1,0,3,1e5,")


def test_rank_reads_and_writes_pipes(model: Path, tmp_path: Path) -> None:
    make_table().write_parquet(tmp_path / "t.parquet")
    process = run("rank", "-", "--model", model, "--out", "-", "--score-name", "s")
    out, err = process.communicate((tmp_path / "t.parquet").read_bytes(), timeout=120)
    assert process.returncode == 0, err
    assert pl.read_csv(out)["s"].len() == 300
    assert b"300 rows scored" in err


def test_rank_ends_quietly_when_nobody_reads(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.concat([make_table()] * 400).write_parquet(path)
    with run("rank", path, "--model", model, "--out", "-", "--score-name", "s") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("out", "column", "value"),
    [
        *(("csv", "list", [1.0]), ("csv", "bytes", b"a"), ("tsv", "struct", {"a": 1})),
        *(("csv", "span", timedelta(1)), ("jsonl", "bytes", b"a"), ("jsonl", "list", [b"a"])),
    ],
)
def test_rank_refuses_what_the_format_cannot_hold(
    shell: Shell, model: Path, tmp_path: Path, out: str, column: str, value: object
) -> None:
    path, table = tmp_path / "t.parquet", make_table()
    table.with_columns(pl.Series(column, [value] * table.height)).write_parquet(path)
    rest = ("--model", model, "--score-name", "s", "--out")
    done = shell("rank", path, *rest, tmp_path / f"o.{out}")
    assert done.code == 2
    assert f"--out: {out} cannot hold column '{column}'" in done.err
    assert not (tmp_path / f"o.{out}").exists()
    assert shell("rank", path, *rest, tmp_path / "o.parquet").code == 0


def test_audit_with_segments_and_an_earlier_one(shell: Shell, file: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "audit.json"
    done = shell("audit", file, "--score", "score", *BOTH, "--by", "country", "--json", numbers)
    assert done.code == 0, done.err
    assert "click" in done.out
    assert strict_json(numbers.read_text())["input"]
    make_table(seed=5).write_csv(file)
    done = shell("audit", file, "--score", "score", *BOTH, "--baseline", numbers, "--json", "-")
    assert done.code == 0, done.err
    assert "drift" in strict_json(done.out)


def test_the_top_of_groups_is_audited_and_trained_for(
    shell: Shell, file: Path, tmp_path: Path
) -> None:
    done = shell("audit", file, "--score", "score", *BOTH, "--group", "query", "--top", 3)
    assert "nDCG@3" in done.out
    model = tmp_path / "top.isonomy"
    options = ["--method", "loss", "--family", "boosted", "--group", "query", "--top", 3]
    shell("fit", file, *BOTH, *options, "--out", model)
    assert iso.load(model).steps[-1][1].top == 3


def test_a_table_of_counts_is_audited_as_its_rows(shell: Shell, tmp_path: Path) -> None:
    rows = (
        make_table(seed=3)
        .with_columns(score=pl.col("score").round(1))
        .select("score", "click", "buy")
    )
    rows.write_csv(tmp_path / "rows.csv")
    counted = rows.group_by("score", "click", "buy").agg(pl.len().alias("n"))
    counted.write_csv(tmp_path / "counts.csv")
    options = ("--score", "score", *BOTH, "--json", "-")
    written_out = strict_json(shell("audit", tmp_path / "rows.csv", *options).out)
    done = shell("audit", tmp_path / "counts.csv", *options, "--count", "n")
    assert done.code == 0, done.err
    found = strict_json(done.out)
    assert found["n_rows"] == len(rows) > len(counted)
    for mine, theirs in zip(found["labels"], written_out["labels"], strict=True):
        assert mine["auc"]["value"] == theirs["auc"]["value"]
        assert mine["auc"] == pytest.approx(theirs["auc"], rel=1e-12)


def test_rows_of_a_cluster_vary_together(shell: Shell, tmp_path: Path) -> None:
    rows = make_table(seed=3)
    twice = pl.concat([rows, rows]).with_columns(user=pl.Series([*range(len(rows))] * 2))
    twice.write_csv(tmp_path / "twice.csv")
    rows.write_csv(tmp_path / "once.csv")
    options = ("--score", "score", *BOTH, "--json", "-")
    once, alone, together = (
        strict_json(shell("audit", tmp_path / file, *options, *more).out)["labels"][0]["auc"]
        for file, more in (
            ("once.csv", ()),
            ("twice.csv", ()),
            ("twice.csv", ("--cluster", "user")),
        )
    )
    assert alone["standard_error"] == pytest.approx(once["standard_error"] / 2**0.5, rel=0.01)
    assert together["standard_error"] == pytest.approx(once["standard_error"], rel=0.01)


def test_a_dictator_fails_when_asked(shell: Shell, tmp_path: Path) -> None:
    log = iso.datasets.make_search_log(4000, priors=(0.4, 0.1))
    table = pl.DataFrame(log.Y, schema=list(log.label_names))
    path = tmp_path / "t.csv"
    table.with_columns(score=log.eta @ [1.0, 25.0], fair=log.eta @ [1.0, 1.0]).write_csv(path)
    labels = ("--labels", "relevant,recent")
    assert shell("audit", path, "--score", "score", *labels).code == 0
    assert shell("audit", path, "--score", "score", *labels, "--fail-on-dictator").code == 1
    assert shell("audit", path, "--score", "fair", *labels, "--fail-on-dictator").code == 0


def test_blend(shell: Shell, file: Path, tmp_path: Path) -> None:
    numbers, model = tmp_path / "b.json", tmp_path / "b"
    done = shell(
        *("blend", file, "--scores", "x,score", *BOTH, "--group", "query"),
        *("--json", numbers, "--out", model),
    )
    assert done.code == 0, done.err
    assert "blend" in done.out
    document = strict_json(numbers.read_text())
    weights = document["weights"]
    assert isinstance(weights, list)
    assert [each["score"] for each in weights] == ["x", "score"]
    assert all(each["weight"] >= 0 for each in weights)
    out = tmp_path / "o.csv"
    done = shell("rank", file, "--model", model, "--out", out, "--score-name", "blended")
    assert done.code == 0, done.err
    coefficients = [each["weight"] for each in weights]
    expected = make_table().select("x", "score").to_numpy() @ coefficients
    assert pl.read_csv(out)["blended"].to_numpy() == pytest.approx(expected)


def test_blend_says_which_label_it_ranks_backwards(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    score = rng.normal(size=400)
    keep = 2 * score + rng.logistic(size=400) > 0
    table = pl.DataFrame({"score": score, "keep": keep, "churn": ~keep ^ (rng.random(400) < 0.1)})
    table.write_csv(tmp_path / "t.csv")
    asked = ("blend", tmp_path / "t.csv", "--scores", "score", "--labels")
    told = " ".join(shell(*asked, "keep,churn", "--method", "loss", "--mix", "2,1").out.split())
    assert "Beware: the blend ranks 'churn' backwards, with an AUC surely below the 0.5" in told
    assert "Beware" not in shell(*asked, "keep").out


def test_fetch_prints_the_path_alone(
    shell: Shell, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISONOMY_DATA", str(data_folder))
    done = shell("fetch", "bank")
    assert done.code == 0, done.err
    path = Path(done.out.removesuffix("\n"))
    assert path.is_file()
    assert path.name == "bank-full.csv"
    assert "45,211 rows" not in done.out
    assert "45,211 rows" in done.err


def test_fetch_prints_a_long_path_in_one_line(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / ("long name " * 20) / "table.csv"
    found = iso.datasets.Loaded(np.zeros((1, 1)), np.zeros((1, 1)), ("x",), ("y",), None, "", path)
    monkeypatch.setitem(_fetch.LOADERS, "bank", lambda: found)
    done = shell("fetch", "bank", "--quiet")
    assert (done.code, done.out, done.err) == (0, f"{path}\n", "")


def test_the_bank(shell: Shell, data_folder: Path) -> None:
    """Semicolons, text columns, labels from their values."""
    done = shell(
        *("compare", data_folder / "bank" / "bank-full.csv", "--folds", "2"),
        *("--family", "linear", "--no-tune"),
        *("--positive", "housing=yes", "--positive", "loan=yes", "--json", "-"),
    )
    assert done.code == 0, done.err
    document = strict_json(done.out)
    methods = document["methods"]
    assert isinstance(methods, list)
    # Two labels make no funnel, and there are no groups for lists; each has one alone.
    others = [key for key in METHODS if key not in ("funnel", "lambdarank", "one-label")]
    assert sorted(each["kind"] for each in methods) == sorted(
        [*others, "one-label", "one-label", "chance"]
    )


class Panic(BaseException):
    """As polars' own, which is no Exception."""


@pytest.mark.parametrize("kind", [RuntimeError, Panic])
def test_our_own_bug_says_what_to_report(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    def broken(*_: object) -> None:
        raise kind("unforeseen")

    monkeypatch.setattr("isonomy.cli._fetch.fetch", broken)
    done = shell("fetch", "bank")
    assert done.code == 70
    assert "unforeseen" in done.err
    assert "Please report" in done.err


def run(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", "from isonomy.cli import main; main()", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A measurement of coverage would write files of its own, to the full disk too.
        env={name: value for name, value in os.environ.items() if "COVERAGE" not in name},
        **options,
    )


def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    make_table(50_000).write_csv(tmp_path / "t.csv")
    report = tmp_path / "r.html"
    report.write_text("precious")
    options = ("--exclude", "id", "--repeats", 50, "--report", report)
    process = run("compare", tmp_path / "t.csv", *BOTH, *options)
    time.sleep(6)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err == b"Interrupted. No file was left half written.\n"
    # A second or two; the machine may be busy.
    assert time.monotonic() - asked < 6
    assert report.read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "r.html"}


# As polars does while it looks for numpy.
STUMBLES = """
import os, signal, time
from isonomy.cli import main
from isonomy.cli._labels import Roles

def stumble(*_, **options):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except KeyboardInterrupt:
        raise RuntimeError("Failed to access NumPy") from None

Roles.label_table = stumble
main()
"""


def test_an_interrupt_of_which_a_library_makes_an_error(tmp_path: Path) -> None:
    make_table().write_csv(tmp_path / "t.csv")
    words = ["audit", tmp_path / "t.csv", *BOTH, "--score", "score"]
    done = subprocess.run(
        [sys.executable, "-c", STUMBLES, *map(str, words)], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, b"Interrupted. No file was left half written.\n")


@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_a_full_disk_leaves_the_old_file(
    model: Path, file: Path, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / f"out.{kind}"
    out.write_text("precious")

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    more = ("--score-name", "s")
    process = run("rank", file, "--model", model, "--out", out, *more, preexec_fn=small_disk)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    told = f"Error: File too large. It was not written, and the file is as it was: {out}.\n"
    assert err.decode() == told
    assert out.read_text() == "precious"
    assert not list(tmp_path.glob(".out*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_told(shell: Shell, file: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    done = shell("compare", file, *BOTH, "--report", locked / "r.html")
    assert done.code == 2
    assert "permission" in done.err


def test_messages_have_no_colours_in_a_pipe(shell: Shell, file: Path) -> None:
    done = shell("audit", file, "--score", "score", *BOTH)
    assert "\x1b" not in done.out + done.err


def test_names_that_look_like_markup_are_text(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    make_table().rename({"click": "[red]a[/]", "buy": "[/bold]"}).write_csv(path)
    names = ("--labels", "[red]a[/]", "--labels", "[/bold]")
    done = shell("audit", path, "--score", "score", *names)
    assert done.code == 0, done.err
    assert "[red]a[/]" in done.out
    assert "[/bold]" in done.out


@pytest.mark.parametrize("more", [(), ("--json", "-")])
def test_nobody_reads(file: Path, more: tuple[str, ...]) -> None:
    process = run("audit", file, "--score", "score", *BOTH, *more)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (141, b"")


def test_texts_are_learned_from_where_they_are_named(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 300
    good = rng.random(n) < 0.5
    table = pl.DataFrame(
        {
            "review": [f"{'good' if g else 'bad'} tea, cup {i}" for i, g in enumerate(good)],
            "price": rng.normal(size=n),
            "click": (good ^ (rng.random(n) < 0.1)).astype(int),
            "buy": (rng.random(n) < 0.3).astype(int),
        }
    )
    file, model, ranked = (tmp_path / name for name in ("t.csv", "m.isonomy", "r.csv"))
    table.write_csv(file)
    given = ("--labels", "click,buy")
    options = (*given, "--method", "mean", "--out", model)
    done = shell("fit", file, *options)
    assert done.code == 0, done.err
    assert "Column 'review' is not used: it is text with 300 different values" in done.err
    assert "; --text review uses its words." in done.err
    done = shell("fit", file, *options, "--text", "review")
    assert done.code == 0, done.err
    assert "not used" not in done.err
    done = shell("rank", file, "--model", model, "--out", ranked)
    assert done.code == 0, done.err
    scores = pl.read_csv(ranked)["score"].to_numpy()
    np.testing.assert_allclose(scores, iso.load(model).predict(table), rtol=1e-12)
    assert iso.auc(table["click"], scores) > 0.8
    report, numbers = tmp_path / "r.html", tmp_path / "r.json"
    done = shell(
        *("compare", file, *given, "--text", "review", "--features", "price", *QUICK),
        *("--json", numbers, "--report", report),
    )
    assert done.code == 0, done.err
    best = max(method["aucs"]["mean"][0] for method in strict_json(numbers.read_text())["methods"])
    assert best > 0.8
    assert "--text review" in report.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--text", "reviews"), "--text"),
        (("--text", "click"), "--text: 'click' is a label; it cannot be a feature too."),
        (("--text", "age", "--exclude", "age"), "--text: 'age' is left out by --exclude"),
    ],
)
def test_mistakes_with_texts(shell: Shell, tmp_path: Path, options: Any, message: str) -> None:
    file = tmp_path / "t.csv"
    pl.DataFrame(
        {"age": ["a", "b"] * 20, "click": [0, 1] * 20, "buy": [0, 0, 1, 1] * 10}
    ).write_csv(file)
    done = shell("compare", file, "--labels", "click,buy", *options)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def compared(shell: Shell, file: Path, *options: object) -> dict[str, Any]:
    """The JSON of a quick comparison."""
    done = shell("compare", file, *BOTH, *QUICK, *options, "--json", "-")
    assert done.code == 0, done.err
    return strict_json(done.out)


def test_the_goal_is_what_the_user_says(shell: Shell, file: Path, tmp_path: Path) -> None:
    by_min = compared(shell, file)
    assert by_min["goal"]["kind"] == "min"
    by_mean = compared(shell, file, "--goal", "mean")
    assert by_mean["goal"]["kind"] == "mean"
    means = {each["name"]: np.mean(each["aucs"]["mean"]) for each in by_mean["methods"]}
    assert by_mean["methods"][0]["goal"]["mean"] == pytest.approx(max(means.values()))
    page = tmp_path / "r.html"
    by_value = compared(shell, file, "--value", "click=1,buy=30", "--report", page)
    assert by_value["goal"]["values"] == [1, 30]
    assert {"values", "blend-values"} <= {each["kind"] for each in by_value["methods"]}
    for each in by_value["methods"]:
        value = np.dot(each["aucs"]["mean"], [1, 30]) / 31
        assert each["goal"]["mean"] == pytest.approx(value)
    assert by_value["summary"].splitlines()[0] in plain_text(page)
    repeated = compared(shell, file, "--value", "click=1", "--value", "buy=30")
    assert repeated["methods"] == by_value["methods"]
    one_split = shell("compare", file, *BOTH, *QUICK, "--value", "click=1,buy=30")
    assert "AUC by your values (click 1, buy 30)" in " ".join(one_split.out.split())


def test_a_model_that_serves_nobody_is_told(shell: Shell, file: Path, tmp_path: Path) -> None:
    noise, model = tmp_path / "noise.csv", tmp_path / "m.isonomy"
    rng = np.random.default_rng(0)
    table = {
        "x": rng.normal(size=400),
        "click": rng.random(400) < 0.5,
        "buy": rng.random(400) < 0.3,
    }
    pl.DataFrame(table).with_columns(pl.col("click", "buy").cast(int)).write_csv(noise)
    folds = ("--family", "linear", "--no-tune", "--folds", "5", "--repeats", "1")
    done = shell("compare", noise, *BOTH, *folds, "--out", model)
    assert done.code == 0, done.err
    assert "The model is " in done.err
    assert ", which is not surely better than chance." in done.err
    assert iso.load(model).predict(pl.read_csv(noise)).shape == (400,)
    served = shell("compare", file, *BOTH, *QUICK, "--out", tmp_path / "n.isonomy")
    assert "which is not surely" not in served.err


def plain_text(page: Path) -> str:
    """A page's text, with its entities read."""
    return html.unescape(re.sub(r"<[^>]*>", "", page.read_text()))


def test_promises_are_kept_or_told_to_be_out_of_reach(
    shell: Shell, file: Path, tmp_path: Path
) -> None:
    page = tmp_path / "r.html"
    found = compared(shell, file, "--at-least", "buy=0.6", "--report", page)
    assert found["goal"]["floors"] == [[1, 0.6]]
    best = next(each for each in found["methods"] if each["name"] == found["recommended"])
    assert best["aucs"]["mean"][1] >= 0.6
    assert best["goal"]["mean"] == pytest.approx(best["aucs"]["mean"][0])
    # Surely, not by chance: a method that was not made for the promise needs errors to spare.
    kept = [each for each in found["methods"] if each["aucs"]["low"][1] >= 0.6]
    joint = [each["goal"]["mean"] for each in kept if each["kind"] != "one-label"]
    assert best["goal"]["mean"] >= max(joint, default=0.0) - 0.002
    assert "it keeps 'buy' at 0.6" in found["summary"]
    assert "it keeps 'buy' at 0.6" in plain_text(page)
    found = compared(shell, file, "--at-least", "buy=0.99")
    assert not found["decision"]["kept"]
    assert found["summary"].startswith("No method keeps 'buy' at 0.99")


def test_families_stand_in_one_table(shell: Shell, file: Path) -> None:
    bare = ("--no-tune", "--folds", "2", "--repeats", "1", "--json", "-")
    named, auto = (
        strict_json(shell("compare", file, *BOTH, *bare, "--family", family).out)
        for family in ("linear,boosted", "auto")
    )
    assert named["methods"] == auto["methods"]
    mixed = "linear + boosted"
    assert {each["family"] for each in named["methods"]} == {"linear", "boosted", mixed, None}
    assert not named["tuned"]


def test_methods_are_tuned_unless_told_not_to(shell: Shell, file: Path) -> None:
    options = ("--family", "linear", "--folds", "2", "--repeats", "1", "--json", "-")
    tuned = strict_json(shell("compare", file, *BOTH, *options).out)
    bare = strict_json(shell("compare", file, *BOTH, *options, "--no-tune").out)
    assert (tuned["tuned"], bare["tuned"]) == (True, False)
    assert tuned["methods"] != bare["methods"]


def test_jobs_change_no_result(shell: Shell, file: Path) -> None:
    assert (
        compared(shell, file, "--jobs", "1")["methods"]
        == compared(shell, file, "--jobs", "2")["methods"]
    )


@pytest.mark.parametrize("kind", ["text", "numbers", "dates"])
def test_time_says_what_is_trained_on(shell: Shell, tmp_path: Path, kind: str) -> None:
    """Written in words or numbers, the same days make the same splits, in any order of rows."""
    day = pl.Series(np.random.default_rng(1).integers(0, 28, 300))
    dates = pl.select(pl.date(2024, 2, 10) + pl.duration(days=day)).to_series()
    written = {"numbers": day, "text": dates.cast(pl.String), "dates": dates}
    file = tmp_path / ("t.parquet" if kind == "dates" else "t.csv")
    table = make_table().with_columns(day=written[kind])
    if kind == "dates":
        table.write_parquet(file)
    else:
        table.write_csv(file)
    found = compared(shell, file, "--time-column", "day", "--features", "x,z")
    plain = make_table()
    labels = plain.select("click", buy=(pl.col("buy") == "yes").cast(pl.Int8))
    expected = iso.compare(
        *(plain.select("x", "z"), labels),
        family="linear",
        tune=False,
        preprocessor="table",
        splits=day.to_numpy(),
        folds=2,
        random_state=0,
    )
    assert found["n_splits"] == expected.n_splits == 2
    assert found["recommended"] == expected.recommended
    np.testing.assert_allclose(
        [each["aucs"]["mean"] for each in found["methods"]],
        [each.aucs.mean for each in expected.methods],
        rtol=1e-12,
    )


def test_the_time_is_no_feature_unless_it_is_named(shell: Shell, tmp_path: Path) -> None:
    file, page = tmp_path / "t.csv", tmp_path / "r.html"
    make_table().with_columns(day=pl.Series(np.arange(300) // 10)).write_csv(file)
    options = ("--time-column", "day", "--exclude", "id,score")
    done = shell("compare", file, *BOTH, *QUICK, *options, "--verbose", "--report", page)
    assert done.code == 0, done.err
    features = done.err.partition("Features")[2].partition("Report:")[0]
    assert "day" not in features
    assert all(name in features for name in ("x", "z", "country", "stars"))
    # The commands that the page offers leave it out too.
    assert "--exclude day" in page.read_text()


def test_verbose_lists_the_features(shell: Shell, file: Path) -> None:
    options = (*BOTH, *QUICK, "--features", "x,country")
    done = shell("compare", file, *options, "--verbose")
    recommended = compared(shell, file, "--features", "x,country")["recommended"]
    said = " ".join(done.err.split())
    assert f"Features, by their share in {recommended!r}:" in said
    shares = dict(re.findall(r"(x|country) ([\d.]+)%", said))
    assert set(shares) == {"x", "country"}
    assert sum(map(float, shares.values())) == pytest.approx(100, abs=0.2)
    assert "Features" not in shell("compare", file, *options).err
