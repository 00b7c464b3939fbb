"""Slow, failing, rubbish and hostile servers."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate

import pytest

from isonomy._judge import Endpoint, EndpointError, Question, endpoint
from isonomy._judge.endpoint import completed_url
from tests.judge.server import Asked, Response, fails, says, serving

REQUEST = Question("relevance", "Is it?", "m", params={"temperature": 0}).about({"d": "text"})
KEY = "sk-secret"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.002)


def ask(url: str, *, key: str | None = None, timeout: float = 5.0, retries: int = 3):
    asked = Endpoint(url, key, timeout=timeout, retries=retries)
    return asked.ask(REQUEST, threading.Event())


def test_an_answer() -> None:
    with serving(lambda _: says('{"label": 1}')) as server:
        reply = ask(server.url, key=KEY)
    (asked,) = server.asked
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == (
        '{"label": 1}',
        "stop",
        100,
        5,
    )
    assert asked.body["model"] == "m"
    assert asked.body["temperature"] == 0
    assert asked.data == {"d": "text"}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_an_answer_in_parts_whose_cost_is_told_strangely_counts() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": '{"label": 1}'}, "x"]
    choices = [{"message": {"content": parts}, "finish_reason": "stop"}]
    body = json.dumps({"choices": choices, "usage": [1]}).encode()
    with serving(lambda _: Response(body)) as server:
        reply = ask(server.url)
    assert len(server.asked) == 1
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ('{"label": 1}', 0, 0)


def test_without_a_key_none_is_sent() -> None:
    with serving(lambda _: says("1")) as server:
        ask(server.url)
    assert "Authorization" not in server.asked[0].headers


PASSING = {
    "500": fails(500, "oops"),
    "429": fails(429, "slow down"),
    "rubbish": Response(b"<html>Welcome to the hotel's network</html>"),
    "no choices": Response(b'{"choices": []}'),
    "a list": Response(b"[1, 2]"),
    "nested": Response(b"[" * 100_000),
    "broken": Response(b'{"choices": []}', broken=True),
    "endless": Response(b" " * (2**20 + 1)),
    "not text": Response(b"\xff\xfe\x00"),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_tried_again(name: str) -> None:
    def respond(asked: Asked) -> Response:
        return PASSING[name] if asked.nth < 2 else says("1")

    with serving(respond) as server:
        assert ask(server.url).text == "1"
        assert len(server.asked) == 3
        assert len({asked.key for asked in server.asked}) == 1


def test_after_the_last_attempt_it_says_why() -> None:
    with serving(lambda _: fails(503, "overloaded")) as server:
        with pytest.raises(
            EndpointError, match=r"answers 503 \(overloaded\) \(4 attempts\)"
        ) as told:
            ask(server.url)
        assert len(server.asked) == 4
    assert not told.value.hopeless


@pytest.mark.parametrize("status", [301, 307, 401, 403, 404])
def test_what_cannot_pass_ends_it(status: int) -> None:
    with serving(lambda _: fails(status, "no", Location="http://127.0.0.1:1/")) as server:
        with pytest.raises(EndpointError, match=str(status)) as told:
            ask(server.url, key=KEY)
        assert len(server.asked) == 1
    assert told.value.hopeless


def test_a_question_that_is_refused_is_not_asked_again() -> None:
    with serving(lambda _: fails(400, "too long")) as server:
        with pytest.raises(EndpointError, match="too long") as told:
            ask(server.url)
        assert len(server.asked) == 1
    assert not told.value.hopeless


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_whoever_asks_to_wait_is_waited_for(form: str) -> None:
    after = "1" if form == "seconds" else formatdate(time.time() + 2, usegmt=True)

    def respond(asked: Asked) -> Response:
        return fails(429, "busy", Retry_After=after) if asked.nth == 0 else says("1")

    with serving(respond) as server:
        begun = time.monotonic()
        ask(server.url)
        assert time.monotonic() - begun >= 0.9


def test_a_nonsensical_wait_is_none() -> None:
    def respond(asked: Asked) -> Response:
        return fails(429, "busy", Retry_After="soon") if asked.nth == 0 else says("1")

    with serving(respond) as server:
        assert ask(server.url).text == "1"


def test_nobody_waits_for_days() -> None:
    with (
        serving(lambda _: fails(429, "quota", Retry_After="7200")) as server,
        pytest.raises(EndpointError, match="wait 7,200 seconds") as told,
    ):
        ask(server.url)
    assert told.value.hopeless


@pytest.mark.parametrize(
    "slow", [says("1", delay=0.6), says("1", drip=0.05)], ids=["late", "by drops"]
)
def test_slow_answers_time_out(slow: Response) -> None:
    with (
        serving(lambda _: slow) as server,
        pytest.raises(EndpointError, match=r"no answer within|longer"),
    ):
        ask(server.url, timeout=0.2, retries=0)


def test_nobody_there() -> None:
    with serving(lambda _: says("1")) as server:
        url = server.url
    with pytest.raises(EndpointError, match=r"no connection.*refused") as told:
        ask(url, retries=1)
    assert "object at" not in str(told.value)


def test_what_a_server_says_is_shown_without_the_key_and_without_tricks() -> None:
    said = f"\x1b[2J {KEY} \u202e\n" + "x" * 5000
    with serving(lambda _: fails(400, said)) as server, pytest.raises(EndpointError) as told:
        ask(server.url, key=KEY)
    text = str(told.value)
    assert KEY not in text
    assert text.isprintable()
    assert len(text) < 400


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000/v1", "should be a URL"),
        ("ftp://host/v1", "should be a URL"),
        ("https://me:secret@host/v1", "neither a password"),
        ("https://host/v1?key=secret", "neither a password nor a query"),
        ("http://example.com/v1", "for all to read"),
    ],
)
def test_addresses_that_are_refused(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        completed_url(url, secret=True)


def test_addresses_may_be_whole() -> None:
    whole = "https://host/v1/chat/completions"
    assert (
        completed_url(whole, secret=True) == completed_url("https://host/v1", secret=True) == whole
    )


def test_a_stopped_question_does_not_wait() -> None:
    stop = threading.Event()
    stop.set()
    asked = Endpoint("http://127.0.0.1:1/v1", None, timeout=1, retries=5)
    with pytest.raises(EndpointError, match="stopped"):
        asked.ask(REQUEST, stop)
