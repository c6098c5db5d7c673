"""Search by words over what was said, what was taken from it, and the records: BM25 over an index in memory.

The index is a cache beside the log: it can always be made anew, and it holds nothing that was erased or retracted.
A turn is found by its own words and, a little less, by those of the turns around it: "yes, in June" answers a question.
"""

import heapq
import math
import re
import unicodedata
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, get_args

import msgspec
from immutables import Map

from uac.echo import own_words
from uac.entries import Entry, Erasure, Fact, Observation, Role
from uac.log import EMPTY, Log, Prefix
from uac.project import Project, Record
from uac.schema import Typed, dump_value

__all__ = ["Found", "Hit", "Recall", "RecallKind", "session_of", "words_of"]

RecallKind = Literal["observation", "fact", "record"]

KINDS: tuple[RecallKind, ...] = get_args(RecallKind)
LONG = 60  # words; a longer turn speaks for itself
MOST_TERMS = 64
K1, B = 1.2, 0.4  # how soon a word that is repeated counts no more, and how much long texts are held back
OWN, BEFORE, AFTER = 100, 80, 56
"""The weight of a word that stands in the turn itself, in the turn before and in the turn after it, in per cent.

Whole numbers, so that sums do not depend on the order in which they are made.
"""
SPOKEN = 2.0  # for turns of somebody whom the query names
PRIORS: Mapping[RecallKind, float] = {"observation": 1.0, "fact": 1.15, "record": 1.25}
ROLE_PRIORS: Mapping[Role, float] = {
    "user": 1.0,
    "person": 1.0,
    "document": 0.8,
    "tool": 0.6,
    "assistant": 0.6,
    "system": 0.5,
}


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
    """False for a record that has ended."""


class Found(NamedTuple):
    """The best that matched, and how many matched in all."""

    hits: list[Hit]
    matched: int


