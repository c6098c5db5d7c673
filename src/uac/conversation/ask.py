"""Answers a question: a model uses tools, one checked step at a time. Aggregates come from compute, or not at all.

Every reply is data: a step that is run here, or an answer whose numbers, records and quotes are looked up before it is
accepted. Without support the answer is "not known".
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

import msgspec

from uac.conversation.checks.query_constants import invented_numbers
from uac.conversation.prompts import prompt_text
from uac.errors import NoModel, Refused, RunError, Unanswered
from uac.log.log import Log, Prefix
from uac.models import NO_BUDGET, Budget, ModelsFor, over_budget
from uac.models.budget import budget_day
from uac.models.calls import model_call_of
from uac.models.requests_and_replies import Reply, Request, parse_reply_json
from uac.project.clocks import Clocks, parse_clocks
from uac.project.explain import explain
from uac.project.project import Project
from uac.recall.context import Context, build_context
from uac.recall.question_options import read_question_options
from uac.recall.search import Filter, Recall
from uac.sandbox.compute import Result, computed_text
from uac.schema.entries import Entry, Fact, ModelCall, Observation
from uac.schema.values import dump_value
from uac.text.dates.mentions import mentions
from uac.text.lazy_pattern import lazy_pattern
from uac.text.memory_block import disarmed, own_words
from uac.text.numerals import Numeral, meant, numbers, numerals
from uac.text.quotes import verbatim

__all__ = [
    "ASK_SCHEMA",
    "Answer",
    "AskRun",
    "AskableMemory",
    "Computation",
    "Quote",
    "answer_question",
    "apply_reply",
    "ask_request",
]

MAX_STEPS = 8
MAX_REFUSALS = 3
MAX_RESULT_CHARACTERS = 4000  # of a result that the model sees
MAX_RECALLED = 12

ASK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "enum": ["compute", "read_domain", "recall", "explain"]},
        "code": {"type": "string"},
        "domain": {"type": "string"},
        "query": {"type": "string"},
        "queries": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "record": {"type": "string"},
        "field": {"type": "string"},
        "valid": {"type": "string"},
        "told": {"type": "string"},
        "as_of": {"type": ["string", "integer"]},
        "answer": {"type": "string"},
        "known": {"type": "boolean"},
        "records": {"type": "array", "items": {"type": "string"}},
        "quotes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["entry", "quote"],
                "properties": {"entry": {"type": "integer"}, "quote": {"type": "string"}},
            },
        },
    },
}

AGGREGATE = lazy_pattern(
    r"\b(how (many|much|often)|number of|count|total|sum|average|mean|median|most|least|fewest|highest|lowest|longest|"
    r"per (month|year|week)|wie ?viele?|wie oft|insgesamt|durchschnitt\w*|summe|cu[aá]nt[oa]s?|promedio|combien|"
    r"moyenne|quant[oiae]|media|quantos|m[eé]dia)\b|多少|几次|幾|何回|いくつ",
    re.IGNORECASE,
)
"""Matches questions whose answer must be computed."""


class Computation(NamedTuple):
    """Code that ran, and its result."""

    code: str
    value: str
    is_complete: bool
    as_of: str = ""
    reads: tuple[str, ...] = ()
    """The collections that the code read. Without any, its result supports no answer."""
    valid: str = ""
    told: str = ""


class Quote(NamedTuple):
    """Words that an answer cites."""

    position: int
    words: str
    speaker: str
    said: datetime | None


class Answer(NamedTuple):
    """A model's answer and its support. If `is_known` is False, nothing in memory supports an answer."""

    text: str
    is_known: bool
    is_complete: bool
    """Whether all that was said about it is in records: no turn is waiting, and no fact that may belong to it."""
    computed: tuple[Computation, ...] = ()
    records: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    why: str = ""
    """Why there is no answer, or why it may be incomplete."""
    calls: int = 0


class AskableMemory(Protocol):
    """The part of a memory that answering uses."""

    log: Log

    def project(self) -> Project: ...
    def project_at(self, clocks: Clocks) -> Project: ...
    def recall_index(self) -> Recall: ...
    def recall_at(self, clocks: Clocks) -> Recall: ...
    def compute(self, code: str, *, clocks: Clocks) -> Result: ...
    def write(self, prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]: ...


