"""Comparisons that make sentences true, small and quick."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

import isonomy as iso
from isonomy._compare.recommend import TOLERANCE
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
def mixed() -> iso.Comparison:
    """Squares, which trees see, and a little of a sum: trees are ahead of the mix by a hair."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(600, 3))
    pull = X[:, [0, 2]] ** 2 - 1 + 0.1 * X[:, [1]] * [1, -1]
    Y = (pull + rng.logistic(size=(600, 2)) > 0).astype(int)
    return compared(X, Y, family=["linear", "boosted"], methods=["blend"], folds=4)


@cache
def lucky() -> iso.Comparison:
    """A weak signal in few rows, and many methods to look for it."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    return compared(X, (X[:, :2] / 4 + rng.logistic(size=(300, 2)) > 0).astype(int))


@cache
def kept_promise() -> iso.Comparison:
    return compared(*opposed(0), at_least={0: 0.7})


@cache
def out_of_reach() -> iso.Comparison:
    return compared(*made(0), methods=["mean", "loss"], at_least={"0": 0.99})


def exclusive_labels() -> tuple[Any, Any]:
    """Three labels of which each item has one, and one feature for each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    Y = np.eye(3)[(2 * X + rng.gumbel(size=X.shape)).argmax(axis=1)]
    return X, pd.DataFrame(Y, columns=["red", "green", "blue"])


@cache
def exclusive() -> iso.Comparison:
    return compared(*exclusive_labels())


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
def costly_promise() -> iso.Comparison:
    """What is promised to one label takes from the other what both could share."""
    return compared(*opposed(0), methods=["worst", "one-label"], at_least={0: 0.99})


@cache
def kept_at_a_price() -> iso.Comparison:
    """The same, but within reach."""
    return compared(*opposed(0), methods=["worst", "one-label"], at_least={0: 0.9})


@cache
def idle_promise() -> iso.Comparison:
    """A promise that costs nothing, and features that give nothing."""
    rng = np.random.default_rng(0)
    Y = rng.random((300, 2)) < 0.4
    return compared(rng.normal(size=(300, 2)), Y, methods=["mean"], at_least={0: 0.4})


@cache
def one_sided_values() -> iso.Comparison:
    """What one label is worth makes the other one pay."""
    return compared(*contrary_labels(), methods=["mean", "loss"], goal={0: 1, 1: 5})


@cache
def noise() -> iso.Comparison:
    """Features that say nothing."""
    rng = np.random.default_rng(0)
    return compared(rng.normal(size=(300, 2)), rng.random((300, 2)) < 0.4)


@cache
def exclusive_two() -> iso.Comparison:
    """Of three labels that exclude each other, two."""
    X, Y = exclusive_labels()
    return compared(X, Y[["red", "green"]], methods=["loss"])


@cache
def hardly() -> iso.Comparison:
    """Of labels of which each item has one, the mean AUC is a half but for a hair."""
    return compared(*exclusive_labels(), methods=["loss", "one-label"], goal="mean")


@cache
def alone_ahead() -> iso.Comparison:
    """Two labels for the same reason, one of them rare: who learns the other alone does best."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 12))
    Y = X[:, :1] + rng.logistic(size=(600, 2)) > [0.0, 3.0]
    return compared(X, Y, methods=["product", "one-label"])


@cache
def less_sure() -> iso.Comparison:
    """One ranker has a better Min, by a rare label that is served as well as a common one."""
    rng = np.random.default_rng(0)
    Y = np.column_stack([rng.random(2000) < 0.5, np.arange(2000) % 200 == 0])
    even, kind = (0.9 * Y[:, 0] + rng.normal(size=2000) for _ in range(2))
    even[Y[:, 1]] = np.quantile(even, rng.permutation(np.linspace(0.54, 0.99, 10)))
    kind[Y[:, 1]] += 5
    own = {"even": Given((1.0, 0.0)), "kind": Given((0.0, 1.0))}
    return compared(np.column_stack([even, kind]), Y, methods=[], rankers=own)


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
def left_to_others() -> iso.Comparison:
    """What one label is worth leaves the other at chance, which a ranking alone would serve."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    Y = X @ [[1.5, -1.0], [0.0, 1.0]] + rng.logistic(size=(1500, 2)) > 0
    return compared(X, Y, methods=["mean", "loss", "one-label"], goal={0: 1.2, 1: 1})


