"""Extreme and odd values for every field of the pack types, and one run of pack rules over records that hold them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

from uac.constraints.try_pack import try_pack_project
from uac.errors import CodeError, RunError
from uac.packs import installed_packs
from uac.project.apply_patches import apply_patch
from uac.project.claims import Source
from uac.project.draft import Draft
from uac.project.project import Project
from uac.sandbox.compute import PRELUDE
from uac.sandbox.loading import LOADED, classes_to_load, load_records, run_code
from uac.sandbox.port import Sandbox, SandboxSession, Value
from uac.schema.constraint_code import constraint_definition, constraint_function_name, read_constraint
from uac.schema.constraints import Case, Constraint, Given
from uac.schema.patches import End, Put
from uac.schema.periods import Period
from uac.schema.persistent_map import Map
from uac.schema.types import FieldType, Json, parse_type
from uac.schema.values import MAX_TEXT

PACKS = installed_packs()
RULES = {constraint.name: constraint for pack in PACKS for constraint in pack.constraints}
TYPES = {type_.full_name: type_ for pack in PACKS for type_ in pack.types}
GROUND = try_pack_project(PACKS[0])
OWNERS = GROUND.owners()
READS = {
    rule.name: {OWNERS[collection] for collection in read_constraint(rule.name, rule.code).reads}
    for rule in RULES.values()
}
"""The types that each rule reads."""

LONG = MAX_TEXT
"""Characters of a long text."""

ODD: Mapping[str, Sequence[Json]] = {
    "str": (
        *("x", "X", "-", "?", "…", "'", '"', "\\", "{}", "%s", "None", "0", "-1", "1/0", "1e999", "a|b", "a:b", ","),
        *(
            "a  b",
            "a\nb",
            "a\tb",
            "a\u00a0b",
            "no",
            "my",
            "Dr.",
            "of the",
            "me",
            "s",
            "every 0 hours",
            "0 mg",
            "0 x 0 g",
        ),
        *(
            "😀",
            "👩‍👩‍👧",
            "مرحبا",
            "שלום\u200f",
            "\u202eabc",
            "Straße",
            "İSTANBUL",
            "ǅ",
            "名前",
            "e\u0301",
            "١٢٣",
            "²",
            "½",
        ),
        *(
            "9" * 25,
            "9" * 400,
            f"{'9' * 400} mg",
            f"{'9' * 400} x 1 mg",
            f"every {'9' * 400} hours",
            f"{'9' * 5000} times a day",
        ),
        *("a" * LONG, "a " * (LONG // 2 - 1) + "a", "." * LONG, "Berlin, " * (LONG // 8 - 1) + "Berlin", "9" * LONG),
    ),
    "date": ("1000-01-01", "2999-12-31", "1970-01-01", "2000-02-29", "2024-12-31", "2026-01-10", "1582-10-10"),
    "datetime": (
        *("1000-01-01T00:00:00+14:00", "1000-01-01T00:00:00-12:00", "2999-12-31T23:59:59.999999-12:00"),
        *("2999-12-31T23:59:59.999999+14:00", "2026-01-10T09:00:00+23:59", "2026-01-10T09:00:00-23:59"),
        *("2024-02-29T00:00:00+00:01", "2026-01-10T00:00:00Z", "2026-01-10T23:59:59.999999+05:45"),
    ),
    "time": ("00:00", "00:00:00.000001", "12:00", "23:59:59.999999"),
    "timedelta": ("PT0S", "P364877D", "-P364877D", "PT0.000001S", "-PT1S"),
    "int": (0, -1, 1, 7, 31, 366, 10_000, -10_000, 10**9, 2**31, 2**63 - 1, -(2**63)),
    "float": (0.0, -0.0, -1.5, 1e-300, 5e-324, 0.1, 24.5, 999_999_999_999_999.0, -999_999_999_999_999.0),
    "Decimal": (
        "0",
        "-0",
        "-1",
        "0.000000000001",
        "100",
        "999999999999999.999999999999",
        "-999999999999999.999999999999",
    ),
    "Money": (
        *(
            "0 EUR",
            "-1 USD",
            "0.000000000001 XXX",
            "999999999999999.999999999999 USD",
            "-999999999999999.999999999999 JPY",
        ),
        *("1 AAA", "12.345 KWD", "0.00 USD"),
    ),
    "bool": (True, False),
}
"""For each kind of field, values that the door accepts."""

OLD: Mapping[str, Sequence[Json]] = {
    "str": ("", " ", "\n", "\u200b", "\ufeff", "\u00a0 \u2003", " padded ", "\u3164"),
    "date": ("0001-01-01", "0999-12-31", "3000-01-01", "9999-12-31"),
    "datetime": (
        *("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999-12:00"),
        *("9999-12-31T23:59:59.999999+14:00", "9999-12-31T00:00:00Z"),
    ),
    "timedelta": ("P999999D", "-P999999D", "P999999DT999999H999999M999999999S"),
    "float": (1.7976931348623157e308, -1.7976931348623157e308, 1e200),
    "Decimal": ("9" * 24 + "." + "9" * 12, "-" + "9" * 24),
    "Money": ("9" * 24 + "." + "9" * 12 + " USD", "-" + "9" * 24 + " EUR"),
}
"""Values that the door refuses and that a log from before it did may hold."""


def odd_values(kind: FieldType, pool: Mapping[str, Sequence[Json]]) -> list[Json]:
    """The values of the pool for a field of this kind."""
    if kind.kind == "list":
        assert kind.item is not None
        items = odd_values(kind.item, pool)
        return [[], *([item] for item in items), *([items[:3]] if items else [])]
    found: list[Json] = list(kind.choices) if kind.kind == "choice" else list(pool.get(kind.kind, ()))
    return [None, *found] if kind.optional else found


class Odd(NamedTuple):
    """One value in one field of one record of a case."""

    rule: str
    case: Case
    record: int
    field: str
    value: Json

    @property
    def given(self) -> tuple[Given, ...]:
        chosen = self.case.given[self.record]
        changed = Given(type=chosen.type, fields={**chosen.fields, self.field: self.value}, ended=chosen.ended)
        return (*self.case.given[: self.record], changed, *self.case.given[self.record + 1 :])

    def __str__(self) -> str:
        value = repr(self.value)
        return f"{self.rule} · {self.case.name} · {self.case.given[self.record].type}.{self.field} = {value[:60]}"


def sweep(rule: Constraint, pool: Mapping[str, Sequence[Json]]) -> list[Odd]:
    """Every odd value in every field that the rule reads, each in one case: one that fires, if the field is in one."""
    places: dict[tuple[str, str], tuple[Case, int]] = {}
    for case in sorted(rule.cases, key=lambda case: not case.fires):
        for number, given in enumerate(case.given):
            for part in TYPES[given.type].fields:
                if f".{part.name}" in rule.code:
                    places.setdefault((given.type, part.name), (case, number))
    return [
        Odd(rule.name, case, number, name, value)
        for (type_name, name), (case, number) in places.items()
        for value in odd_values(kind_of(type_name, name), pool)
    ]


def kind_of(type_name: str, name: str) -> FieldType:
    part = TYPES[type_name].field(name)
    assert part is not None
    return parse_type(part.type)


def state(records: Sequence[Given], *, bounded: bool, rule: str = "") -> Project:
    """A project that holds the records, as a log would give it; Refused if they cannot be put.

    For one rule it has only the types of the records and those that the rule reads, which is faster to load.
    """
    names = sorted({*READS[rule], *(given.type for given in records)} if rule else TYPES)
    draft = Draft(Project(types={n: TYPES[n] for n in names}, tables={n: Map() for n in names}), bounded=bounded)
    said = datetime(2020, 1, 1, tzinfo=UTC)
    for number, given in enumerate(records, 1):
        draft.learn(number, Source("user", said, Period(), (), is_fact=False))
        apply_patch(draft, Put(type=given.type, fields=given.fields, cites=(number,)), 1_000_000 + number, 0, said)
        if given.ended:
            apply_patch(
                draft, End(record=draft.used[number][0], when=given.ended, cites=(number,)), 2_000_000 + number, 0, said
            )
    return draft.freeze(len(records))


RUNNER = """
def fuzz_run(functions, user, now):
    failed = []
    for name, function in functions:
        uac_looks.clear()
        try:
            for alert in function(user, now):
                if not alert.message.strip() or alert.severity not in ("critical", "warning", "info"):
                    failed.append([name, "an alert without a message"])
                for record in alert.records:
                    record.uac_id
        except Exception as error:
            failed.append([name, f"{type(error).__name__}: {error}"])
    return failed
