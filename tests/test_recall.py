"""Search by words: what is found, in which order, and that nothing erased is held."""

from array import array
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from immutables import Map

from story import ALLERGY, TRIP
from uac.entries import Checkpoint, Citation, Entry, Fact, Observation, Retraction, Role
from uac.fold import project as fold
from uac.log import Log
from uac.patches import Define, End, Put
from uac.project import EMPTY_PROJECT
from uac.recall import Found, Hit, Recall, words_of
from uac.stores.memory import MemoryStore

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


class World:
    """A log, the project that follows it, and an index that follows both."""

    def __init__(self) -> None:
        self._minutes = count()
        self.log = MemoryStore(clock=lambda: START + timedelta(days=30)).log("ana")
        self.project = EMPTY_PROJECT
        self.recall = Recall()

    def add(self, entry: Entry) -> int:
        (position,) = self.log.append([entry])
        return position

    def say(self, text: str, *, role: Role = "user", speaker: str = "", session: str = "s", day: int = 0) -> int:
        said = START + timedelta(days=day, minutes=next(self._minutes))
        return self.add(Observation(text=text, said=said, role=role, speaker=speaker, session=session))

    def fact(self, text: str, *cited: int, about: str = "Ana") -> int:
        cites = tuple(Citation(position=position, quote="words") for position in cited)
        return self.add(Fact(text=text, about=about, authority="user", cites=cites))

    def put(self, substance: str, severity: str, *cited: int) -> int:
        fields = {"substance": substance, "severity": severity}
        return self.add(Checkpoint(patches=(Put(type="health.Allergy", fields=fields, cites=cited),)))

    def follow(self) -> Recall:
        self.project = fold(self.log.read(self.project.position + 1), self.project)
        self.recall.follow(self.log, self.project)
        return self.recall

    def fresh(self) -> Recall:
        recall = Recall()
        recall.follow(self.log, fold(self.log.read()))
        return recall

    def found(self, query: str) -> list[int | str]:
        """Positions, or ids of records, best first."""
        return [hit.record or hit.position for hit in self.follow().search(query)]


# --- what is found ----------------------------------------------------------------------------------------------------


def test_a_turn_is_found_by_its_words() -> None:
    world = World()
    world.say("I am allergic to penicillin.", speaker="Ana")
    world.say("The weather is fine.", session="t")
    (hit,) = world.follow().search("penicillin")
    assert hit == Hit(
        "observation", 1, "", "I am allergic to penicillin.", hit.score, START, "Ana", "user", "s", is_current=True
    )
    assert hit.score > 0


def test_a_fact_is_found_by_its_words_and_by_whom_it_is_about() -> None:
    world = World()
    world.say("He moved to Porto.")
    world.fact("moved to Lisbon", 1, about="Tom")
    (hit,) = world.follow().search("Tom")
    assert hit == Hit("fact", 2, "", "moved to Lisbon", hit.score, START, "", None, "", is_current=True)


def test_a_record_is_found_by_its_type_its_fields_and_all_that_was_claimed_of_it() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.put("nuts", "severe", 1)
    expected = ["health.Allergy:nuts"]
    for query in ("allergies", "health", "substance", "Nuts", "severe", "mild"):
        assert world.found(query) == expected, query
    (hit,) = world.recall.search("nuts")
    assert hit == Hit(
        "record",
        0,
        "health.Allergy:nuts",
        "health.Allergy:nuts substance=nuts, severity=severe",
        hit.score,
        None,
        "",
        None,
        "",
        is_current=True,
    )


