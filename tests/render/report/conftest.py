"""A real browser, and comparisons to look at in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from isonomy._compare.compare import compare
from isonomy._core import Items
from isonomy._render.report import Origin
from isonomy._render.report.records import Material

EVIL = (
    "</script><script>alert(1)</script>",
    "a.b[0]",
    "c:Q",
    "\N{SLIGHTLY SMILING FACE}",
    "long " * 40,
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1000,1400",
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("chromium and chromedriver are not here; `make setup` installs them on Debian")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    window = webdriver.Chrome(options, Service(driver))
    yield window
    window.quit()


def make_material(
    names: tuple[str, ...],
    *,
    n: int = 400,
    fit: tuple[str, ...] | None = ("t.csv",),
    missing: bool = False,
    family: str = "linear",
    **options: Any,
) -> Material:
    """A small comparison with these labels; of one family, which is quick."""
    rng = np.random.default_rng(0)
    K = len(names)
    X = rng.normal(size=(n, K + 1))
    Y = (X[:, :K] + X[:, [K]] / 2 + rng.logistic(size=(n, K)) / 2 > 0.5).astype(float)
    if missing:
        Y[rng.random(Y.shape) < 0.1] = np.nan
    items = Items.checked(pl.DataFrame(Y, schema=list(names)))
    found = compare(X, items, family=family, folds=2, repeats=1, random_state=0, **options)
    origin = Origin("1.2.3", "isonomy compare t.csv", "t.csv", "5" * 64, fit)
    return Material(found, items, origin)


@pytest.fixture(scope="session")
def two_labels() -> Material:
    fit = ("my table.csv", "--labels", "click,buy")
    return make_material(("click", "buy"), fit=fit, family="auto")


@pytest.fixture(scope="session")
def evil_labels() -> Material:
    return make_material(EVIL)


def written(folder: Path, html: str) -> str:
    """The address of a page on disk."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()
