"""The methods that are compared, one entry each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from isonomy._compare.families import FAMILIES, Extra, Family
from isonomy._compare.goals import Goal
from isonomy._core import (
    GroupWeight,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    SoftLabel,
    WorstLabel,
    are_names,
    suggestion,
)
from isonomy._rankers.blended import BlendRanker
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

    @property
    def mixes(self) -> bool:
        """Whether it can mix the classifiers of several families."""
        return self.learns == "blend" and self.label_objective is None

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
        """The place among methods of which nothing else tells which to take; own ones last.

        Linear ones first. Where a mix of families is about as good as one of them, it errs less.
        """
        place = 2 * len(FAMILIES)
        if self.family is not None:
            place = 1 if self.mixed else 2 * list(FAMILIES).index(self.family.key)
        kinds = [*METHODS, *GOAL_METHODS, OWN.key]
        return place, kinds.index(self.kind)

    @property
    def mixed(self) -> bool:
        """Whether it is made of the classifiers of several families."""
        return self.family is not None and bool(self.family.parts)

    @property
    def leaves_labels_out(self) -> bool:
        """Whether it looks at one label alone."""
        return self.entry.label_objective is not None

    @property
    def blends(self) -> bool:
        """Whether it weighs what several classifiers say of rows that they have not seen."""
        return self.entry.learns == "blend" and not self.leaves_labels_out

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
# Those that can mix the classifiers of several families.
MIXING = (*(key for key, entry in METHODS.items() if entry.mixes), "blend-values", "promise")
# Conflicts of the other methods are also told relative to those of this one.
REFERENCE = "mean"


def check_methods(methods: Sequence[str] | None) -> tuple[str, ...]:
    """The keys of the methods that are asked for; all by default."""
    if methods is None:
        return tuple(METHODS)
    if not are_names(methods):
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
                name="blend for the promise",
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
    """Every entry in every family that has it; with several their methods' names say which."""
    found = [
        method
        for family in families
        for entry in entries
        if entry.baseline_of in (None, family.key) and (entry.mixes or not family.parts)
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
