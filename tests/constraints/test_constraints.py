"""Constraints in a memory: proofs, refusals with their reasons, and who may change what."""

import pytest

from support.constraints import ALLERGIES, CASES, ENDING, case, constraint, given, standing, told, watched
from support.short_logs import type_of
from uac.constraints.proof import Proof, prove_constraints, run_cases
from uac.errors import Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.project.fold import fold_entries
from uac.sandbox import available, shared_sandbox
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Case, Constraint, Given, Knowledge
from uac.schema.patches import (
    AddField,
    Adopt,
    Approve,
    Define,
    Learn,
    Patch,
    RenameField,
    RenameType,
    Retire,
    RetireField,
    RetypeField,
    Switch,
)
from uac.schema.types import Field, Type

TABLE = Knowledge.of(
    {"nuts": ["walnut", "almond"]},
    name="health.drugs",
    version="3",
    date="2026-01-01",
    source="a book",
    note="not complete",
)
LOOKS_UP = """\
found = []
for m in user.health.medications:
    for a in user.health.allergies:
        if m.name in knowledge("health.drugs").get(a.substance, []):
            found.append(critical(f"{m.name} has {a.substance}.", m, a))
return found"""
WALNUT = case(
    "walnut",
    given("health.Allergy", substance="nuts"),
    given("health.Medication", name="walnut"),
    fires=True,
    says=("WALNUT", "nuts"),
)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return shared_sandbox()


@pytest.fixture
def memory(sandbox: Sandbox) -> Memory:
    return watched(ALLERGIES, sandbox=sandbox)


# --- proof ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return [info(a.name, a) for a in user.health.allergies]", "rule: line 3: Object of type health.Allergy has no attribute name"),
        ("return [info(a.severity.lower(), a) for a in user.health.allergies]", "rule: line 3: "),
        ("x = 1\nreturn [info(a.substance + x, a) for a in user.health.allergies]", "rule: line 4: "),
        ("return [info(m.until + 1, m) for m in user.health.medications]", "rule: line 3: "),
        ("return [info(5)]", "rule: line 3: "),
        ("return [info('x', look_again='soon')]", "rule: line 3: "),
    ],
)  # fmt: skip
def test_types_are_checked_against_the_users_own_and_the_line_is_named(memory: Memory, body: str, why: str) -> None:
    head = memory.log.head()
    with pytest.raises(Rejected) as rejected:
        memory.adopt(constraint("rule", body))
    assert any(reason.startswith(why) for reason in rejected.value.reasons), rejected.value.reasons
    assert "__" not in str(rejected.value)
    assert memory.log.head() == head


def test_type_errors_of_several_constraints_keep_their_names_and_lines(memory: Memory) -> None:
    first = constraint("one", "return [info(a.nope, a) for a in user.health.allergies]")
    second = constraint("two", "x = 1\n\nreturn [info(m.nope, m) for m in user.health.medications]")
    failed = prove_constraints(memory.project(), [first, ALLERGIES, second], memory.sandbox)
    assert [str(proof).partition(": O")[0] for proof in failed] == ["one: line 3", "two: line 5"]


@pytest.mark.parametrize(
    ("body", "cases", "why"),
    [
        ("return []", CASES, "rule: case 'both': should fire, but stays silent"),
        ("return [info('Hello')]", CASES, "rule: case 'nothing': should stay silent, but says: Hello"),
        (
            "return [info(f'No {a.substance}', a) for a in user.health.allergies]",
            (case("word", given("health.Allergy", substance="nuts"), fires=True, says=("no", "milk")), CASES[1]),
            "rule: case 'word': should say 'milk', but says: No nuts",
        ),
        (
            "return [info('x', a) for a in user.health.allergies if user.health.medications[0]]",
            (*CASES, case("bare", given("health.Allergy", substance="nuts"), fires=True)),
            "rule: case 'bare': IndexError: list index out of range",
        ),
        (
            "return [info('x', a) for a in user.health.allergies]",
            (CASES[0], case("over", Given(type="health.Allergy", fields={"substance": "x"}, ended="soon"), fires=False)),
            "rule: case 'over': health.Allergy: ",
        ),
    ],
)  # fmt: skip
def test_a_case_that_does_not_come_out_is_named_with_what_happened(
    memory: Memory, body: str, cases: tuple[Case, ...], why: str
) -> None:
    head = memory.log.head()
    with pytest.raises(Rejected) as rejected:
        memory.adopt(constraint("rule", body, *cases))
    assert [reason for reason in rejected.value.reasons if reason.startswith(why)], rejected.value.reasons
    assert memory.log.head() == head


