"""Constraints in a session: defined once, run beside each other, each on what it cannot change for the others."""

from collections.abc import Collection, Mapping, Sequence
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

MOST_RECORDS = 20
"""Of how many records at most a constraint may fail and still be run for all others."""

Unchecked = tuple[str, str]
"""A record that a constraint fails for, and the field that it fails at; "" if it cannot be told."""


Place = list[Value]
"""A collection that a constraint reads: its domain, its name, and whether it is one record."""


class RuleSession:
    """Runs constraints on the objects that one Computer keeps loaded."""

    def __init__(self, computer: Computer) -> None:
        self.computer = computer
        self._session: Session | None = None
        self._defined: dict[str, object] = {}

    def look(self, project: Project, names: Sequence[str], now: datetime) -> list[Value]:
        """A row per constraint: its name, what it raised, its alerts, when it asks to be run again."""
        functions = ", ".join(_called(project.constraints[name]) for name in names)
        code = f"uac_look([{functions}], {LOADED}user, now)"
        try:
            value = self._run(project, names, now, code)
        except RunError as error:
            if not self.computer.may_have_spoiled(error):
                raise
            value = self._run(project, names, now, code)
        if not isinstance(value, list) or len(value) != len(names):
            raise LimitError("size", "the constraints gave no results")
        return value

    def _run(
        self,
        project: Project,
        names: Sequence[str],
        now: datetime,
        code: str,
        inputs: Mapping[str, Value] | None = None,
    ) -> Value:
        session = self.ready(project, now)
        try:
            self._define(session, project, names)
            return session.run(code, inputs).value
        finally:
            self.computer.done()

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

        Those of the collection with the fewest are meant; if two have as few, those of which something was said last.
        Each step is a run of its own, so that one which takes too long does not take what was found before.
        """
        places = _places(project, project.constraints[name].reading)
        found: list[tuple[list[str], Value]] = []
        # From both ends: where two records fail together, a search does not find the one that comes last in it.
        for from_the_end in (True, False):
            if not found or min(len(culprits) for culprits, _result in found) > 1:
                asked = [(places, [place], sorted(known), from_the_end) for place in places]
                answers = [self._search(project, name, now, each) for each in asked]
                found += [answer for answer in answers if answer is not None]
        if not found:
            answer = self._search(project, name, now, (places, places, sorted(known), True))
            found = [] if answer is None else [answer]
        best = min(found, key=lambda each: (len(each[0]), -_last_said(project, each[0])), default=None)
        if best is None or not best[0]:
            return None
        return tuple((record, self._blame(project, name, now, record, best[0], known)) for record in best[0]), best[1]

    def _search(
        self, project: Project, name: str, now: datetime, asked: tuple[list[Place], list[Place], list[str], bool]
    ) -> tuple[list[str], Value] | None:
        places, chosen, known, from_the_end = asked
        code = f"uac_search({_check(name)}, places__0, chosen__0, known__0, {from_the_end}, {MOST_RECORDS})"
        inputs: dict[str, Value] = {"places__0": [*places], "chosen__0": [*chosen], "known__0": [*known]}
        try:
            answer = self._run(project, [name], now, code, inputs)
        except RunError:  # it takes too long
            return None
        match answer:
            case [list() as culprits, [str(), list(), list()] as result]:
                named = [record for record in culprits if isinstance(record, str)]
                return (named, result) if all(_exists(project, record) for record in named) else None
        return None

    def _blame(
        self, project: Project, name: str, now: datetime, record: str, culprits: list[str], known: Collection[str]
    ) -> str:
        """The field that a constraint fails at, for a record of which that is not known yet."""
        if record in known:
            return ""
        others: list[Value] = [other for other in culprits if other != record]
        places = _places(project, project.constraints[name].reading)
        inputs: dict[str, Value] = {
            "places__0": [*places],
            "others__0": others,
            "fields__0": _harmless(project.types[record.partition(":")[0]]),
        }
        try:
            field = self._run(
                project,
                [name],
                now,
                f"uac_blame({_check(name)}, places__0, {record!r}, others__0, fields__0)",
                inputs,
            )
        except RunError:
            return ""
        return field if isinstance(field, str) else ""

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


def _places(project: Project, reading: Reading) -> list[Place]:
    owners = project.owners()
    return [
        [*read.split(".", 1), is_single(project.types[owners[read]], read.partition(".")[2])]
        for read in reading.reads
        if read in owners
    ]


def _check(name: str) -> str:
    return f"[{function_name(name)}, {_maker_name(name)}, now]"


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


def _exists(project: Project, record: str) -> bool:
    return record in project.tables.get(record.partition(":")[0], ())


def _last_said(project: Project, names: Sequence[str]) -> int:
    records = [project.tables[name.partition(":")[0]][name] for name in names]
    claims = [claim for record in records for told in record.claims.values() for claim in told]
    return max((claim.position for claim in claims), default=0)
