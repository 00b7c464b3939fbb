"""The methods that are compared, one entry each, and a user's own rankers beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from isonomy._compare.families import FAMILIES, Extra, Family
from isonomy._compare.goals import Goal
from isonomy._compare.tuning import NoTuner, Tuner, n_inner_folds
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
from isonomy._rankers import as_features, fit_to_items, innermost, taken_by_fit
from isonomy._rankers.blended import BlendRanker, LabelModels, funnel_parents
from isonomy._rankers.boosted import SummedLambdaRanker
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
    learns : {"pairs", "plug-in", "blend", "lists", "nothing"}
        Whether it is trained on pairs, or made of one classifier per label: their
        probabilities plugged into the best single score, or their logits blended. "lists": a
        baseline of another kind, made by `ranker`.
    ranker : callable (seed) -> ranker, or None
        In place of the family's, for a baseline.
    baseline_of : str or None
        The only family in which it stands.
    needs_groups : bool
        Whether it is of no use without groups.
    funnel : bool
        Whether a label that implies another is learned from the items that have the other.
    at_least : dict of int to float or None
        AUCs that a blend is to keep.
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
    learns: Literal["pairs", "plug-in", "blend", "lists", "nothing"] = "pairs"
    ranker: Callable[[int], Any] | None = None
    baseline_of: str | None = None
    needs_groups: bool = False
    funnel: bool = False
    at_least: dict[int, float] | None = None
    for_one_label: bool = False
    extra: Extra | None = None

    @property
    def blends(self) -> bool:
        """Whether `blend` can use its objective: one for all labels, trained on pairs."""
        return self.objective is not None and self.learns == "pairs"

    def methods(
        self, family: Family, names: Sequence[str], group_weight: GroupWeight, seed: int
    ) -> list[Method]:
        """What is compared: one ranker, or one for each of the labels."""
        if self.extra is not None:
            self.extra.check(f"Method {self.key!r}")

        def made(name: str, objective: Objective | None) -> Method:
            ranker = self._ranker(family, objective, group_weight, seed)
            return Method(name, self, objective, ranker, family.standardise, family)

        if self.label_objective is None:
            return [made(self.name, self.objective)]
        return [
            made(self.name.format(label=name), self.label_objective(k))
            for k, name in enumerate(names)
        ]

    def _ranker(
        self, family: Family, objective: Objective | None, group_weight: GroupWeight, seed: int
    ) -> Any:
        if self.ranker is not None:
            return self.ranker(seed)
        if self.learns == "pairs":
            return family.ranker(objective, group_weight, seed)
        classifier = family.classifier(seed)
        if self.learns == "plug-in":
            return PlugInRanker(classifier, objective, cv=None, group_weight=group_weight)
        return BlendRanker(
            classifier,
            objective,
            at_least=self.at_least,
            funnel=self.funnel,
            group_weight=group_weight,
            random_state=seed,
        )


@dataclass(frozen=True)
class FitSettings:
    """What methods are fitted by, besides the rows.

    Attributes
    ----------
    goal : Goal
        What their settings are tuned for.
    tune : bool
        Whether they are tuned at all.
    seed : int
        Of the inner folds.
    """

    goal: Goal
    tune: bool
    seed: int


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
    family : Family or None
        What it is made of; None for a user's ranker.
    prepare : transformer or None
        Makes features of X first.
    """

    name: str
    entry: MethodEntry
    objective: Objective | None
    ranker: Any
    standardise: bool
    family: Family | None = None
    prepare: Any = None

    @property
    def kind(self) -> str:
        """The key of its entry."""
        return self.entry.key

    @property
    def preference(self) -> tuple[int, int]:
        """The place among methods of which nothing else tells which to take; own ones last."""
        families = [*FAMILIES, ""]
        place = families.index("" if self.family is None else self.family.key)
        kinds = [*METHODS, *GOAL_METHODS, OWN.key]
        return place, kinds.index(self.kind)

    @property
    def leaves_labels_out(self) -> bool:
        """Whether it looks at one label alone."""
        return self.entry.label_objective is not None

    @property
    def from_classifiers(self) -> bool:
        """Whether it is made of one classifier per label, which others share."""
        return self.entry.learns in ("plug-in", "blend") and self.family is not None


