"""Whose word stands: no weaker source replaces a stronger one, and no value is worth more than the facts that say it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.hostile_conversation import ALLERGY, SEVERE, allergic, obey, order, records_of, told
from support.scripted_model import fact, facts, kept, new_memory, teach
from support.short_logs import START, Story, type_of
from uac.project.claims import AUTHORITIES, Claim, claim_trust, contending_claims, decide_value
from uac.project.fold import fold_entries
from uac.schema.entries import Authority, Checkpoint
from uac.schema.patches import Amend, Put
from uac.schema.periods import Period
from uac.schema.types import Policy

LEASE = type_of("home.Lease", key=["flat"], flat="str", rent="int | None", landlord="str | None", ends="date | None")
USERS: tuple[Authority, ...] = ("user", "correction")
WEAKER = tuple(authority for authority in AUTHORITIES if authority not in USERS)


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(LEASE)
    return story


def claim(value: str, authority: Authority, position: int, *, said: int, held: int | None) -> Claim:
    day = START + timedelta(days=said)
    period = Period() if held is None else Period((date(2026, 1, 1) + timedelta(days=held)).isoformat())
    return Claim(value, authority, day, day, period, position, (position,))


@st.composite
def claims(draw: st.DrawFn, authorities: Sequence[Authority] = AUTHORITIES) -> list[Claim]:
    """Claims of one field in the order in which they were learned, whenever they were said and hold."""
    made = st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(authorities),
        st.integers(0, 5),
        st.none() | st.integers(-5, 9),
    )
    drawn = draw(st.lists(made, min_size=1, max_size=6))
    return [claim(value, whose, n, said=said, held=held) for n, (value, whose, said, held) in enumerate(drawn, 1)]


# --- which claim stands -----------------------------------------------------------------------------------------------

DECIDING: tuple[Policy, ...] = ("latest", "authority", "ask")


@given(claims(), st.sampled_from(DECIDING), st.booleans())
def test_no_claims_of_weaker_sources_change_the_value_that_the_user_stated(
    made: list[Claim], policy: Policy, is_event: bool
) -> None:
    users = [one for one in made if one.authority in USERS]
    if users:
        value, _open = decide_value(made, policy, is_event=is_event)
        assert value == decide_value(users, policy, is_event=is_event)[0]


@given(claims(), st.booleans())
def test_what_stands_is_never_weaker_than_another_claim_since_the_last_correction(
    made: list[Claim], is_event: bool
) -> None:
    standing, *against = contending_claims(made, "latest", is_event=is_event)
    assert claim_trust(standing.authority) == max(claim_trust(one.authority) for one in made)
    assert all(claim_trust(one.authority) < claim_trust(standing.authority) for one in against)
    assert all(one.value != standing.value and one.authority in ("document", "tool") for one in against)


@given(claims(("user", "document", "tool")))
def test_a_later_word_of_a_document_or_a_tool_is_never_lost_in_silence(made: list[Claim]) -> None:
    last = made[-1]
    if all(one.said < last.said for one in made[:-1]) and last.held.first is None:
        value, is_open = decide_value(made, "latest")
        assert value == last.value or is_open


@pytest.mark.parametrize("authority", ["document", "tool"])
def test_a_later_word_of_a_stranger_is_an_open_conflict_with_an_alert_until_the_user_says_more(
    story: Story, authority: Authority
) -> None:
    lease = story.tell("home.Lease", flat="A", rent=900)
    story.tell("home.Lease", authority=authority, flat="A", rent=950)
    assert story.values(lease)["rent"] == 900
    (conflict,) = story.project.conflicts
    assert [(one.value, one.authority) for one in conflict.claims] == [(900, "user"), (950, authority)]
    (alert,) = story.memory.alerts()
    assert (alert.constraint, alert.subject) == ("open_conflict", f"{lease}.rent")
    assert "900 (user, 2026-01-01); 950" in alert.message
    story.tell("home.Lease", flat="A", rent=950)
    assert story.values(lease)["rent"] == 950
    assert (story.project.conflicts, story.memory.alerts()) == ([], [])
    assert story.refolded() == story.project


def test_a_correction_closes_the_conflict_with_the_value_of_either_side(story: Story) -> None:
    lease = story.tell("home.Lease", flat="A", rent=900)
    story.tell("home.Lease", authority="document", flat="A", rent=950)
    story.memory.correct(lease, "rent", 900)
    assert (story.values(lease)["rent"], story.project.conflicts, story.memory.alerts()) == (900, [], [])
    story.said("An hour passes.")
    story.tell("home.Lease", authority="document", flat="A", rent=975)
    assert (story.values(lease)["rent"], len(story.project.conflicts)) == (900, 1)


def test_a_conflict_names_only_the_claims_that_are_open(story: Story) -> None:
    story.tell("home.Lease", flat="A", rent=800)
    story.tell("home.Lease", authority="document", flat="A", rent=850)
    story.tell("home.Lease", flat="A", rent=900)
    story.tell("home.Lease", authority="document", flat="A", rent=950)
    (conflict,) = story.project.conflicts
    assert [one.value for one in conflict.claims] == [900, 950]
    assert "rent: open conflict: 900 (word of: user" in story.memory.context("lease flat A rent").text
    assert "800" not in next(
        line for line in story.memory.context("lease flat A rent").text.splitlines() if "open conflict" in line
    )


def test_what_a_document_said_before_the_user_is_no_conflict(story: Story) -> None:
    story.tell("home.Lease", authority="document", flat="A", rent=950)
    lease = story.tell("home.Lease", flat="A", rent=900)
    assert (story.values(lease)["rent"], story.project.conflicts) == (900, [])


def test_a_later_document_replaces_an_earlier_one(story: Story) -> None:
    lease = story.tell("home.Lease", authority="document", flat="A", rent=900)
    story.tell("home.Lease", authority="document", flat="A", rent=950)
    assert (story.values(lease)["rent"], story.project.conflicts) == (950, [])


# --- what a value is worth --------------------------------------------------------------------------------------------

WORDS = ("anna", "bruno", "cesar")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_claim_is_never_worth_more_than_the_weakest_fact_that_it_needs(data: st.DataObject) -> None:
    story = Story()
    story.types(LEASE)
    said = data.draw(
        st.lists(
            st.tuples(st.sampled_from(AUTHORITIES), st.sets(st.sampled_from(WORDS)), st.booleans()),
            min_size=1,
            max_size=4,
        )
    )
    positions = {
        story.fact(
            f"The lease of {'Seaview' if is_about else 'nothing'}: {' '.join(sorted(names))}", authority=whose
        ): (
            whose,
            names if is_about else set(),
        )
        for whose, names, is_about in said
    }
    landlord = data.draw(st.sets(st.sampled_from(WORDS), min_size=1).map(lambda names: " ".join(sorted(names))))
    fields = {"flat": "Seaview", "landlord": landlord}
    given = data.draw(st.dictionaries(st.sampled_from(["flat", "landlord"]), st.just(tuple(positions)[:1])))
    story.change(Put(type="home.Lease", fields=fields, cites=tuple(positions), field_cites=given))
    (made,) = story.project.record("home.Lease:seaview").claims["landlord"]
    alone = [claim_trust(whose) for whose, names in positions.values() if names >= set(landlord.split())]
    weakest = min(claim_trust(whose) for whose, _names in positions.values())
    assert claim_trust(made.authority) == (max(alone) if alone else weakest)
    assert story.refolded() == story.project


def test_each_field_is_the_word_of_those_who_said_it(story: Story) -> None:
    mine = story.fact("I rent flat Seaview for 900 euros")
    letter = story.fact("The lease of flat Seaview ends on 2026-08-31, landlord Acme", authority="document")
    fields = {"flat": "Seaview", "rent": 900, "ends": "2026-08-31", "landlord": "Acme"}
    position = story.change(Put(type="home.Lease", fields=fields, cites=(mine, letter)))
    record = story.project.record("home.Lease:seaview")
    assert {name: [one.authority for one in made] for name, made in record.claims.items()} == {
        "flat": ["user"],
        "rent": ["user"],
        "ends": ["document"],
        "landlord": ["document"],
    }
    (stored,) = story.memory.log.read(position, position + 1)
    assert isinstance(stored.entry, Checkpoint)
    (patch,) = stored.entry.patches
    assert isinstance(patch, Put)
    assert patch.field_cites == {"flat": (mine,), "rent": (mine,), "ends": (letter,), "landlord": (letter,)}


def test_a_number_of_the_user_about_another_thing_does_not_make_a_value_the_word_of_the_user(story: Story) -> None:
    lease = story.tell("home.Lease", flat="Seaview", rent=900)
    cats = story.fact("I won 5000 euros in a lottery")
    mail = story.fact("The rent of flat Seaview is 5000 euros", authority="document")
    story.change(Amend(record=lease, fields={"rent": 5000}, cites=(cats, mail)))
    assert story.project.record(lease).claims["rent"][-1].authority == "document"
    assert story.values(lease)["rent"] == 900


def test_an_old_word_of_the_user_beside_a_new_mail_does_not_become_new(story: Story) -> None:
    old = story.fact("The rent of flat Seaview is 800 euros")
    story.change(Put(type="home.Lease", fields={"flat": "Seaview", "rent": 800}, cites=(old,)))
    lease = story.tell("home.Lease", flat="Seaview", rent=900)
    mail = story.fact("Greetings from flat Seaview", authority="document")
    story.change(Amend(record=lease, fields={"rent": 800}, cites=(old, mail)))
    assert story.values(lease)["rent"] == 900


def test_facts_of_one_source_need_no_telling_apart(story: Story) -> None:
    first, second = story.fact("I rent flat Seaview"), story.fact("It is 900 euros")
    position = story.change(
        Put(type="home.Lease", fields={"flat": "Seaview", "rent": 900}, cites=(first, second), field_cites={"rent": ()})
    )
    (stored,) = story.memory.log.read(position, position + 1)
    assert stored.entry == Checkpoint(
        patches=(Put(type="home.Lease", fields={"flat": "Seaview", "rent": 900}, cites=(first, second)),)
    )


def test_named_facts_that_a_patch_does_not_cite_are_refused_by_the_fold(story: Story) -> None:
    mine = story.fact("I rent flat Seaview")
    patch = Put(type="home.Lease", fields={"flat": "Seaview"}, cites=(mine,), field_cites={"flat": (mine - 1,)})
    story.memory.log.append([Checkpoint(patches=(patch,))])
    (orphan,) = fold_entries(story.memory.log.read()).orphans
    assert orphan.why == f"field_cites of flat is [{mine - 1}]. Use positions from cites: [{mine}]."


# --- through a model that obeys ---------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["severity", "substance", "reaction"]), min_size=1, max_size=3, unique=True), st.booleans()
)
@settings(max_examples=12, deadline=None)
def test_whatever_a_mail_has_a_model_amend_what_the_user_said_stands(names: list[str], with_users: bool) -> None:
    memory = allergic()
    fields = {"severity": "mild", "substance": "dust", "reaction": "none"}
    chosen = {name: fields[name] for name in names}
    more = [2] if with_users else []
    order(memory, lambda cites: {"op": "amend", "record": ALLERGY, "fields": chosen, "cites": [*cites, *more]})
    found = records_of(memory)[ALLERGY]
    assert {name: found[name] for name in ("substance", "severity")} == SEVERE[ALLERGY]
    disputed = {f"{ALLERGY}.{name}" for name in names if name != "reaction"}
    assert {alert.subject for alert in memory.alerts() if alert.constraint == "open_conflict"} == disputed


@pytest.mark.parametrize("op", [{"op": "end", "when": "2024-05-07"}, {"op": "drop", "why": "over"}])
def test_a_word_of_the_user_about_another_thing_ends_and_drops_nothing(op: dict[str, Any]) -> None:
    memory = allergic()
    memory.add("I am learning Portuguese.", said=datetime(2024, 5, 7, 18, tzinfo=UTC))
    turn = memory.log.head().position
    obey(
        memory,
        facts(fact("The user is learning Portuguese.", turn, "I am learning Portuguese")),
        lambda cites: {"patches": [{**op, "record": ALLERGY, "cites": [*cites]}]},
    )
    assert records_of(memory) == SEVERE


def test_the_users_own_word_about_a_record_ends_it() -> None:
    memory = allergic()
    memory.add("My allergy to penicillin is gone since today.", said=datetime(2024, 5, 7, 18, tzinfo=UTC))
    turn = memory.log.head().position
    said = fact("The allergy to penicillin is gone.", turn, "My allergy to penicillin is gone since today")

    def reply(cites: Sequence[int]) -> dict[str, Any]:
        end = {"op": "end", "record": ALLERGY, "when": "2024-05-07", "cites": [*cites]}
        return {"patches": [end]}

    obey(memory, facts(said), reply)
    ended = memory.project().record(ALLERGY).ended
    assert ended is not None
    assert ended.when == "2024-05-07"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "Mallory"}, "name: the name Mallory is neither in the cited facts nor known"),
        ({"name": "Tom", "relation": "friend of Mallory"}, "relation: the name Mallory"),
        ({"name": "Tom", "likes": ["chess", "Mallory Bank"]}, "likes: the name Mallory"),
        ({"name": "Tom", "notes": "lives with Viktor Malm"}, "notes: the name Viktor"),
        ({"name": "Tom", "notes": "has 17 cats"}, "notes: the number 17"),
        ({"name": "Tom Mallory"}, "name: the name Mallory"),
        ({"name": "Tom", "relation": "friend", "lives_in": "Lisbon"}, ""),
        ({"name": "Tom", "notes": "Plays chess and lives in Lisbon"}, ""),
        ({"name": "tom", "likes": ["chess"]}, ""),
    ],
)
def test_names_and_numbers_of_a_patch_are_looked_up_in_the_facts_that_it_cites(
    fields: dict[str, Any], why: str
) -> None:
    memory = told(("user", "My friend Tom lives in Lisbon and likes chess."))
    said = facts(
        fact("Tom, a friend, lives in Lisbon and likes chess.", 1, "My friend Tom lives in Lisbon and likes chess")
    )

    def reply(cites: Sequence[int]) -> dict[str, Any]:
        return {"patches": [{"op": "put", "type": "people.Person", "fields": fields, "cites": [*cites]}]}

    obey(memory, said, reply)
    project = memory.project()
    taken = [{name for name, value in person.values.items() if value} for person in project.records("people.Person")]
    wrong = why.partition(":")[0]  # the rest is taken with the last reply, if it names a person
    assert taken == ([] if wrong == "name" else [fields.keys() - {wrong}])
    assert [why in stuck for stuck in project.progress.stuck.values()] == ([True] if why else [])


def test_the_policies_that_decide_are_all_but_union() -> None:
    assert {*DECIDING, "union"} == set(get_args(Policy))


OAK = "the oak still isn't here!! now he says the 18th, definitely"
ECHO = "So Dave Marsh moved it to 18 August"


@pytest.mark.parametrize("turns", [(1,), (1, 2)], ids=["the user is quoted", "the assistant's echo is quoted, too"])
def test_an_echo_of_the_assistant_does_not_lower_what_the_users_words_state(turns: tuple[int, ...]) -> None:
    assert authority_of("The oak has not come; it comes on 2023-08-18.", (OAK, ECHO), turns) == "correction"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The user prefers aisle seats.", ("book me a seat to Rome", "You prefer aisle seats, as always.")),
        ("The oak comes on 2023-08-25.", ("now he says some day soon", "The oak comes on 25 August, I guess.")),
    ],
)
def test_what_only_the_assistant_said_stays_its_word_beside_words_of_the_user(
    text: str, words: tuple[str, str]
) -> None:
    assert authority_of(text, words, (1, 2)) == "assistant"


def authority_of(text: str, words: tuple[str, str], turns: tuple[int, ...]) -> str:
    """Of a fact that quotes these turns, the first by the user and the second by the assistant."""
    memory = new_memory()
    said = datetime(2023, 8, 11, 19, tzinfo=UTC)
    for role, spoken in zip(("user", "assistant"), words, strict=True):
        memory.add(spoken, role=role, said=said)  # type: ignore[arg-type]  # both are roles
    cites = [{"turn": turn, "quote": words[turn - 1].rstrip(".")} for turn in turns]
    item = {"text": text, "about": "user", "cites": cites, "corrects": True}
    left = {"patches": [{"op": "set_aside", "cites": [3], "why": "enough"}]}
    teach(memory, facts(item), left, left, left)
    (found,) = kept(memory)
    return found.authority
