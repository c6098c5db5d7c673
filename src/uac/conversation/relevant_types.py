"""Which types a request shows: those that its facts may need, in few words.

A type that the user or a model defined is always shown with its fields, and so is every type that a constraint of the
user's own reads: otherwise the next fact ends up in a new type that the constraint does not read.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from math import fsum
from typing import NamedTuple

from uac.packs import Pack
from uac.project.project import Project
from uac.schema.entries import Fact
from uac.schema.safe_text import shorten
from uac.schema.types import Field, Type, parse_type
from uac.schema.word_caches import word_cache
from uac.text.lazy_pattern import lazy_pattern
from uac.text.token_count import count_tokens

__all__ = ["TOPIC_SCORE", "RelevantTypes", "TypeScores", "relevant_types", "type_line", "type_names"]

MAX_TYPES = 12  # with their fields
MAX_TYPES_PER_FACT = 3
MAX_BRIEF_TYPES = 10  # with the names of their fields only
BRIEF_PER_FACT = 6
MAX_OWN_TYPES = 20
MAX_TYPE_TOKENS = 900
MAX_NAMED_TYPES = 60
MAX_DOC = 70  # characters of a description
MAX_FIELD_DOC = 50
MIN_SCORE = 1.0
TOPIC_SCORE = 3.0
DOC_WEIGHT = 0.25  # of a word of a type's description, against one of the pack's words for the type


class RelevantTypes(NamedTuple):
    """The types of a request: those with their fields, and further ones by name."""

    types: tuple[Type, ...]
    described: frozenset[str]
    """Of these, the ones that a fact needs most and that have no record in the request, which would serve as an
    example: they are shown with their descriptions."""
    named: tuple[Type, ...]
    brief: frozenset[str] = frozenset()
    """Of these, the ones that a fact may need if none of the others fits: they are shown with their fields' names."""


def relevant_types(
    facts: Sequence[Fact],
    project: Project,
    packs: Sequence[Pack],
    *,
    wanted: Collection[str],
    only_wanted: bool = False,
) -> RelevantTypes:
    """The types that the facts may need. `wanted` are the types of the records shown and of refused patches.

    Every fact gets its best type before any fact gets its second. With `only_wanted`, no second ones are shown: facts
    are asked about again, perhaps because their patches were of a wrong type.
    """
    known = _known_types(project, packs)
    always = [name for name in dict.fromkeys([*sorted(wanted), *_own_types(project, packs)]) if name in known]
    scores_of = TypeScores(project, packs)
    ranked = [scores_of.ranked_for(fact) for fact in facts]
    likely = _in_turn(names[:MAX_TYPES_PER_FACT] for names in ranked)
    best = {names[0] for names in ranked if names}
    described = frozenset(wanted if only_wanted else best.difference(wanted))
    if only_wanted:
        always, likely = [name for name in always if name in wanted], sorted(best)
    chosen: list[str] = []
    tokens = 0
    for name in dict.fromkeys([*always, *likely]):
        tokens += count_tokens(type_line(known[name], with_docs=name in described))
        is_full = len(chosen) >= MAX_TYPES or tokens > MAX_TYPE_TOKENS
        if not is_full or name in always or name in best:
            chosen.append(name)
    named = [known[name] for name in sorted(known) if name not in chosen][:MAX_NAMED_TYPES]
    further = [name for name in _in_turn(names[:BRIEF_PER_FACT] for names in ranked) if name not in chosen]
    brief = frozenset(further[:MAX_BRIEF_TYPES])
    return RelevantTypes(tuple(known[name] for name in chosen), described, tuple(named), brief)


def _in_turn(ranked: Iterable[Sequence[str]]) -> list[str]:
    """The best of every fact, then the second best, …, each once."""
    return list(dict.fromkeys(name for rank in zip_longest(*ranked) for name in rank if name is not None))


def type_line(type_: Type, *, with_docs: bool = True) -> str:
    """A type in one line: what it is and its fields. `*` marks a field of the key, `?` one that may be unknown; a field
    without a type is text, a list without one has texts."""
    doc = f" — {shorten(type_.doc, MAX_DOC)}" if type_.doc and with_docs else ""
    fields = ", ".join(_field_text(field, type_, with_docs=with_docs) for field in type_.fields)
    return f"{type_.full_name} ({type_.cardinality}){doc}: {fields}"


def _field_text(field: Field, type_: Type, *, with_docs: bool) -> str:
    parsed = parse_type(field.type)
    kind = field.type.removesuffix(" | None")
    if parsed.kind == "choice" and all(re.fullmatch(r"[\w -]+", choice) for choice in parsed.choices):
        kind = "|".join(parsed.choices)
    plain = "" if kind == "str" else ": list" if kind == "list[str]" else f": {kind}"
    doc = f" ({shorten(field.doc, MAX_FIELD_DOC)})" if field.doc and with_docs else ""
    return f"{'*' if field.name in type_.key else ''}{field.name}{'?' if parsed.optional else ''}{plain}{doc}"


def type_names(types: Iterable[Type], *, brief: Collection[str] = ()) -> str:
    """The names of types by domain: "finance: Account(name, bank?), Income; food: Diet". Those that are `brief` have
    the names of their fields."""
    domains: dict[str, list[str]] = {}
    for type_ in types:
        fields = (f"{field.name}{'?' if field.type.endswith(' | None') else ''}" for field in type_.fields)
        with_fields = f"{type_.name}({', '.join(fields)})" if type_.full_name in brief else type_.name
        domains.setdefault(type_.domain, []).append(with_fields)
    return "; ".join(f"{domain}: {', '.join(names)}" for domain, names in domains.items())


