"""`isonomy show`: what a model file tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._models import read_facts
from isonomy._models.archive import MANIFEST, pack, unpack
from tests.cli.command import Shell
from tests.cli.conftest import make_table
from tests.models.mutated_files import good_file

BOTH = ("--labels", "click,buy")


def test_a_linear_model_tells_its_weights(shell: Shell, file: Path, model: Path) -> None:
    done = shell("show", model, "--json", "-")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["schema"] == "isonomy.model"
    assert found["kind"] == "LinearRanker"
    assert found["objective"].startswith("LabelAggregation(how='mean'")
    assert found["about"]["labels"] == ["click", "buy"]
    assert found["about"]["rows"] == 300
    assert found["about"]["table"] == str(file)
    assert found["versions"]["isonomy"] == iso.__version__
    ranker = iso.load(model)
    names = ranker[0].get_feature_names_out().tolist()
    weights = dict(zip(names, ranker[-1].coef_.tolist(), strict=True))
    assert {each["feature"]: each["weight"] for each in found["features"]} == weights
    sizes = [abs(each["weight"]) for each in found["features"]]
    assert sizes == sorted(sizes, reverse=True)
    assert found["left_out"].keys() == {"id"}
    shown = shell("show", model).out
    for text in ("LinearRanker", "rows: 300", "click, buy", "weight", "standardised", "id"):
        assert text in shown


@pytest.mark.parametrize(
    ("options", "column"),
    [
        (("--method", "plug-in"), "weight for buy"),
        (("--method", "blend"), "weight for buy"),
        (("--method", "mean", "--family", "boosted"), "importance"),
        (("--method", "mean", "--family", "neural"), None),
    ],
)
def test_every_family(
    shell: Shell, file: Path, tmp_path: Path, options: tuple[str, ...], column: str | None
) -> None:
    path = tmp_path / "m.isonomy"
    assert shell("fit", file, *BOTH, *options, "--out", path).code == 0
    done = shell("show", path, "--json", "-")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    features = found["features"]
    if found["kind"] == "BlendRanker":
        assert found["blend"]["weights"].keys() == {"click", "buy"}
        assert "Blend of the labels' " in shell("show", path).out
    assert column in features[0] if column else features == []
    assert ("no weight per feature" in shell("show", path).out) == (column is None)


def test_models_from_python_and_what_they_are_told(shell: Shell, tmp_path: Path) -> None:
    table = make_table()
    X, y = table.select("x", "score"), table["click"].to_numpy()
    path = tmp_path / "m.isonomy"
    iso.save(iso.LinearRanker(l2=0.1).fit(X, y), path, about={"season": "winter", "rows": 3})
    done = shell("show", path)
    assert done.code == 0, done.err
    assert "season: winter" in done.out
    assert "Columns that it needs: x, score" in done.out
    assert np.array_equal(iso.load(path).predict(X), iso.load(path).predict(X))
    iso.save(iso.LinearRanker(l2=0.1).fit(X.to_numpy(), y), path)
    assert read_facts(path).about == {}
    assert "not recorded" in shell("show", path).out
    for wrong in ({"a": object()}, {1: "a"}, {"a": float("nan")}, {"a": {"b": 1}}):
        with pytest.raises(TypeError, match="Parameter `about`"):
            iso.save(iso.LinearRanker(l2=0.1).fit(X, y), path, about=wrong)


def test_many_features_are_cut_with_dots(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50))
    iso.save(iso.LinearRanker(l2=0.1).fit(X, X[:, 0] > 0), tmp_path / "m")
    assert "... and 20 more features: see --json" in shell("show", tmp_path / "m").out


@pytest.mark.parametrize("width", [60, 120])
def test_a_blend_of_many_labels_fits_the_screen(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    names = [f"what the visitors with number {k} think of it" for k in range(14)]
    Y = pl.DataFrame(X[:, [0]] + rng.logistic(size=(200, 14)) > 0, schema=names)
    blend = iso.BlendRanker(LogisticRegression()).fit(X, Y)
    n_columns = sum(each is not None for each in blend.estimators_)
    iso.save(blend, tmp_path / "m")
    monkeypatch.setattr("isonomy.cli._console.result_width", lambda: width)
    lines = shell("show", tmp_path / "m").out.split("What counts")[1].splitlines()
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    n_shown = text.count("weight for")
    assert n_shown >= width // 30
    assert (
        f"... and {n_columns - n_shown} more columns, which need more room: see the JSON." in text
    )


@pytest.mark.parametrize("kind", ["table", "table boosted", "hashed texts", "chain", "search"])
def test_models_whose_steps_do_not_name_their_columns(
    shell: Shell, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "m"
    path.write_bytes(good_file(kind))
    done = shell("show", path)
    assert done.code == 0, done.err
    assert "objective " in done.out


def test_weights_that_were_made_sparse(shell: Shell, tmp_path: Path) -> None:
    table = make_table()
    Y = np.column_stack([table["click"], table["buy"] == "yes"])
    ranker = iso.BlendRanker(LogisticRegression()).fit(table.select("x", "score").to_pandas(), Y)
    for each in ranker.estimators_:
        each.sparsify()
    iso.save(ranker, tmp_path / "m")
    for command in (("show", tmp_path / "m"), ("export", tmp_path / "m", "--sql")):
        done = shell(*command)
        assert done.code == 0, done.err
    assert '"score"' in done.out


def test_no_model_is_told(shell: Shell, file: Path, tmp_path: Path) -> None:
    for path in (file, tmp_path / "none"):
        done = shell("show", path)
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err


def test_a_model_for_the_top_says_so(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(80, 2)), np.arange(80) // 8
    ranker = iso.BoostedRanker(iso.SoftLabel(), top=5, n_rounds=2)
    iso.save(ranker.fit(X, X > 0, groups=groups), tmp_path / "top.isonomy")
    assert "for the first 5 of each group" in shell("show", tmp_path / "top.isonomy").out
    assert json.loads(shell("show", tmp_path / "top.isonomy", "--json", "-").out)["top"] == 5


def test_a_blend_says_what_it_is_for(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    Y = X + rng.logistic(size=(200, 2)) > 0
    for more, said in (
        ({}, "BlendRanker, objective WorstLabel()"),
        ({"at_least": {1: 0.6}}, "made to keep 1 at 0.6 and give the other labels the best mean"),
        ({"at_least": {7: 0.6}}, "BlendRanker"),
    ):
        path = tmp_path / "m.isonomy"
        fitted = iso.BlendRanker(LogisticRegression()).fit(X, Y).set_params(**more)
        iso.save(fitted, path)
        assert said in " ".join(shell("show", path).out.split())


def test_of_a_kind_of_classifier_without_a_say_nothing_is_told(
    shell: Shell, tmp_path: Path
) -> None:
    """None of its classifiers is kept, so that nothing is left to call it by."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    Y = X + 0.3 * rng.logistic(size=(300, 2)) > 0
    constant = DummyClassifier(strategy="prior")
    fitted = iso.BlendRanker([LogisticRegression(), constant]).fit(X, Y)
    iso.save(fitted, tmp_path / "m.isonomy")
    text = shell("show", tmp_path / "m.isonomy").out
    assert "LogisticRegression says 100% of 0, 100% of 1" in " ".join(text.split())
    assert text.count(" says ") == 1


def test_half_a_letter_in_what_is_told_of_a_model(shell: Shell, tmp_path: Path) -> None:
    model, out = tmp_path / "m.isonomy", tmp_path / "out.json"
    iso.save(iso.LinearRanker().fit([[0.0], [1.0]], [0, 1]), model, about={"table": "t.csv"})
    members = {name: bytes(content) for name, content in unpack(model.read_bytes()).items()}
    members[MANIFEST] = members[MANIFEST].replace(b"t.csv", rb"t\ud800")
    model.write_bytes(pack(members))
    done = shell("show", model, "--json", "-")
    assert done.code == 0, done.err
    assert shell("show", model, "--json", out).code == shell("show", model).code == 0
    for text in (done.out, out.read_text()):
        assert json.loads(text)["about"] == {"table": "t\ud800"}
