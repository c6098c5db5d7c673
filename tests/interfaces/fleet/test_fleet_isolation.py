"""Attacks on the isolation between users who are asked in one session: nobody's run sees or changes another's."""

from contextlib import closing

import pytest

from support.fleet import NOW, TRIP, add_user, ask, question
from uac.interfaces.fleet.batch_runner import BatchRunner
from uac.interfaces.fleet.jobs import Job, PartWorker
from uac.interfaces.fleet.program import can_share_session, domains_of
from uac.log.stores.in_memory import MemoryStore
from uac.schema.queries import read_query

USERS = ["ana", "ben", "cleo"]
SECRETS = [101, 202, 303]

ATTACKS = {
    "a name of the batch": "batch__0",
    "a name of the rows": "rows__",
    "the results": "results",
    "a global": "global left\nleft = travel.trips[0].cost\nleft",
    "a global that another left": "left",
    "globals": "globals()['left'] = travel.trips[0].cost\n1",
    "a builtin": "import builtins\nbuiltins.left = travel.trips[0].cost\n1",
    "an attribute of a class": "travel.Trip.left = travel.trips[0].cost\n1",
    "an attribute of a class that another left": "travel.Trip.left",
    "an attribute of a function": "def f():\n    return 1\nmean.left = travel.trips[0].cost\n1",
    "a default": "def f(x, kept=[]):\n    kept.append(x)\n    return kept\nf(travel.trips[0].cost)",
    "a list of the prelude": "uac_looks.append(travel.trips[0].cost)\nuac_looks",
    "a table of the prelude": "uac_tables['left'] = travel.trips[0].cost\nuac_tables",
    "a method of a class": "type(travel.trips[0]).__repr__ = lambda r: 'mine'\nstr(travel.trips)",
    "a frame": "def f():\n    yield 1\nf().gi_frame.f_back.f_locals",
    "an exception's frames": "try:\n    1 / 0\nexcept Exception as e:\n    t = e.__traceback__\nt.tb_frame.f_back.f_locals",
    "subclasses": "[c for c in object.__subclasses__() if 'Trip' in str(c)]",
    "the collector": "import gc\n[x for x in gc.get_objects() if 'Trip' in str(type(x))]",
    "a module's state": "import random\nrandom.seed(travel.trips[0].cost)\nrandom.random()",
    "the decimal context": "import decimal\ndecimal.getcontext().prec = travel.trips[0].cost % 7 + 1\nstr(Decimal(1) / 3)",
    "a changed list": "travel.trips.append(travel.trips[0])\nlen(travel.trips)",
    "a changed record": "travel.trips[0].cost = 1\n[t.cost for t in travel.trips]",
    "a changed tag": "travel.trips[0].tags.append('mine')\ntravel.trips[0].tags",
    "an iterator": "import itertools\nn = itertools.count()\nnext(n)",
    "a cached pattern": "import re\nre.compile(travel.trips[0].name).pattern",
    "a setter": "setattr(travel, 'left', travel.trips[0].cost)\n1",
    "an address": "id(travel.trips) % 1",
    "output": "print(travel.trips[0].cost)",
    "an error with words": "raise ValueError(travel.trips[0].name)",
    "a walrus in a lambda": "f = lambda x=(left := travel.trips[0].cost): x\nf()",
    "a nested function's cell": "def make():\n    n = []\n    def f(x):\n        n.append(x)\n        return n\n    return f\nmake()(travel.trips[0].cost)",
}


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore(clock=lambda: NOW)
    for user, secret in zip(USERS, SECRETS, strict=True):
        add_user(store, user, [secret], types=[TRIP])
    return store


def test_every_attack_gives_a_user_what_it_gives_alone_and_nothing_of_another(store: MemoryStore) -> None:
    for name, code in ATTACKS.items():
        together = ask(store, code, USERS)
        alone = [ask(store, code, [user])[0] for user in USERS]
        assert together == alone, name
        for answer, user in zip(together, USERS, strict=True):
            others = [(other, str(secret)) for other, secret in zip(USERS, SECRETS, strict=True) if other != user]
            assert not any(word in str(answer) for pair in others for word in pair), (name, answer)


def test_nothing_that_an_attack_left_is_found_by_the_next_question_of_the_same_worker(store: MemoryStore) -> None:
    probe = (
        "[sorted(t.name for t in travel.trips), len(travel.trips), [t.tags for t in travel.trips], str(Decimal(1) / 3)]"
    )
    expected = ask(store, probe, USERS)
    domains = domains_of({"travel.Trip": TRIP})
    for code in ATTACKS.values():
        if not can_share_session(read_query(code, domains), code):
            continue
        with closing(PartWorker(Job("", question(code)), store)) as worker:
            worker.run(0, USERS)
            worker.run(1, USERS)
        assert ask(store, probe, USERS) == expected


def test_code_that_could_leave_something_behind_gets_a_session_for_each_user() -> None:
    domains = domains_of({"travel.Trip": TRIP})
    shared = {name for name, code in ATTACKS.items() if can_share_session(read_query(code, domains), code)}
    assert shared == {
        "the results",
        "a global that another left",
        "an attribute of a class that another left",
        "a default",
        "a changed list",
        "a changed tag",
        "an iterator",
        "a cached pattern",
        "an error with words",
        "a nested function's cell",
    }


@pytest.mark.parametrize(
    "hostile",
    ["[[1, 1]] * 9", "[]", "None", "'text'", "[[1, 1, 1]] * 3", "[[2, 1]] * 3", "{1: 1}", "[1, 1, 1]", "x.y"],
)
def test_a_result_of_a_batch_that_is_not_what_it_should_be_is_not_believed(store: MemoryStore, hostile: str) -> None:
    from uac.interfaces.fleet import batch_runner

    expected = ask(store, "[t.cost for t in travel.trips]", USERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_runner, "CALL", hostile)  # as a session would answer that code has taken over
        assert ask(store, "[t.cost for t in travel.trips]", USERS) == expected


def test_a_session_that_ends_is_replaced(store: MemoryStore) -> None:
    with closing(PartWorker(Job("", question("sum(t.cost for t in travel.trips)")), store)) as worker:
        first = worker.run(0, USERS).lines
        runner: BatchRunner = worker._asker._runner  # type: ignore[union-attr]
        for session in runner._sessions:
            session.close()
        assert worker.run(1, USERS).lines == first
        assert worker.run(2, USERS).lines == first


HOSTILE = {
    "10**5000": "ValueError",
    "x = []\nfor n in range(3000):\n    x = [x]\nx": "LimitError",
    "x = []\nx.append(x)\nx": "TypeError",
    "list(range(2 * 10**6))": "LimitError",
    "len": "TypeError",
    "raise SystemExit(3)": "SystemExit",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "def f(n):\n    return f(n + 1)\nf(0)": "LimitError",
    "'\\ud800\\n\\u2028'": None,
    "{(1, 2): float('nan'), None: 10**300}": None,
}


@pytest.mark.parametrize("code", HOSTILE)
def test_a_hostile_result_of_one_user_is_the_answer_of_that_user(store: MemoryStore, code: str) -> None:
    *lines, last = code.split("\n")
    only = "\n".join([*lines, last if last.startswith("raise") else f"result = {last}"])
    body = "\n".join(f"    {line}" for line in only.split("\n"))
    answers = ask(store, f"result = 1\nif travel.trips[0].cost == 202:\n{body}\nresult", USERS)
    assert [answers[0], answers[2]] == [{"user": "ana", "value": 1}, {"user": "cleo", "value": 1}]
    assert answers[1].get("error") == HOSTILE[code]
