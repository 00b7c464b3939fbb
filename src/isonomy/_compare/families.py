"""The model families of `compare`, one entry each: what their methods are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from isonomy._core import GroupWeight, Objective, check_choice
from isonomy._infra import first_missing, missing_text
from isonomy._rankers.linear import LinearRanker

# AUCs are then right to about 1e-5, far below their errors.
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Extra:
    """A module that something needs, and the extra of Isonomy that brings it."""

    module: str
    name: str

    def check(self, what: str) -> None:
        """Raise, with the pip line, where it is not installed."""
        if first_missing([self.module]) is not None:
            raise ImportError(missing_text(self.module, self.name, what))


@dataclass(frozen=True)
class TradeOffFits:
    """How many fits trade-offs may take: in all, and at most and at least for each line.

    `all_over` are those for points all over the weights of three and more labels.
    """

    in_all: int
    most: int
    least: int
    all_over: int = 0


@dataclass(frozen=True)
class Family:
    """A model family.

    Attributes
    ----------
    key : str
        What it is called in `compare(family=...)`.
    ranker : callable (objective, group_weight, seed) -> ranker
        Makes an unfitted ranker.
    classifier : callable (seed) -> classifier
        Makes what the plug-in ranker plugs in.
    standardise : bool
        Whether features are standardised first.
    takes_gaps : bool
        Whether its rankers take features that are missing (NaN); otherwise the command line
        fills them in.
    extra : Extra or None
        What it needs beyond Isonomy's core.
    warm_start : bool
        Whether the ranker has a parameter `warm_start`, with which trade-offs go on from
        each other.
    tradeoff_fits : TradeOffFits
        How many fits trade-offs may take.
    """

    key: str
    ranker: Callable[[Objective | None, GroupWeight, int], Any]
    classifier: Callable[[int], Any]
    standardise: bool
    takes_gaps: bool = False
    extra: Extra | None = None
    warm_start: bool = False
    tradeoff_fits: TradeOffFits = TradeOffFits(27, 9, 3)


def _linear_ranker(objective: Objective | None, group_weight: GroupWeight, _: int) -> Any:
    return LinearRanker(objective, group_weight=group_weight, tol=TOLERANCE)


def _boosted_ranker(objective: Objective | None, group_weight: GroupWeight, seed: int) -> Any:
    from isonomy._rankers.boosted import BoostedRanker

    return BoostedRanker(objective, group_weight=group_weight, random_state=seed)


def _neural_ranker(objective: Objective | None, group_weight: GroupWeight, seed: int) -> Any:
    from isonomy._rankers.neural import NeuralRanker

    return NeuralRanker(objective, group_weight=group_weight, random_state=seed)


def _lightgbm_classifier(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, deterministic=True, verbosity=-1)


FAMILIES: dict[str, Family] = {
    family.key: family
    for family in (
        Family(
            key="linear",
            ranker=_linear_ranker,
            classifier=lambda _: LogisticRegression(max_iter=1000),
            standardise=True,
            warm_start=True,
            tradeoff_fits=TradeOffFits(160, 41, 7, all_over=28),
        ),
        Family(
            key="boosted",
            ranker=_boosted_ranker,
            classifier=_lightgbm_classifier,
            standardise=False,
            takes_gaps=True,
            extra=Extra("lightgbm", "boost"),
        ),
        Family(
            key="neural",
            ranker=_neural_ranker,
            classifier=lambda seed: MLPClassifier((64,), early_stopping=True, random_state=seed),
            standardise=True,
            extra=Extra("torch", "torch"),
        ),
    )
}


def check_family(key: str) -> Family:
    """The family of this name; raises, with the pip line, where its extra is not installed."""
    check_choice("family", key, tuple(FAMILIES))
    family = FAMILIES[key]
    if family.extra is not None:
        family.extra.check(f"Parameter `family` = {key!r}")
    return family
