"""The files of a pack: the template, and what is refused with its file and its line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.constraints import standing
from support.packs import CONTRACT, remembering
from uac.constraints.try_pack import try_pack
from uac.errors import Refused
from uac.packs import (
    load_pack,
    offered_constraints,
)
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.project.project import EMPTY_PROJECT
from uac.sandbox.port import Sandbox


def test_the_template_passes_its_own_test(legal: Pack, sandbox: Sandbox) -> None:
    proofs = list(try_pack(legal, sandbox=sandbox))
    assert [(proof.case, proof.why) for proof in proofs] == [
        ("thirty days ahead", ""),
        ("thirty-one days ahead", ""),
        ("the contract has ended", ""),
    ]


@pytest.mark.parametrize("name", ["Legal", "class", "user", "my-pack", "health.x", "1st", "critical", "now"])
def test_the_template_needs_a_name_that_a_domain_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused):
        write_template(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_template_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "legal").mkdir()
    (tmp_path / "legal" / "mine.txt").write_text("mine")
    with pytest.raises(Refused, match=r"is not empty\. Choose a new folder\."):
        write_template(tmp_path / "legal")
    assert [path.name for path in (tmp_path / "legal").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("place", "change", "why"),
    [
        ("pack.toml", lambda _text: "", "pack.toml: name is missing. Add it as a text."),
        ("pack.toml", lambda _text: "name = [", "pack.toml: "),
        ("types.py", lambda text: text + "\nimport os\n", "legal/types.py:14: Only classes are allowed."),
        ("types.py", lambda text: text.replace('@many("name")', "@print"), "Class Contract has no cardinality. Put @many(key, …), @one or @event above it."),
        ("types.py", lambda text: text.replace("date | None", "object"), "legal/types.py"),
        ("types.py", lambda text: text.replace("signed: date | None", "signed: date = None"), "Not a field. Write `name: type`"),
        ("types.py", lambda _text: "class (", "types.py: "),
        ("knowledge/rules.json", lambda _text: "{}", "legal/knowledge/rules.json: "),
        ("knowledge/rules.json", lambda text: text.replace("what they do not cover", ""), "legal/knowledge/rules.json: a key is missing, unknown or empty. Give name, version, date, source, note as texts, and table."),
        ("constraints/legal_contract_review.py", lambda _text: "x = 1\n", "legal/constraints/legal_contract_review.py: legal_contract_review: The cases are missing."),
        ("constraints/legal_contract_review.py", lambda text: text.replace("user.legal.contracts", "user"), "legal/constraints/legal_contract_review.py: line 8: user is used as a value"),
    ],
)  # fmt: skip
def test_a_pack_that_is_wrong_is_refused_with_its_file(
    tmp_path: Path, place: str, change: Callable[[str], str], why: str
) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / place
    path.write_text(change(path.read_text()))
    with pytest.raises(Refused) as refused:
        list(try_pack(load_pack(tmp_path / "legal")))
    assert why in str(refused.value)


def test_a_folder_without_a_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"is not a pack\. Add a pack\.toml with name, version, date and summary\."):
        load_pack(tmp_path)


def test_a_wrong_case_and_a_wrong_type_of_a_pack_are_told_by_its_test(tmp_path: Path, sandbox: Sandbox) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    text = path.read_text()
    path.write_text(text.replace('silent(\n        "thirty-one', 'fires(\n        "thirty-one'))
    proofs = [proof for proof in try_pack(load_pack(tmp_path / "legal"), sandbox=sandbox) if proof.why]
    assert [(proof.case, proof.why) for proof in proofs] == [("thirty-one days ahead", "should fire, but stays silent")]
    path.write_text(text.replace("contract.name", "contract.title"))
    proofs = [proof for proof in try_pack(load_pack(tmp_path / "legal"), sandbox=sandbox) if proof.why]
    assert proofs[0].case == "types"
    assert "has no attribute title" in proofs[0].why


def test_a_chain_that_is_written_over_several_lines_is_seen_by_a_pack_too(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    path.write_text(
        path.read_text().replace("in user.legal.contracts:", "in (\n        user.legal\n        .contracts\n    ):")
    )
    memory = remembering(load_pack(tmp_path / "legal"))
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_broken_file_of_a_pack_does_not_keep_the_users_records_out(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    (tmp_path / "legal" / "constraints" / "legal_other.py").write_text("user.legal.contracts is no constraint\n")
    memory = remembering(load_pack(tmp_path / "legal"))
    memory.put("legal.Contract", CONTRACT)
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_broken_file_of_a_pack_is_offered_with_its_reason(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    (tmp_path / "legal" / "constraints" / "legal_other.py").write_text("nothing\n")
    offers = {offer.name: offer for offer in offered_constraints([load_pack(tmp_path / "legal")], EMPTY_PROJECT)}
    assert offers["legal_contract_review"].why_not == ""
    assert offers["legal_other"].constraint is None
    assert offers["legal_other"].why_not.startswith("legal/constraints/legal_other.py: ")
