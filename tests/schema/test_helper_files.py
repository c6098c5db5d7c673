"""The helpers of a pack: read from their file, and copied into the constraints that import them."""

import pytest

from uac.errors import Refused
from uac.schema.constraint_code import read_constraint
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Constraint
from uac.schema.helper_files import read_helpers

HELPERS = '''\
"""What the constraints share."""

from math import ceil

# A week of this length.
WEEK = 7


def _weeks(days):
    """Whole weeks."""
    return ceil(days / WEEK)


def _in_weeks(day, now):
    return f"in {_weeks(days_until(day, now))} weeks"


def _table():
    return knowledge("legal.rules")
'''
RULE = '''\
from ..helpers import _in_weeks


def rule(user, now):
    """A contract ends."""
    return [info(_in_weeks(one.review_by, now), one) for one in user.legal.contracts]


CASES = [silent("nothing", date(2026, 1, 1))]
'''
LINKED = '''\
def rule(user, now):
    """A contract ends."""
    return [info(_in_weeks(one.review_by, now), one) for one in user.legal.contracts]


from math import ceil


# A week of this length.
WEEK = 7


def _weeks(days):
    """Whole weeks."""
    return ceil(days / WEEK)


def _in_weeks(day, now):
    return f"in {_weeks(days_until(day, now))} weeks"
'''


def linked(rule: str = RULE, helpers: str = HELPERS) -> Constraint:
    return parse_constraint(rule, "rule", origin="pack", pack="legal 1", helpers=read_helpers(helpers))


def test_a_constraint_gets_the_helpers_that_it_imports_and_those_that_they_use_and_no_others() -> None:
    constraint = linked()
    assert constraint.code == LINKED
    reading = read_constraint("rule", constraint.code)
    assert (reading.reads, reading.knows, reading.pace) == (("legal.contracts",), (), "known")


def test_the_tables_that_a_helper_looks_up_are_those_of_the_constraint() -> None:
    rule = RULE.replace("_in_weeks\n", "_in_weeks, _table\n").replace("_in_weeks(one", "str(_table()) + _in_weeks(one")
    assert read_constraint("rule", linked(rule).code).knows == ("legal.rules",)


def test_a_constraint_without_helpers_keeps_its_text() -> None:
    rule = RULE.partition("\n\n\n")[2].replace("_in_weeks(one.review_by, now)", "one.name")
    assert linked(rule).code == rule[: rule.index("\n\n\nCASES")] + "\n"


@pytest.mark.parametrize(
    ("rule", "helpers", "why"),
    [
        (RULE, "", "rule: line 1: Only a pack with a helpers.py can import. Copy the functions in here."),
        (RULE.replace("import _in_weeks", "import _in_years"), HELPERS, "rule: line 1: helpers.py does not have '_in_years'. Write `from ..helpers import …` with some of: ceil, WEEK, _weeks, _in_weeks, _table."),
        (RULE.replace("import _in_weeks", "import _in_weeks as _when"), HELPERS, "rule: line 1: helpers.py does not have '_in_weeks as _when'."),
        (RULE.replace("import _in_weeks", "import *"), HELPERS, "rule: line 1: helpers.py does not have '*'."),
        (RULE.replace("..helpers", "..other"), HELPERS, "rule: line 1: helpers.py does not have '_in_weeks'."),
        (RULE.replace("import _in_weeks", "import _in_weeks, _table"), HELPERS, "rule: line 1: _table is imported and not used. Remove it from the import."),
        (RULE.replace("\n\n\nCASES", "\n\n\nWEEK = 5\n\n\nCASES"), HELPERS, "rule: line 9: WEEK is a helper of the pack too. Rename it here."),
    ],
)  # fmt: skip
def test_an_import_that_cannot_be_followed_is_refused_with_its_line(rule: str, helpers: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        linked(rule, helpers)
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    ("helpers", "why"),
    [
        ("def helper():\n    return 1\n", "line 1: Function helper is public. Start its name with an underscore."),
        ("def _a(:\n", "line 1"),
        ("SEEN = open('x')\n", "line 1: The constant is computed. Write a plain value"),
        ("import os\n", "line 1: The module os is imported whole"),
        ("from os import path\n", "line 1: path cannot be imported from os"),
        ("class A:\n    x = 1\n", "line 1: Only functions and constants are allowed at the top level."),
        ("def _a(xs):\n    xs.append(1)\n", "line 2: The code could change an object that it did not create"),
        ("SEEN = []\n\n\ndef _a(x):\n    SEEN.append(x)\n", "line 5: The code could change an object that it did not create"),
        ("def _a():\n    return date.today()\n", "line 2: The code asks the clock"),
        ("def _a():\n    return [t for t in user.travel.trips]\n", "line 2: A helper cannot use `user`. Pass it the records"),
        ("def _a(user):\n    return 1\n", "line 1: A helper cannot use `user`."),
        ("def _a(x):\n    return days_until(x, now)\n", "A helper uses `now` without having it. Add `now` to its arguments"),
        ("def _a(words):\n    return 1\n", "line 1: An argument is named words"),
        ("def _a(x):\n    return print(x)\n", "line 2: print is not defined"),
        ("def _a(x):\n    return knowledge(x)\n", 'line 2: The name of a table is not a literal. Write knowledge("name").'),
        ("def _a(x):\n    return x.__class__\n", "line 2: .__class__ leads beyond the constraint."),
        ("A = 1\n\n\nA = 2\n", "line 4: A is defined twice. Rename or remove one."),
        ("A = 1; B = 2\n", "line 1: Two definitions are on one line. Put each on a line of its own."),
        ("def _a(x):\n    return x  # type: ignore\n", "The code switches the type checker off"),
    ],
)  # fmt: skip
def test_helpers_keep_to_what_a_constraint_may_do(helpers: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_helpers(helpers)
    assert str(refused.value).startswith(why)
