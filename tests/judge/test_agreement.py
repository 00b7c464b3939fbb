"""Kappa and AUC against scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from isonomy._judge import Judge, agreement
from isonomy._judge.agreement import kappa_interval

LABEL = st.sampled_from([0.0, 1.0, math.nan])


@settings(max_examples=50)
@given(st.lists(st.tuples(LABEL, LABEL), min_size=1, max_size=30))
def test_as_scikit_learn_has_it(pairs: list[tuple[float, float]]) -> None:
    mine, theirs = np.array(pairs).T
    found = agreement(Judge("a", mine), Judge("b", theirs))
    both = ~np.isnan(mine) & ~np.isnan(theirs)
    assert found.n_rows == both.sum()
    a, b = mine[both], theirs[both]
    if np.unique(np.append(a, b)).size < 2:
        assert math.isnan(found.kappa)
    else:
        assert found.kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)
        assert found.kappa_low <= found.kappa <= found.kappa_high
        assert found.same == pytest.approx((a == b).mean())
    if np.unique(b).size < 2:
        assert math.isnan(found.auc)
    else:
        assert found.auc == pytest.approx(roc_auc_score(b, a))
        assert found.auc_low <= found.auc <= found.auc_high


def test_scores_rank_where_there_are_some() -> None:
    scores = np.array([0.0, 1, 2, 3, 4, math.nan])
    judge = Judge("a", np.where(np.isnan(scores), math.nan, scores >= 4), scores)
    found = agreement(judge, Judge("b", np.array([0.0, 0, 1, 1, 1, 0])))
    assert found.auc == 1.0
    assert found.kappa < 1.0


def test_kappas_interval_holds() -> None:
    """Of tables drawn with a kappa of 0.6, about 95% have it inside."""
    drawn = np.random.default_rng(1).multinomial(60, [0.4, 0.1, 0.1, 0.4], size=200)
    bounds = [kappa_interval(table.astype(float)) for table in drawn]
    held = np.mean([low <= 0.6 <= high for _, low, high in bounds])
    assert 0.92 <= held <= 0.985
