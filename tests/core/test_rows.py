"""Rows are counted and matched before anything is read from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import isonomy as iso
from isonomy._core import check_same_index, row_count

N = 1_000_000
SCORES = np.zeros(N)
X = np.zeros((N, 1))


class OnItsSide:
    """A data frame of a million columns, none of which may be looked at."""

    shape = (2, N)
    dtypes = None

    def __len__(self) -> int:
        return 2

    @property
    def columns(self) -> Any:
        raise AssertionError("The columns were looked at.")

    def __getitem__(self, _: Any) -> Any:
        raise AssertionError("A column was looked at.")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("The entries were looked at.")


CALLS: dict[str, Callable[[Any], Any]] = {
    "auc": lambda Y: iso.auc(Y, SCORES),
    "label_aucs": lambda Y: iso.label_aucs(Y, SCORES),
    "multipartite_auc": lambda Y: iso.multipartite_auc(Y, SCORES),
    "objective_auc": lambda Y: iso.objective_auc(Y, SCORES, iso.WorstLabel()),
    "conflict_aucs": lambda Y: iso.conflict_aucs(Y, SCORES),
    "auc_intervals": lambda Y: iso.auc_intervals(Y, SCORES),
    "conflict_intervals": lambda Y: iso.conflict_intervals(Y, SCORES),
    "compare_scores": lambda Y: iso.compare_scores(Y, SCORES, SCORES),
    "pair_loss": lambda Y: iso.pair_loss(Y, SCORES),
    "audit": lambda Y: iso.audit(Y, SCORES),
    "blend": lambda Y: iso.blend(X, Y),
    "compare": lambda Y: iso.compare(X, Y),
    "trace": lambda Y: iso.pareto.trace(X, Y),
    "LinearRanker": lambda Y: iso.LinearRanker().fit(X, Y),
    "BoostedRanker": lambda Y: iso.BoostedRanker().fit(X, Y),
    "NeuralRanker": lambda Y: iso.NeuralRanker().fit(X, Y),
    "weights": lambda Y: iso.theory.effective_weights(
        Y, iso.LossAggregation(), sample_weight=SCORES
    ),
    "population_aucs": lambda Y: iso.theory.population_aucs(Y, SCORES),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_table_on_its_side_is_told_before_its_columns_are_looked_at(name: str) -> None:
    with pytest.raises(ValueError, match=r"same number of rows|for each of the 2 items"):
        CALLS[name](OnItsSide())


@pytest.mark.parametrize("name", CALLS)
def test_so_is_an_array(name: str) -> None:
    with pytest.raises(ValueError, match=r"same number of rows|for each of the 2 items"):
        CALLS[name](np.zeros((2, N), np.int8))


def test_packing_counts_labels_before_it_looks_at_them() -> None:
    with pytest.raises(ValueError, match=r"at most 23 labels.*Found 1000000"):
        iso.boosting.pack_labels(OnItsSide())  # type: ignore[arg-type]


def test_the_cure_for_a_table_on_its_side_is_told() -> None:
    with pytest.raises(ValueError, match=r"Found 2 and 3. `Y` lies on its side: pass `Y.T`"):
        iso.label_aucs(np.zeros((2, 3)), [1, 2, 3])


@pytest.mark.parametrize(
    ("data", "count"),
    [
        ([1, 2], 2),
        (np.zeros((3, 2)), 3),
        (pl.DataFrame({"a": [1]}), 1),
        (np.float64(1), None),
        (np.zeros((1, 2, 3)), None),
        (iter([1]), None),
        (None, None),
    ],
)
def test_rows_are_counted_by_shape_or_length(data: Any, count: int | None) -> None:
    assert row_count(data) == count


def test_one_index_is_fine_in_any_form() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=[5, 7])
    check_same_index(X=frame, Y=frame.copy(), groups=np.arange(2), weight=None)
    check_same_index(X=frame.reset_index(drop=True), Y=pd.Series([1, 2], index=[0, 1]))
    many = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    check_same_index(X=frame.set_axis(many), Y=pd.Series([1, 2], index=many.copy()))
    # Gaps stand in the same place.
    check_same_index(X=pd.Series([1, 2], index=[np.nan, 1]), Y=pd.Series([1, 2], index=[np.nan, 1]))


def test_the_first_row_that_differs_is_told() -> None:
    first = pd.Series([1, 2, 3], index=["a", "b", "b"])
    with pytest.raises(ValueError, match="other labels, first in row 2: 'b' and 'c'"):
        check_same_index(Y=first, X=pd.Series([1, 2, 3], index=["a", "b", "c"]))
