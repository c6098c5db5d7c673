"""Constraints in a session: defined once, run side by side, each on objects that it cannot change for the others."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime

from uac.constraints.failing_records import Narrowed, narrow_failure
from uac.constraints.weaker_words import UsersWords
from uac.errors import LimitError, RunError
from uac.project.project import Adopted, Project
from uac.sandbox.compute import Computer
from uac.sandbox.copies import copy_domains
from uac.sandbox.loaded_project import LoadedProject
from uac.sandbox.loading import LOADED, load_tables, run_code
from uac.sandbox.port import SandboxSession, Value
from uac.schema.constraint_code import Reading, constraint_definition, constraint_function_name
from uac.schema.types import Type

__all__ = ["ConstraintSession", "TypesRead"]


class TypesRead:
    """The types that each constraint of a project reads; computed again only if types or constraints have changed."""

    def __init__(self) -> None:
        self._known: tuple[Mapping[str, Type], Mapping[str, Adopted], Mapping[str, frozenset[str]]] = ({}, {}, {})

    def by_constraint(self, project: Project) -> Mapping[str, frozenset[str]]:
        types, constraints, reads = self._known
        if types is not project.types or constraints is not project.constraints:
            owners = project.owners()
            reads = {
                name: frozenset(owners[collection] for collection in adopted.reading.reads if collection in owners)
                for name, adopted in project.constraints.items()
            }
            self._known = project.types, project.constraints, reads
        return reads


class ConstraintSession:
    """Runs constraints on the objects that one Computer keeps loaded."""

    def __init__(self, computer: Computer, types_read: TypesRead | None = None) -> None:
        self.computer = computer
        self._types_read = types_read or TypesRead()
        self._defined: dict[int, tuple[SandboxSession, dict[str, object]]] = {}

    def look(
        self, project: Project, names: Sequence[str], now: datetime, words: UsersWords | None = None
    ) -> list[Value]:
        """A row per constraint: its name, its error, its alerts, and when it asks to run again.

        With `words`, the constraints see the records as the user stated them.
        """
        functions = ", ".join(_session_argument(project.constraints[name]) for name in names)
        code = f"uac_look([{functions}], {LOADED}user, now)"
        try:
            value = self._run_code(project, names, now, code, words=words)
        except RunError as error:
            if not self._loaded_for(project, names).may_have_spoiled(error):
                raise
            value = self._run_code(project, names, now, code, words=words)
        if not isinstance(value, list) or len(value) != len(names):
            raise LimitError("size", "The constraints returned no results. Let them return lists of alerts.")
        return value

    def _run_code(
        self,
        project: Project,
        names: Sequence[str],
        now: datetime,
        code: str,
        inputs: Mapping[str, Value] | None = None,
        *,
        words: UsersWords | None,
    ) -> Value:
        session, loaded = self.ready(project, names, now), self._loaded_for(project, names)
        with nullcontext() if words is None else loaded.stand_ins(project, words.project, words.supplements):
            try:
                self._define(session, loaded, project, names)
                return session.run(code, inputs).value
            finally:
                loaded.done()

    def _define(self, session: SandboxSession, loaded: LoadedProject, project: Project, names: Sequence[str]) -> None:
        known, defined = self._defined.get(id(loaded), (None, {}))
        if known is not session:
            defined = {}
            self._defined[id(loaded)] = session, defined
        _define_constraints(session, project, names, defined)

    def _loaded_for(self, project: Project, names: Sequence[str]) -> LoadedProject:
        """The loaded project in which these constraints run together: by how many records they read in all."""
        reads = self._types_read.by_constraint(project)
        return self.computer.loaded(sum(project.count(type_) for name in names for type_ in reads[name]))

    def look_alone(self, project: Project, name: str, now: datetime) -> list[Value]:
        """Like `look` for one constraint, in a session that nothing else uses: for code that could change anything."""
        with self.computer.alone(project, now) as session:
            _define_constraints(session, project, [name], defined={})
            value = session.run(f"uac_look([{_session_argument(project.constraints[name])}], {LOADED}user, now)").value
        if not isinstance(value, list) or len(value) != 1:
            raise LimitError("size", "The constraint returned no result. Let it return a list of alerts.")
        return value

    def narrow(
        self, project: Project, name: str, now: datetime, known: Collection[str], words: UsersWords | None = None
    ) -> Narrowed | None:
        """The records whose removal lets a failing constraint complete, and that result; None if there are none."""

        def run(code: str, inputs: Mapping[str, Value]) -> Value:
            return self._run_code(project, [name], now, code, inputs, words=words)

        check = f"[{constraint_function_name(name)}, {_session_user_name(name)}, now]"
        return narrow_failure(run, check, project, project.constraints[name].reading, known)

    def ready(self, project: Project, names: Sequence[str], now: datetime) -> SandboxSession:
        """A session that holds what these constraints read. Raises RunError if it cannot be loaded."""
        loaded = self._loaded_for(project, names)
        reads = self._types_read.by_constraint(project)
        types = {type_ for name in names for type_ in reads[name]}
        try:
            return loaded.ready(project, now, types)
        except LimitError:  # the machine may have been busy
            return loaded.ready(project, now, types)


def _define_constraints(
    session: SandboxSession, project: Project, names: Sequence[str], defined: dict[str, object]
) -> None:
    """Define the functions and load the tables that this session does not have yet."""
    new = [name for name in names if defined.get(name) is not project.constraints[name].reading]
    for name in new:  # a run each: what an engine makes of a definition is the same for every user, and cached
        session.run(constraint_definition(name, project.constraints[name].constraint.code))
    run_code(session, [_session_user_code(project, project.constraints[name].reading) for name in new])
    tables = {table for name in names for table in project.constraints[name].reading.knows}
    missing = [table for table in sorted(tables) if defined.get(f"table {table}") is not project.knowledge[table]]
    load_tables(session, project, missing)
    defined |= {name: project.constraints[name].reading for name in new}
    defined |= {f"table {table}": project.knowledge[table] for table in missing}


def _session_argument(adopted: Adopted) -> str:
    """The argument of `uac_look` for one constraint."""
    name = adopted.constraint.name
    make = "None" if adopted.reading.effect.change == "nothing" else _session_user_name(name)
    return f"({name!r}, {constraint_function_name(name)}, {make})"


def _session_user_name(name: str) -> str:
    return f"user_of__{name}"


def _session_user_code(project: Project, reading: Reading) -> str:
    """A function that creates a separate `user` for the constraint."""
    domains = dict.fromkeys(read.partition(".")[0] for read in reading.reads)
    made = copy_domains(project, [name for name in domains if name in project.domains], reading.reads, reading.effect)
    return f"def {_session_user_name(reading.name)}():\n{made.user_code()}"
