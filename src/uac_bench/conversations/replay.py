"""Plays a life through a real memory with a given model, and scores each step against the truth."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import msgspec

from uac import Fact, Memory, Model, Observation, OneModel, Outcome, Project, Reply, Request, open_store
from uac.errors import Awaited, Unreachable
from uac.models import NO_BUDGET
from uac.text import count_tokens
from uac_bench.conversations.due_alerts import AlertWatch, JudgedAlert
from uac_bench.conversations.fact_matching import FactMatcher, MatchedFact, is_said_by
from uac_bench.conversations.generator import OTHERS
from uac_bench.conversations.lives import BY_HAND, Deed, Life, Sentence, sentences_of
from uac_bench.conversations.questions import EACH, LifeQuestion, judge_answer, life_questions
from uac_bench.conversations.thing_judging import belongs_to_another, judge_thing
from uac_bench.conversations.truthful_model import TruthfulModel, content_of, deeds_of, listed_types
from uac_bench.conversations.weak_models import WeakModel
from uac_bench.conversations.wrong_values import wrong_facts, wrong_values

__all__ = ["JudgedAnswer", "LearningStopped", "Score", "Step", "Watcher", "lived_through", "replay"]


class LearningStopped(Exception):
    """The model could not go on: a reply is awaited, or the budget is used up."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of one step: how many, how large, and how many of them asked again."""

    requests: int = 0
    again: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """A fact about a record that its request did not show."""

    type: str
    act: str
    fact: str


class JudgedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that the memory gave; `why` says what is wrong with it, '' if it is right."""

    kind: str
    question: str
    given: str
    gold: str
    why: str


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay gave."""

    language: str
    facts: int
    """Facts that the life states."""
    taken: int
    """Of these, accepted, and saying what the sentence says."""
    touching: int
    """Facts that are about a record of an earlier request."""
    shown: int
    """Of these, asked about with that record in the request."""
    new: int
    """Facts that need a record of a type that a pack offers, or that exists already."""
    fitted: int
    """Of these, asked about with the fields of that type in the request."""
    things: int
    right: int
    """Things with exactly one record that has every value, and is ended if the thing is."""
    doubled: int
    missed: tuple[Missed, ...]
    wrong: tuple[str, ...]
    verdicts: tuple[str, ...]
    """Why the memory of each thing is wrong, in the order of the things; '' if it is right."""
    false: tuple[str, ...]
    """Values, ends, records and facts in memory that the life never had."""
    stuck: int
    """Words and facts that no reply answered for; they are listed and can be asked again."""
    steps: dict[str, Step]
    manifest: int
    """Tokens of the manifest at the end."""
    parts: dict[str, int]
    reasons: dict[str, int]
    style: str = ""
    others: int = 0
    """Facts about other people's doings."""
    kept_apart: int = 0
    """Of these, in no record, or only in such as name the other person."""
    alerts: tuple[JudgedAlert, ...] = ()
    answers: tuple["JudgedAnswer", ...] = ()

    @property
    def requests(self) -> int:
        return sum(step.requests for step in self.steps.values())

    @property
    def tokens(self) -> int:
        return sum(step.input_tokens + step.output_tokens for step in self.steps.values())


def replay(life: Life, model_of: Callable[[TruthfulModel], Model] = lambda model: model, *, each: int = EACH) -> Score:
    """Live through the sessions, and score what was learned, which alerts it raised, and how questions are answered.

    `model_of` may weaken the truthful model; `each` is the number of questions of a kind.
    """
    watch, questions = AlertWatch(life), life_questions(life, each=each)
    has_cases = life.style != BY_HAND
    with lived_through(life, model_of, watch.look if has_cases else None, questions) as (memory, watcher, made):
        score = watcher.score(made.lies if isinstance(made, WeakModel) else ())
        answers = tuple(_ask(memory, made, question) for question in questions)
        return msgspec.structs.replace(score, alerts=watch.judged() if has_cases else (), answers=answers)


