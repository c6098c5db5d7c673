"""How a scenario of the cue-free suite is played, with records written by hand, and how its alerts are judged."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import msgspec

from uac import Adopt, Memory, Pack, Patch, Project, Put, open_store
from uac.errors import Refused, Rejected
from uac.packs import needed_patches
from uac.sandbox import Sandbox
from uac_bench.alert_cases import AlertCase, CaseSession, Suite
from uac_bench.scenarios import Scenario, Step
from uac_bench.scorers import missing_groups

__all__ = ["AlertStatus", "AlertVerdict", "Played", "Raised", "judge_case", "play_case", "play_sessions"]

AlertStatus = Literal["fired", "missed", "early", "uncovered", "silent", "broken"]
USER = "ana"


class Raised(msgspec.Struct, frozen=True):
    """An alert that was raised, or reported again, in a session."""

    session: str
    constraint: str
    subject: str
    severity: str
    message: str


@dataclass(frozen=True, slots=True)
class Played:
    """The result of playing a scenario: all raised alerts, the alerts active at the end, and problems."""

    raised: tuple[Raised, ...]
    active: tuple[Raised, ...] = ()
    broken: tuple[str, ...] = ()


def play_case(case: AlertCase, scenario: Scenario, packs: Sequence[Pack], sandbox: Sandbox) -> Played:
    """Play the scenario with the records that were written by hand."""

    def store(memory: Memory, session: CaseSession, words: int) -> None:
        if steps := scenario.sessions.get(int(session.session_id), ()):
            project = memory.project()
            memory.checkpoint([_alert_scenario_patch(step, project, words) for step in steps], by="bench")

    played = play_sessions(case, packs, sandbox, store)
    numbers = {int(session.session_id) for session in case.sessions}
    missing = (f"no session {number}" for number in scenario.sessions if number not in numbers)
    return replace(played, broken=(*missing, *played.broken))


def play_sessions(
    case: AlertCase, packs: Sequence[Pack], sandbox: Sandbox, learn: Callable[[Memory, CaseSession, int], None]
) -> Played:
    """Play the sessions up to the trigger, each at its own time, for a new user.

    In each, time has passed, the user says something, `learn` makes records of the words, and constraints run.
    """
    moment = case.sessions[0].moment

    def clock() -> datetime:
        return moment

    memory = Memory(open_store("memory:", clock=clock).log(USER), sandbox=sandbox, packs=packs, clock=clock)
    raised: list[Raised] = []
    broken: list[str] = []
    with closing(memory):
        for session in case.sessions:
            moment = session.moment
            before = memory.log.head().position
            try:
                memory.tick(moment)
                learn(memory, session, memory.add(session.user_text, said=moment, session=session.session_id))
                memory.tick(moment)
            except (Refused, Rejected) as error:
                broken.append(f"session {session.session_id}: {error}")
            _note_alerts(memory, before, session.session_id, raised, broken)
            if session.session_id == case.trigger_session_id:
                break
        project = memory.project()
        active = [Raised("", alert.constraint, alert.subject, alert.severity, alert.text) for alert in memory.alerts()]
    return Played(tuple(raised), tuple(active), (*broken, *_unadopted_in_scenario(project, packs)))


def _note_alerts(memory: Memory, before: int, session: str, raised: list[Raised], broken: list[str]) -> None:
    """Note the alerts that were raised after a position of the log, and the rules that failed."""
    for _stored, change in memory.history(before):
        if change.change in ("raised", "updated"):
            raised.append(Raised(session, change.constraint, change.subject, change.severity, change.text))
        elif change.change == "failed":
            broken.append(f"session {session}: {change.message}")


def _alert_scenario_patch(step: Step, project: Project, words: int) -> Patch:
    """The step with its source. A record without a key is named by its number among those of its type: '#1'."""
    if isinstance(step, Put):
        return msgspec.structs.replace(step, cites=(words,))
    type_name, _colon, key = step.record.partition(":")
    record = step.record
    if re.fullmatch(r"#\d+", key) and type_name in project.types:
        listed = project.records(type_name)
        record = listed[int(key[1:]) - 1].id if int(key[1:]) <= len(listed) else record
    return msgspec.structs.replace(step, record=record, cites=(words,))


def _unadopted_in_scenario(project: Project, packs: Sequence[Pack]) -> list[str]:
    """Constraints of packs that the records called for and that could not be proved."""
    used = {name for name in project.types if project.records(name)}
    adopted = [patch.constraint.name for patch in needed_patches(packs, project, used) if isinstance(patch, Adopt)]
    return [f"{name} was not adopted: its types or cases are wrong (uac pack test)" for name in adopted]


class AlertVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one scenario. `others` were raised in the trigger session beside the constraints that matched."""

    id: str
    suites: tuple[Suite, ...]
    status: AlertStatus
    gold: str
    matched: tuple[Raised, ...] = ()
    early: tuple[Raised, ...] = ()
    others: tuple[Raised, ...] = ()
    spurious: tuple[Raised, ...] = ()
    """Those of the others that the scenario's argument does not name."""
    broken: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    """The groups that the best message does not match."""
    argument: str = ""
    uncovered: str = ""

    @property
    def matched_severities(self) -> str:
        return ", ".join(dict.fromkeys(each.severity for each in self.matched))


