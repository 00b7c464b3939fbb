"""Sketches: exact while they fit, and never outside their bounds after that."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import isonomy as iso
from isonomy._partial.pair_bounds import ratio_bounds
from isonomy._partial.sketch_bytes import MOST_BYTES, largest_single_range
from tests.conftest import UNCOMPILED
from tests.oracles import OBJECTIVES, Case
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS, NASTY

# The bounds are a promise without a probability: more cases than elsewhere.
MANY = settings(
    max_examples=20_000 if settings().max_examples >= 10_000 else 4 * settings().max_examples
)
BINARY = [case for case in OBJECTIVES if not case.complete and case.name != "laa-own"]


def names(K: int) -> list[str]:
    return [f"label {k}" for k in range(K)]


def clustered(rng: np.random.Generator, n: int) -> np.ndarray:
    """Scores where neighbours are near, far, equal, or as near as floats can be."""
    kind = rng.integers(6)
    if kind == 0:
        return rng.choice(NASTY, n)
    if kind == 1:
        return rng.normal(size=n)
    if kind == 2:
        centre = rng.normal(size=3)[rng.integers(3, size=n)]
        return centre + rng.integers(-9, 10, n) * np.spacing(centre)
    if kind == 3:
        return np.round(rng.normal(size=n), 1)
    if kind == 4:
        return np.ldexp(rng.choice([-1.0, 1.0], n), rng.integers(-1000, 1000, n))
    return np.concatenate([rng.normal(size=n - n // 2), rng.choice(NASTY, n // 2)])


@st.composite
def row_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Rows, a sketch too small for them, and a way to bring them in."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, K = draw(st.integers(1, 150)), draw(st.integers(1, 3))
    score = clustered(rng, n)
    Y = (rng.random((n, K)) < rng.choice([0.02, 0.3, 0.9])).astype(float)
    if draw(st.booleans()):
        Y[rng.random((n, K)) < 0.3] = np.nan
    if draw(st.booleans()):
        # Drifted and single-class parts.
        order = np.lexsort((score, Y[:, 0]))
        Y, score = Y[order], score[order]
    counts = rng.integers(0, 4, n) if draw(st.booleans()) else None
    if counts is not None:
        counts[rng.integers(n)] = 1
    n_patterns = len(np.unique(np.nan_to_num(Y, nan=2.0), axis=0))
    least = largest_single_range(tuple(names(K)), 9999, n_patterns)
    room = least + draw(st.sampled_from([0, 20, 200, 5000]))
    cuts = np.sort(rng.integers(0, n + 1, draw(st.integers(0, 5))))
    return {
        "Y": Y,
        "score": score,
        "counts": counts,
        "parts": [part for part in np.split(np.arange(n), cuts) if part.size],
        "max_bytes": room,
        "merges": draw(st.lists(st.integers(0, 100), min_size=6, max_size=6)),
    }


def sketch_of(given_: dict[str, Any]) -> iso.AUCSketch:
    """Each part in a sketch of its own, merged two at a time in a random order."""
    Y, score, counts = given_["Y"], given_["score"], given_["counts"]
    made = []
    for part in given_["parts"]:
        some = None if counts is None else counts[part]
        sketch = iso.AUCSketch(names(Y.shape[1]), max_bytes=given_["max_bytes"])
        if some is None or some.any():
            sketch.add(Y[part], score[part], counts=some)
        made.append(sketch)
    for at in given_["merges"]:
        if len(made) > 1:
            other = made.pop(at % len(made))
            target = made[at % len(made)]
            other = iso.AUCSketch.from_bytes(other.to_bytes()) if at % 2 else other
            target.merge(other)
    for other in made[1:]:
        made[0].merge(other)
    return made[0]


def assert_inside(found: iso.Bounded, exact: Any, slack: float = 0.0) -> None:
    low, high, value = (np.asarray(each) for each in (found.low, found.high, found.value))
    exact = np.asarray(exact)
    np.testing.assert_array_equal(np.isnan(low), np.isnan(exact))
    known = ~np.isnan(exact)
    assert (low[known] <= exact[known] + slack).all()
    assert (exact[known] <= high[known] + slack).all()
    assert ((low <= value) & (value <= high))[known].all()


@MANY
@given(row_sets(), st.sampled_from(BINARY))
def test_the_exact_answer_lies_inside_the_bounds(given_: dict[str, Any], case: Case) -> None:
    sketch = sketch_of(given_)
    Y, score, counts = given_["Y"], given_["score"], given_["counts"]
    assert len(sketch.to_bytes()) <= given_["max_bytes"]
    assert sketch.n_items == (len(Y) if counts is None else counts.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_inside(sketch.label_aucs(), iso.label_aucs(Y, score, counts=counts))
        objective = case.objective(Y.shape[1])
        exact = iso.objective_auc(Y, score, objective, counts=counts)
        assert_inside(sketch.objective_auc(objective), exact, slack=1e-15)
        if Y.shape[1] > 1:
            exact_conflicts = iso.conflict_aucs(Y, score, counts=counts)
            assert_inside(sketch.conflict_aucs(), exact_conflicts, slack=1e-15)


@given(row_sets(), st.sampled_from(BINARY))
def test_while_the_table_fits_all_is_exact(given_: dict[str, Any], case: Case) -> None:
    given_["max_bytes"] = 100_000
    sketch = sketch_of(given_)
    Y, score, counts = given_["Y"], given_["score"], given_["counts"]
    assert sketch.exact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sketch.label_aucs()
        exact = iso.label_aucs(Y, score, counts=counts)
        for each in (found.low, found.high, found.value):
            np.testing.assert_array_equal(each, exact)
        objective = case.objective(Y.shape[1])
        one = sketch.objective_auc(objective)
        expected = iso.objective_auc(Y, score, objective, counts=counts)
        np.testing.assert_allclose([one.low, one.high, one.value], expected, atol=1e-14)
        if not np.isnan(exact).any():
            intervals = sketch.auc_intervals()
            direct = iso.auc_intervals(Y, score, counts=counts)
            mine = iso.auc_intervals(sketch.items(), sketch.items().scores)
            np.testing.assert_array_equal([intervals.low, intervals.high], [mine.low, mine.high])
            np.testing.assert_allclose(intervals.low, direct.low, rtol=1e-12)
            np.testing.assert_allclose(intervals.high, direct.high, rtol=1e-12)
            np.testing.assert_allclose(intervals.covariance, direct.covariance, atol=1e-12)


@given(row_sets())
def test_exact_bytes_do_not_depend_on_the_order_of_rows(given_: dict[str, Any]) -> None:
    given_["max_bytes"] = 100_000
    whole = iso.AUCSketch(names(given_["Y"].shape[1]), max_bytes=100_000)
    whole.add(given_["Y"], given_["score"], counts=given_["counts"])
    assert sketch_of(given_).to_bytes() == whole.to_bytes()


def big(n: int = 10_000 if UNCOMPILED else 100_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(size=n)))
    Y = rng.random((n, 2)) < score[:, None] * [1.0, 0.05]
    return Y, score


@pytest.mark.parametrize("order", ["random", "by score", "by class"])
def test_bounds_are_narrow_whatever_the_order(order: str) -> None:
    Y, score = big()
    orders = {"random": score * 0, "by score": score, "by class": Y[:, 0]}
    rows = np.argsort(orders[order], kind="stable")
    parts = [
        iso.AUCSketch(["a", "b"], max_bytes=64_000).add(Y[part], score[part])
        for part in np.array_split(rows, 7)
    ]
    while len(parts) > 1:
        parts.append(parts.pop(0).merge(parts.pop(0)))
    found = parts[0].label_aucs()
    assert_inside(found, iso.label_aucs(Y, score))
    assert not found.exact
    assert np.max(found.width) < 1e-3


def test_the_bound_is_added_to_the_interval() -> None:
    Y, score = big()
    sketch = iso.AUCSketch(["a", "b"], max_bytes=10_000).add(Y, score)
    found, direct, bounds = sketch.auc_intervals(), iso.auc_intervals(Y, score), sketch.label_aucs()
    assert (found.low <= direct.low).all()
    assert (found.high >= direct.high).all()
    np.testing.assert_allclose(
        found.high - found.low, direct.high - direct.low + bounds.width, rtol=1e-3
    )
    one = sketch.auc_intervals(objective=iso.WorstLabel())
    assert one.low < iso.objective_auc(Y, score, iso.WorstLabel()) < one.high
    conflicts = sketch.conflict_intervals()
    assert conflicts.low[0, 1] <= iso.conflict_intervals(Y, score).low[0, 1]


def test_the_mean_label_by_rarity_knows_how_rare_labels_are() -> None:
    Y, score = big()
    exact = iso.objective_auc(Y, score, iso.SoftLabel("rarity"))
    for max_bytes, width in ((10_000_000, 0.0), (64_000, 1e-3)):
        sketch = iso.AUCSketch(["a", "b"], max_bytes=max_bytes).add(Y, score)
        found = sketch.objective_auc(iso.SoftLabel("rarity"))
        assert_inside(found, exact, slack=1e-14)
        assert found.high - found.low <= width
        levels = sketch.objective_auc(iso.LossAggregation())
        # What both orders of a pair weigh in common is in no doubt.
        assert found.high - found.low <= levels.high - levels.low


def test_ten_billion_rows_by_counts_do_not_overflow() -> None:
    Y, score, counts = [[1], [0], [1], [0]], [3.0, 2.0, 1.0, 0.0], [4 * 10**9, 2 * 10**9] * 2
    sketch = iso.AUCSketch(["a"]).add(Y, score, counts=counts)
    assert sketch.n_items == 12 * 10**9
    assert sketch.label_aucs().value[0] == 0.75
    wide = iso.AUCSketch(["a"]).add(Y, score, counts=[10**18] * 4)
    assert wide.label_aucs().value[0] == 0.75
    with pytest.raises(ValueError, match=r"2\*\*62"):
        wide.add(Y, score, counts=[10**18] * 4)


@pytest.mark.parametrize("form", sorted(COMPLETE_FORMS))
def test_labels_in_any_form(form: str) -> None:
    rng = np.random.default_rng(1)
    Y, score = rng.integers(0, 2, (50, 3)).astype(float), rng.normal(size=50)
    made = COMPLETE_FORMS[form](Y)
    found = iso.AUCSketch(["label 0", "label 1", "label 2"]).add(made, score).label_aucs().value
    np.testing.assert_array_equal(found, iso.label_aucs(Y, score))


@pytest.mark.parametrize("form", sorted(MISSING_FORMS))
def test_missing_labels_in_any_form(form: str) -> None:
    rng = np.random.default_rng(1)
    Y, score = rng.choice([0.0, 1.0, np.nan], (60, 2)), rng.normal(size=60)
    found = iso.AUCSketch(names(2)).add(MISSING_FORMS[form](Y), score).label_aucs().value
    np.testing.assert_array_equal(found, iso.label_aucs(Y, score))


def test_scores_of_frames_and_small_types() -> None:
    y, score = [0, 1, 1], np.array([0.5, 0.25, 2.0], np.float32)
    expected = iso.auc(y, score)
    for each in (score, pd.Series(score), pl.Series(score), score.astype(np.float16), list(score)):
        assert iso.AUCSketch(["a"]).add(y, each).label_aucs().value[0] == expected


def test_a_copy_by_pickle_is_the_same() -> None:
    Y, score = big(1000)
    sketch = iso.AUCSketch(["a", "b"]).add(Y, score)
    assert pickle.loads(pickle.dumps(sketch)).to_bytes() == sketch.to_bytes()


def test_a_batch_may_count_nothing() -> None:
    Y, score, counts = [[1], [0], [1]], [3.0, 4.0, 1.0], [2, 1, 3]
    sketch = iso.AUCSketch(["a"]).add(Y, score, counts=[0, 0, 0]).add(Y, score, counts=counts)
    assert sketch.n_items == 6
    np.testing.assert_array_equal(sketch.label_aucs().value, [0.0])


def test_an_empty_sketch_is_ordinary() -> None:
    empty = iso.AUCSketch(["a", "b"])
    assert empty.n_items == 0
    assert iso.AUCSketch.from_bytes(empty.to_bytes()).n_items == 0
    with pytest.warns(match="No pair of items"):
        assert np.isnan(empty.label_aucs().value).all()
    with pytest.raises(ValueError, match="should hold rows"):
        empty.items()
    Y, score = big(100)
    for batch in (Y[:0], pd.DataFrame(Y[:0], columns=["a", "b"]), []):
        assert empty.add(batch, score[:0]).n_items == 0
    with pytest.raises(ValueError, match="rows"):
        empty.add(Y[:0], score)
    assert empty.merge(iso.AUCSketch(["a", "b"]).add(Y, score)).n_items == 100


def test_no_warning_where_none_is_wanted() -> None:
    """Warnings are errors here."""
    sketch = iso.AUCSketch(["a", "b"]).add([[1, 1], [0, 0]], [2.0, 1.0])
    one = iso.AUCSketch(["a", "b"]).add([[1, 0], [1, 1]], [2.0, 1.0])
    assert np.isnan(sketch.conflict_aucs(warn=False).value[0, 1])
    assert np.isnan(one.label_aucs(warn=False).value).tolist() == [True, False]
    with pytest.warns(match="never conflict|No pair of items"):
        sketch.conflict_aucs()
    with pytest.warns(match="No pair of items"):
        one.label_aucs()


def test_bounds_of_objectives_stay_between_0_and_1() -> None:
    """One range of everything says nothing; that of one label is its own bound."""
    Y, score = big(300)
    least = largest_single_range(("a", "b"), 9999, 4)
    nothing = iso.AUCSketch(["a", "b"], max_bytes=least).add(Y, score)
    nothing._tables = [nothing.table().collapsed(np.ones(4), np.inf)]
    for objective in (iso.LossAggregation(), iso.WorstLabel(), iso.LossAggregation([1, 3])):
        found = nothing.objective_auc(objective)
        assert (found.low, found.high, found.value) == (0.0, 1.0, 0.5)
    some = iso.AUCSketch(["a", "b"], max_bytes=2 * least).add(Y, score)
    labels = some.label_aucs()
    assert not labels.exact
    for k in (0, 1):
        found = some.objective_auc(iso.OneLabel(k))
        assert [found.low, found.high] == [labels.low[k], labels.high[k]]
    mean = some.objective_auc(iso.LossAggregation())
    assert mean.low < np.mean(labels.low) < mean.low + 1e-14
    assert mean.high - 1e-14 < np.mean(labels.high) < mean.high


def test_intervals_reach_beyond_both_bounds() -> None:
    Y, score = big(300)
    sketch = iso.AUCSketch(["a", "b"], max_bytes=700).add(Y, score)
    bounds, found = sketch.label_aucs(), sketch.auc_intervals(level=0.5)
    middle = iso.auc_intervals(sketch.items(), sketch.items().scores, level=0.5)
    assert (found.high < 1).any()
    np.testing.assert_allclose(found.low, bounds.low - (middle.estimate - middle.low))
    high = bounds.high + (middle.high - middle.estimate)
    np.testing.assert_allclose(found.high, np.minimum(high, 1.0))
    sketch._tables = [sketch.table().collapsed(np.ones(4), np.inf)]
    nothing = sketch.auc_intervals()
    assert (nothing.low.tolist(), nothing.high.tolist()) == ([0.0, 0.0], [1.0, 1.0])


def test_intervals_of_an_exact_sketch_are_those_of_its_rows() -> None:
    rng = np.random.default_rng(0)
    Y, score = rng.integers(0, 2, (200, 2)), rng.normal(size=200)
    sketch = iso.AUCSketch(["a", "b"]).add(Y, score)
    assert sketch.items().labels.named
    assert sketch.items().labels.names == ("a", "b")
    for level in (0.8, 0.95):
        for found, expected in (
            (sketch.auc_intervals(level=level), iso.auc_intervals(Y, score, level=level)),
            (
                sketch.auc_intervals(objective=iso.LabelAggregation(), level=level),
                iso.auc_intervals(Y, score, objective=iso.LabelAggregation(), level=level),
            ),
            (sketch.conflict_intervals(level=level), iso.conflict_intervals(Y, score, level=level)),
        ):
            assert np.shape(found.low) == np.shape(expected.low)
            for name in ("estimate", "low", "high", "covariance"):
                mine, theirs = getattr(found, name), getattr(expected, name)
                np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-15)
    for level in (0.0, 1.0):
        with pytest.raises(ValueError, match="`level`"):
            sketch.auc_intervals(level=level)
        with pytest.raises(ValueError, match="`level`"):
            sketch.conflict_intervals(level=level)


def test_pooled_terms_are_one_ratio() -> None:
    """What is certain of all pairs together, not of one term after the other."""
    Y, score = big(300)
    sketch = iso.AUCSketch(["a", "b"], max_bytes=700).add(Y, score)
    table, labels = sketch.table(), sketch._labels()
    preferences, found = ratio_bounds(table, labels, PooledLabels())
    assert preferences.n_terms == 2
    assert np.shape(found.low) == np.shape(found.high) == np.shape(found.value) == (1,)
    whole = sketch.objective_auc(PooledLabels())
    assert [whole.low, whole.high] == [found.low[0], found.high[0]]
    assert_inside(whole, iso.objective_auc(Y, score, PooledLabels()))


class PooledLabels:
    """Pairs of both labels in one sum."""

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        yes = labels.patterns == 1
        return iso.Preferences(labels.codes, yes, ~yes, iso.Pooled())


class SparseLabels:
    """The mean of the labels' AUCs, from sparse tables."""

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        yes = labels.patterns == 1
        tables = (sparse.csr_array(side.astype(float)) for side in (yes, ~yes))
        return iso.Preferences(labels.codes, *tables, iso.Mean((1.0, 2.0)))


