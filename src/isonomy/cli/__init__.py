"""The `isonomy` command. Its commands are in `_app`, which needs the extra `cli`."""

from __future__ import annotations

import sys

from isonomy._infra import first_missing, missing_text

# What the extra `cli` brings.
NEEDS = ("typer", "rich", "polars", "altair", "vl_convert", "jinja2", "pooch", "skops")


def main() -> None:
    """Entry point of the console script."""
    missing = first_missing(NEEDS)
    if missing is not None:
        sys.exit(missing_text(missing, "cli", "isonomy's command line"))
    from isonomy.cli._app import run

    sys.exit(run())
