"""A chat of a user with an assistant, and questions whose evidence is known turn by turn."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

__all__ = ["Chat", "ChatQuestion", "ChatTurn", "join_chats"]


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


def join_chats(chats: Sequence[Chat], name: str) -> Chat:
    """The chats as one log of one user: their sessions by date, and the questions of all."""
    begun: dict[tuple[int, str], datetime] = {}
    for number, chat in enumerate(chats):
        for turn in chat.turns:
            begun.setdefault((number, turn.session), turn.said)
    ordered = [(number, place, turn) for number, chat in enumerate(chats) for place, turn in enumerate(chat.turns)]
    ordered.sort(key=lambda each: (begun[each[0], each[2].session], each[0]))
    place_of = {(number, place): joined for joined, (number, place, _turn) in enumerate(ordered)}
    questions = [
        msgspec.structs.replace(
            question,
            evidence=tuple(sorted(place_of[number, place] for place in question.evidence)),
            asked_after=None
            if question.asked_after is None
            else max((place_of[number, place] + 1 for place in range(question.asked_after)), default=0),
            session=f"{number}/{question.session}" if question.session else "",
        )
        for number, chat in enumerate(chats)
        for question in chat.questions
    ]
    turns = [msgspec.structs.replace(turn, session=f"{number}/{turn.session}") for number, _place, turn in ordered]
    return Chat(name, tuple(turns), tuple(questions))