def test_sparse_tables_are_as_good() -> None:
    Y, score = big(200)
    found = iso.AUCSketch(["a", "b"]).add(Y, score).objective_auc(SparseLabels())
    assert found.value == pytest.approx(iso.label_aucs(Y, score) @ [1 / 3, 2 / 3], rel=1e-14)


def test_what_waits_to_be_joined_is_little() -> None:
    sketch = iso.AUCSketch(["a"], max_bytes=2_000)
    rng = np.random.default_rng(0)
    for _ in range(12):
        sketch.add(rng.integers(0, 2, 1000), rng.normal(size=1000))
        assert sum(map(len, sketch._tables)) < 4096 + 2000
    assert sketch.n_items == 12_000


class Downwards:
    """A mix that falls where its ratio rises."""

    pooled = False

    def value(self, ratios: np.ndarray) -> float:
        return float(1 - ratios[0])

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return -np.ones_like(ratios)


class Reversed:
    """An objective with such a mix."""

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        yes = labels.patterns[:, 0] == 1
        return iso.Preferences(labels.codes, yes, ~yes, Downwards())


def test_mistakes_are_told() -> None:
    Y, score = big(50)
    sketch = iso.AUCSketch(["a", "b"]).add(Y, score)
    with pytest.raises(ValueError, match="labels a, b"):
        sketch.add(Y[:, 0], score)
    with pytest.raises(ValueError, match=r"Found c, b"):
        sketch.add(pd.DataFrame(Y, columns=["c", "b"]), score)
    with pytest.raises(ValueError, match="sketch of a, b"):
        sketch.merge(iso.AUCSketch(["a", "c"]))
    with pytest.raises(TypeError, match="AUCSketch"):
        sketch.merge(sketch.to_bytes())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Parameter `Y`"):
        iso.AUCSketch(["a", "b"]).add(sparse.csr_array(np.eye(2)), [1.0, 2.0])
    with pytest.raises(ValueError, match="binary"):
        sketch.add(Y * 2.0, score)
    with pytest.raises(ValueError, match=r"2\*\*53"):
        sketch.add(Y[:2], np.array([2**60, 2**60 + 1]))
    with pytest.raises(TypeError, match="`data` should be bytes"):
        iso.AUCSketch.from_bytes(10**15)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`max_bytes` should be at least"):
        iso.AUCSketch(["a"], max_bytes=50)
    with pytest.raises(ValueError, match="name for each label"):
        iso.AUCSketch([])
    with pytest.raises(ValueError, match="lowers the whole"):
        sketch.objective_auc(Reversed())
    assert sketch.n_items == 50


