"""compute: Python over the project, exact, complete or saying that it is not, and never stale."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from support.short_logs import ALLERGY, PASSPORT, TRIP, Story, type_of
from uac.errors import CodeError, LimitError
from uac.sandbox import available, open_sandbox
from uac.sandbox.compute import CollectionRead, Computer
from uac.sandbox.port import Instance, Limits, Sandbox
from uac.schema.patches import Amend, Drop, End, Put, RenameField

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module", params=[*available(), "auto"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture
def computer(sandbox: Sandbox) -> Iterator[Computer]:
    computer = Computer(sandbox)
    yield computer
    computer.close()


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, ALLERGY, PASSPORT)
    story.tell("travel.Trip", city="Paris", start="2026-05-01", cost="300.50 EUR")
    story.tell("travel.Trip", city="Rome", start="2026-06-01", cost="200 EUR")
    story.tell("travel.Trip", city="Oslo", start="2025-02-01", cost="1000 NOK")
    return story


def value(computer: Computer, story: Story, code: str) -> Any:
    return computer.run(story.project, code, now=NOON).value


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("len(travel.trips)", 3),
        ("[t.city for t in travel.trips if t.start.year == 2026]", ["Paris", "Rome"]),
        ("total(t.cost for t in travel.trips)", {"EUR": Decimal("500.50"), "NOK": Decimal(1000)}),
        ("[f'{t.cost} {t.cost!s} ' + str(t.cost) for t in travel.trips][:1]", ["300.50 EUR 300.50 EUR 300.50 EUR"]),
        ("'{}'.format(travel.trips[1].cost) if True else ''", "200 EUR"),
        ("max(travel.trips, key=lambda t: t.start).city", "Rome"),
        ("Counter(t.start.year for t in travel.trips).most_common(1)", [(2026, 2)]),
        ("sorted({month_of(t.start) for t in travel.trips})", ["2025-02", "2026-05", "2026-06"]),
        ("{quarter_of(t.start): t.city for t in travel.trips}", {"2026-Q2": "Rome", "2025-Q1": "Oslo"}),
        ("mean([1, 2, 4]), median([3, 1, 2]), stdev([1, 3])", (7 / 3, 2, 2**0.5)),
        ("add_months(date(2024, 1, 31), 1), week_start(date(2026, 3, 1))", (date(2024, 2, 29), date(2026, 2, 23))),
        ("(travel.trips[0].start - now.date()).days", 61),
        ("date.today().isoformat()", "2026-03-01"),
        ("travel.passport", None),
        ("travel.trips[0].cost", Instance("Money", {"amount": Decimal("300.50"), "currency": "EUR"})),
        ("isinstance(travel.trips[0], travel.Trip)", True),
        ("x = 1\nx += 2", None),
        ("", None),
        ("'''a\n b'''", "a\n b"),
        ("(1 +\n 2)", 3),
        ("# a comment only", None),
        (
            "groups = defaultdict(list)\nfor t in travel.trips:\n    groups[t.start.year].append(t.city)\ndict(groups)",
            {2026: ["Paris", "Rome"], 2025: ["Oslo"]},
        ),
    ],
)
def test_a_query_gives_the_value_of_its_last_expression(
    computer: Computer, story: Story, code: str, expected: Any
) -> None:
    assert value(computer, story, code) == expected


def test_records_come_back_under_the_name_of_their_type(computer: Computer, story: Story) -> None:
    story.tell("health.Allergy", substance="nuts")
    assert value(computer, story, "health.allergies") == [
        Instance("health.Allergy", {"substance": "nuts", "severity": None})
    ]


def test_an_ended_record_says_when_and_why_it_ended(computer: Computer, story: Story) -> None:
    nuts, eggs = (story.tell("health.Allergy", substance=name) for name in ("nuts", "eggs"))
    story.change(End(record=nuts, when="2026-05", why="returned to normal", cites=(story.fact("It is gone"),)))
    code = "[(a.substance, end_of(a)) for a in [*health.allergies, *health.former_allergies]]"
    end = Instance("End", {"on": date(2026, 5, 1), "reason": "returned", "why": "returned to normal"})
    assert value(computer, story, code) == [("eggs", None), ("nuts", end)]
    story.change(End(record=eggs, when="2026-06-02", cites=(story.fact("So is this"),)))
    assert value(computer, story, "sorted(end_of(a).on for a in user.health.former_allergies)") == [
        date(2026, 5, 1),
        date(2026, 6, 2),
    ]


def test_the_values_of_a_field_over_time_are_one_call(computer: Computer, story: Story) -> None:
    story.types(type_of("home.Plan", key=["name"], name="str", price="Money | None", fees="list[Money] | None"))
    for month, price in ((1, "9 EUR"), (3, "12 EUR"), (5, "9 EUR")):
        story.tell("home.Plan", at=datetime(2025, month, 1, 9, tzinfo=UTC), name="Net", price=price, fees=[price])
    told = "[(str(h.value), h.first_day, h.last_day, h.told, h.by, h.status) for h in history(home.plans[0], 'price')]"
    first, second, third = date(2025, 1, 1), date(2025, 3, 1), date(2025, 5, 1)
    expected = [
        ("9 EUR", None, date(2025, 2, 28), first, "user", "past"),
        ("12 EUR", second, date(2025, 4, 30), second, "user", "past"),
        ("9 EUR", third, None, third, "user", "current"),
    ]
    assert value(computer, story, told) == expected
    assert value(computer, story, f"field = 'price'\n{told.replace(chr(39) + 'price' + chr(39), 'field')}") == expected
    assert value(computer, story, "max(h.value for h in history(home.plans[0], 'price')).amount") == 12
    assert value(computer, story, "[sum(h.value) for h in history(home.plans[0], 'fees')][0].amount") == 9
    story.tell("home.Plan", at=datetime(2025, 7, 1, 9, tzinfo=UTC), name="Net", price="15 EUR")
    assert value(computer, story, "len(history(home.plans[0], 'price'))") == 4


def test_no_query_changes_the_history_that_another_one_sees(computer: Computer, story: Story) -> None:
    story.tell("health.Allergy", substance="nuts", severity="mild")
    spoil = (
        "h = history(health.allergies[0], 'severity')\nh[0].value = 'none'\nh.clear()\nuac_histories.clear()\nlen(h)"
    )
    for code in (spoil, spoil.replace("uac_histories.clear()\n", "")):
        with suppress(CodeError):
            assert value(computer, story, code) == 0
        assert value(computer, story, "[h.value for h in history(health.allergies[0], 'severity')]") == ["mild"]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("history(travel.trips[0], 'town')", "travel.Trip has no field 'town'. Give the name of a field, as text"),
        ("history(1, 'city')", "This is a int, not a record of the user. Give one, as travel.trips[0]"),
        ("end_of(None)", "This is a NoneType, not a record of the user. Give one, as travel.trips[0]"),
        ("histroy(travel.trips[0], 'city')", "name 'histroy' is not defined. Did you mean history?"),
        ("travel.past_trips", "'travel' object has no attribute 'past_trips'. Did you mean travel.former_trips?"),
    ],
)
def test_a_question_about_the_past_that_has_no_answer_says_why(
    computer: Computer, story: Story, code: str, told: str
) -> None:
    with pytest.raises(CodeError, match=re.escape(told)):
        value(computer, story, code)


def test_a_domain_may_be_called_history(computer: Computer, story: Story) -> None:
    story.types(type_of("history.War", key=["name"], name="str"))
    story.tell("history.War", name="of the Roses")
    assert value(computer, story, "[war.name for war in history.wars]") == ["of the Roses"]


def test_classes_and_records_print_under_the_name_of_their_type(computer: Computer, story: Story) -> None:
    story.tell("health.Allergy", substance="nuts")
    code = "one = health.allergies[0]\nprint(one)\nprint(type(one).__name__)\n[f'{one}', Counter([type(one).__name__])]"
    result = computer.run(story.project, code)
    assert result.printed == "health.Allergy(substance='nuts', severity=None)\nhealth.Allergy\n"
    assert result.value == ["health.Allergy(substance='nuts', severity=None)", {"health.Allergy": 1}]
    same = computer.run(story.project, "{'health__Allergy': 1, 'health.Allergy': 2, 'health__Other': 3}").value
    assert same == {"health__Allergy": 1, "health.Allergy": 2, "health__Other": 3}


def test_printed_text_is_kept(computer: Computer, story: Story) -> None:
    assert computer.run(story.project, "print('a')\nprint('b')").printed == "a\nb\n"


def test_a_result_says_what_it_read_and_whether_that_is_complete(computer: Computer, story: Story) -> None:
    result = computer.run(story.project, "len(travel.trips)")
    assert (result.reads, result.is_complete, result.position) == (
        (CollectionRead("travel.trips", 3),),
        True,
        story.project.position,
    )
    position = story.fact("I may go to Lima")
    result = computer.run(story.project, "len(travel.trips)")
    read = CollectionRead("travel.trips", 3, waiting=1, facts=(position,))
    assert (result.reads, result.is_complete) == ((read,), False)
    assert computer.run(story.project, "1 + 1").is_complete


@pytest.mark.parametrize(
    ("code", "kind", "line"),
    [
        ("1 / 0", "ZeroDivisionError", 1),
        ("x = 1\n\nx + y", "NameError", 3),
        ("travel.trips[99]", "IndexError", 1),
        ("travel.trips[0].town", "AttributeError", 1),
        ("x = (", "SyntaxError", 1),
        ("a = 1\nif a:\nb = 2", "SyntaxError", 3),
        ("'''two\nlines'''\n1 / 0", "ZeroDivisionError", 3),
    ],
)
def test_a_failing_query_gives_the_python_error_with_its_line(
    computer: Computer, story: Story, code: str, kind: str, line: int
) -> None:
    with pytest.raises(CodeError) as failed:
        value(computer, story, code)
    assert failed.value.kind in (kind, "IndentationError")
    assert failed.value.line == line


def test_a_limit_is_another_error_and_the_next_query_works(sandbox: Sandbox, story: Story) -> None:
    computer = Computer(sandbox, limits=Limits(seconds=0.5))
    with pytest.raises(LimitError) as stopped:
        computer.run(story.project, "while True:\n    pass")
    assert stopped.value.limit == "time"
    assert computer.run(story.project, "len(travel.trips)").value == 3
    computer.close()


def test_a_new_record_is_seen_by_the_next_query(computer: Computer, story: Story) -> None:
    assert value(computer, story, "len(travel.trips)") == 3
    story.tell("travel.Trip", city="Lima", start="2026-07-01")
    assert value(computer, story, "[t.city for t in travel.trips]") == ["Paris", "Rome", "Oslo", "Lima"]


def test_every_kind_of_change_is_seen_by_the_next_query(computer: Computer, story: Story) -> None:
    def cities() -> Any:
        return value(computer, story, "[t.city for t in travel.trips]")

    trips = [record.id for record in story.project.records("travel.Trip")]
    assert cities() == ["Paris", "Rome", "Oslo"]
    story.change(Amend(record=trips[0], fields={"city": "Lyon"}, cites=(story.fact("Lyon"),)))
    assert cities() == ["Lyon", "Rome", "Oslo"]
    correction = story.memory.correct(trips[1], "city", "Roma")
    assert cities() == ["Lyon", "Roma", "Oslo"]
    story.memory.retract([correction], why="x")
    assert cities() == ["Lyon", "Rome", "Oslo"]
    story.change(End(record=trips[2], when="2026-01", cites=(story.fact("over"),)))
    assert cities() == ["Lyon", "Rome"]
    story.change(Drop(record=trips[0], why="told twice"))
    assert cities() == ["Rome"]
    story.change(RenameField(type="travel.Trip", field="city", to="town"))
    assert value(computer, story, "[t.town for t in travel.trips]") == ["Rome"]
    fact = story.fact("two more")
    story.change(
        Put(type="travel.Trip", fields={"town": "A", "start": "2026-01-01"}, cites=(fact,)),
        Put(type="travel.Trip", fields={"town": "B", "start": "2026-01-01"}, cites=(fact,)),
    )
    assert value(computer, story, "[t.town for t in travel.trips]") == ["Rome", "A", "B"]
    story.memory.log.erase([fact - 1], why="asked")
    assert value(computer, story, "[t.town for t in travel.trips]") == ["Rome"]


@pytest.mark.parametrize(
    "code",
    [
        "travel.trips.append(1)",
        "travel.trips.clear()",
        "travel.trips[0].city = 'X'",
        "travel.trips[0] = None",
        "travel.trips = []",
        "trips = travel.trips\ntrips.pop()",
        "for t in travel.trips:\n    t.city = 'X'",
        "x = travel.trips\nx += [1]",
        "def f(items):\n    items.sort(key=lambda t: t.city)\nf(travel.trips)",
        "global len\nlen = 5",
        "[t for t in travel.trips][0].city = 'X'",
        "a, b, c = travel.trips\na.city = 'X'",
        "d = {}\nd['k'] = travel.trips\nd['k'].clear()",
        "d = {'k': travel.trips}\nd['k'].clear()",
        "list.clear(travel.trips)",
        "len = 3",
        "now = 1",
        "travel = None",
    ],
)
def test_a_query_that_changes_the_objects_changes_nothing_for_the_next(
    computer: Computer, story: Story, code: str
) -> None:
    with suppress(CodeError):
        value(computer, story, code)
    assert value(computer, story, "len(travel.trips), [t.city for t in travel.trips], now.year") == (
        3,
        ["Paris", "Rome", "Oslo"],
        2026,
    )


def test_a_parked_computer_goes_on_where_it_was(computer: Computer, story: Story) -> None:
    assert value(computer, story, "len(travel.trips)") == 3
    computer.park()
    assert value(computer, story, "[t.city for t in travel.trips]") == ["Paris", "Rome", "Oslo"]
    computer.park()
    story.tell("travel.Trip", city="Lima", start="2026-07-01")
    assert value(computer, story, "len(travel.trips), date.today().year") == (4, 2026)
    computer.park()
    computer.park()
    assert computer.run(story.project, "date.today().year", now=NOON.replace(year=2027)).value == 2027


def test_views_and_previews_are_never_mistaken_for_what_is_loaded(computer: Computer, story: Story) -> None:
    trip = story.project.records("travel.Trip")[0].id
    assert value(computer, story, "len(travel.trips)") == 3
    preview, _changes = story.memory.preview([Amend(record=trip, fields={"city": "Lyon"}, cites=(story.fact("x"),))])
    assert computer.run(preview, "travel.trips[0].city").value == "Lyon"
    assert value(computer, story, "travel.trips[0].city") == "Paris"
    story.change(End(record=trip, when="2026-02", cites=(story.fact("over"),)))
    assert value(computer, story, "len(travel.trips)") == 2
    assert computer.run(story.project.at(valid=date(2026, 1, 31)), "len(travel.trips)").value == 1
    assert value(computer, story, "len(travel.trips)") == 2


def test_a_record_that_comes_back_is_in_one_list_only(computer: Computer, story: Story) -> None:
    record = story.tell("health.Allergy", substance="nuts")
    story.change(End(record=record, when="2026-02", cites=(story.fact("over"),)))
    assert value(computer, story, "len(health.allergies), len(health.former_allergies)") == (0, 1)
    story.tell("health.Allergy", substance="nuts")
    assert value(computer, story, "len(health.allergies), len(health.former_allergies)") == (1, 0)


def test_names_of_one_query_are_gone_in_the_next(computer: Computer, story: Story) -> None:
    value(computer, story, "secret = 1\nsecret")
    with pytest.raises(CodeError, match="NameError"):
        value(computer, story, "secret")


PEAK = """
from pathlib import Path
from uac.sandbox.compute import Computer
from uac.errors import CodeError
from uac.project.project import EMPTY_PROJECT
from uac.sandbox import Limits, open_sandbox

computer = Computer(open_sandbox("monty"), limits=Limits(seconds=60))
for query in ("{}['x' * 80_000_000]", "int('x' * 80_000_000)", "raise ValueError('x' * 80_000_000)"):
    try:
        computer.run(EMPTY_PROJECT, query)
    except CodeError as error:
        assert len(str(error)) < 5_000
(peak,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(peak.split()[1])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak is read from /proc")
def test_an_error_text_of_80_megabytes_never_reaches_the_host() -> None:
    run = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, check=True, text=True)
    assert int(run.stdout) < 120_000  # kilobytes


def test_an_error_that_was_cut_keeps_its_kind(computer: Computer, story: Story) -> None:
    with pytest.raises(CodeError, match="KeyError: 'xxx") as caught:
        computer.run(story.project, "{}['x' * 100_000]")
    assert caught.value.kind == "KeyError"
