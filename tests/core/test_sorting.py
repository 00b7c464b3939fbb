"""Either sort gives the same bits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from isonomy._core import sorting
from isonomy._core.sorting import CodedWords, numpy_is_faster, order_items


@pytest.mark.parametrize("kind", ["sigmoid", "float32", "few values", "one outlier"])
def test_whichever_sort_runs(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    n = 50_000
    normal = rng.normal(size=n)
    scores = {
        "sigmoid": 1 / (1 + np.exp(-normal)),
        "float32": normal.astype(np.float32).astype(np.float64),
        "few values": np.round(normal, 1),
        "one outlier": np.append(normal[1:], 1e300),
    }[kind]
    codes = rng.integers(0, 1000, n).astype(np.uint16)
    found = []
    for faster in (True, False):
        monkeypatch.setattr(sorting, "numpy_is_faster", lambda faster=faster: faster)
        for threads in (1, 2):
            coded = CodedWords(scores, codes, 10, threads)
            found.append([*coded.runs(), coded.words, coded.starts, *order_items(scores)])
    for each in found[1:]:
        assert all(map(np.array_equal, each, found[0]))


def test_the_choice_is_made_once() -> None:
    assert numpy_is_faster() is numpy_is_faster()


@pytest.mark.parametrize("threads", [1, 3])
def test_parts_are_visited_in_order_once_they_are_sorted(threads: int) -> None:
    rng = np.random.default_rng(1)
    n = 50_000
    coded = CodedWords(rng.normal(size=n), rng.integers(0, 2, n).astype(np.uint8), 1, threads)

    def look(starts: np.ndarray) -> tuple[int, int, bool]:
        parts = [coded.words[a:b] for a, b in pairwise(starts.tolist())]
        in_order = all(bool((part[1:] >= part[:-1]).all()) for part in parts)
        return int(starts[0]), int(starts[-1]), in_order

    for _ in range(2):
        found = coded.visit(look)
        assert all(in_order for _, _, in_order in found)
        assert [first for first, _, _ in found] == [0, *(stop for _, stop, _ in found[:-1])]
        assert found[-1][1] == n
