"""Everything that comes from outside is checked here, once, and is plain arrays after."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from isonomy._core.codes import EXACT, number_occurring, number_values
from isonomy._core.kernels.extremes import extreme_bits
from isonomy._core.powers import times_power
from isonomy._core.tensors import is_tensor, tensor_values
from isonomy._infra import chunks, default_threads, run_all

AnyArray: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]

# Products of two weights, and one over them, stay normal numbers.
SMALLEST_WEIGHT = 1e-150
# A name with more than these, or with more than one in three letters, is another name.
MOST_SLIPS = 2
# Numbers that one thread looks at at a time.
CHUNK = 1 << 17


def as_scores(y_score: Any, *, name: str = "y_score") -> FloatArray:
    """One float64 per item, in an order that no rounding has changed. Infinities pass."""
    scores = as_score_column(y_score, name=name)
    refuse_missing_scores(scores, extremes(scores), name=name)
    return scores


def as_score_column(y_score: Any, *, name: str) -> FloatArray:
    """The same, but NaN passes too."""
    scores = as_numbers(y_score, name)
    if scores.ndim != 1:
        cure = ""
        if scores.ndim == 2:
            cure = f"Pass one column, such as `{name}[:, {min(scores.shape[1] - 1, 1)}]`."
        raise ValueError(
            f"Parameter `{name}` should be 1-D, one score per item. "
            f"Found shape {scores.shape}. {cure}".rstrip()
        )
    if scores.size == 0:
        raise ValueError(f"Parameter `{name}` should hold at least one score. Found none.")
    if scores.dtype.kind in "iu" and max(abs(int(scores.min())), int(scores.max())) > EXACT:
        # float64 would merge neighbours: ranks keep them apart.
        scores = np.unique(scores, return_inverse=True)[1]
    return writeable(np.ascontiguousarray(scores, dtype=np.float64))


def refuse_missing_scores(scores: FloatArray, ends: tuple[float, float], *, name: str) -> None:
    """Raise where the `extremes` of the scores show a NaN."""
    if math.isnan(ends[0]):
        rows = np.flatnonzero(np.isnan(scores))
        raise ValueError(
            f"Parameter `{name}` should hold no NaN. Found {rows.size}, the first in row "
            f"{rows[0]}. Drop those rows or give them a score."
        )


def extremes(values: FloatArray, threads: int | None = None) -> tuple[float, float]:
    """The lowest and the highest of at least one value; both NaN where there is one."""
    pieces = chunks(values.size, CHUNK)
    found = np.empty((len(pieces), 2))

    def work(start: int, stop: int) -> None:
        extreme_bits(values[start:stop].view(np.int64), found[start // CHUNK].view(np.int64))

    run_all(work, pieces, default_threads(values.size) if threads is None else threads)
    if np.isnan(found).any():
        return math.nan, math.nan
    return float(found[:, 0].min()), float(found[:, 1].max())


def check_score_table(scores: Any, *, name: str) -> None:
    """One column of finite scores per model."""
    table = as_numbers(scores, name)
    if table.ndim != 2:
        cure = f" Pass one column, such as `{name}[:, None]`." if table.ndim == 1 else ""
        raise ValueError(
            f"Parameter `{name}` should have shape (n, m), one column per model. "
            f"Found shape {table.shape}.{cure}"
        )
    if table.shape[1] == 0:
        raise ValueError(f"Parameter `{name}` should have at least one column. Found none.")
    if table.dtype.kind == "f" and not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"Parameter `{name}` should hold finite scores. Found {table[row, column]:g} in row "
            f"{row}, column {column}. Drop that row or give it a score."
        )


def as_label_table(Y: Any, *, name: str = "Y") -> tuple[AnyArray, tuple[str, ...] | None]:
    """Labels as an (n, K) array of numbers, NaN where not observed, and their names."""
    names = None
    refuse_lazy(Y, name)
    if is_frame(Y):
        names = tuple(str(column) for column in Y.columns)
    table = as_numbers(Y, name, odd=" (Unknown label type)")
    if table.ndim == 1:
        names = names or ((str(Y.name),) if getattr(Y, "name", None) else None)
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(
            f"Parameter `{name}` should have shape (n,) or (n, K), one column per label. "
            f"Found shape {table.shape}."
        )
    if 0 in table.shape:
        raise ValueError(
            f"Parameter `{name}` should have at least one row and one label. "
            f"Found shape {table.shape}."
        )
    return writeable(table), names


def check_finite_labels(table: AnyArray, *, name: str) -> None:
    """Labels may be missing, not infinite."""
    if table.dtype.kind == "f" and np.isinf(table).any():
        raise ValueError(
            f"Parameter `{name}` should hold finite labels, NaN for 'not observed'. "
            "Found an infinite value."
        )


def as_weight(sample_weight: ArrayLike | None, n: int) -> FloatArray | None:
    """One finite weight >= 0 per item, or None."""
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight").astype(np.float64)
    if weight.shape != (n,):
        raise ValueError(
            f"Parameter `sample_weight` should hold one weight for each of the {n} items. "
            f"Found shape {weight.shape}."
        )
    lowest, highest = extremes(weight) if n else (0.0, 0.0)
    if not math.isfinite(lowest) or math.isinf(highest):
        raise ValueError(
            "Parameter `sample_weight` should hold finite weights. Found NaN or infinity; "
            "use 0 to leave an item out."
        )
    if lowest < 0:
        raise ValueError(
            f"Parameter `sample_weight` should hold weights >= 0. Found {weight.min():g}."
        )
    if highest == 0:
        raise ValueError(
            "Parameter `sample_weight` should hold a positive weight. All are 0, and so is "
            "what they add up to: zero weight has no mean."
        )
    return np.ascontiguousarray(weight)


def check_weight_range(weight: FloatArray, group: NDArray[np.int64] | None) -> None:
    """A pair weighs the product of two weights, which no sum would notice if one is too small."""
    scaled = scaled_weight(weight, group)
    if extremes(scaled)[0] >= SMALLEST_WEIGHT:
        return
    lost = np.flatnonzero((weight > 0) & (scaled < SMALLEST_WEIGHT))
    if lost.size:
        i = int(lost[0])
        where = "" if group is None else " in its group"
        largest = np.broadcast_to(largest_weight(weight, group), weight.shape)[i]
        raise ValueError(
            f"Parameter `sample_weight` should hold weights that are 0 or at least "
            f"{SMALLEST_WEIGHT:g} times the largest{where}: pairs weigh products of them. "
            f"Found {weight[i]:g} beside {largest:g}. "
            "Give weight 0 to items that should not count."
        )


def scaled_weight(weight: FloatArray, group: NDArray[np.int64] | None) -> FloatArray:
    """Weights times a power of two, by which the largest, or each group's, is about 1."""
    return times_power(weight, -np.frexp(largest_weight(weight, group))[1])


