"""A server that takes and gives JSON over HTTP.

This module needs the extra `models`; it is imported only if a server is configured.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import httpx2
import msgspec

from uac.errors import ModelError, NoModel, Refused, Unreachable
from uac.models.http_address import is_http_address
from uac.models.http_connections import http_timeout, shared_ssl_context
from uac.models.redaction import redacted_message
from uac.models.retry import PASSING_STATUS, TIMEOUT, TRIES, CallFailure, call_with_retries, retry_after_seconds

__all__ = ["ModelServer", "ServerConnection", "UnreadableAnswer"]


MAX_ANSWER_BYTES = 100_000_000
"""A larger answer is refused."""

REFUSING_STATUS = frozenset({400, 413, 422})

T = TypeVar("T")


class UnreadableAnswer(ValueError):
    """Raised by a parser: the answer has the wrong form. The message is ours and contains no user text."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The address of a model, and its name there. `setting` is the environment variable that messages name."""

    model: str
    url: str
    key: str = field(default="", repr=False)
    setting: str = "UAC_MODEL"
    timeout: float = TIMEOUT
    tries: int = TRIES
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if not self.model:
            raise Refused(f"{self.setting} is empty. Set it to the server's name for the model.")
        if not is_http_address(self.url) or "?" in self.url or "#" in self.url:  # paths are appended
            example = "'http://localhost:8080/v1', without a password in it"
            raise Refused(f"{self.setting}_URL is not an address. Use one such as {example}.")
        if not re.fullmatch(r"[!-~]*", self.key):
            raise Refused(f"{self.setting}_KEY has characters that no key has. Set it to the key alone.")

    @contextmanager
    def connect(self) -> Iterator["ServerConnection"]:
        """A connection for one or more calls. Redirects are not followed: the key would be sent to another host."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with httpx2.Client(
            verify=shared_ssl_context(), follow_redirects=False, timeout=http_timeout(self.timeout), headers=headers
        ) as client:
            yield ServerConnection(self, client)


@dataclass(frozen=True, slots=True)
class ServerConnection:
    """An open connection to a server."""

    server: ModelServer
    client: httpx2.Client = field(repr=False)

    def post(self, path: str, body: Mapping[str, object], read: Callable[[bytes], T], texts: Sequence[str]) -> T:
        """The answer, parsed by `read`. UnreadableAnswer answers are retried: most are a gateway's error page.

        `texts` is the user text in `body`, which no error message repeats.
        """
        sent = msgspec.json.encode(body)

        def attempt() -> T | CallFailure:
            answer = self._post_once(path, sent, texts)
            if isinstance(answer, CallFailure):
                return answer
            try:
                return read(answer)
            except UnreadableAnswer as error:
                why = str(error)
            except msgspec.MsgspecError:  # its message is dropped: it may contain what was sent
                why = "it has an unexpected form"
            return self._server_failure(Unreachable, f"gave an answer that cannot be read: {why}", True)

        return call_with_retries(attempt, self.server.tries, self.server.sleep)

    def _post_once(self, path: str, sent: bytes, texts: Sequence[str]) -> bytes | CallFailure:
        late = self._server_failure(Unreachable, "did not answer in time", True)
        until = time.monotonic() + self.server.timeout
        url = self.server.url.rstrip("/") + path
        try:
            with self.client.stream(
                "POST", url, content=sent, headers={"Content-Type": "application/json"}
            ) as response:
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > MAX_ANSWER_BYTES:
                        return self._server_failure(ModelError, f"gave more than {MAX_ANSWER_BYTES} bytes")
                    if time.monotonic() > until:  # the client's own limit applies to each chunk
                        return late
        except httpx2.TimeoutException:
            return late
        except httpx2.DecodingError:
            return self._server_failure(Unreachable, "gave an answer that cannot be read", True)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            return self._server_failure(Unreachable, "cannot be reached, or the connection was lost", True)
        if response.status_code == 200:
            return bytes(body)
        return self._failure_of_status(response, bytes(body), texts)

    def _failure_of_status(self, response: httpx2.Response, body: bytes, texts: Sequence[str]) -> CallFailure:
        status = response.status_code
        code, message = _parse_server_error(body)
        said = f"({status}){redacted_message(message, texts, self.server.key)}"
        after = retry_after_seconds(response.headers.get("Retry-After", ""))
        if status == 402 or code == "insufficient_quota":
            return self._server_failure(Unreachable, f"has no quota left {said}")
        if status == 429:
            return self._server_failure(Unreachable, f"gets too many requests {said}", True, after)
        if status in (401, 403):
            return self._server_failure(NoModel, f"rejects the key of {self.server.setting}_KEY {said}")
        if status == 404:
            return self._server_failure(NoModel, f"is unknown to the server {said}")
        if status in PASSING_STATUS or status >= 500:
            return self._server_failure(Unreachable, f"has a server error {said}", True, after)
        if 300 <= status < 400:
            return self._server_failure(NoModel, f"answers with a redirect ({status}), which is not followed")
        if status in REFUSING_STATUS:
            return self._server_failure(ModelError, f"rejects the request {said}")
        return self._server_failure(ModelError, f"does not answer {said}")

    def _server_failure(
        self, kind: type[ModelError], message: str, is_temporary: bool = False, retry_after: float | None = None
    ) -> CallFailure:
        return CallFailure(kind, f"{self.server.model} {message}", is_temporary, retry_after)


class _ErrorObject(msgspec.Struct):
    message: str = ""
    code: str | int | None = None


class _ErrorBody(msgspec.Struct):
    """The known forms of an error body: an object in "error", or text under one of three names."""

    error: _ErrorObject | str = ""
    message: str = ""
    detail: str = ""


def _parse_server_error(body: bytes) -> tuple[str, str]:
    """The code and message of an error body; empty for other forms, such as an HTML page."""
    try:
        found = msgspec.json.decode(body, type=_ErrorBody)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "", ""
    if isinstance(found.error, _ErrorObject):
        return str(found.error.code), found.error.message
    return "", found.error or found.message or found.detail