def test_every_case_gives_a_proof_and_has_a_state_of_its_own(memory: Memory) -> None:
    assert run_cases(memory.project(), [ENDING, ALLERGIES], memory.sandbox) == [
        Proof("ending", "two days"),
        Proof("ending", "four days"),
        Proof("allergies", "both"),
        Proof("allergies", "nothing"),
    ]


def test_a_constraint_that_fails_on_the_present_state_is_refused(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "milk"})
    head = memory.log.head()
    picky = "return [info(str({'nuts': 1}[a.substance]), a) for a in user.health.allergies]"
    with pytest.raises(Rejected) as rejected:
        memory.adopt(constraint("picky", picky))
    assert rejected.value.reasons == ("picky: on the present state: KeyError: 'milk'",)
    assert memory.log.head() == head


def test_an_adopted_constraint_runs_on_the_present_state_at_once(memory: Memory) -> None:
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    memory.adopt(ENDING)
    assert standing(memory) == [("ending", "iron")]


# --- what the door says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (
            Adopt(constraint=constraint("rule", "return [info('x') for x in user.health.pills]")),
            "patch 1 (adopt rule): ",
        ),
        (
            Adopt(constraint=constraint("rule", LOOKS_UP)),
            "patch 1 (adopt rule): looks up knowledge('health.drugs'), which does not exist. Use one of: none yet.",
        ),
        (
            Adopt(constraint=constraint("rule", "return []", CASES[0])),
            "patch 1 (adopt rule): has no case that stays silent. Give at least one of each.",
        ),
        (
            Adopt(constraint=constraint("rule", "return []", CASES[1])),
            "patch 1 (adopt rule): has no case that fires. Give at least one of each.",
        ),
        (
            Adopt(constraint=constraint("rule", "return []", CASES[0], case("s", given("a.B"), fires=False))),
            "patch 1 (adopt rule): case 's': a.B: There is no type a.B.",
        ),
        (
            Adopt(
                constraint=constraint(
                    "rule", "return []", CASES[0], case("s", given("health.Allergy", substance=1), fires=False)
                )
            ),
            "patch 1 (adopt rule): case 's': health.Allergy: substance is 1. Use a value of type str.",
        ),
        (Retire(constraint="none", why="x"), "patch 1 (retire none): There is no constraint none."),
        (Retire(constraint="allergies", why=" "), "patch 1 (retire allergies): why is empty. Give a reason."),
        (Switch(constraint="none", on=False), "patch 1 (switch none): There is no constraint none."),
        (Approve(constraint="none"), "patch 1 (approve none): There is no constraint none."),
        (Approve(constraint="allergies"), "patch 1 (approve allergies): allergies was approved before"),
        (
            Learn(knowledge=Knowledge.of({}, name="drugs", version="1", date="x", source="x", note="x")),
            "patch 1 (learn drugs): 'drugs' is not the name of a table. Use domain.name, such as health.drugs.",
        ),
        (
            Learn(knowledge=Knowledge.of({}, name="health.a b", version="1", date="x", source="x", note="x")),
            "patch 1 (learn health.a b): knowledge 'a b' is not a valid name.",
        ),
    ],
)
def test_a_patch_of_constraints_that_does_not_fit_is_refused_and_says_what_was_needed(
    memory: Memory, patch: Patch, why: str
) -> None:
    head, before = memory.log.head(), memory.project()
    with pytest.raises(Rejected) as rejected:
        memory.checkpoint([patch], reviewed=True)
    assert rejected.value.reasons[0].startswith(why), rejected.value.reasons
    assert (memory.log.head(), memory.project()) == (head, before)


def test_a_constraint_can_be_switched_off_and_on_retired_and_adopted_again(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "nuts"})
    seen = []
    for patch in (
        Switch(constraint="allergies", on=False),
        Switch(constraint="allergies", on=True),
        Retire(constraint="allergies", why="enough"),
        Adopt(constraint=ALLERGIES),
    ):
        memory.checkpoint([patch], reviewed=True)
        project = memory.project()
        seen.append((standing(memory), "allergies" in project.constraints, "allergies" in project.retired))
        assert fold_entries(memory.log.read()) == project
    nuts = [("allergies", "nuts")]
    assert seen == [([], True, False), (nuts, True, False), ([], False, True), (nuts, True, False)]


def test_a_new_version_takes_the_place_of_the_old_one_and_its_alerts_are_updated(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "nuts"})
    head = memory.log.head().position
    memory.adopt(constraint("allergies", "return [warning(f'{a.substance}?', a) for a in user.health.allergies]"))
    assert told(memory, head) == [("updated", "allergies", "nuts")]
    assert [(alert.severity, alert.message) for alert in memory.alerts()] == [("warning", "nuts?")]


