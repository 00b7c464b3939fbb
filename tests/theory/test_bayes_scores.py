import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory import bayes_scores, population_objective_auc, search

from .oracle import N_SPACES, maximisers, pair_weights, random_space, respecting


def dot(weights, y):
    return sum(int(w) * bit for w, bit in zip(weights, y, strict=True))


class AtLeastTwo:
    def preferences(self, labels):
        hit = np.nansum(labels.patterns, axis=1) >= 2
        return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())


def one_label(rng, space):
    k = int(rng.integers(space.n_labels))
    return iso.OneLabel(k), lambda p, q: int(p[k] > q[k])


def loss_aggregation(rng, space):
    a = rng.integers(0, 4, space.n_labels)
    a[0] += not a.any()
    alpha = [int(w) / (pi * (1 - pi)) if w else 0 for w, pi in zip(a, space.priors, strict=True)]
    return iso.LossAggregation(a), lambda p, q: sum(
        w for w, y, z in zip(alpha, p, q, strict=True) if y > z
    )


def balanced(_rng, _space):
    return iso.LossAggregation("balanced"), lambda p, q: sum(
        y > z for y, z in zip(p, q, strict=True)
    )


def linear(rng, _space):
    how = str(rng.choice(["mean", "sum"]))
    return iso.LabelAggregation(how), lambda p, q: max(sum(p) - sum(q), 0)


def weighted(rng, space):
    w = rng.integers(1, 5, space.n_labels)
    return iso.LabelAggregation(weights=w), lambda p, q: max(dot(w, p) - dot(w, q), 0)


def linear_callable(_rng, _space):
    how = iso.LabelAggregation(lambda rows: rows[:, 0] * 3 - rows[:, 1])
    return how, lambda p, q: max(3 * p[0] - p[1] - 3 * q[0] + q[1], 0)


def product(_rng, _space):
    return iso.LabelAggregation("product"), lambda p, q: int(all(p) and not all(q))


def any_label(_rng, _space):
    return iso.LabelAggregation("any"), lambda p, q: int(any(p) and not any(q))


def own(_rng, _space):
    return AtLeastTwo(), lambda p, q: int(sum(p) >= 2 > sum(q))


def scale_costs(rng, space):
    w = [int(v) for v in rng.integers(1, 4, space.n_labels + 1)]
    s = [int(v) for v in np.cumsum(rng.integers(1, 4, space.n_labels + 1))]
    table = np.tril(np.outer(w, w) * (np.array(s)[:, None] - s), -1)
    return iso.LabelAggregation(costs=table), lambda p, q: int(table[sum(p), sum(q)])


EVERYWHERE = [
    one_label,
    loss_aggregation,
    balanced,
    linear,
    weighted,
    linear_callable,
    product,
    any_label,
    own,
    scale_costs,
]


def assert_predicted(space, objective, cost):
    """The rankings that respect the scores are exactly the best of all rankings."""
    W = pair_weights(space, cost)
    scores = bayes_scores(objective=objective, **space.arguments())
    np.testing.assert_array_equal(respecting(scores), maximisers(W))


@pytest.mark.parametrize("case", EVERYWHERE)
@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_best_rankings_are_those_that_respect_the_scores(case, seed):
    rng = np.random.default_rng(seed)
    space = random_space(rng)
    assert_predicted(space, *case(rng, space))


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_two_labels_with_uniform_costs(seed):
    space = random_space(np.random.default_rng(seed), n_labels=2)
    objective = iso.LabelAggregation(costs="uniform")
    assert_predicted(space, objective, lambda p, q: int(sum(p) > sum(q)))


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_two_labels_with_any_costs(seed):
    rng = np.random.default_rng(seed)
    space = random_space(rng, n_labels=2)
    table = np.tril(rng.integers(0, 4, (3, 3)), -1)
    table[2, 1] += table[1, 0] == 0
    # Without a cost between the ends, a point that is never in the middle is free to stand
    # anywhere beside others of its kind.
    always_middle = all(row[1] + row[2] > 0 for row in space.joint)
    table[2, 0] += not always_middle and table[2, 0] == 0
    assert_predicted(
        space, iso.LabelAggregation(costs=table), lambda p, q: int(table[sum(p), sum(q)])
    )


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_three_levels_are_always_optimal(seed):
    """Degenerate points and costs too: the scores attain the best value."""
    rng = np.random.default_rng(seed)
    space = random_space(rng, n_labels=2)
    table = np.tril(rng.integers(0, 2, (3, 3)), -1)
    table[2, 1] += not table.any()
    objective = iso.LabelAggregation(costs=table)
    W = pair_weights(space, lambda p, q: int(table[sum(p), sum(q)]))
    scores = bayes_scores(objective=objective, **space.arguments())
    assert maximisers(W)[respecting(scores)].all()


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_certain_labels_with_any_costs(seed):
    rng = np.random.default_rng(seed)
    space = random_space(rng, kind="certain")
    size = space.n_labels + 1
    table = np.tril(rng.integers(1, 4, (size, size)), -1)
    assert_predicted(
        space, iso.LabelAggregation(costs=table), lambda p, q: int(table[sum(p), sum(q)])
    )


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_more_labels_with_uniform_costs_are_searched(seed):
    space = random_space(np.random.default_rng(seed), points=(3, 5))
    W = pair_weights(space, lambda p, q: int(sum(p) > sum(q)))
    if W.any():
        scores = bayes_scores(objective=iso.LabelAggregation(costs="uniform"), **space.arguments())
        values = maximisers(W)
        assert values[respecting(scores)].any()


