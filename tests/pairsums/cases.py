"""PairLayout and scores that break things, written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import sparse

from isonomy._pairsums import spanned, sums
from isonomy._pairsums.layout import PairLayout, arrange
from isonomy.surrogates import SURROGATES
from tests.pairsums import oracle

each_surrogate = pytest.mark.parametrize("surrogate", SURROGATES.values(), ids=lambda s: s.name)


@dataclass(frozen=True)
class Way:
    """How sums are found: which segments are small, and whether they are summed by polynomials."""

    small_below: int
    spanned: bool | None = None

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Have small segments summed that way; None: by the one that is faster."""
        if self.spanned is None:
            yield
            return

        def faster(sizes: np.ndarray, _: np.ndarray) -> np.ndarray:
            return np.full(sizes.size, self.spanned)

        with (
            mock.patch.object(spanned, "_faster", faster),
            mock.patch.object(sums, "DIRECT_BELOW", 10**9),
        ):
            yield


FAST, MIXED = Way(0), Way(12)
# Pair by pair; by polynomials, where scores are close enough.
DIRECT, SPANNED = Way(10**9, spanned=False), Way(10**9, spanned=True)


@dataclass(frozen=True)
class Items:
    """Items with label patterns, weights and groups."""

    codes: np.ndarray
    above: np.ndarray
    below: np.ndarray
    weight: np.ndarray
    group: np.ndarray

    def arrange(self, *, small_below: int, csr: bool = False) -> PairLayout:
        above, below = self.above, self.below
        if csr:
            above, below = sparse.csr_array(above), sparse.csr_array(below)
        return arrange(
            self.codes,
            above,
            below,
            weight=self.weight,
            group=self.group,
            small_below=small_below,
        )

    def costs(self, coefficient: np.ndarray) -> np.ndarray:
        """What each pair costs, for coefficients (groups, terms)."""
        return oracle.pair_costs(
            self.codes, self.above, self.below, self.weight, self.group, coefficient
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Groups and terms."""
        return int(self.group.max()) + 1, self.above.shape[1]


def items(
    n: int, n_patterns: int, n_terms: int, n_groups: int, seed: int, *, weighted: bool = True
) -> Items:
    """Random tables with a third of the entries above, below and neither."""
    rng = np.random.default_rng(seed)
    side = rng.integers(-1, 2, (n_patterns, n_terms)) * rng.uniform(0.5, 2.0, (n_patterns, n_terms))
    return Items(
        rng.integers(0, n_patterns, n),
        np.maximum(side, 0.0),
        np.maximum(-side, 0.0),
        rng.uniform(0.0, 2.0, n) if weighted else np.ones(n),
        np.unique(rng.integers(0, n_groups, n), return_inverse=True)[1],
    )


@st.composite
def some_items(draw: st.DrawFn) -> Items:
    return items(
        n=draw(st.integers(1, 60)),
        n_patterns=draw(st.sampled_from([1, 2, 4, 100])),
        n_terms=draw(st.integers(1, 4)),
        n_groups=draw(st.sampled_from([1, 1, 3])),
        seed=draw(st.integers(0, 2**32)),
        weighted=draw(st.booleans()),
    )


@st.composite
def some_scores(draw: st.DrawFn, n: int, max_range: float = np.inf) -> np.ndarray:
    """Scores of any spread and place, with ties, on the edges of bins, or with an outlier."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    spread = 10.0 ** draw(st.floats(-6.0, np.log10(min(1e6, max_range / 2.0))))
    kinds: dict[str, Callable[[], np.ndarray]] = {
        "normal": lambda: np.clip(rng.normal(size=n) / 6.0, -0.5, 0.5),
        "uniform": lambda: rng.uniform(-0.5, 0.5, n),
        "ties": lambda: rng.integers(-2, 3, n) / 4.0,
        "edges": lambda: np.round(rng.uniform(-0.5, 0.5, n) * spread * 4.0) / (4.0 * spread),
        "two clusters": lambda: rng.choice([-0.49, 0.49], n) + rng.normal(size=n) * 1e-4,
    }
    scores = kinds[draw(st.sampled_from(list(kinds)))]() * spread
    scores += draw(st.sampled_from([0.0, 0.0, 0.25, -17.3, 1e4]))
    if max_range > 1e12 and draw(st.booleans()):
        scores[draw(st.integers(0, n - 1))] = draw(st.sampled_from([1e12, -1e12]))
    return scores


BAD_SCORES: dict[str, Callable[[int], np.ndarray]] = {
    "all equal": lambda n: np.full(n, 0.3),
    "all zero": np.zeros,
    "both zeros": lambda n: np.where(np.arange(n) % 2, 0.0, -0.0),
    "all equal and huge": lambda n: np.full(n, -1e300),
    "one outlier": lambda n: np.append(np.sin(np.arange(n - 1.0)), 1e12),
    "one outlier below": lambda n: np.append(-1e12, np.sin(np.arange(n - 1.0))),
    "outliers on both sides": lambda n: np.append([-1e6, 1e12], np.cos(np.arange(n - 2.0))),
    "every item its own bin": lambda n: np.arange(n) * 1e3,
    "one ulp apart": lambda n: 1.0 + np.arange(n) * 2.0**-52,
    "tiny": lambda n: np.arange(n) * 5e-324,
    "huge": lambda n: np.linspace(-1e300, 1e300, n),
    "saturated": lambda n: np.where(np.arange(n) % 2, 60.0, -60.0) + np.linspace(0.0, 1.0, n),
}
