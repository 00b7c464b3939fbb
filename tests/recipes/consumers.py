"""Everything that should know a new thing: each consumer once, on small data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import isonomy as iso
from isonomy._core import Items
from isonomy._render.report import Origin, write_report
from isonomy.boosting import lightgbm_objective, pack_labels, xgboost_objective


def data(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Features, and two labels that follow two of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, :2] + rng.logistic(size=(n, 2)) > [0.0, 1.0]).astype(float)


def check_measured(objective: Any) -> None:
    """Metrics, their intervals and the pair loss agree with each other."""
    X, Y = data()
    scores = X[:, 0] + X[:, 1]
    value = iso.objective_auc(Y, scores, objective)
    assert 0.5 < value < 1
    found = iso.auc_intervals(Y, scores, objective=objective)
    assert found.low < found.estimate < found.high
    assert math.isclose(found.estimate, value)
    assert math.isclose(iso.scorer(objective)._score_func(Y, scores, objective), value)
    loss = iso.pair_loss(Y, scores, objective)
    assert abs(loss.gradient.sum()) < 1e-12 < loss.value


def check_boosted(objective: Any, surrogate: str = "logistic") -> None:
    """Engines get the gradient of the pair loss, and learn by it."""
    X, Y = data()
    expected = iso.pair_loss(Y, X[:, 0], objective, surrogate=surrogate)
    for made in (lightgbm_objective, xgboost_objective):
        gradient, hessian = made(objective, surrogate=surrogate)(pack_labels(Y), X[:, 0])
        np.testing.assert_allclose(gradient, len(X) * expected.gradient, atol=1e-10)
        assert (hessian >= 0).all()
    for engine in ("lightgbm", "xgboost"):
        ranker = iso.BoostedRanker(
            objective, engine=engine, surrogate=surrogate, n_rounds=5, patience=2, random_state=0
        )
        assert ranker.fit(X, Y).score(X, Y) > 0.6


def check_torch(objective: Any, surrogate: str = "logistic") -> None:
    """Torch has the same loss and gradient, and a network learns by it."""
    import torch

    X, Y = data()
    scores = torch.tensor(X[:, 0], requires_grad=True)
    loss = iso.torch.PairLoss(objective, surrogate=surrogate)(scores, torch.tensor(Y))
    loss.backward()
    expected = iso.pair_loss(Y, X[:, 0], objective, surrogate=surrogate)
    np.testing.assert_allclose(float(loss.detach()), expected.value, rtol=1e-10)
    np.testing.assert_allclose(scores.grad.numpy(), expected.gradient, atol=1e-12)
    ranker = iso.NeuralRanker(objective, surrogate=surrogate, max_epochs=2, random_state=0)
    assert np.isfinite(ranker.fit(X, Y).predict(X)).all()


def check_saved(ranker: Any, folder: Path, **options: Any) -> None:
    """A fitted ranker comes back as it was."""
    X, _ = data()
    iso.save(ranker, folder / "model.isonomy")
    again = iso.load(folder / "model.isonomy", **options)
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    assert getattr(again, "objective", None) == getattr(ranker, "objective", None)


def check_compared(folder: Path, name: str, **options: Any) -> str:
    """`compare` measures it; tables and the report name it. Returns the report."""
    X, Y = data()
    items = Items.checked(Y)
    found = iso.compare(X, items, folds=2, repeats=1, random_state=0, **options)
    assert found[name].failed is None
    assert 0.5 < found[name].aucs.mean.mean() < 1
    # A screen of text shows the best methods, a page all.
    assert name in str(found._repr_html_())
    assert name in found.to_frame()["method"].to_list()
    origin = Origin("1", "isonomy compare t.csv", "t.csv", "0" * 64, ["t.csv"])
    write_report(folder / "report.html", found, items, origin)
    page = (folder / "report.html").read_text()
    assert name in page
    return page
