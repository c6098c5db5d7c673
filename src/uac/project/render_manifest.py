"""render_manifest(project): the short index of a project that is always in the agent's context."""

from collections import Counter

from uac.project.alerts import Alert, capped_severity_label
from uac.project.project import Coverage, Project
from uac.schema.literals import text_literal
from uac.schema.safe_text import shorten
from uac.schema.types import Type

__all__ = ["render_manifest"]

MANIFEST_CHARACTERS = 1500  # about 300 to 400 tokens
MANIFEST_ALERTS = 4
MANIFEST_ALERT = 100
MANIFEST_EMPTY = 100


def render_manifest(project: Project) -> str:
    """The index that is always in the agent's context: some 300 tokens, however large the state.

    Types with the most records show their fields; where there is no room, types show only their number of records,
    and domains only their number of types. Types without records are only named.
    """
    filled = [name for name in project.types if project.count(name)]
    by_size = sorted(filled, key=lambda name: (-project.count(name), name))
    domains = sorted(
        {project.types[name].domain for name in filled}, key=lambda name: (-_manifest_domain_size(project, name), name)
    )
    low, high = 0, len(by_size)
    while low < high:
        middle = (low + high + 1) // 2
        fits = len(_manifest_text(project, set(by_size[:middle]), set(domains))) <= MANIFEST_CHARACTERS
        low, high = (middle, high) if fits else (low, middle - 1)
    listed = len(domains)
    while listed and len(_manifest_text(project, set(by_size[:low]), set(domains[:listed]))) > MANIFEST_CHARACTERS:
        listed -= 1
    return _manifest_text(project, set(by_size[:low]), set(domains[:listed]))


def _manifest_domain_size(project: Project, domain: str) -> int:
    return sum(project.count(type_.full_name) for type_ in project.types_of(domain))


def _manifest_text(project: Project, detailed: set[str], listed: set[str]) -> str:
    lines = [
        '"""What is known of this user. To see records: from domains import travel."""',
        "",
        f"POSITION = {project.position}",
        f"NOW = {text_literal(project.now.isoformat()) if project.now else None}",
        f"WAITING = {len(project.waiting)}  # facts that are in no record yet",
        f"CONFLICTS = {len(project.disputed)}  # records with claims that disagree",
        *([f"UNSURE = {len(project.unsure)}  # records with values that are not certain"] if project.unsure else []),
        f"CONSTRAINTS = {len(project.constraints)}  # functions that watch the records",
        *_manifest_alert_lines(project),
        *_manifest_empty_types(project),
        "",
    ]
    domains = [domain for domain in project.domains if _manifest_domain_size(project, domain)]
    if not domains:
        return "\n".join([*lines, "DOMAINS = {}", ""])
    lines.append("DOMAINS = {")
    for domain in domains:
        types = [type_ for type_ in project.types_of(domain) if project.count(type_.full_name)]
        covered = project.coverage.get(domain, Coverage(0, 0))
        note = f"  # facts: {covered.structured} in records, {covered.aside} set aside" if sum(covered) else ""
        if domain not in listed:
            count = _manifest_domain_size(project, domain)
            lines.append(f"    {text_literal(domain)}: {text_literal(f'{len(types)} types, {count} records')},")
            continue
        lines.append(f"    {text_literal(domain)}: {{{note}")
        for type_ in types:
            fields = ": " + ", ".join(field.name for field in type_.fields) if type_.full_name in detailed else ""
            summary = f"{project.count(type_.full_name)} {type_.cardinality}{_manifest_ends(project, type_)}{fields}"
            lines.append(f"        {text_literal(type_.collected_as)}: {text_literal(summary)},")
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def _manifest_ends(project: Project, type_: Type) -> str:
    """How many of the records have ended, by reason: " (2 cancelled, 1 returned)"."""
    ends = Counter(record.ended.reason for record in project.tables[type_.full_name].values() if record.ended)
    return f" ({', '.join(f'{count} {reason}' for reason, count in sorted(ends.items()))})" if ends else ""


def _manifest_empty_types(project: Project) -> list[str]:
    """The types that have no records yet; as many names as fit a line."""
    empty = sorted(f"{t.domain}.{t.collected_as}" for name, t in project.types.items() if not project.count(name))
    if not empty:
        return []
    shown = [name for place, name in enumerate(empty) if len(", ".join(empty[: place + 1])) <= MANIFEST_EMPTY]
    more = f"  # and {len(empty) - len(shown)} more" if len(shown) < len(empty) else ""
    return [f"EMPTY = {text_literal(', '.join(shown))}{more}"]


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
