"""From the options that commands share to a table whose rows are checked."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from isonomy._core import FloatArray, Items
from isonomy._infra import listed
from isonomy._rankers import LARGEST
from isonomy.cli._errors import UserError
from isonomy.cli._labels import (
    Roles,
    check_both_classes,
    likely_labels,
    numeric_column,
    parse_roles,
)
from isonomy.cli._table_files import Source, open_table


@dataclass(frozen=True)
class TableOptions:
    """What the user says of the table, as it stands on the command line."""

    file: str
    labels: list[str] | None = None
    positive: list[str] | None = None
    threshold: list[str] | None = None
    group: str | None = None
    weight: str | None = None
    features: list[str] | None = None
    exclude: list[str] | None = None
    separator: str | None = None
    count: str | None = None
    cluster: str | None = None
    time_column: str | None = None
    text: list[str] | None = None


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table, and what its columns say of its rows.

    Attributes
    ----------
    source : Source
        Where it came from.
    roles : Roles
        Which column is what.
    table : polars.DataFrame
        All of it.
    items : Items
        The labels, each with both classes, weights, counts, groups and clusters of its rows.
    """

    source: Source
    roles: Roles
    table: pl.DataFrame
    items: Items

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels' names."""
        return self.items.labels.names

    def about(self, method: str) -> dict[str, Any]:
        """What a model file tells of the rows that it was fitted on."""
        found = {
            "method": method,
            "labels": list(self.label_names),
            "rows": self.table.height,
            "table": self.source.name,
            "sha256": self.source.sha256,
            "group": self.roles.group or "",
            "weight": self.roles.weight or "",
        }
        return {name: value for name, value in found.items() if value != ""}

    @property
    def features(self) -> pl.DataFrame:
        """The columns to learn from."""
        return self.roles.feature_table(self.table)


def load_table(options: TableOptions, command: str) -> LabelledTable:
    """Read the table and find the columns; a mistake is told before any work starts."""
    source = open_table(options.file, options.separator)
    table = source.read()
    roles = find_roles(options, source, table.columns, table, command)
    return LabelledTable(source, roles, table, checked_items(roles, table))


def find_roles(
    options: TableOptions, source: Source, columns: list[str], sample: pl.DataFrame, command: str
) -> Roles:
    """Which column is what; where no label is named, an error that proposes some of a sample."""
    roles = parse_roles(
        source,
        columns,
        labels=options.labels or [],
        positive=options.positive or [],
        threshold=options.threshold or [],
        group=options.group,
        weight=options.weight,
        count=options.count,
        cluster=options.cluster,
        time_column=options.time_column,
        features=options.features,
        exclude=options.exclude,
        text=options.text,
    )
    if not roles.labels:
        raise UserError(_which_labels(source, sample, options.file, command))
    return roles


def checked_items(roles: Roles, table: pl.DataFrame) -> Items:
    """What the columns say of the rows."""
    labels = roles.label_table(table)
    counts = roles.counts(table)
    check_both_classes(labels if counts is None else labels.filter(counts > 0))
    return Items.checked(
        labels,
        groups=roles.groups(table),
        sample_weight=roles.weights(table),
        counts=counts,
        clusters=roles.clusters(table),
    )


def finite_column(table: pl.DataFrame, name: str, option: str) -> FloatArray:
    """A column of numbers that a model may add up: none of them missing, infinite or huge."""
    numbers = numeric_column(table, name, option)
    too_large = np.abs(numbers) > LARGEST
    if too_large.any():
        row = int(too_large.argmax())
        what = "finite numbers" if np.isinf(numbers[row]) else f"numbers up to {LARGEST:g}"
        raise UserError(
            f"{option}: column {name!r} should hold {what}. Found {numbers[row]} in row {row + 1}. "
            "Drop that row or put a number there."
        )
    return numbers


def label_arguments(roles: Roles) -> list[str]:
    """The options that make the same labels again, in the same order."""
    made = [*roles.positive, *(name for name in roles.threshold if name not in roles.positive)]
    plain = [name for name in roles.labels if name not in made]
    if [*plain, *made] != roles.labels:
        plain = roles.labels
    found: list[str] = []
    if plain and not any("," in name or name != name.strip() for name in plain):
        found += ["--labels", ",".join(plain)]
    else:
        for name in plain:
            found += ["--labels", name]
    for name, value in roles.positive.items():
        found += ["--positive", f"{name}={value}"]
    for name, least in roles.threshold.items():
        found += ["--threshold", f"{name}={_exact(least)}"]
    if roles.group is not None:
        found += ["--group", roles.group]
    if roles.weight is not None:
        found += ["--weight", roles.weight]
    if roles.time_column is not None:
        found += ["--exclude", roles.time_column]
    for name in roles.features:
        found += ["--features", name]
    for name in roles.exclude:
        found += ["--exclude", name]
    for name in roles.text:
        found += ["--text", name]
    return found


def _exact(number: float) -> str:
    return f"{number:.0f}" if number.is_integer() else repr(number)


def _which_labels(source: Source, table: pl.DataFrame, file: str, command: str) -> str:
    likely = likely_labels(table)
    if not likely:
        return (
            f"Which columns are labels? None of {source.name}'s holds 0/1, true/false or yes/no.\n"
            f"Make labels with --positive 'column=value' or --threshold 'column=3'. "
            f"Its columns: {listed(table.columns, 12)}."
        )
    plain = [name for name in likely if "," not in name] or likely[:1]
    ready = shlex.join(["isonomy", command, file, "--labels", ",".join(plain)])
    return (
        f"Which columns are labels? These could be: {listed(likely, 12)}. For example:\n  {ready}"
    )
