"""The methods that are compared: what each kind means in each model family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from isonomy._core import (
    GroupWeight,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    WorstLabel,
    suggestion,
)
from isonomy._infra import first_missing, missing_text
from isonomy._rankers.linear import LinearRanker
from isonomy._rankers.plugin import PlugInRanker

FAMILIES = ("linear", "boosted", "neural")
# From the one to take first where nothing else decides: all labels in one model before a
# classifier per label, before a game between labels, before labels left out.
KINDS = {
    "mean": "label aggregation",
    "loss": "loss aggregation",
    "balanced": "balanced loss aggregation",
    "product": "label aggregation (product)",
    "plug-in": "plug-in",
    "worst": "worst label",
    "one-label": "{label} alone",
}
OWN = "own"
# What each family needs: the module and the extra that brings it.
EXTRAS = {"boosted": ("lightgbm", "boost"), "neural": ("torch", "torch")}
# AUCs are then right to about 1e-5, far below their errors.
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Method:
    """A ranker to be compared.

    Attributes
    ----------
    name : str
        What it is called in tables.
    kind : str
        One of `KINDS`, or "own" for a user's ranker.
    objective : objective or None
        What it is trained for, where known.
    ranker : ranker
        Unfitted, without what prepares the features.
    standardise : bool
        Whether its features are standardised first.
    """

    name: str
    kind: str
    objective: Objective | None
    ranker: Any
    standardise: bool

    @property
    def simplicity(self) -> int:
        """The place among methods of which nothing else tells which to take; own ones last."""
        return [*KINDS, OWN].index(self.kind)


def check_family(family: str) -> None:
    """Raise, with the pip line, where the family's extra is not installed."""
    if family not in EXTRAS:
        return
    module, extra = EXTRAS[family]
    if first_missing([module]):
        raise ImportError(missing_text(module, extra, f"Parameter `family` = {family!r}"))


def family_methods(
    family: str,
    kinds: Sequence[str],
    names: tuple[str, ...],
    group_weight: GroupWeight,
    seed: int,
) -> list[Method]:
    """The methods of a family, in the order of `KINDS`; one per label for one-label."""
    found = []
    for kind, called in KINDS.items():
        if kind not in kinds:
            continue
        numbers: Sequence[int | None] = range(len(names)) if kind == "one-label" else [None]
        for label in numbers:
            objective = _objective(kind, label)
            if kind == "plug-in":
                ranker: Any = PlugInRanker(
                    _classifier(family, seed), objective, cv=None, group_weight=group_weight
                )
            else:
                ranker = family_ranker(family, objective, group_weight, seed)
            name = called.format(label=names[label]) if label is not None else called
            found.append(Method(name, kind, objective, ranker, family != "boosted"))
    return found


def family_ranker(
    family: str,
    objective: Objective | None,
    group_weight: GroupWeight,
    seed: int,
    *,
    warm_start: bool = False,
) -> Any:
    """The family's ranker for an objective."""
    if family == "linear":
        return LinearRanker(
            objective, group_weight=group_weight, tol=TOLERANCE, warm_start=warm_start
        )
    # By the public name, so that the extra is loaded only here.
    make = getattr(
        import_module("isonomy"), {"boosted": "BoostedRanker", "neural": "NeuralRanker"}[family]
    )
    ranker = make(objective)
    options = {"group_weight": group_weight, "random_state": seed}
    known = ranker.get_params()
    return ranker.set_params(**{key: value for key, value in options.items() if key in known})


def own_methods(rankers: Mapping[str, Any] | Sequence[Any] | None, seed: int) -> list[Method]:
    """A user's rankers, checked and copied; those without a seed get one."""
    if rankers is None:
        return []
    if isinstance(rankers, Mapping):
        named = list(rankers.items())
    elif isinstance(rankers, Sequence) and not isinstance(rankers, str):
        named = [(type(_last(ranker)).__name__, ranker) for ranker in rankers]
        names = [name for name, _ in named]
        named = [
            (name if names.count(name) == 1 else f"{name} {names[:i].count(name) + 1}", ranker)
            for i, (name, ranker) in enumerate(named)
        ]
    else:
        raise TypeError(
            "Parameter `rankers` should be a dict of names and unfitted rankers, or a list of "
            f"rankers. Found {type(rankers).__name__}."
        )
    return [_own(name, ranker, seed) for name, ranker in named]


