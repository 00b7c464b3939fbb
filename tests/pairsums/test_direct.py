"""Pair by pair: more terms than bits, and chunks of many segments."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums import direct
from isonomy.surrogates import SURROGATES
from tests.pairsums import oracle
from tests.pairsums.cases import DIRECT, Items, items


@pytest.mark.parametrize("n_terms", [61, 63, 130])
def test_more_terms_than_bits(n_terms: int) -> None:
    # Each item is above in one term and below in another, 62 or more apart.
    n = n_terms
    above, below = np.eye(n), np.roll(np.eye(n), 62, axis=1) * (1.0 - np.eye(n))
    some = Items(np.arange(n), above, below, np.ones(n), np.zeros(n, int))
    scores = np.random.default_rng(0).normal(size=n)
    oracle.check_all(some, scores, SURROGATES["logistic"], direct_below=DIRECT)


def test_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_PAIRS", 20)
    some = items(120, 4, 2, 30, seed=5)
    scores = np.random.default_rng(1).normal(size=120)
    oracle.check_all(some, scores, SURROGATES["squared_hinge"], direct_below=DIRECT)
