"""Tables as text: columns in line, nothing lost, nothing that a name could do."""

from __future__ import annotations

import pytest

from isonomy._infra import printable
from isonomy._render import Cell, Column, Row, Sentences, Table, plain
from isonomy._render.text import WIDTH, width_of
from tests.render.hostile import HOSTILE
from tests.render.made_tables import EMPTY, FAILED, UNDEFINED, hostile_table, labels_table


def test_details_stand_beside_where_there_is_room() -> None:
    assert plain(labels_table(1)).splitlines() == [
        "Methods",
        "                                  AUC",
        "  method                      label 0",
        "-------------------------------------",
        "= loss aggregation  0.812 (.791-.830)",
        "* mean              0.812 (.791-.830)",
        "* best   = as good",
        "A note.",
    ]


def test_details_stand_beneath_where_there_is_none() -> None:
    lines = plain(labels_table(4)).splitlines()
    rows = [line for line in lines if "0.812" in line]
    below = [line for line in lines if ".791-.830" in line]
    assert len(rows) == len(below) == 2
    assert {line.count("0.812") for line in rows} == {line.count(".791") for line in below} == {4}
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("n_labels", [1, 4, 14])
def test_columns_stand_in_line(n_labels: int) -> None:
    lines = plain(labels_table(n_labels)).splitlines()
    heading = next(line for line in lines if "label 0" in line)
    row = next(line for line in lines if "0.812" in line)
    rule = next(line for line in lines if line.startswith("---"))
    assert len(heading) == len(row) == len(rule)
    assert row.count("0.812") == n_labels


def test_an_empty_table_is_its_headings() -> None:
    assert plain(EMPTY) == "label  AUC\n----------"


def test_what_is_undefined_is_a_dash() -> None:
    assert plain(UNDEFINED).splitlines()[-1].split() == ["a", "-", "-", "0.5"]


def test_a_cell_that_takes_the_rest_moves_no_column() -> None:
    lines = plain(FAILED).splitlines()
    assert lines[-2:] == ["mean    0.812  0.700", "loss    not compared"]
    assert "long story" not in plain(FAILED)


def test_hostile_text_is_one_line_of_letters() -> None:
    text = plain(hostile_table(), Sentences(HOSTILE), Sentences(HOSTILE, title="Note"))
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\x1b" not in text
    sentences = text.split("\n\n")[-2:]
    assert [len(each.split("\n")) for each in sentences] == [len(HOSTILE)] * 2


def test_blocks_that_are_empty_leave_no_gap() -> None:
    assert plain(Sentences(["a"]), Sentences([]), Sentences(["b"])) == "a\n\nb"


def test_long_notes_are_broken() -> None:
    noted = Table([Column("a")], [Row([Cell("1")])], notes=["word " * 100])
    assert max(map(len, plain(noted).splitlines())) <= WIDTH


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("\N{DIRECT HIT}", 2), ("日本", 4), ("e\N{COMBINING ACUTE ACCENT}", 1), ("", 0)],
)
def test_width_in_a_terminal(text: str, width: int) -> None:
    assert width_of(text) == width


def test_wide_letters_keep_columns_in_line() -> None:
    rows = [Row([Cell(name), Cell("1")]) for name in ("日本", "abcd")]
    wide, narrow = plain(Table([Column("x", names=True), Column("y")], rows)).splitlines()[-2:]
    assert width_of(wide) == width_of(narrow)


def test_printable_keeps_letters_and_replaces_commands() -> None:
    assert printable("a\x1bb\nc") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    assert printable("smile \N{DIRECT HIT}") == "smile \N{DIRECT HIT}"
