"""Makes up chats of a user with an assistant: the same for the same seed, with questions whose evidence is known.

A chat has six topics that run over weeks, and two of them on each day. The user tells what happened among small talk
and asks for advice; the assistant repeats the user's words and answers at length with the words of the topic.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn
from uac_bench.chats.topics import TOPICS, Half, Topic
from uac_bench.chats.wordings import WORDINGS, Wording

__all__ = ["QUESTION_TYPES", "make_chat", "make_chats", "question_types"]

QUESTION_TYPES = (
    "single fact",
    "can you list",
    "could you remind me",
    "assistant said",
    "order",
    "summary",
    "how many times",
    "multi-hop",
    "open-domain",
    "temporal",
    "next step",
    "long question",
)
TOPICS_PER_CHAT = 6
CHATS = 4  # in each half
SEEDS: dict[Half, int] = {"develop": 1, "reported": 1001}
REQUESTS = 28  # turns of a topic that ask for something and tell nothing
POINTS = (9, 13)  # of an answer
TALK = (1, 4)  # sentences of small talk in a turn of the user
DAY = timedelta(days=1)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def make_chats(half: Half, count: int = CHATS) -> tuple[Chat, ...]:
    return tuple(make_chat(half, SEEDS[half] + number) for number in range(count))


def make_chat(half: Half, seed: int) -> Chat:
    return _ChatWriter(WORDINGS[half], random.Random(seed)).write(f"{half} {seed}", TOPICS[half])


class _Event(NamedTuple):
    """What the user is going to say about a topic: a kind of statement, and what goes into it."""

    kind: str
    slots: dict[str, str]


class _Thread(msgspec.Struct):
    """A topic of this chat: what will be said, and where it was said."""

    topic: Topic
    events: list[_Event]
    told: dict[str, list[tuple[int, dict[str, str]]]] = {}
    """The places of the turns by kind of event."""

    def places(self, *kinds: str) -> tuple[int, ...]:
        return tuple(sorted(place for kind in kinds for place, _slots in self.told.get(kind, ())))


class _ChatWriter:
    def __init__(self, wording: Wording, chance: random.Random) -> None:
        self.wording, self.chance = wording, chance
        self.turns: list[ChatTurn] = []
        self.questions: list[ChatQuestion] = []
        self._asked: dict[str, int] = {}
        self._session, self._said = "", datetime(2025, 1, 6, 18, tzinfo=UTC)

    def write(self, name: str, topics: tuple[Topic, ...]) -> Chat:
        chosen = self.chance.sample(topics, TOPICS_PER_CHAT)
        threads = [_Thread(topic, self._plan_events(topic), {}) for topic in chosen]
        while any(thread.events for thread in threads):
            open_threads = [thread for thread in threads if thread.events]
            self._begin_session()
            for thread in self.chance.sample(open_threads, min(2, len(open_threads))):
                for _turn in range(self.chance.randint(3, 5)):
                    if thread.events:
                        self._tell(thread, thread.events.pop(0))
        for thread in threads:
            self._ask_running(thread)
        for thread in threads:
            self._ask(thread)
        return Chat(name, tuple(self.turns), tuple(self.questions))

    # -- what is said ------------------------------------------------------------------------------------------------

    def _plan_events(self, topic: Topic) -> list[_Event]:
        """The events in order: steps and purchases keep theirs, requests come in between."""
        chance, wording = self.chance, self.wording
        prices = [str(chance.randint(12, 890)) for _thing in topic.things]
        things = [
            _Event("thing", {"thing": thing, "price": price, "shop": chance.choice(wording.shops)})
            for thing, price in zip(topic.things, prices, strict=True)
        ]
        steps = [_Event("step", {"step": step}) for step in topic.steps[:-2]]
        field, options = topic.choice
        name = chance.choice(wording.names)
        plan = dict(zip(("first", "second", "third"), topic.steps[-3:], strict=True))
        rate = {"name": name, "price": str(chance.randint(25, 95)), "weekday": chance.choice(WEEKDAYS)}
        ordered = [
            _Event("choice", {"field": field, "option": options[0]}),
            _Event("worker", {"name": name, "trade": topic.worker[0], "work": topic.worker[1]}),
            _Event("change", {"field": field, "option": options[1]}),
            _Event("rate", rate),
            _Event("plan", plan),
        ]
        loose = [
            *(_Event("trouble", {"trouble": told}) for told in topic.trouble[1]),
            _Event("habit", {"habit": topic.habit[0]}),
            *(_Event("advice", {"subject": subject, "advice": advice}) for subject, advice in topic.advice),
            *(_Event("request", {}) for _request in range(REQUESTS)),
        ]
        events = [event for group in zip_longest(things, steps, ordered) for event in group if event is not None]
        for event in loose:
            events.insert(chance.randrange(len(events) + 1), event)
        return events

    def _begin_session(self) -> None:
        self._said += DAY * self.chance.randint(1, 3)
        self._said = self._said.replace(hour=self.chance.randint(8, 21), minute=0)
        self._session = f"chat of {self._said:%Y-%m-%d}"

    def _tell(self, thread: _Thread, event: _Event) -> None:
        """The user's turn and the assistant's answer to it."""
        chance, wording, topic = self.chance, self.wording, thread.topic
        words = chance.sample(topic.words, 2)
        slots = event.slots | {"title": topic.title, "word": words[0], "word2": words[1]}
        request = _filled(chance.choice(wording.requests), slots)
        told = _filled(chance.choice(wording.statements[event.kind]), slots) if event.kind != "request" else ""
        talk = chance.sample(wording.small_talk, chance.randint(*TALK))
        asked = request if event.kind in ("request", "step", "thing") or chance.random() < 0.4 else ""
        before = len(talk) // 2
        place = self._add("user", " ".join(filter(None, [*talk[:before], told, *talk[before:], asked])))
        thread.told.setdefault(event.kind, []).append((place, slots))
        self._add("assistant", self._answer(told or request, event, slots, topic))

    def _answer(self, told: str, event: _Event, slots: dict[str, str], topic: Topic) -> str:
        chance, wording = self.chance, self.wording
        points = [
            _filled(point, slots | dict(zip(("word", "word2"), chance.sample(topic.words, 2), strict=True)))
            for point in chance.choices(wording.points, k=chance.randint(*POINTS))
        ]
        if event.kind == "advice":
            points.insert(chance.randrange(2), _filled(chance.choice(wording.advice), slots))
        opening = _filled(chance.choice(wording.openings), slots | {"said": _second_person(told)})
        return "\n".join([opening, "", *points, "", _filled(chance.choice(wording.closings), slots)])

    def _add(self, role: str, text: str) -> int:
        self._said += timedelta(minutes=1)
        self.turns.append(ChatTurn("user" if role == "user" else "assistant", text, self._said, self._session))
        return len(self.turns) - 1

    # -- what is asked -----------------------------------------------------------------------------------------------

    def _ask_running(self, thread: _Thread) -> None:
        """A session that goes on with a topic, and a question in it that does not name it."""
        self._begin_session()
        slots = {"step": thread.topic.steps[-3]}
        self._tell(thread, _Event("running", slots))
        del self.turns[-1]  # the question follows at once
        slots |= {"title": thread.topic.title}
        self._question("next step", thread.places("plan"), slots, session=self._session)

    def _ask(self, thread: _Thread) -> None:
        topic, chance = thread.topic, self.chance
        named = {"title": topic.title, "field": topic.choice[0], "trouble": topic.trouble[0]}
        for place, slots in chance.sample(thread.told["thing"], 2):
            self._question("single fact", (place,), named | slots)
        self._question("can you list", thread.places("thing"), named)
        self._question("could you remind me", thread.places("change"), named)
        for place, slots in thread.told["advice"]:
            self._question("assistant said", (place + 1,), named | slots)
        self._question("order", thread.places("step"), named)
        self._question("summary", thread.places("step", "choice", "change", "trouble"), named)
        self._question("how many times", thread.places("trouble"), named)
        self._question("multi-hop", thread.places("worker", "rate"), named | thread.told["worker"][0][1])
        self.questions.append(ChatQuestion(topic.habit[1], "open-domain", thread.places("habit"), topic.habit[2]))
        for before, after in ((0, 2), (1, 4)):
            (first, one), (second, two) = thread.told["step"][before], thread.told["step"][after]
            self._question("temporal", (first, second), named | {"first": one["step"], "second": two["step"]})
        place, slots = chance.choice(thread.told["thing"])
        talk = chance.sample(self.wording.small_talk, 3)
        slots = named | slots | {"greeting": chance.choice(self.wording.greetings)}
        slots |= {"talk": talk[0], "talk2": talk[1], "talk3": talk[2]}
        self._question("long question", (place,), slots)

    def _question(self, type_: str, evidence: tuple[int, ...], slots: dict[str, str], *, session: str = "") -> None:
        wordings = self.wording.questions[type_]
        number = self._asked.get(type_, 0)
        self._asked[type_] = number + 1
        slots = {name: _without_article(text) if name == "thing" else text for name, text in slots.items()}
        self.questions.append(
            ChatQuestion(
                _filled(wordings[number % len(wordings)], slots),
                type_,
                evidence,
                tuple(_filled(query, slots) for query in self.wording.queries[type_]),
                asked_after=len(self.turns) if session else None,
                session=session,
            )
        )


def _filled(template: str, slots: dict[str, str]) -> str:
    """The template with its slots; a slot in upper case begins a sentence."""
    known = {name: text for name, text in slots.items() if text}
    return template.format_map(known | {name.capitalize(): _capital(text) for name, text in known.items()})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _without_article(thing: str) -> str:
    for article in ("an ", "a "):
        if thing.startswith(article):
            return f"the {thing.removeprefix(article)}"
    return f"the {thing}"


def _second_person(told: str) -> str:
    """The user's words as the assistant repeats them."""
    return " ".join(_PERSONS.get(word, word) for word in told.split())


_PERSONS = {"I": "you", "my": "your", "My": "Your", "me": "you", "am": "are", "I'm": "you're", "we": "you"}


def question_types(chats: tuple[Chat, ...]) -> Iterator[str]:
    """The types of questions in these chats: those of made-up ones in their order, then others."""
    found = dict.fromkeys(question.type for chat in chats for question in chat.questions)
    yield from (name for name in QUESTION_TYPES if name in found)
    yield from (name for name in found if name not in QUESTION_TYPES)
