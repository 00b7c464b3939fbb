"""Tests of whether two scores, or one score on two samples of rows, have the same AUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    LossAggregation,
    Objective,
    as_scores,
    check_choice,
    check_level,
    check_row_counts,
    check_same_index,
    warn_undefined,
)
from isonomy._counting import Influence
from isonomy._metrics.p_values import DEFAULT_LEVEL, joint_p_value, t_quantile, two_sided
from isonomy._metrics.small_samples import warn_few


@dataclass(frozen=True, eq=False)
class ScoreComparison:
    """Two scores on the same rows, or AUCs of two samples of rows.

    Attributes
    ----------
    difference, low, high : ndarray or float
        AUC of the first less that of the second, with its interval.
    p_value : ndarray or float
        Two-sided p-value of each difference.
    joint_p_value : float
        p-value that all differences are 0 (Hotelling's test with the joint covariance).
    covariance : ndarray
        Covariance of the differences.
    freedom : ndarray
        Degrees of freedom of each test; infinite for z-tests.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> y = np.arange(100) % 2
    >>> found = iso.compare_scores(y, y + np.sin(np.arange(100)), np.cos(np.arange(100)))
    >>> bool(found.p_value[0] < 0.001)
    True
    """

    difference: FloatArray | float
    low: FloatArray | float
    high: FloatArray | float
    p_value: FloatArray | float
    joint_p_value: float
    covariance: FloatArray
    freedom: FloatArray


def compare_scores(
    Y: ArrayLike | Items,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    objective: Objective | None = None,
    level: float = DEFAULT_LEVEL,
    method: Literal["auto", "delong"] = "auto",
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
    clusters: ArrayLike | None = None,
) -> ScoreComparison:
    """Paired test of two scores on the same rows, per label and jointly.

    For two samples of rows see `AUCIntervals.versus`.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    score_a, score_b : array-like of shape (n,)
        The two scores.
    objective : objective, optional
        None: one difference per label. Otherwise that objective's difference.
    method : {"auto", "delong"}
        "auto": t-tests with the degrees of freedom that the differences of placements have
        (Satterthwaite), with groups one less than there are groups. "delong": z-tests, as
        pROC gives them; they reject too often where a class is small.
    level, sample_weight, counts, groups, group_weight, clusters
        As in `auc_intervals`.

    Returns
    -------
    ScoreComparison

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(500) < 0.4
    >>> good, bad = y + rng.normal(size=(2, 500)) * [[0.5], [2.0]]
    >>> found = iso.compare_scores(y, good, bad)
    >>> bool(found.difference[0] > 0 and found.p_value[0] < 0.001)
    True
    """
    check_level(level)
    check_choice("method", method, ("auto", "delong"))
    target = LossAggregation() if objective is None else objective
    second = as_scores(score_b, name="score_b")
    check_row_counts(Y=Y, score_a=score_a)
    check_row_counts(score_a=score_a, score_b=second)
    check_same_index(Y=Y, score_b=score_b)
    items = Items.checked(
        Y,
        y_score=score_a,
        score_name="score_a",
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
        clusters=clusters,
    )
    preferences = items.preferences(target)
    mix = preferences.mix
    a, b = (
        Influence.of(items, preferences, scores, indexed=True) for scores in (items.scores, second)
    )
    slopes: tuple[FloatArray | None, FloatArray | None] = (None, None)
    first, last, used = a.ratios, b.ratios, None
    if objective is not None:
        first, last = (np.array([mix.value(each.ratios)]) for each in (a, b))
        slopes = mix.slope(a.ratios), mix.slope(b.ratios)
        used = (slopes[0] != 0) | (slopes[1] != 0)
    difference = first - last
    if np.isnan(difference).any():
        warn_undefined(preferences, a.ratios)
    spread = a.difference(b, *slopes)
    # The score that misranks fewer is the one whose spread says less.
    better = np.where(np.abs(first - 0.5) > np.abs(last - 0.5), first, last)
    warn_few(a, better, spread, used, exact=method == "auto")
    freedom = spread.freedom if method == "auto" else np.full(difference.size, np.inf)
    return score_comparison(
        difference, spread.covariance, freedom, level, scalar=objective is not None
    )


def score_comparison(
    difference: FloatArray,
    covariance: FloatArray,
    freedom: FloatArray,
    level: float,
    *,
    scalar: bool,
) -> ScoreComparison:
    """Tests and intervals of differences with this covariance."""
    error = np.sqrt(np.diag(covariance))
    # Without spread there is no telling how far a difference may be off.
    known = (error > 0) | ((error == 0) & (difference == 0))
    reach = np.where(known, t_quantile(level, freedom) * error, np.nan)

    def shaped(values: FloatArray) -> FloatArray | float:
        return float(values[0]) if scalar else values

    return ScoreComparison(
        difference=shaped(difference),
        low=shaped(np.maximum(difference - reach, -1.0)),
        high=shaped(np.minimum(difference + reach, 1.0)),
        p_value=shaped(two_sided(difference, error, freedom)),
        joint_p_value=joint_p_value(difference, covariance, float(np.nanmin(freedom))),
        covariance=covariance,
        freedom=freedom,
    )
