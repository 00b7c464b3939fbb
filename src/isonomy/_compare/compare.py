"""Which method for my data?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from isonomy._compare.assemble import assemble
from isonomy._compare.methods import (
    FAMILIES,
    Method,
    alone,
    check_family,
    check_kinds,
    distinct_names,
    family_methods,
    family_ranker,
    own_methods,
    seed_of,
    takes,
)
from isonomy._compare.result import Comparison
from isonomy._compare.splits import fold_splits, given_splits
from isonomy._compare.tradeoffs import MOST_LABELS, tradeoff_tasks
from isonomy._compare.trials import Data, run_methods
from isonomy._core import (
    GroupWeight,
    Labels,
    as_generator,
    as_groups,
    as_label_table,
    as_weight,
    check_choice,
    check_count,
    check_level,
)

# Fewer rows or positives say nothing about which method is better.
FEWEST_ROWS = 20
FEWEST_OF_A_CLASS = 2
# Fewer splits give a t-test too few degrees of freedom to tell much.
FEWEST_SPLITS = 4


def compare(
    X: Any,
    Y: ArrayLike,
    *,
    rankers: Mapping[str, Any] | Sequence[Any] | None = None,
    methods: Sequence[str] | None = None,
    family: str = "linear",
    preprocessor: Any = None,
    folds: int = 5,
    repeats: int = 3,
    splits: Any = None,
    tradeoffs: bool = True,
    level: float = 0.95,
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
        aggregation), "worst", "plug-in" and "one-label" (one ranker per label). All by
        default; `[]` for your own rankers alone.
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
    check_choice("family", family, FAMILIES)
    kinds = check_kinds(methods)
    check_family(family)
    check_level(level)
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    check_count("folds", folds, least=2)
    check_count("repeats", repeats)
    threads = _threads(n_jobs)
    rng = as_generator(random_state)
    labels, data = _checked(X, Y, sample_weight, groups, group_weight, preprocessor)
    seed = seed_of(rng)
    notes = []
    if labels.n_labels == 1 and (dropped := set(kinds) - {"one-label", "plug-in"}):
        kinds = tuple(kind for kind in kinds if kind not in dropped)
        notes.append("With one label all objectives are the same: it alone, and plug-in, are left.")
    chosen = family_methods(family, kinds, labels.names, group_weight, seed)
    chosen += own_methods(rankers, seed)
    _check_chosen(chosen, data, family)
    notes += _ignored(chosen, data)
    if splits is None:
        parts = fold_splits(labels, data.groups, folds, repeats, rng)
    else:
        parts = given_splits(splits, data.Y, data.groups)
    if len(parts) < FEWEST_SPLITS:
        notes.append(
            f"{len(parts)} split{'s' * (len(parts) > 1)} cannot tell much apart, and intervals are "
            "wide. Take more folds or repeats."
        )
    tasks = []
    if tradeoffs and 1 < labels.n_labels <= MOST_LABELS:
        ranker = family_ranker(family, None, group_weight, seed, warm_start=family == "linear")
        line = Method("loss aggregation", "loss", None, ranker, standardise=family != "boosted")
        tasks = tradeoff_tasks(line, labels.n_labels, level, linear=family == "linear")
    elif tradeoffs and labels.n_labels > MOST_LABELS:
        notes.append(f"Trade-offs are traced for at most {MOST_LABELS} labels.")
    outcomes, traced, is_sparse = run_methods(
        data, chosen, parts, None if alone(chosen) else threads, tasks
    )
    return assemble(
        data,
        chosen,
        parts,
        outcomes,
        traced,
        notes,
        family=family,
        level=level,
        is_sparse=is_sparse,
        n_repeats=repeats if splits is None else 0,
        seed=int(random_state) if isinstance(random_state, int | np.integer) else None,
    )


def _checked(
    X: Any,
    Y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
    preprocessor: Any,
) -> tuple[Labels, Data]:
    labels = Labels.from_table(Y)
    labels.require_binary()
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    X = X.tocsr() if sparse.issparse(X) else X
    n = len(labels)
    shape = getattr(X, "shape", None)
    if type(X).__name__ == "LazyFrame" or shape is None or len(shape) != 2:
        raise TypeError(
            "Parameter `X` should be a table (n, d): an array, a data frame or a sparse matrix. "
            f"Found {type(X).__name__}" + ("." if shape is None else f" of shape {shape}.")
        )
    if shape[0] != n:
        raise ValueError(
            f"Parameters `X` and `Y` should have the same number of rows. Found {shape[0]} and {n}."
        )
    if preprocessor is not None and (
        isinstance(preprocessor, type) or not hasattr(preprocessor, "transform")
    ):
        raise TypeError(
            "Parameter `preprocessor` should be a transformer of scikit-learn, such as "
            f"`SimpleImputer()`. Found {preprocessor!r}."
        )
    weight = as_weight(sample_weight, n)
    table = as_label_table(Y)[0].astype(np.float64)
    _check_size(table, labels.names, weight)
    codes = as_groups(groups, n)
    return labels, Data(X, table, labels.names, weight, codes, group_weight, preprocessor)


def _check_size(table: Any, names: tuple[str, ...], weight: Any) -> None:
    """Enough rows, and of both classes of every label."""
    counted = table if weight is None else table[weight > 0]
    if len(counted) < FEWEST_ROWS:
        raise ValueError(
            f"Parameter `Y` should have at least {FEWEST_ROWS} rows (of positive weight) to "
            f"compare methods on. Found {len(counted)}."
        )
    for name, column in zip(names, counted.T, strict=True):
        positives, negatives = int((column == 1).sum()), int((column == 0).sum())
        if min(positives, negatives) < FEWEST_OF_A_CLASS:
            raise ValueError(
                f"Parameter `Y` should hold at least {FEWEST_OF_A_CLASS} positives and "
                f"{FEWEST_OF_A_CLASS} negatives of each label. Found {positives} and {negatives} "
                f"of label {name!r}. Drop the label, or bring more rows."
            )


def _check_chosen(chosen: list[Method], data: Data, family: str) -> None:
    if not chosen:
        raise ValueError(
            "Parameters `methods` and `rankers` should leave something to compare. Found neither."
        )
    distinct_names(chosen)
    if data.preprocessor is not None or not any(method.standardise for method in chosen):
        return
    X = data.X.data if sparse.issparse(data.X) else data.X
    try:
        finite = bool(np.isfinite(np.asarray(X, dtype=np.float64)).all())
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


def _ignored(chosen: list[Method], data: Data) -> list[str]:
    """What rankers do not take; it still counts when they are measured."""
    given = {"sample_weight": data.weight, "groups": data.groups}
    return [
        f"{method.name!r} is trained without `{key}`, which its `fit` does not take."
        for method in chosen
        for key, values in given.items()
        if values is not None and key not in takes(method.ranker)
    ]


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None or (n_jobs == -1 and not isinstance(n_jobs, bool)):
        allowed = getattr(os, "sched_getaffinity", None)  # Not on every system.
        return len(allowed(0)) if allowed else os.cpu_count() or 1
    check_count("n_jobs", n_jobs)
    return n_jobs
