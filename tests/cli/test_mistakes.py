"""A user's mistake is told in one to three lines, with exit code 2, and nothing is lost."""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.cli.command import Shell
from tests.cli.conftest import make_table


class Folder:
    """A folder with a good table, a good model and what a case puts beside them."""

    def __init__(self, path: Path, model: Path) -> None:
        self.path, self.model = path, model
        self.table = path / "table.csv"
        self.out = path / "out.csv"

    def put(self, name: str, data: bytes | str) -> Path:
        path = self.path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def changed(self, **columns: object) -> Path:
        path = self.path / "changed.csv"
        make_table().with_columns(
            **{name: pl.lit(value) for name, value in columns.items()}
        ).write_csv(path)
        return path

    def gaps(self, name: str) -> Path:
        path = self.path / "gaps.csv"
        at = pl.int_range(pl.len()).is_in([3, 9])
        make_table().with_columns(pl.when(~at).then(pl.col(name)).alias(name)).write_csv(path)
        return path

    def nested(self) -> Path:
        path = self.path / "nested.parquet"
        make_table().with_columns(tags=pl.lit([1, 2]), took=pl.duration(days=1)).write_parquet(path)
        return path

    def without(self, *names: str) -> Path:
        path = self.path / "without.csv"
        make_table().drop(names).write_csv(path)
        return path


Case = tuple[str, Callable[[Folder], list[object]], str]
BOTH = ["--labels", "click,buy"]


def compare(file: object, *more: object) -> list[object]:
    return ["compare", file, *BOTH, *more]


def audit(file: object, *more: object) -> list[object]:
    return ["audit", file, "--score", "score", *BOTH, *more]


def fit(folder: Folder, *more: object) -> list[object]:
    return ["fit", folder.table, *BOTH, "--out", folder.path / "new.isonomy", *more]


def rank(folder: Folder, file: object, *more: object) -> list[object]:
    return ["rank", file, "--model", folder.model, "--out", folder.out, *more]


