"""Laws of groups: whatever happened before, nobody reads a value of another member without a grant in force."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from uac import Memory
from uac.errors import NotAllowed, Refused, Unavailable
from uac.log.log import Log, Rows
from uac.log.store import User
from uac.log.stores.in_memory import MemoryStore
from uac.memory.groups import Group, Groups
from uac.memory.groups.membership import GroupState, fold_group
from uac.memory.snapshots import fold_log
from uac.schema.diagnostics import Diagnostic
from uac.schema.entries import Grant
from uac.schema.patches import Define
from uac.schema.types import Field, Type

USERS = ("ana", "ben", "cleo")
NOTE = Type(
    domain="notes",
    name="Note",
    key=("title",),
    fields=(
        Field(name="title", type="str"),
        Field(name="body", type="str | None"),
        Field(name="extra", type="str | None"),
    ),
)
SHARES = ("notes.Note", "notes.Note.title", "notes.Note.body", "notes.Note.extra")


def open_plain(log: Log) -> Memory:
    return Memory(log, packs=(), embedder=None)


class World:
    """Three users with notes of unique words, a group, and who may read which word."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.count = 0
        for user in USERS:
            open_plain(self.store.log(user)).checkpoint([Define(type=NOTE)])
        self.groups = Groups(self.store, open_memory=open_plain)
        self.groups.create("home", "ana")

    @property
    def home(self) -> Group:
        return self.groups.open("home")

    def word(self, user: str) -> str:
        """A new word that only this user has."""
        self.count += 1
        return f"w{user}{self.count}w"

    def act(self, what: str, user: str, number: int) -> None:
        memory = open_plain(self.store.log(user))
        records = memory.project().records("notes.Note")
        chosen = records[number % len(records)] if records else None
        share = SHARES[number % len(SHARES)]
        match what:
            case "add":
                self.home.add(user, ("read", "write", "admin")[number % 3])
            case "remove":
                self.home.remove(user)
            case "note":
                memory.put("notes.Note", {name: self.word(user) for name in ("title", "body", "extra")})
            case "correct" if chosen is not None:
                memory.correct(chosen.id, "body", self.word(user))
            case "end" if chosen is not None:
                memory.end(chosen.id, "2026-01-01")
            case "erase" if chosen is not None:
                self.store.log(user).erase(sorted(chosen.cites), why="asked")
            case "share":
                self.home.share(user, share)
            case "share record" if chosen is not None:
                self.home.share(user, chosen.id)
            case "unshare":
                self.home.unshare(user)
            case "unshare one":
                self.home.unshare(user, share)
            case "speak":
                self.home.memory(user).add(f"I say {self.word(user)}")
            case "erase member":
                self.groups.erase_member(user)
            case "restart":
                self.groups = Groups(self.store, open_memory=open_plain)

    def allowed(self, reader: str) -> set[str]:
        """The words that a member may read in the group, by the grants in the others' own logs."""
        return {word for owner in USERS for word in self.granted(owner)} | self.spoken()

    def granted(self, owner: str) -> set[str]:
        member = self.home.state().member(owner)
        log = self.store.log(owner)
        entries = [stored.entry for stored in log.read()]
        grants = [entry for entry in entries if isinstance(entry, Grant) and entry.joined == member.joined]
        if not member.is_member or not grants:
            return set()
        shares, found = set(grants[-1].shares), set[str]()
        for record in fold_log(log).records("notes.Note"):
            whole = "notes.Note" in shares or record.id in shares
            named = {share.rpartition(".")[2] for share in shares if share.count(".") == 2 and ":" not in share}
            if record.ended is None and (whole or "title" in named):  # without its title there is no record
                fields = ("title", "body", "extra") if whole else tuple(named)
                found |= {str(record.values[name]) for name in fields}
        return found

    def spoken(self) -> set[str]:
        """The words that members said to the group, except for those of erased members."""
        gone = {member.id for member in self.home.state().members.values() if member.right == "erased"}
        said = set(re.findall(r"I say (w\w+w)", readable_text(self.home.log())))
        return {word for word in said if not any(word.startswith(f"w{user}") for user in gone)}


def readable_text(log: Log) -> str:
    return "\n".join(repr(stored.entry) for stored in log.read())


