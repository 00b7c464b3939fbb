"""`isonomy compare`: which way of ranking serves all labels?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isonomy import __version__
from isonomy._compare import (
    AUTO,
    FAMILIES,
    METHODS,
    MIXED,
    Comparison,
    check_families,
    comparison_blocks,
    serves,
)
from isonomy._compare import compare as find_comparison
from isonomy._infra import printable
from isonomy._models import save
from isonomy._render import Shown
from isonomy._render.report import Origin, write_pictures, write_report
from isonomy.cli._console import Messages, command_line, print_result, result_width, write_json
from isonomy.cli._data import LabelledTable, TableOptions, label_arguments, load_table
from isonomy.cli._errors import UserError, check_option
from isonomy.cli._fit import GoalOptions
from isonomy.cli._labels import parse_floors, parse_values, split_names
from isonomy.cli._table_files import check_outputs


@dataclass(frozen=True)
class CompareOptions:
    """What the user wants of a comparison, as it stands on the command line."""

    goal: GoalOptions
    family: str
    methods: list[str]
    tune: bool
    folds: int
    repeats: int | None
    seed: int
    jobs: int | None

    @property
    def families(self) -> str | list[str]:
        """The families by name, or "auto"."""
        names = split_names([self.family], [])
        return names[0] if names == [AUTO] else names

    @property
    def method_keys(self) -> list[str] | None:
        """The methods by name; None: all."""
        return split_names(self.methods, []) or None


def compare(
    talk: Messages,
    options: TableOptions,
    chosen: CompareOptions,
    *,
    report: str | None,
    pictures: str | None,
    json_path: str | None,
    out: str | None,
    verbose: bool,
) -> None:
    """Compare the methods; print, and write what was asked for."""
    _check_families(chosen)
    for key in chosen.method_keys or []:
        check_option("--methods", key, METHODS)
    chosen.goal.check()
    check_outputs([options.file], {"--report": report, "--json": json_path, "--out": out})
    if pictures is not None:
        _check_folder(Path(pictures))
    data = load_table(options, "compare")
    value = parse_values(list(chosen.goal.value), data.label_names, "--value")
    at_least = parse_floors(list(chosen.goal.at_least), data.label_names, "--at-least")
    with talk.while_working():
        found = find_comparison(
            data.features,
            data.items,
            goal=value or chosen.goal.goal,
            at_least=at_least or None,
            family=chosen.families,
            methods=chosen.method_keys,
            tune=chosen.tune,
            preprocessor="table",
            text=data.roles.text,
            folds=chosen.folds,
            repeats=chosen.repeats,
            splits=data.roles.times(data.table),
            random_state=chosen.seed,
            n_jobs=chosen.jobs,
        )
        origin = origin_of(data, options, found, chosen)
        if json_path is not None:
            write_json(_comparison_json(found, origin), json_path)
        if report is not None:
            write_report(report, found, data.items, origin)
        if pictures is not None:
            write_pictures(pictures, found, data.items, origin)
        if out is not None:
            save(found.best, out, about=data.about(found.recommended))
    if json_path != "-":
        print_result(Shown(*comparison_blocks(found, result_width())))
    if verbose:
        talk.say(_features(found))
    if out is not None and not serves(found):
        talk.say(f"The model is {found.recommended!r}, which is not surely better than chance.")
    for what, where in (("Report", report), ("Pictures", pictures), ("Model", out)):
        if where is not None:
            talk.say(f"{what}: {where}")


def _check_families(chosen: CompareOptions) -> None:
    names = chosen.families
    several = not isinstance(names, str) and len(names) > 1
    for name in [names] if isinstance(names, str) else names or [""]:
        check_option("--family", name, [*FAMILIES] if several else [AUTO, *FAMILIES])
    check_families(names)


def _features(found: Comparison) -> str:
    """What was learned from, the most important first, one a line."""
    shares = dict(found.importances)
    names = sorted(found.features, key=lambda name: -shares.get(name, 0.0))
    head = f"Features, by their share in {found.recommended!r}:" if shares else "Features:"
    lines = [f"  {name}" + (f"  {shares.get(name, 0.0):.1%}" if shares else "") for name in names]
    return "\n".join([head, *lines])


def _check_folder(folder: Path) -> None:
    """Before any work: the folder is there, or can be made."""
    places = (folder.resolve(), *folder.resolve().parents)
    nearest = next(place for place in places if place.exists())
    if not nearest.is_dir():
        raise UserError(f"--pictures should name a folder. Found a file: {nearest}.")


def origin_of(
    data: LabelledTable, options: TableOptions, found: Comparison, chosen: CompareOptions
) -> Origin:
    """Where the report comes from; the commands in it read the same table again."""
    file, separator = printable(options.file), options.separator
    # A name with a dash in front would be taken for an option.
    fit = [f"./{file}" if file.startswith("-") and file != "-" else file]
    fit += label_arguments(data.roles)
    if separator is not None and data.source.format == "csv":
        fit += ["--separator", separator]
    family = found[found.recommended].family
    if family not in (None, "linear"):
        fit += ["--family", ",".join(str(family).split(MIXED))]
    fit += chosen.goal.arguments()
    if not chosen.tune:
        fit += ["--no-tune"]
    if chosen.seed:
        fit += ["--seed", str(chosen.seed)]
    return Origin(__version__, command_line(), data.source.name, data.source.sha256, fit)


def _comparison_json(found: Comparison, origin: Origin) -> dict[str, Any]:
    document = found.to_dict()
    document["isonomy"] = origin.version
    document["command"] = origin.command
    document["input"] = {"name": origin.file, "sha256": origin.sha256}
    return document
