"""What makes a reader careful of a comparison, note by note."""

from __future__ import annotations

from typing import Any

import numpy as np

import isonomy as iso
from isonomy._compare.notes import label_notes, untraced
from isonomy._compare.result import MethodResult
from isonomy._compare.statistics import SplitMean
from isonomy._compare.trials import Attempt


def result(aucs: Any, *, high: Any = 0.9, kind: str = "mean", failed: str | None = None) -> Any:
    """A method with these AUCs, of which notes read nothing else."""
    mean = np.array(aucs, float)
    none = SplitMean(*np.full((3, mean.size, mean.size), np.nan))
    return MethodResult(
        name=kind,
        kind=kind,
        family=None,
        meaning="",
        failed=failed,
        notes=(),
        aucs=SplitMean(mean, mean - 0.1, np.broadcast_to(high, mean.shape)),
        ndcgs=none,
        diff=none,
        min=none,
        goal=none,
        conflicts=none,
        top_conflicts=none,
        conflicts_pooled=none.mean,
        relative=none,
        verdicts=(),
        effective=mean,
    )


def notes(
    table: Any,
    aucs: Any = None,
    unpredicted: Any = (),
    results: Any = (),
    group: Any = None,
) -> list[str]:
    """Notes on labels of which by default all is well."""
    labels = iso.Labels.from_table(np.asarray(table, float))
    labels = labels.renamed(list("abcdefghi")[: labels.n_labels])
    K = labels.n_labels
    aucs = np.full((2, 5, K), 0.7) if aucs is None else np.asarray(aucs)
    unknown = np.isin(np.arange(K), unpredicted)
    return list(label_notes(labels, group, aucs, unknown, results or [result([0.7] * K)]))


def columns(*positives: int, n: int = 100) -> np.ndarray:
    """Labels with so many positives each."""
    return (np.arange(n)[:, None] < positives).astype(float)


def test_labels_of_which_all_is_well() -> None:
    assert notes(columns(30, 50, 70)) == []


def test_labels_with_few_rows_of_a_class() -> None:
    table = columns(29, 30, 71, 98)
    # What is not observed is of neither class: 2 negatives are left of the last one's 50.
    table = np.column_stack([table, np.where(np.arange(100) < 48, np.nan, np.arange(100) < 98)])
    (said,) = notes(table)
    assert said.startswith("Few rows of the rarer class: 'a' 29, 'c' 29, 'd' 2, 'e' 2. ")


def test_labels_whose_classes_meet_in_few_groups() -> None:
    group, table = np.arange(200) % 20, columns(100, 80, n=200)
    assert notes(table, group=group) == []
    table[group > 8, 1] = 1
    (said,) = notes(table, group=group)
    assert said.startswith("Few groups with rows of both classes: 'b' 9. ")


def test_many_labels_are_not_all_named() -> None:
    (eight,) = notes(columns(*range(1, 9)))
    assert "'g' 7, 'h' 8." in eight
    (nine,) = notes(columns(*range(1, 10)))
    assert "'h' 8, ... and 1 more." in nine


def test_labels_that_no_method_surely_predicts() -> None:
    results = [
        result([0.8, 0.55, 0.54], high=[0.9, 0.59, 0.57]),
        result([0.7, 0.52, 0.56], high=[0.9, 0.95, 0.6]),
        # Neither a constant score nor what failed is a method that predicts.
        result([0.9, 0.9, 0.9], high=0.99, kind="chance"),
        result([0.9, 0.9, 0.9], high=0.99, failed="It did."),
    ]
    table = columns(50, 50, 50)
    (said,) = notes(table, unpredicted=[1, 2], results=results)
    assert said.startswith(
        "No method surely predicts 'b' (best AUC 0.550), 'c' (best AUC 0.560): the interval"
    )
    # Few rows leave it open.
    results[0] = result([0.8, 0.55, 0.54], high=[0.9, 0.601, 0.57])
    perhaps, no = sorted(notes(table, unpredicted=[1, 2], results=results))[::-1]
    assert perhaps.startswith("Too few rows tell whether any method predicts 'b' (best AUC 0.550):")
    assert no.startswith("No method surely predicts 'c' (best AUC 0.560):")
    (alone,) = notes(table, unpredicted=[1], results=results)
    assert alone == perhaps


def test_splits_that_measure_no_method() -> None:
    aucs = np.full((3, 5, 2), 0.7)
    aucs[:, [1, 4], 1] = np.nan
    aucs[0, :, 0] = np.nan
    (said,) = notes(columns(50, 50), aucs=aucs)
    assert said == "Too few rows of one class: of 5 splits some could not measure 'b' (2)."


def test_why_there_are_no_trade_offs() -> None:
    fine = Attempt(value=1, failed=None, warned=())
    first, second = (Attempt(None, why, ()) for why in ("No rows.", "No labels."))
    assert list(untraced([])) == list(untraced([fine, fine])) == []
    assert list(untraced([fine, first, second])) == ["Trade-offs could not be traced. No rows."]
