"""Moments of parts add up to the sums and derivatives of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy import LabelAggregation, LossAggregation, Pooled, SoftLabel, pair_loss
from isonomy._core import Items, Objective
from isonomy._pairsums import CellMoments, PooledTerms, fitting_width
from isonomy.surrogates import SURROGATES
from tests.conftest import UNCOMPILED


@pytest.mark.parametrize("surrogate", ["logistic", "sigmoid", "exponential", "square"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0])
@pytest.mark.parametrize("objective", [LabelAggregation(), SoftLabel()], ids=["levels", "soft"])
def test_parts_add_up(surrogate: str, scale: float, objective: Objective) -> None:
    rng = np.random.default_rng(0)
    n = 150 if UNCOMPILED else 900
    Y, scores = rng.integers(0, 2, (n, 2)), scale * rng.normal(size=n)
    scores[:2] = 5 * scale, -4 * scale
    weight = rng.integers(1, 4, n) / n
    wishes = Items.checked(Y).preferences(objective)
    entry = SURROGATES[surrogate]
    width = fitting_width(entry, scores.min(), scores.max())
    cuts = np.split(np.argsort(scores), [0, 3, 3, n // 2])
    parts = [
        CellMoments.of(scores[i], wishes.codes[i], weight[i], wishes.n_patterns, width)
        for i in cuts
    ]
    total = CellMoments.joined([CellMoments.joined(parts[:2]), *parts[2:]])
    mass = np.bincount(wishes.codes, weight, wishes.n_patterns)
    above, below = (np.asarray(side, dtype=float) for side in wishes.tables)
    squared = np.bincount(wishes.codes, weight**2, wishes.n_patterns)
    terms = PooledTerms(above, below, mass, squared, wishes.mix, entry)
    options = {"surrogate": surrogate, "sample_weight": weight, "hessian": True}
    direct = pair_loss(Y, scores, objective, **options)
    np.testing.assert_allclose(terms.losses(total), [direct.value], rtol=1e-12)
    for order, expected in ((1, direct.gradient), (2, direct.hessian_diagonal)):
        felt = terms.felt(total, np.ones(1), order)
        for i in cuts:
            found = felt.at(scores[i], wishes.codes[i], weight[i])
            np.testing.assert_allclose(found, expected[i], atol=1e-11 * np.abs(expected).max())


def test_scores_that_lie_far_apart_take_no_more_room() -> None:
    """Bins between them are neither counted nor listed."""
    rng = np.random.default_rng(1)
    Y, scores = rng.integers(0, 2, (80, 1)), rng.normal(size=80)
    scores[[3, 40]] = -1e12, 3e12
    Y[3], Y[40] = 0, 1
    codes = Y[:, 0]
    weight = np.full(80, 1 / 80)
    entry = SURROGATES["logistic"]
    found = CellMoments.of(scores, codes, weight, 2, fitting_width(entry, -1e12, 3e12))
    assert found.bins.size < 60
    mass, squared = np.bincount(codes, weight), np.bincount(codes, weight**2)
    above, below = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    terms = PooledTerms(above, below, mass, squared, Pooled(), entry)
    direct = pair_loss(Y, scores, surrogate="logistic")
    np.testing.assert_allclose(terms.losses(found), [direct.value], rtol=1e-12)
    felt = terms.felt(found, np.ones(1), 1).at(scores, codes, weight)
    np.testing.assert_allclose(felt, direct.gradient, atol=1e-13)


def test_terms_that_are_mixed_are_ratios_of_their_own() -> None:
    rng = np.random.default_rng(2)
    Y, scores = rng.integers(0, 2, (60, 2)), rng.normal(size=60)
    weight, entry = np.full(60, 1 / 64), SURROGATES["logistic"]
    wishes = Items.checked(Y).preferences(LossAggregation())
    width = fitting_width(entry, scores.min(), scores.max())
    moments = CellMoments.of(scores, wishes.codes, weight, wishes.n_patterns, width)
    masses = (np.bincount(wishes.codes, w, wishes.n_patterns) for w in (weight, weight**2))
    above, below = (np.asarray(side, dtype=float) for side in wishes.tables)
    terms = PooledTerms(above, below, *masses, wishes.mix, entry)
    each = [pair_loss(Y[:, k], scores, surrogate="logistic").value for k in (0, 1)]
    np.testing.assert_allclose(terms.losses(moments), each, rtol=1e-12)
