"""How much an open memory keeps in the process, by estimate: counting its objects would take longer than opening it."""

from uac.project.project import Project

__all__ = ["estimated_bytes"]

# Measured by what is allocated, and put about a half higher, because what is free between objects is not given back:
# for users of 10 to 500 entries as a service has them open; for users of 5,000 to 50,000 turns or records of 30 to 100
# characters opened from the snapshot, after every record was read (a record that was not takes a third). The share must
# be the same for short and long logs: if it falls as logs grow, the process grows while the weight of its cache does
# not. `tests/memory/test_weight.py` and `tests/bench/test_memory_weight.py` compare.
OPEN, OPEN_INDEX = 8_000, 100_000
CONSTRAINT = 2000  # with what a pack brings beside it; texts of packs are shared, and not counted
RECORD, INDEXED_RECORD = 950, 600
ENTRY, INDEXED_ENTRY = 80, 750
FOLDED_ENTRY, MOST_FOLDED = 400, 1000  # an entry behind the snapshot is kept whole; a short log has no snapshot


def estimated_bytes(project: Project, *, has_index: bool) -> int:
    """The bytes of a project, and of the search index over its log and records."""
    records = sum(map(len, project.tables.values()))
    folded = FOLDED_ENTRY * min(project.position, MOST_FOLDED) + CONSTRAINT * len(project.constraints)
    opened = OPEN + RECORD * records + ENTRY * project.position + folded
    return opened + (OPEN_INDEX + INDEXED_RECORD * records + INDEXED_ENTRY * project.position if has_index else 0)
