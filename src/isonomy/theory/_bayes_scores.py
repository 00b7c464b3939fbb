"""The best possible scores from class probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    FloatArray,
    LabelAggregation,
    Objective,
    OneLabel,
    WorstLabel,
    cost_terms,
    number_close,
    weights_for,
)
from isonomy.theory._effective_weights import space_alphas
from isonomy.theory._levels import level_distribution
from isonomy.theory._point_preferences import point_preferences
from isonomy.theory._scale_condition import witnesses
from isonomy.theory._search import MOST_POINTS, search_space
from isonomy.theory._space import Space

# Scores closer than this, relative to their size, differ by rounding alone: they tie.
SAME_SCORE = 1e-12
# With a smaller c20 than this, relative to c10 and c21, another form of the scorer is used.
SMALL_COST = 1e-3
# Costs of more levels than this are not tried for the scale condition.
MOST_LEVELS = 1024


def bayes_scores(
    eta: ArrayLike | None,
    objective: Objective,
    *,
    mu: ArrayLike | None = None,
    patterns: ArrayLike | None = None,
    require_pareto: bool = False,
) -> FloatArray:
    """Scores that maximise an objective, from class probabilities: the Bayes-optimal scorer.

    A ranking is optimal if it puts x above x' wherever the scores do; points with equal
    scores may be ordered freely, except under objectives that are no sum over pairs, such
    as `WorstLabel`: there they should tie. With alpha_k = a_k / (pi_k (1 - pi_k)) and eta_y(x) the
    probability of level y of the aggregated label, the scores are

    ============================================  ==========================================
    objective                                     score
    ============================================  ==========================================
    one label                                     eta_k
    loss aggregation                              sum_k alpha_k eta_k
    loss aggregation, "balanced"                  sum_k eta_k
    soft label                                    sum_k w_k eta_k; "rarity": w_k =
                                                  1 / (pi_k (1 - pi_k))
    label aggregation, linear costs               sum_k w_k eta_k; the mean level above the
                                                  lowest where `how` is a callable
    label aggregation, product                    log P(all labels are 1)
    label aggregation, any                        -log P(all labels are 0)
    label aggregation, three levels               (c10 eta_1 + c20 eta_2) /
                                                  (c20 eta_0 + c21 eta_1);
                                                  (c21 eta_2 - c10 eta_0) /
                                                  (eta_1 + c20 / c21 eta_0) if c20 is 0
                                                  or small (below c10 / 1000, c21 / 1000)
    label aggregation, costs that meet            sum_y w_y s_y eta_y / sum_y w_y eta_y
    the scale condition
    labels that are certain given x               the level
    anything else, up to 8 points                 a best ranking, by exact search
    ============================================  ==========================================

    Parameters
    ----------
    eta : array-like or data frame of shape (m, K), or None
        Class probabilities P(Y_k = 1 | x) at m points. None: those of `patterns`.
    objective : Objective
        What a good ranking is.
    mu : array-like of shape (m,), optional
        Masses of the points, which sum to 1. None: 1/m each.
    patterns : array-like of shape (m, 2^K), optional
        P(label pattern | x), where labels depend on each other given x. Bit k of a
        column's number is label k: for K = 2 the columns are 00, 10, 01, 11.
    require_pareto : bool
        Refuse objectives whose best scores another scorer may dominate, label by label.
        Loss aggregation, soft labels and linear-cost label aggregation are safe if every
        weight is positive.

    Returns
    -------
    ndarray of shape (m,)
        Scores that differ by rounding alone are equal. A point whose labels join no
        pair has score 0 and may stand anywhere.

    Notes
    -----
    With uniform costs and three or more labels the pairwise optimal order can be
    intransitive, even if labels are independent, so that there is no closed form: in
    the second example x1 should stand above x2, x2 above x3 and x3 above x1. The worst
    label's AUC is no sum over pairs, so it has none either. Such objectives are searched
    exactly on up to 8 points and refused on more.

    Examples
    --------
    >>> import isonomy as iso
    >>> from isonomy.theory import bayes_scores, population_objective_auc
    >>> bayes_scores([[1.0, 0.44], [0.2, 0.56], [0.62, 0.81]],
    ...              iso.LabelAggregation(costs="uniform")).round(5)
    array([1.78571, 0.72973, 1.8638 ])

    No order of these points satisfies all three pairs:

    >>> uniform = iso.LabelAggregation(costs="uniform")
    >>> eta = [[0, 0.63, 0.841], [1, 0.244, 0.282], [0.509, 0.528, 0.459]]
    >>> [bool(population_objective_auc([eta[i], eta[j]], [2, 1], uniform) > 0.5)
    ...  for i, j in [(0, 1), (1, 2), (2, 0)]]
    [True, True, True]
    >>> bayes_scores(eta, uniform)
    array([2., 1., 0.])
    """
    space = Space.from_input(eta, mu=mu, patterns=patterns)
    if require_pareto:
        _check_pareto(space, objective)
    return scores_on(space, objective)


def scores_on(space: Space, objective: Objective) -> FloatArray:
    """`bayes_scores` of a checked space."""
    scores = _closed_form(space, objective)
    if scores is None:
        scores = _searched(space, objective)
    return merge_close_scores(scores)


def formula_scores(
    space: Space, objective: Objective, alpha: FloatArray | None, *, occurring: bool = False
) -> FloatArray | None:
    """Scores of each point from its own probabilities alone; None where no formula is known.

    `alpha` has a_k / D_k where the scores are a weighted sum, else None. The masses
    of the points do not matter. With `occurring`, label patterns and levels that no point
    has are left out, so that a point's score depends on which others there are.
    """
    if alpha is not None:
        return np.asarray(space.eta[:, alpha > 0] @ alpha[alpha > 0])
    if isinstance(objective, LabelAggregation):
        if not callable(objective.how) and objective.how in ("product", "any"):
            return _log_probability(space, objective.how)
        return _by_levels(objective, *level_distribution(space, objective, occurring=occurring))
    terms = point_preferences(space, objective, occurring=occurring)
    if terms.above.shape[1] > 1:
        return None
    return _ratio(terms.above[:, 0], terms.below[:, 0])


def why_no_formula(objective: Objective) -> str:
    """Why an objective's best scores are no formula of one point's probabilities."""
    if isinstance(objective, WorstLabel):
        return "the smallest AUC is no sum over pairs of points"
    return (
        "its pairwise optimal order can be intransitive (x1 above x2 above x3 above x1), "
        "so that no formula of one point's probabilities gives it"
    )


def _closed_form(space: Space, objective: Objective) -> FloatArray | None:
    alpha = space_alphas(space, objective)
    if alpha is None and len(space) > MOST_POINTS and _has_too_many_levels(space, objective):
        return None
    scores = formula_scores(space, objective, alpha, occurring=True)
    if scores is None and isinstance(objective, LabelAggregation):
        levels, probabilities = level_distribution(space, objective, occurring=True)
        if ((probabilities > 0).sum(axis=1) == 1).all():
            return np.asarray(levels[(probabilities > 0).argmax(axis=1)])
    return scores


def _has_too_many_levels(space: Space, objective: Objective) -> bool:
    """Whether some point's sum of labels takes more levels than costs are tried for."""
    if not isinstance(objective, LabelAggregation) or objective.how not in ("mean", "sum"):
        return False
    used = np.asarray(weights_for(objective.weights, space.no_labels())) > 0
    uncertain = (space.eta > 0) & (space.eta < 1) & used
    return space.joint is None and int(uncertain.sum(axis=1).max()) >= MOST_LEVELS


