"""Confidence intervals of AUCs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    ConflictPairs,
    FloatArray,
    GroupWeight,
    Items,
    LossAggregation,
    Objective,
    as_generator,
    check_choice,
    check_count,
    check_level,
    warn_undefined,
)
from isonomy._counting import Influence
from isonomy._metrics.aucs import square
from isonomy._metrics.bootstrap import draws_covariance, resampled_ratios
from isonomy._metrics.bounds import (
    logit_bounds,
    one_sided_ends,
    percentile_bounds,
    plain_bounds,
    shrunk_wilson,
)
from isonomy._metrics.p_values import DEFAULT_LEVEL
from isonomy._metrics.partial_aucs import check_max_fpr
from isonomy._metrics.partial_intervals import partial_intervals
from isonomy._metrics.score_tests import ScoreComparison, score_comparison
from isonomy._metrics.small_samples import warn_few

IntervalMethod: TypeAlias = Literal["auto", "delong", "delong-logit", "bootstrap"]
METHODS: tuple[IntervalMethod, ...] = ("auto", "delong", "delong-logit", "bootstrap")


@dataclass(frozen=True, eq=False)
class AUCIntervals:
    """AUCs (or, from `ndcg_intervals`, nDCGs) with confidence intervals.

    Attributes
    ----------
    estimate, low, high : ndarray or float
        One entry per label (or per pair of labels, as a matrix); floats for an objective.
    covariance : ndarray
        Covariance of the estimates; for conflict AUCs that of the pairs k < l, row by row.
    freedom : ndarray
        Degrees of freedom of the variances on its diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> y = np.arange(100) % 2
    >>> found = iso.auc_intervals(y, np.sin(np.arange(100)) + y, objective=iso.OneLabel(0))
    >>> round(found.low, 3), round(found.estimate, 3), round(found.high, 3)
    (0.729, 0.824, 0.891)
    """

    estimate: FloatArray | float
    low: FloatArray | float
    high: FloatArray | float
    covariance: FloatArray
    freedom: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Square roots of the covariance's diagonal."""
        return np.sqrt(np.diag(self.covariance))

    def versus(self, other: AUCIntervals, *, level: float = DEFAULT_LEVEL) -> ScoreComparison:
        """Unpaired test against the AUCs of other, independent rows.

        For two scores on the same rows `compare_scores` tells more.

        Parameters
        ----------
        other : AUCIntervals
            Of as many AUCs, from rows that have nothing to do with these.
        level : float
            Confidence level.

        Returns
        -------
        ScoreComparison
            This estimate less the other one: t-tests with Satterthwaite's degrees of freedom.

        Examples
        --------
        >>> import numpy as np
        >>> import isonomy as iso
        >>> rng = np.random.default_rng(0)
        >>> y, z = rng.random((2, 300)) < 0.4
        >>> before = iso.auc_intervals(y, y + rng.normal(size=300))
        >>> after = iso.auc_intervals(z, rng.normal(size=300))
        >>> bool(before.versus(after).p_value[0] < 0.001)
        True
        """
        check_level(level)
        alike = isinstance(other, AUCIntervals) and (
            np.atleast_1d(other.estimate).shape == np.atleast_1d(self.estimate).shape
        )
        if not alike:
            found = other._described() if isinstance(other, AUCIntervals) else repr(other)
            raise ValueError(
                f"Parameter `other` should hold {self._described()} with their intervals, as "
                f"`auc_intervals` and `conflict_intervals` give them. Found {found}."
            )
        upper = np.triu_indices(len(np.atleast_1d(self.estimate)), k=1)
        matrix = np.ndim(self.estimate) == 2
        mine, theirs = (
            np.atleast_1d(each.estimate)[upper] if matrix else np.atleast_1d(each.estimate)
            for each in (self, other)
        )
        variances = [np.diag(each.covariance) for each in (self, other)]
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = sum(variances) ** 2 / sum(
                v**2 / each.freedom for v, each in zip(variances, (self, other), strict=True)
            )
        return score_comparison(
            mine - theirs,
            self.covariance + other.covariance,
            np.where(freedom >= 1, freedom, 1.0),
            level,
            scalar=np.ndim(self.estimate) == 0,
        )

    def _described(self) -> str:
        """How many AUCs of which kind there are."""
        if np.ndim(self.estimate) == 2:
            return f"conflict AUCs of {len(np.atleast_1d(self.estimate))} labels"
        return f"{np.size(self.estimate)} AUCs"


