"""The analysis of a constraint's code: its inputs, its pace, and the code that is refused."""

import base64
import zlib

import pytest

from support.constraints import code_of
from uac.errors import Refused
from uac.schema.constraint_code import Pace, constraint_definition, read_constraint
from uac.schema.constraints import Case, Knowledge, Severity, case_moment


@pytest.mark.parametrize(
    ("body", "reads", "knows", "uses_now", "pace"),
    [
        ("return []", (), (), False, "known"),
        ("return [info(a.substance, a) for a in user.health.allergies]", ("health.allergies",), (), False, "known"),
        (
            "return [info('x') for t in user.travel.trips + user.travel.former_trips]",
            ("travel.former_trips", "travel.trips"),
            (),
            False,
            "known",
        ),
        ("return [info(knowledge('a.b')['x']), info(knowledge('c.d'))]", (), ("a.b", "c.d"), False, "known"),
        ("return [info(str(now))]", (), (), True, "tick"),
        ("return [info('x')] if due_within(date(2026, 1, 1), now, 3) else []", (), (), True, "known"),
        ("return [info('x')] if is_past(date(2026, 1, 1), now) else []", (), (), True, "known"),
        ("return [info(str(days_until(date(2026, 1, 1), now)))]", (), (), True, "known"),
        ("look_again(now + timedelta(days=1))\nreturn []", (), (), True, "asked"),
        ("return [info('x', look_again=now + timedelta(days=1))]", (), (), True, "asked"),
        ("return [info(str(now))] if due_within(date(2026, 1, 1), now, 3) else []", (), (), True, "tick"),
    ],
)
def test_the_analysis_names_the_collections_tables_and_pace_of_a_constraint(
    body: str, reads: tuple[str, ...], knows: tuple[str, ...], uses_now: bool, pace: Pace
) -> None:
    reading = read_constraint("rule", code_of("rule", body))
    assert (reading.name, reading.doc, reading.reads, reading.knows, reading.uses_now, reading.pace) == (
        "rule",
        "Looks for something.",
        reads,
        knows,
        uses_now,
        pace,
    )


