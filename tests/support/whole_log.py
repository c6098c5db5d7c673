"""A log after which no part of a project is empty, and random histories with corrections, retractions and erasures."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from hashlib import sha256
from typing import Any

import msgspec
from hypothesis import strategies as st

from support.constraints import case, constraint
from support.short_logs import type_of
from uac import Citation, Fact, Log, Observation, Period
from uac.errors import Refused
from uac.log.log import Stored
from uac.log.snapshots import Snapshot
from uac.log.stores.in_memory import MemoryStore
from uac.project.history import StoredHistory
from uac.project.project import Project
from uac.project.snapshot import decode_head, decode_project, encode_project
from uac.schema.constraints import Knowledge
from uac.schema.entries import (
    AlertChange,
    Authority,
    Checkpoint,
    Correction,
    Delivery,
    Entry,
    Finding,
    ModelCall,
    NextRun,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.patches import Adopt, Amend, Define, Drop, End, Learn, Merge, Patch, Put, Retire, SetAside, Sign

EVERYTHING = type_of(
    "home.Thing",
    key=["name"],
    policy={"colour": "ask", "tags": "union"},
    name="str",
    price="Money | None",
    weight="Decimal | None",
    count="int | None",
    share="float | None",
    is_new="bool | None",
    bought="date | None",
    opened="datetime | None",
    alarm="time | None",
    lasts="timedelta | None",
    colour="Literal['red', 'blue'] | None",
    tags="list[str]",
    beside="home.Thing | None",
)
NOTE = type_of("home.Note", cardinality="event", text="str")
START = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=2)))
TABLE = Knowledge.of({"a": "b"}, name="home.pairs", version="1", date="2026", source="ours", note="few")


def said(text: str, *, role: Any = "user", hour: int = 0) -> Observation:
    return Observation(text=text, said=START + timedelta(hours=hour, microseconds=7), role=role)


def stated(position: int, text: str, *, authority: Authority = "user", held: str = "", according_to: str = "") -> Fact:
    cites = (Citation(position=position, quote=text),)
    period = Period.on(held) if held else Period()
    return Fact(text=text, about="Ana", authority=authority, cites=cites, held=period, according_to=according_to)


def rule(name: str) -> Adopt:
    cases = (case("fires", fires=True), case("silent", fires=False))
    return Adopt(constraint=constraint(name, "return []", *cases))


def call(step: Any, **more: Any) -> ModelCall:
    return ModelCall(model="m", prompt_hash="p", request_hash="r", reply="…", step=step, cost=Decimal("0.10"), **more)


def thing(fact: int, name: str, **fields: Any) -> Put:
    return Put(type="home.Thing", fields={"name": name, **fields}, cites=(fact,))


def whole_log(log: Log) -> Log:
    """Fill a log so that every field of the project and of its progress has something in it."""
    words = ["a lamp", "a desk", "it is red", "no, blue", "old chair", "later", "and so on", "odd", "more", "again"]
    log.append([said(text, hour=hour) for hour, text in enumerate(words)])
    log.append([stated(1, "a lamp", held="2025-03"), stated(2, "a desk"), stated(3, "it is red")])  # 11 to 13
    log.append([stated(4, "no, blue", according_to="Karin"), stated(5, "old chair"), stated(6, "later")])  # 14 to 16
    log.append([stated(7, "and so on", authority="document"), stated(8, "odd"), stated(9, "more")])  # 17 to 19
    full = {
        "price": "12.50 EUR",
        "weight": "1.200",
        "count": 3,
        "share": 0.5,
        "is_new": True,
        "bought": "2025-03-01",
        "opened": "2025-03-01T09:30:00+05:30",
        "alarm": "07:15",
        "lasts": "P3DT4H",
        "colour": "red",
        "tags": ["warm", "ü"],
    }
    patches: list[Patch] = [
        Define(type=EVERYTHING),
        Define(type=NOTE),
        Learn(knowledge=TABLE),
        Sign(table="home.pairs", digest=TABLE.digest, who="Dr. B", why="read it"),
        *(rule(name) for name in ("first_rule", "second_rule", "third_rule", "fourth_rule")),
        thing(11, "lamp", **full),
        thing(12, "desk", beside="lamp"),
        Put(type="home.Note", fields={"text": "plain"}, cites=(17,)),
        Put(type="home.Thing", fields={"name": "chair"}, unsure={"weight": "'heavy'"}, cites=(15,)),
    ]
    log.append([Checkpoint(patches=tuple(patches), by="ana", is_unwatched=True)])  # 20
    again: list[Patch] = [
        Amend(record="home.Thing:lamp", fields={"colour": "red"}, cites=(13,)),
        Amend(record="home.Thing:lamp", fields={"colour": "blue"}, cites=(14,)),
        End(record="home.Thing:desk", when="2026-01", why="sold", cites=(12,)),
        SetAside(cites=(16,), why="small talk", domain="home"),
        Retire(constraint="fourth_rule", why="not needed"),
        Put(type="home.Note", fields={"text": "orphan"}, cites=(18,)),
        Amend(record="home.Thing:lamp", fields={"beside": "desk"}, cites=(17,)),
    ]
    log.append([Checkpoint(patches=tuple(again)), Correction(record="home.Thing:lamp", field="count", value=4)])  # 22
    rest: list[Entry] = [
        Tick(now=START + timedelta(days=20)),
        AlertChange(
            change="raised", constraint="first_rule", subject="s", severity="warning", message="m", cites=(11,)
        ),
        AlertChange(change="snoozed", constraint="first_rule", subject="s", until=START + timedelta(days=30), why="w"),
        AlertChange(change="failed", constraint="second_rule", subject="not checked", why="no result", is_failure=True),
        AlertChange(change="raised", constraint="third_rule", subject="t", records=("home.Thing:lamp",), message="n"),
        AlertChange(change="cleared", constraint="third_rule", subject="t"),
        NextRun(again={"first_rule": START + timedelta(days=40), "second_rule": None}),
        Delivery(to="hook", through=24),
        Receipt(key="k", request="r", first=1, last=10),
        call("judge", read=(19,)),
        call("checkpoint", read=(19,), findings=(Finding(why="bad", positions=(19,), part=1),)),
        call("extract", read=(8,), answers=(8,), empty=(8,)),
        call("extract", read=(9,), answers=(9,), findings=(Finding(why="?", positions=(9,), needs=("home.x",)),)),
        call("extract", read=(10,), answers=(10,), through=3),
        call("extract", read=(7,), answers=(7,), is_open=True),
        Retraction(positions=(18,), why="never said"),
    ]
    log.append(rest)
    return log


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "note", "amend", "correct", "end", "drop", "merge", "retract", "erase", "tick"]),
        st.sampled_from(["lamp", "desk", "Lamp", "chair"]),
        st.integers(0, 40),
    ),
    max_size=12,
)


def random_log(moves: Sequence[tuple[str, str, int]], log: Log | None = None) -> Log:
    """A log with these moves. Each states a fact; patches that do not apply are orphans in the log."""
    log = MemoryStore().log("ana") if log is None else log
    log.append([Checkpoint(patches=(Define(type=EVERYTHING), Define(type=NOTE)))])
    for kind, name, number in moves:
        head = log.head().position
        record = f"home.Thing:{name.lower()}"
        words = f"{kind} {name} {number}"
        try:
            if kind == "erase":
                log.erase([1 + number % head], why="asked")
                continue
            fact = log.append([said(words), stated(head + 1, words)])[-1]
            log.append([_entry_of(kind, name, record, number, fact)])
        except Refused:
            pass
    return log


def _entry_of(kind: str, name: str, record: str, number: int, fact: int) -> Entry:
    match kind:
        case "put":
            return Checkpoint(
                patches=(thing(fact, name, count=number, tags=[f"t{number % 3}"], weight=f"{number}.50"),)
            )
        case "note":
            return Checkpoint(patches=(Put(type="home.Note", fields={"text": name}, cites=(fact,)),))
        case "amend":
            return Checkpoint(
                patches=(Amend(record=record, fields={"colour": ["red", "blue"][number % 2]}, cites=(fact,)),)
            )
        case "correct":
            return Correction(record=record, field="count", value=number, cites=(fact,))
        case "end":
            return Checkpoint(patches=(End(record=record, when=f"2026-{1 + number % 12:02}", cites=(fact,)),))
        case "drop":
            return Checkpoint(patches=(Drop(record=record, why="x"), SetAside(cites=(fact,), why="y")))
        case "merge":
            return Checkpoint(patches=(Merge(record=record, into="home.Thing:desk", cites=(fact,)),))
        case "retract":
            return Retraction(positions=(1 + number % fact,), why="x")
        case _:
            return Tick(now=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=number))


def stored_entries(log: Log) -> list[Stored]:
    return list(log.read())


def forged(project: Project, table: str, change: Any) -> Snapshot:
    """A snapshot with right digests and rows that somebody else has written."""
    snapshot = encode_project(project)
    head = decode_head(snapshot)
    assert head is not None
    (name,) = head.tables[table].blocks
    keys, starts, rows = msgspec.msgpack.decode(snapshot.parts[name])
    block = msgspec.msgpack.encode(change(keys, starts, rows))
    parts = msgspec.structs.replace(head.tables[table], blocks=(sha256(block).digest(),))
    data = msgspec.msgpack.encode(msgspec.structs.replace(head, tables={**head.tables, table: parts}))
    return Snapshot(sha256(data).digest() + data, {**snapshot.parts, sha256(block).digest(): block})


def reopened(project: Project, entries: list[Stored], snapshot: Snapshot | None = None) -> Project:
    """The project as its snapshot has it."""
    snapshot = snapshot or encode_project(project)
    head = decode_head(snapshot)
    assert head is not None
    assert (head.position, head.digest) == (project.position, project.digest)
    past = [stored for stored in entries if stored.position <= project.position]
    return decode_project(
        head, snapshot, StoredHistory(project.position, project.digest, lambda start, stop: past[start - 1 : stop - 1])
    )
