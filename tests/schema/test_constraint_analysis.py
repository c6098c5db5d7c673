"""The analysis of a constraint's code: its inputs, its pace, and the code that is refused."""

import pytest

from support.constraints import code_of
from uac.errors import Refused
from uac.schema.constraints import Pace, read_constraint


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
        ("critical = 1\nreturn []", "line 3: This redefines a name that every constraint has. Choose another."),
        ("now = 1\nreturn []", "line 3: This redefines a name"),
        ("def warning(x):\n    return x\nreturn []", "line 3: This redefines a name"),
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
