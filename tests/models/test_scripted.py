"""The scripted model: replies in order or by a function, and the requests that it was asked."""

import pytest

from uac.errors import Unreachable
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request
from uac.models.scripted import ScriptedModel
from uac.testing import ModelContract
from uac.testing.model import QUESTION


class TestScripted(ModelContract):
    @pytest.fixture
    def model(self) -> Model:
        return ScriptedModel(*[{"facts": []}] * 8)

    @pytest.fixture
    def mute(self) -> Model:
        return ScriptedModel(Unreachable("no network"), Unreachable("no network"))


def test_replies_are_given_in_order_as_text_as_json_or_whole() -> None:
    whole = Reply(text="ok", model="other", input_tokens=1)
    model = ScriptedModel("hello", {"name": "Zoë"}, whole)
    first, second, third = (model.ask(QUESTION) for _ in range(3))
    assert first == Reply(text="hello", model="scripted", input_tokens=QUESTION.tokens, output_tokens=1)
    assert (second.text, third) == ('{"name": "Zoë"}', whole)
    assert (model.requests, model.steps) == ([QUESTION] * 3, ["extract"] * 3)
    assert model.contents[0] == {"said": "My sister Margarethe is allergic to penicillin"}


def test_a_request_after_the_last_reply_is_a_mistake_of_the_test() -> None:
    with pytest.raises(AssertionError, match="step extract"):
        ScriptedModel().ask(QUESTION)


def test_a_function_answers_each_request() -> None:
    def repeated(request: Request) -> str:
        return request.content.upper()

    model = ScriptedModel.answering(repeated, name="loud")
    assert [model.ask(QUESTION).text for _ in range(2)] == [QUESTION.content.upper()] * 2
    assert repr(model) == "<ScriptedModel 'loud': 2 requests>"
