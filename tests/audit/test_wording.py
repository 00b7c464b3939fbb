"""What people read: the summary, the page, the frame."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit import html, wording
from tests.audit.data import made

WICKED = [
    "</script><script>alert(1)</script>",
    'a"onmouseover="alert(1)',
    "a.b[0]\n\x1b[31mred",
    "emoji 🎯 `code",
    "x" * 200,
    "<b>&amp;",
]


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what matters."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.titles += [value or "" for name, value in attrs if name == "title"]
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(audit: iso.Audit) -> Page:
    page = Page()
    page.feed(audit._repr_html_())
    page.close()
    assert page.open == []
    return page


def wicked() -> iso.Audit:
    rng = np.random.default_rng(0)
    Y = rng.random((400, len(WICKED))) < 0.4
    return iso.audit(
        Y, Y.sum(axis=1) + rng.normal(size=400), names=WICKED, by=rng.choice(WICKED[:3], 400)
    )


def test_the_page_is_static_and_names_are_text() -> None:
    page = read(wicked())
    assert page.tags <= {
        *("div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "br"),
        *("span", "svg", "line", "circle", "rect", "ul", "li", "b", "code"),
    }
    allowed = {"class", "style", "title", "scope", "role", "aria-label", "aria-hidden"}
    drawn = {"width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "r", "fill", "fill-opacity"}
    stroke = {
        *("stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-dasharray"),
    }
    assert page.attributes <= allowed | drawn | stroke
    assert set(WICKED) <= set(page.titles)
    assert set(WICKED) <= set(page.text)
    assert "url(" not in "".join(page.text)
    assert "http" not in wicked()._repr_html_()


def test_names_do_not_break_lines() -> None:
    lines = wicked().summary().splitlines()
    table = [line for line in lines if "(95% interval)" in line]
    assert len(table) == 1
    assert "\x1b" not in wicked().summary()
    assert max(len(line) for line in lines if "x" * 30 in line) < 250


def test_the_page_of_every_kind_of_audit() -> None:
    Y, score = made(n=200, missing=True)
    Y[:, 2] = 1
    for audit in (
        iso.audit(Y, score),
        iso.audit(Y[:, 0], score),
        iso.audit(Y[:, 2], score),
        iso.audit(Y, score, by=np.arange(200) // 2),
        iso.audit(Y[:3], score[:3]),
        iso.audit(Y, score, groups=np.arange(200) // 5),
    ):
        page = read(audit)
        assert "How each label is served" in page.text
        assert str(audit) == audit.summary()


def test_much_is_cut_short() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((600, 32)) < 0.4
    found = iso.audit(Y, rng.normal(size=600))
    text = found.summary()
    assert "... and 12 more labels: see `to_frame()`" in text
    assert "491 more pairs of labels:" in text
    assert len(text.splitlines()) < 60
    page = "".join(read(found).text)
    assert "2 more labels: see to_dict()." in page
    assert "466 more pairs" in page
    segmented = iso.audit(Y[:, 0], rng.normal(size=600), by=np.arange(600) % 20)
    assert "5 more segments" in "".join(read(segmented).text)


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


def test_frame() -> None:
    Y, score = made()
    found = iso.audit(Y, score, names=["a", "b", "c"])
    frame = found.to_frame()
    assert frame["label"].to_list() == ["a", "b", "c"]
    assert frame["auc"].to_numpy() == pytest.approx(found.aucs)
    assert frame["top 10% lift"].to_list() == [label.top[2].lift for label in found.labels]
    assert "segment" not in frame.columns


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.4, "40%"), (1, "100%"), (0.9999, ">99.9%"), (0.0123, "1.23%"), (0, "0%")],
)
def test_percent(share: float, text: str) -> None:
    assert wording.percent(share) == text
    assert wording.percent(float("nan")) == "-"


def test_odd_backticks_stay() -> None:
    assert html._code("a `b` c") == "a <code>b</code> c"
    assert html._code("a `b") == "a `b"
