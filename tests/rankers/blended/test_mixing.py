"""How kinds of classifiers are mixed: by the least log loss, whatever the number of kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import isonomy as iso
from isonomy._core import Items
from isonomy._rankers.blended import LabelModels
from isonomy._rankers.blended.mixing import LEAST_SHARE, mixing_shares
from isonomy._rankers.blended.ranker import on_scale


def said(
    seed: int, kinds: int, n: int = 300, **options: Any
) -> tuple[LabelModels, Items, np.ndarray]:
    """Several kinds of opinions on two labels, some better than others, and items."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 2)) * 1.5
    Y = (truth + rng.logistic(size=(n, 2)) > 0).astype(float)
    errors = rng.normal(size=(kinds, n, 2)) * rng.uniform(0, 3, (kinds, 1, 2))
    logits = np.hstack(list(truth + errors))
    models = LabelModels([None] * 2 * kinds, np.full(2, -1), logits)
    return models, Items.checked(Y, **options), logits


def loss_of(logits: np.ndarray, y: np.ndarray, shares: np.ndarray, scale: str, w: Any) -> float:
    mixed = on_scale(logits, scale) @ shares
    return float(log_loss(y, expit(mixed) if scale == "logit" else mixed, sample_weight=w))


@given(
    st.integers(0, 2**32 - 1), st.sampled_from([2, 3]), st.sampled_from(["logit", "probability"])
)
@settings(max_examples=30)
def test_no_other_shares_have_less_loss(seed: int, kinds: int, scale: str) -> None:
    weight = np.random.default_rng(seed).integers(0, 3, 300).astype(float)
    models, items, logits = said(seed, kinds, sample_weight=weight)
    shares = mixing_shares(models, items, on_scale(logits, scale), scale)
    assert shares.shape == (kinds, 2)
    assert shares.sum(axis=0) == pytest.approx(1)
    assert ((shares == 0) | (shares >= LEAST_SHARE / kinds)).all()
    others = np.random.default_rng(seed).dirichlet(np.ones(kinds), 40)
    for k in range(2):
        y, own = items.labels.table[:, k], logits[:, k::2]
        least = min(loss_of(own, y, each, scale, weight) for each in [*others, *np.eye(kinds)])
        # What is left out for its small share may cost a little.
        assert loss_of(own, y, shares[:, k], scale, weight) <= least + 1e-3


def test_gaps_and_the_rows_of_a_funnel_teach_nothing() -> None:
    models, items, logits = said(1, 2)
    table = items.labels.table.copy()
    rng = np.random.default_rng(0)
    table[rng.random(300) < 0.3, 0] = np.nan
    table[:, 1] = np.where(table[:, 0] == 1, table[:, 1], 0)
    funnel = LabelModels(models.classifiers, np.array([-1, 0]), logits)
    found = mixing_shares(funnel, Items.checked(table), logits, "logit")
    known, clicked = ~np.isnan(table[:, 0]), table[:, 0] == 1
    for k, rows in enumerate((known, clicked)):
        few = Items.checked(items.labels.table[rows])
        part = LabelModels(models.classifiers, np.full(2, -1), logits[rows])
        assert found[:, k] == pytest.approx(mixing_shares(part, few, logits[rows], "logit")[:, k])


def test_a_label_of_one_class_is_mixed_equally_and_one_kind_is_all() -> None:
    models, items, logits = said(2, 3)
    table = items.labels.table.copy()
    table[:, 1] = 0
    shares = mixing_shares(models, Items.checked(table), logits, "logit")
    assert shares[:, 1].tolist() == [1 / 3] * 3
    models, items, logits = said(2, 60)
    many = mixing_shares(models, items, logits, "logit")
    assert many.sum(axis=0) == pytest.approx(1)
    models, items, logits = said(2, 1)
    assert mixing_shares(models, items, logits, "logit").tolist() == [[1.0, 1.0]]


def curved(n: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """One label that is a sum, and one that is a square."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    pull = np.column_stack([X[:, 0] + X[:, 1], 1.5 * X[:, 2] ** 2 - 1.5])
    return X, (pull + rng.logistic(size=(n, 2)) > 0).astype(int)


def squares() -> Any:
    return make_pipeline(FunctionTransformer(np.square), StandardScaler(), LogisticRegression())


def test_a_ranker_of_two_kinds_takes_each_where_it_is_right() -> None:
    X, Y = curved()
    kinds = [LogisticRegression(), squares()]
    found = iso.BlendRanker(kinds, random_state=0).fit(X[:2000], Y[:2000])
    said = found.coef_.reshape(2, 2)
    assert said[0, 0] > 10 * said[1, 0]
    assert said[1, 1] > 10 * said[0, 1]
    assert [each is None for each in found.estimators_] == (found.coef_ == 0).tolist()
    columns = [each.predict_proba(X)[:, 1] for each in found.estimators_ if each is not None]
    columns = np.column_stack(columns)
    columns = columns if found.scale_ == "probability" else np.log(columns / (1 - columns))
    assert found.predict(X) == pytest.approx(columns @ found.coef_[found.coef_ > 0])

    def smallest(ranker: Any) -> float:
        return float(iso.label_aucs(Y[2000:], ranker.predict(X[2000:])).min())

    alone = [iso.BlendRanker(kind, random_state=0).fit(X[:2000], Y[:2000]) for kind in kinds]
    assert smallest(found) > max(map(smallest, alone)) + 0.02


def test_two_kinds_that_are_the_same_are_that_one() -> None:
    """All kinds leave out the same rows, so that their logits can stand side by side."""
    X, Y = curved(600)
    one = iso.BlendRanker(LogisticRegression(), random_state=3).fit(X, Y)
    for kinds in ([LogisticRegression()] * 2, [LogisticRegression(), LogisticRegression()]):
        two = iso.BlendRanker(kinds, random_state=3).fit(X, Y)
        first, second = two.coef_.reshape(2, 2)
        assert first == pytest.approx(second)
        order = [rankdata(each.predict(X)) for each in (one, two)]
        assert np.corrcoef(order)[0, 1] > 0.999
    alone = iso.BlendRanker([LogisticRegression(), squares()], iso.OneLabel(1)).fit(X, Y)
    assert (alone.coef_.reshape(2, 2)[:, 0] == 0).all()
    assert alone.coef_.sum() == pytest.approx(1)


@pytest.mark.parametrize("wrong", [[], [LogisticRegression(), LogisticRegression]])
def test_what_is_no_list_of_classifiers_is_told(wrong: Any) -> None:
    X, Y = curved(100)
    with pytest.raises((TypeError, ValueError), match="`estimator` should"):
        iso.BlendRanker(wrong).fit(X, Y)
