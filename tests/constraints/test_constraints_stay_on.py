"""No record and no other rule switches a rule off, or hides what it could not check."""

from contextlib import suppress

import pytest

from support.constraints import ALLERGIES, NUTS, Clock, case, computing, constraint, given, standing, watched
from support.short_logs import type_of
from uac.constraints.proof import run_cases
from uac.errors import Refused
from uac.memory.memory import Memory
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Knowledge
from uac.schema.patches import Adopt, Define, Drop, Learn

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


def test_a_rule_that_asks_for_many_times_is_run_at_the_first_of_them(sandbox: Sandbox) -> None:
    # As pairs() of 150 records does.
    body = (
        "past = [m for m in user.health.medications for _ in range(10_000) if is_past(m.until, now)]\n"
        "return [critical(m.name, m) for m in past[:1]]"
    )
    ended = case("ended", given("health.Medication", name="x", until="2026-01-01"), fires=True)
    clock = Clock()
    memory = watched(constraint("ended", body, ended, ONE[1]), sandbox=sandbox, clock=clock)
    memory.put("health.Medication", {"name": "late", "until": "2030-01-01"})
    memory.put("health.Medication", {"name": "soon", "until": "2026-02-01"})
    clock.pass_days(40)
    memory.tick()
    assert ("ended", "soon") in standing(memory)


def guests(sandbox: Sandbox, **stays: int) -> Memory:
    """Stays, of which a rule can check none that is without guests."""
    memory = watched(sandbox=sandbox)
    memory.checkpoint([Define(type=type_of("plan.Stay", key=["name"], name="str", guests="int"))])
    body = "return [critical(f'{4 // s.guests} each', s) for s in user.plan.stays]"
    one = case("one", given("plan.Stay", name="a", guests=1), fires=True)
    memory.adopt(constraint("stay", body, one, case("nothing", fires=False)))
    for name, count in stays.items():
        memory.put("plan.Stay", {"name": name, "guests": count})
    return memory


def test_a_record_that_was_corrected_is_checked_though_another_still_fails(sandbox: Sandbox) -> None:
    memory = guests(sandbox, a=0, b=0)
    memory.correct("plan.Stay:a", "guests", 2)
    assert standing(memory) == [("stay", "not checked: plan.Stay:b"), ("stay", "a")]


def test_a_rule_that_failed_for_too_many_records_is_run_again_when_few_are_left(sandbox: Sandbox) -> None:
    names = [f"bad_{number}" for number in range(23)]
    memory = guests(sandbox, good=1, **dict.fromkeys(names, 0))
    for name in names[1:]:
        memory.correct(f"plan.Stay:{name}", "guests", 1)
    assert failed(memory) == {("stay", "not checked: plan.Stay:bad_0")}


def test_an_alert_about_a_record_that_is_gone_does_not_stay_because_another_fails(sandbox: Sandbox) -> None:
    memory = guests(sandbox, good=1, bad=0)
    cites = tuple(sorted(memory.project().record("plan.Stay:good").cites))
    memory.checkpoint([Drop(record="plan.Stay:good", why="it was none", cites=cites)])
    assert standing(memory) == [("stay", "not checked: plan.Stay:bad")]


def test_what_a_rule_leaves_in_memory_does_not_make_it_fail_later(sandbox: Sandbox) -> None:
    body = (
        "large = [0] * 5_000_000\n"
        "def walk(steps):\n"
        "    return steps if not steps or not large else walk(steps - 1)\n"
        "return [critical(a.substance, a) for a in user.health.allergies if walk(2) == 0]"
    )
    memory = watched(constraint("walking", body, *NUT), sandbox=sandbox)
    for number in range(18):
        memory.put("health.Allergy", {"substance": f"substance {number}"})
    assert len(standing(memory)) == 18
    assert not failed(memory)


def test_what_a_query_leaves_in_memory_does_not_make_an_unreviewed_rule_fail(sandbox: Sandbox) -> None:
    body = "large = 'x' * 300_000_000\nreturn [warning(a.substance, a) for a in user.health.allergies if large]"
    memory = watched(constraint("large", body, *NUT, origin="model"), sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "milk"})
    for _ in range(2):  # a function that names itself is garbage only a collector finds
        memory.compute("def f(large='x' * 350_000_000):\n    return f\n1")
    memory.put("health.Allergy", {"substance": "nuts"})
    assert not failed(memory)


def test_an_unreviewed_rule_gives_no_name_another_meaning_for_others(sandbox: Sandbox) -> None:
    body = "_ = (lambda value=(max := min): value)()\nreturn [info(a.substance, a) for a in user.health.allergies]"
    memory = watched(sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    with suppress(Refused):  # refusing it is right too
        memory.checkpoint([Adopt(constraint=constraint("evil", body, *NUT, origin="model"))])
    assert computing(memory, "max([1, 2])") == 2
