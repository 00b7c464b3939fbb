"""A table of numbers and words as a matrix of numbers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isonomy._core import FloatArray, are_names, check_count, nearest
from isonomy._infra import LazyModule, listed, memory_limit
from isonomy._rankers.hashed_text import common_buckets, hashed_counts, weighed_ngrams
from isonomy._rankers.pandas_columns import pandas_column

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars", "cli", "`TableEncoder`")

# What people write where a value is missing.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")

# Why a column of long or many texts is left out, where nobody asked for it.
MANY_VALUED = "it is text with {n:,} different values"

# Columns that an error lists.
MOST_NAMED = 8
# The squares of larger numbers, or their sum, would be infinite.
LARGEST = 1e150
# In units of their spread, other numbers would be infinite.
TOO_FINE = f"its numbers differ by less than {1.0 / LARGEST:g}"
# Of which the matrix of features may take one. Steps after it take copies.
_PART_OF_MEMORY = 3


def text_to_numbers(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """A text column as numbers, and those of its values that are none.

    >>> import polars as pl
    >>> text_to_numbers(pl.Series(["1", " 2.5", "NA", ""]))[0].to_list()
    [1.0, 2.5, None, None]
    >>> text_to_numbers(pl.Series(["1", "two"]))[1].to_list()
    ['two']
    """
    text = _stripped(column)
    numbers = text.cast(pl.Float64, strict=False)
    return numbers, text.filter(numbers.is_null() & text.is_not_null())


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers as they are, missing ones imputed, words of few kinds one-hot, texts as n-grams.

    The first step of the models that the command line saves, so that they take the raw table.

    Parameters
    ----------
    max_categories : int
        A text column with more different values than this is left out.
    impute : bool
        Whether missing numbers become the median, with a column that says where, as linear
        models and networks need. False leaves them NaN, as trees like them.
    text : sequence of str
        Columns to take as texts, whatever their number of values: their words and pairs of
        neighbouring words, hashed and weighed by tf-idf. The features are then a sparse matrix
        (CSR), and numbers count from their median, because a sparse matrix cannot be centred.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        All columns seen in `fit`.
    numeric_ : list of str
        Columns taken as numbers.
    dates_ : list of str
        Those of them that are dates or times, taken as days since 1970.
    categories_ : dict of str to list
        Text columns and their values; None stands for a missing one.
    ngrams_ : dict of str to ndarray of int64
        Text columns, and the hashes of the n-grams that are features.
    idf_ : dict of str to ndarray of float
        The inverse document frequency of each of these.
    dropped_ : dict of str to str
        Columns left out, and why.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [20, 40, None], "job": ["cook", "smith", "cook"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age is missing', 'job = cook', 'job = smith']
    >>> encoder.transform(table)
    array([[20.,  0.,  1.,  0.],
           [40.,  0.,  0.,  1.],
           [30.,  1.,  1.,  0.]])
    """

    def __init__(
        self, *, max_categories: int = 50, impute: bool = True, text: Sequence[str] = ()
    ) -> None:
        self.max_categories = max_categories
        self.impute = impute
        self.text = text

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn each column's kind, and its values or its median."""
        check_count("max_categories", self.max_categories)
        table = as_polars(X)
        check_text_columns(self.text, table.columns)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.width
        self.numeric_: list[str] = []
        self.dates_: list[str] = []
        self.categories_: dict[str, list[str | None]] = {}
        self.ngrams_: dict[str, NDArray[np.int64]] = {}
        self.idf_: dict[str, FloatArray] = {}
        self.dropped_: dict[str, str] = {}
        medians, incomplete = [], []
        for column in table:
            if column.name in self.text:
                self._fit_ngrams(column)
                continue
            numbers = as_numbers(column)
            if numbers is None:
                self._fit_text(column)
                continue
            known = numbers[~np.isnan(numbers)]
            gaps = known.size < numbers.size
            # One value and gaps, '1 or blank', tells as much as two values.
            if not known.size or ((known[0] == known).all() and not gaps):
                self.dropped_[column.name] = "it is constant" if known.size else "it is empty"
                continue
            if 0.0 < np.ptp(known) < 1.0 / LARGEST:
                self.dropped_[column.name] = TOO_FINE
                continue
            self.numeric_.append(column.name)
            if _is_date(column):
                self.dates_.append(column.name)
            medians.append(np.median(known))
            incomplete.append(gaps)
        self.medians_ = np.array(medians, dtype=np.float64)
        self.incomplete_ = np.array(incomplete, dtype=bool)
        if not (self.numeric_ or self.categories_ or self.ngrams_):
            raise ValueError(
                "Found no feature to learn from: "
                + (listed([f"{name!r}: {why}" for name, why in self.dropped_.items()]) or "none")
                + ". Bring columns of numbers, or of text with few different values, or name "
                "columns of long text: `text=` in Python, --text on the command line."
            )
        return self

    def transform(self, X: Any) -> Any:
        """The matrix of features, one row per row of the table; columns not seen are ignored."""
        check_is_fitted(self)
        table = as_polars(X)
        self._check_columns(table)
        plain = self._plain_features(table)
        if not self.ngrams_:
            return plain
        plain[:, : len(self.numeric_)] -= self.medians_
        parts = [
            weighed_ngrams(_text(table[name]), buckets, self.idf_[name])
            for name, buckets in self.ngrams_.items()
        ]
        return sparse.hstack([sparse.csr_array(plain), *parts], format="csr")

    def _plain_features(self, table: pl.DataFrame) -> FloatArray:
        """Numbers, where they are missing, and categories."""
        n_columns = len(self._plain_names())
        _check_room(table.height, n_columns)
        out = np.zeros((table.height, n_columns))
        at = len(self.numeric_)
        for j, name in enumerate(self.numeric_):
            numbers = as_numbers(_told_booleans(table[name]))
            if numbers is None:
                raise ValueError(_not_a_number(table[name]))
            if not self.impute:
                out[:, j] = numbers
                continue
            missing = np.isnan(numbers)
            out[:, j] = np.where(missing, self.medians_[j], numbers)
            if self.incomplete_[j]:
                out[:, at] = missing
                at += 1
        rows = np.arange(table.height)
        for name, values in self.categories_.items():
            column = _text(table[name])
            kinds = {value: k for k, value in enumerate(values) if value is not None}
            codes = column.replace_strict(kinds, default=-1, return_dtype=pl.Int32).to_numpy()
            if None in values:
                codes = np.where(column.is_null().to_numpy(), values.index(None), codes)
            known = codes >= 0
            out[rows[known], at + codes[known]] = 1.0
            at += len(values)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Names of the matrix's columns."""
        check_is_fitted(self)
        named = [name for name, _ in self._plain_names()]
        for name, buckets in self.ngrams_.items():
            named += [f"{name}: n-gram {bucket}" for bucket in buckets]
        return np.array(named, dtype=object)

    def column_names_out(self) -> list[str]:
        """For each column of the matrix, the column of the table that it is made of."""
        check_is_fitted(self)
        columns = [column for _, column in self._plain_names()]
        return columns + [name for name, buckets in self.ngrams_.items() for _ in buckets]

    def _plain_names(self) -> list[tuple[str, str]]:
        """All features but n-grams, each with the column of the table that it is made of."""
        names = [(name, name) for name in self.numeric_]
        if self.impute:
            pairs = zip(self.numeric_, self.incomplete_, strict=True)
            names += [(f"{name} is missing", name) for name, some in pairs if some]
        for name, values in self.categories_.items():
            names += [
                (f"{name} = {'(missing)' if value is None else value}", name) for value in values
            ]
        return names

    def _fit_ngrams(self, column: pl.Series) -> None:
        buckets, idf = common_buckets(hashed_counts(_text(column)))
        if buckets.size:
            self.ngrams_[column.name], self.idf_[column.name] = buckets, idf
        else:
            self.dropped_[column.name] = "it is text of which no word stands in two rows"

    def _fit_text(self, column: pl.Series) -> None:
        text = as_text(column)
        if text is None:
            self.dropped_[column.name] = f"its values are of type {column.dtype}"
            return
        values = text.unique().to_list()
        if len(values) > self.max_categories:
            self.dropped_[column.name] = MANY_VALUED.format(n=len(values))
        elif len(values) < 2:
            self.dropped_[column.name] = "it is constant"
        else:
            self.categories_[column.name] = sorted(
                values, key=lambda value: (value is None, value or "")
            )

    def _check_columns(self, table: pl.DataFrame) -> None:
        lacking = [
            name
            for name in [*self.numeric_, *self.categories_, *self.ngrams_]
            if name not in table.columns
        ]
        if not lacking:
            return
        named = listed([_with_nearest(name, table.columns) for name in lacking], MOST_NAMED)
        what = "column" if len(lacking) == 1 else f"{len(lacking)} columns"
        raise ValueError(f"The table lacks the {what} {named}, which the model needs.")