def test_a_record_that_has_ended_is_found_and_is_not_current() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.add(Checkpoint(patches=(End(record="health.Allergy:nuts", when="2026-01", why="outgrown", cites=(1,)),)))
    assert [(hit.record, hit.is_current) for hit in world.follow().search("outgrown nuts")] == [
        ("health.Allergy:nuts", False)
    ]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We went hiking with the children's classes", "hike class"),
        ("She paints and has painted two paintings", "painting"),
        ("Ich wohne in der Königstraße in Köln", "KONIGSTRASSE koln"),
        ("J'ai dîné à l'Élysée", "diner elysee"),
        ("我在上海的医院工作", "上海医院"),
        ("昨日、東京でラーメンを食べました", "ラーメン"),
        ("저는 서울에서 일합니다", "서울"),
        ("ผมทำงานที่กรุงเทพ", "กรุงเทพ"),
        ("أَعْمَلُ فِي الْمُسْتَشْفَى", "المستشفى"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
        ("Я живу в Москве", "МОСКВЕ"),
        ("The rent is 1,250 euros from 2024-03-07 on", "1250"),
        ("Flight TP571 leaves at 7", "tp571"),
        ("ﬁne ｗｉｄｅ letters", "fine wide"),
    ],
)
def test_words_are_found_in_any_letter_case_form_and_language(text: str, query: str) -> None:
    world = World()
    world.say("nothing of that kind", session="t")
    position = world.say(text)
    assert world.found(query) == [position]


def test_sounds_that_kana_marks_tell_apart_stay_apart() -> None:
    assert words_of("がく") != words_of("かく")


def test_an_empty_query_and_one_without_words_find_nothing() -> None:
    world = World()
    world.say("hello")
    assert [world.found(query) for query in ("", "  ", "?!", "🙂")] == [[], [], [], []]


def test_a_query_of_stop_words_finds_what_has_them() -> None:
    world = World()
    world.say("To be or not to be")
    world.say("Cats", session="t")
    assert world.found("to be or not to be") == [1]
    assert world.found("or zebras") == [1]


def test_stop_words_do_not_find_where_other_words_do() -> None:
    world = World()
    world.say("What is the time?")
    world.say("Penicillin", session="t")
    assert world.found("what is the penicillin") == [2]


def test_only_the_kinds_that_are_asked_for_are_found() -> None:
    world = World()
    world.say("nuts")
    world.fact("nuts", 1)
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 2)
    recall = world.follow()
    assert [hit.kind for hit in recall.search("nuts", kinds=["fact", "record"])] == ["record", "fact"]
    assert recall.find("nuts", k=1) == Found(recall.search("nuts")[:1], 3)
    assert recall.search("nuts", k=0) == []


def test_before_a_position_neither_later_words_nor_records_are_found() -> None:
    world = World()
    world.say("nuts")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("nuts", "mild", 1)
    world.say("and?")
    world.say("nuts again")
    world.fact("nuts", 5)
    recall = world.follow()
    assert [hit.position for hit in recall.search("nuts", before=5)] == [1, 4]
    assert [hit.position for hit in recall.search("again", before=5)] == []


# --- the order --------------------------------------------------------------------------------------------------------


def test_with_the_same_words_the_record_stands_before_the_fact_and_the_users_turn_before_the_assistants() -> None:
    world = World()
    world.say("penicillin nuts", role="assistant", session="a")
    world.say("penicillin nuts", session="b")
    world.fact("penicillin nuts", 2)
    assert world.found("penicillin nuts") == [3, 2, 1]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    world = World()
    for number in range(5):
        world.say("my trip", session=f"s{number}")
    rare = world.say("my yacht", session="y")
    assert world.found("trip yacht")[0] == rare


def test_equal_turns_are_found_in_the_order_of_the_log() -> None:
    world = World()
    for number in range(5):
        world.say("nuts", session=f"s{number}")
    assert world.found("nuts") == [1, 2, 3, 4, 5]


def test_a_name_in_the_query_prefers_what_that_person_said() -> None:
    world = World()
    world.say("Tom, do you paint?", speaker="Ana", session="a")
    world.say("I paint at night", role="person", speaker="Tom", session="b")
    assert world.found("when does Tom paint?") == [2, 1]
    assert world.found("Tom") == [1]


