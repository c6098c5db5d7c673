"""Facts to patches: the request for a batch of facts, and the patches read from the reply.

The size of the request depends on the new facts, not on the history: the manifest has a fixed size, and only types and
records that the facts may touch are included.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from uac.conversation.checks.evidence import QuotedText, name_evidence_problems, value_evidence_problems
from uac.conversation.checks.field_support import supporting_text, supports_name
from uac.conversation.checks.wording import is_latin
from uac.conversation.prompts import prompt_text
from uac.errors import Refused
from uac.models.requests_and_replies import Request, parse_reply_json
from uac.packs import Pack
from uac.project.claims import AUTHORITIES, Claim, claim_trust
from uac.project.known_names import known_names
from uac.project.project import Project, Record
from uac.project.records import record_key
from uac.project.render_manifest import render_manifest
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import Fact, Finding
from uac.schema.patches import AddField, Adopt, Amend, Define, Drop, End, Patch, Put, SetAside
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import FieldType, Json, Type, field_types, parse_type
from uac.schema.values import dump_value, fold_key
from uac.text.token_count import count_tokens

__all__ = ["PATCHES_SCHEMA", "FactInBatch", "Proposal", "checkpoint_request", "read_patches"]

MAX_TYPES = 12  # included with their fields
MAX_TYPES_IN_RETRY = 4  # if the request only repeats refused patches
MAX_NAMED_TYPES = 40  # further types, one line each
MAX_TYPE_TOKENS = 3000
MAX_RECORDS = 24
MAX_CLAIMED = 4
MAX_CONFLICTS = 10
MAX_KEY_WORDS = 4  # a key with more words is not looked for in a text
MAX_VALUE_CHARACTERS = 600
MAX_CONSTRAINTS = 30

OPS = ("put", "amend", "end", "drop", "set_aside", "define", "add_field")
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
                    "cites": {"type": "array", "items": {"type": "integer"}},
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


def checkpoint_request(
    batch: Sequence[FactInBatch],
    *,
    project: Project,
    packs: Sequence[Pack],
    touched: Callable[[str], Iterable[str]],
    position: int = 0,
    refused: Sequence[tuple[Any, str]] = (),
    problem: str = "",
) -> Request:
    """The request for a batch of facts. `touched` finds the ids of records that a text may be about."""
    records = _touched_records(batch, project, touched)
    shown, named = _relevant_types(batch, project, packs, records, refused)
    records = _with_single_records(records, shown, project)
    content: dict[str, Any] = {} if refused else {"manifest": render_manifest(project)}
    content["types"] = [_type_json(type_) for type_ in shown if type_.full_name in project.types]
    content["offered"] = [_type_json(type_) for type_ in shown if type_.full_name not in project.types]
    if named:
        content["more_types"] = named
    if not refused:
        content["constraints"] = _constraint_lines(shown, project, packs)
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
        content=json.dumps(content, ensure_ascii=False, indent=1),
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
    proposed: list[str] = []
    for part, item in enumerate([*items, *files], 1):
        try:
            if part > len(items):
                patches[part] = _proposed_adoption(item, facts)
                continue
            patch = _proposed_with_exact_decimals(_proposed_patch(item), types)
            cited = _facts_cited_by_proposed(patch, facts, earlier)
            _check_permission(patch, [item for item in cited if item.position in facts], project, offered)
            _check_values(patch, cited, project, types, proposed)
            if not insists:
                _check_repeated_event(patch, project)
            patches[part] = patch
            proposed += [_proposed_key_text(patch, types)] if isinstance(patch, Put) else []
        except Refused as error:
            refused.append(Finding(why=str(error), positions=_cited_positions(item, facts), part=part))
    return Proposal(tuple(patches.values()), tuple(patches), tuple(refused))


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
        "authority": fact.authority,
    }
    if fact.held != Period():
        shown["held"] = _fact_period_text(fact.held)
    shown["quote"] = " … ".join(citation.quote for citation in fact.cites)
    return shown


def _fact_period_text(held: Period) -> str:
    if held.start == held.end:
        return held.start
    parts = (f"from {held.start}" if held.start else "", f"until {held.end}" if held.end else "")
    return " ".join(part for part in parts if part)


def _touched_records(
    batch: Sequence[FactInBatch], project: Project, touched: Callable[[str], Iterable[str]]
) -> list[Record]:
    """The records that the facts may touch, those with most facts first."""
    votes: dict[str, int] = {}
    for item in batch:
        text = f"{item.fact.about} {item.fact.text}"
        for record_id in (*_records_by_key(text, project), *touched(text)):
            votes[record_id] = votes.get(record_id, 0) + 1
    chosen = sorted(votes, key=lambda record_id: -votes[record_id])[:MAX_RECORDS]
    return [project.record(record_id) for record_id in chosen]


def _records_by_key(text: str, project: Project) -> Iterator[str]:
    """The records whose key appears in a text. The cost does not depend on the number of records."""
    words = [word.strip(".,;:!?()\"'“”") for word in fold_key(text).split()]
    runs = {" ".join(words[at : at + length]) for at in range(len(words)) for length in range(1, MAX_KEY_WORDS + 1)}
    for name, type_ in project.types.items():
        if len(type_.key) == 1:
            yield from sorted(f"{name}:{run}" for run in runs if f"{name}:{run}" in project.tables[name])


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
        shown["ended"] = record.ended.when
    claimed = {name: _claimed_values(claims) for name, claims in record.claims.items() if len(claims) > 1}
    if told := {name: values for name, values in claimed.items() if len(values) > 1}:
        shown["claims_disagree" if record.conflicts else "claimed"] = told
    return shown


def _claimed_values(claims: Sequence[Claim]) -> list[str]:
    """The last few different values claimed for a field, each with its authority and date."""
    values = {f"{dump_value(claim.value)}": f"{claim.authority}, {claim.said:%Y-%m-%d}" for claim in claims}
    return [f"{value} ({whose})" for value, whose in values.items()][-MAX_CLAIMED:]


def _relevant_types(
    batch: Sequence[FactInBatch],
    project: Project,
    packs: Sequence[Pack],
    records: Sequence[Record],
    refused: Sequence[tuple[Any, str]],
) -> tuple[list[Type], list[str]]:
    """The types that may be needed, with their fields; and further ones by name only."""
    known = {type_.full_name: type_ for pack in packs for type_ in pack.types} | dict(project.types)
    words = _text_stems(" ".join(f"{item.fact.text} {item.fact.about}" for item in batch))
    topics = {item.fact.topic for item in batch}
    wanted = {record.type for record in records} | {_proposed_type_name(item) for item, _why in refused}
    rarity = _stem_rarity(known.values())
    scores = {
        name: 100 * (name in wanted)
        + 2 * (type_.domain in topics)
        + min(2, project.count(name))  # a type in use is likely to be used again
        + sum(rarity[word] for word in words & _type_stems(type_))
        for name, type_ in known.items()
    }
    ranked = sorted((name for name in known if scores[name] > 1), key=lambda name: (-scores[name], name))
    shown: list[Type] = []
    tokens = 0
    for name in ranked[: MAX_TYPES_IN_RETRY if refused else MAX_TYPES]:
        tokens += count_tokens(json.dumps(_type_json(known[name])))
        if tokens > MAX_TYPE_TOKENS and shown:
            break
        shown.append(known[name])
    return shown, [_type_line(known[name]) for name in ranked[len(shown) : len(shown) + MAX_NAMED_TYPES]]


def _proposed_type_name(item: Any) -> str:
    """The type that a refused patch names."""
    named = item.get("type") if isinstance(item, dict) else None
    return f"{named.get('domain')}.{named.get('name')}" if isinstance(named, dict) else str(named)


def _stem_rarity(types: Iterable[Type]) -> dict[str, float]:
    """How much a word says about which type is meant: more if few types have it."""
    found = Counter(word for type_ in types for word in _type_stems(type_))
    return {word: 4 / (1 + count) for word, count in found.items()}


def _type_line(type_: Type) -> str:
    """A type in one line: enough to use it."""
    return f"{type_.full_name} ({type_.cardinality}): {', '.join(field.name for field in type_.fields)}"


def _type_stems(type_: Type) -> set[str]:
    """The stems of a type's name, documentation and fields."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type_.name)
    fields = " ".join(f"{field.name.replace('_', ' ')} {field.doc}" for field in type_.fields)
    return _text_stems(f"{name} {type_.doc} {fields}")


