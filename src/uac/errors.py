"""What can go wrong, as one tree.

    UacError
    ├── Refused            the caller broke a rule; nothing was written
    │   ├── Moved          the log is no longer at the position the caller named
    │   └── KeyReused      a client key came again with other words
    ├── StoreError         the store cannot serve
    │   ├── NoStore        there is nothing at that address
    │   ├── NotAStore      there is something, but it is not ours or not whole
    │   ├── NewerFormat    it was written by a newer version of this package
    │   ├── ReadOnly       it can be read but not written
    │   ├── Full           no room is left
    │   └── Unavailable    it is locked, stopped or out of reach; trying again may help
    └── Damaged            an entry no longer matches the chain or cannot be decoded

A *finding* about the user's data is a value, never an exception.
"""

__all__ = [
    "Damaged",
    "Full",
    "KeyReused",
    "Moved",
    "NewerFormat",
    "NoStore",
    "NotAStore",
    "ReadOnly",
    "Refused",
    "StoreError",
    "UacError",
    "Unavailable",
]


class UacError(Exception):
    """Any error this package raises on purpose."""


class Refused(UacError):
    """The caller broke a rule; nothing was written."""


class Moved(Refused):
    """The log is no longer at the position the caller named."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"the log has moved: expected head {expected}, found {found}; read on from there")
        self.expected = expected
        self.found = found


class KeyReused(Refused):
    """A client key came again with other words."""


class StoreError(UacError):
    """The store cannot serve."""


class NoStore(StoreError):
    """There is nothing at that address."""


class NotAStore(StoreError):
    """There is something at that address, but it is not ours or not whole."""


class NewerFormat(StoreError):
    """It was written by a newer version of this package."""


class ReadOnly(StoreError):
    """It can be read but not written."""


class Full(StoreError):
    """No room is left; the log is as it was."""


class Unavailable(StoreError):
    """It is locked, stopped or out of reach; trying again may help."""


class Damaged(UacError):
    """An entry no longer matches the chain or cannot be decoded."""
