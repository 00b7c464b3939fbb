"""How a method is fitted: its features prepared, its settings tuned, its classifiers shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from isonomy._compare.families import Family
from isonomy._compare.goals import Goal
from isonomy._compare.methods import Method
from isonomy._compare.tuning import NoTuner, Tuner, n_inner_folds
from isonomy._core import Items
from isonomy._infra import one_blas_thread
from isonomy._rankers import as_features, fit_to_items, innermost, taken_by_fit
from isonomy._rankers.blended import BlendRanker, LabelModels, funnel_parents


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


@dataclass(eq=False)
class SharedModels:
    """The classifiers of some rows, each family's fitted once for all methods made of them.

    Attributes
    ----------
    settings : FitSettings
    only : int or None
        The only label whose classifier is needed; None: those of all labels.
    unseen : bool
        Whether their logits of rows that they have not seen are needed.
    """

    settings: FitSettings
    only: int | None = None
    unseen: bool = True
    _fitted: dict[tuple[str, ...], LabelModels] = field(default_factory=dict)

    def of(self, family: Family, items: Items, *, funnel: bool) -> LabelModels:
        """Those of a family; of a mixed one those of its parts side by side."""
        if not family.parts:
            return self._fit(family, items, family, funnel=funnel)
        kinds = []
        for part in family.parts:
            steps = part.steps_after(family.base)
            X = as_features(fit_preparation(steps, items.X, items.labels.table))
            models = self._fit(part, replace(items, X=X), family.base, funnel=funnel)
            kinds.append(models.after(steps))
        return LabelModels.joined(kinds)

    def _fit(self, family: Family, items: Items, base: Family, *, funnel: bool) -> LabelModels:
        # The features of a part are made of those of the base.
        key = (family.key, base.key, "funnel" if funnel else "")
        if key not in self._fitted:
            known = self._fit(family, items, base, funnel=False) if funnel else None
            self._fitted[key] = LabelModels.fit(
                items,
                family.learner(self.settings.seed, tune=self.settings.tune),
                n_folds=n_inner_folds(items),
                rng=np.random.default_rng(self.settings.seed),
                parents=funnel_parents(items) if funnel else None,
                known=known,
                only=self.only,
                unseen=self.unseen,
            )
        return self._fitted[key]


def fit_ranker(
    method: Method, items: Items, settings: FitSettings, shared: SharedModels | None = None
) -> Any:
    """A method fitted to rows whose features are prepared.

    `shared` has the classifiers that other methods are made of.
    """
    family = method.family
    if family is None:
        ranker = clone(method.ranker)
        return fit_to_items(ranker, items.X, items, taken=taken_by_fit(ranker))
    if not method.from_classifiers:
        tuned = settings.tune and method.entry.learns == "pairs"
        tuner: Tuner = family.tuner if tuned else NoTuner()
        return tuner.fit(method.ranker, items, settings.goal, settings.seed)
    ranker = clone(method.ranker)
    blends = isinstance(ranker, BlendRanker)
    if shared is None:
        shared = SharedModels(settings, ranker.only(items) if blends else None, method.blends)
    models = shared.of(family, items, funnel=method.entry.funnel)
    if not blends:
        return ranker.set_params(estimator=models.classifiers, prefit=True).fit(items.X, items)
    if method.mixed and sparse.issparse(items.X):
        without_centring(ranker)
    return ranker.take(models, items)


def without_centring(mixed: BlendRanker) -> None:
    """Centring would fill a sparse table."""
    for kind in mixed.estimator:
        if isinstance(kind, Pipeline) and "standardise" in kind.named_steps:
            kind.set_params(standardise__with_mean=False)


@one_blas_thread()
def fit_method(method: Method, X: Any, items: Items, settings: FitSettings) -> Any:
    """A method fitted to all rows: a pipeline where features are prepared first.

    Step by step rather than by `Pipeline.fit`, which hands weights and groups on in different
    ways, by whether metadata routing is on.
    """
    steps = preparation(method)
    X = as_features(fit_preparation(steps, X, items.labels.table), any_shape=True)
    ranker = fit_ranker(method, replace(items, X=X), settings)
    return Pipeline([*steps, ("rank", ranker)]) if steps else ranker


def one_at_a_time(methods: Sequence[Method]) -> bool:
    """Whether fits must not run beside each other: torch has one random state for all threads."""
    return any(type(innermost(method.ranker)).__name__ == "NeuralRanker" for method in methods)


def seed_of(rng: np.random.Generator) -> int:
    """A seed for rankers that want one."""
    return int(rng.integers(2**31))
