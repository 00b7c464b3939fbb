"""Every sentence that a recommendation can say, with the situation that makes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import isonomy as iso
from isonomy._compare.recommend import TOLERANCE
from isonomy._compare.wording import SENTENCES
from tests.compare.made_data import made, opposed

QUICK = {"family": "linear", "tune": False, "repeats": 1, "tradeoffs": False, "random_state": 0}


class Given(BaseEstimator):
    """Ranks by given features, added up; what is learned does not matter."""

    def __init__(self, weights: tuple[float, ...] = (1.0,), warn: bool = False) -> None:
        self.weights = weights
        self.warn = warn

    def fit(self, X: Any, Y: Any) -> Given:
        return self

    def predict(self, X: Any) -> Any:
        if self.warn:
            import warnings

            warnings.warn("look out", UserWarning, stacklevel=1)
        return X[:, : len(self.weights)] @ np.array(self.weights)


def compared(X: Any, Y: Any, **options: Any) -> iso.Comparison:
    return iso.compare(X, Y, **{**QUICK, **options})


@cache
def plain() -> iso.Comparison:
    """Two labels that one ranking serves."""
    return compared(*made(0))


@cache
def one_method() -> iso.Comparison:
    return compared(*made(0), methods=["mean"])


@cache
def milder() -> iso.Comparison:
    """The best ranker sides with a label where two conflict; the next treats them evenly.

    The rare label has the smallest AUC. The best ranker sides with it, and so much so that this
    is larger by half the tolerance; the common one pays for it, or nobody could stand in.
    """
    rng = np.random.default_rng(0)
    Y = rng.random((4000, 2)) < [0.5, 0.1]
    noise = rng.normal(size=(2, 4000))
    fair = Y.sum(axis=1) + 0.8 * noise[0]

    def skewed(scale: float) -> Any:
        return Y.sum(axis=1) + 0.5 * Y[:, 1] + scale * noise[1]

    goal = iso.label_aucs(Y, fair).min() + TOLERANCE / 2
    low, high = 0.01, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        better = iso.label_aucs(Y, skewed(middle)).min() > goal
        low, high = (middle, high) if better else (low, middle)
    own = {"fair": Given((1.0, 0.0)), "skewed": Given((0.0, 1.0))}
    return compared(np.column_stack([fair, skewed(low)]), Y, methods=[], rankers=own)


class Decoded(BaseEstimator):
    """Knows a bit of the labels that stands in the last digits of the feature."""

    def fit(self, X: Any, Y: Any) -> Decoded:
        return self

    def predict(self, X: Any) -> Any:
        return np.round(X[:, 0], 2) + 0.004 * (X[:, 0] * 100 % 1 > 0.5)


@cache
def simpler() -> iso.Comparison:
    """A ranker of the user's is ahead by a hair: the method is simpler."""
    rng = np.random.default_rng(0)
    Y = rng.random((2000, 2)) < 0.5
    score = np.round(Y.sum(axis=1) + 3 * rng.normal(size=2000), 2)
    X = (score - 0.002 * Y[:, 0])[:, None]
    return compared(X, Y, methods=["mean"], goal="mean", rankers={"mine": Decoded()})


@cache
def kept_promise() -> iso.Comparison:
    return compared(*opposed(0), at_least={0: 0.7})


@cache
def out_of_reach() -> iso.Comparison:
    return compared(*made(0), methods=["mean", "loss"], at_least={"0": 0.99})


@cache
def exclusive() -> iso.Comparison:
    """Three labels of which each item has one, and one feature for each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    Y = np.eye(3)[(2 * X + rng.gumbel(size=X.shape)).argmax(axis=1)]
    return compared(X, pd.DataFrame(Y, columns=["red", "green", "blue"]))


def contrary_labels() -> tuple[Any, Any]:
    """What speaks for one label speaks against the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    Y = np.column_stack([2 * X[:, 0], -2 * X[:, 0]]) + rng.logistic(size=(1500, 2)) > 0
    return X, Y.astype(float)


@cache
def contrary() -> iso.Comparison:
    return compared(*contrary_labels())


@cache
def dear_promise() -> iso.Comparison:
    """What is promised to one label leaves the other below chance."""
    return compared(*contrary_labels(), methods=["mean", "one-label"], at_least={0: 0.7})


@cache
def noise() -> iso.Comparison:
    """Features that say nothing."""
    rng = np.random.default_rng(0)
    return compared(rng.normal(size=(300, 2)), rng.random((300, 2)) < 0.4)


@cache
def funnel() -> iso.Comparison:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    click = X[:, 0] + rng.logistic(size=600) > 0
    buy = click & (X[:, 1] + rng.logistic(size=600) > 0)
    return compared(X, pd.DataFrame({"click": click, "buy": buy}))


@cache
def dictated() -> iso.Comparison:
    """The only method there is follows one of two labels that are both predictable."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    latent = np.column_stack([8 * X[:, 0], 8 * X[:, 1] + 4 * X[:, 0]])
    Y = latent + rng.logistic(size=(2000, 2)) > 0
    return compared(X, Y, methods=["one-label"])


@cache
def trouble() -> iso.Comparison:
    """A method that fails, one that warns, a label with few positives."""
    X, Y = made(7)
    Y[:, 1] = 1 - Y[:, 0]
    Y[20:, 1] = 0
    return compared(X, Y, methods=["product", "loss"], rankers={"loud": Given(warn=True)})


@cache
def leaked() -> iso.Comparison:
    """A feature that is the label, but for noise."""
    X, Y = made(0)
    leak = Y[:, 0] + 0.01 * np.random.default_rng(0).normal(size=len(Y))
    return compared(pd.DataFrame({"age": X[:, 0], "refund": leak}), Y, methods=["mean"])


@cache
def many_leaks() -> iso.Comparison:
    """The label, four times."""
    X, Y = made(0)
    leaks = Y[:, [0]] + 0.01 * np.random.default_rng(0).normal(size=(len(Y), 4))
    return compared(np.column_stack([X, leaks]), Y, methods=["mean"])


@cache
def many_opposed() -> iso.Comparison:
    """Eight labels, four of them the contrary of the other four."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 1))
    sides = np.repeat([3.0, -3.0], 4)
    return compared(X, X * sides + rng.logistic(size=(800, 8)) > 0, methods=["mean", "one-label"])


