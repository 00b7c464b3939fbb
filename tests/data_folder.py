"""Where the data of others lie, for the tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def data_folder() -> Path | None:
    """The folder that ISONOMY_DATA names, else one beside the project; None if there is none."""
    named = os.environ.get("ISONOMY_DATA")
    folders = [Path(named)] if named else [PROJECT.parent / "data", PROJECT.parent / "shared/data"]
    return next((folder for folder in folders if (folder / "bank").is_dir()), None)