def _text_stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 3}


def _type_json(type_: Type) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": type_.full_name, "is": type_.cardinality}
    if type_.doc:
        shown["doc"] = shorten(type_.doc, 120)
    if type_.key:
        shown["key"] = list(type_.key)
    shown["fields"] = [
        f"{field.name}: {field.type}" + (f" — {shorten(field.doc, 120)}" if field.doc else "") for field in type_.fields
    ]
    return shown


def _constraint_lines(types: Sequence[Type], project: Project, packs: Sequence[Pack]) -> list[str]:
    """The constraints that exist for these types, by name and first line: adopted ones and those of packs."""
    texts = {name: text for pack in packs for name, text in pack.sources.items()}
    texts |= {name: adopted.constraint.code for name, adopted in project.constraints.items()}
    reads = {name: read for pack in packs for name, read in pack.reads.items()}
    reads |= {name: frozenset(adopted.reading.reads) for name, adopted in project.constraints.items()}
    collections = [f"{type_.domain}.{type_.collected_as}" for type_ in types]
    matter = {name: sum(collection in reads[name] for collection in collections) for name in texts}
    chosen = sorted((name for name in texts if matter[name]), key=lambda name: (-matter[name], name))
    return [f"{name}: {_first_line(texts[name])}" for name in chosen[:MAX_CONSTRAINTS]]


