"""Vendors' clients against a server on this machine that misbehaves in every way we have seen or could think of."""

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fake_vendor_server import (
    Act,
    Loopback,
    cut,
    drop,
    empty,
    fails,
    filtered,
    hang,
    loopback,
    no_proxy,
    nobody,
    raw,
    redirect,
    refusal,
    well,
)
from support.vendor_contract import KEY, VendorCall, VendorClientContract
from uac.errors import ModelError, NoModel, Unanswered, Unreachable
from uac.models import open_model
from uac.models.model import Model
from uac.models.prices import Price
from uac.models.requests_and_replies import Reply, Request, parse_reply_json
from uac.models.retry import REMEDIES
from uac.testing import ModelContract
from uac.testing.model import QUESTION

CHAT, RESPONSES, MESSAGES, SERVER = "openai-chat:gpt-4o", "openai:gpt-4o", "anthropic:claude-haiku-5-5", "served"
NAMES = (CHAT, RESPONSES, MESSAGES, SERVER)

Open = Callable[..., Model]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """All vendors stand at this machine's address, and no proxy stands between."""
    with loopback() as server:
        no_proxy(monkeypatch)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.address)
        yield server


@pytest.fixture
def waits() -> list[float]:
    """How long was waited between tries, in seconds that nobody waited."""
    return []


@pytest.fixture
def opened(server: Loopback, waits: list[float]) -> Open:
    def opened(name: str, **options: Any) -> Model:
        at = {"url": f"{server.address}/v1", "key": KEY} if name == SERVER else {}
        return open_model(name, sleep=waits.append, **{"timeout": 300.0, **at, **options})

    return opened


