"""The sort by digits against `sorted`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.kernels.radix import SHORT, sort_parts

words = st.one_of(
    st.lists(st.integers(0, 2**64 - 1), max_size=120),
    # Few values, neighbours, and words that share their highest bits.
    st.lists(st.integers(0, 3), max_size=120),
    st.lists(st.integers(0, 200).map(lambda x: (x % 3) << 61 | x), max_size=150),
    st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 1, 2**64 - 2]), max_size=120),
)


@given(st.lists(words, min_size=1, max_size=3))
def test_each_part_is_sorted_by_itself(parts: list[list[int]]) -> None:
    starts = np.cumsum([0, *map(len, parts)])
    found = np.array([word for part in parts for word in part], np.uint64)
    sort_parts(found, starts)
    assert found.tolist() == [word for part in parts for word in sorted(part)]


@pytest.mark.parametrize("n", [SHORT, SHORT + 1, 300, 5000, 40_000])
@pytest.mark.parametrize("shape", ["uniform", "clustered", "ladder", "falling", "two far apart"])
def test_large_ranges(n: int, shape: str) -> None:
    rng = np.random.default_rng(n)
    values = {
        "uniform": lambda: rng.integers(0, 2**64, n, dtype=np.uint64),
        "clustered": lambda: np.exp(rng.normal(0, 8, n)).view(np.uint64),
        "ladder": lambda: rng.permutation(n).astype(np.uint64) + np.uint64(2**60),
        "falling": lambda: np.arange(n, dtype=np.uint64)[::-1].copy(),
        "two far apart": lambda: np.append(
            rng.integers(0, 2**20, n - 1, dtype=np.uint64), np.uint64(2**64 - 1)
        ),
    }[shape]()
    expected = np.sort(values)
    sort_parts(values, np.array([0, n]))
    assert np.array_equal(values, expected)