def _first_line(code: str) -> str:
    found = re.search(r'"""(.+)', code)
    return shorten(found[1].replace('"""', ""), 120) if found else ""


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


def _check_permission(patch: Patch, cited: Sequence[FactInBatch], project: Project, offered: Collection[str]) -> None:
    """Refuse what outside text must not do through a model: remove what the user said, or redefine a pack's types."""
    match patch:
        case End(record=record_id) | Drop(record=record_id):
            _check_removal(record_id, cited, project)
        case Define(type=type_) if type_.full_name in offered and type_.full_name not in project.types:
            raise Refused(f"{type_.full_name} is a pack's type. Put a record of it; the type is added automatically.")
        case AddField(default=default) if default is not None:
            raise Refused("default is a value that no fact states. Leave it out.")
        case _:
            pass


def _check_removal(record_id: str, cited: Sequence[FactInBatch], project: Project) -> None:
    """End or drop a record only if a cited fact is about it and is trusted as much as the record."""
    try:
        record = project.record(record_id)
    except Refused:
        return  # refused later, by the checkpoint
    needed = max((claim_trust(claim.authority) for claims in record.claims.values() for claim in claims), default=0)
    # Only new facts count: what was said long ago does not end a record.
    enough = [supporting_text(item.fact) for item in cited if claim_trust(item.fact.authority) >= needed]
    if not enough:
        raise Refused(
            f"{record_id} has the authority of the {AUTHORITIES[needed]}, and the cited facts have less."
            " Set the fact aside, or amend a field."
        )
    texts = [value for value in record.values.values() if isinstance(value, str)]
    is_comparable = bool(texts) and all(is_latin(text) for text in (*texts, *enough))
    if is_comparable and not any(supports_name(words, text) for words in enough for text in texts):
        raise Refused(
            f"No cited fact with the authority of the {AUTHORITIES[needed]} is about {record_id}."
            " Cite the one that says so, or set the fact aside."
        )


