"""`to_onnx`: scores of onnxruntime beside ours, on rows with gaps and words not seen before."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import isonomy as iso
from isonomy._rankers import TableEncoder
from tests.export.made_tables import (
    FAST,
    LATER,
    MATRIX,
    MATRIX_MODELS,
    ROWS,
    TABLE,
    TABLE_MODELS,
    N,
    Y,
    feed,
    fitted,
    plug_in,
)
from tests.rankers.boosted.test_trees import CATS, LIGHTGBM, XGBOOST
from tests.rankers.boosted.test_trees import LATER as LATER_FRAME
from tests.rankers.boosted.test_trees import TRAIN as FRAME
from tests.rankers.boosted.test_trees import fitted as boosted


def session(model: Any) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(iso.to_onnx(model))


def close(found: Any, wanted: Any) -> None:
    assert found.dtype == np.float32
    assert found.shape == wanted.shape
    assert np.unique(wanted.round(5)).size > 5
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", TABLE_MODELS)
def test_models_of_raw_tables(kind: str) -> None:
    model = fitted(TABLE_MODELS[kind], TABLE)
    onnx_model = session(model)
    for rows in (TABLE, LATER):
        (found,) = onnx_model.run(["score"], feed(onnx_model, rows))
        close(found, model.predict(rows))
    for few in (LATER[:1], LATER[:0]):
        assert onnx_model.run(None, feed(onnx_model, few))[0].shape == (len(few),)


@pytest.mark.parametrize("kind", MATRIX_MODELS)
def test_models_of_numbers(kind: str) -> None:
    model = fitted(MATRIX_MODELS[kind], MATRIX)
    rows = ROWS.copy()
    if kind in ("lightgbm", "xgboost"):
        rows[::3, 1] = np.nan
    (found,) = session(model).run(["score"], {"X": rows.astype(np.float32)})
    close(found, model.predict(rows))


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        *(("lightgbm", kind) for kind in ("categories", "zero is missing", "nothing is missing")),
        *(("xgboost", kind) for kind in ("defaults", "one category", "dart", "base")),
    ],
)
def test_trees_of_every_kind(engine: str, kind: str) -> None:
    """Sets of 70 categories, gaps, zeros that are gaps, categories not seen in training."""
    params = {"lightgbm": LIGHTGBM, "xgboost": XGBOOST}[engine][kind]
    ranker = boosted(engine, FRAME, params=params)
    onnx_model = session(ranker)
    for rows in (FRAME, LATER_FRAME):
        rounded = rows.assign(**{name: rows[name].astype(np.float32) for name in "wxyz"})
        (found,) = onnx_model.run(["score"], feed(onnx_model, rounded))
        close(found, ranker.predict(rounded))


def test_categories_may_be_numbers() -> None:
    frame = FRAME.assign(many=FRAME["many"].cat.rename_categories(list(range(70))))
    ranker = boosted("lightgbm", frame, params=CATS)
    onnx_model = session(ranker)
    rows = frame.assign(**{name: frame[name].astype(np.float32) for name in "wxyz"})
    (found,) = onnx_model.run(["score"], feed(onnx_model, rows))
    close(found, ranker.predict(rows))
    mixed = frame.assign(many=frame["many"].cat.rename_categories({0: "zero"}))
    with pytest.raises(ValueError, match=r"'many' are neither all text.*\.astype\(str\)"):
        iso.to_onnx(boosted("lightgbm", mixed))


def test_a_constant_score_for_each_row() -> None:
    ranker = iso.BoostedRanker(**FAST).fit(np.ones((N, 2)), Y)
    (found,) = session(ranker).run(None, {"X": np.ones((3, 2), np.float32)})
    np.testing.assert_array_equal(found, np.zeros(3))
    blend = iso.BlendRanker(LogisticRegression(), at_least={0: 0.5}).fit(MATRIX, Y)
    blend.coef_, blend.estimators_ = np.zeros(2), [None, None]
    (found,) = session(blend).run(None, {"X": np.ones((3, 1), np.float32)})
    np.testing.assert_array_equal(found, np.zeros(3))


def test_the_same_model_gives_the_same_bytes_and_tells_what_it_is() -> None:
    frame = pd.DataFrame(MATRIX, columns=list("abcd"))
    model = iso.LinearRanker().fit(frame, Y)
    data = iso.to_onnx(model)
    assert data == iso.to_onnx(model)
    read = onnx.load_model_from_string(data)
    facts = {each.key: each.value for each in read.metadata_props}
    assert facts == {"kind": "LinearRanker", "columns": '["a", "b", "c", "d"]'}
    assert (read.producer_name, read.producer_version) == ("isonomy", iso.__version__)


CANNOT = {
    "text": (
        lambda: make_pipeline(TableEncoder(text=["job"], impute=False), iso.BoostedRanker(**FAST)),
        "'job' as text, by hashes",
    ),
    "a forest": (lambda: plug_in(RandomForestClassifier(2)), "RandomForestClassifier: as a class"),
    "naive": (lambda: iso.BlendRanker(GaussianNB()), "GaussianNB.*LogisticRegression"),
    "a step": (lambda: make_pipeline(PCA(2), iso.LinearRanker()), "PCA: as a step before"),
    "isotonic": (
        lambda: iso.PlugInRanker(LogisticRegression(), calibrate="isotonic", cv=3),
        "isotonic calibration",
    ),
    "joint": (lambda: plug_in(RandomForestClassifier(2), joint=True), "one classifier learns all"),
    "costs": (
        lambda: plug_in(LogisticRegression(), iso.LabelAggregation("mean", costs="uniform")),
        "no weighted sum of probabilities",
    ),
}


@pytest.mark.parametrize("kind", CANNOT)
def test_what_cannot_be_exported_is_told(kind: str) -> None:
    make, said = CANNOT[kind]
    model = fitted(make, TABLE if kind == "text" else MATRIX)
    for export in (iso.to_onnx, iso.to_sql):
        with pytest.raises(ValueError, match=said):
            export(model)


def test_several_classifiers_in_one() -> None:
    model = fitted(lambda: plug_in(MultiOutputClassifier(LogisticRegression())), MATRIX)
    (found,) = session(model).run(None, {"X": ROWS.astype(np.float32)})
    close(found, model.predict(ROWS))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match=r"should be a fitted ranker.*Found LogisticRegression"):
        iso.to_onnx(LogisticRegression())
    with pytest.raises(ValueError, match="not fitted"):
        iso.to_onnx(iso.LinearRanker())
    named = fitted(TABLE_MODELS["linear"], TABLE.rename({"plain": "score"}))
    with pytest.raises(ValueError, match="column 'score' has a name"):
        iso.to_onnx(named)
