"""Which constraints a request shows: those of the user's own, and what those of packs watch that read its types.

A constraint that a fact is about is shown with its code: it is then replaced by a better one, or retired.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from uac.conversation.checks.wording import content_stems
from uac.packs import Pack
from uac.project.project import Adopted, Project
from uac.schema.entries import Fact
from uac.schema.safe_text import shorten
from uac.schema.types import Type
from uac.text.lazy_pattern import lazy_pattern
from uac.text.token_count import count_tokens

__all__ = ["RelevantConstraints", "constraint_words", "is_about_constraint", "relevant_constraints"]

MAX_CONSTRAINTS = 30
MAX_DESCRIBED = 4  # of packs
MAX_SENTENCE = 240  # characters of what a constraint of the user's own watches
MAX_PACK_DOC = 90
MAX_CODE_TOKENS = 800  # of all constraints that are shown with their code
MIN_SHARED = 2  # stems that a fact and a constraint have in common


class RelevantConstraints(NamedTuple):
    """The constraints of a request, in one line each."""

    lines: tuple[str, ...]
    may_need_code: bool
    """Whether the reply may have a constraint, so that the request says how to write its code."""


def relevant_constraints(
    facts: Sequence[Fact],
    types: Iterable[Type],
    project: Project,
    packs: Sequence[Pack],
    *,
    stated: Callable[[int], Fact | None] = lambda _position: None,
    is_asked: bool = False,
) -> RelevantConstraints:
    """The constraints that exist: all of the user's own with their first sentence or their code. If a fact may state a
    rule, or one `is_asked` for, those of packs that read these types by name, too, a few with what they watch. `stated`
    finds the facts that state a constraint."""
    of_packs = {name for pack in packs for name in pack.sources}
    own = {name: adopted for name, adopted in project.constraints.items() if name not in of_packs}
    said = [_stems(_fact_words(fact)) for fact in facts]
    shared: dict[str, int] = {}
    for name, adopted in own.items():
        stems = _stems(constraint_words(adopted, stated))
        shared[name] = max((len(stems & each) for each in said), default=0)
    with_code: set[str] = set()
    tokens = 0
    for name in sorted(own, key=lambda name: (-shared[name], -own[name].position, name)):
        tokens += count_tokens(own[name].constraint.code)
        if shared[name] >= MIN_SHARED and tokens <= MAX_CODE_TOKENS:
            with_code.add(name)
    lines = [_own_constraint_line(adopted, with_code=name in with_code) for name, adopted in own.items()]
    may_need_code = is_asked or bool(with_code) or any(map(_may_state_rule, facts))
    of_others = _pack_constraint_lines(types, project, packs) if may_need_code else []
    return RelevantConstraints(tuple(lines + of_others), may_need_code)


def constraint_words(adopted: Adopted, stated: Callable[[int], Fact | None]) -> str:
    """What a constraint is about: its name, its docstring, and the facts that state it, in the user's own words."""
    facts = [_fact_words(fact) for position in adopted.cites if (fact := stated(position)) is not None]
    return "\n".join([adopted.constraint.name.replace("_", " "), adopted.reading.doc, *facts])


def is_about_constraint(fact: Fact, words: str) -> bool:
    """Whether a fact speaks of rules, or has a word in common with a constraint's words."""
    said = _fact_words(fact)
    return bool(_SPEAKS_OF_RULES.search(said)) or not _stems(said).isdisjoint(_stems(words))


def _may_state_rule(fact: Fact) -> bool:
    """Whether a fact may state a rule that code can watch. If one is missed, the model is asked for its code later."""
    said = _fact_words(fact)
    is_news = fact.authority != "correction"  # which may say what never was
    return bool(_SPEAKS_OF_RULES.search(said) or (is_news and _STATES_RULE.search(said)))


def _fact_words(fact: Fact) -> str:
    return "\n".join([fact.text, *(citation.quote for citation in fact.cites)])


