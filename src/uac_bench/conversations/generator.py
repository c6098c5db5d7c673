"""A made-up user's year in sessions, with its truth: each sentence is kept with what it should change.

More than half of what the user says is about something said before: corrected, moved, cancelled, returned, or only
mentioned again; some of it is about other people. The words that point at a thing (a name, a day, a person) fit one
thing only, so that a careful reader can find it. Some things are told in two turns, the second of which is clear only
with the first.
"""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from uac_bench.conversations.kinds import KINDS, OWN_TYPES, Values, World
from uac_bench.conversations.lives import Deed, Life, Sentence, Thing, Turn
from uac_bench.conversations.styles import CLOSERS, Piece, Style, compose, in_style, join_clauses
from uac_bench.conversations.wording import (
    Language,
    amount_text,
    bare_day,
    clock_text,
    day_text,
    number_text,
    today_text,
)

__all__ = ["OTHERS", "generate_life", "names_in"]

START = datetime(2025, 1, 7, 18, 0, tzinfo=UTC)
SHARE_OF_NEW = 0.4
SHARE_OF_OTHERS = 0.08  # of the sentences, about other people
SHARE_OF_OVERLAPS = 0.4  # of the trips, if there is one to overlap with
DETOURS: Mapping[Style, float] = {"plain": 0.15, "terse": 0.0, "chatty": 0.6, "dictated": 0.2, "hasty": 0.2}
PLANNED = {1: "rule", 2: "allergy", 3: "trip", 4: "risk", 5: "trip"}
"""What has to come up in a session, so that rules have something to fire on."""
OTHERS = "other "
"""Begins the act of a deed that somebody else did."""
TRIES = 60  # to find something to say of which the words fit one thing only


def generate_life(seed: int, sessions: int, language: Language = "en", style: Style = "plain") -> Life:
    """The same life for the same arguments."""
    life = _Author(random.Random(f"{seed} {language}"), random.Random(f"{seed} {language} {style}"), language, style)
    told = tuple(life.session(number) for number in range(sessions))
    return Life(language, told, OWN_TYPES, life.things(), style)


class _Said(NamedTuple):
    """A sentence, and the words of the turn before that it needs."""

    sentence: Sentence
    lead: str = ""