class Recall:
    """An index of one user's log and project. `follow` brings it up to date; nothing is found before."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._position, self._digest = 0, EMPTY.digest
        self._gone: frozenset[int] = frozenset()
        self._tables: Mapping[str, Map[str, Record]] = {}
        self._turns = _Turns()
        self._facts = _Index()
        self._records = _Index()
        self._slots: dict[str, int] = {}  # where each record stands in its index
        self._last_slot = 0

    def follow(self, log: Log | Prefix, project: Project) -> None:
        """Index what is new up to the project's position, and drop what was erased, retracted or changed.

        A project that does not carry on from the last one, such as an older one, is indexed from the start.
        """
        if not self._is_continued(log, project):
            self._forget()
        erased: set[int] = set()
        if project.position > self._position:
            for stored in log.read(self._position + 1, project.position + 1):
                if isinstance(stored.entry, Erasure):
                    erased.update(item.position for item in stored.entry.erased if not item.left)
                elif stored.entry is not None and stored.position not in project.gone:
                    self._add(stored.position, stored.entry, project)
        for position in sorted(erased | (project.gone - self._gone)):
            self._turns.remove(position)
            self._facts.remove(position)
        for position in sorted(self._gone - project.gone):  # a retraction that was itself retracted
            for stored in log.read(position, position + 1):
                if stored.entry is not None:
                    self._add(position, stored.entry, project)
        self._follow_records(project)
        self._position, self._digest, self._gone = project.position, project.digest or EMPTY.digest, project.gone

    def search(
        self, query: str, *, k: int = 20, kinds: Collection[RecallKind] = KINDS, before: int | None = None
    ) -> list[Hit]:
        """The best matches, best first. With `before`, only what stands before that position, and no records."""
        return self.find(query, k=k, kinds=kinds, before=before).hits

    def find(
        self, query: str, *, k: int = 20, kinds: Collection[RecallKind] = KINDS, before: int | None = None
    ) -> Found:
        """As `search`, with the number of all that matched."""
        terms = self._terms(query)
        ranked: list[tuple[float, int, str, _Document]] = []
        for kind in KINDS:
            if kind in kinds and not (kind == "record" and before is not None):
                ranked += self._scored(kind, terms, query, before)
        best = heapq.nsmallest(max(k, 0), ranked, key=lambda item: (-item[0], item[1], item[3].kind, item[2]))
        return Found([_hit(document, score) for score, _position, _record, document in best], len(ranked))

    def neighbours(self, position: int, *, before: int = 1, after: int = 1) -> list[int]:
        """The positions of the turns around an observation in its session, in order, without its own."""
        return self._turns.around(position, before, after)

    def hit(self, position: int) -> Hit | None:
        """The turn or fact at a position, with no score; None if it is not in the index."""
        found = self._turns.documents.get(position) or self._facts.documents.get(position)
        return _hit(found, 0.0) if found else None

    def _is_continued(self, log: Log | Prefix, project: Project) -> bool:
        if project.position <= self._position:
            return (project.position, project.digest or EMPTY.digest) == (self._position, self._digest)
        last = next(log.read(self._position, self._position + 1), None) if self._position else None
        return (last.digest if last else EMPTY.digest) == self._digest

    def _add(self, position: int, entry: Entry, project: Project) -> None:
        match entry:
            case Observation():
                text = entry.text
                if "<" in text:
                    text = "\n".join(text[start:end] for start, end in own_words(text))
                if text:
                    self._turns.add(position, _turn(position, entry, text))
            case Fact():
                said = source.said if (source := project.sources.get(position)) else None
                self._facts.add(position, _fact(position, entry, said))
            case _:
                pass

    def _follow_records(self, project: Project) -> None:
        """Records are compared by identity: one that is still the same object has not changed."""
        for name in self._tables.keys() | project.tables.keys():
            old, new = self._tables.get(name), project.tables.get(name)
            if old is new:
                continue
            for record_id, record in old.items() if old is not None else ():
                if new is None or new.get(record_id) is not record:
                    self._records.remove(self._slots.pop(record_id))
            for record_id, record in new.items() if new is not None else ():
                if old is None or old.get(record_id) is not record:
                    self._last_slot += 1
                    self._slots[record_id] = self._last_slot
                    self._records.add(self._last_slot, _record(record))
        self._tables = dict(project.tables)

    def _terms(self, query: str) -> list[tuple[str, float]]:
        """The words to look for with their weights, the rarest first; words that are everywhere only if alone."""
        indexes = (self._turns, self._facts, self._records)
        total = sum(len(index.documents) for index in indexes)
        counts = {term: sum(index.postings.count(term) for index in indexes) for term in set(words_of(query))}
        known = sorted((count, term) for term, count in counts.items() if count)
        telling = [(count, term) for count, term in known if term not in STOP_WORDS] or known
        return [(term, math.log(1 + (total - count + 0.5) / (count + 0.5))) for count, term in telling[:MOST_TERMS]]

    def _scored(
        self, kind: RecallKind, terms: Sequence[tuple[str, float]], query: str, before: int | None
    ) -> Iterable[tuple[float, int, str, "_Document"]]:
        if kind != "observation":
            index = self._facts if kind == "fact" else self._records
            return [
                (score * document.prior, document.position, document.record, document)
                for slot, score in index.scores(terms, before).items()
                for document in [index.documents[slot]]
            ]
        # The name of somebody who takes part tells whose words are meant; others say it to address them.
        names = self._turns.named(words_of(query))
        others = [(term, idf) for term, idf in terms if term not in names] or terms
        meant = {speaker for speakers in names.values() for speaker in speakers}
        return [
            (score * document.prior * (SPOKEN if document.speaker in meant else 1.0), slot, "", document)
            for slot, score in self._turns.scores(others, before).items()
            for document in [self._turns.documents[slot]]
        ]


class _Document(msgspec.Struct, frozen=True, gc=False):
    kind: RecallKind
    position: int
    record: str
    text: str
    said: datetime | None
    speaker: str
    role: Role | None
    session: str
    is_current: bool
    prior: float
    also: str = ""
    """What it is found by, besides its text."""

    @property
    def words(self) -> list[str]:
        return words_of(f"{self.text}\n{self.also}" if self.also else self.text)


class _Index:
    """Documents of one kind by slot, and where each word stands."""

    def __init__(self) -> None:
        self.documents: dict[int, _Document] = {}
        self.postings = _Postings()
        self.lengths: dict[int, int] = {}  # in per cent of a word
        self.total = 0

    def add(self, slot: int, document: _Document) -> None:
        words = document.words
        self.documents[slot] = document
        self.postings.add(slot, words)
        self._measure(slot, OWN * len(words))

    def remove(self, slot: int) -> None:
        document = self.documents.pop(slot, None)
        if document is not None:
            self.postings.remove(slot, document.words)
            self._measure(slot, 0)

    def scores(self, terms: Sequence[tuple[str, float]], before: int | None) -> dict[int, float]:
        """BM25 of all documents that have one of the words."""
        scores: dict[int, float] = {}
        per_length = K1 * B * len(self.documents) / max(self.total, 1)
        lengths = self.lengths
        for term, idf in terms:
            top = idf * (K1 + 1)
            for slot, weight in self.weights(term, before).items():
                often = weight / OWN
                share = top * often / (often + K1 * (1 - B) + per_length * lengths[slot])
                scores[slot] = scores.get(slot, 0.0) + share
        return scores

    def weights(self, term: str, before: int | None) -> dict[int, int]:
        """How much of the word each document has, in per cent of one time."""
        return {slot: OWN * count for slot, count in self.postings.of(term, before)}

    def _measure(self, slot: int, length: int) -> None:
        self.total += length - self.lengths.pop(slot, 0)
        if length:
            self.lengths[slot] = length


class _Turns(_Index):
    """Observations, each with the words of the turns around it."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[int, int] = {}
        self._sessions: dict[str, list[int]] = {}
        self._next: dict[int, int] = {}  # for each turn, the turn after it, if that one takes its words
        self._previous: dict[int, int] = {}
        self._speakers: Counter[str] = Counter()

    def add(self, slot: int, document: _Document) -> None:
        words = document.words
        self.documents[slot] = document
        self.postings.add(slot, words)
        self._sizes[slot] = len(words)
        insort(self._sessions.setdefault(session_of(document), []), slot)
        if document.speaker:
            self._speakers[document.speaker] += 1
        self._link([slot, *self.around(slot, 1, 1)])

    def remove(self, slot: int) -> None:
        document = self.documents.get(slot)
        if document is None:
            return
        around = self.around(slot, 1, 1)
        session = self._sessions[session_of(document)]
        session.remove(slot)
        if not session:
            del self._sessions[session_of(document)]
        if document.speaker:
            self._speakers[document.speaker] -= 1
            self._speakers += Counter()  # drops those who have no turn left
        for kept in (self._sizes, self._next, self._previous):
            kept.pop(slot, None)
        super().remove(slot)
        self._link(around)

    def around(self, slot: int, before: int, after: int) -> list[int]:
        document = self.documents.get(slot)
        if document is None:
            return []
        session = self._sessions[session_of(document)]
        place = bisect_left(session, slot)
        return session[max(place - before, 0) : place] + session[place + 1 : place + 1 + after]

    def named(self, words: Collection[str]) -> dict[str, list[str]]:
        """The words that are names of speakers, with the speakers whose names have them."""
        names: dict[str, list[str]] = {}
        wanted = set(words)
        for speaker in sorted(self._speakers):
            for name in wanted.intersection(words_of(speaker)):
                names.setdefault(name, []).append(speaker)
        return names

    def weights(self, term: str, before: int | None) -> dict[int, int]:
        weights: dict[int, int] = {}
        following, previous = self._next, self._previous
        for slot, count in self.postings.of(term, before):
            weights[slot] = weights.get(slot, 0) + OWN * count
            if (other := following.get(slot)) is not None and (before is None or other < before):
                weights[other] = weights.get(other, 0) + BEFORE * count
            if (other := previous.get(slot)) is not None:
                weights[other] = weights.get(other, 0) + AFTER * count
        return weights

    def _link(self, slots: Iterable[int]) -> None:
        """Set anew what turns take from those around them."""
        for slot in slots:
            is_short = self._sizes[slot] <= LONG
            length = OWN * self._sizes[slot]
            for other in self.around(slot, 1, 1):
                links, weight = (self._next, BEFORE) if other < slot else (self._previous, AFTER)
                if is_short:
                    links[other] = slot
                    length += weight * self._sizes[other]
                else:
                    links.pop(other, None)
            self._ends(slot)
            self._measure(slot, length)

    def _ends(self, slot: int) -> None:
        """The first turn of a session has none before it, and the last none after it."""
        around = self.around(slot, 1, 1)
        if not any(other > slot for other in around):
            self._next.pop(slot, None)
        if not any(other < slot for other in around):
            self._previous.pop(slot, None)


