"""One question for many users: the answers are those that each user alone would give."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fleet import NOW, RULE, TRIP, add_user, add_users, ask, question
from support.postgres_server import Server
from uac.errors import Refused
from uac.interfaces.fleet.jobs import Job, PartWorker
from uac.interfaces.fleet.program import read_program
from uac.log.bulk_reads import read_ends, read_logs, read_parts
from uac.log.store import Store
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.memory.snapshots import project_from_snapshot
from uac.sandbox.compute import computed_json
from uac.schema.patches import Adopt
from uac.schema.types import Field, Type

QUERIES = (
    "sum(t.cost for t in travel.trips)",
    "[t for t in travel.trips if t.cost > 2]",
    "sorted(t.name for t in user.travel.trips)",
    "found = []\nfor t in travel.trips:\n    found.append(t.name)\n    t.tags.append('x')\n[found, [t.tags for t in travel.trips]]",
    "{t.name: (t.cost, now.year) for t in travel.trips}",
    "travel.Trip.__name__",
    "[10 // (t.cost - 2) for t in travel.trips]",
    "print(len(travel.trips))\n1",
    "str(travel.trips)",
)


def alone(store: Store, user: str, code: str) -> Any:
    with closing(Memory(store.log(user), packs=(), clock=lambda: NOW)) as memory:
        return computed_json(memory.compute(code, now=NOW).value)


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore(clock=lambda: NOW)
    add_users(store, 12)
    return store


USERS = [f"u{number:03}" for number in range(12)]


@pytest.mark.parametrize("code", QUERIES)
def test_a_query_gives_every_user_what_compute_gives(store: MemoryStore, code: str) -> None:
    for answer in ask(store, code, USERS):
        user = str(answer["user"])
        if user == "u009":
            assert answer["absent"] == ("travel.Trip" if "Trip" in code else "travel.trips")
        elif "error" in answer:
            assert answer["error"] == "ZeroDivisionError"
            assert user == "u001"
        else:
            assert answer["value"] == alone(store, user, code)


def test_an_error_of_one_user_is_the_answer_of_that_user_alone(store: MemoryStore) -> None:
    answers = ask(store, "[10 // (t.cost - 2) for t in travel.trips]", USERS[:3])
    assert answers == [
        {"user": "u000", "value": [-10]},
        {"user": "u001", "error": "ZeroDivisionError", "message": answers[1]["message"]},
        {"user": "u002", "value": [10, 10, 10]},
    ]
    assert "line 1: ZeroDivisionError" in str(answers[1]["message"])


def test_a_user_who_takes_too_long_stops_nobody_else(store: MemoryStore) -> None:
    code = "n = 0\nwhile travel.trips[0].cost == 3 and n < 10**9:\n    n = n + 1\nn"
    answers = ask(store, code, USERS[:4], seconds=0.3)
    assert [answer.get("value", answer.get("error")) for answer in answers] == [0, 0, "LimitError", 0]


def test_a_rule_finds_for_every_user_what_its_adoption_would_raise(store: MemoryStore) -> None:
    answers = ask(store, RULE, USERS[:8], "dear_trip")
    constraint = read_program(RULE, "dear_trip").constraint
    assert constraint is not None
    for answer in answers:
        user = str(answer["user"])
        with closing(Memory(store.log(user), packs=(), clock=lambda: NOW)) as memory:
            memory.checkpoint([Adopt(constraint=constraint)], reviewed=True)
            raised = [
                {
                    "severity": each.severity,
                    "subject": each.subject,
                    "message": each.message,
                    "records": [*each.records],
                }
                for each in memory.alerts()
            ]
        assert answer == {"user": user, "alerts": sorted(raised, key=lambda each: str(each["subject"]))}
    assert [bool(answer["alerts"]) for answer in answers] == [True] * 6 + [False, True]


def test_a_record_on_which_a_rule_fails_does_not_silence_it_for_the_others() -> None:
    store = MemoryStore(clock=lambda: NOW)
    add_user(store, "ana", [100, 0, 50])
    [answer] = ask(store, RULE, ["ana"], "dear_trip")
    assert [alert["subject"] for alert in answer["alerts"]] == ["ana 0", "ana 2"]
    [failure] = answer["failures"]
    assert failure["record"] == "travel.Trip:ana 1"
    assert "ZeroDivisionError" in str(failure["why"])


def test_a_user_without_a_log_is_absent() -> None:
    assert ask(MemoryStore(), "1", ["nobody"]) == [{"user": "nobody", "absent": "no log"}]


def test_a_file_with_cases_is_a_constraint_and_any_other_is_a_query() -> None:
    assert read_program(RULE, "dear_trip").kind == "constraint"
    assert read_program("def f():\n    return 3\nf()", "f").kind == "query"
    with pytest.raises(Refused, match="no code"):
        read_program("# nothing\n", "empty")
    with pytest.raises(Refused):
        read_program(RULE, "another_name")


def compared(store: Store, users: list[str], code: str, name: str = "asked") -> tuple[bytes, int]:
    with closing(PartWorker(Job("", question(code, name)), store)) as worker:
        part = worker.run(0, users)
        return part.lines, part.folded


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "memory"])
def test_answers_from_snapshots_equal_those_from_folded_logs(kind: str, tmp_path: Any, postgres: Server) -> None:
    address = {"sqlite": str(tmp_path / "a.db"), "postgres": postgres.new_database(), "memory": "memory:"}[kind]
    with closing(open_store(address, clock=lambda: NOW)) as store:
        users = add_users(store, 12)
        codes = [(RULE, "dear_trip"), *((code, "asked") for code in QUERIES)]
        cold = [compared(store, users, *each) for each in codes]
        assert [folded for _lines, folded in cold] == [12] * len(codes)
        ask(store, "1", users, keeps_snapshots=True)
        assert [compared(store, users, *each) for each in codes] == [(lines, 0) for lines, _folded in cold]
        with closing(Memory(store.log("u003"), packs=(), clock=lambda: NOW)) as memory:
            memory.put("travel.Trip", {"name": "later", "cost": 1000, "tags": []})
        lines, folded = compared(store, users, "sum(t.cost for t in travel.trips)")
        assert (folded, b'{"user": "u003", "value": 1004}' in lines) == (1, True)


def test_a_damaged_part_of_a_snapshot_is_not_used(tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    with closing(open_store(str(path), clock=lambda: NOW)) as store:
        users = add_users(store, 4)
        expected = ask(store, "[t.cost for t in travel.trips]", users, keeps_snapshots=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE snapshots SET data = zeroblob(length(data)) WHERE name != x''")
        connection.commit()
    with closing(open_store(str(path), clock=lambda: NOW)) as store:
        assert ask(store, "[t.cost for t in travel.trips]", users) == expected


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "memory"])
def test_ends_and_parts_of_many_users_are_those_of_their_logs(kind: str, tmp_path: Any, postgres: Server) -> None:
    address = {"sqlite": str(tmp_path / "a.db"), "postgres": postgres.new_database(), "memory": "memory:"}[kind]
    with closing(open_store(address, clock=lambda: NOW)) as store:
        users = add_users(store, 3)
        ask(store, "1", users[:2], keeps_snapshots=True)
        ends = read_ends(store, ["u002", "nobody", "u000", "u001"])
        assert [end.user for end in ends] == ["u002", "u000", "u001"]
        for end in ends:
            log = store.log(end.user)
            assert (end.head, end.snapshot) == (log.head(), log.snapshot().head)
        wanted = {user: [*store.log(user).snapshot().parts][:3] for user in ("u000", "u001")}
        found = read_parts(store, {**wanted, "nobody": [bytes(32)]})
        for user, names in wanted.items():
            assert found[user] == {name: store.log(user).snapshot().parts[name] for name in names}
        assert not found.get("nobody")
        logs = dict(read_logs(store, ends))
        assert logs == {end.user: [*store.log(end.user).read_rows()] for end in ends}
        assert project_from_snapshot(store.log("u002")) is None


@settings(max_examples=10, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=6), st.sampled_from(QUERIES), st.data())
def test_the_answer_of_a_user_does_not_depend_on_who_else_is_asked(
    costs: list[list[int]], code: str, data: st.DataObject
) -> None:
    store = MemoryStore(clock=lambda: NOW)
    users = [f"v{number}" for number in range(len(costs))]
    for user, mine in zip(users, costs, strict=True):
        add_user(store, user, mine, types=[TRIP])
    together = {str(answer["user"]): answer for answer in ask(store, code, users)}
    order = data.draw(st.permutations(users))
    assert {str(answer["user"]): answer for answer in ask(store, code, order)} == together
    one = data.draw(st.sampled_from(users))
    assert ask(store, code, [one]) == [together[one]]


def test_users_who_differ_in_types_that_are_not_read_share_a_plan() -> None:
    store = MemoryStore(clock=lambda: NOW)
    for number in range(4):
        own = Type(name="Own", domain=f"own{number}", key=("x",), fields=(Field(name="x", type="int"),))
        add_user(store, f"v{number}", [number], types=[own, TRIP] if number % 2 else [TRIP, own])
    with closing(PartWorker(Job("", question("travel.trips[0].cost")), store)) as worker:
        answers = worker.run(0, [f"v{number}" for number in range(4)]).answers()
        assert worker._asker is not None
        assert len(worker._asker._plans_by_types) == 1
    assert [answer["value"] for answer in answers] == [0, 1, 2, 3]
    whole = ask(store, "sorted(name for name in ['own0', 'travel'] if hasattr(user, 'own0'))", ["v0", "v1"])
    assert [answer["value"] for answer in whole] == [["own0", "travel"], []]
