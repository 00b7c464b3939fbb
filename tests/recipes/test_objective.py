"""The recipe for an objective."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy import _core
from tests import oracles
from tests.metrics.test_aucs import check_objectives
from tests.recipes.consumers import (
    check_boosted,
    check_compared,
    check_measured,
    check_saved,
    check_torch,
    data,
)
from tests.recipes.recipe import entry, follow, ship
from tests.strategies import Problem

TITLE = "An objective"
HOME = "src/isonomy/_core/objectives.py"


@pytest.fixture(autouse=True)
def at_least(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = follow(TITLE, HOME, monkeypatch)["AtLeast"]
    ship(found, "_core", monkeypatch)
    return found


def test_its_case_agrees_with_the_oracle() -> None:
    case = entry(TITLE, "tests/oracles.py")
    assert isinstance(case, oracles.Case)
    rng = np.random.default_rng(0)
    for n_labels in (1, 2, 3):
        Y = rng.choice([0.0, 1.0, np.nan], (30, n_labels), p=[0.4, 0.4, 0.2])
        scores, groups = rng.integers(0, 5, 30).astype(float), np.arange(30) % 3
        check_objectives([case], Problem(Y, scores, None, None, "pairs"))
        check_objectives([case], Problem(Y, scores, rng.exponential(size=30), groups, "equal"))


def test_metrics_and_rankers_take_it() -> None:
    check_measured(iso.AtLeast(1))
    X, Y = data()
    found = iso.LinearRanker(iso.AtLeast(1), l2=0.01).fit(X, Y)
    same = iso.LinearRanker(iso.LabelAggregation("any"), l2=0.01).fit(X, Y)
    np.testing.assert_allclose(found.coef_, same.coef_, rtol=1e-6)


def test_engines_take_it() -> None:
    check_boosted(iso.AtLeast(1))


def test_torch_takes_it() -> None:
    check_torch(iso.AtLeast(1))


def test_it_is_trusted_because_it_ships(tmp_path: Path) -> None:
    ranker = iso.LinearRanker(iso.AtLeast(1), l2=0.01).fit(*data())
    check_saved(ranker, tmp_path)


def test_it_is_not_trusted_before_it_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranker = iso.LinearRanker(iso.AtLeast(1), l2=0.01).fit(*data())
    iso.save(ranker, tmp_path / "model.isonomy")
    monkeypatch.delattr(_core, "AtLeast")
    with pytest.raises(ValueError, match=r"isonomy\._core\.objectives\.AtLeast.*trusted"):
        iso.load(tmp_path / "model.isonomy")


class Mine:
    """The same, of a user's own."""

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        hit = np.nansum(labels.patterns, axis=1) >= 1
        return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mine)

    __hash__ = None  # type: ignore[assignment]


def test_one_of_ones_own_loads_where_it_is_named(tmp_path: Path) -> None:
    ranker = iso.LinearRanker(Mine(), l2=0.01).fit(*data())
    name = f"{__name__}.Mine"
    iso.save(ranker, tmp_path / "model.isonomy")
    with pytest.raises(ValueError, match=name):
        iso.load(tmp_path / "model.isonomy")
    check_saved(ranker, tmp_path, trusted=[name])


def test_compare_takes_it(tmp_path: Path) -> None:
    rankers = {"at least one": iso.LinearRanker(iso.AtLeast(1), l2=0.01)}
    check_compared(tmp_path, "at least one", rankers=rankers, methods=["mean"])
