"""What people see of an audit: the text, the page, the frame."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import isonomy as iso
from isonomy._audit import view
from isonomy._infra import short_names
from tests.audit.data import made
from tests.render.hostile import HOSTILE, Page


def hostile() -> iso.Audit:
    rng = np.random.default_rng(0)
    Y = rng.random((400, len(HOSTILE))) < 0.4
    return iso.audit(
        Y, Y.sum(axis=1) + rng.normal(size=400), names=HOSTILE, by=rng.choice(HOSTILE[:3], 400)
    )


def test_the_page_is_static_and_names_are_text() -> None:
    page = Page(hostile()._repr_html_())
    assert page.is_static()
    short = short_names(HOSTILE, view.LONGEST_NAME)
    assert set(short.values()) <= set(page.text)
    assert {name for name in HOSTILE if name != short[name]} <= page.titles
    assert "url(" not in page.whole_text
    assert "http" not in (hostile()._repr_html_() or "")


def test_names_do_not_break_lines() -> None:
    lines = hostile().summary().split("\n")
    assert len([line for line in lines if "95% interval" in line]) == 1
    assert all(line.isprintable() for line in lines)
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
        page = Page(audit._repr_html_())
        assert page.is_static()
        assert "How each label is served" in page.text
        assert "nan" not in page.whole_text
        assert str(audit) == audit.summary()


def test_much_is_cut_short() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((600, 32)) < 0.4
    found = iso.audit(Y, rng.normal(size=600))
    text = found.summary()
    assert "... and 12 more labels: see `to_dict()`" in text
    served = [line.split()[0] for line in text.splitlines() if line.count("(.") == 1]
    assert served == [name for _, name in sorted(zip(found.aucs, found.names, strict=True))][:20]
    assert "more pairs of labels:" in text
    assert len(text.splitlines()) < 70
    page = Page(found._repr_html_()).whole_text
    assert "2 more labels: see to_dict()" in page
    assert page.count("percent won by") == 1
    segmented = iso.audit(Y[:, 0], rng.normal(size=600), by=np.arange(600) % 20)
    assert "5 more segments" in Page(segmented._repr_html_()).whole_text


def test_text_and_page_say_the_same_numbers() -> None:
    Y, score = made()
    found = iso.audit(Y, score, names=["a", "b", "c"])
    page = Page(found._repr_html_()).whole_text
    for label in found.labels:
        for number in (
            f"{label.auc.value:.3f}",
            f"{label.auc.low:.3f}".removeprefix("0"),
            f"{label.undo_weight:.3g}",
            f"x{label.top[0].lift:.2g}",
        ):
            assert number in found.summary()
            assert number in page
    for conflict in found.conflicts:
        assert f"{conflict.won.value:.3f}" in page
        assert conflict.verdict in page


def test_the_winner_of_a_conflict_stands_on_the_left() -> None:
    log = iso.datasets.make_search_log()
    score = iso.theory.bayes_scores(log.eta, iso.LossAggregation())
    found = iso.audit(log.Y, score, names=["relevant", "recent"])
    (row,) = view.conflicts_table(found).rows
    assert [cell.text for cell in row.cells[:2]] == ["recent", "relevant"]
    assert (row.cells[3].text, row.cells[3].chip) == ("dictated", "bad")


def test_frame() -> None:
    Y, score = made()
    found = iso.audit(Y, score, names=["a", "b", "c"])
    frame = found.to_frame()
    assert frame["label"].to_list() == ["a", "b", "c"]
    assert frame["auc"].to_numpy() == pytest.approx(found.aucs)
    assert frame["top 10% lift"].to_list() == [label.top[2].lift for label in found.labels]
    assert "segment" not in frame.columns


def test_a_frame_without_polars_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    Y, score = made()
    found = iso.audit(Y, score)
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[cli\]'"):
        found.to_frame()
    assert "How each label is served" in str(found)
