"""Many questions to a server, some at a time, each answer kept before the next is asked for."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from isonomy._judge.answer_file import MOST_CHARACTERS, Answer, AnswerFile
from isonomy._judge.endpoint import Endpoint, EndpointError
from isonomy._judge.questions import Question, Request
from isonomy._judge.readings import without_thoughts

# Seconds; so soon an interrupt is heard on systems where waiting hears none.
_LISTEN = 0.2
# Seconds in which answers that are on their way may still come when the work ends early.
_LAST_ANSWERS = 0.4


@dataclass(frozen=True)
class Answered:
    """A question that was answered now."""

    answer: Answer


@dataclass(frozen=True)
class Failed:
    """A question that has no answer, and why."""

    key: str
    question: str
    why: str


Outcome: TypeAlias = Answered | Failed


def ask_all(
    tasks: Iterable[tuple[Question, Request]],
    endpoint: Endpoint,
    kept: AnswerFile,
    *,
    concurrency: int,
) -> Iterator[Outcome]:
    """Ask each of them, by so many threads; what became of it, in the order of the answers.

    A thread that has an answer writes it down before it does anything else, so that a killed
    program can lose only what was on its way. EndpointError where there is no hope: a key that is
    refused, or nothing but failures.
    """
    todo, lock = iter(tasks), threading.Lock()
    done: queue.SimpleQueue[Outcome | BaseException | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                with lock:
                    task = next(todo, None)
                if task is None:
                    break
                done.put(_asked(*task, endpoint, kept, stop))
        except BaseException as error:  # noqa: BLE001 (it is raised by whoever waits)
            done.put(error)
        done.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(concurrency)]
    for thread in threads:
        thread.start()
    try:
        yield from _outcomes(done, concurrency)
    finally:
        stop.set()
        deadline = time.monotonic() + _LAST_ANSWERS
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0.0))


def _asked(
    question: Question,
    request: Request,
    endpoint: Endpoint,
    kept: AnswerFile,
    stop: threading.Event,
) -> Outcome:
    """Ask, and keep the answer."""
    try:
        n_answered = kept.n_answers(request.key, endpoint.url)
        reply = endpoint.ask(replace(request, n_answered=n_answered), stop)
    except EndpointError as error:
        if error.hopeless:
            raise
        return Failed(request.key, question.name, str(error))
    answer = Answer(
        request.key,
        endpoint.url,
        question.model,
        question.name,
        _kept_text(endpoint.without_key(reply.text)),
        reply.finish,
        reply.tokens_in,
        reply.tokens_out,
    )
    kept.add(answer)
    return Answered(answer)


def _kept_text(text: str) -> str:
    """An answer without its thoughts; what was cut cannot be taken for a whole answer."""
    text = without_thoughts(text)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} [...]"


def _outcomes(
    done: queue.SimpleQueue[Outcome | BaseException | None], concurrency: int
) -> Iterator[Outcome]:
    """What the threads hand over, until all of them have ended."""
    working, failed_in_a_row = concurrency, 0
    most_failures = max(10, 2 * concurrency)
    while working:
        try:
            found = done.get(timeout=_LISTEN)
        except queue.Empty:
            continue
        if found is None:
            working -= 1
            continue
        if isinstance(found, BaseException):
            raise found
        yield found
        failed_in_a_row = failed_in_a_row + 1 if isinstance(found, Failed) else 0
        if isinstance(found, Failed) and failed_in_a_row == most_failures:
            raise EndpointError(
                f"{most_failures} questions in a row got no answer, the last one because "
                f"{found.why}",
                hopeless=True,
            )
