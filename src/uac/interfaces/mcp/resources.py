"""The tool read, and the resources: the manifest, domains, types and records, as an agent sees them."""

from datetime import datetime
from itertools import chain

from uac.errors import Refused
from uac.interfaces.mcp.arguments import ReadArgs
from uac.interfaces.mcp.results import ReadResult, record_result
from uac.interfaces.views.project import type_view
from uac.memory.memory import Memory
from uac.project.project import Project
from uac.schema.types import Type

__all__ = ["read_project"]


def read_project(memory: Memory, arguments: ReadArgs, _now: datetime) -> ReadResult:
    project, name = memory.project(), arguments.name.strip()
    types = _types_by_name(project, name)
    if ":" in name:
        records = [project.record(name)]
    else:
        records = list(chain.from_iterable(project.records(type_.full_name) for type_ in types))
    end = arguments.after + arguments.most
    return ReadResult(
        manifest="" if name else memory.manifest(),
        types=tuple(type_view(project, type_) for type_ in types),
        records=tuple(map(record_result, records[arguments.after : end])),
        total=len(records),
        next=end if end < len(records) else None,
        disputed=tuple(sorted(project.disputed)),
        unread=len(project.progress.unread),
        waiting=len(project.waiting),
    )


def _types_by_name(project: Project, name: str) -> list[Type]:
    """The types that a name means: none for the manifest, all of a domain, or one."""
    if not name:
        return []
    type_name = name.partition(":")[0]
    if type_name in project.types:
        return [project.types[type_name]]
    filled = [type_ for type_ in project.types_of(name) if project.count(type_.full_name)]
    if found := filled or project.types_of(name):
        return found
    known = f"the domains {', '.join(project.domains)}" if project.domains else "no records yet"
    raise Refused(f"{name!r} is not known. Give a domain, a type or the id of a record; there are {known}.")
