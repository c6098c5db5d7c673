"""The patches read from a reply to a checkpoint request: each must follow from the facts and records it cites."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from uac.conversation.moved_events import with_moved_end, without_old_end
from uac.conversation.patch_permissions import USERS_WORD, check_permission
from uac.conversation.patch_values import (
    PatchContext,
    amended_record,
    check_end_day,
    check_near_record,
    check_repeated_event,
    check_subject,
    check_values,
    current_claims,
    patched_type,
    record_put_to,
    usual_currency,
)
from uac.conversation.plain_patches import plain_patch_item, with_plain_values, with_whole_days
from uac.conversation.propose import OPS, FactInBatch
from uac.conversation.reply_items import ReplyItems, read_reply_items
from uac.conversation.unsure_values import (
    not_understood,
    with_usual_currency,
    without_said_as,
)
from uac.errors import Refused
from uac.packs import Pack
from uac.project.claims import Claim
from uac.project.project import Project, Record
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import Finding
from uac.schema.patches import (
    AddField,
    Adopt,
    Amend,
    Define,
    Drop,
    End,
    Merge,
    Patch,
    Put,
    Retire,
    SetAside,
)
from uac.schema.safe_text import shorten
from uac.schema.types import Json, Type, field_types
from uac.schema.values import dump_value

__all__ = ["Proposal", "read_patches"]

MAX_WHY_CHARACTERS = 400


class Proposal(NamedTuple):
    """The patches of a reply, and findings on items that are invalid or do not follow from the facts."""

    patches: tuple[Patch, ...]
    parts: tuple[int, ...] = ()
    """The number of each patch's item in the reply, from 1: patches, then constraints."""
    refused: tuple[Finding, ...] = ()
    problem: str = ""
    """Why the whole reply is unusable."""
    unfit: tuple[Patch, ...] = ()
    """The refused items that could be read: what depends on them is held back."""
    is_cut: bool = False
    """Whether the reply ends early."""
    loose: tuple[int, ...] = ()
    """The facts of its last complete item, if the reply ends early: more may be said of them."""


def read_patches(
    reply: str,
    batch: Sequence[FactInBatch],
    *,
    project: Project,
    packs: Sequence[Pack] = (),
    earlier: Callable[[int], FactInBatch | None] = lambda _position: None,
    request_records: Sequence[Record] | None = (),
    insists: bool = False,
    is_last: bool = False,
    given_before: Sequence[Any] = (),
) -> Proposal:
    """The patches of a reply whose values follow from the facts they cite; `earlier` finds facts of other batches.
    Names in `request_records`, those that the request shows, may be used; None if it shows none, however near.

    An event that resembles an existing one is sent back once, and so is a record that was not shown; `insists` is True
    if that has been done. So is a patch
    of a record that its facts do not name, unless it is among the items `given_before`. If the facts are not asked
    about again (`is_last`), a patch is taken without the fields that do not follow.
    """
    try:
        found = read_reply_items(reply, "patches", "constraints")
    except Refused as error:
        return Proposal((), problem=str(error))
    items, files = ([*map(plain_patch_item, listed)] for listed in found.lists)
    facts = {item.position: item for item in batch}
    offered = {type_.full_name: type_ for pack in packs for type_ in pack.types}
    types = offered | dict(project.types)
    context = PatchContext(facts, earlier, project, offered, types, request_records, insists, is_last)
    patches: dict[int, Patch] = {}
    refused: list[Finding] = []
    unfit: list[Patch] = []
    proposed: list[Put] = []
    before = [*map(plain_patch_item, given_before)]
    for part, item in _names_first([*items, *files], types):
        patch: Patch | None = None
        fit: Patch | None = None
        problem = ""
        try:
            if part > len(items):
                patches[part] = _proposed_adoption(item, context)
                continue
            plain, records = _without_record_cites(item, project)
            patch = with_plain_values(_proposed_patch(plain), types)
            is_given_again = item in before
            fit, problem = _fitting_part(patch, records, proposed, context, is_given_again=is_given_again)
            if fit is not None and fit not in patches.values():  # the same patch given twice is one
                patches[part] = fit
                proposed += [fit] if isinstance(fit, Put) else []
                types |= _changed_types(fit, types)
        except Refused as error:
            problem = str(error)
            unfit += [] if patch is None else [patch]
        if problem:
            is_settled = isinstance(fit, SetAside)  # so its facts are not asked about again
            positions = () if is_settled else _cited_positions(item, facts)
            refused.append(Finding(why=problem, positions=positions, part=part))
    refused.sort(key=lambda finding: finding.part)
    parts = tuple(sorted(patches))
    whole = Proposal(tuple(patches[part] for part in parts), parts, tuple(refused), unfit=tuple(unfit))
    return _without_loose_end(whole, found, context) if found.is_cut else whole


