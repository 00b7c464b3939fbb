"""Check what a user passed, measure, judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._audit.auc_estimates import AUCEstimates, auc_estimates
from isonomy._audit.effective_weights import effective_weight_estimates
from isonomy._audit.min_and_diff import smallest, widest_gap
from isonomy._audit.relations import Together, relation_of
from isonomy._audit.result import Audit, LabelAudit, Segment, TopShare
from isonomy._audit.segments import equality_tests, split
from isonomy._audit.sentences import say
from isonomy._audit.sketched import with_bounds
from isonomy._audit.top import FRACTIONS, ranked_rows
from isonomy._audit.top import top as share_of_top
from isonomy._audit.top_ranks import as_top, top_ranks
from isonomy._audit.verdicts import Conflict, judge_conflict, label_verdict_of
from isonomy._core import (
    GroupWeight,
    Items,
    check_level,
    check_same_index,
    count_codes,
    sum_codes,
)
from isonomy._infra import listed
from isonomy._metrics import DEFAULT_LEVEL, FEWEST_UNITS, unit_name
from isonomy._partial import AUCSketch


def audit(
    Y: ArrayLike | Items | AUCSketch,
    y_score: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    by: ArrayLike | None = None,
    level: float = DEFAULT_LEVEL,
    top: int | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
    clusters: ArrayLike | None = None,
) -> Audit:
    """Does one label dictate a ranking? How each label is served, with intervals.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'. Or an `AUCSketch`, alone: the audit then says
        that it came from one, and its intervals have what is in doubt added to them.
    y_score : array-like of shape (n,)
        Scores; higher ranks first.
    names : sequence of str, optional
        The labels' names. None: those of the data frame's columns, else "0", "1", ...
    by : array-like of shape (n,), optional
        A segment per row (country, device): the same per segment, and tests of whether
        segments differ. At most 1,000 of them.
    level : float
        Confidence level of all intervals and tests.
    top : int, optional
        With groups: how many of each group's first ranks are looked at for nDCG and for who wins
        the conflicts there; 10 unless told.
    sample_weight, counts, groups, group_weight, clusters
        As in `auc_intervals`. With groups, the top of the ranking is the top of each group;
        with counts, rows are the items that they stand for.

    Returns
    -------
    Audit
        Print it, show it in a notebook, or take its numbers. What is undefined is NaN,
        with a note in `notes` rather than a warning.

    Examples
    --------
    A search log in which 40% of the documents are relevant and 1% are recent, ranked by
    the sum of two losses with equal weights:

    >>> import isonomy as iso
    >>> log = iso.datasets.make_search_log()
    >>> score = iso.theory.bayes_scores(log.eta, iso.LossAggregation())
    >>> found = iso.audit(log.Y, score, names=["relevant", "recent"])
    >>> [f"{label.name}: {label.effective_weight.value:.0%}" for label in found.labels]
    ['relevant: 4%', 'recent: 96%']
    >>> print(found.summary().splitlines()[0])
    recent dictates to relevant: ...
    """
    check_level(level)
    if isinstance(Y, AUCSketch):
        _check_alone(y_score, names, by, top, sample_weight, counts, groups, clusters)
        return with_bounds(*_measure(Y.items(), float(level), None), Y)
    if y_score is None:
        raise TypeError("Parameter `y_score` should hold one score per row. Found None.")
    check_same_index(Y=Y, by=by)
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
        clusters=clusters,
    )
    items = replace(items, labels=items.labels.renamed(names))
    k = as_top(top, grouped=items.group is not None)
    parts = None if by is None else split(by, len(items), items.count)
    found, _ = _measure(items.counted(), float(level), k)
    return found if parts is None else _with_segments(found, items, parts)


def _check_alone(*options: object) -> None:
    if any(option is not None for option in options):
        raise TypeError(
            "An `AUCSketch` should be audited alone: it holds scores, labels, names and counts, "
            "and knows no weights, groups, clusters or segments."
        )


def _measure(items: Items, level: float, top: int | None) -> tuple[Audit, AUCEstimates]:
    """The audit of some rows, without segments."""
    served = auc_estimates(items, level)
    rows = _pattern_items(items)
    aucs = np.array([auc.value for auc in served.aucs])
    found = Audit(
        n_rows=items.n_items,
        n_groups=None if items.group is None else items.n_groups,
        n_clusters=None if items.cluster is None else int(items.cluster.max()) + 1,
        level=level,
        labels=tuple(_labels(items, served, rows, level)),
        diff=widest_gap(aucs, served.spread, level),
        minimum=smallest(aucs, served.spread, level),
        conflicts=tuple(_conflicts(items, served, rows)),
        top_ranks=None if top is None else top_ranks(items, top, level),
    )
    return replace(found, notes=tuple(_notes(items, found, served))), served


def _pattern_items(items: Items) -> NDArray[np.int64]:
    """How many items have each label pattern."""
    codes, n_patterns = items.labels.codes, len(items.labels.patterns)
    if items.count is None:
        return count_codes(codes, n_patterns)
    return np.rint(sum_codes(codes, items.count.astype(np.float64), n_patterns)).astype(np.int64)


def _labels(
    items: Items, served: AUCEstimates, rows: NDArray[np.int64], level: float
) -> Iterator[LabelAudit]:
    """Each label's numbers; `rows` is how many items there are of each label pattern."""
    ranked = ranked_rows(items, served.ranking)
    everything = share_of_top(ranked, 1.0, level)
    tops = [share_of_top(ranked, fraction, level) for fraction in FRACTIONS]
    effective, undo = effective_weight_estimates(items, level)
    total = ranked.whole
    positives, negatives = rows @ items.labels.positive, rows @ items.labels.negative
    for k, name in enumerate(items.labels.names):
        prior, all_positives = everything.share[k], everything.positives[k]
        yield LabelAudit(
            name=name,
            prior=prior,
            missing=max(float(1 - everything.observed[k] / total), 0.0) if total else np.nan,
            positives=int(positives[k]),
            negatives=int(negatives[k]),
            auc=served.aucs[k],
            verdict=label_verdict_of(served.aucs[k].low, served.aucs[k].high),
            effective_weight=effective[k],
            undo_weight=float(undo[k]),
            top=tuple(
                TopShare(
                    fraction,
                    each.share[k],
                    each.share[k].value / prior.value if prior.value > 0 else np.nan,
                    float(each.positives[k] / all_positives) if all_positives > 0 else np.nan,
                )
                for fraction, each in zip(FRACTIONS, tops, strict=True)
            ),
        )


