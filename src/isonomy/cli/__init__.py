"""The `isonomy` command. Its commands are in `_app`, which needs the extra `cli`."""

from __future__ import annotations

import sys

from isonomy._infra import first_missing, missing_text
from isonomy.cli._exit_codes import EXIT_INTERRUPTED, EXIT_MISTAKE
from isonomy.cli._interrupts import SAID, interruptible

# What the extra `cli` brings.
NEEDS = ("typer", "rich", "polars", "altair", "vl_convert", "jinja2", "pooch", "skops")


def main() -> None:
    """Entry point of the console script."""
    missing = first_missing(NEEDS)
    if missing is not None:
        print(missing_text(missing, "cli", "isonomy's command line"), file=sys.stderr)  # noqa: T201
        sys.exit(EXIT_MISTAKE)
    with interruptible():
        try:
            from isonomy.cli._app import run

            code = run()
        except KeyboardInterrupt:
            # While modules were read.
            print(SAID, file=sys.stderr)  # noqa: T201
            code = EXIT_INTERRUPTED
    sys.exit(code)
