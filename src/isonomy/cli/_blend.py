"""`isonomy blend`: the best non-negative mix of scores that a team already has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from isonomy._compare import fold_splits
from isonomy._core import FloatArray, Labels, as_groups
from isonomy._infra import short_names
from isonomy._metrics import auc_intervals
from isonomy._models import save
from isonomy._rankers import blend as find_blend
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
from isonomy.cli._console import Talk, print_result, write_json
from isonomy.cli._data import Data, TableOptions, load_data
from isonomy.cli._errors import UserError
from isonomy.cli._files import check_outputs, need_columns
from isonomy.cli._fit import find_method
from isonomy.cli._labels import numeric_column, split_names

# Of the JSON document.
VERSION = 1
# So much of a long name is shown: of scores, and of labels in headings.
LONGEST_NAME, LONGEST_HEADING = 28, 14


@dataclass(frozen=True, eq=False)
class HeldOutAUCs:
    """One way to rank the rows that were held out."""

    name: str
    auc: FloatArray
    low: FloatArray
    high: FloatArray

    def to_dict(self, labels: list[str]) -> dict[str, Any]:
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
    talk: Talk,
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
    check_outputs(options.file, {"--json": json_path, "--out": out})
    data = load_data(options, "blend")
    columns = _scores(data, scores)
    kinds = ("mean", "product", "loss", "balanced", "worst")
    if method not in kinds:
        raise UserError(f"--method should be one of {', '.join(kinds)}. Found {method!r}.")
    objective = find_method(data, "linear", method, only=None, mix=mix, seed=seed).objective
    with talk.going():
        rows = _held_out(data, columns, objective, seed)
        fitted = find_blend(
            columns, data.labels, objective, sample_weight=data.weights, groups=data.groups
        )
    if json_path is not None:
        write_json(_document(data, columns, fitted, rows), json_path)
    if out is not None:
        save(fitted, out)
    if json_path != "-":
        print_result(Shown(*_shown(data, columns, fitted, rows)))
    if out is not None:
        talk.say(f"Model: {out}")


def _scores(data: Data, given: list[str]) -> pl.DataFrame:
    names = split_names(given, data.table.columns)
    if not names:
        raise UserError("Which columns are scores? Name them: --scores p_click,p_buy.")
    need_columns(data.table.columns, names, data.source, "--scores")
    both = [name for name in names if name in data.roles.labels]
    if both:
        raise UserError(f"--scores: {both[0]!r} is a label, not a score.")
    if len(set(names)) < len(names):
        raise UserError("--scores names a column twice. Name each score once.")
    return pl.DataFrame({name: numeric_column(data.table, name, "--scores") for name in names})


def _held_out(data: Data, columns: pl.DataFrame, objective: Any, seed: int) -> list[HeldOutAUCs]:
    groups = as_groups(data.groups, data.table.height)
    labels = Labels.from_table(data.labels)
    split = fold_splits(labels, groups, 2, 1, np.random.default_rng(seed))[0]
    fitted = find_blend(
        columns[split.train],
        data.labels[split.train],
        objective,
        sample_weight=None if data.weights is None else data.weights[split.train],
        groups=None if groups is None else groups[split.train],
    )
    test = columns[split.test]
    ways = {name: test[name].to_numpy() for name in columns.columns}
    rows = []
    for name, score in {**ways, "blend": fitted.predict(test)}.items():
        found = auc_intervals(
            data.labels[split.test],
            score,
            sample_weight=None if data.weights is None else data.weights[split.test],
            groups=None if groups is None else groups[split.test],
        )
        rows.append(
            HeldOutAUCs(name, *(np.asarray(x) for x in (found.estimate, found.low, found.high)))
        )
    return rows


def _document(
    data: Data, columns: pl.DataFrame, fitted: LinearRanker, rows: list[HeldOutAUCs]
) -> dict[str, Any]:
    weights = zip(columns.columns, fitted.coef_.tolist(), strict=True)
    return {
        "schema": "isonomy.blend",
        "schema_version": VERSION,
        "labels": data.labels.columns,
        "weights": [{"score": name, "weight": weight} for name, weight in weights],
        "held_out": [row.to_dict(data.labels.columns) for row in rows],
        "input": {"name": data.source.name, "sha256": data.source.sha256},
    }


def _shown(
    data: Data, columns: pl.DataFrame, fitted: LinearRanker, rows: list[HeldOutAUCs]
) -> list[Block]:
    """The table of the half that was held out, and the formula."""
    short = short_names(data.labels.columns, LONGEST_HEADING)
    ways = short_names([row.name for row in rows], LONGEST_NAME)
    headings = [Column("ranking by", names=True)]
    headings += [name_column("AUC", label, short) for label in data.labels.columns]
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
        "Held-out half, with 95% intervals",
    )
    weights = zip(columns.columns, fitted.coef_, strict=True)
    terms = [f"{weight:.4g} * {name}" for name, weight in weights if weight > 0]
    formula = [f"score = {' + '.join(terms) or '0'}", "(weights from all rows)"]
    return [table, Sentences(formula)]
