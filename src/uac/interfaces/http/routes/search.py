"""Reading what is known: search, context for an agent, code over the records, and questions to a model."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from uac.errors import LimitError
from uac.interfaces.http.auth import Asker, Worker
from uac.interfaces.http.fields import MOST, Asked, Day, Flag, Moment, Told
from uac.interfaces.http.routes.learning import NO_MODEL
from uac.log.index import KINDS, RecallKind
from uac.recall.hits import Found
from uac.sandbox.compute import Result, as_json
from uac.sandbox.compute import shown as as_python
from uac.schema.entries import Authority

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["reading"])

WhenAsked = Annotated[
    Annotated[int, Field(strict=True, ge=0, le=MOST)] | Moment | None,
    Field(
        union_mode="left_to_right",
        description="What was known then: a position of the log, or a time with its zone.",
        examples=[None],
    ),
]
Most = Annotated[int, Field(strict=True, ge=1, le=1000)]
Tokens = Annotated[int, Field(strict=True, ge=1, le=200_000)]


class RecallAsked(Asked):
    """What is searched for. With `tokens`, what fits into so many, in reading order; else the best `k`, best first."""

    query: str = Field(max_length=20_000, examples=["When do I fly?"])
    k: Most | None = Field(default=None, description="At most so many hits (20, if there is no budget either).")
    tokens: Tokens | None = Field(default=None, description="As many hits as fit into so many tokens.", examples=[800])
    about: str = Field(
        default="", max_length=200, description="Only what is about a person or thing.", examples=["Ben"]
    )
    since: Day | None = Field(default=None, description="Only what is about this day or later ones.")
    until: Day | None = Field(default=None, description="Only what is about this day or earlier ones.")
    kinds: list[RecallKind] = Field(default=[], max_length=3, description="Only these; none: all.", examples=[["fact"]])
    authorities: list[Authority] = Field(default=[], max_length=6, description="Only facts on the word of these.")
    sessions: list[str] = Field(default=[], max_length=100, description="Only what was said in these.")
    sources: list[str] = Field(default=[], max_length=100, description="Only what came from these.")
    former: Flag = Field(default=False, description="Also facts that no longer hold.")
    as_of: WhenAsked = None


class HitTold(Told):
    """Something that was found. Records have an id and no position; facts and turns have a position and no id."""

    kind: RecallKind = Field(examples=["fact"])
    position: int = Field(examples=[3])
    record: str = Field(examples=[""])
    text: str = Field(examples=["The user flies to Lisbon on 2026-03-06."])
    score: float = Field(examples=[1.25])
    channels: dict[str, float] = Field(
        description="What each channel gave to the score; empty for what stands beside something that was found.",
        examples=[{"words": 1.0}],
    )
    said: datetime | None
    speaker: str = Field(examples=["user"])
    role: str | None = Field(examples=["user"])
    session: str = Field(examples=["2026-03-02"])
    source: str = Field(examples=["chat"])
    authority: Authority | None = Field(description="Of a fact: on whose word.", examples=["user"])
    is_current: bool = Field(description="False for what has ended or was replaced.")
    start: int = Field(description="Where the text stands in the text of its entry.", examples=[0])
    stop: int = Field(examples=[39])
    whole: int = Field(description="How long the text of its entry is.", examples=[39])
    also: list[int] = Field(description="Entries that say nearly the same and are not shown.", examples=[[]])


class Recalled(Told):
    """What a search found, and how much more matched."""

    hits: list[HitTold]
    matched: int = Field(examples=[4])
    left_out: int = Field(examples=[0])
    tokens: int = Field(description="What the hits take as text.", examples=[120])
    notes: list[str] = Field(description="What could not be searched, and how the question was read.", examples=[[]])
    unread: int = Field(description="Turns that no model has read: facts and records cannot know them.", examples=[0])


class ContextAsked(Asked):
    """The question an agent is about to answer, and how much it may be shown."""

    question: str = Field(max_length=20_000, examples=["When do I fly?"])
    tokens: Tokens = Field(
        default=4000,
        description="At most so many, unless they are too few to count the active alerts.",
        examples=[2000],
    )


class PartTold(Told):
    """One thing that is shown, and where it comes from."""

    kind: Literal["manifest", "alert", "record", "fact", "turn"] = Field(examples=["fact"])
    source: str = Field(examples=["entry 3"])
    text: str


class LeftOutTold(Told):
    """How much matched, or stands, and is not shown."""

    manifest: int
    alerts: int
    records: int
    facts: int
    turns: int


class ContextTold(Told):
    """What an agent should be shown: alerts first, then manifest, records, facts and excerpts."""

    text: str
    tokens: int = Field(examples=[640])
    parts: list[PartTold]
    left_out: LeftOutTold
    positions: list[int] = Field(description="The entries whose words are shown.", examples=[[1, 3]])


class ComputeAsked(Asked):
    """Python over the records. It runs in a sandbox: no files, no network, hard limits."""

    code: str = Field(max_length=50_000, examples=["total(t.cost for t in travel.trips if t.start.year == 2026)"])
    as_of: WhenAsked = None


class CollectionRead(Told):
    """A collection that code read, and how many facts may be missing from it."""

    collection: str = Field(examples=["travel.trips"])
    records: int = Field(examples=[2])
    waiting: int = Field(examples=[0])
    aside: int = Field(examples=[0])


class Computed(Told):
    """What code gave, and whether what it read is complete."""

    value: Any = Field(description="As JSON: records as objects, dates and money as text.", examples=[{"EUR": "550"}])
    python: str = Field(description="As Python prints it.", examples=["{'EUR': Decimal('550')}"])
    printed: str = Field(examples=[""])
    is_complete: bool
    reads: list[CollectionRead]
    unread: int = Field(description="Turns that no model has read.", examples=[0])
    position: int = Field(description="The end of the log that it was computed on.", examples=[12])


class QuestionAsked(Asked):
    """A question for the configured model, which answers with search and code and is checked."""

    question: str = Field(min_length=1, max_length=20_000, examples=["How many flights did I take this year?"])


class CodeRan(Told):
    """Code that ran, and what it gave."""

    code: str = Field(examples=["len(travel.trips)"])
    value: str = Field(examples=["2"])
    is_complete: bool
    as_of: str = Field(examples=[""])
    reads: list[str] = Field(examples=[["travel.trips"]])


class QuoteTold(Told):
    """Words that an answer rests on."""

    position: int = Field(examples=[1])
    words: str = Field(examples=["I fly to Lisbon next Friday."])
    speaker: str = Field(examples=["user"])
    said: datetime | None


class AnswerTold(Told):
    """What the model answered, and what it rests on."""

    text: str = Field(examples=["Two."])
    is_known: bool = Field(description="False: nothing in memory supports an answer.")
    is_complete: bool = Field(description="Whether all that is known was in what was read.")
    computed: list[CodeRan]
    records: list[str] = Field(examples=[["travel.Trip:lisbon"]])
    quotes: list[QuoteTold]
    why: str = Field(description="Why there is no answer, or why it may not be complete.", examples=[""])
    calls: int = Field(examples=[2])


@router.post("/recall")
def recall(place: Asker, body: RecallAsked) -> Recalled:
    """Search what was said, the facts taken from it and the records: by words, meaning, person and time."""
    with place.memory() as memory:
        found = memory.recall(
            body.query,
            tokens=body.tokens,
            k=body.k,
            about=body.about,
            between=(body.since, body.until),
            kinds=body.kinds or KINDS,
            authorities=body.authorities,
            sessions=body.sessions,
            sources=body.sources,
            former=body.former,
            as_of=body.as_of,
        )
        unread = len(memory.project().progress.unread)
    return _recalled(found, unread)


@router.post("/context")
def context(place: Asker, body: ContextAsked) -> ContextTold:
    """What an agent should be shown for a question, within a budget. No model is asked."""
    with place.memory() as memory:
        return ContextTold.model_validate(memory.context(body.question, tokens=body.tokens))


@router.post("/compute")
def compute(place: Asker, body: ComputeAsked) -> Computed:
    """Run Python over all records, and say whether they are complete."""
    with place.memory() as memory:
        result = memory.compute_as_of(body.code, body.as_of)
        unread = len(memory.project().progress.unread)
    return _computed(result, unread)


@router.post("/ask", responses=NO_MODEL)
def ask(place: Worker, body: QuestionAsked) -> AnswerTold:
    """Let the configured model answer a question, and check what it says. 501 if there is none.

    It takes the right to write, too: what was asked and what it cost stands in the log.
    """
    place.caller.check("read")
    place.check_known()
    with place.apart() as memory:
        return AnswerTold.model_validate(memory.ask(body.question))


def _recalled(found: Found, unread: int) -> Recalled:
    return Recalled(
        hits=[HitTold.model_validate(hit) for hit in found.hits],
        matched=found.matched,
        left_out=found.left_out,
        tokens=found.tokens,
        notes=list(found.notes),
        unread=unread,
    )


def _computed(result: Result, unread: int) -> Computed:
    try:
        value, python = as_json(result.value), as_python(result.value)
    except ValueError:  # Python writes out no number of more than 4,300 digits
        raise LimitError("size", "the result has a number of too many digits", printed=result.printed) from None
    return Computed(
        value=value,
        python=python,
        printed=result.printed,
        is_complete=result.is_complete,
        reads=[CollectionRead.model_validate(read) for read in result.reads],
        unread=unread,
        position=result.position,
    )
