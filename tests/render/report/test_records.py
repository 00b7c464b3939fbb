"""The numbers of a page, before anybody draws them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from isonomy._compare import compare
from isonomy._core import Items
from isonomy._render.report import Origin
from isonomy._render.report import records as records_module
from isonomy._render.report.page import page
from isonomy._render.report.records import (
    Material,
    PageRecords,
    auc_records,
    conflict_records,
    label_records,
    tradeoff_lines,
)
from tests.render.report.conftest import make_material


def test_the_pull_counts_groups_weights_and_missing_labels() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    Y = (X + rng.logistic(size=(300, 2)) > [0, 1]).astype(float)
    Y[:30, 0] = np.nan
    given = {"groups": rng.integers(0, 40, 300), "sample_weight": rng.random(300)}
    found = compare(X, Y, repeats=1, methods=["loss"], tradeoffs=False, random_state=0, **given)
    material = Material(found, Items.checked(Y, **given), Origin("1", "c", "t", "5", None))
    shares = [each["share"] for each in label_records(material)]
    np.testing.assert_allclose(shares, found.methods[0].effective, atol=1e-5)


def test_methods_stand_where_the_line_was_traced(two_labels: Material) -> None:
    """Loss aggregation is a point of the line: of the same split, not of a mean."""
    found = two_labels.comparison
    (line,) = tradeoff_lines(two_labels)
    for method in line["methods"]:
        aucs = found.split_aucs[found.methods.index(found[method["whole"]]), 0]
        np.testing.assert_allclose([method["x"], method["y"]], aucs, atol=1e-5)


def test_a_first_split_without_positives_has_no_line() -> None:
    """Such as the first days of a log, before anything was bought."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    Y = (X + rng.logistic(size=(120, 2)) > 0).astype(float)
    Y[60:80, 1] = 0
    splits = [(np.arange(60), np.arange(60, 80)), (np.arange(80), np.arange(80, 120))]
    found = compare(X, Y, methods=["loss"], family="linear", tune=False, splits=splits)
    assert np.isnan(found.split_aucs[:, 0, 1]).all()
    assert tradeoff_lines(Material(found, Items.checked(Y), Origin("1", "c", "t", "5", None))) == []


def test_labels_that_begin_alike_stay_apart() -> None:
    names = tuple(f"conversion rate of all the visitors, {where}" for where in "abc")
    material = make_material(names)
    pairs = {each["pair"] for each in conflict_records(material)}
    assert len(pairs) == 3
    assert len({each["label"] for each in auc_records(material)}) == 3
    assert len({each["method"] for each in auc_records(material)}) == len(material.good)


def test_names_in_the_tradeoff_do_not_cover_each_other(two_labels: Material) -> None:
    (line,) = tradeoff_lines(two_labels)
    named = [each for each in line["methods"] if each["text"]]
    assert named[-1]["recommended"]
    heights = [each["y"] for each in line["points"] + line["methods"]]
    for one, other in combinations(named, 2):
        if abs(one["x"] - other["x"]) < 0.001:
            assert abs(one["y"] - other["y"]) >= (max(heights) - min(heights)) / 20


def test_names_that_have_no_room_are_left_out() -> None:
    def named(*methods: tuple[str, float, float, bool], width: int = 300) -> list[str]:
        records = [
            {"method": name, "x": x, "y": y, "left": left, "recommended": name == "best"}
            for name, x, y, left in methods
        ]
        records_module._name_apart("text", records, [{"x": 0, "y": 0}, {"x": 1, "y": 1}], width)
        return [each["text"] for each in records if each["text"]]

    assert named(("other", 0.5, 0.5, False), ("best", 0.52, 0.5, False)) == ["best"]
    assert named(("other", 0.5, 0.5, True), ("best", 0.52, 0.5, False)) == ["other", "best"]
    assert named(("other", 0.5, 0.4, False), ("best", 0.52, 0.5, False)) == ["other", "best"]
    long = ("a name that has room on a desk alone", 0.5, 0.5, False)
    assert named(long) == []
    assert named(long, width=780) == [long[0]]


def test_many_labels_have_few_methods_each() -> None:
    names = tuple(f"label {k}" for k in range(8))
    material = make_material(names, tune=False, tradeoffs=False)
    assert len(material.good) > 6
    found = PageRecords.of(material)
    shown = list(dict.fromkeys(each["method"] for each in found.tops))
    assert len(shown) == 6
    assert shown[0] == material.comparison.recommended


def test_a_page_computes_each_number_once(
    two_labels: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    for name in ("label_records", "tradeoff_lines", "audits", "roc_records"):
        computed = getattr(records_module, name)

        def counting(material: Material, name: str = name, computed=computed) -> object:
            asked.append(name)
            return computed(material)

        monkeypatch.setattr(records_module, name, counting)
    page(two_labels)
    assert sorted(asked) == ["audits", "label_records", "roc_records", "tradeoff_lines"]


def test_one_label_has_no_conflicts_and_no_line() -> None:
    found = PageRecords.of(make_material(("click",)))
    assert found.conflicts == found.lines == []
    assert len(found.labels) == 1
    assert {each["label"] for each in found.aucs} == {"click"}
