import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory import effective_weights


def brute_pairs(y, weight, group):
    n = len(y)
    return sum(
        weight[i] * weight[j]
        for i in range(n)
        for j in range(n)
        if group[i] == group[j] and y[i] == 1 and y[j] == 0
    )


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_shares_are_of_weight_per_pair(seed):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (12, 3)).astype(float)
    Y[rng.random((12, 3)) < 0.1] = np.nan
    weight, group, a = rng.random(12), rng.integers(0, 2, 12), rng.integers(1, 4, 3)
    pairs = np.array([brute_pairs(Y[:, k], weight, group) for k in range(3)])
    if not pairs.all():
        return
    for group_weight in ("pairs", "equal"):
        found = effective_weights(
            Y,
            iso.LossAggregation(a),
            sample_weight=weight,
            groups=group,
            group_weight=group_weight,
        )
        np.testing.assert_allclose(found, a / pairs / (a / pairs).sum(), rtol=1e-12)


def test_the_paper_example():
    """pi = .4 and .01: alpha = 4.17 and 101.01."""
    Y = np.zeros((1000, 2))
    Y[:400, 0], Y[:10, 1] = 1, 1
    shares = effective_weights(Y, iso.LossAggregation())
    assert shares[1] / shares[0] == pytest.approx(101.0101 / 4.1667, rel=1e-4)


def test_objectives_of_their_own_weights():
    Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]]
    assert effective_weights(Y, iso.LabelAggregation(weights=[1, 3])).tolist() == [0.25, 0.75]
    assert effective_weights(Y, iso.OneLabel(1)).tolist() == [0, 1]
    assert effective_weights(Y, iso.LossAggregation("balanced")).tolist() == [0.5, 0.5]


def test_balanced_groups_weigh_by_their_share():
    """Group 0 has two pairs of each label, group 1 one pair of label 0 only."""
    Y = [[1, 1], [0, 0], [0, 0], [1, 0], [0, 0]]
    shares = effective_weights(
        Y, iso.LossAggregation("balanced"), groups=[0, 0, 0, 1, 1], group_weight="equal"
    )
    alpha = np.array([(2 / 4 + 1) / 3, (2 / 4) / 2])
    np.testing.assert_allclose(shares, alpha / alpha.sum())


def test_labels_of_one_class_are_named():
    Y = [[1, 0], [0, 0]]
    with pytest.raises(ValueError, match="Found one for label '1'"):
        effective_weights(Y, iso.LossAggregation())
    assert effective_weights(Y, iso.LossAggregation([1, 0])).tolist() == [1, 0]


@pytest.mark.parametrize(
    "objective",
    [
        iso.WorstLabel(),
        iso.LabelAggregation("product"),
        iso.LabelAggregation(costs="uniform"),
        iso.LabelAggregation(lambda rows: rows[:, 0]),
    ],
)
def test_objectives_without_weights_are_refused(objective):
    with pytest.raises(ValueError, match="weighted sum"):
        effective_weights([[1, 0], [0, 1]], objective)
