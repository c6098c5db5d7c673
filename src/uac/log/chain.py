"""The chain of digests of a log, and the check of rows against it."""

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256

from uac.errors import Damaged
from uac.log.retry_keys import observation_key_digest
from uac.log.rows import EMPTY, Head, Row, decode_row
from uac.log.shared_texts import DAMAGED_BODY
from uac.schema.entries import Erasure

__all__ = ["Break", "ChainCheck", "body_commitment", "chain_digest"]


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where the log does not verify."""

    position: int
    problem: str


class ChainCheck:
    """Checks the rows of a log one by one, from its first."""

    def __init__(self) -> None:
        self.head = EMPTY
        """The end of the rows so far."""
        self._cut: dict[int, str] = {}
        self._marked: dict[int, str] = {}

    def add_row(self, row: Row) -> Break | None:
        """Why this row does not continue the chain; None if it does."""
        position = self.head.position + 1
        if row.position != position:
            return Break(position, f"entry {position} is missing")
        commitment = body_commitment(row.salt, row.body.encode())
        if row.commitment is not None:
            self._cut[position] = commitment.hex() if row.body.strip() else ""
            commitment = row.commitment
        digest = chain_digest(self.head.digest, position, row.at, row.kind, row.form, commitment)
        if digest != row.digest and row.body != DAMAGED_BODY:  # which decoding reports
            return Break(position, f"entry {position} does not match its digest: it was altered or moved")
        try:
            stored = decode_row(row)
        except Damaged as error:
            return Break(position, str(error))
        if stored.entry is not None and row.key != observation_key_digest(stored.entry):
            return Break(position, f"entry {position} is stored under another key than its own")
        if isinstance(stored.entry, Erasure):
            self._marked.update((erased.position, erased.left) for erased in stored.entry.erased)
        self.head = Head(position, digest, row.at)
        return None

    def check_erasures(self, unsettled: Collection[int] = ()) -> Break | None:
        """The first entry whose words are not what the erasures among these rows left of them.

        Entries in `unsettled` are not looked at: a later erasure has changed them.
        """
        for first in sorted((self._cut.keys() | self._marked.keys()) - set(unsettled)):
            if first not in self._cut:
                return Break(first, f"entry {first} was erased, but its words are back")
            if first not in self._marked:
                return Break(first, f"entry {first} lost words that no erasure marker accounts for")
            if self._cut[first] != self._marked[first]:
                return Break(first, f"entry {first} is not what its erasure left: words are back or more are gone")
        return None


def body_commitment(salt: bytes, body: bytes) -> bytes:
    return sha256(salt + body).digest()


def chain_digest(previous: bytes, position: int, at: str, kind: str, form: int, commitment: bytes) -> bytes:
    return sha256(previous + f"{position} {at} {kind} {form}\n".encode() + commitment).digest()
