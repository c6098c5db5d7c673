"""The implementation of each tool: a memory and arguments in, a result out. Nothing here knows the protocol."""

import json
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from uac.conversation.relevant_types import type_line
from uac.errors import LimitError, Refused
from uac.interfaces.agent_tools.arguments import (
    AlertsArgs,
    AnswerArgs,
    ComputeArgs,
    CorrectArgs,
    ExplainArgs,
    ForgetArgs,
    PendingArgs,
    ReadArgs,
    RecallArgs,
    RememberArgs,
    Turn,
    parse_day_argument,
    parse_time_argument,
)
from uac.interfaces.agent_tools.results import (
    AgentHit,
    AlertsResult,
    AnswerResult,
    CorrectResult,
    ExplainResult,
    ForgetResult,
    PendingResult,
    ReadResult,
    RecallResult,
    TestResult,
    alert_result,
    alert_results,
    changes_result,
    claim_results,
    record_result,
)
from uac.interfaces.views.learning import (
    RememberView,
    agent_request_view,
    named_reply_finding_views,
    remember_view,
)
from uac.interfaces.views.log import EntryTextView, entry_text_view
from uac.interfaces.views.project import type_view
from uac.interfaces.views.records import EndView
from uac.interfaces.views.search import ComputeView, compute_view, hit_view, recall_view
from uac.interfaces.views.view import build_view
from uac.log.index import KINDS
from uac.memory.memory import Memory
from uac.models.requests_and_replies import Request
from uac.project.diff import diff
from uac.project.forgetting import positions_behind_record, project_without
from uac.project.project import Project
from uac.project.type_suggestions import similar_type_names
from uac.sandbox.compute import computed_text as as_python
from uac.schema.entries import Observation
from uac.schema.types import Type

if TYPE_CHECKING:
    from uac.conversation.learning import Outcome

__all__ = ["alerts", "answer", "compute", "correct", "explain", "forget", "pending", "read", "recall", "remember"]

MOST_RESULT = 50_000  # characters of what code gives
MOST_TESTS = 30
MOST_ENTRIES = 100


def remember(memory: Memory, arguments: RememberArgs, now: datetime) -> RememberView:
    from uac.memory.remembering import RememberCall  # not needed to list the tools

    if arguments.text and (arguments.turns or arguments.observations):
        raise Refused("text is given beside turns or observations. Give one of them.")
    given = [Turn(text=arguments.text)] if arguments.text else arguments.turns
    said = [
        parse_time_argument(said, f"turns[{place}].{'said' if turn.said else 'at'}")
        if (said := turn.said or turn.at)
        else now
        for place, turn in enumerate(given)
    ]
    turns = tuple(
        Observation(
            text=turn.text,
            said=moment,
            role=turn.role,
            speaker=turn.speaker,
            session=arguments.session,
            source=arguments.source,
            key=turn.key,
        )
        for turn, moment in zip(given, said, strict=True)
    )
    call = RememberCall(
        turns,
        tuple(arguments.observations),
        arguments.facts,
        arguments.records,
        arguments.constraints,
        model=arguments.model,
    )
    return remember_view(memory.remember_call(call, key=arguments.key), memory.project())


def pending(memory: Memory, arguments: PendingArgs, _now: datetime) -> PendingResult:
    requests = memory.pending(most=arguments.most + 1)
    return PendingResult(
        requests=tuple(map(agent_request_view, requests[: arguments.most])),
        position=memory.project().position,
        more=len(requests) > arguments.most,
        stuck=len(memory.project().progress.stuck),
    )


def answer(memory: Memory, arguments: AnswerArgs, _now: datetime) -> AnswerResult:
    before = memory.project()
    reply = arguments.reply if isinstance(arguments.reply, str) else json.dumps(arguments.reply, ensure_ascii=False)
    outcome = memory.answer(arguments.request or _default_request_argument(memory), reply, model=arguments.model)
    left = memory.pending(most=len(memory.project().progress.asked) + 1)
    return AnswerResult(
        request=outcome.request.id,
        facts=tuple(_agent_entry_views(memory, outcome.facts)),
        checkpoint=outcome.checkpoint or None,
        changes=changes_result(memory, diff(before, memory.project())),
        to_mend=named_reply_finding_views(outcome),
        overruled=outcome.overruled,
        again=_agent_request_again(outcome, left),
        pending=bool(left),
    )


