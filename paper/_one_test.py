"""What one set of test rows says by itself: AUCs, and two scores side by side, with errors.

Errors are those of the rows, or of their queries: no other trial is needed for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import isonomy as iso
from paper._results import Row


@dataclass(frozen=True)
class Difference:
    """The largest of the AUCs less the smallest."""

    pooled: bool = False

    def value(self, ratios: np.ndarray) -> float:
        return float(np.ptp(ratios))

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        slope = np.zeros_like(ratios)
        slope[np.argmax(ratios)] += 1.0
        slope[np.argmin(ratios)] -= 1.0
        return slope


class LabelGap:
    """How far the labels' AUCs lie apart; for comparing, not for training."""

    def preferences(self, labels: Any) -> iso.Preferences:
        """One term per label, and their difference."""
        return iso.Preferences(
            labels.codes, above=labels.positive, below=labels.negative, mix=Difference()
        )


def evaluated(Y: np.ndarray, scores: np.ndarray, names: Sequence[str], **units: np.ndarray) -> Row:
    """AUCs, their difference and the smaller, each with its standard error.

    `units` are `clusters=` or `groups=` of `auc_intervals`, where rows vary together.
    """
    found = iso.auc_intervals(Y, scores, **units)
    aucs, covariance = np.asarray(found.estimate), np.asarray(found.covariance)
    mix = Difference()
    least = np.arange(len(aucs)) == np.argmin(aucs)
    row: Row = {}
    for k, name in enumerate(names):
        row |= _with_error(f"auc_{name}", aucs[k], covariance[k, k])
    row |= _with_error("diff_auc", mix.value(aucs), mix.slope(aucs) @ covariance @ mix.slope(aucs))
    return row | _with_error("min_auc", aucs.min(), least @ covariance @ least)


def compared(
    Y: np.ndarray,
    ours: np.ndarray,
    theirs: np.ndarray,
    names: Sequence[str],
    **units: np.ndarray,
) -> Row:
    """What the first score has more than the second, by `compare_scores`, with standard errors."""
    found = iso.compare_scores(Y, ours, theirs, **units)
    row: Row = {}
    for k, name in enumerate(names):
        difference = np.asarray(found.difference)[k]
        row |= _with_error(f"auc_{name}", difference, found.covariance[k, k])
    for column, objective in (("diff_auc", LabelGap()), ("min_auc", iso.WorstLabel())):
        found = iso.compare_scores(Y, ours, theirs, objective=objective, **units)
        difference = float(np.ravel(found.difference)[0])
        row |= _with_error(column, difference, float(np.ravel(found.covariance)[0]))
    return row


def _with_error(column: str, value: float, variance: float) -> Row:
    return {column: float(value), f"{column}_se": math.sqrt(max(float(variance), 0.0))}
