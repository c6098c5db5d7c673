"""The names by which a project's records are known: people, animals, things."""

from uac.project.project import Project

__all__ = ["known_names"]

MAX_RECORDS = 500  # a type with more records contributes no names


def known_names(project: Project) -> list[str]:
    """The values of `name` in records that are identified by it, or are the only one of their type."""
    return [
        str(record.values["name"])
        for type_ in project.types.values()
        if type_.field("name") and ("name" in type_.key or type_.cardinality == "one")
        if project.count(type_.full_name) <= MAX_RECORDS
        for record in project.records(type_.full_name)
        if record.values.get("name")
    ]
