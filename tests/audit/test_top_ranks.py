"""The first ranks of each group, against every pair and every order of ties."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings

import isonomy as iso
from isonomy._audit.top_ranks import top_ranks
from isonomy._audit.view import top_ranks_tables
from isonomy._core import Items
from tests.strategies import Problem, problems


def share_won(problem: Problem, k: int, labels: tuple[int, int]) -> float:
    """The share of conflicts with an item in the first k that the first label wins."""
    weight = np.ones(len(problem.Y)) if problem.sample_weight is None else problem.sample_weight
    assert problem.groups is not None
    sums = []
    for group in np.unique(problem.groups):
        rows = np.flatnonzero((problem.groups == group) & (weight > 0)).tolist()
        scores = problem.scores + 0.0
        runs = [
            [i for i in rows if scores[i] == score]
            for score in sorted({scores[i] for i in rows}, reverse=True)
        ]
        orders = list(itertools.product(*(itertools.permutations(run) for run in runs)))
        won = total = 0.0
        for order in orders:
            rank = {i: r for r, i in enumerate(i for run in order for i in run)}
            for i, j in itertools.permutations(rows, 2):
                a, b = labels
                conflict = problem.Y[i, [a, b]].tolist() == [1, 0]
                conflict &= problem.Y[j, [a, b]].tolist() == [0, 1]
                if conflict and min(rank[i], rank[j]) < k:
                    total += weight[i] * weight[j] / len(orders)
                    won += weight[i] * weight[j] / len(orders) * (rank[i] < rank[j])
        if total > 0:
            sums.append((won, total) if problem.group_weight == "pairs" else (won / total, 1.0))
    return sum(w for w, _ in sums) / sum(t for _, t in sums) if sums else np.nan


@settings(max_examples=60)
@given(problems(labels=(2, 3), items=(2, 6)))
def test_every_pair_and_order(problem: Problem) -> None:
    if problem.groups is None:
        return
    items = Items.checked(problem.Y, y_score=problem.scores, **problem.options)
    for k in (1, 2, 4):
        found = top_ranks(items, k, 0.95)
        both = itertools.combinations(range(problem.Y.shape[1]), 2)
        expected = [share_won(problem, k, labels) for labels in both]
        got = [each.auc.value for each in found.conflicts]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def made(n: int = 3000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = rng.random((n, 2)) < [0.3, 0.1]
    return Y, Y @ [1.0, 2.0] + rng.normal(size=n), np.arange(n) // 30


def test_the_audit_has_them_with_groups() -> None:
    Y, score, groups = made()
    found = iso.audit(Y, score, groups=groups, names=["click", "buy"])
    assert found.top_ranks is not None
    assert found.top_ranks.k == 10
    intervals = iso.ndcg_intervals(Y, score, k=10, groups=groups)
    for name, bound in (("value", "estimate"), ("low", "low"), ("high", "high")):
        got = [getattr(each, name) for each in found.top_ranks.ndcgs]
        np.testing.assert_allclose(got, getattr(intervals, bound), rtol=1e-12)
    assert found.top_ranks.conflicts[0].auc.high < 0.5  # buy wins
    text = str(found)
    assert "nDCG@10" in text
    assert "first 10" in text
    assert "ndcg@10 low" in found.to_frame().columns
    assert "nDCG@10" in (found._repr_html_() or "")


@pytest.mark.parametrize("top", [100, 10**30])
def test_a_top_that_holds_all_is_the_conflict_auc(top: int) -> None:
    Y, score, groups = made(600)
    found = iso.audit(Y, score, groups=groups, top=top)
    assert found.top_ranks is not None
    expected = iso.conflict_aucs(Y, score, groups=groups)[0, 1]
    assert found.top_ranks.conflicts[0].auc.value == pytest.approx(expected, abs=1e-12)


def test_json_and_documents_of_old() -> None:
    Y, score, groups = made(600)
    found = iso.audit(Y, score, groups=groups, by=np.arange(600) // 300, top=3)
    document = json.loads(json.dumps(found.to_dict()))
    assert iso.Audit.from_dict(document).top_ranks == found.top_ranks
    assert iso.Audit.from_dict(document).segments[0].audit.top_ranks is not None
    for each in (document, *(segment["audit"] for segment in document["segments"])):
        del each["top_ranks"]
    assert iso.Audit.from_dict(document).top_ranks is None


def test_counts_are_rows_written_out() -> None:
    Y, score, groups = made(300)
    score, counts = score.round(), np.arange(300) % 4
    found = iso.audit(Y, score, groups=groups, counts=counts, top=5)
    rows = np.repeat(np.arange(300), counts)
    expected = iso.audit(Y[rows], score[rows], groups=groups[rows], top=5)
    assert found.top_ranks is not None
    assert expected.top_ranks is not None
    for a, b in zip(found.top_ranks.conflicts, expected.top_ranks.conflicts, strict=True):
        assert a.auc.value == pytest.approx(b.auc.value, abs=1e-12)


def test_without_groups_there_are_none() -> None:
    Y, score, _ = made(100)
    assert iso.audit(Y, score).top_ranks is None
    with pytest.raises(ValueError, match="`top` needs groups"):
        iso.audit(Y, score, top=10)
    with pytest.raises(ValueError, match="`top` should be a whole number >= 1"):
        iso.audit(Y, score, groups=np.zeros(100), top=0)


def test_of_many_labels_the_worst_served_are_shown() -> None:
    rng = np.random.default_rng(0)
    Y = rng.random((600, 32)) < 0.3
    score = Y[:, :20].sum(axis=1) + rng.normal(size=600)
    found = iso.audit(Y, score, groups=np.arange(600) // 30)
    assert found.top_ranks is not None
    first = top_ranks_tables(found, 12)[0]
    served = sorted(found.labels, key=lambda each: each.auc.value)[:12]
    ndcgs = dict(zip(found.names, found.top_ranks.ndcgs, strict=True))
    shown = {row.cells[0].text: row.cells[1].text for row in first.rows}
    assert shown.keys() == {each.name for each in served}
    for name, text in shown.items():
        assert text.startswith(f"{ndcgs[name].value:.3f}")
