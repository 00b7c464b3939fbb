"""Checked rows: what is taken, what is refused, and that nothing is looked at twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isonomy as iso
from isonomy._core.items import Items
from isonomy._core.preferences import Preferences

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, np.nan]])


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12.0).reshape(6, 2),
        sparse.csr_array(np.arange(12.0).reshape(6, 2)),
        pd.DataFrame({"a": np.arange(6), "b": list("xyzxyz")}, index=list("fedcba")),
        pl.DataFrame({"a": np.arange(6), "b": list("xyzxyz")}),
    ],
    ids=["array", "sparse", "pandas", "polars"],
)
def test_all_that_a_row_has_is_taken_together(X: Any) -> None:
    items = Items.checked(
        Y,
        X=X,
        y_score=[5, 4, 3, 2, 1, 0],
        sample_weight=[1, 2, 3, 4, 5, 6],
        counts=[6, 5, 4, 3, 2, 1],
        groups=["b", "b", "a", "c", "c", "a"],
    )
    part = items.take([4, 1, 5])
    assert np.array_equal(part.labels.table, Y[[4, 1, 5]], equal_nan=True)
    assert part.sample_weight is not None
    assert part.sample_weight.tolist() == [5, 2, 6]
    assert part.count is not None
    assert part.count.tolist() == [2, 5, 1]
    assert part.group is not None
    assert part.group.tolist() == [2, 1, 0], "groups keep their order and leave no gap"
    assert part.n_groups == 3
    assert items.take([0, 1]).n_groups == 1
    assert part.scores.tolist() == [1, 4, 0]
    assert part.X.shape == (3, 2)
    first = part.X[:, [0]].toarray() if sparse.issparse(X) else np.asarray(part.X)[:, [0]]
    expected = X.toarray() if sparse.issparse(X) else np.asarray(X)
    assert first.ravel().tolist() == expected[[4, 1, 5], 0].tolist()


def test_items_pass_unchecked() -> None:
    items = Items.checked(Y, sample_weight=np.arange(6))
    assert Items.checked(items) is items
    X = np.zeros((6, 1))
    beside = Items.checked(items, X=X)
    assert beside.X is X
    assert beside.labels is items.labels
    assert beside.sample_weight is items.sample_weight
    with pytest.raises(ValueError, match=r"`Y` and `X` should have the same number of rows"):
        Items.checked(items, X=X[1:])


@pytest.mark.parametrize("given_y", [np.zeros(4, np.uint8), np.zeros(4, np.bool_), np.zeros(4)])
def test_what_the_user_changes_later_changes_nothing(given_y: np.ndarray) -> None:
    weight, group = np.ones(4), np.zeros(4, np.int64)
    given_y[0] = 1
    items = Items.checked(given_y, y_score=np.arange(4), sample_weight=weight, groups=group)
    given_y[:], weight[:], group[:] = 1, 7, [3, 2, 1, 0]
    assert items.labels.table.ravel().tolist() == [1, 0, 0, 0]
    assert items.sample_weight is not None
    assert items.sample_weight.tolist() == [1, 1, 1, 1]
    assert items.group is not None
    assert items.group.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("metric", [iso.auc, iso.label_aucs, iso.audit, iso.auc_intervals])
def test_preferences_are_checked_once(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    check = Preferences.__post_init__

    def counted(self: Preferences) -> None:
        calls["checks"] += 1
        check(self)

    monkeypatch.setattr(Preferences, "__post_init__", counted)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    metric(y, rng.normal(size=200), sample_weight=rng.random(200))
    assert calls["checks"] == 1


def test_row_counts_are_compared_before_any_work() -> None:
    # As labels of 3 rows these would be a million labels, which takes minutes.
    Y = np.zeros((3, 1_000_000), np.uint8)
    with pytest.raises(ValueError, match=r"`Y` and `y_score` should have the same number of rows"):
        iso.label_aucs(Y, np.zeros(1_000_000))


WEIGHTS = st.lists(st.floats(2.0**-240, 2.0**240), min_size=6, max_size=6)


@given(WEIGHTS, st.sampled_from(["pairs", "equal"]))
def test_scaling_changes_no_proportion(weights: list[float], group_weight: Any) -> None:
    groups = [0, 0, 0, 1, 1, 1]
    items = Items.checked(Y, sample_weight=weights, groups=groups, group_weight=group_weight)
    scaled = items.pair_weight
    assert scaled is not None
    assert (scaled < 1).all()
    for group in (slice(0, 3), slice(3, 6)) if group_weight == "equal" else (slice(0, 6),):
        ratio = scaled[group] / np.asarray(weights)[group]
        assert np.ptp(np.log2(ratio)) == 0
        assert scaled[group].max() >= 0.5


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], r"`counts` should hold one number for each of the 6 rows. Found shape \(2,\)"),
        ([1, 1, 1, 1, 1, -1], r"whole numbers >= 0, .* Found .*-1"),
        ([1, 1, 1, 1, 1, 0.5], r"whole numbers >= 0, .* Found .*0.5.* use `sample_weight`"),
        ([1, 1, 1, 1, 1, np.nan], r"whole numbers >= 0, .* Found .*nan"),
        ([1, 1, 1, 1, 1, np.inf], r"whole numbers >= 0, .* Found .*inf"),
        ([0] * 6, r"`counts` should count an item. All are 0."),
    ],
)
def test_bad_counts(counts: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Items.checked(Y, counts=counts)


def test_objectives_that_do_not_fit_are_refused() -> None:
    class Short:
        def preferences(self, labels: iso.Labels) -> iso.Preferences:
            return iso.Preferences([0], [1], [0], iso.Pooled())

    class Grouped:
        def preferences(self, labels: iso.Labels) -> iso.Preferences:
            group = np.zeros(len(labels), np.int64)
            above, below = labels.patterns[:, :1] == 1, labels.patterns[:, :1] == 0
            return iso.Preferences(labels.codes, above, below, iso.Pooled(), group=group)

    with pytest.raises(ValueError, match=r"one code for each of the 6 items\. Found 1"):
        Items.checked(Y).preferences(Short())
    assert Items.checked(Y).preferences(Grouped()).n_groups == 1
    with pytest.raises(ValueError, match="the objective has groups of its own"):
        Items.checked(Y, groups=[0] * 6).preferences(Grouped())
    with pytest.raises(TypeError, match="`objective` should be an objective"):
        Items.checked(Y).preferences(iso.WorstLabel)  # type: ignore[arg-type]


def test_items_bring_their_own_weights_and_groups() -> None:
    items = Items.checked(Y)
    for given_too in ({"sample_weight": np.ones(6)}, {"groups": np.zeros(6)}, {"counts": [1] * 6}):
        with pytest.raises(TypeError, match="bring their own"):
            iso.label_aucs(items, np.zeros(6), **given_too)  # type: ignore[arg-type]


def test_another_group_weight_asks_more_of_the_weights() -> None:
    # Each group counts the same, so that its weights may have any size; pooled, they may not.
    weights, groups = [1, 1, 1, 1e-200, 1e-200, 1e-200], [0, 0, 0, 1, 1, 1]
    items = Items.checked(Y, sample_weight=weights, groups=groups, group_weight="equal")
    with pytest.raises(ValueError, match="at least 1e-150 times the largest"):
        Items.checked(items, X=np.zeros((6, 1)), group_weight="pairs")


@pytest.mark.parametrize("metric", [iso.auc, iso.label_aucs, iso.auc_intervals, iso.audit])
def test_no_scores_are_refused(metric: Any) -> None:
    with pytest.raises(TypeError, match="`y_score` should"):
        metric([0, 1], None)
