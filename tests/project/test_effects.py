"""What entries may have changed: types, records and constraints by name, or anything."""

from support.constraints import constraint
from support.short_logs import START, Story, type_of
from uac.project.effects import Effects, effects, effects_since
from uac.schema.entries import Checkpoint, Correction, Retraction, Tick
from uac.schema.patches import Adopt, Amend, Define, Drop, Put, SetAside

TRIP = type_of("travel.Trip", key=["city"], city="str", cost="int | None")


def told() -> tuple[Story, str]:
    story = Story()
    story.types(TRIP)
    return story, story.tell("travel.Trip", city="Lisbon")


def test_a_put_changes_its_type_and_the_records_made_of_its_facts() -> None:
    story, record = told()
    put = Put(type="travel.Trip", fields={"city": "Lisbon"}, cites=(3,))
    assert effects([Checkpoint(patches=(put,)), Tick(now=START)], story.project) == Effects(
        types=frozenset({"travel.Trip"}), written=frozenset({record})
    )


def test_a_changed_field_names_its_record_and_a_changed_key_could_be_anything() -> None:
    story, record = told()
    of_record = Effects(types=frozenset({"travel.Trip"}), written=frozenset({record}))
    assert effects([Correction(record=record, field="cost", value=3)], story.project) == of_record
    amended = Checkpoint(patches=(Amend(record=record, fields={"cost": 3}, cites=(3,)),))
    assert effects([amended], story.project) == of_record
    assert effects([Correction(record=record, field="city", value="Porto")], story.project) is None


def test_a_drop_removes_and_a_fact_set_aside_changes_nothing() -> None:
    story, record = told()
    patches = (Drop(record=record, why="wrong"), SetAside(cites=(3,), why="no trip"))
    assert effects([Checkpoint(patches=patches)], story.project) == Effects(
        types=frozenset({"travel.Trip"}), removed=frozenset({record})
    )


def test_an_adopted_constraint_is_named_and_new_types_and_retractions_could_change_anything() -> None:
    story, _record = told()
    adopted = Checkpoint(patches=(Adopt(constraint=constraint("rule", "return []")),))
    assert effects([adopted], story.project) == Effects(constraints=frozenset({"rule"}))
    assert effects([Checkpoint(patches=(Define(type=TRIP),))], story.project) is None
    assert effects([Retraction(positions=(3,), why="no")], story.project) is None


def test_what_differs_between_two_projects_of_one_log_is_read_off_their_history() -> None:
    story, _record = told()
    before = story.project
    record = story.tell("travel.Trip", city="Porto")
    assert effects_since(before, story.project) == Effects(frozenset({"travel.Trip"}), frozenset({record}))
    story.memory.retract([3], why="no")
    assert effects_since(before, story.project) is None
    assert effects_since(before, before) == Effects()
