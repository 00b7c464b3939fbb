"""A neural network on the pair loss."""

from __future__ import annotations

from isonomy._rankers.neural.ranker import NeuralRanker
