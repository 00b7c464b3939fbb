"""A finite space: points with masses, and what is known of their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import FloatArray, Labels, as_label_table, check_row_counts

# Probabilities may miss their bounds, their sum or each other by this much, or by so many
# roundings of a coarser type than float64.
SLACK, ROUNDINGS = 1e-9, 8
# A table of points by label patterns may have at most this many entries.
MOST_ENTRIES = 2**26


@dataclass(frozen=True, eq=False)
class Space:
    """Points x with masses mu(x) and label probabilities given x.

    Attributes
    ----------
    eta : ndarray of shape (m, K)
        Marginal class probabilities P(Y_k = 1 | x).
    mu : ndarray of shape (m,)
        Masses; they sum to 1.
    joint : ndarray of shape (m, 2^K) or None
        P(pattern | x), column = the number whose bit k is label k. None: labels are
        independent given x.
    names : tuple of str
        The labels' names.
    named : bool
        Whether the names came with the data.
    """

    eta: FloatArray
    mu: FloatArray
    joint: FloatArray | None
    names: tuple[str, ...]
    named: bool = False

    @classmethod
    def from_input(
        cls,
        eta: ArrayLike | None,
        *,
        mu: ArrayLike | None = None,
        patterns: ArrayLike | None = None,
    ) -> Space:
        """Check what a user passed; what comes back is trusted from here on.

        Examples
        --------
        >>> Space.from_input(None, patterns=[[0.5, 0, 0, 0.5]]).eta
        array([[0.5, 0.5]])
        """
        slack = SLACK
        joint = None
        if patterns is not None:
            joint, slack = _as_joint(patterns)
        if eta is None:
            if joint is None:
                raise ValueError("Parameter `eta` may be None only where `patterns` is given.")
            table, names = _marginals(joint), None
        else:
            check_row_counts(eta=eta, mu=mu, patterns=joint)
            found, names = as_label_table(eta, name="eta")
            table = _as_probabilities("eta", found)
            slack = max(slack, _slack(found))
        if joint is not None:
            table = _agreeing(table, joint, slack)
        default = tuple(str(k) for k in range(table.shape[1]))
        masses = _as_masses(mu, len(table))
        return cls(table, masses, joint, names or default, names is not None)

    def __len__(self) -> int:
        return len(self.eta)

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return int(self.eta.shape[1])

    @property
    def priors(self) -> FloatArray:
        """pi_k = P(Y_k = 1)."""
        return self.mu @ self.eta

    def labels(self, patterns: FloatArray) -> Labels:
        """These label patterns under the space's names, one item each."""
        codes = np.arange(len(patterns)).astype(np.min_scalar_type(max(len(patterns) - 1, 1)))
        return Labels(codes, patterns, self.names, self.named, "eta")

    def no_labels(self) -> Labels:
        """One item without any, under the space's names."""
        return self.labels(np.zeros((1, self.n_labels)))

    def pattern_probabilities(self) -> FloatArray:
        """P(pattern | x) for all 2^K patterns."""
        if self.joint is not None:
            return self.joint
        if max(len(self), self.n_labels) << self.n_labels > MOST_ENTRIES:
            raise ValueError(
                f"Parameter `objective` needs the probability of each of the 2^{self.n_labels} "
                f"label patterns at {len(self)} points, which is more than {MOST_ENTRIES} numbers. "
                "Use fewer labels, or an objective that needs marginals or counts only, such as "
                "`LossAggregation()` or `LabelAggregation()` with equal weights."
            )
        joint = np.ones((len(self), 1))
        for k in range(self.n_labels):
            yes = self.eta[:, k : k + 1]
            joint = np.hstack([joint * (1.0 - yes), joint * yes])
        return joint

    def require_both_classes(self, used: FloatArray | None = None) -> None:
        """Raise where a label (one of those used) is almost surely 0 or almost surely 1."""
        spread = pair_mass(self)
        wrong = (spread <= 0) if used is None else (spread <= 0) & (used > 0)
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"Parameter `eta` should give every label both classes. Found the prior "
                f"{self.priors[k]:g} for label {self.names[k]!r}, so its AUC is undefined. "
                "Drop that label, or give it weight 0."
            )


