"""The exchange of one request for an answer, without I/O: when to send it again, and what the answer means.

`exchange` yields the next action and is sent its result, so both kinds of client share it.
"""

from collections.abc import Generator
from typing import TypeVar

import msgspec

from uac.interfaces.client.calls import Call, Got, HttpRequest, Lost, call_request
from uac.interfaces.client.response_errors import ClientError, error_from_response
from uac.interfaces.client.retry import PASSING, Patience, Pause, attempts_text, backoff_seconds, retry_after_seconds

__all__ = ["exchange"]

T = TypeVar("T")


def exchange(call: Call[T], patience: Patience) -> Generator[HttpRequest | Pause, Got | Lost | None, T]:
    """Send a request until there is an answer or a final error, which is raised."""
    request = call_request(call)
    tried = 0
    while True:
        got = yield request
        tried += 1
        assert got is not None
        is_last = tried >= patience.tries or call.kind == "once"
        if isinstance(got, Lost):
            if is_last:
                raise ClientError(f"{got.why}{attempts_text(tried)}")
            yield Pause(backoff_seconds(tried, patience))
        elif 200 <= got.status < 300:
            return _decode_exchange_answer(call, got)
        elif got.status not in PASSING or is_last:
            raise error_from_response(got, call.tag)
        else:
            yield Pause(max(backoff_seconds(tried, patience), retry_after_seconds(got)))


def _decode_exchange_answer(call: Call[T], got: Got) -> T:
    try:
        if call.is_tag:
            return msgspec.convert(got.headers.get("etag"), call.answer)
        return msgspec.json.decode(got.body or b"null", type=call.answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ClientError(
            f"The service answered in an unknown form: {error}. Update the client or the service.", status=got.status
        ) from None
