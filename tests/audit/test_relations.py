"""Funnels, exclusive labels and the like, against all tables of small numbers."""

from __future__ import annotations

from dataclasses import astuple
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isonomy as iso
from isonomy._audit.relations import CHANCE, Together, best_smaller_auc, half_way, relation_of

SMALL = st.integers(0, 40)


def chance_of_empty(rows: Together, cells: set[str]) -> float:
    """How often labels with these margins, independent, leave these cells empty: exactly."""
    n = rows.first + rows.second + rows.both + rows.neither
    a, b = rows.first + rows.both, rows.second + rows.both
    found = 0
    for both in range(max(0, a + b - n), min(a, b) + 1):
        sizes = {"first": a - both, "second": b - both, "both": both, "neither": n - a - b + both}
        if all(sizes[cell] == 0 for cell in cells):
            found += comb(a, both) * comb(n - a, b - both)
    return found / comb(n, b)


def chance_inside(k: int, inside: int, rows: Together) -> float:
    """How often k of the rows, drawn at random, are all of those inside: exactly."""
    return comb(inside, k) / comb(sum(astuple(rows)), k)


EMPTY = {
    "same": {"first", "second"},
    "opposite": {"both", "neither"},
    "second implies first": {"second"},
    "first implies second": {"first"},
    "exclusive": {"both"},
}


@given(SMALL, SMALL, SMALL, SMALL)
def test_a_relation_is_claimed_where_chance_would_not_make_it(
    first: int, second: int, both: int, neither: int
) -> None:
    rows = Together(first, second, both, neither)
    found = relation_of(rows)
    if first + second + both + neither == 0:
        assert found == "apart"
        return
    empty = {cell for cell in ("first", "second", "both", "neither") if not getattr(rows, cell)}
    likely = next((kind for kind, cells in EMPTY.items() if cells <= empty), None)
    chance = 1.0 if likely is None else chance_of_empty(rows, EMPTY[likely])
    if likely == "second implies first":
        chance = chance_inside(second + both, half_way(first + both, sum(astuple(rows))), rows)
    elif likely == "first implies second":
        chance = chance_inside(first + both, half_way(second + both, sum(astuple(rows))), rows)
    if likely is not None and chance < CHANCE * (1 - 1e-9):
        assert found == likely
    elif chance > CHANCE * (1 + 1e-9):
        assert found == "free"


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 3), (1, 4), (3, 2)])
def test_the_best_smaller_auc_is_a_bound_that_is_nearly_reached(first: int, second: int) -> None:
    """Over all orders of ten rows, of which no row has both labels; ties too make it exact."""
    n = 10
    best = 0.0
    for where in combinations(range(n), first + second):
        for mine in combinations(where, first):
            Y = np.zeros((n, 2))
            Y[[*mine], 0] = 1
            Y[[each for each in where if each not in mine], 1] = 1
            best = max(best, float(iso.label_aucs(Y, np.arange(n)).min()))
    bound = best_smaller_auc(first / n, second / n)
    assert best <= bound + 1e-12
    tied = np.zeros((n, 2))
    tied[:first, 0] = tied[first : first + second, 1] = 1
    aucs = iso.label_aucs(tied, tied.sum(axis=1))
    assert aucs.min() <= bound + 1e-12
    assert best > bound - 0.1


def test_weights_move_the_bound() -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, 400)
    Y = np.column_stack([kind == 0, kind == 1])
    weight = np.where(kind == 3, 1e-9, 1.0)
    found = iso.audit(Y, rng.normal(size=400), sample_weight=weight, names=["a", "b"])
    shares = [label.prior.value for label in found.labels]
    assert f"gives both more than {best_smaller_auc(*shares):.3f}" in found.summary()


def test_labels_that_often_go_together_are_no_funnel() -> None:
    """Nine in ten rows of the rare label have the common one: of eight rows often all do."""
    rng = np.random.default_rng(0)
    claimed = 0
    for _ in range(1000):
        both = rng.binomial(8, 0.9)
        rows = Together(first=400 - both, second=8 - both, both=both, neither=392 + both)
        claimed += relation_of(rows) == "second implies first"
    assert claimed <= 10
    assert relation_of(Together(300, 0, 20, 680)) == "second implies first"
