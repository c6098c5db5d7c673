"""The port for models: one request, one reply."""

from typing import Protocol

from uac.models.requests_and_replies import Reply, Request

__all__ = ["Model"]


class Model(Protocol):
    """Answers requests. Raises ModelError if there is no answer: Unreachable if a retry may help, Unanswered if the
    model refused, was cut off or said nothing."""

    @property
    def name(self) -> str: ...

    def ask(self, request: Request) -> Reply: ...