def _names_first(items: Sequence[Any], types: Mapping[str, Type]) -> list[tuple[int, Any]]:
    """The items with their numbers. One that puts the only record of a type, such as the user's profile, is read first,
    since others may use its name; but not if the reply changes types, which goes by the order of the items."""

    def is_later(numbered: tuple[int, Any]) -> bool:
        item = numbered[1]
        type_ = types.get(str(item.get("type"))) if isinstance(item, dict) and item.get("op") == "put" else None
        return type_ is None or type_.cardinality != "one"

    numbered = [*enumerate(items, 1)]
    changes_types = any(isinstance(item, dict) and item.get("op") in _TYPE_OPS for item in items)
    return numbered if changes_types else sorted(numbered, key=is_later)


_TYPE_OPS = OPS[OPS.index("define") :]


def _without_loose_end(proposal: Proposal, found: ReplyItems, context: PatchContext) -> Proposal:
    """What to take of a reply that ends early. Its last complete patch may belong to the one that is missing: its facts
    are asked about again, and nothing is removed by it, such as what the missing one replaces. If constraints are
    missing, all facts may state them."""
    items = found.lists[0]
    loose = tuple(context.facts)
    if not found.closed:
        loose = _cited_positions(plain_patch_item(items[-1]), context.facts) if items else ()
        is_last = bool(proposal.parts) and proposal.parts[-1] == len(items)
        if is_last and isinstance(proposal.patches[-1], End | Drop | Merge | Retire):
            proposal = proposal._replace(patches=proposal.patches[:-1], parts=proposal.parts[:-1])
    return proposal._replace(is_cut=True, loose=loose)


def _fitting_part(
    patch: Patch, records: Sequence[Record], proposed: Sequence[Put], context: PatchContext, *, is_given_again: bool
) -> tuple[Patch | None, str]:
    """The patch, or the part of it that follows from what it cites, with what is wrong with the rest. None if it was
    accepted before."""
    cited = _facts_cited_by_proposed(patch, context)
    check_permission(patch, [item for item in cited if item.position in context.facts], context)
    problem = ""
    open_: dict[str, str] = {}
    try:
        check_end_day(patch, cited, context)
    except Refused as error:
        if not context.is_last or not isinstance(patch, End):
            raise
        return _set_aside_instead(patch, error, context), str(error)
    if isinstance(patch, Put | Amend):
        type_ = context.types.get(patched_type(patch))
        fields = with_whole_days(patch.fields, type_, cited[0].said)
        values, open_ = without_said_as(fields, type_, cited, is_last=context.is_last)
        values, unnamed = with_usual_currency(values, type_, cited, usual_currency(context.project))
        patch, open_ = msgspec.structs.replace(patch, fields=values), open_ | unnamed
    try:
        checked = check_values(patch, cited, records, proposed, context)
        if context.is_last:
            _check_fields_exist(patch, context)
    except Refused as error:
        if not context.is_last or not isinstance(patch, Put | Amend):
            raise
        given = patch.fields.keys()
        patch = _without_bad_fields(patch, cited, records, proposed, context)
        bad = given - patch.fields.keys()
        # The model insists on a time that contradicts the words: the words are kept in its place.
        open_ |= not_understood(sorted(bad), type_, cited)
        problem = f"{error} The rest was taken." if bad - open_.keys() else ""
        if isinstance(patch, Amend) and not patch.fields:
            return _set_aside_instead(patch, error, context), str(error)
        if not patch.fields or (isinstance(patch, Put) and not _has_needed_fields(patch, open_, context)):
            raise
        checked = check_values(patch, cited, records, proposed, context)
    if not is_given_again:
        check_subject(patch, cited, records, proposed, context)
    if isinstance(patch, Put | Amend):
        patch = msgspec.structs.replace(patch, unsure={**open_, **checked.unsure})
    if isinstance(patch, Amend):
        patch = with_moved_end(patch, amended_record(context.project, patch.record), type_)
    elif isinstance(patch, Put):
        patch = without_old_end(patch, record_put_to(patch, context), type_)
    patch = _citing_claims(patch, [*checked.used, *(claim for record in records for claim in current_claims(record))])
    if not context.insists:
        check_repeated_event(patch, proposed, context)
        check_near_record(patch, cited, context)
    elif _is_accepted_again(patch, context.project):
        return None, problem  # given again beside the patches to correct
    return patch, problem


