"""What of the log has been read by a model, what is being asked, what is stuck, and what it has cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from immutables import Map

from uac.schema.entries import ModelCall

__all__ = ["NO_PROGRESS", "Asked", "Progress", "ProgressDraft", "Spending", "Spent"]


class Asked(NamedTuple):
    """A question that is to be asked again, and where the calls so far stand."""

    step: str
    calls: tuple[int, ...]


class Spent(NamedTuple):
    """What calls have cost; `unpriced` counts those whose price is not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Spent") -> "Spent":
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
        )


class Spending(NamedTuple):
    """Which calls belong together: those of a day, a step and a model."""

    day: str
    step: str
    model: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far models have come with the log."""

    unread: Map[int, int] = field(default_factory=Map)
    """Observations that wait to be read, and how many characters of each have been read already."""
    again: Map[int, None] = field(default_factory=Map)
    """Observations that gave no fact and wait for a second look."""
    stuck: Map[int, str] = field(default_factory=Map)
    """Observations and facts that a model could not answer for, and what was wrong at last."""
    judged: Map[int, None] = field(default_factory=Map)
    """Waiting facts that a second reader has looked at."""
    asked: Mapping[tuple[int, ...], Asked] = field(default_factory=dict)
    """Questions that are open, by the entries that they are about."""
    spent: Mapping[Spending, Spent] = field(default_factory=dict)

    def spent_in_all(self, *, day: str = "", step: str = "") -> Spent:
        """The sum of a day or a step, or of everything."""
        total = Spent()
        for spending, spent in self.spent.items():
            if day in ("", spending.day) and step in ("", spending.step):
                total = total.plus(spent)
        return total


NO_PROGRESS = Progress()


class ProgressDraft:
    """Progress that is being changed."""

    def __init__(self, progress: Progress) -> None:
        self.unread = progress.unread.mutate()
        self.again = progress.again.mutate()
        self.stuck = progress.stuck.mutate()
        self.judged = progress.judged.mutate()
        self.asked = dict(progress.asked)
        self.spent = dict(progress.spent)

    def freeze(self) -> Progress:
        maps = (self.unread.finish(), self.again.finish(), self.stuck.finish(), self.judged.finish())
        return Progress(*maps, self.asked, self.spent)

    def settle(self, position: int) -> None:
        """Somebody has answered for the entry in another way."""
        self.unread.pop(position, None)
        self.again.pop(position, None)
        self.stuck.pop(position, None)
        self.judged.pop(position, None)

    def call(self, call: ModelCall, position: int, at: datetime, *, stands: Callable[[int], bool]) -> None:
        """What a call leaves: entries that are done, that are asked about again, or that are stuck.

        Of entries that no longer stand nothing is left. A question that quoted one cannot be put again as it was:
        what it was about besides is asked anew.
        """
        self.spend(call, at)
        if call.step == "judge" and not call.findings:
            self.judged.update((position, None) for position in call.read if stands(position))
        if not call.answers:
            return
        before = self.asked.pop(call.answers, None)
        # Retractions of calls can bring back a question about the same entries; the last one counts.
        for other in [key for key in self.asked if not set(key).isdisjoint(call.answers)]:
            del self.asked[other]
        if call.is_open and not all(map(stands, call.read)):
            return
        if call.is_open:
            self.asked[call.answers] = Asked(call.step, (*(before.calls if before else ()), position))
            return
        for answered in call.answers:
            was_stuck = self.stuck.get(answered) if self.unread.get(answered) else None
            self.settle(answered)
            if was_stuck:  # an earlier slice of it still has no answer
                self.stuck[answered] = was_stuck
        if call.through and stands(call.answers[-1]):
            self.unread[call.answers[-1]] = call.through
        for gave_nothing in call.empty:
            if stands(gave_nothing):
                self.again[gave_nothing] = None
        for finding in call.findings:
            for stuck in finding.positions:
                if stuck in call.answers and stands(stuck):
                    self.stuck[stuck] = finding.why

    def spend(self, call: ModelCall, at: datetime) -> None:
        """Count what a call has cost."""
        spending = Spending(at.date().isoformat(), call.step, call.model)
        one = Spent(1, call.input_tokens, call.output_tokens, call.cost or Decimal(0), int(call.cost is None))
        self.spent[spending] = self.spent.get(spending, Spent()).plus(one)
