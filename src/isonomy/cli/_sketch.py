"""`isonomy sketch`: what an audit needs of any number of rows, in a small file."""

from __future__ import annotations

from isonomy._infra import write_whole
from isonomy.cli._console import Messages
from isonomy.cli._data import TableOptions
from isonomy.cli._many_files import files_of
from isonomy.cli._scored_rows import sketch_of
from isonomy.cli._table_files import check_outputs


def sketch(
    talk: Messages,
    files: list[str],
    options: TableOptions,
    *,
    score: str,
    out: str,
    max_bytes: int,
) -> None:
    """Write the sketch of all rows of some tables."""
    check_outputs(files_of(files), {"--out": out})
    found = sketch_of(talk, files, options, score, max_bytes)
    data = found.to_bytes()
    write_whole(out, data)
    how = "exact" if found.exact else "with bounds that are certain"
    talk.say(f"{found.n_items:,} rows in {len(data):,} bytes, {how}: {out}")
    talk.say(f"Next: isonomy audit {out}")
