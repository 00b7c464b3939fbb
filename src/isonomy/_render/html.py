"""Tables and sentences as HTML: static, without scripts, and every name is text.

jinja2 escapes all that a template is given, unless the template itself wrote it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from isonomy._infra import first_missing, require
from isonomy._render.tables import Bar, Block, Dot, Heat, Table

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Orange, grey and blue, which people with any colour vision can tell apart.
COLD, NEUTRAL, HOT = (0xC4, 0x55, 0x00), (0xF2, 0xF2, 0xF2), (0x00, 0x72, 0xB2)


def fragment(*blocks: Block) -> str | None:
    """What a notebook shows; None where jinja2 is missing, so that it shows the text instead."""
    if first_missing(["jinja2"]) is not None:
        return None
    return rendered("templates/fragment.html", blocks=blocks)


def rendered(template: str, **given: Any) -> str:
    """A template of this package with what it is given, escaped."""
    return environment().get_template(template).render(**given)


def trusted(name: str) -> Markup:
    """A file of this package, as it stands: styles and scripts."""
    from markupsafe import Markup

    return Markup(files("isonomy._render").joinpath(name).read_text(encoding="utf-8"))


@cache
def environment() -> Environment:
    """Where templates come from, and what they know."""
    jinja2 = require("jinja2", "cli", "A page")
    found: Environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isonomy._render", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found.filters["code"] = _code
    found.filters["heat_colours"] = _heat_colours
    found.globals["trusted"] = trusted
    found.tests.update(
        table=lambda each: isinstance(each, Table),
        dot=lambda each: isinstance(each, Dot),
        bar=lambda each: isinstance(each, Bar),
        heat=lambda each: isinstance(each, Heat),
    )
    return found


def _heat_colours(share: float) -> str:
    """A cell's colour from one end (0) over none (1/2) to the other (1), and a fitting ink."""
    end = COLD if share < 0.5 else HOT
    strength = min(abs(2 * share - 1), 1.0)
    mixed = (round(a + (b - a) * strength) for a, b in zip(NEUTRAL, end, strict=True))
    red, green, blue = mixed
    ink = "#ffffff" if strength > 0.6 else "#222222"
    return f"background:#{red:02x}{green:02x}{blue:02x};color:{ink}"


def _code(text: str) -> Markup:
    """Text with `code` between backticks; an odd one stays as it is."""
    from markupsafe import Markup, escape

    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )
