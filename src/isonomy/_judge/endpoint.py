"""A server that speaks OpenAI's chat completions, asked with patience."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from isonomy._infra import LazyModule, require
from isonomy._judge.questions import Request

urllib3: Any = LazyModule("urllib3", "judge", "isonomy judge")

# What an answer may take; a label needs a few bytes.
MOST_BYTES = 2**20
# Seconds before the second attempt, doubled for each further one.
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
# Whoever asks for more patience than so many seconds is tried another day.
MOST_PATIENCE = 600.0
CONNECT_SECONDS = 10.0
# Of what a server says of an error.
MOST_SAID = 300

_PATH = "/chat/completions"
_PASSING = {408, 409, 425, 429}
# Every question would end the same way.
_HOPELESS = {401, 402, 403, 404, 405, 407}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class EndpointError(Exception):
    """The server gave no answer.

    Attributes
    ----------
    hopeless : bool
        Whether further questions would fare no better.
    """

    def __init__(self, text: str, *, hopeless: bool = False) -> None:
        super().__init__(text)
        self.hopeless = hopeless


class _PassingError(Exception):
    """What may be well at the next attempt; `wait`: the seconds that the server asks for."""

    def __init__(self, text: str, wait: float = 0.0) -> None:
        super().__init__(text)
        self.wait = wait


@dataclass(frozen=True)
class Reply:
    """What a model answered, why it stopped, and the tokens that it took, where that is told."""

    text: str
    finish: str
    tokens_in: int
    tokens_out: int


class Endpoint:
    """Where questions go, by any number of threads.

    Parameters
    ----------
    url : str
        Such as https://host/v1; the path of chat completions is added where it is not there.
    key : str or None
        Sent as a bearer's, and never shown: it is cut out of whatever the server says.
    timeout : float
        Seconds that an answer may take.
    retries : int
        Further attempts after an error that may pass.
    """

    def __init__(self, url: str, key: str | None, *, timeout: float, retries: int) -> None:
        require("urllib3", "judge", "isonomy judge")
        self.url = completed_url(url, secret=key is not None)
        self.timeout, self.retries = timeout, retries
        self.n_retried = 0
        self._key = key
        # A connection for each thread: when the next question goes out by it, the last answer that
        # came by it has been kept.
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._not_before = 0.0

    def ask(self, request: Request, stop: threading.Event) -> Reply:
        """The answer; EndpointError after the last attempt, or where none can help."""
        for attempt in range(self.retries + 1):
            self._wait(self._not_before - time.monotonic(), stop)
            try:
                return self._attempt(request)
            except _PassingError as error:
                told = self.without_key(str(error))
                if error.wait > MOST_PATIENCE:
                    raise EndpointError(
                        f"{told}, and asks to wait {error.wait:,.0f} seconds", hopeless=True
                    ) from None
                if attempt == self.retries:
                    times = "" if attempt == 0 else f" ({attempt + 1} attempts)"
                    raise EndpointError(f"{told}{times}") from None
                self._postpone(error.wait)
                # Not all at the same moment, when there were many.
                pause = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)
                self._wait(max(pause, error.wait), stop)
        raise AssertionError

    def without_key(self, text: str) -> str:
        """What somebody else wrote, without the key, should it be in there."""
        return text.replace(self._key, "[the key]") if self._key else text

    def _postpone(self, seconds: float) -> None:
        """When the server asks one to wait, all do; and it is known how often that happens."""
        with self._lock:
            self.n_retried += 1
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def _connection(self) -> Any:
        if not hasattr(self._of_thread, "pool"):
            self._of_thread.pool = _pool(urlsplit(self.url))
        return self._of_thread.pool

    def _wait(self, seconds: float, stop: threading.Event) -> None:
        if stop.wait(max(seconds, 0.0)):
            raise EndpointError("stopped")

    def _attempt(self, request: Request) -> Reply:
        # A server that knows this header gives the same answer again, for nothing, to a question
        # whose answer was on its way when a run was killed.
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Idempotency-Key": request.once,
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        deadline = time.monotonic() + self.timeout
        try:
            response = self._connection().request(
                "POST",
                self.url,
                body=request.data,
                headers=headers,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=self.timeout),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                body = _read_all(response, deadline)
            except BaseException:
                # What is left unread is nobody's next answer.
                response.close()
                raise
            response.release_conn()
        except urllib3.exceptions.ReadTimeoutError:
            raise _PassingError(f"no answer within {self.timeout:g} seconds") from None
        except urllib3.exceptions.HTTPError as error:
            raise _PassingError(f"no connection: {_plain_reason(error)}") from None
        if response.status == 200:
            return _reply(body)
        raise self._error_of(response, body)

    def _error_of(self, response: Any, body: bytes) -> Exception:
        status = response.status
        said = self.without_key(_said(body))
        text = f"the server answers {status}{f' ({said})' if said else ''}"
        if status in _PASSING or status >= 500:
            return _PassingError(text, _retry_after(response.headers.get("Retry-After")))
        hopeless = status in _HOPELESS or status < 400
        return EndpointError(text, hopeless=hopeless)


def completed_url(url: str, *, secret: bool) -> str:
    """The address of chat completions; ValueError where a key should not go there.

    >>> completed_url("http://localhost:8000/v1/", secret=False)
    'http://localhost:8000/v1/chat/completions'
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"--endpoint should be a URL such as https://host/v1 or http://localhost:8000/v1. "
            f"Found {url!r}."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "--endpoint should hold neither a password nor a query: the key belongs into an "
            "environment variable, which --key-variable names."
        )
    if secret and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise ValueError(
            f"--endpoint: the key would travel to {parts.hostname} for all to read. Use https, or "
            "--key-variable '' to send none."
        )
    path = parts.path.rstrip("/")
    path = path if path.endswith(_PATH) else f"{path}{_PATH}"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _pool(parts: SplitResult) -> Any:
    """A connection to the server, by the system's proxy where it has one for it."""
    proxy = getproxies().get(parts.scheme)
    if proxy and parts.hostname not in _LOOPBACK and not proxy_bypass(parts.hostname or ""):
        return urllib3.ProxyManager(proxy)
    return urllib3.PoolManager()