def _lambdarank(seed: int) -> Any:
    return SummedLambdaRanker(random_state=seed, n_jobs=1)


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
            learns="plug-in",
            for_one_label=True,
        ),
        MethodEntry(
            key="worst",
            name="worst label",
            meaning="serves the label that is served worst as well as it can",
            objective=WorstLabel(),
        ),
        MethodEntry(
            key="blend",
            name="blend",
            meaning="one classifier per label, blended for the label that is served worst",
            objective=WorstLabel(),
            learns="blend",
        ),
        MethodEntry(
            key="blend-mean",
            name="blend for the mean",
            meaning="one classifier per label, blended for the mean AUC",
            objective=LossAggregation(),
            learns="blend",
        ),
        MethodEntry(
            key="funnel",
            name="funnel",
            meaning="a classifier of each step of the funnel, given the one before; blended",
            objective=WorstLabel(),
            learns="blend",
            funnel=True,
        ),
        MethodEntry(
            key="lambdarank",
            name="LambdaRank on the sum",
            meaning="LightGBM's lambdarank on the sum of an item's labels",
            objective=LabelAggregation(),
            learns="lists",
            ranker=_lambdarank,
            baseline_of="boosted",
            needs_groups=True,
        ),
        MethodEntry(
            key="one-label",
            name="{label} alone",
            meaning="learns one label and leaves the others out",
            label_objective=OneLabel,
            learns="blend",
            for_one_label=True,
        ),
    )
}
OWN = MethodEntry(key="own", name="your ranker", meaning="a ranker of yours")
CHANCE = MethodEntry(
    key="chance", name="chance", meaning="a score that says nothing", learns="nothing"
)
# Methods that a user's own goal brings with it.
GOAL_METHODS = ("values", "blend-values", "promise")
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


def goal_entries(goal: Goal) -> list[MethodEntry]:
    """The methods that are made for a user's own values or promises."""
    if goal.kind == "values" and goal.alone is None:
        return [
            MethodEntry(
                key="values",
                name="loss aggregation by value",
                meaning="adds up one loss per label, weighed by your values",
                objective=goal.objective,
            ),
            MethodEntry(
                key="blend-values",
                name="blend by value",
                meaning="one classifier per label, blended for your values",
                objective=goal.objective,
                learns="blend",
            ),
        ]
    if goal.kind == "promises":
        return [
            MethodEntry(
                key="promise",
                name="blend that keeps the promise",
                meaning="one classifier per label, blended for the others within your promise",
                objective=goal.objective,
                learns="blend",
                at_least=dict(goal.floors),
            )
        ]
    return []


def family_methods(
    families: Sequence[Family],
    entries: Sequence[MethodEntry],
    names: Sequence[str],
    group_weight: GroupWeight,
    seed: int,
) -> list[Method]:
    """Every entry in every family; with several of these their methods' names say which."""
    found = [
        method
        for family in families
        for entry in entries
        if entry.baseline_of in (None, family.key)
        for method in entry.methods(family, names, group_weight, seed)
    ]
    if len(families) == 1:
        return found
    return [
        replace(method, name=f"{method.name}, {method.family.key}")
        for method in found
        if method.family is not None
    ]


def chance() -> Method:
    """A constant score, to which all others are compared."""
    return Method(CHANCE.name, CHANCE, None, None, standardise=False)


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


def preparation(method: Method) -> list[tuple[str, Any]]:
    """The steps, unfitted, through which features go before they reach the ranker."""
    steps = [] if method.prepare is None else [("prepare", clone(method.prepare))]
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


def fit_ranker(
    method: Method, items: Items, settings: FitSettings, models: LabelModels | None = None
) -> Any:
    """A method fitted to rows whose features are prepared.

    `models` are the classifiers of its family, where they are fitted already.
    """
    family = method.family
    if family is None:
        ranker = clone(method.ranker)
        return fit_to_items(ranker, items.X, items, taken=taken_by_fit(ranker))
    if not method.from_classifiers:
        tuned = settings.tune and method.entry.learns == "pairs"
        tuner: Tuner = family.tuner if tuned else NoTuner()
        return tuner.fit(method.ranker, items, settings.goal, settings.seed)
    if models is None:
        blend = method.ranker if isinstance(method.ranker, BlendRanker) else None
        only = None if blend is None else blend.only(items)
        models = label_models(method, items, settings, only=only)
    if method.entry.funnel:
        models = label_models(method, items, settings, known=models)
    ranker = clone(method.ranker)
    if isinstance(ranker, BlendRanker):
        return ranker.take(models, items)
    return ranker.set_params(estimator=models.classifiers, prefit=True).fit(items.X, items)


def label_models(
    method: Method,
    items: Items,
    settings: FitSettings,
    *,
    known: LabelModels | None = None,
    only: int | None = None,
) -> LabelModels:
    """The classifiers of a method's family, of all labels or only one.

    With those that are `known`, the ones that a funnel needs beside them.
    """
    assert method.family is not None
    return LabelModels.fit(
        items,
        method.family.learner(settings.seed, tune=settings.tune),
        n_folds=n_inner_folds(items),
        rng=np.random.default_rng(settings.seed),
        parents=None if known is None else funnel_parents(items),
        known=known,
        only=only,
    )


def fit_method(method: Method, X: Any, items: Items, settings: FitSettings) -> Any:
    """A method fitted to all rows: a pipeline where features are prepared first.

    Step by step rather than by `Pipeline.fit`, which hands weights and groups on in different
    ways, by whether metadata routing is on.
    """
    steps = preparation(method)
    X = as_features(fit_preparation(steps, X, items.labels.table), any_shape=True)
    ranker = fit_ranker(method, replace(items, X=X), settings)
    return Pipeline([*steps, ("rank", ranker)]) if steps else ranker


def seed_of(rng: np.random.Generator) -> int:
    """A seed for rankers that want one."""
    return int(rng.integers(2**31))