CASES: list[Case] = [
    # The file.
    ("no file", lambda f: compare(f.path / "tabel.csv"), "no file .*Did you mean 'table.csv'"),
    ("a folder", lambda f: compare(f.path), "is a folder"),
    ("empty", lambda f: compare(f.put("e.csv", "")), "is empty"),
    ("only a header", lambda f: compare(f.put("h.csv", "click,buy,x\n")), "no rows"),
    ("rubbish", lambda f: compare(f.put("r.csv", b"\0\1\2" * 9)), "no table"),
    ("utf-16", lambda f: compare(f.put("u.csv", "click,buy\n".encode("utf-16"))), "UTF-16"),
    (
        "latin-1",
        lambda f: compare(f.put("l.csv", "click,buy\n1,é\n".encode("latin1"))),
        "not UTF-8",
    ),
    ("ragged", lambda f: compare(f.put("g.csv", "click,buy,x\n1,0,2\n0,1,2,3\n")), "more fields"),
    ("short row", lambda f: compare(f.put("s.csv", "click,buy,x\n1,0,2\n0,1\n")), "line 3 has 2"),
    (
        "same names",
        lambda f: compare(f.put("d.csv", "click,buy,buy\n1,0,1\n")),
        "two columns named",
    ),
    ("broken gzip", lambda f: compare(f.put("z.csv.gz", b"\x1f\x8bxx")), "gzip data is broken"),
    (
        "broken parquet",
        lambda f: compare(f.put("p.parquet", b"PAR1" + b"x" * 50)),
        "cannot be read",
    ),
    ("broken json", lambda f: compare(f.put("j.jsonl", '{"click": 1\n')), "cannot be read"),
    ("json array", lambda f: compare(f.put("a.json", '[{"click": 1}]')), "JSON array"),
    ("one row", lambda f: compare(f.put("1.csv", "click,buy,x\n1,0,2\n")), "one class only"),
    ("few rows", lambda f: compare(f.put("f.csv", "click,buy,x\n1,0,2\n0,1,3\n")), "."),
    ("wrong separator", lambda f: compare(f.table, "--separator", ";"), "--separator"),
    ("long separator", lambda f: compare(f.table, "--separator", "::"), "one character"),
    # The labels.
    ("no labels", lambda f: ["compare", f.table], "(?s)could be: click, buy.*--labels click,buy"),
    (
        "none could be",
        lambda f: ["compare", f.without("click", "buy")],
        "--positive 'column=value'",
    ),
    ("absent label", lambda f: ["compare", f.table, "--labels", "clik,buy"], "mean 'click'"),
    ("label twice", lambda f: ["compare", f.table, "--labels", "buy,buy"], "named twice"),
    ("constant label", lambda f: compare(f.changed(click=1)), "'click' has one class only"),
    ("empty label", lambda f: compare(f.changed(click=None)), "missing in every row"),
    ("words", lambda f: ["compare", f.table, "--labels", "country"], "--positive 'country="),
    ("stars", lambda f: ["compare", f.table, "--labels", "stars"], "--threshold 'stars="),
    ("lists", lambda f: ["compare", f.nested(), "--labels", "tags"], "plain value.*Found List"),
    ("lists beside", lambda f: ["compare", f.nested()], "could be: click"),
    ("list as segment", lambda f: audit(f.nested(), "--by", "tags"), "plain value"),
    ("list as group", lambda f: audit(f.nested(), "--group", "tags"), "plain value"),
    ("no value", lambda f: ["compare", f.table, "--positive", "country"], "name=value"),
    ("never so", lambda f: ["compare", f.table, "--positive", "country=uk"], "It has: "),
    ("no number", lambda f: ["compare", f.table, "--threshold", "stars=x"], "should be a number"),
    ("text threshold", lambda f: ["compare", f.table, "--threshold", "id=2"], "not hold numbers"),
    ("threshold 9", lambda f: ["compare", f.table, "--threshold", "stars=9"], "one class only"),
    # Groups, weights, features.
    ("absent group", lambda f: compare(f.table, "--group", "qery"), "mean 'query'"),
    ("label as group", lambda f: compare(f.table, "--group", "click"), "is a label"),
    ("absent weight", lambda f: compare(f.table, "--weight", "w"), "no column 'w'"),
    ("text weight", lambda f: compare(f.table, "--weight", "country"), "should hold numbers"),
    ("negative weight", lambda f: compare(f.changed(weight=-1), "--weight", "weight"), ">= 0"),
    ("absent count", lambda f: audit(f.table, "--count", "w"), "no column 'w'"),
    ("half a count", lambda f: audit(f.changed(weight=0.5), "--count", "weight"), "0.5 in row 1"),
    ("count below 0", lambda f: audit(f.changed(weight=-1), "--count", "weight"), "whole numbers"),
    ("all counts 0", lambda f: audit(f.changed(weight=0), "--count", "weight"), "counts no item"),
    ("holes in cluster", lambda f: audit(f.table, "--cluster", "z"), "a cluster of its own"),
    (
        "groups across clusters",
        lambda f: audit(f.table, "--cluster", "country", "--group", "query"),
        "whole groups",
    ),
    ("holes in weight", lambda f: compare(f.table, "--weight", "z"), "missing values"),
    ("absent feature", lambda f: compare(f.table, "--features", "xx"), "no column 'xx'"),
    ("label as feature", lambda f: compare(f.table, "--features", "click"), "is a label"),
    ("only an id", lambda f: compare(f.table, "--features", "id"), "no feature to learn from"),
    ("infinite", lambda f: compare(f.changed(x=float("inf"))), "'x' should hold finite"),
    # Families, methods and other choices.
    (
        "family",
        lambda f: compare(f.table, "--family", "liner"),
        "one of auto, linear, boosted, neural. Found 'liner'. Did you mean 'linear'",
    ),
    (
        "family of fit",
        lambda f: fit(f, "--method", "mean", "--family", "boostd"),
        "--family should be one of .*Did you mean 'boosted'",
    ),
    (
        "families of what is made of one",
        lambda f: fit(f, "--method", "mean", "--family", "linear,boosted"),
        "--method mean is made of one model family.*blend, blend-mean, funnel",
    ),
    (
        "family before the file",
        lambda f: ["fit", "none.csv", "--method", "mean", "--family", "x", "--out", f.path / "m"],
        "--family should be one of",
    ),
    (
        "method before the file",
        lambda f: ["fit", "none.csv", "--method", "x", "--out", f.path / "m"],
        "--method should be one of",
    ),
    (
        "method of blend",
        lambda f: ["blend", f.table, *BOTH, "--scores", "x", "--method", "wrost"],
        "--method should be one of .*Did you mean 'worst'",
    ),
    (
        "mix without loss in blend",
        lambda f: ["blend", f.table, *BOTH, "--scores", "x", "--mix", "1,2"],
        "--method loss or soft only",
    ),
    ("mix of NaN", lambda f: fit(f, "--method", "loss", "--mix", "nan,1"), "NaN|finite"),
    ("mix of nothing", lambda f: fit(f, "--method", "loss", "--mix", "0,0"), "positive|above 0"),
    ("folds", lambda f: compare(f.table, "--folds", "1"), "folds"),
    ("seed", lambda f: compare(f.table, "--seed", "-1"), "seed"),
    (
        "method",
        lambda f: fit(f, "--method", "maen"),
        "--method should be one of .*Did you mean 'mean'",
    ),
    (
        "mix without loss",
        lambda f: fit(f, "--method", "mean", "--mix", "1,2"),
        "--method loss or soft only",
    ),
    ("no promise", lambda f: fit(f, "--method", "promise"), "give --at-least too"),
    ("no values", lambda f: fit(f, "--method", "values"), "give --value .* too"),
    (
        "two goals of a fit",
        lambda f: fit(f, "--method", "mean", "--goal", "mean", "--value", "click=1"),
        "Give one",
    ),
    ("short mix", lambda f: fit(f, "--method", "loss", "--mix", "1"), "2 labels"),
    ("mix of words", lambda f: fit(f, "--method", "loss", "--mix", "a,b"), "should hold numbers"),
    ("rarity of losses", lambda f: fit(f, "--method", "loss", "--mix", "rarity"), "hold numbers"),
    ("short mix of soft", lambda f: fit(f, "--method", "soft", "--mix", "1"), "2 labels"),
    ("negative mix", lambda f: fit(f, "--method", "loss", "--mix=-1,2"), ">= 0"),
    ("which label", lambda f: fit(f, "--method", "one-label"), "--only"),
    ("no label", lambda f: fit(f, "--method", "one-label", "--only", "cick"), "mean 'click'"),
    (
        "unknown option",
        lambda f: compare(f.table, "--labls", "x"),
        r"No such option: --labls. Did you mean '--labels'\? See",
    ),
    (
        "near option",
        lambda f: ["audit", f.table, "--scor", "x"],
        r"No such option: --scor. Did you mean '--score'\? See",
    ),
    ("unknown command", lambda f: ["compair", f.table], "No such command"),
    # Goals, times.
    (
        "one of two families",
        lambda f: compare(f.table, "--family", "linear,bosted"),
        "--family should be one of .*Found 'bosted'. Did you mean 'boosted'",
    ),
    ("no family", lambda f: compare(f.table, "--family", ","), "--family should be one of"),
    ("auto beside another", lambda f: compare(f.table, "--family", "auto,linear"), "Found 'auto'"),
    (
        "no such method",
        lambda f: compare(f.table, "--methods", "mean,wrst"),
        "--methods should be one of .*Found 'wrst'. Did you mean 'worst'",
    ),
    ("goal", lambda f: compare(f.table, "--goal", "maen"), "min, mean. .*Did you mean 'mean'"),
    ("goal before the file", lambda _: compare("none.csv", "--goal", "max"), "--goal should be"),
    (
        "goal and values",
        lambda f: compare(f.table, "--goal", "mean", "--value", "click=1"),
        "--goal, --value and --at-least .*Give one",
    ),
    (
        "goal and promise",
        lambda f: compare(f.table, "--goal", "mean", "--at-least", "click=0.7"),
        "--goal, --value and --at-least .*Give one",
    ),
    (
        "values and promise",
        lambda f: compare(f.table, "--value", "click=1", "--at-least", "buy=0.7"),
        "--goal, --value and --at-least .*Give one",
    ),
    ("value of no label", lambda f: compare(f.table, "--value", "cick=1"), "mean 'click'"),
    ("value twice", lambda f: compare(f.table, "--value", "buy=1,buy=2"), "'buy' twice"),
    ("value of a word", lambda f: compare(f.table, "--value", "buy=x"), "should be a number"),
    ("value alone", lambda f: compare(f.table, "--value", "buy"), "--value should read"),
    ("negative value", lambda f: compare(f.table, "--value", "buy=-1,click=1"), "--value .*>= 0"),
    ("values of 0", lambda f: compare(f.table, "--value", "buy=0"), "--value .*positive"),
    ("infinite value", lambda f: compare(f.table, "--value", "buy=inf"), "--value .*number"),
    ("promise of no label", lambda f: compare(f.table, "--at-least", "clik=0.7"), "mean 'click'"),
    (
        "promise twice",
        lambda f: compare(f.table, "--at-least", "buy=0.7", "--at-least", "buy=0.8"),
        "'buy' twice",
    ),
    ("promise of a word", lambda f: compare(f.table, "--at-least", "buy=x"), "be a number"),
    ("promise in percent", lambda f: compare(f.table, "--at-least", "buy=75"), "--at-least .*0.75"),
    ("no jobs", lambda f: compare(f.table, "--jobs", "0"), "jobs"),
    ("absent time", lambda f: compare(f.table, "--time-column", "dy"), "no column 'dy'"),
    ("label as time", lambda f: compare(f.table, "--time-column", "buy"), "is a label"),
    (
        "holes in time",
        lambda f: compare(f.table, "--time-column", "z"),
        "--time-column: column 'z' has .* missing values",
    ),
    (
        "holes in written time",
        lambda f: compare(f.gaps("country"), "--time-column", "country"),
        "--time-column: column 'country' has 2 missing values, the first in row 4",
    ),
    ("lists as time", lambda f: compare(f.nested(), "--time-column", "tags"), "plain value"),
    ("one time", lambda f: compare(f.changed(weight=1), "--time-column", "weight"), "time"),
    # Scores.
    ("absent score", lambda f: ["audit", f.table, "--score", "s", *BOTH], "no column 's'"),
    ("score is a label", lambda f: ["audit", f.table, "--score", "buy", *BOTH], "is a label"),
    ("text score", lambda f: ["audit", f.table, "--score", "id", *BOTH], "should hold numbers"),
    ("holes in score", lambda f: ["audit", f.table, "--score", "z", *BOTH], "missing values"),
    ("top without groups", lambda f: audit(f.table, "--top", "5"), "--top .*--group"),
    ("top of 0", lambda f: audit(f.table, "--group", "query", "--top", "0"), "--top"),
    (
        "top without trees",
        lambda f: fit(f, "--method", "mean", "--group", "query", "--top", "5"),
        "--top .*--family boosted",
    ),
    (
        "top to train without groups",
        lambda f: fit(f, "--method", "mean", "--family", "boosted", "--top", "5"),
        "--top .*--group",
    ),
    (
        "top of a plug-in",
        lambda f: fit(f, "--method", "plug-in", "--family", "boosted", "--top", "5"),
        "not made of classifiers",
    ),
    ("absent segment", lambda f: audit(f.table, "--by", "contry"), "mean 'country'"),
    ("label as segment", lambda f: audit(f.table, "--by", "buy"), "is a label"),
    ("no baseline", lambda f: audit(f.table, "--baseline", f.path / "b.json"), "no file"),
    ("bad baseline", lambda f: audit(f.table, "--baseline", f.table), "is not JSON"),
    ("other JSON", lambda f: audit(f.table, "--baseline", f.put("b.json", '{"a": 1}')), "not what"),
    ("JSON list", lambda f: audit(f.table, "--baseline", f.put("b.json", "[1]")), "not what"),
    ("blend labels", lambda f: ["blend", f.table, *BOTH, "--scores", "click"], "is a label"),
    ("blend twice", lambda f: ["blend", f.table, *BOTH, "--scores", "x,x"], "twice"),
    ("blend words", lambda f: ["blend", f.table, *BOTH, "--scores", "id"], "should hold numbers"),
    ("blend holes", lambda f: ["blend", f.table, *BOTH, "--scores", "x,z"], "missing values"),
    # Outputs.
    (
        "no folder",
        lambda f: compare(f.table, "--report", f.path / "no" / "r.html"),
        "make the folder",
    ),
    ("report a folder", lambda f: compare(f.table, "--report", f.path), "Found a folder"),
    ("json a folder", lambda f: compare(f.table, "--json", f.path), "Found a folder"),
    ("report to -", lambda f: compare(f.table, "--report", "-"), "should name a file"),
    ("model on the table", lambda f: compare(f.table, "--out", f.table), "is the table itself"),
    (
        "one file for two",
        lambda f: compare(f.table, "--json", f.path / "r", "--report", f.path / "r"),
        "goes already",
    ),
    ("model a folder", lambda f: compare(f.table, "--out", f.path), "Found a folder"),
    ("out of unknown kind", lambda f: [*rank(f, f.table)[:-1], f.path / "o.xls"], "should end in"),
    (
        "gzipped parquet",
        lambda f: [*rank(f, f.table)[:-1], f.path / "o.parquet.gz"],
        "Leave the .gz",
    ),
    # Models and tables that do not go together.
    ("no model", lambda f: ["rank", f.table, "--model", "m", "--out", f.out], "m"),
    ("model is a table", lambda f: ["rank", f.table, "--model", f.table, "--out", f.out], "."),
    (
        "truncated model",
        lambda f: [
            *("rank", f.table, "--out", f.out),
            *("--model", f.put("t.isonomy", f.model.read_bytes()[:-100])),
        ],
        ".",
    ),
    (
        "a pickle",
        lambda f: [
            *("rank", f.table, "--out", f.out),
            *("--model", f.put("p.isonomy", pickle.dumps(os.getcwd))),
        ],
        ".",
    ),
    (
        "lacking column",
        lambda f: rank(f, f.without("x"), "--score-name", "s"),
        "lacks the column 'x'",
    ),
    (
        "text for numbers",
        lambda f: rank(f, f.changed(x="much"), "--score-name", "s"),
        "'x' should hold numbers",
    ),
    ("score is there", lambda f: rank(f, f.table), "--score-name"),
    ("data set", lambda _: ["fetch", "banc"], "should be one of bank, .*Did you mean 'bank'"),
    ("trusted type", lambda f: rank(f, f.table, "--trust", "x"), "should hold names such as"),
    ("score of no name", lambda f: rank(f, f.table, "--score-name", ""), "--score-name"),
    ("no repeats", lambda f: compare(f.table, "--repeats", "0"), "repeats"),
    ("few groups", lambda f: compare(f.table, "--group", "country", "--folds", "4"), "folds"),
    (
        "pictures in a file",
        lambda f: compare(f.table, "--folds", "2", "--pictures", f.table / "x"),
        "--pictures",
    ),
]


