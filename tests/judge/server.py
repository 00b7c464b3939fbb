"""A real HTTP server that speaks chat completions, well or badly, and counts."""

from __future__ import annotations

import itertools
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; `nth`: how often this question came before."""

    body: dict[str, Any]
    headers: dict[str, str]
    key: str
    nth: int

    @property
    def data(self) -> dict[str, Any]:
        """What the user's message quotes."""
        return json.loads(self.body["messages"][1]["content"].splitlines()[1])


@dataclass(frozen=True)
class Response:
    """What is sent back, and how."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    broken: bool = False


def says(text: Any, finish: str = "stop", **more: Any) -> Response:
    """A chat completion with this answer."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    return Response(json.dumps({"choices": [choice], "usage": usage}).encode(), **more)


def fails(status: int, message: str = "", **headers: str) -> Response:
    return Response(json.dumps({"error": {"message": message}}).encode(), status, headers)


@dataclass(frozen=True)
class Given:
    """An answer of 200 that was sent: to which question, by which connection, as which of its."""

    key: str
    connection: int
    number: int


class JudgeServer(ThreadingHTTPServer):
    """Answers by a function of the request; keeps a record of all that was asked and given."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, respond: Callable[[Asked], Response]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.respond = respond
        self.lock = threading.Lock()
        self.names = itertools.count()
        self.asked: list[Asked] = []
        self.given: list[Given] = []
        self.n_by_key: Counter[str] = Counter()
        self.n_by_connection: Counter[int] = Counter()
        self.at_once = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, address: Any) -> None:
        """Clients that were killed are no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: JudgeServer

    def setup(self) -> None:
        """One handler serves one connection, which gets a number that no other has."""
        super().setup()
        self.name = next(self.server.names)

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        with server.lock:
            asked = Asked(body, dict(self.headers), key, server.n_by_key[key])
            server.n_by_key[key] += 1
            server.asked.append(asked)
            server.n_by_connection[self.name] += 1
            number = server.n_by_connection[self.name]
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        response = server.respond(asked)
        if response.delay:
            time.sleep(response.delay)
        with server.lock:
            server.at_once -= 1
            if response.status == 200:
                server.given.append(Given(key, self.name, number))
        self._send(response)

    def _send(self, response: Response) -> None:
        lines = [f"HTTP/1.1 {response.status} Whatever", f"Content-Length: {len(response.body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in response.headers.items()]
        head = "\r\n".join([*lines, "", ""]).encode()
        if response.broken:
            self.wfile.write(head + response.body[: len(response.body) // 2])
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        if response.drip:
            self.wfile.write(head)
            for byte in response.body:
                self.wfile.write(bytes([byte]))
                time.sleep(response.drip)
            return
        self.wfile.write(head + response.body)

    def log_message(self, *_: object) -> None:
        """Silence."""


@contextmanager
def serving(respond: Callable[[Asked], Response]) -> Iterator[JudgeServer]:
    """A server on a free port of this machine."""
    server = JudgeServer(respond)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
