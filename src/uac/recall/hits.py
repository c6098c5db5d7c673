"""What a search found, with its words: repetitions folded, fitted into a budget, in reading order."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from uac.log.index import Passage, RecallKind
from uac.log.log import Log, Prefix
from uac.project.project import Project
from uac.recall.indexer import record_text
from uac.recall.ranking import Match
from uac.schema.entries import Authority, Entry, Fact, Observation, Role
from uac.text.tokens import count_tokens

__all__ = ["Found", "Hit", "Reader", "fitted", "is_superseded"]

SHORTEST = 5  # tokens of a line
PASSED = 64  # hits in a row that do not fit any more
SHORT = 12  # words; a shorter answer is shown with the question before it
LED = 24  # hits, the best, for which such a question is looked for
PAGE = 24  # hits whose words are fetched in one go
GAP = 8  # entries between two that are still read together


class Hit(msgspec.Struct, frozen=True):
    """Something that was found. Records have an id and no position; facts and turns have a position and no id."""

    kind: RecallKind
    position: int
    record: str
    text: str
    score: float
    said: datetime | None
    speaker: str
    role: Role | None
    session: str
    is_current: bool
    """False for a record that has ended, and for a fact that others took the place of."""
    start: int = 0
    stop: int = 0
    """Where the text stands in the text of its entry, in characters."""
    whole: int = 0
    """How long the text of its entry is."""
    source: str = ""
    authority: Authority | None = None
    channels: dict[str, float] = {}
    """What each channel gave to the score. Empty for what was not found itself but stands beside something that was."""
    also: tuple[int, ...] = ()
    """Entries that say the same on the same day and are not shown."""


class Found(msgspec.Struct, frozen=True):
    """What a search found, and how much more there was. It can be used as the list of its hits."""

    hits: list[Hit]
    matched: int
    """How many passages have at least one of the words, or were found another way."""
    tokens: int = 0
    """What the hits take as `text`."""
    notes: tuple[str, ...] = ()
    """What could not be searched, and which days the question was taken to ask about."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    @property
    def left_out(self) -> int:
        """How many matched and are not here."""
        return max(0, self.matched - sum(1 + len(hit.also) for hit in self.hits if hit.channels))

    @property
    def text(self) -> str:
        """The hits for reading: each with its speaker, under the day of its conversation."""
        lines: list[str] = []
        under = _Under()
        for hit in self.hits:
            if (new := _under(hit)) != under:
                under = new
                lines += [new.heading] if new.heading else []
            lines.append(_line(hit))
        return "\n".join(lines)


class Reader:
    """Fetches the words of passages, which stand in the log and in the project only."""

    def __init__(self, log: Log | Prefix, project: Project) -> None:
        self._log = log
        self._project = project
        self._entries: dict[int, Entry] = {}
        self._also: dict[tuple[str, int, int, str], list[int]] = {}

    def texts(self, passages: Sequence[Passage]) -> list[str]:
        self._read([passage.position for passage in passages if passage.position])
        return [self._text(passage) for passage in passages]

    def hits(self, matches: Iterable[Match]) -> Iterator[Hit]:
        for found in matches:
            passage = found.passage
            entry = self._entries.get(passage.position)
            if passage.kind != "record" and entry is None:
                self._read([passage.position])
                entry = self._entries.get(passage.position)
            text = self._text(passage)
            if not text:
                continue
            yield Hit(
                kind=passage.kind,
                position=passage.position,
                record=passage.record,
                text=text,
                score=round(found.score, 6),
                said=datetime.fromisoformat(passage.said) if passage.said else None,
                speaker=passage.speaker,
                role=passage.role or None,
                session=entry.session if isinstance(entry, Observation) else "",
                is_current=self._is_current(passage),
                start=passage.start,
                stop=passage.stop,
                whole=len(entry.text) if isinstance(entry, Observation | Fact) else len(text),
                source=passage.source,
                authority=passage.authority or None,
                channels={name: round(value, 4) for name, value in found.channels.items()},
            )

    def distinct(self, ranked: Sequence[Match]) -> Iterator[Hit]:
        """The hits in order, without those that say the same as an earlier one; `told` adds those to it."""
        known: dict[tuple[str, ...], Hit] = {}
        for start in range(0, len(ranked), PAGE):
            page = ranked[start : start + PAGE]
            self._read([found.passage.position for found in page if found.passage.position])
            for hit in self.hits(page):
                first = known.setdefault(_said_alike(hit), hit)
                if first is hit:
                    yield hit
                else:
                    self._also.setdefault(_key(first), []).append(hit.position)

    def told(self, hits: Collection[Hit]) -> list[Hit]:
        """The hits, each with the entries that say the same and are not brought by something else."""
        brought = {hit.position for hit in hits if not hit.channels}
        also = {key: tuple(place for place in places if place not in brought) for key, places in self._also.items()}
        return [msgspec.structs.replace(hit, also=also[_key(hit)]) if _key(hit) in also else hit for hit in hits]

    def _read(self, positions: Collection[int]) -> None:
        """Read entries, those that stand close together in one go."""
        missing = sorted(set(positions) - self._entries.keys())
        first = 0
        for place, position in enumerate(missing):
            is_last = place + 1 == len(missing)
            if is_last or missing[place + 1] - position > GAP:
                for stored in self._log.read(missing[first], position + 1):
                    if stored.entry is not None:
                        self._entries[stored.position] = stored.entry
                first = place + 1

    def _text(self, passage: Passage) -> str:
        if passage.kind == "record":
            table = self._project.tables.get(passage.record.partition(":")[0])
            record = table.get(passage.record) if table is not None else None
            return record_text(record)[0] if record is not None else ""
        entry = self._entries.get(passage.position)
        return entry.text[passage.start : passage.stop] if isinstance(entry, Observation | Fact) else ""

    def _is_current(self, passage: Passage) -> bool:
        if passage.kind == "record":
            return self._project.record(passage.record).ended is None
        return passage.kind != "fact" or not is_superseded(passage.position, self._project)


