"""The life that `uac-bench cost` plays: conversations without end, and a script that answers in a model's place.

The script sees the JSON of a request and nothing else, as a model would.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from uac import Request
from uac.conversation import TOPICS
from uac.schema import Role
from uac_bench.conversations.truthful_model import listed_types

__all__ = ["PLANS", "START", "Spoken", "endless_conversations", "simulated_reply"]

START = datetime(2025, 1, 6, 18, 30, tzinfo=UTC)
PLANS = 10
"""Number of sessions after which the plans repeat, with the same number and kinds of turns."""


class Spoken(NamedTuple):
    """One turn."""

    role: Role
    text: str
    said: datetime


def endless_conversations(seed: int = 1) -> Iterator[tuple[Spoken, ...]]:
    """Sessions without end, two a week, of 8 to 14 turns; the same for the same seed."""
    chance = random.Random(seed)
    plans = [_life_session_topics(chance, turns) for turns in (8, 10, 12, 14, 10, 12, 8, 14, 12, 10)]
    life = SimulatedLife(chance)
    day = START
    while True:
        for plan in plans:
            turns: list[Spoken] = []
            moment = day + timedelta(minutes=chance.randrange(120))
            for kind in plan:
                turns.append(Spoken("user", life.say_something(kind, moment.date()), moment))
                turns.append(Spoken("assistant", chance.choice(ANSWERS), moment + timedelta(minutes=1)))
                moment += timedelta(minutes=3)
            yield tuple(turns)
            day += timedelta(days=chance.choice((3, 4)))


def _life_session_topics(chance: random.Random, turns: int) -> list[str]:
    """What the user speaks of in a session: something small, and different things that matter."""
    kinds = ["small talk", *chance.sample(KINDS, turns // 2 - 1)]
    chance.shuffle(kinds)
    return kinds


KINDS = (
    *("purchase", "price", "trip", "back", "visit", "medicine", "dose", "stop", "person", "move", "appointment"),
    *("preference", "preference"),
)


class SimulatedLife:
    """An event in the user's life, in words. Later sentences change earlier ones."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._things = self._shuffled_forever([f"{how} {what}" for how in LOOKS for what in THINGS])
        self._names = self._shuffled_forever([f"{name} {family}" for name in NAMES for family in FAMILIES])
        self._bought: list[str] = []
        self._people: list[str] = []
        self._trips: list[tuple[str, date]] = []
        self._taken: list[str] = []
        self._next_trip = START.date()

    def say_something(self, kind: str, day: date) -> str:
        pick = self._chance.choice
        text = self._sentence_about(kind, day)
        before, after = ("", "") if kind == "small talk" else (pick(BEFORE), pick(AFTER))
        return f"{before}{text}{after}"

    def _sentence_about(self, kind: str, day: date) -> str:
        pick, number = self._chance.choice, self._chance.randint
        match kind:
            case "price" if self._bought:
                return f"I was wrong about the {pick(self._bought[-8:])}, it cost {number(5, 190)} euros."
            case "purchase" | "price":
                self._bought.append(next(self._things))
                cost, when = f"{number(5, 190)}.{number(10, 99)}", pick(("today", "yesterday"))
                return f"I bought the {self._bought[-1]} at {pick(SHOPS)} for {cost} euros {when}."
            case "back" if self._trips:
                city, end = self._trips[-1]
                return f"I will come back from {city} later, on {_written_date(end + timedelta(days=number(1, 3)))}."
            case "trip" | "back":
                first = max(self._next_trip, day) + timedelta(days=number(10, 20))
                city, last = pick(CITIES), first + timedelta(days=number(2, 7))
                self._next_trip = last + timedelta(days=4)
                self._trips.append((city, last))
                return f"I booked a trip to {city} from {_written_date(first)} to {_written_date(last)}."
            case "visit":
                return f"I saw Dr. {pick(FAMILIES)} {pick(('today', 'yesterday'))} about my {pick(TROUBLES)}."
            case "dose" if self._taken:
                return f"I take {number(1, 9) * 50} mg of {pick(self._taken)} from today on."
            case "stop" if len(self._taken) > 1:
                return f"I stopped taking {self._taken.pop(0)} today."
            case "medicine" | "dose" | "stop":
                if len(self._taken) > 4:
                    self._taken.pop(0)
                name = pick([name for name in MEDICINES if name not in self._taken])
                self._taken.append(name)
                return f"I take {number(1, 9) * 50} mg of {name} from today on."
            case "move" if self._people:
                return f"{pick(self._people)} lives in {pick(CITIES)} now."
            case "person" | "move":
                self._people.append(next(self._names))
                return f"{self._people[-1]} is my {pick(RELATIONS)}, and lives in {pick(CITIES)} now."
            case "appointment":
                when = _written_date(day + timedelta(days=number(5, 40)))
                return f"My appointment for the {pick(ERRANDS)} is on {when} at {number(13, 17)}:{pick(('15', '30'))}."
            case "preference":
                return f"I prefer {pick(CHOICES)} for {pick(OCCASIONS)} now."
            case _:
                return pick(SMALL)

    def _shuffled_forever(self, values: list[str]) -> Iterator[str]:
        """All values in some order, and then in another, without end."""
        while True:
            self._chance.shuffle(values)
            yield from values


