"""From the trials of all methods and splits to a Comparison."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._compare.families import Family
from isonomy._compare.fitting import FitSettings
from isonomy._compare.goals import Goal, mean_of_defined
from isonomy._compare.methods import CHANCE, REFERENCE, Method
from isonomy._compare.notes import label_notes, untraced
from isonomy._compare.recommend import expected_goals, paired_tests, recommend
from isonomy._compare.result import Comparison, MethodResult
from isonomy._compare.splits import blocks_left
from isonomy._compare.statistics import Resampling, SplitMean, jackknifed
from isonomy._compare.structure import RankedApart, label_structure, surely_predicted
from isonomy._compare.summed_rankings import SummedRankings
from isonomy._compare.suspect_features import suspect_features
from isonomy._compare.trials import Attempt, Trials, label_and_conflict_aucs, warning_notes
from isonomy._compare.verdicts import conflict_units, severity, verdicts
from isonomy._core import FloatArray, Items, LossAggregation
from isonomy._rankers import Split
from isonomy.theory import effective_weights


def assemble(
    items: Items,
    trials: Trials,
    notes: Sequence[str],
    *,
    settings: FitSettings,
    families: Sequence[Family],
    unused: Collection[str],
    texts: Sequence[str],
    level: float,
    n_repeats: int,
    seed: int | None,
) -> Comparison:
    """Everything that a comparison says, in the order of its table."""
    goal = settings.goal
    trials, numbers = _in_table_order(items, trials, goal, level)
    methods, names = trials.methods, items.labels.names
    fold, scores = _first_repeat_scores(trials, len(items))
    replicates, resampling = _replicates(items, trials, numbers, scores, level)
    results = _method_results(items, trials, goal, numbers, replicates, resampling, fold, scores)

    aucs = SplitMean(
        *(
            np.array([getattr(each.aucs, end) for each in results])
            for end in ("mean", "low", "high")
        )
    )
    predictable = surely_predicted(items, methods, aucs.low)
    severities = [
        severity(result.verdicts, result.conflicts.mean, predictable) for result in results
    ]
    found = recommend(methods, replicates.aucs, goal, resampling, severities)
    # Where one ranking serves all labels, nobody looks for others.
    apart = None if found.above_chance else _apart(items, trials, replicates, resampling)
    structure = label_structure(items, methods, aucs, apart)
    # Where nothing serves all labels, the advice names those that nothing predicts.
    unpredicted = ~predictable & found.above_chance
    table = items.labels.table
    observed = ~np.isnan(table)
    features = tuple(name for name in feature_names(items.X) if name not in unused)
    return Comparison(
        names=names,
        methods=tuple(results),
        goal=goal,
        recommended=methods[found.index].name,
        decision=found,
        structure=structure,
        features=features,
        best=None,
        importances=(),
        suspects=suspect_features(items.X, items, texts=texts),
        notes=(
            *notes,
            *label_notes(items.labels, items.group, numbers.aucs, unpredicted, results),
            *untraced(trials.tradeoffs),
        ),
        tests=paired_tests(goal.linear(replicates.aucs), resampling, found.best),
        tradeoffs=tuple(each.value for each in trials.tradeoffs if each.failed is None),
        family=" and ".join(family.key for family in families),
        tuned=settings.tune,
        level=level,
        priors=np.nansum(table, axis=0) / observed.sum(axis=0),
        missing=1.0 - observed.mean(axis=0),
        n_rows=len(items),
        n_features=len(features),
        n_splits=len(trials.splits),
        n_repeats=n_repeats,
        grouped=items.group is not None,
        weighted=items.sample_weight is not None,
        seed=seed,
        fold=fold,
        scores=scores,
        split_aucs=numbers.aucs,
        split_conflicts=numbers.conflicts,
        split_ndcgs=numbers.ndcgs,
        split_top_conflicts=numbers.top_conflicts,
        _methods=tuple(methods),
        _settings=settings,
        _sparse=trials.sparse_features,
    )


def _apart(
    items: Items, trials: Trials, replicates: _SplitNumbers, resampling: Resampling
) -> RankedApart:
    """What rankings for some of the labels give them: for all methods at once, because of many
    methods one is surely above chance, by itself, for whatever label.
    """
    many = resampling.for_all_of(len(trials.methods) - 1)
    aucs = many.estimate(np.moveaxis(replicates.aucs, 1, 0), (0.0, 1.0))
    return RankedApart(aucs, SummedRankings(items, trials, many))


def feature_names(X: Any) -> tuple[str, ...]:
    """The names of the columns, or their numbers; of texts, one."""
    if hasattr(X, "columns"):
        return tuple(map(str, X.columns))
    return tuple(map(str, range(X.shape[1]))) if len(X.shape) > 1 else ("text",)


def _replicates(
    items: Items, trials: Trials, numbers: _SplitNumbers, scores: FloatArray, level: float
) -> tuple[_SplitNumbers, Resampling]:
    """Numbers whose spread says how far their means may be off: those of the splits.

    Of one split alone, jackknife values of blocks of its test rows, which do not know the luck of
    training.
    """
    if len(trials.splits) > 1:
        return numbers, Resampling(_ratio(trials), level)
    test = replace(items, X=None).take(trials.splits[0].test)
    left = blocks_left(test)
    aucs, conflicts = [], []
    for m in range(len(trials.methods)):
        whole = numbers.aucs[m, 0], numbers.conflicts[m, 0]
        found = [whole] * len(left)
        if numbers.failed[m] is None:
            ranked = replace(test, scores=scores[m, trials.splits[0].test])
            found = [label_and_conflict_aucs(ranked.take(rows)) for rows in left]
        aucs.append(jackknifed(whole[0], [each[0] for each in found]))
        conflicts.append(jackknifed(whole[1], [each[1] for each in found]))
    made = replace(numbers, aucs=np.array(aucs), conflicts=np.array(conflicts))
    return made, Resampling(0.0, level)


def _ratio(trials: Trials) -> float:
    """Test rows to training rows."""
    sizes = np.array([(each.test.size, each.train.size) for each in trials.splits], np.float64)
    return float(sizes[:, 0].sum() / sizes[:, 1].sum())


@dataclass(frozen=True, eq=False)
class _SplitNumbers:
    """Why methods failed; AUCs and nDCGs (M, S, K), conflicts (M, S, K, K), NaN if they did."""

    failed: list[str | None]
    aucs: FloatArray
    conflicts: FloatArray
    ndcgs: FloatArray
    top_conflicts: FloatArray

    @classmethod
    def of(cls, trials: Trials, n_labels: int) -> _SplitNumbers:
        failed = [_why_failed(attempts) for attempts in trials.attempts]
        shape = (len(trials.methods), len(trials.splits), n_labels)
        aucs, conflicts = np.full(shape, np.nan), np.full((*shape, n_labels), np.nan)
        ndcgs, top_conflicts = np.full(shape, np.nan), np.full_like(conflicts, np.nan)
        for m, attempts in enumerate(trials.attempts):
            if failed[m] is None:
                aucs[m] = [attempt.value.aucs for attempt in attempts]
                conflicts[m] = [attempt.value.conflicts for attempt in attempts]
                ndcgs[m] = [attempt.value.ndcgs for attempt in attempts]
                top_conflicts[m] = [attempt.value.top_conflicts for attempt in attempts]
        return cls(failed, aucs, conflicts, ndcgs, top_conflicts)


def _why_failed(attempts: list[Attempt]) -> str | None:
    reasons = [attempt.failed for attempt in attempts if attempt.failed is not None]
    if not reasons or len(reasons) == len(attempts):
        return reasons[0] if reasons else None
    return f"In {len(reasons)} of {len(attempts)} splits: {reasons[0]}"


def _in_table_order(
    items: Items, trials: Trials, goal: Goal, level: float
) -> tuple[Trials, _SplitNumbers]:
    """Methods by the expected goal; those that break a promise later, the nearest to it first;
    those that failed last.
    """
    methods, attempts = trials.methods, trials.attempts
    numbers = _SplitNumbers.of(trials, items.labels.n_labels)
    trained = [m for m, method in enumerate(methods) if method.kind != CHANCE.key]
    if all(numbers.failed[m] for m in trained):
        first = trained[0]
        raise ValueError(
            f"No method could be trained. {methods[first].name!r}: {numbers.failed[first]}"
            + ("" if len(trained) == 1 else f" ({len(trained) - 1} others failed as well.)")
        )
    goals = expected_goals(numbers.aucs, goal, Resampling(_ratio(trials), level))
    broken = goal.broken(mean_of_defined(numbers.aucs))
    goals = np.where(broken > 0, -1.0 - broken, goals)
    if np.isnan(goals[trained]).all():
        where = "" if items.group is None else " inside one group"
        raise ValueError(
            f"Parameter `Y` should hold both classes of every label{where} among the test rows of "
            "some split. Found none. Use fewer folds, drop the rarest label, or bring more rows."
        )
    order = sorted(
        range(len(methods)),
        key=lambda m: (numbers.failed[m] is not None, -np.nan_to_num(goals[m], nan=-9.0), m),
    )
    trials = replace(
        trials, methods=[methods[m] for m in order], attempts=[attempts[m] for m in order]
    )
    return trials, _SplitNumbers.of(trials, items.labels.n_labels)


def _first_repeat_scores(trials: Trials, n: int) -> tuple[NDArray[np.int64], FloatArray]:
    """The split of the first repeat that tested each row, and its place there by each method."""
    n_splits, fold = first_repeat(trials.splits, n)
    scores = np.full((len(trials.methods), n), np.nan)
    for m, attempts in enumerate(trials.attempts):
        if _why_failed(attempts) is None:
            for split, attempt in zip(trials.splits[:n_splits], attempts, strict=False):
                scores[m, split.test] = attempt.value.places
    return fold, scores


def first_repeat(splits: Sequence[Split], n: int) -> tuple[int, NDArray[np.int64]]:
    """How many splits from the first on test no row twice, and each row's split there (or -1)."""
    fold = np.full(n, -1, np.int64)
    for i, split in enumerate(splits):
        if (fold[split.test] >= 0).any():
            return i, fold
        fold[split.test] = i
    return len(splits), fold