class TestVendor(ModelContract):
    @pytest.fixture(params=NAMES)
    def model(self, request: pytest.FixtureRequest, opened: Open) -> Model:
        return opened(request.param)

    @pytest.fixture(params=NAMES)
    def mute(self, request: pytest.FixtureRequest, opened: Open, server: Loopback) -> Model:
        server.will(*[fails(400, f"cannot read {QUESTION.content} with {KEY}")] * 2)
        return opened(request.param)


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_tells_words_tokens_and_cost(name: str, opened: Open) -> None:
    costs = {CHAT: Decimal("0.0006"), RESPONSES: Decimal("0.0006"), MESSAGES: Decimal("0.000027"), SERVER: None}
    reply = opened(name).ask(QUESTION)
    assert reply == Reply(text='{"facts": []}', model=name, input_tokens=120, output_tokens=30, cost=costs[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_request_that_is_sent_again_has_the_same_idempotency_key(name: str, opened: Open, server: Loopback) -> None:
    server.will(fails(503), well(), well(), well())
    asking = msgspec.structs.replace(QUESTION, step="ask")
    for request in (QUESTION, QUESTION, asking):
        opened(name).ask(request)
    keys = [
        {key.lower(): value for key, value in asked.headers.items()}.get("idempotency-key") for asked in server.asked
    ]
    assert keys == [f"uac-{QUESTION.id}"] * 3 + [None], "a question may be asked twice to get two answers"


@pytest.mark.parametrize("name", NAMES)
def test_a_price_that_is_set_counts_before_the_list(name: str, opened: Open) -> None:
    model = opened(name, price=Price(Decimal(1000), Decimal(10_000)))
    assert model.ask(QUESTION).cost == Decimal("0.42")


@pytest.mark.parametrize("text", ['```json\n{"facts": []}\n```', 'Here it is: {"facts": []}. Done.'])
@pytest.mark.parametrize("name", NAMES)
def test_words_around_the_json_are_kept_for_the_parser(name: str, text: str, opened: Open, server: Loopback) -> None:
    server.will(well(text))
    reply = opened(name).ask(QUESTION)
    assert reply.text == text
    assert parse_reply_json(reply.text) == {"facts": []}


@pytest.mark.parametrize("name", NAMES)
def test_broken_json_in_a_reply_is_left_to_the_parser(name: str, opened: Open, server: Loopback) -> None:
    server.will(well('{"facts": [}'))
    assert opened(name).ask(QUESTION).text == '{"facts": [}'


def test_halves_of_characters_do_not_reach_the_log(opened: Open, server: Loopback) -> None:
    server.will(well("{} \ud83d ok"))
    assert opened(SERVER).ask(QUESTION).text == "{} ? ok"


# --- trying again, and what an error shows ---


class TestModelClient(VendorClientContract):
    @pytest.fixture(params=NAMES)
    def call(self, request: pytest.FixtureRequest, opened: Open) -> VendorCall:
        return VendorCall(
            open=lambda **options: opened(request.param, **options),
            use=lambda model: model.ask(QUESTION).text,
            answer=well(),
            result='{"facts": []}',
            words=QUESTION.content,
        )


def test_nobody_at_the_address_is_unreachable(opened: Open, waits: list[float]) -> None:
    with pytest.raises(Unreachable, match="cannot be reached"):
        opened(SERVER, url=f"{nobody()}/v1").ask(QUESTION)
    assert waits == [1.0, 2.0, 4.0]


# --- what trying again does not mend ---

LASTING: dict[str, tuple[Act, type[ModelError], str]] = {
    "401": (fails(401, "bad key"), NoModel, "rejects the key (401): bad key"),
    "403": (fails(403, "not yours"), NoModel, "rejects the key (403): not yours"),
    "404": (fails(404, "no such model"), NoModel, "is unknown to the server (404): no such model"),
    "400": (fails(400, "bad schema"), ModelError, "rejects the request of step extract (400): bad schema"),
    "402": (fails(402, "pay"), Unreachable, ": the quota is used up (402): pay"),
    "418": (fails(418, "a teapot"), ModelError, "does not answer (418): a teapot"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LASTING)
@pytest.mark.parametrize("name", NAMES)
def test_what_lasts_is_told_at_once_in_the_vendors_words(
    name: str, kind: str, opened: Open, server: Loopback, waits: list[float]
) -> None:
    act, error, words = LASTING[kind]
    server.will(act)
    with pytest.raises(ModelError) as failed:
        opened(name).ask(QUESTION)
    assert type(failed.value) is error
    assert str(failed.value).replace(" ", "") == f"{name}{words}. {REMEDIES[error]}".replace(" ", "")
    assert (waits, len(server.asked)) == ([], 1)


def test_a_quota_that_is_used_up_is_not_waited_for(opened: Open, server: Loopback, waits: list[float]) -> None:
    server.will(fails(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(Unreachable, match="quota"):
        opened(CHAT).ask(QUESTION)
    assert waits == []


UNANSWERED = {
    "length": (cut('{"facts": ['), "cut", '{"facts": ['),
    "a content filter": (filtered(), "refused", ""),
    "a refusal": (refusal("I would rather not."), "refused", "I would rather not."),
    "nothing": (empty(), "empty", ""),
    "blanks": (well(" \n"), "empty", ""),
}


@pytest.mark.parametrize("kind", UNANSWERED)
@pytest.mark.parametrize("name", NAMES)
def test_no_answer_says_why_and_keeps_what_there_was(name: str, kind: str, opened: Open, server: Loopback) -> None:
    act, reason, text = UNANSWERED[kind]
    server.will(act)
    with pytest.raises(Unanswered) as failed:
        opened(name).ask(QUESTION)
    assert (failed.value.reason, failed.value.text) == (reason, text)
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_answer_is_cut(name: str, opened: Open, server: Loopback) -> None:
    server.will(well("x" * 8_000_000))
    with pytest.raises(Unanswered) as failed:
        opened(name).ask(QUESTION)
    assert (failed.value.reason, len(failed.value.text)) == ("cut", 1_000_000)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                "choices message content output text type usage finish_reason stop_reason error status model".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", [CHAT, RESPONSES, MESSAGES])
def test_whatever_json_comes_it_is_a_reply_or_a_model_error(name: str, opened: Open, server: Loopback) -> None:
    model = opened(name, tries=1)

    @settings(max_examples=60, deadline=None)
    @given(body=json_values)
    def comes(body: object) -> None:
        server.will(raw(json.dumps(body).encode()))
        try:
            reply = model.ask(QUESTION)
        except ModelError:
            return
        assert reply.text.strip()

    comes()


# --- key and words ---


@pytest.mark.parametrize("name", NAMES)
def test_a_redirect_within_the_host_is_not_followed_either(name: str, opened: Open, server: Loopback) -> None:
    server.will(redirect(f"{server.address}/elsewhere"))
    with pytest.raises(NoModel, match="redirect"):
        opened(name).ask(QUESTION)
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_the_vendor_is_not_told(name: str, opened: Open, server: Loopback) -> None:
    server.will(*[raw(f"<p>{QUESTION.content} {KEY}</p>".encode(), "text/html")] * 4)
    with pytest.raises(ModelError) as failed:
        opened(name).ask(QUESTION)
    told = "".join(traceback.format_exception(failed.value))
    assert [secret for secret in (KEY, "Margarethe") if secret in told] == []


# --- what is sent ---

FREE = {
    "type": "object",
    "properties": {"fields": {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}},
    "required": ["fields"],
    "additionalProperties": False,
}


def asked_with(schema: dict[str, Any]) -> Request:
    return Request(step="checkpoint", prompt="Propose. Answer in JSON.", content="{}", schema=schema)


def test_a_closed_schema_is_sent_as_structured_output(opened: Open, server: Loopback) -> None:
    for name in NAMES:
        opened(name).ask(QUESTION)
    chat, responses, messages, served = (asked.body for asked in server.asked)
    sent = {"name": "extract", "schema": QUESTION.schema, "strict": True}
    assert chat["response_format"] == served["response_format"] == {"type": "json_schema", "json_schema": sent}
    assert responses["text"]["format"] == {"type": "json_schema", **sent}
    assert messages["output_config"]["format"] == {"type": "json_schema", "schema": QUESTION.schema}


def test_a_schema_with_free_objects_is_not_strict_and_goes_in_words_where_it_must_be(
    opened: Open, server: Loopback
) -> None:
    for name in (CHAT, RESPONSES, MESSAGES):
        opened(name).ask(asked_with(FREE))
    chat, responses, messages = (asked.body for asked in server.asked)
    assert chat["response_format"]["json_schema"] == {"name": "checkpoint", "schema": FREE, "strict": False}
    assert responses["text"]["format"]["strict"] is False
    assert "output_config" not in messages
    assert json.dumps(FREE)[:-1] in "".join(part["text"] for part in messages["system"])


def test_a_schema_beyond_the_vendors_limits_goes_in_words(opened: Open, server: Loopback) -> None:
    many = {f"field{n}": {"anyOf": [{"type": "string"}, {"type": "null"}]} for n in range(40)}
    opened(MESSAGES).ask(asked_with({"type": "object", "properties": many, "additionalProperties": False}))
    assert "output_config" not in server.asked[0].body


def test_a_model_without_structured_output_gets_the_schema_in_words(opened: Open, server: Loopback) -> None:
    opened("deepseek/any", url=f"{server.address}/v1").ask(QUESTION)
    body = server.asked[0].body
    assert "response_format" not in body
    assert json.dumps(QUESTION.schema)[:-1] in "".join(message["content"] for message in body["messages"])


def test_prompt_and_content_are_sent_apart_and_as_they_are(opened: Open, server: Loopback) -> None:
    opened(SERVER).ask(QUESTION)
    assert server.asked[0].body["messages"] == [
        {"role": "system", "content": QUESTION.prompt},
        {"role": "user", "content": QUESTION.content},
    ]
    assert server.asked[0].body["temperature"] == 0
    assert server.asked[0].body["max_tokens"] == 4000


def test_the_vendor_is_asked_to_keep_nothing(opened: Open, server: Loopback) -> None:
    opened(RESPONSES).ask(QUESTION)
    assert server.asked[0].body["store"] is False


@pytest.mark.parametrize(
    "name", ["openai:gpt-5-mini", "openai-chat:o3-mini", "openai:gpt-5.1", "anthropic:claude-opus-5"]
)
def test_models_that_think_get_room_for_it_and_no_temperature_they_refuse(
    name: str, opened: Open, server: Loopback
) -> None:
    opened(name).ask(QUESTION)  # a warning of the client would be an error here
    body = server.asked[0].body
    most = body.get("max_tokens") or body.get("max_output_tokens") or body.get("max_completion_tokens")
    assert (most, body.get("temperature")) in [(12000, None), (4000, 0.0)]


def test_a_server_without_a_key_gets_none_of_ours(opened: Open, server: Loopback) -> None:
    opened(SERVER, key="").ask(QUESTION)
    assert KEY not in str(server.asked[0])


def test_nothing_stays_open(opened: Open, server: Loopback) -> None:
    before = set(threading.enumerate())
    server.will(hang())
    with pytest.raises(Unreachable):
        opened(MESSAGES, timeout=0.2, tries=1).ask(QUESTION)
    server.will(drop(), well())
    opened(MESSAGES).ask(QUESTION)
    new = [thread.name for thread in threading.enumerate() if thread not in before]
    assert [name for name in new if "process_request" not in name] == []  # those are the server's own
