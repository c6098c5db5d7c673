"""Alerts as values: findings in, changes out, and the active alerts after each change."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from uac.project.alert_changes import CompletedRun, FailedRun, Failure, FoundAlert, alert_changes, apply_alert_change
from uac.project.alerts import (
    MAX_SUBJECT,
    NOT_CHECKED,
    Alert,
    Alerts,
    capped_severity_note,
    count_alerts_by_severity,
    shorten_alert_subject,
    sort_alerts,
)
from uac.project.moved_alerts import keep_acknowledgements
from uac.schema.entries import AlertChange
from uac.schema.persistent_map import Map

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=3)


def change(kind: str, subject: str = "nuts", **fields: Any) -> AlertChange:
    return AlertChange(**{"change": kind, "constraint": "rule", "subject": subject, "severity": "warning", **fields})


def active(*changes: AlertChange) -> Alerts:
    """The alerts after changes at the positions 1, 2, …"""
    alerts: Alerts = Map()
    for position, each in enumerate(changes, 1):
        alerts = apply_alert_change(alerts, each, position=position, now=NOW)
    return alerts


def run(
    alerts: Alerts, result: CompletedRun | FailedRun, *, timely: bool = False, failing: bool = False, **more: Any
) -> list[AlertChange]:
    return alert_changes(
        alerts,
        {"rule": result},
        failures={"rule"} if failing else (),
        unreviewed=frozenset(),
        timely=frozenset({"rule"} if timely else ()),
        now=NOW,
        **more,
    )


NUTS = FoundAlert("nuts", "warning", "No nuts.")
NOTHING = CompletedRun(())
RAISED = change("raised", message="No nuts.")


def test_a_new_finding_is_raised_and_a_known_one_changes_nothing() -> None:
    assert run(Map(), CompletedRun((NUTS,))) == [RAISED]
    assert run(active(RAISED), CompletedRun((NUTS,))) == []


def test_a_finding_with_another_message_is_updated() -> None:
    found = FoundAlert("nuts", "critical", "No nuts at all.")
    assert run(active(RAISED), CompletedRun((found,))) == [
        change("updated", severity="critical", message="No nuts at all.")
    ]


def test_an_alert_that_is_not_found_again_is_cleared_or_expires_with_time() -> None:
    assert run(active(RAISED), NOTHING) == [change("cleared")]
    assert run(active(RAISED), NOTHING, timely=True) == [change("expired")]


def test_a_finding_is_reported_again_when_its_snooze_is_over() -> None:
    snoozed = active(RAISED, change("snoozed", until=NOW))
    assert run(snoozed, CompletedRun((NUTS,))) == [change("updated", message="No nuts.")]
    assert run(active(RAISED, change("snoozed", until=LATER)), CompletedRun((NUTS,))) == []


def test_a_failed_run_leaves_the_alerts_and_reports_the_failure_once() -> None:
    failed = FailedRun(Failure("KeyError", "critical"))
    (made,) = run(active(RAISED), failed)
    assert (made.change, made.subject, made.is_failure, made.why) == ("failed", NOT_CHECKED, True, "KeyError")
    alerts = active(RAISED, made)
    assert run(alerts, failed, failing=True) == []
    assert run(alerts, CompletedRun((NUTS,))) == [change("cleared", NOT_CHECKED, severity="critical", is_failure=True)]


def test_a_failure_for_one_record_names_the_record_and_the_field() -> None:
    failure = Failure("too long", "warning", record="a.B:c", field="d", reason="limit")
    (made,) = run(Map(), CompletedRun((), failures=(failure,)))
    assert (made.subject, made.records) == ("not checked: a.B:c", ("a.B:c",))
    assert made.message == (
        "The rule rule could not check a.B:c (field d): over the limit: too long."
        " It is checked for all other records. Correct this record, or drop it."
    )


def test_while_a_constraint_fails_for_a_record_alerts_of_existing_records_stay() -> None:
    alerts = active(change("raised", message="No nuts.", records=("a.B:c",)))
    result = CompletedRun((), failures=(Failure("why", "warning", record="a.B:x"),))
    assert [made.change for made in run(alerts, result)] == ["failed"]
    assert [made.change for made in run(alerts, result, exists=lambda _record: False)] == ["failed", "cleared"]


MAY_1, MAY_3 = "trip of 2026-05-01", "trip of 2026-05-03"


def moved(old: AlertChange, new: AlertChange, *quiet: AlertChange, origin: tuple[int, int] | None = (7, 0)) -> str:
    """How a new alert is reported that comes with the end of an old one."""
    made = [msgspec.structs.replace(old, change="cleared"), new]
    kept = keep_acknowledgements(active(old, *quiet), made, made_by=lambda _record: origin, first=5, now=NOW)
    assert kept[0] == made[0]
    return f"{kept[1].change} {kept[1].follows}"


@pytest.mark.parametrize(
    ("subject", "fields", "report"),
    [
        (MAY_3, {}, "updated 1"),
        (MAY_3, {"severity": "info"}, "updated 1"),
        (MAY_3, {"severity": "critical"}, "raised 0"),
        (MAY_3, {"constraint": "other"}, "raised 0"),
        (MAY_3, {"records": ("t.T:1", "t.T:2")}, "raised 0"),
        ("trip of 2026-06-01", {}, "raised 0"),
        ("trip of 2026-99-99", {}, "raised 0"),
        ("flight of 2026-05-03", {}, "raised 0"),
    ],
)
def test_an_acknowledged_alert_whose_date_moved_a_little_stays_acknowledged(
    subject: str, fields: dict[str, Any], report: str
) -> None:
    old = change("raised", MAY_1, records=("t.T:1",))
    new = change("raised", subject, **{"records": ("t.T:1",), **fields})
    assert moved(old, new, change("acknowledged", MAY_1)) == report
    assert moved(old, new) == "raised 0"


@pytest.mark.parametrize("origin", [(7, 0), (4, 0), None])
def test_a_record_with_another_key_is_new_while_the_old_one_exists(origin: tuple[int, int] | None) -> None:
    old = change("raised", MAY_1, records=("t.T:2026-05-01",))
    new = change("raised", MAY_3, records=("t.T:2026-05-03",))
    assert moved(old, new, change("acknowledged", MAY_1), origin=origin) == "raised 0"


def test_a_record_that_was_put_again_under_another_key_is_the_same() -> None:
    old = change("raised", MAY_1, records=("t.T:2026-05-01",))
    new = change("raised", MAY_3, records=("t.T:2026-05-03",))
    alerts = active(old, change("acknowledged", MAY_1))
    origins = {"t.T:2026-05-03": (7, 0)}
    cleared = msgspec.structs.replace(old, change="cleared")
    kept = keep_acknowledgements(alerts, [cleared, new], made_by=origins.get, first=5, now=NOW)
    assert kept == [cleared, msgspec.structs.replace(new, change="updated", follows=1)]


def state(alerts: Alerts) -> dict[str, tuple[str, str, int]]:
    return {subject: (alert.severity, alert.state, alert.raised) for (_rule, subject), alert in alerts.items()}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([RAISED], {"nuts": ("warning", "standing", 1)}),
        ([RAISED, change("acknowledged")], {"nuts": ("warning", "acknowledged", 1)}),
        ([change("acknowledged")], {}),
        ([RAISED, change("cleared")], {}),
        ([change("expired")], {}),
        ([change("updated")], {"nuts": ("warning", "standing", 1)}),
        ([RAISED, change("acknowledged"), change("updated")], {"nuts": ("warning", "acknowledged", 1)}),
        (
            [RAISED, change("acknowledged"), change("updated", severity="critical")],
            {"nuts": ("critical", "standing", 1)},
        ),
        (
            [RAISED, change("acknowledged"), change("updated", "seeds", follows=1)],
            {"nuts": ("warning", "acknowledged", 1), "seeds": ("warning", "acknowledged", 1)},
        ),
        (
            [change("failed", is_failure=True), change("acknowledged"), change("failed", is_failure=True)],
            {"nuts": ("warning", "acknowledged", 1)},
        ),
    ],
)
def test_changes_give_these_active_alerts(
    changes: list[AlertChange], expected: dict[str, tuple[str, str, int]]
) -> None:
    assert state(active(*changes)) == expected


def test_a_snoozed_alert_is_quiet_until_its_time() -> None:
    (alert,) = active(RAISED, change("snoozed", until=LATER)).values()
    assert (alert.is_quiet(NOW), alert.is_quiet(None), alert.is_quiet(LATER)) == (True, True, False)


def test_alerts_are_sorted_by_severity_then_review_then_age() -> None:
    alerts = active(
        change("raised", "a", severity="info"),
        change("raised", "b", is_reviewed=False),
        change("raised", "c"),
        change("raised", "d", severity="critical"),
    )
    ordered: list[Alert] = sort_alerts(alerts)
    assert [alert.subject for alert in ordered] == ["d", "c", "b", "a"]
    assert (count_alerts_by_severity(ordered), count_alerts_by_severity([])) == ("1 critical, 2 warning, 1 info", "")


def test_a_long_subject_is_cut_and_stays_distinct() -> None:
    one, other = shorten_alert_subject("x" * 400 + "1"), shorten_alert_subject("x" * 400 + "2")
    assert len(one) <= MAX_SUBJECT
    assert one != other
    assert shorten_alert_subject("short") == "short"


def test_a_capped_alert_names_the_severity_of_its_author() -> None:
    assert capped_severity_note(None, "warning") == ""
    assert capped_severity_note("critical", "warning") == (
        " (critical by its author; shown as warning until a person approves the constraint)"
    )
