"""An audit beside an earlier one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import isonomy as iso
from tests.audit.data import made

NAMES = ["click", "buy", "like"]


def test_z_tests_of_independent_samples() -> None:
    before = iso.audit(*made(seed=1), names=NAMES)
    now = iso.audit(*made(seed=2), names=NAMES)
    drift = now.drift(before)
    assert len(drift.moves) == 3 * 3 + 3
    for move in drift.moves:
        error = np.hypot(move.before.standard_error, move.now.standard_error)
        z = (move.now.value - move.before.value) / error
        assert move.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
        assert move.holm >= move.p_value
        assert move.moved == (move.holm < 0.05)


def test_chance_is_not_a_move_and_a_move_is() -> None:
    Y, score = made(n=2000, seed=1)
    again, other = made(n=2000, seed=2)
    before = iso.audit(Y, score, names=NAMES).to_dict()
    same = iso.audit(again, other, names=NAMES).drift(json.loads(json.dumps(before)))
    assert same.moved == ()
    assert "Nothing has moved beyond chance." in str(same)
    worse = iso.audit(again, -other, names=NAMES).drift(before)
    assert {move.labels for move in worse.moved if move.what == "auc"} == {
        (name,) for name in NAMES
    }
    assert "The AUC of click fell from" in worse.summary()
    rarer = again[again[:, 0] == 0], other[again[:, 0] == 0]
    keep = np.concatenate([np.flatnonzero(again[:, 0] == 0), np.flatnonzero(again[:, 0] == 1)[:90]])
    assert len(rarer[0]) > 500
    moved = iso.audit(again[keep], other[keep], names=NAMES).drift(before).moved
    assert {"prior", "effective weight"} <= {
        move.what for move in moved if move.labels == ("click",)
    }


def test_two_audits_of_equal_data_differ_as_often_as_chance_says() -> None:
    p_values: dict[str, list[float]] = {}
    for seed in range(40):
        first, second = (iso.audit(*made(n=400, seed=2 * seed + k)) for k in (0, 1))
        for move in second.drift(first).moves:
            if move.labels[0] == "0":
                p_values.setdefault(move.what, []).append(move.p_value)
    for what, values in p_values.items():
        assert stats.kstest(values, "uniform").pvalue > 0.002, what


def test_labels_in_another_order_or_missing() -> None:
    Y, score = made(n=1000)
    before = iso.audit(Y, score, names=NAMES)
    turned = iso.audit(Y[:, [1, 0, 2]], score, names=["buy", "click", "like"]).drift(before)
    assert [move.p_value for move in turned.moves] == pytest.approx([1.0] * 12)
    fewer = iso.audit(Y[:, :2], score, names=["click", "new"]).drift(before)
    assert {move.what for move in fewer.moves} == {"auc", "prior"}
    assert fewer.notes[:2] == (
        "Not in the earlier audit: new.",
        "Only in the earlier audit: buy, like.",
    )


def test_verdicts_that_changed() -> None:
    log = iso.datasets.make_search_log()
    rows = np.arange(len(log.Y)) % 2 == 0
    fair = iso.audit(log.Y[rows], log.eta[rows, 0])
    unfair = iso.audit(log.Y[~rows], log.eta[~rows] @ [1, 25])
    drift = unfair.drift(fair)
    conflict = next(move for move in drift.moves if move.what == "conflict")
    assert conflict.moved
    assert conflict.verdict_changed
    assert "the verdict went from" in drift.summary()


def test_a_verdict_may_change_by_chance() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((4000, 2)) < 0.3
    score = Y.sum(axis=1) + rng.normal(size=4000)
    many, few = iso.audit(Y, score), iso.audit(Y[:40], score[:40])
    drift = few.drift(many)
    conflict = drift.moves[-1]
    assert (conflict.verdict_before, conflict.verdict_now) == ("balanced", "undecided")
    assert not conflict.moved
    assert "did not move beyond chance" in drift.summary()


def test_perfect_audits_have_a_reach_too() -> None:
    y = np.arange(100) < 50
    perfect = iso.audit(y, y.astype(float))
    drift = perfect.drift(perfect)
    assert drift.moves[0].p_value == 1
    nearly = iso.audit(y, np.where(np.arange(100) == 50, 2.0, y))
    assert 0.05 < nearly.drift(perfect).moves[0].p_value < 1


def test_undefined_numbers_do_not_move() -> None:
    Y, score = made(n=200)
    Y[:, 0] = 1
    now = iso.audit(Y, score)
    drift = now.drift(now)
    auc = next(move for move in drift.moves if move.what == "auc")
    assert np.isnan(auc.p_value)
    assert not auc.moved
    json.dumps(drift.to_dict(), allow_nan=False)


def test_groups_against_none_are_noted() -> None:
    Y, score = made()
    grouped = iso.audit(Y, score, groups=np.arange(len(Y)) // 10)
    assert any("inside groups" in note for note in grouped.drift(iso.audit(Y, score)).notes)
