"""The resources: their URIs and descriptions, and which of them a change of the project changes."""

from uac.project.diff import diff
from uac.project.project import Project

__all__ = ["ALERTS", "DOMAIN", "MANIFEST", "changed_resource_uris", "resource_description"]

MANIFEST = "uac://manifest"
ALERTS = "uac://alerts"
DOMAIN = "uac://domain/"


def changed_resource_uris(before: Project, after: Project) -> list[str]:
    if before is after:
        return []
    changes = diff(before, after)
    domains = sorted(
        {change.what.partition(".")[0] for change in changes if change.kind in ("type", "record", "field")}
    )
    uris = [f"{DOMAIN}{name}" for name in domains]
    uris += [ALERTS] if before.alerts != after.alerts or before.failures != after.failures else []
    # The manifest holds the position, so every entry changes it.
    return [MANIFEST, *uris] if before.position != after.position else uris


def resource_description(uri: str) -> str:
    known = {MANIFEST: "A short index of what is known of the user.", ALERTS: "The active alerts."}
    return known.get(uri, "Types and records of a domain.")