def judge_case(case: AlertCase, scenario: Scenario | None, played: Played) -> AlertVerdict:
    """The suite's own rule: nothing before the trigger, then one message that matches every group of the rubric."""
    if scenario is None:
        why = ("nobody has written its records yet",)
        return AlertVerdict(
            id=case.id, suites=case.suites, status="missed", gold=case.expected_alert.severity, broken=why
        )
    rubric: Mapping[str, Sequence[str]] = case.v21_rubric or scenario.rubric
    raised = [each for each in played.raised if not _is_about_gap(each)]
    now = [each for each in raised if each.session == case.trigger_session_id]
    reported = {(each.constraint, each.subject, each.message): each for each in (*played.active, *now)}
    matched = [each for each in reported.values() if rubric and not missing_groups(rubric, each.message)]
    constraints = {each.constraint for each in matched}
    early = tuple(each for each in raised if each.session != case.trigger_session_id)
    others = tuple(each for each in now if each.constraint not in constraints)
    spurious = tuple(each for each in others if not _scenario_argues_for(scenario, each.constraint))
    broken = list(played.broken)
    if not (rubric or scenario.uncovered or scenario.expects_silence):
        broken.append("no rubric")
    lacks = min((missing_groups(rubric, each.message) for each in reported.values()), key=len, default=())
    return AlertVerdict(
        id=case.id,
        suites=case.suites,
        status=_case_status(scenario, bool(matched), early, spurious, broken),
        gold=case.expected_alert.severity,
        matched=() if scenario.expects_silence else tuple(matched),
        early=early,
        others=others,
        spurious=spurious,
        broken=tuple(broken),
        lacks=() if matched else lacks,
        argument=scenario.argument,
        uncovered=scenario.uncovered,
    )


def _is_about_gap(alert: Raised) -> bool:
    """Whether it is information that a table lacks a value: true at any time, and no answer to the scenario."""
    return alert.severity == "info" and "Not checked: " in alert.message


def _case_status(
    scenario: Scenario, matched: bool, early: Sequence[Raised], spurious: Sequence[Raised], broken: Sequence[str]
) -> AlertStatus:
    if broken:
        return "broken"
    if early:
        return "early"
    if scenario.expects_silence:
        return "silent" if not matched and not spurious else "missed"
    if matched:
        return "fired"
    return "uncovered" if scenario.uncovered else "missed"


def _scenario_argues_for(scenario: Scenario, constraint: str) -> bool:
    return re.search(rf"\b{re.escape(constraint)}\b", scenario.argument) is not None
