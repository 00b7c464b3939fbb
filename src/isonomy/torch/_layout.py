"""Members of segments (`isonomy._pairsums.layout`) as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isonomy._pairsums import Members

__all__ = ["MAX_NUMBERS", "Layout", "spans"]

# Numbers in one intermediate array; longer ones are made in parts, so that memory is bounded.
MAX_NUMBERS = 1 << 22


@dataclass(frozen=True, eq=False)
class Layout:
    """Members of segments, side by side, on a device.

    Attributes
    ----------
    item : (m,) which item each member is; None when member i is item i
    code, weight, segment : (m,) of each member
    above, below : (patterns, terms), not negative
    starts : (s + 1,) where segments start among the members, in numpy
    comparison : (s, terms) number of each comparison
    """

    item: Tensor | None
    code: Tensor
    weight: Tensor
    segment: Tensor
    above: Tensor
    below: Tensor
    starts: NDArray[np.int64]
    comparison: Tensor

    @classmethod
    def of(cls, members: Members, like: Tensor) -> Layout:
        """Put the members where `like` is, with numbers of its type."""
        sizes = np.diff(members.starts)
        table = _number(members.table, like)
        return cls(
            item=None if members.item is None else _index(members.item, like),
            code=_index(members.code, like),
            weight=_number(members.weight, like),
            segment=_index(np.repeat(np.arange(sizes.size), sizes), like),
            above=table.clamp(min=0.0),
            below=(-table).clamp(min=0.0),
            starts=members.starts,
            comparison=_index(members.comparison, like),
        )

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return int(self.above.shape[1])

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return int(self.starts.size - 1)

    def take(self, values: Tensor) -> Tensor:
        """The members' entries of an array over items."""
        return values if self.item is None else values[self.item]

    def over_items(self, values: Tensor, n_items: int) -> Tensor:
        """The sum of an array over members by item."""
        if self.item is None:
            return values
        return values.new_zeros(n_items).index_add(0, self.item, values)


def spans(n: int, each: int) -> list[slice]:
    """Cut n things, of so many numbers each, into parts that fit into memory."""
    step = max(1, MAX_NUMBERS // max(each, 1))
    return [slice(a, min(a + step, n)) for a in range(0, n, step)]


def _index(array: NDArray[np.integer], like: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.int64)).to(like.device)


def _number(array: NDArray[np.float64], like: Tensor) -> Tensor:
    # Narrowed before it moves: some devices have no float64. Copied: it may be a broadcast view.
    return torch.from_numpy(np.array(array, dtype=np.float64)).to(like.dtype).to(like.device)
