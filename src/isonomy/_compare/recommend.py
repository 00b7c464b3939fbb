"""Which method to take, from what the splits say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isonomy._audit import CONSTANT
from isonomy._compare.goals import Goal, mean_of_defined
from isonomy._compare.methods import CHANCE, Method
from isonomy._compare.statistics import Resampling
from isonomy._core import FloatArray
from isonomy._metrics import holm
from isonomy._rankers.blended import SAFETY

# A milder or simpler method may stand in for the best one if it has no less than this.
TOLERANCE = 0.002
# A goal that is less than this above that of a constant score is worth nothing to anybody.
HARDLY = 0.01
# Methods whose errors are those of the best: no farther behind it than this.
NEAR = 0.03
# Resamples that say how sure the recommendation is.
N_RESAMPLES = 2_000
# Of the generator that draws them.
SEED = 0
# AUCs of equal rankings differ by less.
ROUNDING = 1e-12
# Fewer splits do not say how far means may be off.
FEWEST_SPLITS = 4


@dataclass(frozen=True, eq=False)
class PairedTests:
    """Methods compared two by two on the same splits, by the goal.

    Attributes
    ----------
    difference, low, high : ndarray of shape (M, M)
        The goal of the row's method less that of the column's, with its interval.
    p_value : ndarray of shape (M, M)
        Two-sided corrected resampled t-test of each difference.
    p_adjusted : ndarray of shape (M, M)
        The same, by Holm for the number of pairs.
    versus_best : ndarray of shape (M,)
        p-value against the method that is best by the goal, by Holm for the number of
        other methods; 1 for the best itself.
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    versus_best: FloatArray


@dataclass(frozen=True)
class Recommendation:
    """The method to take, and what there is to say of the choice.

    Attributes
    ----------
    index, best : int
        The method to take, and the one whose expected goal is best.
    expected : tuple of float
        Every method's goal as it is to be expected on new rows (`expected_goals`).
    near : tuple of int
        Others that come within the tolerance of the best, from the best on.
    milder : bool
        Whether it was taken for its verdict, not only because it is simpler or a mix.
    kept : bool
        Whether it keeps the promises; True without any.
    above_chance : bool
        Whether its goal is better than that of a constant score, surely and by more than 0.01.
        Where no method's is, `index` and `best` are the one with the best goal on these rows.
    beyond_luck : bool
        Whether that holds, too, when the best of so many methods is in part the luckiest: by an
        interval for all of them together.
    agreement : float
        Share of resamples in which it is within the tolerance of the best.
    expected_loss : float
        How far behind the best it is in them on average.
    """

    index: int
    best: int
    expected: tuple[float, ...]
    near: tuple[int, ...]
    milder: bool
    kept: bool
    above_chance: bool
    beyond_luck: bool
    agreement: float
    expected_loss: float


def paired_tests(goals: FloatArray, resampling: Resampling, best: int) -> PairedTests:
    """Tests of all pairs from the goal's value on every split (M, S); NaN for failed methods."""
    n_methods = len(goals)
    differences = np.moveaxis(goals[:, None] - goals[None], -1, 0)
    found = resampling.estimate(differences, (-1.0, 1.0))
    p = resampling.p_values(differences)
    np.fill_diagonal(p, np.nan)
    adjusted = np.full((n_methods, n_methods), np.nan)
    upper = np.triu_indices(n_methods, k=1)
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    versus = holm(p[best])
    versus[best] = 1.0
    return PairedTests(found.mean, found.low, found.high, p, adjusted, versus)


