"""What a table says, before anybody draws it as text, in a terminal or as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

# What a colour means. Which colour that is, whoever draws decides.
Tone: TypeAlias = Literal["plain", "good", "warning", "bad", "blind", "unsure"]


@dataclass(frozen=True)
class Dot:
    """An estimate with its interval on an axis; what is NaN is not drawn.

    Attributes
    ----------
    value, low, high : float
        The estimate and its bounds.
    start, end : float
        Of the axis.
    ticks : tuple of float
        The first is solid, others are dashed.
    tone : Tone
        Its colour.
    small : bool
        For cells that stand among many.
    """

    value: float
    low: float
    high: float
    start: float = 0.0
    end: float = 1.0
    ticks: tuple[float, ...] = ()
    tone: Tone = "plain"
    small: bool = False


@dataclass(frozen=True)
class Bar:
    """A share of the whole."""

    share: float


@dataclass(frozen=True)
class Heat:
    """A share that colours its whole cell: two colours, and none at a half."""

    share: float


@dataclass(frozen=True)
class Cell:
    """One entry.

    Attributes
    ----------
    text : str
        What is always shown.
    detail : str
        More, where there is room: bounds, mostly.
    title : str
        What shows where the pointer rests: a name that was cut, in full.
    picture : Dot, Bar, Heat or None
        Drawn beside the text, or behind it, where pictures can be drawn.
    chip : Tone or None
        The colour of the chip that the text stands in.
    """

    text: str
    detail: str = ""
    title: str = ""
    picture: Dot | Bar | Heat | None = None
    chip: Tone | None = None


@dataclass(frozen=True)
class Column:
    """A column's heading.

    Attributes
    ----------
    heading : str
        What it holds.
    name : str
        Of what or of whom, on a line of its own.
    title : str
        The name in full, where it was cut.
    names : bool
        Whether it holds names, which stand on the left, rather than numbers.
    give_way : int
        Where a table of text is too wide, columns are left out, those with the largest number
        first; never those with 0.
    on_end : bool
        Whether the heading stands on end, where it can, because the column is narrow.
    """

    heading: str
    name: str = ""
    title: str = ""
    names: bool = False
    give_way: int = 0
    on_end: bool = False


@dataclass(frozen=True)
class Mark:
    """What sets a row apart: a sign where there is only text, words elsewhere."""

    sign: str
    words: str
    strong: bool = False


@dataclass(frozen=True)
class Row:
    """A row; where it has fewer cells than there are columns, the last one takes the rest."""

    cells: Sequence[Cell]
    mark: Mark | None = None


@dataclass(frozen=True)
class Table:
    """Columns and rows, what stands above them and what has to be said beneath."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    caption: str = ""
    notes: Sequence[str] = ()

    @property
    def marks(self) -> list[Mark]:
        """The marks that rows have, each once, the strong ones first."""
        found = dict.fromkeys(row.mark for row in self.rows if row.mark is not None)
        return sorted(found, key=lambda mark: not mark.strong)


@dataclass(frozen=True)
class Sentences:
    """Lines of prose between tables; `code` stands between backticks.

    Attributes
    ----------
    lines : sequence of str
        Nothing is drawn where there are none.
    role : {"text", "headline", "small"}
        How loud they are.
    title : str
        Makes a list of them. Text has it before each line.
    """

    lines: Sequence[str]
    role: Literal["text", "headline", "small"] = "text"
    title: str = ""


Block: TypeAlias = Table | Sentences
