"""Speed of the torch loss beside a sum over the pairs of the batch, listed in chunks.

Both on one thread and timed by the processor, as in `benchmarks.training`. With the environment
variable ISONOMY_BEFORE set to the `src` folder of another version, also beside that version.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from benchmarks.timing import Contestant, fresh_process, race

# Milliseconds of forward and backward by batch size, in a version of its own.
STEPS = """
import json, time
import numpy as np, torch
import isonomy as iso
torch.set_num_threads(1)
rng, found = np.random.default_rng(0), {}
loss = iso.torch.PairLoss(iso.LossAggregation())
for n in %s:
    for n_labels in (1, 8):
        scores = torch.tensor(rng.normal(size=n), dtype=torch.float32, requires_grad=True)
        Y = torch.from_numpy(rng.integers(0, 2, (n, n_labels)))
        best = np.inf
        for _ in range(20):
            begun = time.process_time()
            loss(scores, Y).backward()
            best = min(best, time.process_time() - begun)
        found[f"{n:,} x {n_labels}"] = best * 1e3
print(json.dumps(found))
"""
BATCHES, QUICK_BATCHES = (64, 256, 1_024, 4_096, 16_384, 100_000), (64, 1_024)
BATCH, QUICK_BATCH = 65_536, 8_192
CHECKED = 4_096
# Pairs in one chunk of the explicit sum: 64 MB of float32.
PAIRS = 1 << 24


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table of times and one of errors; return the targets."""
    if find_spec("torch") is None:
        console.print("torch is not installed: skipped. `pip install 'isonomy[torch]'` adds it.")
        return []
    return [
        *beside_another_version(QUICK_BATCHES if quick else BATCHES, console),
        *speed(QUICK_BATCH if quick else BATCH, console),
        *accuracy(console),
    ]


def beside_another_version(batches: tuple[int, ...], console: Console) -> list[Target]:
    """By batch size; the two versions take turns in processes of their own."""
    before = os.environ.get("ISONOMY_BEFORE")
    if before is None:
        return []
    versions = (str(Path(iso.__file__).parents[1]), before)
    rounds = [
        [json.loads(fresh_process(STEPS % (batches,), version)) for version in versions]
        for _ in range(3)
    ]
    ours, theirs = (
        {name: min(each[name] for each in found) for name in found[0]}
        for found in zip(*rounds, strict=True)
    )
    table = Table(title="Logistic loss and gradient in torch, float32, one thread, ms")
    for heading in ("batch x labels", "this version", "the one before", "ratio"):
        table.add_column(heading, justify="right")
    for name, ms in ours.items():
        table.add_row(name, f"{ms:.2f}", f"{theirs[name]:.2f}", f"{theirs[name] / ms:.2f}")
    console.print(table)
    least = min(theirs[name] / ours[name] for name in ours)
    return [Target("torch loss, any batch: faster than before", least, 1, at_least=True)]


def speed(n: int, console: Console) -> list[Target]:
    """Forward and backward of the logistic loss of one label, in float32."""
    import torch

    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    scores = torch.tensor(rng.normal(size=n), dtype=torch.float32, requires_grad=True)
    y = torch.from_numpy(rng.integers(0, 2, n))
    Y = torch.from_numpy(rng.integers(0, 2, (n, 8)))
    loss = iso.torch.PairLoss(iso.LossAggregation())

    def gradient(step: Callable[[], float]) -> Callable[[], float]:
        def timed() -> float:
            scores.grad = None
            return step()

        return timed

    def ours(labels: torch.Tensor) -> float:
        value = loss(scores, labels)
        value.backward()
        return value.item()

    names = {
        "isonomy.torch.PairLoss, K = 1": lambda: ours(y),
        "pairs in chunks, K = 1": lambda: explicit(scores, y),
        "isonomy.torch.PairLoss, K = 8": lambda: ours(Y),
    }
    contestants = [
        Contestant(name, gradient(step), 1e-4 if "K = 1" in name else None)
        for name, step in names.items()
    ]
    found = race(contestants, rounds=9, clock=time.process_time)
    table = Table(title=f"Logistic loss and gradient in torch, batch of {n:,}, float32, one thread")
    table.add_column("what")
    for heading in ("ms", "ratio to the first"):
        table.add_column(heading, justify="right")
    for result in found:
        ratio = f"{result.seconds / found[0].seconds:,.2f}"
        table.add_row(result.name, f"{result.seconds * 1e3:,.1f}", ratio)
    console.print(table)
    what = f"torch loss, forward and backward, batch of {n:,}: faster than pairs in chunks"
    return [Target(what, found[1].seconds / found[0].seconds, 100, at_least=True)]


def explicit(scores: object, y: object) -> float:
    """The mean of the logistic loss over pairs, some positives against all negatives at a time."""
    import torch
    from torch.nn.functional import softplus

    assert isinstance(scores, torch.Tensor)
    assert isinstance(y, torch.Tensor)
    negatives = int((y == 0).sum())
    n_pairs = int((y == 1).sum()) * negatives
    total = 0.0
    for positives in torch.nonzero(y == 1)[:, 0].split(max(1, PAIRS // negatives)):
        # The graph of a chunk is freed before the next, or memory would hold all pairs.
        part = softplus(scores[y == 0] - scores[positives][:, None]).sum() / n_pairs
        part.backward()
        total += part.item()
    return total


def accuracy(console: Console) -> list[Target]:
    """Largest error of value and gradient against explicit pairs in float64, all surrogates."""
    import torch

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, CHECKED)
    table = Table(title=f"Error against the explicit sum, batch of {CHECKED:,}, relative")
    table.add_column("surrogate")
    for heading in ("float64", "float32"):
        table.add_column(heading, justify="right")
    worst = {torch.float64: 0.0, torch.float32: 0.0}
    for name, surrogate in iso.surrogates.SURROGATES.items():
        cells = []
        for dtype in worst:
            scores = torch.tensor(rng.normal(size=CHECKED) * 3, dtype=dtype, requires_grad=True)
            value = iso.torch.PairLoss(surrogate=name)(scores, y)
            value.backward()
            f = scores.detach().double().numpy()
            margin = f[y == 1][:, None] - f[y == 0]
            slope = surrogate.slope(margin) / margin.size
            gradient = np.zeros(CHECKED)
            gradient[y == 1], gradient[y == 0] = slope.sum(1), -slope.sum(0)
            truth = surrogate.value(margin).mean()
            error = max(
                abs(value.item() - truth) / truth,
                np.abs(scores.grad.numpy() - gradient).max() / np.abs(gradient).max(),
            )
            worst[dtype] = max(worst[dtype], error)
            cells.append(f"{error:.1e}")
        table.add_row(name, *cells)
    console.print(table)
    return [
        Target(
            "torch loss against the explicit sum, float64", worst[torch.float64], 1e-10, unit=""
        ),
        Target("torch loss against the explicit sum, float32", worst[torch.float32], 1e-4, unit=""),
    ]