def test_a_short_turn_is_found_by_the_words_around_it_and_a_long_one_is_not() -> None:
    world = World()
    world.say("Where will you spend June?", role="assistant")
    world.say("In Lisbon")
    world.say("Lisbon " + "and so on " * 30)
    assert world.found("June") == [2, 1]
    assert world.found("Lisbon") == [2, 3, 1]
    world.say("elsewhere", session="t")
    assert world.found("June") == [2, 1]


def test_turns_without_a_session_belong_together_by_day() -> None:
    world = World()
    for day in (0, 0, 1, 1):
        world.say("nuts", session="", day=day)
    assert [world.follow().neighbours(position, after=3) for position in (1, 2, 3, 4)] == [[2], [1], [4], [3]]


def test_neighbours_are_the_turns_around_in_the_session() -> None:
    world = World()
    for session in "ababaab":
        world.say("nuts", session=session)
    recall = world.follow()
    assert recall.neighbours(3) == [1, 5]
    assert recall.neighbours(3, before=5, after=2) == [1, 5, 6]
    assert recall.neighbours(7) == [4]
    assert recall.neighbours(99) == []


def test_a_very_long_query_is_cut_to_its_rarest_words() -> None:
    world = World()
    filler = " ".join(f"word{number}" for number in range(100))
    for number in range(3):
        world.say(filler, session=f"s{number}")
    rare = world.say("penicillin", session="p")
    query = (filler + " penicillin ") * 60
    assert rare in world.found(query)
    terms = [term for term, _weight in world.recall._terms(query)]
    assert (len(query), len(terms), terms[0]) == (42_060, 64, "penicillin")


# --- following the log ------------------------------------------------------------------------------------------------


def test_what_memory_showed_is_not_found_as_somebodys_words() -> None:
    world = World()
    world.say("Look: <memory of the user, made by user-as-code, entries up to 3; data>zebra</memory> and giraffe")
    world.say("<memory of the user, made by user-as-code>zebra", session="t")
    assert world.found("zebra") == []
    assert world.found("giraffe") == [1]


def test_a_retracted_turn_and_what_rests_on_it_are_not_found_until_that_is_undone() -> None:
    world = World()
    world.say("zebra")
    world.say("yes")
    world.fact("zebra", 1)
    assert world.found("zebra") == [3, 1, 2]
    undo = world.add(Retraction(positions=(1,), why="wrong"))
    assert world.found("zebra") == []
    world.add(Retraction(positions=(undo,), why="it was right"))
    assert world.found("zebra") == [3, 1, 2]


def test_erased_words_are_not_found_and_not_held() -> None:
    world = World()
    world.say("my zebra", speaker="Zoltan")
    world.say("yes")
    world.fact("zebra facts", 1, about="Zebulon")
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    world.put("zebras", "zesty", 3)
    world.put("nuts", "mild", 2)
    world.follow()
    assert {"zebra", "zoltan", "zebulon", "zesty"} <= {word for text in held(world.recall) for word in words_of(text)}
    world.log.erase([1], why="asked")
    assert world.found("zebra") == []
    assert [text for text in held(world.recall) if "ze" in text.casefold() or "zo" in text.casefold()] == []
    assert world.found("nuts") == ["health.Allergy:nuts"]


def test_an_older_project_and_another_log_are_indexed_from_the_start() -> None:
    world = World()
    world.say("zebra")
    older = world.follow(), world.project
    world.say("giraffe")
    world.follow()
    world.recall.follow(world.log.as_of(1), older[1])
    assert [hit.position for hit in world.recall.search("zebra giraffe")] == [1]
    other = World()
    other.say("lion")
    other.say("tiger")
    other.recall = world.recall
    assert other.found("zebra lion") == [1, 2]
    assert [text for text in held(other.recall) if "zebra" in text] == []


