"""Every chart as a file."""

from __future__ import annotations

from pathlib import Path

from isonomy._render.report import write_pictures
from isonomy._render.report.records import Material


def test_each_chart_is_a_picture_of_two_kinds(two_labels: Material, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    written = write_pictures(folder, two_labels.comparison, two_labels.items, two_labels.origin)
    names = {"weights", "aucs", "tradeoff", "conflicts", "top", "roc"}
    assert {path.name for path in written} == {f"{n}.{s}" for n in names for s in ("svg", "png")}
    assert sorted(folder.iterdir()) == sorted(written)
    for path in written:
        start = path.read_bytes()[:4]
        assert start == (b"\x89PNG" if path.suffix == ".png" else b"<svg")