def _conflicts(items: Items, served: AUCEstimates, rows: NDArray[np.int64]) -> Iterator[Conflict]:
    names, yes, no = items.labels.names, items.labels.positive, items.labels.negative
    for number, (k, j) in enumerate(combinations(range(len(names)), 2)):
        together = Together(
            first=int(rows @ (yes[:, k] & no[:, j])),
            second=int(rows @ (no[:, k] & yes[:, j])),
            both=int(rows @ (yes[:, k] & yes[:, j])),
            neither=int(rows @ (no[:, k] & no[:, j])),
        )
        yield judge_conflict(
            (names[k], names[j]),
            served.conflicts[number],
            (served.aucs[k], served.aucs[j]),
            (together.first, together.second),
            float(served.conflict_units[number]),
            relation=relation_of(together),
        )


def _with_segments(found: Audit, items: Items, parts: dict[str, NDArray[np.int64]]) -> Audit:
    k = None if found.top_ranks is None else found.top_ranks.k
    measured = {name: _measure(items.take(part), found.level, k) for name, part in parts.items()}
    quantities = [(name,) for name in found.names]
    pairs = [(each.first, each.second) for each in found.conflicts]
    tests = equality_tests(
        list(measured),
        [*quantities, *pairs],
        [[*served.aucs, *served.conflicts] for _, served in measured.values()],
        np.array([[*served.units, *served.conflict_units] for _, served in measured.values()]),
        np.array([[*served.freedom, *served.conflict_freedom] for _, served in measured.values()]),
        found.level,
    )
    return replace(
        found,
        segments=tuple(Segment(name, each) for name, (each, _) in measured.items()),
        segment_tests=tests,
        notes=(*found.notes, *_segment_notes(items, parts, measured)),
    )


def _notes(items: Items, found: Audit, served: AUCEstimates) -> Iterator[str]:
    inside = "" if found.n_groups is None else " inside a group"
    for label in found.labels:
        if np.isnan(label.auc.value):
            yield say(
                "no auc",
                label=label.name,
                inside=inside,
                positives=f"{label.positives:,}",
                negatives=f"{label.negatives:,}",
            )
    few = [
        label.name
        for label, units in zip(found.labels, served.units, strict=True)
        if units < FEWEST_UNITS and not np.isnan(label.auc.value)
    ]
    if few:
        what = unit_name(items.group is not None, items.cluster is not None)
        yield say("few units", fewest=FEWEST_UNITS, units=what, labels=listed(few))


def _segment_notes(
    items: Items,
    parts: dict[str, NDArray[np.int64]],
    measured: dict[str, tuple[Audit, AUCEstimates]],
) -> Iterator[str]:
    undefined = [name for name, (each, _) in measured.items() if np.isnan(each.aucs).any()]
    if undefined:
        counts = {"count": f"{len(undefined):,}", "all": f"{len(measured):,}"}
        yield say("segments undefined", **counts, segments=listed(undefined))
    for what, numbers in (("groups", items.group), ("clusters", items.cluster)):
        if numbers is None:
            continue
        seen = [np.unique(numbers[part]) for part in parts.values()]
        if sum(map(len, seen)) > np.unique(np.concatenate(seen)).size:
            yield say("units across", units=what)
