"""The model families of `compare`, one entry each: what their methods are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from isonomy._compare.tuning import (
    EarlyStopping,
    NoTuner,
    PenaltyPath,
    TunedBoosting,
    TunedLogistic,
    Tuner,
)
from isonomy._core import GroupWeight, Objective, suggestion
from isonomy._infra import first_missing, missing_text
from isonomy._rankers.blended import LabelLearner, OneClassifier
from isonomy._rankers.boosted import BoostedClassifier, BoostedRanker
from isonomy._rankers.linear import LinearRanker

# AUCs are then right to about 1e-5, far below their errors.
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Extra:
    """A module that something needs, and the extra of Isonomy that brings it."""

    module: str
    name: str

    @property
    def installed(self) -> bool:
        """Whether it is there."""
        return first_missing([self.module]) is None

    def check(self, what: str) -> None:
        """Raise, with the pip line, where it is not installed."""
        if not self.installed:
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
        Makes what is fitted to each label, where methods learn labels one by one; of a mixed
        family one of each part.
    tuner : Tuner
        How its rankers find their settings.
    tuned_learner : callable (seed) -> LabelLearner, or None
        How its classifiers find theirs; None: they are taken as they are.
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
    parts : tuple of Family
        The families whose classifiers its blends mix; none: it has its own. The last one's
        features are those of its methods.
    """

    key: str
    ranker: Callable[[Objective | None, GroupWeight, int], Any]
    classifier: Callable[[int], Any]
    standardise: bool
    tuner: Tuner = field(default_factory=NoTuner)
    tuned_learner: Callable[[int], LabelLearner] | None = None
    takes_gaps: bool = False
    extra: Extra | None = None
    warm_start: bool = False
    tradeoff_fits: TradeOffFits = TradeOffFits(27, 9, 3)
    parts: tuple[Family, ...] = ()

    @property
    def installed(self) -> bool:
        """Whether what it needs is there."""
        return self.extra is None or self.extra.installed

    @property
    def base(self) -> Family:
        """The family whose features, and whose classifiers, its methods share."""
        return self.parts[-1] if self.parts else self

    def steps_after(self, base: Family) -> list[tuple[str, Any]]:
        """What its classifiers need, unfitted, beyond the features of another family."""
        steps: list[tuple[str, Any]] = []
        if base.takes_gaps and not self.takes_gaps:
            fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
            steps.append(("fill gaps", fill))
        if self.standardise and not base.standardise:
            steps.append(("standardise", StandardScaler()))
        return steps

    def learner(self, seed: int, *, tune: bool) -> LabelLearner:
        """How a label's classifier is found."""
        if tune and self.tuned_learner is not None:
            return self.tuned_learner(seed)
        return OneClassifier(self.classifier(seed))


def _linear_ranker(objective: Objective | None, group_weight: GroupWeight, _: int) -> Any:
    return LinearRanker(objective, group_weight=group_weight, tol=TOLERANCE)


def _boosted_ranker(objective: Objective | None, group_weight: GroupWeight, seed: int) -> Any:
    # One thread each: the cores are busy with other fits.
    return BoostedRanker(objective, group_weight=group_weight, random_state=seed, n_jobs=1)


def _neural_ranker(objective: Objective | None, group_weight: GroupWeight, seed: int) -> Any:
    from isonomy._rankers.neural import NeuralRanker

    return NeuralRanker(objective, group_weight=group_weight, random_state=seed)


FAMILIES: dict[str, Family] = {
    family.key: family
    for family in (
        Family(
            key="linear",
            ranker=_linear_ranker,
            classifier=lambda _: LogisticRegression(max_iter=1000),
            standardise=True,
            tuner=PenaltyPath(),
            tuned_learner=lambda _: TunedLogistic(),
            warm_start=True,
            tradeoff_fits=TradeOffFits(160, 41, 7, all_over=28),
        ),
        Family(
            key="boosted",
            ranker=_boosted_ranker,
            classifier=lambda seed: BoostedClassifier(random_state=seed, n_jobs=1),
            standardise=False,
            tuner=EarlyStopping(),
            tuned_learner=TunedBoosting,
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


def mixed_family(families: Sequence[Family]) -> Family:
    """The family whose blends mix the classifiers of several, in the order of its name.

    Those that take gaps come last: gaps can be filled, but where they are filled nothing is to be
    had back.
    """
    parts = tuple(sorted(families, key=lambda family: family.takes_gaps))
    base = parts[-1]

    def classifiers(seed: int) -> list[Any]:
        found = []
        for part in parts:
            steps = part.steps_after(base)
            last = part.classifier(seed)
            found.append(Pipeline([*steps, ("classify", last)]) if steps else last)
        return found

    return Family(
        key=MIXED.join(part.key for part in parts),
        ranker=base.ranker,
        classifier=classifiers,
        standardise=base.standardise,
        takes_gaps=base.takes_gaps,
        parts=parts,
    )


AUTO = "auto"
# Between the families of a mixed one.
MIXED = " + "
# What "auto" stands for, as far as it is installed.
AUTO_FAMILIES = ("linear", "boosted")
# With more columns, "auto" leaves out the families that look at one column after the other.
WIDE = 1000


def check_families(family: str | Sequence[str]) -> list[Family]:
    """The families that are asked for; raises, with the pip line, where an extra is missing.

    "auto" leaves out what is not installed.
    """
    several = isinstance(family, Iterable) and not isinstance(family, str)
    keys = list(family) if several else [family]
    if keys == [AUTO]:
        return [FAMILIES[key] for key in AUTO_FAMILIES if FAMILIES[key].installed]
    found = []
    for key in keys:
        if not isinstance(key, str) or key not in FAMILIES:
            names = ", ".join(map(repr, FAMILIES))
            one = f"{AUTO!r}, one of {names}, or a list of them"
            raise ValueError(
                f"Parameter `family` should be {f'a list of {names}' if len(keys) > 1 else one}. "
                f"Found {key!r}."
                f"{suggestion(str(key), FAMILIES if len(keys) > 1 else [AUTO, *FAMILIES])}"
            )
        if FAMILIES[key] not in found:
            found.append(FAMILIES[key])
        extra = FAMILIES[key].extra
        if extra is not None:
            extra.check(f"Parameter `family` = {key!r}")
    if not found:
        raise ValueError("Parameter `family` should name at least one family. Found none.")
    return found