def check_privacy(world: World) -> None:
    for reader in USERS:
        group = world.groups.open("home")
        if not group.state().member(reader).is_member:
            with pytest.raises(NotAllowed):
                group.memory(reader)
            continue
        memory = group.memory(reader)
        allowed = world.allowed(reader)
        seen = set(re.findall(r"w(?:ana|ben|cleo)\d+w", all_that_is_readable(memory)))
        assert seen <= allowed, seen - allowed
        current = {
            str(value)
            for record in memory.project().records("notes.Note")
            for name, value in record.values.items()
            if name != "shared_by" and value is not None
        }
        assert current >= {word for owner in USERS for word in world.granted(owner)}
        assert memory.log.verify() is None
        assert fold_log(memory.log) == memory.project()


def all_that_is_readable(memory: Memory) -> str:
    """Entries, the present and past projects, search and its counts, context, history."""
    head = memory.log.head().position
    found = memory.recall("w", k=50)
    parts: list[object] = [readable_text(memory.log), memory.manifest(), memory.render(), found.hits, memory.alerts()]
    parts += [memory.project_as_of(position).tables for position in range(head + 1)]
    parts += [memory.context("what do we know?").text, memory.diff(0), [*memory.history()]]
    parts += [list(memory.project().used.items()), memory.log.snapshot()]
    return repr(parts)


ACTIONS = (
    "add",
    "add",
    "remove",
    "note",
    "note",
    "correct",
    "end",
    "erase",
    "share",
    "share",
    "share record",
    "unshare",
    "unshare one",
    "speak",
    "erase member",
    "restart",
)

steps = st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from(USERS), st.integers(0, 7)), max_size=14)


@settings(max_examples=examples(14))
@given(steps)
def test_no_value_of_a_member_is_readable_by_another_without_a_grant_in_force(
    history: list[tuple[str, str, int]],
) -> None:
    world = World()
    for what, user, number in [("add", "ben", 1), ("note", "ana", 0), ("share", "ana", 0), *history]:
        with suppress(Refused):
            world.act(what, user, number)
        check_privacy(world)


@settings(max_examples=examples(30))
@given(steps, st.integers(0, 60))
def test_the_members_of_a_log_folded_in_two_steps_are_those_folded_at_once(
    history: list[tuple[str, str, int]], cut: int
) -> None:
    world = World()
    for what, user, number in history:
        with suppress(Refused):
            world.act(what, user, number)
    entries = [*world.store.log("group:home").read()]
    whole = fold_group(entries, GroupState())
    assert fold_group(entries[cut:], fold_group(entries[:cut], GroupState())) == whole
    known = world.home.state()
    assert (known.members, known.copies, known.written) == (whole.members, whole.copies, whole.written)


