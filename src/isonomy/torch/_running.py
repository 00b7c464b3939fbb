r"""Running sums along sorted places by doubling: log2(n) steps, each over all rows at once.

The sums move with their row: what a row has is measured from its own place, so that every sum is
one of non-negative parts at distances d >= 0 and nothing cancels, however far outliers lie.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["running_exponentials", "running_powers", "shift_powers"]

# exp(-45) is below the rounding of a sum of float64.
_FORGOTTEN = 45.0


def shift_powers(powers: Tensor, distance: Tensor) -> Tensor:
    r"""Move the place from which sums of :math:`w d^k`, (n, terms, k), are measured back."""
    d = distance[:, None]
    parts = [powers[..., 0]]
    if powers.shape[-1] > 1:
        parts.append(powers[..., 1] + d * powers[..., 0])
    if powers.shape[-1] > 2:
        parts.append(powers[..., 2] + d * (2.0 * powers[..., 1] + d * powers[..., 0]))
    return torch.stack(parts, dim=-1)


def running_powers(powers: Tensor, place: Tensor, behind: Tensor, longest: int) -> Tensor:
    r"""Sums of :math:`w d^k` of a row and of all rows before it in its segment.

    Parameters
    ----------
    powers : (n, terms, k) of each row alone; changed in place
    place : (n,) increasing within a segment
    behind : (n,) how many rows of the segment are before
    longest : rows of the longest segment
    """
    step = 1
    while step < longest:
        gap, joined = _gap(place, behind, step)
        moved = shift_powers(powers[:-step], gap) * joined[:, None, None]
        powers[step:] += moved
        step *= 2
    return powers


def running_exponentials(
    sums: Tensor, place: Tensor, behind: Tensor, longest: int, rate: Tensor, width: float
) -> Tensor:
    r"""The same for sums of :math:`w e^{-\lambda_k d}`, with rows at least `width` apart."""
    slowest = float(rate.min())
    step = 1
    while step < longest and slowest * width * step < _FORGOTTEN:
        gap, joined = _gap(place, behind, step)
        decay = (-gap[:, None] * rate).exp() * joined[:, None]
        sums[step:] += sums[:-step] * decay[:, None, :]
        step *= 2
    return sums


def _gap(place: Tensor, behind: Tensor, step: int) -> tuple[Tensor, Tensor]:
    """The distance of each row to the row `step` before it, 0 in another segment; and if not."""
    joined = behind[step:] >= step
    gap = (place[step:] - place[:-step]).where(joined, place.new_zeros(()))
    return gap, joined.to(place.dtype)
