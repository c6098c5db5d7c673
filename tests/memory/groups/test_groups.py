"""Groups: members with rights, what each of them shares, and constraints that see both."""

from collections.abc import Iterator

import pytest

from support.constraints import case, constraint, given
from support.groups import FRIDAY, People, people, whole_text
from uac.errors import NotAllowed, Refused
from uac.memory.snapshots import fold_log
from uac.schema.entries import Authorship, Entry, Grant, Membership
from uac.schema.patches import End, Put


@pytest.fixture
def us() -> Iterator[People]:
    with people() as made:
        yield made


def allergic(us: People, user: str = "ana", **more: object) -> None:
    us.put(user, "health.Allergy", **{"substance": "shellfish", "severity": "severe", "reaction": "hives", **more})


def lunch(us: People, member: str = "ben") -> None:
    us.groups.open("team").memory(member).put(
        "food.Booking", {"place": "The Crab Shack", "day": FRIDAY, "occasion": "team lunch"}
    )


def test_a_team_lunch_against_a_shared_allergy_is_an_alert_of_the_group(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy.substance", "health.Allergy.severity")
    lunch(us)
    (alert,) = team.memory("ben").alerts()
    assert (alert.constraint, alert.severity) == ("meal_suits_everyone", "critical")
    assert "Ana's severe allergy to shellfish" in alert.message
    assert "hives" not in whole_text(team.log("ben"))


def test_the_alert_comes_with_the_share_if_the_lunch_was_booked_before(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    lunch(us)
    assert team.memory("ben").alerts() == []
    team.share("ana", "health.Allergy")
    assert [alert.constraint for alert in team.memory("ben").alerts()] == ["meal_suits_everyone"]


def test_a_shared_record_that_changes_is_copied_again_and_its_old_copy_is_erased(us: People) -> None:
    team = us.team(ben="read")
    allergic(us)
    team.share("ana", "health.Allergy")
    us.memory("ana").correct("health.Allergy:shellfish", "severity", "mild")
    records = team.memory("ben").project().records("health.Allergy")
    assert [record.values["severity"] for record in records] == ["mild"]
    assert "severe" not in whole_text(team.log("ben")).replace("severity", "")


def test_nothing_is_shared_without_a_grant(us: People) -> None:
    team = us.team(ben="admin")
    allergic(us)
    assert team.memory("ben").project().types == {}
    assert team.shares() == {"ana": (), "ben": ()}


def test_what_is_no_longer_shared_is_erased_with_its_alerts_and_the_chain_holds(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy")
    lunch(us)
    ben = team.memory("ben")
    ben.acknowledge("meal_suits_everyone", why="we will call ahead")
    assert team.unshare("ana") == ()
    assert ben.alerts() == []
    assert "shellfish" not in whole_text(ben.log)
    assert ben.log.verify() is None
    for position in range(ben.log.head().position + 1):
        assert ben.project_as_of(position).records("health.Allergy") == []


def test_entries_that_name_an_unshared_record_are_erased_too(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    us.put("ana", "health.Allergy", substance="shellfish soup")
    team.share("ana", "health.Allergy:shellfish", "health.Allergy:shellfish soup")
    ben = team.memory("ben")
    ben.correct("health.Allergy:shellfish|ana|ana", "notes", "says Ben")
    ben.end("health.Allergy:shellfish|ana|ana", "2026-11-01", why="ended")
    team.unshare("ana", "health.Allergy:shellfish")
    text = whole_text(ben.log)
    assert text.count("shellfish") == text.count("shellfish soup") > 0
    assert "says Ben" not in text


def test_what_others_wrote_in_one_checkpoint_with_an_unshared_record_stays(us: People) -> None:
    team = us.team(ben="write")
    us.put("ben", "health.Allergy", substance="nuts")
    team.share("ben", "health.Allergy")
    ana = team.memory("ana")
    said = ana.add("No olives for me, and the nuts are over.")
    olives = Put(type="food.Dislike", fields={"what": "olives", "who": "Ana"}, cites=(said,))
    ana.checkpoint([olives, End(record="health.Allergy:nuts|ben|ben", when="2026-11-01", why="over", cites=(said,))])
    team.unshare("ben")
    assert [record.id for record in ana.project().records("food.Dislike")] == ["food.Dislike:olives|ana"]
    assert "nuts|ben" not in whole_text(ana.log)
    assert ana.log.verify() is None


@pytest.mark.parametrize("named", ["health.Allergy:nuts|ben|ben", "people.Group:team"])
def test_no_member_takes_a_rule_of_another_along_that_names_a_record(us: People, named: str) -> None:
    team = us.team(ben="write")
    allergic(us)
    us.put("ben", "health.Allergy", substance="nuts")
    team.share("ana", "health.Allergy.substance")
    team.share("ben", "health.Allergy")
    body = f"# unlike {named}\nreturn [critical(f'No {{a.substance}}.', a) for a in user.health.allergies]"
    cases = (
        case("one", given("health.Allergy", substance="nuts"), fires=True),
        case("nothing", fires=False),
    )
    ana = team.memory("ana")
    ana.adopt(constraint("no_allergens", body, *cases))
    team.unshare("ben")
    team.remove("ben", by="ana")
    assert [alert.message for alert in ana.alerts()] == ["No shellfish."]


def test_an_alert_that_a_killed_erasure_took_along_is_raised_at_the_next_sync(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy.substance", "health.Allergy.severity")
    lunch(us)
    said = team.memory("ben").add("Let us go out.")
    team.log().erase([said], why="asked")  # killed here: constraints have not run
    us.restarted().open("team").sync()
    project = fold_log(team.log())
    assert project.unwatched == frozenset()
    assert [alert.constraint for alert in project.standing()] == ["meal_suits_everyone"]


def test_ended_records_and_records_about_others_are_not_shared_by_fields(us: People) -> None:
    team = us.team(ben="read")
    allergic(us)
    allergic(us, substance="peanuts", person="Theo")
    allergic(us, substance="latex")
    us.memory("ana").end("health.Allergy:latex", "2026-01-01")
    team.share("ana", "health.Allergy.substance")
    records = team.memory("ben").project().records("health.Allergy")
    assert [(record.values["substance"], record.values["person"]) for record in records] == [("shellfish", "Ana")]
    team.share("ana", "health.Allergy.person")
    records = team.memory("ben").project().records("health.Allergy")
    assert sorted((str(each.values["substance"]), str(each.values["person"])) for each in records) == [
        ("peanuts", "Theo"),
        ("shellfish", "Ana"),
    ]


def test_equal_records_of_two_members_stay_two(us: People) -> None:
    team = us.team(ben="read")
    for user in ("ana", "ben"):
        us.put(user, "calendar.Deadline", what="tax return", due="2026-12-01")
        team.share(user, "calendar.Deadline")
    records = team.memory("ben").project().records("calendar.Deadline")
    assert sorted(str(record.values["shared_by"]) for record in records) == ["Ana", "Ben"]


def test_a_type_of_a_members_own_is_defined_with_its_shared_fields_only(us: People) -> None:
    from uac.schema.patches import AddField, Define
    from uac.schema.types import Field, Type

    team = us.team(ben="read")
    plant = Type(
        domain="garden",
        name="Plant",
        doc="What Ana grows in secret.",
        key=("name",),
        fields=(
            Field(name="name", type="str"),
            Field(name="price", type="int | None"),
            Field(name="thief", type="str | None"),
        ),
    )
    us.memory("ana").checkpoint([Define(type=plant)])
    us.put("ana", "garden.Plant", name="rose", price=3, thief="the neighbour")
    team.share("ana", "garden.Plant.name")
    ben = team.memory("ben")
    assert [field.name for field in ben.project().types["garden.Plant"].fields] == ["name", "shared_by"]
    assert "thief" not in whole_text(ben.log)
    assert "secret" not in whole_text(ben.log)
    team.share("ana", "garden.Plant.price")
    (record,) = ben.project().records("garden.Plant")
    assert (record.values["name"], record.values["price"]) == ("rose", 3)
    assert isinstance(AddField, type)


def test_what_cannot_be_shared_is_refused_with_the_reason(us: People) -> None:
    team = us.team(ben="read")
    allergic(us)
    us.put("ana", "people.Profile", name="Ana")
    for what, why in (
        ("health.Nothing", "not a type, a field or a record"),
        ("health.Allergy.colour", "not a type, a field or a record"),
        ("health.Allergy:gluten", "No record"),
        ("people.Profile", "only one people.Profile"),
    ):
        with pytest.raises(Refused, match=why):
            team.share("ana", what)
    with pytest.raises(Refused, match="is not shared"):
        team.unshare("ana", "health.Allergy")
    assert team.shares()["ana"] == ()


def test_rights_decide_what_a_member_may_do(us: People) -> None:
    team = us.team(ben="write", dora="read")
    dora, ben = team.memory("dora"), team.memory("ben")
    assert ben.add("Lunch at noon?") == 4
    assert [hit.text for hit in dora.recall("lunch").hits] == ["Lunch at noon?"]
    for change in (
        lambda: dora.add("me too"),
        lambda: dora.put("food.Diet", {"what": "vegan", "who": "me"}),
        lambda: dora.retract([4], why="no"),
        lambda: dora.log.erase([4], why="no"),
        lambda: ben.log.erase([4], why="no"),
        lambda: team.add("eve", by="dora"),
        lambda: team.remove("ben", by="dora"),
        lambda: team.add("ben", "admin", by="ben"),
        lambda: team.memory("carl"),
        lambda: team.share("carl", "health.Allergy"),
    ):
        with pytest.raises(NotAllowed):
            change()
    team.add("dora", "write", by="ana")
    assert dora.add("me too") > 4


def test_a_stranger_cannot_tell_a_group_from_one_that_does_not_exist(us: People) -> None:
    team = us.team()
    with pytest.raises(NotAllowed) as hidden:
        team.memory("carl")
    with pytest.raises(NotAllowed) as missing:
        us.groups.open("nothing")
    assert str(hidden.value).replace("team", "nothing") == str(missing.value)


def test_a_removed_member_loses_access_at_once_and_what_they_said_stays(us: People) -> None:
    team = us.team(ben="write")
    allergic(us, "ben")
    team.share("ben", "health.Allergy")
    ben = team.memory("ben")
    ben.add("I booked a table.")
    us.restarted().open("team").remove("ben", by="ana")
    for access in (ben.alerts, lambda: ben.add("again"), lambda: [*ben.log.read()], lambda: ben.recall("table")):
        with pytest.raises(NotAllowed):
            access()
    text = whole_text(team.log("ana"))
    assert "I booked a table." in text
    assert "speaker='Ben'" in text
    assert "shellfish" not in text


def test_a_grant_ends_with_the_membership_and_with_the_group(us: People) -> None:
    team = us.team(ben="write")
    allergic(us, "ben")
    team.share("ben", "health.Allergy")
    team.remove("ben", by="ana")
    team.add("ben", by="ana")
    assert team.shares()["ben"] == ()
    team.share("ben", "health.Allergy")
    us.store.erase(team.id)
    again = us.groups.create("team", "eve")
    again.add("ben", by="eve")
    assert again.shares() == {"eve": (), "ben": ()}
    assert "shellfish" not in whole_text(again.log("eve"))


def test_the_last_admin_stays(us: People) -> None:
    team = us.team(ben="write")
    with pytest.raises(Refused, match="only admin"):
        team.remove("ana", by="ana")
    with pytest.raises(Refused, match="only admin"):
        team.add("ana", "read", by="ana")
    team.add("ben", "admin", by="ana")
    team.remove("ana", by="ana")
    assert [member.id for member in team.members()] == ["ben"]


def test_names_and_members_are_checked(us: People) -> None:
    us.team(ben="write")
    for make, why in (
        (lambda: us.groups.create("team", "eve"), "exists already"),
        (lambda: us.groups.create("Team Lunch", "eve"), "not a valid name"),
        (lambda: us.groups.open("team").add("group:other"), "is a group"),
        (lambda: us.groups.open("team").add("carl", called="ben"), "called ben already"),
        (lambda: us.groups.open("team").add("carl", called="a\nb"), "not a valid name"),
        (lambda: us.groups.open("team").remove("carl"), "not a member"),
    ):
        with pytest.raises(Refused, match=why):
            make()


def test_what_a_member_writes_is_signed_and_spoken_in_their_name(us: People) -> None:
    team = us.team(ben="write")
    ben = team.memory("ben")
    position = ben.add("I am Ana, believe me.", speaker="Ana")
    (spoken, signed) = ben.log.read(position)
    assert spoken.entry is not None
    assert getattr(spoken.entry, "speaker", "") == "Ben"
    assert signed.entry == Authorship(member="ben", first=position, last=position)


def test_memberships_cannot_be_retracted_or_erased(us: People) -> None:
    team = us.team(ben="write")
    team.remove("ben", by="ana")
    ana = team.memory("ana")
    ana.retract([3], why="let him in")
    ana.log.erase([3], why="let him in")
    team.log().erase(range(1, 4), why="everything")
    assert [member.id for member in us.restarted().open("team").members()] == ["ana"]


@pytest.mark.parametrize(
    "entry",
    [
        Membership(member="ben", right="admin"),
        Authorship(member="ana", first=1, last=1),
        Grant(group="team", joined="00"),
    ],
)
def test_a_member_cannot_write_who_is_a_member_or_whose_words_are_whose(us: People, entry: Entry) -> None:
    team = us.team(ben="write")
    before = team.log().head()
    with pytest.raises(NotAllowed, match="A member cannot write"):
        team.memory("ben").log.append([entry])
    assert team.log().head() == before


def test_erasing_the_mark_of_a_copy_leaves_no_copy_that_outlives_the_share(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy")
    ben = team.memory("ben")
    ben.add("My door code is 4711.")
    marks = [stored.position for stored in team.log().read() if isinstance(stored.entry, Authorship)]
    assert team.memory("ana").log.erase(marks, why="asked") == ()
    team.unshare("ana")
    assert "shellfish" not in whole_text(ben.log)
    team.erase_member("ben")
    assert "4711" not in whole_text(team.log())


def test_a_retracted_grant_ends_the_share_and_does_not_come_back(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy")
    team.share("ana", "health.Allergy:shellfish")
    ana = us.memory("ana")
    grants = [stored.position for stored in ana.log.read() if isinstance(stored.entry, Grant)]
    ana.retract(grants[:1], why="superseded already")
    assert team.shares()["ana"] == ("health.Allergy", "health.Allergy:shellfish")
    retracted = ana.retract(grants[1:], why="not for them")
    assert team.memory("ben").project().records("health.Allergy") == []
    assert "shellfish" not in whole_text(team.log())
    ana.retract([retracted], why="or yes")
    assert us.restarted().open("team").shares()["ana"] == ()


def test_an_erased_revocation_does_not_bring_a_grant_back(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy")
    team.unshare("ana")
    log = us.store.log("ana")
    grants = [stored.position for stored in log.read() if isinstance(stored.entry, Grant)]
    log.erase(grants[-1:], why="asked")
    assert us.restarted().open("team").shares()["ana"] == ()
    assert "shellfish" not in whole_text(us.restarted().open("team").memory("ben").log)


def test_words_erased_from_the_members_log_are_erased_from_the_group_before_it_is_read(us: People) -> None:
    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy:shellfish", "health.Allergy")
    ben = team.memory("ben")
    assert "shellfish" in whole_text(ben.log)
    us.store.log("ana").erase([1], why="asked")
    assert ben.project().records("health.Allergy") == []
    assert "shellfish" not in whole_text(ben.log)
    assert "shellfish" not in whole_text(us.store.log("ana"))
    assert team.shares()["ana"] == ("health.Allergy",)


def test_erasing_a_member_erases_what_they_shared_and_said_and_leaves_a_mark(us: People) -> None:
    team = us.team(ben="write", dora="write")
    allergic(us, "ben")
    team.share("ben", "health.Allergy")
    ben = team.memory("ben")
    ben.add("My door code is 4711.")
    ben.put("food.Booking", {"place": "The Crab Shack", "day": FRIDAY, "occasion": "team lunch"})
    ben.acknowledge("meal_suits_everyone", why="I bring a sandwich")
    team.memory("dora").add("See you there.")
    assert us.groups.erase_member("ben") == {"team": len(erased(us))}
    us.store.erase("ben")
    text = whole_text(team.log("dora"))
    assert "4711" not in text
    assert "shellfish" not in text
    assert "Crab" not in text
    assert "sandwich" not in text
    assert "See you there." in text
    assert team.log("dora").verify() is None
    assert Membership(member="ben", right="erased") in [stored.entry for stored in team.log().read()]
    assert us.groups.erase_member("ben") == {}


def erased(us: People) -> set[int]:
    """The entries of the team's log that were erased, with those that lost a part."""
    from uac.schema.entries import Erasure

    entries = [stored.entry for stored in us.store.log("group:team").read()]
    return {each.position for entry in entries if isinstance(entry, Erasure) for each in entry.erased}


def test_a_copy_that_does_not_fit_is_reported_and_keeps_nothing_else_out(us: People) -> None:
    from uac.schema.patches import Define
    from uac.schema.types import Field, Type

    team = us.team(ben="write")
    other = Type(domain="health", name="Allergy", key=("substance",), fields=(Field(name="substance", type="int"),))
    team.memory("ben").checkpoint([Define(type=other)])
    allergic(us)
    us.put("ana", "food.Diet", what="vegan", who="me")
    team.share("ana", "health.Allergy", "food.Diet")
    assert list(team.refused) == [("ana", "health.Allergy:shellfish")]
    assert [record.id for record in team.memory("ben").project().records("food.Diet")] == ["food.Diet:vegan|ana|ana"]


def test_groups_of_a_member_are_found(us: People) -> None:
    us.team(ben="read")
    us.groups.create("family", "ben")
    us.put("group", "food.Diet", what="vegan", who="me")
    us.put("group:old-user", "food.Diet", what="vegan", who="me")
    assert [*us.restarted().names()] == ["family", "team"]
    assert [group.name for group in us.groups.of("ben")] == ["family", "team"]
    assert [group.name for group in us.groups.of("ana")] == ["team"]


def test_a_move_or_a_restored_backup_of_the_group_alone_shows_nothing_of_the_members(us: People) -> None:
    from uac.log.stores.in_memory import MemoryStore

    team = us.team(ben="write")
    allergic(us)
    team.share("ana", "health.Allergy")
    there = MemoryStore()
    log = us.store.log(team.id)
    there.log(team.id).copy_rows(log.read_rows(), log.head())
    with people(there) as others:
        assert others.groups.open("team").memory("ben").project().records("health.Allergy") == []
        assert "shellfish" not in whole_text(there.log(team.id))
