"""Features of boosting: categories by value, in any frame; gaps; columns that are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from isonomy._rankers.boosted.ranker import BoostedRanker

ENGINES = ["lightgbm", "xgboost"]
FAST = {"n_rounds": 8, "n_jobs": 1}
X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]


def with_categories(n=800, seed=0):
    """Numbers with gaps and a category that the labels depend on."""
    rng = np.random.default_rng(seed)
    names = np.array(["red", "green", "blue", "grey"])
    kind = rng.integers(0, 4, n)
    x = rng.normal(size=n)
    pull = np.array([1.5, -1.5, 1.5, -1.5])[kind] + x
    Y = np.column_stack([pull, pull + x]) + rng.logistic(size=(n, 2)) > 0
    x[rng.random(n) < 0.2] = np.nan
    missing = rng.random(n) < 0.1
    return x, names[kind], missing, Y.astype(int)


def pandas_frame(x, kind, missing):
    colour = pd.Series(kind).mask(missing).astype("category")
    return pd.DataFrame({"x": x, "colour": colour, "whole": np.arange(len(x)) % 7})


def polars_frame(x, kind, missing, dtype=pl.Categorical):
    colour = pl.Series([None if gap else k for k, gap in zip(kind.tolist(), missing, strict=True)])
    columns = {"x": x, "colour": colour.cast(dtype), "whole": np.arange(len(x)) % 7}
    return pl.DataFrame(columns).with_columns(pl.col("x").fill_nan(None))


@pytest.mark.parametrize("engine", ENGINES)
def test_categories_and_gaps(engine):
    x, kind, missing, Y = with_categories()
    frame = pandas_frame(x, kind, missing)
    options = {"engine": engine, "n_rounds": 20, "n_jobs": 1}
    ranker = BoostedRanker(**options).fit(frame, Y)
    assert ranker.categories_ == {"colour": ["blue", "green", "grey", "red"]}
    assert ranker.feature_names_in_.tolist() == ["x", "colour", "whole"]
    assert ranker.feature_importances_.argmax() == 1
    assert ranker.feature_importances_.sum() == pytest.approx(1)
    assert ranker.score(frame, Y) > 0.8
    wanted = ranker.predict(frame)
    # The same values in other forms: new order of categories, fewer rows, polars.
    shuffled = frame.assign(
        colour=frame["colour"].cat.reorder_categories(["red", "grey", "green", "blue"])
    )
    np.testing.assert_array_equal(ranker.predict(shuffled), wanted)
    few = frame[:9].assign(colour=frame["colour"][:9].cat.remove_unused_categories())
    np.testing.assert_array_equal(ranker.predict(few), wanted[:9])
    np.testing.assert_array_equal(ranker.predict(polars_frame(x, kind, missing)), wanted)
    enum = pl.Enum(["blue", "green", "grey", "red"])
    other = BoostedRanker(**options).fit(polars_frame(x, kind, missing, enum), Y)
    np.testing.assert_array_equal(other.predict(frame), wanted)
    other = BoostedRanker(**options).fit(polars_frame(x, kind, missing), Y)
    assert other.categories_ == ranker.categories_
    np.testing.assert_array_equal(other.predict(frame), wanted)
    unknown = frame.assign(colour=pd.Series(["violet"] * len(frame), dtype="category"))
    gone = frame.assign(colour=pd.Categorical([None] * len(frame), categories=["red"]))
    np.testing.assert_array_equal(ranker.predict(unknown), ranker.predict(gone))
    gone = polars_frame(x, kind, np.ones(len(x), bool))
    np.testing.assert_array_equal(ranker.predict(gone), ranker.predict(unknown))


def test_categories_may_be_numbers_and_are_split_as_sets():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, 600)
    y = (code % 2 == 0).astype(int) ^ (rng.random(600) < 0.1)
    frame = pd.DataFrame({"code": pd.Categorical(code * 10)})
    options = {"params": {"num_leaves": 2, "cat_smooth": 1, "cat_l2": 0}, "n_rounds": 1}
    ranker = BoostedRanker(n_jobs=1, **options).fit(frame, y)
    assert ranker.categories_ == {"code": [10 * k for k in range(12)]}
    # One split separates the even from the odd only if it is one of sets.
    assert ranker.score(frame, y) > 0.8
    assert BoostedRanker(n_jobs=1, **options).fit(code[:, None], y).score(code[:, None], y) < 0.65


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pl.DataFrame(X4).lazy(), r"`X`.*Found a LazyFrame.*X\.collect"),
        (pl.DataFrame(X4).to_arrow(), r"`X`.*Found a Table of pyarrow; convert it.*to_pandas"),
        (pd.DataFrame({"a": pd.date_range("2020", periods=4)}), "Found times.*numbers"),
        (
            pl.DataFrame({"a": X4[:, 0]}).with_columns(day=pl.date(2020, 1, 1)),
            r"`X\['day'\]`.*Found times",
        ),
        (pd.DataFrame({"a": ["x", "y", "x", "y"]}), r"`X\['a'\]`.*Found text; cast"),
        (pl.DataFrame({"a": ["x", "y", "x", "y"]}), r"`X\['a'\]`.*Found text; cast"),
        (
            pd.DataFrame({"a": pd.date_range("2020", periods=4).astype("category")}),
            r"`X\['a'\]` should have text or numbers as categories.*Timestamp",
        ),
    ],
)
def test_columns_of_other_types_are_refused(X, message):
    with pytest.raises(TypeError, match=message):
        BoostedRanker().fit(X, Y4)


def test_columns_keep_their_kind():
    x, kind, missing, Y = with_categories(100)
    frame = pandas_frame(x, kind, missing)
    ranker = BoostedRanker(**FAST).fit(frame, Y)
    with pytest.raises(TypeError, match=r"`X\['colour'\]` should be categorical.*astype"):
        ranker.predict(frame.assign(colour=1.0))
    with pytest.raises(TypeError, match=r"`X\['x'\]` should hold numbers, as it did"):
        ranker.predict(frame.assign(x=frame["colour"]))
    with pytest.raises(TypeError, match="data frame, as in training: colour held"):
        ranker.predict(np.zeros((2, 3)))


def test_columns_may_have_numbers_for_names():
    x, kind, missing, Y = with_categories(200)
    frame = pandas_frame(x, kind, missing)
    named = BoostedRanker(**FAST).fit(frame, Y)
    frame.columns = range(3)
    numbered = BoostedRanker(**FAST).fit(frame, Y)
    np.testing.assert_array_equal(numbered.trees_.leaf_value, named.trees_.leaf_value)
    assert list(numbered.categories_) == ["1"]
