"""What people see of a comparison: the text, the terminal, the notebook, the frame."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console

import isonomy as iso
from isonomy._compare import comparison_blocks, methods_table
from isonomy._infra import short_names
from isonomy._render import Block, Shown, Table, fits
from tests.compare.made_data import made
from tests.render.hostile import HOSTILE, Page

QUICK = {"family": "linear", "tune": False, "repeats": 1, "tradeoffs": False, "random_state": 0}
NASTY = [HOSTILE[0], "a.b[0]\x1b[31m" + "x" * 200]


@pytest.fixture(scope="module")
def found() -> iso.Comparison:
    X, Y = made(0)
    methods = ["mean", "loss", "worst", "plug-in", "blend", "one-label"]
    return iso.compare(X, pd.DataFrame(Y, columns=NASTY), methods=methods, **QUICK)


def shown(table: Block, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(Shown(table))
    return out.getvalue()


def test_frame(found: iso.Comparison) -> None:
    frame = found.to_frame()
    assert frame["method"].to_list() == [method.name for method in found.methods]
    assert frame["recommended"].sum() == 1
    first = found.methods[0]
    assert frame[f"auc {NASTY[0]}"][0] == first.aucs.mean[0]
    assert frame["min low"][0] == first.min.low
    assert frame[f"conflict {NASTY[0]} over {NASTY[1]}"][0] == first.conflicts.mean[0, 1]
    assert frame["failed"].null_count() == len(frame)


def test_text(found: iso.Comparison) -> None:
    text = str(found)
    assert f"Take {found.recommended!r}: smallest AUC" in text
    table = text.split("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 100
    starred = [line for line in table.splitlines() if line.startswith("*")]
    assert len(starred) == 2  # The row and what the star means.
    assert "\x1b" not in text
    for method in found.methods:
        assert f"{method.min.mean:.3f}" in table
        assert f"{method.min.low:.3f}".removeprefix("0") in table


def test_html_holds_names_as_text(found: iso.Comparison) -> None:
    page = Page(found._repr_html_())
    assert page.is_static()
    assert page.tags.count("tr") == len(found.methods) + 1
    assert set(NASTY) <= page.titles
    assert set(short_names(NASTY, 14).values()) <= set(page.text)


def test_methods_of_the_users_own_have_any_name() -> None:
    X, Y = made(0)
    own = {name: iso.LinearRanker() for name in HOSTILE[:3]}
    found = iso.compare(
        *(X, Y),
        methods=["mean"],
        family="linear",
        rankers=own,
        repeats=1,
        tradeoffs=False,
        random_state=0,
    )
    assert "\x1b" not in str(found)
    assert Page(found._repr_html_()).is_static()


def test_a_method_that_failed_says_so() -> None:
    X, Y = made(1, K=2)
    Y[:, 1] = 1 - Y[:, 0]
    pair = iso.compare(X, Y, methods=["mean", "loss"], **QUICK)
    rows = [line.split() for line in str(pair).splitlines()]
    assert ["label", "aggregation", "not", "compared"] in rows
    page = Page(pair._repr_html_())
    assert page.is_static()
    assert "all are on one level" in page.whole_text


@pytest.fixture(scope="module")
def many() -> iso.Comparison:
    X, Y = made(1, K=9)
    names = ["a", "b", "c", "d", "e", "f", "g", "a long name of a label", "another long name"]
    Y = pl.DataFrame(Y, schema=names)
    return iso.compare(X, Y, methods=["loss", "worst", "blend"], **QUICK)


def shown_labels(table: Table) -> list[str]:
    return [column.title or column.name for column in table.columns if column.heading == "AUC"]


@pytest.mark.parametrize(("width", "n_labels"), [(60, 2), (80, 3), (100, 5), (120, 7), (200, 9)])
def test_as_many_labels_have_columns_as_fit(
    many: iso.Comparison, width: int, n_labels: int
) -> None:
    """Those that are served worst, and always the smallest AUC."""
    table = comparison_blocks(many, width)[0]
    served = np.argsort(many[many.recommended].aucs.mean)
    assert shown_labels(table) == [many.names[k] for k in sorted(served[:n_labels])]
    assert "Min" in [column.heading for column in table.columns]
    assert fits(table, width)
    assert n_labels == 9 or not fits(methods_table(many, n_labels + 1, 10), width)
    text = shown(table, width)
    assert max(map(len, text.splitlines())) <= width
    left = f"{9 - n_labels} more labels are in the data frame, the report and the JSON."
    assert (left in " ".join(text.split())) == (n_labels < 9)
    assert "Intervals need" not in text


def test_a_text_and_a_page_have_many_labels(many: iso.Comparison) -> None:
    assert str(many).split("\n\n")[0].splitlines() == shown(comparison_blocks(many)[0], 100).strip(
        "\n"
    ).split("\n")
    assert shown_labels(methods_table(many)) == list(many.names)
    assert "more labels" not in Page(many._repr_html_()).whole_text


def test_many_methods_leave_the_worst_to_the_report() -> None:
    X, Y = made(0)
    own = {f"mine {k}": iso.LinearRanker(l2=10.0**-k) for k in range(3)}
    found = iso.compare(X, Y, rankers=own, goal="mean", **QUICK)
    shown = comparison_blocks(found)[0]
    names = [row.cells[0].text for row in shown.rows]
    assert len(names) < len(found.methods)
    assert {"chance", "mine 0", "mine 1", "mine 2", found.recommended} <= set(names)
    assert f"{len(found.methods) - len(names)} more method" in shown.notes[0]
    assert "Mean" in [column.heading for column in shown.columns]
    assert len(methods_table(found).rows) == len(found.methods)


@pytest.fixture(scope="module", params=[1, 2, 4])
def plain_names(request: pytest.FixtureRequest) -> iso.Comparison:
    names = ["click", "buy", "like", "stay"][: request.param]
    X, Y = made(0, K=request.param)
    Y = pl.DataFrame(Y, schema=names)
    return iso.compare(X, Y, methods=["mean", "worst", "plug-in", "one-label"], **QUICK)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_loses_no_name_and_no_number(plain_names: iso.Comparison, width: int) -> None:
    out = io.StringIO()
    Console(file=out, width=width).print(Shown(*comparison_blocks(plain_names)))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in out.getvalue()
    for method in plain_names.methods:
        assert any(line.strip(" *=").startswith(method.name.split()[0]) for line in lines)
        for auc in method.aucs.mean:
            assert f"{auc:.3f}" in out.getvalue()
    bounds = f"{plain_names.methods[0].aucs.low[0]:.3f}-".replace("0.", ".")
    needed = {1: 60, 2: 80, 4: 80}[len(plain_names.names)]
    assert (bounds in out.getvalue()) == (width >= needed)
    told = "Intervals need a wider terminal" in " ".join(out.getvalue().split())
    assert told == (width < needed)


def test_a_frame_without_polars_says_what_to_install(
    found: iso.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[cli\]'"):
        found.to_frame()
    assert "Take" in str(found)


def test_a_narrow_terminal_keeps_the_smallest_auc() -> None:
    """With groups, long names and two families there are more columns than 60 letters hold."""
    X, Y = made(0)
    names = ["clicked on it", "relevance, 0 or 1"]
    groups = np.arange(len(X)) // 10
    table = pd.DataFrame(Y, columns=names)
    found = iso.compare(X, table, groups=groups, methods=["mean", "loss"], **QUICK)
    two = (replace(found.methods[0], family="boosted"), *found.methods[1:])
    found = replace(found, methods=two)
    out = io.StringIO()
    Console(file=out, width=60).print(Shown(*comparison_blocks(found, 60)))
    head = out.getvalue().splitlines()
    assert max(map(len, head)) <= 60
    assert "model" in head[2]
    assert "Min" in head[2]
    assert "more columns, which need more room" in " ".join(out.getvalue().split())
