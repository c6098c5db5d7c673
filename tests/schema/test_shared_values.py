"""Types, constraints and tables that many logs have in common exist once in a process, and only while they are used."""

import weakref

import msgspec
import pytest

from uac.errors import Damaged
from uac.schema import Adopt, Case, Checkpoint, Constraint, Define, Field, Given, Knowledge, Learn, Put, Type
from uac.schema.entries import decode, encode
from uac.schema.shared_values import CONSTRAINT_DECODER, RECENT, decode_shared
from uac.schema.word_caches import forget_cached_words

DOC = "a text that is long enough to be worth a search for its value " * 4
TRIP = Type(domain="travel", name="Trip", doc=DOC, key=("to",), fields=(Field(name="to", type="str"),))
TABLE = Knowledge.of({"a": DOC}, name="travel.visas", version="1", date="2026-01-01", source="a list", note=DOC)


def rule(name: str, value: object = 1) -> Constraint:
    given = Given(type="travel.Trip", fields={"to": value})
    return Constraint(
        name=name, code=DOC, cases=(Case(name="one", now="2026-01-01", fires=True, given=(given,)),), origin="pack"
    )


CHECKPOINT = Checkpoint(
    patches=(
        Define(type=TRIP),
        Put(type="travel.Trip", fields={"to": "Rome"}),
        Adopt(constraint=rule("late")),
        Learn(knowledge=TABLE),
    ),
    by="packs",
    is_unwatched=True,
)


def read(checkpoint: Checkpoint) -> Checkpoint:
    found = decode(encode(checkpoint).decode())
    assert isinstance(found, Checkpoint)
    return found


def shared(checkpoint: Checkpoint) -> list[object]:
    """The types, constraints and tables of a checkpoint."""
    return [
        getattr(patch, name)
        for patch in checkpoint.patches
        for name in ("type", "constraint", "knowledge")
        if isinstance(patch, Define | Adopt | Learn) and hasattr(patch, name)
    ]


def test_a_checkpoint_with_shared_values_is_the_one_that_was_stored() -> None:
    assert read(CHECKPOINT) == CHECKPOINT
    assert encode(read(CHECKPOINT)) == encode(CHECKPOINT)


def test_every_field_of_a_checkpoint_is_tried_above() -> None:
    values = msgspec.structs.asdict(CHECKPOINT)
    assert [field.name for field in msgspec.structs.fields(Checkpoint) if values[field.name] == field.default] == []


def test_two_logs_share_what_their_checkpoints_have_in_common() -> None:
    one, other = shared(read(CHECKPOINT)), shared(read(CHECKPOINT))
    assert len(one) == 3
    assert [mine is yours for mine, yours in zip(one, other, strict=True)] == [True, True, True]


def test_values_that_are_equal_but_written_differently_are_not_shared() -> None:
    whole, fraction = (read(Checkpoint(patches=(Adopt(constraint=rule("late", value)),))) for value in (1, 1.0))
    assert whole == fraction
    assert shared(whole)[0] is not shared(fraction)[0]
    assert b'"to":1.0' in encode(fraction)


def test_a_patch_that_cites_facts_is_not_shared_and_keeps_its_citations() -> None:
    cited = Checkpoint(patches=(Define(type=TRIP, cites=(3,)), Adopt(constraint=rule("late"), cites=(4,))))
    assert read(cited) == cited


def test_a_shared_value_is_gone_with_the_last_checkpoint_that_has_it() -> None:
    one, other = read(CHECKPOINT), read(CHECKPOINT)
    constraint = weakref.ref(shared(one)[1])
    forget_cached_words()
    del one
    assert constraint() is not None
    del other
    assert constraint() is None


def test_only_the_last_few_values_are_kept_without_a_project() -> None:
    first = weakref.ref(decode_shared(encode_rule("first"), CONSTRAINT_DECODER))
    for number in range(RECENT - 1):
        decode_shared(encode_rule(f"rule_{number}"), CONSTRAINT_DECODER)
    assert first() is not None
    decode_shared(encode_rule("last"), CONSTRAINT_DECODER)
    assert first() is None


def encode_rule(name: str) -> bytes:
    return msgspec.json.encode(rule(name))


@pytest.mark.parametrize(
    "body",
    [
        '{"kind":"checkpoint","patches":[{"op":"define","type":{"domain":"travel"}}]}',
        '{"kind":"checkpoint","patches":[{"op":"define","type":{},"more":1}]}',
        '{"kind":"checkpoint","patches":[{"op":"adopt","constraint":{}}],"more":1}',
        '{"kind":"checkpoint","patches":[{"op":"adopt","constraint":{',
        '{"kind":"checkpoint","patches":[{"op":"learn","knowledge":"' + DOC + '"}]}',
    ],
)
def test_a_damaged_body_with_shared_values_is_damage(body: str) -> None:
    with pytest.raises(Damaged):
        decode(body + " " * 200)
