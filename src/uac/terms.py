"""On which terms something is written: once for a client's key, and only behind the position the client knows."""

from hashlib import sha256
from typing import NamedTuple

from uac.entries import Entry, Receipt
from uac.errors import KeyReused, Moved, Repeated
from uac.project import Project

__all__ = ["Terms"]


class Terms(NamedTuple):
    """The digests of a client's key and request, and where the log must end; None: that does not matter."""

    digests: tuple[str, str] | None
    after: int | None

    @classmethod
    def of(cls, key: str, request: str, after: int | None) -> "Terms":
        digests = (sha256(key.encode()).hexdigest(), sha256(request.encode()).hexdigest()) if key else None
        return cls(digests, after)

    def check(self, project: Project) -> None:
        for receipt in reversed(project.receipts if self.digests else ()):
            if self.digests and receipt.key == self.digests[0]:
                if receipt.request not in ("", self.digests[1]):
                    raise KeyReused("this key was used for another request before, needs a new one")
                raise Repeated(receipt.first, receipt.last)
        if self.after is not None and self.after != project.position:
            raise Moved(self.after, project.position)

    def receipts(self, first: int, last: int) -> list[Entry]:
        """What notes in the log that it was done."""
        return [Receipt(key=self.digests[0], request=self.digests[1], first=first, last=last)] if self.digests else []
