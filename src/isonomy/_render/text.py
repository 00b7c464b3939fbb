"""Tables and sentences as lines of text, which need nothing but the standard library.

The terminal shows the same lines in colour: each is a list of pieces that say what they are.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, NamedTuple, TypeAlias

from isonomy._infra import printable
from isonomy._render.tables import Block, Cell, Column, Row, Sentences, Table

# Lines longer than this are hard to read, and broken by most windows.
WIDTH = 100


class Piece(NamedTuple):
    """Some text of a line and what it is: "strong", "dim", a `Tone`, or nothing special."""

    text: str
    role: str = ""


Line: TypeAlias = list[Piece]


@dataclass(frozen=True)
class Layout:
    """Where details stand, how far columns stand apart, and at what width names are broken."""

    details: Literal["beside", "beneath", "left out"]
    gap: int = 2
    names: int = 40


# From roomy to tight.
BESIDE, BENEATH = Layout("beside"), Layout("beneath", names=18)
TIGHT, TIGHTEST = Layout("beneath", gap=1, names=12), Layout("left out", gap=1, names=12)


def plain(*blocks: Block) -> str:
    """All of it as one text; details are never left out."""
    parts = []
    for block in blocks:
        lines = block_lines(block, WIDTH, (BESIDE, BENEATH, TIGHT))
        if lines:
            parts.append("\n".join("".join(piece.text for piece in line) for line in lines))
    return "\n\n".join(parts)


def fits(table: Table, width: int) -> bool:
    """Whether some layout shows all of it, details too, in lines so long."""
    return max(map(_line_width, _grid(table, TIGHT))) <= width


def block_lines(block: Block, width: int, layouts: Sequence[Layout]) -> list[Line]:
    """A block's lines; a table is laid out in the first way that fits, else in the last."""
    if isinstance(block, Sentences):
        title = f"{block.title}: " if block.title else ""
        role = {"text": "", "headline": "strong", "small": "dim"}[block.role]
        return [[Piece(printable(title + line), role)] for line in block.lines]
    for layout in layouts:
        lines = list(_grid(block, layout))
        if max(map(_line_width, lines)) <= width:
            break
    else:
        block, lines = _fitted(block, layout, width)
    above = [[Piece(printable(block.caption))]] if block.caption else []
    notes = [*block.notes]
    if layout.details == "left out" and any(c.detail for row in block.rows for c in row.cells):
        notes.append("Intervals need a wider terminal; the JSON has them (--json).")
    if block.marks:
        notes.insert(0, "   ".join(f"{mark.sign} {mark.words}" for mark in block.marks))
    below = (line for note in notes for line in textwrap.wrap(printable(note), width))
    return [*above, *lines, *([Piece(line, "dim")] for line in below)]


def _fitted(table: Table, layout: Layout, width: int) -> tuple[Table, list[Line]]:
    """The table without the columns that give way, as many of them as it must be."""
    left = 0
    lines = list(_grid(table, layout))
    while max(map(_line_width, lines)) > width:
        last = max(range(len(table.columns)), key=lambda c: table.columns[c].give_way)
        if not table.columns[last].give_way:
            break
        left += 1
        table = _without(table, last)
        lines = list(_grid(table, layout))
    if left:
        columns = "column, which needs" if left == 1 else "columns, which need"
        note = f"... and {left:,} more {columns} more room: see the JSON."
        table = replace(table, notes=[note, *table.notes])
    return table, lines


def _without(table: Table, column: int) -> Table:
    """The table without a column; a row that ends before it, or with it, keeps its cells."""
    rows = [
        replace(row, cells=[cell for c, cell in enumerate(row.cells) if c != column])
        if len(row.cells) == len(table.columns)
        else row
        for row in table.rows
    ]
    columns = [each for c, each in enumerate(table.columns) if c != column]
    return replace(table, columns=columns, rows=rows)


def width_of(text: str) -> int:
    """Places that a text takes in a terminal: two for wide letters, none for accents."""
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me")
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def _grid(table: Table, layout: Layout) -> Iterator[Line]:
    """The heading, a rule and the rows."""
    head = _head(table.columns)
    rows = [_row(row, len(table.columns), layout) for row in table.rows]
    whole = [cells for cells in [head, *rows] if len(cells) == len(table.columns)]
    widths = [
        max(_line_width(line) for cell in cells for line in cell)
        for cells in zip(*whole, strict=True)
    ]
    signs = max((width_of(mark.sign) for mark in table.marks), default=0)
    indent = signs + 1 if signs else 0
    yield from _joined(head, table.columns, widths, layout.gap, Piece(" " * indent))
    yield [Piece("-" * (indent + sum(widths) + layout.gap * (len(widths) - 1)), "dim")]
    for row, cells in zip(table.rows, rows, strict=True):
        sign = Piece((row.mark.sign if row.mark else "").ljust(indent), "good")
        yield from _joined(cells, table.columns, widths, layout.gap, sign)


def _joined(
    cells: list[list[Line]], columns: Sequence[Column], widths: list[int], gap: int, sign: Piece
) -> Iterator[Line]:
    """Cells beside each other: names on the left of their column, numbers on the right."""
    for lines in zip_longest(*cells, fillvalue=[]):
        line = [sign]
        for c, pieces in enumerate(lines):
            room = Piece(" " * (widths[c] - _line_width(pieces)))
            takes_the_rest = c + 1 == len(cells) < len(columns)
            left = columns[c].names or takes_the_rest
            line.append(Piece(" " * gap if c else ""))
            line += [*pieces, room] if left else [room, *pieces]
        while line and not line[-1].text.strip():
            line.pop()
        yield line
        sign = Piece(" " * len(sign.text))


def _head(columns: Sequence[Column]) -> list[list[Line]]:
    """Headings that end at the bottom, beside what they are of."""
    texts = [[text for text in (column.heading, column.name) if text] for column in columns]
    height = max(1, *map(len, texts))
    return [
        [[Piece(printable(text))] for text in [""] * (height - len(each)) + each] for each in texts
    ]


def _row(row: Row, n_columns: int, layout: Layout) -> list[list[Line]]:
    """Each cell's lines."""
    role = "strong" if row.mark is not None and row.mark.strong else ""
    cells = [_cell(cell, layout, cell.chip or role) for cell in row.cells]
    if len(cells) < n_columns:
        # Its detail is a sentence, for which there is no room beside numbers.
        cells[-1] = [[Piece(printable(row.cells[-1].text), "dim")]]
    return cells


def _cell(cell: Cell, layout: Layout, role: str) -> list[Line]:
    detail = printable(cell.detail)
    lines = [[Piece(text, role)] for text in textwrap.wrap(printable(cell.text), layout.names)]
    if detail and layout.details == "beside":
        lines[-1].append(Piece(f" ({detail})", "dim"))
    elif detail and layout.details == "beneath":
        lines.append([Piece(detail, "dim")])
    return lines or [[Piece("")]]


def _line_width(line: Line) -> int:
    return sum(width_of(piece.text) for piece in line)
