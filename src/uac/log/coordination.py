"""The port of coordination: how several service processes on one store hear of each other, and agree."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

__all__ = ["CoordinatedStore", "Coordination", "SignIn", "TokenGrant"]


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """How many tokens of a shared bucket were granted; if none, the seconds until there is one."""

    tokens: int
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in that all processes know: the id of the key it was made with, and when it ends."""

    key: str
    expires: datetime


class Coordination(Protocol):
    """What service processes on one store share beside the logs. All of it is lost without harm: a change that nobody
    heard of is found by polling, a role is taken again, and a person signs in again."""

    def announce_changes(self, users: Collection[str]) -> None:
        """Tell all other processes that the logs of these users have grown."""

    def wait_for_changes(self, seconds: float) -> tuple[str, ...]:
        """The users whose logs have grown by other processes, as soon as there are some; at most `seconds` later."""

    def hold_role(self, role: str) -> bool:
        """Whether this process has the role, which one process at a time has until it ends: asks for it if it is free.

        An error means that it no longer has it.
        """

    def take_tokens(self, bucket: str, *, rate: float, most: float, wanted: int) -> TokenGrant:
        """Take up to `wanted` tokens of a bucket that all processes share; `rate` a second come back, up to `most`."""

    def add_sign_in(self, digest: bytes, sign_in: SignIn, *, most: int, most_of_key: int) -> None:
        """Keep a sign-in. Expired ones go, and the oldest beyond `most` in all or `most_of_key` of one key."""

    def find_sign_in(self, digest: bytes) -> SignIn | None: ...

    def remove_sign_in(self, digest: bytes) -> None: ...

    def close(self) -> None:
        """Give up the roles and close what was opened for them."""


@runtime_checkable
class CoordinatedStore(Protocol):
    """What a store has if several service processes can share it."""

    def coordination(self) -> Coordination:
        """The means of coordination, with connections of their own. The caller closes them."""
