"""Runs the constraints that a change affects, in the sandbox, and computes the resulting alert changes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, get_args

import msgspec

from uac.constraints.quoted_texts import QuotedTexts
from uac.constraints.session import ConstraintSession, TypesRead
from uac.constraints.weaker_words import UsersWords, users_words, with_silenced_alerts
from uac.errors import LimitError, RunError
from uac.project.alert_changes import CompletedRun, FailedRun, Failure, FoundAlert, alert_changes, alert_failure_text
from uac.project.alerts import MAX_MESSAGE, NOT_CHECKED, SEVERITIES, capped_severity_note, shorten_alert_subject
from uac.project.effects import effects
from uac.project.moved_alerts import keep_acknowledgements
from uac.project.project import Adopted, Project, Record
from uac.project.records import record_origin, record_type
from uac.project.table_reviews import row_reference
from uac.sandbox.compute import Computer
from uac.sandbox.port import Value
from uac.schema.constraint_code import Reading
from uac.schema.constraints import BUILT_IN, INCOMPLETE_RECORD, OPEN_CONFLICT, Severity, Unreviewed
from uac.schema.entries import AlertChange, Checkpoint, Entry, FailureReason, NextRun, Tick, with_alert_tables
from uac.schema.patches import Retire, Switch
from uac.schema.persistent_map import Map
from uac.schema.safe_text import one_line
from uac.schema.values import dump_value

__all__ = ["Watch", "constraint_run_time", "due_constraints"]

NEVER = datetime(9999, 12, 31, tzinfo=UTC)
SOON = timedelta(days=1)
"""A constraint due again within this time runs on every tick: recording a time for each day would cost more."""

RETRY = timedelta(days=1)
"""The delay before a constraint that exceeded a limit is retried: the machine may have been busy."""

CAP: Severity = "warning"
"""The highest severity of an unreviewed constraint, where such alerts are marked."""

MAX_ALERTS = 1_000
MAX_REASON = 1_000  # characters of a failure's reason


class Watch:
    """Runs constraints for one user: the reviewed ones in one session, the unreviewed ones in another.

    No query runs in either session, and unreviewed code never runs beside the rules that others depend on.
    """

    def __init__(self, rules: Computer, others: Computer, *, unreviewed: Unreviewed = "mark") -> None:
        assert unreviewed in get_args(Unreviewed)
        self._types_read = TypesRead()
        self._reviewed = ConstraintSession(rules, self._types_read)
        self._others = ConstraintSession(others, self._types_read)
        self._unreviewed = unreviewed
        self._texts = QuotedTexts()

    def after(self, project: Project, entries: Sequence[Entry]) -> list[AlertChange | NextRun]:
        """The alert changes that entries cause; `project` is the state after them."""
        chosen = self._choose_constraints(project, entries)
        timely = chosen.timely
        results: dict[str, CompletedRun | FailedRun] = dict(self.run(project, chosen.names, retried=chosen.retried))
        results |= self._with_silenced_alerts(project, results, chosen.retried)
        results |= {name: CompletedRun(()) for name in sorted(_silenced_constraints(project, self._runnable(project)))}
        results[OPEN_CONFLICT] = CompletedRun(tuple(_run_open_conflict(project)))
        results[INCOMPLETE_RECORD] = CompletedRun(tuple(_run_incomplete_record(project)))
        unreviewed = frozenset(name for name, adopted in project.constraints.items() if not adopted.is_reviewed)
        made = alert_changes(
            project.alerts,
            results,
            failures=project.failures,
            unreviewed=unreviewed,
            timely=timely,
            now=constraint_run_time(project),
            exists=lambda record: _is_active_record(project, record),
            reasons=_reasons_for_silence(entries),
        )
        made = keep_acknowledgements(
            project.alerts,
            made,
            made_by=lambda record: record_origin(project.tables, record),
            first=project.position - len(entries) + 1,
            now=constraint_run_time(project),
        )
        # Completed runs come first: a rule that then clears an alert is run once more (see fold.py).
        ran_again = project.unwatched | _constraints_to_recheck(project, entries)
        return [*_next_runs(project, results, ran_again), *self._cite_quoted_records(project, made)]

    def _cite_quoted_records(self, project: Project, made: list[AlertChange]) -> list[AlertChange]:
        """Also cite records whose text appears in the message, so that erasing such a record erases the alert.

        Text that a named record contains as well does not point to another record.
        """
        changes = [change for change in made if change.message and change.constraint in project.constraints]
        if not changes:
            return made
        blob = "\n".join(f"{change.message}\n{change.subject}" for change in changes)
        reads = self._types_read.by_constraint(project)
        types = sorted({name for change in changes for name in reads[change.constraint]})
        sources = self._texts.find(project, types, blob)
        return [_cite_quoted_texts(project, change, sources) if change in changes else change for change in made]

    def run(
        self,
        project: Project,
        names: Iterable[str],
        *,
        retried: Collection[str] = (),
        words: UsersWords | None = None,
    ) -> dict[str, CompletedRun | FailedRun]:
        """The result of each constraint, by name. A constraint that fails does not stop the others.

        Those in `retried` run only because they failed before. With `words`, they see the records as the user stated
        them.
        """
        groups: dict[str, list[str]] = {"reviewed": [], "others": [], "alone": []}
        for name in sorted(names):
            adopted = project.constraints[name]
            is_open = adopted.reading.effect.change == "anything"
            groups["alone" if is_open else "reviewed" if adopted.is_reviewed else "others"].append(name)
        results = self._run_group(project, groups["reviewed"], self._reviewed, retried, words)
        results |= self._run_group(project, groups["others"], self._others, retried, words)
        for name in groups["alone"]:
            results |= self._run_group(project, [name], self._others, retried, alone=True)
        return results

    def _run_group(
        self,
        project: Project,
        names: list[str],
        session: ConstraintSession,
        retried: Collection[str],
        words: UsersWords | None = None,
        *,
        alone: bool = False,
    ) -> dict[str, CompletedRun | FailedRun]:
        if not names:
            return {}
        now = constraint_run_time(project)
        try:
            session.ready(project, names, now)
        except RunError as error:  # nothing can run: no sandbox, or more records than fit
            why = f"nothing could be loaded: {error}"[:MAX_REASON]
            return {name: self._failed_run(project, project.constraints[name], why) for name in names}
        try:
            rows = session.look_alone(project, names[0], now) if alone else session.look(project, names, now, words)
        except RunError as error:
            if len(names) == 1:
                reason: FailureReason = "limit" if isinstance(error, LimitError) else ""
                why = str(error)[: MAX_REASON - len(alert_failure_text("", reason))]
                return {names[0]: self._failed_run(project, project.constraints[names[0]], why, reason)}
            culprit = _suspected_constraint(error, names)
            # The suspect runs alone, where it cannot blame another constraint and no other uses up its time.
            groups = [[name] for name in names] if culprit is None else [[culprit], [n for n in names if n != culprit]]
            return {
                name: result
                for group in groups
                for name, result in self._run_group(project, group, session, retried, words).items()
            }
        return {
            name: self._run_result(project, project.constraints[name], row, session, words, retried=name in retried)
            for name, row in zip(names, rows, strict=True)
        }

    def _run_result(
        self,
        project: Project,
        adopted: Adopted,
        row: Value,
        session: ConstraintSession,
        words: UsersWords | None,
        *,
        retried: bool,
    ) -> CompletedRun | FailedRun:
        wrong = "returned something other than alerts"
        try:
            match row:
                case [str(), "", list() as rows, list() as looks]:
                    return self._completed_run(project, adopted, rows, looks)
                case [str(), str() as error, list(), list()]:
                    return self._narrowed_run(project, adopted, error[:MAX_REASON], session, words, retried=retried)
        except _WrongResult as error:
            wrong = str(error)
        return self._failed_run(project, adopted, f"{wrong}. Return a list of critical(…), warning(…) or info(…).")

    def _with_silenced_alerts(
        self, project: Project, results: Mapping[str, CompletedRun | FailedRun], retried: Collection[str]
    ) -> dict[str, CompletedRun]:
        """The results of constraints that may find more without what weaker sources added to the user's records."""
        if not project.supplemented:
            return {}
        reads = self._types_read.by_constraint(project)
        critical = {
            name: result
            for name, result in results.items()
            if isinstance(result, CompletedRun)
            and project.constraints[name].reading.severity == "critical"
            and project.constraints[name].reading.effect.change != "anything"
        }
        words = users_words(project, frozenset[str]().union(*(reads[name] for name in critical)))
        types = set(map(record_type, words.supplements))
        affected = [name for name in critical if not types.isdisjoint(reads[name])]
        return {
            name: with_silenced_alerts(critical[name], on_users_words, words.among(reads[name]))
            for name, on_users_words in self.run(project, affected, retried=retried, words=words).items()
        }

    def read_row(self, project: Project, adopted: Adopted, row: Value) -> CompletedRun | None:
        """The result of a run that was made for many users at once; None if it failed, or returned no alerts."""
        match row:
            case ["", list() as rows, list() as looks]:
                with suppress(_WrongResult):
                    return self._completed_run(project, adopted, rows, looks)
        return None

    def _narrowed_run(
        self,
        project: Project,
        adopted: Adopted,
        why: str,
        session: ConstraintSession,
        words: UsersWords | None,
        *,
        retried: bool,
    ) -> CompletedRun | FailedRun:
        """The result of a failing constraint without the records that cause its error.

        A constraint that is only retried, although no record changed, fails as before.
        """
        name = adopted.constraint.name
        known = _records_failing_last_run(project, name)
        if adopted.reading.effect.change == "anything" or (retried and project.failures.get(name) == why):
            return self._failed_run(project, adopted, why)
        narrowed = session.narrow(project, name, constraint_run_time(project), known, words)
        if narrowed is None:
            return self._failed_run(project, adopted, why)
        ran = self._completed_run(project, adopted, narrowed.alerts, narrowed.looks)
        failures = [
            self._failure(project, adopted, why, record, field, known.get(record, ""))
            for record, field in narrowed.fields.items()
        ]
        return replace(ran, failures=(*ran.failures, *failures))

    def _failed_run(self, project: Project, adopted: Adopted, why: str, reason: FailureReason = "") -> FailedRun:
        return FailedRun(replace(self._failure(project, adopted, why), reason=reason))

    def _failure(
        self, project: Project, adopted: Adopted, why: str, record: str = "", field: str = "", message: str = ""
    ) -> Failure:
        """Why a constraint could not run, with the highest severity that it could have raised."""
        cites = _alert_citations(project, adopted.reading, (record,) if record else ())
        severity, capped_from = self._capped_severity(adopted, adopted.reading.severity)
        return Failure(why, severity, record, field, cites, capped_from, message)

    def _completed_run(self, project: Project, adopted: Adopted, rows: list[Value], looks: list[Value]) -> CompletedRun:
        now = constraint_run_time(project)
        times = [*looks]
        alerts: list[FoundAlert] = []
        for item in rows[:MAX_ALERTS]:
            alert, whens = self._found_alert(project, adopted, item)
            times.extend(whens)
            alerts.append(alert)
        by_subject: dict[str, FoundAlert] = {}
        for alert in _with_distinct_subjects(alerts):
            by_subject[alert.subject] = _merge_alerts(by_subject.get(alert.subject), alert)
        later = [moment for when in times if (moment := _next_run_time(when, now)) is not None]
        pace = adopted.reading.pace
        again = None if pace == "tick" else min(later, default=NEVER if pace == "known" else None)
        if again is not None and again - now <= SOON:  # the sum may be beyond the range of datetime
            again = None
        many = f"returned more than {MAX_ALERTS:,} alerts. Only the first are kept."
        failures = (self._failure(project, adopted, many),) if len(rows) > MAX_ALERTS else ()
        return CompletedRun(tuple(by_subject[subject] for subject in sorted(by_subject)), again, failures)

    def _found_alert(self, project: Project, adopted: Adopted, row: Value) -> tuple[FoundAlert, list[Value]]:
        """The alert, and the times at which its constraint runs again."""
        match row:
            case [str() as severity, str() as subject, str() as message, list() as ids, again]:
                rows: list[Value] = []
            case [str() as severity, str() as subject, str() as message, list() as ids, again, list() as rows]:
                pass
            case _:
                raise _WrongResult("returned something other than an alert")
        if severity not in SEVERITIES:
            raise _WrongResult("returned an alert of an unknown severity")
        message = message if message.strip() else adopted.reading.doc
        records = tuple(dict.fromkeys(str(name) for name in ids))
        try:
            cites = _alert_citations(project, adopted.reading, records)
        except KeyError:
            raise _WrongResult("returned an alert that names an unknown record") from None
        tables = _named_tables(project, adopted.reading, rows)
        ages = _row_ages(rows)
        message = f"{message.rstrip()}{_age_notes(ages, constraint_run_time(project))}"
        message = f"{message}{_advice_notes(project, adopted.reading)}"
        capped, capped_from = self._capped_severity(adopted, severity)
        note = capped_severity_note(capped_from, capped)
        text = message[: MAX_MESSAGE - len(with_alert_tables(note, tables))] + note
        key = one_line(subject) or " / ".join(record.partition(":")[2] or record for record in records)
        if key.startswith(NOT_CHECKED):  # no alert may imitate the failure of its rule, or hide it
            key = f"{adopted.constraint.name}: {key}"
        key = shorten_alert_subject(key or adopted.constraint.name)
        return FoundAlert(key, capped, text, records, cites, capped_from, tables), [
            again,
            *(_day_after(day) for _, day in ages),
        ]

    def _capped_severity(self, adopted: Adopted, severity: Severity) -> tuple[Severity, Severity | None]:
        """The severity to show for an alert, and the author's own severity if it differs."""
        is_capped = not adopted.is_reviewed and self._unreviewed == "mark" and severity == "critical"
        return (CAP, severity) if is_capped else (severity, None)

    def _choose_constraints(self, project: Project, entries: Sequence[Entry]) -> "_Chosen":
        runnable = self._runnable(project)
        change = effects(entries, project)
        if change is None:
            return _Chosen(runnable)
        reads = self._types_read.by_constraint(project)
        by_change = {
            name for name in runnable if name in change.constraints or not change.types.isdisjoint(reads[name])
        }
        by_change |= runnable & project.unwatched
        retried = (runnable & _runs_without_result(project)) - by_change
        passed = any(isinstance(entry, Tick) for entry in entries)
        by_time = (
            ((due_constraints(project) | _constraints_to_recheck(project, entries)) & runnable) - by_change - retried
            if passed
            else set()
        )
        return _Chosen(by_change | retried | by_time, frozenset(by_time), frozenset(retried))

    def _runnable(self, project: Project) -> set[str]:
        stopped = _constraints_not_rerun(project)
        waits = self._unreviewed == "wait"
        return {
            name
            for name, adopted in project.constraints.items()
            if adopted.is_on and not (waits and not adopted.is_reviewed) and name not in stopped
        }


