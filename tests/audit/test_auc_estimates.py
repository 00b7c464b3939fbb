"""AUCs and conflict AUCs are those of the metrics, their errors those of the intervals."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy._audit import auc_estimates
from isonomy._core import Items
from isonomy._counting import Ranking, influence
from tests.audit.data import OPTIONS, made, options
from tests.strategies import Problem, problems


@pytest.mark.filterwarnings("ignore:Only")  # Of the intervals; an audit notes it.
@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_aucs_and_conflicts_are_those_of_the_intervals(
    kind: str, missing: bool, ties: bool
) -> None:
    Y, score = made(missing=missing, ties=ties)
    extra = options(kind, len(Y))
    found = iso.audit(Y, score, level=0.9, **extra)
    aucs = iso.auc_intervals(Y, score, level=0.9, **extra)
    for k, label in enumerate(found.labels):
        assert label.auc.value == aucs.estimate[k]
        assert label.auc.low == pytest.approx(aucs.low[k], rel=1e-12)
        assert label.auc.high == pytest.approx(aucs.high[k], rel=1e-12)
        assert label.auc.standard_error == pytest.approx(aucs.standard_error[k], rel=1e-10)
    assert np.array_equal(found.aucs, aucs.estimate)
    conflicts = iso.conflict_intervals(Y, score, level=0.9, **extra)
    assert np.array_equal(found.conflict_aucs, conflicts.estimate, equal_nan=True)
    assert found.conflict_low == pytest.approx(conflicts.low, nan_ok=True)
    assert found.conflict_high == pytest.approx(conflicts.high, nan_ok=True)
    errors = [each.auc.standard_error for each in found.conflicts]
    assert errors == pytest.approx(conflicts.standard_error)
    assert found.diff.value == aucs.estimate.max() - aucs.estimate.min()
    assert found.minimum.value == aucs.estimate.min()


@settings(max_examples=60)
@given(problems(labels=(2, 4)), st.integers(0, 2**32 - 1), st.integers(-140, 140))
def test_bits_are_those_of_the_metrics_whatever_the_weights(
    problem: Problem, seed: int, size: int
) -> None:
    """Weights of any size, up to 140 orders of magnitude apart."""
    n = len(problem.scores)
    rng = np.random.default_rng(seed)
    weight = 10.0 ** rng.uniform(-140, 0, n) * rng.choice([0.0, 1.0, 1.0], n)
    weight[0] = 1.0
    extra = {**problem.options, "sample_weight": weight * 10.0**size}
    found = iso.audit(problem.Y, problem.scores, **extra)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aucs = iso.label_aucs(problem.Y, problem.scores, **extra)
        conflicts = iso.conflict_aucs(problem.Y, problem.scores, **extra)
    assert np.array_equal(found.aucs, aucs, equal_nan=True)
    assert np.array_equal(found.conflict_aucs, conflicts, equal_nan=True)


@pytest.mark.parametrize("size", [1e-300, 1e-140, 1e140, 1e300])
@pytest.mark.parametrize("kind", ["weights", "weights and groups", "weights and equal groups"])
def test_the_unit_of_the_weights_does_not_matter(kind: str, size: float) -> None:
    Y, score = made(missing=True)
    extra = options(kind, len(Y))
    plain = iso.audit(Y, score, **extra)
    found = iso.audit(Y, score, **{**extra, "sample_weight": extra["sample_weight"] * size})
    for a, b in zip(plain.labels, found.labels, strict=True):
        for name in ("auc", "prior", "effective_weight"):
            x, y = getattr(a, name), getattr(b, name)
            assert (y.value, y.low, y.high) == pytest.approx((x.value, x.low, x.high), rel=1e-12)
        assert b.top[1].share.low == pytest.approx(a.top[1].share.low, rel=1e-12)


def test_equal_groups_count_the_same_whatever_the_size_of_their_weights() -> None:
    Y, score = made(n=240)
    groups = np.arange(240) % 3
    weight = np.random.default_rng(0).random(240) * 10.0 ** (-200.0 * (groups == 1))
    extra = {"sample_weight": weight, "groups": groups, "group_weight": "equal"}
    found = iso.audit(Y, score, **extra)
    assert np.array_equal(found.aucs, iso.label_aucs(Y, score, **extra))
    each = [
        iso.label_aucs(Y[groups == g], score[groups == g], sample_weight=weight[groups == g])
        for g in range(3)
    ]
    assert found.aucs == pytest.approx(np.mean(each, axis=0))


def test_groups_weigh_their_rows_outside_pairs() -> None:
    """Groups count the same for AUCs, but priors and tops are of all rows by their weight."""
    Y, score = made(n=240)
    groups = np.arange(240) % 8
    weight = np.where(groups == 0, 1000.0, 1.0)
    found = iso.audit(Y, score, sample_weight=weight, groups=groups, group_weight="equal")
    for k, label in enumerate(found.labels):
        assert label.prior.value == pytest.approx(weight @ Y[:, k] / weight.sum())


@pytest.mark.parametrize("kind", ["plain", "weights", "groups"])
def test_more_labels_than_fit_in_one_block(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sorts = []

    class Counted(Ranking):
        def __init__(self, *args: object, **options: object) -> None:
            sorts.append(1)
            super().__init__(*args, **options)

    monkeypatch.setattr(influence, "Ranking", Counted)
    rng = np.random.default_rng(0)
    Y = rng.random((500, 14)) < 0.4
    score = Y @ np.arange(14) + rng.normal(size=500)
    extra = options(kind, 500)
    assert auc_estimates.BLOCK < 14 * 15 // 2
    found = iso.audit(Y, score, **extra)
    assert len(sorts) == 1
    conflicts = iso.conflict_intervals(Y, score, **extra)
    assert found.conflict_low == pytest.approx(conflicts.low, nan_ok=True)
    assert np.array_equal(found.conflict_aucs, conflicts.estimate, equal_nan=True)
    assert np.array_equal(found.aucs, iso.label_aucs(Y, score, **extra))


def test_more_labels_than_a_block_has_terms() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((60, auc_estimates.BLOCK + 2)) < 0.5
    items = Items.checked(Y, y_score=rng.normal(size=60))
    found = auc_estimates.auc_estimates(items, 0.95)
    k = Y.shape[1]
    assert (len(found.aucs), len(found.conflicts)) == (k, k * (k - 1) // 2)
    conflicts = iso.conflict_aucs(Y, items.scores)
    assert [each.value for each in found.conflicts] == conflicts[np.triu_indices(k, 1)].tolist()
