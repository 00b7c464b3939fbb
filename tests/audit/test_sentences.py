"""Every sentence that an audit can say, with the situation that makes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit import sentences, view
from isonomy._audit.sentences import TEMPLATES
from tests.render.hostile import Page


@dataclass(frozen=True)
class Case:
    """A sentence's key, a text in which it should stand, and how it should read there."""

    key: str
    situation: Callable[[], str]
    expected: str


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def audit(Y: Any, score: Any, *names: str, **more: Any) -> iso.Audit:
    return iso.audit(np.asarray(Y, float), score, names=names or None, **more)


def sketched(Y: np.ndarray, max_bytes: int) -> iso.AUCSketch:
    return iso.AUCSketch(["click", "buy"], max_bytes=max_bytes).add(Y, scored(Y, 1, 1))


@cache
def even(n: int = 4000) -> np.ndarray:
    """Two labels that have nothing to do with each other."""
    return (rng().random((n, 2)) < 0.3).astype(float)


def scored(Y: np.ndarray, *weights: float) -> np.ndarray:
    return Y @ np.array(weights) + np.random.default_rng(4).normal(size=len(Y))


def fine(n: int = 4000) -> iso.Audit:
    return audit(even(n), scored(even(n), 1, 1), "click", "buy")


def at_chance() -> iso.Audit:
    return audit(even(), scored(even(), 1, 0), "click", "buy")


def noise(n_labels: int) -> iso.Audit:
    Y = rng().random((3000, n_labels)) < 0.4
    return audit(Y, np.random.default_rng(5).normal(size=3000))


def _known_noise(n_labels: int) -> iso.Audit:
    """The labels of `noise`, ranked by how many a row has."""
    Y = rng().random((3000, n_labels)) < 0.4
    return audit(Y, Y.sum(axis=1))


def few() -> iso.Audit:
    return audit(even(60), scored(even(60), 0.1, 0.1), "click", "buy")


@cache
def funnel() -> np.ndarray:
    """Clicks, of which some are bought."""
    click = np.random.default_rng(2).random(4000) < 0.3
    return np.column_stack([click, click & (rng().random(4000) < 0.1)]).astype(float)


def levels(K: int) -> np.ndarray:
    """Labels each of which implies those before it."""
    return (rng().integers(0, K + 1, 2000)[:, None] > np.arange(K)).astype(float)


def one_of(K: int, *, also_none: bool = True) -> np.ndarray:
    """Each row has one label, or none."""
    return (rng().integers(0, K + also_none, 2000)[:, None] == np.arange(K)).astype(float)


def skewed_twice() -> iso.Audit:
    """Two labels that each dictate to another one."""
    Y = (rng().random((4000, 4)) < 0.3).astype(float)
    first = rng().random(4000) < 0.5
    Y[first, 2:] = np.nan
    Y[~first, :2] = np.nan
    weights = np.array([6.0, 1.0, 5.0, 1.0])
    score = np.nan_to_num(Y) @ weights + rng().normal(size=4000)
    return audit(Y, score, "click", "buy", "like", "save")


def one_label_each() -> iso.Audit:
    """A score that knows which of three labels a row has, and prefers two to the common one."""
    which = np.minimum(rng().integers(0, 6, 3000), 2)
    score = np.array([3.0, 1.5, 0.0])[which] + rng().normal(size=3000)
    return audit(np.eye(3)[which], score, "red", "green", "blue")


def halves(Y: np.ndarray) -> np.ndarray:
    """Each label observed in its own half of the rows."""
    Y = Y.copy()
    Y[::2, 0] = Y[1::2, 1] = np.nan
    return Y


def segments(score_there: Callable[[np.ndarray], np.ndarray], **more: Any) -> iso.Audit:
    """A sixth of the rows is 'app', with a score of its own."""
    Y = (rng().random((6000, 2)) < 0.3).astype(float)
    by = np.where(np.arange(6000) % 6 == 0, "app", "web")
    score = np.where(by == "app", score_there(Y), scored(Y, 1, 1))
    return audit(Y, score, "click", "buy", by=by, **more)