# --- knowledge --------------------------------------------------------------------------------------------------------


def test_an_alert_that_rests_on_a_table_says_so_with_its_version(memory: Memory) -> None:
    memory.checkpoint(
        [Learn(knowledge=TABLE), Adopt(constraint=constraint("rule", LOOKS_UP, WALNUT, CASES[1]))], reviewed=True
    )
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Medication", {"name": "walnut"})
    assert [alert.text for alert in memory.alerts() if alert.constraint == "rule"] == [
        "walnut has nuts. [by health.drugs 3]"
    ]


def test_a_newer_table_runs_those_that_look_things_up_in_it(memory: Memory) -> None:
    memory.checkpoint(
        [Learn(knowledge=TABLE), Adopt(constraint=constraint("rule", LOOKS_UP, WALNUT, CASES[1]))], reviewed=True
    )
    memory.put("health.Allergy", {"substance": "nuts"})
    memory.put("health.Medication", {"name": "pecan"})
    assert [alert.constraint for alert in memory.alerts()] == ["allergies"]
    newer = Knowledge.of(
        {"nuts": ["pecan", "walnut"]}, name="health.drugs", version="4", date="2027", source="a book", note="better"
    )
    memory.checkpoint([Learn(knowledge=newer)], reviewed=True)
    assert [alert.text for alert in memory.alerts() if alert.constraint == "rule"] == [
        "pecan has nuts. [by health.drugs 4]"
    ]
    assert fold_entries(memory.log.read()) == memory.project()


# --- changes of types -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patch", "broken"),
    [
        (RenameField(type="health.Medication", field="until", to="ends"), ["ending"]),
        (RetireField(type="health.Medication", field="until"), ["ending"]),
        (RetypeField(type="health.Medication", field="until", to="str | None", convert="text"), ["ending"]),
        (RenameType(type="health.Medication", to="health.Drug"), ["ending"]),
        (RenameType(type="health.Allergy", to="body.Allergy"), ["allergies"]),
        (RenameField(type="health.Allergy", field="substance", to="what"), ["allergies"]),
    ],
)
def test_a_change_of_types_that_would_break_constraints_is_refused_and_lists_them(
    sandbox: Sandbox, patch: Patch, broken: list[str]
) -> None:
    memory = watched(ALLERGIES, ENDING, sandbox=sandbox)
    head, before = memory.log.head(), memory.project()
    with pytest.raises(Rejected) as rejected:
        memory.checkpoint([patch])
    assert sorted({reason.partition(":")[0] for reason in rejected.value.reasons}) == [
        f"would break {name}" for name in broken
    ]
    assert all("line " in reason for reason in rejected.value.reasons)
    assert (memory.log.head(), memory.project()) == (head, before)


def test_a_change_of_types_may_come_with_the_constraint_that_fits_it(sandbox: Sandbox) -> None:
    memory = watched(ALLERGIES, sandbox=sandbox)
    memory.put("health.Allergy", {"substance": "nuts"})
    changed = constraint(
        "allergies",
        "return [critical(f'No {a.what}.', a) for a in user.health.allergies]",
        case("one", given("health.Allergy", what="nuts"), fires=True),
        CASES[1],
    )
    memory.checkpoint(
        [RenameField(type="health.Allergy", field="substance", to="what"), Adopt(constraint=changed)], reviewed=True
    )
    assert standing(memory) == [("allergies", "nuts")]


def test_changes_of_types_that_break_nothing_pass(sandbox: Sandbox) -> None:
    memory = watched(ALLERGIES, ENDING, sandbox=sandbox)
    memory.checkpoint(
        [
            AddField(type="health.Medication", field=Field(name="dose", type="str | None")),
            RenameField(type="travel.Trip", field="city", to="town"),
            Define(type=type_of("home.Plant", key=["name"], name="str")),
        ]
    )
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-11", "dose": "1"})
    assert standing(memory) == [("ending", "iron")]


# --- what a model may do ----------------------------------------------------------------------------------------------


def test_a_model_may_propose_switch_and_retire_its_own_and_nothing_else(memory: Memory) -> None:
    own = constraint("own", "return [info(a.substance, a) for a in user.health.allergies]", origin="model")
    memory.checkpoint([Adopt(constraint=own)])
    assert memory.project().constraints["own"].is_reviewed is False
    memory.checkpoint([Switch(constraint="own", on=False)])
    memory.checkpoint([Switch(constraint="own", on=True)])
    for patch, why in (
        (Approve(constraint="own"), "patch 1: Only a person can do this. Ask one to use 'uac constraints'."),
        (Learn(knowledge=TABLE), "patch 1: Only a person can do this. Ask one to use 'uac constraints'."),
        (Adopt(constraint=ALLERGIES), "patch 1: origin is person. Use model, and no pack."),
        (Retire(constraint="allergies", why="x"), "patch 1: allergies was written by a person. Only a person can change it (uac constraints)."),
        (Switch(constraint="allergies", on=False), "patch 1: allergies was written by a person. Only a person can change it (uac constraints)."),
    ):  # fmt: skip
        with pytest.raises(Rejected) as rejected:
            memory.checkpoint([patch])
        assert rejected.value.reasons == (why,)
    memory.checkpoint([Retire(constraint="own", why="done")])
    assert set(memory.project().constraints) == {"allergies"}


