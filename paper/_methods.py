"""The methods that the tables compare: the paper's four, and ours beyond it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from paper._results import Row

Fit = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]
BOTH = {"LaA": iso.LabelAggregation(), "LoA": iso.LossAggregation()}
BEYOND = {"balanced": iso.LossAggregation("balanced"), "worst": iso.WorstLabel()}
# The linear ranker's own default.
L2 = 1e-6
ADAM_RATE = 0.1
# Trees take longest, so they have fewer trials.
BOOST_ROUNDS, BOOST_TRIALS = 100, 5


def of_the_paper(first: str, second: str) -> dict[str, iso.Objective]:
    """Each label alone, label aggregation, loss aggregation with equal weights."""
    return {first: iso.OneLabel(0), second: iso.OneLabel(1), **BOTH}


def linear(objective: iso.Objective, l2: float = L2) -> Fit:
    """A linear ranker, to the optimum over all pairs."""
    return lambda X, Y: iso.LinearRanker(objective, l2=l2).fit(X, Y).predict


def adam(objective: iso.Objective, *, epochs: int = 100) -> Fit:
    """The same model by Adam, as the paper has it: an epoch is one step on all pairs."""

    def fit(X: np.ndarray, Y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        w, mean, square = np.zeros((3, X.shape[1]))
        for step in range(1, epochs + 1):
            gradient = X.T @ iso.pair_loss(Y, X @ w, objective).gradient
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient**2
            shift = mean / (1 - 0.9**step)
            w = w - ADAM_RATE * shift / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        return lambda X_new: X_new @ w

    return fit


def plug_in(objective: iso.Objective, l2: float = L2) -> Fit:
    """Logistic regression for each label, put into the objective's best score."""

    def fit(X: np.ndarray, Y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        classifier = LogisticRegression(C=1 / (l2 * len(Y)), max_iter=2000)
        return iso.PlugInRanker(classifier, objective, cv=None).fit(X, Y).predict

    return fit


def boosted(objective: iso.Objective) -> Fit:
    """Trees on the loss over all pairs."""
    return lambda X, Y: (
        iso.BoostedRanker(
            objective,
            n_rounds=BOOST_ROUNDS,
            params={"learning_rate": 0.05, "num_leaves": 15},
            random_state=0,
            n_jobs=1,
        )
        .fit(X, Y)
        .predict
    )


def beyond_the_paper(seed: int, l2: float = L2) -> dict[str, Fit]:
    """Ours: two more objectives, the plug-in, and boosted trees where they are installed."""
    methods = {name: linear(objective, l2) for name, objective in BEYOND.items()}
    methods |= {f"plug-in {name}": plug_in(objective, l2) for name, objective in BOTH.items()}
    if hasattr(iso, "BoostedRanker") and seed < BOOST_TRIALS:
        chosen = {**BOTH, "worst": iso.WorstLabel()}
        methods |= {f"boosted {name}": boosted(objective) for name, objective in chosen.items()}
    return methods


def standardised(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both, with the training rows' mean 0 and deviation 1."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    return (train - mean) / deviation, (test - mean) / deviation


def aucs(Y: np.ndarray, scores: np.ndarray, names: Sequence[str]) -> Row:
    """Each label's AUC, as columns `auc_NAME`."""
    found = iso.label_aucs(Y, scores)
    return {f"auc_{name}": float(auc) for name, auc in zip(names, found, strict=True)}
