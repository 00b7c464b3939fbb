"""Features that alone order a label almost perfectly: perhaps the label has leaked into them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from isonomy._core import FloatArray, Items, LossAggregation
from isonomy._metrics import auc_intervals, ratios_of
from isonomy._rankers import as_numbers, as_polars, as_text, hashed_counts

# A feature is suspect from this AUC on (or down to 1 less it) ...
SUSPECT = 0.98
# ... if its interval lies beyond this: few rows may be in order by chance.
SURELY = 0.95
# Shares of a class by category are known from so many parts of the rows for another one.
N_PARTS = 5
# A category counts as if it had so many more rows, at the label's own share.
PRIOR_ROWS = 2.0


class SuspectFeature(NamedTuple):
    """A feature that alone has an AUC near 1 or 0 for a label."""

    feature: str
    label: str
    auc: float


def suspect_features(
    X: Any, items: Items, names: Sequence[str] | None = None, texts: Sequence[str] = ()
) -> tuple[SuspectFeature, ...]:
    """The features that alone nearly order a label, the surest first.

    A number is judged by itself, where it is missing as its lowest value (that a value is there
    may be the leak); words and categories by the label's share in other rows of the same word; a
    text by each word and, in a data frame, pair of neighbours that it may have. Where some rows
    lack a value, those that have one are also judged alone. Of a sparse table the columns that are
    0 in too many rows to be suspect are passed over.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n, d), or array of n texts
        Features as the user has them.
    items : Items
        Labels, with weights and groups, by which AUCs are measured. Labels of more than two
        levels are passed over.
    names : sequence of str, optional
        The features' names; those of a data frame, or their numbers, by default.
    texts : sequence of str
        Columns of a data frame of which the words are features.

    Returns
    -------
    tuple of SuspectFeature

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(500) < 0.3
    >>> X = np.column_stack([rng.normal(size=500), y + 0.01 * rng.normal(size=500)])
    >>> suspect_features(X, Items.checked(y), ["age", "refund"])
    (SuspectFeature(feature='refund', label='0', auc=1.0),)
    """
    bare = replace(items, X=None, scores=np.empty(0))
    if not np.isin(bare.labels.patterns[~np.isnan(bare.labels.patterns)], (0, 1)).all():
        return ()
    found: dict[tuple[str, int], float] = {}
    for name, scores, labels in _columns(X, bare, names, texts):
        for rows in _rows_to_judge(scores):
            part = bare if rows is None else bare.take(rows)
            for k, auc in _suspect_aucs(part, scores if rows is None else scores[rows], labels):
                before = found.get((name, k), 0.5)
                found[name, k] = max(before, auc, key=lambda value: abs(value - 0.5))
    ordered = sorted(found.items(), key=lambda entry: -abs(entry[1] - 0.5))
    return tuple(SuspectFeature(name, bare.labels.names[k], auc) for (name, k), auc in ordered)


def _suspect_aucs(
    items: Items, scores: FloatArray, labels: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """Those of the labels that the scores order suspiciously well, and their AUCs."""
    scored = replace(items, scores=np.where(np.isnan(scores), -np.inf, scores))
    aucs = ratios_of(scored, LossAggregation())[1]
    odd = [k for k in labels if aucs[k] > SUSPECT or aucs[k] < 1 - SUSPECT]
    if not odd:
        return
    with warnings.catch_warnings():
        # Of few rows the interval is wide, which is all that matters here.
        warnings.simplefilter("ignore")
        found = auc_intervals(items, scored.scores)
    low, high = np.atleast_1d(found.low), np.atleast_1d(found.high)
    for k in odd:
        if low[k] > SURELY or high[k] < 1 - SURELY:
            yield k, float(aucs[k])


def _rows_to_judge(scores: FloatArray) -> list[NDArray[np.int64] | None]:
    """All rows; where some have no value, also those that have one."""
    known = np.flatnonzero(~np.isnan(scores))
    return [None] if known.size == scores.size or known.size < 2 else [None, known]


def _columns(
    X: Any, items: Items, names: Sequence[str] | None, texts: Sequence[str]
) -> Iterator[tuple[str, FloatArray, Sequence[int]]]:
    """Each feature's name, its scores, and the labels that these are for."""
    every = range(items.labels.n_labels)
    if sparse.issparse(X):
        for j, entries in _seldom_zero(X, items):
            yield str(j) if names is None else names[j], entries, every
    elif hasattr(X, "columns"):
        for j, column in enumerate(as_polars(X)):
            name = column.name if names is None else names[j]
            numbers = as_numbers(column)
            if numbers is not None:
                yield name, numbers, every
                continue
            text = as_text(column)
            if text is not None and column.name in texts:
                for scores in _words(hashed_counts(text), items):
                    yield name, scores, every
            elif text is not None:
                codes = text.fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
                missing = text.is_null().to_numpy()
                for k in every:
                    shares = _cross_fitted_shares(codes, items, k)
                    yield name, shares, [k]
                    if missing.any():
                        yield name, np.where(missing, np.nan, shares), [k]
    else:
        table = np.asarray(X)
        if table.ndim == 1 and all(isinstance(each, str) for each in table):
            split = CountVectorizer(token_pattern=r"(?u)\b\w+\b", binary=True)
            # A word of no row, so that there is a word.
            counts = split.fit([*table, "-none-"]).transform(table)
            for scores in _words(counts, items):
                yield "text" if names is None else names[0], scores, every
        elif table.ndim == 2 and table.dtype.kind in "biuf":
            for j in range(table.shape[1]):
                yield str(j) if names is None else names[j], table[:, j].astype(np.float64), every


