"""Labels, groups, weights and features out of a table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from isonomy._core import AnyArray, FloatArray, suggestion
from isonomy._infra import is_text, listed
from isonomy._rankers import text_to_numbers
from isonomy.cli._errors import UserError
from isonomy.cli._table_files import Source, need_columns, typed

_YES = ("1", "1.0", "true", "yes", "y", "t")
_NO = ("0", "0.0", "false", "no", "n", "f")


@dataclass(frozen=True)
class Roles:
    """Which column is what, as the user's options say.

    Attributes
    ----------
    labels : list of str
        Columns with one label each.
    positive : dict of str to str
        Label is 1 where the column has this value.
    threshold : dict of str to float
        Label is 1 where the column is at least this.
    group, weight, count, cluster, time_column : str or None
        Columns with each row's group, weight, number of items, cluster and time.
    features, exclude : list of str
        Columns to learn from (all others by default), and those not to.
    text : list of str
        Columns to learn from by their words.
    """

    labels: list[str]
    positive: dict[str, str]
    threshold: dict[str, float]
    group: str | None = None
    weight: str | None = None
    features: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    count: str | None = None
    cluster: str | None = None
    time_column: str | None = None
    text: tuple[str, ...] = ()

    def label_table(self, table: pl.DataFrame, *, whole: bool = True) -> pl.DataFrame:
        """One column of 0, 1 and NaN per label, of a `whole` table or a piece of one."""
        return pl.DataFrame({name: self._label(table[name], whole) for name in self.labels})

    @property
    def columns(self) -> list[str]:
        """The columns that say something of a row, but for features."""
        others = (self.group, self.weight, self.count, self.cluster)
        return list(dict.fromkeys([*self.labels, *(name for name in others if name)]))

    def feature_table(self, table: pl.DataFrame) -> pl.DataFrame:
        """The columns to learn from."""
        taken = {*self.labels, *self.exclude, self.group, self.weight, self.time_column}
        names = list(self.features) or [name for name in table.columns if name not in taken]
        names += [name for name in self.text if name not in names]
        both = [name for name in names if name in self.labels]
        if both:
            raise UserError(f"--features: {both[0]!r} is a label; it cannot be a feature too.")
        if not names:
            raise UserError("No column is left to learn from. Bring features beside the labels.")
        return table.select(names)

    def groups(self, table: pl.DataFrame) -> AnyArray | None:
        """Each row's group."""
        return _together(table, self.group, "group")

    def clusters(self, table: pl.DataFrame) -> AnyArray | None:
        """Each row's cluster; with groups, each of them lies in one."""
        found = _together(table, self.cluster, "cluster")
        if self.cluster is not None and self.group is not None:
            _check_whole_groups(table, self.group, self.cluster)
        return found

    def times(self, table: pl.DataFrame) -> AnyArray | None:
        """Each row's time, in an order that its type has."""
        if self.time_column is None:
            return None
        column = need_plain(table[self.time_column], "--time-column")
        numbers = _numbers_or_none(column)
        if numbers is not None:
            return numeric_column(table, self.time_column, "--time-column")
        need_values(column.is_null().to_numpy(), self.time_column, "--time-column")
        return np.asarray(column.rank("dense").to_numpy())

    def counts(self, table: pl.DataFrame, *, whole: bool = True) -> NDArray[np.int64] | None:
        """How many items each row stands for; those of a piece of a table may all be none."""
        if self.count is None:
            return None
        counts = numeric_column(table, self.count, "--count")
        possible = (counts >= 0) & (counts == np.floor(counts)) & (counts < 2**53)
        if not possible.all():
            row = int(np.flatnonzero(~possible)[0])
            raise UserError(
                f"--count: column {self.count!r} should hold whole numbers from 0 to 2**53. "
                f"Found {counts[row]:g} in row {row + 1}."
            )
        if whole and not counts.any():
            raise UserError(f"--count: column {self.count!r} counts no item. All are 0.")
        return counts.astype(np.int64)

    def weights(self, table: pl.DataFrame) -> FloatArray | None:
        """Each row's weight."""
        if self.weight is None:
            return None
        weights = numeric_column(table, self.weight, "--weight")
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise UserError(
                f"--weight: column {self.weight!r} should hold finite weights >= 0, some above 0. "
                f"Found values from {weights.min():g} to {weights.max():g}."
            )
        return weights

    def _label(self, column: pl.Series, whole: bool) -> FloatArray:
        name = need_plain(column, "--labels").name
        if name in self.positive:
            return _equal_to(column, self.positive[name], whole)
        if name in self.threshold:
            numbers = _numbers_or_none(column)
            if numbers is None:
                raise UserError(f"--threshold: column {name!r} does not hold numbers.")
            return np.where(np.isnan(numbers), np.nan, numbers >= self.threshold[name])
        return _yes_or_no(column)