@cache
def long_funnel() -> iso.Comparison:
    """Five steps, each only after the one before: ten pairs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 1))
    Y = X + rng.logistic(size=(800, 1)) > np.linspace(-1, 1, 5)
    return compared(X, Y, methods=["mean"])


# The situation of every sentence; a sentence that is not said in any cannot be here.
SITUATIONS: dict[str, Callable[[], iso.Comparison]] = {
    "take": plain,
    "take only": one_method,
    "take milder": milder,
    "take simpler": simpler,
    "take promise": kept_promise,
    "out of reach": out_of_reach,
    "others at chance": dear_promise,
    "none serves": exclusive,
    "near": simpler,
    "sure": plain,
    "exclusive": exclusive,
    "opposed": contrary,
    "funnel": funnel,
    "serve apart": exclusive,
    "say the goal": exclusive,
    "better features": noise,
    "price": plain,
    "standing": plain,
    "beware": dictated,
    "leak": leaked,
    "more leaks": many_leaks,
    "more funnels": long_funnel,
    "note": trouble,
    "failed": trouble,
    "warned": trouble,
    "measured": plain,
}


def pattern(sentence: str) -> str:
    """What a sentence looks like, whatever is filled in."""
    parts = re.split(r"(?<!\{)\{\w+\}(?!\})", SENTENCES[sentence])
    return ".+".join(re.escape(part.replace("{{", "{").replace("}}", "}")) for part in parts)


def test_every_sentence_has_its_situation() -> None:
    assert list(SITUATIONS) == list(SENTENCES)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_it_is_said_there(sentence: str) -> None:
    summary = SITUATIONS[sentence]().summary()
    assert re.search(pattern(sentence), summary), summary


def test_one_goal_in_the_first_line() -> None:
    for goal, words in (
        ("min", "smallest AUC"),
        ("mean", "mean AUC"),
        ({0: 1, 1: 30}, r"AUC by your values \(0 1, 1 30\)"),
    ):
        found = compared(*made(0), methods=["mean", "loss"], goal=goal)
        assert re.match(f"Take '.+': {words} 0", found.summary().splitlines()[0])
    first = kept_promise().summary().splitlines()[0]
    assert re.match(r"Take '.+': it keeps '0' at 0.7 \(0\.\d+ on held-out rows\)", first)
    assert "best AUC of '1'" in first


def test_what_is_said_is_true() -> None:
    found = plain()
    first, second, *_ = found.summary().splitlines()
    own = found[found.recommended]
    assert f"{own.min.mean:.3f}" in first
    assert f"expected loss {found.decision.expected_loss:.3f}" in second
    assert f"Taken again in {round(10 * found.decision.agreement)} of 10" in second
    best = max(method.aucs.mean[0] for method in found.methods)
    assert f"'0' {own.aucs.mean[0]:.3f} of {best:.3f}" in found.summary()
    assert "5 splits, each row held out once" in found.summary().splitlines()[-1]
    near = simpler()
    assert near.decision.index != near.decision.best
    gap = near.methods[near.decision.best].goal.mean - near[near.recommended].goal.mean
    assert 0 <= gap <= TOLERANCE


def test_groups_of_labels_that_one_ranking_serves() -> None:
    found = contrary()
    assert not found.decision.above_chance
    assert found.structure.opposed == ((0, 1),)
    assert [group.labels for group in found.structure.groups] == [(0,), (1,)]
    assert all(group.min_auc > 0.7 for group in found.structure.groups)
    assert [group.labels for group in plain().structure.groups] == [(0, 1)]
    assert exclusive().structure.exclusive == ((0, 1), (0, 2), (1, 2))


def test_values_bring_methods_of_their_own() -> None:
    found = compared(*opposed(0), goal={0: 1, 1: 5})
    assert found["loss aggregation by value"].failed is None
    assert found["blend by value"].failed is None
    assert (
        found[found.recommended].goal.mean >= max(each.goal.mean for each in found.methods) - 0.01
    )
    alone = compared(*opposed(0), goal={1: 5})
    assert alone[alone.recommended].goal.mean >= alone["1 alone"].goal.mean - TOLERANCE


def test_a_reason_that_methods_share_is_given_once() -> None:
    said = exclusive().summary()
    assert said.count("could not be compared") == 1
    assert "'label aggregation', 'label aggregation (product)', 'plug-in' could not be" in said


def test_who_has_said_the_goal_is_not_told_to() -> None:
    said = dear_promise().summary()
    assert "Rank for them apart" in said
    assert "Or say what each is worth" not in said


def test_features_and_their_importances() -> None:
    found = leaked()
    assert found.features == ("age", "refund")
    assert found.importances[0][0] == "refund"
    assert sum(share for _, share in found.importances) == pytest.approx(1)
    assert [(each.feature, each.label) for each in found.suspects] == [("refund", "0")]
    assert plain().suspects == ()
    assert plain().features == ("0", "1", "2", "3")


def test_many_pairs_are_one_sentence() -> None:
    said = " ".join(many_opposed().summary().split())
    assert "'0' and '4'; '0' and '5'; " in said
    assert "; ... and 10 more pairs oppose each other: ranked by one alone" in said
