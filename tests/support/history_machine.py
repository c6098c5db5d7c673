"""The rules of random histories, for two sides that write to the same user."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from support.checked_histories import CHECKED
from support.histories import ALLERGY, MEDICATION, Actor, Oracle

__all__ = ["HistoryMachine"]

SIDES = st.integers(0, 1)
SUBSTANCES = st.sampled_from(["penicillin", "latex", "kiwi"])
RECORDS = st.one_of(
    st.tuples(st.just(ALLERGY), st.just("substance"), SUBSTANCES),
    st.tuples(st.just(MEDICATION), st.just("name"), st.sampled_from(["amoxicillin", "metformin"])),
)


class HistoryMachine(RuleBasedStateMachine):
    """Both sides do what they like; after each step, the other side than the one that acted sees what it must."""

    kind = ""
    """The kind of history, for the count."""

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle()
        self.sides: tuple[Actor, Actor] = self.open_sides()
        self.number = 0
        self.last_side = 0
        self.sent: list[tuple[str, Any]] = []
        """Requests that had a key, and their results."""
        self.threads = ThreadPoolExecutor(2)

    def open_sides(self) -> tuple[Actor, Actor]:
        raise NotImplementedError

    def act(self, side: int) -> Actor:
        self.last_side = side
        return self.sides[side]

    def new_number(self) -> int:
        self.number += 1
        return self.number

    @rule(side=SIDES)
    def add(self, side: int) -> None:
        text = f"a note about zebra{self.new_number()}"
        self.oracle.add(self.act(side).add(text), text)

    @rule(side=SIDES, substance=SUBSTANCES)
    def add_with_key_and_send_again_elsewhere(self, side: int, substance: str) -> None:
        text, key = f"I am allergic to {substance}", f"key {self.new_number()}"
        position = self.act(side).add(text, key)
        assert self.sides[1 - side].add(text, key) == position
        self.oracle.add(position, text, substance)
        self.sent.append(("add", (text, key, position)))

    @rule(side=SIDES, record=RECORDS)
    def put(self, side: int, record: tuple[str, str, str]) -> None:
        type_name, field, name = record
        key = f"key {self.new_number()}"
        position, is_repeated = self.act(side).put(type_name, field, name, key)
        assert not is_repeated
        self.oracle.put(position, type_name, name, f"{name} it is")
        self.sent.append(("put", (type_name, field, name, key, position)))

    @precondition(lambda self: self.sent)
    @rule(side=SIDES, data=st.data())
    def send_an_earlier_request_again(self, side: int, data: st.DataObject) -> None:
        what, values = data.draw(st.sampled_from(self.sent))
        if values[-1] not in self.oracle.words:
            return  # it was erased: then it is refused, which other tests show
        if what == "add":
            assert self.act(side).add(*values[:2]) == values[-1]
        else:
            assert self.act(side).put(*values[:4]) == (values[-1], True)

    @rule(record=RECORDS)
    def put_the_same_on_both_sides_at_once(self, record: tuple[str, str, str]) -> None:
        type_name, field, name = record
        key = f"key {self.new_number()}"
        both = [self.threads.submit(side.put, type_name, field, name, key) for side in self.sides]
        (first, was_done), (second, was_done_too) = [each.result() for each in both]
        assert first == second
        assert {was_done, was_done_too} == {True, False}
        self.oracle.put(first, type_name, name, f"{name} it is")

    @rule()
    def add_on_both_sides_at_once(self) -> None:
        texts = [f"a note about zebra{self.new_number()}" for _ in self.sides]
        both = [self.threads.submit(side.add, text) for side, text in zip(self.sides, texts, strict=True)]
        for text, position in zip(texts, both, strict=True):
            self.oracle.add(position.result(), text)

    @precondition(lambda self: self.oracle.allergies)
    @rule(side=SIDES, data=st.data(), reaction=st.sampled_from(["rash", "hives"]))
    def correct(self, side: int, data: st.DataObject, reaction: str) -> None:
        substance = data.draw(st.sampled_from(sorted(self.oracle.allergies)))
        self.act(side).correct(f"{ALLERGY}:{substance}", reaction)
        self.oracle.correct(substance, reaction)
        assert self.sides[1 - side].reaction(f"{ALLERGY}:{substance}") == reaction

    @precondition(lambda self: self.oracle.allergies or self.oracle.medications)
    @rule(side=SIDES, data=st.data())
    def retract(self, side: int, data: st.DataObject) -> None:
        known = [(ALLERGY, name) for name in sorted(self.oracle.allergies)]
        known += [(MEDICATION, name) for name in sorted(self.oracle.medications)]
        type_name, name = data.draw(st.sampled_from(known))
        self.act(side).retract(f"{type_name}:{name}")
        self.oracle.retract(type_name, name)

    @precondition(lambda self: self.oracle.words)
    @rule(side=SIDES, data=st.data())
    def erase(self, side: int, data: st.DataObject) -> None:
        position = data.draw(st.sampled_from(sorted(self.oracle.words)))
        self.act(side).erase(position)
        self.oracle.erase(position)

    @precondition(lambda self: self.oracle.words)
    @rule(side=SIDES)
    def tick(self, side: int) -> None:
        self.act(side).tick()

    @precondition(lambda self: self.oracle.words)
    @rule(side=SIDES)
    def compute(self, side: int) -> None:
        if self.oracle.allergies:
            code = "sorted(a.substance for a in health.allergies)"
            assert self.sides[side].compute(code) == sorted(self.oracle.allergies)

    @precondition(lambda self: self.number)
    @rule(side=SIDES, data=st.data())
    def recall(self, side: int, data: st.DataObject) -> None:
        if not self.oracle.words:
            return
        text = f"a note about zebra{data.draw(st.integers(1, self.number))}"
        found = text in self.sides[side].recall(text.rpartition(" ")[2])
        assert found == (text in self.oracle.words.values())

    @invariant()
    def the_other_side_sees_everything(self) -> None:
        if self.oracle.words:
            assert self.sides[1 - self.last_side].seen() == self.oracle.seen()

    def teardown(self) -> None:
        self.threads.shutdown()
        CHECKED.append(self.kind)
