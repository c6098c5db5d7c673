"""The port of stores: a small Protocol, and the rule for user ids."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Protocol, runtime_checkable

from uac.errors import Moved, Refused
from uac.log.log import Log
from uac.log.rows import Head
from uac.schema.diagnostics import Diagnostic

__all__ = [
    "ERASED",
    "GROUP",
    "MAX_USER",
    "OWN",
    "ErasedKeys",
    "Store",
    "User",
    "check_end",
    "check_user",
    "erased_key",
    "time_of_head",
]

MAX_USER = 255
"""The longest user id, in characters."""

OWN = "\x01own"
"""The id of the store's own log. No user can have it, and it sorts before every id that a user can have."""


ERASED = "\x01erased "
"""What the ids start with under which a store notes keys of erased requests. They sort before `OWN`."""


GROUP = "group:"
"""What the ids of groups start with. A group's log begins with its first member, and no user's does."""


@dataclass(frozen=True, slots=True)
class User:
    """One user of a store, with the number of entries and the time of the last."""

    name: str
    entries: int
    last: datetime | None


class Store(Protocol):
    """Keeps logs. `uac.testing.StoreContract` states what every store must do."""

    @property
    def address(self) -> str:
        """The address, without any password."""

    def log(self, user: str) -> Log:
        """One user's log. The first entry creates it."""

    def own(self) -> Log:
        """The store's own log, which belongs to no user: a service keeps its keys and hooks there."""

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        """Users with at least one entry, by code point order, starting behind `after`."""

    def erase(self, user: str, *, after: int | None = None) -> None:
        """Destroy the user's whole log and id. To keep the chain, use Log.erase.

        With `after`, only if the log still ends at that position (else Moved).
        Digests of the keys of the user's requests are left, each with the id in it: late retries are refused.
        """

    def finish_erasures(self) -> bool:
        """Complete interrupted erasures; opening a store does so, too.

        Returns False if something is left: another program is using the store. Try again later.
        """

    def findings(self) -> tuple[Diagnostic, ...]:
        """The state of the store itself: what is in order, and what is not."""

    def close(self) -> None: ...


@runtime_checkable
class ErasedKeys(Protocol):
    """What a store has if the keys of erased requests can be copied to another store: digests of user and key."""

    def erased_keys(self, *, after: bytes = b"", limit: int = 1000) -> tuple[bytes, ...]:
        """The digests of all users, in order, starting behind `after`."""

    def add_erased_keys(self, digests: Collection[bytes]) -> None:
        """Add digests that another store has."""


def check_user(user: str) -> str:
    """The id itself, or Refused: 1 to 255 characters, NFC, no control characters, no space at either end."""
    if not user or len(user) > MAX_USER:
        raise Refused(f"user id: It has {len(user)} characters. Use 1 to {MAX_USER}.")
    if user.isascii() and user.isprintable() and user == user.strip():  # most are
        return user
    for index, character in enumerate(user):
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
            raise Refused(
                f"user id: character {index} is {character!r}. Remove control characters and lone surrogates."
            )
    if user != user.strip():
        raise Refused(f"user id: {user!r} starts or ends with a space. Remove it.")
    if not unicodedata.is_normalized("NFC", user):
        raise Refused(
            f"user id: {user!r} is not in Unicode normal form C, so that two ids could look the same. Normalize it."
        )
    return user


def erased_key(user: str, key: bytes) -> str:
    """The id under which a store notes that the words of a user's request are erased, in place of a user.

    No user can have it; it sorts before `OWN`, so that no list of users contains it.
    """
    return f"{ERASED}{sha256(user.encode() + bytes(1) + key).hexdigest()}"


def check_end(head: Head, after: int | None) -> None:
    """Moved if a log has another end than its caller expects."""
    if after is not None and after != head.position:
        raise Moved(after, head.position)


def time_of_head(head: Head) -> datetime | None:
    return datetime.fromisoformat(head.at) if head.at else None
