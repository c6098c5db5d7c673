"""What the tests of packs share: the installed packs, and a memory with some of them."""

from support.constraints import Clock
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import (
    installed_packs,
)
from uac.packs.files import Pack
from uac.sandbox import shared_sandbox

__all__ = ["CONTRACT", "PACKS", "TABLES", "remembering"]

PACKS = installed_packs()
TABLES = [table for pack in PACKS for table in pack.knowledge]
CONTRACT = {"name": "Hosting", "review_by": "2026-01-20"}
"""A record of the template's pack."""


def remembering(*packs: Pack) -> Memory:
    return Memory(MemoryStore().log("ana"), packs=packs, sandbox=shared_sandbox(), clock=Clock())
