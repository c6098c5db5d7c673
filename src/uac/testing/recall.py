"""Conformance tests for a store's search index: subclass `RecallContract` and give it a `store` fixture.

class TestMine(RecallContract):
    @pytest.fixture
    def store(self, tmp_path):
        store = MyStore(tmp_path)
        yield store
        store.close()
"""

import threading
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uac.log.index import (
    ANYTHING,
    KINDS,
    NO_INDEX,
    IndexHead,
    IndexRows,
    NewPassage,
    Passage,
    PassageFilter,
    PassagePosition,
    head_after,
)
from uac.log.log import Log
from uac.log.store import Store
from uac.schema.entries import Citation, Fact, Observation
from uac.testing.recall_passages import INDEX_STEPS, PASSAGE_FILTERS, expected_passages

if TYPE_CHECKING:
    from uac.log.index import Vectors

__all__ = ["RecallContract"]

NOTHING = Passage(0, "observation", 0, 0, 0, "", "", "", "", "", "", "", "", "", (), "", 0, "")

ODD_TERMS = [
    "'",
    '"',
    "\\",
    "o'brien",
    'say"hi',
    "back\\slash",
    "\\'",
    "%",
    "100%",
    "%s",
    "{passages}",
    "near(",
    "a*",
    "a:b",
    "a&b|!c",
    "a<->b",
    "--",
    "';drop",
    "and",
    "or",
    "not",
    "😀",
    "👩‍👩‍👧",
    "حفل",
    "婚礼",
    "婚",
    "결혼",
    "สมรส",
    "straße",
    "e\u0301",
    "0",
    "x" * 40,
    "婚" * 40,
]


def recall_observation(text: str) -> Observation:
    return Observation(text=text, said=datetime(2026, 3, 1, 12, tzinfo=UTC))


def recall_index(log: Log) -> IndexRows:
    """The current index of a log. Its head is read first, as the port requires."""
    index = log.index()
    index.head()
    return index


def recall_passage(position: int, *terms: str, **fields: Any) -> NewPassage:
    passage = NOTHING._replace(position=position, **{"size": len(terms), **fields})
    return NewPassage(passage, terms)


def recall_passage_days(since: str, until: str = "") -> dict[str, str]:
    return {"since": since, "until": until or since}


def change_recall_index(index: IndexRows, *add: NewPassage, remove: Sequence[Passage] = ()) -> list[int]:
    """Change the index from its current head; returns the slots of the added passages."""
    before, known = index.head(), set(index.slots(ANYTHING))
    after = head_after(before, add=[entered.passage for entered in add], remove=remove)
    assert index.change(
        before,
        msgspec.structs.replace(after, form=1),
        add=add,
        remove=[passage.slot for passage in remove],
    )
    return sorted(set(index.slots(ANYTHING)) - known)


def slots_with_words(index: IndexRows, *terms: str) -> dict[str, list[int]]:
    """The slots that have each word, of any kind."""
    slots: dict[str, list[int]] = {}
    for kind in KINDS:
        for term, having in index.having(kind, terms).items():
            slots[term] = sorted([*slots.get(term, []), *having])
    return slots


_SETTINGS = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    deadline=None,
)


