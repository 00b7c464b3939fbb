"""`isonomy demo`: the whole journey on an embedded search log."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from isonomy import __version__, datasets
from isonomy._compare import Comparison, compare, comparison_blocks
from isonomy._core import Items
from isonomy._infra import check_writable
from isonomy._render import Shown
from isonomy._render.report import Origin, write_report
from isonomy.cli._console import Messages, print_result

N_ROWS = 10_000


def demo(talk: Messages, report: str) -> None:
    """Compare the methods on the search log, print the table, write the report."""
    check_writable(report, "--report")
    talk.say(
        f"A search log of {N_ROWS:,} documents. 40% are relevant, 1% are recent; one ranking "
        "should serve both.\nTraining every method on five splits (the first run also compiles, "
        "which takes a minute) ..."
    )
    with talk.while_working():
        found, items = run_demo()
        origin = Origin(__version__, "isonomy demo", "the embedded search log", "-", None)
        write_report(report, found, items, origin)
    print_result(Shown(*comparison_blocks(found)))
    talk.say(f"\nThe report: {Path(report).resolve()}\nOn your own table: isonomy compare FILE")


def run_demo(n_rows: int = N_ROWS) -> tuple[Comparison, Items]:
    """The comparison, and the rows that it was made on."""
    log = datasets.make_search_log(n_rows)
    X = pl.DataFrame(log.X, schema=list(log.feature_names))
    items = Items.checked(pl.DataFrame(log.Y.astype(float), schema=list(log.label_names)))
    return compare(X, items, family="linear", repeats=1, random_state=0), items
