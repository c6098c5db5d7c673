"""Alerts that a weaker word would silence: a document, a tool or an assistant that adds to a record of the user."""

from collections.abc import Iterator, Mapping, Sequence

from uac.project.alerts import SEVERITIES, Alert, RecordOrigin
from uac.project.claims import claim_trust
from uac.project.project import Project, Record
from uac.project.records import record_origin, record_trust, record_type
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, NextRun
from uac.schema.patches import Amend, Patch, Put

__all__ = ["silencing_facts", "silencing_patches"]

_USER = claim_trust("user")


def silencing_facts(before: Project, after: Project, changes: Sequence[AlertChange | NextRun]) -> dict[int, str]:
    """The facts of a write that silence an alert about what the user said though none of them is the user's word, each
    with the reason to refuse it. `changes` are the changes of alerts in that write."""
    found: dict[int, str] = {}
    alert_changes = [change for change in changes if isinstance(change, AlertChange)]
    for change in alert_changes:
        alert = before.alerts.get((change.constraint, change.subject))
        if alert is None or not _is_danger(alert, before) or not _is_weakened(alert, change, alert_changes, after):
            continue
        for authority, cited in _weaker_words(alert, before, after):
            found[cited] = (
                f"It would silence the alert {alert.constraint} about what the user said, on a weaker word"
                f" ({authority}). Set the fact aside, or let the user say so."
            )
    return found


def silencing_patches(patches: Mapping[int, Patch], silencing: Mapping[int, str]) -> dict[int, str]:
    """The numbered patches that add to a record for one of these facts, with the reason."""
    return {
        number: silencing[cited]
        for number, patch in patches.items()
        if isinstance(patch, Put | Amend)
        for cited in patch.cites
        if cited in silencing
    }


def _is_danger(alert: Alert, project: Project) -> bool:
    """Whether a rule found it. Notes, and questions about what is open or not certain, may be settled by any source."""
    return alert.severity != "info" and alert.constraint in project.constraints and not alert.is_failure


def _is_weakened(alert: Alert, change: AlertChange, changes: Sequence[AlertChange], after: Project) -> bool:
    """Whether the change ends the alert or lowers its severity. One that gets another subject goes on."""
    if change.change == "updated":
        return _is_lower(change.severity, alert.severity)
    if change.change != "cleared":
        return False
    origins = {*alert.made}
    return not any(
        other.change == "raised"
        and other.constraint == alert.constraint
        and not _is_lower(other.severity, alert.severity)
        and not origins.isdisjoint(record_origin(after.tables, record) for record in other.records)
        for other in changes
    )


def _is_lower(severity: Severity, than: Severity) -> bool:
    return SEVERITIES.index(severity) > SEVERITIES.index(than)


def _weaker_words(alert: Alert, before: Project, after: Project) -> Iterator[tuple[str, int]]:
    """The authority and the position of each new citation for the user's records of an alert, if none is the user's."""
    for record_id, origin in zip(alert.records, alert.made, strict=True):
        former, later = (_record_of(project, record_id, origin) for project in (before, after))
        if former is None or later is None or record_trust(former) < _USER:
            continue
        claims = [claim for claims in later.claims.values() for claim in claims if claim.position > before.position]
        if claims and all(claim_trust(claim.authority) < _USER for claim in claims):
            cites = ((claim.authority, cited) for claim in claims for cited in claim.cites)
            # Another patch may cite a fact of the user that is cited here, too.
            yield from (found for found in cites if not _is_users_word(after, found[1]))


def _is_users_word(project: Project, position: int) -> bool:
    source = project.sources.get(position)
    return source is not None and claim_trust(source.authority) >= _USER


def _record_of(project: Project, record_id: str, origin: RecordOrigin | None) -> Record | None:
    """The record of that identity, whatever its id is now."""
    type_name = record_type(record_id)
    table = project.tables.get(type_name)
    same_id = None if table is None else table.get(record_id)
    if same_id is not None and same_id.order == origin:
        return same_id
    return next((record for record in project.records(type_name) if record.order == origin), None)
