"""The pictures against the schema of Vega-Lite, which pages do not look at again."""

from __future__ import annotations

from isonomy._render.report.charts import charts, specifications
from isonomy._render.report.records import Material, PageRecords


def test_every_picture_keeps_to_the_schema(two_labels: Material) -> None:
    records = PageRecords.of(two_labels)
    checked = {name: chart.to_dict() for name, chart in charts(records).items()}
    drawn = specifications(records)
    assert drawn.keys() == checked.keys()
    for name, picture in checked.items():
        assert picture["$schema"] == drawn[name]["$schema"]
        assert picture.keys() == drawn[name].keys()
