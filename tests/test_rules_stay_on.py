"""No record and no other rule switches a rule off, or hides what it could not check."""

from contextlib import suppress

import pytest

from story import type_of
from uac.constraints import Knowledge
from uac.errors import Refused
from uac.memory import Memory
from uac.patches import Define, Learn
from uac.prove import run_cases
from uac.sandbox import Sandbox
from uac.sandboxes import available, shared_sandbox
from watching import ALLERGIES, NUTS, case, computing, constraint, given, standing, watched

ONE = (case("one", given("health.Medication", name="x"), fires=True), case("nothing", fires=False))
NUT = (case("one", NUTS, fires=True), case("nothing", fires=False))


@pytest.fixture(params=available())
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return shared_sandbox(request.param)


def failed(memory: Memory) -> set[tuple[str, str]]:
    return {(alert.constraint, alert.subject) for alert in memory.alerts() if alert.is_failure}


def test_an_unreviewed_rule_cannot_reach_the_objects_of_queries(sandbox: Sandbox) -> None:
    body = (
        "found = [info(a.substance, a) for a in user.health.allergies]\n"
        "_ = [health for health in [1]]\n"
        "if Money(json.loads('null'), 'EUR').amount is None:\n"
        "    x = sum(*json.loads('[[]]') + [health.allergies])\n"
        "    x.clear()\n"
        "return found"
    )
    memory = watched(ALLERGIES, sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    with suppress(Refused):  # refusing it is right too
        memory.adopt(constraint("evil", body, *NUT, origin="model"))
    assert computing(memory, "len(health.allergies)") == 1


def test_a_rule_cannot_print_the_name_of_another(sandbox: Sandbox) -> None:
    body = (
        "_ = [print for print in [1]] + [SystemExit for SystemExit in [1]]\n"
        "if len(user.health.allergies) > 1:\n"
        "    print('victim')\n"
        "    raise SystemExit\n"
        "return [info(a.substance, a) for a in user.health.allergies]"
    )
    memory = watched(ALLERGIES, sandbox=sandbox)
    memory.adopt(constraint("victim", "return [warning('x', a) for a in user.health.allergies]", *NUT, origin="model"))
    with suppress(Refused):  # refusing it is right too
        memory.adopt(constraint("evil", body, *NUT, origin="model"))
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Allergy", {"substance": "milk"})
    assert ("victim", "milk") in standing(memory)


def test_the_cases_of_one_rule_do_not_change_the_table_of_another(sandbox: Sandbox) -> None:
    table = Knowledge.of({"FR": ["a"]}, name="travel.visas", version="1", date="2026-01-01", source="-", note="-")
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Learn(knowledge=table)], reviewed=True)
    body = "x = sum(*json.loads('[[]]') + [knowledge('travel.visas')])\nx.clear()\n"
    evil = constraint("evil", f"{body}return [info('x') for a in user.health.allergies]", *NUT, origin="model")
    good = constraint(
        "good", "return [info(v) for v in knowledge('travel.visas')['FR'] if user.health.allergies]", *NUT
    )
    assert {
        proof.why for proof in run_cases(memory.project(), [evil, good], sandbox) if proof.constraint == "good"
    } == {""}


def test_a_flood_of_one_rule_is_not_put_down_to_another(sandbox: Sandbox) -> None:
    flood = constraint("flood", "return [info(m.name * 2000, m) for m in user.health.medications]", *ONE)
    other = constraint("other", "return [critical(m.name[:9], m) for m in user.health.medications]", *ONE)
    memory = watched(flood, other, sandbox=sandbox)
    for number in range(9):
        memory.put("health.Medication", {"name": str(number) * 1000})
    memory.put("health.Medication", {"name": "poison"})
    assert ("other", "poison") in standing(memory)


def test_one_bad_record_does_not_take_the_good_ones_with_it(sandbox: Sandbox) -> None:
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Define(type=type_of("plan.Stay", key=["name"], name="str", guests="int"))])
    two = [given("plan.Stay", name=name, guests=1) for name in ("a", "b")]
    body = "return [critical('both', a, b) for a, b in pairs(user.plan.stays) if 10 // (a.guests * b.guests)]"
    memory.adopt(constraint("clash", body, case("two", *two, fires=True), case("nothing", fires=False)))
    for name in ("good 1", "good 2", "good 3"):
        memory.put("plan.Stay", {"name": name, "guests": 2})
    memory.put("plan.Stay", {"name": "bad", "guests": 0})
    assert failed(memory) == {("clash", "not checked: plan.Stay:bad")}


def test_an_alert_that_rests_on_a_record_which_is_not_checked_stays(sandbox: Sandbox) -> None:
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Define(type=type_of("finance.Loan", key=["name"], name="str", amount="int", years="int"))])
    body = (
        "yearly = sum([loan.amount // loan.years for loan in user.finance.loans])\n"
        "return [critical(f'{yearly} a year')] if yearly > 100 else []"
    )
    much = given("finance.Loan", name="a", amount=1000, years=1)
    memory.adopt(constraint("debt", body, case("much", much, fires=True), case("nothing", fires=False)))
    memory.put("finance.Loan", {"name": "house", "amount": 900, "years": 9})
    memory.put("finance.Loan", {"name": "car", "amount": 90, "years": 1})
    assert ("debt", "debt") in standing(memory)
    memory.correct("finance.Loan:house", "years", 0)
    assert ("debt", "debt") in standing(memory)


def test_no_subject_hides_that_a_record_was_not_checked(sandbox: Sandbox) -> None:
    body = "return [critical(f'{4 // (len(a.substance) - 4)}', a, subject=a.substance) for a in user.health.allergies]"
    memory = watched(
        constraint("strength", body, *(case("one", given("health.Allergy", substance="n"), fires=True), NUT[1])),
        sandbox=sandbox,
    )
    memory.put("health.Allergy", {"substance": "milk"})
    memory.put("health.Allergy", {"substance": "not checked: health.Allergy:milk"})
    assert ("strength", "not checked: health.Allergy:milk") in failed(memory)


def test_two_records_whose_ids_begin_alike_are_both_said_to_be_unchecked(sandbox: Sandbox) -> None:
    body = "return [critical(f'{1 // (len(a.substance) - 600)}', a) for a in user.health.allergies]"
    memory = watched(constraint("strength", body, *NUT), sandbox=sandbox)
    for end in "ab":
        memory.put("health.Allergy", {"substance": "x" * 599 + end})
    assert len({record for alert in memory.alerts() if alert.is_failure for record in alert.records}) == 2


def test_a_record_without_a_message_does_not_switch_the_rule_off_for_others(sandbox: Sandbox) -> None:
    body = "return [critical(a.substance.replace('-', ' '), a) for a in user.health.allergies]"
    memory = watched(constraint("notes", body, *NUT), sandbox=sandbox)
    for substance in ("nuts", "-", "milk"):
        memory.put("health.Allergy", {"substance": substance})
    assert ("notes", "milk") in standing(memory)
