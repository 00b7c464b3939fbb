"""Two plain processes and a tracker: the objective and the metric see everybody's pairs."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy.boosting import pack_groups, pack_labels, xgboost_metric, xgboost_objective
from tests.docs.blocks import block_with, run_python

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
    # Queries have 20 rows each: a cut at 210 goes through one.
    return {
        "drifted": np.split(rows, [200]),
        "torn": np.split(rows, [210]),
        "empty": [rows, rows[:0]],
    }[kind]


def matrix(rows: np.ndarray, case: dict[str, Any]) -> Any:
    X, Y, weight, query = (each[rows] for each in made())
    label = pack_labels(Y) if rows.size else np.empty(0, np.float32)
    packed = pack_groups([f"q{each}" for each in query]) if case["packed"] else {}
    found = xgboost.DMatrix(X, label, weight=weight if case["weighted"] else None, **packed)
    if case["grouped"]:
        found.set_info(qid=query)
    if case["unpacked"] is not None and rows.size and rows[0] == case["unpacked"]:
        # One worker has labels that were never packed.
        found.set_label(np.full(rows.size, 0.5))
    return found


OBJECTIVES = {
    "levels": iso.LabelAggregation(),
    "worst": iso.WorstLabel(),
    "soft": iso.SoftLabel("rarity"),
}


def train(data: Any, case: dict[str, Any]) -> tuple[str, list[float]]:
    objective, log = OBJECTIVES[case["objective"]], {}
    booster = xgboost.train(
        {"max_depth": 3, "tree_method": "hist", "nthread": 1, "disable_default_eval_metric": True},
        data,
        6,
        obj=xgboost_objective(objective, surrogate=case["surrogate"], top=case.get("top")),
        custom_metric=xgboost_metric(objective, top=case.get("top")),
        evals=[(data, "all")],
        evals_result=log,
        verbose_eval=False,
    )
    return booster.save_raw("json").decode(), next(iter(log["all"].values()))


PLAIN = {
    "parts": "drifted",
    "weighted": False,
    "grouped": False,
    "packed": False,
    "objective": "levels",
    "surrogate": "logistic",
    "unpacked": None,
}
CASES = {
    "drifted": {},
    "empty": {"parts": "empty", "objective": "worst"},
    "weighted": {"weighted": True, "surrogate": "sigmoid"},
    "grouped": {"grouped": True},
    "packed groups": {"packed": True, "weighted": True},
    "packed groups of one worker": {"packed": True, "parts": "empty", "objective": "worst"},
    "soft": {"weighted": True, "objective": "soft"},
    "soft in groups": {"grouped": True, "objective": "soft"},
    "top": {"grouped": True, "top": 5},
    "top of packed groups": {"packed": True, "top": 5, "weighted": True},
    "top of the worst": {"grouped": True, "top": 5, "parts": "empty", "objective": "worst"},
}
# An error of one is one of all, after which they can go on together.
MISTAKES = {
    "labels that were never packed": {"unpacked": 200},
    "a torn group": {"packed": True, "parts": "torn"},
    "the top of a torn group": {"packed": True, "parts": "torn", "top": 5},
}


def worker(arguments: dict[str, Any], rank: int, out: Any) -> None:
    with xgboost.collective.CommunicatorContext(**arguments):
        for name, changes in (CASES | MISTAKES).items():
            case = PLAIN | changes
            try:
                result = train(matrix(pieces(case["parts"])[rank], case), case)
            except Exception as error:  # noqa: BLE001 (told to the test)
                result = f"{type(error).__name__}: {error}"
            out.put((name, rank, result))


@pytest.fixture(scope="module")
def together() -> dict[str, list[Any]]:
    """What two processes say, which were started afresh and meet at a tracker, case by case."""
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=2, host_ip="127.0.0.1", timeout=LIMIT)
    tracker.start()
    arguments = {**tracker.worker_args(), "dmlc_timeout": LIMIT}
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    processes = [context.Process(target=worker, args=(arguments, rank, out)) for rank in (0, 1)]
    for process in processes:
        process.start()
    found: dict[str, list[Any]] = {name: [None, None] for name in CASES | MISTAKES}
    try:
        for _ in range(2 * len(found)):
            name, rank, result = out.get(timeout=LIMIT)
            found[name][rank] = result
        return found
    finally:
        for process in processes:
            process.join(timeout=10)
            if process.is_alive():
                process.kill()


@pytest.mark.parametrize("name", CASES)
def test_two_processes_grow_the_model_of_one(together: dict[str, list[Any]], name: str) -> None:
    case = PLAIN | CASES[name]
    (mine, log), (other, log_of_other) = together[name]
    assert mine == other
    assert log == log_of_other
    theirs, expected = train(matrix(np.arange(1500), case), case)
    np.testing.assert_allclose(log, expected, atol=2e-4)
    X = xgboost.DMatrix(made()[0])
    a, b = (xgboost.Booster(model_file=bytearray(text.encode())) for text in (mine, theirs))
    scores = [each.predict(X, output_margin=True) for each in (a, b)]
    assert np.ptp(scores[1]) > 0.5
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)


def test_packed_groups_are_those_of_the_engine() -> None:
    cases = [PLAIN | {"top": top, "grouped": True} for top in (None, 5)]
    for case in cases:
        packed = case | {"grouped": False, "packed": True}
        (mine, log), (theirs, expected) = (
            train(matrix(np.arange(1500), each), each) for each in (packed, case)
        )
        assert mine == theirs
        assert log == expected


def test_an_error_of_one_is_one_of_all(together: dict[str, list[Any]]) -> None:
    mine, other = together["labels that were never packed"]
    assert "another worker failed" in mine or "pack_labels" in mine
    assert "pack_labels" in other


@pytest.mark.parametrize("name", ["a torn group", "the top of a torn group"])
def test_a_group_in_two_workers_is_noticed(together: dict[str, list[Any]], name: str) -> None:
    mine, other = together[name]
    assert mine == other
    assert mine.startswith("ValueError: Each group should lie whole in one worker")
    assert "1 more pieces than the 75 groups" in mine


if sys.platform == "win32":
    pytest.skip("XGBoost's tracker does not run on Windows", allow_module_level=True)


def test_the_code_of_the_docs() -> None:
    """With a world of one worker."""
    Y = np.tile([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (20, 1))
    part = xgboost.DMatrix(np.random.default_rng(0).normal(size=(60, 2)), pack_labels(Y))
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=1, host_ip="127.0.0.1")
    tracker.start()
    given = {"iso": iso, "xgboost": xgboost, "part": part, "params": {}}
    block = block_with("docs/scale.md", "CommunicatorContext")
    run_python(block, {**given, "tracker_arguments": tracker.worker_args()})
    tracker.wait_for(LIMIT)
