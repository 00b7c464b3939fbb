"""The closed list: what ships is on it, and nothing else is."""

from __future__ import annotations

import pytest
from sklearn.utils import all_estimators

import isonomy as iso
from isonomy import _core, _rankers
from isonomy._models.allowed_types import _OBJECTS, is_listed
from isonomy._models.prediction_checks import CHECKS
from isonomy._rankers.base import Ranker
from isonomy._rankers.plugin import MODEL_PARTS


def listed(kind: type) -> bool:
    return is_listed("ObjectNode", kind.__module__, kind.__qualname__)


PUBLIC = [value for name in iso.__all__ if isinstance(value := getattr(iso, name), type)]
SHIPPED = [
    kind
    for kind in PUBLIC
    if kind is not iso.Objective and (hasattr(kind, "preferences") or issubclass(kind, Ranker))
]


def test_there_is_something_to_list() -> None:
    assert {iso.LossAggregation, iso.WorstLabel, iso.LinearRanker, iso.NeuralRanker} <= set(SHIPPED)


@pytest.mark.parametrize("kind", [*SHIPPED, *MODEL_PARTS, _rankers.TableEncoder])
def test_what_ships_is_trusted_because_it_ships(kind: type) -> None:
    assert listed(kind)


def test_nothing_else_of_isonomy_is_trusted() -> None:
    offered = {value for value in vars(_core).values() if isinstance(value, type)}
    offered |= {value for value in vars(_rankers).values() if isinstance(value, type)}
    others = (offered | set(PUBLIC)) - {*SHIPPED, *MODEL_PARTS, _rankers.TableEncoder}
    assert {_core.Items, iso.Objective, iso.Labels, iso.Audit, Ranker} <= others
    assert not [kind for kind in others if listed(kind)]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("isonomy", "LinearRanker"),
        ("isonomy._core", "WorstLabel"),
        ("isonomy._core.objectives", "replace"),
        ("isonomy._core.objectives", "Labels"),
        ("isonomy._core.objectives", "WorstLabel.preferences"),
        ("isonomy_evil", "LinearRanker"),
        ("isonomy.evil", "LinearRanker"),
        ("evil.isonomy._core.objectives", "WorstLabel"),
    ],
)
def test_a_shipped_name_elsewhere_is_not_trusted(module: str, name: str) -> None:
    assert not is_listed("ObjectNode", module, name)


def test_a_class_of_ones_own_is_not_trusted_by_being_put_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Mine:
        def preferences(self, labels: object) -> None: ...

    monkeypatch.setattr(_core, "Mine", Mine, raising=False)
    assert not listed(Mine)


def test_an_objective_that_is_added_where_objectives_are_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added = type("Added", (), {"preferences": lambda *_: None, "__module__": "isonomy._core.new"})
    monkeypatch.setattr(_core, "Added", added, raising=False)
    assert not listed(added)
    monkeypatch.setattr(added, "__module__", iso.Objective.__module__)
    assert listed(added)


def test_whatever_predicts_is_followed_to_its_last_part() -> None:
    """A type that is restored without being asked for has a check, or prediction never asks it."""
    inert = {"IsotonicRegression", "LabelBinarizer", "LabelEncoder", "MissingIndicator"}
    checked = {kind.__name__ for kind in CHECKS}
    listed = {name for names in _OBJECTS.values() for name in names}
    estimators = {name for name, _ in all_estimators()} & listed
    assert estimators - checked == inert
    assert {kind for kind in SHIPPED if issubclass(kind, Ranker)} <= set(CHECKS)
