"""Trees as arrays: the engines' own scores to the last bit, on every input, and checked arrays."""

from __future__ import annotations

import dataclasses
import tracemalloc
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from scipy import sparse

from isonomy._rankers.boosted import BoostedClassifier, Trees
from isonomy._rankers.boosted.ranker import BoostedRanker
from isonomy._rankers.boosted.trees import set_words
from tests.conftest import UNCOMPILED

ZERO = 1.0000000180025095e-35
RNG = np.random.default_rng(0)


def frame(n: int = 600) -> pd.DataFrame:
    """Gaps, zeros, tiny numbers, repeated values and categories."""
    x = RNG.normal(size=(n, 4))
    x[:, 1] = x[:, 1].round(1)
    x[RNG.random(n) < 0.3, 1] = np.nan
    x[RNG.random(n) < 0.4, 2] = 0.0
    x[RNG.random(n) < 0.1, 2] *= 1e-35
    few = pd.Categorical(RNG.choice(list("abc"), n), categories=list("abc"))
    many = pd.Categorical(RNG.choice([f"k{i}" for i in range(70)], n))
    found = pd.DataFrame(x, columns=list("wxyz"))
    return found.assign(few=few, many=many.set_categories([f"k{i}" for i in range(70)]))


def labels(rows: pd.DataFrame) -> Any:
    codes = rows["many"].cat.codes.to_numpy()
    strength = rows["w"] + rows["x"].isna() - (rows["y"] == 0) + (codes % 3) + rows["few"].cat.codes
    return (strength.to_numpy()[:, None] + RNG.logistic(size=(len(rows), 2)) > 1).astype(float)


TRAIN = frame()
LABELS = labels(TRAIN)
LATER = frame(400)
# Not seen in training, and missing.
LATER["few"] = LATER["few"].cat.set_categories(list("abq"))
LATER.loc[::7, "many"] = None
LATER.loc[:6, "y"] = [
    ZERO,
    -ZERO,
    np.nextafter(ZERO, 1),
    np.nextafter(-ZERO, -1),
    -0.0,
    1e38,
    1e-45,
]
ARRAY = ["w", "x", "y", "z"]
CATS = {"min_data_per_group": 5, "cat_smooth": 1.0, "min_data_in_leaf": 5}

LIGHTGBM = {
    "defaults": {},
    "deep": {"num_leaves": 200, "min_data_in_leaf": 1, "max_bin": 1000},
    "categories": CATS,
    "one category": CATS | {"max_cat_to_onehot": 100},
    "zero is missing": CATS | {"zero_as_missing": True},
    "nothing is missing": CATS | {"use_missing": False},
    "dart": CATS | {"boosting": "dart", "drop_rate": 0.5},
    "goss": {"data_sample_strategy": "goss"},
}
XGBOOST = {
    "defaults": {},
    "deep": {"max_depth": 12, "min_child_weight": 0.0, "reg_lambda": 0.0},
    "exact": {"tree_method": "exact", "gamma": 2.0},
    "one category": {"max_cat_to_onehot": 100},
    "base": {"base_score": 0.3},
    "dart": {"booster": "dart", "rate_drop": 0.5},
    "forests": {"num_parallel_tree": 3, "subsample": 0.5},
    "by leaves": {"grow_policy": "lossguide", "max_leaves": 8},
    "pruned": {"tree_method": "exact", "updater": "grow_colmaker,prune", "gamma": 5.0},
}


def fitted(engine: str, X: Any, **options: Any) -> BoostedRanker:
    ranker = BoostedRanker(
        engine=engine, **{"n_rounds": 8, "n_jobs": 1, "random_state": 0} | options
    )
    return ranker.fit(X, LABELS)


def by_lightgbm(ranker: BoostedRanker, X: Any) -> Any:
    return ranker.booster_.predict(X, num_threads=1)


