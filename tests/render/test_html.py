"""Tables as HTML: static, closed, and every name is text."""

from __future__ import annotations

import re
import subprocess
import sys
from math import nan

import numpy as np
import pytest

from isonomy._render import Bar, Block, Cell, Column, Dot, Row, Sentences, Table, fragment
from isonomy._render.html import contrast, environment
from tests.render.hostile import HOSTILE, Page
from tests.render.made_tables import EMPTY, FAILED, UNDEFINED, hostile_table, labels_table


@pytest.mark.parametrize(
    "blocks",
    [
        (EMPTY,),
        (UNDEFINED,),
        (FAILED,),
        (labels_table(1),),
        (labels_table(14), Sentences(["a"], "headline"), Sentences(["b"], title="Next")),
        (),
    ],
    ids=["empty", "undefined", "failed", "one label", "fourteen labels", "nothing"],
)
def test_every_fragment_is_static(blocks: tuple[Block, ...]) -> None:
    html = fragment(*blocks)
    page = Page(html)
    assert page.is_static()
    assert html is not None
    assert not any(word in html for word in ("http", "url(", "<script", "nan"))


def test_hostile_text_stays_text() -> None:
    page = Page(fragment(hostile_table(), Sentences(HOSTILE), Sentences(HOSTILE, title="Note")))
    assert page.is_static()
    assert set(HOSTILE) <= page.titles
    assert set(HOSTILE) <= {text.strip(" ") for text in page.text}


def test_a_table_has_its_rows_and_headings() -> None:
    page = Page(fragment(labels_table(3)))
    assert page.tags.count("tr") == 3
    assert page.attributes["scope"].count("col") == 4
    assert page.attributes["scope"].count("row") == 2
    assert page.whole_text.count("0.812") == page.whole_text.count(".791-.830") == 6
    assert all(text in page.text for text in ("Methods", "A note.", "best", "as good"))
    assert "strong" in page.attributes["class"]


def test_a_cell_that_takes_the_rest_spans_it() -> None:
    page = Page(fragment(FAILED))
    assert page.attributes["colspan"] == ["2"]
    assert "long story" in page.whole_text


def drawn(picture: Dot | Bar) -> Page:
    return Page(fragment(Table([Column("a")], [Row([Cell("1", picture=picture)])])))


def test_a_dot_stands_where_its_value_is() -> None:
    page = drawn(Dot(0.75, 0.5, 1.0, start=0.5, ticks=(0.5, 0.9, 0.1)))
    assert page.attributes["cx"] == ["75.0"]
    # The axis, two ticks inside it, the interval.
    assert page.tags.count("line") == 4
    assert page.attributes["x1"][-1] == "5.0"
    assert page.attributes["x2"][-1] == "145.0"
    assert page.attributes["stroke-dasharray"] == ["2 2"]
    assert drawn(Dot(0.75, nan, nan, small=True)).attributes["cx"] == ["45.5"]


def test_what_is_undefined_is_not_drawn() -> None:
    page = drawn(Dot(nan, nan, nan, ticks=(nan,)))
    assert page.tags.count("line") == 1
    assert "circle" not in page.tags
    assert drawn(Bar(nan)).tags.count("rect") == 1


def test_a_bar_is_as_long_as_its_share() -> None:
    assert drawn(Bar(0.25)).attributes["width"][-1] == "15.0"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a `b` c", "a <code>b</code> c"),
        ("a `b", "a `b"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("<b> `", "&lt;b&gt; `"),
    ],
)
def test_code_stands_between_backticks(text: str, html: str) -> None:
    assert str(environment().filters["code"](text)) == html


def test_what_stands_on_a_colour_can_be_read() -> None:
    for share in np.linspace(0, 1, 101):
        style = environment().filters["heat_colours"](share)
        fill, ink = (tuple(bytes.fromhex(colour)) for colour in re.findall("#(......)", style))
        assert contrast(fill, ink) > 3.9
    assert contrast((0, 0, 0), (255, 255, 255)) == contrast((255, 255, 255), (0, 0, 0)) == 21


def test_without_jinja2_there_is_no_fragment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isonomy._render.html.first_missing", lambda modules: modules[0])
    assert fragment(EMPTY) is None


def test_importing_the_renderers_imports_no_extra() -> None:
    """Proved in a process of its own, where nothing else has imported them."""
    code = (
        "import sys, isonomy._render, isonomy._audit; "
        "print(sorted({'jinja2', 'rich', 'polars', 'altair'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
