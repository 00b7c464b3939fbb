"""Labels of several ordered classes, as binary ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isonomy._core import FloatArray
from isonomy._rankers.splitting import Index


@dataclass(frozen=True, eq=False)
class OrdinalSteps:
    """Labels as binary ones: a label of C classes is C - 1 of them, [y >= value].

    E[Y_k | x] = low_k + sum over the steps of k of gap * P(Y_k >= value | x)

    A binary label is one step, and its expectation the probability.

    Attributes
    ----------
    label : ndarray of int, shape (T,)
        The label of each step.
    value, gap : ndarray of shape (T,)
        The class at the step, and its distance from the class below.
    low : ndarray of shape (K,)
        The lowest class of each label; NaN where it has no classes here.
    """

    label: Index
    value: FloatArray
    gap: FloatArray
    low: FloatArray

    @classmethod
    def of(cls, classes: Sequence[FloatArray]) -> OrdinalSteps:
        """The steps of labels with these classes, each ascending.

        Examples
        --------
        >>> OrdinalSteps.of([np.array([0.0, 1.0]), np.array([0.0, 1.0, 3.0])]).gap
        array([1., 1., 2.])
        """
        return cls(
            label=np.repeat(np.arange(len(classes)), [max(c.size - 1, 0) for c in classes]),
            value=np.concatenate([c[1:] for c in classes]),
            gap=np.concatenate([np.diff(c) for c in classes]),
            low=np.array([c[0] if c.size else np.nan for c in classes]),
        )

    def of_labels(self, labels: Sequence[int]) -> Index:
        """The steps that belong to some labels."""
        return np.flatnonzero(np.isin(self.label, labels))

    def expected(self, reached: FloatArray) -> FloatArray:
        """E[Y_k | x], (n, K), from the steps' probabilities (n, T)."""
        means = np.tile(self.low, (len(reached), 1))
        for t, k in enumerate(self.label):
            means[:, k] += self.gap[t] * reached[:, t]
        return means

    def reached(self, Y: FloatArray) -> FloatArray:
        """Which steps the labels reach, (n, T): 0, 1, or NaN where a label is missing."""
        y = Y[:, self.label]
        return np.where(np.isnan(y), np.nan, y >= self.value)
