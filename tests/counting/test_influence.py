"""Influences of items and groups."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._counting import influence as module
from isonomy._counting.influence import Influence
from isonomy._counting.ranking import Ranking
from tests.oracles import class_influence, pooled_influence

rng = np.random.default_rng(0)
Y = rng.choice([0.0, 1.0, np.nan], (60, 2), p=[0.5, 0.4, 0.1])
SCORES = rng.integers(0, 15, 60).astype(float)
WEIGHT = rng.choice([0.0, 0.5, 1.0, 4.0], 60)


def influence(objective: object, weight: np.ndarray | None = None) -> Influence:
    wish = objective.preferences(iso.Labels.from_table(Y))  # type: ignore[attr-defined]
    wish = iso.Preferences(wish.codes, wish.above, wish.below, wish.mix, weight=weight)
    return Influence(Ranking(wish, SCORES, indexed=True))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("chunk", [1, 7, 1 << 16])
def test_rows_come_back_in_their_order(
    weight: np.ndarray | None, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHUNK", chunk)
    found = influence(iso.LossAggregation(), weight)
    expected = np.stack([class_influence(y, SCORES, weight) for y in Y.T], axis=1)
    assert found.rows() == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert sum(len(psi) for psi in found._item_influences()) == 60


def test_influences_add_up_to_nothing() -> None:
    # Centred placement values: what some items gain, others lose.
    assert influence(iso.LossAggregation()).rows().sum(axis=0) == pytest.approx(0, abs=1e-15)
    assert influence(iso.LabelAggregation()).rows().sum(axis=0) == pytest.approx(0, abs=1e-15)


def test_pooled_rows() -> None:
    level = np.nansum(Y, axis=1) / (~np.isnan(Y)).sum(axis=1).clip(1) * 2
    level[np.isnan(Y).all(axis=1)] = np.nan
    cost = np.nan_to_num(np.maximum(level[:, None] - level, 0))
    for weight in (None, WEIGHT):
        found = influence(iso.LabelAggregation(), weight).rows()[:, 0]
        assert found == pytest.approx(pooled_influence(cost, SCORES, weight), abs=1e-14)


def test_sizes() -> None:
    found = influence(iso.LossAggregation())
    counts = [[int((y == v).sum()) for v in (0, 1)] for y in Y.T]
    assert found.spread().smallest.tolist() == [min(pair) for pair in counts]
    assert found.spread().size[:2].T.tolist() == [pair[::-1] for pair in counts]
    assert found.independent_pairs.tolist() == [min(pair) for pair in counts]
    weighted = influence(iso.LossAggregation(), WEIGHT)
    for k, y in enumerate(Y.T):
        parts = [WEIGHT[y == v] for v in (0, 1)]
        effective = min(w.sum() ** 2 / (w**2).sum() for w in parts)
        assert weighted.independent_pairs[k] == pytest.approx(effective)
        assert weighted.spread().smallest[k] == pytest.approx(effective)


def test_covariance_is_the_sum_of_squares() -> None:
    found = influence(iso.LossAggregation(), WEIGHT)
    assert found.covariance() == pytest.approx(found.rows().T @ found.rows())
