"""Segments: each one's own audit, and tests of whether they differ."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special, stats

import isonomy as iso
from isonomy._audit.segments import split, welch
from isonomy._metrics import holm
from tests.audit.data import made

DAY = dt.date(2024, 1, 1)


@pytest.mark.parametrize("extra", ["plain", "weights", "groups"])
def test_a_segment_is_the_audit_of_its_rows(extra: str) -> None:
    Y, score = made(missing=True)
    by = np.random.default_rng(0).choice(["x", "y", "z"], len(Y), p=[0.5, 0.3, 0.2])
    more = {
        "plain": {},
        "weights": {"sample_weight": np.linspace(0, 1, len(Y))},
        "groups": {"groups": np.arange(len(Y)) // 8},
    }[extra]
    found = iso.audit(Y, score, by=by, **more)
    assert [segment.name for segment in found.segments] == ["x", "y", "z"]
    for segment in found.segments:
        rows = by == segment.name
        alone = iso.audit(Y[rows], score[rows], **{k: v[rows] for k, v in more.items()})
        assert segment.audit.n_rows == rows.sum()
        left, right = segment.audit.to_frame(), alone.to_frame()
        assert left.columns == right.columns
        for column in left.columns[1:]:
            assert left[column].to_numpy() == pytest.approx(right[column].to_numpy(), nan_ok=True)
        assert [c.verdict for c in segment.audit.conflicts] == [c.verdict for c in alone.conflicts]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (["b", "a", "b"], ["b", "a"]),
        ([1, "1", 1], ["1", "'1'"]),
        ([1, "a", None], ["1", "a", "(missing)"]),
        ([float("nan"), 2.0, float("nan")], ["(missing)", "2"]),
        (np.array([np.nan, 22.0, np.nan]), ["(missing)", "22"]),
        (np.array([22.0, 22.5, 22.5]), ["22.0", "22.5"]),
        ([1e300, -0.0, 3.0], ["1e+300", "-0.0", "3.0"]),
        ([np.inf, 3.0, 3.0], ["inf", "3.0"]),
        (np.array([3, 22, 22], np.int8), ["3", "22"]),
        (np.array([True, False, True]), ["True", "False"]),
        (np.array(["u", "v", "v"]), ["v", "u"]),
        (np.ma.masked_array([1, 2, 1], [False, True, False]), ["1", "(missing)"]),
        ([(1, 2), (1, 2), (3,)], ["(1, 2)", "(3,)"]),
        ([DAY, DAY, None], ["2024-01-01", "(missing)"]),
        (pd.Series(["a", "b", "b"], index=[5, 6, 7]), ["b", "a"]),
        (pd.Series(["a", "b", "b"], dtype="category"), ["b", "a"]),
        (pd.Series([1, None, 1], dtype="Int64"), ["1", "(missing)"]),
        (pl.Series(["a", None, None]), ["(missing)", "a"]),
        (range(3), ["0", "1", "2"]),
    ],
    ids=str,
)
def test_segments_of_any_hashable(by: object, names: list[str]) -> None:
    found = split(by, 3)
    assert sorted(found) == sorted(names)
    sizes = [rows.size for rows in found.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(np.concatenate(list(found.values()))) == [0, 1, 2]


def test_one_class_segments_are_undefined_with_one_note() -> None:
    Y, score = made(n=300)
    by = np.where(np.arange(300) < 20, np.arange(300), -1)
    found = iso.audit(Y, score, by=by)
    assert len(found.segments) == 21
    notes = [note for note in found.notes if "some label lacks a class" in note]
    assert len(notes) == 1
    assert "20 of 21" in notes[0]
    assert "and 15 more" in notes[0]
    assert found.segment_tests == ()
    assert "too few rows" in found.summary()


def test_two_segments_are_compared_by_welchs_t_test() -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=12), rng.normal(0.8, 3, size=7)]
    value = special.expit([sample.mean() for sample in samples])
    error = np.array([stats.sem(sample) for sample in samples]) * value * (1 - value)
    expected = stats.ttest_ind(*samples, equal_var=False)
    statistic, p_value = welch(value, error, np.array([11.0, 6.0]))
    assert statistic == pytest.approx(expected.statistic**2)
    assert p_value == pytest.approx(expected.pvalue)


def test_with_known_errors_the_test_is_cochrans() -> None:
    value, error = np.array([0.6, 0.7, 0.64]), np.array([0.02, 0.03, 0.01])
    logit, spread = special.logit(value), error / (value * (1 - value))
    mean = np.average(logit, weights=spread**-2)
    q = (((logit - mean) / spread) ** 2).sum()
    statistic, p_value = welch(value, error, np.full(3, 1e9))
    assert 2 * statistic == pytest.approx(q)
    assert p_value == pytest.approx(stats.chi2.sf(q, 2), rel=1e-5)


def test_equal_segments_differ_as_often_as_chance_says() -> None:
    p_values = []
    for seed in range(40):
        Y, score = made(n=900, seed=seed)
        by = np.random.default_rng(seed).integers(0, 3, 900)
        p_values += [test.p_value for test in iso.audit(Y[:, :1], score, by=by).segment_tests]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_different_segments_are_found_and_named() -> None:
    Y, score = made(n=3000)
    by = np.random.default_rng(0).choice(["DE", "US", "FR"], 3000)
    score = np.where(by == "US", -score, score)
    found = iso.audit(Y, score, by=by, names=["click", "buy", "like"])
    click = next(test for test in found.segment_tests if test.labels == ("click",))
    assert click.differs
    assert click.lowest == "US"
    assert click.n_segments == 3
    assert click.p_value < 1e-9
    p_values = np.array([test.p_value for test in found.segment_tests])
    assert [test.holm for test in found.segment_tests] == pytest.approx(holm(p_values))
    assert "The AUC of click differs between segments beyond chance" in found.summary()
    assert found.to_frame().shape[0] == 12
    assert found.to_frame()["segment"].to_list()[:4] == [None, None, None, found.segments[0].name]


def test_segments_alike_are_said_to_be() -> None:
    Y, score = made(n=1000)
    found = iso.audit(Y, score, by=np.arange(1000) % 2)
    assert not any(test.differs for test in found.segment_tests)
    assert "2 segments do not differ beyond chance." in found.summary()


def test_groups_across_segments_are_noted() -> None:
    Y, score = made()
    groups = np.arange(len(Y)) // 6
    inside = iso.audit(Y, score, by=groups % 2, groups=groups)
    across = iso.audit(Y, score, by=np.arange(len(Y)) % 2, groups=groups)
    assert not any("more than one segment" in note for note in inside.notes)
    assert any("more than one segment" in note for note in across.notes)


def test_a_dictator_in_one_segment_only() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((6000, 2)) < 0.3
    by = np.where(np.arange(6000) % 6 == 0, "app", "web")
    pull = np.where(by == "app", 5.0, 1.0)
    score = Y[:, 0] + pull * Y[:, 1] + rng.normal(size=6000)
    found = iso.audit(Y, score, by=by, names=["click", "buy"])
    assert [segment.name for segment in found.segments if segment.audit.dictated] == ["app"]
    assert not found.dictated
    assert "buy dictates to click in app, though not overall." in found.summary()
