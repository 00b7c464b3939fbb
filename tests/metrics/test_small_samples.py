"""Warnings of too little data: when, in what words, and at whose line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isonomy as iso
from isonomy._metrics import FEWEST_MISRANKED, FEWEST_UNITS

rng = np.random.default_rng(0)
SCORES = rng.normal(size=100)
CLICK = np.arange(100) % 2
HOLD = "with so few, intervals may not hold."


def rare(positives: int) -> pd.DataFrame:
    """A common label, and one that so many items have."""
    return pd.DataFrame({"click": CLICK, "buy": np.arange(100) < positives})


def test_few_items_are_warned_of_by_name() -> None:
    few = FEWEST_UNITS - 1
    with pytest.warns(UserWarning, match=f"^Only {few} items in a class for 'buy': {HOLD}$"):
        iso.auc_intervals(rare(few), SCORES)
    with pytest.warns(UserWarning, match=f"^Only 2 groups with pairs for 'click': {HOLD}$"):
        iso.auc_intervals(rare(9)[["click"]], SCORES, groups=np.arange(100) // 50)
    with pytest.warns(UserWarning, match=f"^Only 4 clusters on a side for 'click': {HOLD}$"):
        iso.auc_intervals(rare(9)[["click"]], SCORES, clusters=np.arange(100) // 25)
    groups = np.arange(100) // 10
    with pytest.warns(UserWarning, match=f"^Only 2 clusters with pairs for '0': {HOLD}$"):
        iso.auc_intervals(CLICK, SCORES, groups=groups, clusters=groups // 5)
    with pytest.warns(UserWarning, match=f"^Only 4 items in a class for 'buy': {HOLD}$"):
        iso.auc_intervals(rare(4), SCORES, objective=iso.OneLabel("buy"))
    with pytest.warns(UserWarning, match=f"^Only 1 item in a class for 'buy': {HOLD}$"):
        iso.auc_intervals(rare(1), SCORES)
    with pytest.warns(UserWarning, match=f"^Only 2 items in a class: {HOLD}$"):
        iso.auc_intervals(rare(4), SCORES, objective=iso.LabelAggregation("product"))
    with pytest.warns(UserWarning, match="^Only 2 items in a class"):
        iso.compare_scores([0, 0, 0, 1, 1], [1, 2, 3, 4, 5], [2, 1, 3, 5, 4])


def test_weights_count_by_what_they_are_worth() -> None:
    weight = np.where(np.arange(100) < 3, 1000.0, 1.0)
    with pytest.warns(UserWarning, match=r"^Only 1\.1 items in a class for '0'"):
        iso.auc_intervals(CLICK, SCORES, sample_weight=weight)


def test_enough_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iso.auc_intervals(CLICK, SCORES)
        iso.auc_intervals(rare(FEWEST_UNITS), SCORES)
        iso.auc_intervals(rare(2), SCORES, objective=iso.OneLabel("click"))
        iso.auc_intervals(rare(2), SCORES, objective=iso.LossAggregation([1, 0]))
        iso.auc_intervals(CLICK, SCORES, groups=np.arange(100) // 20)
        iso.auc_intervals(CLICK, CLICK)
        iso.conflict_intervals(rare(30), SCORES)
        iso.compare_scores(rare(5), SCORES, -SCORES)
        iso.auc_intervals(CLICK, SCORES, method="delong")
        # Counts are items.
        iso.auc_intervals([0, 1], [1, 2], counts=[20, 20])


@pytest.mark.parametrize("method", ["delong", "delong-logit", "bootstrap"])
def test_other_intervals_need_misranked_items(method: Any) -> None:
    """Not items alone: at an AUC of .95, a hundred in the smaller class have five."""
    options: dict[str, Any] = {"method": method, "n_resamples": 20, "random_state": 0}
    y = np.repeat([0, 1], 100)
    scores = np.concatenate([np.linspace(0, 1, 100), np.linspace(0.7, 1.7, 100)])
    area = iso.auc(y, scores)
    assert 100 * (1 - area) < FEWEST_MISRANKED < 200 * (1 - area)
    text = f"^100 items in a class, of which about {100 * (1 - area):.1f} misranked for '0': such"
    with pytest.warns(UserWarning, match=text + r" intervals tend .* method='auto' holds there\.$"):
        iso.auc_intervals(y, scores, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iso.auc_intervals(y, scores)
        iso.auc_intervals(y, scores, counts=np.full(200, 2), **options)
    if method == "delong":
        with pytest.warns(UserWarning, match=text):
            iso.compare_scores(y, scores, scores**2, method="delong")


def test_five_misranked_are_enough() -> None:
    y, scores = np.repeat([0, 1], 10), np.tile(np.arange(10.0), 2)
    assert iso.auc(y, scores) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iso.auc_intervals(y, scores, method="delong")
    scores[-1] += 5
    assert 0.5 < iso.auc(y, scores) < 0.51
    scores[-2] += 5
    with pytest.warns(UserWarning, match="^10 items in a class, of which about 4.8 misranked"):
        iso.auc_intervals(y, scores, method="delong")


def test_the_worst_of_several_labels_is_told() -> None:
    """By its items, or by those that are misranked, which are fewest elsewhere."""
    n = np.arange(100)
    Y = pd.DataFrame({"four": n % 25 == 0, "three": (n >= 49) & (n < 52), "most": n >= 51})
    with pytest.warns(UserWarning, match="^Only 3 items in a class for 'four', 'three': "):
        iso.auc_intervals(Y[["four", "three"]], n)
    scores = n + 3.0 * (n % 7)
    area = iso.label_aucs(Y[["four", "most"]], scores)
    assert 4 * area[0] > 1 > 49 * (1 - area[1])
    text = "^49 items in a class, of which about .* for 'four', 'most': such"
    with pytest.warns(UserWarning, match=text):
        iso.auc_intervals(Y[["four", "most"]], scores, method="delong")


def test_an_objective_is_warned_of_by_the_labels_that_move_it() -> None:
    """By name where there are names and each term stands for itself."""
    Y = rare(4)
    worst = np.where(Y["buy"], -SCORES, 3.0 * CLICK)
    with pytest.warns(UserWarning, match=f"^Only 4 items in a class for 'buy': {HOLD}$"):
        iso.auc_intervals(Y, worst, objective=iso.WorstLabel())
    with pytest.warns(UserWarning, match=f"^Only 4 items in a class: {HOLD}$"):
        iso.auc_intervals(Y[["buy"]], SCORES, objective=iso.LossAggregation("balanced"))
    with pytest.warns(UserWarning, match=f"^Only 4 items in a class: {HOLD}$"):
        iso.auc_intervals(Y[["buy"]], SCORES, objective=Nameless(iso.Mean((1.0,))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = iso.auc_intervals(Y[["buy"]], SCORES, objective=Nameless(Constant()))
    assert found.estimate == 0.5, "what no AUC moves stands on no items"


class Constant:
    """A mix that nothing moves."""

    pooled = False

    def value(self, ratios: np.ndarray) -> float:
        return 0.5

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return np.zeros_like(ratios)


class Nameless:
    """The first label, without a name, in some mix."""

    def __init__(self, mix: Any) -> None:
        self.mix = mix

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        yes = labels.patterns[:, 0] == 1
        return iso.Preferences(labels.codes, yes, ~yes, self.mix)


@pytest.mark.parametrize(
    "call",
    [
        lambda Y, s: iso.auc_intervals(Y, s),
        lambda Y, s: iso.auc_intervals(Y, s, method="delong"),
        lambda Y, s: iso.auc_intervals(Y, s, objective=iso.LabelAggregation("any")),
        lambda Y, s: iso.conflict_intervals(Y, s),
        lambda Y, s: iso.compare_scores(Y, s, -s),
        lambda Y, s: iso.compare_scores(Y, s, -s, objective=iso.WorstLabel()),
    ],
)
def test_warnings_point_at_the_callers_line(call: Callable[..., Any]) -> None:
    Y = np.zeros((20, 2), int)
    Y[[0, 1, 2], 0] = Y[[2, 3], 1] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(Y, SCORES[:20])
    assert [warning.filename for warning in caught] == [__file__]


def test_sizes_that_are_not_whole_are_not_rounded_up() -> None:
    user = np.repeat(np.arange(5), [30, 20, 20, 20, 10])
    with pytest.warns(UserWarning, match=f"^Only 4.5 clusters on a side for '0': {HOLD}$"):
        iso.auc_intervals(CLICK, SCORES, clusters=user)


def test_no_other_method_is_promised_to_hold_with_too_few() -> None:
    with pytest.warns(UserWarning, match="too short.$"):
        iso.auc_intervals(rare(FEWEST_UNITS - 1)["buy"], SCORES, method="delong")
    with pytest.warns(UserWarning, match="method='auto' holds there.$"):
        iso.auc_intervals(rare(FEWEST_UNITS)["buy"], SCORES, method="delong")


def test_z_tests_warn_by_the_score_that_misranks_fewer() -> None:
    for pair in ((SCORES, CLICK), (CLICK, SCORES)):
        with pytest.warns(UserWarning, match="of which about 0.0 misranked"):
            iso.compare_scores(CLICK, *pair, method="delong")
