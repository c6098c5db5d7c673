"""Conformance tests for a model: subclass `ModelContract` and give it the fixtures `model` and `mute`.

class TestMine(ModelContract):
    @pytest.fixture
    def model(self):
        return MyModel()  # answers QUESTION

    @pytest.fixture
    def mute(self):
        return MyModel(host="nowhere.invalid")  # has no answer
"""

import asyncio
import traceback
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from uac.errors import ModelError
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request

__all__ = ["QUESTION", "ModelContract"]

QUESTION = Request(
    step="extract",
    prompt="List the facts. Answer in JSON.",
    content='{"said": "My sister Margarethe is allergic to penicillin"}',
    schema={
        "type": "object",
        "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
        "required": ["facts"],
        "additionalProperties": False,
    },
)


class ModelContract:
    """The behaviour that all models share."""

    @pytest.fixture
    def model(self) -> Model:
        raise NotImplementedError(
            "A model is missing. Define the fixture `model`, which answers QUESTION, in the subclass."
        )

    @pytest.fixture
    def mute(self) -> Model:
        raise NotImplementedError("A model without an answer is missing. Define the fixture `mute` in the subclass.")

    def test_a_request_has_a_reply_with_words(self, model: Model) -> None:
        reply = model.ask(QUESTION)
        assert isinstance(reply, Reply)
        assert reply.text.strip()
        assert reply.model
        assert reply.input_tokens >= 0
        assert reply.output_tokens >= 0
        assert reply.cost is None or reply.cost >= 0

    def test_a_reply_can_be_written_down_and_read_again(self, model: Model) -> None:
        reply = model.ask(QUESTION)
        assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply

    def test_a_model_has_a_name_that_stays(self, model: Model) -> None:
        name = model.name
        model.ask(QUESTION)
        assert name
        assert model.name == name

    def test_a_request_can_be_asked_again(self, model: Model) -> None:
        assert [model.ask(QUESTION).model for _ in range(3)] == [model.ask(QUESTION).model] * 3

    def test_a_model_answers_inside_a_running_loop(self, model: Model) -> None:
        async def ask() -> Reply:
            return model.ask(QUESTION)

        assert asyncio.run(ask()).text.strip()

    def test_a_model_answers_in_several_threads_at_once(self, model: Model) -> None:
        with ThreadPoolExecutor(max_workers=4) as threads:
            replies = list(threads.map(model.ask, [QUESTION] * 8))
        assert all(reply.text.strip() for reply in replies)

    def test_without_an_answer_it_raises_a_model_error(self, mute: Model) -> None:
        with pytest.raises(ModelError):
            mute.ask(QUESTION)

    def test_neither_an_error_nor_the_model_itself_tells_the_users_words(self, mute: Model) -> None:
        with pytest.raises(ModelError) as failed:
            mute.ask(QUESTION)
        printed = "".join(traceback.format_exception(failed.value)) + repr(mute) + repr(failed.value)
        assert "Margarethe" not in printed
        assert "penicillin" not in printed
