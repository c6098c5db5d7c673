"""How much an open memory keeps in the process, by estimate: counting its objects would take longer than opening it."""

from uac.project.project import Project

__all__ = ["estimated_bytes"]

# Measured as the growth of a process that opens a user of 5,000 to 50,000 turns or records of 30 to 100 characters from
# the snapshot, after every record was read: a record that was not takes a third. `tests/bench/test_memory_weight.py`
# compares. Small memories, of which a service opens thousands, are put two or three times as high as they are: they
# grow, and lie scattered, so that the room between them is not free for others.
OPEN, OPEN_INDEX = 50_000, 200_000
RECORD, INDEXED_RECORD = 950, 600
ENTRY, INDEXED_ENTRY = 80, 1500
FOLDED_ENTRY, MOST_FOLDED = 250, 1000  # an entry behind the snapshot is kept whole; a short log has no snapshot


def estimated_bytes(project: Project, *, has_index: bool) -> int:
    """The bytes of a project, and of the search index over its log and records."""
    records = sum(map(len, project.tables.values()))
    folded = FOLDED_ENTRY * min(project.position, MOST_FOLDED)
    opened = OPEN + RECORD * records + ENTRY * project.position + folded
    return opened + (OPEN_INDEX + INDEXED_RECORD * records + INDEXED_ENTRY * project.position if has_index else 0)
