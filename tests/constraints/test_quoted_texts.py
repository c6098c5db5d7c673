"""The texts that a message quotes are found by an index that follows the project, as by reading every record."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, PERSON, Story
from uac.constraints import quoted_texts
from uac.constraints.quoted_texts import MIN_CHARACTERS, QuotedTexts
from uac.project.project import Project
from uac.schema.patches import Amend, Drop
from uac.schema.persistent_map import Map

TYPES = ("health.Allergy", "people.Person")


def quoted_by_reading_all(project: Project, message: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for name in TYPES:
        for record in project.records(name):
            for text in record.values.values():
                if isinstance(text, str) and len(text) >= MIN_CHARACTERS and text in message:
                    found.setdefault(text, set()).update(record.cites)
    return found


words = st.text(alphabet="anut s", min_size=1, max_size=9).map(str.strip).filter(bool)
steps = st.lists(st.tuples(st.sampled_from(("put", "amend", "drop", "look")), words, words), max_size=8)


@given(steps=steps, message=st.lists(words, max_size=8).map(" ".join), few=st.sampled_from((0, 200)))
@settings(max_examples=60, deadline=None)
def test_the_index_finds_what_reading_every_record_finds(
    steps: list[tuple[str, str, str]], message: str, few: int
) -> None:
    story, texts = Story(), QuotedTexts()
    story.types(ALLERGY, PERSON)
    before, quoted_texts.FEW_TEXTS = quoted_texts.FEW_TEXTS, few
    try:
        for step, one, other in steps:
            records = story.project.records("health.Allergy")
            match step:
                case "put":
                    story.tell("health.Allergy", substance=one, severity=other)
                    story.tell("people.Person", name=other)
                case "amend" if records:
                    cited = story.fact(f"{one} is {other}")
                    story.change(Amend(record=records[0].id, fields={"severity": other}, cites=(cited,)))
                case "drop" if records:
                    story.change(Drop(record=records[-1].id, why="wrong"))
                case "look":
                    assert texts.find(story.project, TYPES, message) == quoted_by_reading_all(story.project, message)
        assert texts.find(story.project, TYPES, message) == quoted_by_reading_all(story.project, message)
    finally:
        quoted_texts.FEW_TEXTS = before


def test_a_project_of_another_clock_is_read_anew() -> None:
    story, texts = Story(), QuotedTexts()
    story.types(ALLERGY, PERSON)
    story.tell("health.Allergy", substance="peanuts")
    assert [*texts.find(story.project, TYPES, "no peanuts")] == ["peanuts"]
    earlier = replace(story.project, tables={name: Map() for name in story.project.tables})
    assert texts.find(replace(earlier, history=None), TYPES, "no peanuts") == {}
