"""Observations to facts: the request for a window of turns, and the facts read from the reply.

Every fact is checked by code: the quote is verbatim; numbers, names and dates follow from it; a relative date is
resolved here and compared. A fact that fails is reported as a finding, and goes back to the model.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from uac.conversation.checks.denied_questions import is_affirmation, without_affirmed_denials
from uac.conversation.checks.evidence import sentence_evidence, sentence_evidence_problems
from uac.conversation.checks.proper_names import is_german_text
from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.shared_values import shares_value
from uac.conversation.checks.validity import validity_of
from uac.conversation.checks.wording import (
    content_stems,
    is_latin,
    is_worded_as_agreement,
    is_worded_as_confirmation,
    is_worded_as_question,
    lost_denial,
    shares_no_words,
)
from uac.conversation.json_lines import json_lines
from uac.conversation.nearby_quotes import with_nearby_quotes
from uac.conversation.prompts import prompt_text
from uac.conversation.reply_items import read_reply_items
from uac.conversation.windows import Window, WindowTurn
from uac.errors import Refused
from uac.models.requests_and_replies import Request
from uac.project.claims import AUTHORITIES, ROLE_AUTHORITY
from uac.schema.entries import Authority, Citation, Fact, Finding, Role
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.text.lazy_pattern import lazy_pattern
from uac.text.memory_block import own_words
from uac.text.numerals import WORD, numbers
from uac.text.quotes import verbatim

__all__ = ["FACTS_SCHEMA", "TOPICS", "ExtractedFacts", "extract_request", "read_facts", "turns_to_mend"]

TOPICS = ("health", "finance", "travel", "calendar", "household", "food", "people", "other")
MAX_FACT_CHARACTERS = 400  # a fact is one claim
MENDED_NEIGHBOURS = 2  # turns on each side of a turn that a refused fact cites, shown when it is to be mended
MAX_PERSON_CHARACTERS = 80
SLICE_MARGIN = 200  # characters around a slice that may be quoted too

FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "about", "cites"],
                "properties": {
                    "text": {"type": "string"},
                    "about": {"type": "string"},
                    "cites": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["turn", "quote"],
                            "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
                        },
                    },
                    "when": {"type": "string"},
                    "start": {"type": "string"},
                    "end": {"type": "string"},
                    "according_to": {"type": "string"},
                    "topic": {"type": "string", "enum": list(TOPICS)},
                    "inferred": {"type": "boolean"},
                    "corrects": {"type": "boolean"},
                },
            },
        },
        "more": {"type": "boolean"},
    },
}


class QuotedTurn(msgspec.Struct, frozen=True):
    """A quote from a turn, as the model gives it."""

    turn: int
    quote: str


class ProposedFact(msgspec.Struct, frozen=True):
    """A fact as the model gives it."""

    text: str
    about: str
    cites: tuple[QuotedTurn, ...]
    when: str | None = ""
    start: str | None = ""
    end: str | None = ""
    according_to: str | None = ""
    topic: str | None = ""
    inferred: bool | None = False
    corrects: bool | None = False


class ExtractedFacts(NamedTuple):
    """The accepted facts of a reply, the findings on the others, and whether the model has more."""

    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    more: bool = False
    echoes: int = 0
    """Facts that an assistant only repeated from memory."""


def extract_request(
    window: Window,
    *,
    names: Sequence[str] = (),
    position: int = 0,
    taken: Sequence[str] = (),
    refused: Sequence[tuple[Any, str]] = (),
    problem: str = "",
    only: Collection[int] | None = None,
) -> Request:
    """The request for a window; `taken`, `refused` and `problem` report the outcome of earlier replies. Only the turns
    at the positions in `only` are quoted; None: all."""
    content: dict[str, Any] = {}
    if names:
        content["known_names"] = list(names)
    content["turns"] = [_turn_json(turn) for turn in window.turns if only is None or turn.position in only]
    if taken:
        content["taken"] = list(taken)
    if refused:
        content["refused"] = [{"fact": fact, "why": why} for fact, why in refused]
    if problem:
        content["problem"] = problem
    return Request(
        step="extract",
        prompt=prompt_text("extract"),
        content=json_lines(content),
        schema=FACTS_SCHEMA,
        position=position,
        answers=window.answers,
        read=window.read,
    )


def _turn_json(turn: WindowTurn) -> dict[str, Any]:
    observation = turn.observation
    who = "somebody else" if observation.role == "person" else observation.role
    content: dict[str, Any] = {
        "turn": turn.position,
        "said": f"{observation.said:%A %Y-%m-%d %H:%M}",
        "who": f"{who} ({observation.speaker})" if observation.speaker else who,
        "text": turn.visible_text,
    }
    if not turn.is_new:
        content["context"] = True
    elif turn.start or turn.end < len(observation.text):
        content["part"] = f"characters {turn.start} to {turn.end} of {len(observation.text)}"
    if turn.is_second:
        content["look"] = "second"
    return content


def turns_to_mend(window: Window, reply: str, findings: Sequence[Finding]) -> set[int] | None:
    """The turns that the refused facts of a reply cite, or that are named, with their neighbours; None if all are to be
    shown again: there are more facts, or something is wrong with the whole reply."""
    try:
        items, more = _proposed_fact_items(reply, window)
    except Refused:
        return None
    if more or not findings:
        return None
    listed = [turn.position for turn in window.turns]
    places: set[int] = set()
    for finding in findings:
        is_of_item = 0 < finding.part <= len(items)
        cited = _turn_numbers(items[finding.part - 1]) if is_of_item else finding.positions
        if not any(turn in listed for turn in cited) or (not is_of_item and finding.positions == window.answers):
            return None
        places |= {listed.index(turn) for turn in cited if turn in listed}
    reach = range(-MENDED_NEIGHBOURS, MENDED_NEIGHBOURS + 1)
    return {listed[place + step] for place in places for step in reach if 0 <= place + step < len(listed)}


def read_facts(
    reply: str,
    window: Window,
    *,
    names: Collection[str] = (),
    by: str = "",
    known: Callable[[str], Sequence[Fact]] = lambda _text: (),
    is_said: Callable[[str], bool] = lambda _name: False,
    said_before: Callable[[str], Sequence[QuotedText]] = lambda _text: (),
) -> ExtractedFacts:
    """The accepted facts of a reply, and findings on the others.

    `known` finds facts with much the same text; `is_said` tells whether earlier conversations have a name;
    `said_before` finds what they say on the matter.
    """
    facts: list[Fact] = []
    findings: list[Finding] = []
    echoes = 0
    try:
        items, more = _proposed_fact_items(reply, window)
    except Refused as error:
        return ExtractedFacts((), (Finding(why=str(error), positions=window.answers),))
    turns = {turn.position: turn for turn in window.turns}
    for number, item in enumerate(items, 1):
        try:
            fact = _checked_fact(item, turns, names, by, is_said, said_before)
        except Refused as error:
            findings.append(Finding(why=str(error), positions=_cited_turns(item, window), part=number))
            continue
        same = known(fact.text)
        if any(_is_same_fact(fact, other) for other in (*facts, *same)):
            continue
        if fact.authority == "assistant" and any(_is_echo_of_fact(fact, other) for other in same):
            echoes += 1
            continue
        facts.append(fact)
    return ExtractedFacts(tuple(facts), tuple(findings), more, echoes)


def _proposed_fact_items(reply: str, window: Window) -> tuple[list[Any], bool]:
    """The proposed facts, and whether there are more. A truncated reply gives those that are complete."""
    found = read_reply_items(reply, "facts")
    return [_plain_fact_item(item, window) for item in found.all], found.is_cut or found.more


def _plain_fact_item(item: Any, window: Window) -> Any:
    """A proposed fact in the form that was asked for, where the form given can mean only that."""
    if not isinstance(item, dict):
        return item
    plain = dict(item)
    for name in ("start", "end"):
        if isinstance(day := item.get(name), str) and (midnight := _MIDNIGHT.fullmatch(day.strip())):
            plain[name] = midnight[1]
    if (cites := item.get("cites")) is not None:
        listed = cites if isinstance(cites, list) else [cites]
        plain["cites"] = [_plain_citation(cite, window) for cite in listed]
    return plain


def _plain_citation(cite: Any, window: Window) -> Any:
    """A citation with the number of its turn; words alone are those of the only turn that has them."""
    if isinstance(cite, dict) and isinstance(turn := cite.get("turn"), str) and re.fullmatch("[0-9]{1,15}", turn):
        return {**cite, "turn": int(turn)}
    if isinstance(cite, str):
        having = [turn.position for turn in window.turns if _words_in_turn(cite, turn)]
        return {"turn": having[0], "quote": cite} if len(having) == 1 else cite
    return cite


_MIDNIGHT = lazy_pattern(r"(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)


def _cited_turns(item: Any, window: Window) -> tuple[int, ...]:
    """The turns that a proposed fact cites; all turns of the request if it cites none."""
    turns = _turn_numbers(item)
    return tuple(position for position in window.answers if position in turns) or window.answers


def _turn_numbers(item: Any) -> list[Any]:
    cites = item.get("cites") if isinstance(item, dict) else None
    return [cite.get("turn") for cite in cites if isinstance(cite, dict)] if isinstance(cites, list) else []


def _checked_fact(
    item: Any,
    turns: Mapping[int, WindowTurn],
    names: Collection[str],
    by: str,
    is_said: Callable[[str], bool],
    said_before: Callable[[str], Sequence[QuotedText]],
) -> Fact:
    try:
        proposed = msgspec.convert(item, ProposedFact)
    except msgspec.ValidationError as error:
        raise Refused(str(error)) from None
    text, about = " ".join(proposed.text.split()), " ".join(proposed.about.split())
    if not text or not about:
        raise Refused("text or about is empty. Fill in both.")
    if len(text) > MAX_FACT_CHARACTERS:
        raise Refused(f"text has {len(text)} characters. Split it into claims of at most {MAX_FACT_CHARACTERS}.")
    person = _reported_person(proposed, about, turns)
    spoken = [turn for turn in turns.values() if turn.observation.role in ("user", "person", "assistant")]
    around = "\n".join(_quotable_text(turn, 0, len(turn.observation.text)) for turn in spoken)
    known = {*names, *(turn.observation.speaker for turn in turns.values())} - {""}

    doubts: list[str] = []

    def check(
        cites: Sequence[Citation], known: Collection[str] = known, before: Sequence[QuotedText] = ()
    ) -> tuple[list[str], Period, str]:
        grounds = [QuotedText(cite.quote, turns[cite.position].observation.said) for cite in cites]
        quoted = "\n".join(_quotable_text(turns[c.position], 0, len(turns[c.position].observation.text)) for c in cites)
        nearby = f"{around}\n{quoted}"
        wrong, doubts[:] = sentence_evidence(text, [*grounds, *before], around=nearby, names=known)
        if about.casefold() not in _USER_NAMES:
            wrong += sentence_evidence_problems(f"It is {about}.", grounds, around=nearby, names=known)
        wrong += _wording_reasons(text, cites, turns, known)
        wrong += _reported_person_reasons(person, cites)
        period = Period((proposed.start or "").strip(), (proposed.end or "").strip())
        try:
            return wrong, *validity_of((proposed.when or "").strip(), period, grounds)
        except Refused as error:
            return [*wrong, str(error)], Period(), ""

    def problems_of(cites: Sequence[Citation]) -> list[str]:
        """With the numbers that are only parts of dates: the 3 of "3 May" nearby does not state 3 cats."""
        return [*check(cites)[0], *(doubt for doubt in doubts if doubt.startswith("the number "))]

    cites = with_nearby_quotes(text, _fact_citations(proposed, turns), turns, problems_of)
    wrong, held, when = check(cites)
    unsure = list(doubts)
    if wrong:
        unproved, possible = wrong, known.union(_possible_names(text, about, is_said))
        wrong, held, when = check(cites, possible)
        # Others of its values may be those of before, if one of them is quoted: "215, not 180".
        quotes = [QuotedText(cite.quote, turns[cite.position].observation.said) for cite in cites]
        if wrong and shares_value(text, quotes) and not (found := check(cites, possible, said_before(text)))[0]:
            wrong, held, when = found
        unsure += [why for why in unproved if why not in wrong]
    if wrong:  # all reasons at once: there are only a few attempts
        raise Refused(" ".join(f"{reason[0].upper()}{reason[1:].rstrip('.')}." for reason in dict.fromkeys(wrong)))
    of_people = [cite for cite in cites if turns[cite.position].observation.role in _PEOPLE]
    # A fact that people's words alone would support is not worth less because an assistant's are cited, too.
    needed = cites if len(of_people) == len(cites) or not of_people or problems_of(of_people) else of_people
    return Fact(
        text=text,
        about=about,
        authority=_fact_authority(proposed, text, needed, turns, known.union(filter(is_said, _capitalised(text)))),
        cites=cites,
        held=held,
        when=when,
        topic=proposed.topic if proposed.topic in TOPICS else "other",
        by=by,
        according_to=person,
        unsure="; ".join(dict.fromkeys(unsure)),
    )


def _possible_names(text: str, about: str, is_said: Callable[[str], bool]) -> Iterator[str]:
    """Capitalised words that may be names the fact takes from an earlier conversation, or no names at all."""
    words = dict.fromkeys(_capitalised(f"{text} {about}"))
    is_german = is_german_text([text])
    yield from (word for word in words if is_german or is_said(word))


def _capitalised(text: str) -> Iterator[str]:
    return (word for word in WORD.findall(text) if word[0].isupper())


def _fact_citations(proposed: ProposedFact, turns: Mapping[int, WindowTurn]) -> tuple[Citation, ...]:
    if not proposed.cites:
        raise Refused("cites is empty. Cite a turn and quote its words.")
    cites: list[Citation] = []
    for cite in proposed.cites:
        turn = turns.get(cite.turn)
        if turn is None:
            listed = ", ".join(map(str, turns))
            raise Refused(f"cites turn {cite.turn}, which is not shown. Use one of {listed}.")
        found = _words_in_turn(cite.quote, turn)
        if found is None:
            raise Refused(f"The quote {shorten(cite.quote, 60)!r} is not in turn {cite.turn}. Use its exact words.")
        cites.append(Citation(position=cite.turn, quote=found))
    return tuple(dict.fromkeys(cites))


def _words_in_turn(quote: str, turn: WindowTurn) -> str | None:
    """The quote as the turn has it."""
    spans = own_words(turn.observation.text)
    return next((words for s, e in spans if (words := verbatim(quote, _quotable_text(turn, s, e)))), None)


def _quotable_text(turn: WindowTurn, start: int, end: int) -> str:
    """The visible text of a span, with a margin, so that a word at the edge of a slice is not cut."""
    return turn.observation.text[max(start, turn.start - SLICE_MARGIN) : max(0, min(end, turn.end + SLICE_MARGIN))]


def _wording_reasons(
    text: str, cites: Sequence[Citation], turns: Mapping[int, WindowTurn], names: Collection[str]
) -> list[str]:
    wrong: list[str] = []
    quotes = " ".join(cite.quote for cite in cites)
    if shares_no_words(text, quotes):
        wrong.append("The quoted words say nothing of it. Quote the words that do (of a question and of its answer).")
    elif taken := _uncited_word_of_fact(text, quotes, {cite.position for cite in cites}, turns, names):
        word, turn = taken
        wrong.append(f"{word!r} is in turn {turn} and not in the quoted words. Quote turn {turn} too.")
    for cite in cites:
        said = turns[cite.position].observation.text
        quote, plain = _without_affirmed_denials(cite, cites, turns)
        if denial := lost_denial(text, quote, plain):
            is_asked = is_worded_as_question(cite.quote, said)
            instead = "quote the answer that affirms it too" if is_asked else "quote other words that state the fact"
            wrong.append(f"The quoted turn says {denial!r}. Keep the denial, {instead}, or leave the fact out.")
    return wrong


def _without_affirmed_denials(
    cite: Citation, cites: Sequence[Citation], turns: Mapping[int, WindowTurn]
) -> tuple[str, str]:
    """A quote and its turn without denials of a question that the next turn, if it is quoted too, answers with yes."""
    said = turns[cite.position].observation.text
    following = min((position for position in turns if position > cite.position), default=0)
    place = said.find(cite.quote)
    if place < 0 or not following or turns[following].observation.role not in ("user", "person"):
        return cite.quote, said
    answers = (answer.quote for answer in cites if answer.position == following)
    yes = next((each for each in answers if is_affirmation(each, turns[following].observation.text)), None)
    plain = said if yes is None else without_affirmed_denials(said, yes)
    return plain[place : place + len(cite.quote)], plain


def _reported_person(proposed: ProposedFact, about: str, turns: Mapping[int, WindowTurn]) -> str:
    """The person whose word the user reports; "" for the user, the speaker, and somebody who speaks of themselves."""
    person = " ".join((proposed.according_to or "").split())
    speakers = {turns[cite.turn].observation.speaker for cite in proposed.cites if cite.turn in turns}
    own = {name.casefold() for name in (*_USER_NAMES, about, *speakers)}
    return "" if person.casefold() in own else person


def _reported_person_reasons(person: str, cites: Sequence[Citation]) -> list[str]:
    if len(person) > MAX_PERSON_CHARACTERS:
        return [f"according_to has {len(person)} characters. Give only the person's name or role"]
    quotes = " ".join(" ".join(cite.quote for cite in cites).split())
    edge = r"\b" if is_latin(person) else ""  # there are no spaces between words in Chinese
    if not person or re.search(f"{edge}{re.escape(person)}{edge}", quotes, re.IGNORECASE):
        return []
    return [f"according_to is {person!r}, who is not in the quoted words. Quote the words that name them"]


def _uncited_word_of_fact(
    text: str, quotes: str, cited: Collection[int], turns: Mapping[int, WindowTurn], names: Collection[str]
) -> tuple[str, int] | None:
    """A word of the fact that appears only in an uncited document or tool turn, and that turn. None if the quotes state
    most of the fact anyway."""
    strangers = {p: turn for p, turn in turns.items() if p not in cited and turn.observation.role in _OUTSIDE_SOURCES}
    if not strangers:
        return None
    spoken = content_stems(
        " ".join([*names, *(turn.visible_text for position, turn in turns.items() if position not in strangers)])
    )
    mine = {stem for stem in content_stems(text) if not stem.isdigit()}
    of = {position: content_stems(turn.visible_text) & (mine - spoken) for position, turn in strangers.items()}
    elsewhere = set().union(*of.values())
    if len(mine & content_stems(quotes)) > 2 * len(elsewhere) or not elsewhere:
        return None
    turn = next(position for position, stems in of.items() if stems)
    words = re.findall(r"\w+", text)
    return next((word for word in words if content_stems(word) & of[turn]), min(of[turn])), turn


def _fact_authority(
    proposed: ProposedFact,
    text: str,
    cites: Sequence[Citation],
    turns: Mapping[int, WindowTurn],
    names: Collection[str],
) -> Authority:
    """The lowest authority among the quotes that the fact needs. A model can only lower it, or mark a correction by the
    user.

    If people and documents state the whole fact, no other quote is needed; a name that was said before only tells whom
    they mean. An assistant's question is not needed beside its answer, nor an assistant's statement that the user
    confirms.
    """
    if proposed.inferred:
        return "inferred"
    roles = [(cite, turns[cite.position].observation.role) for cite in cites]
    said = [
        cite
        for cite, role in roles
        if role in _PEOPLE and (content_stems(text) & content_stems(cite.quote) or is_worded_as_agreement(cite.quote))
    ]
    needed = [turns[cite.position].observation.role for cite in said]
    if not said:
        needed = [role for _cite, role in roles]
    elif not _is_fact_stated_by(text, said, turns, names):
        needed += [
            role
            for cite, role in roles
            if role not in _PEOPLE and not _is_question_behind_fact(cite, said, text, turns)
        ]
    whose = min((ROLE_AUTHORITY[role] for role in needed), key=AUTHORITIES.index)
    return "correction" if proposed.corrects and whose == "user" else whose


def _is_fact_stated_by(
    text: str, said: Sequence[Citation], turns: Mapping[int, WindowTurn], names: Collection[str]
) -> bool:
    """Whether these quotes alone state it: its numbers and dates, names that are not known, and at least half of its
    other words."""
    grounds = [QuotedText(cite.quote, turns[cite.position].observation.said) for cite in said]
    around = "\n".join(turns[cite.position].visible_text for cite in said)
    mine = {stem for stem in content_stems(text) - content_stems(" ".join(names)) if not stem[0].isdigit()}
    theirs = content_stems(" ".join(cite.quote for cite in said))
    return 2 * len(mine & theirs) >= len(mine) and not sentence_evidence_problems(
        text, grounds, around=around, names=names
    )


def _is_question_behind_fact(
    question: Citation, said: Sequence[Citation], text: str, turns: Mapping[int, WindowTurn]
) -> bool:
    """Whether an assistant's words were a question that one of these quotes answers, or a statement that one confirms.
    Only the next turn of a person or document counts."""
    turn = turns[question.position]
    if turn.observation.role != "assistant":
        return False
    was_question = is_worded_as_question(question.quote, turn.observation.text)
    answered = next((p for p in sorted(turns) if p > question.position and turns[p].observation.role in _PEOPLE), 0)
    return any(
        (was_question and bool(content_stems(text) & content_stems(cite.quote)))
        or (
            cite.position == answered
            and (is_worded_as_agreement(cite.quote) if was_question else is_worded_as_confirmation(cite.quote))
        )
        for cite in said
    )


_USER_NAMES = ("user", "the user", "me", "i")
_PEOPLE: tuple[Role, ...] = ("user", "person", "document")
_OUTSIDE_SOURCES: tuple[Role, ...] = ("document", "tool")


def _is_same_fact(fact: Fact, other: Fact) -> bool:
    return (
        fact.text.casefold() == other.text.casefold()
        and {c.position for c in fact.cites} & {c.position for c in other.cites} != set()
    )


def _is_echo_of_fact(fact: Fact, other: Fact) -> bool:
    """Whether an assistant only repeats the words of another speaker."""
    if other.authority in ("assistant", "inferred"):
        return False
    mine = content_stems(fact.text)
    theirs = content_stems(" ".join([other.text, *(citation.quote for citation in other.cites)]))
    return bool(mine) and len(mine & theirs) >= 0.75 * len(mine) and numbers(fact.text) <= numbers(other.text)
