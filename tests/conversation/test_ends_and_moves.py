"""What is moved takes its end along, and what will end is not over before its day."""

from datetime import datetime
from typing import Any

import pytest

from support.scripted_model import TUESDAY, fact, facts, heard, teach, whys
from uac import Memory
from uac.project.records import UnsureField

REHEARSAL = "Extra rehearsal on 12 June 2024 from 19:00 to 21:30."
APPOINTMENT = "calendar.Appointment"


def patches(*items: dict[str, Any]) -> dict[str, Any]:
    return {"patches": list(items)}


def rehearsal() -> tuple[Memory, str]:
    memory = heard(REHEARSAL)
    fields = {
        "what": "extra rehearsal",
        "starts": "2024-06-12T19:00:00+00:00",
        "ends": "2024-06-12T21:30:00+00:00",
    }
    put = {"op": "put", "type": APPOINTMENT, "fields": fields, "cites": [2]}
    _model, learned = teach(memory, facts(fact(REHEARSAL, 1, REHEARSAL.rstrip("."))), patches(put))
    assert whys(learned.outcomes) == [[], []]
    (record,) = memory.project().records(APPOINTMENT)
    return memory, record.id


def move(memory: Memory, record: str, words: str, **fields: Any) -> Any:
    turn = memory.add(words, said=TUESDAY)
    amend = {"op": "amend", "record": record, "fields": fields, "cites": [turn + 1]}
    _model, learned = teach(memory, facts(fact(words, turn, words.rstrip("."))), patches(amend))
    assert whys(learned.outcomes) == [[], []]
    (moved,) = memory.project().records(APPOINTMENT)
    return moved


@pytest.mark.parametrize("given", [{}, {"ends": None}])
def test_an_end_on_the_day_of_the_start_moves_with_it_if_the_hour_stays(given: dict[str, None]) -> None:
    memory, record = rehearsal()
    words = "The extra rehearsal is on 14 June 2024 instead, same time."
    moved = move(memory, record, words, starts="2024-06-14T19:00:00+00:00", **given)
    assert (moved.values["starts"], moved.values["ends"]) == (
        datetime.fromisoformat("2024-06-14T19:00:00+00:00"),
        datetime.fromisoformat("2024-06-14T21:30:00+00:00"),
    )
    assert moved.unsure == (UnsureField("ends", "it was moved with its start"),)


def test_an_end_is_no_longer_known_if_day_and_hour_change() -> None:
    memory, record = rehearsal()
    words = "The extra rehearsal is on 14 June 2024 at 18:30 instead."
    moved = move(memory, record, words, starts="2024-06-14T18:30:00+00:00")
    assert (moved.values["starts"], moved.values["ends"]) == (datetime.fromisoformat("2024-06-14T18:30:00+00:00"), None)


def test_an_end_that_is_stated_stays_as_stated_and_one_on_the_same_day_is_not_touched() -> None:
    memory, record = rehearsal()
    words = "The extra rehearsal is on 14 June 2024 from 18:30 to 20:00."
    starts, ends = "2024-06-14T18:30:00+00:00", "2024-06-14T20:00:00+00:00"
    stated = move(memory, record, words, starts=starts, ends=ends)
    assert stated.values["ends"] == datetime.fromisoformat(ends)
    later = move(memory, stated.id, "The extra rehearsal starts at 18:00.", starts="2024-06-14T18:00:00+00:00")
    assert later.values["ends"] == datetime.fromisoformat(ends)


# --- what will end ----------------------------------------------------------------------------------------------------


def test_a_record_that_ends_in_the_future_is_not_ended_but_gets_its_last_day() -> None:
    memory = heard("I pay 12 EUR a month for BarnCam since 1 May 2024.")
    fields = {"name": "BarnCam", "price": "12 EUR", "every": "month", "started": "2024-05-01"}
    put = {"op": "put", "type": "finance.Subscription", "fields": fields, "cites": [2]}
    words = "The user pays 12 EUR a month for BarnCam since 1 May 2024."
    teach(memory, facts(fact(words, 1, "I pay 12 EUR a month for BarnCam since 1 May 2024")), patches(put))
    (record,) = memory.project().records("finance.Subscription")
    turn = memory.add("BarnCam ends on 31 August 2024.", said=TUESDAY)
    end = {"op": "end", "record": record.id, "when": "2024-08-31", "why": "cancelled", "cites": [turn + 1]}
    last = {"op": "amend", "record": record.id, "fields": {"ends": "2024-08-31"}, "cites": [turn + 1]}
    told = facts(fact("BarnCam ends on 31 August 2024.", turn, "BarnCam ends on 31 August 2024"))
    _model, learned = teach(memory, told, patches(end), patches(last))
    refused = (
        f"{record.id} ends on 2024-08-31, which is still to come, and an ended record counts as ended at once."
        " Amend its field ends."
    )
    assert any(refused in why for listed in whys(learned.outcomes) for why in listed)
    (after,) = memory.project().records("finance.Subscription")
    assert (after.ended, str(after.values["ends"])) == (None, "2024-08-31")


