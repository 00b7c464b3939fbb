"""`isonomy audit`: does one label dictate a ranking that is there already?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isonomy import __version__
from isonomy._audit import Audit, Drift, audit_blocks
from isonomy._audit import audit as find_audit
from isonomy._core import Items
from isonomy._infra import listed
from isonomy._partial import AUCSketch
from isonomy._render import Shown
from isonomy.cli._console import Messages, command_line, print_result, read_json, write_json
from isonomy.cli._data import TableOptions
from isonomy.cli._errors import UserError, tell
from isonomy.cli._exit_codes import EXIT_GATE
from isonomy.cli._labels import parse_floors
from isonomy.cli._many_files import files_of, open_sketches
from isonomy.cli._scored_rows import Scored, read_scored
from isonomy.cli._table_files import check_outputs


@dataclass(frozen=True)
class Gates:
    """What has to hold for the exit code 0, as it stands on the command line."""

    dictator: bool = False
    drift: bool = False
    under: list[str] | None = None
    max_gap: float | None = None


@dataclass(frozen=True)
class _Input:
    """What was audited: the files by name and, of a single table that was read whole, its hash."""

    name: str
    sha256: str | None = None

    def to_dict(self) -> dict[str, str]:
        return {"name": self.name} | ({} if self.sha256 is None else {"sha256": self.sha256})


def audit(
    talk: Messages,
    files: list[str],
    options: TableOptions,
    *,
    score: str | None,
    by: str | None,
    top: int | None,
    baseline: str | None,
    gates: Gates,
    report: str | None,
    json_path: str | None,
) -> int:
    """Audit the score column, or sketches; the exit code."""
    check_outputs(files_of(files), {"--report": report, "--json": json_path})
    if gates.drift and baseline is None:
        raise UserError("--fail-on-drift compares with an earlier audit: name it by --baseline.")
    earlier = None if baseline is None else _earlier(baseline)
    if top is not None and options.group is None:
        raise UserError(
            "--top is about the first ranks of each group, such as a query. Name its column with "
            "--group, or leave --top out."
        )

    def check(names: Sequence[str]) -> None:
        parse_floors(gates.under or [], names, "--fail-under")
        _check_gates(gates, names, earlier)

    sketches = open_sketches(files)
    if sketches is None:
        found, source = _of_tables(talk, files, options, score=score, by=by, top=top, check=check)
    else:
        found, source = _of_sketches(sketches, options, score=score, by=by, check=check)
    drift = None if earlier is None else found.drift(earlier)
    failures = found.failures(
        dictator=gates.dictator,
        under=parse_floors(gates.under or [], found.names, "--fail-under"),
        max_gap=gates.max_gap,
        drift=drift if gates.drift else None,
    )
    if report is not None:
        # Not above: an audit without a page need not wait for the makers of pictures.
        from isonomy._render.report import Origin, write_audit_report

        origin = Origin(__version__, command_line(), source.name, source.sha256)
        write_audit_report(report, found, origin, score=score or "", drift=drift, failures=failures)
    if json_path is not None:
        write_json(_audit_json(found, source, drift, failures), json_path)
    if json_path != "-":
        print_result(Shown(*audit_blocks(found, drift)))
    if report is not None:
        talk.say(f"Report: {report}")
    for reason in failures:
        tell(f"Failed: {reason}")
    return EXIT_GATE if failures else 0


def _audit_json(
    found: Audit, source: _Input, drift: Drift | None, failures: tuple[str, ...]
) -> dict[str, Any]:
    document: dict[str, Any] = found.to_dict()
    document["input"] = source.to_dict()
    if drift is not None:
        document["drift"] = drift.to_dict()
    document["failures"] = list(failures)
    return document


def _check_gates(gates: Gates, names: Sequence[str], earlier: Audit | None) -> None:
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


def _of_tables(
    talk: Messages,
    files: list[str],
    options: TableOptions,
    *,
    score: str | None,
    by: str | None,
    top: int | None,
    check: Callable[[Sequence[str]], None],
) -> tuple[Audit, _Input]:
    if score is None:
        raise UserError("--score should name the column that you rank by. Found nothing.")
    scored = read_scored(talk, files, options, score=score, by=by, check=check)
    with talk.while_working():
        if isinstance(scored.rows, Items):
            rows = scored.rows
            found = find_audit(rows, rows.scores, by=scored.segments, top=top)
            return found, _Input(scored.parts.name, _hash(scored))
        return find_audit(scored.rows), _Input(scored.parts.name)


def _hash(scored: Scored) -> str | None:
    single = scored.parts.single
    return None if single is None else single.sha256


def _of_sketches(
    sketches: dict[str, AUCSketch],
    options: TableOptions,
    *,
    score: str | None,
    by: str | None,
    check: Callable[[Sequence[str]], None],
) -> tuple[Audit, _Input]:
    """Of all rows of several sketches."""
    if score or by or replace(options, file="", separator=None) != TableOptions(""):
        raise UserError(
            "A sketch holds its score and labels already, and knows no segments, groups, weights "
            "or clusters. Leave these options out, or audit the tables themselves."
        )
    first, *others = sketches
    merged = sketches[first]
    check(merged.names)
    for name in others:
        if sketches[name].names != merged.names:
            raise UserError(
                f"{name} should be a sketch of {', '.join(merged.names)}, as {first} is. "
                f"Found one of {', '.join(sketches[name].names)}."
            )
        merged.merge(sketches[name])
    if not merged.n_items:
        raise UserError(f"{first} holds no rows. Make a sketch of some.")
    return find_audit(merged), _Input(", ".join(sketches))


def _earlier(path: str) -> Audit:
    try:
        return Audit.from_dict(read_json(path, "--baseline"))
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"--baseline: {path} is not what `isonomy audit --json` wrote ({error})."
        ) from None
