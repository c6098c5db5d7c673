"""Learning in the background: a thread that reads what is new and puts it into records when it is time."""

import threading
from collections.abc import Callable
from types import TracebackType

from uac.errors import UacError
from uac.learning import Cadence, Learned
from uac.log import Log
from uac.memory import Memory
from uac.models import Budget, ModelsFor

__all__ = ["Background"]


class Background:
    """Learns one user's log in a thread of its own: `with Background(log): …`.

    It has its own Memory, and whoever writes at the same time is not held up: a reply that comes too late is asked
    anew. `every` is how many seconds pass between two looks; `wake` asks for one at once. Errors of this package and of
    the network are kept and tried again; any other that a model of yours raises ends the thread, with its traceback.
    """

    def __init__(
        self,
        log: Log,
        models: ModelsFor | None = None,
        *,
        cadence: Cadence | None = None,
        budget: Budget | None = None,
        every: float = 5.0,
        told: Callable[[Learned], None] = lambda _learned: None,
    ) -> None:
        self._memory = Memory(log)
        self._models = models
        self._cadence = Cadence() if cadence is None else cadence
        self._budget = budget
        self._every = every
        self._told = told
        self._awake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="uac-background", daemon=True)
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

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                learned = self._memory.learn(self._models, cadence=self._cadence, budget=self._budget)
                self.error = None
                if learned.outcomes or learned.stopped:
                    self._told(learned)
            except (UacError, OSError) as error:  # the store, the model or the network may be back the next time
                self.error = error
            self._awake.wait(self._every)
            self._awake.clear()
