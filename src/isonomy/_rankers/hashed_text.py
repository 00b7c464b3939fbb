"""Text as hashed n-grams: its words and pairs of neighbouring words, weighed by tf-idf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import murmurhash3_32

from isonomy._core import FloatArray
from isonomy._infra import LazyModule

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars", "cli", "`TableEncoder`")

# Buckets of the hash: so many that two n-grams seldom share one.
N_BUCKETS = 2**20
# An n-gram of fewer training rows says nothing of other rows.
FEWEST_ROWS = 2
# Of more n-grams those of the most rows are kept.
MOST_NGRAMS = 2**13


def hashed_counts(text: pl.Series) -> sparse.csr_array:
    """How often each row has each n-gram, (n, N_BUCKETS); a missing text has none.

    Words are runs of letters and digits in lower case. Each different word is hashed once, and a
    pair of neighbours by the hashes of its words, so that a column costs no Python per word. The
    hashes depend on the words alone: a model file reads new rows on any machine.

    Examples
    --------
    >>> import polars as pl
    >>> hashed_counts(pl.Series(["Good, good coffee", None])).sum(axis=1)
    array([5., 0.])
    """
    words = text.fill_null("").str.to_lowercase().str.extract_all(r"\w+")
    lengths = words.list.len().to_numpy().astype(np.int64)
    row = np.repeat(np.arange(len(text)), lengths)
    flat = words.filter(words.list.len() > 0).explode().alias("word")
    hashes = _word_hashes(flat)
    neighbours = row[1:] == row[:-1]
    pairs = _mixed(hashes[:-1][neighbours] * np.uint64(0x9E3779B97F4A7C15) ^ hashes[1:][neighbours])
    buckets = np.concatenate([_mixed(hashes), pairs]) % np.uint64(N_BUCKETS)
    rows = np.concatenate([row, row[1:][neighbours]])
    counts = sparse.coo_array(
        (np.ones(rows.size), (rows, buckets.astype(np.int64))), shape=(len(text), N_BUCKETS)
    )
    return counts.tocsr()


def common_buckets(counts: sparse.csr_array) -> tuple[NDArray[np.int64], FloatArray]:
    """The buckets to keep, ascending, and the inverse document frequency of each."""
    n = counts.shape[0]
    rows = np.bincount(counts.indices, minlength=N_BUCKETS)
    enough = np.flatnonzero(rows >= FEWEST_ROWS)
    # The most frequent first; of equals the lower bucket, so that the order is one.
    kept = np.sort(enough[np.argsort(-rows[enough], kind="stable")[:MOST_NGRAMS]])
    return kept, np.log((1.0 + n) / (1.0 + rows[kept])) + 1.0


def weighed_ngrams(
    text: pl.Series, buckets: NDArray[np.int64], idf: FloatArray
) -> sparse.csr_array:
    """(1 + log count) times idf of the kept n-grams, each row of length 1, (n, buckets)."""
    counts = hashed_counts(text)
    place = np.full(N_BUCKETS, -1)
    place[buckets] = np.arange(buckets.size)
    column = place[counts.indices]
    known = column >= 0
    row = np.repeat(np.arange(len(text)), np.diff(counts.indptr))[known]
    column = column[known]
    values = (1.0 + np.log(counts.data[known])) * idf[column]
    length = np.sqrt(np.bincount(row, values**2, len(text)))
    shape = (len(text), buckets.size)
    return sparse.coo_array((values / length[row], (row, column)), shape=shape).tocsr()


def _word_hashes(words: pl.Series) -> NDArray[np.uint64]:
    """A hash of each word, from one of each different word."""
    known = words.unique()
    found = [murmurhash3_32(word, positive=True) for word in known.to_list()]
    table = pl.DataFrame({"word": known, "hash": pl.Series(found, dtype=pl.UInt64)})
    joined: Any = words.to_frame().join(table, on="word", how="left", maintain_order="left")
    return np.asarray(joined["hash"].to_numpy(), dtype=np.uint64)


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of a hash spread over all of them (the finaliser of splitmix64)."""
    z = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
