"""Patches: proposed changes of a project, as data. `project/apply_patches.py` checks and applies them."""

from typing import Literal

import msgspec

from uac.schema.constraints import Constraint, Knowledge
from uac.schema.periods import Period
from uac.schema.types import Field, Json, Type

__all__ = [
    "AddField",
    "Adopt",
    "Amend",
    "Approve",
    "ChangeKey",
    "Conversion",
    "Define",
    "Drop",
    "End",
    "Gone",
    "Learn",
    "Merge",
    "MergeTypes",
    "Patch",
    "Put",
    "RenameField",
    "RenameType",
    "Retire",
    "RetireField",
    "RetypeField",
    "SetAside",
    "Sign",
    "SplitType",
    "Switch",
    "describe_patch",
    "op_of",
]

Conversion = Literal["same", "text", "number", "date", "wrap", "first", "money"]
"""How old values are converted: unchanged, to text, a number, a date, a list of one, the first of a list, or money."""


class PatchStruct(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="op", gc=False
):
    """One proposed change; `cites` are the facts (or imported lines) it depends on."""

    cites: tuple[int, ...] = ()


class Put(PatchStruct, frozen=True, kw_only=True, tag="put"):
    """A new record, or more claims for the record with the same key."""

    type: str
    fields: dict[str, Json]
    held: Period = Period()
    field_cites: dict[str, tuple[int, ...]] = {}
    """For fields that do not depend on all of `cites`: those that state the value. Memory sets it."""
    unsure: dict[str, str] = {}
    """Fields whose value code could neither confirm nor refute, and what it read. One that is not in `fields` has no
    value: its words were not understood. Memory sets it."""


class Amend(PatchStruct, frozen=True, kw_only=True, tag="amend"):
    """New values for fields of an existing record."""

    record: str
    fields: dict[str, Json]
    held: Period = Period()
    field_cites: dict[str, tuple[int, ...]] = {}
    """For fields that do not depend on all of `cites`: those that state the value. Memory sets it."""
    unsure: dict[str, str] = {}
    """Fields whose value code could neither confirm nor refute, and what it read. One that is not in `fields` has no
    value: its words were not understood. Memory sets it."""


class End(PatchStruct, frozen=True, kw_only=True, tag="end"):
    """The record no longer holds from that date on: a lease ended, a trip was cancelled, a purchase was returned."""

    record: str
    when: str
    why: str = ""
    """The reason. `cancelled` or `returned` as its first word tells these apart from what was so until then."""


class Drop(PatchStruct, frozen=True, kw_only=True, tag="drop"):
    """The record should never have been there: a mistake, what did not happen after all, or one event told twice."""

    record: str
    why: str


class Merge(PatchStruct, frozen=True, kw_only=True, tag="merge"):
    """Two records of one type are one: the claims of `record` go to `into`, and references to it follow."""

    record: str
    into: str


class SetAside(PatchStruct, frozen=True, kw_only=True, tag="set_aside"):
    """The cited facts become no record, for this reason; `domain` is the one they would belong to."""

    why: str
    domain: str = ""


class Define(PatchStruct, frozen=True, kw_only=True, tag="define"):
    """A new type."""

    type: Type


class AddField(PatchStruct, frozen=True, kw_only=True, tag="add_field"):
    """A new field of a type; existing records get `default`."""

    type: str
    field: Field
    default: Json = None


class RenameField(PatchStruct, frozen=True, kw_only=True, tag="rename_field"):
    """Renames a field; its claims are carried over."""

    type: str
    field: str
    to: str


class RetypeField(PatchStruct, frozen=True, kw_only=True, tag="retype_field"):
    """Changes the type of a field; every claim is converted, or the patch is refused."""

    type: str
    field: str
    to: str
    convert: Conversion = "same"


class RetireField(PatchStruct, frozen=True, kw_only=True, tag="retire_field"):
    """The field is no longer part of the type; its claims stay in the log."""

    type: str
    field: str


class ChangeKey(PatchStruct, frozen=True, kw_only=True, tag="change_key"):
    """Another key for a type; its records are renamed, and references to them follow."""

    type: str
    key: tuple[str, ...]


class RenameType(PatchStruct, frozen=True, kw_only=True, tag="rename_type"):
    """Renames a type and its records, perhaps into another domain."""

    type: str
    to: str


class SplitType(PatchStruct, frozen=True, kw_only=True, tag="split_type"):
    """Records of a type become records of several, by the value of one field: `into` maps its text to type names."""

    type: str
    by: str
    into: dict[str, str]


class MergeTypes(PatchStruct, frozen=True, kw_only=True, tag="merge_types"):
    """Records of several types with the same fields become records of one of them."""

    types: tuple[str, ...]
    into: str


class Adopt(PatchStruct, frozen=True, kw_only=True, tag="adopt"):
    """A new constraint, or a new version of the one with that name."""

    constraint: Constraint


class Retire(PatchStruct, frozen=True, kw_only=True, tag="retire"):
    """The constraint is no longer part of the project, and no pack brings it back."""

    constraint: str
    why: str


class Switch(PatchStruct, frozen=True, kw_only=True, tag="switch"):
    """Turns a constraint off or on again; it stays in the project."""

    constraint: str
    on: bool
    why: str = ""


class Approve(PatchStruct, frozen=True, kw_only=True, tag="approve"):
    """A person has read a constraint that a model wrote."""

    constraint: str
    who: str = ""
    why: str = ""


class Learn(PatchStruct, frozen=True, kw_only=True, tag="learn"):
    """A table that constraints look up values in: new, or a new version of the one with that name."""

    knowledge: Knowledge


class Sign(PatchStruct, frozen=True, kw_only=True, tag="sign"):
    """A person answers for a table as it is: `digest` is the table's SHA-256, so that a changed table is not signed."""

    table: str
    digest: str
    who: str
    why: str


class Gone(PatchStruct, frozen=True, kw_only=True, tag="gone"):
    """Stands in for a patch whose text was erased, so that the others keep their numbers."""


Patch = (
    Put
    | Amend
    | End
    | Drop
    | Merge
    | SetAside
    | Define
    | AddField
    | RenameField
    | RetypeField
    | RetireField
    | ChangeKey
    | RenameType
    | SplitType
    | MergeTypes
    | Adopt
    | Retire
    | Switch
    | Approve
    | Learn
    | Sign
    | Gone
)


def op_of(patch: Patch) -> str:
    return str(type(patch).__struct_config__.tag)


def describe_patch(patch: Patch) -> str:
    op = op_of(patch)
    match patch:
        case Define():
            return f"{op} {patch.type.full_name}"
        case Amend() | End() | Drop():
            return f"{op} {patch.record}"
        case Merge():
            return f"{op} {patch.record} into {patch.into}"
        case SetAside() | Gone():
            return f"{op} {', '.join(map(str, patch.cites))}"
        case MergeTypes():
            return f"{op} {', '.join(patch.types)}"
        case Adopt():
            return f"{op} {patch.constraint.name}"
        case Retire() | Switch() | Approve():
            return f"{op} {patch.constraint}"
        case Learn():
            return f"{op} {patch.knowledge.name}"
        case Sign():
            return f"{op} {patch.table}"
        case _:
            return f"{op} {patch.type}"
