"""Many questions at a time, each answer kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isonomy._judge import (
    Answered,
    AnswerFile,
    Endpoint,
    EndpointError,
    Failed,
    Outcome,
    Question,
    ask_all,
    endpoint,
)
from tests.judge.server import Asked, JudgeServer, Response, fails, says, serving

QUESTION = Question("relevance", "Is it?", "m")


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.002)


def run(
    tmp_path: Path, respond: Callable[[Asked], Response], n: int, concurrency: int = 4
) -> tuple[list[Outcome], JudgeServer]:
    tasks = [(QUESTION, QUESTION.about({"d": str(i)})) for i in range(n)]
    with serving(respond) as server, AnswerFile(tmp_path / "a.jsonl") as kept:
        asked = Endpoint(server.url, None, timeout=5, retries=1)
        outcomes = list(ask_all(tasks, asked, kept, concurrency=concurrency))
        for outcome in outcomes:
            if isinstance(outcome, Answered):
                assert kept.find(outcome.answer.key, asked.url) == outcome.answer
    return outcomes, server


def test_every_question_is_asked_once_within_the_limit(tmp_path: Path) -> None:
    outcomes, server = run(tmp_path, lambda a: says(a.data["d"], delay=0.01), 60, concurrency=4)
    assert len(outcomes) == 60
    assert {outcome.answer.text for outcome in outcomes} == {str(i) for i in range(60)}
    assert len(server.asked) == 60
    assert 2 <= server.most_at_once <= 4


def test_failures_are_told_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    def respond(asked: Asked) -> Response:
        return fails(400, "too long") if int(asked.data["d"]) % 5 == 0 else says("1")

    outcomes, _ = run(tmp_path, respond, 30)
    failed = [each for each in outcomes if isinstance(each, Failed)]
    assert len(failed) == 6
    assert "too long" in failed[0].why


def test_nothing_but_failures_end_it(tmp_path: Path) -> None:
    with pytest.raises(EndpointError, match=r"10 questions in a row .*too long"):
        run(tmp_path, lambda _: fails(400, "too long"), 100)


def test_a_refused_key_ends_it_at_once(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(EndpointError, match="401"):
        run(tmp_path, lambda _: fails(401, "who are you?"), 10_000)
    assert time.monotonic() - begun < 5


def test_an_error_of_ours_is_raised(tmp_path: Path) -> None:
    def tasks():
        yield QUESTION, QUESTION.about({"d": "1"})
        raise RuntimeError("ours")

    with serving(lambda _: says("1")) as server, AnswerFile(tmp_path / "a.jsonl") as kept:
        asked = Endpoint(server.url, None, timeout=5, retries=1)
        with pytest.raises(RuntimeError, match="ours"):
            list(ask_all(tasks(), asked, kept, concurrency=2))


def test_a_long_answer_is_kept_as_what_is_no_label(tmp_path: Path) -> None:
    outcomes, _ = run(tmp_path, lambda _: says("1" + " " * 20_000 + "0"), 1)
    assert outcomes[0].answer.text.endswith(" [...]")