def auc_intervals(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    objective: Objective | None = None,
    max_fpr: float | None = None,
    level: float = DEFAULT_LEVEL,
    method: IntervalMethod = "auto",
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
    clusters: ArrayLike | None = None,
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
    max_fpr : float, optional
        Partial AUCs of the labels, as in `label_aucs`, with `method` "auto"; where there are
        groups also "bootstrap".
    level : float
        Confidence level.
    method : {"auto", "delong", "delong-logit", "bootstrap"}
        "auto": Wilson's interval with the observations that the spread of influences is
        worth; it holds with few items in a class, near an AUC of 1 and at 1 itself.
        "delong": estimate +- z standard errors, cut at 0 and 1, as pROC gives it.
        "delong-logit": the same on the logit scale. "bootstrap": percentiles over
        resampled items, clusters or groups. These three are too short for rare classes.
    n_resamples : int
        Number of bootstrap samples.
    random_state : int or numpy Generator, optional
        Seed of the bootstrap.
    sample_weight, counts, groups, group_weight
        As in `auc`. Weights are taken as importance weights (robust variance); a row with
        a count stands for as many items, each of which counts.
    clusters : array-like of shape (n,), optional
        User, patient, ... of each row: all pairs count, and the rows of one cluster vary
        together. `groups` in contrast changes the question, to pairs inside groups.

    Returns
    -------
    AUCIntervals

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
    check_choice("method", method, METHODS)
    check_count("n_resamples", n_resamples, least=2)
    rng = as_generator(random_state)
    target = LossAggregation() if objective is None else objective
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
        clusters=clusters,
    ).counted()
    _check_partial(max_fpr, objective, method, grouped=items.group is not None)
    if max_fpr is not None and max_fpr < 1:
        drawn = (n_resamples, rng) if method == "bootstrap" else None
        return AUCIntervals(*partial_intervals(items, float(max_fpr), level, drawn))
    preferences = items.preferences(target)
    influence = Influence.of(items, preferences, indexed=method == "bootstrap")
    draws = None
    if method == "bootstrap":
        draws = resampled_ratios(influence, items.count, n_resamples, rng)
    if objective is None:
        warn_undefined(preferences, influence.ratios)
        return _intervals(influence, None, method, level, draws)
    return _mixed_interval(influence, method, level, draws)


def conflict_intervals(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    level: float = DEFAULT_LEVEL,
    method: Literal["auto", "delong", "delong-logit"] = "auto",
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
    clusters: ArrayLike | None = None,
) -> AUCIntervals:
    """Conflict AUCs with confidence intervals: does one label rule over another?

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    y_score, level, method, sample_weight, counts, groups, group_weight, clusters
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
    check_choice("method", method, METHODS[:3])
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
        clusters=clusters,
    )
    preferences = items.preferences(ConflictPairs())
    influence = Influence.of(items, preferences)
    warn_undefined(preferences, influence.ratios)
    found = _intervals(influence, None, method, level, None)
    estimate, low, high = map(np.asarray, (found.estimate, found.low, found.high))
    # Seen from the other label the bounds change places.
    k = items.labels.n_labels
    return AUCIntervals(
        square(estimate, 1.0 - estimate, k),
        square(low, 1.0 - high, k),
        square(high, 1.0 - low, k),
        found.covariance,
        found.freedom,
    )


def _check_partial(
    max_fpr: float | None, objective: Objective | None, method: str, *, grouped: bool
) -> None:
    """What cannot be had together with a part of the curve."""
    check_max_fpr(max_fpr)
    if max_fpr is None or max_fpr == 1:
        return
    if objective is not None:
        raise ValueError(
            "Parameter `objective` should be left out beside `max_fpr`: partial AUCs are those of "
            "single labels, of which each gets an interval."
        )
    if method != "auto" and not (grouped and method == "bootstrap"):
        raise ValueError(
            "Parameter `method` should be 'auto' beside `max_fpr` (or 'bootstrap', where there are "
            f"groups). Found {method!r}."
        )


def _mixed_interval(
    influence: Influence, method: IntervalMethod, level: float, draws: FloatArray | None
) -> AUCIntervals:
    """The interval of the objective's value, by the delta method."""
    preferences = influence.ranking.preferences
    mix = preferences.mix
    if np.isnan(mix.value(influence.ratios)):
        warn_undefined(preferences, influence.ratios)
        nan = np.full(1, np.nan)
        return AUCIntervals(np.nan, np.nan, np.nan, nan[None], nan)
    if draws is not None:
        draws = np.array([[mix.value(ratios)] for ratios in draws])
    found = _intervals(influence, mix.slope(influence.ratios), method, level, draws)
    estimate, low, high = (
        float(np.ravel(each)[0]) for each in (found.estimate, found.low, found.high)
    )
    return AUCIntervals(estimate, low, high, found.covariance, found.freedom)


def _intervals(
    influence: Influence,
    slope: FloatArray | None,
    method: IntervalMethod,
    level: float,
    draws: FloatArray | None,
) -> AUCIntervals:
    """Estimates, bounds and covariance of the ratios, or of the one mix that has this slope."""
    preferences, ratios = influence.ranking.preferences, influence.ratios
    estimate, pairs = ratios, influence.independent_pairs
    if slope is not None:
        estimate = np.array([preferences.mix.value(ratios)])
        pairs = pairs[slope != 0].min(keepdims=True, initial=np.inf)
    spread = influence.spread(slope)
    covariance, freedom = spread.covariance, spread.freedom
    if method == "auto":
        low, high = shrunk_wilson(estimate, spread, level)
    elif method == "delong":
        low, high = plain_bounds(estimate, spread.error, level)
        # Those of pROC's unpaired test.
        freedom = np.maximum(spread.size.sum(axis=0) - 1, 1.0)
    else:
        if draws is None:
            found = logit_bounds(estimate, spread.error, level)
        else:
            found, covariance = percentile_bounds(draws, level), draws_covariance(draws)
        low, high = one_sided_ends(estimate, found, pairs, level)
    used = None if slope is None else slope != 0
    warn_few(influence, estimate, spread, used, exact=method == "auto")
    return AUCIntervals(estimate, low, high, covariance, freedom)
