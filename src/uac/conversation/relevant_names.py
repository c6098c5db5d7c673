"""Which names a request shows: those that its turns may mean, so that a name is written the same way every time.

People, animals and the user are always among them, as many as fit. Places, payees and all others are included if the
conversation has one of their words.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import NamedTuple

from uac.conversation.windows import Window
from uac.project.project import Project, Record
from uac.schema.entries import Fact
from uac.schema.types import Type
from uac.schema.values import Typed, fold_key
from uac.text.token_count import count_tokens

__all__ = ["KnownNames", "relevant_names"]

MAX_NAMES = 30
MAX_NAME_TOKENS = 240
MAX_RECORDS = 500  # of a type, the latest, that are searched for names
MAX_WORDS = 5  # a value with more words is a description
MIN_LETTERS = 3  # of a word by which a name is recognised
NAMING_FIELDS = frozenset(
    "name who person with payee supplier shop merchant landlord employer work doctor prescriber provider insurer"
    " institution organisation contact emergency_contact recipient lender borrower holder travellers members"
    " recommended_by for_whom by where place location city destination origin lives_in home station restaurant venue"
    " airline airlines hotel vehicle car make model".split()
)
"""Fields whose values are names of people, places, payees, suppliers and vehicles."""


class KnownNames(NamedTuple):
    """The names of a project: those that every request may show, and those that are shown if they are mentioned."""

    people: tuple[str, ...]
    others: tuple[str, ...]
    relations: Mapping[str, str]
    """Who people are to the user."""

    @classmethod
    def of(cls, project: Project, waiting: Iterable[Fact] = ()) -> "KnownNames":
        """`waiting` are facts in no record yet: whom they are about is known, too."""
        named = [fact.about for fact in waiting if fold_key(fact.about) not in ("user", "the user", "me", "i")]
        people = dict.fromkeys([*_people(project), *named])
        return cls(tuple(people), tuple(dict.fromkeys(_all_names(project))), _relations(project))


def relevant_names(window: Window, known: KnownNames) -> list[str]:
    """The names that facts of a window may use, those that its turns mention first; people with who they are."""
    spoken = frozenset(word for turn in window.turns for word in _name_words(turn.visible_text))
    mentioned = [name for name in (*known.people, *known.others) if spoken & _name_words(name) - _ARTICLES]
    chosen: list[str] = []
    tokens = 0
    for name in dict.fromkeys([*mentioned, *known.people]):
        described = f"{name} ({known.relations[name]})" if name in known.relations else name
        tokens += count_tokens(described)
        if len(chosen) == MAX_NAMES or tokens > MAX_NAME_TOKENS:
            break
        chosen.append(described)
    return chosen


def _people(project: Project) -> list[str]:
    """The user, then people and animals, the latest first."""
    own = [type_ for type_ in project.types.values() if type_.cardinality == "one" and type_.field("name")]
    named = [type_ for type_ in project.types_of("people") if "name" in type_.key]
    animals = [type_ for type_ in project.types.values() if type_.name == "Pet" and type_.domain != "people"]
    records = [record for type_ in [*named, *animals] for record in _latest_records(project, type_)]
    records.sort(key=lambda record: record.order, reverse=True)
    users = [record for type_ in own for record in _latest_records(project, type_)]
    return [name for record in [*users, *records] for name in _names_in(record.values.get("name"))]


def _all_names(project: Project) -> list[str]:
    """The names in all records, the latest first."""
    records = [record for type_ in project.types.values() for record in _latest_records(project, type_)]
    records.sort(key=lambda record: (record.order, record.id), reverse=True)
    return [
        name
        for record in records
        for field, value in record.values.items()
        if field in NAMING_FIELDS
        for name in _names_in(value)
    ]


def _latest_records(project: Project, type_: Type) -> list[Record]:
    if NAMING_FIELDS.isdisjoint(field.name for field in type_.fields):
        return []
    return nlargest(MAX_RECORDS, project.tables[type_.full_name].values(), key=lambda record: record.order)


def _names_in(value: Typed) -> Iterator[str]:
    """The value, or the items of a list, that are written like names."""
    if isinstance(value, tuple):
        for item in value:
            yield from _names_in(item)
    elif isinstance(value, str) and _is_written_as_name(value):
        yield value
    elif isinstance(value, str) and value[:1].lower() == value[:1].upper() and len(value) <= MAX_WORDS:
        yield value  # a script without capital letters


def _is_written_as_name(value: str) -> bool:
    """Whether it begins with a capital letter, perhaps after an article: "the Accord", but not "the baker"."""
    words = value.split()
    named = words[1:] if len(words) > 1 and words[0].casefold() in _ARTICLES else words
    return len(words) <= MAX_WORDS and bool(named) and named[0][:1] != named[0][:1].lower()


_ARTICLES = frozenset(
    "the my our his her der die das mein meine el la los mi le les ma mon il lo o a de het mijn".split()
)


def _name_words(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]+", fold_key(text))
    return frozenset(word for word in words if len(word) >= MIN_LETTERS or not word.isascii())


def _relations(project: Project) -> dict[str, str]:
    """Who people are to the user."""
    return {
        str(record.values["name"]): str(record.values["relation"])
        for type_ in project.types_of("people")
        if type_.field("relation") and "name" in type_.key
        for record in _latest_records(project, type_)
        if record.values.get("relation")
    }