@cache
def trouble() -> iso.Comparison:
    """A method that fails, one that warns, a label with few positives."""
    X, Y = made(7)
    Y[:, 1] = 1 - Y[:, 0]
    Y[20:, 1] = 0
    return compared(X, Y, methods=["product", "loss"], rankers={"loud": Given(warn=True)})


@cache
def noise_by_luck() -> iso.Comparison:
    """The third and fourth label are noise, one of which some method ranks surely, by itself."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 4))
    logits = np.column_stack([2 * X[:, 0], X[:, 0] + 2 * X[:, 1], np.zeros((400, 2))])
    Y = rng.random((400, 4)) < 1 / (1 + np.exp(-logits))
    methods = ["mean", "loss", "product", "balanced", "worst", "one-label"]
    return compared(X, Y, methods=methods, tune=True)


@cache
def nine_positives() -> iso.Comparison:
    """A label with so few positives that who wins their conflicts is not judged."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    common = X.sum(axis=1) + rng.logistic(size=500) > 0
    rare = np.argsort(np.argsort(-X[:, 1])) < 9
    common[np.flatnonzero(rare)[::2]] = False
    return compared(X, np.column_stack([common, rare]), methods=["plug-in"])


@cache
def leaked() -> iso.Comparison:
    """A feature that is the label, but for noise."""
    X, Y = made(0)
    leak = Y[:, 0] + 0.01 * np.random.default_rng(0).normal(size=len(Y))
    return compared(pd.DataFrame({"age": X[:, 0], "refund": leak}), Y, methods=["mean"])


