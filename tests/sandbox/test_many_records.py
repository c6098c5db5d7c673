"""Code that reads many records runs in the faster engine, with the same result; only the types it reads are loaded."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, PASSPORT, TRIP, Story
from uac.errors import CodeError, SandboxError
from uac.sandbox import available_engines, compute, open_sandbox
from uac.sandbox.auto import AutoSandbox, sandbox_for_many_records
from uac.sandbox.compute import Computer
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Limits, RunOutcome, Sandbox, SandboxSession, Value
from uac.schema.patches import Amend, Drop, End

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUERIES = (
    "len(travel.trips)",
    "total(t.cost for t in travel.trips)",
    "sum(t.cost.amount for t in travel.trips)",
    "Counter(t.start.year for t in travel.trips)",
    "sorted(travel.trips, key=lambda t: (t.start, t.city))",
    "[t.city for t in travel.trips if t.start > now.date()]",
    "max((t.cost.amount for t in travel.trips), default=None)",
    "{quarter_of(t.start): t.city for t in travel.trips}",
    "round(mean([t.cost.amount for t in travel.trips]), 2) if travel.trips else None",
    "round(sum(float(t.cost.amount) for t in travel.trips) / 3, 2)",
    "[f'{t.cost} {t.start:%Y-%m-%d}' for t in travel.trips]",
    "{t.city.upper() for t in travel.trips}",
    "travel.trips.sort(key=lambda t: t.city)\ntravel.trips",
    "[t.cost for t in travel.former_trips], len(travel.trips)",
    "(travel.trips[-1].start - travel.trips[0].start).days",
    "sum(1 / (t.start.month - 3) for t in travel.trips)",
    "[a.substance for a in health.allergies if a in [t.city for t in travel.trips]]",
)

needs_both_engines = pytest.mark.skipif(len(available_engines()) < 2, reason="needs Monty and Linux")


class Recorded:
    """A sandbox that records which code it ran."""

    name = "recorded"

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.codes: list[str] = []

    def session(self, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        return _RecordedSession(self.inner.session(now=now, seed=seed, limits=limits), self.codes)

    def restore(self, snapshot: bytes, *, now: datetime, seed: int = 0, limits: Limits | None = None) -> SandboxSession:
        return self.inner.restore(snapshot, now=now, seed=seed, limits=limits)

    def unsupported(self, code: str) -> str | None:
        return self.inner.unsupported(code)

    def type_errors(self, code: str, stubs: str) -> tuple[tuple[int, str], ...]:
        return self.inner.type_errors(code, stubs)

    def findings(self) -> tuple[()]:
        return ()

    def close(self) -> None:
        self.inner.close()

    def loaded(self, collection: str) -> int:
        """How often this collection was loaded whole."""
        return sum(f"loaded__{collection} = []" in code for code in self.codes)


class _RecordedSession:
    def __init__(self, inner: SandboxSession, codes: list[str]) -> None:
        self._inner = inner
        self._codes = codes

    def run(self, code: str, inputs: Mapping[str, Value] | None = None) -> RunOutcome:
        self._codes.append(code)
        return self._inner.run(code, inputs)

    @property
    def alive(self) -> bool:
        return self._inner.alive

    def snapshot(self) -> bytes | None:
        return self._inner.snapshot()

    def close(self) -> None:
        self._inner.close()


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[Recorded, Recorded]]:
    with closing(MontySandbox()) as first, closing(ProcessSandbox()) as second:
        yield Recorded(first), Recorded(second)


@pytest.fixture
def auto(engines: tuple[Recorded, Recorded]) -> AutoSandbox:
    for engine in engines:
        engine.codes.clear()
    return AutoSandbox(engines[0], lambda: engines[1])


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT)
    for city in ("Paris", "Rome", "Oslo"):
        story.tell("travel.Trip", city=city, start="2026-05-01", cost="300.50 EUR")
    story.tell("health.Allergy", substance="nuts", severity="mild")
    return story


def outcome(computer: Computer, story: Story, code: str) -> object:
    try:
        result = computer.run(story.project, code, now=NOON)
    except CodeError as error:
        return error.kind, error.line
    return result.value, result.printed, result.reads


trips = st.lists(
    st.tuples(
        st.sampled_from(("Paris", "Rome", "Zürich", "oslo")),
        st.dates(date(2023, 1, 1), date(2027, 1, 1)).map(str),
        st.decimals("0.01", "99999", places=2).map(lambda amount: f"{amount} EUR"),
    ),
    max_size=6,
    unique_by=lambda trip: trip[:2],
)


@needs_both_engines
@given(trips=trips, code=st.sampled_from(QUERIES))
@settings(max_examples=20, deadline=None)
def test_both_engines_give_the_same_result(
    engines: tuple[Recorded, Recorded], trips: list[tuple[str, str, str]], code: str
) -> None:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT)
    for city, start, cost in trips:
        story.tell("travel.Trip", city=city, start=start, cost=cost)
    with closing(Computer(engines[0])) as first, closing(Computer(engines[1])) as second:
        assert outcome(first, story, code) == outcome(second, story, code)


@needs_both_engines
def test_a_query_runs_in_the_engine_that_is_faster_for_the_records_that_it_reads(
    engines: tuple[Recorded, Recorded], auto: AutoSandbox, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compute, "MANY_RECORDS", 3)
    few, many = engines
    with closing(Computer(auto)) as computer:
        assert computer.run(story.project, "len(health.allergies)", now=NOON).value == 1
        assert many.codes == []
        assert computer.run(story.project, "len(travel.trips)", now=NOON).value == 3
        story.tell("travel.Trip", city="Bern", start="2026-05-01", cost="1 CHF")
        assert computer.run(story.project, "len(travel.trips)", now=NOON).value == 4
    assert (few.loaded("health.allergies"), few.loaded("travel.trips")) == (1, 0)
    assert (many.loaded("health.allergies"), many.loaded("travel.trips")) == (0, 1)


@needs_both_engines
def test_code_that_may_change_anything_also_runs_where_many_records_load_faster(
    engines: tuple[Recorded, Recorded], auto: AutoSandbox, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compute, "MANY_RECORDS", 3)
    code = "for t in travel.trips:\n    t.city = 'x'\n[t.city for t in travel.trips]"
    with closing(Computer(auto)) as computer:
        assert computer.run(story.project, code, now=NOON).value == ["x"] * 3
        assert computer.run(story.project, "travel.trips[0].city", now=NOON).value == "Paris"
    assert engines[0].codes == []


def test_without_a_second_engine_many_records_are_read_in_the_first(
    monkeypatch: pytest.MonkeyPatch, story: Story
) -> None:
    def missing() -> Sandbox:
        raise SandboxError("not here")

    monkeypatch.setattr(compute, "MANY_RECORDS", 1)
    with closing(open_sandbox(available_engines()[0])) as only:
        auto = AutoSandbox(only, missing)
        assert sandbox_for_many_records(auto) is auto
        assert sandbox_for_many_records(only) is only
        with closing(Computer(auto)) as computer:
            assert computer.run(story.project, "len(travel.trips)", now=NOON).value == 3


def test_only_the_types_that_queries_read_are_loaded_each_once(story: Story) -> None:
    with closing(Recorded(open_sandbox())) as sandbox, closing(Computer(sandbox)) as computer:
        assert computer.run(story.project, "1 + 1", now=NOON).value == 2
        assert (sandbox.loaded("travel.trips"), sandbox.loaded("health.allergies")) == (0, 0)
        for _ in range(2):
            assert computer.run(story.project, "len(travel.trips)", now=NOON).value == 3
        assert (sandbox.loaded("travel.trips"), sandbox.loaded("health.allergies")) == (1, 0)
        assert computer.run(story.project, "len(user.health.allergies), len(travel.trips)", now=NOON).value == (1, 3)
        assert (sandbox.loaded("travel.trips"), sandbox.loaded("health.allergies")) == (1, 1)


@pytest.mark.parametrize(
    "code",
    [
        "len(getattr(travel, 'tr' + 'ips'))",
        "place = travel\nlen(place.trips)",
        "len(user.travel.trips)",
        "everything = user\nlen(everything.travel.trips)",
        "(lambda domain: len(domain.trips))(travel)",
        "[len(each.trips) for each in [travel]][0]",
    ],
)
def test_a_collection_is_loaded_however_a_query_reaches_it(story: Story, code: str) -> None:
    with closing(open_sandbox()) as sandbox, closing(Computer(sandbox)) as computer:
        assert computer.run(story.project, "len(health.allergies)", now=NOON).value == 1
        assert computer.run(story.project, code, now=NOON).value == 3


def test_a_record_that_ends_or_goes_costs_its_own_type_only(story: Story) -> None:
    with closing(Recorded(open_sandbox())) as sandbox, closing(Computer(sandbox)) as computer:
        both = "[t.city for t in travel.trips], len(travel.former_trips), len(health.allergies)"
        assert computer.run(story.project, both, now=NOON).value == (["Paris", "Rome", "Oslo"], 0, 1)
        rome, oslo = (record.id for record in story.project.records("travel.Trip")[1:])
        story.change(End(record=rome, when="2026-02", cites=(story.fact("Rome is over"),)))
        assert computer.run(story.project, both, now=NOON).value == (["Paris", "Oslo"], 1, 1)
        story.change(Drop(record=oslo, why="never planned"))
        story.change(
            Amend(record="health.Allergy:nuts", fields={"severity": "severe"}, cites=(story.fact("they are severe"),))
        )
        assert computer.run(story.project, both, now=NOON).value == (["Paris"], 1, 1)
        assert computer.run(story.project, "health.allergies[0].severity", now=NOON).value == "severe"
        assert (sandbox.loaded("travel.trips"), sandbox.loaded("health.allergies")) == (3, 1)