def by_xgboost(ranker: BoostedRanker, X: Any, kinds: Any = None) -> Any:
    X = xgboost.DMatrix(X, feature_types=kinds, enable_categorical=True)
    found = ranker.booster_.predict(X, output_margin=True)
    assert found.dtype == np.float32
    return found.astype(np.float64)


def encoded(rows: pd.DataFrame) -> Any:
    """What the engines get: a category's number in training, NaN for others."""
    known = {name: TRAIN[name].cat.categories for name in ("few", "many")}
    codes = {
        name: np.where((found := kinds.get_indexer(rows[name])) < 0, np.nan, found)
        for name, kinds in known.items()
    }
    return rows.assign(**codes).to_numpy(np.float64)


KINDS = ["float"] * 4 + ["c"] * 2


@pytest.mark.parametrize("kind", LIGHTGBM)
def test_the_same_bits_as_lightgbm(kind: str) -> None:
    ranker = fitted("lightgbm", TRAIN, params=LIGHTGBM[kind])
    for rows in (TRAIN, LATER):
        wanted = by_lightgbm(ranker, encoded(rows))
        assert np.unique(wanted).size > 10
        np.testing.assert_array_equal(ranker.predict(rows), wanted)
    assert ranker.feature_importances_ * (
        gain := ranker.booster_.feature_importance("gain")
    ).sum() == (pytest.approx(gain))


