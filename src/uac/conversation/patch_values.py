"""Whether the values of a proposed patch follow from the facts and records that it cites."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from uac.conversation.checks.evidence import is_machine_format, name_evidence
from uac.conversation.checks.field_support import supporting_text
from uac.conversation.checks.verdicts import is_real_date
from uac.conversation.checks.wording import is_function_word, is_latin
from uac.conversation.propose import FactInBatch
from uac.conversation.unsure_values import cited_quotes, cited_value_evidence
from uac.errors import Refused
from uac.project.claims import Claim
from uac.project.known_names import known_names
from uac.project.project import Project, Record
from uac.project.records import record_key
from uac.project.valid_days import END_FIELDS
from uac.schema.patches import Amend, Drop, End, Patch, Put
from uac.schema.periods import Period
from uac.schema.types import FieldType, Json, Type, field_types
from uac.schema.values import Money, Typed, dump_value, fold_key
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = [
    "CheckedValues",
    "PatchContext",
    "amended_record",
    "check_end_day",
    "check_near_record",
    "check_repeated_event",
    "check_subject",
    "check_values",
    "current_claims",
    "patched_type",
    "record_put_to",
    "texts_in",
    "usual_currency",
]

START_LETTERS = 4
WORDS_OF_ANOTHER = 2  # that a fact has in common with the record that it seems to be about
NEAR_DAYS = 14  # by which a plan is often moved


class PatchContext(NamedTuple):
    """What the items of a reply are checked against."""

    facts: Mapping[int, FactInBatch]
    earlier: Callable[[int], FactInBatch | None]
    project: Project
    offered: Mapping[str, Type]
    types: Mapping[str, Type]
    """The types of the project, of the reply so far, and those that packs offer."""
    request_records: Sequence[Record] | None
    """The records that the model saw; None if it was shown none, however near."""
    insists: bool
    is_last: bool


def patched_type(patch: Put | Amend) -> str:
    """The full name of the type whose record a patch puts or amends."""
    return patch.type if isinstance(patch, Put) else patch.record.partition(":")[0]


class CheckedValues(NamedTuple):
    """What is known about the values of a patch that passed."""

    unsure: dict[str, str]
    """The fields whose values are not certain, each with the reason."""
    used: tuple[Claim, ...] = ()
    """The claims of the changed record that new values were worked out from."""


def check_values(
    patch: Patch,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    context: PatchContext,
) -> CheckedValues:
    """Numbers, dates and names in a patch must follow from the facts it cites, from the record that it changes, or from
    the `records` that it cites.

    Names may also be those of records that were shown or are known by name, and of `proposed`: the keys and names of
    records in the same reply.
    """
    project = context.project
    cited_records = [_record_text(record) for record in records]
    match patch:
        case Put():
            fields = {**patch.fields, **_proposed_period_ends(patch.held)}
            existing = record_put_to(patch, context)
        case Amend():
            existing = amended_record(project, patch.record)
            fields = _without_unchanged_times(patch.fields, existing) | _proposed_period_ends(patch.held)
        case End():
            fields, existing = {"when": patch.when}, amended_record(project, patch.record)
        case _:
            return CheckedValues({})
    known = "" if existing is None else _record_text(existing)
    names = dict.fromkeys(fold_key(name) for name in known_names(project))
    fields = {name: raw for name, raw in fields.items() if not (isinstance(raw, str) and fold_key(raw) in names)}
    evidence = cited_value_evidence(
        fields,
        cited,
        existing=existing,
        known=[known, *cited_records],
        usual_currency=usual_currency(project),
        records=records,
    )
    texts = [_record_text(record) for record in context.request_records or ()]
    keys = [_proposed_name_text(put, context.types) for put in proposed]
    named = name_evidence(fields, cited_quotes(cited), known=[known, *cited_records, *texts, *names, *keys])
    wrong = [*evidence.problems.values()]
    if not isinstance(patch, End):
        wrong += [
            f"{name}: {why}. Cite the fact that has it, or write a word that is not a name in lower case"
            for name, why in named.problems.items()
        ]
    if wrong:
        raise Refused(". ".join(wrong) + ".")
    if isinstance(patch, End):
        return CheckedValues({})
    used = () if existing is None else tuple(current_claims(existing, evidence.used))
    unsure = named.unsure | evidence.unsure
    return CheckedValues({name: unsure[name] for name in patch.fields if name in unsure}, used)


def check_end_day(patch: Patch, cited: Sequence[FactInBatch], context: PatchContext) -> None:
    """Refuse to end a record before its day: it would count as ended at once, and no constraint would see it."""
    if not isinstance(patch, End) or not cited or not is_real_date(patch.when):
        return  # what is no date is refused later, by the checkpoint
    first, known = Period(patch.when).first, max(item.said.date() for item in cited)
    if first is None or first <= known:
        return
    type_ = context.types.get(patch.record.partition(":")[0])
    ends = [name for name in END_FIELDS if type_ is not None and type_.field(name) is not None]
    raise Refused(
        f"{patch.record} ends on {first}, which is still to come, and an ended record counts as ended at once."
        + (f" Amend its field {ends[0]}." if ends else " Add a field `ends` of type date | None, and amend that.")
    )


def check_subject(
    patch: Patch,
    cited: Sequence[FactInBatch],
    records: Sequence[Record],
    proposed: Sequence[Put],
    context: PatchContext,
) -> None:
    """Refuse values that may be those of another record: a change of one that the cited facts do not name while they
    name another of its type, and a new one whose names they do not have.

    What is put to a record that exists, or that this reply puts for another fact, need not name it.
    """
    if isinstance(patch, End | Drop | Amend):
        _check_changed_record(patch, cited, context)
    if not isinstance(patch, Put | Amend) or (type_ := context.types.get(patched_type(patch))) is None:
        return
    if type_.cardinality == "one" and type_.domain == "people" and _is_about_others(cited, context.project):
        raise Refused(
            f"No cited fact is about the user. Change the record of {cited[0].fact.about}; if the user is meant, give"
            " the same patch again."
        )
    words = [supporting_text(item.fact) for item in cited] + [_record_text(record) for record in records]
    if type_.cardinality == "one" or not all(map(is_latin, words)):
        return
    said = _word_starts(" ".join(words))
    if isinstance(patch, Amend):
        table: Mapping[str, Record] = context.project.tables.get(type_.full_name, {})
        texts = _key_texts(type_, table[patch.record].values) if patch.record in table else []
        others = (_key_texts(type_, record.values) for name, record in table.items() if name != patch.record)
        is_other_named = any(not said.isdisjoint(_word_starts(" ".join(other))) for other in others)
        named, is_meant = patch.record, not texts or not is_other_named
    else:
        made = {_proposed_key_text(put, context.types) for put in proposed if put.type == patch.type}
        is_meant = record_put_to(patch, context) is not None or _proposed_key_text(patch, context.types) in made
        texts = [text for text in _key_texts(type_, patch.fields) if any(letter.isupper() for letter in text)]
        named = " ".join(texts)
    is_comparable = bool(texts) and all(map(is_latin, texts))
    if is_comparable and not is_meant and said.isdisjoint(_word_starts(" ".join(texts))):
        raise Refused(
            f"No cited fact names {named}. Cite the fact that does, or change the record that the fact is about; if it"
            " is this one, give the same patch again."
        )


def _check_changed_record(patch: End | Drop | Amend, cited: Sequence[FactInBatch], context: PatchContext) -> None:
    """Refuse a change of a record that the cited facts do not name, if they name another one or its day."""
    type_, words = context.types.get(patch.record.partition(":")[0]), [supporting_text(item.fact) for item in cited]
    if type_ is None or not all(map(is_latin, words)):
        return
    table: Mapping[str, Record] = context.project.tables.get(type_.full_name, {})
    record = table.get(patch.record)
    named = _word_starts(" ".join(_key_texts(type_, record.values))) if record is not None else set[str]()
    stated = {day for item in cited for day in _DAY.findall(item.fact.text)}
    is_own = record is None or not named.isdisjoint(_word_starts(" ".join(words))) or _has_day(record, stated)
    if stated and not is_own and any(_has_day(other, stated) for other in context.request_records or ()):
        raise Refused(
            f"No cited fact names {patch.record} or its day. Change the record that the fact is about; if it is this"
            " one, give the same patch again."
        )
    new = patch.fields if isinstance(patch, Amend) else {}
    if record is not None and (other := _record_named_instead(record, cited, context, new)) is not None:
        raise Refused(
            f"The cited facts have more words of {other.id} than of {patch.record}. Change the record that the fact is"
            " about; if it is this one, give the same patch again."
        )


def _record_named_instead(
    record: Record, cited: Sequence[FactInBatch], context: PatchContext, new: Mapping[str, Json]
) -> Record | None:
    """Another record that was shown and is named better by the cited facts, whatever the new values are.

    They have none of the words of this one, nor of the facts that it was made of ("my knee is fine again" is about "IT
    band syndrome" if that was said of the knee); or all that they have are words of another one of its type, too, of
    which they have more: the doctor.
    """
    said = _content_words(" ".join(supporting_text(item.fact) for item in cited))
    said -= _content_words(" ".join(text for value in new.values() for text in texts_in(value)))
    earlier = [item.fact.text for position in sorted(record.cites) if (item := context.earlier(position))]
    own = said & _content_words(" ".join(_record_words(record)))
    is_own = not said.isdisjoint(_content_words(" ".join([*_record_words(record), *earlier])))
    best, most = None, len(own)
    for other in context.request_records or ():
        theirs = said & _content_words(" ".join(_record_words(other)))
        is_named = not is_own or (other.type == record.type and own < theirs)
        if other.id != record.id and is_named and len(theirs) > max(most, WORDS_OF_ANOTHER - 1):
            best, most = other, len(theirs)
    return best


def _record_words(record: Record) -> Iterator[str]:
    """The id and the texts of a record."""
    yield record.id.partition(":")[2]
    yield from (text for value in record.values.values() for text in texts_in(value))


def _content_words(text: str) -> set[str]:
    """The first letters of each word that says something, without numbers."""
    words = (word for word in re.findall(r"[^\W\d_]{2,}", unaccented(text.casefold())) if not is_function_word(word))
    return {word[:START_LETTERS] for word in words} - _OF_ANY_FACT


_OF_ANY_FACT = frozenset({"user"})


def _has_day(record: Record, days: Collection[str]) -> bool:
    text = _record_text(record)
    return any(day in text for day in days)


_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)


def _is_about_others(cited: Sequence[FactInBatch], project: Project) -> bool:
    """Whether every cited fact is about somebody who has a record, and none names the user."""
    known = {
        fold_key(str(record.values.get("name")))
        for type_ in project.types_of("people")
        if "name" in type_.key
        for record in project.tables[type_.full_name].values()
    }
    return bool(cited) and all(
        fold_key(item.fact.about) in known and "user" not in item.fact.text.casefold() for item in cited
    )


def _key_texts(type_: Type, values: Mapping[str, Typed | Json]) -> list[str]:
    return [text for name in type_.key for text in texts_in(values.get(name)) if not is_machine_format(text)]


def _word_starts(text: str) -> set[str]:
    """The first letters of each word: other forms and spellings of a word often begin alike."""
    return {word[:START_LETTERS] for word in re.findall(r"\w+", unaccented(text.casefold()))}


def usual_currency(project: Project) -> str:
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


def _proposed_name_text(patch: Put, types: Mapping[str, Type]) -> str:
    """The texts by which the record will be known: those of its key, and the name of the only one of its type."""
    is_one = patch.type in types and types[patch.type].cardinality == "one"
    name = patch.fields.get("name") if is_one else None
    return "\n".join([_proposed_key_text(patch, types), *texts_in(name)])


def record_put_to(patch: Put, context: PatchContext) -> Record | None:
    """The record that a put adds to, whose values were checked when they were put: the one with its key, or the only
    one."""
    type_, table = context.types.get(patch.type), context.project.tables.get(patch.type)
    if type_ is None or table is None:
        return None
    if type_.cardinality == "one":
        return next((record for record in context.project.records(patch.type) if record.ended is None), None)
    kinds = field_types(type_)
    if not type_.key or any(name not in patch.fields and not kinds[name].optional for name in type_.key):
        return None
    return table.get(f"{patch.type}:{record_key(type_, patch.fields)}")


def _proposed_period_ends(held: Period) -> dict[str, Json]:
    return {f"held, its {end}": when for end, when in (("start", held.start), ("end", held.end)) if when}


def _without_unchanged_times(fields: Mapping[str, Json], record: Record | None) -> dict[str, Json]:
    """The fields, with the day only where the time of day is the record's: what is moved to Friday keeps its hour."""
    plain = dict(fields)
    for name, raw in fields.items():
        before = None if record is None else record.values.get(name)
        if isinstance(before, datetime) and isinstance(raw, str) and raw[10:16] == before.isoformat()[10:16]:
            plain[name] = raw[:10]
    return plain


def amended_record(project: Project, record_id: str) -> Record | None:
    try:
        return project.record(record_id)
    except Refused:
        return None  # refused later, by the checkpoint


def _record_text(record: Record) -> str:
    """The id and the values, without what could be read as a number that the user said: a place in the log, null."""
    values = [dump_value(value) for value in record.values.values() if value is not None]
    return json.dumps([record.id.partition(":#")[0], values], ensure_ascii=False)


def check_repeated_event(patch: Patch, proposed: Sequence[Put], context: PatchContext) -> None:
    """Refuse an event without a key that resembles an existing one, or another of the same reply for other facts: it
    was perhaps only mentioned again."""
    if not isinstance(patch, Put) or (type_ := context.types.get(patch.type)) is None:
        return
    if type_.cardinality != "event" or type_.key:
        return
    fields = field_types(type_)
    records = context.project.records(patch.type) if patch.type in context.project.types else ()
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


def check_near_record(patch: Patch, cited: Sequence[FactInBatch], context: PatchContext) -> None:
    """Refuse a new record that may be one which the model was not shown: the same names, and a day that is not known or
    may have been moved."""
    if not isinstance(patch, Put) or context.request_records is not None or patch.type not in context.project.types:
        return
    type_ = context.project.types[patch.type]
    if not type_.key or record_put_to(patch, context) is not None:
        return
    said = max(item.said for item in cited).date().isoformat()
    is_moved = any(item.fact.authority == "correction" for item in cited)
    for record in context.project.records(patch.type):
        there = {name: dump_value(record.values.get(name)) for name in type_.key}
        if record.ended is None and _is_near_key(type_, patch.fields, there, after="" if is_moved else said):
            raise Refused(
                f"{record.id} exists and may be the same. If it is, amend that record (op amend, record {record.id});"
                " if it is another one, give the same record again."
            )


def _is_near_key(type_: Type, given: Mapping[str, Json], there: Mapping[str, Json], *, after: str) -> bool:
    """Whether two keys have the same names, one perhaps in fewer words, and days near each other: of different days
    only those `after` that one, when what was planned may have been moved."""
    kinds = field_types(type_)
    pairs = {name: (given.get(name), there.get(name)) for name in type_.key}
    days = [pair for name, pair in pairs.items() if kinds[name].kind in ("date", "datetime")]
    rest = [pair for name, pair in pairs.items() if kinds[name].kind not in ("date", "datetime")]
    names = [(one, other) for one, other in rest if isinstance(one, str) and isinstance(other, str)]
    return (
        bool(names)
        and all(pair in names or pair[0] == pair[1] for pair in rest)
        and all(_is_same_name(one, other) for one, other in names)
        and all(_is_near_day(one, other, after) for one, other in days)
    )


def _is_same_name(one: str, other: str) -> bool:
    """Whether one name has all words of the other."""
    words, more = sorted((_word_starts(one), _word_starts(other)), key=len)
    return bool(words) and words <= more


def _is_near_day(one: Json, other: Json, after: str) -> bool:
    """Whether two days are equal, or near each other and not before `after`, or one of them is not known."""
    if not isinstance(one, str) or not isinstance(other, str) or one == other:
        return True
    try:
        apart = date.fromisoformat(one[:10]) - date.fromisoformat(other[:10])
    except ValueError:
        return False  # refused later: it is not a date
    return abs(apart.days) <= NEAR_DAYS and min(one, other)[:10] >= after


def _is_similar_event(given: Mapping[str, Json], there: Mapping[str, Json], fields: Mapping[str, FieldType]) -> bool:
    """Whether all amounts and days that both have are equal, and at least one text if there are any."""
    both = {name: (given[name], there[name]) for name in there if given.get(name) is not None and name in fields}
    exact = [a == b for name, (a, b) in both.items() if fields[name].kind in _EXACT]
    texts = [fold_key(str(a)) == fold_key(str(b)) for name, (a, b) in both.items() if fields[name].kind == "str"]
    return bool(exact) and all(exact) and (any(texts) or not texts)


def current_claims(record: Record, names: Collection[str] | None = None) -> Iterator[Claim]:
    """The claims of a record's current values, of all fields or of these."""
    for name, claims in record.claims.items():
        if names is None or name in names:
            yield from (claim for claim in claims if claim.value == record.values.get(name))


def texts_in(value: Typed | Json) -> Iterator[str]:
    """The texts of a value: itself, or those of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        yield from (item for item in value if isinstance(item, str))


_EXACT = frozenset({"date", "datetime", "Money", "Decimal", "int", "float"})
