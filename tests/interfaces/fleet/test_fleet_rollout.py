"""The rollout of a rule: tried, adopted for a share, watched and rolled back, once for each user."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.cli import uac
from support.fleet import NOW, RULE, add_user, add_users
from support.postgres_server import DEADLINE, Server, wait_until
from uac.interfaces.fleet.jobs import Job, PartWorker, RuleChange
from uac.interfaces.fleet.program import read_program
from uac.interfaces.fleet.rollout import adopt_rule, is_in_share, roll_back_rule
from uac.log.store import Store
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.constraints import Constraint
from uac.schema.entries import Checkpoint
from uac.schema.patches import Adopt, Retire, Switch


def rule(text: str = RULE) -> Constraint:
    constraint = read_program(text, "dear_trip").constraint
    assert constraint is not None
    return constraint


def opened(store: Store, user: str) -> Memory:
    return Memory(store.log(user), packs=(), clock=lambda: NOW)


def adoptions(store: Store, user: str) -> int:
    """How often the rule is adopted in a user's log."""
    entries = [stored.entry for stored in store.log(user).read()]
    return sum(isinstance(patch, Adopt) for each in entries if isinstance(each, Checkpoint) for patch in each.patches)


@given(st.text(min_size=1, max_size=20), st.floats(0, 100), st.floats(0, 100))
def test_a_larger_share_contains_a_smaller_one(user: str, one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert is_in_share("rule", user, large) or not is_in_share("rule", user, small)
    assert not is_in_share("rule", user, 0)
    assert is_in_share("rule", user, 100)


def test_a_share_has_about_its_part_of_the_users_and_another_rule_has_others() -> None:
    users = [f"user {number}" for number in range(4000)]
    chosen = {user for user in users if is_in_share("a", user, 10)}
    assert 340 < len(chosen) < 460
    assert chosen != {user for user in users if is_in_share("b", user, 10)}


def test_a_rule_is_adopted_once_through_the_ordinary_way_with_its_alerts() -> None:
    store = MemoryStore(clock=lambda: NOW)
    add_user(store, "ana", [100])
    with closing(opened(store, "ana")) as memory:
        first = adopt_rule("ana", memory, rule())
        assert first == {
            "user": "ana",
            "state": "adopted",
            "position": first["position"],
            "alerts": [{"severity": "warning", "subject": "ana 0", "state": "active"}],
        }
        assert adopt_rule("ana", memory, rule()) == {"user": "ana", "state": "already adopted"}
        assert [alert.constraint for alert in memory.alerts()] == ["dear_trip"]
    assert adoptions(store, "ana") == 1


def test_a_rule_whose_cases_fail_is_adopted_by_nobody() -> None:
    store = MemoryStore(clock=lambda: NOW)
    add_user(store, "ana", [100])
    wrong = rule(RULE.replace("cost=500", "cost=7"))
    with closing(PartWorker(Job("", RuleChange("adopt", "dear_trip", wrong), NOW), store)) as worker:
        [answer] = worker.run(0, ["ana"]).answers()
    assert (answer["error"], "dear" in str(answer["message"])) == ("Rejected", True)
    assert adoptions(store, "ana") == 0


def test_users_who_retired_or_switched_off_the_rule_are_left_alone() -> None:
    store = MemoryStore(clock=lambda: NOW)
    for user in ("ana", "ben"):
        add_user(store, user, [100])
        with closing(opened(store, user)) as memory:
            adopt_rule(user, memory, rule())
            patch = (
                Retire(constraint="dear_trip", why="no") if user == "ana" else Switch(constraint="dear_trip", on=False)
            )
            memory.checkpoint([patch], reviewed=True)
            before = memory.project().position
            state = {"ana": "retired by the user", "ben": "switched off by the user"}[user]
            for version in (rule(), rule(RULE.replace("costs {t.cost}", "is dear"))):
                assert adopt_rule(user, memory, version) == {"user": user, "state": state}
            assert memory.project().position == before


def test_a_rollback_brings_the_version_before_it_back() -> None:
    store = MemoryStore(clock=lambda: NOW)
    add_user(store, "ana", [100])
    older = rule(RULE.replace("costs {t.cost}", "is dear"))
    with closing(opened(store, "ana")) as memory:
        memory.checkpoint([Adopt(constraint=older)], reviewed=True, by="ana")
        adopt_rule("ana", memory, rule())
        assert memory.alerts()[0].message.startswith("ana 0 costs 100")
        assert roll_back_rule("ana", memory, "dear_trip", "wrong")["state"] == "rolled back"
        assert memory.project().constraints["dear_trip"].constraint == older
        assert memory.alerts()[0].message.startswith("ana 0 is dear")
        assert roll_back_rule("ana", memory, "dear_trip", "wrong")["state"] == "not from a rollout"
        assert adopt_rule("ana", memory, rule())["state"] == "adopted"


def test_a_rollback_keeps_the_records_of_types_that_came_with_the_rule() -> None:
    store = MemoryStore(clock=lambda: NOW)
    text = '''
def passport_soon(user, now):
    """A passport expires soon."""
    return [warning(f"{p.country} expires", p) for p in user.travel.passports if expires_before(p.expires, now)]


CASES = [
    fires("gone", date(2026, 3, 1), travel.Passport(holder="me", country="Germany", expires=date(2026, 1, 1))),
    silent("late", date(2026, 3, 1), travel.Passport(holder="me", country="Germany", expires=date(2036, 1, 1))),
]
'''
    constraint = read_program(text, "passport_soon").constraint
    assert constraint is not None
    Memory(store.log("ana"), clock=lambda: NOW).add("Hello.")
    with closing(Memory(store.log("ana"), clock=lambda: NOW)) as memory:
        assert adopt_rule("ana", memory, constraint)["state"] == "adopted"
        memory.put("travel.Passport", {"holder": "me", "country": "Germany", "expires": "2026-02-01"})
        assert "passport_soon" in {alert.constraint for alert in memory.alerts()}
        assert roll_back_rule("ana", memory, "passport_soon", "wrong")["state"] == "rolled back"
        assert roll_back_rule("ana", memory, "passport_soon", "wrong")["state"] == "not adopted"
        assert "passport_soon" not in {alert.constraint for alert in memory.alerts()}
        assert memory.project().count("travel.Passport") == 1
        assert adopt_rule("ana", memory, constraint)["state"] == "adopted"
        assert "passport_soon" in {alert.constraint for alert in memory.alerts()}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_rollouts_at_once_adopt_a_rule_once_for_each_user(kind: str, tmp_path: Path, postgres: Server) -> None:
    address = str(tmp_path / "a.db") if kind == "sqlite" else postgres.new_database()
    with closing(open_store(address, clock=lambda: NOW)) as store:
        users = add_users(store, 9)
        ready = threading.Barrier(2)
        states: list[str] = []

        def roll_out() -> None:
            with closing(PartWorker(Job("", RuleChange("adopt", "dear_trip", rule()), NOW), store)) as worker:
                for user in users:
                    ready.wait(DEADLINE)
                    states.extend(str(answer.get("state")) for answer in worker.run(0, [user]).answers())

        threads = [threading.Thread(target=roll_out) for _number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
        assert sorted(states) == ["adopted"] * 9 + ["already adopted"] * 9
        assert [adoptions(store, user) for user in users] == [1] * 9


def test_the_commands_roll_a_rule_out_watch_it_and_take_it_back(store: Path) -> None:
    with closing(open_store(str(store), clock=lambda: NOW)) as made:
        users = [user for user in add_users(made, 9) if user != "u006"]
    Path("dear_trip.py").write_text(RULE)
    assert uac("fleet", "adopt", "dear_trip.py").exit_code == 2
    part = uac("fleet", "adopt", "dear_trip.py", "--percent", "40")
    number = sum(is_in_share("dear_trip", user, 40) for user in [*users, "u006"])
    assert part.stdout.startswith(f"dear_trip: {number} adopted; alerts for")
    rest = uac("fleet", "adopt", "dear_trip.py", "--all")
    assert rest.stdout.startswith(f"dear_trip: {9 - number} adopted, {number} already adopted; alerts for")
    assert uac("ack", "u000", "dear_trip", "u000 0").exit_code == 0
    watched = uac("fleet", "watch", "dear_trip")
    assert "u000: warning, acknowledged: u000 0\n" in watched.stdout
    assert watched.stdout.endswith("dear_trip: 9 on; alerts for 8 users: 17 warning (1 acknowledged)\n")
    back = uac("fleet", "rollback", "dear_trip", "--why", "too many")
    assert back.stdout == "dear_trip: 9 rolled back\n"
    assert uac("alerts", "u001").stdout == ""
    assert uac("fleet", "rollback", "dear_trip", "--why", "too many").stdout == "dear_trip: 9 not adopted\n"


def test_a_rollout_that_is_killed_goes_on_and_nobody_adopts_twice(store: Path) -> None:
    with closing(open_store(str(store), clock=lambda: NOW)) as made:
        users = add_users(made, 9)
    Path("dear_trip.py").write_text(RULE)
    command = ("fleet", "adopt", "dear_trip.py", "--all", "--part-size", "1")
    with closing(open_store(str(store), clock=lambda: NOW)) as made:
        for done in (2, 5):
            run = subprocess.Popen(
                (sys.executable, "-m", "uac", *command), stdout=subprocess.DEVNULL, start_new_session=True
            )
            wait_until(lambda done=done: sum(adoptions(made, user) for user in users) >= done, "some adopted")  # type: ignore[misc]  # its default is bound
            os.killpg(run.pid, signal.SIGKILL)
            run.wait(DEADLINE)
        assert uac(*command).exit_code == 0
        assert [adoptions(made, user) for user in users] == [1] * 9
