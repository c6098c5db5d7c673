"""On which terms something is written: once for a client's key, and only behind the position the client knows."""

from dataclasses import dataclass
from hashlib import sha256

from uac.errors import KeyReused, Moved, Repeated
from uac.project.project import Project
from uac.schema.entries import Entry, Receipt

__all__ = ["Terms"]


@dataclass(slots=True)
class Terms:
    """The digests of a client's key and request, and where the log must end; None: that does not matter.

    What was written on these terms stands at `first` to `last`, the receipt not counted; 0: nothing was.
    """

    digests: tuple[str, str] | None
    after: int | None
    first: int = 0
    last: int = 0

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
