"""Two plain processes and a tracker: the objective and the metric see everybody's pairs."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy.boosting import pack_labels, xgboost_metric, xgboost_objective

xgboost = pytest.importorskip("xgboost")

LIMIT = 100


def made() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    n = 1500
    X = np.round(rng.normal(size=(n, 3)), 1)
    Y = (X[:, :2] + rng.logistic(size=(n, 2)) > [0.0, 1.5]).astype(float)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    order = np.argsort(np.nan_to_num(Y[:, 0]), kind="stable")
    return X[order], Y[order], rng.integers(1, 4, n).astype(float), np.repeat(np.arange(75), 20)


def pieces(kind: str) -> list[np.ndarray]:
    rows = np.arange(1500)
    return {"drifted": np.split(rows, [200]), "empty": [rows, rows[:0]]}[kind]


def matrix(rows: np.ndarray, case: dict[str, Any]) -> Any:
    X, Y, weight, query = (each[rows] for each in made())
    label = pack_labels(Y) if rows.size else np.empty(0, np.float32)
    found = xgboost.DMatrix(X, label, weight=weight if case["weighted"] else None)
    if case["grouped"]:
        found.set_info(qid=query)
    return found


def train(data: Any, case: dict[str, Any]) -> tuple[str, list[float]]:
    objective, log = iso.WorstLabel() if case["worst"] else iso.LabelAggregation(), {}
    booster = xgboost.train(
        {"max_depth": 3, "tree_method": "hist", "nthread": 1, "disable_default_eval_metric": True},
        data,
        6,
        obj=xgboost_objective(objective, surrogate=case["surrogate"]),
        custom_metric=xgboost_metric(objective),
        evals=[(data, "all")],
        evals_result=log,
        verbose_eval=False,
    )
    return booster.save_raw("json").decode(), next(iter(log["all"].values()))


def worker(arguments: dict[str, Any], rank: int, case: dict[str, Any], out: Any) -> None:
    with xgboost.collective.CommunicatorContext(**arguments):
        out.put((rank, *train(matrix(pieces(case["parts"])[rank], case), case)))


def together(case: dict[str, Any], target: Any = worker) -> list[Any]:
    """Two processes, started afresh, that meet at a tracker."""
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=2, host_ip="127.0.0.1", timeout=LIMIT)
    tracker.start()
    arguments = {**tracker.worker_args(), "dmlc_timeout": LIMIT}
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    processes = [context.Process(target=target, args=(arguments, r, case, out)) for r in (0, 1)]
    for process in processes:
        process.start()
    try:
        return sorted([out.get(timeout=LIMIT) for _ in processes], key=lambda each: each[0])
    finally:
        for process in processes:
            process.join(timeout=10)
            if process.is_alive():
                process.kill()


CASES = {
    "drifted": {},
    "empty": {"parts": "empty", "worst": True},
    "weighted": {"weighted": True, "surrogate": "sigmoid"},
    "grouped": {"grouped": True},
}


@pytest.mark.parametrize("name", CASES)
def test_two_processes_grow_the_model_of_one(name: str) -> None:
    plain = {"parts": "drifted", "weighted": False, "grouped": False, "worst": False}
    case = {**plain, "surrogate": "logistic", **CASES[name]}
    (_, mine, log), (_, other, log_of_other) = together(case)
    assert mine == other
    assert log == log_of_other
    theirs, expected = train(matrix(np.arange(1500), case), case)
    np.testing.assert_allclose(log, expected, atol=2e-4)
    X = xgboost.DMatrix(made()[0])
    a, b = (xgboost.Booster(model_file=bytearray(text.encode())) for text in (mine, theirs))
    scores = [each.predict(X, output_margin=True) for each in (a, b)]
    assert np.ptp(scores[1]) > 0.5
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)


def failing(arguments: dict[str, Any], rank: int, case: dict[str, Any], out: Any) -> None:
    """One worker has labels that were never packed."""
    with xgboost.collective.CommunicatorContext(**arguments):
        data = matrix(pieces("drifted")[rank], case)
        if rank:
            data.set_label(np.full(data.num_row(), 0.5))
        try:
            train(data, case)
        except Exception as error:  # noqa: BLE001 (told to the test)
            out.put((rank, f"{type(error).__name__}: {error}"))


def test_an_error_of_one_is_one_of_all() -> None:
    case = {"weighted": False, "grouped": False, "worst": False, "surrogate": "logistic"}
    (_, mine), (_, other) = together(case, failing)
    assert "another worker failed" in mine or "pack_labels" in mine
    assert "pack_labels" in other


if sys.platform == "win32":
    pytest.skip("XGBoost's tracker does not run on Windows", allow_module_level=True)