def parse_roles(
    source: Source,
    columns: list[str],
    *,
    labels: list[str],
    positive: list[str],
    threshold: list[str],
    group: str | None = None,
    weight: str | None = None,
    count: str | None = None,
    cluster: str | None = None,
    time_column: str | None = None,
    features: list[str] | None = None,
    exclude: list[str] | None = None,
    text: list[str] | None = None,
) -> Roles:
    """Match the options with the table's columns; labels may be named by any of the three."""
    named = split_names(labels, columns)
    equal = dict(_assignment(text, columns, "--positive") for text in positive)
    least = {
        name: _as_number(value, f"--threshold {name}")
        for name, value in (_assignment(text, columns, "--threshold") for text in threshold)
    }
    both = [name for name in equal if name in least]
    if both:
        raise UserError(f"{both[0]!r} has --positive and --threshold. Give one of them.")
    named += [name for name in [*equal, *least] if name not in named]
    others = {
        "--group": group,
        "--weight": weight,
        "--count": count,
        "--cluster": cluster,
        "--time-column": time_column,
    }
    wanted = [("--labels", named)]
    wanted += [(option, [name]) for option, name in others.items() if name is not None]
    kept, left_out = split_names(features or [], columns), split_names(exclude or [], columns)
    texts = split_names(text or [], columns)
    wanted += [("--features", kept), ("--exclude", left_out), ("--text", texts)]
    for option, names in wanted:
        need_columns(columns, names, source, option)
    repeated = [name for name in named if named.count(name) > 1]
    if repeated:
        raise UserError(f"--labels: {repeated[0]!r} is named twice. Name each label once.")
    for option, other in others.items():
        if other in named:
            raise UserError(f"{option}: {other!r} is a label already.")
    for name in texts:
        for what, names in (("a label", named), ("left out by --exclude", left_out)):
            if name in names:
                raise UserError(f"--text: {name!r} is {what}; it cannot be a feature too.")
    return Roles(
        named,
        equal,
        least,
        group,
        weight,
        tuple(kept),
        tuple(left_out),
        count,
        cluster,
        time_column,
        tuple(dict.fromkeys(texts)),
    )


def _check_whole_groups(table: pl.DataFrame, group: str, cluster: str) -> None:
    seen = table.select(group=pl.col(group), cluster=pl.col(cluster)).unique()
    torn = seen.group_by("group").len().filter(pl.col("len") > 1).sort("group")
    if torn.height:
        name, count = torn.row(0)
        raise UserError(
            "--cluster should hold whole groups of --group, such as all queries of a user. Found "
            f"{group} {name!r} in {count:,} values of {cluster!r}."
        )


def _together(table: pl.DataFrame, name: str | None, what: str) -> AnyArray | None:
    """Which rows belong together, as a column says."""
    if name is None:
        return None
    column = need_plain(table[name], f"--{what}")
    if column.null_count():
        raise UserError(
            f"--{what}: {column.null_count():,} rows have no value in {name!r}. "
            f"Drop them, or give each a {what} of its own."
        )
    return (column.cast(pl.String) if _is_wide(column) else column).to_numpy()


def split_names(given: list[str], columns: list[str]) -> list[str]:
    """Names separated by commas; one that is a column as it stands is left whole.

    >>> split_names(["a,b", "last, first"], ["a", "b", "last, first"])
    ['a', 'b', 'last, first']
    """
    names: list[str] = []
    for text in given:
        parts = [part.strip() for part in text.split(",")]
        names += [text] if text in columns else [part for part in parts if part]
    return names


