"""Which method for my data?"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone

from isonomy._compare.assemble import assemble
from isonomy._compare.enough_rows import check_enough_rows
from isonomy._compare.families import AUTO, WIDE, Family, check_families, mixed_family
from isonomy._compare.fitting import FitSettings, one_at_a_time, seed_of
from isonomy._compare.goals import check_goal
from isonomy._compare.methods import (
    Method,
    chance,
    check_methods,
    family_methods,
    goal_entries,
)
from isonomy._compare.own_rankers import check_distinct_names, own_methods
from isonomy._compare.recommend import FEWEST_SPLITS
from isonomy._compare.result import Comparison
from isonomy._compare.sentences import say
from isonomy._compare.splits import comparison_splits, default_repeats
from isonomy._compare.table_features import (
    as_table_or_texts,
    family_encoder,
    needs_encoder,
    unused_columns,
)
from isonomy._compare.tradeoffs import MOST_LABELS, tradeoff_tasks
from isonomy._compare.trials import Task, run_trials
from isonomy._compare.useful_methods import check_families_of, useful_methods
from isonomy._core import (
    GroupWeight,
    Items,
    as_generator,
    check_count,
    check_flag,
    check_level,
    check_same_index,
)
from isonomy._infra import collected_warnings
from isonomy._metrics import DEFAULT_LEVEL
from isonomy._rankers import feature_importances, taken_by_fit

# A preprocessor by name: what the command line makes of a table.
TABLE = "table"
# With more numbers as features, fits come one after the other: each has cores to use, and a copy.
LARGE = 1 << 25


def compare(
    X: Any,
    Y: ArrayLike | Items,
    *,
    rankers: Mapping[str, Any] | Sequence[Any] | None = None,
    methods: Sequence[str] | None = None,
    family: str | Sequence[str] = AUTO,
    goal: str | Mapping[Any, float] = "min",
    at_least: Mapping[Any, float] | None = None,
    tune: bool = True,
    preprocessor: Any = None,
    text: Sequence[str] = (),
    folds: int = 5,
    repeats: int | None = None,
    splits: Any = None,
    tradeoffs: bool = True,
    level: float = DEFAULT_LEVEL,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> Comparison:
    """Train every method on the same splits, measure it on held-out rows, recommend one.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n, d)
        Features. In a data frame, unless you bring a `preprocessor` of your own, texts of few
        kinds, categories and dates will do, and numbers with gaps: they become features as
        `isonomy compare` makes them (your own `rankers` get the table as it is). With a
        `preprocessor` also a Series, list or array of one text per row.
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    rankers : dict of names and rankers, or list of rankers, optional
        Your own, unfitted, compared beside the methods. Pipelines will do.
    methods : list of str, optional
        Which of "mean", "product" (label aggregation), "loss", "balanced" (loss
        aggregation), "soft" (`SoftLabel`), "worst", "plug-in", "blend", "blend-mean", "funnel"
        (one classifier per label), "lambdarank" (LightGBM's on the summed label, a baseline)
        and "one-label" (one ranker per label). All that fit by default: "funnel" where a label
        implies another, "lambdarank" in the boosted family with groups. `[]` for your own
        rankers alone.
    family : {"auto", "linear", "boosted", "neural"} or list of them
        What the methods are made of: `LinearRanker`, `BoostedRanker` (extra `boost`) or
        `NeuralRanker` (extra `torch`), and classifiers of the same kind. "auto": linear and, where
        it is installed, boosted, in one table; linear alone, with a note, where X has more than
        1,000 columns or is one text per row.
    goal : {"min", "mean"} or dict of labels and numbers
        What the recommended method is to be best at: the smallest AUC of the labels, their mean,
        or their mean weighed by what each is worth, such as ``{"click": 1, "buy": 30}``.
    at_least : dict of labels and AUCs, optional
        Promises, such as ``{"relevance": 0.75}``: of the methods that keep them on held-out rows
        the one with the largest mean AUC of the other labels is recommended.
    tune : bool
        Whether each method finds its settings (penalty; size and number of trees) inside the
        training rows of each split.
    preprocessor : transformer or "table", optional
        Makes features of X, such as a `ColumnTransformer`; fitted to the training rows of
        each split, for your own rankers too. After it the linear and neural families
        standardise the features. "table": what the command line makes of a data frame, also
        where all its columns are numbers.
    text : list of str, optional
        Columns of a data frame to take as texts: their words and pairs of neighbouring words,
        hashed and weighed by tf-idf. Without it text of many kinds is left out.
    folds, repeats : int
        Each repeat deals the rows into folds, and each fold is tested once. Rows are dealt
        by their labels, so that rare ones reach all folds. By default 3 repeats below 2,000
        rows, 2 below 10,000, else 1.
    splits : (training rows, test rows), list of these, splitter, or array of shape (n,), optional
        In place of folds and repeats. An array holds the time of each row: what came before
        is trained on, what came next is tested, `folds` times.
    tradeoffs : bool
        Whether to trace what moving weight between labels does.
    level : float
        Confidence level of intervals.
    random_state : int, numpy Generator or None
        Seed of folds and of rankers without one: same seed, same answer. None: a new one each time.
    n_jobs : int, optional
        How many fits run beside each other; -1: one per core. None: the same, but one after the
        other where the features are more than 33 million numbers, so that memory lasts. The
        answer does not depend on it. Neural rankers are fitted one after the other, each on all
        of torch's threads.
    sample_weight, groups, group_weight
        As in `auc`. A group never stands on both sides of a split.

    Returns
    -------
    Comparison

    Notes
    -----
    The recommendation follows one rule. The method with the best expected goal is taken: for
    "min" the mean of the smallest AUC over resamples, which is below the smallest mean where
    several labels are close or unsure. One that is no more than 0.002 behind may stand in for
    it, if no method is better than it on every label beyond chance: the one with the mildest
    verdict on conflicts, then the simplest. A label alone is recommended only where `goal`
    leaves the other labels out. 'chance' is a constant score: where no method is surely
    better, no single ranking serves the labels.

    A method that fails is listed with its reason; the others are compared without it.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> Y = X + rng.logistic(size=(400, 2)) > [0, 1]
    >>> found = iso.compare(X, Y, family="linear", repeats=1, tradeoffs=False, random_state=0)
    >>> found["0 alone"].aucs.mean.round(2)
    array([0.75, 0.44])
    >>> found["chance"].aucs.mean
    array([0.5, 0.5])
    """
    keys, families = check_methods(methods), check_families(family)
    check_level(level)
    check_count("folds", folds, least=2)
    if repeats is not None:
        check_count("repeats", repeats)
    check_flag("tune", tune)
    check_flag("tradeoffs", tradeoffs)
    threads = _threads(n_jobs)
    rng = as_generator(random_state)
    _check_preprocessor(preprocessor)
    check_same_index(X=X, Y=Y, splits=splits)
    X = as_table_or_texts(X, texts=preprocessor is not None)
    items = _checked_items(X, Y, sample_weight, groups, group_weight)
    aim = check_goal(goal, at_least, items.labels.names)
    settings = FitSettings(aim, tune, seed_of(rng))
    notes: list[str] = []
    if family == AUTO and len(families) > 1 and _very_wide(items.X):
        families = families[:1]
        notes.append(say("linear alone", family=families[0].key))
    entries = [*useful_methods(keys, methods is None, items, notes), *goal_entries(aim)]
    if methods is not None:
        check_families_of(entries, families)
    mixed = [mixed_family(families)] if len(families) > 1 else []
    made_of = [*families, *mixed]
    encoders, unused = _encoders(items.X, made_of, preprocessor, text, notes)
    made = family_methods(made_of, entries, items.labels.names, group_weight, settings.seed)
    chosen = [
        replace(each, prepare=encoders[each.family.key]) for each in made if each.family is not None
    ]
    given = None if preprocessor == TABLE else preprocessor
    chosen += [replace(each, prepare=given) for each in own_methods(rankers, settings.seed)]
    _check_chosen(chosen, items)
    _check_numbers(chosen, items.X)
    notes += _ignored(chosen, items)
    repeats = default_repeats(items) if repeats is None else repeats
    parts = comparison_splits(items, folds, repeats, splits, rng)
    if 1 < len(parts) < FEWEST_SPLITS:
        notes.append(say("few splits", n=len(parts)))
    trials = run_trials(
        items,
        [*chosen, chance()],
        parts,
        _tradeoff_tasks(chosen, items, level, tune, notes) if tradeoffs else [],
        settings=settings,
        threads=None if one_at_a_time(chosen) or (n_jobs is None and _large(items.X)) else threads,
    )
    found = assemble(
        items,
        trials,
        notes,
        settings=settings,
        families=families,
        unused=unused,
        texts=text,
        level=level,
        n_repeats=repeats if splits is None else 0,
        seed=int(random_state) if isinstance(random_state, int | np.integer) else None,
    )
    return _with_best(found, items)


def _with_best(found: Comparison, items: Items) -> Comparison:
    """With the recommended method fitted to all rows, and what it makes of the features."""
    with collected_warnings():
        try:
            best = found.fit_best(items.X, replace(items, X=None))
        except Exception:  # noqa: BLE001 - a ranker of the user's may fail in any way.
            return found
        try:
            importances = tuple(feature_importances(best, items.X))
        except Exception:  # noqa: BLE001 - it may call anything `coef_`.
            importances = ()
    return replace(found, best=best, importances=importances)


def _checked_items(
    X: Any,
    Y: ArrayLike | Items,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
) -> Items:
    items = Items.checked(
        Y,
        X=X,
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    items.labels.require_binary()
    check_enough_rows(items)
    return items


def _very_wide(X: Any) -> bool:
    """Whether X has very many columns, or texts that become as many."""
    return len(X.shape) == 1 or X.shape[1] > WIDE


def _encoders(
    X: Any, families: Sequence[Family], preprocessor: Any, text: Sequence[str], notes: list[str]
) -> tuple[dict[str, Any], frozenset[str]]:
    """What makes features of X for each family: the user's own, or what a data frame needs.

    Families that want the same get the same object, so that each split prepares it once. Also
    the columns of which nothing is made.
    """
    own = preprocessor is not None and not isinstance(preprocessor, str)
    needed = text or preprocessor == TABLE or any(needs_encoder(X, each) for each in families)
    if text and own:
        raise ValueError(
            "Parameters `text` and `preprocessor` cannot both be given: let the preprocessor make "
            "features of the texts, such as by scikit-learn's `TfidfVectorizer()`."
        )
    found: dict[str, Any] = {}
    for family in families:
        if own:
            found[family.key] = preprocessor
        elif needed:
            alike = [each for each in families if each.takes_gaps == family.takes_gaps]
            found[family.key] = found.get(alike[0].key) or family_encoder(family, text)
        else:
            found[family.key] = None
    encoder = next((each for each in found.values() if each is not None and not own), None)
    if encoder is not None:
        # What is wrong with the table is told at once.
        fitted = clone(encoder).fit(X)
        notes += unused_columns(
            fitted, lambda name: f"`text=[{name!r}]` (--text {shlex.quote(name)})"
        )
        return found, frozenset(fitted.dropped_)
    return found, frozenset()


def _check_preprocessor(preprocessor: Any) -> None:
    if isinstance(preprocessor, str) and preprocessor == TABLE:
        return
    if preprocessor is not None and (
        isinstance(preprocessor, type) or not hasattr(preprocessor, "transform")
    ):
        raise TypeError(
            "Parameter `preprocessor` should be a transformer of scikit-learn, such as "
            f"`SimpleImputer()`, or {TABLE!r}. Found {preprocessor!r}."
        )


def _tradeoff_tasks(
    chosen: list[Method], items: Items, level: float, tune: bool, notes: list[str]
) -> list[Task]:
    """Of the first family that trains on pairs."""
    n_labels = items.labels.n_labels
    if n_labels > MOST_LABELS:
        notes.append(say("many labels", most=MOST_LABELS))
    like = next(
        (each for each in chosen if each.family is not None and each.entry.learns == "pairs"), None
    )
    if like is None or not 1 < n_labels <= MOST_LABELS:
        return []
    return tradeoff_tasks(like, n_labels, level, tune=tune)


def _check_chosen(chosen: list[Method], items: Items) -> None:
    if not chosen:
        one = " With one label all objectives are the same: choose 'one-label'."
        raise ValueError(
            "Parameters `methods` and `rankers` should leave something to compare. Found neither."
            + one * (items.labels.n_labels == 1)
        )
    check_distinct_names(chosen)


def _check_numbers(chosen: list[Method], X: Any) -> None:
    """Features that are standardised as they come should be finite numbers."""
    bare = [each for each in chosen if each.standardise and each.prepare is None]
    if not bare or bare[0].family is None:
        return
    family = bare[0].family.key
    values = X.data if sparse.issparse(X) else X
    try:
        finite = bool(np.isfinite(np.asarray(values, dtype=np.float64)).all())
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Parameter `X` should hold numbers for family={family!r}. Found other columns "
            f"({error}). Pass a data frame, whose columns are encoded, or a `preprocessor`, such "
            "as scikit-learn's `ColumnTransformer` with a `OneHotEncoder`."
        ) from error
    if not finite:
        raise ValueError(
            f"Parameter `X` should hold finite numbers for family={family!r}. Found NaN or "
            "infinity. Pass a data frame, whose gaps are filled, a `preprocessor`, such as "
            "scikit-learn's `SimpleImputer()`, or family='boosted', which takes gaps."
        )


def _ignored(chosen: list[Method], items: Items) -> list[str]:
    """What rankers do not take; it still counts when they are measured."""
    return [
        say("not taken", name=repr(method.name), what=key)
        for method in chosen
        for key in items.given
        if key not in taken_by_fit(method.ranker)
    ]


def _large(X: Any) -> bool:
    """Whether fits should not hold their parts of the features beside each other."""
    return bool((X.nnz if sparse.issparse(X) else math.prod(X.shape)) > LARGE)


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None or (n_jobs == -1 and not isinstance(n_jobs, bool)):
        allowed = getattr(os, "sched_getaffinity", None)  # Not on every system.
        return len(allowed(0)) if allowed else os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs < 1:
        raise ValueError(
            "Parameter `n_jobs` should be a whole number >= 1, or -1 for one fit per core. Found "
            f"{n_jobs!r}."
        )
    return int(n_jobs)
