"""Whether memory holds a thing of a life as it is, in any type that can hold it; and others' doings as the others'.

A model chooses among the types that a request offers, and may define its own. So values are compared by what they
mean: a meal is as right as an appointment at its place, day and hour as it is as a booking.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from uac import Record
from uac.schema import dump_value
from uac_bench.conversations.lives import Sentence, Thing
from uac_bench.conversations.spoken_values import plain, says
from uac_bench.conversations.wrong_values import comparable

__all__ = ["OTHER_TYPES", "belongs_to_another", "judge_thing"]

Places = Mapping[str, str]
"""For each field of a thing, the field of the other type that holds it; `a|b` is either, `.date` and `.time` a part."""
OTHER_TYPES: Mapping[str, Mapping[str, Places]] = {
    "household.Purchase": {
        "finance.Transaction": {"item": "what", "bought": "on", "shop": "payee", "price": "amount"},
    },
    "food.Booking": {
        "calendar.Appointment": {"place": "where|what", "day": "starts.date", "at": "starts.time", "who": "who"},
        "calendar.Meeting": {"place": "where|about", "day": "day", "at": "at", "who": "who"},
    },
    "calendar.Appointment": {
        "calendar.Meeting": {"what": "about", "who": "who", "starts.date": "day", "starts.time": "at"},
    },
    "calendar.Meeting": {
        "calendar.Appointment": {"about": "what", "who": "who", "day": "starts.date", "at": "starts.time"},
    },
    "leisure.Workout": {"health.Workout": {"sport": "what", "day": "day", "km": "distance"}},
}
CHOICE = "preferences.Preference"
"""Its topic may be a field's name, so that any type holds it that has the choice and none of the earlier ones."""
PROFILES = frozenset({"travel.Profile", "food.Profile", "people.Profile"})
HELD_IN_PART = frozenset({"place"})
"""Fields whose value may be among other words: 'dinner with Yara at Sushi Tano'."""


def judge_thing(thing: Thing, cited: Sequence[Record], former: Sequence[Mapping[str, Any]] = ()) -> str:
    """Why the memory of a thing is wrong; nothing if it is right. `cited` are the records that cite a fact about it,
    `former` the values that it had before."""
    records = [record for record in cited if _can_hold(thing, record)]
    if not records:
        return "" if thing.state == "dropped" else "no record"
    if len(records) > 1:
        return f"twice: {', '.join(record.id for record in records)}"
    record = records[0]
    if thing.state == "dropped":
        return f"{record.id} is not dropped"
    if (record.ended is not None) != (thing.state == "ended"):
        return f"{record.id} is {'ended' if record.ended else 'not ended'}"
    return next(_differences(thing, record, former), "")


def belongs_to_another(record: Record, sentence: Sentence) -> bool:
    """Whether a record names the other person of the sentence as whose it is."""
    names = [record.values.get("person")]
    if record.type == "people.Person":
        names.append(record.values.get("name"))
    about = str(sentence.fact["about"])
    quoted = " ".join((sentence.quote, *(sentence.other_quote or ())[1:]))
    return any(
        name and (plain(name) == plain(about) or (about == "somebody" and says(quoted, plain(name)))) for name in names
    )


def _can_hold(thing: Thing, record: Record) -> bool:
    if record.type == thing.type or record.type in OTHER_TYPES.get(thing.type, {}):
        return True
    return thing.type == CHOICE and (record.type in PROFILES or record.type.endswith("Preference"))


def _differences(thing: Thing, record: Record, former: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    held = {name: dump_value(value) for name, value in record.values.items()}
    if thing.type == CHOICE and not (record.type == thing.type and "choice" in held):
        yield from _choice_differences(thing, record.id, held, former)
        return
    places = {name: name for name in thing.fields}
    if record.type != thing.type:
        places = dict(OTHER_TYPES[thing.type][record.type])
    for name, place in places.items():
        wanted = _part(thing.fields, name)
        if wanted is None:
            continue
        found = [_part(held, one) for one in place.split("|")]
        if not any(_is_same(name, one, wanted) for one in found):
            yield f"{record.id}: {place} is {found[0]}, should be {wanted}"
    if record.type == "health.Workout" and held.get("unit") not in (None, "km"):
        yield f"{record.id}: unit is {held['unit']}, should be km"


def _choice_differences(
    thing: Thing, record: str, held: Mapping[str, Any], former: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    choice, topic = plain(thing.fields["choice"]), plain(thing.fields["topic"])
    texts = [plain(text) for value in held.values() for text in _listed(value)]
    if choice not in texts:
        yield f"{record}: no field is {choice}"
    earlier = {plain(fields["choice"]) for fields in former if "choice" in fields} - {choice}
    if found := earlier.intersection(texts):
        yield f"{record}: has {min(found)}, too, should be {choice}"
    if "topic" in held and plain(held["topic"]) != topic:
        yield f"{record}: topic is {held['topic']}, should be {topic}"


def _part(fields: Mapping[str, Any], name: str) -> Any:
    """A field's value, or the date or the time of a moment."""
    field, _, part = name.partition(".")
    value = fields.get(field)
    if value is None or not part:
        return value
    day, _, rest = str(value).partition("T")
    return day if part == "date" else rest[:5]


def _is_same(name: str, found: Any, wanted: Any) -> bool:
    if found is None:
        return False
    if isinstance(wanted, list | tuple) or isinstance(found, list | tuple):
        return sorted(plain(each) for each in _listed(found)) == sorted(plain(each) for each in _listed(wanted))
    if comparable(found) == comparable(wanted) or plain(found) == plain(wanted):
        return True
    if re.fullmatch(r"\d\d:\d\d", str(wanted)):
        return str(found)[:5] == str(wanted)
    if isinstance(comparable(wanted), Decimal):
        return False
    return name in HELD_IN_PART and says(str(found), str(wanted))


def _listed(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]
