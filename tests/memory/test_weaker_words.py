"""A weaker word that came before the alert, or ends it later, silences no critical alert unseen."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from support.scripted_model import TUESDAY, new_memory
from uac.memory.memory import Memory
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import Observation

NOTED = parse_constraint(
    '''\
def noted(user, now):
    """Notes on allergies."""
    return [info(f"The allergy to {a.substance} has the note: {a.notes}.", a) for a in user.health.allergies if a.notes]


CASES = [
    fires("a note", date(2026, 1, 10), health.Allergy(substance="latex", notes="mild"), says=["mild"]),
    silent("no note", date(2026, 1, 10), health.Allergy(substance="latex")),
]
''',
    "noted",
    origin="person",
)
ALLERGY = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}}
DRUG = {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}}
TOLERATED = {"op": "amend", "record": "health.Allergy:penicillin", "fields": {"notes": "tolerates penicillin well now"}}
SILENCED = "Silenced by the word of the {} (health.Allergy:penicillin: notes), so shown as warning."


def say(memory: Memory, text: str, patch: dict[str, Any], *, role: Any = "user") -> None:
    turn = Observation(text=text, said=TUESDAY, role=role)
    taken = memory.remember([turn], [{"text": text, "quote": text.rstrip(".")}], [{**patch, "cites": [1]}])
    assert taken.to_mend == ()


def tolerated(role: str) -> Memory:
    """A memory with an allergy to which somebody else added a note before there was a medicine."""
    memory = new_memory()
    say(memory, "I am allergic to penicillin.", ALLERGY)
    say(memory, "The user tolerates penicillin well now.", TOLERATED, role=role)
    say(memory, "I take amoxicillin.", DRUG)
    return memory


def own_rule(memory: Memory, name: str, body: str) -> None:
    """Adopt a constraint that fires for an allergy to latex and is silent for one to dust with a note."""
    file = f'''\
def {name}(user, now):
    """Allergies without a note."""
    {body}


CASES = [
    fires("no note", date(2026, 1, 10), health.Allergy(substance="latex"), says=["latex"]),
    silent("a note", date(2026, 1, 10), health.Allergy(substance="dust", notes="mild")),
]
'''
    memory.adopt(parse_constraint(file, name, origin="person"))


def active(memory: Memory) -> list[tuple[str, str]]:
    return [(alert.constraint, alert.severity) for alert in memory.alerts()]


@pytest.mark.parametrize(("role", "name"), [("document", "document"), ("tool", "tool"), ("assistant", "assistant")])
def test_a_note_that_was_there_before_the_alert_lowers_it_and_is_named(role: str, name: str) -> None:
    memory = tolerated(role)
    assert active(memory) == [("drug_allergy", "warning")]
    assert SILENCED.format(name) in memory.alerts()[0].message


def test_the_users_own_word_settles_it() -> None:
    memory = tolerated("document")
    say(memory, "I tolerate penicillin well now.", TOLERATED)
    assert active(memory) == []


def test_without_the_weaker_word_the_alert_is_critical() -> None:
    memory = tolerated("document")
    (note,) = (stored.position for stored in memory.log.read() if getattr(stored.entry, "role", "") == "document")
    memory.retract([note], why="not about me")
    assert active(memory) == [("drug_allergy", "critical")]


def test_an_acknowledged_one_stays_quiet_and_says_nothing_new_later() -> None:
    memory = tolerated("document")
    memory.acknowledge("drug_allergy", why="I asked the doctor")
    say(memory, "I take metformin.", {"op": "put", "type": "health.Medication", "fields": {"name": "metformin"}})
    assert [alert.state for alert in memory.alerts() if alert.constraint == "drug_allergy"] == ["acknowledged"]


def test_the_last_day_of_a_prescription_ends_a_medicine_only_as_a_warning() -> None:
    memory = new_memory()
    say(memory, "I am allergic to penicillin.", ALLERGY)
    say(memory, "I take amoxicillin.", DRUG)
    ends = {"op": "amend", "record": "health.Medication:amoxicillin", "fields": {"ends": "2024-12-01"}}
    say(memory, "The user's amoxicillin ends on 2024-12-01.", ends, role="document")
    assert active(memory) == [("drug_allergy", "critical")]
    memory.tick(datetime(2024, 12, 3, tzinfo=UTC))
    assert active(memory) == [("drug_allergy", "warning")]
    say(memory, "My amoxicillin ends on 2024-12-01.", ends)
    assert active(memory) == []


def test_what_weaker_sources_put_by_themselves_is_still_corrected_by_them() -> None:
    memory = new_memory()
    say(memory, "The user is allergic to penicillin.", ALLERGY, role="document")
    say(memory, "I take amoxicillin.", DRUG)
    say(memory, "The user tolerates penicillin well now.", TOLERATED, role="document")
    assert active(memory) == []


def test_another_rule_never_sees_the_records_without_the_weaker_word() -> None:
    memory = tolerated("document")
    assert memory.compute("[a.notes for a in health.allergies]").value == ["tolerates penicillin well now"]
    memory.adopt(NOTED)
    notes = [alert.message for alert in memory.alerts() if alert.constraint == "noted"]
    assert notes == ["The allergy to penicillin has the note: tolerates penicillin well now."]


def test_a_rule_that_cannot_run_on_the_users_words_alone_says_so_and_keeps_its_other_alerts() -> None:
    memory = new_memory()
    body = """if [a for a in user.health.allergies if a.substance == "penicillin" and not a.notes]:
        return 1 / 0
    return [critical(f"{a.substance} has no note", a) for a in user.health.allergies if not a.notes]"""
    own_rule(memory, "fragile", body)
    say(memory, "I am allergic to cats.", {"op": "put", "type": "health.Allergy", "fields": {"substance": "cats"}})
    say(memory, "I am allergic to penicillin.", ALLERGY)
    say(memory, "The user tolerates penicillin well now.", TOLERATED, role="document")
    mine = [alert for alert in memory.alerts() if alert.constraint == "fragile"]
    assert [(alert.subject, alert.severity, alert.is_failure) for alert in mine] == [
        ("cats", "critical", False),
        ("not checked: health.Allergy:penicillin", "critical", True),
    ]
    memory.correct("health.Allergy:penicillin", "notes", "tolerated")
    assert [alert.subject for alert in memory.alerts() if alert.constraint == "fragile"] == ["cats"]


def test_an_alert_without_records_names_only_what_its_rule_reads_and_forgets_it_with_the_record() -> None:
    memory = tolerated("document")
    say(memory, "I take Zyrtec.", {"op": "put", "type": "health.Medication", "fields": {"name": "Zyrtec"}})
    dose = {"op": "amend", "record": "health.Medication:zyrtec", "fields": {"dose": "5 mg"}}
    say(memory, "Zyrtec 5 mg", dose, role="document")
    body = """names = [a.substance for a in user.health.allergies if not a.notes]
    return [critical(f"No note on {len(names)} allergies, such as latex", subject="notes")] if names else []"""
    own_rule(memory, "counted", body)
    noted = {"op": "put", "type": "health.Allergy", "fields": {"substance": "dust", "notes": "mild"}}
    say(memory, "I am allergic to dust, mild.", noted)
    (alert,) = (alert for alert in memory.alerts() if alert.constraint == "counted")
    assert alert.severity == "warning"
    assert alert.message.endswith(f"{SILENCED.format('document')} The user's own word settles it.")
    assert {*memory.project().record("health.Allergy:penicillin").cites} <= {*alert.cites}


def test_the_state_of_a_day_marks_only_what_had_begun() -> None:
    memory = new_memory()
    say(memory, "I am allergic to penicillin.", ALLERGY)
    say(memory, "Tolerated since December 2024.", {**TOLERATED, "held": {"start": "2024-12-01"}}, role="document")
    project = memory.project()
    days = (date(2024, 11, 30), date(2024, 12, 1))
    assert [[*project.at(valid=day).supplemented] for day in days] == [[], ["health.Allergy:penicillin"]]
