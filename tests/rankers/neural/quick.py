"""Small networks that train in no time, and a comparison bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

import isonomy as iso

QUICK = {"hidden": (8,), "max_epochs": 4, "batch_size": 64, "learning_rate": 0.02}


def quick(objective: Any = None, **options: Any) -> iso.NeuralRanker:
    return iso.NeuralRanker(objective, **{"random_state": 0, **QUICK, **options})


def same(one: iso.NeuralRanker, other: iso.NeuralRanker) -> bool:
    """The same bits."""
    pairs = [*zip(one.coefs_, other.coefs_, strict=True)]
    pairs += zip(one.intercepts_, other.intercepts_, strict=True)
    return all(np.array_equal(a, b) for a, b in pairs) and one.history_ == other.history_


class Noisy(nn.Module):
    """A module that draws, and that has a state beside its weights."""

    def __init__(self, n_features: int, width: int = 8) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_features, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(width, 1),
        )  # fmt: skip

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.layers(X)
