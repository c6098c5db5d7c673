"""The memory of one user: each method, with the whole value that it returns."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from support.constraints import ALLERGIES, ENDING, NOW, Clock, case, constraint, watched
from support.short_logs import ALLERGY, type_of
from uac import Memory, open_store
from uac.errors import Moved, Refused, Rejected, Unavailable
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel
from uac.packs import Pack, chosen_packs
from uac.project.diff import Change
from uac.recall.search import IndexProgress
from uac.schema.entries import AlertChange, Correction, Delivery, Observation
from uac.schema.patches import AddField, Define, Drop, Put

NUTS, PILL = "health.Allergy:nuts", "health.Medication:iron"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[Memory]:
    """With allergies, medications and trips, and an alert for each allergy."""
    memory = watched(ALLERGIES, clock=clock)
    yield memory
    memory.close()


def nuts(memory: Memory) -> str:
    return memory.put("health.Allergy", {"substance": "nuts"})


def changes(made: list[AlertChange]) -> list[tuple[str, str]]:
    return [(change.change, change.subject) for change in made]


# --- opening ---


def test_a_memory_is_opened_only_with_known_options() -> None:
    log = MemoryStore().log("ana")
    options: dict[str, Any]
    for options, reason in (({"unreviewed": "trust"}, "'trust'"), ({"packs": ["health"]}, "packs")):
        with pytest.raises(Refused, match=reason):
            Memory(log, **options)


def test_without_packs_given_the_installed_ones_are_on_offer() -> None:
    assert Memory(MemoryStore().log("ana")).packs == chosen_packs()


def test_a_memory_shows_its_project_as_text_and_as_a_page(memory: Memory) -> None:
    nuts(memory)
    assert repr(memory) == f"<Memory at {memory.log.head().position}; health.Allergy: 1; alerts: 1>"
    assert "health.Allergy" in memory._repr_html_()


def test_a_memory_whose_store_is_closed_still_has_a_repr() -> None:
    class Broken(Log):
        def head(self) -> Any:
            raise Unavailable("the store is locked")

    log = MemoryStore().log("ana")
    assert repr(Memory(Broken(log._rows, log._clock))) == "<Memory: the store is locked>"


# --- records ---


def test_a_record_that_is_put_cites_the_words_it_was_stated_with(memory: Memory) -> None:
    record = memory.put("travel.Trip", {"city": "Rome", "start": date(2026, 5, 1)}, by="a form")
    assert memory.project().record(record).values == {"city": "Rome", "start": date(2026, 5, 1), "cost": None}
    (claim,) = memory.explain(record, "city").claims
    assert [found.words for found in claim.evidence] == ["travel.Trip: city = Rome, start = 2026-05-01"]


def test_a_record_that_is_put_has_the_sentence_or_the_entries_it_is_said_to_come_from(memory: Memory) -> None:
    rome = memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"}, words="I fly to Rome in May")
    told = memory.add("Then Oslo on the second of June, and Bergen on the third")
    oslo = memory.put("travel.Trip", {"city": "Oslo", "start": "2026-06-02"}, cites=[told])
    bergen = memory.put("travel.Trip", {"city": "Bergen", "start": "2026-06-03"}, cites=[told])
    words = {
        record: [found.words for found in memory.explain(record, "city").claims[0].evidence]
        for record in (rome, oslo, bergen)
    }
    said = "Then Oslo on the second of June, and Bergen on the third"
    assert words == {rome: ["I fly to Rome in May"], oslo: [said], bergen: [said]}
    assert [memory.project().record(record).values["city"] for record in words] == ["Rome", "Oslo", "Bergen"]
    assert "{" not in "".join(hit.text for hit in memory.recall("Rome").hits)


def test_a_record_that_is_put_cites_only_words_and_has_one_origin(memory: Memory) -> None:
    before = memory.log.head()
    with pytest.raises(Refused, match="Entry 99 is not an observation or a fact"):
        memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"}, cites=[99])
    with pytest.raises(Refused, match="Both cites and words"):
        memory.put("travel.Trip", {"city": "Rome", "start": "2026-05-01"}, cites=[1], words="I fly to Rome")
    assert memory.log.head() == before


def test_a_value_that_no_field_can_have_is_rejected_and_nothing_is_written(memory: Memory) -> None:
    before = memory.log.head()
    with pytest.raises(Rejected, match="start"):
        memory.put("travel.Trip", {"city": "Rome", "start": Decimal("1.5")})
    assert memory.log.head() == before


def test_a_record_ends_on_a_day_and_is_true_before_it(memory: Memory) -> None:
    record = memory.put("health.Medication", {"name": "iron"})
    position = memory.end(record, "2026-02", why="better")
    assert memory.at(date(2026, 1, 20)).record(record).values["name"] == "iron"
    assert memory.at(date(2026, 3, 1)).collected("health.medications") == []
    said = next(memory.log.read(position - 1, position)).entry
    assert isinstance(said, Observation)
    assert said.text == f"{PILL} ended 2026-02: better"


def test_a_dropped_record_is_gone_and_its_facts_are_set_aside(memory: Memory) -> None:
    record = nuts(memory)
    memory.drop(record, why="a joke")
    assert memory.project().records("health.Allergy") == []


def test_a_correction_sets_a_field_and_a_retraction_undoes_it(memory: Memory) -> None:
    record = nuts(memory)
    position = memory.correct(record, "severity", "mild", why="the doctor says so")
    assert memory.project().record(record).values["severity"] == "mild"
    memory.retract([position], why="a slip")
    assert memory.project().record(record).values["severity"] is None
    with pytest.raises(Refused, match="retracted before"):
        memory.retract([position], why="again")


def test_an_erasure_clears_the_alert_that_depends_on_the_erased_words() -> None:
    memory = Memory(open_store("memory:").log("ana"))
    memory.put("health.Allergy", {"substance": "penicillin"})
    memory.put("health.Medication", {"name": "amoxicillin"})
    assert [alert.constraint for alert in memory.alerts()] == ["drug_allergy"]
    said = next(stored.position for stored in memory.log.read() if stored.kind == "observation")
    erased = memory.erase([said], why="Ana asked")
    assert said in erased
    assert memory.alerts() == []
    assert memory.project().unwatched == frozenset()
    memory.close()


def test_a_correction_of_what_does_not_exist_is_refused(memory: Memory) -> None:
    with pytest.raises(Refused, match=NUTS):
        memory.correct(NUTS, "severity", "mild")
    with pytest.raises(Refused, match="colour"):
        memory.correct(nuts(memory), "colour", "red")


def test_a_constraint_that_a_person_approved_is_retracted_only_by_a_person() -> None:
    memory = watched()
    adopted = memory.adopt(ALLERGIES)
    with pytest.raises(Refused, match="retraction"):
        memory.retract([adopted], why="a model says so")
    memory.retract([adopted], why="not useful", reviewed=True)
    assert dict(memory.project().constraints) == {}
    memory.close()


def test_only_a_constraint_can_be_adopted(memory: Memory) -> None:
    with pytest.raises(Refused, match="Constraint"):
        memory.adopt("def f(user, now): ...")  # type: ignore[arg-type]  # the point


# --- before writing ---


def test_a_preview_shows_what_patches_would_change_and_writes_nothing(memory: Memory) -> None:
    record = nuts(memory)
    before = memory.log.head()
    after, changes = memory.preview([Drop(record=record, why="a joke")])
    assert after.records("health.Allergy") == []
    assert changes == [Change("record", "removed", NUTS)]
    assert memory.log.head() == before


def test_the_alerts_that_entries_would_raise_or_clear_are_foreseen(memory: Memory, clock: Clock) -> None:
    record = nuts(memory)
    before = memory.log.head()
    entry = Correction(record=record, field="substance", value="milk")
    after, alerts = memory.foresee([entry])
    assert [found.values["substance"] for found in after.records("health.Allergy")] == ["milk"]
    assert sorted(changes(alerts)) == [("cleared", "nuts"), ("raised", "milk")]
    assert memory.log.head() == before


def test_entries_are_written_only_on_the_project_they_were_prepared_for(memory: Memory) -> None:
    seen: list[int] = []

    def prepare(project: Any) -> list[Any]:
        seen.append(project.position)
        if len(seen) == 1:
            memory.add("meanwhile", said=NOW)
        return [Delivery(to="me", through=1)]

    (position,) = memory.write(prepare)
    assert seen == [position - 2, position - 1]


# --- time ---


def test_the_project_as_it_was_at_a_position_or_a_time(memory: Memory) -> None:
    record = nuts(memory)
    then = memory.log.head().position
    memory.correct(record, "severity", "mild")
    assert memory.project_as_of(then).record(record).values["severity"] is None
    assert memory.project_as_of(memory.log.now()) == memory.project()
    assert memory.diff(then) == memory.diff(then, memory.log.head().position) != []
    assert memory.diff(then, then) == []


def test_a_query_runs_over_the_project_as_it_is_or_as_it_was(memory: Memory) -> None:
    empty = memory.log.head().position
    nuts(memory)
    code = "len(user.health.allergies)"
    assert [memory.compute_as_of(code, when).value for when in (None, empty, memory.log.head().position)] == [1, 0, 1]
    assert memory.compute("now.year", now=datetime.fromisoformat("2031-01-01T00:00:00+00:00")).value == 2031


def test_a_search_in_the_past_does_not_find_what_was_said_later() -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    then = memory.add("The plumber comes on Monday.", said=NOW)
    memory.add("The plumber was late.", said=NOW)

    def positions(**options: Any) -> list[int]:
        return sorted(hit.position for hit in memory.recall("plumber", **options).hits)

    assert (positions(), positions(as_of=then)) == ([1, 2], [1])


def test_a_log_that_is_erased_again_and_again_while_it_is_indexed_is_unavailable() -> None:
    class Erased(Log):
        def read(self, *arguments: Any, **options: Any) -> Any:
            raise Moved(1, 2)

    log = MemoryStore().log("ana")
    memory = Memory(log, embedder=None)
    memory.add("hello", said=NOW)
    memory.project()
    memory.log = Erased(log._rows, log._clock)
    with pytest.raises(Unavailable, match="Try again"):
        memory.recall("hello")


def test_reindexing_reports_how_far_it_is() -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    memory.add("The plumber comes on Monday.", said=NOW)
    steps: list[tuple[str, int, int]] = []
    progress = memory.reindex(on_progress=lambda unit, done, total: steps.append((unit, done, total)))
    assert steps == [("entries", 1, 1)]
    assert progress == IndexProgress(1, 1, 0)
    assert memory.embed() == 0


def test_callbacks_are_also_called_under_their_former_name() -> None:
    memory = Memory(MemoryStore().log("ana"), embedder=None)
    memory.add("The plumber comes on Monday.", said=NOW)
    called: list[str] = []
    memory.reindex(told=lambda unit, _done, _total: called.append(unit))
    memory.learn(
        OneModel(ScriptedModel(*[{"facts": []}] * 9)), told=lambda outcome: called.append(outcome.request.step)
    )
    memory.ask("When?", OneModel(ScriptedModel(*[{"answer": ""}] * 9)), told=lambda reply: called.append(reply.model))
    assert set(called) == {"entries", "extract", "scripted"}


# --- what a person reads ---


def test_records_are_shown_as_files_a_manifest_a_table_and_a_plot(memory: Memory) -> None:
    memory.put("travel.Trip", {"city": "Rome", "start": date(2026, 5, 1)})
    memory.put("travel.Trip", {"city": "Bern", "start": date(2026, 5, 9)})
    assert any("Rome" in text for text in memory.render().values())
    assert '"travel": "trips 2: city, start: date, …"' in memory.manifest()
    assert [row[1:3] for row in memory.table("travel.Trip").rows] == [
        ("Rome", date(2026, 5, 1)),
        ("Bern", date(2026, 5, 9)),
    ]
    plot = memory.plot("travel.Trip", when="start")
    assert repr(plot) == "<Plot: rows by month; 1 value, highest 2026-05: 2, lowest 2026-05: 2>"


def test_context_for_a_question_has_the_alert_and_the_record(memory: Memory) -> None:
    nuts(memory)
    text = memory.context("What about nuts?", tokens=1000).text
    assert "No nuts." in text


# --- alerts ---


def test_an_alert_is_acknowledged_by_its_subject_or_by_part_of_it(memory: Memory) -> None:
    for substance in ("pine nuts", "milk"):
        memory.put("health.Allergy", {"substance": substance})
    memory.acknowledge("allergies", "pine", why="known")
    memory.snooze("allergies", "milk", until=NOW + timedelta(days=1))
    assert {alert.subject: (alert.state, alert.why, alert.until) for alert in memory.alerts()} == {
        "pine nuts": ("acknowledged", "known", None),
        "milk": ("snoozed", "", NOW + timedelta(days=1)),
    }
    for subject in ("", "wool"):
        with pytest.raises(Refused, match="'milk', 'pine nuts'"):
            memory.acknowledge("allergies", subject)
    with pytest.raises(Refused, match="nobody"):
        memory.acknowledge("nobody")


def test_a_tick_that_changes_nothing_is_not_written(memory: Memory, clock: Clock) -> None:
    nuts(memory)
    before = memory.log.head()
    assert memory.tick() == []
    assert memory.log.head() == before


YEARS = constraint(
    "years",
    "return [info(f'It is {now.year}.')] if now.year > 2026 else []",
    case("later", fires=True, now="2027-01-01"),
    case("now", fires=False),
)


def test_a_tick_needs_a_time_with_a_zone_that_is_not_before_the_last(clock: Clock) -> None:
    memory = watched(YEARS, clock=clock)
    assert [change.message for change in memory.tick(NOW + timedelta(days=400))] == ["It is 2027."]
    now: Any
    for now, reason in (("today", "'today'"), (NOW.replace(tzinfo=None), "time zone"), (NOW, "2027-02-14")):
        with pytest.raises(Refused, match=reason):
            memory.tick(now)
    memory.close()


def test_a_tick_may_come_at_the_end_of_all_times(clock: Clock) -> None:
    memory = watched(YEARS, ENDING, clock=clock)
    memory.put("health.Medication", {"name": "iron", "until": "2026-01-12"})
    last = datetime.max.replace(tzinfo=UTC)
    assert [change.message for change in memory.tick(last) if change.change == "raised"] == ["It is 9999."]


def test_a_tick_by_a_clock_that_is_behind_changes_nothing(clock: Clock) -> None:
    memory = watched(YEARS, clock=clock)
    memory.tick(NOW + timedelta(days=400))
    assert memory.tick() == []
    memory.close()


def test_alerts_of_unwatched_writes_come_with_the_next_look(memory: Memory) -> None:
    position = memory.add("I cannot eat nuts", said=NOW)
    put = Put(type="health.Allergy", fields={"substance": "nuts"}, cites=(position,))
    memory.checkpoint([put], watched=False)
    assert memory.alerts() == []
    assert changes(memory.look()) == [("raised", "nuts")]
    assert [alert.subject for alert in memory.alerts()] == ["nuts"]


def test_why_a_constraint_fired_names_its_values(memory: Memory) -> None:
    nuts(memory)
    why = memory.why("allergies")
    assert (why.reads, [alert.message for alert in why.alerts], why.failure) == (
        (("health.allergies", 1),),
        ["No nuts."],
        "",
    )


# --- deliveries ---


def test_each_change_of_an_alert_is_delivered_once_and_the_rest_after_an_error(memory: Memory) -> None:
    for substance in ("nuts", "milk", "wool"):
        memory.put("health.Allergy", {"substance": substance})
    sent: list[str] = []

    def send(_stored: Any, change: AlertChange) -> None:
        if change.subject == "milk" and sent == ["nuts"]:
            sent.append("failed")
            raise ConnectionError
        sent.append(change.subject)

    with pytest.raises(ConnectionError):
        memory.deliver("phone", send)
    assert memory.deliver("phone", send) == 2
    assert sent == ["nuts", "failed", "milk", "wool"]
    assert memory.deliver("phone", send) == 0
    assert memory.deliver("mail", lambda _stored, _change: None) == 3


def test_a_delivery_needs_a_name(memory: Memory) -> None:
    with pytest.raises(Refused, match="empty"):
        memory.deliver(" ", lambda _stored, _change: None)


def test_a_long_delivery_is_noted_on_the_way(memory: Memory) -> None:
    position = memory.add("I cannot eat a lot of things", said=NOW)
    puts = [Put(type="health.Allergy", fields={"substance": f"s{n}"}, cites=(position,)) for n in range(101)]
    memory.checkpoint(puts)
    before = memory.log.head().position
    assert memory.deliver("phone", lambda _stored, _change: None) == 101
    notes = [stored.entry for stored in memory.log.read(before + 1)]
    assert [note.through for note in notes if isinstance(note, Delivery)] == [before - 1, before]


# --- packs ---


def health() -> Pack:
    return next(pack for pack in chosen_packs() if pack.name == "health")


def test_a_type_is_that_of_the_project_or_the_one_a_pack_offers() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(health(),))
    offered = memory.type_named("health.Allergy")
    assert offered in health().types
    assert (memory.type_named("garden.Plant"), memory.shadowed("health.Allergy")) == (None, "")
    own = type_of("health.Allergy", key=["substance"], substance="str")
    memory.checkpoint([Define(type=own)])
    assert memory.type_named("health.Allergy") == own
    assert "the pack health" in memory.shadowed("health.Allergy")


def test_a_pack_offers_the_constraints_that_the_project_does_not_have() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(health(),))
    assert {offer.constraint.name for offer in memory.offers() if offer.constraint} == {
        found.name for found in health().constraints
    }
    memory.put("health.Allergy", {"substance": "nuts"})
    left = {offer.constraint.name for offer in memory.offers() if offer.constraint}
    assert left == {found.name for found in health().constraints} - set(memory.project().constraints)
    memory.close()


def test_an_older_type_of_a_pack_is_upgraded_once() -> None:
    memory = Memory(MemoryStore().log("ana"), packs=(health(),))
    memory.checkpoint([Define(type=ALLERGY)])
    assert memory.type_named("health.Allergy") not in health().types
    assert {type(patch) for patch in memory.upgrade()} >= {AddField}
    assert memory.upgrade() == ()
    memory.close()


def test_a_memory_closes_itself_at_the_end_of_a_with_block() -> None:
    closed: list[Memory] = []

    class Watched(Memory):
        def close(self) -> None:
            closed.append(self)
            super().close()

    with Watched(open_store("memory:").log("ana")) as ana:
        ana.put("health.Allergy", {"substance": "nuts"})
        assert (ana.compute("len(health.allergies)").value, closed) == (1, [])
    assert closed == [ana]
