"""What tests of the client share: a moment, a type, quick retries, and a server that gives prepared answers."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from uac.interfaces.client import Patience
from uac.schema.types import Field, Type

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
QUICK = Patience(timeout=300, tries=3, first_wait=0)
BOOK = Type(domain="reading", name="Book", key=("title",), fields=(Field(name="title", type="str"),))


class Asked(NamedTuple):
    """One request as it came in."""

    headers: dict[str, str]
    body: Any


class Script:
    """A server that gives prepared answers, byte by byte, and keeps what it was asked."""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.address = ""


@contextmanager
def scripted(answers: list[bytes]) -> Iterator[Script]:
    script = Script(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.asked.append(Asked(headers, json.loads(body or b"null")))
            self.close_connection = True
            if script.answers:
                self.wfile.write(script.answers.pop(0))

        do_GET = do_POST  # noqa: N815 - the name that the library has

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library has
            """Nothing: tests read `asked`."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()


def reply(status: int, body: object, *headers: str) -> bytes:
    content = json.dumps(body).encode()
    # The server hangs up after each answer, and says so: else a client may still try the old connection.
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}", "Content-Type: application/json"]
    head += ["Connection: close", *headers]
    return "\r\n".join([*head, "", ""]).encode() + content


BUSY = reply(503, {"title": "Unavailable", "status": 503, "detail": "the store is busy"}, "Retry-After: 0")