CYCLE = [[0, 0.63, 0.841], [1, 0.244, 0.282], [0.509, 0.528, 0.459]]


def test_uniform_costs_can_be_intransitive():
    """x1 above x2 above x3 above x1, by the printed margins."""
    p = iso.theory.level_probabilities(CYCLE)
    above = p @ np.tri(4, k=-1) @ p.T
    margins = [above[i, j] - above[j, i] for i, j in [(0, 1), (1, 2), (2, 0)]]
    assert margins == pytest.approx([0.004248, 0.005097, 0.004132], abs=5e-7)
    uniform = iso.LabelAggregation(costs="uniform")
    best = search(CYCLE, uniform)
    assert population_objective_auc(CYCLE, bayes_scores(CYCLE, uniform), uniform) == best.value
    assert (best.orders.max(axis=1) == 2).all()


@pytest.mark.parametrize(
    ("objective", "why"),
    [
        (iso.LabelAggregation(costs="uniform"), "intransitive"),
        (iso.WorstLabel(), "no sum over pairs"),
    ],
)
def test_large_spaces_without_a_formula_are_refused(objective, why):
    eta = np.random.default_rng(0).random((9, 3))
    with pytest.raises(ValueError, match=why):
        bayes_scores(eta, objective)
    assert bayes_scores(eta[:8], objective).shape == (8,)


def test_balanced_and_linear_costs_have_the_same_scores():
    eta = np.random.default_rng(0).random((30, 5))
    np.testing.assert_array_equal(
        bayes_scores(eta, iso.LossAggregation("balanced")),
        bayes_scores(eta, iso.LabelAggregation()),
    )


def test_many_labels_do_not_underflow():
    eta = np.full((3, 10_000), 0.5)
    eta[1, 0], eta[2, 0] = 0.6, 0.0
    assert np.argsort(bayes_scores(eta, iso.LabelAggregation("product"))).tolist() == [2, 0, 1]
    assert np.argsort(bayes_scores(eta, iso.LabelAggregation("any"))).tolist() == [2, 0, 1]
    assert np.argsort(bayes_scores(eta, iso.LabelAggregation())).tolist() == [2, 0, 1]


def test_rounding_does_not_break_ties():
    eta = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3]]
    for objective in (iso.LabelAggregation(), iso.LabelAggregation("product")):
        assert np.unique(bayes_scores(eta, objective)).size == 1


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (iso.LossAggregation([1, 0]), "`weights` .* Found 0 for label '1'"),
        (iso.LabelAggregation(weights=[0, 2]), "`weights` .* Found 0 for label '0'"),
        (iso.LabelAggregation(costs="uniform"), "does not promise Pareto"),
        (iso.LabelAggregation("product"), "does not promise Pareto"),
        (iso.OneLabel(0), "does not promise Pareto"),
        (iso.WorstLabel(), "does not promise Pareto"),
    ],
)
def test_pareto_optimality_needs_positive_weights(objective, message):
    with pytest.raises(ValueError, match=message):
        bayes_scores([[0.9, 0.1], [0.8, 0.3]], objective, require_pareto=True)


def test_pareto_optimality_granted():
    eta = [[0.9, 0.1], [0.8, 0.3]]
    for objective in (
        iso.LossAggregation([1, 3]),
        iso.LossAggregation("balanced"),
        iso.LabelAggregation(),
    ):
        np.testing.assert_array_equal(
            bayes_scores(eta, objective, require_pareto=True), bayes_scores(eta, objective)
        )