class _Chosen(NamedTuple):
    """The constraints to run, and among them those that run only because time passed or only because they failed."""

    names: set[str]
    timely: frozenset[str] = frozenset()
    retried: frozenset[str] = frozenset()


def due_constraints(project: Project) -> set[str]:
    """The constraints to run because of the time: they read it and asked for no later one, or a snooze has expired."""
    now = constraint_run_time(project)
    timed: set[str] = set()
    for name, adopted in project.constraints.items():
        if adopted.reading.uses_now and ((again := project.looks.get(name)) is None or again <= now):
            timed.add(name)
    woken = {
        name for (name, _), alert in project.alerts.items() if alert.state == "snoozed" and not alert.is_quiet(now)
    }
    return timed | woken


def constraint_run_time(project: Project) -> datetime:
    """The time that constraints see: that of the last tick."""
    assert project.now is not None, "a tick comes before the first run"
    return project.now


def _named_tables(project: Project, reading: Reading, rows: Sequence[Value]) -> tuple[str, ...]:
    """The tables that a constraint uses, each with its version and the rows that the alert names."""
    names = {name: f"{name} {project.knowledge[name].version}" for name in reading.knows}
    for row in rows:
        match row:
            case [str() as table, str() as id_, str() as regions, *_] if table in names:
                known = project.knowledge[table]
                where = one_line(regions or known.regions_of(id_))
                names[table] += row_reference(one_line(id_), where, known.unconfirmed(id_))
            case _:
                raise _WrongResult("returned an alert that names a row of a table which it does not use")
    return tuple(names.values())


