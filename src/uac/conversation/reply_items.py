"""The items of a reply's lists, in the forms that models use: one item instead of a list, a list without its object,
and a reply that ends in the middle, of which the complete items count."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from uac.errors import Refused
from uac.models.requests_and_replies import check_reply_json, parse_reply_json, without_trailing_commas
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["ReplyItems", "read_reply_items"]

ITEM_KEYS = {"facts": {"text", "cites"}, "patches": {"op"}}
"""The keys by which an item is recognised that is given without its list."""


class ReplyItems(NamedTuple):
    """The items of the named lists, in that order."""

    lists: tuple[list[Any], ...]
    is_cut: bool = False
    """Whether the reply ends early."""
    closed: int = 0
    """How many of the lists of a reply that ends early are complete."""
    more: bool = False
    """Whether the model says that it has more."""

    @property
    def all(self) -> list[Any]:
        return [item for items in self.lists for item in items]


def read_reply_items(reply: str, *names: str) -> ReplyItems:
    """The items of the lists with these names; Refused if the reply has none of them.

    Items may stand without an object around their list; then they are those of the first name.
    """
    opening = _OPENING.search(reply)
    if opening is not None and opening[1]:
        start = len(opening[1]) + opening.start()
        return _items_of_cut_reply(f'{{"{names[0]}": [{reply[start:]}', names)
    try:
        found = parse_reply_json(reply)
    except Refused:
        items = _items_of_cut_reply(reply, names)
        if not items.all:
            raise
        return items
    if not found.keys() & {*names}:
        if not found.keys() >= ITEM_KEYS[names[0]]:
            raise Refused(f'The reply has no list "{names[0]}". Give one, empty if there is nothing to say.')
        found = {names[0]: found}
    return ReplyItems(tuple(_as_list(found.get(name), name) for name in names), more=found.get("more") is True)


def _as_list(value: Any, name: str) -> list[Any]:
    match value:
        case list():
            return value
        case None:
            return []
        case dict():
            return [value]
    raise Refused(f'"{name}" is not a list. Give a list, empty if there is nothing to say.')


def _items_of_cut_reply(reply: str, names: Sequence[str]) -> ReplyItems:
    """The complete items of a reply that is not JSON as a whole. It is complete if only brackets are missing."""
    text = without_trailing_commas(reply[max(0, reply.find("{")) :])
    found: dict[str, list[Any]] = {name: [] for name in names}
    place = closed = 0
    for name in names:
        if (start := re.compile(rf'"{name}"\s*:\s*\[').search(text, place)) is None:
            break
        found[name], place, is_closed = _complete_items(text, start.end())
        if not is_closed:
            break
        closed += 1
    is_whole = closed > 0 and _BRACKETS.fullmatch(text, place) is not None
    return ReplyItems(tuple(found.values()), is_cut=not is_whole, closed=closed)


def _complete_items(text: str, place: int) -> tuple[list[Any], int, bool]:
    """The objects of a list up to the first that is not complete, where they end, and whether the list ends there."""
    items: list[Any] = []
    decoder = json.JSONDecoder(strict=False)
    while text.startswith("{", place := _end_of(_BETWEEN, text, place)):
        try:
            item, place = decoder.raw_decode(text, place)
            check_reply_json(item)
        except (ValueError, RecursionError, Refused):
            return items, place, False
        items.append(item)
    return items, place, text.startswith("]", place)


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return place if found is None else found.end()


_OPENING = lazy_pattern(r'(\[\s*)?\{\s*"')
_BETWEEN = lazy_pattern(r"[\s,]*")
_BRACKETS = lazy_pattern(r"[\s\]}`]*")
