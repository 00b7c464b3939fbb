r"""Sums of a surrogate over all pairs as a function that torch can differentiate.

.. math:: N_c(f) = \sum_{i, j \in c} w_i w_j A_{ic} B_{jc}\, \phi(f_i - f_j)

for every comparison c. As `isonomy._pairsums.sums`, in torch operations on the scores' device.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from isonomy._pairsums import Comparisons
from isonomy.surrogates import Analytic, Surrogate
from isonomy.torch._binned import BinnedSum
from isonomy.torch._direct import PHI, DirectSum
from isonomy.torch._layout import Layout
from isonomy.torch._ordered import OrderedSum

__all__ = ["DIRECT_BELOW", "pair_sums"]

# Measured: where visiting all pairs of a segment costs as much as its bins.
DIRECT_BELOW = 256

# Largest score, so that bins and differences stay finite; largest phi, so that sums do.
_MAX_SCORE = {torch.float64: 1e300, torch.float32: 1e30}
_MAX_PHI = {torch.float64: 1e305, torch.float32: 1e35}


class Summation(Protocol):
    """One way to sum over the pairs of members; arrays over segments, terms and members."""

    @property
    def layout(self) -> Layout:
        """The members summed over."""

    def values(self) -> Tensor:
        """N, (segments, terms)."""

    def gradient(self, coefficient: Tensor) -> Tensor:
        """Derivative of sum a N by the score of each member, for a (segments, terms)."""


def pair_sums(comparisons: Comparisons, scores: Tensor, surrogate: Surrogate) -> Tensor:
    """N, one number per comparison, for finite scores in float32 or float64.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy._pairsums import arrange
    >>> from isonomy.surrogates import SURROGATES
    >>> y = np.array([1, 0, 1])
    >>> comparisons = arrange(y, np.array([[False], [True]]), np.array([[True], [False]]))
    >>> scores = torch.tensor([2.0, 0.0, -1.0], requires_grad=True)
    >>> pair_sums(comparisons, scores, SURROGATES["hinge"]).sum().backward()
    >>> scores.grad
    tensor([ 0.,  1., -1.])
    """
    found: Tensor = _PairSums.apply(scores, comparisons, surrogate)  # type: ignore[no-untyped-call]
    return found


class _PairSums(torch.autograd.Function):
    """Forward: the sums. Backward: one field per side of the terms and one polynomial per item."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, comparisons: Comparisons, surrogate: Surrogate) -> Tensor:
        with torch.autocast(scores.device.type, enabled=False):
            parts = _parts(comparisons, scores.detach(), surrogate)
            out = scores.new_zeros(comparisons.pairs.size)
            for part in parts:
                out[part.layout.comparison] = part.values()
        ctx.parts, ctx.n_items = parts, scores.numel()
        return out

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, None, None]:
        coefficient = slopes[0]
        if torch.is_grad_enabled():
            raise RuntimeError(
                "`PairLoss` can be differentiated once. Call backward or grad without "
                "`create_graph=True`; `isonomy.pair_loss(..., hessian=True)` has second "
                "derivatives."
            )
        total: Tensor | None = None
        with torch.autocast(coefficient.device.type, enabled=False):
            for part in ctx.parts:
                felt = part.gradient(coefficient[part.layout.comparison])
                felt = part.layout.over_items(felt, ctx.n_items)
                total = felt if total is None else total + felt
        if total is None:
            total = coefficient.new_zeros(ctx.n_items)
        return total, None, None


def _parts(comparisons: Comparisons, scores: Tensor, surrogate: Surrogate) -> list[Summation]:
    parts: list[Summation] = []
    for members, direct in ((comparisons.small, True), (comparisons.large, False)):
        if members.code.size:
            layout = Layout.of(members, scores)
            at = layout.take(scores)
            extent = _extent(layout, at, surrogate)
            if direct:
                parts.append(DirectSum(layout, at, *PHI[surrogate.name]))
            elif isinstance(surrogate.shape, Analytic):
                parts.append(BinnedSum.at(layout, at, extent, surrogate))
            else:
                parts.append(OrderedSum.at(layout, at, surrogate.shape.power))
    return parts


def _extent(layout: Layout, scores: Tensor, surrogate: Surrogate) -> tuple[Tensor, Tensor]:
    """The lowest and the highest score of each segment; an error where they are out of range."""
    if layout.n_segments == 1:
        lowest, highest = scores.min()[None], scores.max()[None]
    else:
        empty, of = scores.new_zeros(layout.n_segments), layout.segment
        lowest = empty.scatter_reduce(0, of, scores, "amin", include_self=False)
        highest = empty.scatter_reduce(0, of, scores, "amax", include_self=False)
    largest = torch.maximum(-lowest, highest).max()
    spread, size = torch.stack([(highest - lowest).max(), largest]).tolist()
    limit = _MAX_SCORE[scores.dtype]
    if not size <= limit:
        raise ValueError(
            f"Parameter `scores` should hold numbers of at most {limit:g} in size"
            f"{', and no NaN' if size != size else ''}. Found {size:g}: has training diverged? "
            "Lower the learning rate, or clip the gradients."
        )
    if spread > _max_range(surrogate, scores.dtype):
        raise ValueError(
            f"The {surrogate.name} surrogate overflows in {scores.dtype} for scores that differ by "
            f"{spread:g}. Scale the scores down"
            + ("." if surrogate.name == "logistic" else " or use the logistic surrogate.")
        )
    return lowest, highest


def _max_range(surrogate: Surrogate, dtype: torch.dtype) -> float:
    """The largest difference of scores for which phi, and what is summed, is finite."""
    if dtype == torch.float64:
        return surrogate.max_range
    ranges = np.logspace(0, 30, 3001)
    with np.errstate(over="ignore"):
        phi = np.maximum(surrogate.value(-ranges), surrogate.value(ranges))
    return float(min(surrogate.max_range, ranges[phi <= _MAX_PHI[dtype]].max(initial=0.0)))