@pytest.mark.parametrize(
    ("words", "is_ended"),
    [("I bought Vreni a late present.", True), ("I bought my sister a late present.", False)],
)
def test_a_task_is_ended_by_the_users_own_words_about_its_person(words: str, is_ended: bool) -> None:
    memory = heard("I must send Vreni something for her birthday by 20 May 2024.")
    fields = {"what": "send Vreni something for her birthday", "due": "2024-05-20"}
    put = {"op": "put", "type": "calendar.Deadline", "fields": fields, "cites": [2]}
    first = fact(
        "The user must send Vreni something for her birthday by 20 May 2024.", 1, "I must send Vreni something"
    )
    teach(memory, facts(first), patches(put))
    (record,) = memory.project().records("calendar.Deadline")
    turn = memory.add(words, said=TUESDAY)
    end = {"op": "end", "record": record.id, "when": "2024-05-07", "why": "done", "cites": [turn + 1]}
    aside = {"op": "set_aside", "cites": [turn + 1], "why": "a present"}
    replies = [patches(end)] if is_ended else [patches(end), patches(aside)]
    teach(memory, facts(fact(words.replace("I", "The user", 1), turn, words.rstrip("."))), *replies)
    (after,) = memory.project().records("calendar.Deadline")
    assert (after.ended is not None) == is_ended


def test_what_is_put_again_after_its_end_has_no_old_end() -> None:
    memory = heard("Audible is 8.99 GBP a month.")
    put = {
        "op": "put",
        "type": "finance.Subscription",
        "fields": {"name": "Audible", "price": "8.99 GBP"},
        "cites": [2],
    }
    teach(memory, facts(fact("Audible is 8.99 GBP a month.", 1, "Audible is 8.99 GBP a month")), patches(put))
    (record,) = memory.project().records("finance.Subscription")
    turn = memory.add("I cancelled Audible today.", said=TUESDAY)
    amend = {"op": "amend", "record": record.id, "fields": {"cancelled_on": "2024-05-07"}, "cites": [turn + 1]}
    end = {"op": "end", "record": record.id, "when": "2024-05-07", "why": "cancelled", "cites": [turn + 1]}
    teach(
        memory, facts(fact("The user cancelled Audible today.", turn, "I cancelled Audible today")), patches(amend, end)
    )
    turn = memory.add("I have Audible again.", said=TUESDAY)
    again = {"op": "put", "type": "finance.Subscription", "fields": {"name": "Audible"}, "cites": [turn + 1]}
    teach(memory, facts(fact("The user has Audible again.", turn, "I have Audible again")), patches(again))
    (after,) = memory.project().records("finance.Subscription")
    assert (after.ended, after.values["cancelled_on"], str(after.values["price"])) == (None, None, "8.99 GBP")


def test_a_record_that_a_fact_does_not_name_is_not_ended_if_the_day_of_the_fact_is_another_one_s() -> None:
    told = "Dinner at Nopa with Fiona on 2024-05-20, and a meeting with Fiona about the lease on 2024-05-22 at 14:00."
    memory = heard(told)
    nopa = {"place": "Nopa", "day": "2024-05-20", "who": ["Fiona"]}
    booking = {"op": "put", "type": "food.Booking", "fields": nopa, "cites": [2]}
    lease = {"what": "lease", "starts": "2024-05-22T14:00:00+00:00", "who": ["Fiona"]}
    meeting = {"op": "put", "type": APPOINTMENT, "fields": lease, "cites": [2]}
    teach(memory, facts(fact(told, 1, told.rstrip("."))), patches(booking, meeting))
    (dinner,), (appointment,) = (memory.project().records(name) for name in ("food.Booking", APPOINTMENT))
    words = "The meeting with Fiona on 2024-05-22 is cancelled."
    turn = memory.add(words, said=TUESDAY)

    def end(record: str) -> dict[str, Any]:
        return patches({"op": "end", "record": record, "when": "2024-05-07", "why": "cancelled", "cites": [turn + 1]})

    said = facts(fact(words, turn, words.rstrip(".")))
    _model, learned = teach(memory, said, end(dinner.id), end(appointment.id))
    instead = "Change the record that the fact is about; if it is this one, give the same patch again."
    assert whys(learned.outcomes)[1] == [f"No cited fact names {dinner.id} or its day. {instead}"]
    assert memory.project().record(dinner.id).ended is None
    assert memory.project().record(appointment.id).ended is not None


