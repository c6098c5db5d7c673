"""Readers of three published sets of chats: BEAM's, RealMem's and LongMemEval's files.

BEAM: a folder for each chat with `chat.json` and `probing_questions/probing_questions.json` (or beside it); if there
is a `chat_trunecated.json`, too, that is the chat. RealMem: a
file `…_dialogues_….json` for each person. LongMemEval: `longmemeval….json`, a list of questions, each with a history of
its own. The files are not part of this package.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn, join_chats

__all__ = ["chat_files", "chat_format", "load_chats", "load_written", "written_files"]

WRITTEN = Path(__file__).parent / "written"
BEAM_QUESTIONS = ("probing_questions/probing_questions.json", "probing_questions.json")
BEAM_DATE = "%B-%d-%Y"  # of a batch: March-15-2024
BEAM_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
BEAM_CHATS = ("chat_trunecated.json", "chat.json")  # its authors spell it so, and ask about the first if it is there
BEAM_POINT = re.compile(r"LLM response should (?:state|mention|contain): ")
FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=UTC)  # of chats that name none


def load_chats(folder: Path) -> tuple[Chat, ...]:
    """The chats in a folder, in the order of their names; none if there is no file of either kind.

    A file that is none of theirs is a list of chats as `Chat` has them.
    """
    found: list[Chat] = []
    for path in chat_files(folder):
        match chat_format([path]):
            case "beam":
                with _named_format(path, "BEAM"):
                    found.append(_read_beam_chat(path))
            case "realmem":
                with _named_format(path, "RealMem"):
                    found.append(_read_realmem_chat(path))
            case "longmemeval":
                with _named_format(path, "LongMemEval"):
                    found += map(_longmemeval_chat, _read_chat_json(path))
            case _:
                found += _read_own_chats(path)
    return tuple(chat for chat in found if chat.questions)


def chat_files(folder: Path) -> list[Path]:
    """The files with chats, in the order in which they are read."""
    if folder.is_file():
        return [folder]
    folders = {path.parent for name in BEAM_CHATS for path in folder.rglob(name)}
    beam = [
        next(path for name in BEAM_CHATS if (path := each / name).exists())
        for each in sorted(folders, key=lambda each: (len(each.name), str(each)))
    ]
    return [*beam, *sorted(folder.rglob("*_dialogues_*.json")), *sorted(folder.rglob("longmemeval*.json"))]


def written_files(chosen: str) -> list[Path]:
    """The files of chats that were written by hand, such as those of 'written-reported'; none for made-up chats."""
    half = chosen.removeprefix("written-")
    if half == chosen:
        return []
    whole = half.removesuffix("-all")
    return [WRITTEN / f"{each}.json" for each in ([half] if whole == half else [whole, f"{whole}-2", f"{whole}-3"])]


def load_written(chosen: str) -> tuple[Chat, ...]:
    """A chat that was written by hand; with 'written-reported-all', those of the first three authors as one log."""
    found = [chat for path in written_files(chosen) for chat in load_chats(path)]
    return (join_chats(found, chosen),) if chosen.endswith("-all") else tuple(found)


def chat_format(files: Sequence[Path]) -> Literal["beam", "realmem", "longmemeval", "chats"]:
    """The format of the first file, by its name."""
    name = files[0].name if files else ""
    if name in BEAM_CHATS:
        return "beam"
    if "_dialogues_" in name:
        return "realmem"
    return "longmemeval" if name.startswith("longmemeval") else "chats"


@contextmanager
def _named_format(path: Path, name: str) -> Iterator[None]:
    """Files are told apart by their names: one that has another format is refused with its name."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise click.ClickException(
            f"{path} is named like a file of {name}, but does not have its format ({type(error).__name__}: {error})."
            " Give a file with chats of your own another name."
        ) from error


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
    for number, (anchor, batch) in enumerate(_beam_batches(_read_chat_json(path))):
        day = _beam_day(anchor, day) if anchor else day
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
            is_unknown = type_ == "abstention"
            if evidence or is_unknown:
                answer = _beam_answer(question)
                questions.append(
                    ChatQuestion(
                        question["question"],
                        type_.replace("_", " "),
                        () if is_unknown else tuple(evidence),
                        answer="" if is_unknown else answer,
                        is_unknown=is_unknown,
                    )
                )
    return Chat(f"BEAM {path.parent.name}", tuple(turns), tuple(questions))


