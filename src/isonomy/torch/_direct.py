"""Sums over the pairs of small segments, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from isonomy.torch._layout import Layout, spans

__all__ = ["PHI", "DirectSum"]

Function = Callable[[Tensor], Tensor]

# phi and its derivative. A surrogate that is not here is summed by the faster means at any size.
PHI: dict[str, tuple[Function, Function]] = {
    "logistic": (lambda z: softplus(-z, threshold=50.0), lambda z: -torch.sigmoid(-z)),
    "sigmoid": (lambda z: torch.sigmoid(-z), lambda z: -torch.sigmoid(z) * torch.sigmoid(-z)),
    "exponential": (lambda z: torch.exp(-z), lambda z: -torch.exp(-z)),
    "square": (lambda z: (1.0 - z) ** 2, lambda z: 2.0 * (z - 1.0)),
    "hinge": (lambda z: (1.0 - z).clamp(min=0.0), lambda z: -(z < 1.0).to(z.dtype)),
    "squared_hinge": (
        lambda z: (1.0 - z).clamp(min=0.0) ** 2,
        lambda z: -2.0 * (1.0 - z).clamp(min=0.0),
    ),
}


@dataclass(frozen=True, eq=False)
class DirectSum:
    """Members at their scores."""

    layout: Layout
    scores: Tensor
    phi: Function
    slope: Function

    def values(self) -> Tensor:
        """N, (segments, terms)."""
        out = self.scores.new_zeros(self.layout.n_segments, self.layout.n_terms)
        for segments, members, inside in self._batches():
            above, below = self._sides(members, inside)
            out[segments] = ((self.phi(self._margins(members)) @ below) * above).sum(1)
        return out

    def gradient(self, coefficient: Tensor) -> Tensor:
        """Derivative of sum a N by the score of each member, for a (segments, terms)."""
        where, felt = [], []
        for segments, members, inside in self._batches():
            above, below = self._sides(members, inside)
            slope = self.slope(self._margins(members))
            each = above * (slope @ below) - below * (slope.transpose(1, 2) @ above)
            felt.append((each * coefficient[segments][:, None]).sum(-1).reshape(-1))
            where.append(members.flatten())
        out = torch.zeros_like(self.scores)
        return out.index_add(0, torch.cat(where), torch.cat(felt))

    def _batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Segments of similar size: their numbers, members (s, l), and which of these are there."""
        starts, device = self.layout.starts, self.scores.device
        sizes = np.diff(starts)
        bucket = np.ceil(np.log2(np.maximum(sizes, 1))).astype(int)
        for b in np.unique(bucket):
            segments = np.flatnonzero(bucket == b)
            longest = int(sizes[segments].max())
            each = longest * (longest + 4 * self.layout.n_terms)
            for part in spans(segments.size, each):
                some = segments[part]
                step = np.arange(longest)
                inside = step < sizes[some, None]
                # In place of those that are not there, the first: its margins are harmless.
                members = starts[some, None] + np.where(inside, step, 0)
                yield (
                    torch.from_numpy(some).to(device),
                    torch.from_numpy(members).to(device),
                    torch.from_numpy(inside).to(device),
                )

    def _margins(self, members: Tensor) -> Tensor:
        scores = self.scores[members]
        return scores[:, :, None] - scores[:, None, :]

    def _sides(self, members: Tensor, inside: Tensor) -> tuple[Tensor, Tensor]:
        layout = self.layout
        weight = (layout.weight[members] * inside)[..., None]
        code = layout.code[members]
        return layout.above[code] * weight, layout.below[code] * weight
