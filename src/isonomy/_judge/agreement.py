"""How well judges agree: with each other, and with people."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from isonomy._core import FloatArray
from isonomy._metrics import DEFAULT_LEVEL, auc_intervals

# Drawn tables for the interval of kappa.
_DRAWS = 4000


@dataclass(frozen=True, eq=False)
class Judge:
    """Somebody's labels, and the scores that they come from where there are any.

    Attributes
    ----------
    name : str
        Of the column.
    labels : array
        0, 1 and NaN.
    scores : array or None
        NaN where the label is.
    """

    name: str
    labels: FloatArray
    scores: FloatArray | None = None


@dataclass(frozen=True)
class Agreement:
    """Two judges on the rows that both have judged.

    Attributes
    ----------
    judge, reference : str
        Their columns; the reference is the one whose labels the AUC is of.
    n_rows : int
        That both have judged.
    same : float
        The share of them with the same label.
    kappa, kappa_low, kappa_high : float
        Cohen's: 1 is full agreement, 0 what chance gives two such judges; with an interval.
    auc, auc_low, auc_high : float
        How well the judge's scores, or labels, rank the reference's positives above its negatives.
    """

    judge: str
    reference: str
    n_rows: int
    same: float
    kappa: float
    kappa_low: float
    kappa_high: float
    auc: float
    auc_low: float
    auc_high: float


def agreement(judge: Judge, reference: Judge) -> Agreement:
    """How far a judge agrees with another; NaN where that has no meaning.

    >>> mine = Judge("mine", np.array([1.0, 1, 0, 0, np.nan]))
    >>> theirs = Judge("theirs", np.array([1.0, 0, 0, 0, 1]))
    >>> found = agreement(mine, theirs)
    >>> found.n_rows, found.same, found.kappa, round(found.auc, 3)
    (4, 0.75, 0.5, 0.833)
    """
    both = ~np.isnan(judge.labels) & ~np.isnan(reference.labels)
    mine, theirs = judge.labels[both], reference.labels[both]
    n = int(both.sum())
    table = np.bincount((2 * mine + theirs).astype(np.int64), minlength=4).astype(np.float64)
    value, low, high = kappa_interval(table)
    scores = mine if judge.scores is None else judge.scores[both]
    auc: tuple[float, ...] = (math.nan, math.nan, math.nan)
    if np.unique(theirs).size == 2:
        with warnings.catch_warnings():
            # Few positives: the interval is wide, and says so itself.
            warnings.simplefilter("ignore")
            found = auc_intervals(theirs, scores)
        auc = tuple(float(np.ravel(each)[0]) for each in (found.estimate, found.low, found.high))
    same = float((mine == theirs).mean()) if n else math.nan
    return Agreement(judge.name, reference.name, n, same, value, low, high, *auc)


def kappa_interval(table: FloatArray) -> tuple[float, float, float]:
    """Cohen's kappa of counts (00, 01, 10, 11), with quantiles of tables drawn like this one.

    >>> [round(each, 2) for each in kappa_interval(np.array([40.0, 10, 10, 40]))]
    [0.6, 0.42, 0.74]
    """
    value = float(_kappa(np.asarray(table, np.float64)))
    if math.isnan(value):
        return math.nan, math.nan, math.nan
    # Half a row in each cell, so that full agreement of three rows is not certain agreement.
    shares = (table + 0.5) / (table.sum() + 2.0)
    drawn = np.random.default_rng(0).multinomial(int(table.sum()), shares, _DRAWS)
    kappas = _kappa(drawn.astype(np.float64))
    outside = (1.0 - DEFAULT_LEVEL) / 2.0
    low, high = np.nanquantile(kappas, [outside, 1.0 - outside])
    return value, float(min(low, value)), float(max(high, value))


def _kappa(tables: FloatArray) -> FloatArray:
    """Agreement beyond chance, as a share of what is possible; NaN where all have one label."""
    p = tables / tables.sum(axis=-1, keepdims=True) if tables.any() else tables * math.nan
    mine, theirs = p[..., 2] + p[..., 3], p[..., 1] + p[..., 3]
    observed = p[..., 0] + p[..., 3]
    expected = mine * theirs + (1 - mine) * (1 - theirs)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(expected < 1, (observed - expected) / (1 - expected), math.nan)
    return np.asarray(found)
