"""The patches read from a reply to a checkpoint request: each must follow from the facts and records it cites."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, get_args

import msgspec

from uac.conversation.checks.evidence import is_machine_format, name_evidence
from uac.conversation.checks.field_support import names_both, supporting_text, supports_name
from uac.conversation.checks.wording import is_latin
from uac.conversation.plain_patches import plain_patch_item, with_plain_values
from uac.conversation.propose import OPS, FactInBatch
from uac.conversation.relevant_constraints import constraint_words, is_about_constraint
from uac.conversation.reply_items import ReplyItems, read_reply_items
from uac.conversation.unsure_values import (
    cited_quotes,
    cited_value_evidence,
    not_understood,
    with_usual_currency,
    without_said_as,
)
from uac.errors import Refused
from uac.packs import Pack
from uac.project.claims import AUTHORITIES, Claim, claim_trust
from uac.project.known_names import known_names
from uac.project.project import Project, Record
from uac.project.records import record_key
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import Finding
from uac.schema.patches import (
    AddField,
    Adopt,
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
    SetAside,
)
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import FieldType, Json, Type, field_types
from uac.schema.values import Money, Typed, dump_value, fold_key
from uac.text.numerals import unaccented

__all__ = ["Proposal", "read_patches"]


START_LETTERS = 4


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
    shown: Sequence[Record] = (),
    insists: bool = False,
    is_last: bool = False,
    given_before: Sequence[Any] = (),
) -> Proposal:
    """The patches of a reply whose values follow from the facts they cite; `earlier` finds facts of other batches.
    Names of the records that the request has `shown` may be used.

    An event that resembles an existing one is sent back once; `insists` is True if that has been done. So is a patch
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
    reading = _Reading(facts, earlier, project, offered, types, shown, insists, is_last)
    patches: dict[int, Patch] = {}
    refused: list[Finding] = []
    unfit: list[Patch] = []
    proposed: list[Put] = []
    before = [*map(plain_patch_item, given_before)]
    for part, item in enumerate([*items, *files], 1):
        patch: Patch | None = None
        problem = ""
        try:
            if part > len(items):
                patches[part] = _proposed_adoption(item, reading)
                continue
            plain, records = _without_record_cites(item, project)
            patch = with_plain_values(_proposed_patch(plain), types)
            is_given_again = item in before
            fit, problem = _fitting_part(patch, records, proposed, reading, is_given_again=is_given_again)
            if fit is not None and fit not in patches.values():  # the same patch given twice is one
                patches[part] = fit
                proposed += [fit] if isinstance(fit, Put) else []
                types |= _changed_types(fit, types)
        except Refused as error:
            problem = str(error)
            unfit += [] if patch is None else [patch]
        if problem:
            refused.append(Finding(why=problem, positions=_cited_positions(item, facts), part=part))
    whole = Proposal(tuple(patches.values()), tuple(patches), tuple(refused), unfit=tuple(unfit))
    return _without_loose_end(whole, found, reading) if found.is_cut else whole


class _Reading(NamedTuple):
    """What the items of a reply are checked against."""

    facts: Mapping[int, FactInBatch]
    earlier: Callable[[int], FactInBatch | None]
    project: Project
    offered: Mapping[str, Type]
    types: Mapping[str, Type]
    """The types of the project, of the reply so far, and those that packs offer."""
    shown: Sequence[Record]
    insists: bool
    is_last: bool


def _without_loose_end(proposal: Proposal, found: ReplyItems, reading: _Reading) -> Proposal:
    """What to take of a reply that ends early. Its last complete patch may belong to the one that is missing: its facts
    are asked about again, and nothing is removed by it, such as what the missing one replaces. If constraints are
    missing, all facts may state them."""
    items = found.lists[0]
    loose = tuple(reading.facts)
    if not found.closed:
        loose = _cited_positions(plain_patch_item(items[-1]), reading.facts) if items else ()
        is_last = bool(proposal.parts) and proposal.parts[-1] == len(items)
        if is_last and isinstance(proposal.patches[-1], End | Drop | Merge | Retire):
            proposal = proposal._replace(patches=proposal.patches[:-1], parts=proposal.parts[:-1])
    return proposal._replace(is_cut=True, loose=loose)


