"""What each tool does with a memory: arguments in, a result out. Nothing here knows of the protocol."""

import json
from collections.abc import Iterable
from datetime import date, datetime
from itertools import islice

from uac.conversation.learning import Outcome
from uac.errors import LimitError, Refused
from uac.interfaces.mcp.arguments import (
    AlertsArgs,
    AnswerArgs,
    ComputeArgs,
    CorrectArgs,
    ExplainArgs,
    ForgetArgs,
    PendingArgs,
    RecallArgs,
    RememberArgs,
)
from uac.interfaces.mcp.results import (
    AlertsShown,
    Answered,
    Claimed,
    Computed,
    Corrected,
    Entered,
    Explained,
    Forgotten,
    HitShown,
    Pending,
    Question,
    Recalled,
    Remembered,
    Tested,
    ToMend,
    Used,
    Words,
    alert_shown,
    changes_shown,
)
from uac.log.index import KINDS
from uac.memory.memory import Memory
from uac.models.calls import part_label
from uac.models.requests import Request
from uac.project.diff import diff
from uac.project.explain import Explanation
from uac.project.forgetting import project_without, words_behind
from uac.sandbox.compute import as_json
from uac.sandbox.compute import shown as as_python
from uac.schema.entries import Observation, settle
from uac.schema.entry_text import entry_text
from uac.schema.periods import Period
from uac.schema.types import dump_value

__all__ = ["alerts", "answer", "compute", "correct", "explain", "forget", "pending", "recall", "remember"]

MOST_RESULT = 50_000  # characters of what code gives
MOST_TESTS = 30
MOST_ENTRIES = 100


def remember(memory: Memory, asked: RememberArgs, now: datetime) -> Remembered:
    said = [_moment(turn.at, f"turns[{place}].at") if turn.at else now for place, turn in enumerate(asked.turns)]
    positions = memory.log.append(
        settle(
            Observation(
                text=turn.text,
                said=moment,
                role=turn.role,
                speaker=turn.speaker,
                session=asked.session,
                source=asked.source,
                key=turn.key,
            )
        )
        for turn, moment in zip(asked.turns, said, strict=True)
    )
    return Remembered(positions=list(positions), unread=len(memory.project().progress.unread))


def pending(memory: Memory, asked: PendingArgs, _now: datetime) -> Pending:
    requests = memory.pending(most=asked.most + 1)
    return Pending(
        requests=[_question(request) for request in requests[: asked.most]],
        position=memory.project().position,
        more=len(requests) > asked.most,
        stuck=len(memory.project().progress.stuck),
    )


def _question(request: Request) -> Question:
    return Question(
        id=request.id,
        step=request.step,
        instructions=request.prompt,
        input=json.loads(request.content),
        schema=request.schema,
        tokens=request.tokens,
    )


def answer(memory: Memory, asked: AnswerArgs, _now: datetime) -> Answered:
    before = memory.project()
    reply = asked.reply if isinstance(asked.reply, str) else json.dumps(asked.reply, ensure_ascii=False)
    outcome = memory.answer(asked.request or _only_request(memory), reply, model=asked.model)
    left = memory.pending(most=len(memory.project().progress.asked) + 1)
    return Answered(
        request=outcome.request.id,
        facts=list(_entered(memory, outcome.facts)),
        checkpoint=outcome.checkpoint or None,
        changes=changes_shown(memory, diff(before, memory.project())),
        to_mend=[
            ToMend(
                part=part_label(finding, outcome.request, outcome.reply),
                why=finding.why,
                positions=list(finding.positions),
            )
            for finding in outcome.findings
        ],
        again=_again(outcome, left),
        pending=bool(left),
    )


def _only_request(memory: Memory) -> str:
    requests = memory.pending()
    if not requests:
        raise Refused("nothing is pending, so there is nothing to answer; remember comes first")
    if len(requests) > 1:
        listed = ", ".join(request.id for request in requests)
        raise Refused(f"which request is answered? request needs one of these ids: {listed}")
    return requests[0].id


def _again(outcome: Outcome, left: Iterable[Request]) -> str | None:
    """The id under which the same is asked again, if it is."""
    asked = (outcome.request.step, outcome.request.answers)
    same = (request.id for request in left if (request.step, request.answers) == asked)
    return next(same, None) if outcome.is_open else None


def recall(memory: Memory, asked: RecallArgs, now: datetime) -> Recalled:
    found = memory.recall(
        asked.query,
        tokens=asked.tokens,
        about=asked.about,
        between=(_day(asked.since, "since"), _day(asked.until, "until")),
        kinds=asked.kinds or KINDS,
        former=asked.former,
        now=now,
    )
    project = memory.project()
    return Recalled(
        hits=[
            HitShown(
                kind=hit.kind,
                position=hit.position,
                record=hit.record,
                text=hit.text,
                said=hit.said,
                speaker=hit.speaker or hit.role or "",
                session=hit.session,
                is_current=hit.is_current,
                is_whole=hit.kind != "observation" or len(hit.text) >= hit.whole,
                also=list(hit.also),
            )
            for hit in found.hits
        ],
        matched=found.matched,
        left_out=found.left_out,
        notes=list(found.notes),
        unread=len(project.progress.unread),
        waiting=len(project.waiting),
    )


