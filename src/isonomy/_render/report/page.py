"""The page: one file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import json
import math
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isonomy._compare import (
    Comparison,
    headline,
    leak_lines,
    methods_table,
    serves,
    structure_lines,
)
from isonomy._core import Items, kept
from isonomy._infra import replacing, require, short_names
from isonomy._render.cells import name_cell, percent
from isonomy._render.html import rendered, trusted
from isonomy._render.report.charts import TOP, specifications, squares
from isonomy._render.report.content_policy import content_policy
from isonomy._render.report.origin import Origin
from isonomy._render.report.records import Material, PageRecords, Records
from isonomy._render.tables import Cell, Column, Row, Table

# Features that the page lists.
MOST_FEATURES = 30
# Methods of one meaning beyond these are counted, not named.
MOST_NAMED = 3
# What of the drawing libraries the page calls.
_EMBED = "window.vegaEmbed = vegaEmbed;"


def write_report(
    path: str | Path,
    comparison: Comparison,
    items: Items,
    origin: Origin,
) -> None:
    """Write the page of a comparison.

    Parameters
    ----------
    path : str or Path
        The HTML file; an old one is replaced in one step.
    comparison : Comparison
        What `compare` found.
    items : Items
        The rows that it was given: labels, weights and groups.
    origin : Origin
        For the footer and the commands.
    """
    html = page(Material(comparison, items, origin))
    with replacing(path) as new:
        new.write_text(html, encoding="utf-8")


def page(material: Material) -> str:
    """The page as text."""
    found, records = material.comparison, PageRecords.of(material)
    drawn = specifications(records)
    data = {"names": list(material.names), "charts": drawn, "tradeoffs": records.lines}
    libraries, own = _libraries(), trusted("report/page.js")
    return rendered(
        "report/page.html",
        title=_title(material),
        policy=content_policy(libraries, own),
        found=found,
        headline=headline(found),
        structure=[*structure_lines(found), *leak_lines(found)],
        features=_features_table(found),
        mapped=material.mapped,
        shown=len(material.good),
        serves=serves(found),
        meaning=found[found.recommended].meaning if serves(found) else "",
        meanings=_meanings(found),
        several=len(material.names) > 1,
        grouped=material.items.group is not None,
        labels=_labels_table(material, records.labels),
        methods=methods_table(found),
        lines=records.lines,
        short=material.short,
        from_file=material.origin.fit is not None,
        commands=_commands(material),
        charts=drawn,
        squares=squares(len(material.pairs)),
        top=TOP,
        facts=_facts(material),
        data=_json(data),
        libraries=libraries,
        own=own,
    )


def _title(material: Material) -> str:
    names = [material.short(name) for name in material.names]
    if len(names) == 1:
        return f"A ranking for {names[0]}"
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more labels"]
    return f"One ranking for {', '.join(shown[:-1])} and {shown[-1]}"


def _labels_table(material: Material, records: Records) -> Table:
    """How common each label is, and the pull that equal loss weights give it."""
    shares = {"positive": "prior", "missing": "missing"}
    if len(material.names) > 1:
        shares["share of the pull"] = "share"
    short = {name: material.short(name) for name in material.names}
    rows = [
        Row([name_cell(each["name"], short), *(_share(each[key]) for key in shares.values())])
        for each in records
    ]
    return Table([Column("label", names=True), *map(Column, shares)], rows)


def _features_table(found: Comparison) -> Table:
    """What was learned from, and how much it counts in the recommended method."""
    shares = dict(found.importances)
    names = sorted(found.features, key=lambda name: -shares.get(name, 0.0))
    short = short_names(names, 40)
    columns = [Column("feature", names=True)]
    if shares:
        which = "recommended" if serves(found) else "best"
        columns.append(Column(f"share in the {which} method"))
    rows = [
        Row([name_cell(name, short), *([Cell(percent(shares.get(name, 0.0)))] if shares else [])])
        for name in names[:MOST_FEATURES]
    ]
    left = len(names) - len(rows)
    return Table(columns, rows, notes=[f"... and {left:,} more in the JSON."] if left > 0 else [])


def _share(value: float | None) -> Cell:
    return Cell(percent(math.nan if value is None else value))


def _meanings(found: Comparison) -> list[tuple[str, str]]:
    """The methods that mean the same, and what they mean."""
    named: dict[str, list[str]] = {}
    for method in found.methods:
        if method.meaning:
            named.setdefault(method.meaning, []).append(method.name)
    return [(_named(names), meaning) for meaning, names in named.items()]


def _named(names: list[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _commands(material: Material) -> str:
    """How to fit the recommended method and score new rows; nothing for a ranker of one's own."""
    found, origin = material.comparison, material.origin
    method = found[found.recommended]
    if origin.fit is None or method.kind == "own":
        return ""
    rank = "isonomy rank new-rows.csv --model model.isonomy --out ranked.csv"
    arguments = ["--method", method.kind]
    if method.kind == "one-label":
        alone = found.recommended.removesuffix(f", {method.family}").removesuffix(" alone")
        arguments += ["--only", alone]
    return f"{origin.fit_command(arguments)}\n{rank}"


def _facts(material: Material) -> dict[str, str]:
    """What one needs to make the page again."""
    seed = material.comparison.seed
    return {**material.origin.facts(), "Seed": "none" if seed is None else str(seed)}


def _json(data: Any) -> Any:
    """Strict JSON that cannot end the script element it stands in."""
    from markupsafe import Markup

    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for letter in "<\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


@cache
def _libraries() -> Any:
    from markupsafe import Markup

    vl_convert = require("vl_convert", "cli", "A report")
    # It depends on nothing else, and takes longer to make than all the rest of the page.
    name = f"vega-{version('vl-convert-python')}-{sha256(_EMBED.encode()).hexdigest()[:16]}.js"
    bundle = kept(name, lambda: vl_convert.javascript_bundle(_EMBED).encode()).decode()
    return Markup(bundle.replace("</script", "<\\/script"))
