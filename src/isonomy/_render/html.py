"""Tables and sentences as HTML: static, without scripts, and every name is text.

jinja2 escapes all that a template is given, unless the template itself wrote it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from isonomy._infra import first_missing, require
from isonomy._render.tables import Bar, Block, Dot, Table

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


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
    found.globals["trusted"] = trusted
    found.tests.update(
        table=lambda each: isinstance(each, Table),
        dot=lambda each: isinstance(each, Dot),
        bar=lambda each: isinstance(each, Bar),
    )
    return found


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