def _method_results(
    items: Items,
    trials: Trials,
    goal: Goal,
    numbers: _SplitNumbers,
    replicates: _SplitNumbers,
    resampling: Resampling,
    fold: NDArray[np.int64],
    scores: FloatArray,
) -> list[MethodResult]:
    kinds = [method.kind for method in trials.methods]
    reference: Any = np.nan
    if REFERENCE in kinds:
        reference = replicates.conflicts[kinds.index(REFERENCE)]
    units = conflict_units(items.labels.table, items.group)
    results = []
    for m, method in enumerate(trials.methods):
        values, conflicts = replicates.aucs[m], replicates.conflicts[m]
        aucs = resampling.estimate(values, (0.0, 1.0))
        between = resampling.estimate(conflicts, (0.0, 1.0))
        results.append(
            MethodResult(
                name=method.name,
                kind=method.kind,
                family=None if method.family is None else method.family.key,
                meaning=method.entry.meaning,
                failed=numbers.failed[m],
                notes=warning_notes(trials.attempts[m]),
                aucs=aucs,
                ndcgs=resampling.estimate(numbers.ndcgs[m], (0.0, 1.0)),
                diff=resampling.widest_gap(values),
                min=resampling.smallest(values),
                goal=(
                    resampling.smallest(values)
                    if goal.kind == "min"
                    else resampling.estimate(goal.linear(values), (0.0, 1.0))
                ),
                conflicts=between,
                top_conflicts=resampling.estimate(numbers.top_conflicts[m], (0.0, 1.0)),
                conflicts_pooled=_pooled_conflicts(items, scores[m], fold),
                relative=resampling.estimate(conflicts - reference, (-1.0, 1.0)),
                verdicts=verdicts(between, aucs, units),
                effective=_effective_weights(items, method, trials.attempts[m]),
            )
        )
    return results


def _pooled_conflicts(items: Items, places: FloatArray, fold: NDArray[np.int64]) -> FloatArray:
    """Conflict AUCs over all tested rows; only rows of one split are compared."""
    rows = np.flatnonzero(~np.isnan(places))
    if rows.size == 0:
        return np.full((items.labels.n_labels,) * 2, np.nan)
    group = fold if items.group is None else items.group
    tested = replace(items, X=None, group=group, scores=places).take(rows)
    return label_and_conflict_aucs(tested)[1]


def _effective_weights(items: Items, method: Method, attempts: list[Attempt]) -> FloatArray:
    """Effective weights of the labels; NaN where the objective has none."""
    objective = method.objective
    found = [attempt.value.label_weights for attempt in attempts if attempt.failed is None]
    if len(found) == len(attempts) and all(weights is not None for weights in found):
        # Loss aggregation with these weights has the same optimum.
        objective = LossAggregation(np.mean(found, axis=0).tolist())
    try:
        return effective_weights(items, objective)  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError):
        return np.full(items.labels.n_labels, np.nan)
