"""Which words a model reads next: unread turns of one conversation, as many as fit, with the turns before them.

Nothing is cut off: what does not fit stands in the next window, and a turn that is too long alone is read in slices
that overlap.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from uac.log.log import Log, Prefix
from uac.project.progress import Progress
from uac.schema.entries import Observation
from uac.text.memory_block import own_words
from uac.text.tokens import count_tokens

__all__ = ["Turn", "Window", "as_context", "first_unread", "turns_at", "windows"]

WINDOW = 3000
"""Tokens of unread turns in one window."""
BEFORE = 3
"""Turns of the same conversation that are shown before, so that 'he' and 'there' can be understood."""
MOST_TURNS = 100  # in one window: each costs some tokens beside its words
NEAR = 16  # entries before a turn among which those turns are looked for
BEFORE_TOKENS = 300  # of each of them
SLICE = 8000  # characters of a long turn at once
OVERLAP = 400  # characters that two slices share
AGAIN = 12  # turns that are looked at once more in one request


class Turn(NamedTuple):
    """An observation, or a slice of one."""

    position: int
    observation: Observation
    start: int
    end: int
    is_new: bool
    """Whether the reply answers for it; other turns only help to understand."""

    @property
    def words(self) -> str:
        """What was said; what memory itself had shown is left out."""
        text, spans = self.observation.text, own_words(self.observation.text)
        pieces = [text[max(start, self.start) : min(end, self.end)] for start, end in spans]
        return " […] ".join(piece for piece in pieces if piece) or "[…]"


class Window(NamedTuple):
    """What one request shows. `through` is how far the last turn has been read; 0: to its end."""

    turns: tuple[Turn, ...]
    through: int = 0
    is_second: bool = False
    """Whether these turns have been read before and gave nothing."""

    @property
    def answers(self) -> tuple[int, ...]:
        return tuple(turn.position for turn in self.turns if turn.is_new)

    @property
    def read(self) -> tuple[int, ...]:
        return tuple(turn.position for turn in self.turns)


def windows(log: Log | Prefix, progress: Progress, *, gone: Collection[int] = ()) -> Iterator[Window]:
    """All windows that wait to be read, oldest first: first looks, then second looks. What is gone is not shown."""
    busy = {position for answers in progress.asked for position in answers}
    unread = sorted(position for position in progress.unread if position not in busy)
    for turns in _conversations(turns_at(log, unread, progress), WINDOW, most=MOST_TURNS):
        yield from _window(log, turns, gone)
    again = sorted(position for position in progress.again if position not in busy)
    for turns in _conversations(turns_at(log, again, progress), WINDOW, most=AGAIN):
        around = {
            turn.position: turn for new in turns for turn in _before(log, new, 1, gone) if turn.position not in busy
        } | {turn.position: turn for turn in turns}
        yield Window(tuple(around[position] for position in sorted(around)), is_second=True)


def turns_at(log: Log | Prefix, positions: Collection[int], progress: Progress) -> Iterator[Turn]:
    """The turns at these positions that still have their words, from where they have not been read yet."""
    for position, observation in _observations(log, positions):
        yield Turn(position, observation, first_unread(progress, position), len(observation.text), is_new=True)


def first_unread(progress: Progress, position: int) -> int:
    """The character from which a turn is to be read: a little before where the last slice ended."""
    return max(0, progress.unread.get(position, 0) - OVERLAP)


def as_context(turn: Turn) -> Turn:
    """The turn as it is shown to understand others: of a long one only the end."""
    text = turn.observation.text
    return turn._replace(start=max(0, len(text) - BEFORE_TOKENS * 4), end=len(text), is_new=False)


def _observations(log: Log | Prefix, positions: Collection[int]) -> Iterator[tuple[int, Observation]]:
    for first, last in _runs(positions):
        for stored in log.read(first, last + 1):
            if isinstance(stored.entry, Observation):
                yield stored.position, stored.entry


def _runs(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Positions that follow each other, as first and last: reading a run is one question to the store."""
    first = last = 0
    for position in positions:
        if first and position != last + 1:
            yield first, last
            first = position
        first, last = first or position, position
    if first:
        yield first, last


def _conversations(turns: Iterable[Turn], tokens: int, *, most: int) -> Iterator[list[Turn]]:
    """The turns by conversation, in parts of at most so many turns and tokens (one turn at least)."""
    open_: dict[tuple[str, str], list[Turn]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for turn in turns:
        key, size = _conversation(turn.observation), _size(turn)
        part = open_.get(key, [])
        if part and (sizes[key] + size > tokens or len(part) == most):
            yield open_.pop(key)
            part, sizes[key] = [], 0
        open_[key] = [*part, turn]
        sizes[key] = sizes.get(key, 0) + size
    yield from sorted(open_.values(), key=lambda part: part[0].position)


def _size(turn: Turn) -> int:
    """Tokens of what is unread; of a very long turn only that they are too many: counting them for each slice of it
    would take ever longer."""
    if turn.end - turn.start > 4 * SLICE:
        return WINDOW + 1
    return count_tokens(turn.observation.text[turn.start : turn.end])


def _conversation(observation: Observation) -> tuple[str, str]:
    """What belongs together: a session, or else a day."""
    return observation.session or observation.said.date().isoformat(), observation.source


def _window(log: Log | Prefix, turns: list[Turn], gone: Collection[int]) -> Iterator[Window]:
    first, through = turns[0], 0
    if len(turns) == 1 and _size(first) > WINDOW:
        end = _slice_end(first.observation.text, first.start)
        through = end if end < first.end else 0
        turns = [first._replace(end=end)]
    yield Window((*_before(log, first, BEFORE, gone), *turns), through)


def _slice_end(text: str, start: int) -> int:
    """Where a slice ends: behind a sentence or a word if one ends in its last part."""
    end = min(start + SLICE, len(text))
    if end == len(text):
        return end
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, start + SLICE // 2, end)
        if found > 0:
            return found + len(mark)
    return end


def _before(log: Log | Prefix, turn: Turn, most: int, gone: Collection[int]) -> list[Turn]:
    """Turns of the same conversation before this one that still stand."""
    key, found = _conversation(turn.observation), []
    for stored in log.read(max(1, turn.position - NEAR), turn.position):
        if stored.position in gone:
            continue
        if isinstance(stored.entry, Observation) and _conversation(stored.entry) == key:
            found.append(as_context(Turn(stored.position, stored.entry, 0, len(stored.entry.text), is_new=False)))
    return found[-most:]
