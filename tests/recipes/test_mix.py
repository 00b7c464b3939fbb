"""The recipe for a mix, and the objective that uses it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

import isonomy as iso
from isonomy._core import objectives
from tests.recipes.consumers import (
    check_boosted,
    check_compared,
    check_measured,
    check_saved,
    check_torch,
    data,
)
from tests.recipes.recipe import follow, ship

TITLE = "A mix"
RATIOS = np.array([0.9, 0.6, 0.7])


@pytest.fixture(autouse=True)
def falling(monkeypatch: pytest.MonkeyPatch) -> Any:
    mix = follow(TITLE, "src/isonomy/_core/mixes.py", monkeypatch)["Falling"]
    # As if imported at the top of the file.
    monkeypatch.setattr(objectives, "Falling", mix, raising=False)
    objective = follow(TITLE, "src/isonomy/_core/objectives.py", monkeypatch)["LabelsInOrder"]
    ship(mix, "_core", monkeypatch)
    ship(objective, "_core", monkeypatch)
    return mix()


def slope_by_differences(mix: Any, step: float = 1e-6) -> np.ndarray:
    """The derivative by each of the ratios."""
    moves = step * np.eye(RATIOS.size)
    return np.array([(mix.value(RATIOS + d) - mix.value(RATIOS - d)) / (2 * step) for d in moves])


def test_its_slope_is_its_values(falling: Any) -> None:
    np.testing.assert_allclose(falling.slope(RATIOS), slope_by_differences(falling), rtol=1e-7)
    assert falling.value(RATIOS) == pytest.approx((4 * 0.9 + 2 * 0.6 + 0.7) / 7)
    assert np.isnan(falling.value(np.array([0.5, np.nan])))


def test_metrics_and_rankers_take_it() -> None:
    check_measured(iso.LabelsInOrder())
    X, Y = data()
    found = iso.LinearRanker(iso.LabelsInOrder(), l2=0.01).fit(X, Y)
    same = iso.LinearRanker(iso.LossAggregation([2, 1]), l2=0.01).fit(X, Y)
    np.testing.assert_allclose(found.coef_, same.coef_, rtol=1e-9)


def test_engines_take_it() -> None:
    check_boosted(iso.LabelsInOrder())


def test_torch_takes_it() -> None:
    check_torch(iso.LabelsInOrder())


def test_it_is_saved_and_compared(tmp_path: Path) -> None:
    ranker = iso.LinearRanker(iso.LabelsInOrder(), l2=0.01)
    check_compared(tmp_path, "in order", rankers={"in order": ranker}, methods=["mean"])
    check_saved(ranker.fit(*data()), tmp_path)


@dataclass(frozen=True)
class SoftMin:
    """A mix that is not linear: a smooth minimum."""

    pooled: bool = False

    def value(self, ratios: np.ndarray) -> float:
        return -0.1 * float(logsumexp(-10 * ratios, b=1 / ratios.size))

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return np.asarray(softmax(-10 * ratios))


@dataclass(frozen=True)
class SoftWorstLabel:
    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        return objectives.label_preferences(labels, SoftMin())


def test_one_that_is_not_linear_is_refused_only_where_it_must_be() -> None:
    np.testing.assert_allclose(SoftMin().slope(RATIOS), slope_by_differences(SoftMin()), rtol=1e-6)
    check_measured(SoftWorstLabel())
    check_boosted(SoftWorstLabel())
    check_torch(SoftWorstLabel())
    with pytest.raises(ValueError, match=r"constant weights >= 0.*Found SoftMin"):
        iso.LinearRanker(SoftWorstLabel()).fit(*data())
