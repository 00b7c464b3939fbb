"""How long `compare` takes and how much memory, each comparison in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from scipy.special import expit

from benchmarks.memory import peak_bytes
from benchmarks.targets import Target

# When quick, of so many rows only one is taken.
QUICK_SHARE = 10


@dataclass(frozen=True)
class Case:
    """A comparison, and what it may cost.

    Attributes
    ----------
    n, n_columns, n_labels : int
    make : callable
        Makes features (n, n_columns).
    family : str
    seconds : float
        On the wall.
    gigabytes : float, optional
        Peak of the process, table included.
    """

    n: int
    n_columns: int
    n_labels: int
    make: Callable[[Case, np.random.Generator], Any]
    family: str
    seconds: float
    gigabytes: float | None = None


def numbers(case: Case, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(case.n, case.n_columns))


def words(case: Case, rng: np.random.Generator) -> sparse.csr_matrix:
    """As tf-idf gives: about 40 words a row, some far more common than others, rows of length 1."""
    per_row = 40
    column = np.minimum(rng.zipf(1.3, case.n * per_row) - 1, case.n_columns - 1)
    row = np.repeat(np.arange(case.n), per_row)
    counts = sparse.csr_matrix((np.ones(row.size), (row, column)), shape=(case.n, case.n_columns))
    rarity = np.log((1 + case.n) / (1 + np.bincount(counts.indices, minlength=case.n_columns))) + 1
    weighed = counts @ sparse.diags_array(rarity)
    lengths = np.sqrt(weighed.multiply(weighed).sum(axis=1))
    return sparse.csr_matrix(sparse.diags_array(1 / np.asarray(lengths).ravel()) @ weighed)


CASES = {
    "64,000 x 10, two labels, all families": Case(64_000, 10, 2, numbers, "auto", 120, 1),
    "64,000 x 10, two labels, linear": Case(64_000, 10, 2, numbers, "linear", 10),
    "tf-idf, 16,000 x 6,000, three labels": Case(16_000, 6_000, 3, words, "auto", 60),
    "5,000,000 x 10, two labels, linear": Case(5_000_000, 10, 2, numbers, "linear", 300, 3),
}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print seconds and memory of each comparison; targets are those of both."""
    table = Table(title="iso.compare, defaults; seconds on the wall, peak of the process")
    for heading in ("what", "seconds", "GB", "recommended"):
        table.add_column(heading, justify="right" if heading in ("seconds", "GB") else "left")
    targets = []
    for name, case in CASES.items():
        n = case.n // QUICK_SHARE if quick else case.n
        command = [sys.executable, "-m", "benchmarks.comparing", name, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, gigabytes, recommended = done.stdout.strip().split(" ", 2)
        table.add_row(name, f"{float(seconds):.1f}", f"{float(gigabytes):.2f}", recommended)
        targets.append(Target(f"compare, {name}", float(seconds), case.seconds, unit=" s"))
        if case.gigabytes is not None:
            what = f"compare, {name}: peak memory"
            targets.append(Target(what, float(gigabytes), case.gigabytes, unit=" GB"))
    console.print(table)
    return targets


def measure(case: Case, n: int) -> tuple[float, float, str]:
    """Seconds, gigabytes and the recommended method."""
    import isonomy as iso

    rng = np.random.default_rng(0)
    X = case.make(replace(case, n=n), rng)
    pulls = X @ rng.normal(size=(case.n_columns, case.n_labels))
    pulls = pulls / pulls.std(axis=0) - np.arange(case.n_labels)
    Y = (rng.random(pulls.shape) < expit(pulls)).astype(np.uint8)
    del pulls
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = iso.compare(X, Y, family=case.family, random_state=0)
    return time.perf_counter() - begun, peak_bytes() / 1e9, found.recommended


if __name__ == "__main__":
    print(*measure(CASES[sys.argv[1]], int(sys.argv[2])))
