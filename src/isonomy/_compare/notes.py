"""What makes a reader careful of a comparison: the sentences after 'Note'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isonomy._audit import AT_CHANCE
from isonomy._compare.enough_rows import groups_of_both_classes
from isonomy._compare.methods import CHANCE
from isonomy._compare.sentences import say
from isonomy._core import FloatArray, Labels
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._compare.result import MethodResult
    from isonomy._compare.trials import Attempt

# With fewer rows of a class, a label's numbers are rough.
FEW_OF_A_CLASS = 30
# Likewise groups in which both classes of a label meet.
FEW_GROUPS = 10
# Labels that a note names.
MOST_LABELS = 8


def label_notes(
    labels: Labels,
    group: NDArray[np.int64] | None,
    aucs: FloatArray,
    unpredicted: NDArray[np.bool_],
    results: Sequence[MethodResult],
) -> Iterator[str]:
    """What the labels themselves make a reader careful of; `aucs` (M, S, K) are of every split.

    `unpredicted` are those that no method surely predicts, where nothing else says so.
    """
    names = [repr(name) for name in labels.names]
    table = labels.table
    rarer = np.minimum((table == 1).sum(axis=0), (table == 0).sum(axis=0))
    few = [f"{names[k]} {rarer[k]}" for k in np.flatnonzero(rarer < FEW_OF_A_CLASS)]
    if few:
        yield say("few of a class", labels=listed(few, MOST_LABELS))
    if group is not None:
        groups = groups_of_both_classes(table, group)
        few = [f"{names[k]} {groups[k]}" for k in np.flatnonzero(groups < FEW_GROUPS)]
        if few:
            yield say("few groups", labels=listed(few, MOST_LABELS))
    yield from _unpredicted(names, np.flatnonzero(unpredicted), results)
    undefined = np.isnan(aucs).all(axis=0)
    lacking = undefined.sum(axis=0)
    if lacking.any():
        counted = [f"{names[k]} ({lacking[k]})" for k in np.flatnonzero(lacking)]
        yield say("not measured", labels=listed(counted, MOST_LABELS), n=aucs.shape[1])


def _unpredicted(
    names: Sequence[str], which: NDArray[np.int64], results: Sequence[MethodResult]
) -> Iterator[str]:
    """Labels that no method predicts, and those of which too few rows tell whether one does."""
    said: dict[str, list[str]] = {"not predicted": [], "perhaps predicted": []}
    for k in which:
        best, rows_would_tell = best_auc(results, k)
        kind = "perhaps predicted" if rows_would_tell else "not predicted"
        said[kind].append(f"{names[k]} (best AUC {best:.3f})")
    for kind, labels in said.items():
        if labels:
            yield say(kind, labels=listed(labels, MOST_LABELS))


def best_auc(results: Sequence[MethodResult], k: int) -> tuple[float, bool]:
    """The best AUC that a method gives a label, and whether more rows might show it to be good."""
    best = max((each.aucs for each in results if _measured(each)), key=lambda a: a.mean[k])
    return float(best.mean[k]), not best.high[k] <= AT_CHANCE


def untraced(tradeoffs: Sequence[Attempt]) -> Iterator[str]:
    """Why there are no trade-offs, where there should be."""
    reasons = [attempt.failed for attempt in tradeoffs if attempt.failed is not None]
    if reasons:
        yield say("untraced", why=reasons[0])


def _measured(result: MethodResult) -> bool:
    return result.failed is None and result.kind != CHANCE.key
