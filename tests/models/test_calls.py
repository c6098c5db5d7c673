"""A call of a model as an entry of the log, and the names of the parts of its reply."""

from datetime import datetime, timedelta, timezone

import pytest

from uac.log.stores.in_memory import MemoryStore
from uac.models.budget import budget_day
from uac.models.calls import MAX_REPLY_CHARACTERS, call_author, call_part_label, model_call_of
from uac.models.requests_and_replies import Reply, Request, Step
from uac.schema.entries import Finding, ModelCall


def request(step: Step = "extract") -> Request:
    return Request(step=step, prompt="Read.", content="{}", schema={}, answers=(3,), read=(1, 3))


def test_a_call_names_the_request_the_reply_and_its_cost() -> None:
    asked = request()
    reply = Reply(text="{}", model="m", input_tokens=10, output_tokens=5)
    assert model_call_of(reply, asked, findings=()) == ModelCall(
        model="m",
        prompt_hash=asked.prompt_hash,
        request_hash=asked.hash,
        reply="{}",
        read=(1, 3),
        input_tokens=10,
        output_tokens=5,
        step="extract",
        answers=(3,),
    )
    assert call_author(reply, asked) == f"m, prompt {asked.prompt_hash[:12]}"


def test_a_reply_is_kept_up_to_a_limit_and_without_halves_of_characters() -> None:
    assert (
        model_call_of(Reply(text="é" * (MAX_REPLY_CHARACTERS + 1), model="m"), request()).reply
        == "é" * MAX_REPLY_CHARACTERS
    )
    assert model_call_of(Reply(text="a\ud800", model="m"), request()).reply == "a?"


@pytest.mark.parametrize(
    ("step", "part", "text", "name"),
    [
        ("extract", 0, "{}", "the reply"),
        ("extract", 2, "{}", "fact 2"),
        ("checkpoint", 1, '{"patches": [{}, {}]}', "patch 1"),
        ("checkpoint", 3, '{"patches": [{}, {}]}', "constraint 1"),
        ("checkpoint", 1, '{"patches": 7}', "patch 1"),
        ("checkpoint", 1, "no object", "patch 1"),
    ],
)
def test_a_part_is_named_as_the_reply_counts_it(step: Step, part: int, text: str, name: str) -> None:
    assert call_part_label(Finding(part=part, why="wrong"), request(step), Reply(text=text, model="m")) == name


def test_a_day_of_a_budget_is_a_day_in_utc() -> None:
    late = datetime(2026, 3, 2, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
    assert budget_day(MemoryStore(clock=lambda: late).log("ana")) == "2026-03-03"
