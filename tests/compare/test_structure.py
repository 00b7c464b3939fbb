"""How labels stand to each other, and which of them some method serves."""

from __future__ import annotations

import numpy as np

from isonomy._compare.statistics import SplitMean
from isonomy._compare.structure import label_structure, surely_predicted
from isonomy._core import Items
from tests.compare.made_data import made
from tests.compare.situations import plain

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


def test_labels_that_nothing_predicts_oppose_nobody() -> None:
    items = Items.checked(made(0)[1])
    chosen = [BY_NAME[name] for name in ("0 alone", "1 alone")]
    means, highs = np.array([[0.7, 0.4], [0.4, 0.6]]), np.array([[0.8, 0.45], [0.45, 0.7]])
    sure = SplitMean(means, np.array([[0.6, 0.35], [0.35, 0.55]]), highs)
    unsure = SplitMean(means, np.array([[0.6, 0.35], [0.35, 0.45]]), highs)
    assert label_structure(items, chosen, sure).opposed == ((0, 1),)
    assert label_structure(items, chosen, unsure).opposed == ()
