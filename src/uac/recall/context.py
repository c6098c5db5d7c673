"""What an agent should be shown for a question: alerts, the manifest, records, facts and what was said, in a budget.

No model is asked, and the same log gives the same text. Whatever does not fit is counted. What people wrote stands in
quotes on one line each, so that no word of theirs can end the block or pass for a heading of it.

Alerts come first. Critical ones take all the room there is, each whole or not at all, before anything else is shown;
the others take up to half of the rest, and what is left at the end. Alerts that do not fit are counted by severity in
a line of their own, for which room is set aside in advance. A budget too small for that line gives the line alone: it
is the one case in which a context is longer than asked for, because none may be silent about an alert.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from uac.errors import Refused
from uac.log.log import Log, Prefix
from uac.project.alerts import Alert, count_by_severity
from uac.project.claims import Claim
from uac.project.project import Project, Record, disputed_claims
from uac.project.render import render_manifest
from uac.recall.hits import Hit
from uac.recall.search import Filter, Recall
from uac.schema.entries import Fact
from uac.schema.periods import Period
from uac.schema.types import Typed, dump_value
from uac.text.dates.resolve import mentions
from uac.text.memory_block import MEMORY_CLOSE, disarmed, memory_open, quoted
from uac.text.tokens import count_tokens

__all__ = ["Context", "LeftOut", "Part", "PartKind", "context"]

PartKind = Literal["manifest", "alert", "record", "fact", "turn"]

SHARES: dict[PartKind, float] = {"record": 0.25, "fact": 0.15}
"""Of what alerts and manifest leave; turns get all the rest, and what they do not need is offered once more."""
ALERT_SHARE = 0.5  # of what critical alerts leave, for the others
HEADINGS: dict[PartKind, str] = {
    "alert": "## Alerts that stand",
    "manifest": "## What is known, in short",
    "record": "## Records that match",
    "fact": "## Facts that match",
    "turn": "## What was said",
}
FRAME = 80  # tokens of the first lines of a manifest
SHORTEST = 10  # tokens of the shortest turn with its position and speaker
WEAK = 0.25  # of the best score: records and facts below it only share a common word with the question
MEANINGS = 3  # a date that may mean more than so many days is left as it was said
HUMAN = ("user", "person")  # those whose name says enough
CITED = 5  # positions that are named for one record


class Part(NamedTuple):
    """One thing that is shown, and where it comes from: 'entry 12', the id of a record, or what made it."""

    kind: PartKind
    source: str
    text: str


class LeftOut(NamedTuple):
    """How much matched, or stands, and is not shown."""

    manifest: int = 0
    """Lines of the manifest."""
    alerts: int = 0
    records: int = 0
    facts: int = 0
    turns: int = 0


class Context(msgspec.Struct, frozen=True):
    """What an agent should be shown. `text` is empty if not even its frame fits the budget and no alert is active."""

    text: str
    tokens: int
    parts: tuple[Part, ...]
    left_out: LeftOut

    @property
    def positions(self) -> tuple[int, ...]:
        """The entries whose words are shown."""
        return tuple(sorted({int(found) for part in self.parts for found in _ENTRY.findall(part.source)}))


_ENTRY = re.compile(r"\bentry (\d+)")


def context(
    question: str,
    *,
    project: Project,
    log: Log | Prefix,
    recall: Recall,
    tokens: int = 4000,
    now: datetime | None = None,
) -> Context:
    """The memory that bears on a question, in at most so many tokens. Brings `recall` up to date first.

    `now` is the present time, if that is later than the last tick: a snooze may be over.
    """
    if tokens < 1:
        raise Refused(f"tokens is {tokens}, needs a positive number")
    recall.follow(log, project)
    most = tokens // SHORTEST + 50
    manifest = render_manifest(project).splitlines()
    moment = max(filter(None, (project.now, now)), default=None)
    alerts = [alert for alert in project.standing() if not alert.is_quiet(moment)]
    records = recall.find(question, Filter(kinds=("record",)), k=most)
    facts = recall.find(question, Filter(kinds=("fact",)), k=most)
    turns = recall.find(question, Filter(kinds=("observation",)), k=most)
    matched = LeftOut(len(manifest), len(alerts), records.matched, facts.matched, turns.matched)
    page = _Page(tokens, project, matched, alerts)
    page.show_alerts()
    if not page.has_room:
        return page.finish()
    page.show_manifest(manifest)
    offers: dict[PartKind, list[Part]] = {
        "record": [_record_part(project.record(hit.record), project) for hit in _strong(records.hits)],
        "fact": [part for hit in _strong(facts.hits) for part in _fact_parts(hit.position, log)],
    }
    room = page.left
    for kind, parts in offers.items():
        page.show(kind, parts, int(SHARES[kind] * room))
    page.show_turns(turns.hits)
    for kind, parts in (("alert", page.alert_parts), *offers.items()):  # where turns leave room
        page.show(kind, parts, page.left)
    page.show_turns(_around(turns.hits, recall))
    return page.finish()


class _Page:
    """A context that is being filled. Parts stand on lines of their own, so that their tokens add up."""

    def __init__(self, tokens: int, project: Project, matched: LeftOut, alerts: Sequence[Alert]) -> None:
        self._project, self._matched, self._alerts = project, matched, alerts
        self.alert_parts = [_alert_part(alert) for alert in alerts]
        self._open = memory_open(project.position)
        self._lines = 0  # of the manifest
        self._shown: dict[PartKind, list[Part]] = {}
        self._said: dict[tuple[int, int], tuple[Hit, Part]] = {}
        self._headings: set[str] = set()
        self.left = tokens - count_tokens(self._open) - count_tokens(MEMORY_CLOSE)
        self._last = max(count_tokens(_note(left_out, project)) for left_out in (matched, LeftOut()))
        self.has_room = False
        """Whether there is room for the last line; nothing but alerts is shown without it."""

    def show_alerts(self) -> None:
        """Critical ones in all the room there is, the others in a share of the rest; then the last line, if it fits."""
        critical = [part for part, alert in self._with_parts() if alert.severity == "critical"]
        others = self.alert_parts[len(critical) :]
        are_all_shown = self._have_room_for(critical, others)
        self.left -= count_tokens(_warning(() if are_all_shown else self._alerts, self._project))
        self.show("alert", self.alert_parts if are_all_shown else critical, self.left)
        self.has_room = self.left >= self._last
        self.left -= self._last if self.has_room else 0
        self.show("alert", others, int(ALERT_SHARE * self.left) if self.has_room else self.left)

    def _have_room_for(self, critical: Sequence[Part], others: Sequence[Part]) -> bool:
        """Whether all alerts are shown at once, so that no room is set aside to count those that are missing.

        Where critical ones leave no room for that count, the others may take more than their share, if all fit then.
        """
        left = self.left - count_tokens(_warning((), self._project))
        first = _cost(critical) + (count_tokens(HEADINGS["alert"]) if self._alerts else 0)
        is_crowded = first + count_tokens(_warning(self._alerts, self._project)) > self.left
        share = int(ALERT_SHARE * (left - first - self._last))
        return first + _cost(others) <= left and (not others or is_crowded or _cost(others) <= share)

    def show_manifest(self, manifest: Sequence[str]) -> None:
        """The whole of it, or as many lines as fit, with a word on how many there are."""
        lines = [disarmed(line) for line in manifest]
        for count in range(len(lines), 0, -1):
            cut = [] if count == len(lines) else [f"# cut here: {len(lines) - count} more lines do not fit"]
            allowed = (
                max(self.left * 2 // 5, min(self.left, FRAME)) if cut else max(self.left // 2, min(self.left, FRAME))
            )
            if self.show("manifest", [Part("manifest", "manifest", "\n".join([*lines[:count], *cut]))], allowed):
                self._lines = count
                return

    def show(self, kind: PartKind, parts: Sequence[Part], allowed: int) -> int:
        """Take parts that fit and are not shown yet, the first ones first; the tokens they took."""
        shown = self._shown.setdefault(kind, [])
        known = {part.source for part in shown}
        taken = 0
        for part in parts:
            cost = count_tokens(part.text) + (0 if shown else count_tokens(HEADINGS[kind]))
            if cost <= min(allowed - taken, self.left) and part.source not in known:
                shown.append(part)
                taken += cost
                self.left -= cost
        return taken

    def show_turns(self, hits: Iterable[Hit]) -> None:
        """Take passages that fit; the first of a session also pays for its heading."""
        for hit in hits:
            if self.left < SHORTEST:
                return
            if (hit.position, hit.start) in self._said or len(hit.text.split()) > self.left:
                continue
            heading, room = _heading(hit), self.left
            room -= 0 if heading in self._headings else count_tokens(heading)
            room -= 0 if self._said else count_tokens(HEADINGS["turn"])
            part = _turn_part(hit, room)
            if part is not None:
                self._said[hit.position, hit.start] = (hit, part)
                self._headings.add(heading)
                self.left = room - count_tokens(part.text)

    def finish(self) -> Context:
        shown = {kind: len(parts) for kind, parts in self._shown.items()}
        left_out = LeftOut(
            self._matched.manifest - self._lines,
            self._matched.alerts - shown.get("alert", 0),
            self._matched.records - shown.get("record", 0),
            self._matched.facts - shown.get("fact", 0),
            self._matched.turns - sum(hit.score > 0 for hit, _part in self._said.values()),
        )
        alerts = self._shown.get("alert", [])
        alerts.sort(key=self.alert_parts.index)  # those that were offered once more, too, by their severity
        missing = [alert for part, alert in self._with_parts() if part not in alerts]
        warning = _warning(missing, self._project)
        if self.left < 0 or not (self.has_room or self._alerts or warning):  # not even the frame fits
            text = f"{self._open} {warning} {MEMORY_CLOSE}" if warning else ""
            return Context(text, count_tokens(text), (), left_out)
        parts: list[Part] = []
        lines = [self._open]
        for kind, heading in HEADINGS.items():
            if found := self._shown.get(kind):
                parts += found
                lines += [heading, *(part.text for part in found)]
            if kind == "alert" and warning:
                lines.append(warning)
        if self._said:
            lines.append(HEADINGS["turn"])
            for heading, turns in _by_session(self._said.values()):
                parts += turns
                lines += [heading, *(part.text for part in turns)]
        lines += [_note(left_out, self._project)] if self.has_room else []
        text = "\n".join([*lines, MEMORY_CLOSE])
        return Context(text, count_tokens(text), tuple(parts), left_out)

    def _with_parts(self) -> Iterator[tuple[Part, Alert]]:
        return zip(self.alert_parts, self._alerts, strict=True)


def _cost(parts: Iterable[Part]) -> int:
    return sum(count_tokens(part.text) for part in parts)


def _strong(hits: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.score >= WEAK * hits[0].score]


def _around(turns: Sequence[Hit], recall: Recall) -> Iterator[Hit]:
    """The turns around those that matched, which may tell what was meant."""
    for turn in turns:
        for position in recall.neighbours(turn.position):
            if (hit := recall.hit(position)) is not None:
                yield hit


def _by_session(said: Iterable[tuple[Hit, Part]]) -> list[tuple[str, list[Part]]]:
    """The parts of each session under its heading, sessions and turns in the order of time."""
    sessions: dict[str, list[tuple[Hit, Part]]] = {}
    for hit, part in sorted(said, key=lambda turn: (turn[0].position, turn[0].start)):
        sessions.setdefault(_heading(hit), []).append((hit, part))
    ordered = sorted(sessions.items(), key=lambda session: (_said_at(session[1][0][0]), session[1][0][0].position))
    return [(heading, [part for _hit, part in turns]) for heading, turns in ordered]


def _said_at(hit: Hit) -> datetime:
    assert hit.said is not None  # only turns are asked for
    return hit.said


def _heading(hit: Hit) -> str:
    session = f", session {_name(hit.session)}" if hit.session else ""
    return f"### {_said_at(hit).date().isoformat()}{session}"


def _turn_part(hit: Hit, room: int) -> Part | None:
    """The passage as it is shown; None if there is no room for it."""
    if count_tokens(hit.text) > room:  # before dates are looked for, which takes longest
        return None
    cut = "" if len(hit.text) == hit.whole else f" (characters {hit.start} to {hit.stop} of {hit.whole})"
    role = hit.role or "somebody"
    who = f"{_name(hit.speaker)} ({role})" if hit.speaker and role not in HUMAN else _name(hit.speaker or role)
    line = f"[{hit.position}] {who}: {quoted(_dated(hit.text, _said_at(hit)))}{cut}"
    return Part("turn", f"entry {hit.position}", line) if count_tokens(line) <= room else None


def _dated(text: str, said: datetime) -> str:
    """The text with the dates that relative words mean beside them: yesterday [= 2023-05-07]."""
    parts, last = [], 0
    for mention in mentions(text, said):
        if mention.is_relative and len(mention.meanings) <= MEANINGS:
            meant = " or ".join(_period(meaning) for meaning in mention.meanings)
            parts += [text[last : mention.end], f" [= {meant}]"]
            last = mention.end
    return "".join([*parts, text[last:]])


def _fact_parts(position: int, log: Log | Prefix) -> list[Part]:
    for stored in log.read(position, position + 1):
        if isinstance(fact := stored.entry, Fact):
            held = [f"held {_period(fact.held)}"] if fact.held != Period() else []
            notes = "; ".join([f"about {_name(fact.about)}", *held, f"word of: {fact.authority}"])
            return [Part("fact", f"entry {position}", f"[{position}] {quoted(fact.text)} ({notes})")]
    return []


def _record_part(record: Record, project: Project) -> Part:
    cites = sorted(record.cites)
    more = f" and {len(cites) - CITED} more" if len(cites) > CITED else ""
    lines = [
        f"- {_name(record.id)} (from entries {', '.join(map(str, cites[:CITED]))}{more})"
        if cites
        else f"- {_name(record.id)}"
    ]
    if record.ended:
        why = f", because {quoted(record.ended.why)}" if record.ended.why else ""
        lines.append(f"  former: ended {_name(record.ended.when)}{why}")
    for name, value in record.values.items():
        if name in record.conflicts:
            told = disputed_claims(record, project.types[record.type], name)
            lines.append(f"  {name}: open conflict: {' or '.join(_claims(told))}")
        elif value not in (None, "", ()):
            lines.append(f"  {name}: {_value(value)}")
    return Part("record", record.id, "\n".join(lines))


def _claims(claims: Iterable[Claim]) -> list[str]:
    """The values that disagree, each with its newest claim."""
    newest = {claim.value: claim for claim in claims}
    return [
        f"{_value(value)} (word of: {claim.authority}, {claim.said.date().isoformat()}, entry {claim.position})"
        for value, claim in newest.items()
    ]


def _value(value: Typed) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return quoted(value) if isinstance(value, str) else str(dump_value(value))


def _alert_part(alert: Alert) -> Part:
    notes = [
        f"constraint {alert.constraint}",
        f"about {_name(alert.subject)}",
        f"since {alert.since.date().isoformat()}",
    ]
    notes += [f"records {', '.join(map(_name, alert.records))}"] if alert.records else []
    notes += [] if alert.is_reviewed else ["no person has approved the constraint"]
    line = f"- {alert.severity}: {quoted(alert.text)} ({'; '.join(notes)})"
    return Part("alert", f"{alert.constraint} {alert.subject}", line)


def _warning(missing: Sequence[Alert], project: Project) -> str:
    """The line on alerts that are active and not shown, and on constraints without a result; "" if there are none."""
    told = []
    if missing:
        told.append(
            f"Active alerts that do not fit here: {count_by_severity(missing)}."
            " List them with 'uac alerts' or GET /alerts, or give more tokens."
        )
    if unchecked := _unchecked(project):
        told.append(f"Constraints that have not run yet: {unchecked}; they may have more to report.")
    return " ".join(told)


def _unchecked(project: Project) -> int:
    """How many constraints have not run since records changed; one that failed is an alert."""
    return len(project.unwatched)


def _note(left_out: LeftOut, project: Project) -> str:
    """The last line: what is missing here, and what memory has not got to yet."""
    counts = {
        "manifest lines": left_out.manifest,
        "records": left_out.records,
        "facts": left_out.facts,
        "turns": left_out.turns,
    }
    missing = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    return (
        f"Matched but left out for want of room: {missing or 'nothing'}."
        f" Turns that no model has read: {len(project.progress.unread)}. Facts that wait: {len(project.waiting)}."
    )


def _period(period: Period) -> str:
    if period.start == period.end:
        return period.start
    if not period.end:
        return f"from {period.start} on"
    return f"{period.start} to {period.end}" if period.start else f"until {period.end}"


def _name(text: str) -> str:
    """A name as it is, or in quotes if it could be taken for anything else."""
    return disarmed(text) if _NAME.fullmatch(text) else quoted(text)


_NAME = re.compile(r"\w[\w .:'@/+-]{0,79}")
