"""Pages on a desk, a phone and paper: nothing is cut, covered, or too pale to read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from selenium import webdriver

from isonomy._render.html import contrast
from isonomy._render.report.audit_page import audit_page
from isonomy._render.report.page import page
from isonomy._render.report.records import Material
from tests.render.report.conftest import make_material, written
from tests.render.report.shown import Shown
from tests.render.report.test_audit_page import ORIGIN
from tests.render.report.test_audit_page import made as audit_of

LONG = "conversion_rate_of_returning_customers_on_"
MANY = ("click", "buy", f"{LONG}mobile_phones", f"{LONG}desktop_computers", *"abcdefghij")
# What is wrong with a table's numbers on paper: cut in two, or beside the page.
BROKEN = """
const wrong = [], right = document.documentElement.clientWidth;
const cells = ".isonomy-table tbody td:not(.name, .rest), .isonomy-table thead th";
const isName = (node) => node.parentElement.closest(".of");
for (const cell of document.querySelectorAll(cells)) {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (isName(texts.currentNode)) continue;
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const places = range.getClientRects();
      if (places.length > 1 || places[0]?.right > right) wrong.push(word);
    }
  }
}
return wrong;
"""


@contextmanager
def looked_at(browser: webdriver.Chrome, width: int, media: str = "") -> Iterator[None]:
    """On a screen, or paper, so wide."""
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(scope="module", params=[2, 6, 14])
def both_pages(request: pytest.FixtureRequest) -> list[str]:
    """Of a comparison and of an audit, of so many labels."""
    names = MANY[: request.param]
    compared = make_material(names, methods=["mean", "blend"], tune=False)
    audited = audit_of(len(names), list(names), by=np.arange(900) % 3)
    return [page(compared), audit_page(audited, ORIGIN)]


def test_numbers_are_whole_on_paper(
    browser: webdriver.Chrome, both_pages: list[str], tmp_path: Path
) -> None:
    """An A4 page with the browser's own margins has 717 pixels."""
    row = "return getComputedStyle(document.querySelector('tbody tr')).breakInside"
    with looked_at(browser, 717, "print"):
        for html in both_pages:
            browser.get(written(tmp_path, html))
            assert browser.execute_script(BROKEN) == []
            assert browser.execute_script(row) == "avoid"


def test_on_a_desk_no_column_is_cut(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """Five labels, with the model beside the method and the p-value at the end."""
    material = make_material(
        MANY[:2] + tuple("abc"), methods=["mean", "blend"], tune=False, family=["linear", "boosted"]
    )
    cut = """
    return [...document.querySelectorAll("main .isonomy-table")].filter(
      (table) => table.scrollWidth > table.clientWidth
    ).map((table) => table.textContent);
    """
    with looked_at(browser, 1280):
        browser.get(written(tmp_path, page(material)))
        assert browser.execute_script(cut) == []
        assert not browser.execute_script(
            "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )


def test_names_stay_where_a_table_is_moved_sideways(
    browser: webdriver.Chrome, both_pages: list[str], tmp_path: Path
) -> None:
    moved = """
    return [...document.querySelectorAll("main .isonomy-table")].map((table) => {
      table.scrollLeft = 10000;
      const name = table.querySelector("tbody th.name");
      return name ? name.getBoundingClientRect().left - table.getBoundingClientRect().left : 0;
    });
    """
    with looked_at(browser, 390):
        for html in both_pages:
            browser.get(written(tmp_path, html))
            assert set(browser.execute_script(moved)) == {0}


def test_each_square_names_its_columns_and_no_two_alike(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    material = make_material(MANY, methods=["mean", "loss", "blend"], tune=False)
    shown = Shown(browser, written(tmp_path, page(material)))
    labels = browser.execute_script(
        "return [...document.querySelectorAll('#conflicts .role-axis-label text')]"
        ".map((each) => each.textContent)"
    )
    assert shown.errors() == []
    # A row for all labels but the last, in each of two rows of squares; all but the first beneath.
    assert len(labels) == 2 * 13 + 3 * 13
    assert len(set(labels)) == len(MANY)
    assert not any("\N{HORIZONTAL ELLIPSIS}" in each for each in labels)


def test_what_stands_on_a_colour_can_be_read(
    browser: webdriver.Chrome, two_labels: Material, tmp_path: Path
) -> None:
    """From one end to the other, as the numbers of a page happen to be."""
    found = two_labels.comparison
    shares = np.linspace(0, 1, len(found.methods))
    methods = tuple(
        replace(
            method,
            conflicts=replace(
                method.conflicts, mean=np.array([[np.nan, share], [1 - share, np.nan]])
            ),
        )
        for method, share in zip(found.methods, shares, strict=True)
    )
    changed = replace(two_labels, comparison=replace(found, methods=methods))
    Shown(browser, written(tmp_path, page(changed)))
    fills, inks = (
        browser.execute_script(
            f"return [...document.querySelectorAll('#conflicts {marks}')]"
            ".map((each) => getComputedStyle(each).fill)"
        )
        for marks in (".mark-rect.role-mark path", ".mark-text.role-mark text")
    )
    assert len(fills) == len(inks) > 8
    for fill, ink in zip(fills, inks, strict=True):
        colours = [tuple(map(int, re.findall(r"\d+", each)[:3])) for each in (fill, ink)]
        assert contrast(*colours) > 3.9


@pytest.mark.parametrize("width", [390, 1000])
def test_it_fits_phone_and_desk(
    browser: webdriver.Chrome, two_labels: Material, tmp_path: Path, width: int
) -> None:
    with looked_at(browser, width):
        assert Shown(browser, written(tmp_path, page(two_labels))).overflow() <= 0


def test_names_of_thousands_of_letters_fit(browser: webdriver.Chrome, tmp_path: Path) -> None:
    names = ("L" * 3000, "many words " * 300)
    compared = page(make_material(names, methods=["mean", "loss"], tune=False))
    segment = np.where(np.arange(900) % 2, "S" * 3000, "b")
    audited = audit_page(audit_of(2, list(names), by=segment), ORIGIN, score="s" * 3000)
    for width in (390, 1000):
        with looked_at(browser, width):
            shown = Shown(browser, written(tmp_path, compared))
            assert shown.page_overflow() <= 0
            browser.get(written(tmp_path, audited))
            assert shown.page_overflow() <= 0


def test_many_labels_fit_on_paper(
    browser: webdriver.Chrome, evil_labels: Material, tmp_path: Path
) -> None:
    """Drawn for a screen, printed on a page that is narrower."""
    shown = Shown(browser, written(tmp_path, page(evil_labels)))
    # Without the listeners that would draw anew, as a printer does not.
    browser.execute_script(
        "for (const each of document.querySelectorAll('.chart'))"
        " each.replaceChildren(...[...each.childNodes].map((node) => node.cloneNode(true)))"
    )
    with looked_at(browser, 717, "print"):
        assert shown.overflow() <= 0
