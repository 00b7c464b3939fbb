"""The paths of data that CONTRIBUTING lists: each goes down the tower once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import polars as pl
import pytest

import isonomy as iso
from isonomy.cli import main

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
BORDER = (
    "_core.labels.Labels.from_table",
    "_core.validation.as_label_table",
    "_core.validation.as_weight",
    "_core.validation.as_groups",
)
# Groups, and clusters likewise.
TWICE = {"_core.validation.as_groups": 2}


@dataclass
class Calls:
    """Isonomy's functions in the order of their first calls, from where, and how often."""

    callers: dict[str, set[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (name := _name(frame)) is None:
            return
        self.counts[name] += 1
        if self.counts[name] > 1:
            return
        callers = self.callers[name] = set()
        above = frame.f_back
        while above is not None:
            callers.add(_name(above) or "")
            above = above.f_back


def _name(frame: FrameType) -> str | None:
    module = frame.f_globals.get("__name__", "")
    # Bodies of modules and classes, which imports run, are not optimised.
    if not module.startswith("isonomy.") or not frame.f_code.co_flags & CO_OPTIMIZED:
        return None
    name = f"{module}.{frame.f_code.co_qualname}"
    return name.removeprefix("isonomy.").removesuffix(".__init__")


def traced(call: Callable[[], Any]) -> Calls:
    """What a call calls, in this thread."""
    found, before = Calls(), sys.getprofile()
    sys.setprofile(found)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


def listed(heading: str) -> list[tuple[str, str | None]]:
    """The functions under a heading of CONTRIBUTING, each with the one that it is called from."""
    text = CONTRIBUTING.read_text().partition(f"### `{heading}`\n```\n")[2].partition("```")[0]
    stack: list[str] = []
    found = []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name = line.split()[0]
        found.append((name, stack[depth - 1] if depth else None))
        stack[depth:] = [name]
    return found


def rows(n: int = 200) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    Y = (X[:, :2] + rng.logistic(size=(n, 2)) > [0, 1]).astype(int)
    return X, Y, {"sample_weight": rng.uniform(1, 2, n), "groups": np.arange(n) % 8}


def by_command(folder: Path) -> None:
    """`isonomy compare` with all that it can write, in one thread."""
    X, Y, given = rows()
    columns = dict(zip(["x", "y", "z", "click", "buy"], np.column_stack([X, Y]).T, strict=True))
    path = folder / "t.csv"
    pl.DataFrame(columns | {"w": given["sample_weight"], "q": given["groups"]}).write_csv(path)
    given_columns = ["--labels", "click,buy", "--weight", "w", "--group", "q"]
    outputs = ["--report", folder / "r.html", "--json", folder / "j.json", "--out", folder / "m"]
    command = ["isonomy", "compare", path, *given_columns, "--folds", 2, "--repeats", 1, *outputs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [*map(str, command), "--quiet"])
        patch.setattr(import_module("isonomy._compare.compare"), "_threads", lambda _: 1)
        with pytest.raises(SystemExit) as stop:
            main()
    assert not stop.value.code


@pytest.fixture(
    scope="module",
    params=["label_aucs", "LinearRanker.fit", "BoostedRanker.fit", "audit", "isonomy compare"],
)
def path(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Calls]:
    """The heading of a path, and what is called on it."""
    X, Y, given = rows()
    calls: dict[str, Callable[[], Any]] = {
        "label_aucs": lambda: iso.label_aucs(Y, X[:, 0], **given),
        "LinearRanker.fit": lambda: iso.LinearRanker().fit(X, Y, **given),
        "BoostedRanker.fit": lambda: iso.BoostedRanker(n_rounds=3, patience=2, n_jobs=1).fit(
            X, Y, **given
        ),
        "audit": lambda: iso.audit(Y, X[:, 0], by=np.arange(200) % 2, **given),
        "isonomy compare": lambda: by_command(tmp_path_factory.mktemp("compare")),
    }
    if request.param == "BoostedRanker.fit":
        pytest.importorskip("lightgbm")
    return request.param, traced(calls[request.param])


def test_the_list_is_what_is_called(path: tuple[str, Calls]) -> None:
    heading, calls = path
    lines = listed(heading)
    assert len(lines) >= 8
    first_calls = list(calls.callers)
    for name, caller in lines:
        assert name in calls.callers, f"{name} is not called"
        assert caller is None or caller in calls.callers[name], f"{caller} does not call {name}"
    names = [name for name, _ in lines]
    assert names == sorted(names, key=first_calls.index)


def test_rows_are_checked_once(path: tuple[str, Calls]) -> None:
    _, calls = path
    assert {name: calls.counts[name] for name in BORDER} == dict.fromkeys(BORDER, 1) | TWICE
