"""A user's memory on one page: by domain, with urgent alerts, unfinished work and the latest changes."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import islice

from starlette.responses import Response

from uac.interfaces.inspector.entry_lines import entry_line, readable_alert
from uac.interfaces.inspector.history_cache import Step, history_steps
from uac.interfaces.inspector.page import Page, PageView
from uac.interfaces.inspector.record_names import nameable_records, record_link_maker
from uac.project.project import Coverage, Project
from uac.schema.types import Type

__all__ = ["PAGES"]

ALERTS = 6
CHANGES = 8
OLD = timedelta(days=1)  # age of the last tick; alerts may have become due since


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain: its types with their number of records, most first, and the coverage of its facts."""

    name: str
    types: tuple[tuple[Type, int], ...]
    records: int
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Waiting:
    """Counts of what is not in records yet."""

    unread: int
    again: int
    facts: int
    stuck: tuple[tuple[int, str], ...]
    conflicts: int
    unsure: tuple[str, ...]
    """Records with values that are not certain."""

    def __bool__(self) -> bool:
        return bool(self.unread or self.again or self.facts or self.stuck or self.conflicts or self.unsure)


def overview_page(view: PageView) -> Response:
    with view.memory() as memory:
        project, head, now = memory.project(), memory.log.head(), memory.log.now()
    alerts = [readable_alert(alert, project) for alert in project.standing()]
    loud = [alert for alert in alerts if not alert.is_quiet(project.now)]
    return view.render_template(
        "overview.html",
        project=project,
        last=head.at,
        domains=_domain_counts(project),
        empty=[name for name in sorted(project.types) if not project.count(name)],
        covered=_overview_coverage(project),
        loud=loud[:ALERTS],
        more_alerts=max(len(loud) - ALERTS, 0),
        quiet=len(alerts) - len(loud),
        waiting=_overview_waiting(project),
        changes=_overview_changes(project),
        records=sum(map(project.count, project.types)),
        ended=sum(record.ended is not None for table in project.tables.values() for record in table.values()),
        named=record_link_maker(project),
        line_of=partial(entry_line, project=project),
        nameable_records=lambda alert: nameable_records(project, alert.records),
        is_old=project.now is not None and now - project.now > OLD and _overview_depends_on_time(project),
        is_unchanged=view.query("passed") == "nothing",
    )


def submit_overview_tick(view: PageView) -> Response:
    """Tick: run the constraints that depend on time."""
    with view.memory() as memory:
        changes = memory.tick()
    return view.redirect("alerts/history") if changes else view.redirect("", passed="nothing")


def _overview_depends_on_time(project: Project) -> bool:
    """Whether time alone may change alerts."""
    is_timed = any(adopted.reading.uses_now for adopted in project.constraints.values())
    return is_timed or any(alert.state == "snoozed" for alert in project.alerts.values())


def _domain_counts(project: Project) -> list[Domain]:
    domains = []
    for name in project.domains:
        counts = [(type_, project.count(type_.full_name)) for type_ in project.types_of(name)]
        filled = sorted(((t, n) for t, n in counts if n), key=lambda pair: (-pair[1], pair[0].name))
        if filled:
            total = sum(count for _type, count in filled)
            domains.append(Domain(name, tuple(filled), total, project.coverage.get(name, Coverage(0, 0))))
    return sorted(domains, key=lambda domain: (-domain.records, domain.name))


def _overview_coverage(project: Project) -> float | None:
    """The share of facts that are in records; None if there are no facts."""
    structured = sum(covered.structured for covered in project.coverage.values())
    total = structured + sum(covered.aside for covered in project.coverage.values()) + len(project.waiting)
    return structured / total if total else None


def _overview_waiting(project: Project) -> Waiting:
    progress = project.progress
    stuck = tuple(islice(sorted(progress.stuck.items()), 5))
    unsure = tuple(sorted(project.unsure))
    return Waiting(
        len(progress.unread), len(progress.again), len(project.waiting), stuck, len(project.conflicts), unsure
    )


def _overview_changes(project: Project) -> list[Step]:
    """The newest changes, newest first."""
    return history_steps(project)[: -CHANGES - 1 : -1]


PAGES = (
    Page("/users/{user}", overview_page, title="Overview", letter="o", group="Known"),
    Page("/users/{user}/tick", submit_overview_tick, right="write", method="POST"),
)
