import pytest

import isonomy as iso
from isonomy.theory import Edge, partial_order

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
        ({"objective": iso.WorstLabel()}, "`WorstLabel` has none"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        partial_order(**arguments)