def recommend(
    methods: Sequence[Method],
    aucs: FloatArray,
    goal: Goal,
    resampling: Resampling,
    severities: Sequence[int],
) -> Recommendation:
    """The rule, for AUCs (M, S, K) of every split.

    The best expected goal wins. Another method may stand in for it only within the tolerance, if
    no method is better than it on every label, beyond chance or by more than the tolerance on
    average, and no mix of families is, by however little: then the one with the mildest verdict is
    taken, of these a linear one before a mix of families before all others. Methods that leave
    labels out take part only where the user's values leave the same labels out, or where there is
    nothing else.

    Promises are to hold on new rows: methods that were not made for them, and may keep them by
    chance, should keep them with standard errors to spare. Where none does, the one that comes
    nearest is taken.

    Where the best one is not surely above chance, the best of those that surely are, even if it is
    allowed for that all methods were looked at, is taken in its place.
    """
    means = mean_of_defined(aucs)
    expected = expected_goals(aucs, goal, resampling)
    short = goal.broken(means, _spare(methods, aucs, goal, resampling))
    candidates = _candidates(methods, expected, short, goal)
    if not (short[candidates] == 0).any():
        # With nothing to spare, then, or as nearly as can be.
        short = goal.broken(means)
    best = min(candidates, key=lambda m: (short[m], -expected[m], methods[m].preference, m))
    near = [
        m
        for m in candidates
        if m != best and expected[best] - expected[m] <= TOLERANCE and short[m] <= short[best]
    ]
    chosen = best
    if len(goal.names) > 1:
        mixes = [m for m in candidates if methods[m].mixed]
        allowed = [
            m
            for m in near
            if not is_dominated(m, candidates, aucs, resampling)
            and not _behind_everywhere(means[m], means[mixes])
        ]
        chosen = min(
            [best, *allowed], key=lambda m: (severities[m], methods[m].preference, -expected[m])
        )
    above = _above_chance(aucs[chosen], goal, resampling)
    if not above and chosen != best:
        chosen, above = best, _above_chance(aucs[best], goal, resampling)
    looked_at = [m for m, each in enumerate(methods) if each.kind != CHANCE.key]
    n_defined = int(np.count_nonzero(~np.isnan(expected[looked_at])))
    many = resampling.for_all_of(n_defined)
    sure = [] if above or goal.floors else candidates
    sure = [m for m in sure if _above_chance(aucs[m], goal, many)]
    near = sorted({best, *near} - {chosen}, key=lambda m: -expected[m])
    if sure:
        # Behind the best on average, but what it gives is no luck.
        chosen, near, above = max(sure, key=lambda m: expected[m]), [], True
    elif not above and not goal.floors:
        # Nothing is taken: the best there is on these rows is what there is to tell.
        value = goal.value(means)
        best = chosen = min(candidates, key=lambda m: (-value[m], methods[m].preference))
        near, above = [], _above_chance(aucs[best], goal, resampling)
    agreement, loss = how_sure(chosen, candidates, aucs, goal, resampling)
    return Recommendation(
        index=chosen,
        best=best,
        expected=tuple(expected.tolist()),
        near=tuple(near),
        milder=severities[chosen] < severities[best],
        kept=bool(goal.broken(means[chosen]) == 0),
        above_chance=above,
        beyond_luck=above and _above_chance(aucs[chosen], goal, many),
        agreement=agreement,
        expected_loss=loss,
    )


def expected_goals(aucs: FloatArray, goal: Goal, resampling: Resampling) -> FloatArray:
    """Each method's goal, as it is to be expected of AUCs (M, S, K) that are uncertain.

    A mean is expected to be what it is. The smallest of several AUCs is expected to be smaller
    than the smallest estimate, the more so the closer and the less sure they are: its mean over
    resamples. A method that makes all labels equal on these rows is not the safest on others.

    All methods have the errors that the best ones have on average: most of these come from the
    same test rows, and how they differ between methods is itself hardly known. Few splits do not
    tell how sure AUCs are: then the estimates have to do. Only equal scores have no error: their
    AUCs are 0.5 of whatever rows.
    """
    means = mean_of_defined(aucs)
    value = goal.value(means)
    if goal.kind != "min" or aucs.shape[2] == 1 or aucs.shape[1] < FEWEST_SPLITS:
        return value
    if np.isnan(value).all():
        return value
    constant = (aucs == CONSTANT).all(axis=(1, 2))
    near = (value >= np.nanmax(value) - NEAR) & ~constant
    if not near.any():
        return value
    errors = resampling.errors_drawn(aucs[near], N_RESAMPLES, np.random.default_rng(SEED))
    return np.where(constant, value, goal.value(means + errors[:, None]).mean(axis=0))


