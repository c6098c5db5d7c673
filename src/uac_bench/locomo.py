"""LOCOMO: long conversations of two people with questions whose evidence is known, and what counts as finding it.

A context has a budget of tokens. A turn costs its line, "Speaker: text [photo: caption]", and the first turn of a
session also costs the line with the session's date. What does not fit is passed over. A question's share is the part of
its evidence turns that the context contains; shares are averaged over questions.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import click
import msgspec

from uac import Citation, Entry, Fact, Log, Observation
from uac.text import count_tokens
from uac_bench.scorers import evidence_share

__all__ = [
    "CATEGORIES",
    "LOCOMO_FILE",
    "TUNED",
    "Conversation",
    "LocomoScore",
    "Note",
    "Outcome",
    "Piece",
    "Question",
    "Roles",
    "Shown",
    "Suite",
    "Turn",
    "append_conversation",
    "fill_locomo_context",
    "load_locomo",
    "match_facts_to_turns",
    "score_question",
    "select_conversations",
    "turn_piece",
]

CATEGORIES: Mapping[int, str] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
LOCOMO_FILE = "locomo10.json"
TUNED = frozenset({"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"})
"""The conversations that weights may be chosen on; the others only tell whether they carry over."""

Roles = Literal["person", "user"]
"""Both speakers are people; or the first one is the user whose memory it is."""


class Turn(msgspec.Struct, frozen=True):
    """What one of the two said, with the caption of the photo they showed."""

    id: str
    session: int
    speaker: str
    text: str
    said: datetime

    @property
    def context_line(self) -> str:
        return f"{self.speaker}: {self.text}"


class Question(msgspec.Struct, frozen=True):
    """A question with the places of its evidence among the turns, and what an audit says of its gold answer."""

    text: str
    category: int
    evidence: tuple[int, ...]
    fault: str
    answer: str = ""


class Note(msgspec.Struct, frozen=True):
    """A recorded fact and the places of the turns that it most likely came from."""

    text: str
    session: int
    turns: tuple[int, ...]


class Conversation(msgspec.Struct, frozen=True):
    """One conversation; `headers` are the lines that tell the date of each session."""

    name: str
    speakers: tuple[str, str]
    headers: dict[int, str]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    notes: tuple[Note, ...] = ()

    def header_tokens(self) -> dict[int, int]:
        return {session: count_tokens(header) for session, header in self.headers.items()}


class Suite(msgspec.Struct, frozen=True):
    """All conversations, and what of the files could not be used."""

    conversations: tuple[Conversation, ...]
    no_evidence: int
    """Questions without any evidence that is a turn."""
    unresolved: int
    """Names of evidence turns that do not exist, in questions that have others."""
    unmatched: int
    """Recorded facts that share no telling word with a turn of their session."""


# -- reading the files -------------------------------------------------------------------------------------------------


def load_locomo(folder: Path) -> Suite:
    """The conversations of locomo10.json, with recorded_facts.json and gold_audit.json where these are there."""
    found = _read_locomo_json(folder / LOCOMO_FILE)
    facts = _read_locomo_json(folder / "recorded_facts.json", {"conversations": {}})["conversations"]
    faults = {item["question_id"]: item["error_type"] for item in _read_locomo_json(folder / "gold_audit.json", [])}
    conversations: list[Conversation] = []
    no_evidence = unresolved = unmatched = 0
    for place, sample in enumerate(found):
        speakers, headers, turns = _conversation_turns(sample["conversation"])
        places = {turn.id: index for index, turn in enumerate(turns)}
        questions: list[Question] = []
        for number, asked in enumerate(sample["qa"]):
            if asked["category"] not in CATEGORIES:
                continue
            names = _evidence_ids(asked["evidence"])
            evidence = sorted({places[name] for name in names if name in places})
            if not evidence:
                no_evidence += 1
                continue
            unresolved += sum(name not in places for name in names)
            fault = faults.get(f"locomo_{place}_qa{number}", "")
            answer = str(asked.get("answer", ""))
            questions.append(Question(asked["question"], asked["category"], tuple(evidence), fault, answer))
        noted = facts.get(sample["sample_id"], {}).get("facts", [])
        notes = match_facts_to_turns([(fact["text"], fact["session"]) for fact in noted], turns, speakers)
        unmatched += len(noted) - len(notes)
        conversations.append(
            Conversation(sample["sample_id"], speakers, headers, turns, tuple(questions), tuple(notes))
        )
    return Suite(tuple(conversations), no_evidence, unresolved, unmatched)


def select_conversations(suite: Suite, only: Collection[str]) -> Suite:
    names = [conversation.name for conversation in suite.conversations]
    for name in only:
        if name not in names:
            raise click.UsageError(f"No conversation {name!r}. Use one of {', '.join(names)}.")
    kept = [conversation for conversation in suite.conversations if not only or conversation.name in only]
    return msgspec.structs.replace(suite, conversations=tuple(kept))


def _read_locomo_json(path: Path, otherwise: Any = None) -> Any:
    if otherwise is not None and not path.exists():
        return otherwise
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from error


def _conversation_turns(conversation: Any) -> tuple[tuple[str, str], dict[int, str], tuple[Turn, ...]]:
    headers: dict[int, str] = {}
    turns: list[Turn] = []
    numbers = sorted(int(name.removeprefix("session_")) for name in conversation if _SESSION.fullmatch(name))
    for session in numbers:
        date = conversation[f"session_{session}_date_time"]
        headers[session] = f"[{date}]"
        start = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for second, said in enumerate(conversation[f"session_{session}"]):
            photo = f" [photo: {said['blip_caption']}]" if said.get("blip_caption") else ""
            text = f"{said['text']}{photo}".strip()
            turns.append(Turn(said["dia_id"], session, said["speaker"], text, start + timedelta(seconds=second)))
    return (conversation["speaker_a"], conversation["speaker_b"]), headers, tuple(turns)


def _evidence_ids(evidence: Sequence[str]) -> list[str]:
    """The ids that are meant: the files also hold 'D8:6; D9:17', 'D:11:26' and 'D30:05'."""
    names: list[str] = []
    for written in evidence:
        found = [f"D{int(session)}:{int(turn)}" for session, turn in _NAME.findall(written)]
        names += found or [written]
    return names


_SESSION = re.compile(r"session_\d+")
_NAME = re.compile(r"D:?(\d+):(\d+)")


# -- recorded facts ----------------------------------------------------------------------------------------------------


def match_facts_to_turns(
    noted: Sequence[tuple[str, int]], turns: Sequence[Turn], speakers: Sequence[str]
) -> list[Note]:
    """Facts with the turn of their session that shares most words with them; rare words weigh more.

    Turns that share equally much all count, up to three. A fact that shares nothing but speakers' names and words of
    every fourth turn is left out: it came from no turn in particular.
    """
    words = [frozenset(_locomo_words(turn.context_line)) for turn in turns]
    counts = Counter(word for each in words for word in each)
    weights = {word: math.log(len(turns) / count) for word, count in counts.items()}
    named = {word for speaker in speakers for word in _locomo_words(speaker)}
    telling = {word for word, count in counts.items() if 4 * count < len(turns) or count == 1} - named
    sessions: dict[int, list[int]] = {}
    for place, turn in enumerate(turns):
        sessions.setdefault(turn.session, []).append(place)
    notes: list[Note] = []
    for text, session in noted:
        wanted = frozenset(_locomo_words(text))
        shared = {
            place: round(sum(weights[word] for word in sorted(common)), 9)
            for place in sessions.get(session, ())
            if (common := wanted & words[place]) & telling
        }
        if shared:
            most = max(shared.values())
            notes.append(Note(text, session, tuple(place for place, value in shared.items() if value == most)[:3]))
    return notes


def _locomo_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


# -- the conversation as a memory --------------------------------------------------------------------------------------


def append_conversation(log: Log, conversation: Conversation, *, roles: Roles = "person", notes: bool) -> list[int]:
    """Append every turn, and the recorded facts after them if wanted; the positions of the turns."""
    if roles not in get_args(Roles):
        raise click.ClickException(f"roles is {roles!r}, needs one of {', '.join(get_args(Roles))}")
    first = conversation.speakers[0]
    positions = log.append(
        [
            Observation(
                text=turn.text,
                said=turn.said,
                role="user" if roles == "user" and turn.speaker == first else "person",
                speaker=turn.speaker,
                session=f"session {turn.session}",
            )
            for turn in conversation.turns
        ]
    )
    if notes and conversation.notes:
        log.append([_fact_entry(note, conversation, positions) for note in conversation.notes])
    return list(positions)


def _fact_entry(note: Note, conversation: Conversation, positions: Sequence[int]) -> Entry:
    named = [name for name in conversation.speakers if name in note.text]
    return Fact(
        text=note.text,
        about=min(named, key=note.text.index) if named else " and ".join(conversation.speakers),
        authority="user",
        cites=tuple(Citation(position=positions[place], quote=conversation.turns[place].text) for place in note.turns),
        by="recorded",
    )


# -- the metric --------------------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """What a scheme may put into a context: the turns it counts for, whose session's date it needs, and its tokens.

    Session 0 needs no date.
    """

    turns: tuple[int, ...]
    session: int
    tokens: int


class Shown(NamedTuple):
    """The turns in a context, and its cost."""

    turns: frozenset[int]
    tokens: int


def turn_piece(place: int, turn: Turn) -> Piece:
    return Piece((place,), turn.session, count_tokens(turn.context_line))


def fill_locomo_context(pieces: Iterable[Piece], headers: Mapping[int, int], budget: int | None) -> Shown:
    """The context that the pieces make, best first, inside a budget (None: all of them)."""
    turns: set[int] = set()
    dated: set[int] = {0}
    spent = 0
    for piece in pieces:
        price = piece.tokens + (0 if piece.session in dated else headers[piece.session])
        if budget is None or spent + price <= budget:
            turns.update(piece.turns)
            dated.add(piece.session)
            spent += price
    return Shown(frozenset(turns), spent)


class Outcome(msgspec.Struct, frozen=True):
    """How one question fared."""

    conversation: str
    category: int
    fault: str
    share: float
    tokens: int


def score_question(question: Question, shown: Shown, conversation: str) -> Outcome:
    share = evidence_share(question.evidence, shown.turns.__contains__)
    return Outcome(conversation, question.category, question.fault, share, shown.tokens)


class LocomoScore(msgspec.Struct, frozen=True):
    """The mean share of evidence in the context, and the share of questions with all of it, in per cent."""

    questions: int
    evidence: float
    complete: float
    tokens: float
    """The mean size of the contexts."""

    @classmethod
    def from_outcomes(cls, outcomes: Sequence[Outcome]) -> "LocomoScore":
        number = len(outcomes)
        if not number:
            return cls(0, 0.0, 0.0, 0.0)
        return cls(
            number,
            100 * math.fsum(each.share for each in outcomes) / number,
            100 * sum(each.share == 1 for each in outcomes) / number,
            sum(each.tokens for each in outcomes) / number,
        )
