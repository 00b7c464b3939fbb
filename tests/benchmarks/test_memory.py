"""What every metric takes of memory is measured, and said."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.memory import CASES

ROOT = Path(__file__).parents[2]
# What takes rows and gives numbers; what learns from them is measured by other benchmarks.
OF_ROWS = re.findall(
    r"^from \._(?:metrics|pairsums|audit) import (?!scorer)([a-z]\w+) as",
    (ROOT / "src/isonomy/__init__.pyi").read_text(),
    re.MULTILINE,
)


def test_every_function_of_rows_is_measured_and_stated() -> None:
    assert {"auc", "audit", "compare_scores", "pair_loss"} <= set(OF_ROWS)
    assert {name.partition(",")[0] for name in CASES} == set(OF_ROWS)
    page = (ROOT / "docs/metrics.md").read_text()
    stated = page.partition("## Memory")[2]
    assert set(re.findall(r"^\| `(\w+)`", stated, re.MULTILINE)) == set(OF_ROWS)
