"""Readers of two published sets of chats: BEAM's and RealMem's files.

BEAM: a folder for each chat with `chat.json` and `probing_questions/probing_questions.json` (or beside it). RealMem: a
file `…_dialogues_….json` for each person. The files are not part of this package.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn

__all__ = ["load_chats"]

BEAM_QUESTIONS = ("probing_questions/probing_questions.json", "probing_questions.json")
BEAM_DATE = "%B-%d-%Y"  # of a batch: March-15-2024
FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)  # of chats that name none


def load_chats(folder: Path) -> tuple[Chat, ...]:
    """The chats in a folder, in the order of their names; none if there is no file of either kind.

    A file that is neither BEAM's nor RealMem's is a list of chats as `Chat` has them.
    """
    if folder.is_file() and folder.name != "chat.json" and "_dialogues_" not in folder.name:
        return tuple(chat for chat in _read_own_chats(folder) if chat.questions)
    if folder.is_file():
        found = [_read_beam_chat(folder) if folder.name == "chat.json" else _read_realmem_chat(folder)]
        return tuple(chat for chat in found if chat.questions)
    beam = sorted(folder.rglob("chat.json"), key=lambda path: (len(path.parent.name), str(path)))
    personas = sorted(folder.rglob("*_dialogues_*.json"))
    found = [_read_beam_chat(path) for path in beam] + [_read_realmem_chat(path) for path in personas]
    return tuple(chat for chat in found if chat.questions)


def _read_own_chats(path: Path) -> list[Chat]:
    try:
        chats = msgspec.json.decode(path.read_bytes(), type=list[Chat])
    except (OSError, msgspec.MsgspecError) as error:
        raise click.ClickException(
            f"{path} is not a list of chats: {error}. See docs/about/benchmark-data.md."
        ) from error
    for chat in chats:
        for question in chat.questions:
            told = len(chat.turns) if question.asked_after is None else question.asked_after
            if not question.evidence or not all(0 <= place < told for place in question.evidence):
                raise click.ClickException(
                    f"{path}: the evidence of {question.text!r} is {list(question.evidence)}. Use the numbers of turns"
                    f" of {chat.name!r} from 0 to {told - 1}."
                )
    return chats


# -- BEAM --------------------------------------------------------------------------------------------------------------


def _read_beam_chat(path: Path) -> Chat:
    """Batches are sessions. A turn is found by its `id`, which questions name in `source_chat_ids`."""
    turns: list[ChatTurn] = []
    places: dict[str, int] = {}
    day = FIRST_DAY
    for number, batch in enumerate(_beam_batches(_read_chat_json(path))):
        for said in batch:
            if said.get("time_anchor"):
                day = _beam_day(said["time_anchor"], day)
            places[str(said.get("id"))] = len(turns)
            moment = day + timedelta(seconds=len(turns))
            turns.append(ChatTurn(_chat_role(said["role"]), str(said["content"]), moment, f"batch {number + 1}"))
    asked = next((path.parent / name for name in BEAM_QUESTIONS if (path.parent / name).exists()), None)
    questions: list[ChatQuestion] = []
    for type_, group in (_read_chat_json(asked) if asked is not None else {}).items():
        for question in group:
            names = dict.fromkeys(_leaves(question.get("source_chat_ids")))
            evidence = sorted({places[name] for name in names if name in places})
            if evidence:  # questions without an answer have none
                questions.append(ChatQuestion(question["question"], type_.replace("_", " "), tuple(evidence)))
    return Chat(f"BEAM {path.parent.name}", tuple(turns), tuple(questions))


def _beam_batches(chat: Any) -> Iterator[list[Any]]:
    """The turns of each batch: `{"turns": [[…], …]}`, or plans of such batches by name."""
    for batch in chat:
        if "turns" in batch:
            yield [said for group in batch["turns"] for said in (group if isinstance(group, list) else [group])]
        else:
            for name in sorted(batch):
                yield from _beam_batches(batch[name])


def _beam_day(anchor: str, otherwise: datetime) -> datetime:
    try:
        return datetime.strptime(anchor.strip(), BEAM_DATE).replace(hour=12, tzinfo=UTC)
    except ValueError:
        return otherwise


def _leaves(value: Any) -> Iterator[str]:
    """All ids, which are grouped in lists or by name in some questions."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)


# -- RealMem -----------------------------------------------------------------------------------------------------------


def _read_realmem_chat(path: Path) -> Chat:
    """A query is a turn of a running session. Its evidence are the turns that the memories it needs came from."""
    person = _read_chat_json(path)
    turns: list[ChatTurn] = []
    sources: dict[tuple[str, str], int] = {}
    questions: list[ChatQuestion] = []
    for session in person["dialogues"]:
        name, start = session["session_identifier"], len(turns)
        day = datetime.strptime(session["current_time"][:10], "%Y-%m-%d").replace(hour=12, tzinfo=UTC)
        said = session["dialogue_turns"]
        for number, turn in enumerate(said):
            if turn.get("is_query"):
                answer = said[number + 1] if number + 1 < len(said) else {}
                needed = turn.get("memory_used") or answer.get("memory_used") or []
                keys = [(memory["session_uuid"], memory["content"]) for memory in needed]
                evidence = sorted({sources[key] for key in keys if key in sources})
                if evidence:
                    type_ = turn.get("category_name") or "query"
                    questions.append(
                        ChatQuestion(turn["content"], type_, tuple(evidence), asked_after=start + number, session=name)
                    )
            moment = day + timedelta(seconds=len(turns))
            turns.append(ChatTurn(_chat_role(turn["speaker"]), turn["content"], moment, name))
        for memory in session.get("extracted_memory", ()):
            place = start + int(memory["source_turn"])
            if start <= place < len(turns):
                sources[memory["session_uuid"], memory["content"]] = place
    return Chat(person["_metadata"]["person_name"], tuple(turns), tuple(questions))


def _chat_role(name: str) -> Literal["user", "assistant"]:
    return "user" if name.casefold() == "user" else "assistant"


def _read_chat_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path} cannot be read: {error}. Use a JSON file.") from error
