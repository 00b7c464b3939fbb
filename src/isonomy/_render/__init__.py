"""Tables of results, drawn as text, in a terminal and as HTML; `report` makes pages of them."""

from __future__ import annotations

from isonomy._render.cells import estimate_cell, name_cell, name_column, percent
from isonomy._render.html import fragment
from isonomy._render.tables import (
    Bar,
    Block,
    Cell,
    Column,
    Dot,
    Heat,
    Mark,
    Row,
    Sentences,
    Table,
    Tone,
)
from isonomy._render.terminal import Shown
from isonomy._render.text import fits, plain