def _ask(memory: Memory, model: Model, question: LifeQuestion) -> JudgedAnswer:
    try:
        answer = memory.ask(question.text, OneModel(model), budget=NO_BUDGET)
    except (Awaited, Unreachable) as error:
        raise LearningStopped(f"{question.text}: {error}") from error
    gold = "" if question.answer is None else str(question.answer)
    why = judge_answer(question, answer)
    return JudgedAnswer(kind=question.kind, question=question.text, given=answer.text, gold=gold, why=why)


@contextmanager
def lived_through(
    life: Life,
    model_of: Callable[[TruthfulModel], Model] = lambda model: model,
    on_session: Callable[[Memory, int, Mapping[int, Deed]], None] | None = None,
    questions: Sequence[LifeQuestion] = (),
) -> Iterator[tuple[Memory, "Watcher", Model]]:
    """The memory after all sessions: after each, all words are learned, and `on_session` may look at it."""
    now = [life.sessions[0][0].said]
    with (
        closing(open_store("memory:", clock=lambda: now[0])) as store,
        closing(Memory(store.log("user"), clock=lambda: now[0])) as memory,
    ):
        watcher = Watcher(life, memory)
        truthful = TruthfulModel(life, watcher.records_of)
        truthful.questions = {question.text: question for question in questions}
        made = model_of(truthful)
        model = watcher.watching(made)
        for number, session in enumerate(life.sessions, 1):
            for turn in session:
                now[0] = turn.said
                memory.add(turn.text, said=turn.said, role=turn.role, session=f"session {number}")
            now[0] += timedelta(minutes=5)
            learned = memory.learn(OneModel(model), budget=NO_BUDGET, on_outcome=watcher.notice)
            if learned.stopped:
                raise LearningStopped(f"session {number}: {learned.stopped}")
            if on_session is not None:
                on_session(memory, number - 1, watcher.deed_at)
        yield memory, watcher, made


