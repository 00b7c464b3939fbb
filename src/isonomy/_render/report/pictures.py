"""Every chart of the page as a file of its own."""

from __future__ import annotations

from pathlib import Path

from isonomy._compare import Comparison
from isonomy._core import Items
from isonomy._infra import replacing, require
from isonomy._render.report.charts import specifications
from isonomy._render.report.origin import Origin
from isonomy._render.report.records import Material, PageRecords

# Of a chart that is as wide as the page.
WIDTH = 640


def write_pictures(
    folder: str | Path,
    comparison: Comparison,
    items: Items,
    origin: Origin,
) -> list[Path]:
    """Write every picture as PNG and SVG into a folder, which is made if need be."""
    vl_convert = require("vl_convert", "cli", "A picture")
    material = Material(comparison, items, origin)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, spec in specifications(PageRecords.of(material)).items():
        if spec.get("width") == "container":
            spec["width"] = WIDTH
        for suffix, data in (
            ("svg", vl_convert.vegalite_to_svg(spec).encode()),
            ("png", vl_convert.vegalite_to_png(spec, scale=2)),
        ):
            target = folder / f"{name}.{suffix}"
            with replacing(target) as new:
                new.write_bytes(data)
            written.append(target)
    return written
