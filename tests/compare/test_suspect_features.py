"""Features into which a label has leaked are named, and others are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

import isonomy as iso
from isonomy._compare import suspect_features
from isonomy._core import Items

rng = np.random.default_rng(1)
n = 1000
X = rng.normal(size=(n, 4))
Y = (X[:, :2] + rng.logistic(size=(n, 2)) > [0.0, 2.0]).astype(float)
LEAK = Y[:, 1] + 0.3 * rng.normal(size=n)


def named(found: tuple[Any, ...]) -> list[tuple[str, str]]:
    return [(one.feature, one.label) for one in found]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_leak_in_either_direction_is_named_with_its_auc(sign: float) -> None:
    labels = pd.DataFrame(Y, columns=["visit", "buy"])
    table = np.column_stack([X, sign * LEAK])
    (found,) = suspect_features(table, Items.checked(labels), [*"abcd", "refund"])
    assert (found.feature, found.label) == ("refund", "buy")
    assert found.auc == iso.auc(Y[:, 1], sign * LEAK)
    assert max(found.auc, 1 - found.auc) > 0.98


@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame])
def test_words_dates_and_gaps_leak_too(wrap: Any) -> None:
    status = np.where(Y[:, 0] == 1, rng.choice(["paid", "sent"], n), rng.choice(["new", "old"], n))
    frame = wrap(
        {
            "x": X[:, 0],
            "user": [f"user {i}" for i in range(n)],
            "colour": rng.choice(["red", "blue"], n),
            "status": status.tolist(),
            "refunded": np.where(Y[:, 1] == 1, rng.random(n), np.nan),
            "day": (np.datetime64("2026-01-01") + (Y[:, 1] * 30).astype(int)).astype("M8[us]"),
        }
    )
    found = suspect_features(frame, Items.checked(Y))
    assert sorted(named(found)) == [("day", "1"), ("refunded", "1"), ("status", "0")]


def test_a_leak_with_gaps_is_judged_by_the_rows_that_have_it() -> None:
    gappy = np.where(rng.random(n) < 0.3, np.nan, LEAK)
    (found,) = suspect_features(gappy[:, None], Items.checked(Y))
    known = ~np.isnan(gappy)
    assert found.auc == iso.auc(Y[known, 1], gappy[known])


def test_few_rows_in_order_by_chance_are_no_leak() -> None:
    y = np.array([0.0] * 12 + [1.0] * 3)
    assert suspect_features(np.arange(15.0)[:, None], Items.checked(y)) == ()


@given(st.integers(0, 2**32 - 1))
def test_a_category_of_every_row_is_no_leak(seed: int) -> None:
    """Shares come from other rows: a category must not know its own row's label."""
    draw = np.random.default_rng(seed)
    words = draw.choice([f"w{i}" for i in range(200)], 400)
    y = draw.random(400) < 0.3
    assert suspect_features(pl.DataFrame({"word": words}), Items.checked(y)) == ()


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_sparse_tables_are_as_dense_ones(seed: int, weighted: bool) -> None:
    draw = np.random.default_rng(seed)
    y = (draw.random((300, 2)) < [0.5, 0.2]).astype(float)
    table = draw.normal(size=(300, 6)) * (draw.random((300, 6)) < 0.3)
    for k in range(2):
        noise = draw.random(300) < draw.choice([0.0, 0.01, 0.03])
        table[:, k] = draw.choice([-1.0, 1.0]) * ((y[:, k] == 1) ^ noise)
    weight = draw.random(300) if weighted else None
    items = Items.checked(y, sample_weight=weight)
    dense = suspect_features(table, items)
    assert suspect_features(sparse.csr_array(table), items) == dense
    assert suspect_features(sparse.csc_matrix(table), items) == dense


def test_groups_and_missing_labels_count_as_in_the_metrics() -> None:
    groups = np.arange(n) // 50
    y = np.where(rng.random((n, 2)) < 0.1, np.nan, Y)
    # A leak inside groups, which lie apart.
    table = (LEAK + 10.0 * groups)[:, None]
    assert suspect_features(table, Items.checked(y)) == ()
    (found,) = suspect_features(table, Items.checked(y, groups=groups))
    assert found.auc == iso.label_aucs(y, table[:, 0], groups=groups)[1]


def test_labels_of_many_levels_are_passed_over() -> None:
    assert suspect_features(X, Items.checked(rng.integers(0, 5, n))) == ()


def test_a_word_of_a_text_leaks_too() -> None:
    """By itself or beside its neighbour, and with no word of a single row."""
    draw = np.random.default_rng(3)
    common = draw.choice(["red", "green", "apple", "not"], (n, 6))
    notes = [
        " ".join([*words, "Refunded" * bool(buy), ("not seen" if visit else "seen not")])
        for words, (visit, buy) in zip(common, Y, strict=True)
    ]
    frame = pl.DataFrame({"note": notes, "own": [f"only row{i}" for i in range(n)]})
    items = Items.checked(pd.DataFrame(Y, columns=["visit", "buy"]))
    found = suspect_features(frame, items, texts=["note", "own"])
    assert sorted(named(found)) == [("note", "buy"), ("note", "visit")]
    assert suspect_features(frame, items) == ()
    by_word = [np.array(["refunded" in note.lower() for note in notes])]
    assert {one.auc for one in found if one.label == "buy"} == {iso.auc(Y[:, 1], *by_word)}


def test_a_comparison_names_the_text_that_gives_a_label_away() -> None:
    notes = [f"word{i % 7} " + ("refunded" if buy else "kept") for i, buy in enumerate(Y[:, 1])]
    frame = pd.DataFrame({"x": X[:, 0], "note": notes})
    found = iso.compare(
        frame, Y, text=["note"], family="linear", methods=["mean"], folds=2, repeats=1
    )
    assert named(found.suspects) == [("note", "1")]
    assert "'note' alone reaches an AUC of 1.000 for '1'" in str(found)


def test_a_word_leaks_where_texts_are_missing_and_where_they_are_all_there_is() -> None:
    notes = [f"word{i % 7} " + ("refunded" if buy else "kept") for i, buy in enumerate(Y[:, 1])]
    some = [note if i % 3 else None for i, note in enumerate(notes)]
    items = Items.checked(pd.DataFrame(Y, columns=["visit", "buy"]))
    (found,) = suspect_features(pl.DataFrame({"note": some}), items, texts=["note"])
    assert (found.label, found.auc) in (("buy", 0.0), ("buy", 1.0))
    assert suspect_features(pl.DataFrame({"note": [None] * n}), items, texts=["note"]) == ()
    compared = iso.compare(
        pd.Series(notes),
        Y,
        preprocessor=TfidfVectorizer(),
        family="linear",
        methods=["mean"],
        folds=2,
        repeats=1,
    )
    assert named(compared.suspects) == [("text", "1")]
    assert suspect_features(np.array(["..."] * n), items) == ()


def test_a_category_leaks_where_it_is_known() -> None:
    state = [("closed" if buy else "open") if i % 3 else None for i, buy in enumerate(Y[:, 1])]
    items = Items.checked(pd.DataFrame(Y, columns=["visit", "buy"]))
    assert named(suspect_features(pl.DataFrame({"state": state}), items)) == [("state", "buy")]
