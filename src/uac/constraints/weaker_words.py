"""What rules would find in the user's own words alone: a weaker word silences no critical alert unseen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from uac.project.alert_changes import CompletedRun, FoundAlert
from uac.project.alerts import shorten_alert_subject
from uac.project.claims import AUTHORITIES, claim_trust
from uac.project.project import Project, Record
from uac.project.records import record_type, supplemented_fields, without_weaker_words
from uac.schema.constraints import Severity

__all__ = ["SILENCED", "UsersWords", "silenced_findings", "users_words"]

SILENCED: Severity = "warning"
"""The severity of a critical alert that a weaker word silences: that word may be right."""

_MAX_NAMED = 3
_MAX_MESSAGE = 2_000


class UsersWords(NamedTuple):
    """The project without what weaker sources added to records of the user, and the records that differ."""

    project: Project
    supplements: Mapping[str, str]
    """For each record whose word was added, and where: 'the word of the document (health.Allergy:latex: notes)'."""


def users_words(project: Project, types: Collection[str]) -> UsersWords:
    """The records of these types as the user stated them. The project has the same records."""
    tables = dict(project.tables)
    supplements: dict[str, str] = {}
    for record_id in sorted(project.supplemented):
        type_name = record_type(record_id)
        if type_name not in types:
            continue
        record = tables[type_name].get(record_id)
        if record is None or record.ended is not None or record.is_incomplete:
            continue
        type_ = project.types[type_name]
        if fields := supplemented_fields(record, type_):
            tables[type_name] = tables[type_name].update({record_id: without_weaker_words(record, type_)})
            supplements[record_id] = _supplement(record, fields)
    return UsersWords(replace(project, tables=tables, history=None), supplements)


def silenced_findings(result: CompletedRun, on_users_words: CompletedRun, words: UsersWords) -> CompletedRun:
    """The result of a constraint, with the critical alerts that it finds in the user's own words only."""
    visible = {mark for found in result.found if found.severity != "info" for mark in _marks(found)}
    silenced = [
        _as_silenced(each, words)
        for each in on_users_words.found
        if "critical" in (each.severity, each.capped_from) and visible.isdisjoint(_marks(each))
    ]
    by_subject = {each.subject: each for each in (*result.found, *silenced)}
    times = (result.again, on_users_words.again)
    again = None if None in times else min(time for time in times if time is not None)
    return replace(result, found=tuple(by_subject[subject] for subject in sorted(by_subject)), again=again)


def _marks(found: FoundAlert) -> tuple[str | tuple[str, ...], ...]:
    """By any of these two alerts of a constraint are about the same."""
    return (found.subject, found.records) if found.records else (found.subject,)


def _as_silenced(found: FoundAlert, words: UsersWords) -> FoundAlert:
    named = [record for record in found.records if record in words.supplements] or [*words.supplements]
    whose = "; ".join(words.supplements[record] for record in named[:_MAX_NAMED])
    note = f" Silenced by {whose}, so shown as {SILENCED}. The user's own word settles it."
    return replace(
        found, severity=SILENCED, message=f"{found.message[: _MAX_MESSAGE - len(note)]}{note}", capped_from=None
    )


def _supplement(record: Record, fields: Sequence[str]) -> str:
    trusts = [claim_trust(claim.authority) for name in fields for claim in record.claims[name]]
    strongest = max(trust for trust in trusts if trust < claim_trust("user"))
    return f"the word of the {AUTHORITIES[strongest]} ({shorten_alert_subject(record.id)}: {', '.join(fields)})"
