"""`isonomy fetch`: a public data set from its owner."""

from __future__ import annotations

from collections.abc import Callable

from isonomy import datasets
from isonomy._core import suggestion
from isonomy.cli._console import Talk, print_result
from isonomy.cli._errors import UserError

LOADERS: dict[str, Callable[..., datasets.Loaded]] = {
    "bank": datasets.load_bank,
    "mslr": datasets.load_mslr,
    "helpsteer": datasets.load_helpsteer,
}


def fetch(talk: Talk, name: str) -> None:
    """Find or download a data set, and print where it lies."""
    if name not in LOADERS:
        raise UserError(
            f"There is no data set {name!r}. There are {', '.join(LOADERS)}."
            f"{suggestion(name, list(LOADERS))}"
        )
    with talk.going():
        found = LOADERS[name]()
    print_result(
        f"{found.origin}: {len(found):,} rows, labels {', '.join(found.label_names)}.\n"
        f"In Python: isonomy.datasets.load_{name}()"
    )
