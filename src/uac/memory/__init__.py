"""One user's memory: the facade that programs use, and the one way in which everything is written.

Comes in: observations, replies of models, records and corrections. Goes out: what the caller asked for, after the
change and its alerts were appended together. `Background` learns in a thread; `play_pack_cases` tries packs on cases.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.memory.background import Background
    from uac.memory.memory import Memory
    from uac.memory.pack_cases import (
        CASE_COUNTS,
        Expected,
        PackCase,
        case_counts,
        memory_with_packs,
        play_pack_cases,
        raised_severities,
        read_pack_cases,
        share_of_counts,
    )
    from uac.memory.snapshots import fold_log

__all__ = [
    "CASE_COUNTS",
    "Background",
    "Expected",
    "Memory",
    "PackCase",
    "case_counts",
    "fold_log",
    "memory_with_packs",
    "play_pack_cases",
    "raised_severities",
    "read_pack_cases",
    "share_of_counts",
]


def __getattr__(name: str) -> object:
    """Imported on first use: storing an observation needs none of them."""
    if name == "Background":
        from uac.memory.background import Background

        return Background
    if name == "Memory":
        from uac.memory.memory import Memory

        return Memory
    if name == "fold_log":
        from uac.memory.snapshots import fold_log

        return fold_log
    if name in __all__:
        import uac.memory.pack_cases

        return getattr(uac.memory.pack_cases, name)
    raise AttributeError(f"module 'uac.memory' has no attribute {name!r}")