def test_wrong_number_of_weights():
    with pytest.raises(ValueError, match="each of the 2 labels"):
        bayes_scores([[0.9, 0.1]], iso.LossAggregation([1, 2, 3]))


def test_aggregates_of_one_level_leave_every_ranking():
    eta = [[0.9, 0.1], [0.8, 0.3]]
    for level in (1.0, np.nan):
        for costs in ("linear", "uniform"):
            constant = iso.LabelAggregation(
                lambda rows, level=level: np.full(len(rows), level), costs=costs
            )
            assert bayes_scores(eta, constant).tolist() == [0, 0]


def test_levels_that_never_occur_do_not_count():
    """Four levels can occur, three do: the three-level formula serves any number of points."""
    eta = np.random.default_rng(0).random((50, 3))
    eta[:, 2] = 0
    uniform = iso.LabelAggregation(costs="uniform")
    np.testing.assert_allclose(bayes_scores(eta, uniform), bayes_scores(eta[:, :2], uniform))


def test_costs_that_never_apply():
    objective = iso.LabelAggregation(costs=np.diag([1.0, 0, 0], k=-1))
    certain = [[1, 1, 0], [1, 1, 1], [1, 0, 1]]
    assert bayes_scores(certain, objective).tolist() == [0, 0, 0]


def test_many_levels_are_searched_or_refused():
    eta = np.random.default_rng(0).random((3, 1100))
    uniform = iso.LabelAggregation(costs="uniform")
    best = search(eta, uniform)
    assert population_objective_auc(eta, bayes_scores(eta, uniform), uniform) == pytest.approx(
        best.value, abs=1e-12
    )


def test_a_million_points():
    eta = np.random.default_rng(0).random((1_000_000, 2))
    scores = bayes_scores(eta, iso.LabelAggregation(costs="uniform"))
    product, total = eta.prod(axis=1), eta.sum(axis=1)
    np.testing.assert_allclose(scores, (total - product) / (1 - product), rtol=1e-9)


def test_one_level_that_occurs_leaves_every_ranking():
    eta = np.tile(np.eye(3), (4, 1))
    assert not bayes_scores(eta, iso.LabelAggregation(costs="uniform")).any()


def test_levels_that_occur_without_costs_leave_every_ranking():
    """Every cost has a level of 3 or 4, which two labels cannot reach."""
    costs = np.zeros((5, 5))
    costs[3, 1], costs[4, 2], costs[4, 3] = 1, 1, 1
    eta = np.random.default_rng(0).random((20, 4))
    eta[:, 2:] = 0
    assert not bayes_scores(eta, iso.LabelAggregation(costs=costs)).any()


@pytest.mark.parametrize("c20", [0, 1e-300, 1e-13, 1e-9, 1e-6, 1e-4, 9e-4, 2e-3, 0.1])
@pytest.mark.parametrize("ends", [(1, 1), (3, 1), (1, 1e-4)])
def test_three_levels_with_a_small_cost_of_the_ends(c20, ends):
    costs = [[0, 0, 0], [ends[0], 0, 0], [c20, ends[1], 0]]
    objective = iso.LabelAggregation(costs=costs)
    eta = np.random.default_rng(0).random((6, 2))
    scores = bayes_scores(eta, objective)
    assert np.unique(scores).size == 6
    value = population_objective_auc(eta, scores, objective)
    assert value == pytest.approx(search(eta, objective).value, abs=1e-12)


def test_tiny_probabilities_of_dependent_labels_keep_their_order():
    rest = np.array([1e-18, 3e-18, 2e-18])
    patterns = np.column_stack([1 - rest, rest, 0 * rest, 0 * rest])
    either = iso.LabelAggregation("any")
    assert bayes_scores(None, either, patterns=patterns).argsort().tolist() == [0, 2, 1]
    product = iso.LabelAggregation("product")
    assert bayes_scores(None, product, patterns=patterns[:, ::-1]).argsort().tolist() == [1, 2, 0]


def test_too_many_levels_are_refused_before_they_are_counted(monkeypatch):
    def never(_):
        raise AssertionError

    uniform = iso.LabelAggregation(costs="uniform")
    certain = np.ones((9, 2000))
    certain[:4, :5] = 0
    assert bayes_scores(certain, uniform).argsort(kind="stable").tolist() == list(range(9))
    monkeypatch.setattr("isonomy.theory._levels.poisson_binomial", never)
    with pytest.raises(ValueError, match="no known optimal scorer"):
        bayes_scores(np.full((9, 2000), 0.5), uniform)
