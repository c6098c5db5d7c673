"""Search results with their text: repetitions merged, fitted into a token budget, in reading order."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import msgspec

from uac.log.index import Passage, RecallKind
from uac.log.log import Log, Prefix
from uac.project.project import Project
from uac.recall.matches import PassageMatch
from uac.recall.passages import PassageTexts, RecentEntries
from uac.schema.entries import Authority, Fact, Observation, Role
from uac.text.lazy_pattern import lazy_pattern
from uac.text.token_count import count_tokens

__all__ = ["PAGE", "Found", "Hit", "HitReader", "fit_hits_to_budget"]

MIN_LINE_TOKENS = 5  # of the shortest line
MAX_MISFITS = 64  # hits in a row that do not fit, before the rest is skipped
SHORT_ANSWER = 12  # words; a shorter answer is shown with the question before it
MAX_ANSWERS = 24  # best hits that may bring such a question along
PAGE, MAX_PAGE = 24, 96  # hits whose entries are read in one go: at first, and at most

HitKey: TypeAlias = tuple[str, int, int, str]


class Hit(msgspec.Struct, frozen=True):
    """A search result. Records have an id and no position; facts and turns have a position and no id."""

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
    """False for a record that has ended, and for a fact that was superseded."""
    start: int = 0
    stop: int = 0
    """Offsets of the text in the text of its entry, in characters."""
    whole: int = 0
    """Length of the entry's text."""
    source: str = ""
    authority: Authority | None = None
    channels: dict[str, float] = {}
    """What each channel added to the score. Empty for a turn that is only shown beside a match."""
    also: tuple[int, ...] = ()
    """Entries with the same text on the same day, which are not shown."""


class Found(msgspec.Struct, frozen=True):
    """The results of a search, and how many more matched. Usable as a sequence of its hits."""

    hits: list[Hit]
    matched: int
    """How many passages contain a word of the question or match it in another way."""
    tokens: int = 0
    """Tokens of `text`."""
    notes: tuple[str, ...] = ()
    """What could not be searched, and how the dates in the question were read."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    @property
    def left_out(self) -> int:
        """How many matched and are not included."""
        return max(0, self.matched - sum(1 + len(hit.also) for hit in self.hits if hit.channels))

    @property
    def text(self) -> str:
        """The hits as text for reading: each with its speaker, under the day of its conversation."""
        lines: list[str] = []
        day = _HitDay()
        for hit in self.hits:
            if (new := _hit_day(hit)) != day:
                day = new
                lines += [new.heading] if new.heading else []
            lines.append(_plain_hit_line(hit))
        return "\n".join(lines)


class HitReader:
    """Turns matches into hits with their text, and remembers which of them repeat an earlier one."""

    def __init__(self, log: Log | Prefix, project: Project, recent: RecentEntries) -> None:
        self._texts = PassageTexts(log, project, recent)
        self._project = project
        self._repeats: dict[HitKey, list[int]] = {}

    def hits(self, matches: Sequence[PassageMatch]) -> Iterator[Hit]:
        """The hits of all matches, whose entries are read in one go."""
        self._texts.load([found.passage for found in matches])
        for found in matches:
            passage = found.passage
            if text := self._texts.text(passage):
                yield self._hit(found, passage, text)

    def _hit(self, found: PassageMatch, passage: Passage, text: str) -> Hit:
        entry = self._texts.entry(passage) if passage.position else None
        turn = entry if isinstance(entry, Observation) else None
        return Hit(
            kind=passage.kind,
            position=passage.position,
            record=passage.record,
            text=text,
            score=round(found.score, 6),
            said=turn.said if turn else self._source_time(passage),
            speaker=passage.speaker,
            role=turn.role if turn else None,
            session=turn.session if turn else "",
            is_current=turn is not None or self._is_current(passage),
            start=passage.start,
            stop=passage.stop,
            whole=len(entry.text) if isinstance(entry, Observation | Fact) else len(text),
            source=passage.source,
            authority=entry.authority if isinstance(entry, Fact) else None,
            channels={name: share for name, value in found.channels.items() if (share := round(value, 4))},
        )

    def distinct(self, ranked: Sequence[PassageMatch], k: int | None = None) -> Iterator[Hit]:
        """The hits in order, without repetitions of an earlier one; `with_repeats` adds those as `also`.

        `k` is about how many are wanted.
        """
        known: dict[tuple[str, ...], Hit] = {}
        start, size = 0, PAGE if k is None else min(k + 1, PAGE)
        while start < len(ranked):
            page = ranked[start : start + size]
            start, size = start + size, min(2 * size, MAX_PAGE)
            for hit in self.hits(page):
                first = known.setdefault(self._repetition_key(hit), hit)
                if first is hit:
                    yield hit
                else:
                    self._repeats.setdefault(_hit_key(first), []).append(hit.position)

    def tokens(self, hit: Hit) -> int:
        """The tokens of a hit's text."""
        known, span = self._texts.recent.tokens, (hit.position, hit.start, hit.stop)
        if (count := known.get(span)) is None:
            count = count_tokens(hit.text)
            if hit.kind != "record":
                known[span] = count
        return count

    def _repetition_key(self, hit: Hit) -> tuple[str, ...]:
        """Equal for two hits that say the same: same words apart from case and punctuation, same speaker and day.

        Nothing looser: one word may be a "not", a number may differ, and the day may be what the question is about.
        """
        if hit.kind == "record":
            return (hit.kind, hit.record)
        known, span = self._texts.recent.repeated, (hit.position, hit.start, hit.stop)
        if (words := known.get(span)) is None:
            words = known[span] = " ".join(_WORD.findall(hit.text.casefold())) or hit.text
        if hit.kind == "fact" or hit.said is None:
            return (hit.kind, words)
        return (hit.kind, hit.speaker, hit.role or "", hit.said.date().isoformat(), words)

    def with_repeats(self, hits: Collection[Hit]) -> list[Hit]:
        """The hits, each with its repetitions in `also`, except those that are hits themselves."""
        brought = {hit.position for hit in hits if not hit.channels}
        also = {key: tuple(place for place in places if place not in brought) for key, places in self._repeats.items()}
        return [
            msgspec.structs.replace(hit, also=also[_hit_key(hit)]) if _hit_key(hit) in also else hit for hit in hits
        ]

    def _source_time(self, passage: Passage) -> datetime | None:
        source = self._project.sources.get(passage.position)
        return source.said if source is not None else None

    def _is_current(self, passage: Passage) -> bool:
        if passage.kind == "record":
            return self._project.record(passage.record).ended is None
        return passage.kind != "fact" or not self._project.is_superseded(passage.position)


