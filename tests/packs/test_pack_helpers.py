"""The helpers of a pack: copied into the constraints that import them, and kept in the log with them."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.constraints import Clock, standing
from uac.constraints.try_pack import try_pack
from uac.errors import Refused
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import installed_packs, load_pack, upgrade_patches
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.project.fold import fold_entries
from uac.project.render import render
from uac.sandbox import shared_sandbox
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Constraint, read_constraint
from uac.schema.helper_files import read_helpers
from uac.schema.patches import Adopt

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


# --- in a pack --------------------------------------------------------------------------------------------------------

REVIEW = "constraints/legal_contract_review.py"
CONTRACT = {"name": "Hosting", "review_by": "2026-01-20"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_template(tmp_path / "legal")
    return tmp_path / "legal"


def replaced(folder: Path, file: str, old: str, new: str) -> Pack:
    path = folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return load_pack(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("helpers.py", "def _counted", "def counted", "legal/helpers.py: line 4: Function counted_days is public. Start its name with"),
        (REVIEW, "user.legal.contracts", "user", "legal/constraints/legal_contract_review.py: line 8: user is used as a value"),
        # A name that the helper binds to something else: only the two together are wrong.
        ("helpers.py", "    return f", "    for found in ():\n        return found\n    return f", "legal/constraints/legal_contract_review.py: line 11: The code could change"),
        ("helpers.py", '    return f"', '    lead = []\n    lead.append(1)\n    return f"', "legal/helpers.py: line 7: The code could change an object"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_the_line_of_the_file_that_the_author_wrote(
    folder: Path, file: str, old: str, new: str, why: str
) -> None:
    pack = replaced(folder, file, old, new)
    with pytest.raises(Refused) as refused:
        list(try_pack(pack))
    assert str(refused.value).startswith(why)


def test_a_type_error_is_told_with_the_line_of_the_file_that_the_author_wrote(folder: Path) -> None:
    pack = replaced(folder, REVIEW, "contract.name", "contract.title")
    (why,) = [proof.why for proof in try_pack(pack) if proof.case == "types"]
    assert why.startswith("legal/constraints/legal_contract_review.py: line 13: Object of type")
    replaced(folder, REVIEW, "contract.title", "contract.name")
    pack = replaced(folder, "helpers.py", "if days == 1", "if days == 1 + 'a'")
    (why,) = [proof.why for proof in try_pack(pack) if proof.case == "types"]
    assert why.startswith("legal/helpers.py: line 6: ")
    assert why.endswith("(as legal_contract_review uses it)")


def remembering(log: Log, *packs: Pack) -> Memory:
    return Memory(log, packs=packs, sandbox=shared_sandbox(), clock=Clock())


def test_replay_needs_no_pack_and_a_new_helper_comes_with_an_upgrade(folder: Path) -> None:
    old = load_pack(folder)
    memory = remembering(MemoryStore().log("ana"), old)
    memory.put("legal.Contract", CONTRACT)
    before = memory.project()
    assert "def _counted_days(days):" in before.constraints["legal_contract_review"].constraint.code
    replaced(folder, "helpers.py", "{days} days", "{days} whole days")
    newer = replaced(folder, REVIEW, '"30 days"', '"30 whole days"')
    assert remembering(memory.log).project() == fold_entries(memory.log.read()) == before
    assert upgrade_patches((old,), before) == ()
    assert upgrade_patches((newer,), before) == (Adopt(constraint=newer.constraints[0]),)
    again = remembering(memory.log, newer)
    assert len(again.upgrade()) == 1
    assert standing(again) == [("legal_contract_review", "hosting")]
    assert ["whole days" in alert.message for alert in again.alerts()] == [True]


def test_an_exported_project_runs_its_helpers_with_nothing_installed(folder: Path, tmp_path: Path) -> None:
    memory = remembering(MemoryStore().log("ana"), load_pack(folder))
    memory.put("legal.Contract", CONTRACT)
    files = render(memory.project())
    for name, text in files.items():
        path = tmp_path / "ana" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run = "import runpy; t = runpy.run_path('tests/test_constraints.py'); t['test_legal_contract_review']()"
    subprocess.run([sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, '.'); {run}"], cwd=tmp_path / "ana", check=True)  # fmt: skip
    text = files["constraints/legal_contract_review.py"]
    code = memory.project().constraints["legal_contract_review"].constraint.code
    assert parse_constraint(text, "legal_contract_review", origin="person").code == code


def test_helpers_that_ship_are_used_by_two_constraints_or_more() -> None:
    for pack in installed_packs():
        helpers = read_helpers(pack.helpers)
        for name in helpers.by_name:
            users = [each.name for each in pack.constraints if helpers.by_name[name].text in each.code]
            assert len(users) > 1, f"{pack.name}: {name}: {users}"
