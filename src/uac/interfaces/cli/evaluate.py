"""uac eval: own questions, with and without memory."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.schema.safe_text import counted, mark_line_breaks

if TYPE_CHECKING:
    from uac.conversation.evaluation import Evaluation, GivenAnswer, Judge, QuestionResult
    from uac.log.log import Log

__all__ = ["evaluate"]

AWAITED = 7
MOST_CHARACTERS = 10_000_000


@click.command("eval")
@user_argument()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--exchange",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write requests as files and read replies from files, instead of calling the configured model.",
)
@click.option(
    "--judge",
    type=click.Choice(["match", "model"]),
    default="match",
    show_default=True,
    help="Compare answers by words and numbers, or let a model compare them.",
)
@click.option(
    "--report",
    metavar="PAGE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page (HTML) to a file.",
)
@click.option("--budget", metavar="AMOUNT", default="", help="The most that the run may cost: '2 USD', '500000 tokens'")
@common_options
def evaluate(
    context: CliContext,
    *,
    user: str,
    file: Path,
    exchange: Path | None,
    judge: "Judge",
    report: Path | None,
    budget: str,
) -> None:
    """Ask the questions in FILE with and without USER's memory, and report how many answers are right.

    FILE has JSON lines, {"question": "…", "answer": "…"}, or is a CSV file with these columns. A list of answers means
    that any of them is right, null that it is not known, and no answer that the question is not scored. The log is not
    changed.

    The configured model (UAC_MODEL) answers. With --exchange anybody can: each request is a file that can be given to
    any model, person or agent, with the reply in a file beside it. The exit code is 7 while replies are missing; write
    them, and run the same command again.

    \b
      uac eval ana questions.jsonl --report report.html
      uac eval ana questions.csv --exchange replies --judge model
    """
    from uac.conversation.evaluation import evaluate as run_evaluation
    from uac.conversation.evaluation import read_questions
    from uac.models import ExchangeModel, OneModel, chosen_models, parse_budget

    log = context.log(user)
    now = _last_entry_time(log)
    questions = read_questions(_read_text(file), file.name)
    if report is not None and not report.absolute().parent.is_dir():  # known before anything is asked, which may cost
        raise Refused(f"--report: There is no folder {report.parent}. Make it, or choose another file.")
    model = None if exchange is None else ExchangeModel(exchange)
    memory = context.memory_for_log(log, clock=lambda: now)
    click.get_current_context().call_on_close(memory.close)
    with context.out.progress("asking", len(questions)) as bar:
        found = run_evaluation(
            questions,
            memory,
            chosen_models() if model is None else OneModel(model),
            now=now,
            judge=judge,
            budget=parse_budget({"UAC_BUDGET_USER": budget}) if budget else parse_budget(),
            on_result=lambda _result: bar.advance(),
        )
    if context.out.as_json:
        _print_json(context, user, found)
    else:
        _show(context, found)
    if report is not None:
        _write_report(context, report, found, f"{user}: {file.name}")
    if model is not None and model.awaited:
        awaited = counted(len(model.awaited), "request")
        context.out.note(f"{awaited} without a reply in {exchange}: write the replies, and run the command again")
        click.get_current_context().exit(AWAITED)


def _write_report(context: CliContext, report: Path, found: "Evaluation", title: str) -> None:
    from uac.display.evaluation_page import evaluation_page

    try:
        report.write_text(evaluation_page(found, title=title), encoding="utf-8")
    except OSError as error:
        why = f"{report} cannot be written: {error.strerror}"
        raise Refused(f"--report: {why}. Check its path and permissions.") from None
    context.out.note(f"the report is {report}")


def _last_entry_time(log: "Log") -> datetime:
    """The time of the last entry: a run that is repeated another day asks the same, and finds its replies again."""
    head = log.head().position
    return next(iter(log.read(head, head + 1))).at


def _read_text(file: Path) -> str:
    if file.stat().st_size > MOST_CHARACTERS:
        raise Refused(f"{file.name} is larger than {MOST_CHARACTERS // 10**6} MB. Split it.")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{file.name} is not UTF-8: {error.reason} at byte {error.start}. Save it as UTF-8.") from None


def _show(context: CliContext, found: "Evaluation") -> None:
    from uac.conversation.evaluation import comparison
    from uac.display.evaluation_page import comparison_sentences

    for number, result in enumerate(found.results, start=1):
        context.out.line((f"{number}. {mark_line_breaks(result.question.question)}", "bold"))
        _show_given(context, "with memory   ", result.with_memory)
        _show_given(context, "without memory", result.alone)
    for sentence in comparison_sentences(comparison(found.results)):
        context.out.line(sentence)


def _show_given(context: CliContext, name: str, given: "GivenAnswer") -> None:
    said = given.text or (given.why if given.verdict in ("failed", "awaited") else "not known")
    context.out.line((f"   {name}  {given.verdict:<8}  ", "dim"), mark_line_breaks(said))


def _print_json(context: CliContext, user: str, found: "Evaluation") -> None:
    """A line for each question, then one with the comparison."""
    from uac.conversation.evaluation import comparison

    for result in found.results:
        context.out.json(_result_json(result))
    compared = comparison(found.results)
    context.out.json(
        {
            "user": user,
            "models": list(found.models),
            "judge": found.judge,
            "now": found.now.isoformat(),
            "position": found.position,
            "calls": found.calls,
            "tokens": found.tokens,
            "cost": None if found.cost is None else str(found.cost),
            **compared._asdict(),
            "with_memory": compared.with_memory._asdict(),
            "alone": compared.alone._asdict(),
        }
    )


def _result_json(result: "QuestionResult") -> dict[str, Any]:
    expected: list[str] | None = None if result.question.is_unknown else list(result.question.answers)
    return {
        "question": result.question.question,
        "expected": expected,
        "with_memory": _given_json(result.with_memory),
        "alone": _given_json(result.alone),
    }


def _given_json(given: "GivenAnswer") -> dict[str, Any]:
    return {
        "verdict": given.verdict,
        "text": given.text,
        "is_known": given.is_known,
        "why": given.why,
        "computed": [{"code": item.code, "value": item.value} for item in given.computed],
        "records": list(given.records),
        "quotes": [{"position": quote.position, "words": quote.words} for quote in given.quotes],
    }
