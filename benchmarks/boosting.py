"""Speed of a boosting round with an objective over all pairs of all labels.

Engines are held to one thread, and rounds timed by the processor time of all threads: what one
free core would need, also while other work is running.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from benchmarks.training import made_up

SHAPE, QUICK_SHAPE = (1_000_000, 20), (100_000, 20)
# The first rounds make ready what later ones use again.
WARM_UP, ROUNDS = 3, 30
ONE_THREAD = {"verbosity": -1, "num_threads": 1}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a table of rounds for each engine that is installed; LightGBM's has a target."""
    X, Y = made_up(*(QUICK_SHAPE if quick else SHAPE))
    targets = []
    for engine, contest in (("lightgbm", lightgbm_rounds), ("xgboost", xgboost_rounds)):
        if find_spec(engine) is None:
            console.print(f"{engine} is not installed: skipped. `pip install 'isonomy[boost]'`")
            continue
        seconds = raced(contest(X, Y))
        floor = next(iter(seconds.values()))
        table = Table(title=f"One round of {engine}, {X.shape[0]:,} x {X.shape[1]}")
        table.add_column("objective")
        for heading in ("milliseconds", "ratio to the first"):
            table.add_column(heading, justify="right")
        ratios = {name: float(np.median(taken / floor)) for name, taken in seconds.items()}
        for name, taken in seconds.items():
            table.add_row(name, f"{np.median(taken) * 1e3:.1f}", f"{ratios[name]:.3f}")
        console.print(table)
        if engine == "lightgbm":
            ours = ratios["label aggregation, two labels"]
            targets.append(Target("LightGBM round: time of its binary objective", ours, 1.06))
    return targets


def lightgbm_rounds(X: np.ndarray, Y: np.ndarray) -> dict[str, Callable[[], object]]:
    """A round of each objective, each with a booster of its own."""
    import lightgbm

    def dataset(label: np.ndarray) -> lightgbm.Dataset:
        return lightgbm.Dataset(X, label, free_raw_data=False).construct()

    packed = dataset(iso.boosting.pack_labels(Y))
    binary = lightgbm.Booster({"objective": "binary"} | ONE_THREAD, dataset(Y[:, 0]))
    rounds: dict[str, Callable[[], object]] = {"binary, one label": binary.update}
    for name, objective in objectives().items():
        booster = lightgbm.Booster({"objective": "none"} | ONE_THREAD, packed)
        wish = iso.boosting.lightgbm_objective(objective)
        rounds[name] = lambda booster=booster, wish=wish: booster.update(fobj=wish)
    return rounds


def xgboost_rounds(X: np.ndarray, Y: np.ndarray) -> dict[str, Callable[[], object]]:
    """A round of each objective, each with a booster of its own."""
    import xgboost

    def rounds_of(label: np.ndarray, params: dict[str, object], obj: object) -> Callable[[], None]:
        data = xgboost.QuantileDMatrix(X, label, nthread=1)
        booster = xgboost.Booster(params | {"nthread": 1}, [data])
        count = iter(range(WARM_UP + ROUNDS))
        return lambda: booster.update(data, next(count), fobj=obj)

    rounds = {"binary, one label": rounds_of(Y[:, 0], {"objective": "binary:logistic"}, None)}
    for name, objective in objectives().items():
        wish = iso.boosting.xgboost_objective(objective)
        rounds[name] = rounds_of(iso.boosting.pack_labels(Y), {}, wish)
    return rounds


def objectives() -> dict[str, object]:
    return {
        "label aggregation, two labels": iso.LabelAggregation(),
        "loss aggregation, two labels": iso.LossAggregation(),
        "worst label, two labels": iso.WorstLabel(),
    }


def raced(rounds: dict[str, Callable[[], object]]) -> dict[str, np.ndarray]:
    """Processor seconds of the later rounds, interleaved, so that the noise hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in rounds}
    gc.disable()
    try:
        for _ in range(WARM_UP + ROUNDS):
            for name, step in rounds.items():
                begun = time.process_time()
                step()
                seconds[name].append(time.process_time() - begun)
    finally:
        gc.enable()
    return {name: np.array(taken[WARM_UP:]) for name, taken in seconds.items()}
