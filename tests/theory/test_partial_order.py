import numpy as np
import pytest

import isonomy as iso
from isonomy.theory import Edge, partial_order, search

FIRST = partial_order(iso.LossAggregation(), priors=[0.01, 0.4])
SECOND = partial_order(iso.LossAggregation(), priors=[0.4, 0.01])
SUM = partial_order(iso.LabelAggregation())
PRODUCT = partial_order(iso.LabelAggregation("product"))


def arrows(order):
    return {(edge.low, edge.high) for edge in order.edges}


def test_the_four_diagrams():
    assert arrows(FIRST) == {((0, 0), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 1))}
    assert arrows(SECOND) == {((0, 0), (1, 0)), ((1, 0), (0, 1)), ((0, 1), (1, 1))}
    assert arrows(SUM) == {
        ((0, 0), (0, 1)),
        ((0, 0), (1, 0)),
        ((0, 1), (1, 1)),
        ((1, 0), (1, 1)),
    }
    assert arrows(PRODUCT) == {((0, 0), (1, 1)), ((0, 1), (1, 1)), ((1, 0), (1, 1))}


def test_only_loss_aggregation_takes_sides():
    assert [edge for edge in FIRST.edges if edge.takes_sides] == [Edge((0, 1), (1, 0), True)]
    assert [edge for edge in SECOND.edges if edge.takes_sides] == [Edge((1, 0), (0, 1), True)]
    for order in (SUM, PRODUCT):
        assert not any(edge.takes_sides for edge in order.edges)


def test_product_is_the_more_conservative():
    """Lemma: what the product orders, the sum orders; what the sum orders, both losses do."""
    for n_labels in (2, 3, 4):
        total = partial_order(iso.LabelAggregation(), n_labels=n_labels)
        assert total.contains(partial_order(iso.LabelAggregation("product"), n_labels=n_labels))
        assert total.contains(partial_order(iso.LabelAggregation("any"), n_labels=n_labels))
    for order in (FIRST, SECOND):
        assert order.contains(SUM)
        assert not SUM.contains(order)


def test_equal_alphas_and_uniform_costs_give_the_sum():
    for objective in (
        iso.LossAggregation(),
        iso.LossAggregation("balanced"),
        iso.LabelAggregation(costs="uniform"),
    ):
        assert (partial_order(objective).above == SUM.above).all()
    uniform = partial_order(iso.LabelAggregation(costs="uniform"), n_labels=5)
    assert (uniform.above == partial_order(iso.LabelAggregation(), n_labels=5).above).all()


def test_heights():
    assert SUM.heights == (0, 1, 1, 2)
    assert PRODUCT.heights == (0, 0, 0, 1)
    assert FIRST.heights == (0, 2, 1, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"objective": iso.LossAggregation(), "priors": [0, 0.5]}, "`priors`"),
        ({"objective": iso.LossAggregation(), "priors": [0.5]}, "2 numbers"),
        ({"objective": iso.LabelAggregation(), "n_labels": 7}, "at most 6"),
        ({"objective": iso.LabelAggregation(), "n_labels": 0}, "whole number"),
        ({"objective": iso.WorstLabel()}, "`WorstLabel` is none"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        partial_order(**arguments)


def test_levels_without_a_cost_between_them_stay_apart():
    costs = np.tri(5, k=-1)
    costs[4, 3] = 0
    above = partial_order(iso.LabelAggregation(costs=costs), n_labels=4).above
    assert not above[15, 7]
    assert above[15, 3]
    assert above[7, 3]


def test_a_level_may_be_free_to_stand_anywhere():
    """Only the ends have a cost: this is no order with ties."""
    above = partial_order(iso.LabelAggregation(costs=[[0, 0, 0], [0, 0, 0], [1, 0, 0]])).above
    assert np.argwhere(above).tolist() == [[3, 0]]


class Terms:
    """An objective of given terms over the four patterns of two labels."""

    def __init__(self, above, below):
        self.terms = np.array(above, dtype=float).T, np.array(below, dtype=float).T

    def preferences(self, labels):
        above, below = self.terms
        mix = iso.Mean((1.0,) * above.shape[1])
        return iso.Preferences(labels.codes, above=above, below=below, mix=mix)


def test_an_objective_of_ones_own_orders_what_all_best_rankings_do():
    objective = Terms([[0, 1, 0, 0], [0, 0, 0, 1]], [[1, 0, 0, 0], [0, 0, 1, 0]])
    found = partial_order(objective).above
    orders = search([[0, 0], [1, 0], [0, 1], [1, 1]], objective).orders
    assert len(orders) == 13
    assert (found == (orders[:, :, None] > orders[:, None, :]).all(axis=0)).all()
    assert np.argwhere(found).tolist() == [[1, 0], [3, 2]]


def test_gains_in_a_circle_are_refused():
    objective = Terms(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
    )
    with pytest.raises(ValueError, match="in no circle"):
        partial_order(objective)