@pytest.fixture(scope="module")
def good_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model for all cases."""
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions
    from isonomy.cli._fit import GoalOptions
    from isonomy.cli._fit import fit as run

    folder = tmp_path_factory.mktemp("model")
    make_table().write_csv(folder / "table.csv")
    options = TableOptions(str(folder / "table.csv"), ["click,buy"])
    settings: dict[str, object] = {
        "family": "linear",
        "tune": True,
        "only": None,
        "mix": None,
        "top": None,
        "seed": 0,
    }
    settings["goal"] = GoalOptions()
    run(Messages(quiet=True), options, method="mean", out=str(folder / "m.isonomy"), **settings)  # type: ignore[arg-type]
    return folder / "m.isonomy"


@pytest.mark.parametrize(
    ("make", "message"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_mistakes_are_told(
    shell: Shell,
    tmp_path: Path,
    good_model: Path,
    make: Callable[[Folder], list[object]],
    message: str,
) -> None:
    make_table().write_csv(tmp_path / "table.csv")
    folder = Folder(tmp_path, good_model)
    folder.out.write_text("precious")
    arguments = make(folder)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = shell(*arguments)
    assert done.code == 2, done
    assert not done.out
    plain = " ".join(done.err.replace("│", " ").split())
    assert re.search(message, plain), done.err
    assert "Traceback" not in done.err
    assert 1 <= len(done.err.strip().splitlines()) <= 3
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_there_are_at_least_sixty_mistakes() -> None:
    assert len(CASES) >= 60
    assert len({case[0] for case in CASES}) == len(CASES)


def test_json_is_strict(shell: Shell, file: Path) -> None:
    done = shell("audit", file, "--score", "score", "--labels", "click,buy", "--json", "-")

    def refuse(name: str) -> None:
        raise AssertionError(name)

    document = json.loads(done.out, parse_constant=refuse)
    assert document["schema"] == "isonomy.audit"
    assert isinstance(document["schema_version"], int)
