"""The bootstrap: near what influences say, and from the seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy._counting import ListValues
from isonomy._metrics.bootstrap import draws_covariance
from isonomy._metrics.list_intervals import resampled_means
from tests.metrics.made_data import problem

# Problems here are small; the warnings of that have their own tests.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* intervals may not hold"),
    pytest.mark.filterwarnings("ignore:.* intervals tend to be too short"),
]


@pytest.mark.parametrize("objective", [None, iso.LabelAggregation(), iso.LossAggregation()])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_bootstrap_is_near_delong(objective: Any, grouped: bool, weighted: bool) -> None:
    Y, (scores, _), weight = problem(10, n=400)
    options: dict[str, Any] = {"objective": objective}
    options["groups"] = np.random.default_rng(0).integers(0, 60, 400) if grouped else None
    options["sample_weight"] = weight if weighted else None
    delong = iso.auc_intervals(Y, scores, **options)
    drawn = iso.auc_intervals(
        Y, scores, method="bootstrap", n_resamples=400, random_state=1, **options
    )
    assert drawn.estimate == pytest.approx(delong.estimate, rel=0, abs=0)
    assert drawn.standard_error == pytest.approx(delong.standard_error, rel=0.25)
    assert drawn.low == pytest.approx(delong.low, abs=0.02)
    assert drawn.high == pytest.approx(delong.high, abs=0.02)


def test_bootstrap_depends_on_the_seed_alone() -> None:
    Y, (scores, _), _ = problem(11)
    options: dict[str, Any] = {"method": "bootstrap", "n_resamples": 50}
    first = iso.auc_intervals(Y, scores, random_state=5, **options)
    again = iso.auc_intervals(Y, scores, random_state=5, **options)
    generator = iso.auc_intervals(Y, scores, random_state=np.random.default_rng(5), **options)
    other = iso.auc_intervals(Y, scores, random_state=6, **options)
    assert np.array_equal(first.covariance, again.covariance)
    assert np.array_equal(first.low, generator.low)
    assert not np.array_equal(first.covariance, other.covariance)


@pytest.mark.parametrize("objective", [None, iso.LossAggregation()])
def test_without_a_defined_resample_there_are_no_bounds(objective: Any) -> None:
    """One positive among three rows: a draw may lack it, or have nothing else."""
    y, scores = np.array([1, 0, 0]), np.array([1.0, 0.0, 2.0])
    seen = set()
    for seed in range(20):
        found = iso.auc_intervals(
            y, scores, objective=objective, method="bootstrap", n_resamples=2, random_state=seed
        )
        draws = [child.integers(0, 3, 3) for child in np.random.default_rng(seed).spawn(2)]
        defined = any(0 < (drawn == 0).sum() < 3 for drawn in draws)
        assert found.estimate == 0.5
        assert np.isnan([found.low, found.high]).all() == (not defined)
        seen.add(defined)
    assert seen == {True, False}


@pytest.mark.parametrize("grouped", [False, True])
def test_clusters_are_drawn_whole(grouped: bool) -> None:
    Y, (scores, _), _ = problem(10, n=400)
    user = np.arange(400) // 8
    options: dict[str, Any] = {"clusters": user, "groups": user * 2 + np.arange(400) % 2}
    if not grouped:
        del options["groups"]
    # Rows that a user shares: without clusters the error would be too small.
    scores = scores + np.random.default_rng(0).normal(size=50)[user]
    by_influence = iso.auc_intervals(Y, scores, **options)
    drawn = iso.auc_intervals(
        Y, scores, method="bootstrap", n_resamples=400, random_state=1, **options
    )
    assert drawn.standard_error == pytest.approx(by_influence.standard_error, rel=0.25)


def test_covariance_of_draws_is_over_those_that_are_complete() -> None:
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(50, 3))
    draws[:, 1] = np.nan
    draws[::7, 0] = np.nan
    found = draws_covariance(draws)
    complete = np.delete(draws, slice(None, None, 7), axis=0)[:, [0, 2]]
    assert found[np.ix_([0, 2], [0, 2])] == pytest.approx(np.cov(complete, rowvar=False))
    assert np.isnan(found[1]).all()
    assert np.isnan(draws_covariance(np.full((5, 2), np.nan))).all()


@pytest.mark.parametrize("seed", [-1, "a", 1.5, True, np.random.RandomState(0)])
def test_bad_seeds(seed: object) -> None:
    with pytest.raises(ValueError, match="`random_state` should be None, a whole number"):
        iso.auc_intervals([0, 1], [0, 1], method="bootstrap", random_state=seed)


def test_lists_of_one_cluster_are_drawn_together() -> None:
    """Of two clusters of two lists each a sample has one, the other, or both."""
    values, weight = np.array([[0.1], [0.3], [0.5], [np.nan]]), np.array([[1.0], [1.0], [2.0], [0]])
    lists = ListValues(values, weight)
    means = resampled_means(lists, np.array([0, 0, 1, 1]), 40, np.random.default_rng(0))[:, 0]
    assert sorted(set(means.round(12))) == [0.2, 0.35, 0.5]
    alone = resampled_means(lists, None, 200, np.random.default_rng(0))[:, 0]
    assert {0.1, 0.3, 0.5} < set(alone.round(12))
    assert len(set(alone.round(12))) > 6
