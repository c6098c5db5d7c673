"""Questions to a made-up user's memory, each with the answer that the life gives, and how a reader looks for it.

Aggregates, three clocks, contradictions, changed preferences, what was said of others, and what was never said. The
answers come from the sentences of the life, never from the memory; what was said once has one answer, and no other
person's doings count as the user's.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from uac import Answer, Clocks
from uac_bench.conversations.answer_judging import is_recalled, is_right_answer
from uac_bench.conversations.generator import OTHERS, names_in
from uac_bench.conversations.lives import BY_HAND, Life, Sentence, sentences_of
from uac_bench.conversations.time_questions import KINDS_OF_QUESTIONS, TimeQuestion, stated_values, statements_by_thing
from uac_bench.conversations.wording import LANGUAGES, Language
from uac_bench.scorers import AnswerKind

__all__ = ["EACH", "QUESTION_KINDS", "LifeQuestion", "judge_answer", "life_questions", "next_step"]

QuestionKind: TypeAlias = Literal[
    "aggregate",
    "true on a day",
    "told by a day",
    "known at a time",
    "contradiction",
    "preference",
    "recall",
    "unanswerable",
]
CLOCKED: Mapping[str, QuestionKind] = {
    "state on a day": "true on a day",
    "told by a day": "told by a day",
    "known at a time": "known at a time",
}
EACH = 4  # questions of a kind


class LifeQuestion(NamedTuple):
    """A question in the user's language, its answer, and where a careful reader looks: a query, or the words."""

    kind: QuestionKind
    text: str
    answer: Any
    form: AnswerKind
    query: str = ""
    clocks: Clocks = Clocks()
    words: str = ""
    """For recall: the words that answer it."""
    open_to: frozenset[str] = frozenset()
    """What the words leave open: it may be part of the answer."""
    others: frozenset[str] = frozenset()
    """Values of the same kind, which would be wrong."""
    sentence: Sentence | None = None
    """For recall: the sentence that says it."""


def life_questions(life: Life, *, each: int = EACH, seed: int = 1) -> tuple[LifeQuestion, ...]:
    """At most `each` questions of each kind; the same for the same arguments."""
    if life.style == BY_HAND:
        return ()  # its questions were written by hand, too, and need a reader
    chance = random.Random(f"questions {seed}")
    asks = _read_texts()[life.language]
    found: dict[str, LifeQuestion] = {}
    for kind, ask in QUESTION_KINDS.items():
        asked = [question for question in ask(life, asks) if question.kind == kind]
        for question in asked if len(asked) <= each else chance.sample(asked, each):
            found.setdefault(question.text, question._replace(others=_other_values(life, question)))
    return tuple(found.values())


def _other_values(life: Life, question: LifeQuestion) -> frozenset[str]:
    """Names of the same kind as the answer; of those in the question none would be wrong."""
    if question.form != "set" or not question.answer:
        return frozenset()
    names, wanted = names_in(_language(life)), {str(each) for each in question.answer}
    lists = [names[kind] for kind in ("services", "medicines", "items", "homes")]
    lists += [each.partition(": ")[2].split(" | ") for each in names["preferences"]]
    alike = {name for listed in lists if not wanted.isdisjoint(listed) for name in listed}
    return frozenset(name for name in alike - wanted if name not in question.text)


def judge_answer(question: LifeQuestion, answer: Answer) -> str:
    """What is wrong with an answer; '' if it is right. A question without an answer must get none."""
    if question.kind == "unanswerable":
        return f"{answer.text!r}, though it was never said" if answer.is_known else ""
    if not answer.is_known:
        return f"no answer instead of {question.answer}: {answer.why}"
    if (sentence := question.sentence) is not None:
        is_right = is_recalled(
            answer.text,
            sentence.values,
            sentence.fact["about"],
            sentence.fact.get("start", ""),
            f"{sentence.quote} {sentence.fact['text']}",
        )
        return "" if is_right else f"{answer.text} instead of {question.answer}"
    given, golds = answer.text, [question.answer]
    if question.open_to and isinstance(question.answer, list):
        golds += [[*question.answer, *more] for more in _subsets(sorted(question.open_to))]
    is_right = is_right_answer(question.form, given, golds, sorted(question.others - question.open_to))
    return "" if is_right else f"{given} instead of {question.answer}"


