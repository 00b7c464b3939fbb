"""Tables of words, gaps and texts, as the command line takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

import isonomy as iso
from isonomy._compare import FAMILIES, family_encoder
from isonomy._compare.table_features import needs_encoder
from isonomy._rankers import TableEncoder

rng = np.random.default_rng(0)
n = 240
JOB = rng.choice(["cook", "smith", "nurse"], n)
NOTE = [f"{word} tea number {i}" for i, word in enumerate(rng.choice(["good", "bad"], n))]
GOOD = np.array([note.startswith("good") for note in NOTE])
Y = np.column_stack([GOOD, JOB == "cook"]) * 2 + rng.logistic(size=(n, 2)) > 1
FRAME = pd.DataFrame({"note": NOTE, "job": JOB, "age": rng.normal(size=n)})
QUICK: dict[str, Any] = {
    "repeats": 1,
    "folds": 2,
    "methods": ["mean"],
    "tradeoffs": False,
    "random_state": 0,
}


@pytest.mark.parametrize(
    "texts",
    [
        pd.Series(NOTE),
        pl.Series(NOTE),
        NOTE,
        tuple(NOTE),
        np.array(NOTE),
        np.array(NOTE, dtype=object),
    ],
    ids=["pandas", "polars", "list", "tuple", "array", "objects"],
)
def test_one_text_per_row(texts: Any) -> None:
    words = TfidfVectorizer(max_features=20)
    found = iso.compare(texts, Y, preprocessor=words, **QUICK)
    expected = iso.compare(
        words.fit_transform(NOTE), Y, rankers={"same": iso.LinearRanker()}, **QUICK
    )
    best = found[found.recommended]
    assert best.failed is None
    assert best.aucs.mean[0] > 0.6
    assert found.n_features == 1
    assert np.isfinite(expected["same"].aucs.mean).all()
    assert found.fit_best(texts, Y).predict(texts).shape == (n,)


@pytest.mark.parametrize("family", ["linear", "boosted"])
@pytest.mark.parametrize("text", [(), ("note",)])
@pytest.mark.parametrize("wrap", [pd.DataFrame, pl.DataFrame])
def test_words_and_texts_are_taken_as_on_the_command_line(
    family: str, text: Any, wrap: Any
) -> None:
    frame = wrap({name: FRAME[name].to_list() for name in FRAME})
    found = iso.compare(frame, Y, family=family, text=text, **QUICK)
    same = iso.compare(
        frame, Y, family=family, preprocessor=family_encoder(FAMILIES[family], text), **QUICK
    )
    np.testing.assert_array_equal(found.methods[0].aucs.mean, same.methods[0].aucs.mean)
    assert found.methods[0].aucs.mean[1] > 0.6
    assert (found.methods[0].aucs.mean[0] > 0.65) == bool(text)
    unused = [note for note in found.notes if "'note' is not used" in note]
    assert unused == [] if text else ["`text=['note']` (--text note)" in unused[0]] == [True]
    model = found.fit_best(frame, Y)
    assert isinstance(model.steps[0][1], TableEncoder)


@pytest.mark.parametrize("family", ["linear", "boosted", "neural"])
def test_what_needs_an_encoder(family: str) -> None:
    gaps = pd.DataFrame({"x": [1.0, np.nan]})
    assert needs_encoder(gaps, FAMILIES[family]) == (family != "boosted")
    assert needs_encoder(pl.from_pandas(gaps), FAMILIES[family]) == (family != "boosted")
    dates, few = pd.to_datetime(["2026-01-01"] * 2), pd.arrays.SparseArray([0.0, 1.0])
    for column in (["a", "b"], pd.Categorical(["a", "b"]), dates, few):
        assert needs_encoder(pd.DataFrame({"x": column}), FAMILIES[family])
    for plain in (pd.DataFrame({"x": [1, 2], "y": [True, False]}), np.ones((2, 2)), gaps.fillna(0)):
        assert not needs_encoder(plain, FAMILIES[family])


def test_rankers_of_ones_own_get_the_table_as_it_is() -> None:
    class Looking(iso.LinearRanker):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
            assert list(X.columns) == ["note", "job", "age"]
            return super().fit(X[["age"]], y)

        def predict(self, X: Any) -> Any:
            return super().predict(X[["age"]])

    found = iso.compare(FRAME, Y, rankers={"own": clone(Looking())}, **{**QUICK, "methods": []})
    assert found["own"].failed is None


@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("family", ["linear", "boosted"])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, sparse.csr_array])
def test_numbers_are_the_same_in_any_table(kind: Any, family: str, tune: bool) -> None:
    """Every method takes them, those made of classifiers too."""
    X = np.random.default_rng(3).normal(size=(n, 3))
    labels = (X[:, :2] + np.random.default_rng(4).logistic(size=(n, 2)) > 0).astype(int)
    table = kind(X) if kind is not pl.DataFrame else pl.DataFrame(X, schema=list("abc"))
    options = {**QUICK, "methods": ["mean", "plug-in", "blend", "one-label"], "tune": tune}
    found, same = (iso.compare(each, labels, family=family, **options) for each in (table, X))
    assert [each.failed for each in found.methods] == [None] * len(found.methods)
    for method in same.methods:
        # Where two balances are about as good, the last digits of the logits decide.
        atol = 0.02 if method.kind == "blend" else 0.01
        np.testing.assert_allclose(found[method.name].aucs.mean, method.aucs.mean, atol=atol)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: iso.compare(FRAME["note"], Y), TypeError, r"`X` .*\(n, d\).*TfidfVectorizer"),
        (
            lambda: iso.compare(
                FRAME["note"].where(FRAME.index != 3), Y, preprocessor=TfidfVectorizer()
            ),
            ValueError,
            r"a text in every row. Found 1 missing, the first in row 3.*fillna",
        ),
        (
            lambda: iso.compare(FRAME, Y, text=["note"], preprocessor=TableEncoder()),
            ValueError,
            "`text` and `preprocessor` cannot both",
        ),
        (lambda: iso.compare(FRAME, Y, text="note"), TypeError, "`text` should be a list"),
        (lambda: iso.compare(FRAME, Y, text=["notes"]), ValueError, "'notes' .nearest: 'note'"),
        (lambda: iso.compare(np.ones((n, 2)), Y, text=["x"]), TypeError, "`X` .*data frame"),
        (
            lambda: iso.compare(FRAME[::-1], pd.DataFrame(Y)),
            ValueError,
            r"`X` and `Y` should have the same pandas index.*Y.loc\[X.index\]",
        ),
        (
            lambda: iso.compare(FRAME, Y, splits=FRAME["age"][::-1]),
            ValueError,
            r"`X` and `splits` should have the same pandas index.*splits.loc\[X.index\]",
        ),
    ],
)
def test_mistakes(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