def _fitting_part(
    patch: Patch, records: Sequence[Record], proposed: Sequence[Put], reading: _Reading, *, is_given_again: bool
) -> tuple[Patch | None, str]:
    """The patch, or the part of it that follows from what it cites, with what is wrong with the rest. None if it was
    accepted before."""
    cited = _facts_cited_by_proposed(patch, reading)
    _check_permission(patch, [item for item in cited if item.position in reading.facts], reading)
    problem = ""
    open_: dict[str, str] = {}
    if isinstance(patch, Put | Amend):
        type_ = reading.types.get(_patched_type(patch))
        values, open_ = without_said_as(patch.fields, type_, cited, is_last=reading.is_last)
        values, unnamed = with_usual_currency(values, type_, cited, _usual_currency(reading.project))
        patch, open_ = msgspec.structs.replace(patch, fields=values), open_ | unnamed
    try:
        checked = _check_values(patch, cited, records, proposed, reading)
        if reading.is_last:
            _check_fields_exist(patch, reading)
    except Refused as error:
        if not reading.is_last or not isinstance(patch, Put | Amend):
            raise
        given = patch.fields.keys()
        patch = _without_bad_fields(patch, cited, records, proposed, reading)
        bad = given - patch.fields.keys()
        # The model insists on a time that contradicts the words: the words are kept in its place.
        open_ |= not_understood(sorted(bad), type_, cited)
        problem = f"{error} The rest was taken." if bad - open_.keys() else ""
        if not patch.fields or (isinstance(patch, Put) and not _has_needed_fields(patch, open_, reading)):
            raise
        checked = _check_values(patch, cited, records, proposed, reading)
    if not is_given_again:
        _check_subject(patch, cited, records, proposed, reading)
    if isinstance(patch, Put | Amend):
        patch = msgspec.structs.replace(patch, unsure={**open_, **checked.unsure})
    patch = _citing_claims(patch, [*checked.used, *(claim for record in records for claim in _current_claims(record))])
    if not reading.insists:
        _check_repeated_event(patch, proposed, reading)
    elif _is_accepted_again(patch, reading.project):
        return None, problem  # given again beside the patches to correct
    return patch, problem


def _without_bad_fields(
    patch: Put | Amend,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    reading: _Reading,
) -> Put | Amend:
    """The patch with the fields whose values follow, each by itself."""
    fitting: dict[str, Json] = {}
    for name, raw in patch.fields.items():
        alone = msgspec.structs.replace(patch, fields={name: raw})
        try:
            _check_values(alone, cited, records, proposed, reading)
            _check_fields_exist(alone, reading)
        except Refused:
            continue
        fitting[name] = raw
    return msgspec.structs.replace(patch, fields=fitting)


def _check_fields_exist(patch: Patch, reading: _Reading) -> None:
    """Refuse fields that the type does not have. Before the last attempt, the checkpoint does so with what to add."""
    if not isinstance(patch, Put | Amend) or (type_ := reading.types.get(_patched_type(patch))) is None:
        return
    if unknown := [name for name in patch.fields if type_.field(name) is None]:
        raise Refused(f"{type_.full_name} has no field {', '.join(unknown)}.")


def _patched_type(patch: Put | Amend) -> str:
    return patch.type if isinstance(patch, Put) else patch.record.partition(":")[0]


def _changed_types(patch: Patch, types: Mapping[str, Type]) -> dict[str, Type]:
    """The type that a patch makes or extends."""
    match patch:
        case Define(type=type_):
            return {type_.full_name: type_}
        case AddField(type=name, field=field) if (known := types.get(name)) is not None:
            return {name: msgspec.structs.replace(known, fields=(*known.fields, field))}
    return {}


def _has_needed_fields(patch: Put, open_: Collection[str], reading: _Reading) -> bool:
    """Whether a put has all that a record needs, but for the `open_` fields, or adds to one that exists."""
    type_ = reading.types.get(patch.type)
    if type_ is None or _record_put_to(patch, reading) is not None:
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


def _current_claims(record: Record, names: Collection[str] | None = None) -> Iterator[Claim]:
    """The claims of a record's current values, of all fields or of these."""
    for name, claims in record.claims.items():
        if names is None or name in names:
            yield from (claim for claim in claims if claim.value == record.values.get(name))


def _check_permission(patch: Patch, cited: Sequence[FactInBatch], reading: _Reading) -> None:
    """Refuse what outside text must not do through a model: remove what the user said, or redefine a pack's types."""
    project, offered = reading.project, reading.offered
    match patch:
        case End(record=record_id) | Drop(record=record_id):
            _check_removal(record_id, cited, project)
        case Merge():
            _check_merge(patch, cited, project)
        case Retire():
            _check_retirement(patch.constraint, cited, reading)
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
    needed = max((_record_trust(record) for record in records), default=0)
    if records and not any(claim_trust(item.fact.authority) >= needed for item in cited):
        raise Refused(
            f"{type_name} has records with the authority of the {AUTHORITIES[needed]}."
            " Cite the new fact with that authority for which the type is to change."
        )


