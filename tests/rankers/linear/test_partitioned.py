"""A linear fit over partitions, without any engine: the coefficients of one machine."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy._rankers.linear import PartRows, first_look, fit_partitions

NAMES = ["a", "b", "c", "d"]
# As tight as numbers go: what is left then is not the solvers' patience.
TIGHT = 1e-17


class Parts:
    """Partitions in a list; questions and answers are pickled, as an engine would."""

    def __init__(self, parts: list[PartRows]) -> None:
        self.parts, self.largest = parts, 0

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        sent = pickle.dumps(question)
        answers = [pickle.loads(sent)(part) for part in self.parts]
        self.largest = max([self.largest, len(sent), *(len(pickle.dumps(a)) for a in answers)])
        half = type(answers[0]).joined(answers[:2])
        return type(half).joined([half, *answers[2:]])


def made(n: int = 3000) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 0] + [0, 50, 0, 7]
    Y = (X[:, :2] / [1, 10] + rng.logistic(size=(n, 2)) > [0.0, 6.0]).astype(float)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    weight = rng.random(n)
    weight[::7] = 0.0
    return {"X": X, "Y": Y, "weight": weight, "group": rng.integers(0, 80, n)}


def parts(data: dict[str, np.ndarray], *given: str) -> Parts:
    """Drifted, unequal, single-class and empty; groups are whole."""
    order = np.argsort(data["group"] if "group" in given else data["X"][:, 0], kind="stable")
    cuts = [0, 5, 5, 1000, 1100]
    if "group" in given:
        cuts = np.searchsorted(data["group"][order], [0, 1, 1, 40]).tolist()
    taken = {name: data[name] for name in ("X", "Y", *given)}
    pieces = np.split(order, cuts)
    return Parts([PartRows(**{k: v[piece] for k, v in taken.items()}) for piece in pieces])


def fitted(ranker: iso.LinearRanker, rows: Parts) -> iso.LinearRanker:
    return fit_partitions(ranker, rows, first_look(rows), NAMES, ["x", "y"])


@pytest.mark.parametrize("given", [(), ("weight",), ("group", "weight")])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(
    "objective",
    [
        iso.LabelAggregation(),
        iso.LossAggregation({"x": 1, "y": 2}),
        iso.WorstLabel(),
        iso.OneLabel("y"),
        iso.SoftLabel("rarity"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_same_as_in_one_place(objective: Any, positive: bool, given: tuple[str, ...]) -> None:
    data = made()
    options: dict[str, Any] = {"positive": positive, "tol": TIGHT, "group_weight": "equal"}
    # The dual of the worst label closes its gap; beyond that its steps are rounding.
    options["tol"] = 1e-13 if isinstance(objective, iso.WorstLabel) else TIGHT
    rows = parts(data, *given)
    found = fitted(iso.LinearRanker(objective, **options), rows)
    table = {"x": data["Y"][:, 0], "y": data["Y"][:, 1]}
    import pandas as pd

    direct = iso.LinearRanker(objective, **options).fit(
        data["X"],
        pd.DataFrame(table),
        data["weight"] if "weight" in given else None,
        data["group"] if "group" in given else None,
    )
    scale = np.abs(direct.coef_).max()
    np.testing.assert_allclose(found.coef_, direct.coef_, rtol=1e-8, atol=1e-8 * scale)
    # A step is a few kilobytes, but for the first look, which brings a sample of the rows.
    assert rows.largest < 60_000


@pytest.mark.parametrize("surrogate", ["exponential", "square"])
def test_other_smooth_surrogates(surrogate: str) -> None:
    data = made()
    found = fitted(iso.LinearRanker(surrogate=surrogate, tol=TIGHT), parts(data))
    direct = iso.LinearRanker(surrogate=surrogate, tol=TIGHT).fit(data["X"], data["Y"])
    np.testing.assert_allclose(found.coef_, direct.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("objective", [None, iso.WorstLabel(), iso.SoftLabel()])
def test_a_squared_hinge_inside_groups(objective: Any) -> None:
    """No pair crosses partitions, so that a kink does no harm."""
    data = made()
    settings: dict[str, Any] = {"surrogate": "squared_hinge", "tol": 1e-13 if objective else TIGHT}
    found = fitted(iso.LinearRanker(objective, **settings), parts(data, "group"))
    direct = iso.LinearRanker(objective, **settings)
    direct.fit(data["X"], data["Y"], groups=data["group"])
    np.testing.assert_allclose(found.coef_, direct.coef_, rtol=1e-6 if objective else 1e-8)


def test_torn_groups_are_noticed() -> None:
    data = made(100)
    halves = np.split(np.arange(100), [50])
    rows = Parts([PartRows(data["X"][h], data["Y"][h], None, data["group"][h]) for h in halves])
    assert first_look(rows).torn
    assert not first_look(parts(data, "group")).torn


def test_a_warm_start_takes_fewer_steps() -> None:
    data = made()
    ranker = fitted(iso.LinearRanker(warm_start=True), parts(data))
    before = ranker.n_iter_
    assert fitted(ranker, parts(data)).n_iter_ < before


def test_mistakes_are_told() -> None:
    data = made(200)
    with pytest.raises(ValueError, match="smooth"):
        fitted(iso.LinearRanker(surrogate="squared_hinge"), parts(data))
    with pytest.raises(ValueError, match="smooth"):
        fitted(iso.LinearRanker(surrogate="hinge"), parts(data, "group"))
    one = {**data, "Y": np.ones_like(data["Y"])}
    with pytest.raises(ValueError, match="nothing to learn"):
        fitted(iso.LinearRanker(), parts(one))
    broken = {**data, "X": np.where(np.eye(200, 4) > 0, np.inf, data["X"])}
    with pytest.raises(ValueError, match="infinity"):
        fitted(iso.LinearRanker(), parts(broken))
    nothing = {name: values[:0] for name, values in data.items()}
    with pytest.raises(ValueError, match="two rows"):
        fitted(iso.LinearRanker(), Parts([PartRows(nothing["X"], nothing["Y"])]))
    with pytest.raises(ValueError, match="Weights"):
        fitted(iso.LinearRanker(), parts({**data, "weight": -data["weight"]}, "weight"))
