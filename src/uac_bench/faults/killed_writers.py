"""Writers that are killed at random while others write to the same logs: what was acknowledged stays."""

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from uac import Entry, Observation, Store
from uac.errors import Damaged, NoStore
from uac.log import SqliteStore, set_pragmas
from uac_bench.faults.child_process import Child, Say

__all__ = ["KilledRound", "connect_with_pages", "kill_writers", "open_sqlite_writer"]

WRITERS = 3
SAID = datetime(2026, 3, 2, tzinfo=UTC)
PAGES = (2, 50, 1000)  # after which each writer moves its journal into the file


class KilledRound(NamedTuple):
    """One round: the writers that were killed, the appends that they had acknowledged, and what is wrong."""

    kills: int
    acknowledged: int
    problems: tuple[str, ...]


class WriterTurn(NamedTuple):
    """What a writer appends in one call."""

    user: str
    entries: tuple[Observation, ...]


def kill_writers(
    open_writer: Callable[[int], Store],
    open_reader: Callable[[], Store],
    seed: int,
    *,
    rounds: int,
    users: tuple[str, ...] = ("ana", "ben"),
) -> Iterator[KilledRound]:
    """Kill three writers in each round, one after the other, and check everything that they have written so far.

    `open_writer` is called in a forked process with the number of the writer.
    """
    chance = random.Random(seed)
    acknowledged: dict[tuple[str, int], Entry] = {}
    reached = [0] * WRITERS

    def write(writer: int, say: Say) -> None:
        store = open_writer(writer)
        number = reached[writer]
        while True:
            user, entries = _turn_of(seed, writer, number, users)
            positions = store.log(user).append(entries)
            say(" ".join(map(str, [number, *positions])))
            number += 1

    def hear(writer: int, line: str) -> list[str]:
        if not line.replace(" ", "").isdigit():
            return [f"writer {writer} failed: {line}"]
        number, *positions = map(int, line.split())
        reached[writer] = number + 1
        user, entries = _turn_of(seed, writer, number, users)
        acknowledged.update(((user, position), entry) for position, entry in zip(positions, entries, strict=True))
        return []

    for _round in range(rounds):
        before, problems = sum(reached), list[str]()
        writers = [Child(partial(write, writer)) for writer in range(WRITERS)]
        for victim in chance.sample(range(WRITERS), WRITERS):
            # Those who are left must come on after each kill: no lock outlives its owner.
            for _ in range(chance.randrange(6)):
                problems += hear(victim, writers[victim].line())
            for _ in range(chance.randrange(30_000)):
                pass
            writers[victim].kill()
            for line in writers[victim].rest():
                problems += hear(victim, line)
        problems += _problems_in(open_reader, seed, acknowledged, reached, users)
        yield KilledRound(WRITERS, sum(reached) - before, tuple(problems))


def open_sqlite_writer(path: Path, writer: int) -> Store:
    return SqliteStore(path, connect=partial(connect_with_pages, PAGES[writer]))


def connect_with_pages(pages: int, path: str) -> sqlite3.Connection:
    """A connection that moves its journal into the file after this many pages."""
    connection = sqlite3.connect(path, timeout=300, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
    return set_pragmas(connection)


def _turn_of(seed: int, writer: int, number: int, users: tuple[str, ...]) -> WriterTurn:
    chance = random.Random(f"{seed} {writer} {number}")
    size = chance.choice([1, 1, 2, 5])
    keyed = chance.random() < 0.5
    texts = [f"{writer}.{number}.{index} " + "x" * chance.choice([0, 50, 900, 9000]) for index in range(size)]
    entries = tuple(Observation(text=text, said=SAID, key=text[:20] if keyed else "") for text in texts)
    return WriterTurn(chance.choice(users), entries)


def _problems_in(
    open_reader: Callable[[], Store],
    seed: int,
    acknowledged: dict[tuple[str, int], Entry],
    reached: list[int],
    users: tuple[str, ...],
) -> Iterator[str]:
    try:
        store = open_reader()
    except NoStore:
        if acknowledged:
            yield "the store is gone"
        return
    stored: dict[tuple[str, int], Entry | None] = {}
    with closing(store):
        for user in users:
            log = store.log(user)
            try:
                if broken := log.verify():
                    yield f"the chain of {user} is broken: {broken}"
                stored.update(((user, item.position), item.entry) for item in log.read())
            except Damaged as error:
                yield f"the log of {user} cannot be read: {error}"
    lost = [place for place, entry in acknowledged.items() if stored.get(place) != entry]
    if lost:
        yield f"{len(lost)} acknowledged entries are lost or changed, the first at {lost[0]}"

    # Beyond that there is only what was never answered: whole turns, and with a key never twice.
    times = Counter((user, entry) for (user, _), entry in stored.items())
    turns = [_turn_of(seed, writer, n, users) for writer, end in enumerate(reached) for n in range(end + 1)]
    for user, entries in turns:
        if len({times[user, entry] for entry in entries}) > 1:
            yield f"an append of {user} is stored in part"
        if times[user, entries[0]] > 1 and entries[0].key:
            yield f"an append of {user} with a key is stored {times[user, entries[0]]} times"
    if set(times) - {(user, entry) for user, entries in turns for entry in entries}:
        yield "the log has entries that nobody wrote"
