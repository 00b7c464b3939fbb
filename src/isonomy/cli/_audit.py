"""`isonomy audit`: does one label dictate a ranking that is there already?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from isonomy import __version__
from isonomy._audit import Audit, Drift, audit_blocks
from isonomy._audit import audit as find_audit
from isonomy._infra import listed
from isonomy._render import Shown
from isonomy.cli._console import Messages, command_line, print_result, read_json, write_json
from isonomy.cli._data import LabelledTable, TableOptions, load_table
from isonomy.cli._errors import UserError, tell
from isonomy.cli._exit_codes import EXIT_GATE
from isonomy.cli._labels import need_plain, numeric_column, parse_floors
from isonomy.cli._table_files import check_outputs, need_columns


@dataclass(frozen=True)
class Gates:
    """What has to hold for the exit code 0, as it stands on the command line."""

    dictator: bool = False
    drift: bool = False
    under: list[str] | None = None
    max_gap: float | None = None


def audit(
    talk: Messages,
    options: TableOptions,
    *,
    score: str,
    by: str | None,
    top: int | None,
    baseline: str | None,
    gates: Gates,
    report: str | None,
    json_path: str | None,
) -> int:
    """Audit the score column; the exit code."""
    check_outputs(options.file, {"--report": report, "--json": json_path})
    if gates.drift and baseline is None:
        raise UserError("--fail-on-drift compares with an earlier audit: name it by --baseline.")
    earlier = None if baseline is None else _earlier(baseline)
    if top is not None and options.group is None:
        raise UserError(
            "--top is about the first ranks of each group, such as a query. Name its column with "
            "--group, or leave --top out."
        )
    data = load_table(options, "audit")
    need_columns(data.table.columns, [score], data.source, "--score")
    if score in data.roles.labels:
        raise UserError(f"--score: {score!r} is a label. Name the score that you rank by.")
    floors = parse_floors(gates.under or [], data.label_names, "--fail-under")
    _check_gates(gates, data.label_names, earlier)
    numbers = numeric_column(data.table, score, "--score")
    with talk.while_working():
        found = find_audit(data.items, numbers, by=_segments(data, by), top=top)
    drift = None if earlier is None else found.drift(earlier)
    failures = found.failures(
        dictator=gates.dictator,
        under=floors,
        max_gap=gates.max_gap,
        drift=drift if gates.drift else None,
    )
    if report is not None:
        # Not above: an audit without a page need not wait for the makers of pictures.
        from isonomy._render.report import Origin, write_audit_report

        origin = Origin(__version__, command_line(), data.source.name, data.source.sha256)
        write_audit_report(report, found, origin, score=score, drift=drift, failures=failures)
    if json_path is not None:
        write_json(_audit_json(found, data, drift, failures), json_path)
    if json_path != "-":
        print_result(Shown(*audit_blocks(found, drift)))
    if report is not None:
        talk.say(f"Report: {report}")
    for reason in failures:
        tell(f"Failed: {reason}")
    return EXIT_GATE if failures else 0


def _audit_json(
    found: Audit, data: LabelledTable, drift: Drift | None, failures: tuple[str, ...]
) -> dict[str, Any]:
    document: dict[str, Any] = found.to_dict()
    document["input"] = {"name": data.source.name, "sha256": data.source.sha256}
    if drift is not None:
        document["drift"] = drift.to_dict()
    document["failures"] = list(failures)
    return document


def _check_gates(gates: Gates, names: tuple[str, ...], earlier: Audit | None) -> None:
    """Before any work: each gate has something to look at."""
    if gates.max_gap is not None and not 0 <= gates.max_gap <= 1:
        raise UserError(f"--max-gap should be from 0 to 1. Found {gates.max_gap:g}.")
    if gates.max_gap is not None and len(names) < 2:
        raise UserError("--max-gap is between labels. Name two or more with --labels.")
    if gates.dictator and len(names) < 2:
        raise UserError("--fail-on-dictator needs two labels or more. Name them with --labels.")
    if gates.drift and earlier is not None and not set(names) & set(earlier.names):
        raise UserError(
            "--fail-on-drift: the baseline has none of these labels, so that nothing can be "
            f"compared. Its labels: {listed(earlier.names, 12)}."
        )


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