def answer_question(
    question: str,
    memory: AskableMemory,
    models: ModelsFor,
    *,
    now: datetime,
    budget: Budget = NO_BUDGET,
    tokens: int = 2500,
    on_reply: Callable[[Reply], None] = lambda _reply: None,
) -> Answer:
    """Ask a model until its answer is supported, or its steps are used up. Every call becomes an entry of the log."""
    if not question.strip():
        raise Refused("The question is empty. Ask something.")
    model = models.for_step("ask")
    if model is None:
        raise NoModel("No model is configured to answer. Set UAC_MODEL; 'uac context' and 'uac compute' need no model.")
    project = memory.project()
    recall = memory.recall_index()
    context = build_context(question, project=project, log=memory.log, recall=recall, tokens=tokens, now=now)
    run, calls = AskRun(question, context, now), 0
    while not run.is_over:
        request = ask_request(run, position=project.position)
        progress = memory.project().progress
        stop = over_budget(
            budget, models.estimate(request), progress.spent_in_all(day=budget_day(memory.log)), progress.spent_in_all()
        )
        if stop:
            return Answer("", False, False, run.computed, why=stop, calls=calls)
        try:
            reply = model.ask(request)
        except Unanswered as error:
            reply = Reply(text=error.text, model=model.name, input_tokens=request.tokens)
        calls += 1
        _log_ask_call(memory, model_call_of(reply, request), project)
        on_reply(reply)
        taken = apply_reply(run, reply, memory)
        if isinstance(taken, Answer):
            return taken._replace(calls=calls)
        run = taken
    return unsupported_answer(run, calls)


class AskRun(NamedTuple):
    """The state of answering one question."""

    question: str
    context: Context
    moment: datetime
    steps: tuple[dict[str, Any], ...] = ()
    computed: tuple[Computation, ...] = ()
    lengths: tuple[int | None, ...] = ()
    """For each computation, how many items its result lists; None: it is no list."""
    read: tuple[int, ...] = ()
    refused: str = ""
    refusals: int = 0

    @property
    def now(self) -> str:
        return self.moment.date().isoformat()

    @property
    def is_over(self) -> bool:
        return len(self.steps) >= MAX_STEPS + 1 or self.refusals > MAX_REFUSALS


def ask_request(run: AskRun, *, position: int) -> Request:
    """The next request to the model."""
    content: dict[str, Any] = {
        "question": run.question,
        "now": run.now,
        "memory": run.context.text,
        "steps": list(run.steps),
        "steps_left": max(0, MAX_STEPS - len(run.steps)),
    }
    if run.refused:
        content["refused"] = run.refused
    return Request(
        step="ask",
        prompt=prompt_text("ask"),
        content=json.dumps(content, ensure_ascii=False, indent=1),
        schema=ASK_SCHEMA,
        position=position,
        read=tuple(sorted({*run.read, *run.context.positions})),
        reply_tokens=2000,
    )


def apply_reply(run: AskRun, reply: Reply, memory: AskableMemory) -> "AskRun | Answer":
    """The run after a reply, with one more step or one more refusal; or the answer."""
    try:
        found = parse_reply_json(reply.text)
        tool = found.get("tool")
        if tool is None:
            return _check_answer(run, found, memory)
        return _tool_named(run, tool)(run, found, memory)
    except Refused as error:
        return run._replace(refused=str(error), refusals=run.refusals + 1)


def _log_ask_call(memory: AskableMemory, call: ModelCall, earlier: Project) -> None:
    """Log the call; without its text if something it had read was erased in the meantime, because it may repeat it."""

    def prepare(project: Project) -> list[Entry]:
        is_erased = any(position in earlier.sources and position not in project.sources for position in call.read)
        return [msgspec.structs.replace(call, reply="", read=()) if is_erased else call]

    memory.write(prepare)


def unsupported_answer(run: AskRun, calls: int) -> Answer:
    """The answer if the model gave none that is supported."""
    why = f"no answer was supported after {calls} replies" + (f": {run.refused}" if run.refused else "")
    return Answer("", False, False, run.computed, why=why, calls=calls)


