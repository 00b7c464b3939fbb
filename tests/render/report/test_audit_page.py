"""The page of an audit: static, with names as text, for few labels and many."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._render.report.audit_page import audit_page
from isonomy._render.report.origin import Origin
from tests.render.hostile import HOSTILE, Page

ORIGIN = Origin("0", "isonomy audit </script>", "t.csv", "ab" * 32)


def made(n_labels: int, names: list[str] | None = None, **more: object) -> iso.Audit:
    rng = np.random.default_rng(0)
    Y = rng.random((900, n_labels)) < 0.4
    score = Y.sum(axis=1) + rng.normal(size=900)
    return iso.audit(Y, score, names=names, **more)


def body(html: str) -> Page:
    return Page("<body" + html.partition("<body")[2].partition("</html>")[0])


@pytest.mark.parametrize("n_labels", [1, 2, 6, 14])
def test_pages_of_every_size(n_labels: int) -> None:
    found = made(n_labels, by=np.arange(900) % 3 + 21)
    html = audit_page(found, ORIGIN, score="score", failures=["too low"])
    page = body(html)
    assert "<script" not in html
    assert "script-src &#39;none&#39;" in html
    assert "Does not pass: too low" in page.whole_text
    assert "nan" not in page.whole_text.lower()
    assert ("percent won by" in page.whole_text) == (n_labels >= 6)
    assert html.count("<details") == 3
    assert "22: 300 rows." in page.whole_text
    if n_labels == 14:
        assert html.count('class="heat"') == 14 * 13


def test_hostile_names_are_text() -> None:
    found = made(len(HOSTILE), list(HOSTILE), by=np.array(HOSTILE)[np.arange(900) % 3])
    html = audit_page(found, ORIGIN, score=HOSTILE[0], drift=found.drift(found))
    assert "<script" not in html.replace("&lt;script", "")
    assert "Nothing has moved beyond chance." in html


def test_the_first_ranks_of_groups() -> None:
    found = made(2, ["click", "sale"], groups=np.arange(900) // 15, top=4)
    text = body(audit_page(found, ORIGIN)).whole_text
    assert "The first 4 of each group" in text
    assert "nDCG@4" in text
    assert "Who wins the conflicts of which an item is in the first 4" in text
    assert found.top_ranks is not None
    for each in found.top_ranks.ndcgs:
        assert f"{each.value:.3f}" in text
    assert "nDCG" not in audit_page(made(2), ORIGIN)
