"""Audits of rows with counts, and of rows that vary together."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import isonomy as iso
from isonomy._metrics import FEWEST_MISRANKED
from tests.audit.data import made, options

MILDEST_FIRST = ["balanced", "undecided", "leaning", "dictated"]


def numbers(found: Any) -> list[float]:
    """All numbers of an audit's JSON, in order."""
    if isinstance(found, dict):
        return [x for each in found.values() for x in numbers(each)]
    if isinstance(found, list):
        return [x for each in found for x in numbers(each)]
    return [float(found)] if isinstance(found, int | float) else []


@pytest.mark.parametrize("kind", ["plain", "weights", "groups", "equal groups", "clusters"])
@pytest.mark.parametrize("by", [False, True])
@pytest.mark.parametrize("least", [0, 1])
def test_counts_are_rows_written_out(kind: str, by: bool, least: int) -> None:
    Y, score = made(n=200, missing=True, ties=True)
    counts = np.random.default_rng(0).integers(least, 4, 200)
    more = {"clusters": np.arange(200) // 4} if kind == "clusters" else options(kind, 200)
    if by:
        more["by"] = np.arange(200) // 4 % 2
    rows = np.repeat(np.arange(200), counts)
    long = {k: v[rows] if isinstance(v, np.ndarray) else v for k, v in more.items()}
    found = iso.audit(Y, score, counts=counts, **more).to_dict()
    expected = iso.audit(Y[rows], score[rows], **long).to_dict()
    assert numbers(found) == pytest.approx(numbers(expected), rel=1e-10, abs=1e-12)
    assert found["n_rows"] == counts.sum()
    assert found["notes"] == expected["notes"]
    assert [c["verdict"] for c in found["conflicts"]] == [
        c["verdict"] for c in expected["conflicts"]
    ]


def test_clusters_make_wider_intervals_and_go_through_json() -> None:
    Y, score = made(n=300)
    rows = np.repeat(np.arange(300), 4)
    naive = iso.audit(Y[rows], score[rows])
    found = iso.audit(Y[rows], score[rows], clusters=rows)
    for a, b in zip(naive.labels, found.labels, strict=True):
        for name in ("auc", "prior", "effective_weight"):
            one, other = getattr(a, name), getattr(b, name)
            assert one.value == pytest.approx(other.value)
            assert other.high - other.low > 1.5 * (one.high - one.low)
    again = iso.Audit.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again.to_dict() == found.to_dict()


def test_a_verdict_never_gets_milder_when_the_winner_wins_more() -> None:
    """One item at a time from a balance to a dictatorship, past all others."""
    rng = np.random.default_rng(0)
    Y = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [40, 40, 30, 120], axis=0)
    score = 3.0 * Y.sum(axis=1) + rng.normal(size=len(Y))
    strength, low = -1, 0.0
    for i in range(41):
        found = iso.audit(Y, score).conflicts[0]
        assert found.auc.low >= low - 1e-12
        low = found.auc.low
        if found.auc.value >= 0.5 and found.verdict != "not predicted":
            now = MILDEST_FIRST.index(found.verdict)
            assert now >= strength
            strength = now
        if i < 40:
            score[i] += 3.0
    assert found.verdict == "dictated"


def test_segments_are_screened_by_misranked_items() -> None:
    """Of 35 in the smaller class hardly any is misranked at .99, many are at .7."""
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(200) < 35, 2)
    by = np.repeat(["a", "b"], 200)
    noise = rng.normal(size=400)
    good, poor = (iso.audit(y, pull * y + noise, by=by) for pull in (3.5, 0.8))
    assert 35 * (1 - good.aucs[0]) < FEWEST_MISRANKED < 35 * (1 - poor.aucs[0])
    assert good.segment_tests == ()
    assert len(poor.segment_tests) == 1


def test_an_audit_never_warns_of_few() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = iso.audit([1, 0, 0, 0], [1, 2, 3, 4], clusters=[0, 1, 2, 2])
    assert any("may not hold" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["groups", "clusters", "by"])
def test_what_no_item_is_in_is_not_there(kind: str) -> None:
    """A group, cluster or segment of rows with count 0."""
    Y, score = made(n=300)
    counts = np.repeat([1, 0], [240, 60])
    of_row = np.arange(300) // 10 if kind != "by" else np.arange(300) // 60
    found = iso.audit(Y, score, counts=counts, **{kind: of_row})
    expected = iso.audit(Y[:240], score[:240], **{kind: of_row[:240]})
    assert numbers(found.to_dict()) == pytest.approx(numbers(expected.to_dict()), rel=1e-10)
    assert [each.name for each in found.segments] == [each.name for each in expected.segments]


def test_clusters_in_several_segments_are_noted() -> None:
    Y, score = made(n=300)
    user = np.arange(300) // 10
    assert not iso.audit(Y, score, clusters=user, by=user % 2).notes
    (note,) = iso.audit(Y, score, clusters=user, by=np.arange(300) % 2).notes
    assert note.startswith("Some clusters lie in more than one segment")


@pytest.mark.parametrize("kind", ["groups", "clusters"])
def test_shares_of_few_units_are_as_unsure_as_their_spread(kind: str) -> None:
    """Wilson's interval with t for as many degrees of freedom as units, less one."""
    Y, score = made(n=300)
    unit = np.arange(300) // 30
    prior = iso.audit(Y, score, **{kind: unit}).labels[0].prior
    reach, error = stats.t.ppf(0.975, 9), prior.standard_error
    size = prior.value * (1 - prior.value) / error**2
    middle = (prior.value + reach**2 / 2 / size) / (1 + reach**2 / size)
    assert (prior.low + prior.high) / 2 == pytest.approx(middle)
    half = reach * np.sqrt(error**2 + reach**2 / 4 / size**2) / (1 + reach**2 / size)
    assert (prior.high - prior.low) / 2 == pytest.approx(half)
