"""What all packs add to the log of a user: to the first of a store, and to each further one."""

import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from uac import Checkpoint, Memory, Observation, open_store
from uac.packs import chosen_packs, needed_patches
from uac.text import count_tokens

__all__ = ["GOAL", "PackSizes", "describe_pack_sizes", "measure_pack_sizes"]

FURTHER = 10
GOAL = 450_000
"""The most bytes that all packs may add to a user's log."""


class PackSizes(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of the entry as JSON, its tokens, and the bytes by which a SQLite file grows."""

    json: int
    tokens: int
    first_user: int
    further_user: int


def measure_pack_sizes() -> PackSizes:
    packs = chosen_packs("all")
    with closing(Memory(open_store("memory:").log("ana"))) as memory:
        patches = needed_patches(packs, memory.project(), {type_.full_name for pack in packs for type_ in pack.types})
    body = msgspec.json.encode(Checkpoint(patches=patches))
    users = [f"user {number}" for number in range(1 + FURTHER)]
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        path = Path(folder) / "sizes.db"
        empty = _size_after(path, users, Observation(text="Hello", said=datetime(2026, 1, 1, tzinfo=UTC)))
        first = _size_after(path, users[:1], Checkpoint(patches=patches))
        last = _size_after(path, users[1:], Checkpoint(patches=patches))
    return PackSizes(
        json=len(body),
        tokens=count_tokens(body.decode()),
        first_user=first - empty,
        further_user=(last - first) // FURTHER,
    )


def describe_pack_sizes(sizes: PackSizes) -> str:
    return (
        f"All packs add {sizes.first_user / 1000:,.0f} kB to a store with its first user, and"
        f" {sizes.further_user / 1000:,.1f} kB with each further one (goal: at most {GOAL / 1000:,.0f} kB)."
        f" The entry has {sizes.json / 1000:,.0f} kB of JSON, {sizes.tokens:,} tokens; no request carries it."
    )


def _size_after(path: Path, users: list[str], entry: Checkpoint | Observation) -> int:
    """The size of the file once these users have the entry; closing it moves the journal there."""
    with closing(open_store(path)) as store:
        for user in users:
            store.log(user).append([entry])
    return path.stat().st_size
