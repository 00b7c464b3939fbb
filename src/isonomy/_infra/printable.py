"""What strangers wrote, fit for a terminal."""

from __future__ import annotations

import re

# A name or a field of a table that is longer says no more.
_LONG_WORD = re.compile(r"\S{400,}")


def printable(text: str) -> str:
    """Text without characters that would break a line or command a terminal.

    >>> printable("red\\x1b[31m").isprintable()
    True
    """
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: a byte that is none arrives as half of a surrogate pair.

    >>> is_text("caf\\u00e9"), is_text("\\udcff")
    (True, False)
    """
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def printable_lines(text: str) -> str:
    """The same of lines, with words cut that would fill several of them.

    >>> printable_lines("two\\nlines, " + 1000 * "a")[-23:]
    'aaaa... (1,000 letters)'
    """
    text = "\n".join(map(printable, text.split("\n")))
    return _LONG_WORD.sub(lambda found: f"{found[0][:60]}... ({len(found[0]):,} letters)", text)
