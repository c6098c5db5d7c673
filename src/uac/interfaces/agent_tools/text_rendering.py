"""Results as text: short lines for an agent that reads no JSON. People's words are in quotes, on one line."""

import json
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any

from uac.interfaces.agent_tools.results import (
    AgentHit,
    AlertsResult,
    AnswerResult,
    Changes,
    CorrectResult,
    ExplainResult,
    ForgetResult,
    PendingAlert,
    PendingResult,
    ReadResult,
    RecallResult,
)
from uac.interfaces.agent_tools.sanitize import sanitize_json
from uac.interfaces.views.alerts import AlertView
from uac.interfaces.views.learning import RememberView
from uac.interfaces.views.log import EntryTextView
from uac.interfaces.views.records import FlatRecordView
from uac.interfaces.views.search import ComputeView
from uac.interfaces.views.view import View
from uac.project.alerts import Alert, capped_severity_label
from uac.schema.safe_text import counted, mark_line_breaks
from uac.text.memory_block import MEMORY_CLOSE, harmless, memory_open, quoted

__all__ = ["pending_alert_lines", "result_lines"]


@singledispatch
def result_lines(result: View) -> list[str]:
    """The result, line by line."""
    raise AssertionError(f"{type(result).__name__} has no words")


@result_lines.register
def _(result: RememberView) -> list[str]:
    positions = result.positions
    where = f"{positions[0]}" if len(positions) == 1 else f"{positions[0]} to {positions[-1]}"
    lines = [f"kept at {where}"]
    lines += [
        f'fact {fact.number}, from now on "fact:{fact.position}": {quoted(fact.text)}'
        + (f" (unsure: {quoted(fact.unsure)})" if fact.unsure else "")
        for fact in result.facts
    ]
    lines += [f"record {quoted(record)}" for record in result.records]
    lines += [f"no effect: {_one_line(sentence)}" for sentence in result.overruled]
    lines += [f"to fix: {part.part}: {_one_line(part.why)}" for part in result.to_mend]
    if result.to_mend:
        lines.append(f"send only that again, with observations {list(positions)}")
    if result.unread:
        lines.append(f"{counted(result.unread, 'turn')} not read yet: call pending, and answer what it asks")
    if result.waiting:
        lines.append(f"{counted(result.waiting, 'fact')} in no record yet")
    return lines


@result_lines.register
def _(result: PendingResult) -> list[str]:
    """Instructions are outside the marks: the text inside is data."""
    lines = []
    for question in result.requests:
        lines += [
            f"request {question.id} ({question.step})",
            "instructions:",
            question.instructions.strip(),
            f"schema of the reply: {_render_json_text(question.schema)}",
            "input:",
            memory_open(result.position),
            _render_json_text(sanitize_json({"input": question.input}, verbatim=("input",))["input"]),
            MEMORY_CLOSE,
        ]
    lines.append("call answer with the id of a request and your reply" if result.requests else "nothing is pending")
    if result.more:
        lines.append("more is pending after this")
    if result.stuck:
        lines.append(
            f"{counted(result.stuck, 'entry')} stuck: nobody could answer for them, and they are not asked again"
        )
    return lines


@result_lines.register
def _(result: AnswerResult) -> list[str]:
    lines = [_entry_line("fact", fact) for fact in result.facts]
    lines += [f"accepted, entry {result.checkpoint}"] if result.checkpoint else []
    lines += _change_lines(result.changes)
    lines += [f"no effect: {_one_line(sentence)}" for sentence in result.overruled]
    lines += [f"to fix: {mend.part}: {_one_line(mend.why)}" for mend in result.to_mend]
    if result.again:
        lines.append(f"asked again as {result.again}: answer again with the parts to fix")
    elif result.pending:
        lines.append("more is pending: call pending")
    return lines or ["taken; nothing was to keep"]


@result_lines.register
def _(result: RecallResult) -> list[str]:
    lines, heading = [], ""
    for hit in result.hits:
        day = f"### {hit.said:%Y-%m-%d}" if hit.said else ""
        lines += [day] if day not in ("", heading) else []
        heading = day or heading
        lines.append(_hit_line(hit))
    if not result.hits:
        lines.append("nothing was found" if not result.matched else "nothing fits: give more tokens")
    lines += [f"{counted(result.left_out, 'more passage')} matched; more tokens show more"] if result.left_out else []
    lines += [f"note: {_one_line(note)}" for note in result.notes]
    return lines + _call_pending_lines(result.unread, result.waiting)


