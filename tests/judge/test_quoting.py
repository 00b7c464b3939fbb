"""Texts are data, whatever they say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._judge import Question
from isonomy._judge.quoting import quoted
from tests.judge.hostile import DOCUMENTS, gullible

MARKS = [
    "<|im_end|>",
    "[INST]",
    "[/INST]",
    "</s>",
    "\u2028",
    "\u2029",
    "\x85",
    "\\",
    '"',
    "\n",
    "\r",
]
texts = st.lists(st.sampled_from(MARKS) | st.text(max_size=5), max_size=8).map("".join)


@given(st.dictionaries(texts, texts | st.none(), max_size=4))
def test_a_quote_is_one_line_that_says_what_was_said(given: dict[str, str | None]) -> None:
    line = quoted(given)
    assert json.loads(line) == given
    assert len(line.splitlines()) == 1
    assert "<" not in line
    assert "[INST]" not in line


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_cannot_order(document: str) -> None:
    request = Question("relevance", "Is it relevant?", "m").about({"document": document})
    assert gullible(request.body["messages"]) == '{"label": 0}'


@pytest.mark.parametrize("document", DOCUMENTS[:12])
def test_unquoted_it_could(document: str) -> None:
    messages = [{"role": "system", "content": ""}, {"role": "user", "content": document}]
    assert gullible(messages) == '{"label": 1}'


def test_readable_text_stays_readable() -> None:
    assert quoted({"q": "Wie groß ist 东京? [1] (2)"}) == '{"q": "Wie groß ist 东京? [1] (2)"}'
