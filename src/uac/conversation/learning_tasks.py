"""The open requests, derived from the log alone, so that every model or agent gets the same ones."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from uac.conversation.extract import extract_request, turns_to_mend
from uac.conversation.propose import FactInBatch, checkpoint_request
from uac.conversation.relevant_names import KnownNames, relevant_names
from uac.conversation.relevant_records import UNSURE, RecordLookup
from uac.conversation.reply_items import read_reply_items
from uac.conversation.windows import Window, WindowTurn, as_context, turns_at, unread_windows
from uac.errors import Refused
from uac.log.log import Log, Prefix
from uac.models.requests_and_replies import Request
from uac.packs import Pack
from uac.project.progress import RepeatedRequest
from uac.project.project import Project
from uac.recall.search import Recall
from uac.schema.entries import Checkpoint, Fact, ModelCall
from uac.text.token_count import count_tokens

__all__ = [
    "UNSURE",
    "LearningView",
    "Task",
    "fact_in_view",
    "facts_at",
    "facts_of_task_call",
    "facts_without_task",
    "items_of_task_call",
    "open_tasks",
    "repeated_extract_task",
    "task_batch",
    "task_known_names",
    "unsettled_facts",
]

BATCH = 20  # facts in one request
BATCH_TOKENS = 2500
MAX_WAITING = 30  # facts in no record yet whose names are known
MOST_REFUSED = 40  # parts of a reply that are shown again with what was wrong with each


class LearningView(NamedTuple):
    """A memory as of a position. The search index is opened by the first request that needs it; most need none."""

    log: Log | Prefix
    project: Project
    open_recall: Callable[[], Recall]

    @property
    def recall(self) -> Recall:
        return self.open_recall()


class Task(NamedTuple):
    """A request, and what is needed to read the reply to it."""

    request: Request
    window: Window | None = None
    batch: tuple[FactInBatch, ...] = ()
    earlier: tuple[int, ...] = ()
    """The positions of earlier calls with this request."""


def open_tasks(view: LearningView, packs: Sequence[Pack], *, records_first: bool = False) -> Iterator[Task]:
    """All that can be asked now, oldest first. Facts are put into records when all words have been read, unless
    they matter now."""
    if records_first and (task := _checkpoint_task(view, packs)):
        yield task
    has_words = False
    for _answers, repeated in sorted(view.project.progress.asked.items()):
        if repeated.step == "extract":
            has_words = True
            yield repeated_extract_task(view, repeated)
    known: KnownNames | None = None
    for window in unread_windows(view.log, view.project.progress, gone=view.project.gone):
        has_words = True
        known = known or _known_names(view)
        names = relevant_names(window, known)
        yield Task(extract_request(window, names=names, position=view.project.position), window)
    if has_words:
        return
    task = _checkpoint_task(view, packs)
    if task is not None:
        yield task


def task_known_names(view: LearningView, window: Window) -> list[str]:
    """Names that a fact of the window may use though its quote does not."""
    return relevant_names(window, _known_names(view))


def _known_names(view: LearningView) -> KnownNames:
    waiting = sorted(view.project.waiting, reverse=True)[:MAX_WAITING]
    return KnownNames.of(view.project, facts_at(view.log, waiting))


def repeated_extract_task(view: LearningView, repeated: RepeatedRequest) -> Task:
    """The request with what came of it so far: facts that were taken, and what was wrong with the others."""
    call = _earlier_task_call(view.log, repeated.calls[-1])
    window = _repeated_task_window(view, call)
    taken = [fact.text for position in repeated.calls for fact in facts_of_task_call(view.log, position)]
    refused, problem = _task_refusals(call)
    request = extract_request(
        window,
        names=task_known_names(view, window),
        position=view.project.position,
        taken=taken,
        refused=refused,
        problem=problem,
        only=turns_to_mend(window, call.reply, call.findings),
    )
    return Task(request, window, earlier=repeated.calls)


def _repeated_task_window(view: LearningView, call: ModelCall) -> Window:
    turns: list[WindowTurn] = []
    again = view.project.progress.again
    for turn in turns_at(view.log, call.read, view.project.progress):
        if turn.position not in call.answers:
            turns.append(as_context(turn))
            continue
        end = call.through if call.through and turn.position == call.answers[-1] else turn.end
        turns.append(turn._replace(end=end, is_second=turn.position in again))
    return Window(tuple(turns), call.through)


def facts_without_task(project: Project) -> list[int]:
    progress = project.progress
    busy = {position for answers in progress.asked for position in answers}
    return sorted(p for p in project.waiting if p not in progress.stuck and p not in busy)


def _checkpoint_task(view: LearningView, packs: Sequence[Pack]) -> Task | None:
    """The next batch of facts: one that was asked about before, or the oldest that wait."""
    project = view.project
    refused: list[tuple[Any, str]] = []
    problem = ""
    earlier: tuple[int, ...] = ()
    positions = facts_without_task(project)
    open_ = sorted((key, repeated) for key, repeated in project.progress.asked.items() if repeated.step == "checkpoint")
    # Somebody may have used all its facts meanwhile; then it is no question any more, and must not hold up others.
    again = (
        (key, repeated, unsettled) for key, repeated in open_ if (unsettled := unsettled_facts(view, key, repeated))
    )
    key: tuple[int, ...] = ()
    if (first := next(again, None)) is not None:
        key, repeated, positions = first
        earlier = repeated.calls
        refused, problem = _task_refusals(_earlier_task_call(view.log, earlier[-1]))
    batch = task_batch(view, positions, whole=first is not None)
    if not batch:
        return None

    request = checkpoint_request(
        batch,
        project=project,
        packs=packs,
        lookup=RecordLookup.over(view.recall),
        stated=lambda stating: found.fact if (found := fact_in_view(view, stating)) else None,
        position=project.position,
        refused=refused,
        problem=problem,
    )
    if key:  # it answers for all that it began with, also for what has been used meanwhile
        request = _with_task_answers(request, key)
    return Task(request, None, batch, earlier)


def unsettled_facts(view: LearningView, key: Sequence[int], repeated: RepeatedRequest) -> list[int]:
    """The facts of a request that wait, and those of which its replies have settled a part and left another."""
    named = {p for finding in _earlier_task_call(view.log, repeated.calls[-1]).findings for p in finding.positions}
    settled: set[int] = set()
    for position in repeated.calls:
        call = _earlier_task_call(view.log, position)
        before = next(iter(view.log.read(position - 1, position))).entry
        if isinstance(before, Checkpoint) and before.by.startswith(f"{call.model}, prompt "):  # of the same reply
            settled |= {cited for patch in before.patches for cited in patch.cites}
    return [p for p in key if p in view.project.waiting or (p in named and p in settled)]


def _with_task_answers(request: Request, key: tuple[int, ...]) -> Request:
    return msgspec.structs.replace(request, answers=key, read=tuple(sorted({*request.read, *key})))


def task_batch(view: LearningView, positions: Sequence[int], *, whole: bool = False) -> tuple[FactInBatch, ...]:
    found: list[FactInBatch] = []
    tokens = 0
    for position in positions:
        if not whole and (len(found) == BATCH or tokens > BATCH_TOKENS):
            break
        stored = next(iter(view.log.read(position, position + 1)))
        if isinstance(stored.entry, Fact):
            tokens += count_tokens(stored.entry.text)
            found.append(FactInBatch(position, stored.entry, view.project.sources[position].said))
    return tuple(found)


def fact_in_view(view: LearningView, position: int) -> FactInBatch | None:
    """The fact at a position; None if there is none, or no longer."""
    source = view.project.sources.get(position)
    is_fact = source is not None and source.is_fact and position not in view.project.gone
    return next(iter(task_batch(view, [position])), None) if is_fact else None


def _earlier_task_call(log: Log | Prefix, position: int) -> ModelCall:
    stored = next(iter(log.read(position, position + 1)))
    assert isinstance(stored.entry, ModelCall)
    return stored.entry


def _task_refusals(call: ModelCall) -> tuple[list[tuple[Any, str]], str]:
    """The parts of a reply that were refused, each with the reason; and what was wrong with it as a whole."""
    items = _task_reply_items(call.reply, call.step)
    refused = [(items[f.part - 1], f.why) for f in call.findings if 0 < f.part <= len(items)]
    problems = [f.why for f in call.findings if not 0 < f.part <= len(items)]
    if len(refused) > MOST_REFUSED:
        problems.append(f"{len(refused) - MOST_REFUSED} more parts were refused")
    return refused[:MOST_REFUSED], "; ".join(problems[:MOST_REFUSED])


def _task_reply_items(reply: str, step: str) -> list[Any]:
    """The facts, or the patches and then the constraints, of a reply."""
    try:
        return read_reply_items(reply, *(("facts",) if step == "extract" else ("patches", "constraints"))).all
    except Refused:
        return []


def items_of_task_call(log: Log | Prefix, position: int) -> list[Any]:
    """The items of the reply that a call stored."""
    call = _earlier_task_call(log, position)
    return _task_reply_items(call.reply, call.step)


def facts_of_task_call(log: Log | Prefix, call: int) -> list[Fact]:
    """The facts that were appended together with a call, right before it."""
    found: list[Fact] = []
    place = call - 1
    while place > 0:
        entry = next(iter(log.read(place, place + 1))).entry
        if not isinstance(entry, Fact):
            break
        found.append(entry)
        place -= 1
    return found[::-1]


def facts_at(log: Log | Prefix, positions: Sequence[int]) -> list[Fact]:
    entries = [next(iter(log.read(position, position + 1))).entry for position in positions]
    return [entry for entry in entries if isinstance(entry, Fact)]
