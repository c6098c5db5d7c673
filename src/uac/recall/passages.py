"""The passages of an entry or a record, and the text of each.

An observation is cut into stretches of about eighty words, a fact and a record are one passage each. The index holds
passages without their text, which is only in the log and the project.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from hashlib import blake2b
from typing import TypeAlias

from uac.log.index import Passage
from uac.log.log import Log, Prefix
from uac.project.project import Project, Record
from uac.schema.entries import Entry, Fact, Observation
from uac.schema.periods import Period
from uac.schema.values import Typed, dump_value
from uac.text.lazy_pattern import lazy_pattern
from uac.text.memory_block import own_words

__all__ = ["MAX_SPAN_DAYS", "PassageTexts", "RecentEntries", "Span", "passages_of", "record_passage", "record_text"]

MAX_WORDS = 80  # a longer turn has several passages
MAX_PIECE = 60  # characters of a word; a longer one counts as several
DAY_PREFIX = "\x1f"  # marks the day of turns without a session, so that it equals no session's name
MAX_RECENT = 1024  # entries that are kept after a search
MAX_SPAN_DAYS = 31  # of a record that is about each day between its first and its last

Span: TypeAlias = tuple[int, int, int]
"""A passage of an entry: its position, and where the text starts and stops."""


class RecentEntries:
    """Entries that were read lately, and what was computed from their passages. Forgotten when words are erased."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.tokens: dict[Span, int] = {}
        """Of each passage's text."""
        self.repeated: dict[Span, str] = {}
        """The words of each passage, by which repetitions are recognised."""
        self.halves: dict[Span, Span] = {}
        """For each passage, the part that says most."""
        self.quotes: dict[Span, tuple[str, int]] = {}
        """Each passage as a context quotes it, and its tokens."""

    def read(self, log: Log | Prefix, positions: Collection[int]) -> None:
        """Read the entries at these positions that are not known, in one go."""
        missing = set(positions) - self.entries.keys()
        for stored in log.read_at(missing) if missing else ():
            if stored.entry is not None:
                self.entries[stored.position] = stored.entry

    def forget(self) -> None:
        for known in (self.entries, self.tokens, self.repeated, self.halves, self.quotes):
            known.clear()

    def make_room(self) -> None:
        """Forget the older half, if there are too many entries or words."""
        if len(self.entries) > MAX_RECENT or len(self.repeated) > 2 * MAX_RECENT:
            kept = [*self.entries.items()][len(self.entries) // 2 :]
            self.forget()
            self.entries |= kept


class PassageTexts:
    """Looks up the text of passages in the log and the project. Entries are read once and kept in `recent`."""

    def __init__(self, log: Log | Prefix, project: Project, recent: RecentEntries | None = None) -> None:
        self._log = log
        self._project = project
        self.recent = recent or RecentEntries()

    def texts(self, passages: Sequence[Passage]) -> list[str]:
        self.load(passages)
        return [self.text(passage) for passage in passages]

    def text(self, passage: Passage) -> str:
        """The passage's text; empty if its entry was erased or its record dropped."""
        if passage.kind == "record":
            table = self._project.tables.get(passage.record.partition(":")[0])
            record = table.get(passage.record) if table is not None else None
            return record_text(record)[0] if record is not None else ""
        entry = self.entry(passage)
        return entry.text[passage.start : passage.stop] if isinstance(entry, Observation | Fact) else ""

    def entry(self, passage: Passage) -> Entry | None:
        if passage.position not in self.recent.entries:
            self.load([passage])
        return self.recent.entries.get(passage.position)

    def load(self, passages: Collection[Passage]) -> None:
        """Read the passages' entries in one go."""
        self.recent.read(self._log, {passage.position for passage in passages if passage.position})


def passages_of(position: int, entry: Observation | Fact, project: Project) -> Iterator[tuple[Passage, str]]:
    """The passages of an entry, each with the text it is indexed by."""
    if isinstance(entry, Observation):
        day = entry.said.date().toordinal()
        turn = _EMPTY._replace(
            kind="observation",
            position=position,
            session=_session_key(entry.session, entry.said),
            said=int(entry.said.timestamp()),
            since=day,
            until=day,
            speaker=entry.speaker,
            role=entry.role,
            source=entry.source,
        )
        for start, stop in _passage_spans(entry.text):
            yield turn._replace(start=start, stop=stop), entry.text[start:stop]
    else:
        source = project.sources.get(position)
        said = source.said.date().toordinal() if source else 0
        since, until = _passage_days(entry.held) if entry.held != Period() else (said, said)
        fact = _EMPTY._replace(
            kind="fact",
            position=position,
            stop=len(entry.text),
            said=int(source.said.timestamp()) if source else 0,
            since=since,
            until=until,
            authority=entry.authority,
            cites=tuple(sorted({cite.position for cite in entry.cites})),
        )
        yield fact, f"{entry.text} {entry.about}"


def record_passage(record: Record) -> Passage:
    """The passage of a record, which is found by its type and every value ever claimed for a field."""
    since, until = _record_passage_days(record)
    cited = [str(position) for position in sorted(record.cites)]
    return _EMPTY._replace(
        kind="record",
        record=record.id,
        since=since,
        until=until,
        cites=tuple(map(int, cited)),
        stamp=blake2b(
            "\n".join([*record_text(record), str(since), str(until), *cited]).encode(), digest_size=12
        ).hexdigest(),
    )


def record_text(record: Record) -> tuple[str, str]:
    """A record on one line, and the additional text it is found by."""
    shown = {name: _passage_value_text(value) for name, value in record.values.items() if value not in (None, "", ())}
    text = " ".join([record.id, ", ".join(f"{name}={value}" for name, value in shown.items())]).strip()
    claimed = {_passage_value_text(claim.value): None for claims in record.claims.values() for claim in claims}
    other = [value for value in claimed if value not in shown.values()]
    ended = [record.ended.when, record.ended.why] if record.ended else []
    return text, "\n".join([_CAMEL.sub(" ", record.type), *other, *ended])


def _session_key(session: str, said: datetime) -> str:
    """The key that groups turns: their session, or else the day."""
    return session or f"{DAY_PREFIX}{said:%Y-%m-%d}"


def _passage_spans(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of a turn's passages: its own words, cut near sentence ends where it is long."""
    pattern = re.compile(_WORD)
    spans = own_words(text) if "<" in text else [(0, len(text))] if text and not text.isspace() else []
    for first, last in spans:
        if text.isascii() and len(text) // MAX_PIECE + text.count(" ") + text.count("\n") + 1 <= MAX_WORDS:
            yield first, last
            continue
        start, words, sentence = first, 0, first
        for piece in pattern.finditer(text, first, last):
            words += 1
            if words > MAX_WORDS:
                cut = sentence if sentence > start and piece.start() - sentence < (piece.start() - start) // 2 else 0
                yield start, (cut or piece.start())
                start = cut or piece.start()
                words = 1 + (len(pattern.findall(text, start, piece.start())) if cut else 0)
            if _SENTENCE_END.search(piece[0]):
                sentence = piece.end()
        if start < last:
            yield start, last


def _passage_days(period: Period) -> tuple[int, int]:
    return (period.first or date.min).toordinal(), (period.last or date.max).toordinal()


def _record_passage_days(record: Record) -> tuple[int, int]:
    """The first and the last day among the record's values; 0 if there is none."""
    days = [value.toordinal() for value in record.values.values() if isinstance(value, date)]
    return min(days, default=0), max(days, default=0)


def _passage_value_text(value: Typed) -> str:
    if isinstance(value, tuple):
        return ", ".join(_passage_value_text(item) for item in value)
    return str(dump_value(value))


_EMPTY = Passage("observation", 0, 0, 0, "", "", 0, 0, 0, "", "", "", "", (), "", 0, "")
_WORD = (  # in scripts without spaces, two characters
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{1,2}|\S{1,60}?(?=\s|$|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])\s*|\S{1,60}\s*"
)
_SENTENCE_END = lazy_pattern(r"[.!?。！？؟।\n][\"'”’)\]]*\s*$")
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
