"""A row with a count is as many rows written out, for everything that takes counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import isonomy as iso
from tests.oracles import OBJECTIVES, Case
from tests.strategies import Problem, problems

TOLERANCE = 1e-12

pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* intervals may not hold"),
    pytest.mark.filterwarnings("ignore:.* intervals tend to be too short"),
    pytest.mark.filterwarnings("ignore:No pair of items"),
    pytest.mark.filterwarnings("ignore:Pairs"),
]


@dataclass(frozen=True)
class Counted:
    """The same items twice: rows with counts, and rows written out."""

    Y: np.ndarray
    scores: np.ndarray
    counts: np.ndarray
    options: dict[str, Any]

    @property
    def short(self) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Labels, scores and options of the rows with counts."""
        return self.Y, self.scores, {**self.options, "counts": self.counts}

    @property
    def long(self) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Those of the rows written out."""
        rows = np.repeat(np.arange(len(self.Y)), self.counts)
        options = {
            name: value[rows] if isinstance(value, np.ndarray) else value
            for name, value in self.options.items()
        }
        return self.Y[rows], self.scores[rows], options


@st.composite
def counted(
    draw: st.DrawFn, *, missing: bool = True, clusters: bool = True, least: int = 0
) -> Counted:
    """Weights, groups, clusters (of whole groups), counts of `least` on, missing labels."""
    problem: Problem = draw(problems(labels=(2, 3), items=(2, 10), missing=missing))
    n = len(problem.Y)
    counts = np.array(draw(st.lists(st.integers(least, 4), min_size=n, max_size=n)))
    options = dict(problem.options)
    if problem.sample_weight is not None:
        options["sample_weight"] = _powers_of_two(problem.sample_weight)
    if clusters and draw(st.booleans()):
        cluster = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
        if problem.groups is not None:
            cluster = problem.groups // 2
        options["clusters"] = cluster
    kept = counts if problem.sample_weight is None else counts * problem.sample_weight
    assume(kept.any())
    return Counted(problem.Y, problem.scores, counts, options)


def _powers_of_two(weight: np.ndarray) -> np.ndarray:
    """Weights whose sums are exact in any order.

    Sums of others leave a residue of 1e-16 where rows cancel. Beside an AUC of 1e-7 (weights of
    a million beside .1) the degrees of freedom, a ratio of spreads, keep nine digits of it.
    """
    return np.where(weight > 0, np.exp2(np.rint(np.log2(np.maximum(weight, 1e-9)))), 0.0)


def both(case: Counted, call: Callable[..., Any]) -> tuple[Any, Any]:
    """What a function gives for either form."""
    results = []
    for Y, scores, options in (case.short, case.long):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(call(Y, scores, **options))
    return results[0], results[1]


def assert_same(case: Counted, found: Any, expected: Any, *, exact: bool) -> None:
    exact = exact and case.options.get("sample_weight") is None
    for a, b in zip(np.ravel(found), np.ravel(expected), strict=True):
        assert (a == b) | ((a != a) & (b != b)) or (
            not exact and a == pytest.approx(b, rel=TOLERANCE, abs=TOLERANCE)
        ), (found, expected)


@given(counted(clusters=False))
def test_estimates_are_the_same_to_the_last_bit(case: Counted) -> None:
    for metric in (
        iso.label_aucs,
        iso.conflict_aucs,
        lambda Y, s, **options: iso.auc(Y[:, 0], s, **options),
        lambda Y, s, **options: iso.multipartite_auc(Y.sum(axis=1), s, **options),
    ):
        assert_same(case, *both(case, metric), exact=case.options["group_weight"] == "pairs")


@settings(max_examples=10)
@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda each: each.name)
@given(data=st.data())
def test_every_objective(objective: Case, data: st.DataObject) -> None:
    case = data.draw(counted(missing=not objective.complete))
    made = objective.objective(case.Y.shape[1])
    if objective.name == "worst":
        # With weights, rounding may say which of two labels with the same AUC is the worst.
        case.options["sample_weight"] = None

    def value(Y: np.ndarray, s: np.ndarray, **options: Any) -> float:
        options.pop("clusters", None)
        return iso.objective_auc(Y, s, made, **options)

    assert_same(case, *both(case, value), exact=False)
    found, expected = both(
        case, lambda Y, s, **options: iso.auc_intervals(Y, s, objective=made, **options)
    )
    for name in ("estimate", "low", "high", "covariance"):
        assert_same(case, getattr(found, name), getattr(expected, name), exact=False)


@settings(max_examples=60)
@given(counted(), st.sampled_from(["auto", "delong", "delong-logit"]))
def test_intervals(case: Counted, method: Any) -> None:
    for function in (iso.auc_intervals, iso.conflict_intervals):
        found, expected = both(
            case, lambda Y, s, call=function, **options: call(Y, s, method=method, **options)
        )
        for name in ("estimate", "low", "high", "covariance", "freedom"):
            assert_same(case, getattr(found, name), getattr(expected, name), exact=False)


@settings(max_examples=25)
@given(counted(), st.integers(0, 9))
def test_bootstrap_with_a_seed(case: Counted, seed: int) -> None:
    """The same items, clusters or groups are drawn."""
    found, expected = both(
        case,
        lambda Y, s, **options: iso.auc_intervals(
            Y, s, method="bootstrap", n_resamples=10, random_state=seed, **options
        ),
    )
    for name in ("estimate", "low", "high", "covariance"):
        assert_same(case, getattr(found, name), getattr(expected, name), exact=False)


@settings(max_examples=60)
@given(counted(), st.sampled_from([None, iso.WorstLabel(), iso.LabelAggregation()]))
def test_compare_scores(case: Counted, objective: Any) -> None:
    second = np.random.default_rng(0).permutation(len(case.Y)).astype(float)
    case = Counted(case.Y, case.scores, case.counts, {**case.options, "second": second})

    def compared(Y: np.ndarray, s: np.ndarray, *, second: np.ndarray, **options: Any) -> Any:
        return iso.compare_scores(Y, s, second, objective=objective, **options)

    found, expected = both(case, compared)
    for name in ("difference", "covariance", "freedom"):
        assert_same(case, getattr(found, name), getattr(expected, name), exact=False)
    spread = np.diag(np.atleast_2d(expected.covariance))
    if (spread[~np.isnan(spread)] > 1e-20).all():
        for name in ("low", "high", "p_value"):
            assert_same(case, getattr(found, name), getattr(expected, name), exact=False)


@pytest.mark.parametrize("option", ["counts", "sample_weight"])
def test_a_level_that_no_item_has_is_no_level(option: str) -> None:
    """A row of count or weight 0 has the one label 01: it must not make a third level."""
    Y, scores = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]]), np.array([0, 1, 0, 0, 2])
    kept = np.array([1, 1, 0, 1, 1])
    rows = kept == 1
    found, expected = (
        iso.auc_intervals(y, s, objective=iso.LabelAggregation(), **options)
        for y, s, options in ((Y, scores, {option: kept}), (Y[rows], scores[rows], {}))
    )
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.covariance == expected.covariance


def test_clusters_without_spread_go_by_their_sizes_not_by_rounding() -> None:
    Y = np.array([[0, 0, 0], [np.nan, 1, 0], [0, 0, 1]])
    case = Counted(Y, np.full(3, 0.5), np.array([9, 4, 3]), {"clusters": np.array([0, 0, 1])})
    aggregate = iso.LabelAggregation(weights=[1, 2, 3])
    found, expected = both(
        case, lambda Y, s, **options: iso.auc_intervals(Y, s, objective=aggregate, **options)
    )
    assert_same(case, (found.low, found.high), (expected.low, expected.high), exact=False)


def test_large_counts_are_not_written_out() -> None:
    """Five scores and a billion items."""
    table = {"counts": [3e8, 1e8, 1e8, 2e8, 3e8]}
    y, scores = [0, 1, 0, 1, 1], [1, 1, 2, 2, 3]
    found = iso.auc_intervals(y, scores, **table)
    assert found.estimate[0] == iso.auc(y, scores, counts=[3, 1, 1, 2, 3])
    assert 0 < found.high[0] - found.low[0] < 1e-3
    small = iso.auc_intervals(y, scores, counts=[300, 100, 100, 200, 300])
    assert small.standard_error[0] == pytest.approx(1000 * found.standard_error[0], rel=1e-2)


def test_bootstrap_of_a_billion_items() -> None:
    """They are not drawn one by one."""
    y, scores, counts = [0, 1, 0, 1, 1], [1, 1, 2, 2, 3], np.array([3, 1, 1, 2, 3])
    options = {"method": "bootstrap", "n_resamples": 400, "random_state": 0}
    found = iso.auc_intervals(y, scores, counts=counts * 10**8, **options)
    plain = iso.auc_intervals(y, scores, counts=counts * 10**8)
    assert found.standard_error == pytest.approx(plain.standard_error, rel=0.1)
    assert found.estimate == plain.estimate
