"""Install the wheel into empty environments and use it as its README says: `make dist`.

Without extras the README's Python runs, but for blocks that name an extra; with `cli` the commands.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Blocks with these need an extra, as the README says.
NEED_EXTRAS = ("iso.save(", "iso.BoostedRanker", "iso.torch")
TABLE = """
import isonomy as iso, numpy as np
log = iso.datasets.make_search_log(1000, priors=(0.4, 0.1))
rows = np.column_stack([log.X, log.Y])
names = [*log.feature_names, *log.label_names]
np.savetxt("log.csv", rows, delimiter=",", header=",".join(names), comments="")
"""
COMMANDS = (
    "version",
    "compare log.csv --labels relevant,recent --no-tune --report page.html --out model.isonomy",
    "show model.isonomy",
    "rank log.csv --model model.isonomy --out scored.csv",
    "audit scored.csv --score score --labels relevant,recent --json audit.json",
)


def readme() -> str:
    """The Python of the README that needs no extra, as one script."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    kept = [block for block in blocks if not any(words in block for words in NEED_EXTRAS)]
    assert len(kept) >= 4, "the README has lost its examples"
    return "\n".join(kept)


def environment(folder: Path, name: str, what: str) -> Path:
    """A new environment with nothing but this in it; its folder of programs."""
    venv.create(folder / name, with_pip=True)
    programs = folder / name / ("Scripts" if sys.platform == "win32" else "bin")
    run([programs / "python", "-m", "pip", "install", "--quiet", what], folder)
    return programs


def run(command: list[object], folder: Path) -> None:
    """Run it there, away from the sources; what it says shows only where it fails."""
    words = [str(each) for each in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
        sys.exit(f"{' '.join(words)[:200]} exits with {done.returncode}")


def main() -> None:
    """Try the only wheel in dist/."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = environment(folder, "bare", str(wheel))
        run([bare / "python", "-W", "error", "-c", readme()], folder)
        print("without extras: the README's Python runs")
        cli = environment(folder, "cli", f"{wheel}[cli]")
        run([cli / "python", "-c", TABLE], folder)
        for command in COMMANDS:
            run([cli / "isonomy", *command.split()], folder)
        print("with [cli]: the commands run")


if __name__ == "__main__":
    main()