class Watcher:
    """Sees each request and each outcome, and knows the truth."""

    def __init__(self, life: Life, memory: Memory) -> None:
        self._life = life
        self._memory = memory
        self._deeds = deeds_of(life)
        self._matcher = FactMatcher(life)
        self.deed_at: dict[int, Deed] = {}  # by the position of the fact
        self._sentence_at: dict[int, Sentence] = {}
        self._found: set[str] = set()  # true facts that are noted, by the text of the truth
        self._parts: dict[str, list[str]] = {}  # the texts of all facts that are of one
        self._outcomes: list[Outcome] = []
        self._touching = self._shown = self._new = self._fitted = 0
        self._missed: list[Missed] = []

    def watching(self, model: Model) -> Model:
        watcher = self

        class Watched:
            name = model.name

            def ask(self, request: Request) -> Reply:
                if request.step == "checkpoint":
                    watcher._look(content_of(request))
                return model.ask(request)

        return Watched()

    def records_of(self, thing: int) -> Sequence[str]:
        """The records that cite a fact about the thing."""
        project = self._memory.project()
        positions = [position for position, deed in self.deed_at.items() if deed.thing == thing]
        return list(dict.fromkeys(record for position in positions for record in project.used.get(position, ())))

    def notice(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self.notice_facts(outcome.facts)

    def notice_facts(self, positions: Sequence[int]) -> None:
        for position in positions:
            for stored in self._memory.log.read(position, position + 1):
                fact = stored.entry
                matched = self._matcher.match(fact, self._text_of) if isinstance(fact, Fact) else None
                if matched is None or not isinstance(fact, Fact):
                    continue
                self.deed_at[position] = matched.sentence.deed
                self._sentence_at[position] = matched.sentence
                self._find(fact, matched)

    def _find(self, fact: Fact, matched: MatchedFact) -> None:
        """Count the sentence as found if this fact says it, or this and others that say parts of it."""
        sentence = matched.sentence
        parts = self._parts.setdefault(sentence.fact["text"], [])
        parts.append(fact.text)
        if matched.is_true or is_said_by(sentence, " ".join(parts), fact.about, fact.held.start):
            self._found.add(sentence.fact["text"])

    def _text_of(self, position: int) -> str:
        entries = [stored.entry for stored in self._memory.log.read(position, position + 1)]
        return next((entry.text for entry in entries if isinstance(entry, Observation)), "")

    def _look(self, content: Mapping[str, Any]) -> None:
        """Count the facts that touch a record, and whether it is shown."""
        if "refused" in content:
            return
        shown = set(content["records"])
        types = {name for name, has_fields in listed_types(content).items() if has_fields}
        for fact in content["facts"]:
            deed = self.deed_at.get(fact["fact"])
            if deed is not None and deed.op == "put" and not (deed.type in self._life.types and deed.type not in types):
                self._new += 1
                self._fitted += deed.type in types
                if deed.type not in types:
                    self._missed.append(Missed(type=deed.type, act="its type", fact=fact["text"]))
            if deed is None or deed.op in ("put", "aside", "rule") or not (records := self.records_of(deed.thing)):
                continue
            self._touching += 1
            if shown.isdisjoint(records):
                self._missed.append(Missed(type=deed.type, act=deed.act, fact=fact["text"]))
            else:
                self._shown += 1

    def score(self, lies: Collection[str] = ()) -> Score:
        """The score of the whole life; `lies` are facts that a model made up."""
        project = self._memory.project()
        judged = [
            judge_thing(thing, [project.record(record) for record in self.records_of(number)], self._former(number))
            for number, thing in self._life.things.items()
        ]
        findings = [finding for outcome in self._outcomes for finding in outcome.findings]
        return Score(
            language=self._life.language,
            facts=len(self._deeds),
            taken=len(self._found),
            touching=self._touching,
            shown=self._shown,
            new=self._new,
            fitted=self._fitted,
            things=len(judged),
            right=sum(not why for why in judged),
            doubled=sum(why.startswith("twice") for why in judged),
            missed=tuple(self._missed),
            wrong=tuple(
                f"{each.type}: {why}" for each, why in zip(self._life.things.values(), judged, strict=True) if why
            ),
            verdicts=tuple(judged),
            false=(
                *wrong_values(self._memory, self._life, self.deed_at),
                *wrong_facts(self._memory, self._life, lies),
            ),
            stuck=len(project.progress.stuck),
            steps={step: self._step(step) for step in ("extract", "checkpoint")},
            manifest=count_tokens(self._memory.manifest()),
            parts=_parts(self._outcomes),
            reasons=dict(Counter(finding.why for finding in findings).most_common(40)),
            style=self._life.style,
            others=len(others := self._facts_of_others()),
            kept_apart=sum(self._is_apart(position, project) for position in others),
        )

    def _facts_of_others(self) -> list[int]:
        return [position for position, deed in self.deed_at.items() if deed.act.startswith(OTHERS)]

    def _is_apart(self, position: int, project: Project) -> bool:
        """Whether a fact of another person's doings is in no record, or only in such as are the other person's."""
        records = [project.record(name) for name in project.used.get(position, ())]
        return all(belongs_to_another(record, self._sentence_at[position]) for record in records)

    def _former(self, thing: int) -> list[Mapping[str, Any]]:
        """All that was ever said of a thing."""
        return [each.deed.fields for each in sentences_of(self._life) if each.deed.thing == thing]

    def _step(self, step: str) -> Step:
        outcomes = [outcome for outcome in self._outcomes if outcome.request.step == step]
        return Step(
            requests=len(outcomes),
            again=sum("refused" in content_of(outcome.request) for outcome in outcomes),
            input_tokens=sum(outcome.reply.input_tokens for outcome in outcomes),
            output_tokens=sum(outcome.reply.output_tokens for outcome in outcomes),
        )


def _parts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Tokens of first checkpoint requests by part."""

    found: Counter[str] = Counter()
    for outcome in outcomes:
        content = content_of(outcome.request)
        if outcome.request.step != "checkpoint" or "refused" in content:
            continue
        found["requests"] += 1
        found["prompt"] += count_tokens(outcome.request.prompt)
        for name, part in content.items():
            found[name] += count_tokens(json.dumps(part, ensure_ascii=False, indent=1))
    return dict(found)
