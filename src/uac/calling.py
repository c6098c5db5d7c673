"""A server that takes and gives JSON: one policy for trying again, for keys, and for what is told of errors.

This module needs the extra `models`; it is imported only where a server is set.
"""

import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx2
import msgspec

from uac.errors import ModelError, NoModel, Refused, Unreachable

__all__ = ["TIMEOUT", "TRIES", "Line", "Server", "Unreadable", "whole_characters"]

TIMEOUT = 120.0
TRIES = 4

LONGEST_WAIT = 60.0
"""Seconds between two tries, whatever the server asks for."""

LONGEST_CONNECT = 10.0
"""Seconds until somebody must take the call."""

LONGEST_ANSWER = 100_000_000
"""Bytes. More is no answer to what is asked here."""

SHORTEST_ECHO = 8
"""So many characters in a row that also stand in what was sent are taken for the user's words."""

PASSING_STATUS = frozenset({408, 409, 425})
REFUSING_STATUS = frozenset({400, 413, 422})

T = TypeVar("T")


class Unreadable(ValueError):
    """Raised by those who read an answer: it is not what was asked for. The words are ours and tell no text."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a model is reached, and the name it has there. `setting` is what messages tell the user to look at."""

    model: str
    url: str
    key: str = field(default="", repr=False)
    setting: str = "UAC_MODEL"
    timeout: float = TIMEOUT
    tries: int = TRIES
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if not self.model:
            raise Refused(f"{self.setting} is empty, needs the name that the server has for the model")
        if not _is_address(self.url):
            example = "'http://localhost:8080/v1', without a password in it"
            raise Refused(f"{self.setting}_URL needs an address such as {example}")
        if not re.fullmatch(r"[!-~]*", self.key):
            raise Refused(f"{self.setting}_KEY has characters that no key has, needs the key alone")

    @contextmanager
    def line(self) -> Iterator["Line"]:
        """Connections for one or more calls. No redirect is followed: the key would go along to another host."""
        timeout = httpx2.Timeout(self.timeout, connect=min(self.timeout, LONGEST_CONNECT))
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with httpx2.Client(verify=_certificates(), follow_redirects=False, timeout=timeout, headers=headers) as client:
            yield Line(self, client)


@dataclass(frozen=True, slots=True)
class Line:
    """A server that is being called."""

    server: Server
    client: httpx2.Client = field(repr=False)

    def post(self, path: str, body: Mapping[str, object], read: Callable[[bytes], T], texts: Sequence[str]) -> T:
        """What `read` makes of the answer. If it raises Unreadable, that is most often a gateway's page, and passes.

        `texts` are the user's words in `body`, which no error tells.
        """
        sent = msgspec.json.encode(body)
        failure = None
        for tried in range(self.server.tries):
            if failure is not None:
                self.server.sleep(_wait(tried, failure.after))
            outcome = self._try(path, sent, texts)
            if isinstance(outcome, bytes):
                try:
                    return read(outcome)
                except (Unreadable, msgspec.MsgspecError) as error:
                    outcome = _unreadable(error)
            failure = outcome
            if not failure.may_pass:
                break
        assert failure is not None
        times = f"; tried {tried + 1} times" if tried else ""
        # Raised here and not where it was caught: the client's own error, which holds key and words, stays behind.
        raise failure.kind(f"{self.server.model} {failure.words}{times}")

    def _try(self, path: str, sent: bytes, texts: Sequence[str]) -> "bytes | _Failure":
        until = time.monotonic() + self.server.timeout
        url = self.server.url.rstrip("/") + path
        try:
            with self.client.stream(
                "POST", url, content=sent, headers={"Content-Type": "application/json"}
            ) as response:
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > LONGEST_ANSWER:
                        return _Failure(ModelError, f"gave more than {LONGEST_ANSWER} bytes")
                    if time.monotonic() > until:  # the client's own limit is for each part
                        return _LATE
        except httpx2.TimeoutException:
            return _LATE
        except httpx2.DecodingError:
            return _Failure(Unreachable, "gave an answer that cannot be read", True)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            return _Failure(Unreachable, "cannot be reached, or the connection was lost", True)
        if response.status_code == 200:
            return bytes(body)
        return self._failure(response, bytes(body), texts)

    def _failure(self, response: httpx2.Response, body: bytes, texts: Sequence[str]) -> "_Failure":
        status = response.status_code
        code, message = _told(body)
        said = _safe_words(message, texts, self.server.key)
        number = f"({status}){': ' if said else ''}{said}"
        after = _seconds(response.headers.get("Retry-After", ""))
        if status == 402 or code == "insufficient_quota":
            return _Failure(Unreachable, f"has no quota left {number}")
        if status == 429:
            return _Failure(Unreachable, f"is asked too often {number}", True, after)
        if status in (401, 403):
            return _Failure(NoModel, f"does not take the key of {self.server.setting}_KEY {number}")
        if status == 404:
            return _Failure(NoModel, f"is not known there {number}")
        if status in PASSING_STATUS or status >= 500:
            return _Failure(Unreachable, f"is out of order {number}", True, after)
        if 300 <= status < 400:
            return _Failure(NoModel, f"answers with a redirect ({status}), which is not followed: set its own address")
        if status in REFUSING_STATUS:
            return _Failure(ModelError, f"does not take what was sent {number}")
        return _Failure(ModelError, f"does not answer {number}")