def test_a_collection_passed_to_a_helper_is_read_too() -> None:
    before = "LIMIT = 3\n\n\ndef _few(trips, limit):\n    return trips[:limit]\n\n\n"
    body = "return [info(a.substance) for a in user.health.allergies if _few(user.travel.trips, LIMIT)]"
    assert read_constraint("rule", code_of("rule", body, before=before)).reads == ("health.allergies", "travel.trips")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return user", "line 3: user is used as a value. Use user.domain.collection, such as user.travel.trips."),
        ("return user.health", "line 3: user is used as a value"),
        ("x = 1\nfor d in [user]:\n    pass\nreturn []", "line 4: user is used as a value"),
        ("return date.today()", "line 3: The code asks the clock or reaches beyond the constraint. Use `now`."),
        ("return datetime.now()", "line 3: The code asks the clock"),
        ("return getattr(now, 'year')", "line 3: The code asks the clock or reaches beyond"),
        ("import time\nreturn []", "line 3: "),
        ("import os\nreturn []", "line 3: The module os is imported whole. Use from … import … of "),
        (
            "return [info(health)]",
            "line 3: health is not defined. Use user.domain.collection, or define it in the constraint.",
        ),
        (
            "def inner(user):\n    return []\nreturn []",
            "line 3: An argument is named user, which every constraint has. Rename it.",
        ),
        ("class A:\n    pass\nreturn []", "line 3: Classes and generators are not allowed. Use plain functions."),
        ("yield info('x')", "line 3: Classes and generators are not allowed"),
        ("return [info(5)]  # type: ignore", "The code switches the type checker off. Write code that it accepts."),
        ("user.health.allergies.clear()\nreturn []", "line 3: The code could change an object that it did not create"),
        ("for a in user.health.allergies:\n    a.substance = ''\nreturn []", "line 4: The code could change an object"),
        ("user.health.allergies[0] = 1\nreturn []", "line 3: The code could change an object"),
        ("x = user.health.allergies\nx += [1]\nreturn []", "line 4: The code could change an object"),
        ("global x\nx = 1\nreturn []", "line 3: The code could change an object"),
        (
            "critical = 1\nreturn []",
            "line 3: This redefines critical, which every constraint has. Choose another name.",
        ),
        ("now = 1\nreturn []", "line 3: This redefines now,"),
        ("def warning(x):\n    return x\nreturn []", "line 3: This redefines warning,"),
        (
            "x = 'a.b'\nreturn [info(knowledge(x))]",
            'line 4: The name of a table is not a literal. Write knowledge("name").',
        ),
        ("return (", "SyntaxError"),
        ("yield 1 2", "SyntaxError"),
    ],
)
def test_a_constraint_that_reaches_too_far_is_refused_with_the_line(body: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_constraint("rule", code_of("rule", body))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("", "The function rule is missing. Define rule(user, now)."),
        ("def other(user, now):\n    return []\n", "line 1: Function other is public. Define one function rule; start the names of others"),
        ("def rule(user, now):\n    return []\n", "line 1: rule has no docstring. Add a sentence"),
        ("def rule(user):\n    return []\n", "line 1: rule has a wrong signature. Write def rule(user, now) without decorators or other arguments."),
        ("def rule(user, now, x):\n    return []\n", "line 1: rule has a wrong signature."),
        ("def rule(user, now, *, x=1):\n    return []\n", "line 1: rule has a wrong signature."),
        ("@print\ndef rule(user, now):\n    return []\n", "rule has a wrong signature. Write def rule(user, now) without decorators"),
        ("async def rule(user, now):\n    return []\n", "line 1: Only functions and constants are allowed at the top level."),
        ("print(1)\n", "line 1: Only functions and constants are allowed at the top level."),
        ("x.y = 1\n", "line 1: Only functions and constants are allowed at the top level."),
        ("#" + "x" * 20_000, "Shorten it to 20,000."),
    ],
)  # fmt: skip
def test_code_without_a_proper_function_is_refused_with_advice(code: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_constraint("rule", code)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("def _grab(module):\n    return module.enum.sys\n\n\nPATH = _grab(re)\n", "return []"),
        ("", "modules = [re]\nreturn []"),
        ("", "x = re.enum\nreturn []"),
        ("", "x = json.decoder\nreturn []"),
        ("", "from collections import _sys\nreturn []"),
        ("", "import collections\nreturn []"),
        ("", "x = [].__class__\nreturn []"),
        ("", "x = '{0.health}'.format(now)\nreturn []"),
        ("FIRST = [look for look in [1]]\n", "return []"),
        ("FIRST = sorted([1])\n", "return []"),
    ],
)
def test_a_constraint_cannot_reach_beyond_itself_where_it_is_run_without_a_sandbox(before: str, body: str) -> None:
    with pytest.raises(Refused):
        read_constraint("hostile", code_of("hostile", body, before=before))


