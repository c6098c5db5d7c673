"""Reading what is known: search, context for an agent, code over the records, and questions to a model."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from uac.errors import LimitError
from uac.interfaces.http.auth import Asker, Worker
from uac.interfaces.http.fields import MOST, Day, Flag, Input, Moment, read_clocks
from uac.interfaces.http.routes.learning import NO_MODEL
from uac.interfaces.views.search import (
    AnswerView,
    ComputeView,
    ContextView,
    RecallView,
    compute_view,
    context_view,
    question_answer_view,
    recall_view,
)
from uac.log.index import KINDS, RecallKind
from uac.project.clocks import Clocks
from uac.schema.entries import Authority

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["reading"])

WhenInput = Annotated[
    Annotated[int, Field(strict=True, ge=0, le=MOST)] | Moment | None,
    Field(
        union_mode="left_to_right",
        description="What memory knew then: a position of the log, or a time with its zone.",
        examples=[None],
    ),
]
Most = Annotated[int, Field(strict=True, ge=1, le=1000)]
Tokens = Annotated[int, Field(strict=True, ge=1, le=200_000)]


class ClocksInput(Input):
    """The clocks of a question; as_of is the former name of known."""

    valid: Day | None = Field(default=None, description="What was true on that day.", examples=[None])
    told: Day | None = Field(default=None, description="What had been said by the end of that day.", examples=[None])
    known: WhenInput = None
    as_of: WhenInput = None

    def clocks(self) -> Clocks:
        return read_clocks(self.valid, self.told, self.known, self.as_of)


class AskedInput(ClocksInput):
    """How a question is asked, beside its words."""

    queries: list[Annotated[str, Field(max_length=20_000)]] = Field(
        default=[],
        max_length=3,
        description="Two or three other queries for the same question, merged by rank: one for each thing that it takes"
        " to answer, in the words in which somebody may have said it. They find much that one question misses.",
        examples=[["flight booking", "departure time, airport"]],
    )
    within: str = Field(
        default="", max_length=500, description="The session in which the question is asked: its last turns count."
    )
    after: Annotated[int, Field(strict=True, ge=0, le=MOST)] | None = Field(
        default=None, description="The turns after this position are the running conversation, and count."
    )
    outline: Annotated[bool, Field(strict=True)] | None = Field(
        default=None,
        description="All matching turns of people, shortened, by date. By default if the question asks for an order, a"
        " list, a summary or how often.",
    )
    recent: Flag = Field(default=False, description="What was said lately counts more: half as much a month before.")


class RecallInput(AskedInput):
    """A search. With `tokens`, the hits that fit into the budget, in reading order; else the best `k`, best first."""

    query: str = Field(max_length=20_000, examples=["When do I fly?"])
    k: Most | None = Field(default=None, description="At most this many hits; 20 if there is no budget either.")
    tokens: Tokens | None = Field(
        default=None, description="As many hits as fit into this many tokens.", examples=[800]
    )
    about: str = Field(
        default="", max_length=200, description="Only hits about this person or thing.", examples=["Ben"]
    )
    since: Day | None = Field(default=None, description="Only hits about this day or later.")
    until: Day | None = Field(default=None, description="Only hits about this day or earlier.")
    kinds: list[RecallKind] = Field(default=[], max_length=3, description="Only these; none: all.", examples=[["fact"]])
    authorities: list[Authority] = Field(default=[], max_length=6, description="Only facts on the word of these.")
    sessions: list[str] = Field(default=[], max_length=100, description="Only hits from these sessions.")
    sources: list[str] = Field(default=[], max_length=100, description="Only hits from these sources.")
    former: Flag = Field(default=False, description="Also facts that are no longer true.")


class ContextInput(AskedInput):
    """The question an agent is about to answer, and its token budget."""

    question: str = Field(max_length=20_000, examples=["When do I fly?"])
    tokens: Tokens = Field(
        default=4000,
        description="At most this many tokens, unless they are too few to count the active alerts.",
        examples=[2000],
    )


class ComputeInput(ClocksInput):
    """Python over the records. It runs in a sandbox: no files, no network, hard limits."""

    code: str = Field(
        max_length=50_000, examples=["total(t.cost for t in travel.trips if t.departs and t.departs.year == 2026)"]
    )


class QuestionInput(Input):
    """A question for the configured model, which answers with search and code; its answer is checked."""

    question: str = Field(min_length=1, max_length=20_000, examples=["How many flights did I take this year?"])


@router.post("/recall")
def recall(context: Asker, body: RecallInput) -> RecallView:
    """Search what was said, the facts taken from it and the records: by words, meaning, person and time."""
    with context.memory() as memory:
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
            clocks=body.clocks(),
            queries=body.queries,
            within=body.within,
            after=body.after,
            outline=body.outline,
            recent=body.recent,
        )
        unread = len(memory.known_project.progress.unread)
    return recall_view(found, unread)


@router.post("/context")
def context(context: Asker, body: ContextInput) -> ContextView:
    """What an agent should see for a question, within a token budget. No model is called."""
    with context.memory() as memory:
        return context_view(
            memory.context(
                body.question,
                tokens=body.tokens,
                clocks=body.clocks(),
                queries=body.queries,
                within=body.within,
                after=body.after,
                outline=body.outline,
                recent=body.recent,
            )
        )


@router.post("/compute")
def compute(context: Asker, body: ComputeInput) -> ComputeView:
    """Run Python over all records. The result says whether they are complete."""
    with context.memory() as memory:
        result = memory.compute(body.code, clocks=body.clocks())
        unread = len(memory.known_project.progress.unread)
    try:
        return compute_view(result, unread)
    except ValueError:  # Python prints no number of more than 4,300 digits
        raise LimitError(
            "size", "The result has a number with too many digits. Round it in code.", printed=result.printed
        ) from None


@router.post("/ask", responses=NO_MODEL)
def ask(context: Worker, body: QuestionInput) -> AnswerView:
    """Let the configured model answer a question, and check the answer. 501 if there is none.

    It needs the right to write, too: the question and its cost are logged.
    """
    context.caller.check_right("read")
    context.check_has_memory()
    with context.separate_memory() as memory:
        return question_answer_view(memory.ask(body.question))