class Breaking:
    """A store that fails at its nth write, before it or after it is done; every other process finds it as it was."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.count, self.at, self.after = 0, 0, False
        self.address = store.address

    def arm(self, at: int, *, after: bool) -> None:
        self.count, self.at, self.after = 0, at, after

    @contextmanager
    def write(self, rows: "BreakingRows") -> Iterator[object]:
        self.count += 1
        is_due = self.count == self.at
        if is_due and not self.after:
            raise Unavailable("broken on purpose")
        with rows.rows.writing() as writing:
            yield writing
        if is_due:
            raise Unavailable("broken on purpose")

    def log(self, user: str) -> Log:
        return Log(BreakingRows(self, self.store.log(user)._rows))  # type: ignore[arg-type]  # it has all methods

    def own(self) -> Log:
        return self.store.own()

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        return self.store.users(after=after, limit=limit)

    def erase(self, user: str, *, after: int | None = None) -> None:
        self.store.erase(user, after=after)

    def finish_erasures(self) -> bool:
        return True

    def findings(self) -> tuple[Diagnostic, ...]:
        return ()

    def close(self) -> None: ...


class BreakingRows:
    """The rows of a log whose writes are counted."""

    def __init__(self, store: Breaking, rows: Rows) -> None:
        self.store, self.rows = store, rows

    def writing(self) -> object:
        return self.store.write(self)

    def __getattr__(self, name: str) -> object:
        return getattr(self.rows, name)


def operate(group: Group, what: str, store: Breaking) -> None:
    match what:
        case "share":
            group.share("ana", "notes.Note")
        case "share less":
            group.share("ana", "notes.Note.title")
        case "unshare":
            group.unshare("ana")
        case "remove":
            group.remove("ben")
        case "remove the owner":
            group.remove("ana")
        case "correct":
            open_plain(store.log("ana")).correct("notes.Note:wana1w", "body", "wana99w")
            group.sync()
        case "erase words":
            store.log("ana").erase([2], why="asked")
            group.sync()
        case "erase member":
            group.erase_member("ana")


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "what",
    ["share", "share less", "unshare", "remove", "remove the owner", "correct", "erase words", "erase member"],
)
def test_an_operation_on_two_logs_that_fails_at_any_write_leaks_nothing_and_is_finished(
    what: str, *, after: bool
) -> None:
    for at in range(1, 30):
        world = World()
        world.act("add", "ben", 1)
        world.act("add", "cleo", 1)
        world.act("note", "ana", 0)
        world.act("speak", "ana", 0) if what == "erase member" else None
        if what not in ("share", "share less"):
            world.act("share", "ana", 0)
        store = Breaking(world.store)
        group = Groups(store, open_memory=open_plain).open("home")
        group.sync()
        store.arm(at, after=after)
        failed = attempt(partial(operate, group, what, store))
        world.act("restart", "ana", 0)
        check_privacy(world)  # nothing leaked, and what was begun is finished when the group is opened
        store.arm(0, after=False)
        attempt(partial(operate, Groups(store, open_memory=open_plain).open("home"), what, store))
        world.act("restart", "ana", 0)
        check_privacy(world)
        if not failed:
            assert at > 1
            return
    raise AssertionError("it never succeeded")


class Interleaved(Breaking):
    """The store of one process, between whose writes another process does something, and everybody reads the group."""

    def __init__(self, store: MemoryStore, at: int, act: Callable[[], None]) -> None:
        super().__init__(store)
        self.at, self.act = at, act
        self.has_acted = False
        self.leaked = ""

    @contextmanager
    def write(self, rows: "BreakingRows") -> Iterator[object]:
        self.count += 1
        if self.count == self.at:
            self.act()
            self.has_acted = True
        with rows.rows.writing() as writing:
            yield writing
        if self.has_acted:
            self.leaked += "".join(row.body for row in self.store.log("group:home").read_rows() if "wana" in row.body)


@pytest.mark.parametrize("what", ["unshare", "remove the owner", "erase words", "erase member"])
def test_what_a_member_takes_back_is_not_readable_from_then_on_even_while_it_is_copied(what: str) -> None:
    for at in range(1, 10):
        world = World()
        world.act("add", "ben", 2)
        world.act("add", "cleo", 2)
        world.act("note", "ana", 0)
        member = world.home.state().member("ana")
        grant = Grant(group="home", joined=member.joined, shares=("notes.Note",))
        world.store.log("ana").append([grant])  # a process was killed before it copied anything

        def take_back(world: World = world) -> None:
            if what == "erase words":
                world.store.log("ana").erase([2], why="asked")
                world.home.withdraw("ana")
            else:
                operate(world.home, what, Breaking(world.store))

        store = Interleaved(world.store, at, take_back)
        Groups(store, open_memory=open_plain).open("home").sync()
        assert store.leaked == "", at
        if not store.has_acted:
            assert at > 1
            return
    raise AssertionError("there were more writes than expected")


def attempt(action: Callable[[], None]) -> bool:
    """Whether an action failed because the store did."""
    try:
        action()
    except Unavailable:
        return True
    except Refused:  # it was done before, or the member is gone
        return False
    return False


def test_the_order_in_which_members_share_does_not_matter() -> None:
    seen: list[set[str]] = []
    for order in (USERS, USERS[::-1]):
        world = World()
        for user in USERS[1:]:
            world.act("add", user, 1)
        for number, user in enumerate(USERS):
            world.count = 10 * number
            world.act("note", user, 0)
        for user in order:
            world.act("share", user, 0)
        memory = world.home.memory("ben")
        records = memory.project().records("notes.Note")
        seen.append({f"{record.id} {sorted(record.values.items(), key=str)}" for record in records})
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(USERS)


def test_two_processes_that_sync_at_once_write_each_copy_once() -> None:
    world = World()
    world.act("add", "ben", 1)
    for _ in range(3):
        world.act("note", "ana", 0)
    world.home.share("ana", "notes.Note.title")
    others = [Groups(world.store, open_memory=open_plain).open("home") for _ in range(3)]
    world.act("correct", "ana", 0)
    random.Random(1).shuffle(others)
    for group in others:
        group.sync()
    records = world.home.memory("ben").project().records("notes.Note")
    assert len(records) == 3
    assert all(len(claims) == 1 for record in records for claims in record.claims.values())
