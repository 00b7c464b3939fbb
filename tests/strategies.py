"""Inputs that break things, written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

# Neighbours of one ulp, both zeros, infinities, subnormals, and the ends of the range.
NASTY = [
    0.0,
    -0.0,
    1.0,
    float(np.nextafter(1.0, 2.0)),
    float(np.nextafter(1.0, 0.0)),
    -1.0,
    float(np.nextafter(-1.0, -2.0)),
    0.1 + 0.2,
    0.3,
    np.inf,
    -np.inf,
    5e-324,
    -5e-324,
    1e-323,
    float(np.nextafter(2.0**-1022, 0.0)),
    2.0**-1022,
    float(np.finfo(float).max),
    -float(np.finfo(float).max),
    2.0**53,
    2.0**53 + 2,
]

nasty_floats = st.one_of(
    st.sampled_from(NASTY),
    st.integers(-2, 2).map(float),
    st.floats(allow_nan=False),
    st.floats(allow_nan=False, width=16),
)


def score_arrays(n: int) -> st.SearchStrategy[np.ndarray]:
    """n scores as float64: many ties, or neighbours, or anything."""
    elements = st.sampled_from(
        [nasty_floats, st.integers(0, 3).map(float), st.sampled_from(NASTY), st.just(0.5)]
    )
    return elements.flatmap(lambda e: st.lists(e, min_size=n, max_size=n)).map(np.array)


# The same numbers in all the types that scores come in.
SCORE_TYPES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "float64": lambda rng, n: rng.choice(NASTY, n),
    "float32": lambda rng, n: rng.choice(np.float32([1, np.nextafter(np.float32(1), 2), 0, 9]), n),
    "float16": lambda rng, n: rng.choice(np.float16([1, 1.001, -0.0, 0, np.inf, 6e-8]), n),
    "int8": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "uint8": lambda rng, n: rng.integers(0, 256, n).astype(np.uint8),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "int64 beyond 2^53": lambda rng, n: 2**53 + rng.integers(0, 5, n),
    "int64 ends": lambda rng, n: rng.choice([-(2**63), -(2**63) + 1, 0, 2**63 - 2, 2**63 - 1], n),
    "uint64 ends": lambda rng, n: np.uint64(2**64 - 1) - rng.integers(0, 4, n).astype(np.uint64),
    "big-endian": lambda rng, n: rng.choice(NASTY, n).astype(">f8"),
    "read-only": lambda rng, n: _read_only(rng.choice(NASTY, n)),
    "every second": lambda rng, n: rng.choice(NASTY, 2 * n)[::2],
    "backwards": lambda rng, n: rng.choice(NASTY, n)[::-1],
    "column of a table": lambda rng, n: rng.choice(NASTY, (n, 3))[:, 1],
    "list": lambda rng, n: rng.choice(NASTY, n).tolist(),
    "pandas": lambda rng, n: pd.Series(rng.choice(NASTY, n), index=rng.permutation(n)),
    "pandas Float64": lambda rng, n: pd.Series(rng.choice(NASTY, n), dtype="Float64"),
    "pandas Int64": lambda rng, n: pd.Series(2**53 + rng.integers(0, 5, n), dtype="Int64"),
    "pandas pyarrow": lambda rng, n: pd.Series(
        2**53 + rng.integers(0, 5, n), dtype="int64[pyarrow]"
    ),
    "polars": lambda rng, n: pl.Series(rng.choice(NASTY, n)),
    "polars UInt64": lambda rng, n: pl.Series(2**53 + rng.integers(0, 5, n), dtype=pl.UInt64),
}


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def _names(Y: np.ndarray) -> list[str]:
    return [f"label {k}" for k in range(Y.shape[1])]


def _unaligned(Y: np.ndarray) -> np.ndarray:
    raw = np.zeros(Y.size + 1, np.uint8)
    raw[1:] = Y.ravel()
    return raw[1:].reshape(Y.shape)


# A complete table of 0 and 1 in all the forms that labels come in.
COMPLETE_FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "float64": lambda Y: Y.astype(float),
    "float32": lambda Y: Y.astype(np.float32),
    "float16": lambda Y: Y.astype(np.float16),
    "int8": lambda Y: Y.astype(np.int8),
    "uint8": lambda Y: Y.astype(np.uint8),
    "uint8, unaligned": _unaligned,
    "int64": lambda Y: Y.astype(np.int64),
    "uint64": lambda Y: Y.astype(np.uint64),
    "bool": lambda Y: Y.astype(bool),
    "big-endian": lambda Y: Y.astype(">i4"),
    "Fortran order": lambda Y: np.asfortranarray(Y.astype(np.uint8)),
    "every second": lambda Y: np.repeat(Y.astype(np.uint8), 2, axis=0)[::2],
    "wide": lambda Y: np.repeat(Y.astype(np.uint8), 2, axis=1)[:, ::2],
    "read-only": lambda Y: _read_only(Y.astype(np.uint8)),
    "list": lambda Y: Y.astype(int).tolist(),
    "pandas": lambda Y: pd.DataFrame(Y.astype(int), columns=_names(Y)),
    "pandas bool": lambda Y: pd.DataFrame(Y.astype(bool), columns=_names(Y)),
    "pandas Int8": lambda Y: pd.DataFrame(Y.astype(int), columns=_names(Y)).astype("Int8"),
    "pandas pyarrow": lambda Y: pd.DataFrame(Y.astype(bool), columns=_names(Y)).astype(
        "bool[pyarrow]"
    ),
    "polars": lambda Y: pl.DataFrame(Y.astype(int), schema=_names(Y)),
    "polars bool": lambda Y: pl.DataFrame(Y.astype(bool), schema=_names(Y)),
    "polars UInt8": lambda Y: pl.DataFrame(Y.astype(np.uint8), schema=_names(Y)),
}


def _optional(Y: np.ndarray) -> list[list[int | None]]:
    return [[None if value != value else int(value) for value in column] for column in Y.T]


# A table with NaN for missing labels, in all the forms that can say so.
MISSING_FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "float64": lambda Y: Y,
    "float32": lambda Y: Y.astype(np.float32),
    "float16": lambda Y: Y.astype(np.float16),
    "Fortran order": np.asfortranarray,
    "list": lambda Y: Y.tolist(),
    "masked array": lambda Y: np.ma.masked_array(np.nan_to_num(Y).astype(int), np.isnan(Y)),
    "pandas": lambda Y: pd.DataFrame(Y, columns=_names(Y)),
    "pandas Int8": lambda Y: pd.DataFrame(
        {name: pd.array(c, dtype="Int8") for name, c in zip(_names(Y), _optional(Y), strict=True)}
    ),
    "pandas boolean": lambda Y: pd.DataFrame(
        {
            name: pd.array([None if v is None else bool(v) for v in c], dtype="boolean")
            for name, c in zip(_names(Y), _optional(Y), strict=True)
        }
    ),
    "pandas pyarrow": lambda Y: pd.DataFrame(
        {
            name: pd.array(c, dtype="int8[pyarrow]")
            for name, c in zip(_names(Y), _optional(Y), strict=True)
        }
    ),
    "polars": lambda Y: pl.DataFrame(dict(zip(_names(Y), _optional(Y), strict=True))),
    "polars bool": lambda Y: pl.DataFrame(
        {
            name: pl.Series([None if v is None else bool(v) for v in c], dtype=pl.Boolean)
            for name, c in zip(_names(Y), _optional(Y), strict=True)
        }
    ),
}


@dataclass(frozen=True)
class Problem:
    """A label table, scores, and perhaps weights and groups."""

    Y: np.ndarray
    scores: np.ndarray
    sample_weight: np.ndarray | None
    groups: np.ndarray | None
    group_weight: str

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that all metrics share."""
        return {
            "sample_weight": self.sample_weight,
            "groups": self.groups,
            "group_weight": self.group_weight,
        }

    @property
    def oracle_options(self) -> dict[str, Any]:
        """The same for the oracles, as lists."""
        return {
            "weight": None if self.sample_weight is None else self.sample_weight.tolist(),
            "groups": None if self.groups is None else self.groups.tolist(),
            "group_weight": "pairs" if self.groups is None else self.group_weight,
        }

    @property
    def tolerance(self) -> float:
        """Counts are exact, so only the last division rounds; weights round more."""
        return 1e-15 if self.sample_weight is None else 1e-12


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    labels: tuple[int, int] = (1, 4),
    items: tuple[int, int] = (1, 12),
    levels: int = 2,
    missing: bool = True,
) -> Problem:
    """Random problems of every kind, small enough for an oracle over all pairs."""
    n = draw(st.integers(*items))
    K = draw(st.integers(*labels))
    values = [float(level) for level in range(levels)]
    if missing and draw(st.booleans()):
        values.append(np.nan)
    cells = st.lists(st.sampled_from(values), min_size=n * K, max_size=n * K)
    Y = np.array(draw(cells)).reshape(n, K)
    weight = groups = None
    if draw(st.booleans()):
        some = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 3.7, 1e6])
        weight = np.array(draw(st.lists(some, min_size=n, max_size=n)))
        weight[draw(st.integers(0, n - 1))] = 1.0
    if draw(st.booleans()):
        groups = np.array(draw(st.lists(st.integers(-2, 3), min_size=n, max_size=n)))
    return Problem(
        Y, draw(score_arrays(n)), weight, groups, draw(st.sampled_from(["pairs", "equal"]))
    )
