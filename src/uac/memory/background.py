"""In the background: a thread that reads what is new, puts it into records when it is time, and keeps recall ready."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Literal

from uac.conversation.learning import Cadence, Learned
from uac.errors import UacError
from uac.log.log import Log
from uac.memory.memory import Memory
from uac.models import Budget, ModelsFor
from uac.models.embedder import Embedder

__all__ = ["Background"]


class Background:
    """Learns one user's log in a thread of its own: `with Background(log): …`.

    It has its own Memory, and whoever writes at the same time is not held up: a reply that comes too late is asked
    anew. After learning it brings the search index up to date, and gives vectors to what has none of the embedder: all
    of it, if that is another than before. `every` is how many seconds pass between two looks; `wake` asks for one at
    once. Errors of this package and of the network are kept and tried again; any other that a model or an embedder of
    yours raises ends the thread, with its traceback.
    """

    def __init__(
        self,
        log: Log,
        models: ModelsFor | None = None,
        *,
        cadence: Cadence | None = None,
        budget: Budget | None = None,
        every: float = 5.0,
        embedder: Embedder | Literal["chosen"] | None = "chosen",
        told: Callable[[Learned], None] = lambda _learned: None,
    ) -> None:
        self._memory = Memory(log, embedder=embedder)
        self._models = models
        self._cadence = Cadence() if cadence is None else cadence
        self._budget = budget
        self._every = every
        self._told = told
        self._awake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run_worker, name="uac-background", daemon=True)
        self.error: UacError | OSError | None = None
        """What went wrong at last; None after a run that went well."""

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Look now."""
        self._awake.set()

    def stop(self) -> None:
        """End after the call under way, if there is one; what is not learned yet still waits in the log."""
        self._ended.set()
        self._awake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._memory.close()

    def __enter__(self) -> "Background":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run_worker(self) -> None:
        while not self._ended.is_set():
            errors = [_error_of_step(step) for step in (self._learn_step, self._index_step)]
            self.error = next((error for error in errors if error is not None), None)
            self._awake.wait(self._every)
            self._awake.clear()

    def _learn_step(self) -> None:
        learned = self._memory.learn(self._models, cadence=self._cadence, budget=self._budget)
        if learned.outcomes or learned.stopped:
            self._told(learned)

    def _index_step(self) -> None:
        """In steps, so that `stop` need not wait for all of it."""
        left = self._memory.embed()
        before = left + 1
        while 0 < left < before and not self._ended.is_set():
            left, before = self._memory.embed(), left


def _error_of_step(step: Callable[[], None]) -> UacError | OSError | None:
    """What went wrong; the store, the model or the network may be back the next time."""
    try:
        step()
    except (UacError, OSError) as error:
        return error
    return None
