"""Locks of single users beside a store's file: held by one process, and given back by the system if it dies."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where two processes may do the same work twice
    fcntl = None  # type: ignore[assignment]  # checked before each use

__all__ = ["try_file_lock"]

_guard = threading.Lock()
_files: dict[tuple[int, str], tuple[int, set[int]]] = {}
"""By process and path: the open file and the bytes held. The system drops all locks if any handle is closed."""


@contextmanager
def try_file_lock(path: Path, user: str) -> Iterator[bool]:
    """Whether the lock was free; it is held until the block ends. Each user has one byte of the file at `path`."""
    byte = int.from_bytes(sha256(user.encode()).digest()[:6], "big")
    is_mine = _take(path, byte)
    try:
        yield is_mine
    finally:
        if is_mine:
            _give_back(path, byte)


def _take(path: Path, byte: int) -> bool:
    with _guard:
        handle, locked = _files.get((os.getpid(), str(path)), (-1, set()))
        if byte in locked:
            return False
        try:
            if handle < 0:
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if fcntl is not None:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:  # another process has it, or nothing can be written here, so that nothing can be learned
            if not locked and handle >= 0:
                os.close(handle)
            return False
        locked.add(byte)
        _files[os.getpid(), str(path)] = handle, locked
        return True


def _give_back(path: Path, byte: int) -> None:
    with _guard:
        handle, locked = _files[os.getpid(), str(path)]
        locked.remove(byte)
        if locked:
            fcntl.lockf(handle, fcntl.LOCK_UN, 1, byte)
            return
        del _files[os.getpid(), str(path)]
        os.close(handle)
