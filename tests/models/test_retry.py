"""A failed call is tried again as long as that may help, and what is reported of it holds no key and no user's words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import ModelError, NoModel, Unreachable
from uac.models.http_address import is_http_address
from uac.models.redaction import redacted_message
from uac.models.retry import MAX_WAIT, CallFailure, call_with_retries
from uac.schema.safe_text import replace_lone_surrogates

BUSY = CallFailure(Unreachable, "busy", is_temporary=True)


def tried(*outcomes: "CallFailure | str", tries: int = 4) -> tuple[str, list[float]]:
    waits: list[float] = []
    left = iter(outcomes)
    return call_with_retries(lambda: next(left), tries, waits.append), waits


def test_the_answer_is_returned_and_the_waits_double() -> None:
    assert tried(BUSY, BUSY, BUSY, "well") == ("well", [1.0, 2.0, 4.0])
    assert tried("well") == ("well", [])


def test_the_server_may_say_how_long_to_wait_up_to_a_limit() -> None:
    failures = [BUSY._replace(retry_after=after) for after in (0.5, -3.0, 9000.0)]
    assert tried(*failures, "well") == ("well", [0.5, 0.0, MAX_WAIT])


@pytest.mark.parametrize(
    ("outcomes", "error", "words"),
    [
        ([BUSY] * 4, Unreachable, "busy; tried 4 times. Try again later."),
        ([CallFailure(NoModel, "no key")], NoModel, "no key. Check the settings of the model."),
        (
            [BUSY, CallFailure(ModelError, "too long")],
            ModelError,
            "too long; tried 2 times. Check the limits of the server.",
        ),
    ],
)
def test_the_last_failure_is_raised(outcomes: list[CallFailure], error: type[ModelError], words: str) -> None:
    with pytest.raises(error) as raised:
        tried(*outcomes)
    assert (type(raised.value), str(raised.value), raised.value.__context__) == (error, words, None)


@given(st.text(min_size=8, max_size=40), st.text("abc ", max_size=30), st.text("abc ", max_size=30))
def test_no_long_run_of_the_sent_text_is_reported(sent: str, before: str, after: str) -> None:
    sent = " ".join(replace_lone_surrogates(sent).split())
    shown = redacted_message(f"{before}{sent}{after}", [sent], "")
    assert not any(sent[at : at + 8] in shown for at in range(len(sent) - 7))


@pytest.mark.parametrize(
    ("said", "key", "shown"),
    [
        ("Incorrect key secretkey1", "secretkey1", ": Incorrect key [key]"),
        ("Incorrect key sk-proj-a1b2c3d4", "", ": Incorrect key [key]"),
        ("too\n many   calls", "", ": too many calls"),
        ("", "", ""),
        ("x" * 400, "", ": " + "x" * 300 + "…"),
        ("half \ud800", "", ": half ?"),
        ("abc", "abc", ": abc"),
    ],
)
def test_a_servers_words_are_short_and_hold_no_key(said: str, key: str, shown: str) -> None:
    assert redacted_message(said, [], key) == shown


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("https://example.org", True),
        ("ftp://example.org", False),
        ("http://", False),
        ("http://ana:secret@example.org", False),
        ("http://example.org:99999", False),
        ("http://[::1", False),
    ],
)
def test_an_address_names_a_server_without_a_password(url: str, is_one: bool) -> None:
    assert is_http_address(url) is is_one