def largest_weight(weight: FloatArray, group: NDArray[np.int64] | None) -> FloatArray:
    """The largest weight, of all rows or of each row's group."""
    if group is None:
        return np.asarray(weight.max(keepdims=True))
    by_group = np.zeros(int(group.max()) + 1)
    np.maximum.at(by_group, group, weight)
    return by_group[group]


def as_counts(counts: ArrayLike | None, n: int) -> NDArray[np.int64] | None:
    """How many items each row stands for, whole numbers >= 0; or None."""
    if counts is None:
        return None
    values = as_numbers(counts, "counts")
    if values.shape != (n,):
        raise ValueError(
            f"Parameter `counts` should hold one number for each of the {n} rows. "
            f"Found shape {values.shape}."
        )
    # NaN fails both comparisons.
    whole = (values >= 0) & (values == np.floor(values)) & (values < 2.0**63)
    if not whole.all():
        raise ValueError(
            "Parameter `counts` should hold whole numbers >= 0, how many items each row stands "
            f"for. Found {values[~whole][0]:g}. For other weights use `sample_weight`."
        )
    if not values.any():
        raise ValueError("Parameter `counts` should count an item. All are 0.")
    return values.astype(np.int64)


def as_groups(groups: ArrayLike | None, n: int, name: str = "groups") -> NDArray[np.int64] | None:
    """Numbers 0, 1, ... in place of each item's group (or cluster), or None."""
    if groups is None:
        return None
    refuse_name(groups, name)
    if str(getattr(groups, "dtype", "")).endswith("Int128"):
        # numpy has no such numbers.
        groups = groups.to_list()  # type: ignore[union-attr]
    ids = tensor_values(groups) if is_tensor(groups) else np.asarray(groups)
    if isinstance(groups, np.ma.MaskedArray) and groups.mask.any():
        # What stands behind a mask is nobody's id.
        ids = groups.data.astype(object)
        ids[np.ma.getmaskarray(groups)] = None
    if isinstance(groups, list | tuple) and ids.dtype.kind == "U":
        ids = np.array(groups, dtype=object)
    one = name[:-1]
    if ids.shape != (n,):
        cure = "`np.repeat(np.arange(len(sizes)), sizes)`"
        sizes = f" (LightGBM's group sizes become ids by {cure}.)" if name == "groups" else ""
        raise ValueError(
            f"Parameter `{name}` should hold one {one} for each of the {n} items. "
            f"Found shape {ids.shape}.{sizes}"
        )
    if missing := count_missing(ids):
        raise ValueError(
            f"Parameter `{name}` should name a {one} for every item. Found {missing} missing. "
            f"Drop those rows or give each a {one} of its own."
        )
    try:
        codes, values = number_values(ids)
        return number_occurring(codes, values.size)[0].astype(np.int64)
    except TypeError as error:
        raise TypeError(
            f"Parameter `{name}` should hold ids of one type. Found a mixture; "
            f"convert them, such as `{name}.astype(str)`."
        ) from error


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """The value should be one of the choices."""
    if not isinstance(value, str) or value not in choices:
        hint = suggestion(str(value), choices)
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"Parameter `{name}` should be one of {listed}. Found {value!r}.{hint}")


