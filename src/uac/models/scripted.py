"""A model whose replies are written by hand or by a function: for tests and measurements, without a network."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from uac.models.requests_and_replies import Reply, Request
from uac.text.token_count import count_tokens

__all__ = ["ScriptedModel", "ScriptedReply"]

ScriptedReply = str | Mapping[str, Any] | Reply | BaseException
"""Text, an object that is sent as JSON, a whole reply, or an error to raise."""


class ScriptedModel:
    """Gives its replies in order and keeps the requests.

    model = ScriptedModel({"facts": []}, Unreachable("no network"))
    model = ScriptedModel.answering(lambda request: {"facts": []})

    A request after the last reply is a mistake of the test, and raises AssertionError.
    """

    def __init__(self, *replies: ScriptedReply, name: str = "scripted") -> None:
        self._left = list(replies)
        self._answer: Callable[[Request], ScriptedReply] = self._next_reply
        self.name = name
        self.requests: list[Request] = []

    @classmethod
    def answering(cls, answer: Callable[[Request], ScriptedReply], *, name: str = "scripted") -> "ScriptedModel":
        """A model that gives the function's reply to each request."""
        model = cls(name=name)
        model._answer = answer
        return model

    def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = self._answer(request)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, Reply):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return Reply(text=text, model=self.name, input_tokens=request.tokens, output_tokens=count_tokens(text))

    @property
    def steps(self) -> list[str]:
        return [request.step for request in self.requests]

    @property
    def contents(self) -> list[Any]:
        """The content of each request, parsed."""
        return [json.loads(request.content) for request in self.requests]

    def __repr__(self) -> str:
        return f"<ScriptedModel {self.name!r}: {len(self.requests)} requests>"

    def _next_reply(self, request: Request) -> ScriptedReply:
        if not self._left:
            raise AssertionError(f"No reply is left for a request of step {request.step}. Add one to the script.")
        return self._left.pop(0)