def session_of(turn: "_Document | Hit") -> str:
    """What a turn belongs to: its session, or the day if it was given none."""
    if turn.session or turn.said is None:
        return f"session {turn.session}"
    return f"day {turn.said.date().isoformat()}"


def _hit(document: _Document, score: float) -> Hit:
    return Hit(
        document.kind,
        document.position,
        document.record,
        document.text,
        score,
        document.said,
        document.speaker,
        document.role,
        document.session,
        document.is_current,
    )


def _turn(position: int, entry: Observation, text: str) -> _Document:
    prior = PRIORS["observation"] * ROLE_PRIORS[entry.role]
    return _Document(
        "observation", position, "", text, entry.said, entry.speaker, entry.role, entry.session, True, prior
    )


def _fact(position: int, fact: Fact, said: datetime | None) -> _Document:
    also = "\n".join([fact.about, fact.held.start, fact.held.end])
    return _Document("fact", position, "", fact.text, said, "", None, "", True, PRIORS["fact"], also)


def _record(record: Record) -> _Document:
    """Found by its type, the names of its fields, and all that was ever claimed of them."""
    shown = {name: _plain(value) for name, value in record.values.items() if value not in (None, "", ())}
    text = " ".join([record.id, ", ".join(f"{name}={value}" for name, value in shown.items())]).strip()
    claimed = {_plain(claim.value): None for claims in record.claims.values() for claim in claims}
    other = [value for value in claimed if value not in shown.values()]
    ended = [record.ended.when, record.ended.why] if record.ended else []
    also = "\n".join([_CAMEL.sub(" ", record.type), *other, *ended])
    return _Document("record", 0, record.id, text, None, "", None, "", record.ended is None, PRIORS["record"], also)


