"""A made-up user's year in sessions, with its truth: each sentence is kept with what it should change.

Half of what the user says is about something said before: corrected, moved, cancelled, returned, or only mentioned
again. The words that point at it (a name, a day, a person) fit one thing only, so that a careful reader can find it.
"""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from string import Formatter
from typing import Any

from uac_bench.conversations.kinds import KINDS, WORKOUT, Values, World
from uac_bench.conversations.lives import Deed, Life, Sentence, Thing, Turn
from uac_bench.conversations.wording import Language, amount_text, bare_day, clock_text, day_text, today_text

__all__ = ["generate_life"]

START = datetime(2025, 1, 7, 18, 0, tzinfo=UTC)
SHARE_OF_NEW = 0.4
TRIES = 30  # to find something to say of which the words fit one thing only


def generate_life(seed: int, sessions: int, language: Language = "en") -> Life:
    """The same life for the same arguments."""
    life = _Author(random.Random(f"{seed} {language}"), language)
    told = tuple(life.session(number) for number in range(sessions))
    return Life(language, told, {KINDS["workout"].type: WORKOUT}, life.things())


class _Author:
    """Writes session after session, and keeps the truth."""

    def __init__(self, chance: random.Random, language: Language) -> None:
        self._chance = chance
        self._language = language
        self._world = World(chance, names_in(language))
        self._phrases: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]] = _phrases()[language]
        self._kinds: list[str] = []  # of each thing
        self._values: list[Values] = []
        self._ended: set[int] = set()
        self._session_of: list[int] = []
        self._facts: set[str] = set()
        self._day = START

    def things(self) -> dict[int, Thing]:
        return {
            number: Thing(KINDS[kind].type, KINDS[kind].fields(values), "ended" if number in self._ended else "active")
            for number, (kind, values) in enumerate(zip(self._kinds, self._values, strict=True))
        }

    def session(self, number: int) -> tuple[Turn, ...]:
        chance = self._chance
        self._day += timedelta(days=chance.randint(3, 9))
        moment = self._day + timedelta(minutes=chance.randrange(180))
        turns: list[Turn] = [Turn("user", chance.choice(GREETINGS[self._language]), moment)]
        touched: set[int] = set()
        for _ in range(chance.randint(3, 5)):
            moment += timedelta(minutes=2)
            turns.append(Turn("assistant", chance.choice(ANSWERS[self._language]), moment))
            said = [self._sentence(number, moment.date(), touched) for _ in range(chance.choice((1, 1, 2)))]
            moment += timedelta(minutes=2)
            turns.append(Turn("user", " ".join(map(_closed, said)), moment, tuple(said)))
        turns.append(Turn("user", chance.choice(FAREWELLS[self._language]), moment + timedelta(minutes=1)))
        return tuple(turns)

    def _sentence(self, session: int, today: date, touched: set[int]) -> Sentence:
        """Something new, or something about a thing of an earlier session that this session has not touched."""
        for _ in range(TRIES):
            known = [n for n, of in enumerate(self._session_of) if of < session and n not in {*self._ended, *touched}]
            if known and self._chance.random() >= SHARE_OF_NEW:
                thing = self._chance.choice(known[-40:])
                found = self._about(thing, today)
            else:
                thing = len(self._values)
                found = self._new(session, today)
            if found is not None:
                touched.add(thing)
                self._facts.add(found.fact["text"])
                return found
        raise RuntimeError("the phrases do not suffice for this life")

    def _new(self, session: int, today: date) -> Sentence | None:
        kinds = [name for name in KINDS if name in self._phrases and not (name == "profile" and name in self._kinds)]
        name = self._chance.choices(kinds, [KINDS[kind].weight for kind in kinds])[0]
        values = KINDS[name].new(self._world, today) | {"currency": "GBP" if self._language == "en" else "EUR"}
        said, noted = self._chance.choice(self._phrases[name]["job" if name == "profile" else "new"])
        if "" in values.values() or self._is_ambiguous(
            name, values, set(values) - {"currency", "at", "price", "end"}, None
        ):
            return None
        deed = Deed(len(self._values), KINDS[name].type, "new", "put", KINDS[name].fields(values), today)
        found = self._written(said, noted, name, deed, {}, values, today)
        if found is not None:
            self._kinds.append(name)
            self._values.append(values)
            self._session_of.append(session)
        return found

    def _about(self, thing: int, today: date) -> Sentence | None:
        name, old = self._kinds[thing], self._values[thing]
        acts = [act for act in KINDS[name].acts if act in self._phrases[name]]
        if not acts:
            return None
        act = self._chance.choice(acts)
        if old.get("date", today) < today and act in ("cancel", "move", "time", "longer"):
            return None  # what is over cannot be moved or called off
        change = KINDS[name].acts[act].change(old, self._world, today)
        new = old | change | ({"date": today} if act in ("back", "cancel", "stop", "done", "job") else {})
        said, noted = self._chance.choice(self._phrases[name][act])
        slots = {slot for slot in _slots(said) if slot not in change and slot in old}
        slots |= {slot.removeprefix("old_") for slot in _slots(noted) if slot.startswith("old_")} & set(old)
        if (
            "" in change.values()
            or self._is_ambiguous(name, old, slots, thing)
            or any(new[slot] == old.get(slot) for slot in change)
        ):
            return None
        op = KINDS[name].acts[act].op
        fields = KINDS[name].fields(_changed_fields(old, change)) if op == "amend" else {}
        found = self._written(said, noted, name, Deed(thing, KINDS[name].type, act, op, fields, today), old, new, today)
        if found is not None and op == "amend":
            self._values[thing] = old | change
        if found is not None and op == "end":
            self._ended.add(thing)
        return found

    def _is_ambiguous(self, name: str, values: Values, slots: set[str], thing: int | None) -> bool:
        """Whether the words fit another thing, too."""
        if name == "profile":
            return False
        return any(
            other != thing and kind == name and all(self._values[other].get(slot) == values[slot] for slot in slots)
            for other, kind in enumerate(self._kinds)
            if thing is None or other not in self._ended
        )

    def _written(
        self, said: str, noted: str, kind: str, deed: Deed, old: Values, new: Values, today: date
    ) -> Sentence | None:
        """The sentence and its fact, or None if the same fact has been stated before."""
        texts: dict[str, str] = {}
        for slot, value in new.items():
            texts |= self._slot_texts(slot, value, today)
        for slot, value in old.items():
            texts |= {f"old_{name}": text for name, text in self._slot_texts(slot, value, today).items()}
        if "today" in said:
            texts["today"] = today_text(today, today, self._language)
            texts["today_start"] = texts["today"].capitalize()
        quote = said.format_map(texts)
        fact: dict[str, Any] = {"text": noted.format_map(texts), "topic": KINDS[kind].topic}
        fact["about"] = str(new[KINDS[kind].about]) if KINDS[kind].about else "user"
        if fact["text"] in self._facts:
            return None
        phrase = next(
            (s for s in ("day", "day_start", "day_bare", "end_day", "end_bare", "old_day") if s in _slots(said)), ""
        )
        if phrase:
            slot = {"end_day": "end", "end_bare": "end", "old_day": "old_date"}.get(phrase, "date")
            fact |= {
                "when": texts[phrase],
                "start": texts[slot],
                "end": texts["end" if kind == "trip" and deed.op == "put" else slot],
            }
        elif "today" in texts:
            fact |= {
                "when": texts["today" if "{today}" in said else "today_start"],
                "start": texts["date"],
                "end": texts["date"],
            }
        if deed.op == "amend" and deed.act in ("price", "time", "distance", "amount", "day"):
            fact["corrects"] = True
        return Sentence(quote, fact, deed)

    def _slot_texts(self, slot: str, value: Any, today: date) -> dict[str, str]:
        match value:
            case date():
                phrase = day_text(value, today, self._language, self._chance)
                bare = bare_day(phrase, self._language)
                starts = {"day": phrase, "day_bare": bare, "day_start": phrase[:1].upper() + phrase[1:]}
                if slot == "end":
                    return {"end": value.isoformat(), "end_day": phrase, "end_bare": bare}
                return {"date": value.isoformat(), **starts}
            case time():
                return {slot: clock_text(value, self._language, self._chance)}
            case Decimal() if slot == "price":
                return {slot: amount_text(value, self._language)}
            case _:
                return {slot: str(value)}


