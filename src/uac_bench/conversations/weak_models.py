"""Models that are weak in one way each: what they get wrong must not get in, and what they get right must not be lost.

Each weakens the replies of the truthful model. What it does to a reply depends on the request alone, so that a replay
gives the same result each time; asked again, it may do better, as a real model would.
"""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from uac import Reply, Request
from uac_bench.conversations.truthful_model import TruthfulModel, content_of

__all__ = ["WEAKNESSES", "WeakModel", "Weakness"]

Weakness = Callable[[dict[str, Any], Mapping[str, Any], random.Random], str]
"""Given the right answer, the content of the request, and chance: the text of the reply."""


class WeakModel:
    """The truthful model with one weakness."""

    def __init__(self, model: TruthfulModel, name: str) -> None:
        self.name = f"weak: {name}"
        self._model = model
        self._weaken = WEAKNESSES[name]

    def ask(self, request: Request) -> Reply:
        reply = self._model.ask(request)
        answer: dict[str, Any] = json.loads(reply.text)
        text = self._weaken(answer, content_of(request), random.Random(request.id))
        return Reply(text=text, model=self.name, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)


def _items(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = answer["facts"] if "facts" in answer else answer["patches"]
    return items


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _cut_off(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """Every third reply ends in the middle of an item."""
    text = _text(answer)
    return text[: len(text) * 2 // 3] if chance.random() < 1 / 3 else text


def _half_missing(answer: dict[str, Any], content: Mapping[str, Any], chance: random.Random) -> str:
    """About half of the items are left out, when it is first asked."""
    if "refused" not in content and "problem" not in content:
        items = _items(answer)
        items[:] = [item for item in items if item.get("op") == "define" or chance.random() < 1 / 2]
    return _text(answer)


def _wrong_numbers(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A digit of a third of the facts and field values is another one."""
    for item in _items(answer):
        if chance.random() < 1 / 3:
            for part, name in ((item, "text"), *((item.get("fields", {}), field) for field in item.get("fields", {}))):
                if isinstance(part.get(name), str):
                    part[name] = _another_digit(part[name], chance)
    return _text(answer)


def _another_digit(text: str, chance: random.Random) -> str:
    places = [place for place, character in enumerate(text) if character.isdigit()]
    if not places:
        return text
    place = chance.choice(places)
    return text[:place] + str((int(text[place]) + chance.randint(1, 8)) % 10) + text[place + 1 :]


def _invented_fields(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the patches have a field that the type does not have; facts have keys that nobody asked for."""
    for item in _items(answer):
        if chance.random() < 1 / 3:
            item.setdefault("fields", {})["mood"] = "cheerful"
            item["confidence"] = 0.93
    return _text(answer)


def _invented_quotes(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the facts quote words that nobody said; patches cite a fact that is not there."""
    for item in _items(answer):
        if chance.random() < 1 / 3:
            for cite in item.get("cites", ()):
                if isinstance(cite, dict):
                    cite["quote"] = f"As I said: {cite['quote'][::-1]}"
            if item.get("op") == "put":
                item["cites"] = [999_999]
    return _text(answer)


def _another_language(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """Half of the facts are written in a language that the user does not speak, and so are the reasons."""
    for item in _items(answer):
        if chance.random() < 1 / 2:
            for name in ("text", "why"):
                if name in item:
                    item[name] = " ".join(FINNISH.get(word, word) for word in item[name].split(" "))
    return _text(answer)


FINNISH = dict(
    zip(
        "The the user user's on at is with and has paid bought meal booked trip meets meeting was now".split(),
        "Tämä tämä käyttäjä käyttäjän päivänä klo on kanssa ja omistaa maksoi osti ateria varasi matka tapaa tapaaminen"
        " oli nyt".split(),
        strict=True,
    )
)


def _wrong_record(answer: dict[str, Any], content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the changes go to another record that the request shows."""
    others = [record["record"] for record in content.get("records", ())]
    for item in _items(answer):
        if "record" in item and len(others) > 1 and chance.random() < 1 / 3:
            item["record"] = chance.choice([other for other in others if other != item["record"]])
    return _text(answer)


def _chatty(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """The reply is wrapped in prose, and half of the time in a code block."""
    text = json.dumps(answer, ensure_ascii=False, indent=2)
    fenced = f"```json\n{text}\n```" if chance.random() < 1 / 2 else text
    return f"Sure! Here is what I found:\n\n{fenced}\n\nLet me know if you need anything else."


def _no_answer(answer: dict[str, Any], _content: Mapping[str, Any], chance: random.Random) -> str:
    """A third of the replies are no answer at all."""
    return "I'm sorry, I can't help with that." if chance.random() < 1 / 3 else _text(answer)


WEAKNESSES: Mapping[str, Weakness] = {
    "cut off": _cut_off,
    "half missing": _half_missing,
    "wrong numbers": _wrong_numbers,
    "invented fields": _invented_fields,
    "invented quotes": _invented_quotes,
    "another language": _another_language,
    "wrong record": _wrong_record,
    "chatty": _chatty,
    "no answer": _no_answer,
}
