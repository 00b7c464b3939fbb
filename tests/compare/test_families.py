"""Model families: what they make, and what they need."""

from __future__ import annotations

import json

import pytest

import isonomy as iso
from isonomy._compare import families
from isonomy._compare.families import FAMILIES, check_families
from tests.compare.made_data import made

BRINGS = {"boosted": "lightgbm", "neural": "torch"}


def test_a_family_says_what_it_needs() -> None:
    assert {key: family.key for key, family in FAMILIES.items()} == {key: key for key in FAMILIES}
    needed = {key: family.extra.module for key, family in FAMILIES.items() if family.extra}
    assert needed == BRINGS
    with pytest.raises(ValueError, match=r"`family` should be 'auto', one of.*mean 'boosted'"):
        check_families("boostd")
    assert [family.key for family in check_families(["boosted", "linear"])] == ["boosted", "linear"]


def test_auto_takes_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "linear" in [family.key for family in check_families("auto")]
    monkeypatch.setattr(families, "first_missing", lambda modules: modules[0])
    assert [family.key for family in check_families("auto")] == ["linear"]


@pytest.mark.parametrize("family", BRINGS)
def test_a_missing_extra_is_told_first(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "first_missing", lambda modules: modules[0])
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[(boost|torch)\]'"):
        iso.compare([[1.0]], [[1.0]], family=family)


@pytest.mark.parametrize("family", BRINGS)
def test_families(family: str) -> None:
    pytest.importorskip(BRINGS[family])
    X, Y = made(13)
    options = {"methods": ["mean", "plug-in", "blend"], "folds": 2, "repeats": 1}
    options["random_state"] = 0
    found = iso.compare(X, Y, family=family, **options)
    assert all(method.failed is None for method in found.methods)
    again = iso.compare(X, Y, family=family, **options, n_jobs=1)
    assert json.dumps(found.to_dict()) == json.dumps(again.to_dict())
    assert len(found.tradeoffs[0].weights) == 9


@pytest.mark.parametrize("family", FAMILIES)
def test_rankers_are_made_as_asked_for(family: str) -> None:
    if family in BRINGS:
        pytest.importorskip(BRINGS[family])
    entry = FAMILIES[family]
    ranker = entry.ranker(iso.OneLabel(1), "equal", 5)
    given = ranker.get_params()
    assert (given["objective"], given["group_weight"]) == (iso.OneLabel(1), "equal")
    assert given.get("random_state", 5) == 5
    assert hasattr(entry.classifier(5), "predict_proba")
    assert not entry.warm_start or "warm_start" in given