def _beam_answer(question: Any) -> str:
    """The points of the rubric, by which its authors score an answer: now and then the answer beside it says something
    else. Without a rubric, that answer."""
    points = [BEAM_POINT.sub("", str(point)) for point in question.get("rubric") or ()]
    return "; ".join(points) or next((str(question[name]) for name in BEAM_ANSWERS if question.get(name)), "")


def _beam_batches(chat: Any) -> Iterator[tuple[str, list[Any]]]:
    """The day and the turns of each batch: `{"turns": [[…], …]}`, or plans of such batches by name, of which those
    that belong to other items of the list may be null."""
    for batch in chat:
        if "turns" in batch:
            groups = (group if isinstance(group, list) else [group] for group in batch["turns"])
            yield batch.get("time_anchor") or "", [said for group in groups for said in group]
        else:
            for name in sorted(batch, key=lambda name: (len(name), name)):
                yield from _beam_batches(batch[name] or ())


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
        name, start = session.get("session_identifier") or session["session_id"], len(turns)
        day = _written_time(session["current_time"], "RealMem writes '2024-05-01 (Wednesday)'", hour=12)
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
                        ChatQuestion(
                            turn["content"],
                            type_,
                            tuple(evidence),
                            asked_after=start + number,
                            session=name,
                            answer=answer.get("content", ""),
                        )
                    )
            moment = day + timedelta(seconds=len(turns))
            turns.append(ChatTurn(_chat_role(turn["speaker"]), turn["content"], moment, name))
        for memory in session.get("extracted_memory", ()):
            place = _realmem_source(memory, [turn["content"] for turn in said])
            if place is not None:
                sources[memory["session_uuid"], memory["content"]] = start + place
    return Chat(person["_metadata"]["person_name"], tuple(turns), tuple(questions))


def _realmem_source(memory: Any, said: Sequence[str]) -> int | None:
    """The turn of its session that a memory came from. `source_turn` counts from 0; where the snapshot of the source
    says that another turn is meant, that one."""
    place, snapshot = int(memory["source_turn"]), (memory.get("source_content_snapshot") or "").strip()
    having = [at for at, text in enumerate(said) if snapshot and snapshot in text]
    if having and place not in having:
        return min(having, key=lambda at: abs(at - place))
    return place if 0 <= place < len(said) else None


# -- LongMemEval -------------------------------------------------------------------------------------------------------


def _longmemeval_chat(item: Any) -> Chat:
    """One question with its history. Evidence are the turns marked `has_answer`; where none is, those of the user in
    the sessions that `answer_session_ids` names. Questions whose id ends in `_abs` cannot be answered."""
    turns: list[ChatTurn] = []
    marked: list[int] = []
    in_session: list[int] = []
    sessions = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
    for name, date, said in sorted(sessions, key=lambda session: _longmemeval_time(session[1])):
        start = _longmemeval_time(date)
        for number, turn in enumerate(said):
            role = _chat_role(turn["role"])
            if turn.get("has_answer"):
                marked.append(len(turns))
            if name in item["answer_session_ids"] and role == "user":
                in_session.append(len(turns))
            turns.append(ChatTurn(role, turn["content"], start + timedelta(seconds=number), name))
    is_unknown = item["question_id"].endswith("_abs")
    question = ChatQuestion(
        item["question"],
        "abstention" if is_unknown else item["question_type"],
        () if is_unknown else tuple(marked or in_session),
        answer="" if is_unknown else str(item["answer"]),
        is_unknown=is_unknown,
        asked_at=_longmemeval_time(item["question_date"]) if item.get("question_date") else None,
    )
    return Chat(item["question_id"], tuple(turns), (question,))


def _longmemeval_time(written: str) -> datetime:
    return _written_time(written, "LongMemEval writes '2023/05/20 (Sat) 02:21'")


def _written_time(written: str, form: str, *, hour: int = 0) -> datetime:
    """Year, month and day, with or without hour and minute; without them, that hour."""
    numbers = [int(number) for number in re.findall(r"\d+", written)]
    year, month, day, at, minute = (*numbers, hour, 0)[:5] if len(numbers) == 3 else (*numbers, 0, 0, 0, 0, 0)[:5]
    try:
        return datetime(year, month, day, at, minute, tzinfo=UTC)
    except ValueError:
        raise click.ClickException(f"{written!r} is not a date. {form}.") from None


def _chat_role(name: str) -> Literal["user", "assistant"]:
    return "user" if name.casefold() == "user" else "assistant"


def _read_chat_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path} cannot be read: {error}. Use a JSON file.") from error
