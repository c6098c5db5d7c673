"""uac-bench answers: questions of published sets, answered by a model from what each memory shows it, and judged.

Every memory gets the same model, the same budget of tokens, the same prompt and the same judge. Ours is also asked as
`uac ask` asks it: with quotes that are checked, and a second look. Words are recalled as they were said; nothing is
learned first, because that costs a call for every session.
"""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from uac import Memory, Observation, Request, __version__, open_store
from uac.conversation import (
    EvalQuestion,
    GivenAnswer,
    evaluate,
    grade_request,
    matches_answer,
    prompt_text,
    read_grade,
)
from uac.errors import Awaited, ModelError, NoModel, Refused, UacError
from uac.models import parse_reply_json
from uac.project import Spent
from uac.text import count_tokens
from uac_bench.chats.chat import Chat, ChatQuestion, ChatTurn
from uac_bench.chats.formats import chat_files, chat_format, load_chats
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.locomo import CATEGORIES, LOCOMO_FILE, load_locomo
from uac_bench.model_options import AWAITED, SpendingModels, model_options, open_bench_models, spent_text
from uac_bench.runs import BenchItem, BenchTable, System, Verdict, shares
from uac_bench.systems import Contestant, NotInstalled, StoredText
from uac_bench.systems.rebuilt import rebuilt_contestants

__all__ = ["AskedQuestion", "bench_answers", "load_asked_questions"]

ABOUT = "Answers of a model to questions of a published set, from what each memory shows it, judged alike."
PROMPT = Path(__file__).parent / "prompts" / "answer_from_context.md"
ALONE = "no memory"
TOKENS = 2500
RANKED = 200
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["answer", "known"],
    "properties": {"answer": {"type": "string"}, "known": {"type": "boolean"}},
}
BenchJudge = Literal["match", "model"]
Given = tuple[Verdict | Literal["awaited"], str, str]
"""The verdict, the answer, and why."""


class AskedQuestion(NamedTuple):
    """A question of a set with the chat it is about; `fault` is what an audit says of its gold."""

    id: str
    chat: Chat
    question: ChatQuestion
    fault: str = ""