@result_lines.register
def _(result: ComputeView) -> list[str]:
    lines = [f"printed: {quoted(result.printed)}"] if result.printed else []
    lines.append(f"= {_one_line(result.python)}")
    for read in result.reads:
        missing = f"; may be incomplete: {read.lacks}" if read.lacks else ""
        lines.append(f"read {read.collection}: {counted(read.records, 'record')}{missing}")
    lines.append("complete" if result.is_complete else "NOT complete: say so in your answer")
    return lines + _call_pending_lines(result.unread, 0)


@result_lines.register
def _(result: ReadResult) -> list[str]:
    lines = [harmless(result.manifest).rstrip("\n")] if result.manifest else []
    for type_ in result.types:
        fields = ", ".join(f"{field.name}: {_one_line(field.type)}" for field in type_.fields)
        key = f", key {', '.join(type_.key)}" if type_.key else ""
        doc = f"  {quoted(type_.doc)}" if type_.doc else ""
        lines.append(f"{type_.collection}: {type_.records} {type_.type}({fields}) [{type_.cardinality}{key}]{doc}")
    lines += [f"offered: {_one_line(line)}" for line in result.offered]
    lines += [_record_line(record) for record in result.records]
    if result.next is not None:
        lines.append(f"{counted(result.total - result.next, 'more record')}: read on with after={result.next}")
    lines += [f"claims disagree: {_one_line(record)} (correct decides)" for record in result.disputed]
    return lines + _call_pending_lines(result.unread, result.waiting)


@result_lines.register
def _(result: AlertsResult) -> list[str]:
    lines = [f"noted, entry {result.said}"] if result.said else []
    lines += [_alert_line(alert) for alert in result.standing]
    return lines or ["no active alert"]


@result_lines.register
def _(result: ExplainResult) -> list[str]:
    lines = []
    if result.ended is not None:
        why = f": {quoted(result.ended.why)}" if result.ended.why else ""
        lines.append(f"the record is over: {result.ended.reason} {result.ended.when}{why}")
    for claim in result.claims:
        mark = "stands" if claim.stands else "does not stand"
        mark += ", disputed" if claim.is_disputed else ""
        mark += f", unsure: {quoted(claim.unsure)}" if claim.unsure else ""
        period = f", held {claim.held}" if claim.held else ""
        person = f", according to {_one_line(claim.according_to)}" if claim.according_to else ""
        source = f"word of: {claim.authority}{person}, {claim.said:%Y-%m-%d}{period}"
        lines.append(f"{claim.field} = {_render_json_text(sanitize_json(claim.value))} ({mark}; {source})")
        for words in claim.evidence:
            said = "(erased)" if words.words is None else quoted(words.words)
            lines.append(f"  entry {words.position}, {_one_line(words.speaker)}: {said}")
    lines += [_alert_line(alert, reason) for alert, reason in zip(result.fired, result.reasons, strict=False)]
    lines += [quoted(reason) for reason in result.reasons[len(result.fired) :]]
    lines += [_alert_line(alert) for alert in result.unchecked if result.fired]
    for test in result.tests:
        values = ", ".join(f"{_one_line(name)} = {quoted(value)}" for name, value in test.values.items())
        lines.append(f"  {_one_line(test.text)}: {test.result}" + (f" ({values})" if values else ""))
    more = counted(result.left_out, "more test" if result.tests else "test")
    lines += [f"{more} not listed" + ("" if result.tests else " (trace=true lists them)")] if result.left_out else []
    return lines or ["no claim"]


@result_lines.register
def _(result: CorrectResult) -> list[str]:
    return [f"corrected, entry {result.position}", *_change_lines(result.changes)]


@result_lines.register
def _(result: ForgetResult) -> list[str]:
    kind = "erased" if result.is_erased else "retracted"
    lines = [f"{kind}, entry {result.position}:" if result.is_done else f"nothing changed yet; would be {kind}:"]
    lines += [_entry_line(entry.kind, entry) for entry in result.entries]
    lines += [f"and {counted(result.left_out, 'more entry')}"] if result.left_out else []
    lines += _change_lines(result.changes)
    if not result.is_done:
        lines.append("to do it, call forget again with confirm=true; ask the user first")
    elif not result.is_erased:
        lines.append(f"to undo it: forget with positions [{result.position}]")
    return lines


