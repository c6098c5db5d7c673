"""The lines of a context: one part for each alert, record, fact and turn. User text is quoted, one line each."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from uac.project.alerts import Alert
from uac.project.claims import Claim
from uac.project.project import Project, Record
from uac.project.records import disputed_claims
from uac.project.value_history import value_history
from uac.recall.cited_words import CitedWords
from uac.recall.hits import Hit
from uac.schema.entries import Fact
from uac.schema.periods import Period
from uac.schema.values import Typed, dump_value
from uac.text.dates.mentions import mentions
from uac.text.memory_block import disarmed, quoted
from uac.text.token_count import count_tokens

__all__ = [
    "ContextPart",
    "PartKind",
    "alert_part",
    "around_turn",
    "cited_part",
    "fact_part",
    "quoted_turn",
    "record_part",
    "session_heading",
    "turn_part",
    "turn_time",
]

PartKind = Literal["manifest", "alert", "record", "fact", "turn"]

PEOPLE = ("user", "person")  # roles that are not added to a speaker's name
MAX_CITED = 5  # positions listed for one record
MAX_FORMER = 3  # former values of a field
MAX_CHANGED = 3  # fields of a fact that have other values now
MAX_SESSION_TOKENS = 4  # of a session's name in a heading; longer ones cost more than they say
MONTH_LENGTH, DAY_LENGTH = len("2024-03"), len("2024-03-07")
MONTHS = tuple("January February March April May June July August September October November December".split())


class ContextPart(NamedTuple):
    """One item of the context, and its source: 'entry 12', a record id, or a constraint and its subject."""

    kind: PartKind
    source: str
    text: str


def turn_time(hit: Hit) -> datetime:
    assert hit.said is not None  # only turns are passed
    return hit.said


def session_heading(hit: Hit) -> str:
    """The day, and the name of the session if it says something: long ones and those with digits are ids."""
    session = f", {_plain_name(hit.session)}" if hit.session else ""
    day = f"### {turn_time(hit).date().isoformat()}"
    is_id = any(map(str.isdigit, session)) or count_tokens(session) > MAX_SESSION_TOKENS
    return day if is_id else f"{day}{session}"


def quoted_turn(hit: Hit) -> tuple[str, int]:
    """The text of a turn as it is shown, and its tokens. It takes long: dates are looked for."""
    text = quoted(_dated_text(hit.text, turn_time(hit)))
    return text, count_tokens(text)


def turn_part(hit: Hit, text: str) -> ContextPart:
    """The turn with its position and speaker; `text` as `quoted_turn` gives it."""
    before, after = around_turn(hit)
    return ContextPart("turn", f"entry {hit.position}", f"{before}{text}{after}")


def around_turn(hit: Hit) -> tuple[str, str]:
    """What is before and behind the quoted text of a turn, apart from it by a space. A cut turn ends with a "…"."""
    cut = "" if len(hit.text) == hit.whole else " …"
    role = hit.role or "somebody"
    who = _plain_name(hit.speaker or role)
    who = f"{who} ({role})" if hit.speaker and role not in PEOPLE else who
    return f"{hit.position} " if who == "user" and not hit.speaker else f"{hit.position} {who}: ", cut


def _dated_text(text: str, said: datetime) -> str:
    """The text with each relative date resolved beside it: yesterday [= 7 May].

    Not "today" or "this week": the day is in the heading. Not "by the summer" either, which may be several summers:
    to list them costs more than it says.
    """
    parts, last = [], 0
    for mention in mentions(text, said):
        widest = _widest(mention.meanings)
        if not mention.is_relative or widest is None or (len(mention.meanings) == 1 and widest.covers(said.date())):
            continue
        meant = _short_period(widest, said)
        if not set(meant.casefold().split()) <= set(mention.phrase.casefold().split()):  # as in "17 January"
            parts += [text[last : mention.end], f" [= {meant}]"]
            last = mention.end
    return "".join([*parts, text[last:]])


def _widest(meanings: Sequence[Period]) -> Period | None:
    """The period with both ends that has all others in it, or the only one; None if there is none."""
    if len(meanings) == 1:
        return meanings[0]
    closed = [each for each in meanings if each.start and each.end]
    return next((each for each in closed if all(_has_period(each, other) for other in meanings)), None)


def _has_period(period: Period, other: Period) -> bool:
    first, last = other.first, other.last
    return first is not None and last is not None and period.covers(first) and period.covers(last)


def fact_part(position: int, fact: Fact, project: Project) -> ContextPart:
    """The fact with what holds in place of its values: a fact is left out only if none of them counts any more."""
    held = [f"held {_period_text(fact.held)}"] if fact.held != Period() else []
    unsure = [f"unsure: {quoted(fact.unsure)}"] if fact.unsure else []
    about = [f"about {_plain_name(fact.about)}"] if fact.about not in ("", "user") else []
    told = [_attribution(fact)] if fact.authority != "user" or fact.according_to else []
    later = [f"since changed: {', '.join(changed)}"] if (changed := _changed_values(position, project)) else []
    notes = "; ".join([*about, *held, *told, *unsure, *later])
    line = f"{position} {quoted(fact.text)}"
    return ContextPart("fact", f"entry {position}", f"{line} ({notes})" if notes else line)


def _changed_values(position: int, project: Project) -> list[str]:
    """The present values of fields for which a fact stated others: "distance is 10.5"."""
    values = {
        f"{_plain_name(name)} is {_value_text(record.values[name])}" for record, name in project.changed_since(position)
    }
    return sorted(values)[:MAX_CHANGED]


def record_part(record: Record, project: Project) -> ContextPart:
    cites = sorted(record.cites)
    more = f" and {len(cites) - MAX_CITED} more" if len(cites) > MAX_CITED else ""
    lines = [
        f"- {_plain_name(record.id)} (from entries {', '.join(map(str, cites[:MAX_CITED]))}{more})"
        if cites
        else f"- {_plain_name(record.id)}"
    ]
    if record.ended:
        ended = record.ended
        why = f", because {quoted(ended.why)}" if ended.why and ended.why != ended.reason else ""
        lines.append(f"  former: {ended.reason} {_plain_name(ended.when)}{why}")
    unsure = {each.field: f" (unsure: {quoted(each.why)})" for each in record.unsure}
    for name, value in record.values.items():
        if name in record.conflicts:
            disputed = disputed_claims(record, project.types[record.type], name)
            lines.append(f"  {name}: open conflict: {' or '.join(_disputed_texts(disputed))}")
        elif value not in (None, "", ()):
            lines.append(f"  {name}: {_value_text(value)}{unsure.get(name, '')}{_former_values(record, project, name)}")
        elif name in unsure:
            lines.append(f"  {name}: no value{unsure[name]}")
    return ContextPart("record", record.id, "\n".join(lines))


def _former_values(record: Record, project: Project, name: str) -> str:
    """The values that a field had before, each with the day on which it was said: (before: "5 mg" 2025-02-01)."""
    if len(record.claims.get(name, ())) < 2:  # as in almost every record
        return ""
    stated = value_history(record, project.types[record.type], name)
    values: dict[str, str] = {}
    for past in stated:
        if past.value != record.values[name] and not isinstance(record.values[name], tuple):
            label = past.status if past.status in ("corrected", "overruled") else "before"
            values[_value_text(past.value)] = f"{label}: {_value_text(past.value)} {past.told.isoformat()}"
    return f" ({'; '.join([*values.values()][-MAX_FORMER:])})" if values else ""


def cited_part(cited: CitedWords) -> ContextPart:
    """Words that a record cites, on a line below it, with the day on which they were said."""
    who = cited.turn.speaker or ("" if cited.turn.role == "user" else cited.turn.role)
    by = f", {_plain_name(who)}" if who else ""
    words = quoted(_dated_text(cited.text, cited.turn.said))
    cut = "" if cited.text == cited.turn.text else " …"
    day = cited.turn.said.date().isoformat()
    return ContextPart("turn", f"entry {cited.position}", f"  {cited.position}, {day}{by}: {words}{cut}")


def _disputed_texts(claims: Iterable[Claim]) -> list[str]:
    """The values that disagree, each with its newest claim."""
    newest = {claim.value: claim for claim in claims}
    return [
        f"{_value_text(value)} ({_attribution(claim)}, {claim.said.date().isoformat()}, entry {claim.position})"
        for value, claim in newest.items()
    ]


def _attribution(stated: Claim | Fact) -> str:
    person = f", according to {_plain_name(stated.according_to)}" if stated.according_to else ""
    return f"word of: {stated.authority}{person}"


def _value_text(value: Typed) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value_text(item) for item in value)}]"
    return quoted(value) if isinstance(value, str) else str(dump_value(value))


def alert_part(alert: Alert) -> ContextPart:
    notes = [
        f"constraint {alert.constraint}",
        f"about {_plain_name(alert.subject)}",
        f"since {alert.since.date().isoformat()}",
    ]
    notes += [f"records {', '.join(map(_plain_name, alert.records))}"] if alert.records else []
    notes += [] if alert.is_reviewed else ["no person has approved the constraint"]
    line = f"- {alert.severity}: {quoted(alert.text)} ({'; '.join(notes)})"
    return ContextPart("alert", f"{alert.constraint} {alert.subject}", line)


def _period_text(period: Period) -> str:
    if period.start == period.end:
        return period.start
    if not period.end:
        return f"from {period.start} on"
    return f"{period.start} to {period.end}" if period.start else f"until {period.end}"


def _short_period(period: Period, said: datetime) -> str:
    """A period in few tokens: 7 May, 29 May to 4 June. The year is that of the heading unless it is written."""
    is_same_month = period.start[:7] == period.end[:7] and len(period.start) == len(period.end) == DAY_LENGTH
    start, end = (_short_date(day, said) for day in (period.start, period.end))
    if period.start == period.end:
        return end
    if not (start and end):
        return f"from {start} on" if start else f"until {end}"
    return f"{start.partition(' ')[0] if is_same_month else start} to {end}"


def _short_date(text: str, said: datetime) -> str:
    if len(text) not in (MONTH_LENGTH, DAY_LENGTH):
        return text
    month = MONTHS[int(text[5:7]) - 1]
    day = f"{int(text[8:])} " if len(text) == DAY_LENGTH else ""
    return f"{day}{month}" if int(text[:4]) == said.year else f"{day}{month} {text[:4]}"


def _plain_name(text: str) -> str:
    """The name as it is, or quoted if it could be mistaken for something else."""
    return disarmed(text) if _PLAIN_NAME.fullmatch(text) else quoted(text)


_PLAIN_NAME = re.compile(r"\w[\w .:'@/+-]{0,79}")
