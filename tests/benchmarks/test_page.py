"""docs/speed.md says what the committed runs found."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.page import LIMITS, PAGE, committed, draw
from benchmarks.run_file import Run
from benchmarks.targets import Target


def test_the_committed_page_is_drawn_from_the_committed_runs() -> None:
    assert PAGE.read_text() == draw(committed(), LIMITS.read_text())


def test_rows_show_what_was_missed_and_how_the_others_did() -> None:
    fast = Target("auc", 30.0, 25.0, at_least=True, nanoseconds=9.0, peers={"sklearn": 30.0})
    slow = replace(fast, measured=20.0, nanoseconds=14.0)
    run = Run.begin(quick=False)
    page = draw([replace(run, suites={"metrics": [each]}) for each in (fast, slow)])
    assert page.splitlines()[-2] == (
        "| auc | >= 25x | 30x | **20x (missed)** | 9 / 14 | sklearn 30 |"
    )
