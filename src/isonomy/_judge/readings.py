"""What a model's answer says, if it says it in the form that was asked for."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*)\n\s*```\Z", re.DOTALL)

_CANNOT_TELL = "the model could not tell"


@dataclass(frozen=True)
class Scale:
    """The scores that a model may give, from the lowest to the highest."""

    low: float = 0.0
    high: float = 4.0


@dataclass(frozen=True)
class Reading:
    """An answer as a number; None with the reason where it gives none."""

    value: float | None
    why_none: str = ""

    @property
    def in_form(self) -> bool:
        """Whether the model did as it was asked, be it to say that it cannot tell."""
        return self.value is not None or self.why_none == _CANNOT_TELL


def without_thoughts(text: str) -> str:
    """An answer without what a model thought aloud before it.

    >>> without_thoughts("<think>Hm, 0?</think> 1")
    '1'
    """
    return _THOUGHTS.sub("", text, count=1).strip()


def read_answer(text: str, finish: str, scale: Scale | None) -> Reading:
    """The label, 0 or 1, or with a scale the score, of an answer that holds nothing else.

    Whatever else it says could have been said by the document. Thoughts before the answer and a
    fence around it are passed over; a bare number will do.

    >>> read_answer('{"label": 1}', "stop", None)
    Reading(value=1.0, why_none='')
    >>> read_answer('{"score": 2.5}', "stop", Scale(0, 4)).value
    2.5
    >>> read_answer("I think 1.", "stop", None)
    Reading(value=None, why_none='not in the form that was asked for')
    >>> read_answer('{"label": null}', "stop", None)
    Reading(value=None, why_none='the model could not tell')
    """
    if finish in ("length", "content_filter"):
        cut = "cut off at max_tokens" if finish == "length" else "withheld by the server's filter"
        return Reading(None, cut)
    bare = without_thoughts(text)
    fenced = _FENCED.match(bare)
    try:
        found = json.loads(
            fenced[1] if fenced else bare, object_pairs_hook=_single, parse_constant=_refused
        )
    except (ValueError, RecursionError):
        return Reading(None, "not in the form that was asked for")
    name = "label" if scale is None else "score"
    value = found[1] if isinstance(found, tuple) and found[0] == name else found
    if isinstance(found, tuple) and value is None:
        return Reading(None, _CANNOT_TELL)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return Reading(None, "not in the form that was asked for")
    allowed = value in (0, 1) if scale is None else scale.low <= value <= scale.high
    return Reading(float(value)) if allowed else Reading(None, "a number outside of the scale")


def _single(pairs: list[tuple[str, Any]]) -> tuple[str, Any]:
    """An object of one name; two of them, or the same twice, leave open which one counts."""
    if len(pairs) != 1:
        raise ValueError("one name was asked for")
    return pairs[0]


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")
