"""The helpers of a pack: errors name their file and line, and the log keeps them with the constraints."""

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
from uac.schema.helper_files import read_helpers
from uac.schema.patches import Adopt

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