def _read_all(response: Any, deadline: float) -> bytes:
    """The body, as it comes: neither endless nor drop by drop for ever."""
    found = b""
    while piece := response.read1(2**16):
        found += piece
        if len(found) > MOST_BYTES:
            raise _PassingError(f"an answer of more than {MOST_BYTES:,} bytes")
        if time.monotonic() > deadline:
            raise _PassingError("an answer that takes longer than --timeout")
    return found


def _reply(body: bytes) -> Reply:
    """What a chat completion says, if it is one."""
    try:
        document = json.loads(body)
        choice = document["choices"][0]
        text = choice["message"]["content"]
        finish = choice.get("finish_reason")
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        raise _PassingError("the server's answer is no chat completion") from None
    # What it cost is told as well as it can be: an answer that is paid for counts in any case.
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    known = [each if type(each) is int and each >= 0 else 0 for each in tokens]
    return Reply(_plain_text(text), str(finish or ""), *known)


def _plain_text(content: Any) -> str:
    """An answer's words: some servers send them in parts, a few none at all."""
    if isinstance(content, list):
        parts = [each for each in content if isinstance(each, dict) and each.get("type") == "text"]
        return "".join(_plain_text(each.get("text")) for each in parts)
    return content if isinstance(content, str) else ""


def _retry_after(header: str | None) -> float:
    """Seconds that the server asks to wait, by a number or by a date; 0 where it asks nothing."""
    try:
        return float(urllib3.Retry().parse_retry_after(header)) if header else 0.0
    except urllib3.exceptions.InvalidHeader:
        return 0.0


def _said(body: bytes) -> str:
    """What the server says of an error, on a line, without what could move a cursor."""
    text = body.decode("utf-8", errors="replace")
    try:
        error = json.loads(text)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, RecursionError, KeyError, TypeError):
        text = re.sub(r"<[^>]*>", " ", text)
    text = "".join(each if each.isprintable() else " " for each in text)
    text = " ".join(text.split())
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}..."


def _plain_reason(error: Exception) -> str:
    """urllib3's reasons carry the names of its objects, which nobody wants to read."""
    text = str(getattr(error, "reason", None) or error)
    return re.sub(r"^.*?object at 0x[0-9a-f]+>: |^\w+\([^)]*\): ", "", text)
