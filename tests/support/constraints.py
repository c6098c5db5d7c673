"""A small world to watch: allergies and medications, a constraint over them, and memories whose clock stands still."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from support.short_logs import ALLERGY, TRIP, type_of
from uac.log.log import Log, Stored
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.project.fold import fold_entries
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Limits, RunOutcome, Sandbox, SandboxSession, Value
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Case, Constraint, Given, Origin, Unreviewed
from uac.schema.entries import AlertChange, Entry, encode
from uac.schema.patches import Define

NOW = datetime(2026, 1, 10, 9, tzinfo=UTC)
MEDICATION = type_of("health.Medication", key=["name"], name="str", until="date | None")
TYPES = (ALLERGY, MEDICATION, TRIP)


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: int) -> datetime:
        self.now += timedelta(days=days)
        return self.now


def watched(
    *constraints: Constraint,
    log: Log | None = None,
    sandbox: Sandbox | None = None,
    clock: Clock | None = None,
    unreviewed: Unreviewed = "mark",
) -> Memory:
    """A memory with the types of this world and constraints that a person stands behind."""
    moment = clock or Clock()
    memory = Memory(
        MemoryStore().log("ana") if log is None else log,
        packs=(),
        sandbox=sandbox or shared_sandbox(),
        clock=moment,
        unreviewed=unreviewed,
    )
    if not memory.project().types:
        memory.checkpoint([Define(type=type_) for type_ in TYPES])
    for constraint in constraints:
        memory.adopt(constraint)
    return memory


def code_of(name: str, body: str, *, before: str = "") -> str:
    """A constraint whose function has this body."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.split("\n"))
    return f'{before}def {name}(user, now):\n    """Looks for something."""\n{lines}'


def constraint(
    name: str, body: str, *cases: Case, before: str = "", origin: Origin = "person", pack: str = ""
) -> Constraint:
    """A constraint with this body; without cases it is said to fire for a medication and an allergy of one name."""
    return Constraint(
        name=name, code=code_of(name, body, before=before), cases=cases or CASES, origin=origin, pack=pack
    )


def case(name: str, *given: Given, fires: bool, now: str = "2026-01-10", says: tuple[str, ...] = ()) -> Case:
    return Case(name=name, now=now, fires=fires, given=given, says=says)


def given(type_name: str, /, **fields: Any) -> Given:
    return Given(type=type_name, fields=fields)


NUTS = given("health.Allergy", substance="nuts")
PILLS = given("health.Medication", name="nuts", until="2026-01-12")
CASES = (case("both", NUTS, PILLS, fires=True), case("nothing", fires=False))

ALLERGIES = constraint("allergies", "return [critical(f'No {a.substance}.', a) for a in user.health.allergies]")
"""One alert for every allergy, and none that depends on the time."""

ENDING = parse_constraint(
    '''\
def ending(user, now):
    """A medication ends within three days."""
    return [
        warning(f"{m.name} ends on {m.until}.", m)
        for m in user.health.medications
        if m.until is not None and due_within(m.until, now, 3)
    ]


CASES = [
    fires("two days", date(2026, 1, 10), health.Medication(name="iron", until=date(2026, 1, 12)), says=["iron"]),
    silent("four days", date(2026, 1, 10), health.Medication(name="iron", until=date(2026, 1, 14))),
]
''',
    "ending",
    origin="person",
)
"""One that says itself when it must be run again."""


class Counted:
    """A sandbox that counts which constraints are run, and may have small limits of its own."""

    def __init__(self, sandbox: Sandbox, *, limits: Limits | None = None) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self.name = sandbox.name
        self.ran: list[str] = []

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        inner = self._sandbox.session(now=now, seed=seed, limits=self._limits or limits)
        return _CountedSession(inner, self.ran)

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        return self._sandbox.restore(snapshot, now=now, seed=seed, limits=self._limits or limits)

    def unsupported(self, code: str) -> str | None:
        return self._sandbox.unsupported(code)

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        return self._sandbox.type_errors(code, stubs)

    def findings(self) -> tuple[Any, ...]:
        return self._sandbox.findings()

    def close(self) -> None:
        self._sandbox.close()

    def taken(self) -> list[str]:
        """The constraints that ran since this was last asked; proofs of cases are left out."""
        ran, self.ran[:] = list(self.ran), []
        return ran


class _CountedSession:
    def __init__(self, session: SandboxSession, ran: list[str]) -> None:
        self._session = session
        self._ran = ran

    @property
    def alive(self) -> bool:
        return self._session.alive

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        if code.startswith("uac_look(") and code.endswith("], loaded__user, now)"):
            named = code.removeprefix("uac_look([").split("(")[1:]
            self._ran += [part.partition(",")[0].strip("'") for part in named]
        return self._session.run(code, inputs)

    def snapshot(self) -> bytes | None:
        return self._session.snapshot()

    def close(self) -> None:
        self._session.close()


def changes_of(memory: Memory, after: int = 0) -> list[AlertChange]:
    return [change for _stored, change in memory.history(after)]


def told(memory: Memory, after: int = 0) -> list[tuple[str, str, str]]:
    """The changes of alerts, short: what, of which constraint, about what."""
    return [(change.change, change.constraint, change.subject) for change in changes_of(memory, after)]


def standing(memory: Memory) -> list[tuple[str, str]]:
    return [(alert.constraint, alert.subject) for alert in memory.alerts()]


def entries(memory: Memory) -> list[Stored]:
    return list(memory.log.read())


def words_left(memory: Memory, word: str) -> list[Entry]:
    """The entries whose stored bytes still have the word."""
    found = [stored.entry for stored in memory.log.read() if stored.entry is not None]
    return [entry for entry in found if word.encode() in encode(entry)]


def words_of(memory: Memory, record: str) -> int:
    """The position of the words that a record rests on."""
    (position,) = memory.project().record(record).cites
    return position


def computing(memory: Memory, code: str) -> Any:
    return cast("Any", memory.compute(code).value)


def check_laws(memory: Memory) -> None:
    """Replay, the fold in two steps, nothing raised twice, and what stands is what was raised and did not go."""
    stored = entries(memory)
    project = memory.project()
    assert fold_entries(stored) == project
    for cut in range(0, len(stored), 3):
        assert fold_entries(stored[cut:], fold_entries(stored[:cut])) == project
    up: set[tuple[str, str]] = set()
    gone = project.gone
    for each in stored:
        entry = each.entry
        if isinstance(entry, AlertChange) and each.position not in gone:
            key = (entry.constraint, entry.subject)
            match entry.change:
                case "raised":
                    assert key not in up
                    up.add(key)
                case "updated" if entry.follows:  # it takes over from one that clears with it
                    up.add(key)
                case "updated":
                    assert key in up
                case "cleared" | "expired" if entry.subject:
                    assert key in up
                    up.remove(key)
                case _:
                    pass
    assert up == set(standing(memory))
