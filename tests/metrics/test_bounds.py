"""Bounds of AUCs: Wilson's with a shrunk spread against plain loops, and the older ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import isonomy as iso
from isonomy._metrics import bounds, logit_bounds, normal_quantile, wilson
from isonomy._metrics.bounds import one_sided_ends, percentile_bounds, plain_bounds
from tests.strategies import NASTY, score_arrays

LEVELS = (0.8, 0.9, 0.95, 0.99)


def placements(mine: Sequence[float], others: Sequence[float]) -> list[float]:
    """The share of the others that each outranks, ties 1/2."""
    return [sum((a > b) + 0.5 * (a == b) for b in others) / len(others) for a in mine]


def variance(values: Sequence[float], centre: float) -> float:
    return sum((value - centre) ** 2 for value in values) / (len(values) - 1)


def shrunk_wilson(y: Sequence[int], scores: Sequence[float], level: float) -> tuple[float, float]:
    """The interval from its definition: one label, items that count the same."""
    positives = [s for s, label in zip(scores, y, strict=True) if label]
    negatives = [s for s, label in zip(scores, y, strict=True) if not label]
    m, n = len(positives), len(negatives)
    above = placements(positives, negatives)
    below = [1 - share for share in placements(negatives, positives)]
    auc = sum(above) / m
    q = auc * (1 - auc)
    z = float(stats.norm.ppf((1 + level) / 2))
    k = bounds.PRIOR * z**2
    v, f = [], []
    for values, size in ((above, m), (below, n)):
        w = 4 * q * (size - 1)
        ratio = variance(values, auc) / q if q > 0 and size > 1 else 0.0
        v.append((w * ratio + k * bounds.EVEN) / (w + k) / size)
        f.append(size - 1 + bounds.PRIOR_FREEDOM)
    N = 1 / sum(v)
    t = float(stats.t.ppf((1 + level) / 2, sum(v) ** 2 / (v[0] ** 2 / f[0] + v[1] ** 2 / f[1])))
    step = 2 * bounds.STEP / min(m, n) / (1 + q * min(m, n) / bounds.FADES)
    low = solve_wilson(max(auc - (1 - auc) * step, 0.0), N, t)[0]
    high = solve_wilson(min(auc + auc * step, 1.0), N, t)[1]
    return min(low, auc), max(high, auc)


def solve_wilson(share: float, N: float, t: float) -> tuple[float, float]:
    """All p with (share - p)^2 <= t^2 p (1 - p) / N: between the roots of a quadratic."""
    a, b, c = 1 + t**2 / N, -(2 * share + t**2 / N), share**2
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return max((-b - root) / (2 * a), 0.0), min((-b + root) / (2 * a), 1.0)


def interval(y: object, scores: object, level: float = 0.95) -> tuple[float, float, float]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Only")
        found = iso.auc_intervals(y, scores, level=level)
    return float(found.low[0]), float(found.estimate[0]), float(found.high[0])


# Wilson's, with what the spread is worth.


@given(st.data(), st.integers(1, 7), st.integers(1, 7), st.sampled_from(LEVELS))
def test_shrunk_wilson_is_its_definition(
    data: st.DataObject, positives: int, negatives: int, level: float
) -> None:
    """Ties, both zeros, neighbours of one ulp, infinities; down to one item in a class."""
    y = data.draw(st.permutations([1] * positives + [0] * negatives))
    scores = data.draw(score_arrays(len(y)))
    low, _, high = interval(y, scores, level)
    expected = shrunk_wilson(y, scores.tolist(), level)
    # The quadratic's roots lose half of the digits where they meet.
    assert (low, high) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("seed", range(5))
def test_shrunk_wilson_of_more_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(150) < 0.2
    scores = np.round(y + rng.normal(size=150), 1)
    for level in LEVELS:
        low, _, high = interval(y, scores, level)
        assert (low, high) == pytest.approx(shrunk_wilson(y, scores.tolist(), level), abs=1e-10)


def test_any_type_of_scores_gives_the_same() -> None:
    rng = np.random.default_rng(0)
    scores = rng.choice(np.array(NASTY[:9], np.float32), 40)
    y = rng.random(40) < 0.4
    frozen = scores.astype(float)
    frozen.flags.writeable = False
    expected = interval(y, scores)
    assert expected == interval(y, frozen) == interval(y.astype(float), frozen.tolist())
    assert expected[0::2] == pytest.approx(shrunk_wilson(y, scores.tolist(), 0.95), abs=1e-10)


@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from(LEVELS))
def test_nothing_jumps_at_the_ends(positives: int, negatives: int, level: float) -> None:
    """All pairs right against one pair tied: the bounds differ by little, the right way."""
    y = np.repeat([1, 0], [positives, negatives])
    scores = np.where(y == 1, 3.0, 1.0)
    low, auc, high = interval(y, scores, level)
    assert auc == high == 1
    scores[[0, -1]] = 2.0
    tied_low, tied, tied_high = interval(y, scores, level)
    assert tied < 1
    assert 0 < tied_low <= low < 1
    assert tied_high <= 1
    pair = 1 / min(positives, negatives)
    assert low - tied_low <= pair
    # The mirror image has the mirrored bounds.
    assert interval(1 - y, scores, level) == pytest.approx(
        (1 - tied_high, 1 - tied, 1 - tied_low), abs=1e-12
    )


def test_a_perfect_score_is_surer_than_one_with_a_wrong_pair() -> None:
    """10 against 190: by DeLong's logits [.741, 1] against [.992, 1]."""
    y = np.arange(200) < 10
    perfect, wrong = -np.arange(200.0), -np.arange(200.0)
    wrong[[9, 10]] = wrong[[10, 9]]
    assert iso.auc(y, wrong) == 1 - 1 / 1900
    best, worse = interval(y, perfect), interval(y, wrong)
    assert worse[0] < best[0] < 1
    assert best[0] - worse[0] < 0.01


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("positives", [1, 2, 5, 30])
def test_nothing_jumps_where_positives_share_a_score(positives: int, level: float) -> None:
    """One of them moved by an ulp, past nobody or past one negative that was tied."""
    negatives = np.arange(60.0)
    shared = 40.0
    y = np.repeat([1, 0], [positives, 60])
    scores = np.concatenate([np.full(positives, shared), negatives])
    low, auc, high = interval(y, scores, level)
    assert 0 < low < auc < high < 1
    scores[0] = np.nextafter(shared, 99.0)
    moved = interval(y, scores, level)
    assert moved == pytest.approx((low, auc, high), abs=0.02 / positives)
    assert moved[1] > auc
    assert moved[0] >= low
    assert moved[2] >= high


