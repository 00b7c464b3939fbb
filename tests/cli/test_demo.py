"""What the demonstration shows, beyond the fact that it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from isonomy._compare.result import Comparison
from isonomy.cli._demo import run_demo
from tests.cli.command import Shell


@pytest.fixture(scope="module")
def found() -> Comparison:
    return run_demo()[0]


def test_the_rare_label_has_the_upper_hand_under_loss_aggregation(found: Comparison) -> None:
    loss, label = found["loss aggregation"], found["label aggregation"]
    assert loss.conflicts.high[0, 1] < 0.5 < label.conflicts.low[0, 1]


def test_each_label_alone_serves_itself_best(found: Comparison) -> None:
    """Plug-in, of the same classifiers, may come to nearly the same order."""
    for k, name in enumerate(("relevant", "recent")):
        best = max(method.aucs.mean[k] for method in found.methods)
        assert found[f"{name} alone"].aucs.mean[k] >= best - 5e-4


def test_it_ends_with_the_table_the_advice_and_the_report(shell: Shell, tmp_path: Path) -> None:
    report = tmp_path / "demo.html"
    done = shell("demo", "--report", report)
    assert done.code == 0
    assert "worst label" in done.out
    assert "Take " in done.out
    assert str(report) in done.err
    assert report.read_text().startswith("<!doctype html>")