def _plain(value: Typed) -> str:
    if isinstance(value, tuple):
        return ", ".join(_plain(item) for item in value)
    return str(dump_value(value))


class _Postings:
    """For each word, where it stands and how often."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, slot: int, words: Iterable[str]) -> None:
        for word, count in Counter(words).items():
            place = self._places.get(word)
            if place is None:
                self._places[word] = array("I", [slot]), array("H", [min(count, MOST)])
                continue
            slots, counts = place
            index = len(slots) if slot > slots[-1] else bisect_left(slots, slot)
            slots.insert(index, slot)
            counts.insert(index, min(count, MOST))

    def remove(self, slot: int, words: Iterable[str]) -> None:
        for word in set(words):
            slots, counts = self._places[word]
            index = bisect_left(slots, slot)
            del slots[index], counts[index]
            if not slots:
                del self._places[word]

    def count(self, word: str) -> int:
        return len(self._places[word][0]) if word in self._places else 0

    def of(self, word: str, before: int | None) -> Iterator[tuple[int, int]]:
        """Slots in order, up to but not including `before`, and how often the word stands there."""
        slots, counts = self._places.get(word, ((), ()))
        if before is None:
            return zip(slots, counts, strict=True)
        end = bisect_left(slots, before)
        return zip(slots[:end], counts[:end], strict=True)


MOST = 65535  # times that a word is counted in one text
LONGEST = 40  # characters of a word that tell it apart


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared: without letter case, accents and common English endings.

    Scripts that are written without spaces give their characters two by two.
    """
    if text.isascii():
        return [_stem(word) for word in _WORD.findall(text.lower())]
    words: list[str] = []
    for piece in _WORD.findall(_folded(text)):
        for run in _WIDE.split(piece):
            if not run:
                continue
            if not _WIDE.match(run):
                words.append(_stem(run))
            elif len(run) == 1:
                words.append(run)
            else:
                words += [run[place : place + 2] for place in range(len(run) - 1)]
    return words


def _folded(text: str) -> str:
    """Compatible forms made one, letter case and marks gone; the marks of kana stay, for they make another sound."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in apart if c in "\u3099\u309a" or (c != "\u0640" and unicodedata.category(c)[0] != "M"))
    return unicodedata.normalize("NFC", kept)


def _stem(word: str) -> str:
    """The word without the endings of English plurals and verbs: trips → trip, hiking → hik ← hike."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word.replace(",", "")[:LONGEST]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        left = word.removesuffix(ending)
        if left != word and len(left) > 2 and _VOWEL.search(left) and not word.endswith("eed"):
            word = left[:-1] if left[-1] == left[-2] and left[-1] not in "lsz" else left
            break
    word = word.removesuffix("e") if len(word) > 3 else word
    return word[:LONGEST]


_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?![^\W_])|[^\W_]+")
_WIDE = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+)"
)
_VOWEL = re.compile("[aeiouy]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

STOP_WORDS = frozenset(
    words_of(
        """a about again all also am an and any are aren as at be because been before being but by can could couldn
        d did didn do does doesn doing don down during each few for from further had hadn has hasn have
        haven having he her here hers him his how i if in into is isn it its just ll m me more most my no
        nor not now of off on once only or other our ours out over own re s same she should so some such
        t than that the their theirs them then there these they this those through to too up us ve very
        was wasn we were weren what when where which while who whom whose why will with would you your
        yours tell know remember please"""
    )
)
"""Words that say little in a question; they are looked for only where nothing else is known."""