def _default_request_argument(memory: Memory) -> str:
    requests = memory.pending()
    if not requests:
        raise Refused("Nothing is pending. Call remember first.")
    if len(requests) > 1:
        listed = ", ".join(request.id for request in requests)
        raise Refused(f"Several requests are pending. Give one of these ids as request: {listed}.")
    return requests[0].id


def _agent_request_again(outcome: "Outcome", left: Iterable[Request]) -> str | None:
    """The id of the pending request for the same entries, if the outcome is open."""
    subject = (outcome.request.step, outcome.request.answers)
    same = (request.id for request in left if (request.step, request.answers) == subject)
    return next(same, None) if outcome.is_open else None


def recall(memory: Memory, arguments: RecallArgs, now: datetime) -> RecallResult:
    found = memory.recall(
        arguments.query,
        queries=arguments.queries,
        within=arguments.within,
        after=arguments.after,
        outline=arguments.outline,
        recent=arguments.recent,
        tokens=arguments.tokens,
        about=arguments.about,
        between=(parse_day_argument(arguments.since, "since"), parse_day_argument(arguments.until, "until")),
        kinds=arguments.kinds or KINDS,
        former=arguments.former,
        clocks=arguments.clocks(),
        now=now,
    )
    project = memory.project_at(arguments.clocks())
    hits = tuple(
        build_view(
            AgentHit,
            hit_view(hit),
            speaker=hit.speaker or hit.role or "",
            is_whole=hit.kind != "observation" or len(hit.text) >= hit.whole,
        )
        for hit in found.hits
    )
    view = recall_view(found, len(project.progress.unread))
    return build_view(RecallResult, view, hits=hits, waiting=len(project.waiting))


def compute(memory: Memory, arguments: ComputeArgs, now: datetime) -> ComputeView:
    result = memory.compute(arguments.code, now=now.replace(second=0, microsecond=0), clocks=arguments.clocks())
    python = as_python(result.value)
    if len(python) > MOST_RESULT:
        raise LimitError(
            "size",
            f"The result has {len(python):,} characters, more than {MOST_RESULT:,}. Count, sum or choose in code.",
            printed=result.printed[:1000],
        )
    return compute_view(result, len(memory.project().progress.unread))


def read(memory: Memory, arguments: ReadArgs, _now: datetime) -> ReadResult:
    clocks, name = arguments.clocks(), arguments.name.strip()
    project = memory.project_at(clocks)
    names = [name] if ":" in name else [each.strip() for each in name.split(",")]
    offered = [
        type_
        for pack in memory.packs
        for type_ in pack.types
        if not {type_.domain, type_.full_name}.isdisjoint(names) and type_.full_name not in project.types
    ]
    only_offered = {part for type_ in offered for part in (type_.domain, type_.full_name)} - set(project.domains)
    types = [type_ for each in names if each not in only_offered for type_ in _types_to_read(project, each)]
    empty = [type_ for type_ in project.types.values() if type_.domain in names and type_ not in types]
    if ":" in name:
        records = [project.record(name)]
    else:
        records = [record for each in names if each not in only_offered for record in project.records_named(each)]
    end = arguments.after + arguments.most
    return ReadResult(
        manifest="" if name else memory.manifest(clocks=clocks),
        types=tuple(type_view(project, type_) for type_ in types),
        records=tuple(map(record_result, records[arguments.after : end])),
        total=len(records),
        next=end if end < len(records) else None,
        disputed=tuple(sorted(project.disputed)),
        unread=len(project.progress.unread),
        waiting=len(project.waiting),
        offered=tuple(type_line(type_, with_docs=type_.full_name in names) for type_ in (*empty, *offered)),
    )


def _types_to_read(project: Project, name: str) -> list[Type]:
    """The types that a name means: none for the manifest, all of a domain, or one."""
    if not name:
        return []
    types = project.types_named(name.partition(":")[0])
    filled = [type_ for type_ in types if project.count(type_.full_name)]
    if found := filled or types:
        return found
    if near := similar_type_names(name.partition(":")[0], project.types):
        raise Refused(f"{name!r} is not known. Did you mean {' or '.join(near)}?")
    known = f"the domains {', '.join(project.domains)}" if project.domains else "no records yet"
    raise Refused(f"{name!r} is not known. Give a domain, a type or the id of a record; there are {known}.")


