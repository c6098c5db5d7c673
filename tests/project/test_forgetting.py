"""What forgetting a record would do, before it is done."""

from support.short_logs import ALLERGY, START, Story
from uac.project.fold import fold_entries
from uac.project.forgetting import positions_behind_record, project_without
from uac.schema.entries import Correction, Observation, Retraction


def told() -> tuple[Story, str]:
    story = Story()
    story.types(ALLERGY)
    record = story.tell("health.Allergy", substance="nuts")
    story.memory.correct(record, "severity", "mild")
    return story, record


def test_the_words_behind_a_record_are_what_was_said_and_the_corrections() -> None:
    story, record = told()
    kinds = [
        next(story.memory.log.read(at, at + 1)).entry
        for at in positions_behind_record(story.memory.log, story.project, record)
    ]
    assert [type(entry) for entry in kinds] == [Observation, Correction]


def test_the_project_without_these_words_is_the_one_that_a_retraction_gives() -> None:
    story, record = told()
    positions = positions_behind_record(story.memory.log, story.project, record)
    without = project_without(story.project, positions, why="asked", now=START)
    assert dict(without.tables["health.Allergy"]) == {}
    story.memory.log.append([Retraction(positions=tuple(positions), why="asked")])
    assert without.tables == fold_entries(story.memory.log.read()).tables


def test_words_that_count_no_longer_change_nothing() -> None:
    story, record = told()
    positions = positions_behind_record(story.memory.log, story.project, record)
    without = project_without(story.project, positions, why="asked", now=START)
    assert project_without(without, positions, why="asked", now=START) is without
    assert project_without(story.project, [], why="asked", now=START) is story.project
