"""From the trials of all methods and splits to a Comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._compare.methods import REFERENCE, Method
from isonomy._compare.recommend import best_method, paired_tests, recommend
from isonomy._compare.result import Comparison, MethodResult
from isonomy._compare.statistics import Resampling
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
    family: str,
    level: float,
    n_repeats: int,
    seed: int | None,
    preprocessor: Any,
) -> Comparison:
    """Everything that a comparison says, in the order of its table."""
    sizes = np.array([(split.test.size, split.train.size) for split in trials.splits], np.float64)
    resampling = Resampling(float(sizes[:, 0].sum() / sizes[:, 1].sum()), level)
    trials, numbers = _in_table_order(items, trials, resampling)
    methods, names = trials.methods, items.labels.names
    fold, scores = _first_repeat_scores(trials, len(items))
    results = _method_results(items, trials, numbers, resampling, fold, scores)

    mean_min = np.array([float(result.min.mean) for result in results])
    best = best_method(mean_min, methods)
    tests = paired_tests(numbers.aucs.min(axis=2), resampling, best)
    lows = np.array([result.aucs.low for result in results])
    predictable = (np.nan_to_num(lows) > 0.5).any(axis=0)
    found = recommend(
        methods,
        best,
        mean_min,
        tests.versus_best,
        [severity(result.verdicts, result.conflicts.mean, predictable) for result in results],
        level=level,
        n_splits=len(trials.splits),
        n_labels=len(names),
    )
    table = items.labels.table
    observed = ~np.isnan(table)
    return Comparison(
        names=names,
        methods=tuple(results),
        recommended=methods[found.index].name,
        tied_with=tuple(methods[m].name for m in found.tied),
        reason=found.reason,
        notes=(*notes, *_label_notes(names, numbers, predictable, results), *_untraced(trials)),
        tests=tests,
        tradeoffs=tuple(each.value for each in trials.tradeoffs if each.failed is None),
        family=family,
        level=level,
        priors=np.nansum(table, axis=0) / observed.sum(axis=0),
        missing=1.0 - observed.mean(axis=0),
        n_rows=len(items),
        n_features=int(items.X.shape[1]) if len(items.X.shape) > 1 else 1,
        n_splits=len(trials.splits),
        n_repeats=n_repeats,
        grouped=items.group is not None,
        weighted=items.sample_weight is not None,
        seed=seed,
        fold=fold,
        scores=scores,
        split_aucs=numbers.aucs,
        split_conflicts=numbers.conflicts,
        _methods=tuple(methods),
        _preprocessor=preprocessor,
        _sparse=trials.sparse_features,
    )


@dataclass(frozen=True, eq=False)
class _SplitNumbers:
    """Why methods failed, AUCs (M, S, K) and conflict AUCs (M, S, K, K), NaN where they did."""

    failed: list[str | None]
    aucs: FloatArray
    conflicts: FloatArray

    @classmethod
    def of(cls, trials: Trials, n_labels: int) -> _SplitNumbers:
        failed = [_why_failed(attempts) for attempts in trials.attempts]
        shape = (len(trials.methods), len(trials.splits), n_labels)
        aucs, conflicts = np.full(shape, np.nan), np.full((*shape, n_labels), np.nan)
        for m, attempts in enumerate(trials.attempts):
            if failed[m] is None:
                aucs[m] = [attempt.value.aucs for attempt in attempts]
                conflicts[m] = [attempt.value.conflicts for attempt in attempts]
        return cls(failed, aucs, conflicts)


def _why_failed(attempts: list[Attempt]) -> str | None:
    reasons = [attempt.failed for attempt in attempts if attempt.failed is not None]
    if not reasons or len(reasons) == len(attempts):
        return reasons[0] if reasons else None
    return f"In {len(reasons)} of {len(attempts)} splits: {reasons[0]}"


def _in_table_order(
    items: Items, trials: Trials, resampling: Resampling
) -> tuple[Trials, _SplitNumbers]:
    """Methods by their Min AUC, those that failed last; some must have one."""
    methods, attempts = trials.methods, trials.attempts
    numbers = _SplitNumbers.of(trials, items.labels.n_labels)
    if all(numbers.failed):
        raise ValueError(
            f"No method could be trained. {methods[0].name!r}: {numbers.failed[0]}"
            + ("" if len(methods) == 1 else f" ({len(methods) - 1} others failed as well.)")
        )
    mean_min = np.array([resampling.smallest(values).mean for values in numbers.aucs])
    if np.isnan(mean_min).all():
        where = "" if items.group is None else " inside one group"
        raise ValueError(
            f"Parameter `Y` should hold both classes of every label{where} among the test rows of "
            "some split. Found none. Use fewer folds, drop the rarest label, or bring more rows."
        )
    order = sorted(
        range(len(methods)),
        key=lambda m: (numbers.failed[m] is not None, -np.nan_to_num(mean_min[m], nan=-1.0), m),
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
    numbers: _SplitNumbers,
    resampling: Resampling,
    fold: NDArray[np.int64],
    scores: FloatArray,
) -> list[MethodResult]:
    kinds = [method.kind for method in trials.methods]
    reference: Any = np.nan
    if REFERENCE in kinds:
        reference = numbers.conflicts[kinds.index(REFERENCE)]
    units = conflict_units(items.labels.table, items.group)
    results = []
    for m, method in enumerate(trials.methods):
        values, conflicts = numbers.aucs[m], numbers.conflicts[m]
        aucs = resampling.estimate(values, (0.0, 1.0))
        between = resampling.estimate(conflicts, (0.0, 1.0))
        results.append(
            MethodResult(
                name=method.name,
                kind=method.kind,
                meaning=method.entry.meaning,
                failed=numbers.failed[m],
                notes=warning_notes(trials.attempts[m]),
                aucs=aucs,
                diff=resampling.widest_gap(values),
                min=resampling.smallest(values),
                conflicts=between,
                conflicts_pooled=_pooled_conflicts(items, scores[m], fold),
                relative=resampling.estimate(conflicts - reference, (-1.0, 1.0)),
                verdicts=verdicts(between, aucs.low, units),
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


def _label_notes(
    names: Sequence[str],
    numbers: _SplitNumbers,
    predictable: NDArray[np.bool_],
    results: Sequence[MethodResult],
) -> list[str]:
    """What the labels themselves make a reader careful of."""
    notes = []
    for k, name in enumerate(names):
        if not predictable[k]:
            best = max(result.aucs.mean[k] for result in results if result.failed is None)
            notes.append(
                f"No method surely predicts {name!r}: its best AUC is {best:.3f}, and the interval "
                "reaches 0.5. No way of combining labels helps there; better features may."
            )
    undefined = np.isnan(numbers.aucs).all(axis=0).reshape(-1, len(names))
    return notes + [
        f"{name!r} has too few rows of one class: {int(count)} of {len(undefined)} splits "
        "could not measure it."
        for name, count in zip(names, undefined.sum(axis=0), strict=True)
        if count
    ]


def _untraced(trials: Trials) -> list[str]:
    reasons = [attempt.failed for attempt in trials.tradeoffs if attempt.failed is not None]
    return [f"Trade-offs could not be traced. {reasons[0]}"] if reasons else []
