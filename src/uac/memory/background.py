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

__all__ = ["Background", "learn_in_turn"]


def learn_in_turn(memory: Memory, learn: Callable[[], Learned]) -> Learned | None:
    """The result of `learn`, while no other worker learns for this user; None if one does.

    It learns again if somebody wrote meanwhile: whoever then found the lock taken relies on it.
    """
    while True:
        with memory.log.try_lock() as is_mine:
            if not is_mine:
                return None
            learned = learn()
            end = memory.log.head().position
        if learned.stopped or memory.log.head().position == end:
            return learned


class Background:
    """Learns one user's log in a thread of its own: `with Background(log): …`.

    It has its own Memory (or `memory`, which nobody else may use) and blocks no other writer: a reply that comes too
    late is requested again. While another worker learns for the user, it leaves that to it. After learning, it updates
    the search index and embeds every passage without a vector of the current embedder. `every` is the number of
    seconds between two runs; `wake` starts one at once. `on_learned` is called after a run that learned something or
    stopped early; `told` is its former name. Errors of this package and of the network are stored in `error`, given
    to `on_error` and retried; any other error of your model or embedder ends the thread, with its traceback.
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
        on_learned: Callable[[Learned], None] | None = None,
        told: Callable[[Learned], None] | None = None,
        on_error: Callable[[UacError | OSError], None] | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._memory = Memory(log, embedder=embedder) if memory is None else memory
        self._models = models
        self._cadence = Cadence() if cadence is None else cadence
        self._budget = budget
        self._every = every
        self._on_learned = on_learned or told or (lambda _learned: None)
        self._on_error = on_error or (lambda _error: None)
        self._awake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run_worker, name="uac-background", daemon=True)
        self.error: UacError | OSError | None = None
        """The error of the last run; None after a successful one."""

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Run now."""
        self._awake.set()

    def stop(self, *, wait: bool = True) -> None:
        """Stop after the current call; the remaining entries wait in the log. Without `wait`, the thread ends alone."""
        self._ended.set()
        self._awake.set()
        if not wait:
            return
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
            errors = [_background_step_error(step) for step in (self._learn_step, self._index_step)]
            self.error = next((error for error in errors if error is not None), None)
            if self.error is not None:
                self._on_error(self.error)
            self._awake.wait(self._every)
            self._awake.clear()

    def _learn_step(self) -> None:
        learned = learn_in_turn(
            self._memory, lambda: self._memory.learn(self._models, cadence=self._cadence, budget=self._budget)
        )
        if learned is not None and (learned.outcomes or learned.stopped):
            self._on_learned(learned)

    def _index_step(self) -> None:
        """Embeds in batches, so that `stop` need not wait for all of them."""
        left = self._memory.embed()
        before = left + 1
        while 0 < left < before and not self._ended.is_set():
            left, before = self._memory.embed(), left


def _background_step_error(step: Callable[[], None]) -> UacError | OSError | None:
    """The error of a step, which is retried: the store, the model or the network may be back by then."""
    try:
        step()
    except (UacError, OSError) as error:
        return error
    return None