@cache
def leaked_backwards() -> iso.Comparison:
    """A feature that is the label, turned round."""
    X, Y = made(0)
    return compared(pd.DataFrame({"age": X[:, 0], "kept": -Y[:, 0]}), Y, methods=["mean"])


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
def three_ways() -> iso.Comparison:
    """Nine labels in three directions, each against the other two."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    angle = np.repeat([0.0, 2.1, 4.2], 3)
    latent = 4 * X @ np.array([np.cos(angle), np.sin(angle)])
    return compared(X, latent + rng.logistic(size=(900, 9)) > 0, methods=["mean", "one-label"])


@cache
def one_noise() -> iso.Comparison:
    """One label, and features that say nothing of it."""
    rng = np.random.default_rng(0)
    return compared(rng.normal(size=(300, 2)), rng.random((300, 1)) < 0.4)


@cache
def two_splits() -> iso.Comparison:
    """A label that is hardly predicted, and too few splits to tell whether it is."""
    X, Y = made(0, n=1000)
    Y[:, 1] = X[:, 0] + 10 * np.random.default_rng(0).logistic(size=len(X)) > 0
    return compared(X, Y, folds=2, methods=["mean", "loss"])


@cache
def twice_the_same() -> iso.Comparison:
    """The first label once more, at the end."""
    X, Y = made(0)
    return compared(X, np.column_stack([Y, Y[:, 0]]), methods=["mean"])


@cache
def thrice_the_same() -> iso.Comparison:
    X, Y = made(0)
    return compared(X, Y[:, [0, 0, 0]], methods=["mean"])


@cache
def one_blind() -> iso.Comparison:
    """A label that features tell, and one that they do not."""
    X, Y = made(0)
    Y[:, 1] = np.random.default_rng(1).random(len(Y)) < 0.3
    return compared(X, pd.DataFrame(Y, columns=["seen", "blind"]), methods=["mean", "loss"])


@cache
def one_blind_of_three() -> iso.Comparison:
    """Two labels that want opposite ends, and one that features do not tell."""
    X, Y = contrary_labels()
    blind = np.random.default_rng(1).random(len(Y)) < 0.3
    return compared(X, np.column_stack([Y, blind]), methods=["mean", "one-label"])


@cache
def one_blind_for_the_mean() -> iso.Comparison:
    """The same, where one label is enough for the goal."""
    X, Y = made(0, n=2000)
    Y[:, 1] = np.random.default_rng(1).random(len(Y)) < 0.3
    return compared(X, Y, methods=["mean"], goal="mean")


@cache
def one_split() -> iso.Comparison:
    X, Y = made(0)
    return compared(X, Y, methods=["mean"], splits=(np.arange(200), np.arange(200, 300)))


@cache
def grouped() -> iso.Comparison:
    X, Y = made(0)
    return compared(X, Y, methods=["mean"], groups=np.arange(len(X)) // 10)


@cache
def odd_columns() -> iso.Comparison:
    """A constant column, and one of texts."""
    X, Y = made(0)
    frame = pd.DataFrame({"age": X[:, 0], "unit": 1, "note": [f"no {i}" for i in range(len(X))]})
    return compared(frame, Y, methods=["mean"])


@cache
def more_odd_columns() -> iso.Comparison:
    """Eight constant columns, and two of texts."""
    X, Y = made(0)
    frame = pd.DataFrame({"age": X[:, 0], **{f"unit {i}": 1 for i in range(8)}})
    texts = {name: [f"{name} {i}" for i in range(len(X))] for name in ("note", "reply")}
    return compared(frame.assign(**texts), Y, methods=["mean"])


@cache
def three_positives() -> iso.Comparison:
    """A label that two of five folds must do without."""
    X, Y = made(0)
    Y[:, 1] = 0
    Y[[3, 100, 200], 1] = 1
    return compared(X, Y, methods=["mean"])


@cache
def wide() -> iso.Comparison:
    """More columns than trees care for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1001))
    return compared(X, X[:, :2] > 0, methods=["mean"], family="auto")


@cache
def one_label() -> iso.Comparison:
    X, Y = made(0)
    return compared(X, Y[:, :1])


@cache
def weighed() -> iso.Comparison:
    """A ranker of the user's that knows no weights."""
    X, Y = made(0)
    weight = np.linspace(1, 2, len(X))
    return compared(X, Y, methods=[], rankers={"mine": Given()}, sample_weight=weight)


@cache
def nine_labels() -> iso.Comparison:
    return compared(*made(0, K=9), methods=["mean"], tradeoffs=True)


