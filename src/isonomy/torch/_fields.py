r"""The field :math:`U(x) = \sum_{x'} w(x')\, \psi(x - x')` between the nodes of occupied bins.

The method of `isonomy._pairsums.kernels.fields`, written for whole arrays: rows of a near bin meet
through a table of :math:`\psi`, farther ones through running sums of powers and exponentials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isonomy._pairsums import field_tables, near_table
from isonomy._pairsums.kernels.fields import Field, Sweep
from isonomy.surrogates import Surrogate
from isonomy.torch._layout import spans
from isonomy.torch._running import running_exponentials, running_powers, shift_powers

__all__ = ["Rows", "field", "find_rows"]

# Up to so many bins a segment, and a bin for so many members, empty bins are not worth finding.
_GAPLESS, _MEMBERS_PER_BIN = 128, 64

# So few rows, no farther apart, meet through one larger table: running sums take many operations.
_FEW = 64


@dataclass(frozen=True, eq=False)
class Rows:
    """Occupied bins of segments, in order (and perhaps some empty ones).

    Attributes
    ----------
    bins, segment : (rows,)
    behind, ahead : (rows,) how many rows of the segment are before and after
    longest : rows of the longest segment
    span : bins between the first and the last of a segment, at most
    """

    bins: Tensor
    segment: Tensor
    behind: Tensor
    ahead: Tensor
    longest: int
    span: float

    @classmethod
    def of(cls, bins: Tensor, segment: Tensor, sizes: Tensor, span: float) -> Rows:
        """Rows of these bins, segment by segment."""
        ends = sizes.cumsum(0)
        index = torch.arange(bins.numel(), device=bins.device)
        behind = index - (ends - sizes)[segment]
        return cls(bins, segment, behind, ends[segment] - 1 - index, int(sizes.max()), span)


def find_rows(
    bins: Tensor, segment: Tensor, lowest: Tensor, highest: Tensor
) -> tuple[Rows, Tensor]:
    """The rows, and the row of each member, for bins (m,) between those of each segment (s,)."""
    span = highest - lowest + 1.0
    n_segments = span.numel()
    total, widest = torch.stack([span.sum(), span.max()]).tolist()
    if total <= max(_GAPLESS * n_segments, bins.numel() // _MEMBERS_PER_BIN):
        sizes = span.long()
        of_row = torch.repeat_interleave(torch.arange(n_segments, device=bins.device), sizes)
        starts = sizes.cumsum(0) - sizes
        place = torch.arange(of_row.numel(), device=bins.device) - starts[of_row]
        rows = Rows.of(lowest[of_row] + place, of_row, sizes, widest - 1.0)
        return rows, starts[segment] + (bins - lowest[segment]).long()
    order = torch.argsort(bins)
    if n_segments > 1:
        order = order[torch.argsort(segment[order], stable=True)]
    in_order, of_row = bins[order], segment[order]
    new = torch.ones_like(of_row, dtype=torch.bool)
    new[1:] = (in_order[1:] != in_order[:-1]) | (of_row[1:] != of_row[:-1])
    row = torch.empty_like(order).scatter_(0, order, new.cumsum(0) - 1)
    sizes = torch.bincount(of_row[new], minlength=n_segments)
    return Rows.of(in_order[new], of_row[new], sizes, widest - 1.0), row


def field(rows: Rows, weights: Tensor, surrogate: Surrogate, width: float, order: int,
          *, mirrored: bool) -> Tensor:  # fmt: skip
    r"""The field of `weights` (rows, terms, 8) at the same nodes, for a derivative of phi."""
    tables = field_tables(surrogate, width, order, mirrored)
    n_rows, n_terms, _ = weights.shape
    all_near = rows.span <= _FEW and n_rows <= _FEW
    near = _tensor(
        near_table(surrogate, width, order, mirrored, _FEW) if all_near else tables.near, weights
    )
    out = torch.zeros_like(weights)
    before = torch.empty_like(rows.behind)
    after = torch.empty_like(rows.behind)
    for part in spans(n_rows, near.numel() + near.shape[0] * 8 * n_terms):
        out[part], before[part], after[part] = _near(rows, part, weights, near)
    if not all_near:
        for terms in spans(n_terms, n_rows * 32):
            few = weights[:, terms]
            out[:, terms] += _far(rows.bins, rows.behind, before, few, tables.left, tables, rows)
            back = _far(
                -rows.bins.flip(0), rows.ahead.flip(0), after.flip(0), few.flip(0),
                tables.right, tables, rows,
            )  # fmt: skip
            out[:, terms] += back.flip(0)
    return out


def _near(rows: Rows, part: slice, weights: Tensor, near: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What some rows feel of near rows, and how many of these are before and after."""
    reach = near.shape[0] // 2
    steps = torch.arange(-reach, reach + 1, device=weights.device)
    there = (steps >= -rows.behind[part, None]) & (steps <= rows.ahead[part, None])
    index = torch.arange(part.start, part.stop, device=weights.device)[:, None] + steps
    index = index.clamp(0, weights.shape[0] - 1)
    offset = rows.bins[part, None] - rows.bins[index]
    there &= offset.abs() <= reach
    block = near[offset.where(there, offset.new_zeros(())).long() + reach]
    sources = weights[index] * there[..., None, None].to(weights.dtype)
    felt = sources.transpose(1, 2).flatten(2) @ block.flatten(1, 2)
    return felt, there[:, :reach].sum(1), there[:, reach + 1 :].sum(1)


def _far(
    bins: Tensor, behind: Tensor, near: Tensor, weights: Tensor, sweep: Sweep, tables: Field,
    rows: Rows,
) -> Tensor:  # fmt: skip
    """What rows feel of those before them that are not near, by running sums."""
    reach, width = tables.near.shape[0] // 2, tables.width
    last = torch.arange(bins.numel(), device=bins.device) - near - 1
    there = (behind > near).to(weights.dtype)
    last = last.clamp(min=0)
    # From the last row that is not near to the frontier, the place of the first that could be.
    gap = (bins - (reach + 1) - bins[last]) * width * there
    place = bins * width
    out = torch.zeros_like(weights)
    n_powers = sweep.release_powers.shape[0]
    if n_powers:
        lever = np.vander(sweep.lever, n_powers, increasing=True)
        sums = running_powers(weights @ _tensor(lever, weights), place, behind, rows.longest)
        moved = shift_powers(sums[last], gap)
        out += moved @ _tensor(sweep.release_powers, weights)
    if sweep.rate.size:
        rate = _tensor(sweep.rate, weights)
        sums = running_exponentials(
            weights @ _tensor(sweep.collect, weights), place, behind, rows.longest, rate, width
        )
        decay = (-gap[:, None] * rate).exp()
        out += (sums[last] * decay[:, None, :]) @ _tensor(sweep.release, weights)
    return out * there[:, None, None]


def _tensor(table: NDArray[np.float64], like: Tensor) -> Tensor:
    """A small table, moved to the device once."""
    table = np.ascontiguousarray(table)
    return _moved(table.tobytes(), table.shape, like.dtype, like.device)


@lru_cache(maxsize=256)
def _moved(data: bytes, shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.from_numpy(np.frombuffer(data).reshape(shape).copy()).to(dtype).to(device)
