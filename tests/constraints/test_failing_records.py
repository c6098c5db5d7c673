"""Which records make a constraint fail, and because of which field: the search, run on plain objects without a sandbox."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from support.constraints import MEDICATION, NOW, code_of
from support.short_logs import ALLERGY, PASSPORT, Story, type_of
from uac.constraints.failing_records import MOST_RECORDS, Narrowed, narrow_failure
from uac.errors import LimitError
from uac.project.project import Project
from uac.sandbox.compute import PRELUDE
from uac.sandbox.port import Value
from uac.schema.constraint_code import read_constraint

FOUR = "return [info(str(12 // (len(m.name) - 4)), m) for m in user.health.medications]"
"""Fails for a medication of four letters."""
PAIRS = "return [info(str(1 // (len(m.name) - len(a.substance))), m) for m in user.health.medications for a in user.health.allergies]"
"""Fails for a medication and an allergy of equal length."""


class Host:
    """Runs the search on plain objects, made from the project for each attempt, and notes the inputs of each call."""

    def __init__(self, project: Project, body: str) -> None:
        self.project = project
        self.reading = read_constraint("rule", code_of("rule", body))
        self.calls: list[tuple[str, Mapping[str, Value]]] = []
        self._names: dict[str, Any] = {"user": self._user, "now": NOW}
        exec(PRELUDE, self._names)  # noqa: S102 - our own code
        exec(code_of("rule", body), self._names)  # noqa: S102 - the same

    def __call__(self, code: str, inputs: Mapping[str, Value]) -> Any:
        called = code.partition("(")[0]
        self.calls.append((called, inputs))
        return eval(code, {**self._names, **inputs})  # noqa: S307 - our own code

    def _user(self) -> SimpleNamespace:
        user = SimpleNamespace()
        for type_ in self.project.types.values():
            domain = vars(user).setdefault(type_.domain, SimpleNamespace())
            records = [
                SimpleNamespace(uac_id=record.id, **record.values)
                for record in self.project.collected(f"{type_.domain}.{type_.collected_as}")
            ]
            single = records[0] if records else None
            setattr(domain, type_.collected_as, single if type_.cardinality == "one" else records)
        return user

    def narrow(self, *known: str, run: Callable[[str, Mapping[str, Value]], Value] | None = None) -> Narrowed | None:
        return narrow_failure(run or self, "[rule, user, now]", self.project, self.reading, known)

    def named(self) -> list[str]:
        narrowed = self.narrow()
        return [] if narrowed is None else list(narrowed.fields)


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(ALLERGY, MEDICATION, PASSPORT)
    return story


def medications(story: Story, *names: str) -> None:
    for name in names:
        story.tell("health.Medication", name=name)


def test_the_failing_record_is_named_with_its_field_and_the_others_still_have_their_alerts(story: Story) -> None:
    medications(story, "aspirin", "iron", "ibuprofen")
    assert Host(story.project, FOUR).narrow() == Narrowed(
        {"health.Medication:iron": "name"},
        [
            ["info", "", "4", ["health.Medication:aspirin"], None],
            ["info", "", "2", ["health.Medication:ibuprofen"], None],
        ],
        [],
    )


def test_a_constraint_that_fails_without_any_record_has_no_failing_record(story: Story) -> None:
    body = "return [info(str(1 // 0), m) for m in [1, *user.health.medications]]"
    medications(story, "iron")
    assert Host(story.project, body).narrow() is None
    assert Host(Story().project, body).narrow() is None


def test_no_record_is_named_if_more_fail_than_the_limit(story: Story) -> None:
    medications(story, *(f"a{n:03}" for n in range(MOST_RECORDS)))
    assert len(Host(story.project, FOUR).named()) == MOST_RECORDS
    medications(story, "iron")
    assert Host(story.project, FOUR).narrow() is None


def test_of_two_collections_that_tie_the_one_with_the_latest_statement_is_named(story: Story) -> None:
    story.tell("health.Allergy", substance="milk")
    medications(story, "iron")
    assert Host(story.project, PAIRS).named() == ["health.Medication:iron"]
    other = Story()
    other.types(ALLERGY, MEDICATION)
    medications(other, "iron")
    other.tell("health.Allergy", substance="milk")
    assert Host(other.project, PAIRS).named() == ["health.Allergy:milk"]


def test_the_collection_in_which_fewer_records_fail_is_named(story: Story) -> None:
    story.tell("health.Allergy", substance="milk")
    medications(story, "iron", "zinc")
    assert Host(story.project, PAIRS).named() == ["health.Allergy:milk"]


def test_records_of_two_collections_are_named_if_each_fails_by_itself(story: Story) -> None:
    story.tell("health.Allergy", substance="milk")
    medications(story, "iron")
    body = "names = [m.name for m in user.health.medications] + [a.substance for a in user.health.allergies]\nreturn [info(str(12 // (len(n) - 4)), subject=n) for n in names]"
    assert {*Host(story.project, body).named()} == {"health.Medication:iron", "health.Allergy:milk"}


def test_one_record_is_enough_if_several_fail_only_together(story: Story) -> None:
    medications(story, "a", "bb", "ccc")
    body = "names = [m.name for m in user.health.medications]\nreturn [info(str(1 // (len([n for n in names if n in ('a', 'bb')]) - 2)), subject='x')]"
    assert len(Host(story.project, body).named()) == 1


def test_the_only_record_of_a_type_can_fail_too(story: Story) -> None:
    story.tell("travel.Passport", number="1234", expires="2030-01-01")
    body = "return [info(str(1 // (user.travel.passport.expires.year - 2030)), subject='x')] if user.travel.passport else []"
    narrowed = Host(story.project, body).narrow()
    assert narrowed == Narrowed({"travel.Passport:1234": "expires"}, [], [])


def test_the_field_is_unknown_if_no_single_field_causes_the_failure(story: Story) -> None:
    story.tell("health.Medication", name="iron", until="2030-01-01")
    body = "return [info(str(1 // (len(m.name) - 4) + 1 // (m.until.year - 2030)), m) for m in user.health.medications]"
    assert Host(story.project, body).narrow() == Narrowed({"health.Medication:iron": ""}, [], [])


def test_the_field_of_a_record_that_failed_before_is_not_searched_again(story: Story) -> None:
    medications(story, "iron", "zinc", "aspirin")
    host = Host(story.project, FOUR)
    narrowed = host.narrow("health.Medication:iron")
    assert narrowed is not None
    assert narrowed.fields == {"health.Medication:iron": "", "health.Medication:zinc": "name"}
    assert [inputs["record__0"] for called, inputs in host.calls if called == "uac_blame"] == ["health.Medication:zinc"]


def test_a_record_that_failed_before_and_no_longer_does_is_not_named(story: Story) -> None:
    medications(story, "iron", "aspirin")
    narrowed = Host(story.project, FOUR).narrow("health.Medication:aspirin")
    assert narrowed is not None
    assert narrowed.fields == {"health.Medication:iron": "name"}


def test_a_search_that_takes_too_long_names_no_record_and_a_field_that_does_is_unknown(story: Story) -> None:
    medications(story, "iron")
    host = Host(story.project, FOUR)

    def slow(called: str) -> Callable[[str, Mapping[str, Value]], Value]:
        def run(code: str, inputs: Mapping[str, Value]) -> Any:
            if code.startswith(called):
                raise LimitError("time", "too slow")
            return host(code, inputs)

        return run

    assert host.narrow(run=slow("uac_search")) is None
    assert host.narrow(run=slow("uac_blame")) == Narrowed({"health.Medication:iron": ""}, [], [])


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "iron",
        [["health.Medication:iron"], None],
        [["health.Medication:gold"], ["", [], []]],
        [["fiction.Person:iron"], ["", [], []]],
        [[], ["", [], []]],
    ],
)
def test_an_answer_that_names_no_record_of_the_project_is_ignored(story: Story, answer: Value) -> None:
    medications(story, "iron")
    assert Host(story.project, FOUR).narrow(run=lambda _code, _inputs: answer) is None


def test_a_field_that_is_not_a_text_is_unknown(story: Story) -> None:
    medications(story, "iron")
    host = Host(story.project, FOUR)
    narrowed = host.narrow(run=lambda code, inputs: 7 if code.startswith("uac_blame") else host(code, inputs))
    assert narrowed == Narrowed({"health.Medication:iron": ""}, [], [])


def test_each_field_is_tried_with_a_harmless_value_of_its_type() -> None:
    story = Story()
    kinds: dict[str, Any] = {
        "name": "str",
        "known": "bool | None",
        "size": "Literal['small', 'big']",
        "count": "int",
        "ratio": "float",
        "done": "bool",
        "dose": "Decimal",
        "price": "Money",
        "day": "date",
        "moment": "datetime",
        "hour": "time",
        "length": "timedelta",
        "tags": "list[str]",
    }
    story.types(type_of("health.Medication", key=["name"], **kinds))
    values: dict[str, Any] = {
        "size": "big",
        "count": 0,
        "ratio": 0.5,
        "done": True,
        "dose": "2",
        "price": "3 EUR",
        "tags": ["x"],
    }
    times: dict[str, Any] = {
        "day": "2026-01-01",
        "moment": "2026-01-01T10:00:00+00:00",
        "hour": "10:00",
        "length": "PT2H",
    }
    story.tell("health.Medication", name="iron", **values, **times)
    host = Host(story.project, "return [info(str(1 // m.count), m) for m in user.health.medications]")
    narrowed = host.narrow()
    assert narrowed is not None
    assert narrowed.fields == {"health.Medication:iron": "count"}
    (tried,) = [inputs["fields__0"] for called, inputs in host.calls if called == "uac_blame"]
    assert tried == {
        "name": "thing",
        "known": None,
        "size": "small",
        "count": 1,
        "ratio": 1.0,
        "done": False,
        "dose": Decimal(1),
        "day": date(2000, 1, 1),
        "moment": datetime(2000, 1, 1, tzinfo=UTC),
        "hour": time(12),
        "length": timedelta(hours=1),
        "tags": [],
    }
