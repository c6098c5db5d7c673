"""Answers to questions: search hits, context for an agent, the result of code, and the answer of a model."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from uac.interfaces.views.view import Doc, View, build_view
from uac.log.index import RecallKind
from uac.sandbox.compute import Result, computed_json
from uac.sandbox.compute import computed_text as as_python
from uac.schema.entries import Authority

if TYPE_CHECKING:
    from uac.conversation.ask import Answer
    from uac.recall.context import Context
    from uac.recall.hits import Found, Hit

__all__ = [
    "AnswerView",
    "CodeRunView",
    "CollectionView",
    "ComputeView",
    "ContextView",
    "HitView",
    "PartView",
    "QuoteView",
    "RecallView",
    "compute_view",
    "context_view",
    "hit_view",
    "question_answer_view",
    "recall_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView(View):
    """A search hit. Records have an id and no position; facts and turns have a position and no id."""

    kind: Annotated[RecallKind, Doc(example="fact")]
    position: Annotated[int, Doc(example=3)]
    record: Annotated[str, Doc(example="")]
    text: Annotated[str, Doc(example="The user flies to Lisbon on 2026-03-06.")]
    score: Annotated[float, Doc(example=1.25)]
    channels: Annotated[
        dict[str, float],
        Doc("What each channel added to the score; empty for a neighbour of a hit.", {"words": 1.0}),
    ]
    said: datetime | None
    speaker: Annotated[str, Doc(example="user")]
    role: Annotated[str | None, Doc(example="user")]
    session: Annotated[str, Doc(example="2026-03-02")]
    source: Annotated[str, Doc(example="chat")]
    authority: Annotated[Authority | None, Doc("Of a fact: whose word it is.", "user")]
    is_current: Annotated[bool, Doc("False if it has ended or was replaced.")]
    start: Annotated[int, Doc("Where the text begins in the text of its entry.", 0)]
    stop: Annotated[int, Doc(example=39)]
    whole: Annotated[int, Doc("The length of the text of its entry.", 39)]
    also: Annotated[tuple[int, ...], Doc("Entries that say nearly the same and are not listed.", [])]


def hit_view(hit: "Hit") -> HitView:
    return build_view(HitView, hit)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallView(View):
    """The hits of a search, and how much more matched."""

    hits: tuple[HitView, ...]
    matched: Annotated[int, Doc(example=4)]
    left_out: Annotated[int, Doc(example=0)]
    tokens: Annotated[int, Doc("The length of the hits as text.", 120)]
    notes: Annotated[tuple[str, ...], Doc("What could not be searched, and how the question was read.", [])]
    unread: Annotated[int, Doc("Turns that no model has read; facts and records do not cover them.", 0)]


def recall_view(found: "Found", unread: int) -> RecallView:
    return build_view(RecallView, found, hits=tuple(hit_view(hit) for hit in found.hits), unread=unread)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView(View):
    """One part of a context, and its source."""

    kind: Annotated[Literal["manifest", "alert", "record", "fact", "turn"], Doc(example="fact")]
    source: Annotated[str, Doc(example="entry 3")]
    text: str


LeftOutKind = Literal["manifest", "alerts", "records", "facts", "turns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView(View):
    """What an agent should see: alerts first, then manifest, records, facts and excerpts."""

    text: str
    tokens: Annotated[int, Doc(example=640)]
    parts: tuple[PartView, ...]
    left_out: Annotated[
        dict[LeftOutKind, int],
        Doc(
            "How much matched, or is active, and did not fit.",
            {"manifest": 0, "alerts": 0, "records": 2, "facts": 5, "turns": 9},
        ),
    ]
    positions: Annotated[tuple[int, ...], Doc("The entries that are quoted.", [1, 3])]


def context_view(context: "Context") -> ContextView:
    parts = tuple(build_view(PartView, part) for part in context.parts)
    return build_view(ContextView, context, parts=parts, left_out=context.left_out._asdict())


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionView(View):
    """A collection that code read, and what may be missing from it."""

    collection: Annotated[str, Doc(example="travel.trips")]
    records: Annotated[int, Doc(example=2)]
    waiting: Annotated[int, Doc("Facts that are in no record yet and may belong here.", 0)]
    stuck: Annotated[int, Doc("Facts and texts that no model could process and that may belong here.", 0)]
    aside: Annotated[int, Doc("Facts that were set aside though they may belong here.", 0)]
    incomplete: Annotated[int, Doc("Records left out because a required field was not understood.", 0)]
    conflicts: Annotated[int, Doc("Records with a field that the code reads and on which sources disagree.", 0)]
    facts: Annotated[tuple[int, ...], Doc("The positions of the facts that may belong here.", [])]
    lacks: Annotated[str, Doc("What may be missing, in words.", "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeView(View):
    """The result of code, and whether the collections it read are complete."""

    value: Annotated[Any, Doc("As JSON: records as objects, dates and money as text.", {"EUR": "550"})]
    python: Annotated[str, Doc("As Python prints it.", "{'EUR': Decimal('550')}")]
    printed: Annotated[str, Doc(example="")]
    is_complete: bool
    reads: tuple[CollectionView, ...]
    unread: Annotated[int, Doc("Turns that no model has read.", 0)]
    position: Annotated[int, Doc("The end of the log that it was computed on.", 12)]


def compute_view(result: Result, unread: int) -> ComputeView:
    """ValueError if the value holds a number with more digits than Python prints."""
    return build_view(
        ComputeView,
        result,
        value=computed_json(result.value),
        python=as_python(result.value),
        reads=tuple(build_view(CollectionView, read) for read in result.reads),
        unread=unread,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRunView(View):
    """Code that ran, and its result."""

    code: Annotated[str, Doc(example="len(travel.trips)")]
    value: Annotated[str, Doc(example="2")]
    is_complete: bool
    as_of: Annotated[str, Doc(example="")]
    reads: Annotated[tuple[str, ...], Doc(example=["travel.trips"])]
    valid: Annotated[str, Doc("The day on which the records were true, if the model chose one.", "")]
    told: Annotated[str, Doc("The day by which they had been told, if the model chose one.", "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteView(View):
    """Words that an answer cites."""

    position: Annotated[int, Doc(example=1)]
    words: Annotated[str, Doc(example="I fly to Lisbon next Friday.")]
    speaker: Annotated[str, Doc(example="user")]
    said: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView(View):
    """The model's answer, and the evidence for it."""

    text: Annotated[str, Doc(example="Two.")]
    is_known: Annotated[bool, Doc("False: nothing in memory supports an answer.")]
    is_complete: Annotated[bool, Doc("Whether everything that is known was read.")]
    computed: tuple[CodeRunView, ...]
    records: Annotated[tuple[str, ...], Doc(example=["travel.Trip:lisbon"])]
    quotes: tuple[QuoteView, ...]
    why: Annotated[str, Doc("Why there is no answer, or why it may be incomplete.", "")]
    calls: Annotated[int, Doc(example=2)]


def question_answer_view(answer: "Answer") -> AnswerView:
    return build_view(
        AnswerView,
        answer,
        computed=tuple(build_view(CodeRunView, each) for each in answer.computed),
        quotes=tuple(build_view(QuoteView, each) for each in answer.quotes),
    )
