"""The effective weights of equal loss weights, and their errors."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from tests.audit.data import OPTIONS, made, options


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("missing", [False, True])
def test_effective_weights_are_the_theorys_and_can_be_undone(kind: str, missing: bool) -> None:
    Y, score = made(missing=missing)
    extra = options(kind, len(Y))
    found = iso.audit(Y, score, **extra)
    shares = iso.theory.effective_weights(Y, iso.LossAggregation(), **extra)
    assert [label.effective_weight.value for label in found.labels] == pytest.approx(shares)
    assert np.mean(found.undo_weights) == pytest.approx(1)
    undone = iso.theory.effective_weights(Y, iso.LossAggregation(found.undo_weights), **extra)
    assert undone == pytest.approx(np.full(3, 1 / 3))


def test_error_of_effective_weights_is_that_of_new_samples() -> None:
    draws, errors = [], []
    for seed in range(100):
        Y, score = made(n=300, seed=seed)
        found = iso.audit(Y, score)
        draws.append([label.effective_weight.value for label in found.labels])
        errors.append([label.effective_weight.standard_error for label in found.labels])
    assert np.mean(errors, axis=0) == pytest.approx(np.std(draws, axis=0), rel=0.25)


def test_error_of_effective_weights_by_group_is_that_of_new_groups() -> None:
    draws, errors = [], []
    groups = np.repeat(np.arange(100), 6)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rare = rng.beta(1, 3, 100)[groups]
        Y = np.column_stack([rng.random(600) < 0.5, rng.random(600) < rare])
        found = iso.audit(Y, rng.normal(size=600), groups=groups)
        draws.append(found.labels[1].effective_weight.value)
        errors.append(found.labels[1].effective_weight.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(draws), rel=0.25)
