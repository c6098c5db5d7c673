"""Which of a patch's cited facts support each field: a value is trusted no more than the text that states it.

A patch may cite facts of several sources, chosen by a model. So code looks for each value in each fact: if a fact
states it alone, the field depends on that fact; otherwise on all of them, and the least trusted one counts.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from uac.conversation.checks.evidence import is_machine_format, value_evidence
from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.wording import is_function_word
from uac.errors import Refused
from uac.project.claims import claim_trust
from uac.project.project import Project
from uac.schema.entries import Entry, Fact, Observation
from uac.schema.patches import Amend, Put
from uac.schema.periods import Period
from uac.schema.types import Json, Type
from uac.schema.values import dump_value
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = ["CitedSource", "field_cites", "names_both", "states_value", "supporting_text", "supports_name"]


class CitedSource(NamedTuple):
    """A fact or observation that a patch cites."""

    position: int
    trust: int
    ground: QuotedText
    held: Period
    according_to: str = ""


def field_cites(
    patch: Put | Amend, project: Project, types: Mapping[str, Type], entry_at: Callable[[int], Entry | None]
) -> dict[str, tuple[int, ...]]:
    """The cited positions that support each field of the patch; a field without support is absent."""
    sources = {cited: project.sources[cited] for cited in patch.cites if cited in project.sources}
    cited = [
        CitedSource(
            position,
            claim_trust(source.authority),
            QuotedText(supporting_text(entry_at(position)), source.said),
            source.held,
            source.according_to,
        )
        for position, source in sources.items()
    ]
    subjects = list(_supported_subjects(patch, project, types))
    found: dict[str, tuple[int, ...]] = {}
    for name, raw in patch.fields.items():
        alone = [each for each in cited if states_value(each, raw) and _is_about_subject(each, subjects, raw)]
        best = max((_standing_of(each) for each in alone), default=None)
        if alone:
            found[name] = tuple(each.position for each in alone if _standing_of(each) == best)
    return found


def supporting_text(entry: Entry | None) -> str:
    """The whole text of an observation, or of a fact with its quotes."""
    match entry:
        case Fact():
            return "\n".join([entry.text, entry.about, *(citation.quote for citation in entry.cites)])
        case Observation():
            return entry.text
        case _:
            return ""


def _standing_of(cited: CitedSource) -> tuple[int, bool]:
    """The trust of a source; of equals, the user's own word comes before the word of others that the user reports."""
    return cited.trust, not cited.according_to


def states_value(cited: CitedSource, raw: Json) -> bool:
    """Whether the text of one fact states a whole value: each of its words, numbers and dates.

    Booleans are never stated. The day of saying does not count: any fact of that day would state it.
    """
    match raw:
        case None | bool() | "":
            return False
        case list() | tuple():
            return bool(raw) and all(states_value(cited, item) for item in raw)
        case str() if not is_machine_format(raw) and not _has_words_of(cited.ground.words, raw, whole=True):
            return False
        case _:
            found = value_evidence({"": raw}, [cited.ground], held=[cited.held])
            return not found.problems and not found.unsure


def _is_about_subject(cited: CitedSource, subjects: Sequence[Json], raw: Json) -> bool:
    """Whether a fact is about the record, and not about another thing with the same number."""
    others = [subject for subject in subjects if subject != raw]
    return not others or any(
        supports_name(cited.ground.words, subject) if isinstance(subject, str) else states_value(cited, subject)
        for subject in others
    )


def supports_name(words: str, name: str) -> bool:
    """Whether a text has at least half of the words of a name."""
    return _has_words_of(words, name, whole=False)


def names_both(text: str, name: str, other: str) -> bool:
    """Whether a text has two names apart from each other: 'Jonas is Jonas Peters' does, 'Jonas Peters called' not."""
    said = f" {' '.join(_name_words(text))} "
    shorter, longer = sorted((_name_words(name), _name_words(other)), key=lambda words: (len(words), words))
    apart = said.replace(f" {' '.join(longer)} ", "  ").split()
    return bool(shorter) and set(shorter) <= set(apart) and set(longer) <= set(said.split())


def _name_words(text: str) -> list[str]:
    """The words of a text in lower case and without accents; "Karin's" has the word Karin."""
    return re.findall(r"\w+", re.sub(r"['’]s\b", "", unaccented(text.casefold())))


def _supported_subjects(patch: Put | Amend, project: Project, types: Mapping[str, Type]) -> Iterator[Json]:
    """The values that identify the record: the texts of its key, or all values if it has no key. A type with one record
    needs none."""
    name, known = patch.type if isinstance(patch, Put) else patch.record.partition(":")[0], dict[str, Json]()
    if isinstance(patch, Amend):
        try:
            known = {name: dump_value(value) for name, value in project.record(patch.record).values.items()}
        except Refused:  # refused later, by the checkpoint
            known = {}
    else:
        known = patch.fields
    type_ = types.get(name)
    if type_ is not None and type_.cardinality == "one":
        return
    keys = [known[key] for key in type_.key if isinstance(known.get(key), str)] if type_ is not None else []
    keys = [key for key in keys if not is_machine_format(str(key))]
    yield from keys or [raw for raw in known.values() if raw is not None and not isinstance(raw, bool | list | tuple)]


def _has_words_of(text: str, value: str, *, whole: bool) -> bool:
    """Whether a text has the words of a value: all of them, or at least half."""
    wanted, there = _supporting_words(value), _supporting_words(text)
    found = sum(any(_is_supporting_word(word, other) for other in there) for word in wanted)
    return found == len(wanted) if whole else 2 * found >= len(wanted) > 0


def _supporting_words(text: str) -> set[str]:
    """The folded words, without function words; in scripts without spaces, pairs of characters."""
    pairs = {run[at : at + 2] for run in _WIDE.findall(text) for at in range(len(run) - 1)}
    words = (word for word in re.findall(r"\w+", unaccented(_WIDE.sub(" ", text))) if not is_function_word(word))
    return pairs | {word for word in words if word != "s"}


_WIDE = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")


def _is_supporting_word(word: str, other: str) -> bool:
    """Whether two words differ only in their endings: allergy, allergies."""
    short, long = sorted((word, other), key=len)
    if word == other or len(short) < 4 or len(long) - len(short) > 3 or short.isdigit():
        return word == other
    return long.startswith(short[:-1])
