"""A chat of a user with an assistant, and questions whose evidence is known turn by turn."""

from datetime import datetime
from typing import Literal

import msgspec

__all__ = ["Chat", "ChatQuestion", "ChatTurn"]


class ChatTurn(msgspec.Struct, frozen=True):
    """What the user or the assistant said."""

    role: Literal["user", "assistant"]
    text: str
    said: datetime
    session: str

    @property
    def line(self) -> str:
        return f"{self.role}: {self.text}"


class ChatQuestion(msgspec.Struct, frozen=True):
    """A question, the places of its evidence among the turns, and how an agent would ask for it in other words."""

    text: str
    type: str
    evidence: tuple[int, ...]
    queries: tuple[str, ...] = ()
    """Up to three more queries, as an agent writes them that knows the question and not the chat."""
    asked_after: int | None = None
    """How many turns had been said by then; None: all."""
    session: str = ""
    """The running session, if the question is asked inside one."""
    answer: str = ""
    """The expected answer, if the set has one."""
    is_unknown: bool = False
    """Whether the right answer is that the chat does not say. Such a question has no evidence."""
    asked_at: datetime | None = None
    """When it is asked, on which "how long ago" depends; None: soon after the last turn."""


class Chat(msgspec.Struct, frozen=True):
    name: str
    turns: tuple[ChatTurn, ...]
    questions: tuple[ChatQuestion, ...]