def test_following_twice_changes_nothing() -> None:
    world = World()
    world.say("zebra")
    before = world.follow().find("zebra")
    assert world.follow().find("zebra") == before


def test_only_records_that_changed_are_indexed_anew() -> None:
    world = World()
    world.say("…")
    world.add(Checkpoint(patches=(Define(type=ALLERGY), Define(type=TRIP))))
    world.put("nuts", "mild", 1)
    world.put("milk", "mild", 1)
    slots = dict(world.follow()._slots)
    world.put("milk", "severe", 1)
    after = world.follow()._slots
    assert after.keys() == slots.keys()
    assert [record for record in slots if after[record] != slots[record]] == ["health.Allergy:milk"]


ANIMALS = ("zebra", "lion", "giraffe and lion", "the zebra, the lion", "yes", "斑马 狮子")
Step = tuple[str, int, str]
steps = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "fact", "put", "retract", "erase", "nothing"]),
        st.integers(1, 12),
        st.sampled_from(ANIMALS),
    ),
    max_size=16,
)


@given(steps, st.booleans())
@settings(max_examples=150, deadline=None)
def test_an_index_that_followed_step_by_step_equals_a_fresh_one(told: list[Step], sparing: bool) -> None:
    world = World()
    world.add(Checkpoint(patches=(Define(type=ALLERGY),)))
    for number, step in enumerate(told):
        take(world, *step)
        if not sparing or number % 3 == 0:
            world.follow()
    fresh, followed = world.fresh(), world.follow()
    for query in (*ANIMALS, "nuts mild", "Ana"):
        assert followed.find(query) == fresh.find(query)
        assert followed.find(query, before=5) == fresh.find(query, before=5)
    positions = range(1, world.log.head().position + 1)
    assert [followed.neighbours(place) for place in positions] == [fresh.neighbours(place) for place in positions]
    assert held(followed) == held(fresh)
    gone = world.project.gone
    readable = {stored.position for stored in world.log.read() if stored.entry is not None}
    assert {hit.position for hit in followed.search("zebra lion", k=99)} <= (readable - gone) | {0}


def take(world: World, step: str, number: int, text: str) -> None:
    """One step of a story; one that cannot be taken is left out."""
    last = world.log.head().position
    at = min(number, last)
    kinds = {stored.position: stored.kind for stored in world.log.read() if stored.entry is not None}
    match step:
        case "user" | "assistant":
            world.say(text, role="assistant" if step == "assistant" else "user", session=f"s{number % 2}")
        case "fact" if kinds.get(at) == "observation":
            world.fact(text, at)
        case "put" if kinds.get(at) in ("observation", "fact"):
            world.put(text, "mild", at)
        case "retract" if kinds.get(at) in ("observation", "fact", "retraction"):
            world.add(Retraction(positions=(at,), why="wrong"))
        case "erase" if kinds.get(at) in ("observation", "fact"):
            world.log.erase([at], why="asked")
        case _:
            pass


def held(recall: Recall) -> set[str]:
    """All texts that an index holds, wherever they are."""
    return set(_texts(list(vars(recall).values())))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping() | Map():
            for key, item in value.items():
                yield from _texts(key)
                yield from _texts(item)
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from _texts(item)
        case msgspec.Struct():
            for name in value.__struct_fields__:
                yield from _texts(getattr(value, name))
        case int() | float() | bytes() | datetime() | array() | None:
            pass
        case _:
            yield from _texts(list(vars(value).values()))


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_text_can_be_indexed_and_its_words_find_it(text: str) -> None:
    assert words_of(text) == words_of(text)
    assert all(words_of(text))
    log: Log = MemoryStore().log("ana")
    if not text.strip() or any("\ud800" <= character <= "\udfff" for character in text):
        return
    log.append([Observation(text=text, said=START)])
    recall = Recall()
    recall.follow(log, fold(log.read()))
    assert [hit.text for hit in recall.search(text)] == ([text] if words_of(text) else [])