"""


GROUPS = 8
"""Rules are run in so many groups: all of them together take longer than a run may, on the longest texts."""


class Runner:
    """Runs pack rules over states, in one session as long as it is alive."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._session: SandboxSession | None = None
        self._loads = 0
        self.runs = 0

    def failures(self, project: Project, rules: Sequence[str], now: datetime) -> list[tuple[str, str]]:
        """The rules that failed, each with its error; one that went over a limit is among them."""
        found: list[tuple[str, str]] = []
        loaded: SandboxSession | None = None
        for group in filter(None, (rules[start::GROUPS] for start in range(GROUPS))):
            calls = ", ".join(f"({name!r}, {constraint_function_name(name)})" for name in group)
            try:
                if loaded is None or loaded is not self._session or not loaded.alive:
                    loaded = self._ready()
                    load_records(loaded, project)
                self.runs += len(group)
                rows = loaded.run(f"fuzz_run([{calls}], {LOADED}user, moment)", {"moment": now}).value
            except RunError as error:
                if isinstance(error, CodeError) or len(group) == 1:
                    found += [(name, str(error)) for name in group]
                else:
                    found += [failure for name in group for failure in self.failures(project, [name], now)]
                continue
            assert isinstance(rows, list)
            found += [(str(row[0]), str(row[1])) for row in rows if isinstance(row, list)]
        return found

    def _ready(self) -> SandboxSession:
        self._loads += 1
        if self._session is None or not self._session.alive or self._loads > 500:
            self.close()
            self._loads = 0
            self._session = self._sandbox.session(now=datetime(2026, 1, 10, 12, tzinfo=UTC))
            self._session.run(PRELUDE, {"now": None})
            known = {name for rule in RULES.values() for name in read_constraint(rule.name, rule.code).knows}
            tables: dict[Value, Value] = {name: GROUND.knowledge[name].table for name in sorted(known)}
            run_code(self._session, classes_to_load(GROUND))
            self._session.run("uac_tables.update(tables__0)", {"tables__0": tables})
            self._session.run(RUNNER)
            for rule in RULES.values():  # together they are more than one run takes
                self._session.run(constraint_definition(rule.name, rule.code))
        return self._session

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def odd_world(number: int, pool: Mapping[str, Sequence[Json]]) -> list[Given]:
    """A record of every type, every field of which has the value of that number (counted around); one in three ended."""
    records: list[Given] = []
    for place, type_ in enumerate(TYPES.values()):
        fields: dict[str, Json] = {}
        for part in type_.fields:
            values = odd_values(parse_type(part.type), pool) or odd_values(parse_type(part.type), ODD)
            value = values[number % len(values)]
            if part.name in type_.key and isinstance(value, str) and not value.strip():
                value = f"key {number}"  # an empty key was never accepted
            if value is not None:
                fields[part.name] = value
        ended = "2025-12-31" if (number + place) % 3 == 0 else ""
        if fields:
            records.append(Given(type=type_.full_name, fields=fields, ended=ended))
    return records


def shaken(rule: Constraint, pool: Mapping[str, Sequence[Json]], chance: Random) -> Odd:
    """A case of the rule with odd values in several fields of several records."""
    case = chance.choice([case for case in rule.cases if case.given])
    records: list[Given] = []
    for given in case.given:
        fields = dict(given.fields)
        for part in TYPES[given.type].fields:
            values = odd_values(parse_type(part.type), pool)
            if values and chance.random() < 0.3:
                fields[part.name] = chance.choice(values)
        records.append(Given(type=given.type, fields=fields, ended=given.ended))
    many = [given for given in records for _copy in range(chance.choice((1, 1, 2)))]
    changed = Case(name=case.name, now=case.now, fires=case.fires, given=tuple(many))
    name, value = next(iter(many[0].fields.items()))
    return Odd(rule.name, changed, 0, name, value)
