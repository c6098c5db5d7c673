"""render_manifest(project): the short index of a project that is always in the agent's context."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

from uac.project.alerts import Alert, capped_severity_label
from uac.project.project import Project, Record
from uac.schema.literals import text_literal
from uac.schema.safe_text import shorten
from uac.schema.types import Field, Type, parse_type
from uac.schema.values import Money

__all__ = ["render_manifest"]

MANIFEST_CHARACTERS = 2000  # about 550 tokens; most users need less
MANIFEST_ALERTS = 4
MANIFEST_ALERT = 100
MANIFEST_EMPTY = 60
MANIFEST_CHOICES = 6  # values of an enumerated field
MANIFEST_CURRENCIES = 3
MANIFEST_UNIT = 24  # characters of a number's description: "in km"

Detail = Literal["count", "names", "fields"]
"""How much is shown of a collection: how many records, also the names of the fields, or also their types."""


def render_manifest(project: Project, *, with_alerts: bool = True) -> str:
    """The index that is always in the agent's context: enough to write a query, however large the state.

    The collections with the most records show their fields with types, further ones the names of their fields, then
    only how many records they have; where there is no room for that either, domains show how many they have.
    """
    filled = [name for name in project.types if project.count(name)]
    by_use = sorted(filled, key=lambda name: (-project.count(name), name))
    domains = sorted(
        {project.types[name].domain for name in filled}, key=lambda name: (-_count_in(project, name), name)
    )
    alerts = _manifest_alert_lines(project) if with_alerts else []
    frame = len(_manifest_text(project, [], _manifest_empty_types(project), alerts))
    counts: dict[str, Detail] = dict.fromkeys(filled, "count")
    collections = _ManifestCollections(project, domains)
    while collections.domains and frame + collections.length(counts, []) > MANIFEST_CHARACTERS:
        collections.domains.pop()
    listed = list(collections.domains)
    while listed and frame + collections.length(counts, listed) > MANIFEST_CHARACTERS:
        listed.pop()
    details = counts
    longer: tuple[Detail, ...] = ("fields", "names")
    for name, detail in product(by_use, longer):
        if details[name] == "count" and project.types[name].domain in listed:
            more = {**details, name: detail}
            details = more if frame + collections.length(more, listed) <= MANIFEST_CHARACTERS else details
    lines = collections.lines(details, listed)
    return _manifest_text(project, lines, _manifest_empty_types(project), alerts)


def _count_in(project: Project, domain: str) -> int:
    return sum(project.count(type_.full_name) for type_ in project.types_of(domain))


def _manifest_text(project: Project, collections: Sequence[str], empty: Sequence[str], alerts: Sequence[str]) -> str:
    counts = [
        (len(project.waiting), "WAITING", "facts that are in no record yet"),
        (len(project.disputed), "CONFLICTS", "records with claims that disagree"),
        (len(project.unsure), "UNSURE", "records with values that are not certain"),
        (len(project.constraints), "CONSTRAINTS", "functions that watch the records"),
    ]
    lines = [
        '"""What is known of this user, for compute: [r.city for r in travel.trips if r.cost]."""',
        "",
        f"POSITION = {project.position}",
        f"NOW = {text_literal(project.now.isoformat()) if project.now else None}",
        *(f"{name} = {count}  # {what}" for count, name, what in counts if count),
        *alerts,
        "",
    ]
    if not project.types or not any(map(project.count, project.types)):
        return "\n".join([*lines, "RECORDS = {}", *empty, ""])
    return "\n".join([*lines, *_LEGEND, "RECORDS = {", *collections, "}", *empty, ""])


_LEGEND = (
    "# trips 3 (former_trips 1 cancelled): fields. x?: may be None; no type: str; …: fields without a value (read the",
    "# domain to see all). end_of(r): how a former one ended; history(r, 'x'): values over time.",
)


class _ManifestCollections:
    """A line for each domain with its collections, each as long as there is room for it."""

    def __init__(self, project: Project, domains: Sequence[str]) -> None:
        self.domains = list(domains)
        """Those that have a line; the others are only counted."""
        self._all = len(domains)
        self._project = project
        self._summaries: dict[tuple[str, Detail], str] = {}

    def lines(self, details: Mapping[str, Detail], listed: Sequence[str]) -> list[str]:
        """The collections of the types in `details`; of a domain that is not `listed`, only how many."""
        lines: list[str] = []
        for domain in sorted(self.domains):
            names = [type_.full_name for type_ in self._project.types_of(domain) if type_.full_name in details]
            text = f"{len(names)} collections, {_count_in(self._project, domain)} records"
            if domain in listed:
                text = "; ".join(self._summary(name, details[name]) for name in names)
            lines.append(f"    {text_literal(domain)}: {text_literal(text)},")
        hidden = self._all - len(self.domains)
        return [*lines, f"    # and {hidden} more domains"] if hidden else lines

    def length(self, details: Mapping[str, Detail], listed: Sequence[str]) -> int:
        return sum(len(line) + 1 for line in self.lines(details, listed))

    def _summary(self, name: str, detail: Detail) -> str:
        if (name, detail) not in self._summaries:
            self._summaries[name, detail] = _manifest_summary(self._project, self._project.types[name], detail)
        return self._summaries[name, detail]


def _manifest_summary(project: Project, type_: Type, detail: Detail) -> str:
    """How many records there are, how many have ended, and the fields: "trips 2 (former_trips 1): city, start: date".

    A field that has no value in any record is left out.
    """
    records = project.tables[type_.full_name].values()
    ends = Counter(record.ended.reason for record in records if record.ended)
    current = len(records) - ends.total()
    count = str(current) if type_.cardinality != "one" else "is a record" if current else "is None"
    ended = ", ".join(f"{number} {reason}" for reason, number in sorted(ends.items()))
    summary = f"{type_.collected_as} {count}" + (f" ({type_.former} {ended})" if ends else "")
    if detail == "count":
        return summary
    used = [field for field in type_.fields if any(_has_value(record, field) for record in records)]
    fields = [_field_text(project, type_, field) if detail == "fields" else _field_name(field) for field in used]
    return f"{summary}: {', '.join([*fields, '…'] if len(used) < len(type_.fields) else fields)}"


def _has_value(record: Record, field: Field) -> bool:
    return record.values.get(field.name) not in (None, ())


def _field_name(field: Field) -> str:
    return f"{field.name}?" if field.type.endswith(" | None") else field.name


def _field_text(project: Project, type_: Type, field: Field) -> str:
    """A field with its type, the choices of an enumeration, the currencies of money and the unit of a number."""
    kind = field.type.removesuffix(" | None")
    if kind.startswith("Literal["):
        choices = [repr(choice) for choice in parse_type(kind).choices]
        more = "|…" if len(choices) > MANIFEST_CHOICES else ""
        kind = "|".join(choices[:MANIFEST_CHOICES]) + more
    elif kind == "Money":
        values = (record.values.get(field.name) for record in project.tables[type_.full_name].values())
        currencies = sorted({value.currency for value in values if isinstance(value, Money)})
        more = "|…" if len(currencies) > MANIFEST_CURRENCIES else ""
        kind = f"Money {'|'.join(currencies[:MANIFEST_CURRENCIES])}{more}".rstrip()
    elif kind in ("int", "float", "Decimal") and field.doc and len(field.doc) <= MANIFEST_UNIT:
        kind = f"{kind} ({field.doc.rstrip('.')})"
    return _field_name(field) if kind == "str" else f"{_field_name(field)}: {kind}"


def _manifest_empty_types(project: Project) -> list[str]:
    """The collections that have no records yet; as many names as fit a line."""
    empty = sorted(f"{t.domain}.{t.collected_as}" for name, t in project.types.items() if not project.count(name))
    if not empty:
        return []
    listed = [name for place, name in enumerate(empty) if len(", ".join(empty[: place + 1])) <= MANIFEST_EMPTY]
    more = f"  # and {len(empty) - len(listed)} more" if len(listed) < len(empty) else ""
    return [f"EMPTY = {text_literal(', '.join(listed))}{more}"]


def _manifest_alert_lines(project: Project) -> list[str]:
    """The alerts that are neither acknowledged nor snoozed, most severe first, as many as fit, each shortened.

    A comment beside the list counts what it leaves out: only an empty list without one means that there are none.
    """
    alerts = project.standing()
    loud = [alert for alert in alerts if not alert.is_quiet(project.now)]
    more = loud[MANIFEST_ALERTS:]
    critical = sum(alert.severity == "critical" for alert in more)
    unchecked = len(project.unwatched)
    notes = [f"and {len(more)} more" + (f", {critical} of them critical" if critical else "")] if more else []
    notes += [f"{len(alerts) - len(loud)} acknowledged or snoozed"] if len(loud) < len(alerts) else []
    notes += [f"constraints that have not run yet: {unchecked}"] if unchecked else []
    note = f"  # {'; '.join(notes)}" if notes else ""
    if not loud:
        return [f"ALERTS = []{note}"]
    lines = [
        f"    {text_literal(shorten(f'{_manifest_severity(alert)}: {alert.text}', MANIFEST_ALERT - 1))},"
        for alert in loud[:MANIFEST_ALERTS]
    ]
    return ["ALERTS = [", *lines, f"]{note}"]


def _manifest_severity(alert: Alert) -> str:
    """The severity, with the author's if that differs: the message, which says so, may be shortened."""
    return f"{alert.severity} ({capped_severity_label(alert.capped_from)})" if alert.capped_from else alert.severity