def label_numbers(given: list[str], labels: Sequence[str], option: str) -> dict[str, float]:
    """LABEL=NUMBER, separated by commas; a label's name may hold both signs.

    >>> label_numbers(["a=1,b=30", "last, first=0.5"], ("a", "b", "last, first"), "--x")
    {'a': 1.0, 'b': 30.0, 'last, first': 0.5}
    """
    found: dict[str, float] = {}
    for text in given:
        whole = text.rpartition("=")[0] in labels
        for part in [text] if whole else text.split(","):
            name, sign, number = part.strip().rpartition("=")
            if not sign or not name:
                raise UserError(f"{option} should read label=0.7. Found {part.strip()!r}.")
            if name not in labels:
                raise UserError(
                    f"{option}: {name!r} is no label.{suggestion(name, labels)} The labels: "
                    f"{listed(labels, 12)}."
                )
            if name in found:
                raise UserError(f"{option} names {name!r} twice. Give one number for it.")
            found[name] = _as_number(number, f"{option} {name}")
    return found


def parse_floors(given: list[str], labels: Sequence[str], option: str) -> dict[str, float]:
    """LABEL=AUC, as `label_numbers` has it."""
    found = label_numbers(given, labels, option)
    for name, number in found.items():
        if not 0 <= number <= 1:
            raise UserError(
                f"{option} {name} should be an AUC, from 0 to 1, such as 0.75. Found {number:g}."
            )
    return found


def parse_values(given: list[str], labels: Sequence[str], option: str) -> dict[str, float]:
    """LABEL=NUMBER: what labels are worth."""
    found = label_numbers(given, labels, option)
    for name, number in found.items():
        if not 0 <= number < float("inf"):
            raise UserError(f"{option} {name} should be a number >= 0. Found {number:g}.")
    if found and not any(found.values()):
        raise UserError(f"{option} should give some label a positive value. Found 0 for all.")
    return found


