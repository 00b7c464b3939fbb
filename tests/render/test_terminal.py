"""The same tables on terminals of many widths, in colour."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from isonomy._render import Cell, Column, Row, Sentences, Shown, Table, Tone, plain
from isonomy._render.terminal import STYLES
from tests.render.hostile import HOSTILE
from tests.render.made_tables import EMPTY, FAILED, UNDEFINED, hostile_table, labels_table


def shown(*blocks: Table | Sentences, width: int, colour: bool = False) -> str:
    out = io.StringIO()
    system = "standard" if colour else None
    Console(file=out, width=width, force_terminal=colour, color_system=system).print(Shown(*blocks))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("n_labels", [1, 4])
def test_no_number_is_lost_and_no_line_is_too_long(n_labels: int, width: int) -> None:
    text = shown(labels_table(n_labels), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("0.812") == 2 * n_labels
    told = "Intervals need a wider terminal" in text
    assert (".791-.830" in text) != told


@pytest.mark.parametrize(("width", "details"), [(20, 0), (40, 2), (120, 2)])
def test_intervals_are_left_out_where_they_do_not_fit(width: int, details: int) -> None:
    text = shown(labels_table(1), width=width)
    assert text.count(".791-.830") == details
    assert ("Intervals need" in text) == (details == 0)


def test_fourteen_labels_lose_nothing() -> None:
    text = shown(labels_table(14), width=80)
    assert text.count("0.812") == 28


def test_columns_that_give_way_are_counted() -> None:
    for n_columns, told in ((1, "1 more column, which needs"), (3, "3 more columns, which need")):
        kept, given = Column("kept" * 4), [Column("given" * 3, give_way=1)] * n_columns
        row = Row([Cell("1")] * (1 + n_columns))
        text = shown(Table([kept, *given], [row]), width=20)
        assert f"... and {told} more room: see the JSON." in " ".join(text.split())


@pytest.mark.parametrize("table", [EMPTY, UNDEFINED, FAILED])
def test_it_says_what_the_text_says(table: Table) -> None:
    assert shown(table, width=100).split() == plain(table).split()


def test_hostile_names_command_nothing() -> None:
    text = shown(hostile_table(), Sentences(HOSTILE), width=100)
    assert "\x1b" not in text
    assert "[bold]markup[/bold]" in text
    coloured = shown(Sentences(["a \x1b[31mred"]), width=100, colour=True)
    assert "\x1b[31m" not in coloured


@pytest.mark.parametrize(
    ("tone", "code"), [("bad", "31"), ("good", "32"), ("warning", "33"), ("plain", None)]
)
def test_chips_have_colours(tone: Tone, code: str | None) -> None:
    table = Table([Column("verdict")], [Row([Cell("word", chip=tone)])])
    text = shown(table, width=80, colour=True)
    assert (f"\x1b[{code}mword" in text) == (code is not None)
    assert ("   word" in text) == (code is None)


def test_the_marked_row_is_bold() -> None:
    bold = [
        line
        for line in shown(labels_table(1), width=80, colour=True).splitlines()
        if "\x1b[1m" in line
    ]
    assert len(bold) == 1
    assert "mean" in bold[0]


def test_styles_are_of_roles_that_there_are() -> None:
    assert set(STYLES) <= {"strong", "dim", *Tone.__args__}
