"""Undoing the beginning of something that failed halfway."""

from collections.abc import Callable
from types import TracebackType

__all__ = ["UndoOnFailure"]


class UndoOnFailure:
    """Calls a function if the block raises anything, also when it is interrupted. The error is raised on."""

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._undo()
