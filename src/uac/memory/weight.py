"""How much an open memory keeps in the process, by estimate: counting its objects would take longer than opening it."""

from uac.project.project import Project

__all__ = ["estimated_bytes"]

# Measured as the growth of a process at 20,000 turns or records of 30 to 100 characters.
OPEN = 100_000
RECORD = 1000
ENTRY = 400
INDEXED = 5000


def estimated_bytes(project: Project, *, has_index: bool) -> int:
    """The bytes of a project, and of the search index over its log."""
    records = sum(map(len, project.tables.values()))
    return OPEN + RECORD * records + (ENTRY + (INDEXED if has_index else 0)) * project.position
