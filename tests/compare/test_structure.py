"""How labels stand to each other, and which of them some method serves."""

from __future__ import annotations

import re
from dataclasses import astuple

import numpy as np

from isonomy._compare.statistics import SplitMean
from isonomy._compare.structure import label_structure, surely_predicted
from isonomy._core import Items
from tests.compare.made_data import made
from tests.compare.situations import compared, funnel, known_after, noise_by_luck, plain

BY_NAME = {each.name: each for each in plain()._methods}


def test_a_label_is_not_predicted_by_the_ranking_of_another_one_alone() -> None:
    """Of many such rankings one orders it well by chance."""
    items = Items.checked(made(0)[1])
    chosen = [BY_NAME[name] for name in ("0 alone", "1 alone", "label aggregation")]
    lows = np.array([[0.6, 0.51], [0.4, 0.4], [0.6, 0.4]])
    assert surely_predicted(items, chosen, lows).tolist() == [True, False]
    means = np.array([[0.7, 0.56], [0.45, 0.55], [0.7, 0.45]])
    found = label_structure(items, chosen, SplitMean(means, lows, means + 0.1))
    assert found.predicted == (0,)
    assert [(group.labels, group.method) for group in found.groups] == [
        ((0,), "0 alone"),
        ((1,), "1 alone"),
    ]
    lows[2, 1] = 0.51
    assert surely_predicted(items, chosen, lows).tolist() == [True, True]


def test_of_many_methods_one_is_above_chance_by_luck_where_no_ranking_serves_all() -> None:
    found = noise_by_luck()
    lows = np.array([each.aucs.low for each in found.methods])
    items = Items.checked(np.eye(4)[np.arange(8) % 4])
    assert surely_predicted(items, found._methods, lows).tolist() == [True] * 3 + [False]
    assert not found.decision.above_chance
    assert found.structure.predicted == (0, 1)
    assert [group.labels for group in found.structure.groups] == [(0, 1), (2,), (3,)]
    assert re.search("Leave out '2' .*, '3' .*, which no method surely predicts", found.summary())


def test_labels_that_nothing_predicts_oppose_nobody() -> None:
    items = Items.checked(made(0)[1])
    chosen = [BY_NAME[name] for name in ("0 alone", "1 alone")]
    means, highs = np.array([[0.7, 0.4], [0.4, 0.6]]), np.array([[0.8, 0.45], [0.45, 0.7]])
    sure = SplitMean(means, np.array([[0.6, 0.35], [0.35, 0.55]]), highs)
    unsure = SplitMean(means, np.array([[0.6, 0.35], [0.35, 0.45]]), highs)
    assert label_structure(items, chosen, sure).opposed == ((0, 1),)
    assert label_structure(items, chosen, unsure).opposed == ()
    # Of several rankings for a label the best one tells, not a poor one beside it.
    poor = SplitMean(*(np.vstack([each, np.full((1, 2), 0.5)]) for each in astuple(sure)))
    again = [*chosen, BY_NAME["0 alone"]]
    assert label_structure(items, again, poor).opposed == ((0, 1),)


def test_a_label_that_is_known_only_after_another_one() -> None:
    found = known_after()
    assert found.structure.known_after == ((1, 0), (2, 0), (2, 1))
    assert "'click' is known only of items with 'view'; 'buy' is known only" in found.summary()
    assert "'buy' is known only of items with 'view'" not in found.summary()
    assert found.structure.funnels == funnel().structure.known_after == ()
    # Gaps here and there are no rule.
    rng = np.random.default_rng(0)
    Y = (rng.random((400, 2)) < 0.5).astype(float)
    Y[rng.random((400, 2)) < 0.5] = np.nan
    few = np.where(np.arange(400)[:, None] < [400, 6], Y, np.nan)
    few[:6, 0] = 1
    X = rng.normal(size=(400, 2))
    assert compared(X, Y, methods=["loss"]).structure.known_after == ()
    few[:4, 1] = [0, 1, 0, 1]
    assert compared(X, few, methods=["loss"], folds=2).structure.known_after == ()
