"""The pair loss as a torch module."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from isonomy._core import (
    GroupWeight,
    LabelAggregation,
    Labels,
    Mean,
    Objective,
    Preferences,
    check_choice,
    check_lengths,
    check_objective,
    preferences_for,
)
from isonomy._pairsums import PairLoss as Ratios
from isonomy._pairsums import find_surrogate
from isonomy.torch._direct import PHI
from isonomy.torch._sums import DIRECT_BELOW, pair_sums

__all__ = ["PairLoss"]


class PairLoss(nn.Module):
    """Loss of the scores of a batch over all pairs that an objective compares, in linear time.

    The value and the gradient of `isonomy.pair_loss`, on the scores' device, in float64 for
    scores in float64, else in float32.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default.
    surrogate : {"logistic", "sigmoid", "exponential", "square", "hinge", "squared_hinge"}
        What a pair costs by its margin; see `isonomy.surrogates`.
    reduction : {"mean", "none"}
        "mean": the objective's loss, a scalar. "none": one loss per term of the objective, its
        mean over the pairs of that term (for `LossAggregation` and `WorstLabel` one per label),
        for methods that combine the gradients of several losses.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.

    Notes
    -----
    A term without pairs, such as a label that has one class in the batch, contributes 0: its
    entry is 0, and so is its part of the mean, whose weights stay as they are. A batch without
    any pair has loss 0 and gradient 0.

    Labels, weights and groups may be tensors (on any device), arrays or data frames; they are
    read on the CPU. NaN or infinite scores are an error. The loss can be differentiated once.

    Examples
    --------
    >>> import torch
    >>> import isonomy as iso
    >>> Y = torch.tensor([[1, 0], [0, 1], [1, 1], [0, 0]])
    >>> scores = torch.tensor([1.0, 1.0, 2.0, 0.0])
    >>> iso.torch.PairLoss()(scores, Y)
    tensor(0.2512)
    >>> iso.torch.PairLoss(iso.LossAggregation(), reduction="none")(scores, Y)
    tensor([0.3616, 0.3616])
    """

    def __init__(
        self,
        objective: Objective | None = None,
        *,
        surrogate: str = "logistic",
        reduction: str = "mean",
        group_weight: GroupWeight = "pairs",
    ) -> None:
        super().__init__()
        if reduction == "sum":
            raise ValueError(
                "Parameter `reduction` should be one of 'mean', 'none'. Found 'sum'; take "
                "reduction='none' and add up the losses, each with the weight that it should have."
            )
        check_choice("reduction", reduction, ("mean", "none"))
        check_choice("group_weight", group_weight, ("pairs", "equal"))
        if objective is not None:
            check_objective(objective)
        self.objective = LabelAggregation() if objective is None else objective
        self.surrogate = find_surrogate(surrogate).name
        self.reduction = reduction
        self.group_weight = group_weight

    def forward(
        self,
        scores: Tensor,
        Y: Any,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Tensor:
        """The loss of some scores.

        Parameters
        ----------
        scores : tensor of shape (n,)
            Finite, of any floating dtype.
        Y : tensor, array-like or data frame of shape (n, K)
            Labels, NaN for 'not observed'.
        sample_weight : tensor or array-like of shape (n,), optional
            Weight of each item; a pair weighs the product of its items' weights.
        groups : tensor or array-like of shape (n,), optional
            Only pairs inside a group count.

        Returns
        -------
        tensor
            A scalar, or one loss per term, in the dtype of the scores.
        """
        _check_scores(scores)
        labels = Labels.from_table(_on_cpu(Y))
        check_lengths(scores=scores, Y=labels)
        preferences = self._preferences(labels, _on_cpu(sample_weight), _on_cpu(groups))
        surrogate = find_surrogate(self.surrogate)
        direct_below = DIRECT_BELOW if surrogate.name in PHI else 0
        ratios = Ratios(preferences, surrogate, direct_below=direct_below)
        wide = scores if scores.dtype == torch.float64 else scores.float()
        sums = pair_sums(ratios.comparisons, wide, surrogate)
        share = torch.from_numpy(ratios.share).to(sums.dtype).to(sums.device)
        ratio = torch.from_numpy(ratios.ratio).to(sums.device)
        losses = sums.new_zeros(ratios.n_ratios).index_add(0, ratio, share * sums)
        found = losses if self.reduction == "none" else _mixed(losses, preferences)
        return found.to(scores.dtype)

    def extra_repr(self) -> str:
        """The parameters."""
        return f"{self.objective!r}, surrogate={self.surrogate!r}, reduction={self.reduction!r}"

    def _preferences(self, labels: Labels, weight: Any, groups: Any) -> Preferences:
        # Weights that are all 0 leave a batch without pairs, which is no error here.
        nothing = weight is not None and np.size(weight) > 0 and not np.any(weight)
        found = preferences_for(
            labels,
            self.objective,
            sample_weight=np.ones_like(weight, dtype=np.float64) if nothing else weight,
            groups=groups,
            group_weight=self.group_weight,
        )
        if nothing:
            found = replace(found, weight=np.zeros(len(labels)))
        if self.reduction == "none":
            found = replace(found, mix=Mean((1.0,) * found.n_terms))
        return found


def _mixed(losses: Tensor, preferences: Preferences) -> Tensor:
    """-mix(-losses), with its derivative; the mix itself is numpy's."""
    mix = preferences.mix
    at = -losses.detach().cpu().double().numpy()
    slope = torch.from_numpy(np.array(mix.slope(at), dtype=np.float64)).to(losses.dtype)
    mixed = (slope.to(losses.device) * losses).sum()
    # A mix that is no weighted sum has another value than its linear part.
    rest = -mix.value(at) - float(mixed.detach())
    return mixed + rest


def _check_scores(scores: object) -> None:
    if not isinstance(scores, Tensor) or not scores.is_floating_point():
        found = scores.dtype if isinstance(scores, Tensor) else type(scores).__name__
        raise TypeError(
            f"Parameter `scores` should be a tensor of floating point numbers. Found {found}. The "
            "scores come first, the labels second."
        )
    if scores.ndim != 1:
        cure = " Pass `scores.squeeze(-1)`." if scores.ndim == 2 and scores.shape[1] == 1 else ""
        raise ValueError(
            f"Parameter `scores` should be 1-D, one score per item. Found shape "
            f"{tuple(scores.shape)}.{cure}"
        )


def _on_cpu(data: Any) -> Any:
    """A tensor as an array; anything else as it is."""
    if not isinstance(data, Tensor):
        return data
    data = data.detach().cpu()
    return (data.float() if data.dtype == torch.bfloat16 else data).numpy()