def next_step(question: LifeQuestion, content: Mapping[str, Any]) -> dict[str, Any]:
    """What a careful reader replies who knows how to look for the answer, and sees the request only."""
    unknown = {"answer": "", "known": False}
    if not content["steps"]:
        return _search(question)
    result = content["steps"][-1]["result"].partition("\n(may be incomplete")[0]
    if content.get("refused"):
        return unknown
    if question.kind == "recall":
        entry = _entry_with(question.words, f"{content['memory']}\n{result}")
        return unknown if entry is None else _quoting(question.words, entry)
    is_empty = result.startswith("error") or result in ("[]", "None", "")
    return unknown if is_empty else {"answer": result, "known": True}


def _search(question: LifeQuestion) -> dict[str, Any]:
    if question.kind == "recall":
        return {"tool": "recall", "query": question.text}
    clocks = question.clocks
    given = {"valid": clocks.valid, "told": clocks.told}
    days = {name: day.isoformat() for name, day in given.items() if day is not None}
    known = {} if clocks.known is None else {"as_of": str(clocks.known)[:10]}
    return {"tool": "compute", "code": question.query, **days, **known}


def _quoting(words: str, entry: int) -> dict[str, Any]:
    return {"answer": words, "known": True, "quotes": [{"entry": entry, "quote": words}]}


def _entry_with(words: str, text: str) -> int | None:
    """The entry whose words are shown, if they are."""
    wanted = json.dumps(words, ensure_ascii=False)[1:-1]
    for line in text.splitlines():
        found = re.search(r"\bobservation at entry (\d+)", line)
        if found and wanted in line:
            return int(found[1])
    return None


def _subsets(items: Sequence[str]) -> Iterator[list[str]]:
    for bits in range(1, 1 << min(len(items), 8)):
        yield [item for place, item in enumerate(items) if bits >> place & 1]


# --- the kinds --------------------------------------------------------------------------------------------------------

Texts: TypeAlias = Mapping[str, Any]


