"""Model families: what they make, and what they need."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import isonomy as iso
from isonomy._compare import families
from isonomy._compare.families import FAMILIES, check_families
from isonomy._compare.trials import run_trials
from isonomy._rankers import innermost
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
    X, Y = made(13, n=120)
    options: dict[str, Any] = {"methods": ["mean", "plug-in", "blend"], "folds": 2, "repeats": 1}
    # Nine networks more would show nothing that nine boosted models do not.
    options |= {"random_state": 0, "tradeoffs": family == "boosted"}
    found = iso.compare(X, Y, family=family, **options)
    assert all(method.failed is None for method in found.methods)
    again = iso.compare(X, Y, family=family, **options, n_jobs=1)
    assert json.dumps(found.to_dict()) == json.dumps(again.to_dict())
    if family == "boosted":
        assert len(found.tradeoffs[0].weights) == 9


@pytest.mark.parametrize("is_sparse", [False, True])
def test_fits_on_large_tables_come_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, is_sparse: bool
) -> None:
    """With the same answer; who says how many fits there are has so many."""
    pytest.importorskip("lightgbm")
    X, Y = made(13, n=120)
    X = sparse.csr_array(X) if is_sparse else X
    options: dict[str, Any] = {"methods": ["mean", "plug-in"], "folds": 2, "repeats": 1}
    threads = []

    def watched(*arguments: Any, **named: Any) -> Any:
        threads.append(named["threads"])
        return run_trials(*arguments, **named)

    module = importlib.import_module("isonomy._compare.compare")
    monkeypatch.setattr(module, "run_trials", watched)
    small = iso.compare(X, Y, **options, n_jobs=2)
    monkeypatch.setattr(module, "LARGE", (X.nnz if is_sparse else X.size) - 1)
    found = [iso.compare(X, Y, **options, n_jobs=n_jobs) for n_jobs in (None, 2)]
    assert threads == [2, None, 2]
    assert all(json.dumps(each.to_dict()) == json.dumps(small.to_dict()) for each in found)


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


@pytest.mark.parametrize("columns", [1000, 1001])
def test_trees_are_not_grown_on_very_many_columns_unless_asked_for(columns: int) -> None:
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, columns), density=0.01, format="csr", rng=rng)
    options: dict[str, Any] = {"methods": ["mean"], "folds": 2, "repeats": 1, "tradeoffs": False}
    found = iso.compare(X, rng.random((60, 2)) < 0.5, **options, tune=False, random_state=0)
    wide = columns > 1000
    assert found.family == ("linear" if wide else "linear and boosted")
    assert any("Only linear models" in note for note in found.notes) == wide
    both = iso.compare(
        X, rng.random((60, 2)) < 0.5, family=["linear", "boosted"], **options, tune=False
    )
    assert both.family == "linear and boosted"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which families' classifiers are searched for, one entry for each time."""
    seen: list[str] = []
    learner = families.Family.learner

    def watched(self: Any, *arguments: Any, **options: Any) -> Any:
        seen.append(self.key)
        return learner(self, *arguments, **options)

    monkeypatch.setattr(families.Family, "learner", watched)
    return seen


def test_classifiers_are_fitted_once_a_split_for_all_that_are_made_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("lightgbm")
    X, Y = made(13, n=200)
    seen = counted(monkeypatch)
    options: dict[str, Any] = {"folds": 2, "repeats": 1, "tune": False, "random_state": 0}
    kinds = ["plug-in", "blend", "blend-mean"]
    found = iso.compare(X, Y, family=["linear", "boosted"], methods=kinds, n_jobs=1, **options)
    mixed = found[found.recommended].family == "linear + boosted"
    # Of the linear ones the mixes have their own, of the features that trees get.
    assert seen.count("linear") - mixed in (4, 5)
    assert seen.count("boosted") - mixed in (2, 3)


@pytest.mark.parametrize("chosen", [["neural", "linear"], ["neural", "boosted", "linear"]])
def test_any_families_are_mixed(chosen: list[str]) -> None:
    for key in set(chosen) & BRINGS.keys():
        pytest.importorskip(BRINGS[key])
    X, Y = made(13, n=150)
    options: dict[str, Any] = {"folds": 2, "repeats": 1, "tune": False, "random_state": 0}
    options |= {"groups": np.arange(150) // 5, "sample_weight": np.arange(150) % 3}
    found = iso.compare(X, Y, family=chosen, methods=["blend"], tradeoffs=False, **options)
    assert all(each.failed is None for each in found.methods)
    (mixed,) = [each.name for each in found.methods if " + " in each.name]
    assert mixed.startswith("blend, neural + linear")
    fitted = found.fit_best(X, Y, name=mixed)
    rank = innermost(fitted)
    assert rank.coef_.size == 2 * len(chosen)
    assert rank.label_names_ == ("0", "1")


def test_a_part_without_a_class_fails_no_blend() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(8), 30)
    X = rng.normal(size=(240, 3))
    Y = (X[:, :2] + rng.logistic(size=(240, 2)) > 0).astype(int)
    Y[:, 1] *= group == 0
    options: dict[str, Any] = {"folds": 2, "repeats": 1, "tune": False, "tradeoffs": False}
    found = iso.compare(
        X, Y, groups=group, family="linear", methods=["blend"], random_state=0, **options
    )
    assert found["blend"].failed is None