def _written_date(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


LOOKS = "blue green small heavy wooden plain round striped folding quiet second-hand bright narrow woollen".split()
THINGS = "kettle lamp raincoat bookshelf printer backpack blender carpet mirror toaster suitcase tent chair".split()
SHOPS = "Ikea Brandt Lidl Decathlon Hornbach Manufactum Globus Saturn".split()
CITIES = "Lisbon Vienna Oslo Porto Ghent Turin Krakow Bergen Bilbao Zagreb Malmo Trieste Leipzig Nantes".split()
NAMES = "Mara Jonas Ines Pavel Greta Tomas Leila Bruno Edith Yusuf Clara Viktor".split()
FAMILIES = "Keller Novak Santos Lindqvist Marchetti Okafor Brenner Duval Kowalski Hansen".split()
TROUBLES = ("left knee", "lower back", "stomach", "right shoulder", "hay fever", "sleep", "left wrist")
MEDICINES = ("magnesium", "omeprazole", "loratadine", "metformin", "cetirizine", "pantoprazole", "melatonin", "biotin")
RELATIONS = ("colleague", "neighbour", "cousin", "tennis partner", "landlord", "old friend", "music teacher")
ERRANDS = ("haircut", "eye test", "boiler check", "tax advice", "car inspection", "bank interview", "piano lesson")
CHOICES = ("porridge", "black tea", "rye bread", "lentil soup", "a quiet room", "the early train", "swimming", "chess")
OCCASIONS = ("breakfast", "lunch", "long journeys", "rainy evenings", "the weekend", "work days")
BEFORE = ("", "By the way: ", "Before I forget it: ", "One more thing. ", "For your notes: ")
AFTER = ("", " Please remember that.", " It was about time, I think.", " I nearly forgot to tell you.")
SMALL = (
    "What a grey evening, but the walk home through the park was lovely all the same.",
    "Well, the neighbours are loud again and I cannot hear myself think, but never mind.",
    "Thank you for your patience with me, you are good company on a long evening like this.",
    "Sometimes I wonder where all the hours of a day go, do you know that feeling as well?",
)
ANSWERS = (
    "I have noted that for you. Is there anything else that I should keep in mind for the coming weeks?",
    "Thank you for telling me. Shall I remind you of it when the time comes, or would you rather not hear of it again?",
    "Good to know. I will keep it in mind when we plan the next days. What else is going on at the moment?",
    "Understood, and I hope that all goes well. Tell me when something about it changes, and I will see to the rest.",
)


# -- the model ---------------------------------------------------------------------------------------------------------


def simulated_reply(request: Request) -> dict[str, Any]:
    """The reply of a model that understands the sentences above: from the request's content alone, by regular
    expressions."""
    content: dict[str, Any] = json.loads(request.content)
    return _simulated_patches_reply(content) if request.step == "checkpoint" else _simulated_facts_reply(content)


class _Kind(NamedTuple):
    """A kind of sentence: how it is said, the fact that is noted of it, and the record that comes of the fact."""

    said: str
    noted: str
    type: str
    fields: Mapping[str, str]
    keys: int = 1
    """How many of the fields, the first ones, tell which record it is."""
    does: Literal["put", "amend", "end"] = "put"
    """'put' is 'amend' where the record is shown; 'amend' and 'end' need it shown."""


DAY = r"(?P<when>today|yesterday)"
DATE = r"\d{1,2} [A-Z][a-z]+ \d{4}"
NAME = r"(?P<person>[A-Z]\w+ [A-Z]\w+)"
SENTENCES = (
    _Kind(
        rf"I bought the (?P<item>[\w -]+) at (?P<shop>\w+) for (?P<cost>[\d.]+) euros {DAY}",
        "The user bought the {item} at {shop} for {cost} euros on {start}.",
        "household.Purchase",
        {"item": "{item}", "bought": "{start}", "shop": "{shop}", "price": "{cost} EUR"},
        keys=2,
    ),
    _Kind(
        r"I was wrong about the (?P<item>[\w -]+), it cost (?P<cost>\d+) euros",
        "The {item} cost {cost} euros.",
        "household.Purchase",
        {"item": "{item}", "price": "{cost} EUR"},
        does="amend",
    ),
    _Kind(
        rf"I booked a trip to (?P<city>\w+) (?P<when>from (?P<first>{DATE}) to (?P<last>{DATE}))",
        "The user booked a trip to {city} from {start} to {end}.",
        "travel.Trip",
        {"destination": "{city}", "departs": "{start}", "returns": "{end}", "state": "booked"},
        keys=2,
    ),
    _Kind(
        rf"I will come back from (?P<city>\w+) later, on (?P<when>{DATE})",
        "The user will come back from the trip to {city} on {start}.",
        "travel.Trip",
        {"destination": "{city}", "returns": "{start}"},
        does="amend",
    ),
    _Kind(
        rf"I saw Dr\. (?P<doctor>\w+) {DAY} about my (?P<trouble>[\w ]+)",
        "The user saw Dr. {doctor} about the {trouble} on {start}.",
        "health.Visit",
        {"what": "{trouble}", "day": "{start}", "doctor": "Dr. {doctor}"},
        keys=2,
    ),
    _Kind(
        r"I take (?P<dose>\d+ mg) of (?P<name>\w+) from (?P<when>today) on",
        "The user takes {dose} of {name} from {start} on.",
        "health.Medication",
        {"name": "{name}", "dose": "{dose}", "started": "{start}"},
    ),
    _Kind(
        rf"I stopped taking (?P<name>\w+) {DAY}",
        "The user stopped taking {name} on {start}.",
        "health.Medication",
        {"name": "{name}", "when": "{start}"},
        does="end",
    ),
    _Kind(
        rf"{NAME} is my (?P<relation>[\w ]+), and lives in \w+ now",
        "{person} is the user's {relation}.",
        "people.Person",
        {"name": "{person}", "relation": "{relation}"},
    ),
    _Kind(
        rf"{NAME} (?:is my [\w ]+, and )?lives in (?P<city>\w+) now",
        "{person} lives in {city}.",
        "people.Person",
        {"name": "{person}", "lives_in": "{city}"},
    ),
    _Kind(
        rf"My appointment for the (?P<what>[\w ]+) is on (?P<when>{DATE}) at (?P<time>\d\d:\d\d)",
        "The user's appointment for the {what} is on {start} at {time}.",
        "calendar.Appointment",
        {"what": "{what}", "starts": "{start}T{time}:00+00:00"},
        keys=2,
    ),
    _Kind(
        r"I prefer (?P<choice>[\w ]+) for (?P<occasion>[\w ]+) now",
        "The user prefers {choice} for {occasion}.",
        "preferences.Preference",
        {"occasion": "{occasion}", "choice": "{choice}"},
    ),
)


def _simulated_facts_reply(content: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that the turns state. What was refused is given up: a script has no second thought."""
    if "refused" in content or "problem" in content:
        return {"facts": []}
    found: list[dict[str, Any]] = []
    for turn in content["turns"]:
        if turn.get("context") or not turn["who"].startswith("user"):
            continue
        for kind in SENTENCES:
            found += [_simulated_fact(turn, kind, match) for match in re.finditer(kind.said, turn["text"])]
    return {"facts": found}


def _simulated_fact(turn: Mapping[str, Any], kind: _Kind, match: re.Match[str]) -> dict[str, Any]:
    words, domain = match.groupdict(), kind.type.partition(".")[0]
    when = _simulated_period(words, date.fromisoformat(turn["said"].split()[1]))
    fact: dict[str, Any] = {"text": kind.noted.format(**words, **when), "about": words.get("person", "user")}
    fact |= {"cites": [{"turn": turn["turn"], "quote": match[0]}], "topic": domain if domain in TOPICS else "other"}
    if when:
        fact |= {"when": words["when"], **when}
    if match[0].startswith("I was wrong"):
        fact["corrects"] = True
    return fact


def _simulated_period(words: Mapping[str, str], said: date) -> dict[str, str]:
    """What the phrase of time means: its first and its last day."""
    match words.get("when"):
        case None:
            return {}
        case "today":
            first = last = said
        case "yesterday":
            first = last = said - timedelta(days=1)
        case phrase:
            first, last = (_parse_simulated_day(words.get(name, phrase)) for name in ("first", "last"))
    return {"start": first.isoformat(), "end": last.isoformat()}


def _parse_simulated_day(text: str) -> date:
    return datetime.strptime(text, "%d %B %Y").replace(tzinfo=UTC).date()


PREFERENCE = {
    "domain": "preferences",
    "name": "Preference",
    "doc": "What the user prefers on an occasion.",
    "cardinality": "many",
    "key": ["occasion"],
    "fields": [{"name": "occasion", "type": "str"}, {"name": "choice", "type": "str | None"}],
}


def _simulated_patches_reply(content: Mapping[str, Any]) -> dict[str, Any]:
    """A patch for each fact, with the types and the records that are shown; else it is set aside."""
    refused = [item["patch"] for item in content.get("refused", ())]
    given_up = {cited for patch in refused for cited in patch.get("cites", ())}
    types = set(listed_types(content))
    patches: list[dict[str, Any]] = []
    if any(fact["text"].startswith("The user prefers") for fact in content["facts"]):
        if "preferences.Preference" not in types and not any(patch["op"] == "define" for patch in refused):
            patches.append({"op": "define", "type": PREFERENCE})
        types.add("preferences.Preference")
    for fact in content["facts"]:
        if fact["fact"] in given_up:
            patches.append(_simulated_set_aside(fact, "the patch for it was refused"))
        elif not _merge_simulated_fact(fact, patches):
            patches.append(_simulated_patch(fact, types, content["records"]))
    return {"patches": patches, "constraints": []}


def _merge_simulated_fact(fact: Mapping[str, Any], patches: Sequence[dict[str, Any]]) -> bool:
    """Whether the fact changes a record that this reply puts, and has been added to that patch."""
    for kind, fields in _parse_simulated_fact(fact):
        key = [*fields.items()][: kind.keys]
        for patch in patches:
            is_it = patch["op"] == "put" and patch["type"] == kind.type and kind.does == "amend"
            if is_it and all(patch["fields"].get(name) == value for name, value in key):
                patch["fields"] |= fields
                patch["cites"].append(fact["fact"])
                return True
    return False


def _parse_simulated_fact(fact: Mapping[str, Any]) -> Iterator[tuple[_Kind, dict[str, str]]]:
    for kind in SENTENCES:
        # The fact's sentence, with any text where the kind has a word in braces.
        match = re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(kind.noted)), fact["text"])
        if match is not None:
            yield kind, {name: value.format(**match.groupdict()) for name, value in kind.fields.items()}


def _simulated_patch(
    fact: Mapping[str, Any], types: set[str], records: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    for kind, fields in _parse_simulated_fact(fact):
        record = _simulated_record(kind, fields, records)
        cites = [fact["fact"]]
        if record is not None and kind.does == "end":
            return {"op": "end", "record": record, "when": fields["when"], "why": "stopped", "cites": cites}
        if record is not None:
            changed = dict([*fields.items()][kind.keys :])
            return {"op": "amend", "record": record, "fields": changed, "cites": cites}
        if kind.does != "put":
            return _simulated_set_aside(fact, "the record is not shown")
        if kind.type not in types:
            return _simulated_set_aside(fact, "no type for it is shown")
        return {"op": "put", "type": kind.type, "fields": fields, "cites": cites}
    return _simulated_set_aside(fact, "not understood")


def _simulated_record(kind: _Kind, fields: Mapping[str, str], records: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The record that the fact is about; of several trips to a city, or things of a name, the latest."""
    key = [*fields.items()][: kind.keys]
    found = [
        record
        for record, shown in records.items()
        if record.startswith(f"{kind.type}:")
        and "(ended)" not in shown
        and all(shown.get(name) == value or value.casefold() in record for name, value in key)
    ]
    found.sort(key=_DAY.findall)
    return found[-1] if found else None


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _simulated_set_aside(fact: Mapping[str, Any], why: str) -> dict[str, Any]:
    return {"op": "set_aside", "cites": [fact["fact"]], "why": why}
