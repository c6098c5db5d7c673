"""Asks a part of the users, in this process. Everything that runs elsewhere calls this, so that the results are equal.

Most users are asked in batches (`batch_code.py`). Code that might leave something behind, a user for whom it failed,
and a batch that exceeded a limit are run alone, in a session of their own.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import msgspec

from uac.constraints.runner import Watch
from uac.errors import RunError, UacError
from uac.interfaces.fleet.batch_code import BatchPlan, constraint_plan, query_plan, user_rows
from uac.interfaces.fleet.batch_runner import BatchRunner
from uac.interfaces.fleet.program import Program, can_share_session, domains_of, missing_name, types_of_program
from uac.interfaces.fleet.user_states import UserState, UserStates
from uac.log.store import Store
from uac.packs import chosen_packs
from uac.project.alert_changes import CompletedRun, FailedRun, Failure
from uac.project.project import Adopted, Project, Record
from uac.sandbox import Limits, Value, shared_sandbox
from uac.sandbox.compute import Computer, computed_json, value_with_type_names
from uac.sandbox.error_hints import loaded_names
from uac.schema.constraint_code import read_constraint
from uac.schema.constraints import Knowledge, Unreviewed
from uac.schema.persistent_map import Map
from uac.schema.queries import read_query
from uac.schema.types import Json, Type

__all__ = ["Asker", "Question", "UserAnswer"]

MAX_BATCH = 10_000
"""Rows in one run of the sandbox."""
MAX_USERS = 256
"""Users in one run."""
MAX_PLANS = 1024
"""Plans that are kept: users may have types of their own."""


class Question(msgspec.Struct, frozen=True, tag=True):
    """What is asked, and with which settings. The same question of the same logs has the same answers."""

    program: Program
    now: datetime
    seconds: float = 5.0
    memory_mb: int = 512
    engine: str = "auto"
    unreviewed: Unreviewed = "mark"
    keeps_snapshots: bool = False


UserAnswer = dict[str, Json]
"""One line of the results: the user, and a value, alerts, the name of what is absent, or an error."""


class _Plan(msgspec.Struct, frozen=True):
    """How users with the same types and tables are asked: in a batch, alone, or not at all."""

    absent: str = ""
    batch: BatchPlan | None = None
    names: Mapping[str, str] = {}
    types: Mapping[str, Type] = {}
    """Types that the user lacks and that packs would bring, for a constraint."""
    knowledge: Mapping[str, Knowledge] = {}


class Asker:
    """Asks users of one store one question. It keeps sessions and types between calls, and no user's data."""

    def __init__(self, store: Store, question: Question) -> None:
        self._store = store
        self._question = question
        self._program = question.program
        self._limits = Limits(seconds=question.seconds, memory_mb=question.memory_mb)
        self._runner = BatchRunner(question.now, self._limits, question.engine)
        self._watch = Watch(Computer(shared_sandbox()), Computer(shared_sandbox()), unreviewed=question.unreviewed)
        self._plans: dict[bytes, _Plan] = {}
        self._plans_by_types: dict[bytes, _Plan] = {}
        self._needs_knowledge = _needs_knowledge(question.program)
        self.folded = 0
        """Users whose log was folded, because no snapshot of theirs was up to date."""
        self._states = UserStates(
            store,
            question.now,
            needs_knowledge=self._needs_knowledge,
            keeps_snapshots=question.keeps_snapshots,
        )

    def ask(self, users: Sequence[str]) -> list[UserAnswer]:
        """An answer for each of these users, in their order. An error of one user is the answer of that user."""
        states = self._states.open_users(users, self._types_to_read)
        self.folded += sum(state.is_folded for state in states)
        answers: dict[str, UserAnswer] = {user: {"user": user, "absent": "no log"} for user in users}
        batches: dict[int, list[tuple[UserState, _Plan]]] = {}
        for state in states:
            if state.error is not None:
                answers[state.user] = _error_answer(state.user, state.error)
                continue
            plan = self._plan(state.key, state.project.types, state.project.knowledge)
            if plan.absent:
                answers[state.user] = {"user": state.user, "absent": plan.absent}
            elif plan.batch is None:
                answers[state.user] = self._ask_alone(state.user)
            else:
                batches.setdefault(id(plan), []).append((state, plan))
        for batch in batches.values():
            answers |= self._ask_batch([state for state, _plan in batch], batch[0][1])
        return [answers[user] for user in users]

    def close(self) -> None:
        self._runner.close()

    # --- in batches -------------------------------------------------------------------------------------------------

    def _types_to_read(
        self, key: bytes, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]
    ) -> Sequence[str]:
        plan = self._plan(key, types, knowledge)
        return [*plan.batch.makers] if plan.batch is not None else []

    def _plan(self, key: bytes, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]) -> _Plan:
        """The plan for users with these types. Users who differ only in types that are not read have the same."""
        if key not in self._plans:
            if len(self._plans) >= MAX_PLANS:
                self._plans.clear()
            read = types_of_program(self._program, types)
            about = msgspec.json.encode(read) + (key[-32:] if self._needs_knowledge else b"")
            if about not in self._plans_by_types:
                if len(self._plans_by_types) >= MAX_PLANS:
                    self._plans_by_types.clear()
                made = _constraint_plan if self._program.kind == "constraint" else _query_plan
                self._plans_by_types[about] = made(self._program, read, knowledge)
            self._plans[key] = self._plans_by_types[about]
        return self._plans[key]

    def _ask_batch(self, states: Sequence[UserState], plan: _Plan) -> dict[str, UserAnswer]:
        assert plan.batch is not None
        answers: dict[str, UserAnswer] = {}
        chosen: list[tuple[UserState, list[Value]]] = []
        size = 0
        for state in states:
            try:
                rows = user_rows(plan.batch, state.project)
            except UacError:  # a row of a damaged snapshot: the log is read instead
                answers[state.user] = self._ask_alone(state.user)
                continue
            count = sum(len(each) for each in rows if isinstance(each, list))
            if chosen and (size + count > MAX_BATCH or len(chosen) >= MAX_USERS):
                answers |= self._run_batch(chosen, plan)
                chosen, size = [], 0
            chosen.append((state, rows))
            size += count
        return answers | self._run_batch(chosen, plan) if chosen else answers

    def _run_batch(self, chosen: Sequence[tuple[UserState, list[Value]]], plan: _Plan) -> dict[str, UserAnswer]:
        assert plan.batch is not None
        results = self._runner.run(plan.batch, [rows for _state, rows in chosen])
        answers: dict[str, UserAnswer] = {}
        for (state, _rows), result in zip(chosen, results, strict=True):
            answer = self._read_result(state, plan, result[0]) if isinstance(result, list) else None
            answers[state.user] = answer or self._ask_alone(state.user)
        return answers

    def _read_result(self, state: UserState, plan: _Plan, result: Value) -> UserAnswer | None:
        """The answer that a run in a batch gives; None if the user must be run alone."""
        if self._program.kind == "query":
            return {"user": state.user, "value": computed_json(value_with_type_names(result, plan.names))}
        if result == ["", [], []]:  # most users, and nothing has to be looked up
            return {"user": state.user, "alerts": []}
        completed = self._watch.read_row(self._with_rule(state.project, plan), self._adopted(), result)
        return None if completed is None or completed.failures else _run_answer(state.user, completed)

    # --- alone ------------------------------------------------------------------------------------------------------

    def _ask_alone(self, user: str) -> UserAnswer:
        """The answer of one user, from the whole project, in sessions that nobody else uses."""
        try:
            project = self._states.fold(user)
            return (
                self._check_alone(user, project) if self._program.kind == "constraint" else self._query(user, project)
            )
        except UacError as error:
            return _error_answer(user, error)

    def _query(self, user: str, project: Project) -> UserAnswer:
        with closing(Computer(shared_sandbox(), limits=self._limits)) as computer:
            result = computer.run(project, self._program.code, now=self._question.now)
        printed = {"printed": result.printed} if result.printed else {}
        return {"user": user, "value": computed_json(result.value), **printed}

    def _check_alone(self, user: str, project: Project) -> UserAnswer:
        plan = _constraint_plan(self._program, project.types, project.knowledge)
        with (
            closing(Computer(shared_sandbox(), limits=self._limits, trusted=True)) as rules,
            closing(Computer(shared_sandbox(), limits=self._limits)) as others,
        ):
            watch = Watch(rules, others, unreviewed=self._question.unreviewed)
            results = watch.run(self._with_rule(project, plan), [self._program.name])
        return _run_answer(user, results[self._program.name])

    def _with_rule(self, project: Project, plan: _Plan) -> Project:
        """The project as it would be with the rule: its alerts and failures are of the rule alone."""
        return replace(
            project,
            now=self._question.now,
            types={**project.types, **plan.types},
            tables={**{name: Map[str, Record]() for name in plan.types}, **project.tables},
            knowledge={**project.knowledge, **plan.knowledge},
            constraints={self._program.name: self._adopted()},
        )

    def _adopted(self) -> Adopted:
        assert self._program.constraint is not None
        return Adopted(self._program.constraint, 0)