def compute(memory: Memory, asked: ComputeArgs, now: datetime) -> Computed:
    result = memory.compute(asked.code, now=now.replace(second=0, microsecond=0))
    python = as_python(result.value)
    if len(python) > MOST_RESULT:
        raise LimitError(
            "size",
            f"the result has {len(python):,} characters, needs at most {MOST_RESULT:,}: count, sum or choose in code",
            printed=result.printed[:1000],
        )
    return Computed(
        value=as_json(result.value),
        python=python,
        printed=result.printed,
        is_complete=result.is_complete,
        reads=[
            Used(collection=read.collection, records=read.records, waiting=read.waiting, aside=read.aside)
            for read in result.reads
        ],
        unread=len(memory.project().progress.unread),
    )


def alerts(memory: Memory, asked: AlertsArgs, now: datetime) -> AlertsShown:
    said = None
    if asked.action != "list" and not asked.constraint:
        raise Refused(f"constraint is empty, {asked.action} needs the constraint of an alert that stands")
    if asked.action == "acknowledge":
        said = memory.acknowledge(asked.constraint, asked.subject, why=asked.why)
    elif asked.action == "snooze":
        until = _moment(asked.until, "until").replace(microsecond=0)
        if until <= now:
            raise Refused(f"until is {until.isoformat()}, needs a time after {now.isoformat(timespec='minutes')}")
        said = memory.snooze(asked.constraint, asked.subject, until=until, why=asked.why)
    project = memory.project()
    return AlertsShown(
        standing=sorted(
            (alert_shown(alert, now) for alert in project.standing()), key=lambda alert: alert.state != "standing"
        ),
        failures=dict(project.failures),
        said=said,
    )


def explain(memory: Memory, asked: ExplainArgs, now: datetime) -> Explained:
    if bool(asked.record) == bool(asked.constraint):
        raise Refused("needs a record or a constraint, one of them")
    if asked.constraint:
        why = memory.why(asked.constraint)
        tests = [Tested(text=test.text, values=dict(test.values), result=test.result) for test in why.tests]
        return Explained(
            claims=[],
            tests=tests[:MOST_TESTS],
            fired=[alert_shown(alert, now) for alert in why.alerts],
            failure=why.failure,
            left_out=max(len(tests) - MOST_TESTS, 0) + why.left_out,
        )
    record = memory.project().record(asked.record)
    names = [asked.field] if asked.field else list(record.values)
    claims = [claim for name in names for claim in _claims(memory.explain(record.id, name))]
    return Explained(claims=claims, tests=[], fired=[], failure="", left_out=0)


def _claims(explanation: Explanation) -> list[Claimed]:
    return [
        Claimed(
            field=explanation.field,
            value=dump_value(item.claim.value),
            stands=item.stands,
            is_disputed=explanation.disputed,
            authority=item.claim.authority,
            said=item.claim.said,
            held=_period(item.claim.held),
            position=item.claim.position,
            evidence=[
                Words(
                    position=evidence.observation,
                    fact=evidence.fact_text,
                    words=None if evidence.words is None else evidence.quote or evidence.words,
                    speaker=evidence.speaker,
                    said=evidence.said,
                )
                for evidence in item.evidence
            ],
        )
        for item in explanation.claims
    ]


def correct(memory: Memory, asked: CorrectArgs, _now: datetime) -> Corrected:
    before = memory.project()
    position = memory.correct(before.record(asked.record).id, asked.field, asked.value, why=asked.why)
    return Corrected(position=position, changes=changes_shown(memory, diff(before, memory.project())))


def forget(memory: Memory, asked: ForgetArgs, now: datetime) -> Forgotten:
    before = memory.project()
    if bool(asked.record) == bool(asked.positions):
        raise Refused("needs positions or a record, one of them")
    chosen = sorted(set(asked.positions)) if asked.positions else words_behind(memory.log, before, asked.record)
    if chosen and chosen[-1] > before.position:
        raise Refused(f"there is no entry {chosen[-1]}, positions needs numbers from 1 to {before.position}")
    why = asked.why.strip() or "the user asked to forget it"
    reached = memory.log.reach(chosen)
    entries = list(islice(_entered(memory, reached), MOST_ENTRIES))
    after, position = project_without(before, chosen, why=why, now=now), None
    if asked.confirm and asked.erase:
        memory.log.erase(chosen, why=why)
        position = memory.log.head().position
        memory.look()  # what is left may give other alerts
        after = memory.project()
    elif asked.confirm:
        position = memory.retract(chosen, why=why)
        after = memory.project()
    return Forgotten(
        is_done=asked.confirm,
        is_erased=asked.erase,
        position=position,
        entries=entries,
        left_out=len(reached) - len(entries),
        changes=changes_shown(memory, diff(before, after)),
    )


def _entered(memory: Memory, positions: Iterable[int]) -> Iterable[Entered]:
    for position in positions:
        for stored in memory.log.read(position, position + 1):
            yield Entered(position=position, kind=stored.kind, text=entry_text(stored.entry))


def _period(held: Period) -> str:
    return held.start if held.start == held.end else f"{held.start or '…'} to {held.end or '…'}"


def _moment(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{where}: {text!r} is no time, needs one such as 2026-03-02T09:00+01:00") from None
    if moment.tzinfo is None:
        raise Refused(f"{where}: {text!r} has no zone, needs one such as 2026-03-02T09:00+01:00 or Z at its end")
    return moment


def _day(text: str, where: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused(f"{where}: {text!r} is no day, needs one such as 2026-03-02") from None
