"""What people read: verdicts and next steps in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

import isonomy as iso
from isonomy._audit import wording
from isonomy._infra import printable
from tests.render.hostile import HOSTILE


def test_the_summary_of_a_dictator() -> None:
    log = iso.datasets.make_search_log()
    score = iso.theory.bayes_scores(log.eta, iso.LossAggregation())
    found = iso.audit(log.Y, score, names=["relevant", "recent"])
    text = found.summary()
    assert text.startswith("recent dictates to relevant: where they disagree, recent wins 97")
    weights = ", ".join(f"{weight:.3g}" for weight in found.undo_weights)
    assert f"`LossAggregation(weights=[{weights}])`" in text
    assert "22 times the pull" in text
    assert "Worst served: relevant" in text


def test_the_next_step_fits_the_verdict() -> None:
    log = iso.datasets.make_search_log()
    rng = np.random.default_rng(0)
    score = log.Y @ [2.0, 1.0] + rng.normal(size=len(log.Y))
    common = iso.audit(log.Y, score, names=["relevant", "recent"])
    assert common.conflicts[0].winner == "relevant"
    assert "Equal loss weights are not the reason" in common.summary()
    Y = np.column_stack([log.Y[:, 0], rng.random(len(log.Y)) < 0.3])
    assert (
        "Look for features that predict noise"
        in iso.audit(Y, log.eta[:, 0], names=["relevant", "noise"]).summary()
    )
    even = rng.random((5000, 2)) < 0.3
    found = iso.audit(even, even.sum(axis=1) + rng.normal(size=5000))
    assert "Nothing needs doing." in found.summary()
    assert "audit more rows" in iso.audit(even[:60], rng.normal(size=60)).summary()
    alike = even @ [1.0, 0.3] + rng.normal(size=5000)
    leaning = iso.audit(even, alike)
    assert leaning.conflicts[0].verdict == "leaning"
    assert "training with `LabelAggregation()`. `compare`" in leaning.summary()


def test_names_in_sentences_are_short_and_tame() -> None:
    for name in HOSTILE:
        short = wording.short(name)
        assert len(short) <= wording.LONGEST_NAME
        assert short.isprintable()
    assert wording.short("click") == printable("click") == "click"


def test_a_label_at_chance_may_be_known_but_held_down_by_one_that_excludes_it() -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, 4000)
    Y = pd.DataFrame({"red": kind == 0, "green": kind == 1}).astype(float)
    known = Y.to_numpy() @ [2.0, 0.65] + rng.normal(size=4000)
    found = iso.audit(Y, known)
    assert found.labels[1].verdict == "not above chance"
    assert "green: ranked low to rank red high" in found.summary()
    assert "Look for features" not in found.summary()
    # Of a rare one that excludes it a label that nobody knows is hardly held down.
    Y["red"] = ((kind == 0) & (rng.random(4000) < 0.05)).astype(float)
    blind = 3 * Y["red"].to_numpy() + np.random.default_rng(2).normal(size=4000)
    found = iso.audit(Y, blind)
    assert "Look for features that predict green" in found.summary()
    assert "ranked low" not in found.summary()


def test_long_names_that_begin_or_end_alike_stay_apart() -> None:
    where = "conversion_rate_of_returning_customers_on_"
    names = [f"{where}mobile_phones_2024", f"{where}desktop_computers_2024"]
    rng = np.random.default_rng(0)
    Y = rng.random((2000, 2)) < [0.3, 0.05]
    text = iso.audit(Y, Y @ [1.0, 6.0] + rng.normal(size=2000), names=names).summary()
    first = text.splitlines()[0]
    assert first.startswith(f"{names[1][:28]}...{names[1][-29:]} dictates to {names[0]}: where")
    assert wording.short("a" * 61) == "a" * 28 + "..." + "a" * 29


def test_the_worst_served_label_has_the_interval_that_the_table_gives_it() -> None:
    """The smallest AUC of several close ones is less sure; but that is not said of one of them."""
    rng = np.random.default_rng(0)
    Y = rng.random((400, 5)) < 0.4
    found = iso.audit(Y, rng.normal(size=400), names=list("abcde"))
    worst = min(found.labels, key=lambda label: label.auc.value)
    assert str(found.minimum) != str(worst.auc)
    assert f"Worst served: {worst.name}, AUC {worst.auc}." in found.summary()


def test_of_labels_of_which_each_row_has_one_the_choice_is_told_once() -> None:
    rng = np.random.default_rng(1)
    which = np.minimum(rng.integers(0, 6, 3000), 2)
    score = np.array([3.0, 1.5, 0.0])[which] + rng.normal(size=3000)
    text = iso.audit(np.eye(3)[which], score, names=["red", "green", "blue"]).summary()
    assert text.count("which should come first") == 1


def test_what_follows_from_two_steps_of_a_funnel_is_not_told() -> None:
    rng = np.random.default_rng(0)
    steps = (rng.integers(0, 4, 1000)[:, None] > np.arange(3)).astype(float)
    text = iso.audit(steps, steps.sum(axis=1) + rng.normal(size=1000), names=list("abc")).summary()
    assert "b never occurs without a (a funnel)" in text
    assert "c never occurs without b (a funnel)" in text
    assert "c never occurs without a" not in text