def check_kinds(methods: Sequence[str] | None) -> tuple[str, ...]:
    """The kinds of method that are asked for; all by default."""
    if methods is None:
        return tuple(KINDS)
    if isinstance(methods, str) or not all(isinstance(kind, str) for kind in methods):
        raise TypeError(
            f"Parameter `methods` should be a list of {', '.join(map(repr, KINDS))}. "
            f"Found {methods!r}."
        )
    for kind in methods:
        if kind not in KINDS:
            raise ValueError(
                f"Parameter `methods` should hold {', '.join(map(repr, KINDS))}. "
                f"Found {kind!r}.{suggestion(kind, list(KINDS))}"
            )
    return tuple(methods)


def preparation(method: Method, preprocessor: Any) -> list[tuple[str, Any]]:
    """The steps, unfitted, through which features go before they reach the ranker."""
    steps = [] if preprocessor is None else [("prepare", clone(preprocessor))]
    if method.standardise:
        steps.append(("standardise", StandardScaler()))
    return steps


def fit_preparation(steps: list[tuple[str, Any]], X: Any, Y: Any) -> Any:
    """Fit the steps in turn and return the features that come out."""
    for name, step in steps:
        if name == "standardise":
            # Centring would fill a sparse table.
            step.set_params(with_mean=not sparse.issparse(X))
        X = step.fit_transform(X, Y)
    return X


def fit_ranker(ranker: Any, X: Any, Y: Any, given: dict[str, Any]) -> Any:
    """Fit a ranker with those of the weights and groups that its `fit` takes."""
    prefix, last = "", ranker
    while isinstance(last, Pipeline):
        prefix += f"{last.steps[-1][0]}__"
        last = last.steps[-1][1]
    taken = takes(ranker)
    options = {f"{prefix}{key}": value for key, value in given.items() if key in taken}
    return ranker.fit(X, Y, **options)


def alone(methods: Sequence[Method]) -> bool:
    """Whether fits must not run beside each other: torch has one random state for all threads."""
    return any(type(_last(method.ranker)).__name__ == "NeuralRanker" for method in methods)


def takes(ranker: Any) -> set[str]:
    """Which of weights and groups a ranker's `fit` takes, also inside a pipeline."""
    return {"sample_weight", "groups"} & set(signature(_last(ranker).fit).parameters)


def _own(name: Any, ranker: Any, seed: int) -> Method:
    if not isinstance(name, str):
        raise TypeError(f"Parameter `rankers` should be named by strings. Found {name!r}.")
    if isinstance(ranker, type) or not (
        hasattr(ranker, "fit") and hasattr(ranker, "predict") and hasattr(ranker, "get_params")
    ):
        raise TypeError(
            f"Parameter `rankers` should hold rankers with `fit` and `predict`, such as "
            f"`LinearRanker()`. Found {ranker!r} as {name!r}."
        )
    copy = clone(ranker)
    unseeded = {
        key: seed
        for key, value in copy.get_params().items()
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    }
    copy.set_params(**unseeded)
    return Method(name, OWN, getattr(_last(copy), "objective", None), copy, standardise=False)


def _last(ranker: Any) -> Any:
    return _last(ranker.steps[-1][1]) if isinstance(ranker, Pipeline) else ranker


def _objective(kind: str, label: int | None) -> Objective:
    if label is not None:
        return OneLabel(label)
    made: dict[str, Objective] = {
        "mean": LabelAggregation(),
        "loss": LossAggregation(),
        "balanced": LossAggregation("balanced"),
        "product": LabelAggregation("product"),
        "plug-in": LabelAggregation(),
        "worst": WorstLabel(),
    }
    return made[kind]


def _classifier(family: str, seed: int) -> Any:
    """What the plug-in ranker plugs in."""
    if family == "linear":
        return LogisticRegression(max_iter=1000)
    if family == "neural":
        return MLPClassifier((64,), early_stopping=True, random_state=seed)
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, deterministic=True, verbosity=-1)


def distinct_names(methods: Sequence[Method]) -> None:
    """Raise where two methods have one name."""
    names = [method.name for method in methods]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"Parameter `rankers` should have names of its own. Found {repeated[0]!r}, which is "
            "also another method's. Rename it."
        )


def seed_of(rng: np.random.Generator) -> int:
    """A seed for rankers that want one."""
    return int(rng.integers(2**31))