def _record_trust(record: Record) -> int:
    return max((claim_trust(claim.authority) for claims in record.claims.values() for claim in claims), default=0)


def _check_removal(record_id: str, cited: Sequence[FactInBatch], project: Project) -> None:
    """End or drop a record only if a cited fact is about it and is trusted as much as the record."""
    try:
        record = project.record(record_id)
    except Refused:
        return  # refused later, by the checkpoint
    needed = _record_trust(record)
    # Only new facts count: what was said long ago does not end a record.
    enough = [supporting_text(item.fact) for item in cited if claim_trust(item.fact.authority) >= needed]
    if not enough:
        raise Refused(
            f"{record_id} has the authority of the {AUTHORITIES[needed]}, and the cited facts have less."
            " Set the fact aside, or amend a field."
        )
    texts = [text for value in record.values.values() for text in _texts_in(value)]
    is_comparable = bool(texts) and all(is_latin(text) for text in (*texts, *enough))
    if is_comparable and not any(supports_name(words, text) for words in enough for text in texts):
        raise Refused(
            f"No cited fact with the authority of the {AUTHORITIES[needed]} is about {record_id}."
            " Cite the one that says so, or set the fact aside."
        )


def _check_merge(patch: Merge, cited: Sequence[FactInBatch], project: Project) -> None:
    """Merge two records only if a new fact names both apart from each other, and is trusted as much as they are."""
    for record_id in (patch.record, patch.into):
        _check_removal(record_id, cited, project)
    first, second = (record_id.partition(":")[2] for record_id in (patch.record, patch.into))
    needed = max(_record_trust(project.record(record_id)) for record_id in (patch.record, patch.into))
    stated = (item.fact for item in cited if claim_trust(item.fact.authority) >= needed and not item.fact.according_to)
    texts = [text for fact in stated for text in (fact.text, *(citation.quote for citation in fact.cites))]
    if not any(names_both(text, first, second) for text in texts):
        raise Refused(
            f"No new fact of the user says that {patch.record} and {patch.into} are one, with both names."
            " Leave both: the user is asked."
        )


def _check_retirement(name: str, cited: Sequence[FactInBatch], reading: _Reading) -> None:
    """Retire a rule of the user's own only for a new fact about it that is the user's own word."""
    adopted = reading.project.constraints.get(name)
    if adopted is None:
        raise Refused(f"There is no constraint {name}. Use the name of one in `constraints`.")
    if adopted.constraint.origin != "model" or adopted.is_reviewed:
        raise Refused(f"Only a person can retire {name} ('uac constraints retire'). Set the fact aside.")
    stated = [item.fact for item in cited if item.fact.authority in _USERS_WORD and not item.fact.according_to]
    if not stated:
        raise Refused(f"No new fact in which the user takes {name} back is cited. Cite it, or set the fact aside.")
    words = constraint_words(adopted, lambda position: found.fact if (found := reading.earlier(position)) else None)
    if not any(is_about_constraint(fact, words) for fact in stated):
        raise Refused(f"No cited fact is about {name}. Cite the one that takes it back, or set the fact aside.")