@pytest.mark.parametrize("kind", XGBOOST)
@pytest.mark.filterwarnings("ignore:.*manually specified the `updater`")
def test_the_same_bits_as_xgboost(kind: str) -> None:
    # The exact method knows no categories.
    exact = XGBOOST[kind].get("tree_method") == "exact"
    names, kinds = (ARRAY, KINDS[:4]) if exact else (list(TRAIN), KINDS)
    ranker = fitted("xgboost", TRAIN[names], params=XGBOOST[kind])
    for rows in (TRAIN, LATER):
        wanted = by_xgboost(ranker, encoded(rows)[:, : len(names)], kinds)
        assert np.unique(wanted).size > 10
        np.testing.assert_array_equal(ranker.predict(rows[names]), wanted)
    gains = ranker.booster_.get_score(importance_type="total_gain")
    wanted = np.array([gains.get(f"f{j}", 0.0) for j in range(len(names))])
    assert ranker.feature_importances_ == pytest.approx(wanted / wanted.sum(), rel=1e-5)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_inputs_of_every_kind(engine: str) -> None:
    X = TRAIN[ARRAY].to_numpy()
    own = by_lightgbm if engine == "lightgbm" else by_xgboost
    ranker = fitted(engine, X)
    for rows in (X, X.astype(np.float32), np.asfortranarray(X), X[::-3], X[:1], X[:0]):
        if len(rows):
            np.testing.assert_array_equal(
                ranker.predict(rows), own(ranker, np.ascontiguousarray(rows))
            )
    locked = X.copy()
    locked.flags.writeable = False
    np.testing.assert_array_equal(ranker.predict(locked), ranker.predict(X))
    np.testing.assert_array_equal(ranker.set_params(n_jobs=3).predict(X), ranker.predict(X))
    whole = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(ranker.predict(whole), own(ranker, whole.astype(float)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_rows_on_and_beside_the_thresholds(engine: str, dtype: Any) -> None:
    """The thresholds themselves, their neighbours on both sides, zeros of both signs, and gaps."""
    ranker = fitted(engine, TRAIN[ARRAY].to_numpy(), n_rounds=20)
    trees, rng = ranker.trees_, np.random.default_rng(1)
    columns = []
    for j in range(4):
        cuts = trees.threshold[(trees.feature == j) & np.isfinite(trees.threshold)].astype(dtype)
        beside = [np.nextafter(cuts, dtype(side)) for side in (-np.inf, np.inf)]
        few = np.array([0.0, -0.0, np.nan, 1e-45, ZERO, -ZERO, 1e30, -1e30], dtype)
        columns.append(rng.choice(np.concatenate([cuts, *beside, few]), 5000))
    X = np.column_stack(columns)
    own = by_lightgbm if engine == "lightgbm" else by_xgboost
    for rows in (X, X[:100]):
        np.testing.assert_array_equal(ranker.predict(rows), own(ranker, rows))


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_sparse_rows(engine: str) -> None:
    thin = np.where(RNG.random((600, 4)) < 0.5, TRAIN[ARRAY].to_numpy(), 0.0)
    X = sparse.csr_matrix(thin)
    # A zero that is stored is no gap.
    X.data[::9] = 0.0
    own = by_lightgbm if engine == "lightgbm" else by_xgboost
    ranker = fitted(engine, X)
    for rows in (X, X[::-2], X.astype(np.float32)):
        np.testing.assert_array_equal(ranker.predict(rows), own(ranker, rows))
    wide = sparse.hstack([X, sparse.csr_matrix((600, 30_000))], format="csr")
    broad = fitted(engine, wide, n_rounds=1)
    np.testing.assert_array_equal(broad.predict(sparse.csr_array(wide)), own(broad, wide))


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_stopping_keeps_the_trees_up_to_the_best_round(engine: str) -> None:
    X = TRAIN[ARRAY].to_numpy()
    noise = (X, RNG.integers(0, 2, LABELS.shape))
    ranker = BoostedRanker(engine=engine, n_rounds=60, patience=3, n_jobs=1).fit(
        X, LABELS, eval_set=noise
    )
    assert ranker.trees_.roots.size == ranker.best_iteration_ < 60
    own = by_lightgbm if engine == "lightgbm" else by_xgboost
    np.testing.assert_array_equal(ranker.predict(X), own(ranker, X))


def test_the_classifier_and_lambdarank_have_lightgbms_bits() -> None:
    from isonomy._rankers.boosted import SummedLambdaRanker

    X, y = TRAIN[ARRAY].to_numpy(), LABELS[:, 0]
    found = BoostedClassifier(n_rounds=5, n_jobs=1, random_state=0).fit(X, y)
    own = lightgbm.train(found._params(), lightgbm.Dataset(X, y, params=found._params()), 5)
    np.testing.assert_array_equal(found.decision_function(X), own.predict(X, raw_score=True))
    ranker = SummedLambdaRanker(n_rounds=5, n_jobs=1, random_state=0)
    ranker.fit(X, LABELS, groups=np.arange(600) // 20)
    np.testing.assert_array_equal(ranker.predict(X), by_lightgbm(ranker, X))


def test_trees_that_are_leaves_alone() -> None:
    Y = RNG.integers(0, 2, (600, 2))
    ranker = BoostedRanker(n_rounds=2, n_jobs=1).fit(np.ones((600, 3)), Y)
    assert not ranker.trees_.feature.size
    for X in (np.ones((600, 3)), sparse.csr_matrix(np.ones((600, 3)))):
        np.testing.assert_array_equal(ranker.predict(X), by_lightgbm(ranker, X))


def test_trees_of_few_nodes_take_little_memory() -> None:
    """Their levels are not laid out as if they had many."""
    trees, n = sound(), 100_000
    leaves = np.arange(trees.leaf_value.size, trees.leaf_value.size + n)
    many = dataclasses.replace(
        trees,
        kind=np.zeros_like(trees.kind),
        words=trees.words[:0],
        word_ends=np.zeros_like(trees.word_ends),
        roots=np.concatenate([trees.roots, -1 - leaves]).astype(np.int32),
        leaf_value=np.concatenate([trees.leaf_value, np.zeros(n)]),
    )
    many.check()
    rows = np.zeros((300, trees.n_features))
    expected = dataclasses.replace(many, roots=trees.roots).scores(rows)
    tracemalloc.start()
    assert np.array_equal(many.scores(rows), expected)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * (many.roots.nbytes + many.leaf_value.nbytes)


def test_many_rows_go_to_threads() -> None:
    X = RNG.normal(size=(500 if UNCOMPILED else 20_000, 4))
    ranker = fitted("lightgbm", TRAIN[ARRAY].to_numpy())
    wanted = by_lightgbm(ranker, X)
    for n_jobs in (1, 2, None, -1):
        np.testing.assert_array_equal(ranker.set_params(n_jobs=n_jobs).predict(X), wanted)


# ---- what a file may hold


def sound() -> Trees:
    return fitted("lightgbm", TRAIN, params=CATS).trees_


def changed(name: str, place: Any, value: Any) -> Trees:
    trees = sound()
    found = getattr(trees, name).copy()
    found[place] = value
    return dataclasses.replace(trees, **{name: found})


SPOILED = {
    "a feature too many": lambda: changed("feature", 0, 6),
    "a negative feature": lambda: changed("feature", 3, -1),
    "no number": lambda: changed("threshold", 0, np.nan),
    "no end": lambda: changed("leaf_value", 0, np.inf),
    "a child beyond": lambda: changed("children", (0, 0), 10**6),
    "its own child": lambda: changed("children", (5, 1), 5),
    "a child before": lambda: changed("children", (5, 1), 2),
    "two parents": lambda: changed("children", (0, 0), 7),
    "a leaf beyond": lambda: changed("children", (0, 0), -(10**6)),
    "a root beyond": lambda: changed("roots", 0, 10**6),
    "a root inside": lambda: changed("roots", 1, 1),
    "a third side": lambda: changed("gap_side", 0, 2),
    "a fourth kind": lambda: changed("kind", 0, 3),
    "a set for a number": lambda: changed("kind", slice(None), 0),
    "no set": lambda: changed("kind", slice(None), 2),
    "words before the first": lambda: changed("word_ends", 0, -1),
    "words beyond the last": lambda: changed("word_ends", -1, 10**6),
    "words backwards": lambda: changed("word_ends", 2, 10**6),
    "another precision": lambda: dataclasses.replace(
        sound(), threshold=sound().threshold.astype(np.float32)
    ),
    "short": lambda: dataclasses.replace(sound(), feature=sound().feature[:-1]),
    "flat": lambda: dataclasses.replace(sound(), children=sound().children.ravel()),
    "wide": lambda: dataclasses.replace(sound(), roots=sound().roots[None]),
    "long": lambda: dataclasses.replace(sound(), roots=sound().roots.astype(np.int64)),
    "no features": lambda: dataclasses.replace(sound(), n_features=0),
    "features as text": lambda: dataclasses.replace(sound(), n_features="6"),
    "base": lambda: dataclasses.replace(sound(), base=float("nan")),
    "no base": lambda: dataclasses.replace(sound(), base=None),
    "no truth": lambda: dataclasses.replace(sound(), gap_in_sparse=2),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_unsound_trees_are_told(kind: str) -> None:
    with pytest.raises(ValueError, match="trees are not sound"):
        SPOILED[kind]().check()


def test_another_number_of_features() -> None:
    with pytest.raises(ValueError, match=r"should have 6 features.*Found 5"):
        sound().scores(np.zeros((2, 5)))


def test_sets_of_categories_there_and_back() -> None:
    trees = sound()
    for node in np.flatnonzero(trees.kind == 2):
        words = trees.words[trees.word_ends[node] : trees.word_ends[node + 1]]
        np.testing.assert_array_equal(
            np.trim_zeros(set_words(trees.categories(node)), "b"), np.trim_zeros(words, "b")
        )


@pytest.mark.parametrize("name", ["linear_tree", "linear_trees"])
def test_leaves_are_constants(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*constants as leaves"):
        fitted("lightgbm", TRAIN, params={name: True})


def test_forests_of_lightgbm_take_no_pairs() -> None:
    with pytest.raises(ValueError, match=r"'boosting': 'rf'.*use 'gbdt'"):
        fitted("lightgbm", TRAIN, params={"boosting": "rf"})