@click.command("answers")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="The folder or file of LOCOMO, LongMemEval, BEAM or RealMem, or a file of your own with answers.",
)
@click.option("--questions", type=click.IntRange(min=1), default=20, show_default=True, help="How many, at random.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which ones.")
@click.option(
    "--judge", type=click.Choice(["match", "model"]), default="match", show_default=True, help="Who compares."
)
@click.option("--tokens", type=click.IntRange(min=100), default=TOKENS, show_default=True, help="Size of each context.")
@click.option("--others/--no-others", default=True, show_default=True, help="Also ask from the contexts of others.")
@model_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_answers(
    context: click.Context,
    data: Path,
    questions: int,
    seed: int,
    judge: BenchJudge,
    tokens: int,
    others: bool,
    model: str,
    exchange: Path | None,
    budget: str,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Let a model answer questions of LOCOMO, LongMemEval, BEAM or RealMem from what each memory shows it.

    With --model a vendor's model answers, within --budget. With --exchange anybody can: each request
    is a file, and the reply is written to a file beside it; the exit code is 7 while replies are
    missing. An answer that failed is a failure, never a text. Golds of LOCOMO that an audit calls
    wrong are listed, and figures are given with and without them.
    """
    models = open_bench_models(model, exchange, budget)
    if models is None:
        raise click.UsageError("needs --model NAME or --exchange FOLDER")
    asked = load_asked_questions(data, questions, seed)
    name, files = _set_name(data)
    prompts = {each: _hash(prompt_text(each)) for each in ("ask", "alone", "grade")}
    suite = SuiteRun(
        f"answers-{name}",
        ABOUT,
        out_folder,
        as_json=as_json,
        data=files,
        seed=seed,
        model=models.name,
        is_live=models.is_live,
        prompts=prompts | {PROMPT.stem: _hash(PROMPT.read_text(encoding="utf-8"))},
    )
    contestants = [each for each in rebuilt_contestants() if not each.is_ours] if others else []
    before = models.spent  # of the suites before this one, if one budget is for all
    try:
        with suite.out.progress("questions", len(asked)) as bar:
            for each in asked:
                _answer_with_ours(suite, each, models, judge, tokens)
                for contestant in contestants:
                    _answer_with_context(suite, each, contestant, models, judge, tokens)
                bar.advance()
    except UacError as error:
        raise click.ClickException(str(error)) from error
    _report_answers(suite, models, judge, before)
    if models.awaited:
        suite.out.note(f"{models.awaited} requests without a reply: write the replies, and run the command again")
        context.exit(AWAITED)


def load_asked_questions(data: Path, count: int, seed: int) -> list[AskedQuestion]:
    """`count` questions with an expected answer, chosen by the seed; all if there are not so many."""
    if (data / LOCOMO_FILE).is_file():
        found = list(_locomo_questions(data))
    else:
        found = [
            AskedQuestion(f"{chat.name}/{number}", chat, question)
            for chat in load_chats(data)
            for number, question in enumerate(chat.questions)
            if question.answer or question.is_unknown
        ]
    if not found:
        raise click.UsageError(f"{data} has no question with an answer. See docs/about/benchmark-data.md.")
    chosen = random.Random(seed).sample(range(len(found)), min(count, len(found)))
    return [found[place] for place in sorted(chosen)]


def _locomo_questions(data: Path) -> Iterator[AskedQuestion]:
    for conversation in load_locomo(data).conversations:
        turns = tuple(
            ChatTurn("user", turn.context_line, turn.said, f"session {turn.session}") for turn in conversation.turns
        )
        for number, question in enumerate(conversation.questions):
            asked = ChatQuestion(
                question.text, CATEGORIES[question.category], question.evidence, answer=question.answer
            )
            yield AskedQuestion(
                f"{conversation.name}/{number}", Chat(conversation.name, turns, ()), asked, question.fault
            )


def _set_name(data: Path) -> tuple[str, list[Path]]:
    if (data / LOCOMO_FILE).is_file():
        return "locomo", [data / LOCOMO_FILE, data / "gold_audit.json"]
    files = chat_files(data)
    return chat_format(files), files


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


# -- asking ------------------------------------------------------------------------------------------------------------


def _answer_with_ours(
    suite: SuiteRun, asked: AskedQuestion, models: SpendingModels, judge: BenchJudge, tokens: int
) -> None:
    if suite.known(OURS, asked.id) and suite.known(ALONE, asked.id):
        return
    turns = _turns_before(asked)
    now = _asked_at(asked)
    with (
        closing(open_store("memory:", clock=lambda: now)) as store,
        closing(Memory(store.log("user"), packs=(), clock=lambda: now)) as memory,
    ):
        memory.log.append(
            [Observation(text=turn.text, said=turn.said, role=turn.role, session=turn.session) for turn in turns]
        )
        (result,) = evaluate([_eval_question(asked)], memory, models, now=now, judge=judge, tokens=tokens).results
    for system, given in ((OURS, result.with_memory), (ALONE, result.alone)):
        _record_answer(suite, asked, system, _given_parts(given))


def _given_parts(given: GivenAnswer) -> Given:
    return given.verdict, given.text, given.why


def _answer_with_context(
    suite: SuiteRun,
    asked: AskedQuestion,
    contestant: Contestant,
    models: SpendingModels,
    judge: BenchJudge,
    tokens: int,
) -> None:
    """The same model and judge, with the context of another memory."""
    if suite.known(contestant.name, asked.id):
        return
    turns = _turns_before(asked)
    try:
        with closing(contestant.open()) as retriever:
            retriever.add([StoredText(turn.text, turn.said, turn.role, turn.session) for turn in turns])
            places = retriever.search(asked.question.text, RANKED)
    except NotInstalled as error:
        suite.out.note(f"{contestant.name}: {error}")
        return
    shown = _context_text(turns, places, tokens)
    content = {"question": asked.question.text, "now": _asked_at(asked).date().isoformat(), "context": shown}
    request = Request(
        step="ask",
        prompt=PROMPT.read_text(encoding="utf-8"),
        content=json.dumps(content, ensure_ascii=False, indent=1),
        schema=SCHEMA,
        reply_tokens=1000,
    )
    _record_answer(suite, asked, contestant.name, _judged_answer(_eval_question(asked), request, models, judge))


def _context_text(turns: Sequence[ChatTurn], places: Sequence[int], tokens: int) -> str:
    """The best turns that fit, in their order, under the day they were said."""
    spent, kept = 0, list[int]()
    for place in places:
        price = count_tokens(_dated_line(turns[place].said, turns[place]))
        if spent + price <= tokens:
            kept.append(place)
            spent += price
    return "\n".join(_dated_line(turns[place].said, turns[place]) for place in sorted(kept))


def _dated_line(said: datetime, turn: ChatTurn) -> str:
    return f"[{said.date().isoformat()}] {turn.line}"


def _judged_answer(question: EvalQuestion, request: Request, models: SpendingModels, judge: BenchJudge) -> Given:
    try:
        text = _read_answer(models.ask(request).text)
        if not text:
            return ("right" if question.is_unknown else "wrong"), "", "not known"
        if question.is_unknown:
            return "wrong", text, ""
        if judge == "match":
            return ("right" if matches_answer(question, text) else "wrong"), text, ""
        is_right, why = read_grade(models.ask(grade_request(question, text)).text)
    except Awaited as error:
        return "awaited", "", str(error)
    except NoModel:
        raise
    except (ModelError, Refused) as error:
        return "failed", "", str(error)
    return ("right" if is_right else "wrong"), text, why


def _read_answer(reply: str) -> str:
    """The answer of a reply; nothing if it says that it is not known."""
    found = parse_reply_json(reply)
    text = found.get("answer")
    if not isinstance(text, str):
        raise Refused('The reply has no "answer". Give one, or "known": false.')
    return "" if found.get("known") is False else text.strip()


def _eval_question(asked: AskedQuestion) -> EvalQuestion:
    answers = () if asked.question.is_unknown else (asked.question.answer,)
    return EvalQuestion(question=asked.question.text, answers=answers, is_unknown=asked.question.is_unknown)


def _turns_before(asked: AskedQuestion) -> Sequence[ChatTurn]:
    return asked.chat.turns[: asked.question.asked_after]


def _asked_at(asked: AskedQuestion) -> datetime:
    """When the question is asked: never before the last turn, since a log does not run backwards."""
    last = _turns_before(asked)[-1].said
    return max(asked.question.asked_at or last + timedelta(hours=1), last)


def _record_answer(suite: SuiteRun, asked: AskedQuestion, system: str, given: Given) -> None:
    verdict, text, why = given
    if verdict == "awaited":
        return
    suite.record(
        BenchItem(
            id=asked.id,
            system=system,
            verdict=verdict,
            group="gold wrong" if asked.fault not in ("", "WRONG_CITATION") else asked.question.type,
            given=text,
            gold="not known" if asked.question.is_unknown else asked.question.answer,
            why=why,
        )
    )


# -- what is printed ---------------------------------------------------------------------------------------------------


def _report_answers(suite: SuiteRun, models: SpendingModels, judge: BenchJudge, before: Spent) -> None:
    doubtful = [item for item in suite.items if item.group == "gold wrong"]
    sound = [item for item in suite.items if item.group != "gold wrong"]
    spent = models.spent_since(before)
    cost = "of unknown price" if spent.unpriced else f"{spent.cost} USD"
    if suite.out.as_json:
        figures = {
            system: {"right": each.right, "of": each.of, "low": each.low, "high": each.high}
            for (system, _group), each in shares(suite.items).items()
        }
        suite.out.json({"right": figures, "calls": spent.calls, "tokens": spent.tokens, "awaited": models.awaited})
    suite.compare(title=f"right answers, {models.name}, judged by {judge}")
    if doubtful:
        suite.out.line(("without the golds that an audit calls wrong:", "bold"))
        rows = [(name, f"{each.right}/{each.of}", f"{each.share:.1%}") for (name, _), each in shares(sound).items()]
        suite.out.table(("system", "right", "share"), rows, headed=True)
        suite.out.line("Golds that an audit calls wrong: " + ", ".join(dict.fromkeys(item.id for item in doubtful)))
    suite.out.line(spent_text(spent))
    systems = [System(OURS, __version__, "uac ask over recalled words; nothing was learned", is_ours=True)]
    systems += [System(ALONE, about="the same model, the question alone")]
    systems += [System(each.name, about=each.about) for each in rebuilt_contestants() if not each.is_ours]
    measured = {item.system for item in suite.items}
    costs = (("calls", str(spent.calls)), ("tokens", str(spent.tokens)), ("cost", cost))
    table = BenchTable(title="What it cost", columns=("", ""), rows=costs)
    suite.finish([system for system in systems if system.name in measured], tables=[table])
