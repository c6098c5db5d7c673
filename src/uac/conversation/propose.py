"""Facts to patches: the request for a batch of facts, and the patches read from the reply.

The size of the request depends on the new facts, not on the history: the manifest has a fixed size, and only types and
records that the facts may touch are included.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from uac.conversation.checks.evidence import QuotedText, name_evidence_problems, value_evidence_problems
from uac.conversation.checks.field_support import names_both, supporting_text, supports_name
from uac.conversation.checks.wording import is_latin
from uac.conversation.prompts import prompt_text
from uac.conversation.relevant_records import RecordLookup, relevant_records
from uac.conversation.relevant_types import constraint_lines, relevant_types, type_line, type_names
from uac.errors import Refused
from uac.models.requests_and_replies import Request, parse_reply_json
from uac.packs import Pack
from uac.project.claims import AUTHORITIES, Claim, claim_trust
from uac.project.known_names import known_names
from uac.project.project import Project, Record
from uac.project.records import record_key
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import Fact, Finding
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
    RetireField,
    RetypeField,
    SetAside,
)
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import FieldType, Json, Type, field_types, parse_type
from uac.schema.values import Typed, dump_value, fold_key

__all__ = ["PATCHES_SCHEMA", "FactInBatch", "Proposal", "checkpoint_request", "read_patches"]

MAX_CLAIMED = 4
MAX_CONFLICTS = 10
MAX_VALUE_CHARACTERS = 600

OPS = (
    *("put", "amend", "end", "drop", "merge", "set_aside"),
    *("define", "add_field", "rename_field", "retype_field", "retire_field", "change_key"),
)
"""The operations on types and records that a model may use."""

PATCHES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["patches"],
    "properties": {
        "patches": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["op"],
                "properties": {
                    "op": {
                        "type": "string",
                        "enum": list(OPS),
                    },
                    "cites": {"type": "array", "items": {"type": ["integer", "string"]}},
                },
            },
        },
        "constraints": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "file", "cites"],
                "properties": {
                    "name": {"type": "string"},
                    "file": {"type": "string"},
                    "cites": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}


class FactInBatch(NamedTuple):
    """A fact of a batch, its position, and when it was said."""

    position: int
    fact: Fact
    said: datetime


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


def checkpoint_request(
    batch: Sequence[FactInBatch],
    *,
    project: Project,
    packs: Sequence[Pack],
    lookup: RecordLookup,
    position: int = 0,
    refused: Sequence[tuple[Any, str]] = (),
    problem: str = "",
) -> Request:
    """The request for a batch of facts. `lookup` finds the records that a fact may be about."""
    records = relevant_records([(item.fact, item.said) for item in batch], project, lookup)
    wanted = {record.type for record in records} | {_proposed_type_name(item) for item, _why in refused}
    shown = relevant_types([item.fact for item in batch], project, packs, wanted=wanted, only_wanted=bool(refused))
    records = _with_single_records(records, shown.types, project)
    content: dict[str, Any] = {}
    if project.now is not None:
        content["now"] = project.now.isoformat(timespec="minutes")
    lines = {each.full_name: type_line(each, with_docs=each.full_name in shown.described) for each in shown.types}
    content["types"] = [line for name, line in lines.items() if name in project.types]
    content["offered"] = [line for name, line in lines.items() if name not in project.types]
    if shown.named:
        content["more_types"] = type_names(shown.named)
    if not refused:
        content["constraints"] = constraint_lines(shown.types, project, packs)
    content["records"] = [_record_json(record) for record in records]
    if conflicts := project.conflicts[:MAX_CONFLICTS]:
        content["conflicts"] = [
            f"{each.record}.{each.field}: {', '.join(_claimed_values(each.claims))}" for each in conflicts
        ]
    content["facts"] = [_fact_json(item) for item in batch]
    if refused:
        content["refused"] = [{"patch": patch, "why": why} for patch, why in refused]
    if problem:
        content["problem"] = problem
    return Request(
        step="checkpoint",
        prompt=prompt_text("checkpoint"),
        content=_json_lines(content),
        schema=PATCHES_SCHEMA,
        position=position,
        answers=tuple(item.position for item in batch),
        read=tuple(item.position for item in batch),
        reply_tokens=8000,
    )


def read_patches(
    reply: str,
    batch: Sequence[FactInBatch],
    *,
    project: Project,
    packs: Sequence[Pack] = (),
    earlier: Callable[[int], FactInBatch | None] = lambda _position: None,
    insists: bool = False,
) -> Proposal:
    """The patches of a reply whose values follow from the facts they cite; `earlier` finds facts of other batches.

    An event that resembles an existing one is sent back once; `insists` is True if that has been done.
    """
    try:
        found = parse_reply_json(reply)
    except Refused as error:
        return Proposal((), problem=str(error))
    items, files = found.get("patches", []), found.get("constraints") or []
    if not isinstance(items, list) or not isinstance(files, list):
        return Proposal((), problem='the reply needs the lists "patches" and "constraints"')
    facts = {item.position: item for item in batch}
    offered = {type_.full_name: type_ for pack in packs for type_ in pack.types}
    types = offered | dict(project.types)
    patches: dict[int, Patch] = {}
    refused: list[Finding] = []
    unfit: list[Patch] = []
    proposed: list[str] = []
    for part, item in enumerate([*items, *files], 1):
        patch: Patch | None = None
        try:
            if part > len(items):
                patches[part] = _proposed_adoption(item, facts, earlier)
                continue
            plain, records = _without_record_cites(item, project)
            patch = _proposed_with_exact_decimals(_proposed_patch(plain), types)
            cited = _facts_cited_by_proposed(patch, facts, earlier)
            _check_permission(patch, [item for item in cited if item.position in facts], project, offered)
            _check_values(patch, cited, project, types, proposed, records)
            patch = _citing_records(patch, records)
            if not insists:
                _check_repeated_event(patch, project)
            elif _is_accepted_again(patch, project):
                continue  # given again beside the patches to correct
            patches[part] = patch
            proposed += [_proposed_key_text(patch, types)] if isinstance(patch, Put) else []
        except Refused as error:
            refused.append(Finding(why=str(error), positions=_cited_positions(item, facts), part=part))
            unfit += [] if patch is None else [patch]
    return Proposal(tuple(patches.values()), tuple(patches), tuple(refused), unfit=tuple(unfit))


def _cited_positions(item: Any, facts: Collection[int]) -> tuple[int, ...]:
    """The facts that an item of a reply cites, even if the item is invalid."""
    cites = item.get("cites") if isinstance(item, dict) else None
    return tuple(position for position in facts if position in cites) if isinstance(cites, list) else ()


# --- the request ------------------------------------------------------------------------------------------------------


def _fact_json(item: FactInBatch) -> dict[str, Any]:
    fact = item.fact
    shown: dict[str, Any] = {
        "fact": item.position,
        "about": fact.about,
        "text": fact.text,
        "said": item.said.isoformat(timespec="minutes"),
    }
    if fact.authority != "user":
        shown["authority"] = fact.authority
    if fact.according_to:
        shown["according_to"] = fact.according_to
    if fact.held != Period():
        shown["held"] = _fact_period_text(fact.held)
    if fact.unsure:
        shown["unsure"] = fact.unsure
    shown["quote"] = " … ".join(citation.quote for citation in fact.cites)
    return shown


def _json_lines(content: Mapping[str, Any]) -> str:
    """JSON with one line for each item of a list: readable, without the tokens of indentation."""
    lines = []
    for name, value in content.items():
        if isinstance(value, list):
            items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f"{json.dumps(name)}: [\n{items}\n]" if value else f"{json.dumps(name)}: []")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{" + ",\n".join(lines) + "}"


def _fact_period_text(held: Period) -> str:
    if held.start == held.end:
        return held.start
    parts = (f"from {held.start}" if held.start else "", f"until {held.end}" if held.end else "")
    return " ".join(part for part in parts if part)


def _with_single_records(records: list[Record], types: Iterable[Type], project: Project) -> list[Record]:
    """The records, and those of types with a single record, which new facts would change."""
    single = [
        record
        for type_ in types
        if type_.cardinality == "one"
        for record in project.records(type_.full_name)
        if record.ended is None
    ]
    seen = {record.id for record in records}
    return [*records, *(record for record in single if record.id not in seen)]


def _record_json(record: Record) -> dict[str, Any]:
    fields: dict[str, Json] = {}
    for name, value in record.values.items():
        if value is not None and value != ():
            dumped = dump_value(value)
            fields[name] = shorten(dumped, MAX_VALUE_CHARACTERS) if isinstance(dumped, str) else dumped
    shown: dict[str, Any] = {"record": record.id, "fields": fields}
    if record.ended is not None:
        shown[record.ended.reason] = record.ended.when
    claimed = {name: _claimed_values(claims) for name, claims in record.claims.items() if len(claims) > 1}
    if told := {name: values for name, values in claimed.items() if len(values) > 1}:
        shown["claims_disagree" if record.conflicts else "claimed"] = told
    return shown


def _claimed_values(claims: Sequence[Claim]) -> list[str]:
    """The last few different values claimed for a field, each with its authority and date."""
    values = {f"{dump_value(claim.value)}": f"{claim.attribution}, {claim.said:%Y-%m-%d}" for claim in claims}
    return [f"{value} ({whose})" for value, whose in values.items()][-MAX_CLAIMED:]


def _proposed_type_name(item: Any) -> str:
    """The type that a refused patch names."""
    named = item.get("type") if isinstance(item, dict) else None
    return f"{named.get('domain')}.{named.get('name')}" if isinstance(named, dict) else str(named)


# --- the reply --------------------------------------------------------------------------------------------------------


def _proposed_patch(item: Any) -> Patch:
    op = item.get("op") if isinstance(item, dict) else item
    if not isinstance(item, dict) or not isinstance(op, str) or op not in OPS:
        raise Refused(f"op is {shorten(repr(op), 120)}. Use one of {', '.join(OPS)}.")
    try:
        patch: Patch = msgspec.convert(item, type=Patch)
    except msgspec.ValidationError as error:
        raise Refused(str(error)) from None
    return patch


def _without_record_cites(item: Any, project: Project) -> tuple[Any, list[Record]]:
    """An item of a reply that cites facts only, and the records that it cites besides."""
    cites = item.get("cites") if isinstance(item, dict) else None
    named = [cited for cited in cites if isinstance(cited, str)] if isinstance(cites, list) else []
    if not isinstance(cites, list) or not named:
        return item, []
    return {**item, "cites": [cited for cited in cites if cited not in named]}, list(map(project.record, named))


def _citing_records(patch: Patch, records: Sequence[Record]) -> Patch:
    """The patch with the entries that the current values of these records depend on."""
    entries = {
        cited
        for record in records
        for name, claims in record.claims.items()
        for claim in claims
        if claim.value == record.values.get(name)
        for cited in claim.cites
    }
    return msgspec.structs.replace(patch, cites=(*patch.cites, *sorted(entries.difference(patch.cites))))


def _proposed_with_exact_decimals(patch: Patch, types: Mapping[str, Type]) -> Patch:
    """The patch with numbers of decimal fields as text: floats of JSON are not exact."""
    name = patch.type if isinstance(patch, Put) else patch.record.partition(":")[0] if isinstance(patch, Amend) else ""
    if name not in types or not isinstance(patch, Put | Amend):
        return patch
    kinds = {field.name: parse_type(field.type).kind for field in types[name].fields}
    fields = {
        name: str(raw) if isinstance(raw, float) and kinds.get(name) == "Decimal" else raw
        for name, raw in patch.fields.items()
    }
    return msgspec.structs.replace(patch, fields=fields)


def _check_permission(
    patch: Patch, cited: Sequence[FactInBatch], project: Project, offered: Mapping[str, Type]
) -> None:
    """Refuse what outside text must not do through a model: remove what the user said, or redefine a pack's types."""
    match patch:
        case End(record=record_id) | Drop(record=record_id):
            _check_removal(record_id, cited, project)
        case Merge():
            _check_merge(patch, cited, project)
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


