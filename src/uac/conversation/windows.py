"""The turns a model reads next: unread turns of one conversation, as many as fit, with the turns before them.

Nothing is cut off: what does not fit is in the next window, and a turn that is too long is read in overlapping slices.
Turns that gave no fact are read a second time together with the next unread turns.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from uac.conversation.small_talk import states_something_exact
from uac.log.log import Log, Prefix
from uac.project.progress import Progress
from uac.schema.entries import Observation
from uac.text.memory_block import own_words
from uac.text.token_count import count_tokens

__all__ = ["Window", "WindowTurn", "as_context", "context_turns", "turns_at", "unread_windows", "window_start"]

WINDOW_TOKENS = 3000
"""Tokens of unread turns in one window."""
CONTEXT_TURNS = 3
"""Earlier turns of the same conversation that are included, so that 'he' and 'there' can be understood."""
MAX_TURNS = 100  # in one window: each costs some tokens in addition to its text
CONTEXT_REACH = 16  # entries before a turn that are searched for them
CONTEXT_TOKENS = 300  # of each of them
SLICE_CHARACTERS = 8000  # of a long turn that are read at once
SLICE_OVERLAP = 400  # characters shared by two slices
MAX_SECOND_TURNS = 12  # turns that are read for the second time, added to a window of unread turns
SECOND_TOKENS = 1000  # of them


class WindowTurn(NamedTuple):
    """An observation, or a slice of one."""

    position: int
    observation: Observation
    start: int
    end: int
    is_new: bool
    """Whether the reply must cover it; other turns are context only."""
    is_second: bool = False
    """Whether it was read before and gave no fact."""

    @property
    def visible_text(self) -> str:
        """The turn's text, without memory's own output."""
        text, spans = self.observation.text, own_words(self.observation.text)
        pieces = [text[max(start, self.start) : min(end, self.end)] for start, end in spans]
        return " […] ".join(piece for piece in pieces if piece) or "[…]"


class Window(NamedTuple):
    """The turns of one request. `through` is how far the last turn has been read; 0: to its end."""

    turns: tuple[WindowTurn, ...]
    through: int = 0

    @property
    def answers(self) -> tuple[int, ...]:
        return tuple(turn.position for turn in self.turns if turn.is_new)

    @property
    def read(self) -> tuple[int, ...]:
        return tuple(turn.position for turn in self.turns)


def unread_windows(log: Log | Prefix, progress: Progress, *, gone: Collection[int] = ()) -> Iterator[Window]:
    """All windows to be read, oldest first. Positions in `gone` are not shown.

    Turns to be read a second time are added to windows of the same source. Those that no window takes have windows of
    their own only if one of that source has a number or a name; else they wait for the next window.
    """
    busy = {position for answers in progress.asked for position in answers}
    unread = sorted(position for position in progress.unread if position not in busy)
    again = sorted(position for position in progress.again if position not in busy)
    waiting = [turn._replace(is_second=True) for turn in turns_at(log, again, progress)]
    hidden = {*gone, *busy}
    for turns in _by_conversation(turns_at(log, unread, progress), WINDOW_TOKENS, max_turns=MAX_TURNS):
        for window in _build_windows(log, turns, gone):
            is_whole = not window.through and not turns[0].start
            source, size = turns[0].observation.source, SECOND_TOKENS
            second = _second_turns(waiting, source, size, max_turns=MAX_SECOND_TURNS) if is_whole else []
            waiting = _without_turns(waiting, second)
            yield _with_second_turns(log, window, second, hidden)
    exact = {turn.observation.source for turn in waiting if states_something_exact(turn.visible_text)}
    waiting = [turn for turn in waiting if turn.observation.source in exact]
    while waiting:
        source = waiting[0].observation.source
        second = _second_turns(waiting, source, WINDOW_TOKENS // 2, max_turns=MAX_TURNS) or waiting[:1]
        waiting = _without_turns(waiting, second)
        yield _with_second_turns(log, Window(()), second, hidden)


def _without_turns(turns: list[WindowTurn], others: Iterable[WindowTurn]) -> list[WindowTurn]:
    positions = {turn.position for turn in others}
    return [turn for turn in turns if turn.position not in positions] if positions else turns


def _second_turns(waiting: Iterable[WindowTurn], source: str, tokens: int, *, max_turns: int) -> list[WindowTurn]:
    """The waiting turns of this source that fit, the oldest first."""
    found: list[WindowTurn] = []
    for turn in waiting:
        if len(found) == max_turns:
            break
        if turn.observation.source == source and (size := _turn_tokens(turn)) <= tokens:
            found.append(turn)
            tokens -= size
    return found


def _with_second_turns(log: Log | Prefix, window: Window, turns: list[WindowTurn], hidden: Collection[int]) -> Window:
    """The window with turns that are read for the second time, each with the turn before it."""
    before = {turn.position: turn for second in turns for turn in context_turns(log, second, max_turns=1, gone=hidden)}
    found = before | {turn.position: turn for turn in (*turns, *window.turns)}
    return window._replace(turns=tuple(found[position] for position in sorted(found)))


def turns_at(log: Log | Prefix, positions: Collection[int], progress: Progress) -> Iterator[WindowTurn]:
    """The turns at these positions that still have their text, from where they have not been read yet."""
    for position, observation in _window_observations(log, positions):
        yield WindowTurn(position, observation, window_start(progress, position), len(observation.text), is_new=True)


def window_start(progress: Progress, position: int) -> int:
    """The character to read a turn from: a little before the end of the last slice."""
    return max(0, progress.unread.get(position, 0) - SLICE_OVERLAP)


def as_context(turn: WindowTurn) -> WindowTurn:
    """The turn as context for others; only the end of a long one."""
    text = turn.observation.text
    return turn._replace(start=max(0, len(text) - CONTEXT_TOKENS * 4), end=len(text), is_new=False)


def _window_observations(log: Log | Prefix, positions: Collection[int]) -> Iterator[tuple[int, Observation]]:
    for first, last in _window_runs(positions):
        for stored in log.read(first, last + 1):
            if isinstance(stored.entry, Observation):
                yield stored.position, stored.entry


def _window_runs(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Runs of consecutive positions, as first and last: reading a run is one query to the store."""
    first = last = 0
    for position in positions:
        if first and position != last + 1:
            yield first, last
            first = position
        first, last = first or position, position
    if first:
        yield first, last


