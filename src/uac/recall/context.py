"""Build the context for a question: alerts, the manifest, records, facts and turns, within a token budget.

No model is called, and the same log gives the same text. Everything that does not fit is counted. User text is quoted,
one line each, so that it cannot end the block or pass for a heading.

Alerts come first. Critical alerts may use the whole budget; each is shown whole or not at all. The others get up to
half of the rest, and whatever is left at the end. Alerts that do not fit are counted by severity on a line of their
own, whose tokens are reserved in advance. If even that line exceeds the budget, the context is that line alone: the
only case in which a context is longer than requested, because no alert may be hidden silently.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import NamedTuple

import msgspec

from uac.errors import Refused
from uac.log.log import Log, Prefix
from uac.project.alerts import Alert, count_alerts_by_severity
from uac.project.project import Project
from uac.project.render_manifest import render_manifest
from uac.recall.cited_words import CitedWords, words_of_records
from uac.recall.context_lines import (
    ContextPart,
    PartKind,
    alert_part,
    around_turn,
    cited_part,
    fact_part,
    quoted_turn,
    record_part,
    session_heading,
    turn_part,
    turn_time,
)
from uac.recall.hits import Hit
from uac.recall.near_texts import NearTexts
from uac.recall.passages import RecentEntries
from uac.recall.question_options import ONE_QUESTION, QuestionOptions
from uac.recall.search import Recall
from uac.recall.small_talk import is_small_talk
from uac.schema.entries import Fact
from uac.text.memory_block import MEMORY_CLOSE, disarmed, memory_open
from uac.text.token_count import count_tokens

__all__ = ["Context", "ContextPart", "LeftOut", "PartKind", "build_context"]

TOKEN_SHARES: dict[PartKind, float] = {"record": 0.25, "fact": 0.15}
"""Shares of the tokens that alerts and manifest leave. Turns get the rest; what they leave is offered again."""
ALERT_SHARE = 0.5  # share of the tokens left by critical alerts, for the others
HEADINGS: dict[PartKind, str] = {
    "alert": "## Active alerts",
    "manifest": "## What is known, in short",
    "record": "## Records that match",
    "fact": "## Facts that match",
    "turn": "## What was said, by the user unless another speaker is named",
}
MANIFEST_SHARE = 0.25  # of the tokens that alerts leave
COLLECTIONS = "RECORDS = {"  # the line of a manifest that the collections follow
MIN_TURN_TOKENS = 10  # of the shortest turn with its position and speaker
STRONG_SCORE = 0.5  # share of the best score of any kind; weaker records and facts wait until the turns are shown
WEAK_SCORE = 0.25  # share of the best score of their kind; weaker ones share a common word with the question at most
DIRECT, INDIRECT = ("words", "facts"), ("meaning", "time")  # channels that say what a turn is about
MAX_WITH_WORDS = 16  # records whose words are read
MAX_MISFITS = 64  # turns in a row that do not fit, before the rest is skipped


class LeftOut(NamedTuple):
    """How many items matched, or are active, and are not in the context."""

    manifest: int = 0
    """Lines of the manifest."""
    alerts: int = 0
    records: int = 0
    facts: int = 0
    turns: int = 0


class Context(msgspec.Struct, frozen=True):
    """What an agent should see. `text` is empty if not even its frame fits the budget and no alert is active."""

    text: str
    tokens: int
    parts: tuple[ContextPart, ...]
    left_out: LeftOut

    @property
    def positions(self) -> tuple[int, ...]:
        """The entries whose text is quoted."""
        return tuple(sorted({int(found) for part in self.parts for found in _ENTRY.findall(part.source)}))


_ENTRY = re.compile(r"\bentry (\d+)")


def build_context(
    question: str,
    *,
    project: Project,
    log: Log | Prefix,
    recall: Recall,
    tokens: int = 4000,
    now: datetime | None = None,
    options: QuestionOptions = ONE_QUESTION,
) -> Context:
    """The memory that is relevant to a question, in at most `tokens` tokens. Brings `recall` up to date first.

    `now` is the present time, if it is later than the last tick: a snooze may have expired.
    """
    if tokens < 1:
        raise Refused(f"tokens is {tokens}. Use a positive number.")
    recall.follow(log, project)
    return recall.retried(lambda: _filled_context(question, project, log, recall, tokens, now, options))


def _filled_context(
    question: str,
    project: Project,
    log: Log | Prefix,
    recall: Recall,
    tokens: int,
    now: datetime | None,
    options: QuestionOptions,
) -> Context:
    manifest = render_manifest(project, with_alerts=False).splitlines() if project.types or project.constraints else []
    moment = max(filter(None, (project.now, now)), default=None)
    alerts = [alert for alert in project.standing() if not alert.is_quiet(moment)]
    found = recall.find_by_kind(question, tokens, options)
    matched = LeftOut(
        len(manifest), len(alerts), found["record"].matched, found["fact"].matched, found["observation"].matched
    )
    builder = _ContextBuilder(tokens, project, matched, alerts, _TurnQuotes(recall.recent))
    builder.add_alerts()
    if not builder.has_room:
        return builder.finish()
    builder.add_manifest(manifest)
    most = tokens // MIN_TURN_TOKENS
    found_records = list(_hits_above_weak(islice(found["record"].hits, most)))
    strong = sum(hit.score >= STRONG_SCORE * found["record"].best for hit in found_records)
    records = _records_with_words(found_records, strong, project, log, recall)
    facts = list(_distinct_facts(question, _hits_above_weak(islice(found["fact"].hits, most)), recall, project))
    first_facts = [fact for fact in facts if fact.score >= STRONG_SCORE * found["fact"].best]
    turns = _ReadHits(found["observation"].hits, project)
    room = builder.left
    builder.add_records(records[:strong], int(TOKEN_SHARES["record"] * room))
    reserve = int(TOKEN_SHARES["fact"] * room)
    builder.add_turns(turns, reserve=reserve if first_facts else 0)
    # A fact whose turn is shown repeats it: the others come first.
    builder.add_parts("fact", [each.part for each in first_facts if not builder.shows_source_of(each.fact)], reserve)
    builder.add_turns(turns)
    builder.add_parts("alert", builder.alert_parts, builder.left)  # if turns left room
    builder.add_records(records, builder.left)
    rest = sorted(facts, key=lambda each: builder.shows_source_of(each.fact))
    builder.add_parts("fact", [each.part for each in rest], builder.left)
    builder.add_turns(turns.idle)
    builder.add_turns(recall.hits_around(turns.read))
    return builder.finish()


class _ReadHits:
    """The turns that match, read when they are needed, which can be looked at again.

    Idle ones are not among them, such as greetings, which match because of who said them and beside what. A model has
    read them and took nothing from them that matches, they have no word of the question, and are about something else.
    """

    def __init__(self, hits: Iterator[Hit], project: Project) -> None:
        self._hits = hits
        self._unread = project.progress.unread
        self._best = 0.0
        self.read: list[Hit] = []
        self.idle: list[Hit] = []

    def __iter__(self) -> Iterator[Hit]:
        yield from list(self.read)
        for hit in self._hits:
            if self._is_idle(hit):
                self.idle.append(hit)
            else:
                self.read.append(hit)
                yield hit

    def _is_idle(self, hit: Hit) -> bool:
        evidence = sum(hit.channels.get(name, 0.0) for name in INDIRECT)
        self._best = max(self._best, evidence + sum(hit.channels.get(name, 0.0) for name in DIRECT))
        is_direct = not hit.channels.keys().isdisjoint(DIRECT)
        return not is_direct and evidence < STRONG_SCORE * self._best and hit.position not in self._unread


class _TurnQuotes:
    """Turns as they are shown, with their tokens: each is made once, as long as its entry is known."""

    def __init__(self, recent: RecentEntries) -> None:
        self._known = recent.quotes

    def quote(self, hit: Hit, room: int) -> tuple[str, int]:
        """The quoted text, and the tokens of the whole line. More tokens than there is room for: no text."""
        span = (hit.position, hit.start, hit.stop)
        if span not in self._known:
            # Checked before dates are looked for, which is slow. A text has no more tokens than characters.
            if len(hit.text) > room and count_tokens(hit.text) > room:
                return "", room + 1
            self._known[span] = quoted_turn(hit)
        text, tokens = self._known[span]
        before, after = around_turn(hit)
        return text, count_tokens(before) + tokens + (count_tokens(after) if after else 0)


class _ShownTurn(NamedTuple):
    hit: Hit
    part: ContextPart
    heading: str
    tokens: int


class _ContextBuilder:
    """A context being filled. Each part is on lines of its own, so that token counts add up."""

    def __init__(
        self, tokens: int, project: Project, matched: LeftOut, alerts: Sequence[Alert], quotes: "_TurnQuotes"
    ) -> None:
        self._project, self._matched, self._alerts = project, matched, alerts
        self.alert_parts = [alert_part(alert) for alert in alerts]
        self._open = memory_open(project.position)
        self._lines = 0  # of the manifest that are shown
        self._parts: dict[PartKind, list[ContextPart]] = {}
        self._turns: dict[tuple[int, int], _ShownTurn] = {}
        self._spans: dict[int, list[tuple[int, int]]] = {}
        """Of each turn, the passages that are shown."""
        self._cited: dict[str, list[ContextPart]] = {}
        self._told: set[int] = set()
        """The turns of which a record shows at least half."""
        self._repeated: set[tuple[int, int]] = set()
        """The hits among them."""
        self._quotes = quotes
        self._days: dict[tuple[str, date], str] = {}
        self._headings: set[str] = set()
        self.left = tokens - count_tokens(self._open) - count_tokens(MEMORY_CLOSE)
        self._note_cost = max(
            count_tokens(_context_closing_note(left_out, project)) for left_out in (matched, LeftOut())
        )
        self.has_room = False
        """Whether the closing note fits; without it nothing but alerts is shown."""

    def add_alerts(self) -> None:
        """Add critical alerts first, the others in a share of the rest; reserve the closing note if it fits."""
        critical = [part for part, alert in self._parts_with_alerts() if alert.severity == "critical"]
        others = self.alert_parts[len(critical) :]
        are_all_shown = self._have_room_for(critical, others)
        self.left -= count_tokens(_context_alerts_warning(() if are_all_shown else self._alerts, self._project))
        self.add_parts("alert", self.alert_parts if are_all_shown else critical, self.left)
        self.has_room = self.left >= self._note_cost
        self.left -= self._note_cost if self.has_room else 0
        self.add_parts("alert", others, int(ALERT_SHARE * self.left) if self.has_room else self.left)

    def _have_room_for(self, critical: Sequence[ContextPart], others: Sequence[ContextPart]) -> bool:
        """Whether all alerts fit at once, so that no tokens are reserved for the count of missing ones.

        If critical alerts leave no room for that count, the others may exceed their share, provided all of them fit.
        """
        left = self.left - count_tokens(_context_alerts_warning((), self._project))
        first = _parts_cost(critical) + (count_tokens(HEADINGS["alert"]) if self._alerts else 0)
        is_crowded = first + count_tokens(_context_alerts_warning(self._alerts, self._project)) > self.left
        share = int(ALERT_SHARE * (left - first - self._note_cost))
        return first + _parts_cost(others) <= left and (not others or is_crowded or _parts_cost(others) <= share)

    def add_manifest(self, manifest: Sequence[str]) -> None:
        """Add the whole manifest, or as many lines as fit with a note on the number of missing lines.

        A manifest that is cut before its first collection tells nothing, and is left out.
        """
        lines = [disarmed(line) for line in manifest]
        first = lines.index(COLLECTIONS) + 1 if COLLECTIONS in lines else max(len(lines) - 1, 0)
        for count in range(len(lines), first, -1):
            cut = [] if count == len(lines) else [f"# cut here: {len(lines) - count} more lines do not fit"]
            allowed = int(MANIFEST_SHARE * self.left)
            if self.add_parts(
                "manifest", [ContextPart("manifest", "manifest", "\n".join([*lines[:count], *cut]))], allowed
            ):
                self._lines = count
                return

    def add_parts(self, kind: PartKind, parts: Sequence[ContextPart], allowed: int) -> int:
        """Add the parts that fit and are not shown yet, in order. Returns the tokens used."""
        shown = self._parts.setdefault(kind, [])
        known = {part.source for part in shown}
        taken = 0
        for part in parts:
            cost = count_tokens(part.text) + (0 if shown else count_tokens(HEADINGS[kind]))
            if cost <= min(allowed - taken, self.left) and part.source not in known:
                shown.append(part)
                taken += cost
                self.left -= cost
        return taken

    def add_records(self, records: Iterable[tuple[ContextPart, Sequence[CitedWords]]], allowed: int) -> None:
        """Add the records that fit, each with the words that it cites: their turns need not be shown as well."""
        shown = {position for position, _start in self._turns}
        for part, words in records:
            taken = self.add_parts("record", [part], allowed)
            allowed -= taken
            for cited in words if taken else ():
                line = cited_part(cited)
                cost = count_tokens(line.text)
                if cost <= min(allowed, self.left) and cited.position not in shown:
                    self._cited.setdefault(part.source, []).append(line)
                    self._told |= {cited.position} if cited.is_most else set()
                    allowed -= cost
                    self.left -= cost

    def shows_source_of(self, fact: Fact) -> bool:
        """Whether a turn that the fact cites is shown."""
        shown = {position for position, _start in self._turns} | self._told
        return any(cite.position in shown for cite in fact.cites)

    def add_turns(self, hits: Iterable[Hit], *, reserve: int = 0) -> None:
        """Add the passages that fit, and leave `reserve`; the first one of a session also pays for its heading."""
        misfits = 0
        for hit in hits:
            if self.left - reserve < MIN_TURN_TOKENS or misfits > MAX_MISFITS:
                return
            if hit.position in self._told and hit.score > 0:
                self._repeated.add((hit.position, hit.start))
            if hit.position in self._told or self._shows_part_of(hit):
                continue
            heading, room = self._heading_of(hit), self.left - reserve
            room -= 0 if heading in self._headings else count_tokens(heading)
            room -= 0 if self._turns else count_tokens(HEADINGS["turn"])
            text, cost = self._quotes.quote(hit, room)
            if cost <= room:
                self._turns[hit.position, hit.start] = _ShownTurn(hit, turn_part(hit, text), heading, cost)
                self._spans.setdefault(hit.position, []).append((hit.start, hit.stop))
                self._headings.add(heading)
                self.left = room - cost + reserve
                misfits = 0
            else:
                misfits += 1

    def _shows_part_of(self, hit: Hit) -> bool:
        """Whether words of this passage are shown: a match that was shortened may come again as a whole."""
        return any(start < hit.stop and hit.start < stop for start, stop in self._spans.get(hit.position, ()))

    def _heading_of(self, hit: Hit) -> str:
        day = (hit.session, turn_time(hit).date())
        if day not in self._days:
            self._days[day] = session_heading(hit)
        return self._days[day]

    def finish(self) -> Context:
        shown = {kind: len(parts) for kind, parts in self._parts.items()}
        left_out = LeftOut(
            self._matched.manifest - self._lines,
            self._matched.alerts - shown.get("alert", 0),
            self._matched.records - shown.get("record", 0),
            self._matched.facts - shown.get("fact", 0),
            self._matched.turns - sum(turn.hit.score > 0 for turn in self._turns.values()) - len(self._repeated),
        )
        alerts = self._parts.get("alert", [])
        alerts.sort(key=self.alert_parts.index)  # parts added by the second offer are out of order
        missing = [alert for part, alert in self._parts_with_alerts() if part not in alerts]
        warning = _context_alerts_warning(missing, self._project)
        if self.left < 0 or not (self.has_room or self._alerts or warning):  # not even the frame fits
            text = f"{self._open} {warning} {MEMORY_CLOSE}" if warning else ""
            return Context(text, count_tokens(text), (), left_out)
        parts: list[ContextPart] = []
        lines = [self._open]
        for kind, heading in HEADINGS.items():
            if found := [
                each for part in self._parts.get(kind, ()) for each in (part, *self._cited.get(part.source, ()))
            ]:
                parts += found
                lines += [heading, *(part.text for part in found)]
            if kind == "alert" and warning:
                lines.append(warning)
        closing = [*([_context_closing_note(left_out, self._project)] if self.has_room else []), MEMORY_CLOSE]
        tokens = sum(map(count_tokens, (*lines, *closing)))
        if self._turns:
            lines.append(HEADINGS["turn"])
            sessions = _context_sessions(self._turns.values())
            for heading, turns in sessions.items():
                parts += [turn.part for turn in turns]
                lines += [heading, *(turn.part.text for turn in turns)]
            tokens += sum(map(count_tokens, (HEADINGS["turn"], *sessions)))
            tokens += sum(turn.tokens for turn in self._turns.values())
        return Context("\n".join([*lines, *closing]), tokens, tuple(parts), left_out)

    def _parts_with_alerts(self) -> Iterator[tuple[ContextPart, Alert]]:
        return zip(self.alert_parts, self._alerts, strict=True)


def _parts_cost(parts: Iterable[ContextPart]) -> int:
    return sum(count_tokens(part.text) for part in parts)


def _hits_above_weak(hits: Iterable[Hit]) -> Iterator[Hit]:
    best: float | None = None
    for hit in hits:
        best = hit.score if best is None else best
        if hit.score < WEAK_SCORE * best:
            return
        yield hit


def _records_with_words(
    hits: Iterable[Hit], strong: int, project: Project, log: Log | Prefix, recall: Recall
) -> list[tuple[ContextPart, list[CitedWords]]]:
    """The records, and the words that the best of the strong ones cite."""
    records = [project.record(hit.record) for hit in hits]
    words = words_of_records(records[: min(strong, MAX_WITH_WORDS)], project, log, recall.recent)
    return [(record_part(record, project), words.get(record.id, [])) for record in records]


class _FoundFact(NamedTuple):
    fact: Fact
    part: ContextPart
    score: float


def _distinct_facts(question: str, hits: Iterable[Hit], recall: Recall, project: Project) -> Iterator[_FoundFact]:
    """The facts that match, without small talk, and without those that say in other words what a better one says."""
    distinct = NearTexts()
    for hit in hits:
        if is_small_talk(hit.text, question, recall.speakers) or not distinct.add(hit.text):
            continue
        if isinstance(fact := recall.recent.entries.get(hit.position), Fact):  # the hit was read from it
            yield _FoundFact(fact, fact_part(hit.position, fact, project), hit.score)


def _context_sessions(said: Iterable[_ShownTurn]) -> dict[str, list[_ShownTurn]]:
    """The turns of each session by its heading; sessions and turns in order of time."""
    sessions: dict[str, list[_ShownTurn]] = {}
    for turn in sorted(said, key=lambda turn: (turn.hit.position, turn.hit.start)):
        sessions.setdefault(turn.heading, []).append(turn)
    return dict(sorted(sessions.items(), key=lambda each: (turn_time(each[1][0].hit), each[1][0].hit.position)))


def _context_alerts_warning(missing: Sequence[Alert], project: Project) -> str:
    """The line on active alerts that are not shown and constraints that have not run; "" if there are none."""
    sentences = []
    if missing:
        sentences.append(
            f"Active alerts that do not fit here: {count_alerts_by_severity(missing)}."
            " List them with 'uac alerts' or GET /alerts, or give more tokens."
        )
    if unchecked := len(project.unwatched):  # failed ones are alerts
        sentences.append(f"Constraints that have not run yet: {unchecked}; they may have more to report.")
    return " ".join(sentences)


def _context_closing_note(left_out: LeftOut, project: Project) -> str:
    """The closing note: what is missing here, and what no model has processed yet."""
    counts = {
        "manifest lines": left_out.manifest,
        "records": left_out.records,
        "facts": left_out.facts,
        "turns": left_out.turns,
    }
    missing = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    unread, waiting = len(project.progress.unread), len(project.waiting)
    sentences = [f"Matched but left out for want of room: {missing or 'nothing'}."]
    sentences += [f"Turns that no model has read: {unread}."] if unread else []
    sentences += [f"Facts that wait: {waiting}."] if waiting else []
    return " ".join(sentences)
