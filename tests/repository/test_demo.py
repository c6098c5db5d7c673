"""The example user: her alerts appear in the session that makes them true, and the fourteen statements about them hold."""

import sys
from datetime import UTC, datetime

import pytest

from support.paths import EXAMPLES

sys.path.insert(0, str(EXAMPLES))

from jessica import QUESTIONS, SESSIONS, Clock, play, recorded

from uac import Alert, Memory, open_store
from uac.project.fold import fold_entries
from uac.project.render import render
from uac.schema.entries import Fact

Raised = list[tuple[str, str, str, str]]


@pytest.fixture(scope="module")
def year() -> tuple[Memory, Raised]:
    clock = Clock(datetime(2024, 3, 1, tzinfo=UTC))
    store = open_store("memory:", clock=clock)
    raised: Raised = []
    memories = []
    for lived in play(store, clock):
        memories.append(lived.memory)
        for change in lived.changes:
            raised.append((lived.session["session"], change.change, change.severity, change.constraint))
    return memories[-1], raised


def by(memory: Memory, constraint: str) -> list[Alert]:
    return [alert for alert in memory.alerts() if alert.constraint == constraint]


def test_each_alert_appears_in_the_session_that_makes_it_true(year: tuple[Memory, Raised]) -> None:
    assert year[1] == [
        ("2024-07-15", "raised", "info", "birthday_soon"),
        ("2024-08-19", "expired", "info", "birthday_soon"),
        ("2024-11-20", "raised", "critical", "passport_validity"),
        ("2024-12-10", "raised", "critical", "passport_validity"),
        ("2025-01-06", "raised", "warning", "service_during_trip"),
        ("2025-01-09", "raised", "critical", "conflicting_transfers"),
        ("2025-01-10", "raised", "critical", "drug_allergy"),
    ]


def test_four_alerts_are_critical(year: tuple[Memory, Raised]) -> None:
    assert len([alert for alert in year[0].alerts() if alert.severity == "critical"]) == 4


def test_the_user_has_records_in_six_domains(year: tuple[Memory, Raised]) -> None:
    filled = {name.partition(".")[0] for name, table in year[0].project().tables.items() if table}
    assert filled == {"identity", "travel", "finance", "household", "health", "people"}


def test_travel_has_one_critical_alert_for_each_trip_and_each_names_its_flight(year: tuple[Memory, Raised]) -> None:
    alerts = by(year[0], "passport_validity")
    tokyo = [alert for alert in alerts if "Tokyo" in alert.message]
    mexico = [alert for alert in alerts if "Mexico" in alert.message]
    assert [alert.severity for alert in tokyo] == ["critical"]
    assert [alert.severity for alert in mexico] == ["critical"]
    assert len(alerts) == 2
    assert all("JAL-9823" in alert.message or "AA-4561" in alert.message for alert in alerts)
    assert "34 days" in tokyo[0].message
    assert "AB1234567" in tokyo[0].message
    assert "2025-02-18" in tokyo[0].message


def test_an_expired_passport_is_told_as_days_before_the_trip_and_not_as_a_negative_number(
    year: tuple[Memory, Raised],
) -> None:
    (mexico,) = [alert for alert in by(year[0], "passport_validity") if "Mexico" in alert.message]
    assert "20 days before" in mexico.message
    assert "-20" not in mexico.message


def test_finance_has_one_critical_alert_that_names_both_banks(year: tuple[Memory, Raised]) -> None:
    (alert,) = by(year[0], "conflicting_transfers")
    assert alert.severity == "critical"
    named = ("Patricia", "Bank of America", "Wells Fargo", "3310", "6654", "15,000.00")
    assert [text for text in named if text not in alert.message] == []


def test_health_has_one_critical_alert_about_amoxicillin_that_names_who_prescribed_it(
    year: tuple[Memory, Raised],
) -> None:
    (alert,) = by(year[0], "drug_allergy")
    assert alert.severity == "critical"
    assert "Amoxicillin" in alert.message
    assert "Dr. Robert Chen" in alert.message
    assert not any("Cetirizine" in other.message for other in year[0].alerts())


def test_the_service_during_the_trip_is_noticed(year: tuple[Memory, Raised]) -> None:
    (alert,) = by(year[0], "service_during_trip")
    assert "Honda Accord" in alert.message
    assert "Tokyo" in alert.message


def test_both_transfers_are_in_the_records_and_both_wait(year: tuple[Memory, Raised]) -> None:
    transfers = year[0].project().collected("finance.transfers")
    assert [record.values["status"] for record in transfers] == ["pending", "pending"]


def test_the_log_of_the_year_folds_to_the_same_project(year: tuple[Memory, Raised]) -> None:
    assert fold_entries(year[0].log.read()) == year[0].project()


def test_every_alert_leads_back_to_the_words_it_rests_on(year: tuple[Memory, Raised]) -> None:
    memory, _raised = year
    said = "\n".join(turn["text"] for session in SESSIONS for turn in session["turns"])
    for alert in memory.alerts():
        facts = [stored.entry for stored in memory.log.read() if stored.position in alert.cites]
        quotes = [cite.quote for fact in facts if isinstance(fact, Fact) for cite in fact.cites]
        assert quotes
        assert [quote for quote in quotes if quote not in said] == []


def test_no_fact_of_the_year_is_lost(year: tuple[Memory, Raised]) -> None:
    state = year[0].project()
    assert list(state.waiting) == []
    assert list(state.progress.unread) == list(state.progress.again) == list(state.progress.stuck) == []
    facts = [stored.position for stored in year[0].log.read() if isinstance(stored.entry, Fact)]
    assert [position for position in facts if position not in state.used and position not in state.aside] == []


def test_replaying_the_year_asks_no_model_and_gives_the_same_bytes(year: tuple[Memory, Raised]) -> None:
    assert render(fold_entries(year[0].log.read())) == year[0].render()


def test_the_questions_of_the_demo_are_answered_by_code_or_not_at_all(year: tuple[Memory, Raised]) -> None:
    models = recorded()
    *counted, unknown = [year[0].ask(question, models) for question in QUESTIONS]
    assert all(answer.is_known and answer.computed for answer in counted)
    assert not unknown.is_known