def _needs_knowledge(program: Program) -> bool:
    if program.constraint is not None:
        return bool(read_constraint(program.name, program.code).knows)
    return "knowledge" in program.code


def _query_plan(program: Program, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]) -> _Plan:
    if absent := missing_name(program.code, types):
        return _Plan(absent)
    query = read_query(program.code, domains_of(types))
    if not can_share_session(query, program.code):
        return _Plan()
    plan = query_plan(query, types, knowledge)
    return _Plan(batch=plan, names=loaded_names(Project(types=plan.types)))


def _constraint_plan(program: Program, types: Mapping[str, Type], knowledge: Mapping[str, Knowledge]) -> _Plan:
    """How a constraint is run. Types and tables that the user lacks come from packs, as an adoption brings them."""
    reading = read_constraint(program.name, program.code)
    known = _collection_types(types)
    lacking = [name for name in reading.reads if name not in known]
    offered = _collection_types({type_.full_name: type_ for pack in chosen_packs() for type_ in pack.types})
    brought = {offered[name].full_name: offered[name] for name in lacking if name in offered}
    tables = {name: found for name in reading.knows if name not in knowledge and (found := _pack_table(name))}
    absent = [name for name in lacking if name not in offered]
    absent += [name for name in reading.knows if name not in knowledge and name not in tables]
    if absent:
        return _Plan(absent[0])
    if reading.effect.change == "anything":
        return _Plan(types=brought, knowledge=tables)
    plan = constraint_plan(reading, program.code, {**types, **brought}, {**knowledge, **tables})
    return _Plan(batch=plan, types=brought, knowledge=tables)


def _collection_types(types: Mapping[str, Type]) -> dict[str, Type]:
    return {
        f"{type_.domain}.{collection}": type_
        for type_ in types.values()
        for collection in (type_.collected_as, type_.former)
    }


def _pack_table(name: str) -> Knowledge | None:
    return next((table for pack in chosen_packs() if (table := pack.table(name))), None)


def _run_answer(user: str, result: CompletedRun | FailedRun) -> UserAnswer:
    failures = [result.failure] if isinstance(result, FailedRun) else result.failures
    found = () if isinstance(result, FailedRun) else result.found
    alerts: list[Json] = [
        {
            "severity": alert.severity,
            "subject": alert.subject,
            "message": alert.message,
            "records": [*alert.records],
        }
        for alert in found
    ]
    failed: list[Json] = [*map(_failure_json, failures)]
    return {"user": user, "alerts": alerts, **({"failures": failed} if failed else {})}


def _failure_json(failure: Failure) -> Json:
    return {"why": failure.why, **({"record": failure.record} if failure.record else {})}


def _error_answer(user: str, error: UacError) -> UserAnswer:
    kind = error.kind if isinstance(error, RunError) and hasattr(error, "kind") else type(error).__name__
    return {"user": user, "error": str(kind), "message": str(error)}