class RecallContract:
    """The behaviour that all stores share."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        raise NotImplementedError("A store is missing. Define the fixture `store` in the subclass.")

    @pytest.fixture
    def log(self, store: Store) -> Log:
        """A log with three turns and a fact."""
        log = store.log(f"user {uuid.uuid4()}")
        log.append(
            [
                recall_observation("I am allergic to penicillin"),
                recall_observation("I like tea"),
                recall_observation("We fly on Friday"),
            ]
        )
        cites = (Citation(position=1, quote="allergic to penicillin"),)
        log.append([Fact(text="Ana is allergic to penicillin", about="ana", authority="user", cites=cites)])
        return log

    @pytest.fixture
    def index(self, log: Log) -> IndexRows:
        return recall_index(log)

    def test_a_new_index_is_empty(self, index: IndexRows) -> None:
        assert index.head() == NO_INDEX
        assert index.select(ANYTHING) == []
        assert set(index.slots(ANYTHING)) == set()
        assert slots_with_words(index, "tea") == {}
        assert list(index.placed(0)) == []

    def test_what_was_put_in_is_found_by_each_of_its_words(self, index: IndexRows) -> None:
        first, second = change_recall_index(
            index, recall_passage(2, "like", "tea"), recall_passage(3, "fly", "friday", "like")
        )
        assert slots_with_words(index, "tea", "like", "coffee", "friday") == {
            "tea": [first],
            "like": [first, second],
            "friday": [second],
        }
        assert slots_with_words(index) == {}
        assert slots_with_words(index, "te", "teas", "like tea") == {}

    def test_passages_of_each_kind_are_found_apart(self, index: IndexRows) -> None:
        turn, fact, record = change_recall_index(
            index,
            recall_passage(2, "tea"),
            recall_passage(4, "tea", kind="fact"),
            recall_passage(0, "tea", "drink", kind="record", record="r"),
        )
        assert [dict(index.having(kind, ["tea", "drink"])) for kind in KINDS] == [
            {"tea": [turn]},
            {"tea": [fact]},
            {"tea": [record], "drink": [record]},
        ]

    def test_every_field_of_a_passage_and_of_the_head_comes_back(self, log: Log) -> None:
        passage = Passage(
            0, "fact", 4, 1, 2, "r", "s", "2026-03-01T12:00:00+02:00", "2025", "2026", "Ana", "user", "user",
            "mail", (1, 3), "en", 7, "0af",
        )  # fmt: skip
        head = IndexHead(
            form=3,
            position=4,
            digest=b"\0\xff" * 16,
            passages={"fact": 1},
            words={"fact": 7},
            speakers={"Ana\0": 1},
            languages={"en": 1},
        )
        index = recall_index(log)
        assert index.change(NO_INDEX, head, add=[NewPassage(passage, ("tea",))], remove=())
        assert index.head() == head
        (slot,) = index.slots(ANYTHING)
        assert index.select(ANYTHING) == [passage._replace(slot=slot)]

    def test_a_change_from_another_head_is_refused_and_changes_nothing(self, index: IndexRows) -> None:
        (slot,) = change_recall_index(index, recall_passage(2, "tea"))
        head = index.head()
        assert not index.change(NO_INDEX, head_after(head), add=[recall_passage(3, "friday")], remove=[slot])
        assert index.head() == head
        assert slots_with_words(index, "tea", "friday") == {"tea": [slot]}

    def test_of_several_that_change_the_same_index_one_wins(self, log: Log) -> None:
        outcomes: list[bool] = []
        before = recall_index(log).head()

        def write(writer: int) -> None:
            after = IndexHead(form=1, position=writer)
            outcomes.append(recall_index(log).change(before, after, add=[recall_passage(2, "tea")], remove=()))

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(1, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == [False] * 4 + [True]
        assert len(recall_index(log).select(ANYTHING)) == 1

    def test_what_was_taken_out_is_no_longer_found(self, index: IndexRows) -> None:
        first, second = change_recall_index(index, recall_passage(2, "tea", "like"), recall_passage(3, "tea"))
        change_recall_index(index, remove=index.select(PassageFilter(slots=(first,))))
        assert slots_with_words(index, "tea", "like") == {"tea": [second]}
        assert [passage.slot for passage in index.select(ANYTHING)] == [second]

    def test_slots_grow_and_are_not_used_again(self, index: IndexRows) -> None:
        slots = change_recall_index(index, recall_passage(1), recall_passage(2), recall_passage(3))
        assert [passage.position for passage in index.select(ANYTHING)] == [1, 2, 3]
        change_recall_index(index, remove=index.select(ANYTHING))
        slots += change_recall_index(index, recall_passage(1))
        index.clear()
        slots += change_recall_index(index, recall_passage(2))
        assert slots == sorted(set(slots))

    def test_a_cleared_index_is_as_new(self, index: IndexRows) -> None:
        change_recall_index(index, recall_passage(2, "tea"))
        index.clear()
        assert index.head() == NO_INDEX
        assert index.select(ANYTHING) == []
        assert slots_with_words(index, "tea") == {}
        (slot,) = change_recall_index(index, recall_passage(2, "tea"))
        assert slots_with_words(index, "tea") == {"tea": [slot]}

    @pytest.mark.parametrize("term", ODD_TERMS)
    def test_an_odd_word_is_found_and_nothing_else(self, index: IndexRows, term: str) -> None:
        first, _second = change_recall_index(index, recall_passage(1, term, "tea"), recall_passage(2, "tea"))
        assert slots_with_words(index, term) == {term: [first]}
        change_recall_index(index, remove=index.select(PassageFilter(slots=(first,))))
        assert slots_with_words(index, term) == {}

    def test_a_passage_may_have_many_words_and_a_question_too(self, index: IndexRows) -> None:
        words = [f"word{number}" for number in range(3000)]
        (slot,) = change_recall_index(index, recall_passage(1, *words))
        assert slots_with_words(index, *words[:1000], "none") == {word: [slot] for word in words[:1000]}

    @pytest.mark.parametrize(
        ("where", "positions"),
        [
            (ANYTHING, [1, 2, 3, 4]),
            (PassageFilter(kinds=("observation",)), [1, 2]),
            (PassageFilter(kinds=("fact", "record")), [3, 4]),
            (PassageFilter(kinds=()), []),
            (PassageFilter(slots=()), []),
            (PassageFilter(positions=(2, 3, 9)), [2, 3]),
            (PassageFilter(records=("r",)), [4]),
            (PassageFilter(sessions=("a",)), [1, 2]),
            (PassageFilter(sources=("mail", "sms")), [1]),
            (PassageFilter(speakers=("Ana",)), [1]),
            (PassageFilter(authorities=("user",)), [3]),
            (PassageFilter(through=2), [1, 2]),
            (PassageFilter(since="2026-02-01"), [2, 3]),
            (PassageFilter(until="2026-01-31"), [1, 3, 4]),
            (PassageFilter(since="2026-01-01", until="2026-01-02"), [1, 3]),
            (PassageFilter(newest=2), [2, 1]),
            (PassageFilter(newest=9, kinds=("fact", "record")), [3, 4]),
            (PassageFilter(sessions=("a",), speakers=("Ben",)), [2]),
        ],
    )
    def test_passages_are_chosen_by(self, index: IndexRows, where: PassageFilter, positions: list[int]) -> None:
        change_recall_index(
            index,
            recall_passage(
                1, session="a", speaker="Ana", role="user", source="mail", **recall_passage_days("2026-01-01")
            ),
            recall_passage(2, session="a", speaker="Ben", role="assistant", **recall_passage_days("2026-02-01")),
            recall_passage(3, kind="fact", authority="user", **recall_passage_days("2025-06-01", "9999-12-31")),
            recall_passage(4, kind="record", record="r"),
        )
        assert [passage.position for passage in index.select(where)] == positions
        assert set(index.slots(where)) == {passage.slot for passage in index.select(where)}

    def test_passages_are_listed_with_session_and_size_in_the_order_they_came(self, index: IndexRows) -> None:
        first, second = change_recall_index(
            index, recall_passage(1, session="a", size=3), recall_passage(2, session="b", size=70_000)
        )
        (third,) = change_recall_index(index, recall_passage(3, kind="fact", size=5))
        assert list(index.placed(0)) == [
            PassagePosition(first, "a", 3),
            PassagePosition(second, "b", 70_000),
            PassagePosition(third, "", 5),
        ]
        assert list(index.placed(first)) == [PassagePosition(second, "b", 70_000), PassagePosition(third, "", 5)]
        assert list(index.placed(third)) == []

    @_SETTINGS
    @given(steps=st.lists(INDEX_STEPS, max_size=8), wheres=st.lists(PASSAGE_FILTERS, min_size=3, max_size=3))
    def test_after_any_changes_it_answers_as_a_plain_list_would(
        self, store: Store, steps: list[Any], wheres: list[PassageFilter]
    ) -> None:
        log = store.log(f"user {uuid.uuid4()}")
        log.append([recall_observation(str(number)) for number in range(3)])
        index, model = recall_index(log), dict[int, NewPassage]()
        for step in steps:
            if step == "clear":
                index.clear()
                model.clear()
                continue
            add, numbers = step
            gone = {sorted(model)[number % len(model)] for number in numbers if model}
            slots = change_recall_index(index, *add, remove=[model[slot].passage for slot in sorted(gone)])
            for slot in gone:
                del model[slot]
            for slot, entered in zip(slots, add, strict=True):
                model[slot] = entered._replace(passage=entered.passage._replace(slot=slot))
        passages = [entered.passage for entered in model.values()]
        for where in (*wheres, ANYTHING, PassageFilter(slots=tuple(model)[::2])):
            assert index.select(where) == expected_passages(passages, where)
            assert set(index.slots(where)) == {passage.slot for passage in expected_passages(passages, where)}
        terms = {term for entered in model.values() for term in entered.terms}
        assert slots_with_words(index, *terms, "nowhere") == {
            term: sorted(slot for slot, entered in model.items() if term in entered.terms) for term in terms
        }

    # Several users, and erasure

    def test_users_with_the_same_words_do_not_see_each_other(self, store: Store) -> None:
        logs = [store.log(f"user {number}") for number in range(12)]
        own: list[list[int]] = []
        for number, log in enumerate(logs):
            log.append([recall_observation("hello")])
            turn = recall_passage(1, "tea", f"{number}", session="a", size=number + 1, record="r", speaker="Ana")
            own.append(change_recall_index(recall_index(log), turn))
        for number, log in enumerate(logs):
            index = recall_index(log)
            assert slots_with_words(index, "tea", "1", "11") == {
                "tea": own[number],
                **({str(number): own[number]} if number in (1, 11) else {}),
            }
            assert [passage.size for passage in index.select(PassageFilter(sessions=("a",), records=("r",)))] == [
                number + 1
            ]
            assert [placed.size for placed in index.placed(0)] == [number + 1]
        recall_index(logs[3]).clear()
        change_recall_index(recall_index(logs[4]), remove=recall_index(logs[4]).select(ANYTHING))
        assert [len(recall_index(log).select(ANYTHING)) for log in logs] == [1, 1, 1, 0, 0, *[1] * 7]

    def test_erasing_entries_takes_their_words_and_all_records_out_in_the_same_step(self, log: Log) -> None:
        change_recall_index(
            recall_index(log),
            recall_passage(1, "penicillin", "allergic", speaker="Ana", language="en"),
            recall_passage(2, "tea", speaker="Ben", language="en"),
            recall_passage(4, "penicillin", kind="fact", cites=(1,)),
            recall_passage(0, "penicillin", kind="record", record="health.Allergy/1", cites=(4,)),
            recall_passage(0, "tea", kind="record", record="food.Drink/1", cites=(2,)),
        )
        assert log.erase([1], why="asked") == (1, 4)
        index = recall_index(log)
        left = index.select(ANYTHING)
        # A store may also drop the whole index: it is a cache.
        assert [passage.position for passage in left] in ([2], [])
        assert slots_with_words(index, "penicillin", "allergic") == {}
        wanted = msgspec.structs.replace(head_after(NO_INDEX, add=left), form=1) if left else NO_INDEX
        assert msgspec.structs.replace(index.head(), changes=wanted.changes) == wanted

    def test_words_that_were_read_before_they_were_erased_do_not_come_in(self, log: Log) -> None:
        index, late = recall_index(log), recall_passage(1, "penicillin")
        log.erase([1], why="asked")
        index.change(NO_INDEX, head_after(NO_INDEX, add=[late.passage], position=3), add=[late], remove=())
        assert slots_with_words(recall_index(log), "penicillin") == {}

    def test_an_erased_user_leaves_nothing_and_late_words_do_not_come_in(self, store: Store) -> None:
        log, other = store.log("ana"), store.log("ben")
        for written in (log, other):
            written.append([recall_observation("I like tea")])
            change_recall_index(recall_index(written), recall_passage(1, "tea"))
        index = recall_index(log)
        store.erase("ana")
        index.change(NO_INDEX, IndexHead(form=1, position=1), add=[recall_passage(1, "tea")], remove=())
        assert len(slots_with_words(recall_index(other), "tea")["tea"]) == 1
        for user in ("ana", "never wrote a word"):
            again = store.log(user)
            assert recall_index(again).head() == NO_INDEX
            assert slots_with_words(recall_index(again), "tea") == {}
            again.append([recall_observation("hello")])
            assert recall_index(again).head() == NO_INDEX
            assert recall_index(again).select(ANYTHING) == []

    # Vectors

    @pytest.fixture
    def four(self, index: IndexRows) -> list[int]:
        """The slots of four passages in an index that can store vectors."""
        pytest.importorskip("numpy")
        if not index.can_compare():
            pytest.skip("this store cannot keep vectors here")
        return change_recall_index(index, *(recall_passage(1, "tea", start=number) for number in range(4)))

    def test_the_closest_vectors_are_found(self, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four, recall_vectors([1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [-1, 0, 0]))
        question = recall_vectors([1, 0, 0])
        assert index.nearest("observation", "e", question, 2) == four[:2]
        assert index.nearest("observation", "e", question[0], 9) == four
        close = index.closeness("e", question, [*four[1:], 10**9])
        assert close == pytest.approx({four[1]: 0.8, four[2]: 0, four[3]: -1}, abs=0.02)
        assert index.closeness("e", question, []) == {}

    def test_a_vector_of_zeros_is_close_to_none(self, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four[:2], recall_vectors([0, 0], [0, 1]))
        assert index.closeness("e", recall_vectors([0, 1]), four) == pytest.approx({four[0]: 0, four[1]: 1}, abs=0.02)
        assert set(index.closeness("e", recall_vectors([0, 0]), four).values()) == {0}

    def test_vectors_of_different_embedders_are_never_compared(self, index: IndexRows, four: list[int]) -> None:
        index.keep("small", four[:2], recall_vectors([1, 0], [0, 1]))
        index.keep("large", four[1:], recall_vectors([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]))
        assert index.nearest("observation", "small", recall_vectors([0, 1]), 9) == four[1::-1]
        assert index.nearest("observation", "large", recall_vectors([0, 0, 0, 1]), 1) == four[3:]
        assert set(index.closeness("small", recall_vectors([0, 1]), four)) == set(four[:2])
        assert index.nearest("observation", "other", recall_vectors([0, 1]), 9) == []
        assert index.closeness("other", recall_vectors([0, 1]), four) == {}
        assert [index.embedded(name) for name in ("small", "large", "other")] == [2, 3, 0]

    def test_what_has_no_vector_yet_is_told_newest_first(self, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four[1:2], recall_vectors([1, 0]))
        assert index.unembedded("e", 2) == [four[3], four[2]]
        assert index.unembedded("e", 9) == [four[3], four[2], four[0]]
        assert index.unembedded("other", 9) == four[::-1]

    def test_a_vector_that_is_kept_again_is_kept_once(self, index: IndexRows, four: list[int]) -> None:
        for _ in range(2):
            index.keep("e", four[:1], recall_vectors([0, 1]))
        assert index.embedded("e") == 1
        assert index.nearest("observation", "e", recall_vectors([0, 1]), 9) == four[:1]

    def test_the_closest_are_of_the_kind_that_is_asked_for(self, index: IndexRows, four: list[int]) -> None:
        others = change_recall_index(
            index, recall_passage(4, kind="fact"), recall_passage(0, kind="record", record="r")
        )
        index.keep("e", [*four, *others], recall_vectors(*[(1, 0)] * 6))
        assert [list(index.nearest(kind, "e", recall_vectors([1, 0]), 9)) for kind in KINDS] == [
            four,
            others[:1],
            others[1:],
        ]
        assert set(index.closeness("e", recall_vectors([1, 0]), [*four, *others])) == {*four, *others}
        assert (index.embedded("e"), index.unembedded("e", 9)) == (6, [])

    def test_vectors_go_with_their_passages(self, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four, recall_vectors(*[(1, 0)] * 4))
        change_recall_index(index, remove=index.select(PassageFilter(slots=(four[0],))))
        assert index.embedded("e") == 3
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == four[1:]
        index.keep("e", [four[0], 10**9], recall_vectors([1, 0], [1, 0]))
        assert index.embedded("e") == 3
        index.clear()
        assert index.embedded("e") == 0
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == []

    def test_a_vector_that_came_when_another_went_is_found(self, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four, recall_vectors(*[(1, 0)] * 4))
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == four
        (new,) = change_recall_index(
            index, recall_passage(2, "tea"), remove=index.select(PassageFilter(slots=(four[3],)))
        )
        index.keep("e", [new], recall_vectors([1, 0]))
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == [*four[:3], new]

    def test_erasing_entries_takes_their_vectors(self, log: Log, four: list[int]) -> None:
        (other,) = change_recall_index(recall_index(log), recall_passage(2, "tea"))
        recall_index(log).keep("e", [*four, other], recall_vectors(*[(1, 0)] * 5))
        log.erase([1], why="asked")
        assert recall_index(log).nearest("observation", "e", recall_vectors([1, 0]), 9) in ([other], [])
        assert set(recall_index(log).closeness("e", recall_vectors([1, 0]), four)) == set()

    def test_users_do_not_find_each_others_vectors(self, store: Store, index: IndexRows, four: list[int]) -> None:
        index.keep("e", four, recall_vectors(*[(1, 0)] * 4))
        other = store.log("someone else")
        other.append([recall_observation("hello")])
        (slot,) = change_recall_index(recall_index(other), recall_passage(1, "tea"))
        recall_index(other).keep("e", [slot], recall_vectors([0, 1]))
        assert recall_index(other).nearest("observation", "e", recall_vectors([1, 0]), 9) == [slot]
        assert recall_index(other).embedded("e") == 1
        assert index.nearest("observation", "e", recall_vectors([1, 0]), 9) == four
        index.clear()
        assert (index.embedded("e"), recall_index(other).embedded("e")) == (0, 1)

    @_SETTINGS
    @given(seed=st.integers(0, 10**6), count=st.integers(1, 60), dimension=st.sampled_from([3, 64, 300]))
    def test_the_nearest_are_those_that_a_full_comparison_gives(
        self, store: Store, seed: int, count: int, dimension: int
    ) -> None:
        np = pytest.importorskip("numpy")
        log = store.log(f"user {uuid.uuid4()}")
        log.append([recall_observation("hello")])
        index = recall_index(log)
        if not index.can_compare():
            pytest.skip("this store cannot keep vectors here")
        slots = change_recall_index(index, *(recall_passage(1, start=number) for number in range(count)))
        vectors = np.random.default_rng(seed).normal(size=(count + 1, dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        index.keep("e", slots, vectors[1:])
        exact = dict(zip(slots, (vectors[1:] @ vectors[0]).tolist(), strict=True))
        assert index.closeness("e", vectors[:1], slots) == pytest.approx(exact, abs=0.02)
        nearest = [exact[slot] for slot in index.nearest("observation", "e", vectors[:1], 10)]
        assert nearest == pytest.approx(sorted(exact.values(), reverse=True)[:10], abs=0.02)


def recall_vectors(*vectors: Sequence[float]) -> "Vectors":
    import numpy as np

    return np.array(vectors, np.float32)