def _aggregates(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    kept = [thing.fields for thing in life.things.values() if (thing.type, thing.state) == (PURCHASE, "active")]
    for shop in sorted({fields["shop"] for fields in kept}):
        spent = sum(_amount(fields) for fields in kept if fields["shop"] == shop)
        query = f"total(each.price for each in household.purchases if each.shop == {shop!r})"
        yield LifeQuestion("aggregate", asks["spent"].format(shop=shop), float(spent), "float", query)
    if kept:
        most = max(_amount(fields) for fields in kept)
        names = sorted(fields["item"] for fields in kept if _amount(fields) == most)
        query = (
            "sorted(each.item for each in household.purchases"
            " if each.price.amount == max(one.price.amount for one in household.purchases))"
        )
        yield LifeQuestion("aggregate", asks["dearest"], names, "set", query)
    runs = [thing.fields for thing in life.things.values() if thing.type == "leisure.Workout"]
    for sport in sorted({fields["sport"] for fields in runs}):
        far = sum(Decimal(fields["km"]) for fields in runs if fields["sport"] == sport)
        query = f"float(sum(each.km for each in leisure.workouts if each.sport == {sport!r}))"
        yield LifeQuestion("aggregate", asks["distance"].format(sport=sport), float(far), "float", query)


def _clocked(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    things, days = statements_by_thing(life), [session[-1].said.date() for session in life.sessions]
    for name, kind in CLOCKED.items():
        for question in KINDS_OF_QUESTIONS[name](things, days):
            clocks = question.clocks
            day = str(clocks.valid or clocks.told or clocks.known)[:10]
            is_list = isinstance(question.answer, list)
            if is_list and not question.answer:
                continue  # "none" and "not known" are not told apart
            text = _clocked_text(name, question, day, asks)
            form: AnswerKind = "set" if is_list else "int"
            yield LifeQuestion(
                kind, text, question.answer, form, question.query, clocks, open_to=frozenset(question.open_to)
            )


def _clocked_text(name: str, question: TimeQuestion, day: str, asks: Texts) -> str:
    if found := re.search(r"each\.name == (['\"])(.*?)\1", question.query):
        return str(asks["living on a day"].format(name=found[2], day=day))
    collection = question.names[0].replace("former_", "")
    nouns = asks["counted" if name == "told by a day" else "nouns"]
    noun = next(noun for type_, noun in nouns.items() if _collected(type_) == collection)
    return str(asks[name].format(noun=noun, day=day))


def _collected(type_name: str) -> str:
    domain, _, name = type_name.partition(".")
    return f"{domain}.{name.lower()}s"


def _contradictions(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    """What was stated, and stated again in another way; once only for those that never changed."""
    for number, each in statements_by_thing(life).items():
        thing = life.things[number]
        if thing.type == PURCHASE and thing.state == "active":
            item = thing.fields["item"]
            query = _history("household.purchases", f"each.item == {item!r}", "price")
            prices = stated_values(each, "price")
            yield LifeQuestion("contradiction", asks["prices"].format(item=item), prices, "set", query)
        if thing.type == PREFERENCE:
            topic = thing.fields["topic"]
            query = _history("preferences.preferences", f"each.topic == {topic!r}", "choice")
            choices = stated_values(each, "choice")
            yield LifeQuestion("contradiction", asks["choices"].format(topic=topic), choices, "set", query)


def _history(collection: str, condition: str, field: str) -> str:
    return f'[str(one.value) for each in {collection} if {condition} for one in history(each, "{field}")]'


def _preferences(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    for thing in life.things.values():
        if thing.type == PREFERENCE:
            topic = thing.fields["topic"]
            query = f"[each.choice for each in preferences.preferences if each.topic == {topic!r}]"
            choice = [thing.fields["choice"]]
            yield LifeQuestion("preference", asks["preference"].format(topic=topic), choice, "set", query)


def _recalled(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    for sentence, what in _doings_of_others(life):
        who = sentence.fact["about"]
        if who != "somebody":
            text = asks["recall"].format(who=who, what=what)
            gold = sentence.fact["text"]  # without asides
            yield LifeQuestion("recall", text, gold, "string", words=sentence.quote, sentence=sentence)


def _unanswerable(life: Life, asks: Texts) -> Iterator[LifeQuestion]:
    """What somebody else bought, what nobody ever mentioned, and what was never said of a thing that exists."""

    def paid(item: str) -> LifeQuestion:
        query = f"[str(each.price) for each in household.purchases if each.item == {item!r}]"
        return LifeQuestion("unanswerable", asks["paid"].format(item=item), None, "string", query)

    own = {thing.fields.get("item") for thing in life.things.values()}
    others = {what for sentence, what in _doings_of_others(life) if sentence.deed.act == f"{OTHERS}purchase"}
    yield from (paid(item) for item in sorted(others - own))
    names = names_in(_language(life))
    yield from (paid(item) for item in [item for item in names["items"] if item not in own | others][:EACH])
    people = {thing.fields.get("name") for thing in life.things.values()}
    for name in [name for name in names["full_names"] if name not in people][:1]:
        query = f"[each.lives_in for each in people.persons if each.name == {name!r}]"
        yield LifeQuestion("unanswerable", asks["home"].format(name=name), None, "string", query)
    for thing in life.things.values():
        if (thing.type, thing.state) == ("travel.Trip", "active"):
            city = thing.fields["destination"]
            query = f"[str(each.cost) for each in travel.trips if each.destination == {city!r} and each.cost]"
            yield LifeQuestion("unanswerable", asks["trip cost"].format(city=city), None, "string", query)


def _doings_of_others(life: Life) -> Iterator[tuple[Sentence, str]]:
    """Each sentence about other people, and what it is about."""
    for sentence in sentences_of(life):
        if sentence.deed.act.startswith(OTHERS):
            fields = sentence.deed.fields
            named = (fields.get(name) for name in ("item", "destination", "name", "substance", "km"))
            yield sentence, str(next(value for value in named if value))


def _amount(fields: Mapping[str, Any]) -> Decimal:
    return Decimal(str(fields["price"]).partition(" ")[0])


def _language(life: Life) -> Language:
    return next(language for language in LANGUAGES if language == life.language)


def _read_texts() -> Mapping[str, Texts]:
    path = Path(__file__).parent / "phrases" / "questions.json"
    found: dict[str, Texts] = json.loads(path.read_text(encoding="utf-8"))
    return found


PURCHASE, PREFERENCE = "household.Purchase", "preferences.Preference"
QUESTION_KINDS: Mapping[QuestionKind, Callable[[Life, Texts], Iterator[LifeQuestion]]] = {
    "aggregate": _aggregates,
    "true on a day": _clocked,
    "told by a day": _clocked,
    "known at a time": _clocked,
    "contradiction": _contradictions,
    "preference": _preferences,
    "recall": _recalled,
    "unanswerable": _unanswerable,
}