def pending_alert_lines(alerts: Iterable[PendingAlert], left_out: Sequence[Alert]) -> list[str]:
    """The pending alerts; nothing if there are none."""
    lines = [
        f"- {_group_text(alert)}{_severity_text(alert)} {_one_line(alert.constraint)} / {_one_line(alert.subject)}: "
        f"{quoted(alert.message)}"
        for alert in alerts
    ]
    critical = sum(alert.severity == "critical" for alert in left_out)
    grave = f", {critical} of them critical" if critical else ""
    lines += [f"- and {len(left_out)} more{grave} (the tool alerts lists all)"] if left_out else []
    return ["ACTIVE ALERTS (tell the user, then acknowledge with the tool alerts):", *lines] if lines else []


def _group_text(alert: PendingAlert) -> str:
    return f"in the group {alert.group}: " if alert.group else ""


def _severity_text(alert: PendingAlert) -> str:
    """The severity, with the reason for a cap if the message, which gives it, is cut."""
    if alert.capped_from is None or alert.is_new:
        return alert.severity
    return f"{alert.severity} ({capped_severity_label(alert.capped_from)})"


def _hit_line(hit: AgentHit) -> str:
    notes = [] if hit.is_current else ["no longer so" if hit.kind == "fact" else "ended"]
    notes += [] if hit.is_whole else ["a part of a longer turn"]
    notes += [f"also entries {', '.join(map(str, hit.also))}"] if hit.also else []
    where = _one_line(hit.record) if hit.kind == "record" else f"[{hit.position}]"
    who = "fact" if hit.kind == "fact" else _one_line(hit.speaker)
    return f"{where}{f' {who}:' if who else ''} {quoted(hit.text)}" + (f" ({'; '.join(notes)})" if notes else "")


def _record_line(record: FlatRecordView) -> str:
    values = {name: value for name, value in record.values.items() if value not in (None, "", [])}
    lines = ", ".join(f"{name}={_render_json_text(sanitize_json(value))}" for name, value in values.items())
    notes = [f"{record.end_reason} {record.ended}"] if record.ended else []
    notes += [f"claims disagree on {', '.join(record.conflicts)}"] if record.conflicts else []
    notes += [f"unsure of {name}: {quoted(why)}" for name, why in record.unsure.items()]
    return f"- {_one_line(record.record)}  {lines}" + (f"  ({'; '.join(notes)})" if notes else "")


def _alert_line(alert: AlertView, reason: str = "") -> str:
    """An alert with its notes; with its reason instead of its message, if that is given."""
    notes = [f"since {alert.since:%Y-%m-%d}"]
    notes += [f"records {', '.join(map(_one_line, alert.records))}"] if alert.records else []
    notes += [alert.state] if alert.state != "standing" else []
    notes += (
        [f"until {alert.until.isoformat(' ', 'minutes').replace('+00:00', 'Z')}"]
        if alert.state == "snoozed" and alert.until
        else []
    )
    notes += [] if alert.is_reviewed else ["no person has approved the constraint"]
    notes += [f"tables {quoted('; '.join(alert.reviews))}"] if alert.reviews else []
    about = f"{_one_line(alert.constraint)} / {_one_line(alert.subject)}"
    lines = f"- {alert.severity} {about}: {quoted(reason or alert.message)}"
    return f"{lines} ({'; '.join(notes)})"


def _change_lines(changes: Changes) -> list[str]:
    lines = []
    for change in changes.listed:
        sign = {"added": "+", "removed": "-"}.get(change.change, "~")
        before, after = _render_json_text(sanitize_json(change.before)), _render_json_text(sanitize_json(change.after))
        what = f": {before} → {after}" if change.kind == "field" else ""
        if change.kind == "record" and change.before is not None:
            what = f": key changed from {before} to {after}"
        lines.append(f"{sign} {_one_line(change.what)}{what}")
    lines += [f"and {counted(changes.left_out, 'more change')}"] if changes.left_out else []
    lines += [f"packs brought {changes.from_packs} types and constraints"] if changes.from_packs else []
    return lines


def _entry_line(kind: str, entry: EntryTextView) -> str:
    return f"  [{entry.position}] {kind}" + (f": {quoted(entry.text)}" if entry.text else "")


def _call_pending_lines(unread: int, waiting: int) -> list[str]:
    lines = [f"{counted(unread, 'turn')} not read by a model yet: call pending"] if unread else []
    return lines + ([f"{counted(waiting, 'fact')} in no record yet: call pending"] if waiting else [])


def _one_line(text: str) -> str:
    """A name or a message of ours that may hold words of people, kept on its line."""
    return mark_line_breaks(harmless(text)).replace("\t", " ")


def _render_json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
