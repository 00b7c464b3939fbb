"""Every public function, on a few rows: calls whose results can be compared."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import isonomy as iso

N_ROWS = 80


def data() -> tuple[Any, Any, Any, Any]:
    """Features, labels, a score and groups."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    Y = (X[:, :2] + rng.normal(size=(N_ROWS, 2)) > 0).astype(int)
    return X, Y, X[:, 0] + X[:, 1], np.arange(N_ROWS) % 16


def public_calls() -> dict[str, Callable[[], Any]]:
    """By the public name; what a call gives is an array, or a text."""
    X, Y, score, groups = data()
    return {
        "auc": lambda: iso.auc(Y[:, 0], score),
        "label_aucs": lambda: iso.label_aucs(Y, score, groups=groups),
        "label_ndcgs": lambda: iso.label_ndcgs(Y, score, groups=groups),
        "ndcg_intervals": lambda: iso.ndcg_intervals(Y, score, groups=groups).low,
        "multipartite_auc": lambda: iso.multipartite_auc(Y.sum(1), score),
        "objective_auc": lambda: iso.objective_auc(Y, score, iso.SoftLabel()),
        "conflict_aucs": lambda: iso.conflict_aucs(Y, score),
        "auc_intervals": lambda: iso.auc_intervals(Y, score).low,
        "conflict_intervals": lambda: iso.conflict_intervals(Y, score).low,
        "compare_scores": lambda: iso.compare_scores(Y, score, X[:, 0]).p_value,
        "pair_loss": lambda: iso.pair_loss(Y, score, iso.WorstLabel()).gradient,
        "scorer": lambda: iso.scorer(iso.SoftLabel())(iso.LinearRanker(l2=0.1).fit(X, Y), X, Y),
        "audit": lambda: str(iso.audit(Y, score)),
        "blend": lambda: iso.blend(X, Y).coef_,
        "LinearRanker": lambda: iso.LinearRanker(l2=0.1).fit(X, Y).predict(X),
        "PlugInRanker": lambda: _plug_in().fit(X, Y).predict(X),
        "BlendRanker": lambda: iso.BlendRanker(_logistic()).fit(X, Y).predict(X),
        "BoostedRanker": lambda: _boosted("lightgbm").fit(X, Y).predict(X),
        "AUCSketch": lambda: iso.AUCSketch(["a", "b"]).add(Y, score).to_bytes().hex(),
        "save": lambda: _saved(iso.LinearRanker(l2=0.1).fit(X, Y)),
        "to_sql": lambda: iso.to_sql(iso.LinearRanker(l2=0.1).fit(X, Y), columns=["a", "b", "c"]),
        "to_onnx": lambda: len(iso.to_onnx(iso.LinearRanker(l2=0.1).fit(X, Y))),
        "pareto": lambda: iso.pareto.trace(X, Y, n_points=3, random_state=0).aucs,
        "boosting": lambda: _boosted("xgboost").fit(X, Y).predict(X),
        "Labels": lambda: iso.Labels.from_table(Y).codes,
        "bayes_scores": lambda: iso.theory.bayes_scores(_probabilities(score), iso.SoftLabel()),
        "sketched audit": lambda: str(iso.audit(iso.AUCSketch(["a", "b"]).add(Y, score))),
        "surrogates": lambda: iso.surrogates.SURROGATES["logistic"].slope(score),
        "PairLoss": lambda: _pair_loss(Y, score),
    }


def slow_calls() -> dict[str, Callable[[], Any]]:
    """Those that take a second or more."""
    X, Y, _, _ = data()
    return {
        "compare": lambda: (
            iso.compare(
                X,
                Y,
                methods=["mean", "loss"],
                family="linear",
                tune=False,
                folds=2,
                repeats=1,
                random_state=0,
            ).scores
        ),
        "NeuralRanker": lambda: (
            iso.NeuralRanker(hidden=(3,), max_epochs=2, patience=None, random_state=0)
            .fit(X, Y)
            .predict(X)
        ),
    }


def result(call: Callable[[], Any]) -> str:
    """What a call gives, as text that is the same for the same bits."""
    found = call()
    return found if isinstance(found, str) else np.asarray(found).tobytes().hex()


def _boosted(engine: str) -> Any:
    return iso.BoostedRanker(engine=engine, n_rounds=3, random_state=0)


def _probabilities(score: Any) -> Any:
    p = 1.0 / (1.0 + np.exp(-score[:8]))
    return np.column_stack([p, p**2])


def _pair_loss(Y: Any, score: Any) -> Any:
    import torch

    scores = torch.tensor(score, requires_grad=True)
    iso.torch.PairLoss(iso.LossAggregation())(scores, torch.tensor(Y)).backward()
    return scores.grad


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def _plug_in() -> Any:
    return iso.PlugInRanker(_logistic(), cv=None)


def _saved(ranker: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m")
        iso.save(ranker, path)
        return iso.load(path).predict(data()[0])