def _log_probability(space: Space, how: str) -> FloatArray:
    """Logarithms keep the order where many labels make the probability underflow."""
    with np.errstate(divide="ignore"):
        if how == "product":
            if space.joint is not None:
                return _log(space.joint[:, -1], space.joint[:, :-1].sum(axis=1))
            return np.asarray(np.log(space.eta).sum(axis=1))
        if space.joint is not None:
            return -_log(space.joint[:, 0], space.joint[:, 1:].sum(axis=1))
        return np.asarray(-np.log1p(-space.eta).sum(axis=1))


def _log(p: FloatArray, rest: FloatArray) -> FloatArray:
    """log p, from rest = 1 - p where that is the smaller."""
    return np.where(rest < 0.5, np.log1p(-np.minimum(rest, 0.5)), np.log(p))


def _by_levels(
    objective: LabelAggregation, levels: FloatArray, probabilities: FloatArray
) -> FloatArray | None:
    """Scores from the probability of each level."""
    if levels.size < 2:
        return np.zeros(len(probabilities))
    if isinstance(objective.costs, str) and objective.costs == "linear":
        # From the lowest level on nothing cancels, so that exact ties stay ties.
        return _ratio(probabilities @ (levels - levels[0]), probabilities.sum(axis=1))
    return _by_costs(objective, levels, probabilities)


