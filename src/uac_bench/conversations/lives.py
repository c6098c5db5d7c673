"""A user's life in sessions with its truth: each sentence is kept with what it should change."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from uac.schema import Role

__all__ = [
    "BY_HAND",
    "NATURAL_USERS",
    "Deed",
    "Life",
    "Sentence",
    "Thing",
    "Turn",
    "natural_file",
    "read_natural_life",
    "sentences_of",
]

FOLDER = Path(__file__).parent
BY_HAND = "by hand"
"""The style of chats that were written by hand."""
NATURAL_USERS = ("ruth", "deshawn", "jana", "lucia", "oke", "hazel")
"""Users whose chats were written by hand; `natural/FORMAT.md` describes the files."""


class Thing(NamedTuple):
    """Something in the user's life as it is at the end: the record that a perfect memory would have."""

    type: str
    fields: Mapping[str, Any]
    state: Literal["active", "ended", "dropped"] = "active"


class Deed(NamedTuple):
    """What a sentence changes: a new thing, a change of one, its end, nothing (`aside`, with the fields that it would
    have as the user's own), or what to warn of (`rule`)."""

    thing: int
    type: str
    act: str
    op: Literal["put", "amend", "end", "drop", "mention", "aside", "rule"]
    fields: Mapping[str, Any]
    on: date


class Sentence(NamedTuple):
    """A sentence of the user, and the fact that a careful reader notes of it."""

    quote: str
    fact: Mapping[str, Any]
    deed: Deed
    other_quote: tuple[str, str] | None = None
    """The text of another turn without which the sentence cannot be understood, and the words that count."""
    values: tuple[tuple[str, str], ...] = ()
    """The values in `quote` as they are written there, by slot: the words that count. Empty if written by hand."""


class Turn(NamedTuple):
    role: Role
    text: str
    said: datetime
    sentences: tuple[Sentence, ...] = ()


class Life(NamedTuple):
    """All sessions of one user, the types that no pack offers, and the things at the end."""

    language: str
    sessions: tuple[tuple[Turn, ...], ...]
    types: Mapping[str, Mapping[str, Any]]
    things: Mapping[int, Thing]
    style: str = BY_HAND


def natural_file(user: str) -> Path:
    return FOLDER / "natural" / f"{user}.json"


def read_natural_life(user: str) -> Life:
    """The life of a hand-written user."""
    written = json.loads(natural_file(user).read_text(encoding="utf-8"))
    texts = {turn["said"]: turn["text"] for session in written["sessions"] for turn in session["turns"]}
    return Life(
        written["language"],
        tuple(tuple(_turn(turn, texts) for turn in session["turns"]) for session in written["sessions"]),
        {f"{type_['domain']}.{type_['name']}": type_ for type_ in written["types"]},
        {thing["thing"]: Thing(thing["type"], thing["fields"], thing["state"]) for thing in written["things"]},
    )


def _turn(turn: Mapping[str, Any], texts: Mapping[str, str]) -> Turn:
    said = datetime.fromisoformat(turn["said"])
    sentences = tuple(_sentence(sentence, said, texts) for sentence in turn.get("sentences", ()))
    return Turn(turn["role"], turn["text"], said, sentences)


def _sentence(sentence: Mapping[str, Any], said: datetime, texts: Mapping[str, str]) -> Sentence:
    deed, other = sentence["deed"], sentence.get("quote2")
    on = date.fromisoformat(deed["on"][:10]) if "on" in deed else said.date()
    return Sentence(
        sentence["quote"],
        sentence["fact"],
        Deed(deed.get("thing", -1), deed.get("type", ""), deed["op"], deed["op"], deed.get("fields", {}), on),
        (texts[other["turn_said"]], other["quote"]) if other else None,
    )


def sentences_of(life: Life) -> Sequence[Sentence]:
    return [sentence for session in life.sessions for turn in session for sentence in turn.sentences]