def pair_mass(space: Space) -> FloatArray:
    """D_k = pi_k (1 - pi_k), without the rounding of 1 - pi_k."""
    return (space.mu @ space.eta) * (space.mu @ (1.0 - space.eta))


def pattern_bits(n_labels: int) -> FloatArray:
    """All 2^K label patterns; bit k of the row's number is label k."""
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1).astype(np.float64)


def _marginals(joint: FloatArray) -> FloatArray:
    n_labels = joint.shape[1].bit_length() - 1
    return np.clip(joint @ pattern_bits(n_labels), 0.0, 1.0)


def _agreeing(eta: FloatArray, joint: FloatArray, slack: float) -> FloatArray:
    """The marginals of the patterns, which should be those given as eta."""
    marginals = _marginals(joint)
    if eta.shape != marginals.shape:
        m, n_labels = eta.shape
        raise ValueError(
            f"Parameter `patterns` should have shape ({m}, {2**n_labels}), one column for each "
            f"pattern of the {n_labels} labels of `eta`. Found shape {joint.shape}."
        )
    apart = np.abs(eta - marginals)
    if apart.max() > slack:
        x, k = np.unravel_index(apart.argmax(), apart.shape)
        raise ValueError(
            f"Parameters `eta` and `patterns` should agree. Found {eta[x, k]:g} and "
            f"{marginals[x, k]:g} for label {k} at point {x}. Pass eta=None to take the marginals "
            "from `patterns`; bit k of a column's number is label k."
        )
    return marginals


def _slack(table: NDArray[Any]) -> float:
    """How far numbers of this type may be off."""
    coarse = float(np.finfo(table.dtype).eps) if table.dtype.kind == "f" else 0.0
    return max(SLACK, ROUNDINGS * coarse)


def _as_probabilities(name: str, table: NDArray[Any]) -> FloatArray:
    values, slack = np.asarray(table, dtype=np.float64), _slack(table)
    wrong = ~((values >= -slack) & (values <= 1.0 + slack))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"Parameter `{name}` should hold probabilities in [0, 1]. Found "
            f"{values[row, column]:g} in row {row}, column {column}."
        )
    return np.clip(values, 0.0, 1.0)


def _as_joint(patterns: ArrayLike) -> tuple[FloatArray, float]:
    """The patterns' probabilities, and how far they may be off."""
    found, _ = as_label_table(patterns, name="patterns")
    columns = found.shape[1]
    if columns < 2 or columns & (columns - 1):
        raise ValueError(
            "Parameter `patterns` should have 2^K columns, one for each pattern of the K labels. "
            f"Found {columns}."
        )
    joint = _as_probabilities("patterns", found)
    sums = joint.sum(axis=1)
    row = int(np.abs(sums - 1.0).argmax())
    if abs(sums[row] - 1.0) > _slack(found):
        raise ValueError(
            f"Parameter `patterns` should have rows that sum to 1. Found {sums[row]:.12g} in row "
            f"{row}. Divide by `patterns.sum(axis=1, keepdims=True)`."
        )
    return np.asarray(joint / sums[:, None]), _slack(found)


def _as_masses(mu: ArrayLike | None, m: int) -> FloatArray:
    if mu is None:
        return np.full(m, 1.0 / m)
    found, _ = as_label_table(mu, name="mu")
    masses = found.astype(np.float64)[:, 0]
    if found.shape != (m, 1):
        shape = np.shape(mu)
        raise ValueError(
            f"Parameter `mu` should hold one mass for each of the {m} points. Found shape {shape}."
        )
    if not (masses >= 0).all():
        raise ValueError(f"Parameter `mu` should hold masses >= 0. Found {masses.min():g}.")
    if not abs(masses.sum() - 1.0) <= _slack(found):
        raise ValueError(
            f"Parameter `mu` should sum to 1. Found {masses.sum():.12g}. Divide by `mu.sum()`."
        )
    return np.asarray(masses / masses.sum())
