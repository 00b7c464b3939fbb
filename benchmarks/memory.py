"""Peak memory of the metrics at 1e7 items, each in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.targets import Target

N_ITEMS, QUICK_ITEMS = 10_000_000, 1_000_000
LIMIT = 3.0
# name -> whether it is a target
CASES = {
    "label_aucs, K = 8, uint8": True,
    "label_aucs, K = 8, float64": False,
    "auc, K = 1, uint8": True,
    "auc_intervals, K = 1, uint8": True,
    "multipartite_auc, 9 levels, uint8": True,
    "auc, K = 1, weighted": False,
    "auc, K = 1, groups of 10": False,
}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print the memory of each case; input and working memory apart."""
    n = QUICK_ITEMS if quick else N_ITEMS
    table = Table(title=f"Peak memory, n = {n:,} (input: scores, labels, weights, groups)")
    for heading in ("what", "input, MB", "beside it, MB", "peak / input"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    targets = []
    for case, promised in CASES.items():
        command = [sys.executable, "-m", "benchmarks.memory", case, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        given, beside = (int(word) for word in done.stdout.split())
        ratio = (given + beside) / given
        table.add_row(case, f"{given / 1e6:,.0f}", f"{beside / 1e6:,.0f}", f"{ratio:.2f}")
        if promised:
            what = f"{case}, n = {n:,}: peak memory, input included"
            targets.append(Target(what, ratio, LIMIT, unit="x input"))
    console.print(table)
    return targets


def measure(case: str, n: int) -> tuple[int, int]:
    """Bytes of the input, and how far the peak rises above it during the call."""
    import isonomy as iso

    rng = np.random.default_rng(0)

    def call(size: int, arrays: list[np.ndarray]) -> None:
        scores, Y = arrays[0][:size], arrays[1][:size]
        extra = arrays[2][:size] if len(arrays) > 2 else None
        if case.startswith("label_aucs"):
            iso.label_aucs(Y, scores)
        elif case.startswith("auc_intervals"):
            iso.auc_intervals(Y, scores)
        elif case.startswith("multipartite_auc"):
            iso.multipartite_auc(Y, scores)
        elif "weighted" in case:
            iso.auc(Y, scores, sample_weight=extra)
        elif "groups" in case:
            iso.auc(Y, scores, groups=extra)
        else:
            iso.auc(Y, scores)

    shape = (n, 8) if "K = 8" in case else n
    highest = 8 if "levels" in case else 1
    # Made without copies, so that nothing but the input has raised the peak before.
    if "float64" in case:
        labels = rng.random(shape)
        np.rint(labels, out=labels)
    else:
        labels = rng.integers(0, highest + 1, shape, dtype=np.uint8)
    arrays = [rng.random(n), labels]
    if "weighted" in case:
        arrays.append(rng.random(n))
    if "groups" in case:
        arrays.append(np.arange(n))
        arrays[2] //= 10
    call(1000, arrays)
    before = peak_bytes()
    call(n, arrays)
    return sum(array.nbytes for array in arrays), peak_bytes() - before


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
    print(*measure(sys.argv[1], int(sys.argv[2])))
