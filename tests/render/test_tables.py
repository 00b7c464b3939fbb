"""What a table knows of itself."""

from __future__ import annotations

from tests.render.made_tables import BEST, EMPTY, EQUAL, labels_table


def test_marks_come_once_and_the_strong_one_first() -> None:
    assert labels_table(1).marks == [BEST, EQUAL]
    assert EMPTY.marks == []
