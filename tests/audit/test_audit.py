"""The audit's numbers against the metrics, the intervals and the theory."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

import isonomy as iso
from isonomy._metrics import FEWEST_UNITS
from tests.audit.data import made, options
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS, Problem, problems


@settings(max_examples=60)
@given(problems(labels=(2, 4)))
def test_any_small_problem(problem: Problem) -> None:
    """No crash, no warning of our own, and the numbers of the metrics."""
    found = iso.audit(problem.Y, problem.scores, **problem.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aucs = iso.label_aucs(problem.Y, problem.scores, **problem.options)
        conflicts = iso.conflict_aucs(problem.Y, problem.scores, **problem.options)
    assert np.array_equal(found.aucs, aucs, equal_nan=True)
    assert np.array_equal(found.conflict_aucs, conflicts, equal_nan=True)
    defined = aucs[~np.isnan(aucs)]
    assert found.minimum.value == defined.min(initial=np.inf) or (
        not defined.size and np.isnan(found.minimum.value)
    )
    for estimate in (found.diff, found.minimum, *(label.auc for label in found.labels)):
        if not np.isnan(estimate.low):
            assert 0 <= estimate.low <= estimate.value + 1e-12
            assert estimate.value - 1e-12 <= estimate.high <= 1
    assert iso.Audit.from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert found.summary()
    assert found._repr_html_()


@pytest.mark.parametrize("kind", ["plain", "weights", "groups"])
def test_counts_prior_and_missing_share(kind: str) -> None:
    Y, score = made(missing=True)
    extra = options(kind, len(Y))
    w = np.asarray(extra.get("sample_weight", np.ones(len(Y))))
    found = iso.audit(Y, score, **extra)
    for k, label in enumerate(found.labels):
        y = Y[:, k]
        assert (label.positives, label.negatives) == ((y == 1).sum(), (y == 0).sum())
        assert label.missing == pytest.approx(w[np.isnan(y)].sum() / w.sum())
        assert label.prior.value == pytest.approx(w[y == 1].sum() / w[~np.isnan(y)].sum())
    first = found.conflicts[0]
    assert first.items == (
        ((Y[:, 0] == 1) & (Y[:, 1] == 0)).sum(),
        ((Y[:, 0] == 0) & (Y[:, 1] == 1)).sum(),
    )
    assert found.n_rows == len(Y)
    assert found.n_groups == (50 if kind == "groups" else None)


@pytest.mark.parametrize("form", COMPLETE_FORMS)
def test_every_form_of_complete_labels(form: str) -> None:
    Y, score = made()
    found = iso.audit(COMPLETE_FORMS[form](Y), score, names=["a", "b", "c"])
    assert found.to_dict() == iso.audit(Y, score, names=["a", "b", "c"]).to_dict()


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_every_form_of_missing_labels(form: str) -> None:
    Y, score = made(missing=True)
    found = iso.audit(MISSING_FORMS[form](Y), score, names=["a", "b", "c"])
    assert found.to_dict() == iso.audit(Y, score, names=["a", "b", "c"]).to_dict()


def test_names() -> None:
    Y, score = made()
    assert iso.audit(Y, score).names == ("0", "1", "2")
    assert iso.audit(pd.DataFrame(Y, columns=list("abc")), score).names == ("a", "b", "c")
    assert iso.audit(pl.DataFrame(Y, schema=list("abc")), score).names == ("a", "b", "c")
    frame = pl.DataFrame(Y, schema=list("abc"))
    assert iso.audit(frame, score, names=["x", "y", "z"]).names == ("x", "y", "z")
    assert iso.audit(pl.Series("click", Y[:, 0]), score).names == ("click",)


def test_one_label_has_no_conflicts() -> None:
    Y, score = made()
    found = iso.audit(Y[:, 0], score)
    assert found.conflicts == ()
    assert np.isnan(found.diff.value)
    assert found.minimum.value == found.labels[0].auc.value
    assert found.minimum.low == pytest.approx(found.labels[0].auc.low)
    assert found.minimum.high == pytest.approx(found.labels[0].auc.high)
    assert found.labels[0].effective_weight.value == 1
    assert found.labels[0].undo_weight == 1
    assert found.conflict_aucs.shape == (1, 1)


def test_a_constant_label_has_a_note_and_leaves_the_others_alone() -> None:
    Y, score = made()
    Y[:, 1] = 0
    found = iso.audit(Y, score, names=["a", "never", "c"])
    never = found.labels[1]
    assert np.isnan([never.auc.value, never.effective_weight.value]).all()
    assert never.undo_weight == 0
    assert never.prior.value == 0
    assert any("never has no AUC" in note for note in found.notes)
    others = iso.audit(Y[:, [0, 2]], score, names=["a", "c"])
    assert found.minimum == others.minimum
    assert found.diff == others.diff
    assert found.labels[0].effective_weight.value == others.labels[0].effective_weight.value
    assert [each.verdict for each in found.conflicts if "never" in (each.first, each.second)] == [
        "undecided",
        "undecided",
    ]
    # The weights can be pasted as they are.
    iso.objective_auc(Y[:, [0, 2]], score, iso.LossAggregation(others.undo_weights))
    iso.theory.effective_weights(Y, iso.LossAggregation(found.undo_weights))


def test_a_label_nowhere_observed() -> None:
    Y, score = made()
    Y[:, 2] = np.nan
    found = iso.audit(Y, score)
    assert found.labels[2].missing == 1
    assert np.isnan(found.labels[2].prior.value)
    assert "undefined" in found.summary()


def test_few_items_are_noted_and_not_warned_of() -> None:
    Y, score = made(n=60)
    assert not any("may not hold" in note for note in iso.audit(Y, score).notes)
    Y[:, 2] = np.arange(60) < FEWEST_UNITS - 1
    found = iso.audit(Y, score, names=["a", "b", "rare"])
    assert f"Fewer than {FEWEST_UNITS} items in a class for rare: intervals may not hold." in (
        found.notes
    )
    for units, what in (
        ({"groups": np.arange(60) // 20}, "groups with pairs"),
        ({"clusters": np.arange(60) // 20}, "clusters on a side"),
        ({"groups": np.arange(60) // 10, "clusters": np.arange(60) // 20}, "clusters with pairs"),
    ):
        noted = iso.audit(Y, score, **units).notes
        assert any(f"Fewer than {FEWEST_UNITS} {what} for 0, 1" in note for note in noted)


def test_all_weights_of_a_segment_may_be_zero() -> None:
    Y, score = made(n=100)
    by = np.repeat(["a", "b"], 50)
    found = iso.audit(Y, score, by=by, sample_weight=(by == "a").astype(float))
    empty = next(segment.audit for segment in found.segments if segment.name == "b")
    assert np.isnan(empty.aucs).all()
    assert np.isnan(empty.labels[0].prior.value)
    assert empty.summary()


def test_inputs_are_left_as_they_were() -> None:
    Y, score = made()
    before = Y.copy(), score.copy()
    iso.audit(Y, score, by=np.arange(len(Y)) % 3)
    assert np.array_equal(Y, before[0])
    assert np.array_equal(score, before[1])
