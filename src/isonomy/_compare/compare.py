"""Which method for my data?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from isonomy._compare.assemble import assemble
from isonomy._compare.families import Family, check_family
from isonomy._compare.methods import (
    METHODS,
    Method,
    check_distinct_names,
    check_methods,
    family_methods,
    one_at_a_time,
    own_methods,
    seed_of,
)
from isonomy._compare.result import Comparison
from isonomy._compare.tradeoffs import MOST_LABELS, tradeoff_tasks
from isonomy._compare.trials import Task, run_trials
from isonomy._core import GroupWeight, Items, as_generator, check_count, check_level
from isonomy._metrics import DEFAULT_LEVEL
from isonomy._rankers import as_features, given_splits, taken_by_fit
from isonomy._rankers import folds as fold_splits

# Fewer rows or positives say nothing about which method is better.
FEWEST_ROWS = 20
FEWEST_OF_A_CLASS = 2
# Fewer splits give a t-test too few degrees of freedom to tell much.
FEWEST_SPLITS = 4


def compare(
    X: Any,
    Y: ArrayLike | Items,
    *,
    rankers: Mapping[str, Any] | Sequence[Any] | None = None,
    methods: Sequence[str] | None = None,
    family: str = "linear",
    preprocessor: Any = None,
    folds: int = 5,
    repeats: int = 3,
    splits: Any = None,
    tradeoffs: bool = True,
    level: float = DEFAULT_LEVEL,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> Comparison:
    """Train every method on the same splits, measure it on held-out rows, recommend one.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n, d)
        Features.
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    rankers : dict of names and rankers, or list of rankers, optional
        Your own, unfitted, compared beside the methods. Pipelines will do.
    methods : list of str, optional
        Which of "mean", "product" (label aggregation), "loss", "balanced" (loss
        aggregation), "soft" (`SoftLabel`), "worst", "plug-in" and "one-label" (one ranker per
        label). All by default; `[]` for your own rankers alone.
    family : {"linear", "boosted", "neural"}
        What the methods are made of: `LinearRanker`, `BoostedRanker` (extra `boost`) or
        `NeuralRanker` (extra `torch`).
    preprocessor : transformer, optional
        Makes features of X, such as a `ColumnTransformer`; fitted to the training rows of
        each split, for your own rankers too. After it the linear and neural families
        standardise the features.
    folds, repeats : int
        Each repeat deals the rows into folds, and each fold is tested once. Rows are dealt
        by their labels, so that rare ones reach all folds.
    splits : list of (training rows, test rows) or splitter, optional
        In place of folds and repeats.
    tradeoffs : bool
        Whether to trace what moving weight between labels does.
    level : float
        Confidence level; methods differ where a p-value is below 1 - level.
    random_state : int or numpy Generator, optional
        Seed of folds and of rankers without one.
    n_jobs : int, optional
        Number of threads; None or -1: all cores. The answer does not depend on it. Neural
        rankers are fitted one after the other, each on all of torch's threads.
    sample_weight, groups, group_weight
        As in `auc`. A group never stands on both sides of a split.

    Returns
    -------
    Comparison

    Notes
    -----
    The recommendation follows one rule. The method with the largest mean Min AUC (the
    smallest AUC of the labels) is best. Those that are not significantly worse (corrected
    resampled t-test, Holm) are its ties. Of these the one with the mildest verdict on
    conflicts between labels that some method surely predicts is taken (balanced, undecided,
    leaning, dictated), then the simplest.

    A method that fails is listed with its reason; the others are compared without it.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> Y = X + rng.logistic(size=(400, 2)) > [0, 1]
    >>> found = iso.compare(X, Y, repeats=1, tradeoffs=False, random_state=0)
    >>> found["0 alone"].aucs.mean.round(2)
    array([0.75, 0.44])
    >>> found.recommended
    'label aggregation'
    """
    keys, model = check_methods(methods), check_family(family)
    check_level(level)
    check_count("folds", folds, least=2)
    check_count("repeats", repeats)
    threads = _threads(n_jobs)
    rng = as_generator(random_state)
    items = _checked_items(X, Y, sample_weight, groups, group_weight)
    _check_preprocessor(preprocessor)
    seed = seed_of(rng)
    notes: list[str] = []
    chosen = family_methods(
        model, _useful(keys, items, notes), items.labels.names, group_weight, seed
    )
    chosen += own_methods(rankers, seed)
    _check_chosen(chosen)
    if preprocessor is None:
        _check_numbers(chosen, items.X, family)
    notes += _ignored(chosen, items)
    if splits is None:
        parts = fold_splits(items, folds, repeats, rng)
    else:
        parts = given_splits(splits, items, parameter="splits", least=2)
    if len(parts) < FEWEST_SPLITS:
        notes.append(
            f"{len(parts)} split{'s' * (len(parts) > 1)} cannot tell much apart, and intervals are "
            "wide. Take more folds or repeats."
        )
    trials = run_trials(
        items,
        chosen,
        parts,
        _tradeoff_tasks(model, items, level, seed, notes) if tradeoffs else [],
        preprocessor=preprocessor,
        threads=None if one_at_a_time(chosen) else threads,
    )
    return assemble(
        items,
        trials,
        notes,
        family=family,
        level=level,
        n_repeats=repeats if splits is None else 0,
        seed=int(random_state) if isinstance(random_state, int | np.integer) else None,
        preprocessor=preprocessor,
    )


def _checked_items(
    X: Any,
    Y: ArrayLike | Items,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
) -> Items:
    items = Items.checked(
        Y,
        X=as_features(X),
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    items.labels.require_binary()
    _check_size(items)
    return items


def _check_size(items: Items) -> None:
    """Enough rows, and of both classes of every label."""
    weight, table = items.sample_weight, items.labels.table
    counted = table if weight is None else table[weight > 0]
    if len(counted) < FEWEST_ROWS:
        raise ValueError(
            f"Parameter `Y` should have at least {FEWEST_ROWS} rows (of positive weight) to "
            f"compare methods on. Found {len(counted)}."
        )
    for name, column in zip(items.labels.names, counted.T, strict=True):
        positives, negatives = int((column == 1).sum()), int((column == 0).sum())
        if min(positives, negatives) < FEWEST_OF_A_CLASS:
            raise ValueError(
                f"Parameter `Y` should hold at least {FEWEST_OF_A_CLASS} positives and "
                f"{FEWEST_OF_A_CLASS} negatives of each label. Found {positives} and {negatives} "
                f"of label {name!r}. Drop the label, or bring more rows."
            )


def _check_preprocessor(preprocessor: Any) -> None:
    if preprocessor is not None and (
        isinstance(preprocessor, type) or not hasattr(preprocessor, "transform")
    ):
        raise TypeError(
            "Parameter `preprocessor` should be a transformer of scikit-learn, such as "
            f"`SimpleImputer()`. Found {preprocessor!r}."
        )


def _useful(keys: Sequence[str], items: Items, notes: list[str]) -> Sequence[str]:
    """Without the methods that are all the same where there is one label."""
    if items.labels.n_labels > 1:
        return keys
    useful = [key for key in keys if METHODS[key].for_one_label]
    if len(useful) < len(keys):
        notes.append("With one label all objectives are the same: it alone, and plug-in, are left.")
    return useful


def _tradeoff_tasks(
    family: Family, items: Items, level: float, seed: int, notes: list[str]
) -> list[Task]:
    n_labels = items.labels.n_labels
    if n_labels > MOST_LABELS:
        notes.append(f"Trade-offs are traced for at most {MOST_LABELS} labels.")
    if not 1 < n_labels <= MOST_LABELS:
        return []
    return tradeoff_tasks(family, n_labels, level, items.group_weight, seed)


def _check_chosen(chosen: list[Method]) -> None:
    if not chosen:
        raise ValueError(
            "Parameters `methods` and `rankers` should leave something to compare. Found neither."
        )
    check_distinct_names(chosen)


def _check_numbers(chosen: list[Method], X: Any, family: str) -> None:
    """Features that are standardised should be finite numbers."""
    if not any(method.standardise for method in chosen):
        return
    values = X.data if sparse.issparse(X) else X
    try:
        finite = bool(np.isfinite(np.asarray(values, dtype=np.float64)).all())
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Parameter `X` should hold numbers for family={family!r}. Found other columns "
            f"({error}). Pass a `preprocessor`, such as scikit-learn's `ColumnTransformer` with a "
            "`OneHotEncoder`."
        ) from error
    if not finite:
        raise ValueError(
            f"Parameter `X` should hold finite numbers for family={family!r}. Found NaN or "
            "infinity. Pass a `preprocessor`, such as scikit-learn's `SimpleImputer()`."
        )


def _ignored(chosen: list[Method], items: Items) -> list[str]:
    """What rankers do not take; it still counts when they are measured."""
    return [
        f"{method.name!r} is trained without `{key}`, which its `fit` does not take."
        for method in chosen
        for key in items.given
        if key not in taken_by_fit(method.ranker)
    ]


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None or (n_jobs == -1 and not isinstance(n_jobs, bool)):
        allowed = getattr(os, "sched_getaffinity", None)  # Not on every system.
        return len(allowed(0)) if allowed else os.cpu_count() or 1
    check_count("n_jobs", n_jobs)
    return n_jobs
