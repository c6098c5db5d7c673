"""A model on this machine for the bench of workers: it answers from the request alone, and counts who asked what.

It answers a repeated request, which has the same idempotency key, with the first reply, as a gateway would.
"""

import http.client
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from uac import Reply, Request

__all__ = ["Call", "CallingModel", "CountingServer", "LocalModel", "counting_server", "reply_to", "session_text"]

NAME = "loopback"
LATENCY = 0.01  # seconds that a reply takes, so that some workers are killed while they wait for one


def session_text(number: int) -> str:
    """What is said in a session; no two are the same."""
    return f"Last week I read the book Voyage {number}."


def reply_to(step: str, content: str) -> str:
    """The reply to a request: a fact for each turn, a record for each fact."""
    asked = json.loads(content)
    if step == "extract":
        return json.dumps({"facts": [_fact(turn) for turn in asked["turns"] if not turn.get("context")]})
    return json.dumps({"patches": [_patch(fact) for fact in asked["facts"]]})


def _fact(turn: dict[str, Any]) -> dict[str, Any]:
    title = re.findall(r"Voyage \d+", turn["text"])[0]
    quote = f"I read the book {title}"
    return {
        "text": f"The user read the book {title}.",
        "about": "user",
        "cites": [{"turn": turn["turn"], "quote": quote}],
        "topic": "other",
    }


def _patch(fact: dict[str, Any]) -> dict[str, Any]:
    title = re.findall(r"Voyage \d+", fact["text"])[0]
    fields = {"title": title, "kind": "book"}
    return {"op": "put", "type": "leisure.Title", "fields": fields, "cites": [fact["fact"]]}


class LocalModel:
    """Answers in this process: the undisturbed run that the others are compared with."""

    name = NAME

    def __init__(self) -> None:
        self.calls = 0

    def ask(self, request: Request) -> Reply:
        self.calls += 1
        return _reply(reply_to(request.step, request.content))


class CallingModel:
    """Asks the counting server. The key of a request is its id, which is a function of the log."""

    name = NAME

    def __init__(self, port: int) -> None:
        self._port = port

    def ask(self, request: Request) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        headers = {"Idempotency-Key": request.id, "X-Process": str(os.getpid())}
        connection.request("POST", f"/{request.step}", request.content.encode(), headers)
        text = connection.getresponse().read().decode()
        connection.close()
        return _reply(text)


def _reply(text: str) -> Reply:
    return Reply(text=text, model=NAME, input_tokens=len(text), output_tokens=len(text))


class Call(NamedTuple):
    """A request that came in: its key, the process that sent it, and when."""

    key: str
    process: int
    at: float


@dataclass(slots=True)
class CountingServer:
    """All calls, in the order in which they came."""

    port: int
    calls: list[Call] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)


@contextmanager
def counting_server() -> Iterator[CountingServer]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"])).decode()
            key = self.headers["Idempotency-Key"]
            with lock:
                counted.calls.append(Call(key, int(self.headers["X-Process"]), time.time()))
            time.sleep(LATENCY)
            text = counted.replies.setdefault(key, reply_to(self.path[1:], content)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
            """Nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                return  # the worker was killed while it waited

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    counted = CountingServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield counted
    finally:
        server.shutdown()
        server.server_close()
