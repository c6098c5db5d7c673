"""An acknowledged alert stays acknowledged when its record only moves by some days; a new record is reported again."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

import pytest
from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from support.constraints import NOW, case, changes_of, check_laws, constraint, given, told, watched
from support.short_logs import type_of
from uac.memory.memory import Memory
from uac.project.alerts import Alert
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Constraint
from uac.schema.patches import Amend, Define, Drop, End, Put

TOUR = type_of("travel.Tour", cardinality="event", key=["city", "start"], city="str", start="date", nights="int | None")
CASES = (case("one", given("travel.Tour", city="Rome", start="2026-05-01"), fires=True), case("none", fires=False))
PAPERS = constraint(
    "papers",
    "return [(critical if t.nights == 9 else warning)(f'{t.city} on {t.start}: no papers.', t)"
    " for t in user.travel.tours]",
    *CASES,
)
"""Its subjects are the keys of trips, which have a date in them."""

DATED = constraint(
    "dated", "return [warning('No papers.', t, subject=f'{t.city} {t.start}') for t in user.travel.tours]", *CASES
)
BARE = constraint(
    "bare", "return [warning('No papers.', subject=f'{t.city} {t.start}') for t in user.travel.tours]", *CASES
)
MONTHLY = constraint(
    "monthly",
    "return [warning('The rent is due.', t, subject=f'{t.city} {now.date()}') for t in user.travel.tours]",
    *CASES,
)
ROME = "travel.Tour:rome|2026-05-01"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return shared_sandbox()


@pytest.fixture
def memory(sandbox: Sandbox) -> Iterator[Memory]:
    memory = touring(PAPERS, sandbox)
    trip(memory, "Rome", "2026-05-01")
    memory.acknowledge("papers", why="the embassy has them")
    yield memory
    memory.close()


def touring(rule: Constraint, sandbox: Sandbox) -> Memory:
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Define(type=TOUR)])
    memory.adopt(rule)
    return memory


def trip(memory: Memory, city: str, start: str) -> str:
    return memory.put("travel.Tour", {"city": city, "start": start})


def states(memory: Memory) -> dict[str, str]:
    return {alert.subject: alert.state for alert in memory.alerts()}


def replaced(memory: Memory, old: str, city: str, start: str, *, ended: bool = False) -> None:
    """Drop or end a trip and put another one in the same checkpoint."""
    position = memory.add(f"{city} on {start}, not before")
    gone = End(record=old, when="2026-01", cites=(position,)) if ended else Drop(record=old, why="wrong day")
    put = Put(type="travel.Tour", fields={"city": city, "start": start}, cites=(position,))
    memory.checkpoint([gone, put])


# --- what stays acknowledged ------------------------------------------------------------------------------------------


def test_a_trip_that_is_corrected_by_a_day_stays_acknowledged(memory: Memory) -> None:
    (before,) = memory.alerts()
    head = memory.log.head().position
    memory.correct(ROME, "start", date(2026, 5, 2))
    assert told(memory, head) == [("updated", "papers", "rome|2026-05-02"), ("cleared", "papers", "rome|2026-05-01")]
    assert changes_of(memory, head)[0].follows == before.raised
    (alert,) = memory.alerts()
    assert alert == Alert(
        "papers",
        "rome|2026-05-02",
        "warning",
        "Rome on 2026-05-02: no papers.",
        ("travel.Tour:rome|2026-05-02",),
        alert.cites,
        raised=before.raised,
        since=before.since,
        state="acknowledged",
        why="the embassy has them",
    )
    check_laws(memory)


def test_a_trip_that_is_amended_by_a_day_stays_acknowledged(memory: Memory) -> None:
    position = memory.add("a day earlier")
    memory.checkpoint([Amend(record=ROME, fields={"start": "2026-04-30"}, cites=(position,))])
    assert states(memory) == {"rome|2026-04-30": "acknowledged"}


def test_a_trip_that_is_dropped_and_put_again_a_day_later_stays_acknowledged(memory: Memory) -> None:
    replaced(memory, ROME, "Rome", "2026-05-02")
    assert states(memory) == {"rome|2026-05-02": "acknowledged"}
    check_laws(memory)


def test_an_alert_moves_again_and_again_and_can_be_retracted_back(memory: Memory) -> None:
    record, moves = ROME, []
    for day in (2, 3, 4):
        moves.append(memory.correct(record, "start", date(2026, 5, day)))
        record = f"travel.Tour:rome|2026-05-0{day}"
    assert states(memory) == {"rome|2026-05-04": "acknowledged"}
    memory.retract([moves[-1]], why="a slip")
    assert states(memory) == {"rome|2026-05-03": "acknowledged"}
    check_laws(memory)


def test_a_snoozed_alert_that_moves_keeps_its_time_and_wakes_then(sandbox: Sandbox) -> None:
    memory = touring(PAPERS, sandbox)
    trip(memory, "Rome", "2026-05-01")
    until = NOW + timedelta(days=3)
    memory.snooze("papers", until=until, why="later")
    memory.correct(ROME, "start", date(2026, 5, 2))
    (alert,) = memory.alerts()
    assert (alert.state, alert.until, alert.why) == ("snoozed", until, "later")
    assert [(change.change, change.subject) for change in memory.tick(until)] == [("updated", "rome|2026-05-02")]
    assert states(memory) == {"rome|2026-05-02": "standing"}


def test_a_subject_with_a_date_of_its_own_moves_with_its_record(sandbox: Sandbox) -> None:
    memory = touring(DATED, sandbox)
    trip(memory, "Rome", "2026-05-01")
    memory.acknowledge("dated")
    memory.correct(ROME, "start", date(2026, 5, 2))
    assert states(memory) == {"Rome 2026-05-02": "acknowledged"}


def test_retracting_the_acknowledgement_also_undoes_it_for_what_followed(memory: Memory) -> None:
    position = next(stored.position for stored, change in memory.history() if change.change == "acknowledged")
    memory.correct(ROME, "start", date(2026, 5, 2))
    memory.retract([position], why="a slip")
    assert states(memory) == {"rome|2026-05-02": "standing"}
    check_laws(memory)


# --- what is reported again -------------------------------------------------------------------------------------------


def test_a_new_trip_to_the_same_place_is_reported_while_the_old_alert_stays_acknowledged(memory: Memory) -> None:
    trip(memory, "Rome", "2027-05-01")
    trip(memory, "Rome", "2026-05-02")
    assert states(memory) == {
        "rome|2026-05-01": "acknowledged",
        "rome|2027-05-01": "standing",
        "rome|2026-05-02": "standing",
    }


@pytest.mark.parametrize("start", ["2027-05-01", "2026-05-08", "2026-04-24"])
def test_a_trip_that_moves_by_a_week_or_more_is_reported_again(memory: Memory, start: str) -> None:
    memory.correct(ROME, "start", date.fromisoformat(start))
    assert states(memory) == {f"rome|{start}": "standing"}


def test_a_trip_that_is_put_for_one_that_has_ended_is_a_new_one(memory: Memory) -> None:
    replaced(memory, ROME, "Rome", "2026-05-02", ended=True)
    assert states(memory) == {"rome|2026-05-02": "standing"}


def test_a_trip_dropped_before_another_is_put_is_not_the_same(memory: Memory) -> None:
    memory.drop(ROME, why="wrong")
    trip(memory, "Rome", "2026-05-02")
    assert states(memory) == {"rome|2026-05-02": "standing"}


def test_another_city_on_the_same_day_is_reported_again(memory: Memory) -> None:
    memory.correct(ROME, "city", "Oslo")
    assert states(memory) == {"oslo|2026-05-01": "standing"}


def test_a_moved_trip_that_gets_more_severe_is_reported_again(memory: Memory) -> None:
    position = memory.add("nine nights, a day later")
    memory.checkpoint([Amend(record=ROME, fields={"start": "2026-05-02", "nights": 9}, cites=(position,))])
    (alert,) = memory.alerts()
    assert (alert.severity, alert.state) == ("critical", "standing")


def test_what_nobody_has_seen_is_raised_under_its_new_subject(sandbox: Sandbox) -> None:
    memory = touring(PAPERS, sandbox)
    trip(memory, "Rome", "2026-05-01")
    head = memory.log.head().position
    memory.correct(ROME, "start", date(2026, 5, 2))
    assert told(memory, head) == [("raised", "papers", "rome|2026-05-02"), ("cleared", "papers", "rome|2026-05-01")]


def test_two_dropped_trips_and_one_put_leave_open_which_moved_so_it_is_reported(memory: Memory) -> None:
    other = trip(memory, "Rome", "2026-05-03")
    position = memory.add("only one trip, on the second")
    put = Put(type="travel.Tour", fields={"city": "Rome", "start": "2026-05-02"}, cites=(position,))
    memory.checkpoint([Drop(record=ROME, why="no"), Drop(record=other, why="no"), put])
    assert states(memory) == {"rome|2026-05-02": "standing"}


def test_an_alert_that_names_no_record_is_reported_again_when_its_date_moves(sandbox: Sandbox) -> None:
    memory = touring(BARE, sandbox)
    trip(memory, "Rome", "2026-05-01")
    memory.acknowledge("bare")
    memory.correct(ROME, "start", date(2026, 5, 2))
    assert states(memory) == {"Rome 2026-05-02": "standing"}


def test_what_recurs_because_time_passes_is_reported_again(sandbox: Sandbox) -> None:
    memory = touring(MONTHLY, sandbox)
    trip(memory, "Rome", "2026-05-01")
    memory.acknowledge("monthly")
    memory.tick(NOW + timedelta(days=1))
    assert states(memory) == {"Rome 2026-01-11": "standing"}


# --- the law ----------------------------------------------------------------------------------------------------------

Step = tuple[Literal["put", "correct", "replace", "end and put", "acknowledge"], int, int]
steps_of = st.lists(
    st.tuples(
        st.sampled_from(["put", "correct", "replace", "end and put", "acknowledge", "acknowledge"]),
        st.integers(0, 3),
        st.sampled_from([-400, -7, -6, -1, 1, 2, 6, 7, 30, 365]),
    ),
    max_size=8,
)


@generated(steps_of)
@settings(max_examples=40, deadline=None)
def test_an_alert_is_quiet_exactly_if_it_was_acknowledged_and_its_trip_only_moved_by_days(steps: list[Step]) -> None:
    """Each trip is far from the others, so that no two can be taken for each other."""
    memory = touring(PAPERS, shared_sandbox())
    trips: dict[str, tuple[str, date, bool]] = {}
    taken: set[tuple[str, date]] = set()  # a trip that has ended keeps its key
    for count, (kind, which, days) in enumerate(steps):
        if kind == "put" or not trips:
            city, start = f"city{count}", date(2026, 5, 1)
            taken.add((city, start))
            trips[trip(memory, city, start.isoformat())] = (city, start, False)
            continue
        record = sorted(trips)[which % len(trips)]
        city, start, is_seen = trips[record]
        moved = start + timedelta(days=days)
        match kind:
            case "acknowledge":
                memory.acknowledge("papers", record.partition(":")[2])
                trips[record] = (city, start, True)
                continue
            case _ if (city, moved) in taken:
                continue
            case "correct":
                memory.correct(record, "start", moved)
            case _:
                replaced(memory, record, city, moved.isoformat(), ended=kind == "end and put")
        taken.add((city, moved))
        del trips[record]
        stays = is_seen and abs(days) <= 6 and kind != "end and put"
        trips[f"travel.Tour:{city}|{moved}"] = (city, moved, stays)
    expected = {
        record.partition(":")[2]: "acknowledged" if is_seen else "standing"
        for record, (_c, _s, is_seen) in trips.items()
    }
    assert states(memory) == expected
    check_laws(memory)
    memory.close()
