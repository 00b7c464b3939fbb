"""`isonomy fetch`: a public data set from its owner."""

from __future__ import annotations

from collections.abc import Callable

import typer

from isonomy import datasets
from isonomy.cli._console import Messages
from isonomy.cli._errors import check_option

LOADERS: dict[str, Callable[..., datasets.Loaded]] = {
    "bank": datasets.load_bank,
    "mslr": datasets.load_mslr,
    "helpsteer": datasets.load_helpsteer,
}


def fetch(talk: Messages, name: str) -> None:
    """Find or download a data set, and print where it lies."""
    check_option("NAME", name, LOADERS)
    with talk.while_working():
        found = LOADERS[name]()
    talk.say(
        f"{found.origin}: {len(found):,} rows, labels {', '.join(found.label_names)}.\n"
        f"In Python: isonomy.datasets.load_{name}()"
    )
    # Alone on standard output, for scripts.
    typer.echo(str(found.path))
