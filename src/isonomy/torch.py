"""Losses over all pairs for torch, in time linear in the batch.

>>> import torch
>>> import isonomy as iso
>>> loss = iso.torch.PairLoss(iso.LossAggregation())
>>> scores = torch.tensor([1.0, 0.5, 2.0, 0.0], requires_grad=True)
>>> value = loss(scores, [[1, 0], [0, 1], [1, 1], [0, 0]])
>>> value.backward()
>>> scores.grad
tensor([ 0.0306, -0.0550, -0.0862,  0.1106])
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    Mean,
    Objective,
    Preferences,
    as_numbers,
    check_choice,
    check_objective,
)
from isonomy._infra import missing_text
from isonomy._pairsums import PreferenceLoss, PreferenceLossAt, find_surrogate

try:
    import torch
    from torch.autograd import Function
    from torch.nn import Module
except ImportError:  # The name stays; using it says what to install.
    Function = Module = object  # type: ignore[assignment, misc]

__all__ = ["PairLoss"]


def __dir__() -> list[str]:
    return __all__


class PairLoss(Module):
    """Loss of the scores of a batch over all pairs that an objective compares, in linear time.

    The value and the gradient of `isonomy.pair_loss`: computed on the CPU in float64, given in
    the scores' dtype on their device.

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

    Labels, weights and groups may be tensors (on any device), arrays or data frames. NaN or
    infinite scores are an error. The loss can be differentiated once.

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
        if Module is object:
            raise ImportError(missing_text("torch", "torch", "`isonomy.torch.PairLoss`"))
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
        self, scores: torch.Tensor, Y: Any, sample_weight: Any = None, groups: Any = None
    ) -> torch.Tensor:
        """The loss of some scores.

        Parameters
        ----------
        scores : tensor of shape (n,) or (n, 1)
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
        if isinstance(scores, torch.Tensor) and scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores.squeeze(1)
        at = _checked_scores(scores)
        preferences = self._preferences(at, Y, sample_weight, groups)
        here = PreferenceLoss(preferences, find_surrogate(self.surrogate)).at(at)
        found: torch.Tensor = _Losses.apply(scores, here, self.reduction)  # type: ignore[no-untyped-call]
        if not found.isfinite().all():
            raise ValueError(
                f"The {self.surrogate} surrogate overflows in {scores.dtype} for scores from "
                f"{at.min():g} to {at.max():g}. Scale the scores down, pass `scores.double()`, or "
                "use the logistic surrogate."
            )
        return found

    def extra_repr(self) -> str:
        """The parameters."""
        return f"{self.objective!r}, surrogate={self.surrogate!r}, reduction={self.reduction!r}"

    def _preferences(self, scores: FloatArray, Y: Any, weight: Any, groups: Any) -> Preferences:
        if weight is not None:
            weight = as_numbers(weight, "sample_weight")
        # Weights that are all 0 leave a batch without pairs, which is no error here.
        nothing = weight is not None and weight.size > 0 and not weight.any()
        found = Items.checked(
            Y,
            y_score=scores,
            score_name="scores",
            sample_weight=np.ones_like(weight, dtype=np.float64) if nothing else weight,
            groups=groups,
            group_weight=self.group_weight,
        ).preferences(self.objective)
        if nothing:
            found = replace(found, weight=np.zeros(scores.size))
        if self.reduction == "none":
            found = replace(found, mix=Mean((1.0,) * found.n_terms))
        return found


class _Losses(Function):
    """The loss, or one per term, of a pair loss that stands at the scores."""

    @staticmethod
    def forward(
        ctx: Any, scores: torch.Tensor, here: PreferenceLossAt, reduction: str
    ) -> torch.Tensor:
        mix, losses = here.loss.mix, np.nan_to_num(here.losses)
        ctx.here, ctx.kind = here, (scores.dtype, scores.device)
        ctx.mix_slope = None if reduction == "none" else mix.slope(-losses)
        return _tensor(losses if reduction == "none" else -mix.value(-losses), *ctx.kind)

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "`PairLoss` can be differentiated once. Call backward or grad without "
                "`create_graph=True`; `isonomy.pair_loss(..., hessian=True)` has second "
                "derivatives."
            )
        found = _Gradient.apply(slopes[0], ctx.here, ctx.mix_slope, ctx.kind)  # type: ignore[no-untyped-call]
        return found, None, None


class _Gradient(Function):
    """The gradient of the losses mixed by `slopes`: a function of its own, for `torch.vmap`."""

    @staticmethod
    def forward(slopes: torch.Tensor, here: PreferenceLossAt, mix_slope: Any, kind: Any) -> Any:
        wide = slopes.cpu().double().numpy()
        return _tensor(here.gradient(wide if mix_slope is None else wide * mix_slope), *kind)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Nothing to keep: it is never differentiated."""

    @staticmethod
    def vmap(_: Any, in_dims: Any, slopes: torch.Tensor, *rest: Any) -> tuple[torch.Tensor, int]:
        """One gradient for each vector of slopes."""
        each = slopes.unbind(in_dims[0])
        return torch.stack([_Gradient.apply(part, *rest) for part in each]), 0  # type: ignore[no-untyped-call]


def _tensor(found: FloatArray | float, dtype: Any, device: Any) -> torch.Tensor:
    # Narrowed before it moves: some devices have no float64.
    return torch.from_numpy(np.array(found, dtype=np.float64)).to(dtype).to(device)


def _checked_scores(scores: object) -> FloatArray:
    """The scores as an array that shares no memory which the user may change."""
    if not isinstance(scores, torch.Tensor) or not scores.is_floating_point():
        found = scores.dtype if isinstance(scores, torch.Tensor) else type(scores).__name__
        raise TypeError(
            f"Parameter `scores` should be a tensor of floating point numbers. Found {found}. The "
            "scores come first, the labels second."
        )
    if scores.ndim != 1:
        raise ValueError(
            "Parameter `scores` should have the shape (n,) or (n, 1), one score per item. Found "
            f"{tuple(scores.shape)}."
        )
    wide = np.array(scores.detach().cpu().double().numpy())
    if not np.isfinite(wide).all():
        raise ValueError(
            f"Parameter `scores` should hold finite numbers. Found {wide[~np.isfinite(wide)][0]}: "
            "has training diverged? Lower the learning rate, or clip the gradients."
        )
    return wide