def _changed_fields(old: Values, change: Values) -> Values:
    """The changed values; a meeting's start needs its day and its time."""
    needed = {"at": old["at"]} if "at" in old and "date" in change else {}
    return needed | change | ({"currency": old["currency"]} if "price" in change else {})


def _slots(phrase: str) -> set[str]:
    return {name for _text, name, _spec, _conversion in Formatter().parse(phrase) if name}


def _closed(sentence: Sentence) -> str:
    return sentence.quote if sentence.quote[-1] in ".!?" else f"{sentence.quote}."


def _phrases() -> Any:
    return _read_json("phrases.json")


def names_in(language: Language) -> Mapping[str, Sequence[str]]:
    """The names that a life in this language may have."""
    names = _read_json("names.json")
    return {**names["all"], **names[language]}


def _read_json(name: str) -> Any:
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


GREETINGS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "Hi there!",
        "Good evening.",
        "hey, me again",
        "Hello, long day today.",
        "Morning!",
        "Back again, hope you're well.",
    ),
    "de": ("Hallo!", "Guten Abend.", "Hey, ich wieder.", "Na, wie läuft's bei dir?"),
    "es": ("¡Hola!", "Buenas tardes.", "Hola, aquí estoy otra vez.", "¿Qué tal todo?"),
}
FAREWELLS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "That's all for now, thanks!",
        "Thanks, talk soon.",
        "ok bye",
        "Good night, and thank you for listening to me.",
    ),
    "de": ("Das war's, danke!", "Danke, bis bald.", "Gute Nacht und danke fürs Zuhören."),
    "es": ("Eso es todo, gracias.", "Gracias, hasta luego.", "Buenas noches y gracias por escucharme."),
}
ANSWERS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "I have noted that. Is there anything else that I should keep in mind for the coming weeks?",
        "Thanks for telling me. Would you like a reminder, or shall we leave it at that?",
        "Good to know! What else has been going on?",
        "Got it. I can help you plan around that if you like: a short list of what is left to do often helps.",
        "Understood. How are you feeling about it?",
    ),
    "de": (
        "Ist notiert. Gibt es noch etwas, woran ich denken soll?",
        "Danke für die Info. Soll ich dich daran erinnern?",
        "Alles klar. Was gibt es sonst Neues bei dir?",
    ),
    "es": (
        "Anotado. ¿Hay algo más que deba tener en cuenta?",
        "Gracias por contármelo. ¿Quieres que te lo recuerde?",
        "Entendido. ¿Qué más ha pasado?",
    ),
}
