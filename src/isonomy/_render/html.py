"""Tables and sentences as HTML: static, without scripts, and every name is text.

jinja2 escapes all that a template is given, unless the template itself wrote it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from isonomy._infra import first_missing, require
from isonomy._render.tables import Bar, Block, Dot, Heat, Table

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

Colour: TypeAlias = tuple[int, int, int]

# Orange, grey and blue, which people with any colour vision can tell apart.
COLD, NEUTRAL, HOT = (0xC4, 0x55, 0x00), (0xF2, 0xF2, 0xF2), (0x00, 0x72, 0xB2)
INKS: tuple[Colour, ...] = ((0xFF, 0xFF, 0xFF), (0x22, 0x22, 0x22))


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
    red, green, blue = (round(a + (b - a) * strength) for a, b in zip(NEUTRAL, end, strict=True))
    ink = max(INKS, key=lambda each: contrast(each, (red, green, blue)))
    return "background:#{:02x}{:02x}{:02x};color:#{:02x}{:02x}{:02x}".format(red, green, blue, *ink)


def contrast(one: Colour, other: Colour) -> float:
    """How well one colour is seen on the other, from 1 to 21, as WCAG 2 has it.

    >>> contrast((0, 0, 0), (255, 255, 255))
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    shares = (c / 255 for c in colour)
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return float(sum(a * c for a, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))


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