def _texts_in(value: Typed) -> Iterator[str]:
    """The texts of a value: itself, or those of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        yield from (item for item in value if isinstance(item, str))


def _proposed_adoption(
    item: Any, facts: Mapping[int, FactInBatch], earlier: Callable[[int], FactInBatch | None]
) -> Adopt:
    """A constraint that states a new fact, perhaps with earlier ones, such as those of the constraint it replaces."""
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not isinstance(item.get("file"), str):
        raise Refused("A constraint is incomplete. Give name, file and cites.")
    cites = item.get("cites")
    numbers = cites if isinstance(cites, list) and all(type(cited) is int for cited in cites) else []
    stated = [each for cited in numbers if (each := facts.get(cited) or earlier(cited)) is not None]
    if len(stated) < len(numbers) or facts.keys().isdisjoint(numbers):
        raise Refused(f"{item['name']}: cites is {cites!r}. Cite the facts that state the rule, at least one new one.")
    if any(each.fact.authority not in ("user", "correction") for each in stated):
        raise Refused(f"{item['name']}: a cited fact is not the user's own word. Set it aside, or keep it as a record.")
    return Adopt(constraint=parse_constraint(item["file"], item["name"], origin="model"), cites=tuple(numbers))


def _facts_cited_by_proposed(
    patch: Patch, facts: Mapping[int, FactInBatch], earlier: Callable[[int], FactInBatch | None]
) -> list[FactInBatch]:
    if not patch.cites and isinstance(patch, Put | Amend | End | Drop | Merge | SetAside):
        raise Refused("cites is empty. Cite the facts that the patch depends on.")
    found: list[FactInBatch] = []
    for position in patch.cites:
        item = facts.get(position) or earlier(position)
        if item is None:
            raise Refused(f"cites {position}, which is not a fact. Use numbers from {', '.join(map(str, facts))}.")
        found.append(item)
    return found


def _check_values(
    patch: Patch,
    cited: Sequence[FactInBatch],
    project: Project,
    types: Mapping[str, Type],
    proposed: Collection[str],
    records: Sequence[Record],
) -> None:
    """Numbers, dates and names in a patch must follow from the facts it cites, from the record that it changes, or from
    the `records` that it cites.

    Names may also be those of records, and of `proposed`: the keys of records in the same reply.
    """
    cited_records = [_record_text(record) for record in records]
    match patch:
        case Put():
            fields = {**patch.fields, **_proposed_period_ends(patch.held)}
            existing = _record_put_to(patch, project, types)
            known = "" if existing is None else _record_text(existing)
        case Amend():
            fields, known = (
                {**patch.fields, **_proposed_period_ends(patch.held)},
                _amended_record_text(project, patch.record),
            )
        case End():
            fields, known = {"when": patch.when}, _amended_record_text(project, patch.record)
        case _:
            return
    grounds = [
        QuotedText(words, item.said)
        for item in cited
        for words in (item.fact.text, item.fact.about, *(citation.quote for citation in item.fact.cites))
    ]
    held = [item.fact.held for item in cited] + [Period.on(item.said.date().isoformat()) for item in cited]
    names = {fold_key(name) for name in known_names(project)}
    fields = {name: raw for name, raw in fields.items() if not (isinstance(raw, str) and fold_key(raw) in names)}
    wrong = value_evidence_problems(fields, grounds, held=held, known="\n".join([known, *cited_records]))
    if not isinstance(patch, End):
        unknown = name_evidence_problems(fields, grounds, known=[known, *cited_records, *names, *proposed])
        wrong += [
            f"{why}. Cite the fact that has it, or write a word that is not a name in lower case" for why in unknown
        ]
    if wrong:
        raise Refused(". ".join(wrong) + ".")


def _proposed_key_text(patch: Put, types: Mapping[str, Type]) -> str:
    """The texts that make up the record's key."""
    key = types[patch.type].key if patch.type in types else ()
    return "\n".join(raw for name in key if isinstance(raw := patch.fields.get(name), str))