def _words(counts: Any, items: Items) -> Iterator[FloatArray]:
    """Whether a text has a word, for each word that may be suspect; NaN of rows without text."""
    written = np.flatnonzero(np.diff(counts.indptr))
    if written.size < 2:
        return
    for _, found in _seldom_zero(counts[written], items.take(written)):
        scores = np.full(counts.shape[0], np.nan)
        scores[written] = found > 0
        yield scores


def _seldom_zero(X: Any, items: Items) -> Iterator[tuple[int, FloatArray]]:
    """Columns that may be suspect: a positive and a negative that are both 0 are tied."""
    X = X.tocsr()
    filled = sparse.csr_array(
        ((X.data != 0).astype(np.float64), X.indices, X.indptr), shape=X.shape
    )
    weight = np.ones(len(items)) if items.weight is None else items.weight
    suspect = np.zeros(X.shape[1], dtype=bool)
    for k in range(items.labels.n_labels):
        empty = []
        for side in (items.labels.positive, items.labels.negative):
            of_class = weight * side[items.labels.codes, k]
            total = max(float(of_class.sum()), 1e-300)
            empty.append(1.0 - filled.T @ of_class / total)
        suspect |= 0.5 * empty[0] * empty[1] <= 1.0 - SUSPECT + 1e-12
    chosen = np.flatnonzero(suspect)
    columns = X[:, chosen].tocsc()
    for place, j in enumerate(chosen.tolist()):
        yield j, np.asarray(columns[:, [place]].toarray(), dtype=np.float64).ravel()


def _cross_fitted_shares(codes: NDArray[np.int64], items: Items, k: int) -> FloatArray:
    """For each row the share of label k among the rows of its category in the other parts."""
    target = items.labels.patterns[items.labels.codes, k]
    weight = np.ones(len(items)) if items.weight is None else items.weight
    weight = np.where(np.isnan(target), 0.0, weight)
    yes = weight * np.nan_to_num(target)
    prior = yes.sum() / max(weight.sum(), 1e-300)
    part = np.random.default_rng(0).permutation(len(items)) % N_PARTS
    n_codes = int(codes.max()) + 1
    # Sums by category and part; what a row may know of is the total less its own part.
    place = codes * N_PARTS + part
    size = np.bincount(place, weight, n_codes * N_PARTS).reshape(n_codes, N_PARTS)
    hits = np.bincount(place, yes, n_codes * N_PARTS).reshape(n_codes, N_PARTS)
    size, hits = size.sum(axis=1, keepdims=True) - size, hits.sum(axis=1, keepdims=True) - hits
    unit = PRIOR_ROWS * max(float(weight.mean()), 1e-300)
    shares = (hits + unit * prior) / (size + unit)
    return np.asarray(shares[codes, part])
