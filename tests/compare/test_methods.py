"""The registry of methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import isonomy as iso
from isonomy._compare.families import FAMILIES, Extra
from isonomy._compare.methods import METHODS, MethodEntry, family_methods
from isonomy._compare.own_rankers import own_methods
from tests.compare.made_data import made

DUMMY = MethodEntry(
    key="double",
    name="first counts <double>",
    meaning="adds up the losses & the first one twice",
    objective=iso.LossAggregation([2, 1]),
)


def test_names_are_text_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "double", DUMMY)
    found = iso.compare(
        *made(0), methods=["double"], family="linear", repeats=1, folds=2, tradeoffs=False
    )
    assert "first counts &lt;double&gt;" in found._repr_html_()
    assert "<double>" not in found._repr_html_()
    assert DUMMY.name in str(found)


def test_one_label_has_only_the_methods_that_say_something_of_it() -> None:
    X, Y = made(0)
    alone = iso.compare(X, Y[:, 0], family="linear", repeats=1, folds=2, random_state=0)
    assert {method.kind for method in alone.methods} == {"one-label", "chance"}


def test_entries_say_what_they_are() -> None:
    assert list(METHODS) == [
        *("mean", "loss", "balanced", "soft", "product", "plug-in", "worst"),
        *("blend", "blend-mean", "funnel", "lambdarank", "one-label"),
    ]
    assert all(entry.key == key and entry.meaning for key, entry in METHODS.items())
    assert all(
        (entry.objective is None) != (entry.label_objective is None) for entry in METHODS.values()
    )
    assert {key for key, entry in METHODS.items() if entry.blends} == {
        *("mean", "loss", "balanced", "soft", "product", "worst")
    }


def test_one_method_per_label() -> None:
    entry = METHODS["one-label"]
    made = family_methods([FAMILIES["linear"]], [entry], ("click", "buy"), "equal", 0)
    assert [method.name for method in made] == ["click alone", "buy alone"]
    assert [method.ranker.objective for method in made] == [iso.OneLabel(0), iso.OneLabel(1)]
    assert {method.ranker.group_weight for method in made} == {"equal"}
    assert [method.preference for method in made] == [(0, len(METHODS) - 1)] * 2
    both = family_methods(
        [FAMILIES["linear"], FAMILIES["boosted"]], [METHODS["mean"]], ("click", "buy"), "pairs", 0
    )
    assert [method.name for method in both] == [
        *("label aggregation, linear", "label aggregation, boosted")
    ]


def test_a_method_may_need_an_extra() -> None:
    needy = replace(DUMMY, extra=Extra("no_such_module", "boost"))
    with pytest.raises(ImportError, match=r"'double' needs no_such_module.*isonomy\[boost\]"):
        needy.methods(FAMILIES["linear"], ("a", "b"), "pairs", 0)


def test_seeds_reach_rankers_without_one() -> None:
    seeded = own_methods({"a": iso.PlugInRanker(Ridge())}, 7)[0].ranker
    assert seeded.random_state == 7
    kept = own_methods({"a": iso.PlugInRanker(Ridge(), random_state=3)}, 7)[0].ranker
    assert kept.random_state == 3


def test_own_rankers_come_last_in_simplicity() -> None:
    (own,) = own_methods([iso.LinearRanker()], 0)
    assert own.kind == "own"
    others = family_methods(list(FAMILIES.values()), list(METHODS.values()), ("a", "b"), "pairs", 0)
    assert own.preference > max(each.preference for each in others)
    assert own.entry.meaning == "a ranker of yours"


def test_lambdarank_is_a_baseline_with_groups() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    X, Y = made(0)
    groups = np.arange(len(Y)) // 10
    options = {"family": "boosted", "tune": False, "folds": 2, "repeats": 1}
    options |= {"tradeoffs": False, "random_state": 0}
    found = iso.compare(X, Y, groups=groups, methods=["mean", "lambdarank"], **options)
    baseline = found["LambdaRank on the sum"]
    assert baseline.failed is None
    assert (baseline.aucs.mean > 0.5).all()
    fitted = found.fit_best(X, Y, name="LambdaRank on the sum", groups=groups)
    levels = Y.sum(axis=1).astype(int)
    data = lightgbm.Dataset(X, levels, group=np.bincount(groups))
    seed = found.ranker("LambdaRank on the sum").random_state
    params = {"objective": "lambdarank", "label_gain": [0, 1, 2], "seed": seed, "verbosity": -1}
    expected = lightgbm.train({**params, "deterministic": True, "num_threads": 1}, data, 100)
    np.testing.assert_allclose(fitted.predict(X), expected.predict(X))
    with pytest.raises(ValueError, match="'lambdarank' only where there are groups"):
        iso.compare(X, Y, methods=["lambdarank"], **options)
    kinds = {each.kind for each in iso.compare(X, Y, methods=["mean"], **options).methods}
    assert "lambdarank" not in kinds