def _by_costs(
    objective: LabelAggregation, levels: FloatArray, probabilities: FloatArray
) -> FloatArray | None:
    if levels.size < 2:
        return np.zeros(len(probabilities))
    if levels.size > MOST_LEVELS:
        return None
    above, below = cost_terms(levels, objective.costs)
    product = above @ below.T
    costs = np.tril(product if isinstance(product, np.ndarray) else product.toarray(), -1)
    if not costs.any():
        return np.zeros(len(probabilities))
    if levels.size == 2:
        return _ratio(probabilities[:, 1], probabilities.sum(axis=1))
    if levels.size == 3:
        return _three_levels(costs, *probabilities.T)
    found = witnesses(costs)
    if found is None:
        return None
    w, s = found
    return _ratio(probabilities @ (w * s), probabilities @ w)


def _three_levels(
    costs: FloatArray, low: FloatArray, mid: FloatArray, high: FloatArray
) -> FloatArray:
    """Uematsu and Lee's scorer, with the costs indexed [high, low]."""
    c10, c20, c21 = costs[1, 0], costs[2, 0], costs[2, 1]
    if c20 > 0 and (c21 == 0 or c20 >= SMALL_COST * max(c10, c21)):
        return _ratio(c10 * mid + c20 * high, c20 * low + c21 * mid)
    # The scorer less c10 / c21, its limit as c20 falls to 0, times c21^2 / c20.
    gain, loss = c21 * high, c10 * low
    net = gain - loss
    net[np.abs(net) <= 1e-14 * (gain + loss)] = 0.0
    return _ratio(net, mid if c20 == 0 else mid + c20 / c21 * low)


def _searched(space: Space, objective: Objective) -> FloatArray:
    if len(space) > MOST_POINTS:
        raise ValueError(
            "Parameter `objective` has no known optimal scorer: "
            f"{why_no_formula(objective)}. Found {objective!r} on {len(space)} points; up to "
            f"{MOST_POINTS} are searched exactly. Use linear costs, or `LossAggregation`."
        )
    return np.asarray(search_space(space, objective).orders[0], dtype=np.float64)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Infinite where only the denominator is 0; 0 where both are."""
    ends = np.copysign(np.inf, numerator)
    ends[numerator == 0] = 0.0
    return np.asarray(np.divide(numerator, denominator, out=ends, where=denominator > 0))


def merge_close_scores(scores: FloatArray) -> FloatArray:
    """Give scores that differ from the lowest of them by rounding alone one value."""
    codes, distinct = number_close(scores, relative=SAME_SCORE)
    return distinct[codes]


def _check_pareto(space: Space, objective: Objective) -> None:
    alpha = None if isinstance(objective, OneLabel) else space_alphas(space, objective)
    if alpha is None:
        raise ValueError(
            f"Parameter `objective` does not promise Pareto optimality. Found {objective!r}. Use "
            "`LossAggregation`, `SoftLabel`, or `LabelAggregation` of the mean or sum with linear "
            "costs."
        )
    if not (alpha > 0).all():
        name = space.names[int(np.flatnonzero(alpha <= 0)[0])]
        raise ValueError(
            "Parameter `weights` of the objective should be positive for every label, or its best "
            f"scores may be dominated. Found 0 for label {name!r}. Give it a small weight."
        )