_WORD = re.compile(r"\w+")


def _said_alike(hit: Hit) -> tuple[str, ...]:
    """What two hits share that say the same: all words, but for letter case and signs, by the same person on one day.

    Anything more is no repetition: one word may be a "not", one number another, and a day may be what is asked for.
    """
    if hit.kind == "record":
        return (hit.kind, hit.record)
    words = _WORD.findall(hit.text.casefold())
    who = (hit.speaker, hit.role or "", hit.said.date().isoformat() if hit.said else "")
    return (hit.kind, *(who if hit.kind == "observation" else ()), *(words or [hit.text]))


def fitted(hits: Iterable[Hit], tokens: int, before: Callable[[Hit], Hit | None]) -> tuple[list[Hit], int]:
    """The hits that fit, the best first, in reading order, and what they cost; what does not fit is passed over.

    A short answer brings the question before it along, where that fits too.
    """
    left = tokens
    headings = {_Under()}
    chosen: dict[tuple[str, int, int, str], Hit] = {}

    def take(hit: Hit) -> bool:
        nonlocal left
        under = _under(hit)
        cost = count_tokens(_line(hit)) + (0 if under in headings else count_tokens(under.heading))
        if cost <= left and chosen.setdefault(_key(hit), hit) is hit:
            left -= cost
            headings.add(under)
            return True
        return False

    passed = 0
    for hit in hits:
        if _key(hit) in chosen:  # it was brought by its answer, and is now found itself
            chosen[_key(hit)] = hit
            continue
        if left < SHORTEST or passed > PASSED:
            break
        taken = take(hit)
        passed = 0 if taken else passed + 1
        if taken and hit.kind == "observation" and len(chosen) < LED and hit.text.count(" ") < SHORT:
            question = before(hit)
            if question is not None and _QUESTION.search(question.text.rstrip()):
                take(question)
    return _in_reading_order(chosen.values()), tokens - left


# A Greek question ends in what looks like a semicolon, and mostly is one.
_QUESTION = re.compile(r"(?:[?？؟\u037e]|[\u0370-\u03ff\u1f00-\u1fff];)\Z")


def _key(hit: Hit) -> tuple[str, int, int, str]:
    return hit.kind, hit.position, hit.start, hit.record


def _in_reading_order(hits: Collection[Hit]) -> list[Hit]:
    """Records, then facts, then what was said in the order of time, the conversations of a day one after the other."""
    begun: dict[_Under, float] = {}
    for hit in hits:
        if hit.kind == "observation" and hit.said:
            moment = hit.said.timestamp()
            begun[_under(hit)] = min(begun.get(_under(hit), moment), moment)
    order = {"record": 0, "fact": 1, "observation": 2}

    def place(hit: Hit) -> tuple[int, float, _Under, int, int, str]:
        return order[hit.kind], begun.get(_under(hit), 0.0), _under(hit), hit.position, hit.start, hit.record

    return sorted(hits, key=place)


class _Under(NamedTuple):
    """What hits are read under: a day of a conversation."""

    session: str = ""
    day: str = ""

    @property
    def heading(self) -> str:
        return f"[{self.day}]" if self.day else ""


def _under(hit: Hit) -> _Under:
    if hit.kind != "observation" or hit.said is None:
        return _Under()
    return _Under(hit.session, hit.said.date().isoformat())


def _line(hit: Hit) -> str:
    if hit.kind == "observation":
        return f"{hit.speaker or hit.role}: {hit.text}"
    former = "" if hit.is_current else " (no longer so)"
    return f"{hit.text}{former}"


def is_superseded(position: int, project: Project) -> bool:
    """Whether the fact at a position is in records, but none of what it says there still stands.

    The fields of a key only tell which record is meant, and stand as long as it does.
    """
    if position not in project.used:
        return False
    claims = [
        (record, name, claim)
        for record in map(project.record, project.used[position])
        for name, claims in record.claims.items()
        for claim in claims
        if position in claim.cites and name not in project.types[record.type].key
    ]
    return bool(claims) and not any(
        claim.value == record.values.get(name)
        or name in record.conflicts
        or (isinstance(standing := record.values.get(name), tuple) and claim.value in standing)
        for record, name, claim in claims
    )