# --- tools ------------------------------------------------------------------------------------------------------------


def _run_compute_tool(run: AskRun, arguments: dict[str, Any], memory: AskableMemory) -> AskRun:
    code, clocks = _text_argument(arguments, "code"), _clock_arguments(arguments, run, memory)
    try:
        result = memory.compute(code, clocks=clocks)
    except RunError as error:
        return _with_tool_step(run, arguments, f"error: {error}")
    value = computed_text(result.value) + (f"\nprinted: {result.printed}" if result.printed else "")
    lacks = "; ".join(f"{read.collection}: {read.lacks}" for read in result.reads if read.lacks)
    note = f"\n(may be incomplete: {lacks})" if lacks else ""
    reads = tuple(read.collection for read in result.reads)
    as_of, valid, told = (str(arguments.get(name) or "") for name in ("as_of", "valid", "told"))
    computed = Computation(code, _shorten_tool_result(value), result.is_complete, as_of, reads, valid, told)
    length = len(result.value) if isinstance(result.value, list | set | frozenset) else None
    stepped = _with_tool_step(run, arguments, value + note)
    return stepped._replace(computed=(*run.computed, computed), lengths=(*run.lengths, length))


def _run_read_domain_tool(run: AskRun, arguments: dict[str, Any], memory: AskableMemory) -> AskRun:
    domain, project = _text_argument(arguments, "domain"), memory.project_at(_clock_arguments(arguments, run, memory))
    types = project.types_of(domain)
    if not types:
        raise Refused(f"No domain {domain!r}. Use one of {', '.join(project.domains) or 'none yet'}.")
    lines = [
        f"{type_.domain}.{type_.collected_as}: {project.count(type_.full_name)} {type_.name} ({type_.cardinality})"
        + "".join(f"\n  {field.name}: {field.type}" for field in type_.fields)
        for type_ in types
    ]
    return _with_tool_step(run, arguments, "\n".join(lines))


def _run_recall_tool(run: AskRun, arguments: dict[str, Any], memory: AskableMemory) -> AskRun:
    query, clocks = _text_argument(arguments, "query"), _clock_arguments(arguments, run, memory)
    more = arguments.get("queries") or []
    if not isinstance(more, list) or not all(isinstance(text, str) for text in more):
        raise Refused("queries is not a list of texts. Give up to three other queries, or none.")
    only, options = Filter(kinds=("observation", "fact")), read_question_options(more)
    hits = memory.recall_at(clocks).find(query, only, k=MAX_RECALLED, options=options).hits
    lines = [
        f"{hit.kind} at entry {hit.position}, {json.dumps(hit.speaker or hit.role, ensure_ascii=False)}"
        f" {hit.said:%Y-%m-%d}: {json.dumps(disarmed(hit.text), ensure_ascii=False)}"
        for hit in hits
        if hit.said
    ]
    stepped = _with_tool_step(run, arguments, "\n".join(lines) or "nothing was found")
    return stepped._replace(read=(*run.read, *(hit.position for hit in hits if hit.position)))


def _run_explain_tool(run: AskRun, arguments: dict[str, Any], memory: AskableMemory) -> AskRun:
    record, field = _text_argument(arguments, "record"), _text_argument(arguments, "field")
    project = memory.project_at(_clock_arguments(arguments, run, memory))
    explanation = explain(project, memory.log, record, field)
    lines, read = [f"value: {dump_value(explanation.value)}"], list(run.read)
    for item in explanation.claims:
        lines.append(
            f"- {dump_value(item.claim.value)} ({item.claim.attribution}, learned {item.claim.learned:%Y-%m-%d})"
        )
        for evidence in item.evidence:
            read.append(evidence.observation)
            who = f" ({evidence.speaker})" if evidence.speaker else ""
            lines.append(f"  entry {evidence.observation}{who}: {json.dumps(evidence.quote or '', ensure_ascii=False)}")
    return _with_tool_step(run, arguments, "\n".join(lines))._replace(read=tuple(read))


_TOOLS: dict[str, Callable[[AskRun, dict[str, Any], AskableMemory], AskRun]] = {
    "compute": _run_compute_tool,
    "read_domain": _run_read_domain_tool,
    "recall": _run_recall_tool,
    "explain": _run_explain_tool,
}


