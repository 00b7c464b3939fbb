"""Verdicts on pairs of labels."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import judge_conflict, label_verdict_of, verdict_of

KNOWN = Estimate(0.7, 0.65, 0.75, 0.02)
UNKNOWN = Estimate(0.52, 0.48, 0.56, 0.02)
NAN = float("nan")


def between(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 0.01)


@pytest.mark.parametrize(
    ("won", "loser", "units", "verdict"),
    [
        (between(0.91, 0.99), KNOWN, 100, "dictated"),
        (between(0.9, 0.99), KNOWN, 100, "leaning"),
        (between(0.501, 0.52), KNOWN, 100, "leaning"),
        (between(0.91, 0.99), UNKNOWN, 100, "not predicted"),
        (between(0.6, 0.7), UNKNOWN, 100, "not predicted"),
        (between(0.6, 0.7), Estimate(0.4, 0.3, 0.45, 0.02), 100, "leaning"),
        (between(0.91, 0.99), Estimate(0.4, 0.3, 0.45, 0.02), 100, "dictated"),
        (between(0.91, 0.99), Estimate(0.45, 0.4, 0.5, 0.02), 100, "not predicted"),
        (between(0.6, 0.7), Estimate(NAN, NAN, NAN, NAN), 100, "not predicted"),
        (between(0.5, 0.6), KNOWN, 100, "balanced"),
        (between(0.45, 0.66), KNOWN, 100, "balanced"),
        (between(0.45, 0.6), UNKNOWN, 100, "balanced"),
        (between(0.4, 0.67), KNOWN, 100, "undecided"),
        (between(0.95, 0.99), KNOWN, 9, "undecided"),
        (between(0.95, 0.99), KNOWN, 10, "dictated"),
        (Estimate(NAN, NAN, NAN, NAN), KNOWN, 100, "undecided"),
        (Estimate(0.9, NAN, NAN, NAN), KNOWN, 100, "undecided"),
    ],
)
def test_verdict(won: Estimate, loser: Estimate, units: int, verdict: str) -> None:
    assert verdict_of((won.low, won.high), (loser.low, loser.high), units) == verdict


def test_the_loser_may_be_either_label() -> None:
    low = judge_conflict(("a", "b"), between(0.01, 0.09), (KNOWN, UNKNOWN), (50, 60), 50)
    assert (low.verdict, low.winner, low.loser) == ("dictated", "b", "a")
    assert low.won.low == pytest.approx(0.91)
    high = judge_conflict(("a", "b"), between(0.91, 0.99), (KNOWN, UNKNOWN), (50, 60), 50)
    assert (high.verdict, high.winner, high.loser) == ("not predicted", "a", "b")
    even = judge_conflict(("a", "b"), between(0.45, 0.55), (KNOWN, KNOWN), (50, 60), 50)
    assert (even.verdict, even.winner, even.loser) == ("balanced", None, None)


@pytest.fixture(scope="module")
def log() -> iso.datasets.SearchLog:
    return iso.datasets.make_search_log()


def test_loss_aggregation_makes_the_rare_label_a_dictator(log: iso.datasets.SearchLog) -> None:
    score = iso.theory.bayes_scores(log.eta, iso.LossAggregation())
    found = iso.audit(log.Y, score, names=["relevant", "recent"])
    (conflict,) = found.dictated
    assert (conflict.winner, conflict.loser) == ("recent", "relevant")


def test_a_score_that_knows_one_label_only(log: iso.datasets.SearchLog) -> None:
    rng = np.random.default_rng(0)
    Y = np.column_stack([log.Y[:, 0], rng.random(len(log.Y)) < 0.3])
    (conflict,) = iso.audit(Y, log.eta[:, 0], names=["relevant", "noise"]).conflicts
    assert (conflict.verdict, conflict.loser) == ("not predicted", "noise")


def test_a_score_that_works_against_a_label_lets_the_other_dictate() -> None:
    Y = np.repeat([[1, 0], [0, 1], [0, 0]], [300, 300, 400], axis=0)
    found = iso.audit(Y, Y[:, 0] - 0.5 * Y[:, 1], names=["click", "buy"])
    assert [(each.winner, each.loser) for each in found.dictated] == [("click", "buy")]
    assert "click dictates to buy" in found.summary()
    assert found.failures(dictator=True)


def test_symmetric_labels_are_balanced() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((5000, 2)) < 0.3
    (conflict,) = iso.audit(Y, Y.sum(axis=1) + rng.normal(size=5000)).conflicts
    assert conflict.verdict == "balanced"


def test_labels_that_cannot_disagree_have_no_conflict() -> None:
    y = np.random.default_rng(0).random(200) < 0.5
    found = iso.audit(np.column_stack([y, y]), np.arange(200.0))
    assert found.conflicts[0].verdict == "no conflict"
    assert found.conflicts[0].relation == "same"
    few = iso.audit(np.column_stack([y, y])[:6], np.arange(6.0))
    assert (few.conflicts[0].verdict, few.conflicts[0].relation) == ("undecided", "free")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.501, 0.6, "above chance"),
        (0.5, 0.6, "not above chance"),
        (0.48, 0.52, "not above chance"),
        (0.4, 0.5, "not above chance"),
        (0.4, 0.499, "backwards"),
        (NAN, NAN, "undefined"),
    ],
)
def test_a_labels_own_verdict(low: float, high: float, verdict: str) -> None:
    assert label_verdict_of(low, high) == verdict
