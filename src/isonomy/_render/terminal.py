"""The lines of text in colour, as wide as the terminal allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isonomy._render.tables import Block
from isonomy._render.text import BENEATH, BESIDE, TIGHT, TIGHTEST, block_lines

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

STYLES = {
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "warning": "yellow",
    "bad": "red",
    "blind": "magenta",
    "unsure": "dim",
}


class Shown:
    """Tables and sentences for rich's `Console.print`; intervals where there is room."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        layouts = (BESIDE, BENEATH, TIGHT, TIGHTEST)
        for block in self.blocks:
            lines = block_lines(block, options.max_width, layouts)
            if lines:
                yield Text("")
            for line in lines:
                yield Text.assemble(*((piece.text, STYLES.get(piece.role, "")) for piece in line))
