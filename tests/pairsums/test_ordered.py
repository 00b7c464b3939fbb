"""Hinges: margins of exactly 1, many ties, and segments on both sides of the sorts."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums import ordered
from isonomy.surrogates import SURROGATES
from tests.pairsums import oracle
from tests.pairsums.cases import FAST, items

hinges = pytest.mark.parametrize("name", ["hinge", "squared_hinge"])


@hinges
def test_margins_of_exactly_one(name: str) -> None:
    some = items(200, 4, 3, 2, seed=1)
    scores = np.random.default_rng(1).integers(-8, 9, 200) / 4.0
    oracle.check_all(some, scores, SURROGATES[name], way=FAST)


@hinges
@pytest.mark.parametrize("pack_from", [0, 1000])
@pytest.mark.parametrize("n_groups", [1, 4])
def test_both_ways_to_sort(
    name: str, pack_from: int, n_groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordered, "_PACK_FROM", pack_from)
    some = items(150, 4, 2, n_groups, seed=2)
    for scores in (np.random.default_rng(2).normal(size=150), np.zeros(150)):
        oracle.check_all(some, scores, SURROGATES[name], way=FAST)


def test_the_hinge_has_no_curvature() -> None:
    some = items(100, 2, 1, 1, seed=3)
    layout = some.arrange(small_below=0)
    part = ordered.OrderedSum.at(layout.large[0], np.arange(100.0), 1, 1)
    assert not part.derivative(np.ones((1, 1)), 2).any()
    assert not part.cross(np.ones((1, 1)), np.ones(100)).any()
