"""Why learning last stopped for a user, kept on this machine: a worker in the background has nobody to tell.

One small file for each user of a store, named by a digest, beside the default store. It holds the message of a model
or a budget, which repeats no words of the user. The next run that goes well removes it, and so does `uac erase`.
"""

from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from uac.log.stores import data_folder

__all__ = ["LearningFailure", "clear_learning_failure", "learning_failure", "note_learning_failure"]


class LearningFailure(msgspec.Struct, frozen=True, kw_only=True):
    """When learning stopped, and why."""

    at: datetime
    why: str


def learning_failure(address: str, user: str) -> LearningFailure | None:
    """The last failure; None if the last run went well, or none has run on this machine."""
    try:
        return msgspec.json.decode(_file(address, user).read_bytes(), type=LearningFailure)
    except (OSError, msgspec.DecodeError):
        return None


def note_learning_failure(address: str, user: str, why: str, at: datetime) -> None:
    """Keep the failure. A folder that cannot be written is no reason to fail: the words wait in the log anyway."""
    file = _file(address, user)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(LearningFailure(at=at, why=why)))
        draft.replace(file)


def clear_learning_failure(address: str, user: str) -> None:
    with suppress(OSError):
        _file(address, user).unlink()


def _file(address: str, user: str) -> Path:
    where = address if "://" in address or address == "memory:" else str(Path(address).absolute())
    name = sha256(f"{where}\n{user}".encode()).hexdigest()
    return data_folder() / "learning" / f"{name}.json"
