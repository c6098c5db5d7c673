"""Conformance tests for a sandbox: subclass `SandboxContract` and give it a `sandbox` fixture.

class TestMine(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls):
        sandbox = MySandbox()
        yield sandbox
        sandbox.close()
"""

import math
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uac.errors import CodeError, LimitError, Refused, SandboxError
from uac.sandbox.port import Instance, Limits, Sandbox, SandboxSession, Value

__all__ = ["SandboxContract"]

NOW = datetime(2026, 3, 1, 23, 30, 15, 250_000, tzinfo=timezone(timedelta(hours=5, minutes=45)))
QUICK = Limits(seconds=0.5, memory_mb=256, output_chars=1000, depth=200, result_items=10_000)

TRIP = """
from dataclasses import dataclass, field
from datetime import date

@dataclass(frozen=True)
class Trip:
    city: str
    start: date
    cost: float = 0.0

@dataclass
class Year:
    trips: list = field(default_factory=list)
"""

CATCHES = """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""

BOMBS = {
    "loop": ("while True:\n    pass", "time"),
    "loop that catches": (CATCHES, "time"),
    "sum": ("sum(range(10**12))", "time"),
    "list": ("x = [0] * 10**10", "memory"),
    "text": ("x = 'x' * 10**11", "memory"),
    "growth": ("x = ['x']\nwhile True:\n    x = x + x", "memory"),
    "recursion": ("def f(n):\n    return f(n + 1) + 1\nf(0)", "depth"),
    "nesting": ("x = []\nfor _ in range(5000):\n    x = [x]\nx", "depth"),
    "result": ("[0] * 20_000", "size"),
    "shared result": ("text = 'x' * 100_000\n[text] * 1000", "size"),
    "printing": ("for _ in range(100):\n    print('x' * 20)", "output"),
    "endless printing": ("while True:\n    print('x')", "output"),
}  # fmt: skip

HOSTILE_RESULTS = {
    "a function": "def f():\n    pass\nf",
    "a lambda": "lambda: 1",
    "a function of its own": "len",
    "a class": "class A:\n    pass\nA",
    "a module": "import math\nmath",
    "an object": "class A:\n    pass\nA()",
    "bytes": "b'abc'",
    "a function in a list": "[1, [len]]",
    "a function in a dict": "{'f': len}",
    "a list that holds itself": "x = []\nx.append(x)\nx",
    "a dict that holds itself": "x = {}\nx['x'] = [x]\nx",
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=3)
    | st.dates()
    | st.datetimes()
    | st.datetimes(timezones=st.sampled_from([UTC, NOW.tzinfo]))
    | st.times()
    | st.timedeltas(min_value=timedelta(days=-100_000), max_value=timedelta(days=100_000))
)
keys = st.text(max_size=5) | st.integers() | st.dates() | st.tuples(st.text(max_size=3), st.booleans())
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(keys, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)


def sandbox_value_types(value: Value) -> object:
    """The types of a value at every level, because True == 1."""
    match value:
        case dict():
            return dict, {key: (sandbox_value_types(key), sandbox_value_types(item)) for key, item in value.items()}
        case list() | tuple():
            return type(value), [sandbox_value_types(item) for item in value]
        case set():
            return set, {repr(sandbox_value_types(item)) for item in value}
    return type(value)


class SandboxContract:
    """The behaviour that all sandboxes share."""

    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        raise NotImplementedError("A sandbox is missing. Define the fixture `sandbox` in the subclass.")

    @pytest.fixture
    def session(self, sandbox: Sandbox) -> Iterator[SandboxSession]:
        session = sandbox.session(now=NOW)
        yield session
        session.close()

    @pytest.fixture
    def quick(self, sandbox: Sandbox) -> Iterator[SandboxSession]:
        """A session with tight limits."""
        session = sandbox.session(now=NOW, limits=QUICK)
        yield session
        session.close()

    @pytest.fixture
    def patient(self, sandbox: Sandbox) -> Iterator[SandboxSession]:
        """A session with tight limits, except of time: on a busy machine, code that would end must not be stopped."""
        session = sandbox.session(now=NOW, limits=replace(QUICK, seconds=20.0))
        yield session
        session.close()

    # --- values and names ---

    @pytest.mark.parametrize(
        ("code", "value"),
        [
            ("1 + 1", 2),
            ("x = 5", None),
            ("", None),
            ("# only a remark", None),
            ("if True:\n    5", None),
            ("x = 2\n(\n    x +\n    3  # remark\n)", 5),
            ("1, *[2, 3]", (1, 2, 3)),
            ("'a'; 'ü' + 'ß'", "üß"),
            ("(y := 7)", 7),
            ("1;", 1),
            ("'line\\nend'\r\n", "line\nend"),
        ],
    )
    def test_the_value_is_that_of_the_last_expression(self, session: SandboxSession, code: str, value: Value) -> None:
        assert session.run(code).value == value

    def test_names_stay_from_run_to_run(self, session: SandboxSession) -> None:
        session.run("count = 20\ndef double(x):\n    return x * 2")
        session.run("count = count + 1")
        assert session.run("double(count)").value == 42

    def test_inputs_are_names_and_stay_too(self, session: SandboxSession) -> None:
        assert session.run("price * amount", {"price": Decimal("1.50"), "amount": 3}).value == Decimal("4.50")
        assert session.run("amount").value == 3

    @settings(
        max_examples=60,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
        deadline=None,
    )
    @given(value=values)
    def test_every_value_goes_in_and_comes_back_equal(self, session: SandboxSession, value: Value) -> None:
        back = session.run("value", {"value": value}).value
        assert back == value
        assert sandbox_value_types(back) == sandbox_value_types(value)

    def test_rows_of_any_cells_come_in_as_they_are(self, session: SandboxSession) -> None:
        rows: Value = [
            [n, None if n % 3 else date(2024, 1, 1), Decimal(n), NOW, [n, (n,)], {"n": {n}}, timedelta(n), n or "0"]
            for n in range(100)
        ]
        assert session.run("rows", {"rows": rows}).value == rows

    def test_numbers_that_are_none_come_back(self, session: SandboxSession) -> None:
        assert session.run("[float('inf'), -float('inf')]").value == [math.inf, -math.inf]
        assert str(session.run("-0.0").value) == "-0.0"
        assert str(session.run("float('nan')").value) == "nan"

    def test_objects_of_dataclasses_come_back_as_data(self, session: SandboxSession) -> None:
        session.run(TRIP)
        outcome = session.run("Year([Trip('Rome', date(2024, 5, 1), 99.5)])")
        trip = Instance("Trip", {"city": "Rome", "start": date(2024, 5, 1), "cost": 99.5})
        assert outcome.value == Instance("Year", {"trips": [trip]})

    @pytest.mark.parametrize(
        ("code", "value"),
        [
            ("{'a': 1}.items()", [("a", 1)]),
            ("{'a': 1}.keys()", ["a"]),
            ("{'a': 1}.values()", [1]),
            ("range(3)", [0, 1, 2]),
            ("(x * x for x in [1, 2])", [1, 4]),
            ("map(str, [1, 2])", ["1", "2"]),
            ("zip([1], [2])", [(1, 2)]),
            ("iter([1, 2])", [1, 2]),
            ("frozenset([1])", {1}),
            ("from collections import Counter\nCounter('aab')", {"a": 2, "b": 1}),
            ("from collections import deque\ndeque([1, 2])", [1, 2]),
            ("from collections import namedtuple\nnamedtuple('P', 'x y')(1, 2)", (1, 2)),
        ],
    )
    def test_what_can_be_listed_becomes_data(self, session: SandboxSession, code: str, value: Value) -> None:
        back = session.run(code).value
        assert back == value
        assert sandbox_value_types(back) == sandbox_value_types(value)

    @pytest.mark.parametrize("name", HOSTILE_RESULTS)
    def test_a_result_that_is_not_data_is_an_error_of_the_code(self, session: SandboxSession, name: str) -> None:
        with pytest.raises(CodeError, match="data") as failed:
            session.run(HOSTILE_RESULTS[name])
        assert failed.value.kind == "TypeError"
        assert failed.value.line == HOSTILE_RESULTS[name].count("\n") + 1
        assert session.run("1 + 1").value == 2

    def test_half_a_character_never_reaches_the_host(self, session: SandboxSession) -> None:
        try:
            value = session.run("chr(0xD800) + 'x'").value
        except CodeError:
            value = ""
        assert isinstance(value, str)
        assert "\ud800" not in value + session.run("print('\\ud800')").printed

    def test_names_of_its_own_harm_the_code_alone(self, session: SandboxSession) -> None:
        session.run("list = 5\ntype = len = str = isinstance = id = print = 7")
        assert session.run("[1, (2, 'x'), {'y': 3.5}]").value == [1, (2, "x"), {"y": 3.5}]

    # --- printing and errors ---

    def test_what_is_printed_is_kept(self, session: SandboxSession) -> None:
        outcome = session.run("print('a', 1)\nprint('b', end='')\n'value'")
        assert (outcome.printed, outcome.value) == ("a 1\nb", "value")
        assert session.run("2").printed == ""

    def test_what_was_printed_before_an_error_is_kept(self, session: SandboxSession) -> None:
        with pytest.raises(CodeError) as failed:
            session.run("print('so far')\n1 / 0")
        assert failed.value.printed == "so far\n"

    @pytest.mark.parametrize(
        ("code", "kind", "line"),
        [
            ("x = 1\n1 / 0", "ZeroDivisionError", 2),
            ("def f(x):\n    return 1 / x\n\nf(0)", "ZeroDivisionError", 2),
            ("x = (", "SyntaxError", 1),
            ("x = 1\ny = = 2", "SyntaxError", 2),
            ("if True:\nx = 1", "IndentationError", 2),
            ("\n\nnot_defined", "NameError", 3),
            ("{}['missing']", "KeyError", 1),
            ("raise ValueError('no')", "ValueError", 1),
            ("x = 1\nassert x == 2", "AssertionError", 2),
            ("import pandas", None, 1),
        ],
    )
    def test_an_error_says_what_and_where(
        self, session: SandboxSession, code: str, kind: str | None, line: int
    ) -> None:
        with pytest.raises(CodeError) as failed:
            session.run(code)
        assert failed.value.line == line
        assert kind in (None, failed.value.kind)

    def test_the_line_is_one_of_the_run_that_failed(self, session: SandboxSession) -> None:
        session.run("\n\n\n\ndef f():\n    return 1 / 0")
        with pytest.raises(CodeError) as failed:
            session.run("x = 1\nf()")
        assert failed.value.line == 2

    def test_an_error_leaves_the_names_as_they_were(self, session: SandboxSession) -> None:
        session.run("x = 41")
        with pytest.raises(CodeError):
            session.run("y = 1\n1 / 0")
        assert session.alive
        assert session.run("x + y").value == 42

    def test_a_huge_error_is_cut(self, session: SandboxSession) -> None:
        with pytest.raises(CodeError) as failed:
            session.run("raise ValueError('x' * 1_000_000)")
        assert len(str(failed.value)) < 3000

    # --- clock and chance ---

    def test_the_clock_stands_still(self, session: SandboxSession) -> None:
        code = "import time\nfrom datetime import date, datetime, timezone\n"
        code += "(datetime.now(), datetime.now(timezone.utc), date.today(), time.time())"
        first = session.run(code).value
        assert first == (NOW.replace(tzinfo=None), NOW.astimezone(UTC), NOW.date(), NOW.timestamp())
        assert session.run("import time\ntime.sleep(3600)").value is None
        assert session.run(code).value == first

    def test_the_local_zone_is_that_of_the_clock(self, session: SandboxSession) -> None:
        assert session.run("from datetime import datetime\ndatetime.now().astimezone()").value == NOW

    def test_chance_repeats_with_its_seed(self, sandbox: Sandbox) -> None:
        code = "import random\n[random.random(), random.randint(1, 100), random.choice('abc')]"
        drawn = []
        for seed in (7, 7, 8):
            session = sandbox.session(now=NOW, seed=seed)
            drawn.append(session.run(code).value)
            session.close()
        expected = random.Random(7)  # noqa: S311 - what the sandbox must equal
        assert drawn[0] == [expected.random(), expected.randint(1, 100), expected.choice("abc")]
        assert drawn[0] == drawn[1] != drawn[2]

    def test_a_generator_without_a_seed_repeats_too(self, sandbox: Sandbox) -> None:
        drawn = []
        for _ in range(2):
            session = sandbox.session(now=NOW, seed=7)
            drawn.append(session.run("import random\n[random.Random().random() for _ in range(2)]").value)
            session.close()
        assert drawn[0] == drawn[1]

    def test_sets_come_in_the_same_order_each_time(self, sandbox: Sandbox) -> None:
        texts = []
        for _ in range(2):
            session = sandbox.session(now=NOW)
            texts.append(session.run("str({str(n) for n in range(50)})").value)
            session.close()
        assert texts[0] == texts[1]

    @settings(
        max_examples=30,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
        deadline=None,
    )
    @given(numbers=st.lists(st.floats(-1e9, 1e9) | st.decimals(-1000, 1000, places=3).map(float), max_size=30))
    def test_rounding_is_that_of_python(self, session: SandboxSession, numbers: list[float]) -> None:
        given_numbers: Value = [*numbers]
        back = session.run("[[round(n, 2), round(n)] for n in numbers]", {"numbers": given_numbers}).value
        assert back == [[round(number, 2), round(number)] for number in numbers]

    # --- limits ---

    @pytest.mark.parametrize("name", BOMBS)
    def test_too_much_is_stopped_and_the_next_session_works(
        self, sandbox: Sandbox, quick: SandboxSession, name: str
    ) -> None:
        code, limit = BOMBS[name]
        with pytest.raises(LimitError) as stopped:
            quick.run(code)
        assert stopped.value.limit in (limit, "time")
        assert not quick.alive
        with pytest.raises(SandboxError, match="over"):
            quick.run("1")
        following = sandbox.session(now=NOW)
        assert following.run("1 + 1").value == 2
        following.close()

    def test_what_was_printed_before_a_limit_is_kept(self, quick: SandboxSession) -> None:
        with pytest.raises(LimitError) as stopped:
            quick.run("print('so far')\nwhile True:\n    pass")
        assert stopped.value.printed == "so far\n"

    def test_output_is_kept_up_to_its_limit(self, patient: SandboxSession) -> None:
        with pytest.raises(LimitError) as stopped:
            patient.run("for n in range(1000):\n    print(n)")
        assert stopped.value.limit == "output"
        assert stopped.value.printed == "".join(f"{n}\n" for n in range(1000))[:1000]

    def test_just_enough_is_not_too_much(self, patient: SandboxSession) -> None:
        outcome = patient.run("print('x' * 999)\nx = []\nfor _ in range(50):\n    x = [x]\n[x, [0] * 9000]")
        assert len(outcome.printed) == 1000
        assert isinstance(outcome.value, list)

    def test_too_much_code_is_refused(self, session: SandboxSession) -> None:
        with pytest.raises(CodeError, match="inputs"):
            session.run("x = 1\n" * 100_000)
        assert session.alive

    @pytest.mark.parametrize(
        "code", ["(" * 5000 + ")" * 5000, "-" * 50_000 + "1", "x" + ".x" * 40_000, "1" + "+1" * 40_000]
    )
    def test_deeply_nested_code_is_an_error_of_the_code(self, session: SandboxSession, code: str) -> None:
        with pytest.raises((CodeError, LimitError)):
            session.run(code)

    def test_a_hundred_thousand_rows_are_taken_in(self, session: SandboxSession) -> None:
        rows: Value = [[n, f"city {n % 50}", n * 1.5, date(2024, 1, 1 + n % 28)] for n in range(100_000)]
        session.run(TRIP + "trips = [Trip(city, start, cost) for number, city, cost, start in rows]", {"rows": rows})
        assert session.run("sum(trip.cost for trip in trips)").value == sum(n * 1.5 for n in range(100_000))

    # --- sessions ---

    def test_sessions_do_not_see_each_other(self, sandbox: Sandbox, session: SandboxSession) -> None:
        session.run("secret = 'of the first'\nimport math\nmath.pi")
        other = sandbox.session(now=NOW)
        with pytest.raises(CodeError) as failed:
            other.run("secret")
        assert failed.value.kind == "NameError"
        other.close()
        assert session.run("secret").value == "of the first"

    def test_a_closed_session_does_nothing_more(self, sandbox: Sandbox) -> None:
        session = sandbox.session(now=NOW)
        session.close()
        session.close()
        assert not session.alive
        with pytest.raises(SandboxError, match="over"):
            session.run("1")

    def test_many_threads_have_their_own_sessions(self, sandbox: Sandbox) -> None:
        results: dict[int, Value] = {}

        def work(number: int) -> None:
            session = sandbox.session(now=NOW, seed=number)
            session.run("x = n", {"n": number})
            results[number] = session.run("sum(range(x))").value
            session.close()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == {number: sum(range(number)) for number in range(8)}

    def test_a_snapshot_brings_the_names_back(self, sandbox: Sandbox, session: SandboxSession) -> None:
        session.run(TRIP + "trips = [Trip('Rome', date(2024, 5, 1), 99.5)]")
        snapshot = session.snapshot()
        if snapshot is None:
            with pytest.raises(SandboxError, match="snapshot"):
                sandbox.restore(b"", now=NOW)
            return
        session.run("trips = []")
        restored = sandbox.restore(snapshot, now=NOW)
        assert restored.run("sum(trip.cost for trip in trips)").value == 99.5
        restored.close()

    def test_a_snapshot_that_was_changed_is_refused(self, sandbox: Sandbox, session: SandboxSession) -> None:
        snapshot = session.snapshot() or b"\0" * 200
        for changed in (
            b"",
            snapshot[:-1],
            snapshot[:-1] + b"\0\0",
            b"\0" + snapshot[1:],
            snapshot[:60] + b"\xff" + snapshot[61:],
        ):
            with pytest.raises(SandboxError, match="snapshot"):
                sandbox.restore(changed, now=NOW)

    # --- borders ---

    @pytest.mark.parametrize(
        "code", ["open('/etc/passwd').read()", "import socket", "import subprocess", "import ctypes"]
    )
    def test_there_is_no_way_out(self, session: SandboxSession, code: str) -> None:
        with pytest.raises(CodeError):
            session.run(code)

    @pytest.mark.parametrize("name", ["", "two words", "class", "__builtins__", "1x", "a.b"])
    def test_an_input_needs_a_plain_name(self, session: SandboxSession, name: str) -> None:
        with pytest.raises(Refused, match="name"):
            session.run("1", {name: 1})
        assert session.run("1 + 1").value == 2

    @pytest.mark.parametrize(
        "value", [object(), b"bytes", len, int, 1j, [[object()]], {"a": {"b": b""}}, Instance("A", {})]
    )
    def test_an_input_needs_to_be_data(self, session: SandboxSession, value: object) -> None:
        with pytest.raises(Refused, match="input"):
            session.run("1", {"x": value})  # type: ignore[dict-item]  # what is tested
        assert session.run("1 + 1").value == 2

    def test_an_input_that_cannot_be_sent_is_refused(self, session: SandboxSession) -> None:
        endless: list[Value] = []
        endless.append(endless)
        for value in ("half \ud800", endless):
            with pytest.raises(Refused, match="input"):
                session.run("1", {"x": value})
        assert session.run("1 + 1").value == 2

    def test_a_clock_needs_a_zone(self, sandbox: Sandbox) -> None:
        with pytest.raises(Refused, match="zone"):
            sandbox.session(now=NOW.replace(tzinfo=None))

    def test_what_is_called_unsupported_is_refused_by_name(self, sandbox: Sandbox, session: SandboxSession) -> None:
        assert sandbox.unsupported("x = [n for n in range(3)]\nsum(x)") is None
        assert sandbox.unsupported("not python (") is None
        code = "class Base:\n    pass\nclass Child(Base):\n    pass\nChild() is None"
        what = sandbox.unsupported(code)
        if what is None:
            assert session.run(code).value is False
        else:
            with pytest.raises(CodeError, match=what) as failed:
                session.run(code)
            assert failed.value.kind == "NotImplementedError"

    def test_a_healthy_sandbox_has_no_problems(self, sandbox: Sandbox) -> None:
        assert [finding for finding in sandbox.findings() if finding.level == "problem"] == []

    def test_times_without_a_zone_stay_so(self, session: SandboxSession) -> None:
        assert session.run("t", {"t": time(1, 2)}).value == time(1, 2)
