"""Names that are not there: what a refusal proposes instead, in the library, over HTTP and in commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.cli import uac
from support.http_service import app_over, inside
from uac import Memory
from uac.errors import Rejected
from uac.log.stores.in_memory import MemoryStore
from uac.packs import installed_packs
from uac.project.type_suggestions import similar_type_names
from uac.schema.patches import Put

KNOWN = sorted(type_.full_name for pack in installed_packs() for type_ in pack.types)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("finance.Acount", "There is no type finance.Acount. Did you mean finance.Account?"),
        ("Acount", "There is no type Acount. Did you mean finance.Account?"),
        ("health.allergies", "There is no type health.allergies. Did you mean health.Allergy?"),
        ("trips.Trip", "There is no type trips.Trip. Did you mean travel.Trip?"),
        ("finance.Zebra", "There is no type finance.Zebra. Define it first."),
        ("", "There is no type . Define it first."),
    ],
)
def test_a_type_that_a_pack_has_under_another_name_is_proposed(typed: str, told: str) -> None:
    memory = Memory(MemoryStore().log("ben"))
    with pytest.raises(Rejected) as refused:
        memory.put(typed, {"name": "x"})
    assert refused.value.reasons == (f"patch 1 (put {typed}): {told}",)
    assert str(refused.value) == refused.value.reasons[0]


def test_a_checkpoint_proposes_types_of_the_project_too_and_several_reasons_stand_below_each_other() -> None:
    memory = Memory(MemoryStore().log("ben"), packs=())
    words = memory.add("My car is red")
    wrong = Put(type="garage.Carr", fields={"colour": "red"}, cites=(words,))
    with pytest.raises(Rejected) as refused:
        memory.checkpoint([wrong, wrong])
    first, second = (f"patch {n} (put garage.Carr): There is no type garage.Carr. Define it first." for n in (1, 2))
    assert str(refused.value) == f"the checkpoint was refused\n  {first}\n  {second}"


@given(st.sampled_from(KNOWN), st.data())
def test_a_name_with_one_letter_too_few_or_too_many_finds_its_type(name: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(name) - 1).filter(lambda place: name[place] != "."))
    for typed in (name[:place] + name[place + 1 :], name[:place] + "x" + name[place:]):
        if typed.partition(".")[0] and typed.partition(".")[2]:
            assert name in similar_type_names(typed, KNOWN)


@given(st.text(max_size=20))
def test_what_is_proposed_is_always_known_and_never_much(typed: str) -> None:
    found = similar_type_names(typed, KNOWN)
    assert set(found) <= set(KNOWN)
    assert len(found) <= 3


def test_the_service_and_the_command_say_the_same(store: object) -> None:
    reason = "patch 1 (put finance.Acount): There is no type finance.Acount. Did you mean finance.Account?"
    with inside(app_over(MemoryStore())) as client:
        told = client.post("/v1/users/ben/records", json={"type": "finance.Acount", "fields": {"name": "x"}})
        assert told.json() == {"title": "Rejected", "status": 422, "detail": reason, "reasons": [reason]}
    refused = uac("put", "ben", "finance.Acount", "name=x")
    assert (refused.exit_code, refused.stdout, refused.stderr) == (3, "", f"Rejected: {reason}\n")