def _record_put_to(patch: Put, project: Project, types: Mapping[str, Type]) -> Record | None:
    """The record that a put adds to, whose values were checked when they were put: the one with its key, or the only
    one."""
    type_, table = types.get(patch.type), project.tables.get(patch.type)
    if type_ is None or table is None:
        return None
    if type_.cardinality == "one":
        return next((record for record in project.records(patch.type) if record.ended is None), None)
    if not type_.key or not patch.fields.keys() >= set(type_.key):
        return None
    return table.get(f"{patch.type}:{record_key(type_, patch.fields)}")


def _proposed_period_ends(held: Period) -> dict[str, Json]:
    return {f"held, its {end}": when for end, when in (("start", held.start), ("end", held.end)) if when}


def _amended_record_text(project: Project, record_id: str) -> str:
    try:
        record = project.record(record_id)
    except Refused:
        return ""  # refused later, by the checkpoint
    return _record_text(record)


def _record_text(record: Record) -> str:
    return json.dumps([record.id, [dump_value(value) for value in record.values.values()]], ensure_ascii=False)


def _check_repeated_event(patch: Patch, project: Project) -> None:
    """Refuse an event without a key that resembles an existing one: it was perhaps only mentioned again."""
    if not isinstance(patch, Put) or (type_ := project.types.get(patch.type)) is None:
        return
    if type_.cardinality != "event" or type_.key:
        return
    fields = field_types(type_)
    for record in project.records(patch.type):
        if record.ended is None and _is_similar_event(patch.fields, record, fields):
            raise Refused(
                f"{record.id} is much the same. If it is the same event mentioned again, amend it instead;"
                " if it happened twice, give the same patch again."
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
        and (isinstance(patch, Put) or record.id == patch.record)
        for record in named
    )


def _is_similar_event(given: Mapping[str, Json], record: Record, fields: Mapping[str, FieldType]) -> bool:
    """Whether all amounts and days that both have are equal, and at least one text if there are any."""
    there = {name: dump_value(value) for name, value in record.values.items() if value not in (None, ())}
    both = {name: (given[name], there[name]) for name in there if given.get(name) is not None and name in fields}
    exact = [a == b for name, (a, b) in both.items() if fields[name].kind in _EXACT]
    texts = [fold_key(str(a)) == fold_key(str(b)) for name, (a, b) in both.items() if fields[name].kind == "str"]
    return bool(exact) and all(exact) and (any(texts) or not texts)


_EXACT = frozenset({"date", "datetime", "Money", "Decimal", "int", "float"})