def _own_constraint_line(adopted: Adopted, *, with_code: bool) -> str:
    """A constraint with the facts that state it, which a better one has to cite, too."""
    facts = f" (facts {', '.join(map(str, adopted.cites))})" if adopted.cites else ""
    if with_code:
        return f"{adopted.constraint.name}{facts}, its code:\n{adopted.constraint.code.strip()}"
    return f"{adopted.constraint.name}{facts}: {shorten(_first_sentence(adopted.reading.doc), MAX_SENTENCE)}"


def _pack_constraint_lines(types: Iterable[Type], project: Project, packs: Sequence[Pack]) -> list[str]:
    """The constraints of packs that read these types: those that read most of them with what they watch, in one line
    each, and the names of the others."""
    collections = {f"{type_.domain}.{type_.collected_as}" for type_ in types}
    found = {
        name: (pack, len(collections & pack.reads[name]))
        for pack in packs
        for name in pack.sources
        if name not in project.retired and not collections.isdisjoint(pack.reads.get(name, ()))
    }
    chosen = sorted(found, key=lambda name: (-found[name][1], name))[:MAX_CONSTRAINTS]
    described = [f"{name}: {_pack_constraint_doc(found[name][0], name)}" for name in chosen[:MAX_DESCRIBED]]
    return described + ([", ".join(chosen[MAX_DESCRIBED:])] if len(chosen) > MAX_DESCRIBED else [])


def _pack_constraint_doc(pack: Pack, name: str) -> str:
    """The first sentence of a constraint's docstring, found in its text: reading all as trees takes long."""
    found = re.search(rf'def {name}\(.*?\):\s+"""(.+?)"""', pack.sources[name], re.DOTALL)
    return shorten(_first_sentence(" ".join(found[1].split())), MAX_PACK_DOC) if found else ""


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]


def _stems(text: str) -> frozenset[str]:
    """The stems of words that carry a meaning, without those that most facts and constraints have."""
    stems = content_stems(text).difference(_COMMON)
    return frozenset(stem for stem in stems if len(stem) > 3 or _WIDE.match(stem))


_WIDE = lazy_pattern(r"[\u3040-\u9fff]")
_COMMON = frozenset(
    "user wants more than never alway every each there nutze benut nicht kein keine einen einer eines dass wenn oder"
    " aber auch noch mehr nach über sein sind haben wird werde usuar usuár utili utent para como dans avec pour".split()
)
_SPEAKS_OF_RULES = lazy_pattern(
    r"\b(?:rules?|warn|alerts?|remind|limits?|regel|erinner|hinweis|grenz|limite?|reglas?|regras?|r[èe]gles?|regol[ae]|avis"
    r"|rappel|avvis|lembr|recuerd)|правил|предупре|напом|规则|規則|提醒|ルール",
    re.IGNORECASE,
)
_STATES_RULE = lazy_pattern(
    r"\b(?:never|always|whenever|at (?:most|least)|(?:no|not) more than|(?:nothing|not) (?:before|after)|tell me"
    r"|make sure|let me know|wants? to be (?:told|held)|keep an eye|watch (?:out|that)|must not|not allowed"
    r"|nie(?:mals)?|immer|höchstens|mindestens|gewarnt|nicht (?:mehr als|vor|nach)|sag (?:mir|was|bescheid)"
    r"|melde dich|pass auf|nunca|siempre|normas?|como (?:máximo|mucho)|no más de|avís\w*|dime|jamais|toujours"
    r"|au plus|pas plus|préviens|sempre|al massimo|non più di|dimmi|jamás|no máximo)\b|никогда|всегда|не (?:больше"
    r"|более)|скажи|绝不|從不|从不|总是|總是|不要|最多|至少|不超过|告诉我|決して|必ず|絶対|以上|以下|教えて|知らせ",
    re.IGNORECASE,
)