def need_plain(column: pl.Series, option: str) -> pl.Series:
    """The column, unless its values are lists, records, bytes or durations."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Duration, pl.Object):
        raise UserError(
            f"{option}: column {column.name!r} should hold one plain value in each row. "
            f"Found {str(column.dtype).split('(')[0]}."
        )
    return column


def numeric_column(table: pl.DataFrame, name: str, option: str) -> FloatArray:
    """A column of numbers, none of them missing."""
    numbers = _numbers_or_none(table[name])
    if numbers is None:
        raise UserError(
            f"{option}: column {name!r} should hold numbers. Found {_kind(table[name])}."
        )
    need_values(np.isnan(numbers), name, option)
    return numbers


def score_column(table: pl.DataFrame, name: str) -> FloatArray | NDArray[np.integer[Any]]:
    """The scores; whole numbers as they are, because floats would tie the largest of them."""
    column = typed(table[name]) if table[name].dtype == pl.String else table[name]
    if column.dtype.is_integer() and not (_is_wide(column) or column.null_count()):
        return np.asarray(column.to_numpy())
    scores = numeric_column(table, name, "--score")
    if (_is_wide(column) or column.dtype.is_decimal()) and len(np.unique(scores)) < len(
        column.unique()
    ):
        raise UserError(
            f"--score: column {name!r} should hold numbers that float64 tells apart. Found "
            f"{column.dtype} with closer ones. Give their ranks instead."
        )
    return scores


def _is_wide(column: pl.Series) -> bool:
    """Whether it holds integers that numpy has no type for."""
    return str(column.dtype).endswith("Int128")


def need_values(missing: NDArray[np.bool_], name: str, option: str) -> None:
    """No row should lack a value."""
    if missing.any():
        row = int(missing.argmax()) + 1
        raise UserError(
            f"{option}: column {name!r} has {missing.sum():,} missing values, the first in row "
            f"{row}. Drop those rows or fill them."
        )


def likely_labels(table: pl.DataFrame) -> list[str]:
    """Columns that could be labels: yes and no, or 0 and 1, and both occur."""
    found = []
    for column in table:
        try:
            values = _yes_or_no(need_plain(column, "--labels"))
        except UserError:
            continue
        if np.nanmin(values, initial=1) == 0 and np.nanmax(values, initial=0) == 1:
            found.append(column.name)
    return found


def check_both_classes(labels: pl.DataFrame) -> None:
    """Each label should have both classes, or there is nothing to rank."""
    for column in labels:
        values = column.drop_nans()
        if values.n_unique() == 1:
            raise UserError(
                f"Label {column.name!r} has one class only: all its values are "
                f"{values[0]:.0f}. Leave it out, or bring rows of the other class."
            )
        if not len(values):
            raise UserError(f"Label {column.name!r} is missing in every row. Leave it out.")


def _yes_or_no(column: pl.Series) -> FloatArray:
    if column.dtype == pl.Boolean or column.dtype.is_numeric():
        numbers = _numbers_or_none(column)
        assert numbers is not None
        strange = numbers[~np.isnan(numbers) & (numbers != 0) & (numbers != 1)]
        if not strange.size:
            return numbers
        raise UserError(
            f"Label {column.name!r} should hold 0 and 1. Found {strange[0]:g}. "
            f"Say what counts: --threshold '{column.name}={strange[0]:g}' (at least that), or "
            f"--positive '{column.name}={strange[0]:g}'."
        )
    text = column.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    values = text.replace_strict(
        {**dict.fromkeys(_YES, 1.0), **dict.fromkeys(_NO, 0.0)}, default=None
    ).cast(pl.Float64)
    strange_text = column.filter(values.is_null() & text.is_not_null() & (text != ""))
    if len(strange_text):
        value = str(strange_text[0])
        raise UserError(
            f"Label {column.name!r} should hold 0/1, true/false or yes/no. Found {value!r}. "
            f"Say which value counts: --positive '{column.name}={value}'."
        )
    return np.asarray(values.fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _equal_to(column: pl.Series, value: str, whole: bool) -> FloatArray:
    numbers = _numbers_or_none(column)
    wanted = _number_or_none(value)
    if numbers is not None and wanted is not None:
        found = np.where(np.isnan(numbers), np.nan, numbers == wanted)
    else:
        text = column.cast(pl.String).str.strip_chars()
        # As polars writes them, however the user does.
        wanted_text = value.strip().lower() if column.dtype == pl.Boolean else value.strip()
        missing = (text.is_null() | (text == "")).fill_null(True).to_numpy()
        equal = (text == wanted_text).fill_null(False).to_numpy() if is_text(value) else False
        found = np.where(missing, np.nan, equal)
    if whole and not (found == 1).any():
        values = [str(each) for each in column.drop_nulls().unique(maintain_order=True)]
        raise UserError(
            f"--positive: no row of {column.name!r} has the value {value!r}."
            f"{suggestion(value, values)} It has: {listed(values)}."
        )
    return found


def _numbers_or_none(column: pl.Series) -> FloatArray | None:
    if column.dtype == pl.String:
        column, rest = text_to_numbers(column)
        if len(rest):
            return None
    elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        return None
    return np.asarray(column.cast(pl.Float64).fill_null(float("nan")).to_numpy())


def _kind(column: pl.Series) -> str:
    text = column.dtype in (pl.String, pl.Categorical, pl.Enum)
    return "text" if text else str(column.dtype).split("(")[0]


def _assignment(text: str, columns: list[str], option: str) -> tuple[str, str]:
    """'name=value', where both may hold '='; the name that is a column wins."""
    parts = text.split("=")
    if len(parts) < 2:
        raise UserError(f"{option} should read name=value. Found {text!r}.")
    splits = [("=".join(parts[:k]), "=".join(parts[k:])) for k in range(1, len(parts))]
    return next((split for split in splits if split[0] in columns), splits[0])


def _number_or_none(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _as_number(text: str, option: str) -> float:
    number = _number_or_none(text)
    if number is None or number != number:
        raise UserError(f"{option} should be a number. Found {text!r}.")
    return number
