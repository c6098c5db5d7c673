"""The errors of this package, as one tree.

    UacError
    ├── Refused            the caller broke a rule; nothing was written
    │   ├── Moved          the log is no longer at the position the caller named
    │   ├── KeyReused      a client key was used again for other words
    │   ├── Repeated       a request with this key was carried out before
    │   ├── AlreadyErased  a request with this key was carried out before, and all that it wrote was erased
    │   ├── NotAllowed     a member of a group has no right to it
    │   │   └── NoGroup    there is no such group, or the caller is not a member of it
    │   ├── Late           a reply came to a request that is no longer open
    │   └── Rejected       a checkpoint was refused as a whole; `reasons` has one line for each patch to fix
    ├── StoreError         the store cannot serve
    │   ├── NoStore        nothing exists at that address
    │   ├── NotAStore      the file or database belongs to another program, or is damaged
    │   ├── NewerFormat    it was written by a newer version of this package
    │   ├── ReadOnly       it can be read but not written
    │   ├── Full           no room is left
    │   └── Unavailable    it is locked, stopped or out of reach; trying again may help
    ├── Damaged            an entry no longer matches the chain or cannot be decoded
    ├── ModelError         a model gave no answer; the unread entries still wait
    │   ├── NoModel        no model is configured, or its configuration is invalid
    │   ├── Unreachable    it is busy, out of reach or out of quota; trying again may help
    │   │   └── Awaited    the request was written to a file, and nobody has replied yet
    │   └── Unanswered     it refused, was cut off, or said nothing
    └── RunError           foreign code did not come to a result
        ├── CodeError      the code itself failed; it says which Python error, and at which line
        ├── LimitError     it took too much time, memory, output or depth, and was stopped
        └── SandboxError   the sandbox itself failed or is missing

A *finding* about the user's data is a value, never an exception.
"""

__all__ = [
    "AlreadyErased",
    "Awaited",
    "CodeError",
    "Damaged",
    "Full",
    "KeyReused",
    "Late",
    "LimitError",
    "ModelError",
    "Moved",
    "NewerFormat",
    "NoGroup",
    "NoModel",
    "NoStore",
    "NotAStore",
    "NotAllowed",
    "ReadOnly",
    "Refused",
    "Rejected",
    "Repeated",
    "RunError",
    "SandboxError",
    "StoreError",
    "UacError",
    "Unanswered",
    "Unavailable",
    "Unreachable",
]


class UacError(Exception):
    """Any error this package raises on purpose."""


class Refused(UacError):
    """The caller broke a rule; nothing was written."""


class Moved(Refused):
    """The log is no longer at the position the caller named."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(
            f"the log has moved: expected head {expected}, found {found}. Read the new entries and try again."
        )
        self.expected = expected
        self.found = found


class NotAllowed(Refused):
    """A member of a group has no right to it."""


class NoGroup(NotAllowed):
    """There is no such group, or the caller is not a member of it. Both are the same to a stranger."""


class KeyReused(Refused):
    """A client key was used again for other words."""


class Repeated(Refused):
    """A request with this key was carried out before: its entries are at `first` to `last`."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__(f"This request was carried out before, at {first} to {last}. It is not done again.")
        self.first = first
        self.last = last


class AlreadyErased(Refused):
    """A request with this key was carried out before, and all that it wrote was erased; it is not done again."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "This key was used before, and what was written with it has been erased; it is not written again."
            " To store it anyway, send it with a new key."
        )


class Late(Refused):
    """A reply came to a request that is no longer open: it was answered already, or the words were erased."""


class Rejected(Refused):
    """A checkpoint was refused as a whole."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        many = "the checkpoint was refused\n" + "\n".join(f"  {reason}" for reason in reasons)
        super().__init__(reasons[0] if len(reasons) == 1 else many)
        self.reasons = reasons


class StoreError(UacError):
    """The store cannot serve."""


class NoStore(StoreError):
    """Nothing exists at that address."""


class NotAStore(StoreError):
    """The file or database at that address belongs to another program, or is damaged."""


class NewerFormat(StoreError):
    """The store was written by a newer version of this package."""


class ReadOnly(StoreError):
    """The store can be read but not written."""


class Full(StoreError):
    """No room is left; nothing was written."""


class Unavailable(StoreError):
    """The store is locked, stopped or out of reach; trying again may help."""


class Damaged(UacError):
    """An entry no longer matches the chain or cannot be decoded."""


class ModelError(UacError):
    """A model gave no answer."""


class NoModel(ModelError):
    """No model is configured, or its configuration is invalid."""


class Unreachable(ModelError):
    """The model is busy, out of reach or out of quota; trying again may help."""


class Awaited(Unreachable):
    """The request lies in an exchange folder, and no reply does yet. Write the reply, and ask again."""


class Unanswered(ModelError):
    """The model refused, was cut off, or said nothing. `reason` is 'refused', 'cut' or 'empty'; `text` its output."""

    def __init__(self, message: str, *, reason: str, text: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.text = text


class RunError(UacError):
    """Foreign code did not come to a result. `printed` is its output until then."""

    def __init__(self, message: str, *, printed: str = "") -> None:
        super().__init__(message)
        self.printed = printed


class CodeError(RunError):
    """The code itself failed: `kind` is the Python error's name, `line` counts from 1 (0: not known)."""

    def __init__(self, kind: str, message: str, *, line: int = 0, printed: str = "") -> None:
        where = f"line {line}: " if line else ""
        super().__init__(f"{where}{kind}: {message}" if message else f"{where}{kind}", printed=printed)
        self.kind = kind
        self.line = line


class LimitError(RunError):
    """Foreign code exceeded a limit: `limit` is 'time', 'memory', 'output', 'depth', 'size' or 'keys'."""

    def __init__(self, limit: str, message: str, *, printed: str = "") -> None:
        super().__init__(message, printed=printed)
        self.limit = limit


class SandboxError(RunError):
    """The sandbox itself failed or is missing."""
