"""Facts and records that an agent gives together with the words, as replies to the requests of the two steps.

Facts quote the turns of the call, by number or just by their words; records cite the facts of the call by number. Here
the numbers become positions in the log, so that the same code checks them as in two steps.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from uac.conversation.windows import WindowTurn
from uac.errors import Refused
from uac.schema.entries import Fact, Finding
from uac.text.memory_block import own_words
from uac.text.quotes import verbatim

__all__ = [
    "GivenReply",
    "cited_facts",
    "fact_places",
    "facts_reply",
    "patches_reply",
    "with_own_reasons",
    "without_positions",
]

NEEDS_FACTS = ("put", "amend", "end", "drop", "set_aside")
"""The operations that cite facts."""


class GivenReply(NamedTuple):
    """The reply that the two-step way would have got, and why some of its parts cannot be accepted.

    Such a part is in the reply in a form that is always refused.
    """

    text: str
    wrong: Mapping[int, str]
    """Reasons, by the number of the part from 1."""


def facts_reply(facts: Any, turns: Sequence[WindowTurn], context: Sequence[WindowTurn] = ()) -> GivenReply:
    """The facts of a call as a reply to an extract request. `turns` are those of the call, which facts number from 1;
    `context` are earlier turns, which can only be quoted."""
    if not isinstance(facts, list):
        return GivenReply(_reply_text({"facts": facts}), {})
    items: list[Any] = []
    wrong: dict[int, str] = {}
    for part, item in enumerate(facts, 1):
        if not isinstance(item, dict):
            items.append(item)
            wrong[part] = 'It is not an object. Give {"text": "…", "quote": "words of a turn"}.'
            continue
        rest = {name: value for name, value in item.items() if name not in ("quote", "cites")}
        try:
            rest["cites"] = _quoted_turns(item, turns, context)
        except Refused as error:
            wrong[part] = str(error)
        items.append({"about": "user", **rest})
    return GivenReply(_reply_text({"facts": items}), wrong)


def _quoted_turns(
    item: Mapping[str, Any], turns: Sequence[WindowTurn], context: Sequence[WindowTurn]
) -> list[dict[str, Any]]:
    """The citations of a fact, by position."""
    quotes, cites = item.get("quote"), item.get("cites")
    if cites is not None:
        if not isinstance(cites, list) or not all(isinstance(cite, dict) for cite in cites):
            raise Refused('cites is not a list of {"turn": 1, "quote": "…"}. Use one, or give quote alone.')
        return [{**cite, "turn": _numbered_turn(cite.get("turn", 1), turns).position} for cite in cites]
    given = quotes if isinstance(quotes, list) else [quotes]
    words = [quote for quote in given if isinstance(quote, str) and quote.strip()]
    if not words or len(words) < len(given):
        raise Refused("quote is empty. Copy the words of the turn that say it.")
    return [{"turn": _quoted_turn(quote, turns, context).position, "quote": quote} for quote in words]


def _numbered_turn(number: Any, turns: Sequence[WindowTurn]) -> WindowTurn:
    if type(number) is not int or not 0 < number <= len(turns):
        raise Refused(f"cites turn {number!r}. Use a number from 1 to {len(turns)}.")
    return turns[number - 1]


def _quoted_turn(quote: str, turns: Sequence[WindowTurn], context: Sequence[WindowTurn]) -> WindowTurn:
    """The turn that has these words: of this call, or else before it. Whose words they are is never guessed."""
    for group in (turns, context):
        found = [(number, turn) for number, turn in enumerate(group, 1) if _has_words(turn, quote)]
        if len({(turn.observation.role, turn.observation.speaker) for _number, turn in found}) > 1:
            listed = " and ".join(str(number) for number, _turn in found)
            raise Refused(
                f'The quote is in turns {listed}, of different speakers. Give "cites": [{{"turn": …, "quote": "…"}}].'
                if group is turns
                else "The quote is in several earlier turns. Quote more of the one that is meant."
            )
        if found:
            return found[-1][1]
    return turns[-1]  # refused later: the quote is not in that turn


def _has_words(turn: WindowTurn, quote: str) -> bool:
    text = turn.observation.text
    return any(verbatim(quote, text[start:end]) is not None for start, end in own_words(text))


def fact_places(facts: Any, stored: Mapping[int, Fact]) -> dict[int, int]:
    """The position of each fact of a call that is among the stored ones, by its number from 1."""
    places: dict[str, int] = {}
    for position, fact in stored.items():
        places.setdefault(fact.text.casefold(), position)
    found: dict[int, int] = {}
    for number, item in enumerate(facts if isinstance(facts, list) else [], 1):
        text = item.get("text") if isinstance(item, dict) else None
        if isinstance(text, str) and (place := places.get(" ".join(text.split()).casefold())):
            found[number] = place
    return found


def patches_reply(
    records: Any, constraints: Any, *, count: int, places: Mapping[int, int], refused: Sequence[Finding] = ()
) -> GivenReply:
    """The records and constraints of a call as a reply to a checkpoint request.

    The call has `count` facts, of which those in `places` were taken; `refused` are the findings on the others.
    """
    given = {"patches": [] if records is None else records, "constraints": [] if constraints is None else constraints}
    if not all(isinstance(items, list) for items in given.values()):
        return GivenReply(_reply_text(given), {})
    untaken = _untaken_facts(count, places, refused)
    wrong: dict[int, str] = {}
    reply: dict[str, list[Any]] = {name: [] for name in given}
    for name, items in given.items():
        for item in items:
            changed, why = item, 'It is not an object. Give {"type": "…", "fields": {…}, "cites": [1]}.'
            if isinstance(item, dict):
                changed, why = _with_fact_positions(item, name == "constraints", count, places, untaken)
            reply[name].append(changed)
            if why:
                wrong[sum(map(len, reply.values()))] = why
    return GivenReply(_reply_text(reply), wrong)


def _untaken_facts(count: int, places: Mapping[int, int], refused: Sequence[Finding]) -> dict[int, str]:
    """Why each fact that was not taken cannot be cited."""
    parts = {finding.part for finding in refused}
    return {
        number: f"cites fact {number}, which was refused. Give that fact again with this one."
        if number in parts or 0 in parts
        else f"cites fact {number}, which says nothing new. Cite the record that it is about."
        for number in range(1, count + 1)
        if number not in places
    }


def _with_fact_positions(
    item: Mapping[str, Any], is_constraint: bool, count: int, places: Mapping[int, int], untaken: Mapping[int, str]
) -> tuple[dict[str, Any], str]:
    """An item of a reply that cites facts by position, and why it cannot be accepted, if so."""
    changed = dict(item)
    if not is_constraint and "op" not in item and "type" in item and "fields" in item:
        changed["op"] = "put"
    cites = item.get("cites")
    needs = is_constraint or changed.get("op") in NEEDS_FACTS
    if cites is None and needs and count == 1:
        cites = [1]
    if not isinstance(cites, list):
        why = "No fact supports it. Give facts, each with its quote, and cite them by number." if needs else ""
        return changed, "" if cites is not None else why
    why = ""
    found: list[Any] = []
    for cited in cites:
        if type(cited) is int:
            found.append(places.get(cited, f"no fact {cited}"))
            if cited not in places:
                why = why or untaken.get(cited, _unknown_fact(cited, count))
        elif isinstance(cited, str) and (earlier := re.fullmatch(r"fact:([0-9]{1,15})", cited)):
            found.append(int(earlier[1]))
        else:
            found.append(cited)
    return {**changed, "cites": found}, why


def _unknown_fact(number: int, count: int) -> str:
    known = f"facts 1 to {count}" if count > 1 else "only fact 1" if count else "no facts"
    return f'cites {number}, but this call has {known}. Cite a fact that is stored already as "fact:{number}".'


def cited_facts(reply: str) -> set[int]:
    """The positions that the parts of a reply cite."""
    try:
        found = json.loads(reply)
    except (ValueError, RecursionError):
        return set()
    items = [item for name in ("patches", "constraints") for item in _list_of(found.get(name))]
    cites = [cited for item in items if isinstance(item, dict) for cited in _list_of(item.get("cites"))]
    return {cited for cited in cites if type(cited) is int}


def _list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def with_own_reasons(findings: Sequence[Finding], wrong: Mapping[int, str]) -> tuple[Finding, ...]:
    """The findings, with the reason that was known before the check where there is one."""
    return tuple(
        msgspec.structs.replace(finding, why=wrong[finding.part]) if finding.part in wrong else finding
        for finding in findings
    )


def without_positions(why: str, turns: Sequence[int]) -> str:
    """A reason that names turns by their number in the call, as its author does."""
    numbers = {str(position): str(number) for number, position in enumerate(turns, 1)}
    return re.sub(r"\bturn ([0-9]+)\b", lambda found: f"turn {numbers.get(found[1], found[1])}", why)


def _reply_text(reply: Mapping[str, Any]) -> str:
    try:
        return json.dumps(reply, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError) as error:
        return f"not JSON: {type(error).__name__}"