def test_what_a_person_approved_stays_approved_in_every_fold(memory: Memory) -> None:
    own = constraint("own", "return [info(a.substance, a) for a in user.health.allergies]", origin="model")
    memory.checkpoint([Adopt(constraint=own)])
    memory.checkpoint([Approve(constraint="own", who="Ana")], reviewed=True)
    assert fold_entries(memory.log.read()).constraints["own"].is_reviewed is True


SPENT = """\
found = []
limit = Money(Decimal(100), "EUR")
costs = [trip.cost for trip in user.travel.trips if trip.cost is not None]
spent = sum(costs)
if costs and spent > limit and max(costs) < spent * 0.9:
    found.append(warning(f"{money(spent - limit)} too much.", *user.travel.trips))
return found"""
TRIPS = [
    given("travel.Trip", city=city, start="2026-05-01", cost=cost) for city, cost in (("A", "60 EUR"), ("B", "50 EUR"))
]


@pytest.mark.parametrize("name", available())
def test_a_constraint_adds_and_compares_money_in_every_engine_and_only_with_money(name: str) -> None:
    cases = (case("much", *TRIPS, fires=True, says=("10.00 EUR",)), case("little", TRIPS[0], fires=False))
    project = watched().project()
    good, bad = (
        constraint("spent", SPENT, *cases),
        constraint("spent", SPENT.replace("spent > limit", "spent > 100"), *cases),
    )
    assert prove_constraints(project, [good], shared_sandbox(name)) == []
    failed = prove_constraints(project, [bad], shared_sandbox(name))
    assert [proof.case for proof in failed] == ["much", "little"]
    untyped = constraint("spent", SPENT.replace("spent * 0.9", "0"), *cases)
    (refused,) = prove_constraints(project, [untyped], shared_sandbox(name))
    assert (refused.case, "Operator < is not supported between objects of type Money" in refused.why) == ("", True)


DOGS = Type(
    domain="dogs", name="Dog", fields=(Field(name="name", type="str"), Field(name="ill", type="bool")), key=("name",)
)
WALKS = Type(
    domain="dogs",
    name="Walk",
    fields=(Field(name="dog", type="dogs.Dog"), Field(name="on", type="date")),
    key=("dog", "on"),
)
NO_WALK = """\
def no_walk(user, now):
    "An ill dog is walked."
    ill = [dog.name for dog in user.dogs.dogs if dog.ill]
    return [warning(f"{walk.dog} is ill.", walk) for walk in user.dogs.walks if any(same(walk.dog, name) for name in ill)]
"""


def walk_case(*, fires: bool, dog: str) -> Case:
    rex = Given(type="dogs.Dog", fields={"name": "Rex", "ill": fires})
    walk = Given(type="dogs.Walk", fields={"dog": dog, "on": "2026-01-02"})
    return Case(name=f"fires {fires}", now="2026-01-01", fires=fires, given=(rex, walk))


def test_records_of_a_case_refer_to_each_other_and_never_to_the_users_own(sandbox: Sandbox) -> None:
    memory = Memory(MemoryStore().log("ana"), sandbox=sandbox, packs=())
    memory.checkpoint([Define(type=DOGS), Define(type=WALKS)])
    memory.put("dogs.Dog", {"name": "Bello", "ill": True})
    cases = (walk_case(fires=True, dog="Rex"), walk_case(fires=False, dog="dogs.Dog:rex"))
    memory.adopt(Constraint(name="no_walk", code=NO_WALK, cases=cases, origin="person"))
    memory.put("dogs.Walk", {"dog": "Bello", "on": "2026-01-03"})
    assert [alert.text for alert in memory.alerts()] == ["bello is ill."]
    to_the_users = (walk_case(fires=True, dog="Bello"), walk_case(fires=False, dog="Bello"))
    with pytest.raises(Rejected, match=r"dog is 'Bello'\. Use the key of an existing dogs\.Dog"):
        memory.adopt(Constraint(name="no_walk", code=NO_WALK, cases=to_the_users, origin="person"))