def _row_ages(rows: Sequence[Value]) -> list[tuple[date, date]]:
    """The day of review and the last day of each named row that ages; days that cannot be read are left out."""
    ages: list[tuple[date, date]] = []
    for row in rows:
        match row:
            case [_, _, _, str() as reviewed_on, str() as expires]:
                with suppress(ValueError):
                    ages.append((date.fromisoformat(reviewed_on), date.fromisoformat(expires)))
    return ages


def _age_notes(ages: Sequence[tuple[date, date]], now: datetime) -> str:
    """What is said of the rows that are out of date, for the end of a message."""
    stale = min((reviewed_on for reviewed_on, expires in ages if expires < now.date()), default=None)
    return f" As of {stale}, check: rules like this change, and the table is due for a review." if stale else ""


def _day_after(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day


def _advice_notes(project: Project, reading: Reading) -> str:
    """What the tables say that they are not, for the end of a message: ' No medical advice.'"""
    firsts = (project.knowledge[name].note.partition(";")[0].strip() for name in reading.knows)
    notes = dict.fromkeys(text for text in firsts if text.startswith("no ") and text.endswith(" advice"))
    return "".join(f" {text[0].upper()}{text[1:]}." for text in notes)


class _WrongResult(Exception):
    """A constraint returned something other than a list of alerts."""


def _silenced_constraints(project: Project, runnable: set[str]) -> set[str]:
    """Constraints that do not run (any more) but still have alerts or a recorded failure."""
    named = {constraint for constraint, _subject in project.alerts} | {*project.failures}
    return named - runnable - _constraints_not_rerun(project) - BUILT_IN


def _reasons_for_silence(entries: Sequence[Entry]) -> dict[str, str]:
    """Why constraints that were retired or switched off no longer raise alerts."""
    return {
        patch.constraint: f"the rule was {'retired' if isinstance(patch, Retire) else 'switched off'}: {patch.why}"
        for entry in entries
        if isinstance(entry, Checkpoint)
        for patch in entry.patches
        if isinstance(patch, Retire) or (isinstance(patch, Switch) and not patch.on and patch.why)
    }


def _runs_without_result(project: Project) -> set[str]:
    """Constraints that gave no result at all; they may next time, if the machine was busy."""
    whole = {name for (name, _), alert in project.alerts.items() if alert.is_failure and not alert.records}
    return whole & project.failures.keys()


def _constraints_not_rerun(project: Project) -> set[str]:
    """Constraints that exceeded a limit less than a day ago: each retry costs seconds, and may fail again."""
    now = constraint_run_time(project)
    over = {name for (name, _), alert in project.alerts.items() if alert.reason == "limit"}
    return {name for name in over & project.failures.keys() if project.looks.get(name, NEVER) > now}


def _constraints_to_recheck(project: Project, entries: Sequence[Entry]) -> frozenset[str]:
    """The constraints to run once more because they cleared an alert; only on a tick without other entries."""
    return project.rechecks if all(isinstance(entry, Tick) for entry in entries) else frozenset()


def _next_runs(
    project: Project, results: dict[str, CompletedRun | FailedRun], ran_again: Collection[str]
) -> list[NextRun]:
    """Constraints whose next run has changed, or that have caught up after an import or after clearing an alert."""
    again: dict[str, datetime | None] = {}
    for name in sorted(results):
        result = results[name]
        adopted = project.constraints.get(name)
        if adopted is None:
            continue
        if isinstance(result, FailedRun):
            if result.failure.reason == "limit":
                again[name] = constraint_run_time(project) + RETRY
            continue
        moment = result.again if adopted.reading.uses_now else None
        if moment != project.looks.get(name) or name in ran_again:
            again[name] = moment
    return [NextRun(again=again)] if again else []


def _run_open_conflict(project: Project) -> list[FoundAlert]:
    alerts: list[FoundAlert] = []
    for conflict in project.conflicts:
        claims = "; ".join(
            f"{dump_value(claim.value)} ({claim.attribution}, {claim.said.date().isoformat()})"
            for claim in conflict.claims
        )
        message = f"{conflict.record} has claims of {conflict.field} that disagree: {claims}. Say which one stands."
        cites = tuple(sorted({cited for claim in conflict.claims for cited in claim.cites}))
        alerts.append(
            FoundAlert(
                shorten_alert_subject(f"{conflict.record}.{conflict.field}"),
                "warning",
                message[:MAX_MESSAGE],
                (conflict.record,),
                cites,
            )
        )
    return alerts


def _run_incomplete_record(project: Project) -> list[FoundAlert]:
    """An alert for each record that no constraint sees."""
    alerts: list[FoundAlert] = []
    for record in sorted(map(project.record, project.unsure), key=lambda record: record.order):
        if record.is_incomplete and record.ended is None:
            missing = [each for each in record.unsure if record.values[each.field] is None]
            whys = "; ".join(f"{each.field}: {each.why}" for each in missing)
            message = f"{record.id} is left out of rules and sums. {whys}. Say what was meant."
            cites = tuple(sorted(record.cites))
            subject = shorten_alert_subject(record.id)
            alerts.append(FoundAlert(subject, "info", message[:MAX_MESSAGE], (record.id,), cites))
    return alerts


def _with_distinct_subjects(alerts: list[FoundAlert]) -> list[FoundAlert]:
    """The alerts with unambiguous subjects: if records of two types share a key, the subject includes the type."""
    records: dict[str, set[tuple[str, ...]]] = {}
    for alert in alerts:
        records.setdefault(alert.subject, set()).add(alert.records)
    doubled = {subject for subject, sets in records.items() if len(sets) > 1}
    return [
        replace(alert, subject=shorten_alert_subject(" / ".join(alert.records)))
        if alert.subject in doubled and alert.subject == " / ".join(name.partition(":")[2] for name in alert.records)
        else alert
        for alert in alerts
    ]


def _merge_alerts(old: FoundAlert | None, new: FoundAlert) -> FoundAlert:
    """Merges two alerts of one subject: the higher severity, with both messages."""
    if old is None or old == new:
        return new
    first, second = sorted((old, new), key=lambda alert: SEVERITIES.index(alert.severity))
    tables = tuple(dict.fromkeys((*first.tables, *second.tables)))
    return FoundAlert(
        first.subject,
        first.severity,
        f"{first.message} {second.message}"[: MAX_MESSAGE - len(with_alert_tables("", tables))],
        tuple(dict.fromkeys((*first.records, *second.records))),
        tuple(sorted({*first.cites, *second.cites})),
        first.capped_from,
        tables,
    )


def _records_failing_last_run(project: Project, name: str) -> dict[str, str]:
    """The records that a constraint is known to fail for, each with its message."""
    return {
        record: alert.message
        for (constraint, _subject), alert in sorted(project.alerts.items())
        if constraint == name and alert.is_failure
        for record in alert.records
        if record in project.tables.get(record.partition(":")[0], ())
    }


def _is_active_record(project: Project, name: str) -> bool:
    record = project.tables.get(name.partition(":")[0], Map[str, Record]()).get(name)
    return record is not None and record.ended is None


def _alert_citations(project: Project, reading: Reading, records: tuple[str, ...]) -> tuple[int, ...]:
    """The facts that the records cite. An alert that names no record may depend on any record that was read."""
    tables = project.tables
    if records:
        named = [tables[record.partition(":")[0]][record] for record in records]
    else:
        owners = project.owners()
        types = {owners[collection] for collection in reading.reads if collection in owners}
        named = [record for name in sorted(types) for record in tables[name].values()]
    return tuple(sorted({cited for record in named for cited in record.cites}))


def _cite_quoted_texts(project: Project, change: AlertChange, sources: Mapping[str, set[int]]) -> AlertChange:
    own = "\n".join(
        str(value)
        for name in change.records
        for value in project.tables[name.partition(":")[0]][name].values.values()
        if value is not None
    )
    words = f"{change.message}\n{change.subject}"
    cites = set(change.cites)
    for text, cited in sources.items():
        if text in words and text not in own:
            cites |= cited
    return change if len(cites) == len(change.cites) else msgspec.structs.replace(change, cites=tuple(sorted(cites)))


def _next_run_time(when: Value, now: datetime) -> datetime | None:
    """The next run, if it is in the future; a date counts from the day before, because the user's zone may change."""
    match when:
        case datetime():
            moment = when if when.tzinfo else when.replace(tzinfo=now.tzinfo)
            if moment <= now:
                return None
        case date() if when > now.date():
            moment = datetime.combine(when, time(), now.tzinfo) - SOON
        case _:
            return None
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # beyond the range of datetime
        return None


def _suspected_constraint(error: RunError, names: list[str]) -> str | None:
    """The constraint that was probably running when the sandbox gave up: the runner prints their names."""
    if not isinstance(error, LimitError) or error.limit not in ("time", "memory", "depth"):
        return None  # the problem is in the results, which are checked after all have run
    last = error.printed.rstrip("\n").rpartition("\n")[2]
    return last if last in names else None
