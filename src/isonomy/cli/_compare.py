"""`isonomy compare`: which way of ranking serves all labels?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from isonomy import __version__
from isonomy._compare import Comparison, comparison_blocks
from isonomy._compare import compare as find_comparison
from isonomy._models import save
from isonomy._render import Shown
from isonomy._render.report import Origin, write_pictures, write_report
from isonomy.cli._console import Messages, print_result, write_json
from isonomy.cli._data import LabelledTable, TableOptions, label_arguments, load_table
from isonomy.cli._errors import UserError
from isonomy.cli._fit import check_family_option, encoder, tell_dropped
from isonomy.cli._table_files import check_outputs


def compare(
    talk: Messages,
    options: TableOptions,
    *,
    family: str,
    folds: int,
    repeats: int,
    report: str | None,
    pictures: str | None,
    json_path: str | None,
    out: str | None,
    seed: int,
) -> None:
    """Compare the methods; print, and write what was asked for."""
    check_family_option(family)
    check_outputs(options.file, {"--report": report, "--json": json_path, "--out": out})
    if pictures is not None:
        _check_folder(Path(pictures))
    data = load_table(options, "compare")
    with talk.while_working():
        # Once on all rows, so that what is wrong with the features is told at once.
        tell_dropped(talk, encoder(family).fit(data.features))
        found = find_comparison(
            data.features,
            data.items,
            family=family,
            preprocessor=encoder(family),
            folds=folds,
            repeats=repeats,
            random_state=seed,
        )
        origin = origin_of(data, options, family, seed)
        if json_path is not None:
            write_json(_comparison_json(found, origin), json_path)
        if report is not None:
            write_report(report, found, data.items, origin)
        if pictures is not None:
            write_pictures(pictures, found, data.items, origin)
        if out is not None:
            save(_best(found, data), out, about=data.about(found.recommended))
    if json_path != "-":
        print_result(Shown(*comparison_blocks(found)))
    for what, where in (("Report", report), ("Pictures", pictures), ("Model", out)):
        if where is not None:
            talk.say(f"{what}: {where}")


def _check_folder(folder: Path) -> None:
    """Before any work: the folder is there, or can be made."""
    places = (folder.resolve(), *folder.resolve().parents)
    nearest = next(place for place in places if place.exists())
    if not nearest.is_dir():
        raise UserError(f"--pictures should name a folder. Found a file: {nearest}.")


def origin_of(data: LabelledTable, options: TableOptions, family: str, seed: int) -> Origin:
    """Where the report comes from; the commands in it read the same table again."""
    file, separator = options.file, options.separator
    # A name with a dash in front would be taken for an option.
    fit = [f"./{file}" if file.startswith("-") and file != "-" else file]
    fit += label_arguments(data.roles)
    if separator is not None and data.source.format == "csv":
        fit += ["--separator", separator]
    if family != "linear":
        fit += ["--family", family]
    if seed:
        fit += ["--seed", str(seed)]
    command = shlex.join(["isonomy", *sys.argv[1:]])
    return Origin(__version__, command, data.source.name, data.source.sha256, fit)


def _comparison_json(found: Comparison, origin: Origin) -> dict[str, Any]:
    document = found.to_dict()
    document["isonomy"] = origin.version
    document["command"] = origin.command
    document["input"] = {"name": origin.file, "sha256": origin.sha256}
    return document


def _best(found: Comparison, data: LabelledTable) -> Any:
    """The recommended method, fitted on all rows."""
    return found.fit_best(data.features, data.items)
