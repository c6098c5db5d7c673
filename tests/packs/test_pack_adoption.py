"""What a pack offers comes in when it is first used."""

from pathlib import Path
from typing import Any

import pytest

from support.constraints import standing
from support.packs import CONTRACT, PACKS, remembering
from support.short_logs import type_of
from uac.errors import Refused
from uac.packs import (
    is_from_packs,
    load_pack,
    needed_patches,
    offered_constraints,
)
from uac.packs.files import Pack
from uac.packs.template import write_template
from uac.project.apply_patches import check_patches
from uac.project.diff import Change
from uac.project.project import EMPTY_PROJECT
from uac.schema.entries import Checkpoint
from uac.schema.patches import AddField, Adopt, Define, Learn, Retire
from uac.schema.types import Field, Type


def test_types_tables_and_constraints_of_a_pack_are_adopted_when_first_used(legal: Pack) -> None:
    memory = remembering(legal)
    assert memory.project() == EMPTY_PROJECT
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [("legal_contract_review", "")]
    memory.put("legal.Contract", CONTRACT)
    (brought,) = [
        stored.entry
        for stored in memory.log.read()
        if isinstance(stored.entry, Checkpoint) and stored.entry.by == "packs"
    ]
    assert brought.patches == (
        Learn(knowledge=legal.knowledge[0]),
        Define(type=legal.types[0]),
        Adopt(constraint=legal.constraints[0]),
    )
    assert (standing(memory), memory.offers()) == ([("legal_contract_review", "hosting")], [])
    head = memory.log.head().position
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2030-01-01"})
    assert [stored.kind for stored in memory.log.read(head + 1)] == ["observation", "checkpoint"]


def test_records_that_are_refused_bring_nothing_along(legal: Pack) -> None:
    memory = remembering(legal)
    with pytest.raises(Refused):
        memory.put("legal.Contract", {"name": "Hosting", "review_by": "soon"})
    assert memory.log.head().position == 0


def own_type(**fields: Any) -> Type:
    return type_of("legal.Contract", key=["name"], **fields)


@pytest.mark.parametrize(
    ("own", "why"),
    [
        (
            own_type(name="str", review_by="date"),
            "legal.Contract does not have the field signed: date | None. Add it to use the constraint.",
        ),
        (
            own_type(name="str", signed="date | None", review_by="str", limits="list[str]"),
            "legal.Contract does not have the field review_by: date. Add it to use the constraint.",
        ),
        (
            type_of(
                "legal.Contract",
                cardinality="event",
                name="str",
                signed="date | None",
                review_by="date",
                limits="list[str]",
            ),
            "legal.Contract has a different key, cardinality or collection in the pack.",
        ),
    ],
)
def test_a_type_of_the_users_own_that_does_not_serve_leaves_the_constraint_on_offer_with_the_reason(
    legal: Pack, own: Type, why: str
) -> None:
    memory = remembering(legal)
    memory.checkpoint([Define(type=own)])
    memory.put("legal.Contract", {"name": "Hosting", "review_by": "2026-01-20"})
    assert dict(memory.project().constraints) == {}
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [("legal_contract_review", why)]


def test_a_type_that_the_user_extended_serves(legal: Pack) -> None:
    memory = remembering(legal)
    memory.checkpoint(
        [
            Define(
                type=own_type(name="str", signed="date | None", review_by="date", limits="list[str]", fee="int | None")
            )
        ]
    )
    memory.put("legal.Contract", {**CONTRACT, "fee": 3})
    assert standing(memory) == [("legal_contract_review", "hosting")]


def test_a_type_can_be_extended_after_it_came_from_a_pack(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    memory.checkpoint([AddField(type="legal.Contract", field=Field(name="fee", type="int | None"))])
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2026-01-21", "fee": 3})
    assert [subject for _name, subject in standing(memory)] == ["hosting", "lease"]
    assert memory.upgrade() == ()


def test_a_retired_constraint_does_not_come_back_by_itself(legal: Pack) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    memory.checkpoint([Retire(constraint="legal_contract_review", why="not for me")], reviewed=True)
    memory.put("legal.Contract", {"name": "Lease", "review_by": "2026-01-21"})
    assert (standing(memory), memory.upgrade()) == ([], ())
    assert [(offer.name, offer.why_not) for offer in memory.offers()] == [
        ("legal_contract_review", "It was retired. Retract that entry to bring it back.")
    ]
    memory.adopt(legal.constraints[0])
    assert [subject for _name, subject in standing(memory)] == ["hosting", "lease"]


def test_no_packs_means_that_their_types_are_not_there() -> None:
    memory = remembering()
    with pytest.raises(Refused, match=r"There is no type health\.Allergy"):
        memory.put("health.Allergy", {"substance": "nuts"})


def test_a_constraint_that_cannot_be_proved_here_stays_away_and_the_record_comes_in(tmp_path: Path) -> None:
    write_template(tmp_path / "legal")
    path = tmp_path / "legal" / "constraints" / "legal_contract_review.py"
    path.write_text(path.read_text().replace('silent(\n        "thirty-one', 'fires(\n        "thirty-one'))
    memory = remembering(load_pack(tmp_path / "legal"))
    assert memory.put("legal.Contract", CONTRACT) == "legal.Contract:hosting"
    assert dict(memory.project().constraints) == {}


def test_what_is_needed_depends_on_what_is_used_only(legal: Pack) -> None:
    assert needed_patches((*PACKS, legal), EMPTY_PROJECT, {"people.Nobody"}) == ()
    patches = needed_patches((*PACKS, legal), EMPTY_PROJECT, {"legal.Contract"})
    assert len(patches) == 3
    assert not isinstance(check_patches(EMPTY_PROJECT, patches), tuple)
    assert offered_constraints((legal,), EMPTY_PROJECT)[0].constraint == legal.constraints[0]


@pytest.mark.parametrize(
    ("change", "is_from"),
    [
        (Change("type", "added", "legal.Contract"), True),
        (Change("type", "added", "notes.Note"), False),
        (Change("type", "removed", "legal.Contract"), False),
        (Change("constraint", "added", "legal_contract_review"), True),
        (Change("constraint", "added", "unknown"), False),
        (Change("record", "added", "legal.Contract:hosting"), False),
    ],
)
def test_an_added_type_or_constraint_is_known_to_come_from_a_pack(legal: Pack, change: Change, is_from: bool) -> None:
    memory = remembering(legal)
    memory.put("legal.Contract", CONTRACT)
    assert is_from_packs(change, [legal], memory.project()) == is_from
