"""Check what a user passed, measure, judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._audit.auc_estimates import Standing, standing
from isonomy._audit.effective_weights import pull
from isonomy._audit.min_and_diff import smallest, widest_gap
from isonomy._audit.result import Audit, LabelAudit, Segment, TopShare
from isonomy._audit.rows import Rows
from isonomy._audit.segments import equality_tests, split
from isonomy._audit.top import FRACTIONS, Runs, top
from isonomy._audit.verdicts import Conflict, judge
from isonomy._core import GroupWeight, check_level, count_codes
from isonomy._metrics import FEW


def audit(
    Y: ArrayLike,
    y_score: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    by: ArrayLike | None = None,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> Audit:
    """Does one label dictate a ranking? How each label is served, with intervals.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    y_score : array-like of shape (n,)
        Scores; higher ranks first.
    names : sequence of str, optional
        The labels' names. None: those of the data frame's columns, else "0", "1", ...
    by : array-like of shape (n,), optional
        A segment per row (country, device): the same per segment, and tests of whether
        segments differ. At most 1,000 of them.
    level : float
        Confidence level of all intervals and tests.
    sample_weight, groups, group_weight
        As in `auc`. With groups, the top of the ranking is the top of each group.

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
    rows = Rows.checked(
        Y,
        y_score,
        names=names,
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    level = float(level)
    parts = None if by is None else split(by, len(rows))
    found, _ = _measure(rows, level)
    return found if parts is None else _with_segments(found, rows, parts)


def _measure(rows: Rows, level: float) -> tuple[Audit, Standing]:
    """The audit of some rows, without segments."""
    where = standing(rows, level)
    items = count_codes(rows.codes, len(rows.patterns))
    positives, negatives = items @ rows.yes, items @ rows.no
    found = Audit(
        n_rows=len(rows),
        n_groups=rows.n_groups,
        level=level,
        labels=tuple(_labels(rows, where, (positives, negatives), level)),
        diff=widest_gap(where.aucs, where.covariance, level),
        minimum=smallest(where.aucs, where.covariance, level),
        conflicts=tuple(_conflicts(rows, where, items)),
    )
    return replace(found, notes=tuple(_notes(found, where))), where


def _labels(
    rows: Rows,
    where: Standing,
    counts: tuple[NDArray[np.int64], NDArray[np.int64]],
    level: float,
) -> Iterator[LabelAudit]:
    runs = Runs.of(where.ranking)
    everything = top(rows, where.ranking, runs, 1.0, level)
    tops = [top(rows, where.ranking, runs, fraction, level) for fraction in FRACTIONS]
    pulls, undo = pull(rows, level)
    total = runs.weight.sum()
    for k, name in enumerate(rows.names):
        prior, all_positives = everything.share[k], everything.positives[k]
        yield LabelAudit(
            name=name,
            prior=prior,
            missing=max(float(1 - everything.observed[k] / total), 0.0) if total else np.nan,
            positives=int(counts[0][k]),
            negatives=int(counts[1][k]),
            auc=where.aucs[k],
            effective_weight=pulls[k],
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


def _conflicts(rows: Rows, where: Standing, items: NDArray[np.int64]) -> Iterator[Conflict]:
    first, second = np.triu_indices(rows.n_labels, k=1)
    for number, (k, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        yield judge(
            (rows.names[k], rows.names[j]),
            where.conflicts[number],
            (where.aucs[k], where.aucs[j]),
            (
                int(items @ (rows.yes[:, k] & rows.no[:, j])),
                int(items @ (rows.no[:, k] & rows.yes[:, j])),
            ),
            int(where.conflict_units[number]),
        )


def _with_segments(found: Audit, rows: Rows, parts: dict[str, NDArray[np.int64]]) -> Audit:
    measured = {name: _measure(rows.take(part), found.level) for name, part in parts.items()}
    quantities = [(name,) for name in found.names]
    pairs = [(each.first, each.second) for each in found.conflicts]
    tests = equality_tests(
        list(measured),
        [*quantities, *pairs],
        [[*where.aucs, *where.conflicts] for _, where in measured.values()],
        np.array([[*where.units, *where.conflict_units] for _, where in measured.values()]),
        found.level,
    )
    return replace(
        found,
        segments=tuple(Segment(name, each) for name, (each, _) in measured.items()),
        segment_tests=tests,
        notes=(*found.notes, *_segment_notes(found, rows, parts, measured)),
    )


def _notes(found: Audit, where: Standing) -> Iterator[str]:
    inside = "" if found.n_groups is None else " inside a group"
    what = "items in the smaller class" if found.n_groups is None else "groups with pairs"
    for label in found.labels:
        if np.isnan(label.auc.value):
            yield (
                f"{label.name} has no AUC: no positive and negative to compare{inside} "
                f"({label.positives:,} positives, {label.negatives:,} negatives)."
            )
    few = [
        label.name
        for label, units in zip(found.labels, where.units, strict=True)
        if units < FEW and not np.isnan(label.auc.value)
    ]
    if few:
        yield f"Fewer than {FEW} {what} for {_listed(few)}: intervals tend to be too short."


def _segment_notes(
    found: Audit,
    rows: Rows,
    parts: dict[str, NDArray[np.int64]],
    measured: dict[str, tuple[Audit, Standing]],
) -> Iterator[str]:
    undefined = [name for name, (each, _) in measured.items() if np.isnan(each.aucs).any()]
    if undefined:
        yield (
            f"{len(undefined)} of {len(measured)} segments lack a class of some label, which has "
            f"no AUC there: {_listed(undefined)}."
        )
    if rows.group is not None:
        seen = sum(np.unique(rows.group[part]).size for part in parts.values())
        if seen > (found.n_groups or 0):
            yield (
                "Some groups lie in more than one segment; the tests between segments take "
                "segments for independent."
            )


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
