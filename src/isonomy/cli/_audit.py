"""`isonomy audit`: does one label dictate a ranking that is there already?"""

from __future__ import annotations

from typing import Any

import polars as pl

from isonomy._audit import Audit, audit_blocks
from isonomy._audit import audit as find_audit
from isonomy._render import Sentences, Shown
from isonomy.cli._console import Messages, print_result, read_json, write_json
from isonomy.cli._data import LabelledTable, TableOptions, load_table
from isonomy.cli._errors import UserError
from isonomy.cli._exit_codes import EXIT_DICTATOR
from isonomy.cli._labels import need_plain, numeric_column
from isonomy.cli._table_files import check_outputs, need_columns


def audit(
    talk: Messages,
    options: TableOptions,
    *,
    score: str,
    by: str | None,
    baseline: str | None,
    fail_on_dictator: bool,
    json_path: str | None,
) -> int:
    """Audit the score column; the exit code."""
    check_outputs(options.file, {"--json": json_path})
    earlier = None if baseline is None else _earlier(baseline)
    data = load_table(options, "audit")
    need_columns(data.table.columns, [score], data.source, "--score")
    if score in data.roles.labels:
        raise UserError(f"--score: {score!r} is a label. Name the score that you rank by.")
    numbers = numeric_column(data.table, score, "--score")
    with talk.while_working():
        found = find_audit(data.items, numbers, by=_segments(data, by))
    drift = None if earlier is None else found.drift(earlier)
    if json_path is not None:
        document: dict[str, Any] = found.to_dict()
        document["input"] = {"name": data.source.name, "sha256": data.source.sha256}
        if drift is not None:
            document["drift"] = drift.to_dict()
        write_json(document, json_path)
    if json_path != "-":
        moved = [] if drift is None else drift.summary().splitlines()
        print_result(Shown(*audit_blocks(found), Sentences(moved)))
    return EXIT_DICTATOR if fail_on_dictator and found.dictated else 0


def _segments(data: LabelledTable, by: str | None) -> Any:
    if by is None:
        return None
    need_columns(data.table.columns, [by], data.source, "--by")
    if by in data.roles.labels:
        raise UserError(f"--by: {by!r} is a label. Name a column of segments, such as a country.")
    column = need_plain(data.table[by], "--by")
    # Numbers as they are: the audit knows whole ones, such as 22, by their values.
    return column.to_numpy() if column.dtype.is_float() else column.cast(pl.String)


def _earlier(path: str) -> Audit:
    try:
        return Audit.from_dict(read_json(path, "--baseline"))
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"--baseline: {path} is not what `isonomy audit --json` wrote ({error})."
        ) from None