def test_too_many_label_patterns_are_refused_before_anything_changes() -> None:
    rng = np.random.default_rng(0)
    sketch = iso.AUCSketch(names(12), max_bytes=5_000).add(np.eye(12), np.arange(12.0))
    with pytest.raises(ValueError, match="combinations"):
        sketch.add(rng.integers(0, 2, (4000, 12)), rng.normal(size=4000))
    assert sketch.n_items == 12
    assert len(sketch.to_bytes()) <= 5_000


def test_an_audit_of_ranges_inside_others_agrees_with_itself() -> None:
    """A rough sketch and single scores that lie inside its ranges."""
    Y, score = big(600)
    rough = iso.AUCSketch(["a", "b"], max_bytes=700).add(Y[:560], score[:560])
    merged = iso.AUCSketch(["a", "b"]).merge(iso.AUCSketch.from_bytes(rough.to_bytes()))
    found = iso.audit(merged.add(Y[560:], score[560:]))
    bounds = merged.label_aucs()
    low, high, value = (np.asarray(each) for each in (bounds.low, bounds.high, bounds.value))
    assert [label.auc.value for label in found.labels] == value.tolist()
    assert found.minimum.value == value.min()
    assert found.diff.value == value.max() - value.min()
    assert found.diff.low <= max(low.max() - high.min(), 0.0)
    assert found.diff.high >= high.max() - low.min()