def _check_room(n_rows: int, n_features: int) -> None:
    """Refuse a matrix that leaves no room for the copies that steps after it make.

    A column of words becomes up to `max_categories` columns, a hundred times the bytes of its text.
    """
    memory, needed = memory_limit() or sys.maxsize, 8 * n_rows * n_features
    if needed > memory // _PART_OF_MEMORY:
        raise ValueError(
            f"The table's {n_rows:,} rows have {n_features:,} features, which take "
            f"{needed / 1e9:,.1f} GB: more than a third of the {memory / 1e9:,.1f} GB of memory. "
            "Take fewer rows, or leave out columns of words."
        )


def _with_nearest(name: str, columns: list[str]) -> str:
    near = nearest(name, columns)
    return repr(name) if near is None else f"{name!r} (nearest: {near!r})"


def as_polars(X: Any) -> pl.DataFrame:
    """A polars frame of any data frame."""
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return pl.DataFrame({str(name): pandas_column(X[name]) for name in X.columns})
    raise TypeError(
        "Parameter `X` should be a data frame (polars or pandas), because its columns are found "
        f"by name. Found {type(X).__name__}."
    )


def _is_date(column: pl.Series) -> bool:
    """Whether it holds dates or times of dates."""
    return column.dtype in (pl.Date, pl.Datetime)


