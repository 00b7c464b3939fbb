"""What one set of test rows says: against the intervals and differences it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from paper._one_test import compared, evaluated

import isonomy as iso

rng = np.random.default_rng(0)
N = 600
QUERIES = np.repeat(np.arange(60), 10)
Y = (rng.random((N, 2)) < [0.4, 0.2]).astype(np.uint8)
A, B = (Y @ [1.0, w] + rng.normal(size=N) + rng.normal(size=60)[QUERIES] for w in (0.2, 1.5))
NAMES = ("a", "b")


@pytest.mark.parametrize("unit", [None, "clusters", "groups"])
def test_errors_are_those_of_the_intervals(unit: str | None) -> None:
    units = {} if unit is None else {unit: QUERIES}
    row = evaluated(Y, A, NAMES, **units)
    found = iso.auc_intervals(Y, A, **units)
    assert [row["auc_a"], row["auc_b"]] == pytest.approx(found.estimate)
    assert [row["auc_a_se"], row["auc_b_se"]] == pytest.approx(found.standard_error)
    assert row["diff_auc"] == pytest.approx(abs(np.diff(found.estimate)[0]))
    contrast = np.array([1.0, -1.0])
    assert row["diff_auc_se"] ** 2 == pytest.approx(contrast @ found.covariance @ contrast)
    assert row["min_auc_se"] == pytest.approx(found.standard_error[np.argmin(found.estimate)])


@pytest.mark.parametrize("unit", [None, "clusters", "groups"])
def test_leads_are_paired(unit: str | None) -> None:
    units = {} if unit is None else {unit: QUERIES}
    row = compared(Y, A, B, NAMES, **units)
    ours, theirs = (evaluated(Y, scores, NAMES, **units) for scores in (A, B))
    for column in ("auc_a", "auc_b", "diff_auc", "min_auc"):
        assert row[column] == pytest.approx(ours[column] - theirs[column])
    found = iso.compare_scores(Y, A, B, **units)
    assert row["auc_a_se"] ** 2 == pytest.approx(found.covariance[0, 0])
    # A serves the first label better and B the second, so the differences have opposite signs.
    assert ours["auc_a"] > ours["auc_b"]
    assert theirs["auc_a"] < theirs["auc_b"]


def test_the_error_of_a_difference_by_bootstrap() -> None:
    """Of |AUC a - AUC b| of one score less that of the other, over resampled rows."""
    draws = []
    for seed in range(300):
        rows = np.random.default_rng(seed).integers(0, N, N)
        ours, theirs = (np.ptp(iso.label_aucs(Y[rows], s[rows])) for s in (A, B))
        draws.append(ours - theirs)
    assert compared(Y, A, B, NAMES)["diff_auc_se"] == pytest.approx(np.std(draws), rel=0.15)


def test_a_score_against_itself() -> None:
    row = compared(Y, A, A, NAMES)
    assert row["diff_auc"] == row["min_auc"] == 0
    assert row["diff_auc_se"] == row["min_auc_se"] == 0
