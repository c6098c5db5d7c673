"""Keep a search index in step with a log and its project: what passages there are, and which words they have.

The index is a cache: it can be made anew from the log at any time, and then it is the same.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from hashlib import blake2b

import msgspec
from immutables import Map

from uac.errors import Moved
from uac.log.index import NO_INDEX, Entering, IndexHead, IndexRows, Passage, Where, moved
from uac.log.log import Log, Prefix
from uac.models.embedder import Embedder
from uac.project.project import Project, Record
from uac.schema.entries import Erasure, Fact, Observation
from uac.schema.periods import Period
from uac.schema.types import Typed, dump_value
from uac.text.memory_block import own_words
from uac.text.stems import language_of, terms_of

__all__ = ["FORM", "Indexer", "Told", "embed_some", "record_text"]

FORM = 1
"""How passages and words are made: an index of another form is made anew."""
LONGEST = 80  # words of a passage; a longer turn has several
DAY = "\x1f"  # before the day of turns without a session, so that no session is taken for it
BATCH = 500  # entries that are put into the index in one step
EMBEDDED = 512  # passages that are embedded in one step
LISTED = 10_000  # passages without a vector that are looked for in one go, past all that have one
TRIES = 20  # against others that change the index at the same time

Told = Callable[[int], None]
"""Told how far it has come: entries indexed, or passages embedded."""


class Indexer:
    """Brings one index up to date, again and again. Records are followed by identity, so that few are looked at."""

    def __init__(self, index: IndexRows) -> None:
        self.index = index
        self.dropped: list[int] = []
        """The slots of records that were taken out; whoever keeps account of them empties it."""
        self._tables: Mapping[str, Map[str, Record]] | None = None

    def follow(self, log: Log | Prefix, project: Project, *, told: Told = lambda _position: None) -> IndexHead:
        """Index what is new up to the project's position; the head of the index then.

        An index that does not carry on to this log, or was made another way, is emptied first.
        """
        for _try in range(TRIES):
            head = self.index.head()
            if head.form != FORM or not log.contains(head.position, head.digest):
                if head != NO_INDEX:
                    self.index.clear()
                head, self._tables = NO_INDEX, None
            said = self._follow_log(head, log, project, told)
            if said and (done := self._follow_records(said, project)):
                return done
        raise Moved(project.position, self.index.head().position)

    def _follow_log(self, head: IndexHead, log: Log | Prefix, project: Project, told: Told) -> IndexHead | None:
        while head.position < project.position:
            stop = min(head.position + BATCH, project.position) + 1
            add: list[Entering] = []
            position, digest = head.position, head.digest
            for stored in log.read(head.position + 1, stop):
                position, digest = stored.position, stored.digest
                if isinstance(stored.entry, Erasure):  # it took out all records, which may have had its words
                    self._tables = None
                if isinstance(stored.entry, Observation | Fact):
                    add += [_entering(*found) for found in _passages(stored.position, stored.entry, project)]
            if position != stop - 1:  # the user was erased meanwhile
                return None
            after = moved(head, add=[entered.passage for entered in add], position=position, digest=digest)
            after = msgspec.structs.replace(after, form=FORM)
            if not self.index.change(head, after, add=add, remove=()):
                return None
            head = after
            told(head.position)
        return head

    def _follow_records(self, head: IndexHead, project: Project) -> IndexHead | None:
        """Put in those whose text is another than before; one that is still the same object is not looked at."""
        if head.position > project.position:  # others have come further, with records that are newer
            return head
        changed = {record.id: record for record in _changed(project.tables, self._tables or {})}
        gone = {record.id for record in _changed(self._tables or {}, project.tables)} - changed.keys()
        if self._tables is None:
            known = {passage.record: passage for passage in self.index.select(Where(kinds=("record",)))}
            gone = known.keys() - changed.keys()
        elif changed or gone:
            listed = self.index.select(Where(kinds=("record",), records=(*changed, *gone)))
            known = {passage.record: passage for passage in listed}
        else:
            return head
        new = [passage for record in changed.values() if _is_new(passage := _record_passage(record), known)]
        remove = [known[id_] for id_ in (*gone, *(passage.record for passage in new)) if id_ in known]
        if new or remove:
            add = [_entering(passage, "\n".join(record_text(changed[passage.record]))) for passage in new]
            after = moved(head, add=[entered.passage for entered in add], remove=remove)
            if not self.index.change(head, after, add=add, remove=[passage.slot for passage in remove]):
                return None
            self.dropped += [passage.slot for passage in remove]
            head = after
        self._tables = dict(project.tables)
        return head


def embed_some(
    index: IndexRows, embedder: Embedder, text: Callable[[Sequence[Passage]], Sequence[str]], *, most: int
) -> int:
    """Give vectors to some of the passages that have none of this embedder, the newest first; how many."""
    slots = index.unembedded(embedder.name, min(most, LISTED))
    for start in range(0, len(slots), EMBEDDED):
        passages = index.select(Where(slots=tuple(slots[start : start + EMBEDDED])))
        index.keep(embedder.name, [passage.slot for passage in passages], embedder.embed(text(passages)))
    return len(slots)


def _passages(position: int, entry: Observation | Fact, project: Project) -> Iterator[tuple[Passage, str]]:
    """The passages of an entry with their words, without slots."""
    if isinstance(entry, Observation):
        day = entry.said.date().isoformat()
        turn = _NOTHING._replace(
            kind="observation",
            position=position,
            session=_session_of(entry.session, entry.said),
            said=entry.said.isoformat(),
            since=day,
            until=day,
            speaker=entry.speaker,
            role=entry.role,
            source=entry.source,
        )
        for start, stop in _stretches(entry.text):
            yield turn._replace(start=start, stop=stop), entry.text[start:stop]
    else:
        source = project.sources.get(position)
        said = source.said.isoformat() if source else ""
        since, until = _days(entry.held) if entry.held != Period() else (said[:10], said[:10])
        fact = _NOTHING._replace(
            kind="fact",
            position=position,
            stop=len(entry.text),
            said=said,
            since=since,
            until=until,
            authority=entry.authority,
            cites=tuple(sorted({cite.position for cite in entry.cites})),
        )
        yield fact, f"{entry.text} {entry.about}"


def _changed(tables: Mapping[str, Map[str, Record]], others: Mapping[str, Map[str, Record]]) -> Iterator[Record]:
    """The records that are not the same objects in the other tables."""
    for name in sorted(tables):
        table, other = tables[name], others.get(name)
        if table is not other:
            yield from (record for id_, record in table.items() if other is None or other.get(id_) is not record)


def _is_new(passage: Passage, known: Mapping[str, Passage]) -> bool:
    return passage.record not in known or known[passage.record].stamp != passage.stamp


def _record_passage(record: Record) -> Passage:
    """A record, found by its type, the names of its fields, and all that was ever claimed of them."""
    since, until = _record_days(record)
    cited = [str(position) for position in sorted(record.cites)]
    return _NOTHING._replace(
        kind="record",
        record=record.id,
        since=since,
        until=until,
        cites=tuple(map(int, cited)),
        stamp=blake2b("\n".join([*record_text(record), since, until, *cited]).encode(), digest_size=12).hexdigest(),
    )


def record_text(record: Record) -> tuple[str, str]:
    """A record on one line, and what else it is found by."""
    shown = {name: _plain(value) for name, value in record.values.items() if value not in (None, "", ())}
    text = " ".join([record.id, ", ".join(f"{name}={value}" for name, value in shown.items())]).strip()
    claimed = {_plain(claim.value): None for claims in record.claims.values() for claim in claims}
    other = [value for value in claimed if value not in shown.values()]
    ended = [record.ended.when, record.ended.why] if record.ended else []
    return text, "\n".join([_CAMEL.sub(" ", record.type), *other, *ended])


def _session_of(session: str, said: datetime) -> str:
    """What keeps turns together: their session, or the day."""
    return session or f"{DAY}{said:%Y-%m-%d}"


def _entering(passage: Passage, words: str) -> Entering:
    terms = terms_of(words)
    return Entering(passage._replace(language=language_of(words), size=len(terms)), tuple(dict.fromkeys(terms)))


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where the passages of a turn stand: its own words, cut near the ends of sentences where it is long."""
    spans = own_words(text) if "<" in text else [(0, len(text))] if text and not text.isspace() else []
    for first, last in spans:
        start, words, sentence = first, 0, first
        for piece in _PIECE.finditer(text, first, last):
            words += 1
            if words > LONGEST:
                cut = sentence if sentence > start and piece.start() - sentence < (piece.start() - start) // 2 else 0
                yield start, (cut or piece.start())
                start = cut or piece.start()
                words = 1 + (len(_PIECE.findall(text, start, piece.start())) if cut else 0)
            if _END.search(piece[0]):
                sentence = piece.end()
        if start < last:
            yield start, last


def _days(period: Period) -> tuple[str, str]:
    first, last = period.first, period.last
    return first.isoformat() if first else "0001-01-01", last.isoformat() if last else "9999-12-31"


def _record_days(record: Record) -> tuple[str, str]:
    """From the first to the last day that its fields name."""
    days = sorted(
        (value.date() if isinstance(value, datetime) else value).isoformat()
        for value in record.values.values()
        if isinstance(value, date)
    )
    return (days[0], days[-1]) if days else ("", "")


def _plain(value: Typed) -> str:
    if isinstance(value, tuple):
        return ", ".join(_plain(item) for item in value)
    return str(dump_value(value))


_NOTHING = Passage(0, "observation", 0, 0, 0, "", "", "", "", "", "", "", "", "", (), "", 0, "")
# A word; where no spaces are written, as much as two characters and a half say.
_PIECE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{1,2}|\S{1,60}?(?=\s|$|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])\s*|\S{1,60}\s*"
)
_END = re.compile(r"[.!?。！？؟।\n][\"'”’)\]]*\s*$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
