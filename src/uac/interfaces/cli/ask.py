"""uac context, ask: the context for a question, and an answer to it."""

from dataclasses import replace

import click

from uac.conversation.ask import Answer, Computation
from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, asked_options, clock_options, common_options, user_argument
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.unread_notes import note_unread, unread_json
from uac.interfaces.views.search import context_view, question_answer_view
from uac.interfaces.views.view import view_json
from uac.log.store import GROUP
from uac.models.requests_and_replies import Reply
from uac.project.clocks import Clocks
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["ask", "ask_context"]

NO_ANSWER = 7


@click.command("context")
@user_argument()
@click.argument("question")
@click.option(
    "--tokens", type=click.IntRange(min=1), default=4000, show_default=True, help="The approximate length of the text."
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    help="Also the context of this group, of which USER is a member (repeatable).",
)
@asked_options
@clock_options
@common_options
def ask_context(
    context: CliContext,
    *,
    user: str,
    question: str,
    tokens: int,
    groups: tuple[str, ...],
    queries: tuple[str, ...],
    within: str,
    after: int | None,
    outline: bool | None,
    recent: bool,
    clocks: Clocks,
) -> None:
    """Print the context that an agent needs to answer QUESTION of USER.

    Active alerts first, the manifest, and the records, facts and words that match, as many as fit; what was left out is
    counted. No model is asked, and the same log gives the same text.

    \b
      uac context ana "Can I take amoxicillin?"
      uac context ana "When is my flight?" --tokens 1000 --json
      uac context ana "Which subscriptions do I have?" --told 2026-03-01
      uac context ana "Where can we have lunch?" --group lunch
    """
    _refuse_empty_question(question)
    memory = context.memory(user)
    project = memory.project_at(clocks)
    result = memory.context(
        question,
        tokens=tokens,
        clocks=clocks,
        queries=queries,
        within=within,
        after=after,
        outline=outline,
        recent=recent,
    )
    shared = {}
    for name in groups:
        of_group = context.group_memory(name, user)
        shared[name.removeprefix(GROUP)] = of_group.context(
            question, tokens=tokens, clocks=_clocks_without_position(clocks), queries=queries, recent=recent
        )
    if context.out.as_json:
        views = {"groups": {name: view_json(context_view(each)) for name, each in shared.items()}} if groups else {}
        context.out.json({"user": user, **view_json(context_view(result)), **unread_json(project), **views})
    elif result.text:
        context.out.line(result.text)
    else:
        context.out.note(f"the text does not fit into {counted(tokens, 'token')}; raise --tokens")
    for name, each in {} if context.out.as_json else shared.items():
        context.out.line(f"\n# The group {name}\n\n{each.text}")
    note_unread(context.out, project)


def _clocks_without_position(clocks: Clocks) -> Clocks:
    """The clocks for another log: a position belongs to one log only."""
    return replace(clocks, known=None) if isinstance(clocks.known, int) else clocks


@click.command()
@user_argument()
@click.argument("question")
@common_options
def ask(context: CliContext, *, user: str, question: str) -> None:
    """Let the configured model (UAC_MODEL) answer QUESTION from USER's memory, and check the answer.

    Numbers come from code that ran over the records, and quotes are looked up, or the answer is "not known" (exit
    code 0 as well). The code, records and words that the answer cites are printed below it. If no model could be
    asked at all, the exit code is 7.

    \b
      uac ask ana "How much did I spend on trips in 2026?"
      uac ask ana "Which doctor gave me amoxicillin?" --json
    """
    _refuse_empty_question(question)
    memory = context.memory(user)
    answer = memory.ask(question, on_reply=lambda reply: _note_answer_usage(context.out, reply))
    project = memory.project()
    if context.out.as_json:
        context.out.json(
            {"user": user, **view_json(question_answer_view(answer), utc="+00:00"), **unread_json(project)}
        )
    else:
        _show_answer(context.out, answer)
    note_unread(context.out, project)
    if not answer.is_known and not answer.calls:  # a budget was used up before the first question
        click.get_current_context().exit(NO_ANSWER)


def _refuse_empty_question(question: str) -> None:
    if not question.strip():
        raise Refused("The question is empty. Give a question.")


def _note_answer_usage(out: Output, reply: Reply) -> None:
    if out.errors_at_terminal:
        out.note(f"{reply.model}: {reply.input_tokens} tokens in, {reply.output_tokens} out")


def _show_answer(out: Output, answer: Answer) -> None:
    if answer.is_known:
        out.line((answer.text, "bold"))
    else:
        out.line(("not known", "bold"), f": {mark_line_breaks(answer.why)}" if answer.why else "")
    for computed in answer.computed:
        _show_answer_computation(out, computed)
    for record in answer.records:
        out.line(("  record  ", "dim"), record)
    for quote in answer.quotes:
        said = f", {quote.said:%Y-%m-%d}" if quote.said else ""
        out.line((f"  entry {quote.position}  ", "dim"), f"{quote.speaker}{said}: “{mark_line_breaks(quote.words)}”")
    if answer.is_known:
        out.line(("  complete" if answer.is_complete else f"  not complete: {answer.why}", "dim"))


def _show_answer_computation(out: Output, computed: Computation) -> None:
    first, *more = computed.code.strip("\n").split("\n")
    out.line(("  ran     ", "dim"), first)
    for line in more:
        out.line(f"          {line}")
    named = (("valid", computed.valid), ("told", computed.told), ("as of", computed.as_of))
    clocks = ", ".join(f"{name} {when}" for name, when in named if when)
    notes = (f"  ({clocks})" if clocks else "") + ("" if computed.is_complete else "  (may be incomplete)")
    out.line(("        → ", "dim"), mark_line_breaks(computed.value), (notes, "dim"))
