"""The bounds of values: the door refuses what constraints cannot compute with; what old logs hold still loads."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from support.constraints import Clock, case, constraint
from support.short_logs import type_of
from uac.errors import Refused, Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.sandbox import available, shared_sandbox
from uac.sandbox.loading import classes_to_load
from uac.schema.constraints import Given
from uac.schema.entries import Checkpoint, Observation
from uac.schema.patches import AddField, Amend, Define, Put, RetypeField
from uac.schema.safe_text import is_blank
from uac.schema.types import Field, Type
from uac.schema.values import EARLIEST, LATEST, LONGEST, MAX_ITEMS, MAX_TEXT

THING = type_of(
    "home.Thing",
    key=["name"],
    name="str",
    note="str | None",
    tags="list[str]",
    until="date | None",
    at="datetime | None",
    lasts="timedelta | None",
    price="Money | None",
    rate="Decimal | None",
    size="float | None",
    count="int | None",
    days="list[date]",
)
FAR = "Use a date from 1000-01-01 to 2999-12-31; leave the field out if the date is unknown or never comes."
BLANK = "which has no visible characters. Leave the field out if nothing is known."
LARGE = "Use a number below 10**15 (a quadrillion) in size."


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = Memory(MemoryStore().log("ana"), packs=(), sandbox=shared_sandbox())
    memory.checkpoint([Define(type=THING)])
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("until", "9999-12-31", f"until is 9999-12-31. {FAR}"),
        ("until", "0001-01-01", f"until is 0001-01-01. {FAR}"),
        ("until", "3000-01-01", f"until is 3000-01-01. {FAR}"),
        ("until", "0999-12-31", f"until is 0999-12-31. {FAR}"),
        ("days", ["2026-01-01", "9999-12-31"], "days is 9999-12-31. Use a date from 1000-01-01 to 2999-12-31"),
        ("at", "9999-12-31T23:00:00-12:00", f"at is 9999-12-31T23:00:00-12:00. {FAR}"),
        ("at", "0001-01-01T00:00:00+14:00", f"at is 0001-01-01T00:00:00+14:00. {FAR}"),
        ("lasts", "P364878D", "lasts is P364878D. Use at most 999 years (P364877D)."),
        ("lasts", "-P364877DT1S", "lasts is -P364877DT1S. Use at most 999 years (P364877D)."),
        ("price", "1000000000000000 EUR", f"price is '1000000000000000 EUR'. {LARGE}"),
        ("rate", "-1000000000000000", f"rate is '-1000000000000000'. {LARGE}"),
        ("size", 1e15, f"size is '1000000000000000.0'. {LARGE}"),
        ("size", 1.7e308, f"size is '1.7e+308'. {LARGE}"),
        ("count", 2**63, "count is a number of more than 18 digits"),
        ("note", "", f"note is '', {BLANK}"),
        ("note", " \t\n\u00a0\u3000", f"note is '', {BLANK}"),
        ("note", "\u200b\u200d\ufeff\u2060", f"note is '\\u200b\\u200d\\ufeff\\u2060', {BLANK}"),
        ("note", "\u202e \u3164\u2800", f"note is '\\u202e ㅤ⠀', {BLANK}"),
        ("note", "\x00\x07", f"note is '\\x00\\x07', {BLANK}"),
        ("tags", ["a", " "], "tags is '', which has no visible characters"),
        ("tags", ["a"] * (MAX_ITEMS + 1), "tags has 1,001 items; at most 1,000 are allowed. Make each a record."),
        ("tags", ["a" * 15_000] * 2, "tags has 30,000 characters; at most 20,000 are allowed"),
        ("note", "a" * (MAX_TEXT + 1), "note has 20,001 characters; at most 20,000 are allowed. Add the whole text"),
    ],
)
def test_a_value_beyond_the_bounds_is_refused_with_what_to_do(memory: Memory, field: str, value: Any, why: str) -> None:
    with pytest.raises(Rejected) as put:
        memory.put("home.Thing", {"name": "key", field: value})
    assert why in str(put.value)
    record = memory.put("home.Thing", {"name": "key"})
    with pytest.raises(Refused) as corrected:
        memory.correct(record, field, value)
    assert why in str(corrected.value)
    with pytest.raises(Rejected) as amended:
        memory.checkpoint([Amend(record=record, fields={field: value}, cites=(2,))])
    assert why in str(amended.value)
    assert memory.project().record(record).values.get(field) in (None, ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("until", "1000-01-01"), ("until", "2999-12-31"), ("lasts", "P364877D"), ("lasts", "-P364877D")),
        *(("at", "1000-01-01T00:00:00+14:00"), ("at", "2999-12-31T23:59:59.999999-12:00")),
        *(("price", "999999999999999.999999999999 EUR"), ("rate", "-999999999999999"), ("size", 999999999999999.0)),
        *(("count", 2**63 - 1), ("count", -(2**63)), ("note", "x"), ("note", "👩‍👩‍👧"), ("note", "❤️"), ("note", "?")),
        *(
            ("tags", []),
            ("tags", ["a"] * MAX_ITEMS),
            ("note", "a" * MAX_TEXT),
            ("note", "שלום\u200f"),
            ("note", "\u0301"),
        ),
    ],
)
def test_a_value_at_a_bound_is_accepted(memory: Memory, field: str, value: Any) -> None:
    record = memory.put("home.Thing", {"name": "key", field: value})
    assert memory.project().record(record).values[field] is not None


def test_spaces_around_a_text_are_stripped_also_in_lists_and_replay_gives_the_same(memory: Memory) -> None:
    record = memory.put("home.Thing", {"name": " the  key\n", "note": "\u00a0a b ", "tags": [" x", "y\t"]})
    expected = {"name": "the  key", "note": "a b", "tags": ("x", "y")}
    assert {name: memory.project().record(record).values[name] for name in expected} == expected
    again = Memory(memory.log, packs=())
    assert again.project().record(record) == memory.project().record(record)
    again.close()


def test_any_moment_within_the_bounds_can_be_converted_to_utc_and_moved_by_any_duration() -> None:
    moved = [EARLIEST - LONGEST, LATEST + LONGEST]
    assert moved == [date.min, date(3998, 12, 31)]
    for text in ("1000-01-01T00:00:00+23:59", "2999-12-31T23:59:59-23:59"):
        assert datetime.fromisoformat(text).astimezone(UTC).year in (999, 3000)


OLD = {
    "name": "key",
    "note": " ",
    "tags": ["", "\u200b"],
    "until": "9999-12-31",
    "at": "9999-12-31T23:00:00-12:00",
    "lasts": "P999999D",
    "price": "9" * 24 + " EUR",
    "rate": "9" * 24,
    "size": 1.7e308,
    "days": ["0001-01-01"],
}


@pytest.fixture
def old(memory: Memory) -> Memory:
    """A memory whose log holds values from before the bounds."""
    at = memory.log.append(
        [Observation(text="an old line", said=datetime(2026, 1, 1, tzinfo=UTC))], after=memory.project().position
    )[-1]
    memory.log.append([Checkpoint(patches=(Put(type="home.Thing", fields=OLD, cites=(at,)),))], after=at)
    return memory


def test_an_old_log_with_values_beyond_the_bounds_loads_whole(old: Memory) -> None:
    project = old.project()
    values = project.record("home.Thing:key").values
    assert (project.orphans, values["until"], values["note"], values["tags"]) == ((), date.max, "", ("", "\u200b"))
    assert "9999, 12, 31" in old.render()["domains/home/state.py"]


@pytest.mark.parametrize("engine", available())
def test_queries_and_new_values_work_beside_those_of_an_old_log(old: Memory, engine: str) -> None:
    again = Memory(old.log, packs=(), sandbox=shared_sandbox(engine))
    assert again.compute("[thing.until.year for thing in home.things]").value == [9999]
    again.correct("home.Thing:key", "until", "2031-05-01")
    assert again.compute("home.things[0].until").value == date(2031, 5, 1)
    again.close()


def test_a_type_can_still_be_changed_while_an_old_value_stays_as_it_is(old: Memory) -> None:
    old.checkpoint([RetypeField(type="home.Thing", field="days", to="date | None", convert="first")])
    old.checkpoint([RetypeField(type="home.Thing", field="note", to="list[str]", convert="wrap")])
    assert old.project().record("home.Thing:key").values["days"] == date.min


def test_a_default_and_a_conversion_keep_to_the_bounds(memory: Memory) -> None:
    memory.put("home.Thing", {"name": "key", "note": "9999-12-31"})
    with pytest.raises(Rejected, match=r"note is 9999-12-31. Use a date from"):
        memory.checkpoint([RetypeField(type="home.Thing", field="note", to="date | None", convert="date")])
    new = Field(name="ends", type="date | None")
    with pytest.raises(Rejected, match=r"ends is 9999-12-31. Use a date from"):
        memory.checkpoint([AddField(type="home.Thing", field=new, default="9999-12-31")])


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3164", "\ufe0f", "\u180e", "\x1b", "\u2028"])
def test_a_text_of_which_nothing_is_seen_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["x", ".", "\u0301", "\U0001fae9", "\ue000", " a ", "\u200bx", "é"])
def test_a_text_of_which_something_is_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)


# --- types ------------------------------------------------------------------------------------------------------------


def wide(count: int) -> Type:
    fields = tuple(Field(name=f"{'f' * 50}_{number}", type="Money | None") for number in range(count))
    return Type(domain="home", name="Wide", cardinality="event", fields=fields)


@pytest.mark.parametrize("engine", available())
def test_the_widest_type_can_be_queried(engine: str) -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(), sandbox=shared_sandbox(engine))
    memory.checkpoint([Define(type=wide(1_000))])
    memory.put("home.Wide", {f"{'f' * 50}_7": "1 EUR"})
    assert memory.compute(f"home.wides[0].{'f' * 50}_7.currency").value == "EUR"
    with pytest.raises(Rejected, match=r"home\.Wide has 1,001 fields, and at most 1,000 are allowed\. Split it\."):
        memory.checkpoint([AddField(type="home.Wide", field=Field(name="more", type="int | None"))])
    memory.close()


def test_a_wider_type_is_refused(memory: Memory) -> None:
    with pytest.raises(Rejected, match=r"home\.Wide has 1,001 fields, and at most 1,000 are allowed\. Split it\."):
        memory.checkpoint([Define(type=wide(1_001))])


@pytest.mark.parametrize("engine", available())
def test_queries_and_constraints_run_however_many_types_there_are(engine: str) -> None:
    """So many classes are more code than one run takes."""
    memory = Memory(MemoryStore().log("ana"), packs=(), sandbox=shared_sandbox(engine), clock=Clock())
    fields = (
        Field(name="name", type="str"),
        *(Field(name=f"field_{number}", type="str | None") for number in range(30)),
    )
    types = [Type(domain=f"d{n % 7}", name=f"Kind{n}", key=("name",), fields=fields) for n in range(450)]
    memory.checkpoint([Define(type=type_) for type_ in types])
    assert sum(map(len, classes_to_load(memory.project()))) > 250_000
    given = [Given(type="d0.Kind7", fields={"name": name}) for name in ("big", "small")]
    memory.adopt(
        constraint(
            "too_big",
            "return [warning(f'{kind.name} is too big', kind) for kind in user.d0.kind7s if kind.name == 'big']",
            case("big", given[0], fires=True),
            case("small", given[1], fires=False),
        )
    )
    memory.put("d0.Kind7", {"name": "big"})
    assert [alert.message for alert in memory.alerts()] == ["big is too big"]
    assert memory.compute("[kind.name for kind in d0.kind7s]").value == ["big"]
    memory.close()
