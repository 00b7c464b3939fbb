"""The page as a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from isonomy._render.report.page import _json, _libraries, _meanings, page
from isonomy._render.report.records import Material
from tests.render.hostile import HOSTILE
from tests.render.report.conftest import EVIL, make_material, written
from tests.render.report.shown import Shown

# What a page may load: itself.
SIZE = 1_500_000


@pytest.fixture(scope="module")
def two(
    browser: webdriver.Chrome, two_labels: Material, tmp_path_factory: pytest.TempPathFactory
) -> Shown:
    return Shown(browser, written(tmp_path_factory.mktemp("two"), page(two_labels)))


def move(shown: Shown, key: str, times: int = 3) -> None:
    slider = shown.browser.find_element(By.ID, "tradeoff-slider")
    for _ in range(times):
        slider.send_keys(key)


def test_nothing_goes_wrong_and_nothing_leaves_the_page(
    browser: webdriver.Chrome, two_labels: Material, tmp_path: Path
) -> None:
    address = written(tmp_path, page(two_labels))
    shown = Shown(browser, address)
    move(shown, Keys.ARROW_RIGHT)
    assert shown.errors() == []
    assert {url for url in shown.requests() if not url.startswith("data:")} == {address}


def test_every_chart_is_drawn(two: Shown, two_labels: Material) -> None:
    for chart in ("weights", "aucs", "tradeoff", "conflicts", "top", "roc"):
        assert two.count(f"#{chart} svg path") > 5, chart
    for method in two_labels.good:
        assert method.name in two.text()


def test_the_slider_moves_the_point_and_the_numbers(two: Shown, two_labels: Material) -> None:
    line = two_labels.comparison.tradeoffs[0]
    seen = []
    for key in (Keys.HOME, Keys.END):
        move(two, key, 1)
        seen.append((two.ring(), two.text("#chosen-aucs"), two.text("#mix-command")))
    (first_ring, first_text, _), (last_ring, last_text, command) = seen
    assert first_ring != last_ring
    assert f"{line.aucs[0, 0]:.3f}" in first_text
    assert f"{line.aucs[-1, 1]:.3f}" in last_text
    assert f"{line.conflicts[-1, 0, 1]:.0%}" in two.text("#chosen-conflict")
    mix = ",".join(f"{weight:.4g}" for weight in line.weights[-1])
    assert command == (
        f"isonomy fit 'my table.csv' --labels click,buy --method loss --mix {mix} "
        "--out model.isonomy"
    )


def test_the_button_copies_the_command(two: Shown) -> None:
    button = two.browser.find_element(By.CSS_SELECTOR, "[data-copy=mix-command]")
    two.browser.execute_script(
        "window.copied = []; document.addEventListener('copy', () => "
        "window.copied.push(String(getSelection())));"
        "Object.defineProperty(navigator, 'clipboard', {configurable: true, value: "
        "{writeText: async (text) => { window.copied.push(text); }}});"
    )
    two.browser.execute_script("arguments[0].click()", button)
    WebDriverWait(two.browser, 5).until(lambda _: button.text == "Copied")
    assert two.browser.execute_script("return window.copied") == [two.text("#mix-command")]


@pytest.mark.parametrize(
    ("media", "scheme", "bright"),
    [("", "dark", False), ("", "light", True), ("print", "dark", True)],
)
def test_it_is_dark_at_night_and_light_on_paper(
    two: Shown, media: str, scheme: str, bright: bool
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    two.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": media, "features": features}
    )
    try:
        colour = two.browser.execute_script(
            "return getComputedStyle(document.body).backgroundColor"
        )
        label = two.browser.execute_script(
            "return getComputedStyle(document.querySelector('#aucs .role-axis-label text')).fill"
        )
    finally:
        two.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert (_brightness(colour) > 128) == bright
    assert (_brightness(label) > 128) != bright


def _brightness(colour: str) -> float:
    numbers = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(numbers) / 3


def test_strange_names_are_text_and_their_charts_are_full(
    browser: webdriver.Chrome, evil_labels: Material, tmp_path: Path
) -> None:
    html = page(evil_labels)
    assert len(html.encode()) < SIZE
    shown = Shown(browser, written(tmp_path, html))
    assert shown.errors() == []
    text = shown.text("main")
    for name in EVIL:
        assert name.strip() in text
        assert shown.browser.execute_script("return page.names.includes(arguments[0])", name)
    bars = shown.count("#weights .mark-rect path")
    assert bars == len(EVIL)
    assert shown.count("#aucs .mark-symbol path") >= len(EVIL) * len(evil_labels.good)
    cells = '#conflicts .mark-rect path[aria-roledescription="rect mark"]'
    assert shown.count(cells) == 10 * len(evil_labels.compared_in_squares)
    select = Select(browser.find_element(By.ID, "pair"))
    assert len(select.options) == 10
    before = shown.ring()
    select.select_by_index(9)
    assert shown.ring() != before
    assert shown.text("#end-first").startswith("no weight on long")


def make(**changes: Any) -> Material:
    return make_material(**{"names": ("click", "buy"), **changes})


@pytest.mark.parametrize(
    "changes",
    [{"names": ("click",)}, {"missing": True}, {"fit": None}, {"names": ("a", "b", "c")}],
    ids=["one label", "missing labels", "no file", "three labels"],
)
def test_other_comparisons_render(
    browser: webdriver.Chrome, tmp_path: Path, changes: dict[str, Any]
) -> None:
    shown = Shown(browser, written(tmp_path, page(make(**changes))))
    assert shown.errors() == []
    assert shown.count("#aucs svg path") > 5


def test_one_label_has_no_secret_weights() -> None:
    html = page(make(names=("click",)))
    assert "secret weights" not in html
    assert "<h2>Your label</h2>" in html


def test_the_size_does_not_depend_on_the_rows() -> None:
    sizes = [len(page(make(n=n)).encode()) for n in (300, 3000)]
    assert max(sizes) < SIZE
    assert abs(sizes[1] - sizes[0]) < 20_000


def test_a_method_that_nobody_knows_is_shown(two_labels: Material) -> None:
    """A recipe's method, or one of a later version: its kind is in no list of the page's."""
    found = two_labels.comparison
    methods = tuple(replace(method, kind="dummy", name="dummy") for method in found.methods[:1])
    alone = replace(found.decision, index=0, best=0, near=(), expected=(0.7,))
    dummy = replace(found, methods=methods, recommended="dummy", decision=alone, tradeoffs=())
    html = page(replace(two_labels, comparison=dummy))
    assert "<strong>Take &#39;dummy&#39;: smallest AUC" in html
    assert "--method dummy" in html


def test_methods_say_what_they_mean_and_those_that_mean_the_same_once() -> None:
    meant = {"mean": "averages", "a alone": "one label", "b alone": "one label", "mine": ""}
    methods = [SimpleNamespace(name=name, meaning=text) for name, text in meant.items()]
    shown = _meanings(SimpleNamespace(methods=methods))
    assert shown == [("mean", "averages"), ("a alone, b alone", "one label")]
    many = [SimpleNamespace(name=f"{k} alone", meaning="one label") for k in range(14)]
    assert _meanings(SimpleNamespace(methods=many)) == [
        ("0 alone, 1 alone, 2 alone and 11 more", "one label")
    ]


def test_a_ranker_of_the_users_own_has_no_command(two_labels: Material) -> None:
    found = two_labels.comparison
    own = tuple(replace(method, kind="own") for method in found.methods)
    html = page(replace(two_labels, comparison=replace(found, methods=own)))
    assert "use-command" not in html
    assert 'id="use-command"' in page(two_labels)


def test_only_scripts_of_ours_may_run(two_labels: Material) -> None:
    """The policy names the hash of each script as it stands in the page."""
    html = page(two_labels)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1])
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2


@pytest.mark.parametrize("name", [*HOSTILE, "\u2028line", "<!--<script>"])
def test_json_cannot_end_its_element(name: str) -> None:
    text = str(_json({"names": [name]}))
    assert not set("<\u2028\u2029") & set(text)
    assert json.loads(text) == {"names": [name]}


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        _json({"auc": float("nan")})


def test_what_people_wrote_is_escaped_everywhere(evil_labels: Material) -> None:
    origin = replace(evil_labels.origin, command=EVIL[0], file=EVIL[0], fit=(EVIL[0],))
    html = page(replace(evil_labels, origin=origin))
    assert EVIL[0] not in html
    assert html.count("<script") == page(evil_labels).count("<script")


def test_fourteen_labels_have_a_column_each() -> None:
    names = tuple(f"label {k}" for k in range(14))
    html = page(make(names=names, family="linear", methods=["mean", "one-label"]))
    assert all(f">{name}</span></th>" in html for name in names)
    assert "and 11 more labels" in html


def test_a_page_without_a_package_of_the_extra_says_what_to_install(
    two_labels: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    _libraries.cache_clear()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[cli\]'"):
        page(two_labels)
