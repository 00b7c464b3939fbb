"""Hashed n-grams against counting by hand, and as features of a table."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy._rankers import TableEncoder
from isonomy._rankers.hashed_text import (
    MOST_NGRAMS,
    N_BUCKETS,
    common_buckets,
    hashed_counts,
    weighed_ngrams,
)


def ngrams_slowly(text: str | None) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", (text or "").lower())
    return Counter([(word,) for word in words] + list(pairwise(words)))


TEXTS = st.lists(
    st.none()
    | st.text(st.sampled_from("ab Cß日,.!-\n'1_"), max_size=20)
    | st.sampled_from(["", "good coffee", "Good, GOOD coffee!", "coffee good"]),
    min_size=1,
    max_size=8,
)


@given(TEXTS)
def test_rows_have_the_counts_of_their_ngrams(texts: list[str | None]) -> None:
    """Equal n-grams share a bucket, and others do not (two seldom would, by chance)."""
    counts = hashed_counts(pl.Series(texts, dtype=pl.String))
    assert counts.shape == (len(texts), N_BUCKETS)
    slow = [ngrams_slowly(text) for text in texts]
    for row, expected in enumerate(slow):
        assert sorted(counts[[row]].data.tolist()) == sorted(expected.values())
    products = (counts @ counts.T).toarray()
    for i, a in enumerate(slow):
        for j, b in enumerate(slow):
            assert products[i, j] == sum(a[ngram] * b[ngram] for ngram in a)


def test_hashes_never_change() -> None:
    """Model files hold them."""
    counts = hashed_counts(pl.Series(["good coffee"]))
    assert sorted(counts.indices.tolist()) == [192724, 264533, 288853]


def test_weights_are_tf_idf_of_rows_of_length_one() -> None:
    texts = ["red red car", "red bus", "blue bus", None, "unseen"]
    text = pl.Series(texts)
    counts = hashed_counts(text)
    buckets, idf = common_buckets(counts)
    assert buckets.size == 2  # 'red' and 'bus' stand in two rows.
    np.testing.assert_allclose(idf, np.log(6 / 3) + 1)
    found = weighed_ngrams(text, buckets, idf).toarray()
    assert sorted(found[0].tolist()) == [0.0, 1.0]
    np.testing.assert_allclose(found[1], np.sqrt(0.5))
    assert not found[3:].any()
    np.testing.assert_allclose(np.linalg.norm(found[:3], axis=1), 1.0)


def test_the_commonest_ngrams_are_kept() -> None:
    n = MOST_NGRAMS + 100
    rare = [f"w{i}" for i in range(n)] * 2
    counts = hashed_counts(pl.Series([*rare, *["always"] * 10]))
    buckets, idf = common_buckets(counts)
    assert buckets.size == MOST_NGRAMS
    assert idf.argmin() == np.flatnonzero(buckets == hashed_counts(pl.Series(["always"])).indices)


TABLE = pl.DataFrame(
    {
        "review": ["good coffee", "bad coffee", None, "good tea", "so so"],
        "price": [2000.0, 2010.0, None, 2030.0, 2010.0],
        "shop": ["a", "b", "a", "b", "a"],
    }
)


@pytest.mark.parametrize("impute", [True, False])
def test_a_table_with_texts_is_sparse_and_starts_with_its_other_columns(impute: bool) -> None:
    encoder = TableEncoder(text=["review"], impute=impute).fit(TABLE)
    X = encoder.transform(TABLE)
    assert sparse.issparse(X)
    assert X.format == "csr"
    assert encoder.dropped_ == {}
    plain = TableEncoder(impute=impute).fit(TABLE.drop("review"))
    width = len(plain.get_feature_names_out())
    expected = plain.transform(TABLE)
    expected[:, 0] -= 2010.0
    np.testing.assert_array_equal(X[:, :width].toarray(), expected)
    assert X.shape[1] == width + 2  # 'good' and 'coffee'.
    assert encoder.column_names_out()[-2:] == ["review", "review"]
    assert len(encoder.get_feature_names_out()) == X.shape[1]
    # The features of rows do not depend on the rows beside them.
    np.testing.assert_array_equal(encoder.transform(TABLE[1:2]).toarray(), X[[1]].toarray())


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("review", TypeError, r"`text` should be a list.*'review'.*text=\[...\]"),
        (["reviews"], ValueError, "`text` should name columns.*'reviews' .nearest: 'review'"),
        ([1], TypeError, "`text` should be a list of columns' names"),
    ],
)
def test_bad_text(text: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TableEncoder(text=text).fit(TABLE)  # type: ignore[arg-type]


def test_texts_of_which_no_word_comes_twice_are_left_out() -> None:
    encoder = TableEncoder(text=["review"]).fit(TABLE[[1, 3, 4]])
    assert encoder.dropped_["review"] == "it is text of which no word stands in two rows"


def test_a_text_column_that_is_lacking_is_named() -> None:
    encoder = TableEncoder(text=["review"]).fit(TABLE)
    with pytest.raises(ValueError, match="lacks the column 'review'"):
        encoder.transform(TABLE.drop("review"))
