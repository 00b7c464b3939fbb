"""Errors of means over trials: corrected where trials share rows, plain where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from paper._errors import FIFTH, LEAD, clearly, leads, pooled, standard_error, summary

NAMES = ("a", "b")


def trials() -> list[dict]:
    rng = np.random.default_rng(0)
    return [
        {"objective": name, "seed": seed, "auc_a": rng.random(), "auc_b": rng.random()}
        for seed in range(6)
        for name in ("LaA", "LoA", "worst")
    ]


def test_splits_of_the_same_rows_are_corrected() -> None:
    values = [0.6, 0.7, 0.9, 0.4]
    spread = np.std(values, ddof=1)
    assert standard_error(values, 0.0) == pytest.approx(spread / 2)
    assert standard_error(values, FIFTH) == pytest.approx(spread * math.sqrt(1 / 4 + 1 / 4))
    assert standard_error([0.5], FIFTH) is None


def test_it_holds_for_splits_of_the_same_rows() -> None:
    """Repeated splits of one sample vary less than samples do: the plain error is far too small.

    The model is the mean of its training rows, its measure the mean of the test rows less it.
    """
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        rows = rng.normal(size=100)
        values = []
        for _ in range(15):
            order = rng.permutation(100)
            values.append(np.mean((rows[order[:20]] - rows[order[20:]].mean()) ** 2))
        found.append((np.mean(values), *(standard_error(values, o) for o in (0.0, FIFTH))))
    means, plain, corrected = np.array(found).T
    assert plain.mean() < 0.7 * means.std() < corrected.mean()
    assert corrected.mean() < 1.5 * means.std()


def test_summary_has_difference_and_smaller() -> None:
    rows = summary(trials(), ("objective",), NAMES, overlap=FIFTH)
    assert [row["objective"] for row in rows] == ["LaA", "LoA", "worst"]
    mine = [t for t in trials() if t["objective"] == "LaA"]
    gaps = [abs(t["auc_a"] - t["auc_b"]) for t in mine]
    assert rows[0]["diff_auc"] == pytest.approx(np.mean(gaps))
    assert rows[0]["diff_auc_se"] == pytest.approx(standard_error(gaps, FIFTH))
    assert rows[0]["min_auc"] == pytest.approx(np.mean([min(t["auc_a"], t["auc_b"]) for t in mine]))
    assert rows[0]["trials"] == 6


def test_leads_are_paired() -> None:
    rows = {row["objective"]: row for row in leads(trials(), ("objective",), NAMES, overlap=0.0)}
    assert set(rows) == {LEAD, "worst - LaA", "worst - LoA"}
    by = {(t["objective"], t["seed"]): t for t in trials()}
    gaps = [
        min(by["LaA", s]["auc_a"], by["LaA", s]["auc_b"])
        - min(by["LoA", s]["auc_a"], by["LoA", s]["auc_b"])
        for s in range(6)
    ]
    assert rows[LEAD]["min_auc"] == pytest.approx(np.mean(gaps))
    assert rows[LEAD]["min_auc_se"] == pytest.approx(np.std(gaps, ddof=1) / math.sqrt(6))


def test_leads_want_both() -> None:
    one = [t for t in trials() if t["objective"] == "LaA"]
    assert leads(one, ("objective",), NAMES, overlap=0.0) == []


def test_seeds_do_not_make_the_rows_more() -> None:
    found = [{"name": "x", "auc": value, "auc_se": 0.03} for value in (0.5, 0.6, 0.7)]
    (row,) = pooled(found, ("name",), ("auc",))
    assert row["auc"] == pytest.approx(0.6)
    assert row["auc_se"] == pytest.approx(math.sqrt(0.03**2 + 0.1**2 / 3))
    (one,) = pooled(found[:1], ("name",), ("auc",))
    assert (one["auc_se"], one["trials"]) == (pytest.approx(0.03), 1)


def test_clearly_wants_two_errors() -> None:
    assert clearly({"x": 0.03, "x_se": 0.01}, "x") == 1
    assert clearly({"x": -0.03, "x_se": 0.01}, "x") == -1
    assert clearly({"x": 0.02, "x_se": 0.01}, "x") == 0
    assert clearly({"x": 0.02, "x_se": None}, "x") == 0
