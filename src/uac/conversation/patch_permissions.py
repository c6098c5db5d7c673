"""Which patches a model may propose: outside text must not remove what the user said, nor redefine a pack's types."""

from collections.abc import Mapping, Sequence

from uac.conversation.checks.field_support import names_both, supporting_text, supports_name
from uac.conversation.checks.wording import is_latin
from uac.conversation.patch_values import PatchContext, amended_record, record_put_to, texts_in
from uac.conversation.propose import FactInBatch
from uac.conversation.relevant_constraints import constraint_words, is_about_constraint
from uac.errors import Refused
from uac.project.claims import AUTHORITIES, claim_trust
from uac.project.project import Project, Record
from uac.project.records import OWNER_FIELDS, record_trust
from uac.project.valid_days import END_FIELDS, states_own_end
from uac.schema.patches import (
    AddField,
    Amend,
    ChangeKey,
    Define,
    Drop,
    End,
    Merge,
    Patch,
    Put,
    RenameField,
    Retire,
    RetireField,
    RetypeField,
)
from uac.schema.types import Json
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["USERS_WORD", "check_permission"]

USERS_WORD = ("user", "correction")
_NAME = lazy_pattern(r"(?<=[\w,] )[A-Z]\w{2,}")
"""A word with a capital letter inside a text."""


def check_permission(patch: Patch, cited: Sequence[FactInBatch], context: PatchContext) -> None:
    """Refuse what outside text must not do through a model: remove what the user said, or redefine a pack's types."""
    project, offered = context.project, context.offered
    match patch:
        case End(record=record_id):
            _check_removal(record_id, cited, project, is_name_enough=True)
        case Drop(record=record_id):
            _check_removal(record_id, cited, project)
        case Put() if (known := record_put_to(patch, context)) is not None:
            _check_addition(known, patch.fields, cited, project)
        case Amend() if (known := amended_record(project, patch.record)) is not None:
            _check_addition(known, patch.fields, cited, project)
        case Merge():
            _check_merge(patch, cited, project)
        case Retire():
            _check_retirement(patch.constraint, cited, context)
        case Define(type=type_) if type_.full_name in offered and type_.full_name not in project.types:
            raise Refused(f"{type_.full_name} is a pack's type. Put a record of it; the type is added automatically.")
        case AddField(default=default) if default is not None:
            raise Refused("default is a value that no fact states. Leave it out.")
        case RenameField() | RetypeField() | RetireField():
            packed = offered.get(patch.type)
            if packed is not None and packed.field(patch.field) is not None:
                raise Refused(f"{patch.type}.{patch.field} is a pack's field. Keep it; add_field adds another.")
            _check_type_change(patch.type, cited, project)
        case ChangeKey():
            if patch.type in offered:
                raise Refused(f"{patch.type} is a pack's type. Keep its key.")
            _check_type_change(patch.type, cited, project)
        case _:
            pass


def _check_type_change(type_name: str, cited: Sequence[FactInBatch], project: Project) -> None:
    """Change a type that has records only for a new fact that is trusted as much as they are."""
    records = project.tables.get(type_name, {}).values()
    needed = max((record_trust(record) for record in records), default=0)
    if records and not any(claim_trust(item.fact.authority) >= needed for item in cited):
        raise Refused(
            f"{type_name} has records with the authority of the {AUTHORITIES[needed]}."
            " Cite the new fact with that authority for which the type is to change."
        )


def _check_removal(
    record_id: str, cited: Sequence[FactInBatch], project: Project, *, is_name_enough: bool = False
) -> None:
    """End or drop a record only if a cited fact is about it and is trusted as much as the record.

    For an end, a name in the record is enough: "bought Vreni a present" ends "send Vreni something for her birthday".
    """
    try:
        record = project.record(record_id)
    except Refused:
        return  # refused later, by the checkpoint
    needed = record_trust(record)
    # Only new facts count: what was said long ago does not end a record.
    enough = [supporting_text(item.fact) for item in cited if claim_trust(item.fact.authority) >= needed]
    if not enough:
        raise Refused(
            f"{record_id} has the authority of the {AUTHORITIES[needed]}, and the cited facts have less."
            " Set the fact aside, or amend a field."
        )
    texts = [text for value in record.values.values() for text in texts_in(value)]
    is_comparable = bool(texts) and all(is_latin(text) for text in (*texts, *enough))
    about = [*texts, *(name for text in texts for name in _NAME.findall(text))] if is_name_enough else texts
    if is_comparable and not any(supports_name(words, text) for words in enough for text in about):
        raise Refused(
            f"No cited fact with the authority of the {AUTHORITIES[needed]} is about {record_id}."
            " Cite the one that says so, or set the fact aside."
        )


def _check_addition(record: Record, fields: Mapping[str, Json], cited: Sequence[FactInBatch], project: Project) -> None:
    """Say that a record is somebody else's, or is over, only on a word that is trusted as much as the record: both
    would take it out of the rules about the user."""
    needed = record_trust(record)
    if not cited or any(claim_trust(item.fact.authority) >= needed for item in cited):
        return
    today = max(item.said.date() for item in cited)
    has_end = states_own_end(project.types[record.type])
    for name, value in fields.items():
        if value is None or record.values.get(name) is not None:
            continue  # the stronger value stays
        end = str(value)[:10]  # a day, a month or a year
        is_over = has_end and name in END_FIELDS and end < today.isoformat()[: len(end)]
        if is_over or name in OWNER_FIELDS:
            raise Refused(
                f"{record.id} has the authority of the {AUTHORITIES[needed]}, and the cited facts have less: they"
                f" cannot set its {name}. Leave it out, or set the fact aside."
            )


def _check_merge(patch: Merge, cited: Sequence[FactInBatch], project: Project) -> None:
    """Merge two records only if a new fact names both apart from each other, and is trusted as much as they are."""
    for record_id in (patch.record, patch.into):
        _check_removal(record_id, cited, project)
    first, second = (record_id.partition(":")[2] for record_id in (patch.record, patch.into))
    needed = max(record_trust(project.record(record_id)) for record_id in (patch.record, patch.into))
    stated = (item.fact for item in cited if claim_trust(item.fact.authority) >= needed and not item.fact.according_to)
    texts = [text for fact in stated for text in (fact.text, *(citation.quote for citation in fact.cites))]
    if not any(names_both(text, first, second) for text in texts):
        raise Refused(
            f"No new fact of the user says that {patch.record} and {patch.into} are one, with both names."
            " Leave both: the user is asked."
        )


def _check_retirement(name: str, cited: Sequence[FactInBatch], context: PatchContext) -> None:
    """Retire a rule of the user's own only for a new fact about it that is the user's own word."""
    adopted = context.project.constraints.get(name)
    if adopted is None:
        raise Refused(f"There is no constraint {name}. Use the name of one in `constraints`.")
    if adopted.constraint.origin != "model" or adopted.is_reviewed:
        raise Refused(f"Only a person can retire {name} ('uac constraints retire'). Set the fact aside.")
    stated = [item.fact for item in cited if item.fact.authority in USERS_WORD and not item.fact.according_to]
    if not stated:
        raise Refused(f"No new fact in which the user takes {name} back is cited. Cite it, or set the fact aside.")
    words = constraint_words(adopted, lambda position: found.fact if (found := context.earlier(position)) else None)
    if not any(is_about_constraint(fact, words) for fact in stated):
        raise Refused(f"No cited fact is about {name}. Cite the one that takes it back, or set the fact aside.")
