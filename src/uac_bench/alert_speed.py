"""The speed part of `uac-bench alerts`: from a put to its alert, one change among many constraints, users per tick.

Each figure has a baseline from the same run: the same put with no constraints, the same logs only folded.
"""

import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import click
import msgspec

from uac import (
    Adopt,
    Case,
    Checkpoint,
    Constraint,
    Define,
    Entry,
    Field,
    Log,
    Memory,
    NextRun,
    Observation,
    Pack,
    Put,
    Stored,
    Type,
    open_store,
)
from uac.constraints import due_constraints
from uac.interfaces.cli import Output
from uac.packs import chosen_packs
from uac.project import fold_entries
from uac.sandbox import Sandbox, open_sandbox
from uac.schema import Given, Json, kind_of
from uac_bench.measure import in_turns, machine_description, on_one_core, percentile_99, time_call

__all__ = [
    "FULL",
    "AlertScale",
    "AlertSpeed",
    "AlertWait",
    "TickSpeed",
    "alert_speed_json",
    "measure_alert_speed",
    "print_alert_speed",
]

USER = "ana"
BATCH = 1000
START = datetime(2026, 1, 10, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AlertScale:
    """How many records of one user, users of a store, constraints, and how often each thing is done."""

    records: int
    users: int
    few: int = 100
    many: int = 1000
    puts: int = 300
    sample: int = 100

    @classmethod
    def for_size(cls, *, records: int, users: int) -> "AlertScale":
        """Fewer records mean fewer constraints and fewer rounds, so that a small run is a short one."""
        few, many = min(100, records // 10), min(1000, records)
        return cls(records, users, few, many, puts=max(10, min(300, records // 20)), sample=min(100, users))


FULL = AlertScale(records=10_000, users=500)


class AlertWait(msgspec.Struct, frozen=True, kw_only=True):
    """From a put to its alert, both durable: p50, p99 and the longest; `first` has to load all records."""

    where: str
    records: int
    constraints: int
    ran: int
    """How many of the constraints ran in all these puts."""
    first: float
    p50: float
    p99: float
    longest: float
    against: str
    base: float
    """The p50 that it is compared with."""

    @property
    def ratio(self) -> float:
        return self.p50 / self.base


class TickSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """Users ticked one after the other on one core: opened, folded, and run if something is due."""

    what: str
    users: int
    changes: int
    seconds: float
    folding: float
    """How long it takes to fold the same logs and no more."""

    @property
    def ratio(self) -> float:
        return self.seconds / self.folding


class AlertSpeed(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    waits: tuple[AlertWait, ...]
    ticks: tuple[TickSpeed, ...]
    notes: tuple[str, ...]


def measure_alert_speed(scale: AlertScale, out: Output) -> AlertSpeed:
    """Measure in databases that are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as name:
        load = os.getloadavg()[0]
        waits = _measure_alert_waits(Path(name), scale, out)
        ticks, about = _measure_tick_speed(Path(name), scale, out)
    machine = f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"
    notes = (machine, WAIT_NOTE, _alert_wait_verdict(waits), TICK_NOTE, about)
    return AlertSpeed(tuple(waits), tuple(ticks), notes)


WAIT_NOTE = (
    "put: a record is put, its words, its checkpoint and the alert it raises are durable in one append. All take turns."
    " ran: how many constraints the puts ran, of all constraints. Longest: every 500 runs a new session starts and"
    " loads all records."
)
TICK_NOTE = (
    "tick: every user's log is opened and folded, then ticked, one user after the other, on one core; folding is the"
    " same without the tick."
)

P50_GOAL, P99_GOAL = 0.003, 0.010


def _alert_wait_verdict(waits: Sequence[AlertWait]) -> str:
    """Whether every world with constraints is within the goals, on a machine that does nothing else."""
    slow = [wait.where for wait in waits if wait.constraints and (wait.p50 > P50_GOAL or wait.p99 > P99_GOAL)]
    verdict = f"missed with {'; '.join(dict.fromkeys(slow))}" if slow else "met"
    return (
        f"Goal on a quiet machine, p50 at most {P50_GOAL * 1e3:g} ms and p99 at most {P99_GOAL * 1e3:g} ms: {verdict}."
    )


# -- from a put to its alert -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AlertSpeedWorld:
    """One user's records, spread evenly over types or nearly all in the first. One constraint reads the first type."""

    types: int
    records: int
    constraints: int
    is_heavy: bool = False

    def bill_type_number(self, record: int) -> int:
        return record % self.types if not self.is_heavy or record < self.types else 0

    def constraint_type_number(self, constraint: int) -> int:
        return 1 + (constraint - 1) % (self.types - 1) if constraint else 0


def _measure_alert_waits(place: Path, scale: AlertScale, out: Output) -> list[AlertWait]:
    few, many, records = scale.few, scale.many, scale.records
    spread, heavy, wide = f"{few:,} types", "one type, read whole", many // 4
    worlds = [
        (spread, AlertSpeedWorld(few, records, 0), "no constraints", 0),
        (spread, AlertSpeedWorld(few, records, few), "no constraints", 0),
        (heavy, AlertSpeedWorld(few, records, 0, is_heavy=True), "no constraints", 2),
        (heavy, AlertSpeedWorld(few, records, few, is_heavy=True), "no constraints", 2),
        (f"{wide:,} types", AlertSpeedWorld(wide, records, few), f"{few:,} constraints", 4),
        (f"{wide:,} types", AlertSpeedWorld(wide, records, many), f"{few:,} constraints", 4),
    ]
    with ExitStack() as stack:
        sandbox = stack.enter_context(closing(open_sandbox()))
        out.note(f"importing {records:,} records {len(worlds)} times …")
        lives = [
            stack.enter_context(closing(AlertSpeedUser(world, place / f"{number}.db", sandbox)))
            for number, (_, world, _, _) in enumerate(worlds)
        ]
        firsts = in_turns(
            [life.add_bill for life in lives], rounds=1, after=lambda: [*map(AlertSpeedUser.lower_bill, lives)]
        )
        out.note("putting records one by one …")
        taken = in_turns(
            [life.add_bill for life in lives], rounds=scale.puts, after=lambda: [*map(AlertSpeedUser.lower_bill, lives)]
        )
        ran = [life.constraint_runs() for life in lives]
    medians = [median(seconds) for seconds in taken]
    return [
        AlertWait(
            where=where,
            records=world.records,
            constraints=world.constraints,
            ran=ran[number],
            first=firsts[number][0],
            p50=medians[number],
            p99=percentile_99(taken[number]),
            longest=max(taken[number]),
            against=against,
            base=medians[base],
        )
        for number, (where, world, against, base) in enumerate(worlds)
    ]


class AlertSpeedUser:
    """The memory of a world's user, to whom bills of the first type come that are too high, one at a time."""

    def __init__(self, world: AlertSpeedWorld, path: Path, sandbox: Sandbox) -> None:
        self._world = world
        self._number = world.records
        self._is_open = False
        self._store = open_store(path)
        log = self._store.log(USER)
        log.append(_alert_world_entries(world))
        for start in range(0, world.records, BATCH):
            numbers = range(start, min(start + BATCH, world.records))
            log.append(_alert_bill_entries(world, numbers, log.head().position))
        names = fold_entries(log.read()).constraints
        if names:  # none has been run yet, which the first put would make up for
            log.append([NextRun(again=dict.fromkeys(names))])
        self._memory = Memory(log, sandbox=sandbox, packs=())
        self._start = self._memory.project().position

    def add_bill(self) -> None:
        """A bill above the limit, and its alert if constraints run."""
        self._number += 1
        self._is_open = True
        self._memory.put(_alert_bill_type(0).full_name, _alert_bill_fields(self._number, HIGH), said=START)

    def lower_bill(self) -> None:
        """Lower the bill, which clears its alert, if there is one."""
        if self._is_open:
            self._is_open = False
            raised = self._memory.alerts()
            self._memory.put(
                _alert_bill_type(0).full_name, _alert_bill_fields(self._number, LOW), said=START + timedelta(days=1)
            )
            left, failed = self._memory.alerts(), self._memory.project().failures
            if (len(raised), left) != (bool(self._world.constraints), []):
                raise click.ClickException(f"a put raised {raised}; {left} stay; failed: {dict(failed)}")

    def constraint_runs(self) -> int:
        """How many constraints have run. All but the touched one would find bills above the limit and say so."""
        ran = len({change.constraint for _stored, change in self._memory.history(self._start)})
        if ran != bool(self._world.constraints):
            raise click.ClickException(f"of {self._world.constraints} constraints {ran} ran after puts that touch one")
        return ran

    def close(self) -> None:
        self._memory.close()
        self._store.close()


HIGH, LOW = "1900.00 EUR", "80.00 EUR"
IN_DOMAIN = 50  # types


def _alert_bill_type(number: int) -> Type:
    return Type(
        domain=f"bills_{number // IN_DOMAIN}",
        name=f"Bill{number:03}",
        doc="A bill of one kind.",
        cardinality="many",
        key=("name",),
        fields=(Field(name="name", type="str"), Field(name="amount", type="Money"), Field(name="due", type="date")),
    )


def _alert_bill_fields(number: int, amount: str) -> dict[str, Json]:
    due = (START + timedelta(days=number % 300)).date().isoformat()
    return {"name": f"no. {number}", "amount": amount, "due": due}


CODE = '''\
def {name}(user, now):
    """A bill above 900."""
    found = []
    for bill in user.{domain}.{collection}:
        if bill.amount.amount > 900:
            found.append(warning(f"The bill {{bill.name}} is {{money(bill.amount)}}, above 900. Ask why.", bill))
    return found
'''


def _alert_bill_constraint(number: int, type_: Type) -> Constraint:
    name = f"bill_limit_{number:03}"
    high, low = (Given(type=type_.full_name, fields=_alert_bill_fields(1, amount)) for amount in ("901 EUR", "900 EUR"))
    return Constraint(
        name=name,
        code=CODE.format(name=name, domain=type_.domain, collection=type_.collected_as),
        cases=(
            Case(name="above", now="2026-01-10", fires=True, given=(high,)),
            Case(name="at the limit", now="2026-01-10", fires=False, given=(low,)),
        ),
        origin="person",
    )


def _alert_world_entries(world: AlertSpeedWorld) -> list[Entry]:
    types = [_alert_bill_type(number) for number in range(world.types)]
    constraints = [
        _alert_bill_constraint(number, types[world.constraint_type_number(number)])
        for number in range(world.constraints)
    ]
    defined = [Define(type=type_) for type_ in types]
    return [Checkpoint(patches=(*defined, *(Adopt(constraint=each) for each in constraints)), by="bench")]


def _alert_bill_entries(world: AlertSpeedWorld, numbers: range, position: int) -> list[Entry]:
    """Lines and their records, as an import writes them. Bills of other types than the first are above the limit."""
    lines = [Observation(text=f"bill no. {number}", said=START, role="document") for number in numbers]
    puts: list[Put] = []
    for place, number in enumerate(numbers, 1):
        kind = world.bill_type_number(number)
        fields = _alert_bill_fields(number, HIGH if kind else LOW)
        puts.append(Put(type=_alert_bill_type(kind).full_name, fields=fields, cites=(position + place,)))
    return [*lines, Checkpoint(patches=tuple(puts), by="bench")]


# -- users per tick ----------------------------------------------------------------------------------------------------

CHOSEN = ("tax_filing", "warranty_ends", "passport_validity")
"""Constraints of three packs that read the clock."""
DUE_IN = 50  # one user in DUE_IN gets an alert in the tick


def _measure_tick_speed(place: Path, scale: AlertScale, out: Output) -> tuple[list[TickSpeed], str]:
    """One tick of all users, of whom some get an alert; then a sample of whom all do."""
    packs = chosen_packs("finance,household,travel")
    chosen = [replace(p, sources={name: p.sources[name] for name in CHOSEN if name in p.sources}) for p in packs]
    with on_one_core(), closing(open_sandbox()) as sandbox, closing(open_store(place / "users.db")) as store:
        quiet, soon = (_ticked_user_entries(chosen, sandbox, ends) for ends in ("2026-12-01", "2026-01-18"))
        whole = _ticked_user_entries(packs, sandbox, "2026-12-01")
        out.note(f"writing {scale.users:,} users …")
        logs = [store.log(f"user {number:06}") for number in range(scale.users)]
        for number, log in enumerate(logs):
            log.append(soon if _is_tick_due(number) else quiet)
        bytes_each = sum(path.stat().st_size for path in place.glob("users.db*")) / scale.users
        others = [store.log(f"other {number:06}") for number in range(scale.sample)]
        for log in others:
            log.append(whole)
        out.note("ticking …")
        tomorrow, later = START + timedelta(days=1), datetime(2026, 11, 27, 12, tzinfo=UTC)
        rows = [_time_tick(log, tomorrow, sandbox) for log in logs]
        ticks = [
            _tick_summary(
                "no user gets an alert", [row for number, row in enumerate(rows) if not _is_tick_due(number)]
            ),
            _tick_summary(f"one user in {DUE_IN} gets an alert", rows),
            _tick_summary("every user gets alerts", [_time_tick(log, later, sandbox) for log in logs[: scale.sample]]),
            _tick_summary("with all that packs bring", [_time_tick(log, tomorrow, sandbox) for log in others]),
        ]
    brought = fold_entries(Stored(n, START, kind_of(entry), entry, b"") for n, entry in enumerate(whole, 1))
    daily = sorted(due_constraints(replace(brought, now=tomorrow)))
    about = (
        f"users: {len(quiet)} entries, {bytes_each / 1e3:,.1f} kB each, with {', '.join(CHOSEN)}. All that packs bring"
        f" for the same records: {len(brought.constraints)} constraints; due next day: {', '.join(daily) or 'none'}."
    )
    return ticks, about


def _is_tick_due(number: int) -> bool:
    return number % DUE_IN == 0


def _ticked_user_entries(packs: Sequence[Pack], sandbox: Sandbox, warranty_ends: str) -> list[Entry]:
    """The entries of one user, made as any user's are; thousands of users get the same."""
    log = open_store("memory:").log(USER)
    with closing(Memory(log, sandbox=sandbox, packs=packs, clock=lambda: START)) as memory:
        for type_name, fields in RECORDS:
            memory.put(type_name, fields, said=START)
        memory.put("household.Warranty", {"item": "washing machine", "ends": warranty_ends}, said=START)
        missing = set(CHOSEN) - {*memory.project().constraints}
        if missing or memory.alerts():
            raise click.ClickException(f"packs do not bring {missing or 'a quiet user'}: {memory.alerts()}")
    return [stored.entry for stored in log.read() if stored.entry is not None]


RECORDS: tuple[tuple[str, dict[str, Json]], ...] = (
    ("travel.Profile", {"home": "Berlin"}),
    ("travel.Passport", {"holder": "me", "country": "Germany", "expires": "2030-05-01"}),
    ("travel.Trip", {"destination": "Tokyo", "country": "Japan", "departs": "2026-11-25", "returns": "2026-12-04"}),
    ("finance.TaxReturn", {"country": "Germany", "year": 2025, "incomes": ["salary"]}),
    ("household.Warranty", {"item": "laptop", "ends": "2027-06-01", "by": "the shop"}),
    *(
        ("finance.Transaction", {"payee": f"shop {number}", "amount": f"{number + 5}.50 EUR", "on": "2026-01-05"})
        for number in range(10)
    ),
)


def _time_tick(log: Log, now: datetime, sandbox: Sandbox) -> tuple[float, float, int]:
    """How long folding the log takes, and ticking it; and how many changes of alerts the tick made."""
    folding = time_call(lambda: fold_entries(log.read()))
    changes = 0

    def tick() -> None:
        nonlocal changes
        with closing(Memory(log, sandbox=sandbox, packs=())) as memory:
            changes = len(memory.tick(now))

    return folding, time_call(tick), changes


def _tick_summary(what: str, rows: Sequence[tuple[float, float, int]]) -> TickSpeed:
    folding, seconds, changes = (sum(column) for column in zip(*rows, strict=True))
    return TickSpeed(what=what, users=len(rows), changes=int(changes), seconds=seconds, folding=folding)


# -- what is printed ---------------------------------------------------------------------------------------------------


def print_alert_speed(speed: AlertSpeed, out: Output) -> None:
    """Two tables and how to read them."""
    heads = ("", "records in", "records", "constraints", "ran", "first", "p50", "p99", "longest", "ratio", "to")
    out.table(heads, map(_alert_wait_cells, speed.waits))
    out.table(("", "", "users", "changes", "users/s", "folded/s", "ratio"), map(_tick_speed_cells, speed.ticks))
    for note in speed.notes:
        out.line(note)


def alert_speed_json(speed: AlertSpeed) -> dict[str, object]:
    return {
        "waits": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in speed.waits],
        "ticks": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in speed.ticks],
        "notes": speed.notes,
    }


def _alert_wait_cells(wait: AlertWait) -> tuple[str, ...]:
    return (
        "put",
        wait.where,
        f"{wait.records:,}",
        f"{wait.constraints:,}",
        f"{wait.ran}",
        *(f"{seconds * 1e3:,.1f} ms" for seconds in (wait.first, wait.p50, wait.p99, wait.longest)),
        f"{wait.ratio:.2f}",
        wait.against,
    )


def _tick_speed_cells(ticked: TickSpeed) -> tuple[str, ...]:
    return (
        "tick",
        ticked.what,
        f"{ticked.users:,}",
        f"{ticked.changes:,}",
        *(f"{ticked.users / seconds:,.0f} users/s" for seconds in (ticked.seconds, ticked.folding)),
        f"{ticked.ratio:.2f}",
    )
