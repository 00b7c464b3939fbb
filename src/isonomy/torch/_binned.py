"""Sums of an analytic surrogate over all pairs by Chebyshev moments of bins, in O(m).

As `isonomy._pairsums.binned`, written for whole arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from isonomy._pairsums import bin_width
from isonomy._pairsums.kernels.moments import TO_NODES, TO_SERIES
from isonomy.surrogates import Analytic, Surrogate
from isonomy.torch._fields import Rows, field, find_rows
from isonomy.torch._layout import Layout, spans

__all__ = ["BinnedSum"]


@dataclass(frozen=True, eq=False)
class BinnedSum:
    """Moments of members at their scores.

    A *cell* is a row and a pattern, or, with so many patterns that hardly two members would
    share one, a member.

    Attributes
    ----------
    row : (m,) of each member
    shapes : (m, 8) Chebyshev polynomials at each member's place in its bin
    nodes : (cells, 8) weights at the nodes of the row
    shared : whether cells are rows and patterns
    """

    layout: Layout
    surrogate: Surrogate
    width: float
    rows: Rows
    row: Tensor
    shapes: Tensor
    nodes: Tensor
    shared: bool

    @classmethod
    def at(
        cls, layout: Layout, scores: Tensor, extent: tuple[Tensor, Tensor], surrogate: Surrogate
    ) -> BinnedSum:
        """Gather the moments of scores whose lowest and highest by segment are `extent`."""
        assert isinstance(surrogate.shape, Analytic)
        lowest, highest = extent
        spread = float((highest - lowest).max())
        largest = float(torch.maximum(-lowest, highest).max())
        width = bin_width(surrogate.shape.width, spread, largest)
        place = scores / width
        bins = place.floor()
        rows, row = find_rows(
            bins, layout.segment, (lowest / width).floor(), (highest / width).floor()
        )
        shapes = _chebyshev(2.0 * (place - bins) - 1.0)
        n_patterns, n_cells = len(layout.above), rows.bins.numel() * len(layout.above)
        moments = layout.weight[:, None] * shapes
        shared = n_cells <= scores.numel()
        if shared:
            cell = row * n_patterns + layout.code
            moments = moments.new_zeros(n_cells, 8).index_add(0, cell, moments)
        nodes = moments @ torch.from_numpy(TO_NODES).to(moments)
        return cls(layout, surrogate, width, rows, row, shapes, nodes, shared)

    def values(self) -> Tensor:
        """N, (segments, terms)."""
        pushed = self._field(self._below, 0, mirrored=False)
        out = self.shapes.new_zeros(self.layout.n_segments, self.layout.n_terms)
        return out.index_add(0, self.rows.segment, (self._above * pushed).sum(-1))

    def gradient(self, coefficient: Tensor) -> Tensor:
        """Derivative of sum a N by the score of each member, for a (segments, terms)."""
        a = coefficient[self.rows.segment][..., None]
        up, down = (a * series for series in self._slopes)
        layout = self.layout
        if self.shared:
            series = layout.above @ up + layout.below @ down
            felt = (series.reshape(-1, 8)[self._cell] * self.shapes).sum(-1)
        else:
            parts = []
            for part in spans(self.row.numel(), 16 * layout.n_terms):
                row, code = self.row[part], layout.code[part]
                series = up[row] * layout.above[code][..., None]
                series = series + down[row] * layout.below[code][..., None]
                parts.append((series.sum(1) * self.shapes[part]).sum(-1))
            felt = torch.cat(parts)
        return felt * layout.weight

    @property
    def _cell(self) -> Tensor:
        return self.row * len(self.layout.above) + self.layout.code

    @cached_property
    def _above(self) -> Tensor:
        return self._over_terms(self.layout.above)

    @cached_property
    def _below(self) -> Tensor:
        return self._over_terms(self.layout.below)

    @cached_property
    def _slopes(self) -> tuple[Tensor, Tensor]:
        """What members above and members below feel, as Chebyshev series (rows, terms, 8)."""
        to_series = torch.from_numpy(TO_SERIES).to(self.shapes)
        up = self._field(self._below, 1, mirrored=False) @ to_series
        return up, self._field(self._above, 1, mirrored=True) @ to_series

    def _field(self, weights: Tensor, order: int, *, mirrored: bool) -> Tensor:
        return field(self.rows, weights, self.surrogate, self.width, order, mirrored=mirrored)

    def _over_terms(self, side: Tensor) -> Tensor:
        """Weights at nodes of each row and term, (rows, terms, 8), for one side of the table."""
        if self.shared:
            nodes = self.nodes.reshape(-1, len(side), 8)
            return side.T @ nodes
        out = self.nodes.new_zeros(self.rows.bins.numel(), side.shape[1], 8)
        for part in spans(len(self.nodes), 8 * side.shape[1]):
            each = side[self.layout.code[part]][..., None] * self.nodes[part, None]
            out.index_add_(0, self.row[part], each)
        return out


def _chebyshev(t: Tensor) -> Tensor:
    """T_0 .. T_7 at t, (m, 8)."""
    found = [torch.ones_like(t), t]
    while len(found) < 8:
        found.append(2.0 * t * found[-1] - found[-2])
    return torch.stack(found, dim=-1)
