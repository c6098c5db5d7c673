"""The sentence that says why a constraint fired or did not: the same in the library, on the wire and for agents."""

import pytest

from support.constraints import ALLERGIES, ENDING, case, constraint, given, watched
from uac.constraints.reasons import alert_reason
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.sandbox import shared_sandbox
from uac.schema.patches import Define, Switch
from uac.schema.types import Field, Type


@pytest.fixture
def memory() -> Memory:
    return watched(ALLERGIES, ENDING)


def reasons(memory: Memory, name: str) -> tuple[str, ...]:
    return memory.why(name).reasons


def test_each_alert_has_a_sentence_with_its_records_and_their_values(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    memory.put("health.Medication", {"name": "zinc", "until": "2026-01-11"})
    assert reasons(memory, "ending") == tuple(alert_reason(memory.project(), alert) for alert in memory.alerts())
    assert [reason.partition(":")[2].partition(",")[0] for reason in reasons(memory, "ending")] == [
        "iron (name iron",
        "zinc (name zinc",
    ]


def test_a_constraint_without_records_says_which_are_missing(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "nuts"})
    assert reasons(memory, "ending") == ("ending did not fire: there are no records of health.medications.",)


def test_a_silent_constraint_names_its_last_test_and_the_values_that_it_saw(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-06-01"})
    (reason,) = reasons(memory, "ending")
    assert reason == (
        "ending did not fire: it looked at health.Medication:iron (name iron, until 2026-06-01); its last test,"
        " `due_within(m.until, now, 3)` in line 6, was false (m.until = 2026-06-01, now = 2026-01-10 09:00:00+00:00)."
    )


def test_many_records_are_counted_and_not_listed(memory: Memory) -> None:
    for number in range(5):
        memory.put("health.Medication", {"name": f"m{number}"})
    (reason,) = reasons(memory, "ending")
    assert reason.startswith("ending did not fire: it looked at 5 records of health.medications; its last test, ")


def test_a_constraint_that_is_off_says_so(memory: Memory) -> None:
    memory.checkpoint([Switch(constraint="ending", on=False)], reviewed=True)
    assert reasons(memory, "ending") == ("ending did not fire: it is turned off.",)


def test_a_constraint_that_fails_says_why() -> None:
    body = "return [info(str(1 // len(a.substance.replace('x', ''))), a) for a in user.health.allergies]"
    memory = watched(
        constraint(
            "broken",
            body,
            case("one", given("health.Allergy", substance="nuts"), fires=True),
            case("none", fires=False),
        )
    )
    memory.put("health.Allergy", {"substance": "x"})
    (reason,) = reasons(memory, "broken")
    assert reason.startswith("broken could not run: ")
    assert "division" in reason


def test_a_record_without_a_key_is_named_by_its_type_and_values() -> None:
    memory = Memory(MemoryStore().log("ana"), sandbox=shared_sandbox(), packs=())
    visit = Type(domain="life", name="Visit", cardinality="event", fields=(Field(name="place", type="str"),))
    memory.checkpoint([Define(type=visit)])
    body = "return [info('Seen', v) for v in user.life.visits]"
    memory.adopt(
        constraint("seen", body, case("one", given("life.Visit", place="Rome"), fires=True), case("none", fires=False))
    )
    memory.put("life.Visit", {"place": "Rome"})
    assert reasons(memory, "seen") == ("seen fired because of life.Visit (place Rome): Seen",)
