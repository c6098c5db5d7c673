"""A pack is tried out with every check of an adoption."""

from pathlib import Path

import pytest

from uac.constraints.proof import Proof
from uac.constraints.try_pack import try_pack, try_pack_project
from uac.errors import Rejected
from uac.packs import load_pack
from uac.packs.template import write_template

RULE = "constraints/legal_contract_review.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_template(tmp_path / "legal")
    return tmp_path / "legal"


def replace(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_the_template_passes_and_a_filter_selects_constraints_by_name(folder: Path) -> None:
    pack = load_pack(folder)
    assert {proof.why for proof in try_pack(pack)} == {""}
    assert list(try_pack(pack, only="nothing_of_that_name")) == []


def test_a_constraint_whose_cases_do_not_fit_the_types_is_refused_before_it_runs(folder: Path) -> None:
    replace(folder / RULE, "legal.Contract(", "legal.Agreement(")
    (proof,) = try_pack(load_pack(folder))
    assert (proof.constraint, proof.case) == ("legal_contract_review", "the door")
    assert "legal.Agreement" in proof.why


def test_a_type_error_is_reported_with_its_file(folder: Path) -> None:
    replace(folder / RULE, "contract.name", "contract.title")
    found = [proof for proof in try_pack(load_pack(folder)) if proof.case == "types"]
    assert [type(proof) for proof in found] == [Proof]
    assert found[0].why.startswith(f"legal/{RULE}: line ")


def test_types_that_contradict_each_other_are_rejected(folder: Path) -> None:
    replace(folder / "types.py", "name: str", "name: nowhere.Person")
    with pytest.raises(Rejected, match=r"nowhere\.Person"):
        try_pack_project(load_pack(folder))