def test_constants_may_be_plain_values() -> None:
    plain = 'A = "a b".split()\nB = Decimal("0.5")\nC = {"x": [1, date(2026, 1, 1)]}\n'
    assert read_constraint("plain", code_of("plain", "return []", before=plain)).reads == ()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("n = 0\nfor a in ITEMS:\n    n += a.days\nreturn []", id="a counter"),
        pytest.param("low, high = 0, 0\nfor a in ITEMS:\n    low += 1\n    high += 2\nreturn []", id="two counters"),
        pytest.param("for a in ITEMS:\n    n = a.days\n    n += 1\nreturn []", id="a number of a record plus one"),
        pytest.param("for a in ITEMS:\n    day = a.day\n    day += timedelta(days=1)\nreturn []", id="the next day"),
        pytest.param("text = ''\nfor a in ITEMS:\n    text += a.substance\nreturn [info(text)]", id="a text"),
        pytest.param("seen = ()\nfor a in ITEMS:\n    seen += (a,)\nreturn []", id="a tuple"),
        pytest.param("xs = list(ITEMS)\nxs.sort()\nreturn []", id="a sorted copy"),
        pytest.param("xs = ITEMS[:]\nxs.reverse()\nreturn []", id="a reversed slice"),
        pytest.param("xs = ITEMS + ITEMS\nxs.pop()\nreturn []", id="two lists joined"),
        pytest.param("xs = [1] if ITEMS else []\nxs.append(2)\nreturn []", id="one of two new lists"),
        pytest.param("n = max([a.days for a in ITEMS], default=0)\nn += 1\nreturn []", id="a maximum plus one"),
        pytest.param("g = {}\nfor a in ITEMS:\n    g[a.x] = g.get(a.x, 0) + 1\ndel g['x']\nreturn []", id="a tally"),
        pytest.param("g = defaultdict(Decimal)\nfor a in ITEMS:\n    g[a.x] += a.cost\nreturn []", id="sums by key"),
        pytest.param(
            "g = {}\nfor a in ITEMS:\n    g.setdefault(a.x, []).append(a)\nfor key, xs in sorted(g.items()):\n"
            "    xs.sort()\nreturn []",
            id="sorted groups",
        ),
        pytest.param("for xs in group_by(ITEMS, str).values():\n    xs.pop()\nreturn []", id="groups of group_by"),
        pytest.param(
            "rows = []\nfor a in ITEMS:\n    rows.append([a])\nfor row in rows:\n    row.append(1)\nreturn []",
            id="rows",
        ),
        pytest.param(
            "def add(out, a):\n    out.append(a)\nxs = []\nfor a in ITEMS:\n    add(xs, a)\nreturn xs",
            id="a helper that fills a list",
        ),
        pytest.param("def new():\n    return []\nxs = new()\nxs.append(1)\nreturn []", id="a helper that makes a list"),
        pytest.param("n = 0\ndef bump():\n    nonlocal n\n    n += 1\nbump()\nreturn []", id="a nonlocal counter"),
        pytest.param("parts = 'a b'.split()\nparts.pop()\nreturn []", id="the parts of a text"),
    ],
)
def test_a_constraint_may_change_what_it_made_itself(body: str) -> None:
    read_constraint("rule", code_of("rule", body.replace("ITEMS", "user.health.allergies")))


