"""Constraints in a session: defined once, run beside each other, each on what it cannot change for the others."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from uac.compute import Computer
from uac.constraints import Reading, definition, function_name
from uac.errors import LimitError, RunError
from uac.loading import LOADED, copies, is_single, load_tables, run_code
from uac.project import Adopted, Project
from uac.sandbox import Session, Value
from uac.schema import Type, parse_type

__all__ = ["RuleSession", "Unchecked"]

MOST_TRIES = 400
"""How often a constraint that fails is run to find the records that it fails for."""

MOST_RECORDS = 20
"""Of how many records at most a constraint may fail and still be run for all others."""

Unchecked = tuple[str, str]
"""A record that a constraint fails for, and the field that it fails at; "" if it cannot be told."""


class RuleSession:
    """Runs constraints on the objects that one Computer keeps loaded."""

    def __init__(self, computer: Computer) -> None:
        self.computer = computer
        self._session: Session | None = None
        self._defined: dict[str, object] = {}

    def look(self, project: Project, names: Sequence[str], now: datetime) -> list[Value]:
        """A row per constraint: its name, what it raised, its alerts, when it asks to be run again."""
        session = self.ready(project, now)
        try:
            self._define(session, project, names)
            functions = ", ".join(_called(project.constraints[name]) for name in names)
            value = session.run(f"uac_look([{functions}], {LOADED}user, now)").value
        finally:
            self.computer.done()
        if not isinstance(value, list) or len(value) != len(names):
            raise LimitError("size", "the constraints gave no results")
        return value

    def look_alone(self, project: Project, name: str, now: datetime) -> list[Value]:
        """The same for one constraint, in a session that nothing else uses: for code that could change anything."""
        with self.computer.alone(project, now) as session:
            self._define(session, project, [name], defined={})
            value = session.run(f"uac_look([{_called(project.constraints[name])}], {LOADED}user, now)").value
        if not isinstance(value, list) or len(value) != 1:
            raise LimitError("size", "the constraint gave no result")
        return value

    def narrow(
        self, project: Project, name: str, now: datetime, known: Collection[str]
    ) -> tuple[tuple[Unchecked, ...], Value] | None:
        """The records without which a failing constraint comes to a result, and that result; None if there are none.

        Where records of two collections could be meant, it is those of which something was said last.
        """
        adopted = project.constraints[name]
        session = self.ready(project, now)
        try:
            self._define(session, project, [name])
            answer = session.run(
                f"uac_narrow([{function_name(name)}, {_maker_name(name)}, now], places__0, known__0,"
                f" {MOST_TRIES}, {MOST_RECORDS})",
                {"places__0": _places(project, adopted.reading), "known__0": [*sorted(known)]},
            ).value
        except RunError:  # it takes too long to be told
            return None
        finally:
            self.computer.done()
        rows = answer if isinstance(answer, list) else []
        found = [read for row in rows if (read := _answer(project, row)) is not None]
        return max(found, key=lambda each: _last_said(project, each[0]), default=None)

    def ready(self, project: Project, now: datetime) -> Session:
        """A session that holds this project; RunError if it cannot be loaded."""
        try:
            return self.computer.ready(project, now)
        except LimitError:  # the machine may have been busy just then
            return self.computer.ready(project, now)

    def _define(
        self, session: Session, project: Project, names: Sequence[str], defined: dict[str, object] | None = None
    ) -> None:
        """Define the functions and load the tables that this session does not have yet."""
        if defined is None:
            if session is not self._session:
                self._session, self._defined = session, {}
            defined = self._defined
        new = [name for name in names if defined.get(name) is not project.constraints[name].reading]
        pieces: list[str] = []
        for name in new:
            adopted = project.constraints[name]
            pieces += [definition(name, adopted.constraint.code), _maker(project, adopted.reading)]
        run_code(session, pieces)
        tables = {table for name in names for table in project.constraints[name].reading.knows}
        missing = [table for table in sorted(tables) if defined.get(f"table {table}") is not project.knowledge[table]]
        load_tables(session, project, missing)
        defined |= {name: project.constraints[name].reading for name in new}
        defined |= {f"table {table}": project.knowledge[table] for table in missing}


def _called(adopted: Adopted) -> str:
    """What `uac_look` takes for one constraint."""
    name = adopted.constraint.name
    make = "None" if adopted.reading.effect.change == "nothing" else _maker_name(name)
    return f"({name!r}, {function_name(name)}, {make})"


def _maker_name(name: str) -> str:
    return f"user_of__{name}"


def _maker(project: Project, reading: Reading) -> str:
    """A function that makes a user of the constraint's own."""
    domains = dict.fromkeys(read.partition(".")[0] for read in reading.reads)
    made = copies(project, [name for name in domains if name in project.domains], reading.reads, reading.effect)
    return f"def {_maker_name(reading.name)}():\n{made.user()}"


def _places(project: Project, reading: Reading) -> list[Value]:
    """The collections that a constraint reads, for `uac_narrow`."""
    owners = project.owners()
    places: list[Value] = []
    for read in reading.reads:
        if read in owners:
            type_ = project.types[owners[read]]
            domain, _dot, collection = read.partition(".")
            fields: dict[Value, Value] = {type_.full_name: _harmless(type_)}
            places.append([domain, collection, is_single(type_, collection), fields])
    return places


def _harmless(type_: Type) -> dict[Value, Value]:
    """A value for each field with which a constraint should have no trouble."""
    values: dict[Value, Value] = {}
    for part in type_.fields:
        parsed = parse_type(part.type)
        if parsed.optional:
            values[part.name] = None
        elif parsed.kind == "choice":
            values[part.name] = parsed.choices[0]
        elif parsed.kind in _HARMLESS:
            values[part.name] = _HARMLESS[parsed.kind]
    return values


_HARMLESS: dict[str, Value] = {
    "str": "thing",
    "ref": "thing",
    "int": 1,
    "float": 1.0,
    "bool": False,
    "Decimal": Decimal(1),
    "date": date(2000, 1, 1),
    "datetime": datetime(2000, 1, 1, tzinfo=UTC),
    "time": time(12),
    "timedelta": timedelta(hours=1),
    "list": [],
}


def _answer(project: Project, row: Value) -> tuple[tuple[Unchecked, ...], Value] | None:
    """One answer of `uac_narrow`, if it is as agreed."""
    match row:
        case [list() as pairs, [str(), list(), list()] as result]:
            unchecked = [(one[0], one[1]) for one in pairs if isinstance(one, list) and len(one) == 2]
        case _:
            return None
    named = tuple((record, field) for record, field in unchecked if isinstance(record, str) and isinstance(field, str))
    known = all(record in project.tables.get(record.partition(":")[0], ()) for record, _field in named)
    return (named, result) if known and len(named) == len(pairs) else None


def _last_said(project: Project, unchecked: tuple[Unchecked, ...]) -> int:
    records = [project.tables[record.partition(":")[0]][record] for record, _field in unchecked]
    claims = [claim for record in records for told in record.claims.values() for claim in told]
    return max((claim.position for claim in claims), default=0)
