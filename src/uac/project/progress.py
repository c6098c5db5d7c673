"""Learning progress: the entries a model has processed, the open requests, the stuck entries, and the cost so far."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from uac.project.stored_map import AnyMap
from uac.schema.entries import ModelCall
from uac.schema.persistent_map import Map

__all__ = ["NO_PROGRESS", "Progress", "ProgressDraft", "RepeatedRequest", "Spending", "Spent"]


class RepeatedRequest(NamedTuple):
    """A request that is to be repeated, and the positions of the calls so far."""

    step: str
    calls: tuple[int, ...]


class Spent(NamedTuple):
    """The cost of calls; `unpriced` counts those whose price is not known."""

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
    """Groups calls by day, step and model."""

    day: str
    step: str
    model: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Which entries of the log models have processed."""

    unread: AnyMap[int, int] = field(default_factory=Map)
    """Observations that wait to be read, with the number of characters already read."""
    again: Map[int, None] = field(default_factory=Map)
    """Observations that gave no fact and wait to be read a second time."""
    stuck: Map[int, str] = field(default_factory=Map)
    """Observations and facts that a model could not process, with the last reason."""
    judged: Map[int, None] = field(default_factory=Map)
    """Waiting facts that a second reader has checked."""
    asked: Mapping[tuple[int, ...], RepeatedRequest] = field(default_factory=dict)
    """Open requests, by the entries that they are about."""
    spent: Mapping[Spending, Spent] = field(default_factory=dict)
    lacking: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The stuck facts whose constraint reads collections that do not exist, with these collections."""
    refused: Map[int, None] = field(default_factory=Map)
    """Facts for which a patch was refused, and none accepted since."""

    def spent_in_all(self, *, day: str = "", step: str = "") -> Spent:
        """The total cost of a day, a step, or all calls."""
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
        self.lacking = dict(progress.lacking)
        self.refused = progress.refused.mutate()

    def freeze(self) -> Progress:
        maps = (self.unread.finish(), self.again.finish(), self.stuck.finish(), self.judged.finish())
        return Progress(*maps, self.asked, self.spent, self.lacking, self.refused.finish())

    def settle(self, position: int) -> None:
        """Mark the entry as processed in another way."""
        for waiting in (self.unread, self.again, self.stuck, self.judged, self.lacking):
            if waiting:  # most are empty, and a log settles each of its entries
                waiting.pop(position, None)

    def offer_again(self, collections: Callable[[], Set[str]]) -> None:
        """Let stuck facts whose constraints can read these collections wait for another request."""
        if not self.lacking:
            return
        known = collections()
        for position in [place for place, needs in self.lacking.items() if known >= {*needs}]:
            self.stuck.pop(position, None)
            del self.lacking[position]

    def call(self, call: ModelCall, position: int, at: datetime, *, stands: Callable[[int], bool]) -> None:
        """Record the result of a call: entries that are done, requested again, or stuck.

        Entries that are no longer active are dropped. A request that quoted one cannot be repeated as it was:
        its other entries are requested again.
        """
        self.spend(call, at)
        if call.step == "judge" and not call.findings:
            self.judged.update((position, None) for position in call.read if stands(position))
        if call.step == "checkpoint":
            named = (position for finding in call.findings if finding.part for position in finding.positions)
            self.refused.update((position, None) for position in named if stands(position))
        if not call.answers:
            return
        before = self.asked.pop(call.answers, None)
        # Retractions of calls can bring back a request about the same entries; the last one counts.
        for other in [key for key in self.asked if not set(key).isdisjoint(call.answers)]:
            del self.asked[other]
        if call.is_open and not all(map(stands, call.read)):
            return
        if call.is_open:
            self.asked[call.answers] = RepeatedRequest(call.step, (*(before.calls if before else ()), position))
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
                    if finding.needs:
                        self.lacking[stuck] = finding.needs

    def spend(self, call: ModelCall, at: datetime) -> None:
        """Add the cost of a call."""
        spending = Spending(at.date().isoformat(), call.step, call.model)
        one = Spent(1, call.input_tokens, call.output_tokens, call.cost or Decimal(0), int(call.cost is None))
        self.spent[spending] = self.spent.get(spending, Spent()).plus(one)