@cache
def untraced() -> iso.Comparison:
    """The first split trains on rows that lack a label; its sum with the other is still learned."""
    X, Y = made(0)
    order = np.argsort(Y[:, 1], kind="stable")
    halves = order[: len(X) // 3], order[len(X) // 3 :]
    splits = [halves, (order[::2], order[1::2])]
    return compared(X, Y, methods=["mean"], splits=splits, tradeoffs=True)


@cache
def long_funnel() -> iso.Comparison:
    """Five steps, each only after the one before: ten pairs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 1))
    Y = X + rng.logistic(size=(800, 1)) > np.linspace(-1, 1, 5)
    return compared(X, Y, methods=["mean"])


@cache
def opposites() -> iso.Comparison:
    """Each item has one of two labels."""
    X, Y = made(0)
    return compared(X, np.column_stack([Y[:, 0], 1 - Y[:, 0]]), methods=["mean", "loss"])


@cache
def few_positives() -> iso.Comparison:
    """Six positives, of which features know nothing."""
    X, Y = made(0)
    Y[:, 1] = 0
    Y[np.linspace(0, len(Y) - 1, 6).astype(int), 1] = 1
    return compared(X, pd.DataFrame(Y, columns=["click", "buy"]), methods=["mean", "loss"])


def shaken(steady: float, chaff: int = 0) -> iso.Comparison:
    """A ranker that is right in four of five splits and wrong in one, and one that is steady."""
    rng = np.random.default_rng(0)
    n, fold = 2000, np.arange(2000) % 5
    Y = rng.random((n, 2)) < 0.5
    truth = Y.sum(axis=1)
    shaky = np.where(fold < 4, 3.0, -1.5) * truth + rng.normal(size=n)
    X = np.column_stack([shaky, steady * truth + rng.normal(size=n), rng.normal(size=(n, chaff))])
    weights = np.eye(X.shape[1])
    names = ["shaky", "steady", *"abcdefgh"][: 2 + chaff]
    own = {name: Given(tuple(w)) for name, w in zip(names, weights, strict=True)}
    splits = [(fold != f, fold == f) for f in range(5)]
    return compared(X, Y, methods=[], rankers=own, splits=splits)


@cache
def surer() -> iso.Comparison:
    return shaken(0.5)


@cache
def sure_alone() -> iso.Comparison:
    """Sure by itself, but it is one of ten."""
    return shaken(0.25, chaff=8)


class Squares(Given):
    """Ranks by the squares of features."""

    def predict(self, X: Any) -> Any:
        return super().predict(X**2)


@cache
def barely_kept() -> iso.Comparison:
    """A ranker keeps a promise by a hair and gives the other label more; lines see neither."""
    rng = np.random.default_rng(0)
    Y = rng.random((1000, 2)) < 0.5
    noise = rng.normal(size=(2, 1000))
    tight, safe = Y @ [1.0, 1.5] + noise[0], Y @ [1.5, 1.0] + noise[1]
    own = {"tight": Squares((1.0, 0.0)), "safe": Squares((0.0, 1.0))}
    floor = round(iso.label_aucs(Y, tight)[0] - 0.01, 3)
    signs = rng.choice([-1.0, 1.0], size=(1000, 2))
    X = signs * np.sqrt(np.column_stack([tight, safe]) + 10)
    return compared(X, Y, methods=[], rankers=own, at_least={0: floor})


@cache
def small() -> iso.Comparison:
    """Each of two labels is predicted; of so few rows nobody knows whether both can be."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    Y = X @ [[2, -1.5], [0, 1.5]] + rng.logistic(size=(120, 2)) > 0
    return compared(X, Y, methods=["mean", "one-label"])


@cache
def one_blind_on_average() -> iso.Comparison:
    """The mean AUC is good, though one of two labels is not told by the features."""
    X, Y = made(0)
    Y[:, 1] = np.random.default_rng(1).random(len(Y)) < 0.3
    return compared(X, Y, methods=["mean", "loss"], goal="mean")


@cache
def three_positives_on_average() -> iso.Comparison:
    """The mean AUC is surely good, though of one label too few rows tell."""
    X, Y = made(0, n=1000)
    X[:, 0] += 5 * Y[:, 0]
    Y[:, 1] = 0
    Y[[3, 100, 200, 300, 400], 1] = 1
    return compared(X, Y, methods=["one-label", "loss"], goal={0: 20, 1: 1})


@cache
def known_after() -> iso.Comparison:
    """Of three steps each is looked for only after the one before."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    view, click, buy = (X + rng.logistic(size=(900, 3)) > [-1.0, 0.0, 0.0]).T
    click = np.where(view, click, np.nan)
    buy = np.where(click == 1, buy, np.nan)
    Y = pd.DataFrame({"view": view.astype(float), "click": click, "buy": buy})
    return compared(X, Y, methods=["loss"])


@cache
def one_group() -> iso.Comparison:
    """A large group, and many of one row, in which nothing is compared."""
    X, Y = made(0)
    group = np.maximum(np.arange(len(X)), len(X) // 3)
    return compared(X, Y, methods=["one-label"], groups=group)


@cache
def opposites_and_another() -> iso.Comparison:
    """Two labels of which each item has one, and a third that goes with either."""
    X, Y = made(0)
    return compared(X, np.column_stack([Y[:, 0], 1 - Y[:, 0], X[:, 3] > 0]))
