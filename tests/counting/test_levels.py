"""Any number of levels, in the same way as a few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isonomy as iso
from isonomy._counting import ranking
from tests.oracles import linear, uniform


def oracle(
    levels: np.ndarray, scores: np.ndarray, costs: str, weight: np.ndarray, groups: np.ndarray
) -> float:
    cost = {"linear": linear, "uniform": uniform}[costs]
    right = total = 0.0
    for i in range(levels.size):
        for j in range(levels.size):
            if levels[i] > levels[j] and groups[i] == groups[j]:
                each = float(cost(levels[i], levels[j])) * weight[i] * weight[j]
                total += each
                right += each * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
    return right / total if total else np.nan


@given(st.integers(2, 30), st.sampled_from(["linear", "uniform"]), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize(
    "options", [(), ("sample_weight",), ("groups",), ("sample_weight", "groups")]
)
@pytest.mark.filterwarnings("ignore:The objective has no pair")
def test_levels_by_themselves(options: tuple[str, ...], n: int, costs: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    levels = rng.choice([-2.5, 0.0, 1.0, 1.5, 7.0, 1e6, np.nan], n)
    scores = rng.integers(0, 8, n).astype(float)
    given: dict[str, Any] = {
        "sample_weight": rng.integers(1, 5, n) / 4,
        "groups": rng.integers(0, 3, n),
    }
    chosen = {name: given[name] for name in options}
    weight = chosen.get("sample_weight", np.ones(n))
    expected = oracle(levels, scores, costs, weight, chosen.get("groups", np.zeros(n)))
    with pytest.MonkeyPatch.context() as patch:
        # As if they were many.
        patch.setattr(ranking, "FEW_LEVELS", 0)
        found = iso.multipartite_auc(levels, scores, costs=costs, **chosen)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize("weighted", [False, True])
def test_perfect_and_reversed_rankings(costs: str, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    levels = rng.normal(size=5000).round(3) * 1e7 + 1e9
    options = {"sample_weight": rng.random(5000)} if weighted else {}
    # Finer than the levels, so that equal levels have different scores.
    scores = levels + rng.uniform(0, 0.1, 5000)
    assert iso.multipartite_auc(levels, scores, costs=costs, **options) == 1.0
    assert iso.multipartite_auc(levels, -scores, costs=costs, **options) == 0.0
    assert iso.multipartite_auc(levels, np.zeros(5000), costs=costs, **options) == 0.5
