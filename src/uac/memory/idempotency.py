"""Conditions of a write: once per idempotency key, and only if the log still ends at a given position."""

from dataclasses import dataclass
from hashlib import sha256

from uac.errors import AlreadyErased, KeyReused, Moved, Repeated
from uac.log.log import Log
from uac.project.project import Project
from uac.schema.entries import Entry, Receipt

__all__ = ["WriteTerms"]


@dataclass(slots=True)
class WriteTerms:
    """The digests of a client's key and request, and where the log must end; None: anywhere.

    The entries written on these terms are at `first` to `last`, the receipt not counted; 0: none yet.
    """

    digests: tuple[str, str] | None
    after: int | None
    first: int = 0
    last: int = 0

    @classmethod
    def of(cls, key: str, request: str, after: int | None) -> "WriteTerms":
        digests = (sha256(key.encode()).hexdigest(), sha256(request.encode()).hexdigest()) if key else None
        return cls(digests, after)

    @property
    def is_fulfilled(self) -> bool:
        """Whether a write was made under these terms; later writes ignore them."""
        return bool(self.first)

    def fulfil(self, first: int, last: int) -> None:
        self.first, self.last = first, last

    def check_idempotency(self, project: Project, log: Log) -> None:
        """Repeated or AlreadyErased if it was done before, KeyReused for another request, Moved if the log went on."""
        for receipt in reversed(project.receipts if self.digests else ()):
            if self.digests and receipt.key == self.digests[0]:
                if receipt.request not in ("", self.digests[1]):
                    raise KeyReused("This key was used for another request before. Use a new one.")
                if all(stored.entry is None for stored in log.read(receipt.first, receipt.last + 1)):
                    raise AlreadyErased
                raise Repeated(receipt.first, receipt.last)
        if self.after is not None and self.after != project.position:
            raise Moved(self.after, project.position)

    def receipts(self, first: int, last: int) -> list[Entry]:
        """The entry that notes the request in the log."""
        return [Receipt(key=self.digests[0], request=self.digests[1], first=first, last=last)] if self.digests else []