@given(st.data(), st.integers(1, 6), st.integers(1, 6))
def test_an_auc_always_has_bounds(data: st.DataObject, positives: int, negatives: int) -> None:
    y = np.repeat([1, 0], [positives, negatives])
    scores = data.draw(score_arrays(y.size))
    weight = data.draw(
        st.lists(st.sampled_from([0.1, 1.0, 30.0]), min_size=y.size, max_size=y.size)
    )
    cluster = data.draw(st.lists(st.integers(0, 3), min_size=y.size, max_size=y.size))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Only")
        for options in (
            {},
            {"sample_weight": weight},
            {"clusters": cluster},
            {"objective": iso.LabelAggregation()},
            {"objective": iso.WorstLabel(), "clusters": cluster, "sample_weight": weight},
            {"groups": np.zeros(y.size)},
        ):
            found = iso.auc_intervals(y, scores, **options)
            low, high, auc = (np.ravel(x)[0] for x in (found.low, found.high, found.estimate))
            assert 0 <= low <= auc <= high <= 1
            assert low < high


def test_no_pairs_no_bounds() -> None:
    with pytest.warns(UserWarning, match="No pair of items to compare"):
        found = iso.auc_intervals(np.ones(9), np.arange(9))
    assert np.isnan([found.estimate[0], found.low[0], found.high[0]]).all()


