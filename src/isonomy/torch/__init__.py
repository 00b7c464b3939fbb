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

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isonomy.torch._pair_loss import PairLoss as PairLoss

__all__ = ["PairLoss"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'isonomy.torch' has no attribute {name!r}")
    try:
        import_module("torch")
    except ImportError as error:
        raise ImportError(
            f"`isonomy.torch.{name}` needs torch: pip install 'isonomy[torch]'"
        ) from error
    return getattr(import_module("isonomy.torch._pair_loss"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