def test_a_change_of_a_record_that_its_fact_has_no_word_of_is_sent_back_once_if_it_names_another() -> None:
    seen, signed = "I saw Dr. Hallberg about my stomach on 2024-05-02", "I signed up for Tunewell at 7.95 GBP a month"
    memory = heard(f"{seen}. {signed}.")
    visit: dict[str, Any] = {"op": "put", "type": "health.Visit", "cites": [2]}
    visit["fields"] = {"what": "stomach", "day": "2024-05-02", "doctor": "Dr. Hallberg"}
    music: dict[str, Any] = {"op": "put", "type": "finance.Subscription", "cites": [3]}
    music["fields"] = {"name": "Tunewell", "price": "7.95 GBP"}
    teach(memory, facts(fact(f"{seen}.", 1, seen), fact(f"{signed}.", 1, signed)), patches(visit, music))
    (stomach,) = memory.project().records("health.Visit")
    words = "Sorry, I saw Dr. Hallberg about my stomach on 2024-05-01, not then."
    turn = memory.add(words, said=TUESDAY)

    def amended(record: str, field: str) -> dict[str, Any]:
        return patches({"op": "amend", "record": record, "fields": {field: "2024-05-01"}, "cites": [turn + 1]})

    said = facts(fact("The user saw Dr. Hallberg about the stomach on 2024-05-01, not then.", turn, words.rstrip(".")))
    wrong, right = amended("finance.Subscription:tunewell", "started"), amended(stomach.id, "day")
    _model, learned = teach(memory, said, wrong, right)
    (refusal,) = whys(learned.outcomes)[1]
    assert refusal.startswith(f"The cited facts have more words of {stomach.id} than of finance.Subscription:tunewell.")
    assert memory.project().record("finance.Subscription:tunewell").values.get("started") is None
    assert [str(each.values["day"]) for each in memory.project().records("health.Visit")] == ["2024-05-01"]


def test_a_change_of_another_doctors_visit_is_sent_back_once_unless_the_doctor_is_what_changes() -> None:
    memory = heard("I talked to my doctors.")
    knee = {"what": "knee", "day": "2024-05-02"}
    first = memory.put("health.Visit", {**knee, "doctor": "Dr. Lindqvist"})
    second = memory.put("health.Visit", {**knee, "day": "2024-05-06", "doctor": "Dr. Hallberg"})

    def amended(record: str, fields: dict[str, Any]) -> dict[str, Any]:
        return patches({"op": "amend", "record": record, "fields": fields, "cites": [turn + 1]})

    words = "I saw Dr. Lindqvist about my knee on 2024-05-01."
    turn = memory.add(words, said=TUESDAY)
    day = {"day": "2024-05-01"}
    said = facts(fact(words, turn, words.rstrip(".")))
    _model, learned = teach(memory, said, amended(second, day), amended(first, day))
    assert whys(learned.outcomes)[1][0].startswith(f"The cited facts have more words of {first} than of {second}.")
    (moved,) = (each for each in memory.project().records("health.Visit") if each.values["doctor"] == "Dr. Lindqvist")
    assert str(moved.values["day"]) == "2024-05-01"

    words = "It was Dr. Lindqvist whom I saw about my knee on 2024-05-06."
    turn = memory.add(words, said=TUESDAY)
    said = facts(fact(words, turn, words.rstrip(".")))
    _model, learned = teach(memory, said, amended(second, {"doctor": "Dr. Lindqvist"}))
    assert whys(learned.outcomes)[1] == []


def test_a_change_may_name_a_record_by_the_words_of_the_fact_that_it_was_made_of() -> None:
    told = "My knee hurts, the doctor calls it IT band syndrome, and I see Dr. Sand about the knee on 2024-05-20."
    memory = heard(told)
    band = {"op": "put", "type": "health.Condition", "fields": {"name": "IT band syndrome"}, "cites": [2]}
    visit: dict[str, Any] = {"op": "put", "type": "health.Visit", "cites": [3]}
    visit["fields"] = {"what": "knee", "day": "2024-05-20", "doctor": "Dr. Sand"}
    syndrome = fact(
        "The user's knee hurts from IT band syndrome.", 1, "My knee hurts, the doctor calls it IT band syndrome"
    )
    teach(
        memory,
        facts(
            syndrome,
            fact(
                "The user sees Dr. Sand about the knee on 2024-05-20.", 1, "I see Dr. Sand about the knee on 2024-05-20"
            ),
        ),
        patches(band, visit),
    )
    words = "Dr. Sand says my knee is fine again."
    turn = memory.add(words, said=TUESDAY)
    end = {"op": "amend", "record": "health.Condition:it band syndrome", "fields": {"past": True}, "cites": [turn + 1]}
    teach(
        memory, facts(fact("Dr. Sand says that the user's knee is fine again.", turn, words.rstrip("."))), patches(end)
    )
    assert memory.project().record("health.Condition:it band syndrome").values["past"] is True