def test_more_data_tells_more() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.3
    scores = y + rng.normal(size=60)
    lengths = [
        np.ptp(interval(np.tile(y, times), np.tile(scores, times))[0::2]) for times in (1, 2, 4, 16)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[3] == pytest.approx(lengths[2] / 2, rel=0.05)


def test_with_much_data_it_is_delongs() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.4
    scores = y + rng.normal(size=y.size)
    low, _, high = interval(y, scores)
    plain = iso.auc_intervals(y, scores, method="delong")
    assert (low, high) == pytest.approx((plain.low[0], plain.high[0]), abs=1e-4)
    assert high - low == pytest.approx(plain.high[0] - plain.low[0], rel=0.01)


# The others.


@given(st.integers(0, 1000), st.floats(0.5, 1e4), st.floats(0.1, 5))
def test_wilson(thousandths: int, size: float, reach: float) -> None:
    share = thousandths / 1000
    low, high = (float(x[0]) for x in wilson(np.array([share]), np.array([size]), reach))
    assert 0 <= low <= share + 1e-15
    assert share - 1e-15 <= high <= 1
    for p in (low, high):
        # So many standard errors away, unless at the end of the range.
        if 0 < p < 1:
            distance = abs(share - p) / math.sqrt(p * (1 - p) / size)
            assert distance == pytest.approx(reach, rel=1e-4, abs=1e-4)
    assert (low == 0) == (share == 0)
    assert (high == 1) == (share == 1)


def test_plain_bounds_are_cut() -> None:
    low, high = plain_bounds(np.array([0.5, 0.97, 0.02, np.nan]), np.full(4, 0.1), 0.9)
    reach = 0.1 * normal_quantile(0.9)
    assert low == pytest.approx([0.5 - reach, 0.97 - reach, 0, np.nan], nan_ok=True)
    assert high == pytest.approx([0.5 + reach, 1, 0.02 + reach, np.nan], nan_ok=True)


def test_bounds_are_symmetric_on_the_logit_scale() -> None:
    estimate, error = np.array([0.5, 0.9, 0.99]), np.array([0.1, 0.05, 0.02])
    low, high = logit_bounds(estimate, error, 0.9)
    reach = normal_quantile(0.9) * error / (estimate * (1 - estimate))
    assert special.logit(high) - special.logit(estimate) == pytest.approx(reach)
    assert special.logit(estimate) - special.logit(low) == pytest.approx(reach)
    assert ((low > 0) & (high < 1)).all()


def test_ends_are_one_sided() -> None:
    """At an AUC of A, m pairs without a common item are all in order with probability A^m."""
    estimate, pairs = np.array([1.0, 0.0, 0.5, np.nan]), np.array([10.0, 10.0, 10.0, 0.0])
    error = np.array([0.0, 0.0, 0.1, np.nan])
    found = logit_bounds(estimate, error, 0.95)
    low, high = one_sided_ends(estimate, found, pairs, 0.95)
    assert (low[0] ** 10, high[0]) == (pytest.approx(0.05), 1)
    assert (low[1], (1 - high[1]) ** 10) == (0, pytest.approx(0.05))
    assert (low[2], high[2]) == (found[0][2], found[1][2])
    assert np.isnan([low[3], high[3]]).all()
    few = np.array([1.0, 0.5, 2.0])
    low, high = one_sided_ends(np.ones(3), (np.ones(3), np.ones(3)), few, 0.95)
    assert low == pytest.approx([0.05, 0.05, 0.05**0.5])


def test_draws_give_percentiles_of_what_they_define() -> None:
    draws = np.column_stack([np.linspace(0.4, 0.6, 101), np.full(101, np.nan)])
    draws[::10, 0] = np.nan
    low, high = percentile_bounds(draws, 0.9)
    assert [low[0], high[0]] == pytest.approx(np.nanquantile(draws[:, 0], [0.05, 0.95]))
    assert np.isnan([low[1], high[1]]).all()
    assert np.isnan(percentile_bounds(np.full((3, 2), np.nan), 0.9)).all()