_WORD = re.compile(r"\w+")


def fit_hits_to_budget(
    hits: Iterable[Hit], tokens: int, *, tokens_of: Callable[[Hit], int], before: Callable[[Hit], Hit | None]
) -> tuple[list[Hit], int]:
    """The hits that fit, best first, in reading order, and their tokens. A hit that does not fit is skipped.

    `tokens_of` counts the tokens of a hit's text. A short answer brings along the question before it, if that fits too.
    """
    left = tokens
    headings = {_HitDay()}
    chosen: dict[HitKey, Hit] = {}

    def take(hit: Hit) -> bool:
        nonlocal left
        day = _hit_day(hit)
        head, tail = _around_text(hit)
        cost = tokens_of(hit) + count_tokens(head) + count_tokens(tail)
        cost += 0 if day in headings else count_tokens(day.heading)
        if cost <= left and chosen.setdefault(_hit_key(hit), hit) is hit:
            left -= cost
            headings.add(day)
            return True
        return False

    misfits = 0
    for hit in hits:
        if _hit_key(hit) in chosen:  # brought along by its answer, and now a hit itself
            chosen[_hit_key(hit)] = hit
            continue
        if left < MIN_LINE_TOKENS or misfits > MAX_MISFITS:
            break
        taken = take(hit)
        misfits = 0 if taken else misfits + 1
        if taken and hit.kind == "observation" and len(chosen) < MAX_ANSWERS and hit.text.count(" ") < SHORT_ANSWER:
            question = before(hit)
            if question is not None and _QUESTION.search(question.text.rstrip()):
                take(question)
    return _hits_in_reading_order(chosen.values()), tokens - left


# A Greek question mark looks like a semicolon, and is mostly typed as one.
_QUESTION = lazy_pattern(r"(?:[?？؟\u037e]|[\u0370-\u03ff\u1f00-\u1fff];)\Z")


def _hit_key(hit: Hit) -> HitKey:
    return hit.kind, hit.position, hit.start, hit.record


def _hits_in_reading_order(hits: Collection[Hit]) -> list[Hit]:
    """Records, then facts, then turns in order of time, one conversation of a day after the other."""
    days = [_hit_day(hit) for hit in hits]
    begun: dict[_HitDay, float] = {}
    for hit, day in zip(hits, days, strict=True):
        if hit.kind == "observation" and hit.said:
            moment = hit.said.timestamp()
            begun[day] = min(begun.get(day, moment), moment)
    order = {"record": 0, "fact": 1, "observation": 2}
    placed = [
        ((order[hit.kind], begun.get(day, 0.0), day, hit.position, hit.start, hit.record), hit)
        for hit, day in zip(hits, days, strict=True)
    ]
    return [hit for _place, hit in sorted(placed, key=itemgetter(0))]


class _HitDay(NamedTuple):
    """The heading that hits are grouped under: one day of a conversation."""

    session: str = ""
    day: str = ""

    @property
    def heading(self) -> str:
        return f"[{self.day}]" if self.day else ""


def _hit_day(hit: Hit) -> _HitDay:
    if hit.kind != "observation" or hit.said is None:
        return _HitDay()
    return _HitDay(hit.session, hit.said.date().isoformat())


def _plain_hit_line(hit: Hit) -> str:
    return hit.text.join(_around_text(hit))


def _around_text(hit: Hit) -> tuple[str, str]:
    """What is before and behind a hit's text on its line, apart from it by a space."""
    if hit.kind == "observation":
        return f"{hit.speaker or hit.role}: ", ""
    return "", "" if hit.is_current else " (no longer so)"
