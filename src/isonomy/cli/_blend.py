"""`isonomy blend`: the best non-negative mix of scores that a team already has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from isonomy._audit import CONSTANT
from isonomy._compare import METHODS
from isonomy._core import FloatArray, Items
from isonomy._infra import listed, short_names
from isonomy._metrics import DEFAULT_LEVEL, auc_intervals
from isonomy._models import save
from isonomy._rankers import blend as find_blend
from isonomy._rankers import folds
from isonomy._rankers.linear import LinearRanker
from isonomy._render import (
    Block,
    Cell,
    Column,
    Row,
    Sentences,
    Shown,
    Table,
    estimate_cell,
    name_cell,
    name_column,
)
from isonomy.cli._console import Messages, print_result, write_json
from isonomy.cli._data import LabelledTable, TableOptions, finite_column, load_table
from isonomy.cli._errors import UserError
from isonomy.cli._fit import check_method_options, find_method
from isonomy.cli._labels import split_names
from isonomy.cli._table_files import check_outputs, need_columns

# Of the JSON document.
VERSION = 1
# So much of a long name is shown: of scores, and of labels in headings.
LONGEST_NAME, LONGEST_HEADING = 28, 14
# Labels that a sentence names.
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class HeldOutAUCs:
    """One way to rank the rows that were held out."""

    name: str
    auc: FloatArray
    low: FloatArray
    high: FloatArray

    def to_dict(self, labels: tuple[str, ...]) -> dict[str, Any]:
        """For the JSON result."""
        aucs = zip(labels, self.auc, self.low, self.high, strict=True)
        return {
            "name": self.name,
            "aucs": [
                {"label": label, "auc": auc, "low": low, "high": high}
                for label, auc, low, high in aucs
            ],
            "min": float(self.auc.min()),
            "diff": float(np.ptp(self.auc)),
        }


def blend(
    talk: Messages,
    options: TableOptions,
    *,
    scores: list[str],
    method: str,
    mix: str | None,
    json_path: str | None,
    out: str | None,
    seed: int,
) -> None:
    """Find the weights on all rows; measure on one half what weights of the other half do."""
    blendable = [entry.key for entry in METHODS.values() if entry.blends]
    check_method_options(method, blendable, mix=mix)
    check_outputs([options.file], {"--json": json_path, "--out": out})
    data = load_table(options, "blend")
    columns = _scores(data, scores)
    objective = find_method(data.label_names, "linear", METHODS[method], mix=mix).objective
    with talk.while_working():
        rows = _held_out(data.items, columns, objective, seed)
        fitted = find_blend(columns, data.items, objective)
    if json_path is not None:
        write_json(_blend_json(data, columns, fitted, rows), json_path)
    if out is not None:
        save(fitted, out, about=data.about("blend"))
    if json_path != "-":
        print_result(Shown(*_shown(data, columns, fitted, rows, method)))
    if out is not None:
        talk.say(f"Model: {out}")


def _scores(data: LabelledTable, given: list[str]) -> pl.DataFrame:
    names = split_names(given, data.table.columns)
    if not names:
        raise UserError("Which columns are scores? Name them: --scores p_click,p_buy.")
    need_columns(data.table.columns, names, data.source, "--scores")
    both = [name for name in names if name in data.roles.labels]
    if both:
        raise UserError(f"--scores: {both[0]!r} is a label, not a score.")
    if len(set(names)) < len(names):
        raise UserError("--scores names a column twice. Name each score once.")
    return pl.DataFrame({name: finite_column(data.table, name, "--scores") for name in names})


def _held_out(items: Items, columns: pl.DataFrame, objective: Any, seed: int) -> list[HeldOutAUCs]:
    split = folds(items, 2, 1, np.random.default_rng(seed))[0]
    if min(len(split.train), len(split.test)) < 2:
        raise UserError(
            "blend measures on one half of the rows what weights of the other half do, so each "
            f"half should have 2 rows or more. Found {len(items)} rows in all. Bring more rows"
            + ("." if items.group is None else ", or more groups.")
        )
    train, test = items.take(split.train), items.take(split.test)
    fitted = find_blend(columns[split.train], train, objective)
    scores = columns[split.test]
    rankings = [(name, scores[name].to_numpy()) for name in scores.columns]
    rows = []
    for name, score in [*rankings, ("blend", fitted.predict(scores))]:
        found = auc_intervals(test, score)
        bounds = (np.asarray(each) for each in (found.estimate, found.low, found.high))
        rows.append(HeldOutAUCs(name, *bounds))
    return rows


def _blend_json(
    data: LabelledTable, columns: pl.DataFrame, fitted: LinearRanker, rows: list[HeldOutAUCs]
) -> dict[str, Any]:
    weights = zip(columns.columns, fitted.coef_.tolist(), strict=True)
    return {
        "schema": "isonomy.blend",
        "schema_version": VERSION,
        "labels": list(data.label_names),
        "weights": [{"score": name, "weight": weight} for name, weight in weights],
        "held_out": [row.to_dict(data.label_names) for row in rows],
        "input": {"name": data.source.name, "sha256": data.source.sha256},
    }


def _shown(
    data: LabelledTable,
    columns: pl.DataFrame,
    fitted: LinearRanker,
    rows: list[HeldOutAUCs],
    method: str,
) -> list[Block]:
    """The table of the half that was held out, the formula, and whom it works against."""
    short = short_names(data.label_names, LONGEST_HEADING)
    ways = short_names([row.name for row in rows], LONGEST_NAME)
    headings = [Column("ranking by", names=True)]
    headings += [name_column("AUC", label, short) for label in data.label_names]
    cells = [
        [
            name_cell(row.name, ways),
            *map(estimate_cell, row.auc, row.low, row.high),
            *(Cell(f"{number:.3f}") for number in (np.ptp(row.auc), row.auc.min())),
        ]
        for row in rows
    ]
    table = Table(
        [*headings, Column("Diff"), Column("Min")],
        [Row(each) for each in cells],
        f"Held-out half, with {DEFAULT_LEVEL:.0%} intervals",
    )
    weights = zip(columns.columns, fitted.coef_, strict=True)
    terms = [f"{weight:.4g} * {name}" for name, weight in weights if weight > 0]
    formula = [f"score = {' + '.join(terms) or '0'}", "(weights from all rows)"]
    return [table, Sentences([*formula, *_backwards(data, rows[-1], method)])]


def _backwards(data: LabelledTable, blended: HeldOutAUCs, method: str) -> list[str]:
    """That the blend works against a label, which its smallest AUC alone does not say."""
    named = zip(data.label_names, blended.high, strict=True)
    found = [repr(label) for label, high in named if high < CONSTANT]
    if not found:
        return []
    cure = "" if method == "worst" else " --method worst blends for the label that is served worst."
    labels = listed(found, MOST_NAMED)
    told = f"Beware: the blend ranks {labels} backwards, with an AUC surely below the {CONSTANT} of"
    return [f"{told} a constant score.{cure}"]
