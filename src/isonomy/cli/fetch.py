"""`isonomy fetch`: a public data set from its owner."""

from __future__ import annotations

from isonomy import datasets
from isonomy._validation import suggestion
from isonomy.cli._console import Talk, print_result
from isonomy.cli._errors import UserError

LOADERS = {
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
    n, d = found.X.shape
    talk.say(f"{n:,} rows, {d} features, labels {', '.join(found.label_names)}.")
    print_result(str(found.path))