def since(before: iso.Audit, now: iso.Audit) -> str:
    """What an audit says that knows an earlier one."""
    return now.summary(now.drift(before.to_dict()))


def rarer() -> iso.Audit:
    keep = np.flatnonzero((even()[:, 0] == 0) | (np.arange(4000) % 3 == 0))
    return audit(even()[keep], scored(even(), 1, 1)[keep], "click", "buy")


def undefined() -> iso.Audit:
    Y = np.column_stack([even()[:, 0], np.zeros(4000)])
    return audit(Y, scored(Y, 1, 1), "click", "buy")


def undefined_inside() -> iso.Audit:
    """A label that is the same for all rows of a group."""
    groups = np.arange(4000) // 10
    Y = np.column_stack([even()[:, 0], groups % 3 == 0])
    return audit(Y, scored(Y, 1, 0), "click", "paid", groups=groups)


def failed(found: iso.Audit, **gates: Any) -> str:
    return "\n".join(found.failures(**gates))


def skewed(*weights: float, priors: tuple[float, float] = (0.4, 0.02)) -> iso.Audit:
    Y = (rng().random((8000, 2)) < priors).astype(float)
    return audit(Y, scored(Y, *weights), "click", "buy")


CASES = [
    # A label's own AUC.
    Case(
        "backwards",
        lambda: audit(even(), scored(even(), 1, -1), "click", "buy").summary(),
        "buy is ranked backwards: its AUC is 0.2",
    ),
    Case(
        "at chance",
        lambda: at_chance().summary(),
        "buy is served no better than by chance: its AUC is 0.5",
    ),
    Case(
        "perhaps at chance",
        lambda: few().summary(),
        "click may be served no better than by chance: its AUC is 0.496 (0.317 to 0.676), from 15 "
        "positives and 45 negatives.",
    ),
    Case("more labels", lambda: noise(12).summary(), "8 more labels: 8 not above chance."),
    # Two labels.
    Case(
        "one label",
        lambda: audit(even()[:, 0], scored(even(), 1, 0), "click").summary(),
        "One label, click: there is nobody to disagree with.",
    ),
    Case(
        "dictated",
        lambda: skewed(1, 5).summary(),
        "buy dictates to click: where they disagree, buy wins 99",
    ),
    Case(
        "leaning",
        lambda: skewed(1, 2).summary(),
        "The ranking leans towards buy over click: buy wins 7",
    ),
    Case(
        "not predicted",
        lambda: at_chance().summary(),
        "buy is not predicted, so click wins 7",
    ),
    Case("balanced", lambda: fine().summary(), "click and buy are balanced: click wins 5"),
    Case(
        "undecided",
        lambda: few().summary(),
        "click and buy: undecided. click wins 59.5% (35.1% to 80.2%) of their conflicts; rows with "
        "one of the two only: 12 and 14.",
    ),
    Case(
        "never disagree",
        lambda: audit([[1, 1], [1, 1], [0, 0], [0, 0]], np.arange(4.0)).summary(),
        "0 and 1 never disagree in these rows: no verdict.",
    ),
    Case(
        "never disagree inside",
        lambda: audit(
            [[1, 0], [0, 0], [0, 1], [0, 0]], np.arange(4.0), groups=[0, 0, 1, 1]
        ).summary(),
        "0 and 1 never disagree inside a group: no verdict.",
    ),
    Case(
        "apart",
        lambda: audit(halves(even()), scored(even(), 1, 1), "click", "buy").summary(),
        "click and buy are never observed in the same row: no verdict.",
    ),
    Case(
        "more pairs",
        lambda: noise(5).summary(),
        "5 more pairs of labels: 5 balanced.",
    ),
    # What labels are to each other.
    Case(
        "funnel",
        lambda: audit(funnel(), scored(funnel(), 1, 1), "click", "buy").summary(),
        "buy never occurs without click (a funnel): the two cannot disagree, and a ranking with "
        "rows of both first, then rows of click alone, serves both.",
    ),
    Case(
        "funnels",
        lambda: audit(levels(5), scored(levels(5), 1, 1, 1, 1, 1), *"abcde").summary(),
        "4 pairs of labels are funnels, the first never without the second: b and a, c and b, "
        "d and c, ... and 1 more.",
    ),
    Case(
        "same",
        lambda: audit(even()[:, [0, 0]], scored(even(), 1, 0), "click", "tap").summary(),
        "click and tap are the same in every row: one of them is enough.",
    ),
    Case(
        "sames",
        lambda: audit(even()[:, [0, 0, 0, 0]], scored(even(), 1, 0), *"abcd").summary(),
        "6 pairs of labels are the same in every row: a and b, a and c, a and d, ... and 3 more.",
    ),
    Case(
        "exclusive",
        lambda: audit(
            one_of(2), scored(one_of(2), 1, 1), "buy", "hide", groups=np.arange(2000) // 50
        ).summary(),
        "buy and hide exclude each other: no row has both, so that their AUCs trade off.\n",
    ),
    Case(
        "exclusive with bound",
        lambda: audit(one_of(2), scored(one_of(2), 1, 1), "buy", "hide").summary(),
        "so that their AUCs trade off. No ranking of these rows gives both more than 0.75",
    ),
    Case(
        "exclusives",
        lambda: audit(one_of(4), scored(one_of(4), 1, 1, 1, 1), *"abcd").summary(),
        "6 pairs of labels exclude each other: a and b, a and c, a and d, ... and 3 more.",
    ),
    Case(
        "opposite",
        lambda: audit(
            one_of(2, also_none=False), scored(one_of(2, also_none=False), 1, 0), "day", "night"
        ).summary(),
        "day and night are opposites: each row has exactly one of them",
    ),
    Case(
        "opposites",
        lambda: audit(
            one_of(2, also_none=False)[:, [0, 0, 1, 1]], np.arange(2000.0), *"abcd"
        ).summary(),
        "4 pairs of labels are opposites: a and c, a and d, b and c, ... and 1 more.",
    ),
    # Segments.
    Case(
        "segments too small",
        lambda: audit(even(40), scored(even(40), 1, 1), by=np.arange(40) // 4).summary(),
        "10 segments: too few rows to compare them.",
    ),
    Case(
        "segments alike",
        lambda: segments(lambda Y: scored(Y, 1, 1)).summary(),
        "2 segments do not differ beyond chance.",
    ),
    Case(
        "label differs",
        lambda: segments(lambda Y: scored(Y, 3, 1)).summary(),
        "The AUC of click differs between segments beyond chance: 0.7",
    ),
    Case(
        "conflict differs",
        lambda: segments(lambda Y: scored(Y, 3, 1)).summary(),
        "The share of conflicts that click wins over buy differs between segments beyond chance",
    ),
    Case(
        "more differ",
        lambda: _six_differ().summary(),
        "... and 1 more like this: see `segment_tests`.",
    ),
    Case(
        "dictated there",
        lambda: segments(lambda Y: scored(Y, 1, 5)).summary(),
        "buy dictates to click in app, though not overall.",
    ),
    Case(
        "backwards there",
        lambda: segments(lambda Y: scored(Y, 1, -2)).summary(),
        "buy is ranked backwards in app, though not overall.",
    ),
    Case("more there", lambda: _six_differ().summary(), "... and 1 more like this: see `segments`"),
    # How much, and how far apart.
    Case("size", lambda: fine().summary(), "4,000 rows. Worst served"),
    Case(
        "size in groups",
        lambda: audit(
            even(), scored(even(), 1, 1), "click", "buy", groups=np.arange(4000) // 4
        ).summary(),
        "4,000 rows in 1,000 groups.",
    ),
    Case(
        "size in clusters",
        lambda: audit(
            even(), scored(even(), 1, 1), "click", "buy", clusters=np.arange(4000) // 4
        ).summary(),
        "4,000 rows. Rows of a cluster vary together: 1,000 clusters.",
    ),
    Case("gap", lambda: fine().summary(), "Worst served: "),
    Case(
        "legend",
        lambda: Page(fine()._repr_html_()).whole_text,
        "4,000 rows. Bars are 95% intervals. Solid ticks: 0.5 for AUCs",
    ),
    # Since an earlier audit.
    Case(
        "auc fell",
        lambda: since(fine(), at_chance()),
        "The AUC of buy fell from 0.7",
    ),
    Case(
        "more fell",
        lambda: since(_known_noise(7), noise(7)),
        "... and so did those of 2 more labels.",
    ),
    Case(
        "auc moved",
        lambda: str(fine().drift(at_chance())),
        "The AUC of buy rose from 0.5",
    ),
    Case(
        "prior moved",
        lambda: since(fine(), rarer()),
        "The share of positives of click fell from 0.3",
    ),
    Case(
        "pull moved",
        lambda: since(fine(), rarer()),
        "The pull of click under equal loss weights rose from 0.494 to 0.",
    ),
    Case(
        "conflict moved",
        lambda: since(skewed(1, 1.5), skewed(1, 2)),
        "The share of conflicts that click wins over buy fell from 0.3",
    ),
    Case(
        "verdict moved",
        lambda: since(skewed(1, 2), skewed(1, 5)),
        "; the verdict went from 'leaning' to 'dictated'.",
    ),
    Case(
        "verdict by chance",
        lambda: since(fine(), fine(40)),
        "The verdict on click and buy went from 'balanced' to 'undecided', but the share of "
        "conflicts won did not move beyond chance.",
    ),
    Case(
        "more moved",
        lambda: "\n".join(view.since(noise(7).drift(_known_noise(7)), most=3)),
        " more: see the JSON.",
    ),
    Case("nothing moved", lambda: since(fine(), fine()), "Nothing has moved beyond chance."),
    Case(
        "new labels",
        lambda: since(audit(even()[:, 0], scored(even(), 1, 1), "click"), fine()),
        "Not in the earlier audit: buy.",
    ),
    Case(
        "gone labels",
        lambda: since(fine(), audit(even()[:, 0], scored(even(), 1, 1), "click")),
        "Only in the earlier audit: buy.",
    ),
    Case(
        "pulls not compared",
        lambda: since(fine(), audit(even()[:, 0], scored(even(), 1, 1), "click")),
        "Effective weights are shares of other labels: they were not compared.",
    ),
    Case(
        "groups on one side",
        lambda: since(
            fine(),
            audit(even(), scored(even(), 1, 1), "click", "buy", groups=np.arange(4000) // 4),
        ),
        "One audit counts pairs inside groups, the other all pairs: AUCs mean other things.",
    ),
    # What to do.
    Case(
        "turn around",
        lambda: audit(even(), scored(even(), 1, -1), "click", "buy").summary(),
        "Next: See what is upside down with buy: is 1 the good value of the label",
    ),
    Case(
        "excluded",
        lambda: audit(one_of(3), scored(one_of(3), 2, 0, 0), "red", "green", "blue").summary(),
        "Next: green, blue: ranked low to rank red high, because no row has both",
    ),
    Case(
        "find features",
        lambda: at_chance().summary(),
        "Next: Look for features that predict buy, or check the label",
    ),
    Case(
        "what changed",
        lambda: since(fine(), at_chance()),
        "Find out what has changed since the earlier audit before you rely on the ranking: "
        "features that no longer arrive, a label that is made otherwise, rows of another kind. "
        "What fell: buy.",
    ),
    Case(
        "try aggregation",
        lambda: skewed(2, 1, priors=(0.3, 0.3)).summary(),
        "Next: If click should not come first, try training with `LabelAggregation()`. `compare`",
    ),
    Case(
        "try weights",
        lambda: skewed(1, 5).summary(),
        "With equal loss weights buy has 13 times the pull of click, because it is more skewed.",
    ),
    Case(
        "not by weights",
        lambda: skewed(3, 1).summary(),
        "Equal loss weights are not the reason: they give buy the larger pull.",
    ),
    Case(
        "decide the order",
        lambda: one_label_each().summary(),
        "Next: blue: ranked low to rank red, green high. Every row has exactly one of the labels, "
        "so that their sum ranks nothing: decide which should come first",
    ),
    Case(
        "likewise",
        lambda: skewed_twice().summary(),
        "shows what each choice costs. Decide likewise for like over save.",
    ),
    Case(
        "choose one",
        lambda: audit(
            one_of(2, also_none=False), scored(one_of(2, also_none=False), 1, 0), "day", "night"
        ).summary(),
        "Next: One ranking cannot serve opposites (day and night): keep one of the two",
    ),
    Case(
        "look there",
        lambda: segments(lambda Y: scored(Y, 1, -2)).summary(),
        "Next: Look at app apart: what holds overall does not hold there.",
    ),
    Case(
        "more positives",
        lambda: few().summary(),
        "Next: To know whether the ranking serves click at all, audit more rows",
    ),
    Case(
        "both classes",
        lambda: undefined().summary(),
        "Next: Audit rows with positives and negatives of buy: without both there is no AUC.",
    ),
    Case(
        "both classes inside",
        lambda: undefined_inside().summary(),
        "Next: Leave out paid, or audit all rows together (without groups): no group has positives "
        "and negatives of such a label, so that no order inside groups serves it.",
    ),
    Case(
        "more conflicts",
        lambda: few().summary(),
        "Next: For a verdict on undecided pairs, audit more rows: what counts are rows in which",
    ),
    Case(
        "observed together",
        lambda: audit(halves(even()), scored(even(), 1, 1), "click", "buy").summary(),
        "Next: For a verdict on click and buy, audit rows in which both are observed.",
    ),
    Case(
        "prior changed",
        lambda: since(fine(), rarer()),
        "Next: See why the share of positives of click has changed since the earlier audit",
    ),
    Case(
        "conflicts changed",
        lambda: since(skewed(1, 1.5), skewed(1, 2)),
        "Next: See whether it was meant that click and buy stand otherwise to each other",
    ),
    Case(
        "nothing",
        lambda: fine().summary(),
        "Next: Nothing needs doing. Keep this audit (`to_dict()`, `--json`), and give it to the "
        "next one as its baseline.",
    ),
    # What to know before trusting the numbers.
    Case(
        "no auc",
        lambda: undefined().summary(),
        "buy has no AUC: no positive and negative to compare (0 positives, 4,000 negatives).",
    ),
    Case(
        "exact sketch",
        lambda: iso.audit(sketched(even(40), 1_000_000)).summary(),
        "Note: From a sketch of 40 items, which is exact: all scores fitted in.",
    ),
    Case(
        "bounded sketch",
        lambda: iso.audit(sketched(even(), 2000)).summary(),
        "Note: From a sketch: 4,000 items in ",
    ),
    Case(
        "few units",
        lambda: audit([[1], [0], [0], [1]], np.arange(4.0), "buy").summary(),
        "Note: Fewer than 5 items in a class for buy: intervals may not hold.",
    ),
    Case(
        "segments undefined",
        lambda: audit(even(40), scored(even(40), 1, 1), by=np.arange(40) // 4).summary(),
        " of 10 segments some label lacks a class and has no AUC: ",
    ),
    Case(
        "units across",
        lambda: segments(lambda Y: scored(Y, 1, 1), groups=np.arange(6000) // 4).summary(),
        "Some groups lie in more than one segment; the tests between segments take segments for "
        "independent.",
    ),
    # Why a gate failed.
    Case(
        "failed: dictator",
        lambda: failed(skewed(1, 5), dictator=True),
        "buy dictates to click: it wins 99",
    ),
    Case(
        "failed: dictators",
        lambda: failed(_three_under_one(), dictator=True),
        "; likewise 1 more pair.",
    ),
    Case(
        "failed: drift",
        lambda: failed(at_chance(), drift=at_chance().drift(fine())),
        "since the earlier audit: the AUC of buy fell from 0.7",
    ),
    Case(
        "failed: under",
        lambda: failed(at_chance(), under={"buy": 0.7}),
        "the AUC of buy is 0.5",
    ),
    Case(
        "failed: no auc",
        lambda: failed(undefined(), under={"buy": 0.7}),
        "buy has no AUC, which should be at least 0.7.",
    ),
    Case(
        "failed: gap",
        lambda: failed(at_chance(), max_gap=0.1),
        "the gap between the largest and the smallest AUC is 0.2",
    ),
    Case(
        "failed: no gap",
        lambda: failed(undefined(), max_gap=0.1),
        "fewer than two labels have an AUC, so that there is no gap to be at most 0.1.",
    ),
]


def _six_differ() -> iso.Audit:
    """Six labels, all served well in one half of the rows and turned around in a small part."""
    Y = (rng().random((8000, 6)) < 0.3).astype(float)
    by = np.arange(8000) % 8 == 0
    knows = np.where(by[:, None], [-1, -1, -1, -1, -1, -1], [1.0, 1, 1, 1, 1, 1])
    score = (Y * knows).sum(axis=1) + 0.1 * np.random.default_rng(1).normal(size=8000)
    return audit(Y, score, *"abcdef", by=by)


def _three_under_one() -> iso.Audit:
    Y = (rng().random((8000, 3)) < [0.05, 0.3, 0.3]).astype(float)
    return audit(Y, scored(Y, 8, 1, 1), "buy", "click", "like")


class _Recording(dict[str, str]):
    """The templates, and which of them were asked for."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.said: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.said.add(key)
        return super().__getitem__(key)


@pytest.mark.parametrize("case", CASES, ids=[case.key for case in CASES])
def test_the_situation_makes_the_sentence(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = _Recording(TEMPLATES)
    monkeypatch.setattr(sentences, "TEMPLATES", recording)
    text = case.situation()
    assert case.key in recording.said
    assert case.expected in text
    pattern = re.sub(r"\\\{.*?\\\}", "(.*?)", re.escape(TEMPLATES[case.key]))
    found = re.search(pattern, text.replace("`", "") if case.key == "legend" else text)
    assert found is not None, text
    assert "nan" not in found.group()


def test_no_sentence_is_missing_from_the_table() -> None:
    keys = [case.key for case in CASES]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(TEMPLATES)


def next_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("Next: ")]


@pytest.mark.parametrize(
    ("situation", "first"),
    [
        (lambda: audit(even(), scored(even(), 1, -1)).summary(), "See what is upside down with 1:"),
        (lambda: at_chance().summary(), "Look for features"),
        (lambda: since(fine(), at_chance()), "Find out what has changed"),
        (lambda: since(at_chance(), at_chance()), "Look for features"),
        (lambda: since(fine(), skewed(3, 0.4, priors=(0.3, 0.3))), "Find out what has changed"),
        (lambda: skewed(1, 5).summary(), "If buy should not come first"),
        (lambda: noise(1).summary(), "Look for features"),
        (lambda: since(fine(), rarer()), "See why the share"),
        (lambda: fine().summary(), "Nothing needs doing"),
        (lambda: since(fine(), fine()), "Nothing needs doing"),
    ],
)
def test_next_follows_the_worst(situation: Callable[[], str], first: str) -> None:
    steps = next_of(situation())
    assert steps[0].startswith(f"Next: {first}")
    assert len(steps) == 1 or not any("Nothing needs doing" in step for step in steps)


def test_rows_are_not_asked_for_where_they_cannot_help() -> None:
    for Y in (funnel(), even()[:, [0, 0]], levels(4)):
        text = audit(Y, scored(Y, *np.ones(Y.shape[1]))).summary()
        assert "audit more rows" not in text
        assert next_of(text) == [f"Next: {TEMPLATES['nothing']}"]


def test_a_label_that_nobody_knows_is_one_sentence_and_no_more_pairs() -> None:
    Y = np.hstack([even(), even()[::-1, :1]])
    text = audit(Y, scored(Y, 2, 2, 0)).summary()
    assert text.count("is not predicted, so") == 1
    assert "more pair" not in text


def test_the_worst_comes_first() -> None:
    lines = since(fine(), at_chance()).splitlines()
    assert lines[0].startswith("buy is served no better than by chance")
    assert lines[1].startswith("The AUC of buy fell from")
