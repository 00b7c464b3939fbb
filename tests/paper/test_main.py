"""`python -m paper`: what is there is not computed again, and one failure loses nothing else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import altair as alt
import paper.__main__ as cli
import pytest
from paper._pages import Page
from paper._results import Result

import isonomy
from paper import _pages, _results


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    """Three scripts of which the second fails and the third lacks its data; counts their runs."""
    runs = {"one": 0}

    def run_one(**_: bool) -> Result:
        runs["one"] += 1
        return Result("one", {}, [{"k": "a", "auc": runs.get("auc", 0.5)}], [{"auc": 0.5}])

    def failing(**_: bool) -> Result:
        raise ZeroDivisionError("by zero")

    def without_data(**_: bool) -> Result:
        raise FileNotFoundError("put 'x.csv' there")

    def render(result: Result) -> Page:
        points = alt.Chart(alt.Data(values=result.rows)).mark_point().encode(x="auc:Q")
        return Page("One", "text", points)

    made = {
        name: SimpleNamespace(run=run, render=render, KEYS=("k",), TOLERANCE=0.01)
        for name, run in (("one", run_one), ("bad", failing), ("absent", without_data))
    }
    monkeypatch.setattr(cli, "NAMES", ("bad", "absent", "one"))
    monkeypatch.setattr(cli, "script", made.__getitem__)
    monkeypatch.setattr(cli, "load", lambda name: _results.load(name, tmp_path))
    monkeypatch.setattr(cli, "save", lambda result: _results.save(result, tmp_path))
    monkeypatch.setattr(cli, "unfinished", lambda name: tmp_path / f".{name}")
    monkeypatch.setattr(cli, "spent", lambda _: 0.0)
    monkeypatch.setattr(cli, "publish", lambda name, page: _pages.publish(name, page, tmp_path))
    monkeypatch.setattr(cli.beyond, "render", lambda: render(Result("b", {}, [{"auc": 1}], [])))
    return runs


@pytest.mark.usefixtures("scripts")
def test_one_failure_loses_nothing_else(tmp_path: Path, capsys) -> None:
    assert cli.main([]) == 1
    printed = capsys.readouterr().out
    assert "ZeroDivisionError: by zero" in printed
    assert "data not here" in printed
    assert "put 'x.csv' there" in printed
    for ending in ("json", "md", "png", "svg"):
        assert (tmp_path / f"one.{ending}").is_file()
    assert (tmp_path / "beyond.md").is_file()


def test_a_result_says_what_made_it(scripts: dict, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(cli, "spent", lambda _: 3600.0)
    assert cli.main(["one"]) == 0
    assert scripts["one"] == 1
    found = _results.load("one", tmp_path)
    assert found is not None
    assert found.made["isonomy"] == isonomy.__version__
    # An hour of the interrupted run counts.
    assert 3600 <= found.made["seconds"] < 3660
    assert f"Isonomy {isonomy.__version__}" in (tmp_path / "one.md").read_text()
    assert "in 60 minutes." in (tmp_path / "one.md").read_text()


def test_what_is_there_is_not_computed_again(scripts: dict) -> None:
    assert cli.main(["one"]) == 0
    assert cli.main(["one"]) == 0
    assert scripts["one"] == 1
    assert cli.main(["one", "--force"]) == 0
    assert scripts["one"] == 2


@pytest.mark.usefixtures("scripts")
def test_missing_data_are_no_failure() -> None:
    assert cli.main(["absent"]) == 0


def test_render_only_computes_nothing(scripts: dict, capsys) -> None:
    assert cli.main(["one", "--render-only"]) == 0
    assert "no result to render" in capsys.readouterr().out
    assert scripts["one"] == 0


def test_quick_compares_and_leaves_alone(scripts: dict, tmp_path: Path, capsys) -> None:
    assert cli.main(["one", "--quick"]) == 1
    assert "no committed result" in capsys.readouterr().out
    cli.main(["one"])
    before = (tmp_path / "one.json").read_bytes()
    assert cli.main(["one", "--quick"]) == 0
    scripts["auc"] = 0.6
    assert cli.main(["one", "--quick"]) == 1
    assert "auc was 0.5, is 0.6" in capsys.readouterr().out
    assert (tmp_path / "one.json").read_bytes() == before


@pytest.mark.usefixtures("scripts")
def test_a_name_that_is_none(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["two"])
    assert "there is no 'two'" in capsys.readouterr().err
