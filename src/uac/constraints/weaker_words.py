"""What constraints find in the user's own words alone: a weaker word silences no critical alert unseen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from uac.project.alert_changes import CompletedRun, FailedRun, FoundAlert
from uac.project.alerts import MAX_MESSAGE, shorten_alert_subject
from uac.project.claims import AUTHORITIES, claim_trust
from uac.project.project import Project, Record
from uac.project.records import record_type, supplemented_fields, without_weaker_words
from uac.schema.constraints import Severity
from uac.schema.entries import with_alert_tables

__all__ = ["SILENCED", "UsersWords", "users_words", "with_silenced_alerts"]

SILENCED: Severity = "warning"
"""The severity of a critical alert that a weaker word silences: that word may be right."""

_MAX_NAMED = 3


class UsersWords(NamedTuple):
    """The project without what weaker sources added to records of the user, and the records that differ."""

    project: Project
    supplements: Mapping[str, str]
    """For each of these records, whose word it is, and where: 'the word of the tool (health.Allergy:latex: notes)'."""

    def among(self, types: Collection[str]) -> "UsersWords":
        """The same, with the records of these types only."""
        return self._replace(supplements={k: v for k, v in self.supplements.items() if record_type(k) in types})


def users_words(project: Project, types: Collection[str]) -> UsersWords:
    """The records of these types as the user stated them. The project has the same records."""
    changed: dict[str, dict[str, Record]] = {}
    supplements: dict[str, str] = {}
    for record_id in sorted(project.supplemented):
        if (name := record_type(record_id)) not in types:
            continue
        record, type_ = project.record(record_id), project.types[name]
        fields = supplemented_fields(record, type_)
        if fields and record.ended is None and not record.is_incomplete:
            changed.setdefault(name, {})[record_id] = without_weaker_words(record, type_)
            supplements[record_id] = _supplement(record, fields)
    tables = {name: project.tables[name].update(records) for name, records in changed.items()}
    return UsersWords(replace(project, tables={**project.tables, **tables}, history=None), supplements)


def with_silenced_alerts(
    result: CompletedRun, on_users_words: CompletedRun | FailedRun, words: UsersWords
) -> CompletedRun:
    """The result of a constraint, with the critical alerts that it finds in the user's own words only.

    If it could not run on them, that is a failure too: it may have missed one.
    """
    if isinstance(on_users_words, FailedRun):
        return replace(result, failures=(*result.failures, on_users_words.failure))
    visible = {mark for found in result.found if found.severity != "info" for mark in _marks(found)}
    silenced = [
        _as_silenced(each, words)
        for each in on_users_words.found
        if "critical" in (each.severity, each.capped_from) and visible.isdisjoint(_marks(each))
    ]
    by_subject = {each.subject: each for each in (*result.found, *silenced)}
    failures = {each.subject: each for each in (*on_users_words.failures, *result.failures)}
    times = (result.again, on_users_words.again)
    again = None if None in times else min(time for time in times if time is not None)
    found = tuple(by_subject[subject] for subject in sorted(by_subject))
    return replace(result, found=found, again=again, failures=tuple(failures.values()))


def _marks(found: FoundAlert) -> tuple[str | tuple[str, ...], ...]:
    """By any of these two alerts of a constraint are about the same."""
    return (found.subject, found.records) if found.records else (found.subject,)


def _as_silenced(found: FoundAlert, words: UsersWords) -> FoundAlert:
    named = [words.supplements[record] for record in found.records if record in words.supplements]
    any_of = named or [*words.supplements.values()]  # it names none: one of those that its constraint reads
    more = f" or {len(any_of) - _MAX_NAMED:,} more" if len(any_of) > _MAX_NAMED else ""
    whose = (" and " if named else " or ").join(any_of[:_MAX_NAMED]) + more
    note = f" Silenced by {whose}, so shown as {SILENCED}. The user's own word settles it."
    message = found.message[: MAX_MESSAGE - len(with_alert_tables(note, found.tables))] + note
    return replace(found, severity=SILENCED, message=message, capped_from=None)


def _supplement(record: Record, fields: Sequence[str]) -> str:
    trusts = [claim_trust(claim.authority) for name in fields for claim in record.claims[name]]
    strongest = max(trust for trust in trusts if trust < claim_trust("user"))
    return f"the word of the {AUTHORITIES[strongest]} ({shorten_alert_subject(record.id)}: {', '.join(fields)})"
