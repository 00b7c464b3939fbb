"""Either sort gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._core import sorting
from isonomy._core.sorting import numpy_is_faster, order_items, sort_codes


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
        found += [
            [*sort_codes(scores, codes, 10, threads), *order_items(scores)] for threads in (1, 2)
        ]
    for each in found[1:]:
        assert all(map(np.array_equal, each, found[0]))


def test_the_choice_is_made_once() -> None:
    assert numpy_is_faster() is numpy_is_faster()