class _Author:
    """Writes session after session, and keeps the truth. `chance` makes the life, `voice` the words."""

    def __init__(self, chance: random.Random, voice: random.Random, language: Language, style: Style) -> None:
        self._chance = chance
        self._voice = voice
        self._language = language
        self._style: Style = style
        self._names = names_in(language)
        self._world = World(chance, self._names)
        self._phrases: Mapping[str, Any] = _read_json(f"phrases/{language}.json")
        self._kinds: list[str] = []  # of each thing
        self._values: list[Values] = []
        self._ended: set[int] = set()
        self._session_of: list[int] = []
        self._facts: set[str] = set()
        self._texts: set[str] = set()  # of turns: each is said once, so that it has one meaning
        self._day = START

    def things(self) -> dict[int, Thing]:
        return {
            number: Thing(KINDS[kind].type, KINDS[kind].fields(values), "ended" if number in self._ended else "active")
            for number, (kind, values) in enumerate(zip(self._kinds, self._values, strict=True))
        }

    def session(self, number: int) -> tuple[Turn, ...]:
        chance, pick = self._chance, self._voice.choice
        self._day += timedelta(days=chance.randint(3, 9))
        moment = self._day + timedelta(minutes=chance.randrange(180))
        turns: list[Turn] = [Turn("user", pick(self._phrases["greetings"]), moment)]
        touched: set[int] = set()

        def say(role: Any, text: str, sentences: Sequence[Sentence] = ()) -> None:
            nonlocal moment
            moment += timedelta(minutes=2)
            turns.append(Turn(role, text, moment, tuple(sentences)))

        planned = [PLANNED[number]] if number in PLANNED else []
        for _ in range(chance.randint(3, 5)):
            say("assistant", pick(self._phrases["answers"]))
            today = moment.date()
            said = [self._say(number, today, touched, planned) for _ in range(chance.choice((1, 1, 2, 2, 3)))]
            for each in (each for each in said if each.lead):
                lead = self._message([each.lead])
                say("user", lead)
                say("assistant", pick(self._phrases["asks"]))
                sentence = each.sentence._replace(other_quote=(lead, each.lead))
                say("user", self._message([sentence.quote]), [sentence])
            if together := [each.sentence for each in said if not each.lead]:
                say("user", self._message([sentence.quote for sentence in together]), together)
        say("user", pick(self._phrases["farewells"]))
        return tuple(turns)

    def _message(self, clauses: Sequence[str]) -> str:
        """The clauses as one message that nobody has written before, now and then with a detour."""
        while True:
            text = join_clauses(clauses, self._style, self._phrases, self._voice)
            if self._voice.random() < DETOURS[self._style]:
                first, second = self._voice.sample((text, self._detour()), 2)
                text = f"{first}{'' if first[-1] in CLOSERS else '.'} {second}"
            if text not in self._texts:
                self._texts.add(text)
                return text
            clauses = [*clauses, self._detour()]

    def _detour(self) -> str:
        return in_style(
            compose(self._voice.choice(self._phrases["fillers"]), {}, self._voice), "plain", self._phrases, self._voice
        )

    def _say(self, session: int, today: date, touched: set[int], planned: list[str]) -> _Said:
        """Something new, or something about a thing of an earlier session that this session has not touched."""
        for _ in range(TRIES):
            known = [n for n, of in enumerate(self._session_of) if of < session and n not in {*self._ended, *touched}]
            thing = -1
            if planned:
                thing, found = len(self._values), self._planned(planned[0], session, today)
            elif self._chance.random() < SHARE_OF_OTHERS:
                found = self._other(today)
            elif known and self._chance.random() >= SHARE_OF_NEW:
                thing = self._chance.choice(known[-40:])
                found = self._about(thing, today)
            else:
                thing, found = len(self._values), self._new(session, today)
            if found is not None:
                planned.clear()
                touched.add(thing)
                self._facts.add(found.sentence.fact["text"])
                return found
        raise RuntimeError("the phrases do not suffice for this life")

    def _planned(self, name: str, session: int, today: date) -> _Said | None:
        """What has to be said in this session: the user's own rule, an allergy, its medicine, or a trip."""
        if name == "rule":
            at = {"at": time(self._chance.choice((10, 11)))}
            deed = Deed(-1, "", "rule", "rule", {"at": f"{at['at']:%H:%M}"}, today)
            return self._written(self._phrases["rule"]["new"], "meeting", deed, {}, at, today)
        risks = [_read_json("names.json")["risks"][values["name"]] for values in self._things_of("allergy")]
        if name == "risk":
            fresh = [risk for risk in risks if risk not in [each["name"] for each in self._things_of("medicine")]]
            return self._new(session, today, "medicine", {"name": fresh[0]} if fresh else {})
        return self._new(session, today, name)

    def _things_of(self, kind: str) -> list[Values]:
        return [values for each, values in zip(self._kinds, self._values, strict=True) if each == kind]

    def _new(self, session: int, today: date, name: str = "", given: Values | None = None) -> _Said | None:
        if not name:
            kinds = [
                name for name in KINDS if name in self._phrases and not (name == "profile" and name in self._kinds)
            ]
            name = self._chance.choices(kinds, [KINDS[kind].weight for kind in kinds])[0]
        values = KINDS[name].new(self._world, today) | {"currency": "GBP" if self._language == "en" else "EUR"}
        values |= given or (self._overlapping(today) if name == "trip" else {})
        if (
            "" in values.values()
            or self._is_ambiguous(
                name, values, set(values) - {"currency", "at", "price", "end", "choice", "choices", "dose"}, None
            )
            or self._has_key_of_another(name, values, len(self._values))
        ):
            return None
        deed = Deed(len(self._values), KINDS[name].type, "new", "put", KINDS[name].fields(values), today)
        found = self._written(self._phrases[name]["job" if name == "profile" else "new"], name, deed, {}, values, today)
        if found is not None:
            self._kinds.append(name)
            self._values.append(values)
            self._session_of.append(session)
        return found

    def _overlapping(self, today: date) -> Values:
        """Now and then, the days of a trip within those of another one."""
        ahead = [
            values
            for number, values in enumerate(self._values)
            if self._kinds[number] == "trip" and number not in self._ended and values["date"] > today
        ]
        if not ahead or self._chance.random() >= SHARE_OF_OVERLAPS:
            return {}
        first = self._chance.choice(ahead)["date"] + timedelta(days=1)
        return {"date": first, "end": first + timedelta(days=self._chance.randint(2, 7))}

    def _other(self, today: date) -> _Said | None:
        """What somebody else did; it belongs in no record of the user."""
        kind, said, noted = self._chance.choice(self._phrases["others"])
        values = KINDS[kind].new(self._world, today) | {"who": self._world.any("people")}
        values |= {"currency": "GBP" if self._language == "en" else "EUR"}
        if "" in values.values():
            return None
        deed = Deed(-1, "", f"{OTHERS}{kind}", "aside", KINDS[kind].fields(values), today)
        found = self._written([(said, noted)], kind, deed, {}, values, today)
        if found is None:
            return None
        about = values["who"] if noted.startswith("{who}") else "somebody"
        return found._replace(sentence=found.sentence._replace(fact={**found.sentence.fact, "about": about}))

    def _about(self, thing: int, today: date) -> _Said | None:
        name, old = self._kinds[thing], self._values[thing]
        acts = [act for act in KINDS[name].acts if act in self._phrases[name]]
        if not acts:
            return None
        act = self._chance.choice(acts)
        if old.get("date", today) < today and act in ("cancel", "move", "time", "longer"):
            return None  # what is over cannot be moved or called off
        change = KINDS[name].acts[act].change(old, self._world, today)
        new = old | change | ({"date": today} if act in ("back", "cancel", "stop", "done", "job") else {})
        if "" in change.values() or any(new[slot] == old.get(slot) for slot in change):
            return None
        if self._has_key_of_another(name, new, thing):
            return None
        op = KINDS[name].acts[act].op
        fields = KINDS[name].fields(_changed_fields(old, change)) if op == "amend" else {}
        deed = Deed(thing, KINDS[name].type, act, op, fields, today)
        found = self._written(self._phrases[name][act], name, deed, old, new, today, set(change))
        if found is not None and op == "amend":
            self._values[thing] = old | change
        if found is not None and op == "end":
            self._ended.add(thing)
        return found

    def _has_key_of_another(self, name: str, values: Values, thing: int) -> bool:
        """Whether another thing would have the same record."""
        key = KINDS[name].key
        others = (other for other, kind in enumerate(self._kinds) if kind == name and other != thing)
        return bool(key) and any(all(self._values[other][slot] == values[slot] for slot in key) for other in others)

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
        self,
        patterns: Sequence[Sequence[str]],
        kind: str,
        deed: Deed,
        old: Values,
        new: Values,
        today: date,
        changed: set[str] | None = None,
    ) -> _Said | None:
        """The sentence and its fact; None if the fact has been stated before, or if the words fit another thing."""
        texts = {"today": today_text(today, today, self._language)}
        for slot, value in new.items():
            texts |= self._slot_texts(slot, value, today)
        for slot, value in old.items():
            texts |= {f"old_{name}": text for name, text in self._slot_texts(slot, value, today).items()}
        *said, noted = self._voice.choice(patterns)
        composed = [compose(pattern, texts, self._voice) for pattern in said]
        used = {piece.slot for pieces in composed for piece in pieces} - {""}
        fact = self._fact(noted.format_map(texts), kind, deed, used, texts)
        pointing = {slot for slot in used if slot not in (changed or ()) and slot in old}
        pointing |= {"date"} & set(old) if "old_day" in used else set()
        if fact["text"] in self._facts or (old and self._is_ambiguous(kind, old, pointing, deed.thing)):
            return None
        *lead, quote = [self._in_style(pieces) for pieces in composed]
        if when := fact.get("when"):  # a day at the beginning may have a capital letter
            text = next(text for text in (quote, *lead) if when.lower() in text.lower())
            at = text.lower().index(when.lower())
            fact["when"] = text[at : at + len(when)]
        values = tuple((piece.slot, piece.text) for piece in composed[-1] if piece.slot)
        return _Said(Sentence(quote, fact, deed, values=values), *lead)

    def _in_style(self, pieces: Sequence[Piece]) -> str:
        return in_style(pieces, self._style, self._phrases, self._voice)

    def _fact(self, text: str, kind: str, deed: Deed, used: set[str], texts: Mapping[str, str]) -> dict[str, Any]:
        fact: dict[str, Any] = {"text": text, "topic": KINDS[kind].topic}
        fact["about"] = texts[KINDS[kind].about] if KINDS[kind].about else "user"
        if phrase := next((slot for slot in DAY_SLOTS if slot in used), ""):
            slot = {"end_day": "end", "end_bare": "end", "old_day": "old_date"}.get(phrase, "date")
            last = "end" if kind == "trip" and deed.op == "put" else slot
            fact |= {"when": texts[phrase], "start": texts[slot], "end": texts[last]}
        if deed.op == "amend" and deed.act in ("price", "time", "distance", "amount", "day"):
            fact["corrects"] = True
        return fact

    def _slot_texts(self, slot: str, value: Any, today: date) -> dict[str, str]:
        match value:
            case date():
                phrase = day_text(value, today, self._language, self._voice)
                bare = bare_day(phrase, self._language)
                if slot == "end":
                    return {"end": value.isoformat(), "end_day": phrase, "end_bare": bare}
                return {"date": value.isoformat(), "day": phrase, "day_bare": bare}
            case time():
                return {slot: clock_text(value, self._language, self._voice)}
            case Decimal():
                is_price = slot == "price"
                return {
                    slot: amount_text(value, self._language, self._voice)
                    if is_price
                    else number_text(value, self._language)
                }
            case _:
                return {slot: str(value), f"to_{slot}": self._phrases.get("to", {}).get(value, str(value))}


DAY_SLOTS = ("day", "day_bare", "end_day", "end_bare", "today", "old_day")


def _changed_fields(old: Values, change: Values) -> Values:
    """The changed values; a meeting's start needs its day and its time."""
    needed = {"at": old["at"]} if "at" in old and "date" in change else {}
    return needed | change | ({"currency": old["currency"]} if "price" in change else {})


def names_in(language: Language) -> Mapping[str, Sequence[str]]:
    """The names that a life in this language may have."""
    names = _read_json("names.json")
    return {**names["all"], **names[language]}


def _read_json(name: str) -> Any:
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