def _proposed_adoption(item: Any, facts: Mapping[int, FactInBatch]) -> Adopt:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not isinstance(item.get("file"), str):
        raise Refused("A constraint is incomplete. Give name, file and cites.")
    cites = item.get("cites")
    if not isinstance(cites, list) or not cites or not all(type(cited) is int and cited in facts for cited in cites):
        raise Refused(f"{item['name']}: cites is {cites!r}. Cite the facts that state the rule.")
    if any(facts[cited].fact.authority not in ("user", "correction") for cited in cites):
        raise Refused(f"{item['name']}: a cited fact is not the user's own word. Set it aside, or keep it as a record.")
    return Adopt(constraint=parse_constraint(item["file"], item["name"], origin="model"), cites=tuple(cites))


def _facts_cited_by_proposed(
    patch: Patch, facts: Mapping[int, FactInBatch], earlier: Callable[[int], FactInBatch | None]
) -> list[FactInBatch]:
    if not patch.cites and isinstance(patch, Put | Amend | End | Drop | SetAside):
        raise Refused("cites is empty. Cite the facts that the patch depends on.")
    found: list[FactInBatch] = []
    for position in patch.cites:
        item = facts.get(position) or earlier(position)
        if item is None:
            raise Refused(f"cites {position}, which is not a fact. Use numbers from {', '.join(map(str, facts))}.")
        found.append(item)
    return found


def _check_values(
    patch: Patch, cited: Sequence[FactInBatch], project: Project, types: Mapping[str, Type], proposed: Collection[str]
) -> None:
    """Numbers, dates and names in a patch must follow from the facts it cites, or from the record that it changes.

    Names may also be those of records, and of `proposed`: the keys of records in the same reply.
    """
    match patch:
        case Put():
            fields = {**patch.fields, **_proposed_period_ends(patch.held)}
            known = _proposed_key_text(patch, types) if _proposed_record_exists(patch, project, types) else ""
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
    wrong = value_evidence_problems(fields, grounds, held=held, known=known)
    if not isinstance(patch, End):
        unknown = name_evidence_problems(fields, grounds, known=[known, *names, *proposed])
        wrong += [
            f"{why}. Cite the fact that has it, or write a word that is not a name in lower case" for why in unknown
        ]
    if wrong:
        raise Refused(". ".join(wrong) + ".")


def _proposed_key_text(patch: Put, types: Mapping[str, Type]) -> str:
    """The texts that make up the record's key."""
    key = types[patch.type].key if patch.type in types else ()
    return "\n".join(raw for name in key if isinstance(raw := patch.fields.get(name), str))


def _proposed_record_exists(patch: Put, project: Project, types: Mapping[str, Type]) -> bool:
    """Whether a record with that key exists, so that its names were checked when it was put."""
    type_, table = types.get(patch.type), project.tables.get(patch.type)
    if type_ is None or table is None or not type_.key or not patch.fields.keys() >= set(type_.key):
        return False
    return f"{patch.type}:{record_key(type_, patch.fields)}" in table


def _proposed_period_ends(held: Period) -> dict[str, Json]:
    return {f"held, its {end}": when for end, when in (("start", held.start), ("end", held.end)) if when}


def _amended_record_text(project: Project, record_id: str) -> str:
    try:
        record = project.record(record_id)
    except Refused:
        return ""  # refused later, by the checkpoint
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


def _is_similar_event(given: Mapping[str, Json], record: Record, fields: Mapping[str, FieldType]) -> bool:
    """Whether all amounts and days that both have are equal, and at least one text if there are any."""
    there = {name: dump_value(value) for name, value in record.values.items() if value not in (None, ())}
    both = {name: (given[name], there[name]) for name in there if given.get(name) is not None and name in fields}
    exact = [a == b for name, (a, b) in both.items() if fields[name].kind in _EXACT]
    texts = [fold_key(str(a)) == fold_key(str(b)) for name, (a, b) in both.items() if fields[name].kind == "str"]
    return bool(exact) and all(exact) and (any(texts) or not texts)


_EXACT = frozenset({"date", "datetime", "Money", "Decimal", "int", "float"})
