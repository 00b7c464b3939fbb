"""What language models, their servers and files of their answers may say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

from fuzz.case import Case, Violation
from fuzz.command_line import command_violations, prepare_command_line
from fuzz.mutate import NUMBERS, TEXTS, mutated_bytes, mutated_tree

_GOOD = ('{"label": 1}', '{"score": 2.5}', "0", "1", '```json\n{"label": 0}\n```', "3")
_THOUGHTS = ("", "<think>Hm, 0?</think> ", "<think>", "</think>")
_COMPLETION: dict[str, Any] = {
    "choices": [
        {"message": {"role": "assistant", "content": '{"label": 1}'}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 100, "completion_tokens": 5},
}
_ANSWER = {
    "key": "k",
    "endpoint": "http://127.0.0.1/v1/chat/completions",
    "model": "m",
    "question": "relevance",
    "text": '{"label": 1}',
    "finish": "stop",
    "tokens_in": 100,
    "tokens_out": 5,
}


class Answers:
    """Answers, bodies of responses, and kept answers; a few by a real server and the command."""

    name = "answers"
    seconds = 30.0

    def prepare(self) -> None:
        prepare_command_line()
        import tests.judge.server  # noqa: F401

    def make(self, random: Random) -> Case:
        kind = random.choices(("answer", "body", "kept", "server"), (50, 30, 19, 1))[0]
        content = {"answer": _answer, "body": _body, "kept": _kept, "server": _body}[kind](random)
        return Case(self.name, (kind,), {kind: content})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        kind, content = case.arguments[0], case.files[case.arguments[0]]
        if kind == "server":
            return _ask_server(content, folder)
        look = {"answer": _read, "body": _read_body, "kept": _read_kept}[kind]
        try:
            return look(content, folder)
        except Exception as error:
            return [Violation(f"{kind} raises", f"{type(error).__name__}: {error}"[:600])]


def _answer(random: Random) -> bytes:
    text = random.choice(_THOUGHTS) + random.choice((*_GOOD, *NUMBERS, *TEXTS))
    if random.random() < 0.1:
        text = random.choice(("[", '{"label":', "<think>")) * random.choice((10, 100_000))
    content = text.encode(errors="replace")
    return mutated_bytes(random, content) if random.random() < 0.7 else content


def _body(random: Random) -> bytes:
    content = json.dumps(mutated_tree(random, _COMPLETION)).encode()
    return mutated_bytes(random, content) if random.random() < 0.3 else content


def _kept(random: Random) -> bytes:
    head = {"schema": "isonomy.judge.answers", "schema_version": 1}
    lines = [json.dumps(each) for each in (head, _ANSWER, _ANSWER)]
    at = random.choice((0, 1, 2, 2))
    lines[at] = json.dumps(mutated_tree(random, json.loads(lines[at])))
    content = ("\n".join(lines) + "\n").encode()
    return mutated_bytes(random, content) if random.random() < 0.3 else content


def _read(content: bytes, folder: Path) -> list[Violation]:
    from isonomy._judge.readings import Scale, read_answer

    text = content.decode(errors="replace")
    for scale in (None, Scale(0, 4), Scale(-1.5, 1e300)):
        value = read_answer(text, "stop", scale).value
        ends = (0.0, 1.0) if scale is None else (scale.low, scale.high)
        if value is not None and not (ends[0] <= value <= ends[1] and math.isfinite(value)):
            return [Violation("reading", f"{value} of {text[:200]!r}")]
    return []


def _read_body(content: bytes, folder: Path) -> list[Violation]:
    from isonomy._judge.endpoint import _PassingError, _reply, _said

    said = _said(content)
    if len(said) > 310 or not said.isprintable():
        return [Violation("server's words", repr(said[:300]))]
    try:
        reply = _reply(content)
    except _PassingError:
        return []
    wrong = not isinstance(reply.text, str) or reply.tokens_in < 0 or reply.tokens_out < 0
    return [Violation("reply", repr(reply)[:300])] if wrong else []


def _read_kept(content: bytes, folder: Path) -> list[Violation]:
    from isonomy._judge.answer_file import AnswerFile, AnswerFileError

    path = folder / "answers.jsonl"
    path.write_bytes(content)
    try:
        with AnswerFile(path) as kept:
            found = kept.find(_ANSWER["key"], _ANSWER["endpoint"])
            sum(kept.tokens)
    except AnswerFileError as error:
        return [] if len(str(error)) < 1500 else [Violation("long message", str(error)[:600])]
    if found is not None and not all(isinstance(x, str) for x in (found.text, found.finish)):
        return [Violation("kept answer", repr(found)[:300])]
    # What is whole stays; only a last line that was cut short goes.
    whole = content[: content.rfind(b"\n") + 1]
    return [] if path.read_bytes().startswith(whole) else [Violation("destroyed", "answers.jsonl")]


def _ask_server(body: bytes, folder: Path) -> list[Violation]:
    from tests.judge.server import Response, serving

    with serving(lambda _: Response(body)) as server:
        words = (
            *("judge", "t.csv", "--text", "x", "--model", "m", "--endpoint", server.url),
            *("--out", "o.csv", "--retries", "0", "--timeout", "5", "--json", "r.json"),
            *("--key-variable", ""),
        )
        return command_violations(Case("answers", words, {"t.csv": b"x\nred\nblue\n"}), folder)
