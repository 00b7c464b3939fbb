"""From results to Markdown and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from paper._results import RESULTS, Row, write

INK, GREY = "#24292f", "#8c959f"
# One colour for each method, in every picture.
COLOURS = {
    "LaA": "#0a6ebd",
    "LoA": "#d1570c",
    "first": "#8c959f",
    "second": "#57606a",
    "balanced": "#8250df",
    "worst": "#1a7f37",
}


@dataclass(frozen=True)
class Page:
    """What a reader sees of a result."""

    title: str
    text: str
    chart: alt.TopLevelMixin
    ppi: int = 90


def publish(name: str, page: Page, folder: Path = RESULTS) -> None:
    """Write `name`.md, .svg and .png."""
    write(folder / f"{name}.md", markdown(name, page))
    spec = json.dumps(styled(page.chart).to_dict())
    write(folder / f"{name}.svg", vl_convert.vegalite_to_svg(spec))
    write(folder / f"{name}.png", vl_convert.vegalite_to_png(spec, ppi=page.ppi))


def markdown(name: str, page: Page) -> str:
    """The page; paragraphs and points are one line each, however the script breaks them."""
    blocks = [_unbroken(block.strip()) for block in page.text.strip().split("\n\n")]
    picture = f"![{page.title}]({name}.svg)"
    return "\n\n".join([f"# {page.title}", picture, *filter(None, blocks)]) + "\n"


def _unbroken(block: str) -> str:
    if block.startswith(("|", "#")):
        return block
    if block.startswith("- "):
        points = block.removeprefix("- ").split("\n- ")
        return "\n".join(f"- {' '.join(point.split())}" for point in points)
    return " ".join(block.split())


def styled(chart: Any) -> Any:
    """White, roomy, one font."""
    return (
        chart.configure(background="white", font="sans-serif", padding=14)
        .configure_axis(labelFontSize=11, titleFontSize=12, titleColor=INK, gridColor="#eaeef2")
        .configure_title(fontSize=13, anchor="start", color=INK)
        .configure_header(labelFontSize=12, titleFontSize=12)
        .configure_legend(labelFontSize=11, titleFontSize=11, labelLimit=260)
        .configure_view(stroke="#d0d7de")
    )


def table(rows: Sequence[Row], columns: dict[str, str | Callable[[Row], str]]) -> str:
    """A Markdown table: heading -> key of the rows, or what to write for a row."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        cells = [
            column(row) if callable(column) else number(row.get(column))
            for column in columns.values()
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def number(value: Any, digits: int = 4) -> str:
    """A number to read; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value)


def with_error(key: str, digits: int = 3, *, sign: str = "") -> Callable[[Row], str]:
    """Writes 'mean ± standard error' of a column."""

    def cell(row: Row) -> str:
        if row.get(key) is None:
            return ""
        error = row.get(f"{key}_se")
        # No '-0.000': what rounds to nothing has no sign to speak of.
        text = f"{round(row[key], digits) + 0.0:{sign}.{digits}f}"
        return text if error is None else f"{text} ± {error:.{digits}f}"

    return cell


def signed(key: str, digits: int = 3) -> Callable[[Row], str]:
    """Writes a lead with its sign and its standard error."""
    return with_error(key, digits, sign="+")


def data(rows: Sequence[Row]) -> alt.Data:
    """Rows for a chart."""
    return alt.Data(values=list(rows))


def grid_picture(rows: Sequence[Row], columns: Sequence[str], title: str) -> alt.Chart:
    """A small table as a picture: what begins with a ✓ is green, with a ✗ red and denied."""
    cells = [
        {"row": i, "column": column, **_cell(str(row[column]))}
        for i, row in enumerate(rows)
        for column in columns
    ]
    return (
        alt.Chart(data(cells), title=title)
        .mark_text(fontSize=12)
        .encode(
            x=alt.X(
                "column:N",
                sort=list(columns),
                title=None,
                axis=alt.Axis(
                    orient="top", labelAngle=0, labelLimit=260, ticks=False, domain=False
                ),
            ),
            y=alt.Y("row:O", title=None, axis=None),
            text="text:N",
            color=alt.Color("colour:N", scale=None),
        )
        .properties(width=alt.Step(165), height=alt.Step(34))
    )


def _cell(text: str) -> Row:
    # Fonts of pictures lack the marks.
    if text.startswith("✓ "):
        return {"text": text[2:], "colour": "#1a7f37"}
    if text.startswith("✗ "):
        return {"text": f"NOT {text[2:]}", "colour": "#cf222e"}
    return {"text": text, "colour": INK}