def test_an_audit_says_that_it_came_from_a_sketch() -> None:
    log = iso.datasets.make_search_log()
    score = log.eta @ [1, 25]
    direct = iso.audit(log.Y, score, names=log.label_names)
    exact = iso.audit(iso.AUCSketch(log.label_names).add(log.Y, score))
    assert "From a sketch of 20,000 items, which is exact" in exact.notes[0]
    assert exact.labels == direct.labels
    assert exact.conflicts == direct.conflicts
    rough = iso.audit(iso.AUCSketch(log.label_names, max_bytes=3_000).add(log.Y, score))
    assert "score ranges" in rough.summary()
    for mine, theirs in zip(rough.labels, direct.labels, strict=True):
        assert mine.auc.low <= theirs.auc.low <= theirs.auc.high <= mine.auc.high
        assert (mine.prior, mine.effective_weight) == (theirs.prior, theirs.effective_weight)
        for a, b in zip(mine.top, theirs.top, strict=True):
            assert a.share.low <= b.share.value <= a.share.high
    assert rough.minimum.low <= direct.minimum.value <= rough.minimum.high
    assert rough.diff.low <= direct.diff.value <= rough.diff.high
    assert rough.conflicts[0].verdict == direct.conflicts[0].verdict
    assert iso.Audit.from_dict(rough.to_dict()) == rough
    with pytest.raises(TypeError, match="alone"):
        iso.audit(iso.AUCSketch(["a"]).add([0, 1], [0, 1]), [1, 2])
    with pytest.raises(TypeError, match="y_score"):
        iso.audit([0, 1])


def test_no_sketch_is_allowed_more_than_can_be_read_back() -> None:
    most = iso.AUCSketch(["a"], max_bytes=MOST_BYTES).add([0, 1], [1, 2])
    assert iso.AUCSketch.from_bytes(most.to_bytes()).max_bytes == MOST_BYTES
    for beyond in (MOST_BYTES + 1, 10**5000):
        with pytest.raises(ValueError, match="`max_bytes` should be at most 1,099,511,627,775"):
            iso.AUCSketch(["a"], max_bytes=beyond)