def alerts(memory: Memory, arguments: AlertsArgs, now: datetime) -> AlertsResult:
    said = None
    if arguments.action != "list" and not arguments.constraint:
        raise Refused(f"constraint is empty. To {arguments.action}, give the constraint of an active alert.")
    if arguments.action == "acknowledge":
        said = memory.acknowledge(arguments.constraint, arguments.subject, why=arguments.why)
    elif arguments.action == "snooze":
        until = parse_time_argument(arguments.until, "until").replace(microsecond=0)
        if until <= now:
            raise Refused(f"until is {until.isoformat()}. Give a time after {now.isoformat(timespec='minutes')}.")
        said = memory.snooze(arguments.constraint, arguments.subject, until=until, why=arguments.why)
    project = memory.project()
    return AlertsResult(
        standing=alert_results(project, now),
        failures=dict(project.failures),
        said=said,
    )


def explain(memory: Memory, arguments: ExplainArgs, now: datetime) -> ExplainResult:
    if bool(arguments.record) == bool(arguments.constraint):
        raise Refused("Both or neither of record and constraint are given. Give one of them.")
    if arguments.constraint:
        why, project = memory.why(arguments.constraint), memory.project()
        tests = tuple(build_view(TestResult, test, values=dict(test.values)) for test in why.tests)
        most = MOST_TESTS if arguments.trace else 0
        return ExplainResult(
            claims=(),
            reasons=why.reasons,
            tests=tests[:most],
            fired=tuple(alert_result(project, alert, now) for alert in why.alerts),
            unchecked=tuple(alert_result(project, alert, now) for alert in why.unchecked),
            failure=why.failure,
            left_out=max(len(tests) - most, 0) + why.left_out,
        )
    clocks = arguments.clocks()
    record = memory.project_at(clocks).record(arguments.record)
    names = [arguments.field] if arguments.field else list(record.values)
    claims = tuple(claim for name in names for claim in claim_results(memory.explain(record.id, name, clocks=clocks)))
    ended = None if record.ended is None else build_view(EndView, record.ended)
    return ExplainResult(ended=ended, claims=claims, tests=(), fired=(), failure="", left_out=0)


def correct(memory: Memory, arguments: CorrectArgs, _now: datetime) -> CorrectResult:
    before = memory.project()
    position = memory.correct(before.record(arguments.record).id, arguments.field, arguments.value, why=arguments.why)
    return CorrectResult(position=position, changes=changes_result(memory, diff(before, memory.project())))


def forget(memory: Memory, arguments: ForgetArgs, now: datetime) -> ForgetResult:
    before = memory.project()
    if bool(arguments.record) == bool(arguments.positions):
        raise Refused("Both or neither of positions and record are given. Give one of them.")
    chosen = (
        sorted(set(arguments.positions))
        if arguments.positions
        else positions_behind_record(memory.log, before, arguments.record)
    )
    if chosen and chosen[-1] > before.position:
        raise Refused(f"No entry {chosen[-1]}. Give positions from 1 to {before.position}.")
    why = arguments.why.strip() or "the user asked to forget it"
    reached = memory.log.reach(chosen)
    entries = tuple(islice(_agent_entry_views(memory, reached), MOST_ENTRIES))
    after, position = project_without(before, chosen, why=why, now=now), None
    if arguments.confirm and arguments.erase:
        memory.erase(chosen, why=why)
        position = memory.log.head().position
        after = memory.project()
    elif arguments.confirm:
        position = memory.retract(chosen, why=why)
        after = memory.project()
    return ForgetResult(
        is_done=arguments.confirm,
        is_erased=arguments.erase,
        position=position,
        entries=entries,
        left_out=len(reached) - len(entries),
        changes=changes_result(memory, diff(before, after)),
    )


def _agent_entry_views(memory: Memory, positions: Iterable[int]) -> Iterable[EntryTextView]:
    for position in positions:
        yield from map(entry_text_view, memory.log.read(position, position + 1))
