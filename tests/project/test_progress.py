"""How far models have come with a log: unread, open, stuck, and spent."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from uac.project.progress import NO_PROGRESS, Progress, ProgressDraft, RepeatedRequest, Spending, Spent
from uac.schema.entries import Finding, ModelCall
from uac.schema.persistent_map import Map

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def call(**changes: Any) -> ModelCall:
    fields = {"model": "m", "step": "extract", "prompt_hash": "p", "request_hash": "r", "reply": "", **changes}
    return ModelCall(**{"read": fields.get("answers", ()), **fields})


def after(*calls: ModelCall, progress: Progress = NO_PROGRESS, gone: tuple[int, ...] = ()) -> Progress:
    """The progress after calls at the positions 10, 11, …"""
    draft = ProgressDraft(progress)
    for position, each in enumerate(calls, 10):
        draft.call(each, position, DAY, stands=lambda position: position not in gone)
    return draft.freeze()


UNREAD = Progress(unread=Map({1: 0, 2: 0, 3: 0}))


def test_answered_entries_are_no_longer_unread() -> None:
    assert after(call(answers=(1, 2)), progress=UNREAD).unread == Map({3: 0})


def test_an_entry_that_was_read_in_part_stays_unread_from_there() -> None:
    assert after(call(answers=(1, 2), through=400), progress=UNREAD).unread == Map({2: 400, 3: 0})
    assert after(call(answers=(1, 2), through=400), progress=UNREAD, gone=(2,)).unread == Map({3: 0})


def test_an_entry_that_gave_no_fact_is_read_again() -> None:
    assert after(call(answers=(1, 2), empty=(1, 2)), progress=UNREAD, gone=(2,)).again == Map({1: None})


def test_an_entry_without_an_answer_is_stuck_with_the_last_reason() -> None:
    findings = (Finding(why="no quote", positions=(1, 2, 9)),)
    assert after(call(answers=(1, 2), findings=findings), progress=UNREAD, gone=(2,)).stuck == Map({1: "no quote"})


def test_an_earlier_part_without_an_answer_stays_stuck() -> None:
    progress = Progress(unread=Map({1: 400}), stuck=Map({1: "no quote"}))
    assert after(call(answers=(1,)), progress=progress).stuck == Map({1: "no quote"})
    assert after(call(answers=(1,)), progress=Progress(stuck=Map({1: "no quote"}))).stuck == Map()


def test_an_open_question_keeps_its_calls_until_it_is_answered() -> None:
    asked = call(answers=(1, 2), is_open=True)
    assert after(asked, asked).asked == {(1, 2): RepeatedRequest("extract", (10, 11))}
    assert after(asked, call(answers=(1, 2))).asked == {}
    assert after(asked, call(answers=(2, 3), is_open=True)).asked == {(2, 3): RepeatedRequest("extract", (11,))}


def test_a_question_that_read_a_removed_entry_is_not_asked_again() -> None:
    assert after(call(answers=(1,), read=(1, 2), is_open=True), gone=(2,)).asked == {}


def test_facts_that_a_judge_read_are_judged() -> None:
    assert after(call(step="judge", read=(4, 5)), gone=(5,)).judged == Map({4: None})
    assert after(call(step="judge", read=(4,), findings=(Finding(why="no"),))).judged == Map()


def test_a_settled_entry_waits_nowhere() -> None:
    draft = ProgressDraft(Progress(Map({1: 0}), Map({1: None}), Map({1: "why"}), Map({1: None})))
    draft.settle(1)
    assert draft.freeze() == NO_PROGRESS


def test_spending_is_summed_by_day_step_and_model() -> None:
    priced = call(input_tokens=10, output_tokens=2, cost=Decimal("0.5"))
    spent = after(priced, priced, call(step="judge", input_tokens=1))
    assert spent.spent == {
        Spending("2026-03-01", "extract", "m"): Spent(2, 20, 4, Decimal("1.0")),
        Spending("2026-03-01", "judge", "m"): Spent(1, 1, 0, Decimal(0), unpriced=1),
    }
    assert spent.spent_in_all() == Spent(3, 21, 4, Decimal("1.0"), 1)
    assert spent.spent_in_all(step="judge").tokens == 1
    assert spent.spent_in_all(day="2026-03-02") == Spent()
