"""The top of the ranking, against item by item and order by order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy._audit.top import FRACTIONS
from isonomy._metrics import normal_quantile
from tests.audit.data import made
from tests.audit.oracles import top_share, top_share_by_orders, wilson_by_search
from tests.strategies import Problem, problems


@settings(max_examples=60)
@given(problems(items=(1, 20), labels=(1, 3)))
def test_share_and_recall_item_by_item(problem: Problem) -> None:
    found = iso.audit(problem.Y, problem.scores, **problem.options)
    for k, label in enumerate(found.labels):
        assert [top.fraction for top in label.top] == list(FRACTIONS)
        for top in label.top:
            share, recall = top_share(
                problem.Y[:, k],
                problem.scores,
                Fraction(str(top.fraction)),
                problem.sample_weight,
                problem.groups,
            )
            assert top.share.value == pytest.approx(share, abs=1e-9, nan_ok=True)
            assert top.recall == pytest.approx(recall, abs=1e-9, nan_ok=True)
            if label.prior.value > 0:
                lift = share / label.prior.value
                assert top.lift == pytest.approx(lift, abs=1e-9, nan_ok=True)
            if not np.isnan(top.share.low):
                assert 0 <= top.share.low <= top.share.value <= top.share.high <= 1


@given(
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
)
def test_ties_at_the_border_as_over_all_orders(y: list[int], scores: list[int]) -> None:
    labels, values = np.array(y), np.array(scores, dtype=float)
    found = iso.audit(labels, values).labels[0].top
    # The top 20% of five items is one item.
    assert found[-1].share.value == pytest.approx(top_share_by_orders(labels, values, 1))


def test_a_tied_score_has_the_prior_everywhere() -> None:
    Y, score = made()
    found = iso.audit(Y, np.zeros_like(score))
    for label in found.labels:
        for top in label.top:
            assert top.share.value == pytest.approx(label.prior.value)
            assert top.lift == pytest.approx(1)
            assert top.recall == pytest.approx(top.fraction)
            # All rows tell of it, as they do of the prior.
            assert top.share.low == pytest.approx(label.prior.low)


def test_whole_numbers_of_rows_are_plain_counts() -> None:
    Y, score = made(n=4000)
    first = np.argsort(-score)
    for label, y in zip(iso.audit(Y, score).labels, Y.T, strict=True):
        for top in label.top:
            size = round(4000 * top.fraction)
            share = y[first[:size]].mean()
            assert top.share.value == pytest.approx(share)
            # Binomial, and the cut that another sample would put elsewhere.
            at_cut = y[first[3 * size // 4 : 5 * size // 4]].mean()
            variance = share * (1 - share) + (1 - top.fraction) * (at_cut - share) ** 2
            alike = size * share * (1 - share) / variance
            low, high = wilson_by_search(share, alike, normal_quantile(0.95))
            assert top.share.low == pytest.approx(low, abs=2e-6)
            assert top.share.high == pytest.approx(high, abs=2e-6)


def test_equal_weights_change_nothing() -> None:
    Y, score = made(ties=True, missing=True)
    plain = iso.audit(Y, score)
    for weight in (np.full(len(Y), 3.0), np.full(len(Y), 0.1)):
        weighted = iso.audit(Y, score, sample_weight=weight)
        for a, b in zip(plain.labels, weighted.labels, strict=True):
            for x, y in zip(a.top, b.top, strict=True):
                assert x.share.value == pytest.approx(y.share.value)
                assert x.share.low == pytest.approx(y.share.low)


def test_unequal_weights_widen_the_interval() -> None:
    Y, score = made(n=2000)
    weight = np.where(np.random.default_rng(0).random(2000) < 0.1, 20.0, 1.0)
    plain, weighted = (
        iso.audit(Y, score, sample_weight=w).labels[0].top[-1].share for w in (None, weight)
    )
    assert weighted.high - weighted.low > 1.5 * (plain.high - plain.low)


def test_groups_whose_rows_are_alike_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 20)
    y = (rng.random(100) < 0.4)[groups] ^ (rng.random(2000) < 0.02)
    score = rng.normal(size=2000)
    by_group = iso.audit(y, score, groups=groups).labels[0].top[-1].share
    alone = iso.audit(y, score).labels[0].top[-1].share
    # Four rows of each group are as good as one.
    assert by_group.high - by_group.low == pytest.approx(2 * (alone.high - alone.low), rel=0.25)


def test_coverage_of_the_top_share() -> None:
    """Within simulation error of 95%, with the cut itself estimated."""
    hits = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        u = rng.random(1000)
        # Of the highest tenth of u a share of 0.65 is positive on average.
        y = rng.random(1000) < 0.2 + 0.45 * (u > 0.9)
        share = iso.audit(y, u).labels[0].top[2].share
        hits += share.low <= 0.65 <= share.high
    assert 0.92 <= hits / 250 <= 0.985
