"""Observations: turns are stored, and models read them later."""

from collections.abc import Sequence

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Moved, Repeated
from uac.interfaces.http.auth import Writer
from uac.interfaces.http.etags import log_etag
from uac.interfaces.http.fields import Input, Moment
from uac.interfaces.http.problems import Outdated
from uac.interfaces.http.user_context import UserContext
from uac.interfaces.http.write_responses import conditional_write, request_text
from uac.interfaces.views.log import AddedView
from uac.log.log import Log
from uac.schema.entries import Observation, Role

__all__ = ["WordsInput", "observation_from_words", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["log"])


class WordsInput(Input):
    """One turn of a conversation, or another text."""

    text: str = Field(min_length=1, examples=["I get hives from penicillin."])
    role: Role = "user"
    speaker: str = Field(default="", max_length=200, examples=["Ben"])
    session: str = Field(default="", max_length=200, examples=["2026-03-02"])
    source: str = Field(default="", max_length=200, examples=["chat"])
    said: Moment | None = Field(default=None, description="When it was said; default: now.")


class TurnInput(WordsInput):
    """One turn of a conversation, or another text, perhaps with a key of its own."""

    key: str = Field(default="", max_length=200, description="Your own key: a turn that is sent twice is stored once.")


class TurnsInput(Input):
    """Turns to store, all of them or none."""

    turns: list[TurnInput] = Field(min_length=1, max_length=1000)


@router.post("/observations", name="add", status_code=201)
def add_observations(context: Writer, turns: TurnsInput) -> AddedView:
    """Store turns. They are durable when this answers; models read them later."""
    if not context.once or any(turn.key for turn in turns.turns):
        return AddedView(positions=_append_turns(context, turns.turns))
    with context.memory(create=True) as memory:  # its project has the receipts of earlier requests
        entries = [observation_from_words(memory.log, turn) for turn in turns.turns]
        try:
            with conditional_write(context, memory, request_text("observations", turns)):
                return AddedView(positions=tuple(memory.write(lambda _project: [*entries])))
        except Repeated as error:
            return AddedView(positions=tuple(range(error.first, error.last + 1)))


def observation_from_words(log: Log, turn: WordsInput, *, key: str = "") -> Observation:
    return Observation(
        text=turn.text,
        said=turn.said or log.now(),
        role=turn.role,
        speaker=turn.speaker,
        session=turn.session,
        source=turn.source,
        key=key,
    )


def _append_turns(context: UserContext, turns: Sequence[TurnInput]) -> tuple[int, ...]:
    """The positions of the turns, in one transaction: no project is folded for them.

    If the request has an idempotency key, turns without a key get one from it. Turns that are stored already are found
    before If-Match is checked: a repeated request carries an old tag.
    """
    log = context.log
    entries = [
        observation_from_words(log, turn, key=turn.key or (f"{context.once}/{number}" if context.once else ""))
        for number, turn in enumerate(turns)
    ]
    try:
        after = context.expected_position()
    except Outdated:
        after = -1
    try:
        positions, head = log.append_with_head(entries, after=after)
    except Moved:
        raise Outdated(log_etag(log.head())) from None
    context.end_write(head)
    return positions