def _texts_in(value: Typed | Json) -> Iterator[str]:
    """The texts of a value: itself, or those of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        yield from (item for item in value if isinstance(item, str))


def _proposed_adoption(item: Any, reading: _Reading) -> Adopt:
    """A constraint that states a new fact, perhaps with earlier ones, such as those of the constraint it replaces."""
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not isinstance(item.get("file"), str):
        raise Refused("A constraint is incomplete. Give name, file and cites.")
    cites = item.get("cites")
    numbers = cites if isinstance(cites, list) and all(type(cited) is int for cited in cites) else []
    stated = [each for cited in numbers if (each := reading.facts.get(cited) or reading.earlier(cited)) is not None]
    if len(stated) < len(numbers) or reading.facts.keys().isdisjoint(numbers):
        raise Refused(f"{item['name']}: cites is {cites!r}. Cite the facts that state the rule, at least one new one.")
    if any(each.fact.authority not in _USERS_WORD for each in stated):
        raise Refused(f"{item['name']}: a cited fact is not the user's own word. Set it aside, or keep it as a record.")
    return Adopt(constraint=parse_constraint(item["file"], item["name"], origin="model"), cites=tuple(numbers))


def _facts_cited_by_proposed(patch: Patch, reading: _Reading) -> list[FactInBatch]:
    if not patch.cites and isinstance(patch, Put | Amend | End | Drop | Merge | SetAside | Retire):
        raise Refused("cites is empty. Cite the facts that the patch depends on.")
    found: list[FactInBatch] = []
    for position in patch.cites:
        item = reading.facts.get(position) or reading.earlier(position)
        if item is None:
            known = ", ".join(map(str, reading.facts))
            raise Refused(f"cites {position}, which is not a fact. Use numbers from {known}.")
        found.append(item)
    return found


class _CheckedValues(NamedTuple):
    unsure: dict[str, str]
    """The fields whose values are not certain, each with the reason."""
    used: tuple[Claim, ...] = ()
    """The claims of the changed record that new values were worked out from."""


def _check_values(
    patch: Patch,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    reading: _Reading,
) -> _CheckedValues:
    """Numbers, dates and names in a patch must follow from the facts it cites, from the record that it changes, or from
    the `records` that it cites.

    Names may also be those of records that were shown or are known by name, and of `proposed`: the keys of records in
    the same reply.
    """
    project = reading.project
    cited_records = [_record_text(record) for record in records]
    match patch:
        case Put():
            fields = {**patch.fields, **_proposed_period_ends(patch.held)}
            existing = _record_put_to(patch, reading)
        case Amend():
            existing = _amended_record(project, patch.record)
            fields = _without_unchanged_times(patch.fields, existing) | _proposed_period_ends(patch.held)
        case End():
            fields, existing = {"when": patch.when}, _amended_record(project, patch.record)
        case _:
            return _CheckedValues({})
    known = "" if existing is None else _record_text(existing)
    names = dict.fromkeys(fold_key(name) for name in known_names(project))
    fields = {name: raw for name, raw in fields.items() if not (isinstance(raw, str) and fold_key(raw) in names)}
    evidence = cited_value_evidence(
        fields,
        cited,
        existing=existing,
        known=[known, *cited_records],
        usual_currency=_usual_currency(project),
        records=records,
    )
    shown = [_record_text(record) for record in reading.shown]
    keys = [_proposed_key_text(put, reading.types) for put in proposed]
    named = name_evidence(fields, cited_quotes(cited), known=[known, *cited_records, *shown, *names, *keys])
    wrong = [*evidence.problems.values()]
    if not isinstance(patch, End):
        wrong += [
            f"{name}: {why}. Cite the fact that has it, or write a word that is not a name in lower case"
            for name, why in named.problems.items()
        ]
    if wrong:
        raise Refused(". ".join(wrong) + ".")
    if isinstance(patch, End):
        return _CheckedValues({})
    used = () if existing is None else tuple(_current_claims(existing, evidence.used))
    unsure = named.unsure | evidence.unsure
    return _CheckedValues({name: unsure[name] for name in patch.fields if name in unsure}, used)


def _check_subject(
    patch: Patch,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    reading: _Reading,
) -> None:
    """Refuse values that may be those of another record: a change of one that the cited facts do not name while they
    name another of its type, and a new one whose names they do not have.

    What is put to a record that exists, or that this reply puts for another fact, need not name it.
    """
    if not isinstance(patch, Put | Amend) or (type_ := reading.types.get(_patched_type(patch))) is None:
        return
    words = [supporting_text(item.fact) for item in cited] + [_record_text(record) for record in records]
    if type_.cardinality == "one" or not all(map(is_latin, words)):
        return
    said = _word_starts(" ".join(words))
    if isinstance(patch, Amend):
        table: Mapping[str, Record] = reading.project.tables.get(type_.full_name, {})
        texts = _key_texts(type_, table[patch.record].values) if patch.record in table else []
        others = (_key_texts(type_, record.values) for name, record in table.items() if name != patch.record)
        is_other_named = any(not said.isdisjoint(_word_starts(" ".join(other))) for other in others)
        named, is_meant = patch.record, not texts or not is_other_named
    else:
        made = {_proposed_key_text(put, reading.types) for put in proposed if put.type == patch.type}
        is_meant = _record_put_to(patch, reading) is not None or _proposed_key_text(patch, reading.types) in made
        texts = [text for text in _key_texts(type_, patch.fields) if any(letter.isupper() for letter in text)]
        named = " ".join(texts)
    is_comparable = bool(texts) and all(map(is_latin, texts))
    if is_comparable and not is_meant and said.isdisjoint(_word_starts(" ".join(texts))):
        raise Refused(
            f"No cited fact names {named}. Cite the fact that does, or change the record that the fact is about; if it"
            " is this one, give the same patch again."
        )


def _key_texts(type_: Type, values: Mapping[str, Typed | Json]) -> list[str]:
    return [text for name in type_.key for text in _texts_in(values.get(name)) if not is_machine_format(text)]


def _word_starts(text: str) -> set[str]:
    """The first letters of each word: other forms and spellings of a word often begin alike."""
    return {word[:START_LETTERS] for word in re.findall(r"\w+", unaccented(text.casefold()))}


def _usual_currency(project: Project) -> str:
    """The currency of most amounts in the records; `*` if there are none."""
    counts = Counter(
        value.currency
        for table in project.tables.values()
        for record in table.values()
        for value in record.values.values()
        if isinstance(value, Money)
    )
    return min(counts, key=lambda code: (-counts[code], code)) if counts else "*"


def _proposed_key_text(patch: Put, types: Mapping[str, Type]) -> str:
    """The texts that make up the record's key."""
    key = types[patch.type].key if patch.type in types else ()
    return "\n".join(raw for name in key if isinstance(raw := patch.fields.get(name), str))