@pytest.mark.parametrize(
    "body",
    [
        "xs = ITEMS or []\nxs.append(1)\nreturn []",
        "xs = ITEMS\nxs *= 2\nreturn []",
        "for a in ITEMS:\n    xs = a.tags\n    xs += 'text'\nreturn []",
        "xs = [a.tags for a in ITEMS]\nxs[0] += 'text'\nreturn []",
        "xs = ITEMS[:]\nxs[0].tags.append(1)\nreturn []",
        "xs = [ITEMS]\nfor x in xs:\n    x.append(1)\nreturn []",
        "xs, ys = ITEMS, []\nxs.append(1)\nreturn []",
        "del ITEMS[0]\nreturn []",
        "t = knowledge('a.b')\nt -= {1}\nreturn []",
        "for key, xs in knowledge('a.b').items():\n    xs.append(1)\nreturn []",
        "t = knowledge('a.b').copy()\nt['k'].append(1)\nreturn []",
        "def add(xs):\n    xs.append(1)\nadd([])\nadd(ITEMS)\nreturn []",
        "def add(xs):\n    xs.append(1)\nadd([])\nreturn list(map(add, [ITEMS]))",
        "def add(xs=ITEMS):\n    xs.append(1)\nadd()\nreturn []",
        "def get(xs):\n    return xs\nys = get(ITEMS)\nys.append(1)\nreturn []",
        "xs = []\ndef swap():\n    nonlocal xs\n    xs = ITEMS\nswap()\nxs.append(1)\nreturn []",
        "g = {}\ng['k'] = []\nh = g\nh['k'] = ITEMS\ng['k'].append(1)\nreturn []",
        "g = {}\ng['k'] = []\n(g if now else g)['k'] = ITEMS\ng['k'].append(1)\nreturn []",
        "g = {}\ng['k'] = []\ndef put(h):\n    h['k'] = ITEMS\nput(g)\ng['k'].append(1)\nreturn []",
    ],
)
def test_a_constraint_may_not_change_what_outlives_its_call(body: str) -> None:
    with pytest.raises(Refused, match="The code could change an object that it did not create"):
        read_constraint("rule", code_of("rule", body.replace("ITEMS", "user.health.allergies")))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("x = " + "(" * 45 + "1" + ",)" * 45 + "\nreturn []", "line 3: The code is nested deeper than 40 levels."),
        ("def inner(a, a):\n    pass\nreturn []", "line 3: duplicate argument 'a' in function definition"),
        ("from math import pi as now\nreturn []", "line 3: This redefines now,"),
        ("from datetime import date as day\nreturn [info(str(day), day.fold)]\nglobal nothing", "line 5: "),
        ("for x in ():\n    x = math\nreturn []", "line 4: The module math is used as a value."),
        ("math.factorial(3)\nreturn []", "line 3: math.factorial is not allowed."),
    ],
)
def test_code_that_cannot_be_analysed_is_refused(body: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_constraint("rule", code_of("rule", body))
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("return [info('x'), warning('y')]", "warning"),
        ("return [critical('x')] or [info('y')]", "critical"),
        ("return [Alert('x', severity='info')]", "info"),
        ("return []", "critical"),
    ],
)
def test_the_severity_is_that_of_the_most_severe_alert(body: str, severity: Severity) -> None:
    assert read_constraint("rule", code_of("rule", body)).severity == severity


def test_the_definition_is_one_function_that_calls_the_constraint() -> None:
    assert constraint_definition("rule", "LIMIT = 2\ndef rule(user, now):\n    return []\n") == (
        "def constraint__rule(user, now, knowledge=knowledge):\n"
        " LIMIT = 2\n def rule(user, now):\n     return []\n\n return (rule(user, now))"
    )


@pytest.mark.parametrize(
    ("now", "moment"),
    [
        ("2026-01-10", "2026-01-10T12:00:00+00:00"),
        ("2026-01-10T08:30:00", "2026-01-10T08:30:00+00:00"),
        ("2026-01-10T08:30:00+02:00", "2026-01-10T08:30:00+02:00"),
    ],
)
def test_a_case_without_a_time_is_at_noon_and_without_a_zone_in_utc(now: str, moment: str) -> None:
    assert case_moment(Case(name="c", now=now, fires=True)).isoformat() == moment


@pytest.mark.parametrize("now", ["soon", "2026-02-30", "2026-01-10T99:00"])
def test_a_case_at_no_valid_time_is_refused(now: str) -> None:
    with pytest.raises(Refused, match=r"^case 'c': now is "):
        case_moment(Case(name="c", now=now, fires=True))


def table(packed: str) -> Knowledge:
    return Knowledge(name="health.drugs", version="1", date="2026-01-01", source="a book", note="", packed=packed)


def test_a_table_comes_back_from_its_packed_text() -> None:
    content = {"nuts": ["walnut", "almond"]}
    known = Knowledge.of(content, name="health.drugs", version="1", date="2026-01-01", source="a book", note="")
    assert known == table(known.packed)
    assert known.table == content


def packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?", "A table cannot be read: "),
        (packed(b"no zlib"), "A table cannot be read: "),
        (packed(zlib.compress(b"{")), "A table cannot be read: "),
        (packed(zlib.compress(b"[1, 2]")[:-4]), "A table is truncated or has more than 4,194,304 bytes."),
        (packed(zlib.compress(b" " * 4_194_305)), "A table is truncated or has more than 4,194,304 bytes."),
    ],
)
def test_a_table_that_cannot_be_unpacked_is_refused(text: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        _table = table(text).table
    assert str(refused.value).startswith(why)