def _own_types(project: Project, packs: Sequence[Pack]) -> list[str]:
    """The types that no pack offers, and those that constraints of the user's own read."""
    offered = {type_.full_name for pack in packs for type_ in pack.types}
    of_packs = {name for pack in packs for name in pack.sources}
    own = [name for name in project.types if name not in offered]
    by_size = sorted(own, key=lambda name: (-project.count(name), name))[:MAX_OWN_TYPES]
    read = {
        collection
        for name, adopted in project.constraints.items()
        if name not in of_packs
        for collection in adopted.reading.reads
    }
    return by_size + [name for name, type_ in project.types.items() if f"{type_.domain}.{type_.collected_as}" in read]


class TypeScores:
    """How well each type fits a fact: by its domain, by words that packs give for it, a little by its description, and
    by how usual it is."""

    def __init__(self, project: Project, packs: Sequence[Pack]) -> None:
        self._known = known = _known_types(project, packs)
        words = {f"{pack.name}.{name}": words for pack in packs for name, words in pack.words.items()}
        self._words = {name: _pack_word_stems(words.get(name, "")) for name in known}
        self._docs = {name: _type_stems(type_) for name, type_ in known.items()}
        self._word_rarity, self._doc_rarity = _rarity(self._words.values()), _rarity(self._docs.values())
        usual = {
            f"{pack.name}.{name}": max(0.0, 1 - rank / 4) for pack in packs for rank, name in enumerate(pack.words)
        }
        # A type in use is likely to be used again.
        self._usual = {name: usual.get(name, 0.0) + min(2, project.count(name)) / 2 for name in known}

    def ranked_for(self, fact: Fact) -> list[str]:
        """The types that one fact may need, best first: behind the best one, a type that the fact has a word for comes
        before those that are only of its topic. What cost money is a purchase as often as a payment."""
        text = f"{fact.text} {' '.join(citation.quote for citation in fact.cites)}"
        scores, words = self.scores_for(text, fact.topic), _stems_with_short(text)
        likely = (name for name in self._known if scores[name] > MIN_SCORE)
        ranked = sorted(likely, key=lambda name: (-scores[name], name))
        return ranked[:1] + sorted(ranked[1:], key=lambda name: words.isdisjoint(self._words[name]))

    def scores_for(self, text: str, topic: str = "") -> dict[str, float]:
        """How well each type fits words about a topic."""
        words, long_words = _stems_with_short(text), _stems(text)
        return {
            name: TOPIC_SCORE * (type_.domain == topic)
            + self._usual[name]
            + fsum(self._word_rarity[word] for word in words & self._words[name])
            + DOC_WEIGHT * fsum(self._doc_rarity[word] for word in long_words & self._docs[name])
            for name, type_ in self._known.items()
        }


def _known_types(project: Project, packs: Sequence[Pack]) -> dict[str, Type]:
    return {type_.full_name: type_ for pack in packs for type_ in pack.types} | dict(project.types)


def _rarity(stems: Iterable[frozenset[str]]) -> dict[str, float]:
    """How much a word says about which type is meant: more if few types have it."""
    found = Counter(word for each in stems for word in each)
    return {word: 4 / (1 + count) for word, count in found.items()}


@lru_cache(maxsize=512)
def _pack_word_stems(words: str) -> frozenset[str]:
    return _stems(words, shortest=2)


@word_cache(1024)
def _type_stems(type_: Type) -> frozenset[str]:
    """The stems of a type's name, documentation and fields."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type_.name)
    fields = " ".join(f"{field.name.replace('_', ' ')} {field.doc}" for field in type_.fields)
    return _stems(f"{name} {type_.doc} {fields}")


def _stems(text: str, *, shortest: int = 4) -> frozenset[str]:
    """The words cut to five letters, without the "ge" or "zu" inside a German verb ("abgegeben" is "abgeben"); of
    Chinese and Japanese, which have no spaces, all pairs of signs."""
    words = [_INNER_SYLLABLE.sub("", word) for word in re.findall(r"[^\W_]+", text.casefold())]
    pairs = (word[at : at + 2] for word in words if _SIGNS.search(word) for at in range(len(word) - 1))
    return frozenset(word[:5] for word in words if len(word) >= shortest).union(pairs)


def _stems_with_short(text: str) -> frozenset[str]:
    """The stems of a fact, and those of four letters that an ending may hide: "calls", "cenar", "tanken"."""
    short = (found[1] for found in _SHORT_WITH_ENDING.finditer(text.casefold()))
    return _stems(text, shortest=2).union(short)


_SHORT_WITH_ENDING = lazy_pattern(r"\b([^\W\d_]{4})(?:s|n|r|e|[aeo][nrs]|ed)\b")
_INNER_SYLLABLE = lazy_pattern(
    r"(?:(?<=^ab)|(?<=^an)|(?<=^auf)|(?<=^aus)|(?<=^ein)|(?<=^vor)|(?<=^mit))(?:ge|zu)(?=\w{4})"
)


_SIGNS = lazy_pattern(r"[\u3040-\u30ff\u4e00-\u9fff]")