def _record_put_to(patch: Put, reading: _Reading) -> Record | None:
    """The record that a put adds to, whose values were checked when they were put: the one with its key, or the only
    one."""
    type_, table = reading.types.get(patch.type), reading.project.tables.get(patch.type)
    if type_ is None or table is None:
        return None
    if type_.cardinality == "one":
        return next((record for record in reading.project.records(patch.type) if record.ended is None), None)
    if not type_.key or not patch.fields.keys() >= set(type_.key):
        return None
    return table.get(f"{patch.type}:{record_key(type_, patch.fields)}")


def _proposed_period_ends(held: Period) -> dict[str, Json]:
    return {f"held, its {end}": when for end, when in (("start", held.start), ("end", held.end)) if when}


def _without_unchanged_times(fields: Mapping[str, Json], record: Record | None) -> dict[str, Json]:
    """The fields, with the day only where the time of day is the record's: what is moved to Friday keeps its hour."""
    kept = dict(fields)
    for name, raw in fields.items():
        before = None if record is None else record.values.get(name)
        if isinstance(before, datetime) and isinstance(raw, str) and raw[10:16] == before.isoformat()[10:16]:
            kept[name] = raw[:10]
    return kept


def _amended_record(project: Project, record_id: str) -> Record | None:
    try:
        return project.record(record_id)
    except Refused:
        return None  # refused later, by the checkpoint


def _record_text(record: Record) -> str:
    return json.dumps([record.id, [dump_value(value) for value in record.values.values()]], ensure_ascii=False)


def _check_repeated_event(patch: Patch, proposed: Sequence[Put], reading: _Reading) -> None:
    """Refuse an event without a key that resembles an existing one, or another of the same reply for other facts: it
    was perhaps only mentioned again."""
    if not isinstance(patch, Put) or (type_ := reading.types.get(patch.type)) is None:
        return
    if type_.cardinality != "event" or type_.key:
        return
    fields = field_types(type_)
    records = reading.project.records(patch.type) if patch.type in reading.project.types else ()
    for record in records:
        there = {name: dump_value(value) for name, value in record.values.items() if value not in (None, ())}
        if record.ended is None and _is_similar_event(patch.fields, there, fields):
            raise Refused(
                f"{record.id} is much the same. If it is the same event mentioned again, amend it instead;"
                " if it happened twice, give the same patch again."
            )
    for other in proposed:
        is_of_others = other.type == patch.type and other.cites != patch.cites
        if is_of_others and _is_similar_event(patch.fields, other.fields, fields):
            raise Refused(
                f"The put for {', '.join(map(str, other.cites))} is much the same. If both tell of one event, set"
                " this fact aside; if it happened twice, give the same patch again."
            )


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


def _is_similar_event(given: Mapping[str, Json], there: Mapping[str, Json], fields: Mapping[str, FieldType]) -> bool:
    """Whether all amounts and days that both have are equal, and at least one text if there are any."""
    both = {name: (given[name], there[name]) for name in there if given.get(name) is not None and name in fields}
    exact = [a == b for name, (a, b) in both.items() if fields[name].kind in _EXACT]
    texts = [fold_key(str(a)) == fold_key(str(b)) for name, (a, b) in both.items() if fields[name].kind == "str"]
    return bool(exact) and all(exact) and (any(texts) or not texts)


_USERS_WORD = ("user", "correction")
_EXACT = frozenset({"date", "datetime", "Money", "Decimal", "int", "float"})
