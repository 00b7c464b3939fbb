"""What serves some labels where nothing serves all: sums of the rankings for each alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

import isonomy as iso

N, K = 900, 4


def four_exclusive_labels() -> tuple[np.ndarray, np.ndarray]:
    """Each item has one of four labels, and a feature for each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, K))
    return X, np.eye(K, dtype=np.uint8)[(2 * X + rng.gumbel(size=(N, K))).argmax(axis=1)]


OPTIONS = {"family": "linear", "tune": False, "tradeoffs": False, "random_state": 0}


def test_two_of_four_exclusive_labels_are_served_by_their_sum() -> None:
    X, Y = four_exclusive_labels()
    found = iso.compare(X, Y, repeats=1, **OPTIONS)
    assert not found.decision.above_chance
    groups, names = found.structure.groups, [each.name for each in found.methods]
    assert [len(group.labels) for group in groups] == [2, 2]
    for group in groups:
        assert group.method == "each alone, added up"
        places = found.scores[[names.index(f"{k} alone") for k in group.labels]]
        aucs = [
            iso.label_aucs(Y[found.fold == s], logit(places[:, found.fold == s]).sum(axis=0))
            for s in range(found.n_splits)
        ]
        expected = np.mean(aucs, axis=0)[list(group.labels)].min()
        assert group.min_auc == pytest.approx(expected, abs=1e-12)
    assert "by 'each alone, added up'" in found.summary()


def test_of_one_split_blocks_say_how_sure_sums_are() -> None:
    X, Y = four_exclusive_labels()
    rows = np.arange(N)
    found = iso.compare(X, Y, splits=[(rows[:600], rows[600:])], **OPTIONS)
    assert [len(group.labels) for group in found.structure.groups] == [2, 2]
    assert all(0.65 < group.min_auc < 0.8 for group in found.structure.groups)


def test_without_rankings_of_single_labels_there_is_nothing_to_add_up() -> None:
    X, Y = four_exclusive_labels()
    found = iso.compare(X, Y, methods=["loss", "worst"], **OPTIONS)
    methods = {group.method for group in found.structure.groups}
    assert methods <= {"loss aggregation", "worst label"}
