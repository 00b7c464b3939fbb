"""`isonomy audit`: does one label dictate a ranking that is there already?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isonomy._audit import Audit, audit_blocks
from isonomy._audit import audit as find_audit
from isonomy._core import Items
from isonomy._partial import AUCSketch
from isonomy._render import Sentences, Shown
from isonomy.cli._console import Messages, print_result, read_json, write_json
from isonomy.cli._data import TableOptions
from isonomy.cli._errors import UserError
from isonomy.cli._exit_codes import EXIT_DICTATOR
from isonomy.cli._many_files import open_sketches
from isonomy.cli._scored_rows import read_scored
from isonomy.cli._table_files import check_outputs


def audit(
    talk: Messages,
    files: list[str],
    options: TableOptions,
    *,
    score: str | None,
    by: str | None,
    baseline: str | None,
    fail_on_dictator: bool,
    json_path: str | None,
) -> int:
    """Audit the score column, or sketches; the exit code."""
    for file in files:
        check_outputs(file, {"--json": json_path})
    earlier = None if baseline is None else _earlier(baseline)
    sketches = open_sketches(files)
    if sketches is None:
        found, origin = _of_tables(talk, files, options, score, by)
    else:
        found, origin = _of_sketches(sketches, options, score, by)
    drift = None if earlier is None else found.drift(earlier)
    if json_path is not None:
        document: dict[str, Any] = found.to_dict()
        document["input"] = origin
        if drift is not None:
            document["drift"] = drift.to_dict()
        write_json(document, json_path)
    if json_path != "-":
        moved = [] if drift is None else drift.summary().splitlines()
        print_result(Shown(*audit_blocks(found), Sentences(moved)))
    return EXIT_DICTATOR if fail_on_dictator and found.dictated else 0


def _of_tables(
    talk: Messages, files: list[str], options: TableOptions, score: str | None, by: str | None
) -> tuple[Audit, dict[str, Any]]:
    if score is None:
        raise UserError("--score should name the column that you rank by. Found nothing.")
    scored = read_scored(talk, files, options, score, by, "audit")
    origin = {"name": scored.parts.name}
    if scored.parts.single is not None and isinstance(scored.rows, Items):
        origin["sha256"] = scored.parts.single.sha256
    with talk.while_working():
        if isinstance(scored.rows, Items):
            return find_audit(scored.rows, scored.rows.scores, by=scored.segments), origin
        return find_audit(scored.rows), origin


def _of_sketches(
    sketches: dict[str, AUCSketch],
    options: TableOptions,
    score: str | None,
    by: str | None,
) -> tuple[Audit, dict[str, Any]]:
    """Of all rows of several sketches."""
    if score or by or replace(options, file="", separator=None) != TableOptions(""):
        raise UserError(
            "A sketch holds its score and labels already, and knows no segments, groups, weights "
            "or clusters. Leave these options out, or audit the tables themselves."
        )
    first, *others = sketches
    merged = sketches[first]
    for name in others:
        if sketches[name].names != merged.names:
            raise UserError(
                f"{name} should be a sketch of {', '.join(merged.names)}, as {first} is. "
                f"Found one of {', '.join(sketches[name].names)}."
            )
        merged.merge(sketches[name])
    if not merged.n_items:
        raise UserError(f"{first} holds no rows. Make a sketch of some.")
    return find_audit(merged), {"name": ", ".join(sketches)}


def _earlier(path: str) -> Audit:
    try:
        return Audit.from_dict(read_json(path, "--baseline"))
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"--baseline: {path} is not what `isonomy audit --json` wrote ({error})."
        ) from None