def _tool_named(run: AskRun, name: Any) -> Callable[[AskRun, dict[str, Any], AskableMemory], AskRun]:
    if len(run.steps) >= MAX_STEPS:
        raise Refused("No steps are left. Answer with what you have, or say that it is not known.")
    if not isinstance(name, str) or name not in _TOOLS:
        raise Refused(f"tool is {name!r}. Use one of {', '.join(_TOOLS)}.")
    return _TOOLS[name]


def _with_tool_step(run: AskRun, arguments: dict[str, Any], result: str) -> AskRun:
    return run._replace(steps=(*run.steps, {**arguments, "result": _shorten_tool_result(result)}), refused="")


def _text_argument(arguments: dict[str, Any], name: str) -> str:
    text = arguments.get(name)
    if not isinstance(text, str) or not text.strip():
        raise Refused(f"{name} is missing. {arguments['tool']} needs it as text.")
    return text


def _clock_arguments(arguments: dict[str, Any], run: AskRun, memory: AskableMemory) -> Clocks:
    """The clocks of a step: two days, and `as_of`, which is an entry's number or the end of a day."""
    days = [None if (given := arguments.get(name)) in (None, "") else str(given) for name in ("valid", "told")]
    return replace(parse_clocks(*days), known=_as_of_argument(arguments, run, memory))


def _as_of_argument(arguments: dict[str, Any], run: AskRun, memory: AskableMemory) -> int | datetime | None:
    """The moment of `as_of`: an entry's number, or the end of a day."""
    given = arguments.get("as_of")
    if given in (None, ""):
        return None
    head = memory.log.head().position
    if isinstance(given, str) and re.fullmatch("[0-9]{1,18}", given):
        given = int(given)
    if isinstance(given, int) and not isinstance(given, bool):
        if not 0 <= given <= head:
            raise Refused(f"as_of is {given}. Use an entry from 0 to {head}, or a date.")
        return given
    try:
        return datetime.combine(date.fromisoformat(str(given)), time.max, run.moment.tzinfo or UTC)
    except ValueError:
        raise Refused(f"as_of is {given!r}. Use a date such as 2024-05-01 or the number of an entry.") from None


def _shorten_tool_result(text: str) -> str:
    return (
        text
        if len(text) <= MAX_RESULT_CHARACTERS
        else f"{text[:MAX_RESULT_CHARACTERS]}… ({len(text)} characters in all: compute less)"
    )


# --- the answer -------------------------------------------------------------------------------------------------------


def _check_answer(run: AskRun, found: dict[str, Any], memory: AskableMemory) -> Answer:
    text, project = found.get("answer"), memory.project()
    if not isinstance(text, str):
        raise Refused('The reply has neither "tool" nor "answer". Give one of them.')
    if found.get("known") is False or not text.strip():
        return Answer(
            "", False, _is_answer_complete((), project), run.computed, why="nothing in memory supports an answer"
        )
    records = _answer_records(found.get("records") or [], project)
    quotes = _answer_quotes(found.get("quotes") or [], memory.log)
    computed = [item for item in run.computed if item.reads]
    if not (records or quotes or computed):
        raise Refused(
            "The answer has no support. Run compute, or give the records or quotes, or say that it is not known."
        )
    if AGGREGATE.search(run.question) and not computed:
        raise Refused("The question asks for a number over records. Run compute; do not count by hand.")
    known = [run.question, *(_without_dates(quote.words, quote.said or run.moment) for quote in quotes)]
    known += [json.dumps([dump_value(v) for v in project.record(r).values.values()], default=str) for r in records]
    dates = [run.now, *(quote.words for quote in quotes), *(f"{quote.said:%Y %m %d}" for quote in quotes if quote.said)]
    given = frozenset().union(*(numbers(part) for part in known))
    in_dates = frozenset().union(*(numbers(part) for part in dates))
    invented = {item: [own for own in invented_numbers(item.code) if not numbers(own) <= given] for item in computed}
    given = given.union(*(numbers(item.value) for item, own in invented.items() if not own))
    lengths = zip(run.computed, run.lengths, strict=True)
    given |= {Decimal(n) for item, n in lengths if n is not None and not invented.get(item, (item.code,))}
    loose = [
        text[number.start : number.end]
        for number in numerals(text)
        if not _is_answer_number_supported(
            number, text, given | in_dates if _is_in_date(number, text, run.moment) else given
        )
    ]
    if loose:
        raise Refused(_unsupported_answer_reason(loose, [own for owns in invented.values() for own in owns]))
    is_complete = _is_answer_complete(run.computed, project)
    why = "" if is_complete else "not everything that was said is in records yet"
    return Answer(text.strip(), True, is_complete, run.computed, records, quotes, why)


