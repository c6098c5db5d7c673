"""What every client of a vendor does: tries again what may pass, and gives away neither the key nor the user's words.

A test module subclasses `VendorClientContract` with the fixture `call`, and has the fixtures `server` and `waits`.
"""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from support.fake_vendor_server import Act, Loopback, drop, fails, hang, loopback, raw, redirect, truncated
from uac.errors import ModelError, NoModel, Unreachable

__all__ = ["KEY", "VendorCall", "VendorClientContract"]

KEY = "sk-live-0123456789abcdef"

PASSING = {
    "429": fails(429, "slow down"),
    "500": fails(500),
    "503": fails(503),
    "529": fails(529),
    "408": fails(408),
    "a dropped connection": drop(),
    "a body that stops half way": truncated(),
    "no JSON": raw(b"upstream timed out"),
    "a page": raw(b"<html>maintenance</html>", "text/html"),
    "unexpected form": raw(b'{"choices": 5, "output": 5, "content": 5, "data": 5, "results": 5}'),
}


@dataclass(frozen=True)
class VendorCall:
    """A call through a client: how the client is opened and used, the server's good answer, and the result of it."""

    open: Callable[..., Any]
    """Takes the options `timeout` and `tries`."""
    use: Callable[[Any], object]
    answer: Act
    result: object
    words: str
    """The user's words that the call sends."""


class VendorClientContract:
    """The behaviour that all clients share."""

    @pytest.fixture
    def call(self) -> VendorCall:
        raise NotImplementedError("a subclass gives a call through its client")

    @pytest.mark.parametrize("problem", PASSING)
    def test_a_problem_that_passes_is_tried_again(
        self, problem: str, call: VendorCall, server: Loopback, waits: list[float]
    ) -> None:
        server.will(PASSING[problem], PASSING[problem], call.answer)
        assert call.use(call.open()) == call.result
        assert (waits, len(server.asked)) == ([1.0, 2.0], 3)

    @pytest.mark.parametrize("problem", ["429", "500", "a dropped connection", "a page"])
    def test_a_problem_that_does_not_pass_is_tried_four_times_and_no_more(
        self, problem: str, call: VendorCall, server: Loopback, waits: list[float]
    ) -> None:
        server.will(*[PASSING[problem]] * 9)
        with pytest.raises(Unreachable, match="tried 4 times"):
            call.use(call.open())
        assert (waits, len(server.asked)) == ([1.0, 2.0, 4.0], 4)

    @pytest.mark.parametrize(("retry_after", "waited"), [("7", 7.0), ("0", 0.0), ("3600", 60.0), ("soon", 1.0)])
    def test_the_server_says_how_long_to_wait_up_to_a_minute(
        self, retry_after: str, waited: float, call: VendorCall, server: Loopback, waits: list[float]
    ) -> None:
        server.will(fails(429, retry_after=retry_after), call.answer)
        assert call.use(call.open()) == call.result
        assert waits == [waited]

    def test_silence_ends_with_the_time_limit(self, call: VendorCall, server: Loopback, waits: list[float]) -> None:
        server.will(hang(), hang())
        with pytest.raises(Unreachable, match="did not answer in time"):
            call.use(call.open(timeout=0.2, tries=2))
        assert waits == [1.0]

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_the_key_and_the_words_are_not_sent_to_another_host(
        self, status: int, call: VendorCall, server: Loopback
    ) -> None:
        with loopback() as other:
            server.will(redirect(f"http://localhost:{other.port}/v1/chat/completions", status))
            with pytest.raises(NoModel, match="redirect"):
                call.use(call.open())
            assert (other.asked, len(server.asked)) == ([], 1)

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500])
    def test_an_error_shows_neither_the_key_nor_the_users_words(
        self, status: int, call: VendorCall, server: Loopback
    ) -> None:
        server.will(*[fails(status, f"Incorrect API key {KEY} (sk-live-****cdef) for: {call.words}")] * 4)
        client = call.open()
        with pytest.raises(ModelError) as failed:
            call.use(client)
        shown = "".join(traceback.format_exception(failed.value)) + repr(client) + repr(failed.value)
        assert [secret for secret in (KEY, "cdef", "Margarethe", "penicillin") if secret in shown] == []
        assert "Incorrect API key [key] ([key]) for: …" in str(failed.value)
        assert failed.value.__cause__ is failed.value.__context__ is None