def check_level(level: float) -> None:
    """A confidence level lies strictly between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ValueError(
            f"Parameter `level` should lie between 0 and 1, such as 0.95. Found {level!r}."
        )


def check_count(name: str, value: object, *, least: int = 1) -> None:
    """The value should be a whole number, not below the least."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(
            f"Parameter `{name}` should be a whole number >= {least}. Found {value!r}."
        )


def check_flag(name: str, value: object) -> None:
    """The value should be True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"Parameter `{name}` should be True or False. Found {value!r}.")


def as_generator(random_state: Any) -> np.random.Generator:
    """A random generator from a seed, a generator, or None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if random_state is None or (whole and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ValueError(
        "Parameter `random_state` should be None, a whole number >= 0 or a "
        f"`numpy.random.Generator`. Found {random_state!r}."
    )


def as_label_weights(weights: ArrayLike | None) -> tuple[float, ...] | None:
    """Finite weights >= 0, one per label, not all 0; or None."""
    if weights is None:
        return None
    values = as_numbers(weights, "weights").astype(np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"Parameter `weights` should hold one number per label. Found shape {values.shape}."
        )
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"Parameter `weights` should hold finite numbers >= 0. Found {values.tolist()}."
        )
    if not values.any():
        raise ValueError("Parameter `weights` should hold a positive number. All are 0.")
    return tuple(values.tolist())


def as_names(names: Any, n_labels: int) -> tuple[str, ...]:
    """One name per label, all different."""
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray):
        raise TypeError(
            f"Parameter `names` should be a list of names, one per label. Found {names!r}."
        )
    found = tuple(str(name) for name in names)
    if len(found) != n_labels:
        raise ValueError(
            f"Parameter `names` should hold one name for each of the {n_labels} labels. "
            f"Found {len(found)}."
        )
    repeated = [name for name in found if found.count(name) > 1]
    if repeated:
        raise ValueError(
            "Parameter `names` should hold a different name for each label. "
            f"Found {repeated[0]!r} more than once."
        )
    return found


def writeable(array: AnyArray) -> AnyArray:
    """The array, copied if it is read-only: cheaper than compiling kernels for such memory."""
    return array if array.flags.writeable else array.copy()


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant: the same but for capitals, or for a slip or two.

    >>> nearest("clik", ["click", "buy"]), nearest("CLICK", ["click", "buy"])
    ('click', 'click')
    >>> nearest("conversion", ["session", "version"]) is None
    True
    """
    most, wanted = min(len(word) // 3, MOST_SLIPS), word.casefold()
    near = (each for each in words if abs(len(each) - len(word)) <= most)
    found = [(slips(wanted, each.casefold()), each) for each in near]
    best = min(found, key=lambda each: each[0], default=(most + 1, ""))
    return best[1] if best[0] <= most else None


def slips(one: str, other: str) -> int:
    """Letters left out, added, mistaken or swapped with their neighbour.

    >>> slips("maen", "mean"), slips("contry", "country"), slips("a", "b")
    (1, 1, 1)
    """
    last: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        before, last, row = last, row, [i + 1]
        for j, its in enumerate(other):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter != its))
            if i and j and letter == other[j - 1] and its == one[i - 1]:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
    return row[-1]


def suggestion(word: str, words: Iterable[str]) -> str:
    """' Did you mean ...?' where one of the words is near, else nothing."""
    near = nearest(word, words)
    return "" if near is None else f" Did you mean {near!r}?"


def are_names(value: object) -> bool:
    """Whether it is a list, or the like, of names; a name alone is none."""
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str)
        and all(isinstance(name, str) for name in value)
    )


def is_missing(value: object) -> bool:
    """None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        # Whose comparison with itself has no truth value.
        return True
    # NaN and NaT are unequal to themselves; of arrays each number answers for itself.
    unequal = value != value
    return bool(unequal) if isinstance(unequal, bool | np.bool_) else False