def _spare(
    methods: Sequence[Method], aucs: FloatArray, goal: Goal, resampling: Resampling
) -> FloatArray | float:
    """By how much each method should keep each promise, (M, K); 0 if it allows for that itself."""
    if not goal.floors:
        return 0.0
    spare = SAFETY * np.nan_to_num(resampling.errors(np.moveaxis(aucs, 1, 0)))
    spare[[method.entry.at_least is not None for method in methods]] = 0.0
    return np.asarray(spare)


def _candidates(
    methods: Sequence[Method], goals: FloatArray, short: FloatArray, goal: Goal
) -> list[int]:
    """The methods among which to choose."""
    measured = [
        m
        for m, method in enumerate(methods)
        if method.kind != CHANCE.key and not np.isnan(goals[m]) and not np.isnan(short[m])
    ]
    if len(goal.names) == 1:
        return measured
    joint = [m for m in measured if not methods[m].leaves_labels_out]
    if goal.alone is not None:
        own = f"{goal.names[goal.alone]} alone"
        joint += [m for m in measured if methods[m].leaves_labels_out and own in methods[m].name]
    kept = [m for m in joint if short[m] == 0]
    if goal.floors and not kept:
        # A promise that only a label alone can keep is kept by it.
        return measured
    return kept or joint or measured


def is_dominated(
    method: int, others: Sequence[int], aucs: FloatArray, resampling: Resampling
) -> bool:
    """Whether another one is better on every label: by more than chance, each on its own, or by
    more than the tolerance on average.
    """
    for other in others:
        if other == method:
            continue
        difference = aucs[other] - aucs[method]
        p = resampling.p_values(difference)
        lead = mean_of_defined(difference)
        surely = (p < 2 * (1 - resampling.level)).all()
        if (lead > 0).all() and (surely or lead.mean() > TOLERANCE):
            return True
    return False


def _behind_everywhere(aucs: FloatArray, others: FloatArray) -> bool:
    """Whether one of the others (M, K) is better on every label, by however little."""
    return bool((others > aucs + ROUNDING).all(axis=1).any())


def how_sure(
    chosen: int,
    candidates: Sequence[int],
    aucs: FloatArray,
    goal: Goal,
    resampling: Resampling,
) -> tuple[float, float]:
    """Share of resamples in which a method is within the tolerance of the best; its mean loss.

    Resamples draw the mean AUCs of all methods and labels together, as uncertain as the spread
    between the splits says. Where promises are out of reach, only how near they are counts.
    """
    drawn = resampling.draws(aucs[list(candidates)], N_RESAMPLES, np.random.default_rng(SEED))
    within_reach = bool(goal.broken(mean_of_defined(aucs[chosen])) == 0)
    values = (goal.value(drawn) if within_reach else 0.0) - goal.broken(drawn)
    own = values[:, list(candidates).index(chosen)]
    behind = values.max(axis=1) - own
    return float((behind <= TOLERANCE).mean()), float(behind.mean())


def _above_chance(aucs: FloatArray, goal: Goal, resampling: Resampling) -> bool:
    """Whether the goal is surely above 0.5; few splits cannot tell, so that the mean has to do.

    A mean of labels that exclude each other is 0.5 but for a hair, whatever the ranking: that it
    is surely above says nothing.
    """
    if goal.kind == "min":
        found = resampling.smallest(aucs)
    else:
        found = resampling.estimate(goal.linear(aucs), (0.0, 1.0))
    sure = len(aucs) >= FEWEST_SPLITS and not np.isnan(found.low)
    joint = len(goal.names) > 1 and not goal.floors
    return bool(
        float(found.low if sure else found.mean) > CONSTANT
        and float(found.mean) > CONSTANT + HARDLY * joint
    )
