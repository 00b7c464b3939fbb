"""The recipe for a method of `compare`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import isonomy as iso
from isonomy._compare.methods import METHODS, MethodEntry
from tests.cli import test_app
from tests.cli.command import Shell
from tests.cli.conftest import make_table
from tests.recipes.consumers import check_compared, check_saved, data
from tests.recipes.recipe import entry


@pytest.fixture(autouse=True)
def uneven(monkeypatch: pytest.MonkeyPatch) -> MethodEntry:
    found: MethodEntry = entry("A method of `compare`", "src/isonomy/_compare/methods.py")
    monkeypatch.setitem(METHODS, found.key, found)
    return found


def test_compare_and_its_report_know_it(uneven: MethodEntry, tmp_path: Path) -> None:
    page = check_compared(tmp_path, uneven.name, family="linear", tune=False)
    assert uneven.meaning.replace("'", "&#39;") in page
    X, Y = data()
    options = {"methods": ["uneven", "mean"], "family": "linear", "folds": 2, "repeats": 1}
    found = iso.compare(X, Y, **options, random_state=0)
    assert found[uneven.name].kind == "uneven"
    assert uneven.meaning in [each["meaning"] for each in found.to_dict()["methods"]]
    ranker = found.fit_best(X, Y, name=uneven.name)
    assert ranker.steps[-1][1].objective == uneven.objective
    check_saved(ranker, tmp_path)


def test_its_ranker_is_the_one_that_is_compared(uneven: MethodEntry) -> None:
    X, Y = data()
    options = {"methods": ["uneven"], "family": "linear", "folds": 2, "repeats": 1}
    options |= {"tune": False, "random_state": 0}
    mine = iso.compare(X, Y, **options).ranker(uneven.name)
    found = iso.compare(X, Y, rankers={"own": mine}, **options)
    np.testing.assert_array_equal(found.split_aucs[0], found.split_aucs[1])
    # Of equals the simplest is taken: any entry stands before a ranker of the user's.
    assert found.recommended == uneven.name


def test_helps_and_docstrings_that_do_not_name_it_are_told() -> None:
    with pytest.raises(AssertionError, match="uneven"):
        test_app.test_help_names_every_choice("fit")
    with pytest.raises(AssertionError, match="uneven"):
        test_app.test_compares_docstring_names_every_choice()


@pytest.mark.parametrize("family", ["boosted", "neural"])
def test_every_family_has_it(uneven: MethodEntry, family: str) -> None:
    found = iso.compare(
        *data(), methods=["uneven"], family=family, folds=2, repeats=1, tradeoffs=False, tune=False
    )
    assert found[uneven.name].failed is None


def test_the_command_line_knows_it(
    uneven: MethodEntry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shell, table, model = Shell(monkeypatch, capsys), tmp_path / "t.csv", tmp_path / "m.isonomy"
    make_table().drop("id", "score", "stars").write_csv(table)
    about = [table, "--labels", "click,buy"]
    done = shell("fit", *about, "--method", "uneven", "--out", model)
    assert done.code == 0, done.err
    assert uneven.name in done.err
    done = shell("rank", table, "--model", model, "--out", tmp_path / "ranked.csv")
    assert done.code == 0, done.err
    page = tmp_path / "r.html"
    options = ["--family", "linear", "--folds", 2, "--repeats", 1]
    done = shell("compare", *about, *options, "--report", page, "--json", "-")
    assert done.code == 0, done.err
    assert uneven.name in [each["name"] for each in json.loads(done.out)["methods"]]
    assert uneven.name in page.read_text()
    done = shell("fit", *about, "--method", "unevn", "--out", model)
    assert "uneven" in done.err


def test_blends_can_be_made_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_table().write_csv(tmp_path / "t.csv")
    about = [tmp_path / "t.csv", "--labels", "click,buy", "--scores", "x,score"]
    done = Shell(monkeypatch, capsys)("blend", *about, "--method", "uneven")
    assert done.code == 0, done.err
    assert "blend" in done.out