def as_numbers(column: pl.Series) -> FloatArray | None:
    """Numbers with NaN for missing ones; None where the column holds something else."""
    dtype = column.dtype
    if dtype == pl.String:
        column, rest = text_to_numbers(column)
        if len(rest):
            return None
    elif _is_date(column):
        column = column.cast(pl.Datetime("us")).cast(pl.Int64) / 86_400_000_000
    elif not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
        return None
    numbers = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    too_large = np.abs(numbers) > LARGEST
    if too_large.any():
        row = int(np.flatnonzero(too_large)[0])
        what = "finite numbers" if np.isinf(numbers[row]) else f"numbers up to {LARGEST:g}"
        raise ValueError(
            f"Column {column.name!r} should hold {what}. Found {numbers[row]} in row {row + 1}. "
            "Leave the value empty, or put a number there."
        )
    return np.asarray(numbers, dtype=np.float64)


def _told_booleans(column: pl.Series) -> pl.Series:
    """Text of true and false alone, as CSV has them, as the numbers that they were in training."""
    if column.dtype != pl.String:
        return column
    text = _stripped(column).str.to_lowercase()
    if not text.is_in(["true", "false"]).all() or text.null_count() == len(text):
        return column
    return (text == "true").alias(column.name)


def as_text(column: pl.Series) -> Any:
    """Text with null where missing; None where the column holds something else."""
    if column.dtype == pl.String or column.dtype in (pl.Categorical, pl.Enum):
        return _stripped(column.cast(pl.String))
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        # A text column of training may arrive as numbers, such as codes 1, 2, 3.
        return column.cast(pl.String)
    return None


def _text(column: pl.Series) -> pl.Series:
    """A column as text, as it was in training."""
    text: pl.Series | None = as_text(column)
    if text is None:
        raise ValueError(
            f"Column {column.name!r} should hold text, as in training. Found type {column.dtype}."
        )
    return text


def check_text_columns(text: Any, columns: Sequence[str]) -> None:
    """The columns to take as texts are a list of names that the table has."""
    if not are_names(text):
        raise TypeError(
            f"Parameter `text` should be a list of columns' names. Found {text!r}; "
            "write `text=[...]`."
        )
    for name in text:
        if name not in columns:
            raise ValueError(
                f"Parameter `text` should name columns of the table. Found "
                f"{_with_nearest(name, list(columns))}."
            )


def _stripped(text: pl.Series) -> pl.Series:
    stripped = text.str.strip_chars()
    return stripped.set(stripped.is_in(MISSING), None)


def _not_a_number(column: pl.Series) -> str:
    found = text_to_numbers(column)[1] if column.dtype == pl.String else None
    what = repr(found[0]) if found is not None else f"type {column.dtype}"
    return (
        f"Column {column.name!r} should hold numbers, as in training. Found {what}. "
        "Correct it, or leave it empty where the value is missing."
    )
