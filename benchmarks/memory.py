"""Peak memory of the metrics, each in a process of its own: bytes a row beside the input."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.targets import Target

N_ITEMS, QUICK_ITEMS, MOST_ITEMS = 10_000_000, 1_000_000, 100_000_000
Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Case:
    """A call whose memory is measured.

    Attributes
    ----------
    call : callable
        Of `isonomy`, labels, scores and what else there is.
    labels : str
        What `_labels` makes.
    extra : str
        "weight", "groups" or nothing.
    limit : float or None
        How many times the input, itself included, the peak may be.
    full : bool
        Whether it has 1e8 rows.
    """

    call: Callable[..., object]
    labels: str
    extra: str = ""
    limit: float | None = None
    full: bool = False


CASES = {
    "auc, K = 1": Case(lambda iso, y, f: iso.auc(y, f), "1", limit=3),
    "auc, K = 1, weighted": Case(
        lambda iso, y, f, w: iso.auc(y, f, sample_weight=w), "1", "weight"
    ),
    "auc, K = 1, groups of 10": Case(lambda iso, y, f, g: iso.auc(y, f, groups=g), "1", "groups"),
    "label_aucs, K = 2, 1e8 rows": Case(
        lambda iso, Y, f: iso.label_aucs(Y, f), "2", limit=4, full=True
    ),
    "label_aucs, K = 8": Case(lambda iso, Y, f: iso.label_aucs(Y, f), "8", limit=3),
    "label_aucs, K = 8, float64": Case(lambda iso, Y, f: iso.label_aucs(Y, f), "8 float64"),
    "label_aucs, K = 8, float64 with gaps": Case(lambda iso, Y, f: iso.label_aucs(Y, f), "8 gaps"),
    "label_aucs, K = 20": Case(lambda iso, Y, f: iso.label_aucs(Y, f), "20"),
    "conflict_aucs, K = 8": Case(lambda iso, Y, f: iso.conflict_aucs(Y, f), "8"),
    "label_ndcgs, K = 8": Case(lambda iso, Y, f: iso.label_ndcgs(Y, f, k=10), "8"),
    "multipartite_auc, 9 levels": Case(lambda iso, y, f: iso.multipartite_auc(y, f), "9", limit=3),
    "multipartite_auc, 1e5 levels, linear": Case(
        lambda iso, y, f: iso.multipartite_auc(y, f), "levels"
    ),
    "multipartite_auc, 1e5 levels, uniform": Case(
        lambda iso, y, f: iso.multipartite_auc(y, f, costs="uniform"), "levels"
    ),
    "auc_intervals, K = 1": Case(lambda iso, y, f: iso.auc_intervals(y, f), "1", limit=3),
    "auc_intervals, K = 8": Case(lambda iso, Y, f: iso.auc_intervals(Y, f), "8"),
    "audit, K = 8": Case(lambda iso, Y, f: iso.audit(Y, f), "8"),
    "objective_auc, K = 8": Case(
        lambda iso, Y, f: iso.objective_auc(Y, f, iso.LabelAggregation()), "8"
    ),
    "conflict_intervals, K = 8": Case(lambda iso, Y, f: iso.conflict_intervals(Y, f), "8"),
    "ndcg_intervals, K = 8": Case(
        lambda iso, Y, f, g: iso.ndcg_intervals(Y, f, k=10, groups=g), "8", "groups"
    ),
    "compare_scores, K = 8": Case(lambda iso, Y, f: iso.compare_scores(Y, f, f[::-1]), "8"),
    "pair_loss, K = 1": Case(lambda iso, y, f: iso.pair_loss(y, f), "1"),
    "pair_loss, K = 8": Case(lambda iso, Y, f: iso.pair_loss(Y, f), "8"),
    "pair_loss, K = 8, hinge": Case(lambda iso, Y, f: iso.pair_loss(Y, f, surrogate="hinge"), "8"),
    "pair_loss, K = 8, groups of 10": Case(
        lambda iso, Y, f, g: iso.pair_loss(Y, f, groups=g), "8", "groups"
    ),
}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print the memory of each case; input and working memory apart."""
    table = Table(title="Peak memory, bytes a row (input: scores, labels, weights, groups)")
    for heading in ("what", "rows", "input", "beside it", "peak / input"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    targets = []
    for name, case in CASES.items():
        n = QUICK_ITEMS if quick else MOST_ITEMS if case.full else N_ITEMS
        command = [sys.executable, "-m", "benchmarks.memory", name, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        given, beside = (int(word) for word in done.stdout.split())
        ratio = (given + beside) / given
        table.add_row(name, f"{n:.0e}", f"{given / n:,.0f}", f"{beside / n:,.0f}", f"{ratio:.2f}")
        if case.limit is not None:
            what = f"{name}: peak memory, input included"
            targets.append(Target(what, ratio, case.limit, unit="x input"))
    console.print(table)
    return targets


def measure(case: Case, n: int) -> tuple[int, int]:
    """Bytes of the input, and how far the peak rises above it during the call."""
    import isonomy as iso

    rng = np.random.default_rng(0)
    # Made without copies, so that nothing but the input has raised the peak before.
    arrays = [_labels(case.labels, n, rng), rng.random(n)]
    if case.extra == "weight":
        arrays.append(rng.random(n))
    if case.extra == "groups":
        arrays.append(np.arange(n))
        arrays[2] //= 10
    # Compiles, and loads what is needed.
    case.call(iso, *(array[:200_000] for array in arrays))
    before = peak_bytes()
    case.call(iso, *arrays)
    return sum(array.nbytes for array in arrays), max(peak_bytes() - before, 0)


def _labels(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "9":
        return rng.integers(0, 9, n, dtype=np.uint8)
    if kind == "levels":
        levels = rng.random(n)
        levels *= 1e5
        np.floor(levels, out=levels)
        levels /= 7
        return levels
    columns, *how = kind.split()
    shape = (n, int(columns)) if columns != "1" else n
    if not how:
        return rng.integers(0, 2, shape, dtype=np.uint8)
    table = rng.random(shape)
    for start in range(0, n, 1 << 16):
        rows = table[start : start + (1 << 16)]
        missing = rows < 0.1 if how == ["gaps"] else np.zeros(rows.shape, np.bool_)
        np.rint(rows, out=rows)
        rows[missing] = np.nan
    return table


def peak_bytes() -> int:
    """Largest resident size of this process so far.

    On Linux from the kernel's high-water mark of this program alone: `ru_maxrss` begins
    with that of the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(*measure(CASES[sys.argv[1]], int(sys.argv[2])))
