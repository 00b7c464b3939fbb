"""How a method is fitted: its features prepared, its settings tuned, its classifiers shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from isonomy._rankers import TableEncoder, as_features, fit_to_items, innermost, taken_by_fit
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


def fit_ranker(
    method: Method, items: Items, settings: FitSettings, models: LabelModels | None = None
) -> Any:
    """A method fitted to rows whose features are prepared.

    `models` are the classifiers of its family (of a mixed one: of its base), where they are fitted
    already.
    """
    family = method.family
    if family is None:
        ranker = clone(method.ranker)
        return fit_to_items(ranker, items.X, items, taken=taken_by_fit(ranker))
    if not method.from_classifiers:
        tuned = settings.tune and method.entry.learns == "pairs"
        tuner: Tuner = family.tuner if tuned else NoTuner()
        return tuner.fit(method.ranker, items, settings.goal, settings.seed)
    if method.mixed:
        mixed = clone(method.ranker)
        if sparse.issparse(items.X):
            without_centring(mixed)
        return mixed.take(mixed_models(method, items, settings, models), items)
    if models is None:
        blend = method.ranker if isinstance(method.ranker, BlendRanker) else None
        only = None if blend is None else blend.only(items)
        models = label_models(family, items, settings, only=only, unseen=method.blends)
    if method.entry.funnel:
        models = label_models(family, items, settings, known=models)
    ranker = clone(method.ranker)
    if isinstance(ranker, BlendRanker):
        return ranker.take(models, items)
    return ranker.set_params(estimator=models.classifiers, prefit=True).fit(items.X, items)


def mixed_models(
    method: Method, items: Items, settings: FitSettings, known: LabelModels | None
) -> LabelModels:
    """The classifiers of several families side by side; `known` are those of the base."""
    family = method.family
    assert family is not None
    kinds = []
    for part in family.parts:
        steps = part.steps_after(family.base, gaps=isinstance(method.prepare, TableEncoder))
        X = as_features(fit_preparation(steps, items.X, items.labels.table))
        rows = replace(items, X=X)
        models = known if part is family.base else None
        if models is None:
            models = label_models(part, rows, settings)
        if method.entry.funnel:
            models = label_models(part, rows, settings, known=models)
        kinds.append(models.after(steps))
    return LabelModels.joined(kinds)


def without_centring(mixed: BlendRanker) -> None:
    """Centring would fill a sparse table."""
    for kind in mixed.estimator:
        if isinstance(kind, Pipeline) and "standardise" in kind.named_steps:
            kind.set_params(standardise__with_mean=False)


def label_models(
    family: Family,
    items: Items,
    settings: FitSettings,
    *,
    known: LabelModels | None = None,
    only: int | None = None,
    unseen: bool = True,
) -> LabelModels:
    """The classifiers of a family, of all labels or only one.

    With those that are `known`, the ones that a funnel needs beside them. `unseen`: whether their
    logits of rows that they have not seen are needed.
    """
    return LabelModels.fit(
        items,
        family.learner(settings.seed, tune=settings.tune),
        n_folds=n_inner_folds(items),
        rng=np.random.default_rng(settings.seed),
        parents=None if known is None else funnel_parents(items),
        known=known,
        only=only,
        unseen=unseen,
    )


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
