"""The port for models: one question, one reply."""

from typing import Protocol

from uac.models.requests import Reply, Request

__all__ = ["Model"]


class Model(Protocol):
    """Whoever answers requests. It raises ModelError if it has no answer: Unreachable if trying again may help,
    Unanswered if it refused, was cut off or said nothing."""

    @property
    def name(self) -> str: ...

    def ask(self, request: Request) -> Reply: ...
