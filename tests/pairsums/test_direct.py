"""Pair by pair: many terms, and chunks of many segments."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums import direct
from isonomy.surrogates import SURROGATES
from tests.pairsums import oracle
from tests.pairsums.cases import DIRECT, Items, items


def test_as_many_terms_as_items() -> None:
    # Each item is above in one term and below in another.
    n = 63
    above, below = np.eye(n), np.roll(np.eye(n), 62, axis=1)
    some = Items(np.arange(n), above, below, np.ones(n), np.zeros(n, int))
    scores = np.random.default_rng(0).normal(size=n)
    oracle.check_all(some, scores, SURROGATES["logistic"], way=DIRECT)


def test_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_PAIRS", 20)
    some = items(120, 4, 2, 30, seed=5)
    scores = np.random.default_rng(1).normal(size=120)
    oracle.check_all(some, scores, SURROGATES["sigmoid"], way=DIRECT)
