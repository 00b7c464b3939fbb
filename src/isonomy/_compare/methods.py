"""The methods that are compared, one entry each, and a user's own rankers beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from isonomy._compare.families import Extra, Family
from isonomy._core import (
    GroupWeight,
    Items,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    SoftLabel,
    WorstLabel,
    suggestion,
)
from isonomy._rankers import fit_to_items, innermost, taken_by_fit
from isonomy._rankers.plugin import PlugInRanker


@dataclass(frozen=True)
class MethodEntry:
    """A way to rank by several labels, in any family.

    Attributes
    ----------
    key : str
        What it is called in `compare(methods=...)` and in `isonomy fit --method`.
    name : str
        What it is called in tables; "{label}" stands for the label of `label_objective`.
    meaning : str
        What it does, to stand after its name.
    objective : objective or None
        What it is trained for.
    label_objective : callable (label number) -> objective, or None
        In its place, for a ranker per label that leaves the others out.
    plugs_in : bool
        Whether it plugs classifiers in, one per label, in place of training on pairs.
    for_one_label : bool
        Whether it says something of its own where there is only one label.
    extra : Extra or None
        What it needs beyond its family.
    """

    key: str
    name: str
    meaning: str
    objective: Objective | None = None
    label_objective: Callable[[int], Objective] | None = None
    plugs_in: bool = False
    for_one_label: bool = False
    extra: Extra | None = None

    @property
    def blends(self) -> bool:
        """Whether `blend` can use its objective: one for all labels, trained on pairs."""
        return self.objective is not None and not self.plugs_in

    def methods(
        self, family: Family, names: Sequence[str], group_weight: GroupWeight, seed: int
    ) -> list[Method]:
        """What is compared: one ranker, or one for each of the labels."""
        if self.extra is not None:
            self.extra.check(f"Method {self.key!r}")

        def made(name: str, objective: Objective | None) -> Method:
            if self.plugs_in:
                plugged = family.classifier(seed)
                ranker: Any = PlugInRanker(plugged, objective, cv=None, group_weight=group_weight)
            else:
                ranker = family.ranker(objective, group_weight, seed)
            return Method(name, self, objective, ranker, family.standardise)

        if self.label_objective is None:
            return [made(self.name, self.objective)]
        return [
            made(self.name.format(label=name), self.label_objective(k))
            for k, name in enumerate(names)
        ]


@dataclass(frozen=True, eq=False)
class Method:
    """A ranker to be compared.

    Attributes
    ----------
    name : str
        What it is called in tables.
    entry : MethodEntry
        The way to rank that it belongs to; `OWN` for a user's ranker.
    objective : objective or None
        What it is trained for, where known.
    ranker : ranker
        Unfitted, without what prepares the features.
    standardise : bool
        Whether its features are standardised first.
    """

    name: str
    entry: MethodEntry
    objective: Objective | None
    ranker: Any
    standardise: bool

    @property
    def kind(self) -> str:
        """The key of its entry."""
        return self.entry.key

    @property
    def preference(self) -> int:
        """The place among methods of which nothing else tells which to take; own ones last."""
        return [*METHODS, OWN.key].index(self.kind)


# From the one to take first where nothing else decides: all labels in one model before a
# classifier per label, before a game between labels, before labels left out.
METHODS: dict[str, MethodEntry] = {
    entry.key: entry
    for entry in (
        MethodEntry(
            key="mean",
            name="label aggregation",
            meaning="ranks by the average of an item's labels",
            objective=LabelAggregation(),
        ),
        MethodEntry(
            key="loss",
            name="loss aggregation",
            meaning="adds up one loss per label, with equal weights",
            objective=LossAggregation(),
        ),
        MethodEntry(
            key="balanced",
            name="balanced loss aggregation",
            meaning="adds up the labels' losses, each weighed by the pairs that it has",
            objective=LossAggregation("balanced"),
        ),
        MethodEntry(
            key="soft",
            name="soft label",
            meaning="takes the average of an item's labels for the probability of one label",
            objective=SoftLabel(),
        ),
        MethodEntry(
            key="product",
            name="label aggregation (product)",
            meaning="ranks items that have all labels above the rest",
            objective=LabelAggregation("product"),
        ),
        MethodEntry(
            key="plug-in",
            name="plug-in",
            meaning="one classifier per label; their probabilities become the best single score",
            objective=LabelAggregation(),
            plugs_in=True,
            for_one_label=True,
        ),
        MethodEntry(
            key="worst",
            name="worst label",
            meaning="serves the label that is served worst as well as it can",
            objective=WorstLabel(),
        ),
        MethodEntry(
            key="one-label",
            name="{label} alone",
            meaning="learns one label and leaves the others out",
            label_objective=OneLabel,
            for_one_label=True,
        ),
    )
}
OWN = MethodEntry(key="own", name="your ranker", meaning="a ranker of yours")
# Conflicts of the other methods are also told relative to those of this one.
REFERENCE = "mean"


def check_methods(methods: Sequence[str] | None) -> tuple[str, ...]:
    """The keys of the methods that are asked for; all by default."""
    if methods is None:
        return tuple(METHODS)
    if isinstance(methods, str) or not all(isinstance(key, str) for key in methods):
        raise TypeError(
            f"Parameter `methods` should be a list of {', '.join(map(repr, METHODS))}. "
            f"Found {methods!r}."
        )
    for key in methods:
        if key not in METHODS:
            raise ValueError(
                f"Parameter `methods` should hold {', '.join(map(repr, METHODS))}. "
                f"Found {key!r}.{suggestion(key, list(METHODS))}"
            )
    return tuple(methods)


def family_methods(
    family: Family,
    keys: Sequence[str],
    names: Sequence[str],
    group_weight: GroupWeight,
    seed: int,
) -> list[Method]:
    """The methods of a family, in the order of `METHODS`."""
    return [
        method
        for key, entry in METHODS.items()
        if key in keys
        for method in entry.methods(family, names, group_weight, seed)
    ]


def own_methods(rankers: Mapping[str, Any] | Sequence[Any] | None, seed: int) -> list[Method]:
    """A user's rankers, checked and copied; those without a seed get one."""
    if rankers is None:
        return []
    if isinstance(rankers, Mapping):
        named = list(rankers.items())
    elif isinstance(rankers, Sequence) and not isinstance(rankers, str):
        named = [(type(innermost(ranker)).__name__, ranker) for ranker in rankers]
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
    return [_own_method(name, ranker, seed) for name, ranker in named]