def _by_conversation(turns: Iterable[WindowTurn], tokens: int, *, max_turns: int) -> Iterator[list[WindowTurn]]:
    """The turns by conversation, in parts of at most `max_turns` turns and `tokens` tokens (at least one turn)."""
    open_: dict[tuple[str, str], list[WindowTurn]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for turn in turns:
        key, size = _conversation_key(turn.observation), _turn_tokens(turn)
        part = open_.get(key, [])
        if part and (sizes[key] + size > tokens or len(part) == max_turns):
            yield open_.pop(key)
            part, sizes[key] = [], 0
        open_[key] = [*part, turn]
        sizes[key] = sizes.get(key, 0) + size
    yield from sorted(open_.values(), key=lambda part: part[0].position)


def _turn_tokens(turn: WindowTurn) -> int:
    """Tokens still to read. A very long turn is only reported as too long: counting it again for each slice would be
    slow."""
    if turn.end - turn.start > 4 * SLICE_CHARACTERS:
        return WINDOW_TOKENS + 1
    return count_tokens(turn.observation.text[turn.start : turn.end])


def _conversation_key(observation: Observation) -> tuple[str, str]:
    """The key that groups turns: their session, or else the day; and the source."""
    return observation.session or observation.said.date().isoformat(), observation.source


def _build_windows(log: Log | Prefix, turns: list[WindowTurn], gone: Collection[int]) -> Iterator[Window]:
    first, through = turns[0], 0
    if len(turns) == 1 and _turn_tokens(first) > WINDOW_TOKENS:
        end = _window_slice_end(first.observation.text, first.start)
        through = end if end < first.end else 0
        turns = [first._replace(end=end)]
    yield Window((*context_turns(log, first, gone=gone), *turns), through)


def _window_slice_end(text: str, start: int) -> int:
    """The end of a slice: after a sentence or a word, if one ends in its second half."""
    end = min(start + SLICE_CHARACTERS, len(text))
    if end == len(text):
        return end
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, start + SLICE_CHARACTERS // 2, end)
        if found > 0:
            return found + len(mark)
    return end


def context_turns(
    log: Log | Prefix, turn: WindowTurn, *, max_turns: int = CONTEXT_TURNS, gone: Collection[int] = ()
) -> list[WindowTurn]:
    """The turns of the same conversation before this one, without those in `gone`."""
    key, found = _conversation_key(turn.observation), []
    for stored in log.read(max(1, turn.position - CONTEXT_REACH), turn.position):
        if stored.position in gone:
            continue
        if isinstance(stored.entry, Observation) and _conversation_key(stored.entry) == key:
            found.append(as_context(WindowTurn(stored.position, stored.entry, 0, len(stored.entry.text), is_new=False)))
    return found[-max_turns:]