def count_missing(ids: AnyArray) -> int:
    """How many ids of any type are missing.

    >>> count_missing(np.array(["a", None, np.nan], dtype=object))
    2
    """
    return sum(map(is_missing, ids)) if ids.dtype.kind == "O" else int((ids != ids).sum())


def refuse_name(data: object, name: str) -> None:
    """A name of a column is not its values."""
    if isinstance(data, str):
        raise TypeError(
            f"Parameter `{name}` should hold one value per row, such as `table[{data!r}]`. "
            f"Found {data!r}."
        )


def is_frame(data: object) -> bool:
    """Whether it is a data frame of pandas or polars."""
    return hasattr(data, "columns") and hasattr(data, "dtypes")


def check_column_names(frame: Any, name: str) -> None:
    """The columns of a data frame should be told apart by their names."""
    counts = Counter(map(str, frame.columns))
    repeated = [column for column, times in counts.items() if times > 1]
    if repeated:
        raise ValueError(
            f"Parameter `{name}` should have a different name for each column. "
            f"Found {repeated[0]!r} more than once. Rename one."
        )


def refuse_lazy(data: object, name: str) -> None:
    """Raise where a data frame holds no values yet."""
    if type(data).__name__ == "LazyFrame":
        raise TypeError(
            f"Parameter `{name}` should be an array or a data frame. Found a LazyFrame; "
            f"pass `{name}.collect()`."
        )


def as_numbers(data: Any, name: str, *, odd: str = "") -> AnyArray:
    """An array of bool, int or float; NaN for the missing values of data frames.

    `odd` is what to say of objects, beside the name of their dtype.
    """
    refuse_lazy(data, name)
    refuse_name(data, name)
    if data is None:
        raise TypeError(f"Parameter `{name}` should be an array of numbers. Found None.")
    if sparse.issparse(data):
        raise TypeError(
            f"Parameter `{name}` should be a dense array. Found a sparse matrix; "
            f"pass `{name}.toarray()`."
        )
    if is_frame(data):
        check_column_names(data, name)
        columns = [
            as_numbers(data[column], f"{name}[{column!r}]", odd=odd) for column in data.columns
        ]
        dtype = np.result_type(*columns) if columns else np.float64
        table = np.empty((len(data), len(columns)), dtype, order="F")
        for k, column in enumerate(columns):
            table[:, k] = column
        return table
    if type(data).__module__.partition(".")[0] in ("pandas", "polars"):
        data = _series_values(data, name)
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan) if data.mask.any() else data.data
    elif is_tensor(data):
        data = tensor_values(data)
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ValueError(
            f"Parameter `{name}` should be an array of numbers. Found rows of unequal length."
        ) from error
    if array.dtype.kind not in "biuf":
        kind = array.dtype.kind
        if kind == "O" and any(isinstance(value, str) for value in array.flat):
            kind = "U"
        cure = {
            "O": "Convert it, such as `.astype(float)`, with NaN for missing values.",
            "U": "Map its values to numbers first.",
            "S": "Map its values to numbers first.",
        }.get(kind, "Convert it to numbers first.")
        found = f"{array.dtype}{odd if array.dtype.kind == 'O' else ''}"
        raise TypeError(
            f"Parameter `{name}` should be an array of numbers. Found dtype {found}. {cure}"
        )
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        raise TypeError(
            f"Parameter `{name}` should hold float64 or narrower. Found dtype {array.dtype}; "
            "convert it with `.astype(float)`."
        )
    if array.dtype == np.float16 or not array.dtype.isnative:
        array = array.astype(
            np.float32
            if array.dtype.itemsize == 2 and array.dtype.kind == "f"
            else array.dtype.newbyteorder("=")
        )
    return array


def _series_values(series: Any, name: str) -> Any:
    """A pandas or polars column as a numpy array, with NaN for missing numbers."""
    if hasattr(series, "null_count"):
        return _polars_values(series, name)
    numeric = getattr(series.dtype, "_is_numeric", False)
    if not (numeric or getattr(series.dtype, "_is_boolean", False)):
        return series.to_numpy()
    if series.isna().any():
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", None))


def _polars_values(series: Any, name: str) -> AnyArray:
    kind = str(series.dtype)
    if kind.endswith("Int128") or kind.startswith("Decimal"):
        # numpy has no such numbers.
        values: AnyArray = series.cast(float).to_numpy()
        if len(np.unique(values)) < series.n_unique():
            raise ValueError(
                f"Parameter `{name}` should hold numbers that float64 tells apart. Found {kind} "
                f"with closer ones; pass `{name}.rank('dense')`."
            )
        return values
    numeric = series.dtype.is_numeric() or kind == "Boolean"
    return np.asarray(
        (series.cast(float) if numeric and series.null_count() else series).to_numpy()
    )