def _without_bad_fields(
    patch: Put | Amend,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    context: PatchContext,
) -> Put | Amend:
    """The patch with the fields whose values follow, each by itself."""
    fitting: dict[str, Json] = {}
    for name, raw in patch.fields.items():
        alone = msgspec.structs.replace(patch, fields={name: raw})
        try:
            check_values(alone, cited, records, proposed, context)
            _check_fields_exist(alone, context)
        except Refused:
            continue
        fitting[name] = raw
    return msgspec.structs.replace(patch, fields=fitting)


def _set_aside_instead(patch: Amend | End, error: Refused, context: PatchContext) -> SetAside:
    """The facts of a change of which nothing follows: they are listed with the reason, instead of being stuck."""
    why = shorten(f"{patch.record} was not changed. {error}", MAX_WHY_CHARACTERS)
    cites = tuple(position for position in patch.cites if position in context.facts)
    return SetAside(cites=cites, why=why, domain=patch.record.partition(".")[0])


def _check_fields_exist(patch: Patch, context: PatchContext) -> None:
    """Refuse fields that the type does not have. Before the last attempt, the checkpoint does so with what to add."""
    if not isinstance(patch, Put | Amend) or (type_ := context.types.get(patched_type(patch))) is None:
        return
    if unknown := [name for name in patch.fields if type_.field(name) is None]:
        raise Refused(f"{type_.full_name} has no field {', '.join(unknown)}.")


def _changed_types(patch: Patch, types: Mapping[str, Type]) -> dict[str, Type]:
    """The type that a patch makes or extends."""
    match patch:
        case Define(type=type_):
            return {type_.full_name: type_}
        case AddField(type=name, field=field) if (known := types.get(name)) is not None:
            return {name: msgspec.structs.replace(known, fields=(*known.fields, field))}
    return {}


def _has_needed_fields(patch: Put, open_: Collection[str], context: PatchContext) -> bool:
    """Whether a put has all that a record needs, but for the `open_` fields, or adds to one that exists."""
    type_ = context.types.get(patch.type)
    if type_ is None or record_put_to(patch, context) is not None:
        return type_ is not None
    needed = {name for name, parsed in field_types(type_).items() if not parsed.optional and parsed.kind != "list"}
    return {*patch.fields, *open_} >= needed.union(type_.key)


def _cited_positions(item: Any, facts: Collection[int]) -> tuple[int, ...]:
    """The facts that an item of a reply cites, even if the item is invalid."""
    cites = item.get("cites") if isinstance(item, dict) else None
    return tuple(position for position in facts if position in cites) if isinstance(cites, list) else ()