def _unsupported_answer_reason(loose: Sequence[str], invented: Sequence[str]) -> str:
    why = f"{', '.join(loose)} in the answer is in no result, record or quote. Compute it, or leave it out."
    if invented:
        why += f" A result whose code contains numbers of its own does not count: {', '.join(dict.fromkeys(invented))}."
    return why


def _without_dates(words: str, said: datetime) -> str:
    """The words without their dates: "26 January" states 26 of nothing."""
    for mention in reversed(mentions(words, said)):
        words = f"{words[: mention.start]} {words[mention.end :]}"
    return words


def _is_in_date(number: Numeral, text: str, now: datetime) -> bool:
    spans = ((mention.start, mention.end) for mention in mentions(text, now))
    is_part = any(start < number.end and number.start < end for start, end in spans)
    return is_part or _DATE_SIGN.match(text, number.end) is not None


_DATE_SIGN = lazy_pattern(r"\s*[年月日号號년월일]")


def _is_answer_number_supported(number: Numeral, text: str, given: frozenset[Decimal]) -> bool:
    """Whether one reading of the number, or all of its parts, are given; small words such as 'one' always pass."""
    readings = meant(number, text)
    has_parts = readings == number.readings and bool(number.parts) and given.issuperset(number.parts)
    return number.is_weak or has_parts or not given.isdisjoint(readings)


def _is_answer_complete(computed: Sequence[Computation], project: Project) -> bool:
    """Whether what was computed is complete and all turns are read; without computations, whether no fact waits."""
    is_complete = all(item.is_complete for item in computed) if computed else not project.waiting
    return is_complete and not project.progress.unread


def _answer_records(given: Any, project: Project) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise Refused("records is not a list. Use a list of ids.")
    return tuple(project.record(str(record_id)).id for record_id in given)


def _answer_quotes(given: Any, log: Log | Prefix) -> tuple[Quote, ...]:
    if not isinstance(given, list):
        raise Refused("quotes is not a list. Use a list of objects with entry and quote.")
    return tuple(_answer_quote(item, log) for item in given)


_RESOLVED_DATE = lazy_pattern(r" \[= [^\]]*\]")
"""Added by `context` after a relative date: ' [= 2024-05-03]'. It is not part of the quoted text."""


def _answer_quote(item: Any, log: Log | Prefix) -> Quote:
    entry, quote = (item.get("entry"), item.get("quote")) if isinstance(item, dict) else (None, None)
    if type(entry) is not int or not isinstance(quote, str):
        raise Refused("A quote is incomplete. Give entry, a number, and quote, its words.")
    if not 0 < entry <= log.head().position:
        raise Refused(f"No entry {_shorten_tool_result(str(entry))}. Use the number of a turn or a fact.")
    quote = _RESOLVED_DATE.sub("", quote)
    stored = next(iter(log.read(entry, entry + 1)), None)
    speaker: str
    moment: datetime | None
    match stored.entry if stored and stored.position == entry else None:
        case Observation() as said:
            spans = own_words(said.text)  # without memory's own output, which is not the speaker's
            words = next((found for s, e in spans if (found := verbatim(quote, said.text[s:e]))), None)
            speaker, moment = said.speaker or said.role, said.said
        case Fact() as fact:
            words, speaker, moment = verbatim(quote, fact.text), fact.by, stored.at if stored else None
        case _:
            raise Refused(f"Entry {entry} has no text. Use the number of a turn or a fact.")
    if words is None:
        raise Refused(f"The quote is not in entry {entry}. Use its exact words.")
    return Quote(entry, words, speaker, moment)
