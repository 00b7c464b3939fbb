"""Confidence intervals and paired tests for AUCs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import (
    ConflictPairs,
    FloatArray,
    GroupWeight,
    Items,
    LossAggregation,
    Objective,
    as_generator,
    as_scores,
    check_choice,
    check_count,
    check_lengths,
    check_level,
    warn_undefined,
)
from isonomy._counting import Influence, Ranking
from isonomy._infra import warn_user
from isonomy._metrics.aucs import square
from isonomy._metrics.bootstrap import draws_covariance, resampled_ratios
from isonomy._metrics.bounds import bounds
from isonomy._metrics.p_values import joint_p_value, normal_quantile, two_sided

# Confidence level of all intervals and tests, unless the user says otherwise.
DEFAULT_LEVEL = 0.95
# Below this many items in a class (or groups) intervals are too short: see the docs.
FEW = 30


@dataclass(frozen=True, eq=False)
class AUCIntervals:
    """AUCs with confidence intervals.

    Attributes
    ----------
    estimate, low, high : ndarray or float
        One entry per label (or per pair of labels, as a matrix); floats for an objective.
    covariance : ndarray
        Covariance of the estimates; for conflict AUCs that of the pairs k < l, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> y = np.arange(100) % 2
    >>> found = iso.auc_intervals(y, np.sin(np.arange(100)) + y, objective=iso.OneLabel(0))
    >>> round(found.low, 3), round(found.estimate, 3), round(found.high, 3)
    (0.731, 0.824, 0.89)
    """

    estimate: FloatArray | float
    low: FloatArray | float
    high: FloatArray | float
    covariance: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Square roots of the covariance's diagonal."""
        return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True, eq=False)