class _Failure(NamedTuple):
    """One try that gave no answer. `after` is how many seconds the server asks to wait."""

    kind: type[ModelError]
    words: str
    may_pass: bool = False
    after: float | None = None


_LATE = _Failure(Unreachable, "did not answer in time", True)


def _unreadable(error: Exception) -> _Failure:
    """Words of the decoder are not told: they can hold what was sent."""
    why = str(error) if isinstance(error, Unreadable) else "it has another form"
    return _Failure(Unreachable, f"gave an answer that cannot be read: {why}", True)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than all the rest of a call, but for the server's part."""
    return httpx2.create_ssl_context()


def _wait(tried: int, asked: float | None) -> float:
    return min(LONGEST_WAIT, 2.0 ** (tried - 1) if asked is None else asked)


def _seconds(text: str) -> float | None:
    """What a Retry-After says; a date there is passed over, and the usual wait holds."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


class _Error(msgspec.Struct):
    message: str = ""
    code: str | int | None = None


class _Body(msgspec.Struct):
    """The forms of an error's body: an object in "error", or words under one of three names."""

    error: _Error | str = ""
    message: str = ""
    detail: str = ""


def _told(body: bytes) -> tuple[str, str]:
    """The code of an error and what is said of it; nothing of a body in another form, such as a page."""
    try:
        told = msgspec.json.decode(body, type=_Body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "", ""
    if isinstance(told.error, _Error):
        return str(told.error.code), told.error.message
    return "", told.error or told.message or told.detail


def _safe_words(said: str, texts: Sequence[str], key: str) -> str:
    """Without the key and without the user's words."""
    sent = "\n".join(" ".join(text.split()) for text in texts)
    words = " ".join(whole_characters(said[:2000]).split())
    if len(key) >= 4:
        words = words.replace(key, "[key]")
    words = re.sub(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]*[*0-9][A-Za-z0-9_*-]{5,}", "[key]", words)
    kept: list[str] = []
    at = 0
    while at < len(words):
        end = at + SHORTEST_ECHO
        if end > len(words) or words[at:end] not in sent:
            kept.append(words[at])
            at += 1
            continue
        while end < len(words) and words[at : end + 1] in sent:
            end += 1
        kept.append("…")
        at = end
    told = "".join(kept)
    return told if len(told) <= 300 else told[:300] + "…"


def whole_characters(text: str) -> str:
    """Halves of characters, which JSON can carry and UTF-8 cannot, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return is_whole and parts.username is None and not parts.query and not parts.fragment
