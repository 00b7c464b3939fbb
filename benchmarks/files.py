"""Files larger than memory: seconds and peak memory of `isonomy sketch` and `isonomy audit`."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.memory import peak_bytes
from benchmarks.targets import Target

SIZES, QUICK_SIZES = (4_000_000, 20_000_000, 100_000_000), (500_000, 4_000_000)
N_LABELS, ROWS_OF_FILE = 8, 5_000_000
LABELS = [f"label_{k}" for k in range(N_LABELS)]
# GB, whatever the number of rows.
MOST_MEMORY = 1.0


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print what each command took for more and more rows; the memory is promised."""
    table = Table(title=f"Parquet files, {N_LABELS} labels, float64 scores, hardly two equal")
    for heading in ("rows", "command", "seconds", "microseconds a row", "peak memory, GB"):
        table.add_column(heading, justify="left" if heading == "command" else "right")
    targets, sizes = [], QUICK_SIZES if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), 0
        for n in sizes:
            # Files of the smaller sizes are the first of the larger ones.
            while made < n:
                made += _write_part(folder, made, min(ROWS_OF_FILE, n - made))
            for command in ("sketch", "audit"):
                words = [sys.executable, "-m", "benchmarks.files", command, name]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                seconds, memory = (float(word) for word in done.stdout.split()[-2:])
                table.add_row(
                    f"{n:,}", command, f"{seconds:.1f}", f"{seconds / n * 1e6:.2f}", f"{memory:.2f}"
                )
                what = f"isonomy {command}, {n:,} rows x {N_LABELS} labels: peak memory"
                targets.append(Target(what, memory, MOST_MEMORY, unit=" GB"))
    console.print(table)
    return targets


def _write_part(folder: Path, first: int, n: int) -> int:
    """Write so many rows; returns their number."""
    rng = np.random.default_rng(first)
    score = 1 / (1 + np.exp(-rng.normal(size=n)))
    columns = {name: rng.random(n) < score * (k + 1) / 10 for k, name in enumerate(LABELS)}
    pl.DataFrame({"score": score} | columns).write_parquet(folder / f"part-{first:012}.parquet")
    return n


def measure(command: str, folder: str) -> tuple[float, float]:
    """Seconds, and gigabytes at the peak, of one command in this process."""
    from isonomy.cli import main

    out = Path(folder).with_suffix(".sketch")
    words = [command, folder, "--score", "score", "--labels", ",".join(LABELS), "--quiet"]
    words += ["--out", str(out)] if command == "sketch" else []
    sys.argv = ["isonomy", *words]
    started = time.perf_counter()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main()
    except SystemExit as end:
        if end.code:
            raise
    seconds = time.perf_counter() - started
    out.unlink(missing_ok=True)
    return seconds, peak_bytes() / 1e9


if __name__ == "__main__":
    print(*measure(sys.argv[1], sys.argv[2]))