class ScoreComparison:
    """Paired comparison of two scores on the same rows.

    Attributes
    ----------
    difference, low, high : ndarray or float
        AUC of the first score less that of the second, with its interval.
    p_value : ndarray or float
        Two-sided p-value of each difference.
    joint_p_value : float
        p-value that all differences are 0 (Wald test with the joint covariance).
    covariance : ndarray
        Covariance of the differences.

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


def auc_intervals(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    objective: Objective | None = None,
    level: float = DEFAULT_LEVEL,
    method: Literal["delong", "bootstrap"] = "delong",
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> AUCIntervals:
    """AUCs of one score with confidence intervals, for all labels jointly.

    Labels share rows, so their AUCs are correlated: the covariance says how.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    y_score : array-like of shape (n,)
        Scores; higher ranks first.
    objective : objective, optional
        None: one AUC per label. Otherwise that objective's AUC.
    level : float
        Confidence level.
    method : {"delong", "bootstrap"}
        "delong": from the influence of each item, or of each group where `groups` are
        given, on the logit scale, so that intervals stay within [0, 1].
        "bootstrap": percentiles over resampled items, or groups.
    n_resamples : int
        Number of bootstrap samples.
    random_state : int or numpy Generator, optional
        Seed of the bootstrap.
    sample_weight, groups, group_weight
        As in `auc`. Weights are taken as importance weights (robust variance).

    Returns
    -------
    AUCIntervals

    Notes
    -----
    An estimate of exactly 1 (or 0) has no spread. Then the bound is one-sided: at an
    AUC of A, m pairs without a common item are all in order with probability A^m at
    most, so the lower bound is (1 - level)^(1/m). With fewer than 30 items in a class
    intervals tend to be too short; a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((500, 2)) < [0.4, 0.2]
    >>> score = Y @ [1.0, 0.5] + rng.normal(size=500)
    >>> found = iso.auc_intervals(Y, score)
    >>> bool((found.low < found.estimate).all() and (found.estimate < found.high).all())
    True
    """
    check_level(level)
    check_choice("method", method, ("delong", "bootstrap"))
    check_count("n_resamples", n_resamples, least=2)
    rng = as_generator(random_state)
    target = LossAggregation() if objective is None else objective
    items = Items.checked(
        Y, y_score=y_score, sample_weight=sample_weight, groups=groups, group_weight=group_weight
    )
    preferences = items.preferences(target)
    influence = Influence(Ranking(preferences, items.scores, indexed=method == "bootstrap"))
    draws = None
    if method == "bootstrap":
        draws = resampled_ratios(influence, n_resamples, rng)
    if objective is None:
        warn_undefined(preferences, influence.ratios)
        return AUCIntervals(*_ratio_intervals(influence, draws, level))
    return _mixed_interval(influence, draws, level)


def conflict_intervals(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    level: float = DEFAULT_LEVEL,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> AUCIntervals:
    """Conflict AUCs with confidence intervals: does one label rule over another?

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    y_score, level, sample_weight, groups, group_weight
        As in `auc_intervals`.

    Returns
    -------
    AUCIntervals
        With matrices (K, K) as in `conflict_aucs`, and the covariance of the pairs
        k < l, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((500, 2)) < 0.4
    >>> found = iso.conflict_intervals(Y, Y @ [2.0, 1.0] + rng.normal(size=500))
    >>> bool(found.low[0, 1] > 0.5)
    True
    """
    check_level(level)
    items = Items.checked(
        Y, y_score=y_score, sample_weight=sample_weight, groups=groups, group_weight=group_weight
    )
    preferences = items.preferences(ConflictPairs())
    influence = Influence(Ranking(preferences, items.scores))
    warn_undefined(preferences, influence.ratios)
    estimate, low, high, covariance = _ratio_intervals(influence, None, level)
    # Seen from the other label the bounds change places.
    k = items.labels.n_labels
    return AUCIntervals(
        square(estimate, 1.0 - estimate, k),
        square(low, 1.0 - high, k),
        square(high, 1.0 - low, k),
        covariance,
    )


def compare_scores(
    Y: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    objective: Objective | None = None,
    level: float = DEFAULT_LEVEL,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> ScoreComparison:
    """Paired test of two scores on the same rows, per label and jointly.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    score_a, score_b : array-like of shape (n,)
        The two scores.
    objective : objective, optional
        None: one difference per label. Otherwise that objective's difference.
    level, sample_weight, groups, group_weight
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
    target = LossAggregation() if objective is None else objective
    second = as_scores(score_b, name="score_b")
    items = Items.checked(
        Y,
        y_score=score_a,
        score_name="score_a",
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    check_lengths(score_a=items.scores, score_b=second)
    preferences = items.preferences(target)
    a, b = (
        Influence(Ranking(preferences, scores, indexed=True)) for scores in (items.scores, second)
    )
    difference, psi = _paired(a, b, mixed=objective is not None)
    covariance = psi.T @ psi
    error = np.sqrt(np.diag(covariance))
    # Without spread there is no telling how far a difference may be off.
    known = (error > 0) | ((error == 0) & (difference == 0))
    reach = np.where(known, normal_quantile(level) * error, np.nan)

    def shaped(values: FloatArray) -> FloatArray | float:
        return values if objective is None else float(values[0])

    return ScoreComparison(
        difference=shaped(difference),
        low=shaped(np.maximum(difference - reach, -1.0)),
        high=shaped(np.minimum(difference + reach, 1.0)),
        p_value=shaped(two_sided(difference, error)),
        joint_p_value=joint_p_value(difference, covariance),
        covariance=covariance,
    )


def _paired(a: Influence, b: Influence, *, mixed: bool) -> tuple[FloatArray, FloatArray]:
    """Differences of two scorers, per ratio or of the mix, and each unit's influence on them."""
    preferences = a.ranking.preferences
    mix = preferences.mix
    if not mixed:
        warn_undefined(preferences, a.ratios)
        _warn_small(a, np.ones(a.ratios.size, bool))
        return a.ratios - b.ratios, a.rows() - b.rows()
    difference = mix.value(a.ratios) - mix.value(b.ratios)
    if np.isnan(difference):
        warn_undefined(preferences, a.ratios)
    else:
        _warn_small(a, mix.slope(a.ratios) != 0)
    return np.array([difference]), (_mixed_rows(a) - _mixed_rows(b))[:, None]


def _ratio_intervals(
    influence: Influence, draws: FloatArray | None, level: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Estimate, bounds and covariance of each ratio."""
    _warn_small(influence, np.ones(influence.ratios.size, bool))
    covariance = influence.covariance() if draws is None else draws_covariance(draws)
    error = np.sqrt(np.diag(covariance))
    low, high = bounds(influence.ratios, error, influence.independent_pairs, level, draws)
    return influence.ratios, low, high, covariance


def _mixed_interval(influence: Influence, draws: FloatArray | None, level: float) -> AUCIntervals:
    """The interval of the objective's value, by the delta method."""
    preferences = influence.ranking.preferences
    mix = preferences.mix
    estimate = np.array([mix.value(influence.ratios)])
    if np.isnan(estimate[0]):
        warn_undefined(preferences, influence.ratios)
        return AUCIntervals(np.nan, np.nan, np.nan, np.full((1, 1), np.nan))
    slope = mix.slope(influence.ratios)
    used = slope != 0
    _warn_small(influence, used)
    if draws is None:
        slope = slope[used]
        covariance = np.atleast_2d(slope @ influence.covariance()[np.ix_(used, used)] @ slope)
    else:
        draws = np.array([[mix.value(ratios)] for ratios in draws])
        covariance = draws_covariance(draws)
    pairs = influence.independent_pairs[used].min(keepdims=True, initial=np.inf)
    low, high = bounds(estimate, np.sqrt(covariance[0]), pairs, level, draws)
    return AUCIntervals(float(estimate[0]), float(low[0]), float(high[0]), covariance)


def _mixed_rows(influence: Influence) -> FloatArray:
    """Influence of each unit on the objective's value."""
    slope = influence.ranking.preferences.mix.slope(influence.ratios)
    used = slope != 0
    return np.asarray(influence.rows()[:, used] @ slope[used])


def _warn_small(influence: Influence, used: NDArray[np.bool_]) -> None:
    small = used & (influence.smaller_class < FEW) & ~np.isnan(influence.ratios)
    if not small.any():
        return
    preferences = influence.ranking.preferences
    size = int(influence.smaller_class[small].min())
    what = (
        f"groups with pairs ({size})" if influence.ranking.grouped else f"items in a class ({size})"
    )
    where = ""
    if preferences.names is not None and not preferences.mix.pooled:
        listed = [repr(preferences.names[int(r)]) for r in np.flatnonzero(small)]
        where = f" for {', '.join(listed)}"
    warn_user(f"Fewer than {FEW} {what}{where}: such intervals tend to be too short.")
