"""Observations to facts: what a model is asked about a window of turns, and what is taken from its reply.

Every fact is checked by code: the quote is verbatim; numbers, names and dates follow from it; a date that depends on
the time of saying is worked out here and compared. What does not hold is a finding, and goes back to the model.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from uac.calls import check_plain, reply_object
from uac.claims import AUTHORITIES, ROLE_AUTHORITY
from uac.dates import means, mentions, resolve
from uac.echo import own_words
from uac.entries import Authority, Citation, Fact, Finding, Role
from uac.errors import Refused
from uac.grounds import Ground, unsupported, values_unsupported
from uac.numerals import numbers
from uac.periods import Period, check_period
from uac.quotes import verbatim
from uac.requests import Request, prompt_text
from uac.windows import Turn, Window

__all__ = ["FACTS_SCHEMA", "TOPICS", "Taken", "extract_request", "read_facts"]

TOPICS = ("health", "finance", "travel", "calendar", "household", "food", "people", "other")
MOST_TEXT = 400  # characters of a fact: it is one claim
MOST_NAMES = 40
EDGE = 200  # characters around a slice

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
                    "topic": {"type": "string", "enum": list(TOPICS)},
                    "inferred": {"type": "boolean"},
                    "corrects": {"type": "boolean"},
                },
            },
        },
        "more": {"type": "boolean"},
    },
}


class Quoted(msgspec.Struct, frozen=True):
    """Words of a turn, as a model gives them."""

    turn: int
    quote: str


class Proposed(msgspec.Struct, frozen=True):
    """A fact as a model gives it."""

    text: str
    about: str
    cites: tuple[Quoted, ...]
    when: str | None = ""
    start: str | None = ""
    end: str | None = ""
    topic: str | None = ""
    inferred: bool | None = False
    corrects: bool | None = False


class Taken(NamedTuple):
    """What a reply gave: facts that hold, what was wrong with the others, and whether the model has more to say."""

    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    more: bool = False
    echoes: int = 0
    """Facts that only repeat what is known: an assistant said back what memory had told it."""


def extract_request(
    window: Window,
    *,
    names: Sequence[str] = (),
    position: int = 0,
    taken: Sequence[str] = (),
    refused: Sequence[tuple[Any, str]] = (),
    problem: str = "",
) -> Request:
    """What a model is asked about a window; `taken`, `refused` and `problem` tell what came of earlier replies."""
    content: dict[str, Any] = {}
    if names:
        content["known_names"] = list(names[:MOST_NAMES])
    if window.is_second:
        content["look"] = "second"
    content["turns"] = [_shown(turn) for turn in window.turns]
    if taken:
        content["taken"] = list(taken)
    if refused:
        content["refused"] = [{"fact": fact, "why": why} for fact, why in refused]
    if problem:
        content["problem"] = problem
    return Request(
        step="extract",
        prompt=prompt_text("extract"),
        content=json.dumps(content, ensure_ascii=False, indent=1),
        schema=FACTS_SCHEMA,
        position=position,
        answers=window.answers,
        read=window.read,
    )


def _shown(turn: Turn) -> dict[str, Any]:
    observation = turn.observation
    who = "somebody else" if observation.role == "person" else observation.role
    shown: dict[str, Any] = {
        "turn": turn.position,
        "said": f"{observation.said:%A %Y-%m-%d %H:%M}",
        "who": f"{who} ({observation.speaker})" if observation.speaker else who,
        "text": turn.words,
    }
    if not turn.is_new:
        shown["context"] = True
    elif turn.start or turn.end < len(observation.text):
        shown["part"] = f"characters {turn.start} to {turn.end} of {len(observation.text)}"
    return shown


def read_facts(
    reply: str,
    window: Window,
    *,
    names: Collection[str] = (),
    by: str = "",
    known: Callable[[str], Sequence[Fact]] = lambda _text: (),
) -> Taken:
    """The facts of a reply that hold, and findings on those that do not. `known` finds facts that say much the same."""
    facts: list[Fact] = []
    findings: list[Finding] = []
    echoes = 0
    try:
        items, more = _items(reply)
    except Refused as error:
        return Taken((), (Finding(why=str(error), positions=window.answers),))
    turns = {turn.position: turn for turn in window.turns}
    for number, item in enumerate(items, 1):
        try:
            fact = _fact(item, turns, names, by)
        except Refused as error:
            findings.append(Finding(why=str(error), positions=_cited(item, window), part=number))
            continue
        same = known(fact.text)
        if any(_is_same(fact, other) for other in (*facts, *same)):
            continue
        if fact.authority == "assistant" and any(_repeats(fact, other) for other in same):
            echoes += 1
            continue
        facts.append(fact)
    return Taken(tuple(facts), tuple(findings), more, echoes)


def _items(reply: str) -> tuple[list[Any], bool]:
    """The proposed facts, and whether there are more; of a reply that was cut off, those that are whole."""
    try:
        found = reply_object(reply)
    except Refused:
        whole = list(_whole_items(reply))
        if not whole:
            raise
        return whole, True
    items = found.get("facts")
    if not isinstance(items, list):
        raise Refused('the reply has no list "facts"')
    return items, found.get("more") is True


def _whole_items(reply: str) -> Iterator[Any]:
    start = re.search(r'"facts"\s*:\s*\[', reply)
    place, decoder = (start.end() if start else len(reply)), json.JSONDecoder()
    while (place := reply.find("{", place)) >= 0:
        try:
            item, place = decoder.raw_decode(reply, place)
            check_plain(item)
        except (ValueError, RecursionError, Refused):
            return
        yield item


def _cited(item: Any, window: Window) -> tuple[int, ...]:
    """The turns that a proposed fact is about; all that were asked about if it does not say."""
    cites = item.get("cites") if isinstance(item, dict) else None
    turns = [cite.get("turn") for cite in cites if isinstance(cite, dict)] if isinstance(cites, list) else []
    return tuple(position for position in window.answers if position in turns) or window.answers


def _fact(item: Any, turns: Mapping[int, Turn], names: Collection[str], by: str) -> Fact:
    try:
        proposed = msgspec.convert(item, Proposed)
    except msgspec.ValidationError as error:
        raise Refused(str(error)) from None
    text, about = " ".join(proposed.text.split()), " ".join(proposed.about.split())
    if not text or not about:
        raise Refused("text or about is empty")
    if len(text) > MOST_TEXT:
        raise Refused(f"text has {len(text)} characters, needs one claim in at most {MOST_TEXT}: split it")
    cites = _citations(proposed, turns)
    cited = [turns[citation.position] for citation in cites]
    grounds = [Ground(citation.quote, turn.observation.said) for citation, turn in zip(cites, cited, strict=True)]
    spoken = [
        turn for turn in turns.values() if turn in cited or turn.observation.role in ("user", "person", "assistant")
    ]
    around = "\n".join(_near(turn, 0, len(turn.observation.text)) for turn in spoken)
    known = {*names, *(turn.observation.speaker for turn in turns.values())} - {""}
    wrong = unsupported(text, grounds, around=around, names=known)
    if about.casefold() not in ("user", "the user", "me"):
        wrong += unsupported(f"It is {about}.", grounds, around=around, names=known)
    wrong += _wrong_words(text, grounds)
    wrong += [why for cite in cites for why in _wrong_sign(text, cite.quote, turns[cite.position].observation.text)]
    held, when = Period(), ""
    try:
        held, when = _held(proposed, grounds)
    except Refused as error:
        wrong.append(str(error))
    if wrong:  # all reasons at once: there are only a few attempts
        raise Refused("; ".join(dict.fromkeys(wrong)))
    return Fact(
        text=text,
        about=about,
        authority=_authority(
            proposed, text, [(c.quote, t.observation.role) for c, t in zip(cites, cited, strict=True)]
        ),
        cites=cites,
        held=held,
        when=when,
        topic=proposed.topic if proposed.topic in TOPICS else "other",
        by=by,
    )


def _citations(proposed: Proposed, turns: Mapping[int, Turn]) -> tuple[Citation, ...]:
    if not proposed.cites:
        raise Refused("cites nothing, needs a turn and its words")
    cites: list[Citation] = []
    for cite in proposed.cites:
        turn = turns.get(cite.turn)
        if turn is None:
            listed = ", ".join(map(str, turns))
            raise Refused(f"cites turn {cite.turn}, which is not shown, needs one of {listed}")
        spans = own_words(turn.observation.text)
        found = next((q for s, e in spans if (q := verbatim(cite.quote, _near(turn, s, e)))), None)
        if found is None:
            raise Refused(f"the quote {_shorten(cite.quote)!r} is not in turn {cite.turn}, needs its very words")
        cites.append(Citation(position=cite.turn, quote=found))
    return tuple(dict.fromkeys(cites))


def _near(turn: Turn, start: int, end: int) -> str:
    """The words of a span that were shown, and a little around them: a word at the edge of a slice is not cut."""
    return turn.observation.text[max(start, turn.start - EDGE) : max(0, min(end, turn.end + EDGE))]


def _wrong_words(text: str, grounds: Sequence[Ground]) -> list[str]:
    """A quote that shares no word with the fact does not say it, however true it is that it was said."""
    mine, theirs = _content(text), _content(" ".join(ground.words for ground in grounds))
    if not mine or mine & theirs or not text.isascii() or not all(ground.words.isascii() for ground in grounds):
        return []
    return ["the quoted words say nothing of it, needs the words that do (of a question and of its answer)"]


def _wrong_sign(text: str, quote: str, said: str) -> list[str]:
    """A denial that the fact lost: before the quote in its clause, or in the quote before words that the fact has."""
    if _DENIES.search(text):
        return []
    clause = _CLAUSE.split(said[: said.find(quote)])[-1]
    denied = _DENIES.search(" ".join(clause.split()[-3:])[-40:])
    for denial in _DENIES.finditer(quote):
        after = _CLAUSE.split(quote[denial.end() :])[0].split()[:4]
        if _content(" ".join(after)[:60]) & _content(text):
            denied = denied or denial
    why = "keep the denial, or quote only the words that say it"
    return [f"the words have {denied[0]!r} there: {why}"] if denied else []


_CLAUSE = re.compile(r"[.!?;:,\n。，！？；：、]")
_DENIES = re.compile(
    r"\b(?:not(?! only)|no(?! doubt| problem| worries| matter| wonder)|never|nobody|none|nothing|neither|nor|without|"
    r"cannot|\w{1,9}n['’]t|nicht(?! nur)|kein\w{0,2}|nie|niemals|ohne|nunca|jamais|sin|sans|n[aã]o)\b"
    r"|没(?!事|关系)|不(?!过|错|仅|但|好意思)|無|ません|ない",
    re.IGNORECASE,
)


def _authority(proposed: Proposed, text: str, quotes: Sequence[tuple[str, Role]]) -> Authority:
    """Whose word it is: of those whose quoted words say it, the weakest; an assistant's question does not count where
    the user agrees. A model can only make it weaker, or say that the user corrects themselves."""
    if proposed.inferred:
        return "inferred"
    said = [role for quote, role in quotes if role in _PEOPLE and (_content(text) & _content(quote) or _AGREES(quote))]
    whose = min((ROLE_AUTHORITY[role] for role in said or [role for _quote, role in quotes]), key=AUTHORITIES.index)
    return "correction" if proposed.corrects and whose == "user" else whose


_PEOPLE: tuple[Role, ...] = ("user", "person", "document")
_AGREES = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|right|correct|exactly|sure|ok(?:ay)?|true|indeed|no|nope|ja|genau|stimmt|nein|s[ií]|"
    r"claro|oui|exact|non|certo|sim|é)\b|对|是|没错|好|はい|そう|うん).{0,60}",
    re.IGNORECASE | re.DOTALL,
).fullmatch
"""Words that only agree or deny: what they mean stands in what was asked."""


def _held(proposed: Proposed, grounds: Sequence[Ground]) -> tuple[Period, str]:
    """When the fact holds and the phrase that says so: as the code resolves the phrase, or not at all."""
    phrase = (proposed.when or "").strip()
    period = Period((proposed.start or "").strip(), (proposed.end or "").strip())
    check_period(period)
    if not phrase:
        return _unphrased(period, grounds)
    ground = next((ground for ground in grounds if verbatim(phrase, ground.words)), None)
    if ground is None:
        raise Refused(f"when is {_shorten(phrase)!r}, which is not in the quoted words, needs a phrase of the quote")
    meanings = _meanings(phrase, ground)
    if not meanings:
        return _unphrased(period, grounds)[0], phrase
    if period == Period():
        return _widest(meanings), phrase
    is_range = any(period.start == meaning.start for meaning in meanings) and period.end != period.start
    if not means(period, meanings) and not (is_range and _is_told(period, grounds)):
        raise Refused(
            f"{phrase!r}, said on {ground.said:%A %Y-%m-%d}, means {_listed(meanings)},"
            f" and start and end say {_ends(period)}"
        )
    return period, phrase


def _unphrased(period: Period, grounds: Sequence[Ground]) -> tuple[Period, str]:
    """A period without a phrase must stand in the quoted words, or begin on the day they were said."""
    if period == Period():
        return period, ""
    for ground in grounds:
        if period.start == ground.said.date().isoformat() and period.end in ("", period.start):
            return period, ""
        for mention in mentions(ground.words, ground.said):
            if means(period, mention.meanings):
                return period, mention.phrase
    if _is_told(period, grounds):
        return period, ""
    raise Refused(
        f"start and end say {_ends(period)}, which the quoted words do not: leave them out, or quote the date"
    )


def _is_told(period: Period, grounds: Sequence[Ground]) -> bool:
    """Whether the quoted words name both ends, or how long it is from one to the other."""
    return not values_unsupported({"start": period.start or None, "end": period.end or None}, grounds)


def _widest(meanings: Sequence[Period]) -> Period:
    """The meaning that holds all others: two weeks ago was in that week. Without one, there is no date."""
    for wide in meanings:
        first, last = wide.first, wide.last
        if first and last and all(m.first and m.last and first <= m.first and m.last <= last for m in meanings):
            return wide
    return Period()


def _meanings(phrase: str, ground: Ground) -> tuple[Period, ...]:
    """What a phrase means where it stands: 'the 25th' after 'January 15' is a day of January."""
    for mention in mentions(ground.words, ground.said):
        if mention.phrase.casefold() == phrase.casefold():
            return mention.meanings
    return resolve(phrase, ground.said)


def _is_same(fact: Fact, other: Fact) -> bool:
    return (
        fact.text.casefold() == other.text.casefold()
        and {c.position for c in fact.cites} & {c.position for c in other.cites} != set()
    )


def _repeats(fact: Fact, other: Fact) -> bool:
    """Whether an assistant's word only says again what somebody else had said."""
    if other.authority in ("assistant", "inferred"):
        return False
    mine = _content(fact.text)
    theirs = _content(" ".join([other.text, *(citation.quote for citation in other.cites)]))
    return bool(mine) and len(mine & theirs) >= 0.75 * len(mine) and numbers(fact.text) <= numbers(other.text)


def _content(text: str) -> set[str]:
    """The words that carry meaning, shortened so that forms are alike; of scripts without spaces, pairs of signs."""
    found = [word for word in re.findall(r"\w+", text.casefold()) if word not in _SMALL]
    pairs = {run[at : at + 2] for run in _WIDE.findall(text) for at in range(len(run) - 1)}
    return pairs | {word[:5] for word in found if len(word) > 2 or word.isdigit() or not word.isascii()}


_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_SMALL = frozenset(
    "the user has had have and for with was were his her hers their them they she him its that this these those are not"
    " from into about who whom whose which what when where why how does did will would can could should been being also"
    " but you your yours our ours mine all any some very just now der die das und ist hat ein eine mit".split()
)


def _listed(meanings: Sequence[Period]) -> str:
    return " or ".join(map(_ends, meanings))


def _ends(period: Period) -> str:
    if period.start == period.end:
        return period.start
    return f"{period.start or '…'} to {period.end or '…'}"


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
