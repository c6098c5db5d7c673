"""A server on this machine that speaks the APIs of model vendors, and misbehaves as it is told.

It speaks OpenAI's chat completions and responses and Anthropic's messages, by the path that is asked for.
Run as a program, it prints what a call through `uac.models` takes beside one through `http.client`.
"""

import http.client
import json
import os
import socket
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import pytest

from uac.models import open_model
from uac.testing.model import QUESTION

__all__ = [
    "Act",
    "Asked",
    "Loopback",
    "cut",
    "drip",
    "drop",
    "empty",
    "fails",
    "filtered",
    "hang",
    "loopback",
    "no_proxy",
    "nobody",
    "of_model",
    "raw",
    "redirect",
    "refusal",
    "truncated",
    "well",
]

End = Literal["stop", "length", "filter", "refusal"]


@dataclass(frozen=True)
class Act:
    """What the server does with one request. A `body` is sent as it is; else one is made of `text` and `end`."""

    kind: Literal["answer", "hang", "drop", "drip", "truncate"] = "answer"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    text: str = ""
    end: End = "stop"
    body: bytes | None = None


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


Answer = Callable[[str, Any, Act], bytes]
"""The body of an answer, by the path, what was asked, and the act."""


def well(text: str = '{"facts": []}') -> Act:
    return Act(text=text)


def fails(status: int, message: str = "no", *, retry_after: str = "", code: str = "") -> Act:
    error = {"message": message, "type": "an_error", "code": code or None}
    headers = (("Content-Type", "application/json"), *((("Retry-After", retry_after),) if retry_after else ()))
    return Act(status=status, headers=headers, body=json.dumps({"type": "error", "error": error}).encode())


def hang() -> Act:
    """Says nothing until the server is closed."""
    return Act(kind="hang")


def drop() -> Act:
    """Closes the connection without a word."""
    return Act(kind="drop")


def drip() -> Act:
    """Sends part after part, until nobody listens any more."""
    return Act(kind="drip")


def truncated() -> Act:
    """Promises more bytes than it sends."""
    return Act(kind="truncate", text='{"facts": []}')


def cut(text: str = '{"facts": [') -> Act:
    return Act(text=text, end="length")


def filtered() -> Act:
    return Act(end="filter")


def refusal(words: str = "I cannot help with that.") -> Act:
    return Act(text=words, end="refusal")


def empty() -> Act:
    return Act(text="")


def raw(body: bytes, content_type: str = "application/json") -> Act:
    return Act(headers=(("Content-Type", content_type),), body=body)


def redirect(url: str, status: int = 307) -> Act:
    return Act(status=status, headers=(("Location", url),), body=b"")


@dataclass
class Loopback:
    """Acts in the order of `plan`; when that is used up, answers well."""

    port: int
    plan: deque[Act] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def will(self, *acts: Act) -> None:
        self.plan.clear()
        self.plan.extend(acts)


@contextmanager
def loopback(answer: Answer | None = None) -> Iterator[Loopback]:
    """`answer` makes the body of an answer, in the form of an API; without, in those of models' vendors."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.answer = answer or of_model
    server.state = Loopback(port=server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.state
    finally:
        server.state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()  # waits for the threads of all requests


def nobody() -> str:
    """An address where nobody is any more."""
    with loopback() as gone:
        return gone.address


def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """None stands between a client and this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    state: Loopback
    answer: Answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        state = self.server.state
        body = _json(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        state.asked.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        act = state.plan.popleft() if state.plan else well()
        self.close_connection = True
        if act.kind == "hang":
            state.closing.wait(300)
        elif act.kind == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
        elif act.kind == "drip":
            self._drip()
        else:
            self._send(act, act.body if act.body is not None else self.server.answer(self.path, body, act))

    do_GET = do_POST  # noqa: N815 - the name that the library has

    def _send(self, act: Act, body: bytes) -> None:
        self.send_response(act.status)
        for name, value in act.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if act.kind == "truncate" else body)

    def _drip(self) -> None:
        self.send_response(200)
        self.end_headers()
        while not self.server.state.closing.wait(0.01):
            self.wfile.write(b" ")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
        """Nothing: tests read `asked`."""


def of_model(path: str, _body: Any, act: Act) -> bytes:
    """The body of an answer in the form of the API at `path`; it tells of 120 tokens of input and 30 of output."""
    if path.endswith("/chat/completions"):
        return json.dumps(_chat(act.text, act.end)).encode()
    if path.endswith("/responses"):
        return json.dumps(_responses(act.text, act.end)).encode()
    return json.dumps(_messages(act.text, act.end)).encode()


def _chat(text: str, end: End) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if end == "refusal":
        message = {"role": "assistant", "content": None, "refusal": text}
    reason = {"stop": "stop", "length": "length", "filter": "content_filter", "refusal": "stop"}[end]
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "as-served",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def _responses(text: str, end: End) -> dict[str, Any]:
    content = {"type": "output_text", "text": text, "annotations": []}
    if end == "refusal":
        content = {"type": "refusal", "refusal": text}
    reason = {"stop": None, "length": "max_output_tokens", "filter": "content_filter", "refusal": None}[end]
    return {
        "id": "resp-1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": "as-served",
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [
            {"id": "msg-1", "type": "message", "role": "assistant", "status": "completed", "content": [content]}
        ],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 120,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 150,
        },
    }


def _messages(text: str, end: End) -> dict[str, Any]:
    reason = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal", "refusal": "refusal"}[end]
    return {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": "as-served",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 120, "output_tokens": 30},
    }


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body


def main() -> None:
    with loopback() as server:
        os.environ |= {"OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "x"}
        os.environ |= {"OPENAI_BASE_URL": f"{server.address}/v1", "ANTHROPIC_BASE_URL": server.address}
        plain = _median(lambda: _plain(server.port))
        print(f"http.client: {plain:.1f} ms")
        for name in ("openai-chat:gpt-4o", "openai:gpt-4o", "anthropic:claude-haiku-5-5"):
            model = open_model(name)
            took = _median(lambda model=model: model.ask(QUESTION))  # type: ignore[misc] # bound at once
            print(f"{name}: {took:.1f} ms, {took / plain:.0f} times as long")


def _plain(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/chat/completions", json.dumps({"content": QUESTION.content}))
    json.loads(connection.getresponse().read())
    connection.close()


def _median(call: Callable[[], object]) -> float:
    """Milliseconds; the first call, which loads and reads what the others need, does not count."""
    call()
    took = []
    for _ in range(100):
        start = time.perf_counter()
        call()
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


if __name__ == "__main__":
    main()