def _proposed_patch(item: Any) -> Patch:
    op = item.get("op") if isinstance(item, dict) else item
    if not isinstance(item, dict) or not isinstance(op, str) or op not in OPS:
        raise Refused(f"op is {shorten(repr(op), 120)}. Use one of {', '.join(OPS)}.")
    # Keys that no patch has are remarks of the model, such as its confidence: they say nothing about the user.
    known = {name: value for name, value in item.items() if name == "op" or name in _PATCH_KEYS}
    try:
        patch: Patch = msgspec.convert(known, type=Patch)
    except msgspec.ValidationError as error:
        raise Refused(str(error)) from None
    return patch


_PATCH_KEYS = frozenset(name for each in get_args(Patch) for name in each.__struct_fields__) - {"unsure"}


def _without_record_cites(item: Any, project: Project) -> tuple[Any, list[Record]]:
    """An item of a reply that cites facts only, and the records that it cites besides."""
    cites = item.get("cites") if isinstance(item, dict) else None
    named = [cited for cited in cites if isinstance(cited, str)] if isinstance(cites, list) else []
    if not isinstance(cites, list) or not named:
        return item, []
    return {**item, "cites": [cited for cited in cites if cited not in named]}, list(map(project.record, named))


def _citing_claims(patch: Patch, claims: Iterable[Claim]) -> Patch:
    """The patch with the entries that these claims depend on."""
    entries = {cited for claim in claims for cited in claim.cites}
    return msgspec.structs.replace(patch, cites=(*patch.cites, *sorted(entries.difference(patch.cites))))


def _proposed_adoption(item: Any, context: PatchContext) -> Adopt:
    """A constraint that states a new fact, perhaps with earlier ones, such as those of the constraint it replaces."""
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not isinstance(item.get("file"), str):
        raise Refused("A constraint is incomplete. Give name, file and cites.")
    cites = item.get("cites")
    numbers = cites if isinstance(cites, list) and all(type(cited) is int for cited in cites) else []
    stated = [each for cited in numbers if (each := context.facts.get(cited) or context.earlier(cited)) is not None]
    if len(stated) < len(numbers) or context.facts.keys().isdisjoint(numbers):
        raise Refused(f"{item['name']}: cites is {cites!r}. Cite the facts that state the rule, at least one new one.")
    if any(each.fact.authority not in USERS_WORD for each in stated):
        raise Refused(f"{item['name']}: a cited fact is not the user's own word. Set it aside, or keep it as a record.")
    return Adopt(constraint=parse_constraint(item["file"], item["name"], origin="model"), cites=tuple(numbers))


def _facts_cited_by_proposed(patch: Patch, context: PatchContext) -> list[FactInBatch]:
    if not patch.cites and isinstance(patch, Put | Amend | End | Drop | Merge | SetAside | Retire):
        raise Refused("cites is empty. Cite the facts that the patch depends on.")
    found: list[FactInBatch] = []
    for position in patch.cites:
        item = context.facts.get(position) or context.earlier(position)
        if item is None:
            known = ", ".join(map(str, context.facts))
            raise Refused(f"cites {position}, which is not a fact. Use numbers from {known}.")
        found.append(item)
    return found


def _is_accepted_again(patch: Patch, project: Project) -> bool:
    """Whether a patch gives a record the values that it has from the same facts."""
    if not isinstance(patch, Put | Amend):
        return False
    made = [project.record(record_id) for cited in patch.cites for record_id in project.used.get(cited, ())]
    named = [each for each in made if patch.type == each.type] if isinstance(patch, Put) else made
    return any(
        record.cites >= {*patch.cites}
        and all(dump_value(record.values.get(name)) == raw for name, raw in patch.fields.items())
        and all(name in patch.fields or (name, why) in record.unsure for name, why in patch.unsure.items())
        and (isinstance(patch, Put) or record.id == patch.record)
        for record in named
    )
