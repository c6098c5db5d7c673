"""Models that are weak in one way each: what they get wrong must not get in, and what they get right must not be lost.

Each weakens the replies of the truthful model. What it does to a reply depends on the request alone, so that a replay
gives the same result each time; asked again, it may do better, as a real model would.
"""

import json
import random
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from uac import Reply, Request
from uac_bench.conversations.truthful_model import TruthfulModel, content_of, listed_types

__all__ = ["UNCHECKED", "WEAKNESSES", "WeakModel", "Weakness"]

Weakness = Callable[[dict[str, Any], Mapping[str, Any], random.Random], str]
"""Given the right answer, which it may change, the content of the request, and chance: the text of the reply."""
SHARE = 1 / 3  # of the replies or items that are weak


class WeakModel:
    """The truthful model with one weakness."""

    def __init__(self, model: TruthfulModel, name: str) -> None:
        self.name = f"weak: {name}"
        self.lies: set[str] = set()
        """The texts of facts that it made up."""
        self._model = model
        self._weakness = name
        self._weaken = WEAKNESSES[name]
        self._is_honest = name == "another language"

    def ask(self, request: Request) -> Reply:
        reply = self._model.ask(request)
        answer: dict[str, Any] = json.loads(reply.text)
        if request.step == "ask":
            text = _weak_answer(self._weakness, answer, random.Random(request.id))
            return Reply(text=text, model=self.name, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        true = {item["text"] for item in answer.get("facts", ())}
        text = self._weaken(answer, content_of(request), random.Random(request.id))
        if not self._is_honest:
            self.lies |= {item["text"] for item in answer.get("facts", ())} - true
        return Reply(text=text, model=self.name, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)


def _items(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = answer["facts"] if "facts" in answer else answer["patches"]
    return items


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _weak_answer(name: str, answer: dict[str, Any], chance: random.Random) -> str:
    """The step or answer to a question. Numbers are wrong as in records, and what is unknown is made up."""
    match name:
        case "cut off" | "no answer" | "chatty":
            return WEAKNESSES[name](answer, {}, chance)
        case "empty" if chance.random() < SHARE:
            return ""
        case "wrong numbers" if chance.random() < SHARE:
            answer |= {"answer": _another_digit(answer["answer"], chance)} if "answer" in answer else {}
        case "off by one" if chance.random() < SHARE:
            answer |= {"answer": _one_more(answer["answer"])} if "answer" in answer else {}
        case "invented facts" if chance.random() < SHARE and answer.get("known") is False:
            answer = {"answer": "Ottokar told 37 people.", "known": True}
        case "invented quotes" if chance.random() < SHARE:
            answer["quotes"] = [{**each, "quote": each["quote"][::-1]} for each in answer.get("quotes", ())]
    return _text(answer)


# --- less than the right answer ---------------------------------------------------------------------------------------


def _cut_off(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """Every third reply ends somewhere."""
    text = _text(answer)
    return text[: chance.randrange(len(text))] if chance.random() < SHARE else text


def _half_missing(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """Half of the items are left out, each time."""
    items = _items(answer)
    items[:] = [item for item in items if item.get("op") == "define" or chance.random() < 1 / 2]
    return _text(answer)


def _no_answer(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the replies decline."""
    return "I'm sorry, I can't help with that." if chance.random() < SHARE else _text(answer)


def _empty(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the replies are empty: without text, or with empty lists."""
    draw = chance.random()
    if draw < SHARE / 2:
        return ""
    if draw < SHARE:
        _items(answer).clear()
    return _text(answer)


# --- the right answer in another form ---------------------------------------------------------------------------------


def _chatty(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """The reply is wrapped in prose, and half of the time in a code block."""
    text = json.dumps(answer, ensure_ascii=False, indent=2)
    fenced = f"```json\n{text}\n```" if chance.random() < 1 / 2 else text
    return f"Sure! Here is what I found {{as asked}}:\n\n{fenced}\n\nLet me know if you need anything else."


def _careless(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """Numbers are texts, days are moments, null stands for nothing, commas are left over, lists of one are left out."""
    for item in _items(answer):
        if item.get("op") in ("put", "set_aside", "end"):
            item["cites"] = [str(cited) for cited in item["cites"]]
        elif item.get("op") == "amend":
            item["cites"] = item["cites"][0]
        elif "text" in item:
            item |= {name: item.get(name) for name in ("when", "start", "end", "according_to")}
            item["cites"] = [{**cite, "turn": str(cite["turn"])} for cite in item["cites"]]
        for name, value in item.get("fields", {}).items():
            if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                item["fields"][name] = f"{value}T00:00:00Z"
    items = _items(answer)
    if len(items) == 1 and chance.random() < 1 / 2:
        return _text({"facts" if "facts" in answer else "patches": items[0]})
    return re.sub(r"\]\}$", ",]}", _text({name: value for name, value in answer.items() if value}) or "{}")


def _repeats(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the items are given twice."""
    items = _items(answer)
    items[:] = [again for item in items for again in ([item, item] if chance.random() < SHARE else [item])]
    return _text(answer)


def _another_language(answer: dict[str, Any], content: Mapping[str, Any], chance: random.Random) -> str:
    """Half of the facts are written in a language that the user does not speak, and so are the reasons."""
    items = _items(answer)
    items[:] = [item for item in items if _in_finnish(item.get("text", "")) not in content.get("taken", ())]
    for item in items:
        if chance.random() < 1 / 2:
            for name in ("text", "why"):
                if name in item and item.get("op") != "end":
                    item[name] = _in_finnish(item[name])
    return _text(answer)


def _in_finnish(text: str) -> str:
    return " ".join(FINNISH.get(word, word) for word in text.split(" "))


FINNISH = dict(
    zip(
        "The the user user's on at is with and has paid bought meal booked trip meets meeting was now".split(),
        "Tämä tämä käyttäjä käyttäjän päivänä klo on kanssa ja omistaa maksoi osti ateria varasi matka tapaa tapaaminen"
        " oli nyt".split(),
        strict=True,
    )
)


# --- something else than the right answer -----------------------------------------------------------------------------


def _wrong_numbers(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A digit of a third of the facts and field values is another one."""
    _change_values(answer, chance, _another_digit)
    return _text(answer)


def _off_by_one(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """In a third of the facts and patches, every date is the next day and every other number one more."""
    _change_values(answer, chance, lambda text, _chance: _one_more(text))
    return _text(answer)


def _change_values(answer: dict[str, Any], chance: random.Random, change: Callable[[str, random.Random], str]) -> None:
    for item in _items(answer):
        if chance.random() < SHARE:
            for part, name in (
                *((item, name) for name in ("text", "start", "end")),
                *((item.get("fields", {}), field) for field in item.get("fields", {})),
            ):
                if isinstance(part.get(name), str):
                    part[name] = change(part[name], chance)


def _another_digit(text: str, chance: random.Random) -> str:
    places = [place for place, character in enumerate(text) if character.isdigit()]
    if not places:
        return text
    place = chance.choice(places)
    return text[:place] + str((int(text[place]) + chance.randint(1, 8)) % 10) + text[place + 1 :]


def _one_more(text: str) -> str:
    def more(found: re.Match[str]) -> str:
        if "-" in found[0]:
            return (date.fromisoformat(found[0]) + timedelta(days=1)).isoformat()
        return str(int(found[0]) + 1).zfill(len(found[0]))

    return re.sub(r"\d{4}-\d\d-\d\d|\d+", more, text, count=1)


def _swapped(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """In a third of the replies, what two items depend on is swapped: their quotes, or the facts that they cite."""
    items = [item for item in _items(answer) if "cites" in item]
    if len(items) > 1 and chance.random() < SHARE:
        one, other = chance.sample(items, 2)
        one["cites"], other["cites"] = other["cites"], one["cites"]
    return _text(answer)


def _invented_fields(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the patches have a field that the type does not have; facts have keys that nobody asked for."""
    for item in _items(answer):
        if chance.random() < SHARE:
            if item.get("op") in (None, "put", "amend"):
                item.setdefault("fields", {})["mood"] = "cheerful"
            item["confidence"] = 0.93
    return _text(answer)


def _invented_quotes(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the facts quote words that nobody said; patches cite a fact that is not there."""
    for item in _items(answer):
        if chance.random() < SHARE:
            for cite in item.get("cites", ()):
                if isinstance(cite, dict):
                    cite["quote"] = f"As I said: {cite['quote'][::-1]}"
            if item.get("op") == "put":
                item["cites"] = [999_999]
    return _text(answer)


def _invented_facts(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the facts are repeated with a name and a number that nobody said; patches have another value."""
    for item in list(_items(answer)):
        if chance.random() < SHARE:
            if "text" in item:
                _items(answer).append({**item, "text": f"{item['text'].rstrip('.')}, as Ottokar told 37 people."})
            for name, value in item.get("fields", {}).items():
                if isinstance(value, str) and not re.search(r"\d", value):
                    item["fields"][name] = "Ottokar Wendelin"
                    break
    return _text(answer)


def _embroidered(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the facts end with a feeling that nobody mentioned. There is no name or number to check."""
    for item in answer.get("facts", ()):
        if chance.random() < SHARE:
            item["text"] = f"{item['text'].rstrip('.')}, and was glad about it."
    return _text(answer)


def _wrong_person(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the facts about other people are noted as the user's own."""
    for item in answer.get("facts", ()):
        about = item.get("about", "user")
        if item["text"].startswith(about) and chance.random() < SHARE:
            item |= {"about": "user", "text": item["text"].replace(about, "The user", 1)}
    return _text(answer)


def _wrong_record(answer: dict[str, Any], content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the changes go to another record that the request shows."""
    others = list(content.get("records", ()))
    for item in _items(answer):
        if "record" in item and len(others) > 1 and chance.random() < SHARE:
            item["record"] = chance.choice([other for other in others if other != item["record"]])
    return _text(answer)


def _wrong_type(answer: dict[str, Any], content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the new records are of another type that the request lists."""
    listed = sorted(listed_types(content))
    for item in _items(answer):
        if item.get("op") == "put" and len(listed) > 1 and chance.random() < SHARE:
            item["type"] = chance.choice([other for other in listed if other != item["type"]])
    return _text(answer)


WEAKNESSES: Mapping[str, Weakness] = {
    "cut off": _cut_off,
    "half missing": _half_missing,
    "no answer": _no_answer,
    "empty": _empty,
    "chatty": _chatty,
    "careless form": _careless,
    "repeats": _repeats,
    "another language": _another_language,
    "wrong numbers": _wrong_numbers,
    "off by one": _off_by_one,
    "swapped": _swapped,
    "invented fields": _invented_fields,
    "invented quotes": _invented_quotes,
    "invented facts": _invented_facts,
    "wrong person": _wrong_person,
    "wrong record": _wrong_record,
    "wrong type": _wrong_type,
    "embroidered": _embroidered,
}
UNCHECKED = frozenset({"embroidered", "wrong person"})
"""Weaknesses that code cannot see: what they get wrong is reported, and is no failure."""
