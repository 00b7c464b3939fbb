"""The pairs of each label, against counting them one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from isonomy._core import Items
from isonomy._counting import label_pairs, pattern_weights
from tests.strategies import Problem, problems


def checked(problem: Problem) -> Items:
    return Items.checked(problem.Y, y_score=problem.scores, **problem.options)


@given(problems())
def test_pairs_of_each_group(problem: Problem) -> None:
    items = checked(problem)
    n = len(items)
    weight = np.ones(n) if items.weight is None else items.weight
    group = np.zeros(n, int) if items.group is None else items.group
    Y = items.labels.table
    expected = np.zeros((items.n_groups, Y.shape[1]))
    for k in range(Y.shape[1]):
        for i in np.flatnonzero(Y[:, k] == 1):
            for j in np.flatnonzero((Y[:, k] == 0) & (group == group[i])):
                expected[group[i], k] += weight[i] * weight[j]
    assert label_pairs(items) == pytest.approx(expected, rel=1e-12)


@given(problems())
def test_weight_of_each_pattern(problem: Problem) -> None:
    items = checked(problem)
    found = pattern_weights(items)
    total = len(items) if items.weight is None else items.weight.sum()
    assert found.sum() == pytest.approx(total)
    assert found.shape == (len(items.labels.patterns),)


def test_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="binary labels"):
        label_pairs(Items.checked([[0], [2]]))
