"""Good inputs, spoiled."""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

NUMBERS = (
    *("0", "-0.0", "1", "2", "-1", "0.5", "nan", "NaN", "inf", "-inf", "1e200", "-1e308", "1e400"),
    *("5e-324", "1e-300", "9007199254740993", "18446744073709551616", "1" * 400, "0x10", "1_000"),
    *("1,5", "1e", "+", "\uff11", "1.7976931348623157e308", "4294967296", "-9223372036854775808"),
)
TEXTS = (
    *("", " ", "yes", "no", "true", "False", "null", "None", "NA", "é", "日本", "a,b", "a;b", '"'),
    *('"a"', "'", "\x1b[31m", "\x07", "\u202e", "\udcff", "=1+1", "@SUM(A1)", "<script>", "a\nb"),
    *("a\tb", "{}", "[]", "{{x}}", "%s%n", "../x", "\\", "x" * 300, "\ufeff", "\x00", "\r", "rank"),
    *("score", "click", "label", "__class__", "a=b", "=", "-", "--", "--labels", "a b; rm -r c"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 1000, 2**31, 2**40, 2**63, -(2**63), 10**30, 0.0, -0.0),
    *(0.5, 1e308, 5e-324, float("inf"), float("nan"), "", "0", "x", "é" * 50, [], {}, [[]], [None]),
    *({"a": 1}, ["a", "b"], "builtins", "object", "float64", "\x1b[31m"),
)
_BYTES = (0, 1, 9, 10, 13, 32, 34, 44, 45, 48, 59, 91, 123, 127, 128, 0xC3, 0xED, 0xFE, 0xFF)


def mutated_bytes(random: Random, data: bytes, times: int | None = None) -> bytes:
    """A few bytes changed, left out, doubled, moved or cut off."""
    content = bytearray(data)
    for _ in range(times or random.choice((1, 1, 1, 2, 3, 8))):
        if not content:
            content = bytearray(random.randbytes(random.randrange(1, 20)))
        at = random.randrange(len(content))
        end = min(len(content), at + random.choice((1, 1, 2, 4, 8, 64)))
        kind = random.randrange(8)
        if kind == 0:
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            content[at] = random.choice(_BYTES)
        elif kind == 2:
            del content[at:end]
        elif kind == 3:
            content[at:at] = bytes([random.choice(_BYTES)]) * random.choice((1, 1, 2, 20))
        elif kind == 4:
            to = random.randrange(len(content))
            content[to:to] = content[at:end]
        elif kind == 5 and random.random() < 0.3:
            del content[at:]
        elif kind == 6:
            content[at:end] = random.randbytes(end - at)
        else:
            numbers = list(re.finditer(rb"\d+(\.\d+)?", bytes(content)))
            if numbers:
                one = random.choice(numbers)
                content[one.start() : one.end()] = random.choice(NUMBERS).encode()
    return bytes(content)


def mutated_tree(random: Random, tree: Any, times: int | None = None) -> Any:
    """A JSON document with a few values replaced, left out, doubled or swapped."""
    tree = copy.deepcopy(tree)
    for _ in range(times or random.choice((1, 1, 1, 2, 3))):
        places = list(_places(tree))
        if not places:
            return _any_value(random)
        holder, key = random.choice(places)
        kind = random.randrange(7)
        if kind <= 1:
            holder[key] = _near(random, holder[key])
        elif kind == 2:
            holder[key] = _any_value(random)
        elif kind == 3:
            del holder[key]
        elif kind == 4:
            other, there = random.choice(places)
            holder[key], other[there] = other[there], holder[key]
        elif kind == 5:
            other, there = random.choice(places)
            holder[key] = copy.deepcopy(other[there])
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[random.choice(TEXTS)] = holder.pop(key)
    return tree


def _places(tree: Any) -> Any:
    """Every holder with a key or index into it."""
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _near(random: Random, value: Any) -> Any:
    """A value of the same type."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, -value, 0, value * 2, 2**31, 2**62, 10**6))
    if isinstance(value, float):
        return random.choice((value + 1, -value, 0.0, value * 1e300, float("inf"), float("nan")))
    if isinstance(value, str):
        spoiled = mutated_bytes(random, value.encode(errors="replace"), 1)
        return random.choice((spoiled.decode(errors="replace"), random.choice(TEXTS)))
    return _any_value(random)


def _any_value(random: Random) -> Any:
    """A new one each time: two places of a tree that share a list could come to hold each other."""
    return copy.deepcopy(random.choice(VALUES))
