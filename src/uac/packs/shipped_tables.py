"""The packed tables of the packs that ship: made when the package is built, so that a process need not repeat it.

`make proofs` writes each table as a user's log gets it, under a digest of the files that it is made of. A table whose
file or whose checks differ in one byte is read and packed when it is needed, as those of other packs always are.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from uac.schema.constraints import Knowledge

__all__ = ["SHIPPED_TABLES", "shipped_table", "table_key"]

SHIPPED_TABLES = Path(__file__).with_name("shipped_tables.json")
"""One JSON object, with one table a line."""


def shipped_table(pack: str, table: bytes, checks: bytes) -> Knowledge | None:
    """The packed table of exactly these two files of a pack; None if there is none."""
    stored = _stored_tables().get(table_key(pack, table, checks))
    return None if stored is None else msgspec.json.decode(stored, type=Knowledge)


def table_key(pack: str, table: bytes, checks: bytes) -> str:
    """The digest of a table's file and that of its checks, with their sizes: no other files have the same bytes."""
    return sha256(b"".join((f"{pack} {len(table)} {len(checks)}\n".encode(), table, checks))).hexdigest()


@cache
def _stored_tables() -> dict[str, msgspec.Raw]:
    if not SHIPPED_TABLES.is_file():
        return {}
    return msgspec.json.decode(SHIPPED_TABLES.read_bytes(), type=dict[str, msgspec.Raw])
