"""Names cut to fit a picture or a heading, no two to the same; lists of names cut to fit a line."""

from __future__ import annotations

from collections.abc import Sequence


def short_names(names: Sequence[str], most: int) -> dict[str, str]:
    """Each name in at most so many characters, or a few more where it needs a number.

    >>> short_names(["click", "conversion rate of phones", "conversion rate of desks"], 14)
    {'click': 'click', 'conversion rate of phones': 'conv...phones', \
'conversion rate of desks': 'conv... desks'}
    """
    found = {name: name if len(name) <= most else f"{name[: most - 3]}..." for name in names}
    head, tail = (most - 3) // 2, (most - 3) - (most - 3) // 2
    for name in _unclear(found):
        if len(name) > most:
            found[name] = f"{name[:head]}...{name[-tail:]}"
    for number, name in enumerate(_unclear(found), start=1):
        found[name] += f" ({number})"
    return found


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names between commas; where there are too many, it says that and how many are left out.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b', 'a, b, ... and 2 more')
    """
    left = len(names) - most
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:most])}, ... and {left:,} more"


def _unclear(found: dict[str, str]) -> list[str]:
    """Names whose short ones are not their own."""
    texts = list(found.values())
    return [name for name, text in found.items() if texts.count(text) > 1]
