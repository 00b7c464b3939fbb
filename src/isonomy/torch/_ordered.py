r"""Sums of :math:`\max(0, 1 - z)^p` over all pairs by sorting and running sums, in O(m log m)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from isonomy.torch._layout import Layout, spans
from isonomy.torch._running import running_powers, shift_powers

__all__ = ["OrderedSum"]


@dataclass(frozen=True, eq=False)
class OrderedSum:
    """Members by segment and increasing score.

    Attributes
    ----------
    order : (m,) the member at each place
    scores : (m,) in this order
    behind, ahead : (m,) how many members of the segment are before and after
    first : (m,) the place of the lowest member that a member does not exceed by 1 or more
    last : (m,) the place of the highest member that does not exceed it by 1 or more
    longest : members of the longest segment
    """

    layout: Layout
    power: int
    order: Tensor
    scores: Tensor
    behind: Tensor
    ahead: Tensor
    first: Tensor
    last: Tensor
    longest: int

    @classmethod
    def at(cls, layout: Layout, scores: Tensor, power: int) -> OrderedSum:
        order = torch.argsort(scores)
        if layout.n_segments > 1:
            order = order[torch.argsort(layout.segment[order], stable=True)]
        scores = scores[order]
        starts = torch.from_numpy(layout.starts).to(order.device)
        place = torch.arange(order.numel(), device=order.device)
        segment = layout.segment[order]
        low, high = starts[segment], starts[segment + 1]
        # Margins as a pair by pair sum would round them decide on which side of 1 they are.
        first = _bisect(low, place, lambda j: scores - scores[j] < 1.0)
        last = _bisect(place + 1, high, lambda i: ~(scores[i] - scores < 1.0)) - 1
        longest = int((starts[1:] - starts[:-1]).max())
        return cls(
            layout, power, order, scores, place - low, high - 1 - place, first, last, longest
        )

    def values(self) -> Tensor:
        """N, (segments, terms)."""
        segment = self.layout.segment[self.order]
        out = self.scores.new_zeros(self.layout.n_segments, self.layout.n_terms)
        for terms in self._spans():
            pushed = self._excess_over(terms, self.power) * self._side(self.layout.above, terms)
            out[:, terms] = out[:, terms].index_add(0, segment, pushed)
        return out

    def gradient(self, coefficient: Tensor) -> Tensor:
        """Derivative of sum a N by the score of each member, for a (segments, terms)."""
        a = coefficient[self.layout.segment[self.order]]
        felt: Tensor | None = None
        for terms in self._spans():
            up = self._excess_over(terms, self.power - 1) * self._side(self.layout.above, terms)
            down = self._excess_under(terms) * self._side(self.layout.below, terms)
            few = a.narrow(1, terms.start, terms.stop - terms.start)
            part = (few * (down - up)).sum(1) * float(self.power)
            felt = part if felt is None else felt + part
        assert felt is not None
        return felt[torch.argsort(self.order)]

    def _spans(self) -> list[slice]:
        return spans(self.layout.n_terms, 8 * self.scores.numel())

    def _side(self, side: Tensor, terms: slice) -> Tensor:
        """Weights on one side of some terms, (m, terms)."""
        layout = self.layout
        return side[:, terms][layout.code[self.order]] * layout.weight[self.order][:, None]

    def _excess_over(self, terms: slice, power: int) -> Tensor:
        """Sum of w (1 - z)^power over the members below, for each member above."""
        sources = self._side(self.layout.below, terms).flip(0)
        sums = _running(sources, -self.scores.flip(0), self.ahead.flip(0), self.longest, power)
        left = 1.0 - (self.scores - self.scores[self.first])
        return shift_powers(sums.flip(0)[self.first], left)[..., power]

    def _excess_under(self, terms: slice) -> Tensor:
        """Sum of w (1 - z)^(power - 1) over the members above, for each member below."""
        sources, power = self._side(self.layout.above, terms), self.power - 1
        sums = _running(sources, self.scores, self.behind, self.longest, power)
        left = 1.0 - (self.scores[self.last] - self.scores)
        return shift_powers(sums[self.last], left)[..., power]


def _running(sources: Tensor, place: Tensor, behind: Tensor, longest: int, power: int) -> Tensor:
    powers = sources.new_zeros(*sources.shape, power + 1)
    powers[..., 0] = sources
    return running_powers(powers, place, behind, longest)


def _bisect(low: Tensor, high: Tensor, holds: Callable[[Tensor], Tensor]) -> Tensor:
    """The first place from `low` on where a test holds, as it does from there on, or `high`."""
    end = low.numel() - 1
    for _ in range(int((high - low).max()).bit_length()):
        middle = (low + high) // 2
        true, open_ = holds(middle.clamp(max=end)), low < high
        low, high = (
            torch.where(open_ & ~true, middle + 1, low),
            torch.where(open_ & true, middle, high),
        )
    return low
