"""The audit of a sketch: the same numbers, with what the sketch does not know added to them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isonomy._audit.auc_estimates import AUCEstimates
from isonomy._audit.estimate import Estimate
from isonomy._audit.result import Audit, LabelAudit, TopShare
from isonomy._audit.sentences import say
from isonomy._audit.verdicts import Conflict, judge_conflict, label_verdict_of
from isonomy._core import FloatArray
from isonomy._counting import range_mask
from isonomy._partial import AUCSketch, Bounded


def with_bounds(found: Audit, served: AUCEstimates, sketch: AUCSketch) -> Audit:
    """What `found` says of a score from each range, with the bounds of what is in doubt."""
    if sketch.exact:
        note = say("exact sketch", items=f"{sketch.n_items:,}")
        return replace(found, notes=(note, *found.notes))
    aucs = _label_bounds(sketch)
    labels = tuple(
        _with_tops(_with_auc(label, _widened(label.auc, *ends)), sketch, k)
        for k, (label, ends) in enumerate(zip(found.labels, zip(*aucs, strict=True), strict=True))
    )
    half = float(np.nanmax(aucs[1] - aucs[0], initial=0.0) / 2)
    smallest = (np.nanmin(each, initial=1.0) for each in aucs)
    found = replace(
        found,
        labels=labels,
        minimum=_widened(found.minimum, *smallest),
        diff=_widened(found.diff, *_gap_bounds(*aucs)),
    )
    note = say(
        "bounded sketch",
        items=f"{sketch.n_items:,}",
        ranges=f"{sketch.table().first_cell.size:,}",
        half=f"{half:.1g}",
    )
    return replace(found, conflicts=_conflicts(found, served, sketch), notes=(note, *found.notes))


def _label_bounds(sketch: AUCSketch) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Low, high and value of each label's AUC; what is undefined is in the notes already."""
    found = sketch.label_aucs(warn=False)
    return np.asarray(found.low), np.asarray(found.high), np.asarray(found.value)


def _gap_bounds(low: FloatArray, high: FloatArray, value: FloatArray) -> tuple[float, float, float]:
    """Low, high and value of the largest AUC less the smallest; NaN without two of them."""
    if np.count_nonzero(~np.isnan(value)) < 2:
        return np.nan, np.nan, np.nan
    least = max(0.0, np.nanmax(low) - np.nanmin(high))
    return least, np.nanmax(high) - np.nanmin(low), np.nanmax(value) - np.nanmin(value)


def _conflicts(found: Audit, served: AUCEstimates, sketch: AUCSketch) -> tuple[Conflict, ...]:
    if len(found.labels) == 1:
        return ()
    bounds: Bounded = sketch.conflict_aucs(warn=False)
    low, high, value = map(np.asarray, (bounds.low, bounds.high, bounds.value))
    judged = []
    for number, (k, j) in enumerate(combinations(range(len(found.labels)), 2)):
        old = found.conflicts[number]
        judged.append(
            judge_conflict(
                (old.first, old.second),
                _widened(old.auc, low[k, j], high[k, j], value[k, j]),
                (found.labels[k].auc, found.labels[j].auc),
                old.items,
                float(served.conflict_units[number]),
                relation=old.relation,
            )
        )
    return tuple(judged)


def _with_auc(label: LabelAudit, auc: Estimate) -> LabelAudit:
    return replace(label, auc=auc, verdict=label_verdict_of(auc.low, auc.high))


def _widened(found: Estimate, low: float, high: float, value: float) -> Estimate:
    """The interval as far beyond the bounds as it goes beyond the estimate."""
    moved = Estimate(
        float(value),
        found.low + (value - found.value),
        found.high + (value - found.value),
        found.standard_error,
    )
    return _further(moved, float(value - low), float(high - value))


def _further(found: Estimate, below: float, above: float) -> Estimate:
    return replace(found, low=max(found.low - below, 0.0), high=min(found.high + above, 1.0))


def _with_tops(label: LabelAudit, sketch: AUCSketch, k: int) -> LabelAudit:
    """The label with the shares of the top as far off as the sketch may be."""
    tops = tuple(_bounded_top(top, sketch, k) for top in label.top)
    return replace(label, top=tops)


def _bounded_top(top: TopShare, sketch: AUCSketch, k: int) -> TopShare:
    low, high = top_share_bounds(sketch, k, top.fraction)
    share = top.share
    if np.isnan(low) or np.isnan(share.value):
        return top
    low, high = min(low, share.value), max(high, share.value)
    return replace(top, share=_further(share, share.value - low, high - share.value))


def top_share_bounds(sketch: AUCSketch, k: int, fraction: float) -> tuple[float, float]:
    """Bounds of label k's share of positives among the top; NaN where they are not needed.

    The cut between the top and the rest is known up to some ranges. All above them are in, all
    below are out, and of their own items those may be in that make the share lowest or highest.
    """
    table = sketch.table()
    patterns = sketch.items().labels.patterns
    positive, negative = (table.range_counts(patterns[:, k] == value) for value in (1, 0))
    everything = table.range_counts(np.ones(len(patterns), np.bool_))
    start, level = table.start[table.first_cell], table.level[table.first_cell]
    need = fraction * float(everything.sum())
    sure, open_ = _around_cut(start, start | range_mask(level), everything, need)
    if open_.sum() == 1 and not level[open_].any():
        return np.nan, np.nan
    room = need - float(everything[sure].sum())
    free = float(everything[open_].sum())
    up, down = float(positive[open_].sum()), float(negative[open_].sum())
    have, lack = float(positive[sure].sum()), float(negative[sure].sum())
    fewest, most = max(0.0, room - (free - up)), min(up, room)
    down_most = min(down, room - fewest)
    down_least = max(0.0, room - most - (free - up - down))
    return _share(have + fewest, lack + down_most), _share(have + most, lack + down_least)


def _around_cut(
    start: NDArray[np.uint64], end: NDArray[np.uint64], count: NDArray[np.int64], need: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which ranges are surely in the top of `need` items, and of which it is not known."""
    by_end = np.argsort(end)[::-1]
    reached = np.cumsum(count[by_end]) >= need
    highest = end[by_end[np.argmax(reached)]] if reached.any() else end[by_end[-1]]
    by_start = np.argsort(start)[::-1]
    passed = np.cumsum(count[by_start]) > need
    lowest = start[by_start[np.argmax(passed)]] if passed.any() else np.uint64(0)
    sure = start > highest
    return sure, ~sure & (end >= lowest)


def _share(positives: float, negatives: float) -> float:
    observed = positives + negatives
    return positives / observed if observed > 0 else np.nan