def _own_method(name: Any, ranker: Any, seed: int) -> Method:
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
    return Method(name, OWN, getattr(innermost(copy), "objective", None), copy, standardise=False)


def check_distinct_names(methods: Sequence[Method]) -> None:
    """Raise where two methods have one name."""
    names = [method.name for method in methods]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"Parameter `rankers` should have names of its own. Found {repeated[0]!r}, which is "
            "also another method's. Rename it."
        )


def one_at_a_time(methods: Sequence[Method]) -> bool:
    """Whether fits must not run beside each other: torch has one random state for all threads."""
    return any(type(innermost(method.ranker)).__name__ == "NeuralRanker" for method in methods)


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


def fit_method(method: Method, preprocessor: Any, X: Any, items: Items) -> Any:
    """A method fitted to all rows: a pipeline where features are prepared first.

    Step by step rather than by `Pipeline.fit`, which hands weights and groups on in different
    ways, by whether metadata routing is on.
    """
    steps = preparation(method, preprocessor)
    X = fit_preparation(steps, X, items.labels.table)
    ranker = clone(method.ranker)
    ranker = fit_to_items(ranker, X, items, taken=taken_by_fit(ranker))
    return Pipeline([*steps, ("rank", ranker)]) if steps else ranker


def seed_of(rng: np.random.Generator) -> int:
    """A seed for rankers that want one."""
    return int(rng.integers(2**31))
