"""From the outcomes of all splits to a Comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isonomy._compare.methods import Method
from isonomy._compare.recommend import best_method, paired_tests, recommend
from isonomy._compare.result import Comparison, MethodResult
from isonomy._compare.splits import Split, first_repeat
from isonomy._compare.statistics import Resampling
from isonomy._compare.tradeoffs import TradeOff
from isonomy._compare.trials import Data, Outcome, measured, warnings_told
from isonomy._compare.verdicts import conflict_units, severity, verdicts
from isonomy._core import FloatArray, LossAggregation
from isonomy.theory import effective_weights


def assemble(
    data: Data,
    methods: list[Method],
    splits: list[Split],
    outcomes: list[list[Outcome]],
    traced: Sequence[Any],
    notes: list[str],
    *,
    family: str,
    level: float,
    is_sparse: bool,
    n_repeats: int,
    seed: int | None,
) -> Comparison:
    """Everything that a comparison says, in the order of its table."""
    failed = [_why_failed(found) for found in outcomes]
    if all(failed):
        raise ValueError(
            f"No method could be trained. {methods[0].name!r}: {failed[0]}"
            + ("" if len(methods) == 1 else f" ({len(methods) - 1} others failed as well.)")
        )
    sizes = np.array([(split.test.size, split.train.size) for split in splits], np.float64)
    resampling = Resampling(float(sizes[:, 0].sum() / sizes[:, 1].sum()), level)
    split_aucs, split_conflicts = _stacked(outcomes, failed, data.Y.shape[1])
    mean_min = resampling.estimate(split_aucs.min(axis=2).T, (0.0, 1.0)).mean
    order = sorted(
        range(len(methods)),
        key=lambda m: (failed[m] is not None, -np.nan_to_num(mean_min[m], nan=-1.0), m),
    )
    methods, outcomes = [methods[m] for m in order], [outcomes[m] for m in order]
    failed, mean_min = [failed[m] for m in order], mean_min[order]
    split_aucs, split_conflicts = split_aucs[order], split_conflicts[order]
    _check_measured(mean_min, data)

    kept, fold = first_repeat(splits, len(data.Y))
    scores = np.full((len(methods), len(data.Y)), np.nan)
    for m, reason in enumerate(failed):
        for s in range(kept if reason is None else 0):
            scores[m, splits[s].test] = outcomes[m][s].places
    kinds = [method.kind for method in methods]
    reference = split_conflicts[kinds.index("mean")] if "mean" in kinds else None
    units = conflict_units(data.Y, data.groups)
    results = []
    for m, method in enumerate(methods):
        values, conflicts = split_aucs[m], split_conflicts[m]
        aucs = resampling.estimate(values, (0.0, 1.0))
        between = resampling.estimate(conflicts, (0.0, 1.0))
        relative = conflicts - (np.nan if reference is None else reference)
        results.append(
            MethodResult(
                name=method.name,
                kind=method.kind,
                failed=failed[m],
                notes=warnings_told(outcomes[m]),
                aucs=aucs,
                diff=resampling.estimate(np.ptp(values, axis=1), (0.0, 1.0)),
                min=resampling.estimate(values.min(axis=1), (0.0, 1.0)),
                conflicts=between,
                conflicts_pooled=_pooled(data, scores[m], fold),
                relative=resampling.estimate(relative, (-1.0, 1.0)),
                verdicts=verdicts(between, aucs.low, units),
                effective=_effective(data, method, outcomes[m]),
            )
        )

    best = best_method(mean_min, methods)
    tests = paired_tests(split_aucs.min(axis=2), resampling, best)
    lows = np.array([result.aucs.low for result in results])
    predictable = (np.nan_to_num(lows) > 0.5).any(axis=0)
    found = recommend(
        methods,
        best,
        mean_min,
        tests.versus_best,
        [severity(result.verdicts, result.conflicts.mean, predictable) for result in results],
        level=level,
        n_splits=len(splits),
        n_labels=len(data.names),
    )
    observed = ~np.isnan(data.Y)
    return Comparison(
        names=data.names,
        methods=tuple(results),
        recommended=methods[found.index].name,
        tied_with=tuple(methods[m].name for m in found.tied),
        reason=found.reason,
        notes=(*notes, *_about(data, split_aucs, predictable, results), *_untraced(traced)),
        tests=tests,
        tradeoffs=tuple(each for each in traced if isinstance(each, TradeOff)),
        family=family,
        level=level,
        priors=np.nansum(data.Y, axis=0) / observed.sum(axis=0),
        missing=1.0 - observed.mean(axis=0),
        n_rows=len(data.Y),
        n_features=int(data.X.shape[1]),
        n_splits=len(splits),
        n_repeats=n_repeats,
        grouped=data.groups is not None,
        weighted=data.weight is not None,
        seed=seed,
        fold=fold,
        scores=scores,
        split_aucs=split_aucs,
        split_conflicts=split_conflicts,
        _methods=tuple(methods),
        _preprocessor=data.preprocessor,
        _sparse=is_sparse,
    )


def _why_failed(found: list[Outcome]) -> str | None:
    reasons = [outcome.failed for outcome in found if outcome.failed is not None]
    if not reasons:
        return None
    return (
        reasons[0]
        if len(reasons) == len(found)
        else (f"In {len(reasons)} of {len(found)} splits: {reasons[0]}")
    )


def _stacked(
    outcomes: list[list[Outcome]], failed: list[str | None], n_labels: int
) -> tuple[FloatArray, FloatArray]:
    """AUCs (M, S, K) and conflict AUCs (M, S, K, K), NaN for methods that failed."""
    shape = (len(outcomes), len(outcomes[0]), n_labels)
    aucs, conflicts = np.full(shape, np.nan), np.full((*shape, n_labels), np.nan)
    for m, found in enumerate(outcomes):
        if failed[m] is None:
            aucs[m] = [outcome.aucs for outcome in found]
            conflicts[m] = [outcome.conflicts for outcome in found]
    return aucs, conflicts


def _check_measured(mean_min: FloatArray, data: Data) -> None:
    if np.isnan(mean_min).all():
        where = "" if data.groups is None else " inside one group"
        raise ValueError(
            f"Parameter `Y` should hold both classes of every label{where} among the test rows of "
            "some split. Found none. Use fewer folds, drop the rarest label, or bring more rows."
        )


def _pooled(data: Data, places: FloatArray, fold: Any) -> FloatArray:
    """Conflict AUCs over all tested rows; only rows of one split are compared."""
    rows = np.flatnonzero(~np.isnan(places))
    n_labels = len(data.names)
    if rows.size == 0:
        return np.full((n_labels, n_labels), np.nan)
    groups = fold if data.groups is None else data.groups
    whole = Data(None, data.Y, data.names, data.weight, groups, data.group_weight, None)
    return measured(whole, rows, places[rows])[1]


def _effective(data: Data, method: Method, found: list[Outcome]) -> FloatArray:
    """Shares of the pull on the ranking; NaN where the objective has none."""
    objective = method.objective
    pulls = [outcome.pull for outcome in found if outcome.pull is not None]
    if pulls and len(pulls) == len(found):
        # Loss aggregation with these weights has the same optimum.
        objective = LossAggregation(np.mean(pulls, axis=0).tolist())
    try:
        return effective_weights(
            data.Y,
            objective,  # type: ignore[arg-type]
            sample_weight=data.weight,
            groups=data.groups,
            group_weight=data.group_weight,
        )
    except (ValueError, TypeError, AttributeError):
        return np.full(len(data.names), np.nan)


def _about(
    data: Data, split_aucs: FloatArray, predictable: Any, results: Sequence[MethodResult]
) -> list[str]:
    """What the labels themselves make a reader careful of."""
    notes = []
    for k, name in enumerate(data.names):
        if not predictable[k]:
            best = max(result.aucs.mean[k] for result in results if result.failed is None)
            notes.append(
                f"No method surely predicts {name!r}: its best AUC is {best:.3f}, and the interval "
                "reaches 0.5. No way of combining labels helps there; better features may."
            )
    undefined = np.isnan(split_aucs).all(axis=0)
    times = np.atleast_1d(undefined.sum(axis=0))
    return notes + [
        f"{name!r} has too few rows of one class: {int(count)} of {split_aucs.shape[1]} splits "
        "could not measure it and do not count for Diff and Min."
        for name, count in zip(data.names, times, strict=True)
        if count
    ]


def _untraced(traced: Sequence[Any]) -> list[str]:
    reasons = [each for each in traced if isinstance(each, str)]
    return [f"Trade-offs could not be traced. {reasons[0]}"] if reasons else []
