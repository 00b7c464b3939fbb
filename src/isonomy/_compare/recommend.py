"""Which method to take, and why, from what the splits say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isonomy._compare.methods import Method
from isonomy._compare.statistics import Resampling
from isonomy._compare.verdicts import SEVERITY
from isonomy._core import FloatArray
from isonomy._metrics import holm


@dataclass(frozen=True, eq=False)
class PairedTests:
    """Methods compared two by two on the same splits, by their smallest AUC.

    Attributes
    ----------
    difference, low, high : ndarray of shape (M, M)
        Mean Min AUC of the row's method less that of the column's, with its interval.
    p_value : ndarray of shape (M, M)
        Two-sided corrected resampled t-test of each difference.
    p_adjusted : ndarray of shape (M, M)
        The same, by Holm for the number of pairs.
    versus_best : ndarray of shape (M,)
        p-value against the method with the best mean Min AUC, by Holm for the number of
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
    """The method to take, those it cannot be told apart from, and the reason in words."""

    index: int
    tied: tuple[int, ...]
    reason: str


def paired_tests(smallest: FloatArray, resampling: Resampling, best: int) -> PairedTests:
    """Tests of all pairs from Min AUCs (M, S); NaN for methods that failed."""
    n_methods = len(smallest)
    differences = np.moveaxis(smallest[:, None] - smallest[None], -1, 0)
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


def best_method(mean_min: FloatArray, methods: Sequence[Method]) -> int:
    """The largest mean Min AUC; of equals, the simplest."""
    ranked = np.where(np.isnan(mean_min), -np.inf, mean_min)
    tied: list[int] = np.flatnonzero(ranked == ranked.max()).tolist()
    return min(tied, key=lambda m: (methods[m].preference, m))


def recommend(
    methods: Sequence[Method],
    best: int,
    mean_min: FloatArray,
    versus_best: FloatArray,
    severities: Sequence[int],
    *,
    level: float,
    n_splits: int,
    n_labels: int,
) -> Recommendation:
    """The rule: best Min AUC; of those not surely worse the most balanced, then the simplest."""
    # Where a test has no p-value, nothing is surely worse.
    measured = ~np.isnan(mean_min)
    tied = [m for m in range(len(methods)) if measured[m] and not versus_best[m] < 1 - level]
    if n_labels == 1:
        # It alone leaves no label out, and nobody has to be treated evenly.
        chosen = best
    else:
        chosen = min(tied, key=lambda m: (severities[m], methods[m].preference, -mean_min[m], m))
    name = {m: repr(methods[m].name) for m in range(len(methods))}
    what = "AUC" if n_labels == 1 else "smallest AUC"
    others = [name[m] for m in tied if m != best]
    first = f"{name[best]} has the best {what} on held-out rows: {mean_min[best]:.3f}"
    lines = [f"{first} on average over {n_splits} splits."]
    compared = int(measured.sum())
    if compared == 1:
        lines.append("No other method could be compared with it.")
    elif not others:
        lines.append(f"Each of the other {compared - 1} methods is surely worse.")
    else:
        lines.append(f"The data cannot tell it apart from {_listed(others)}.")
        if n_labels > 1:
            lines += _choice(methods, chosen, best, tied, severities, name, mean_min)
    if severities[chosen] == SEVERITY["dictated"]:
        lines.append(
            f"Beware: {name[chosen]} still lets one label dictate to another, or leaves one "
            "unpredicted that another method predicts."
        )
    rest = tuple(m for m in tied if m != chosen)
    return Recommendation(chosen, rest, " ".join(lines))


def _choice(
    methods: Sequence[Method],
    chosen: int,
    best: int,
    tied: list[int],
    severities: Sequence[int],
    name: dict[int, str],
    mean_min: FloatArray,
) -> list[str]:
    """Why this one of those that cannot be told apart."""
    least = severities[chosen]
    verdict = {place: word for word, place in SEVERITY.items()}[least]
    even = [m for m in tied if severities[m] == least]
    lines = []
    if len(even) == 1:
        lines.append(
            f"Of these, {name[chosen]} treats the labels most evenly where they conflict "
            f"({verdict})."
        )
    else:
        where = ""
        if len(even) < len(tied):
            where = f" that treat the labels most evenly where they conflict ({verdict})"
        lines.append(f"Of those{where}, {name[chosen]} is the simplest.")
    if chosen != best:
        lines.append(f"Its own is {mean_min[chosen]:.3f}, a difference that could be chance.")
    alone = [m for m in even if methods[m].entry.label_objective is not None]
    if alone and chosen not in alone:
        lines.append("A label is not left out as long as nothing speaks for it.")
    return lines


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
