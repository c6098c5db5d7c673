"""uac recall, reindex: search memory, and rebuild the search index."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, get_args

import click

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, asked_options, clock_options, common_options, user_argument
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.unread_notes import note_unread
from uac.memory.memory import Memory
from uac.models.embedders import why_no_embedder
from uac.project.claims import AUTHORITIES
from uac.project.clocks import Clocks
from uac.recall.search import CHANNELS, Channel, Found, Hit, IndexProgress, RecallKind
from uac.schema.entries import Authority
from uac.schema.periods import Period
from uac.schema.safe_text import counted, mark_line_breaks, shorten

__all__ = ["recall", "reindex"]

SHORT = 240  # characters shown of a hit if there is no token budget
OPEN = ".."


class RecallPeriodEnd(click.ParamType[str]):
    """One end of a period: a year, a month or a day; '..' leaves it open."""

    name = "day"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        if value != OPEN:
            if not _DAY.fullmatch(value):
                needs = f"YYYY, YYYY-MM, YYYY-MM-DD, or {OPEN} for no end on this side"
                self.fail(f"{value!r} is not a valid day. Use {needs}.", parameter, context)
            try:
                Period(value, value).first  # noqa: B018 - reading it is the check
            except ValueError:
                self.fail(f"{value} is not in the calendar. Use a valid date.", parameter, context)
        return str(value)


_DAY = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?", re.ASCII)


@click.command()
@user_argument()
@click.argument("query")
@click.option(
    "-k",
    "most",
    type=click.IntRange(min=1),
    help="At most this number of hits.  [default: 20; with --tokens: what fits]",
)
@click.option(
    "--tokens", type=click.IntRange(min=1), help="As many hits as fit into this number of tokens, in reading order."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(get_args(RecallKind)),
    help="Only this kind (repeatable).  [default: all]",
)
@click.option(
    "--about", default="", metavar="NAME", help="Only hits that name this person or thing, or are said by them."
)
@click.option(
    "--between",
    type=(RecallPeriodEnd(), RecallPeriodEnd()),
    metavar="FROM TO",
    help="Only hits about these days, inclusive: YYYY, YYYY-MM, YYYY-MM-DD, or .. for an open end.",
)
@click.option(
    "--authority",
    "authorities",
    multiple=True,
    type=click.Choice(AUTHORITIES),
    help="Only facts of this authority (repeatable).",
)
@click.option("--session", "sessions", multiple=True, help="Only hits from this session (repeatable).")
@click.option("--source", "sources", multiple=True, help="Only hits from this source (repeatable).")
@asked_options
@click.option("--former", is_flag=True, help="Also superseded facts; they are marked.")
@clock_options
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(CHANNELS),
    help="Leave this channel out (repeatable).",
)
@click.option("--why", is_flag=True, help="Below each hit, show what each channel contributed to its score.")
@common_options
def recall(
    context: CliContext,
    *,
    user: str,
    query: str,
    most: int | None,
    tokens: int | None,
    kinds: tuple[RecallKind, ...],
    about: str,
    between: tuple[str, str] | None,
    authorities: tuple[Authority, ...],
    sessions: tuple[str, ...],
    sources: tuple[str, ...],
    former: bool,
    clocks: Clocks,
    without: tuple[Channel, ...],
    queries: tuple[str, ...],
    within: str,
    after: int | None,
    outline: bool | None,
    recent: bool,
    why: bool,
) -> None:
    """Search USER's observations, facts and records by words, meaning, person and time.

    The best match comes first; with --tokens the hits that fit, in reading order. No model is asked. Hits that were
    left out are counted on standard error. With --json each hit is a line, and the last line has the counts.

    \b
      uac recall ana "allergic penicillin"
      uac recall ana "What did we plan last spring?" --tokens 2000
      uac recall ana "trip to Lisbon" --about Ben --between 2026-03 .. --why
      uac recall ana "Who can fix my boiler?" --query "plumber" --query "heating repair, phone number"
    """
    if not query.strip():
        raise Refused("The query is empty. Give some words to search for.")
    days = Period(*("" if end == OPEN else end for end in between)) if between else Period()
    memory = context.memory(user)
    result = memory.recall(
        query,
        tokens=tokens,
        k=most,
        about=about,
        between=(days.first, days.last),
        kinds=kinds or get_args(RecallKind),
        authorities=authorities,
        sessions=sessions,
        sources=sources,
        former=former,
        clocks=clocks,
        now=context.now(),
        without=without,
        queries=queries,
        within=within,
        after=after,
        outline=outline,
        recent=recent,
    )
    notes = (*result.notes, *([] if "meaning" in without else _meaning_notes(memory)))
    if context.out.as_json:
        _print_recall_json(context.out, user, memory, result, notes)
        return
    _show_hits(context.out, result, is_read=tokens is not None, why=why)
    _note_omitted_hits(context.out, result, tokens)
    for note in notes:
        context.out.note(note)
    note_unread(context.out, memory.project())


@click.command()
@user_argument(required=False, many=True)
@click.option("--all", "everybody", is_flag=True, help="All users of the store.")
@click.option("--drop", is_flag=True, help="Only empty the index; the next search rebuilds it.")
@common_options
def reindex(context: CliContext, *, users: tuple[str, ...], everybody: bool, drop: bool) -> None:
    """Rebuild the search index of USERS from their logs.

    The index is a cache that every search updates. A rebuild is only needed if it is damaged, or to compute all
    vectors now after the embedder was changed (UAC_EMBEDDER). Vectors of other embedders are dropped.

    \b
      uac reindex ana
      uac reindex --all
    """
    if everybody == bool(users):
        raise click.UsageError("Give either USERS or --all.")
    for user in [each.name for each in context.all_users()] if everybody else users:
        memory = context.memory_for_log(context.log(user))
        try:
            made = _drop_recall_index(memory) if drop else _rebuild_index(context.out, user, memory)
        finally:
            memory.close()
        if context.out.as_json:
            context.out.json({"user": user, **made._asdict()})
        elif drop:
            context.out.line((user, "bold"), ": the search index is empty")
        else:
            vectors = f"{made.vectors:,} with a vector"
            summary = f": {counted(made.entries, 'entry')}, {counted(made.passages, 'passage')}, {vectors}"
            context.out.line((user, "bold"), summary)
    if not drop and (why := why_no_embedder()):
        context.out.note(f"no vectors: {why}")


def _rebuild_index(out: Output, user: str, memory: Memory) -> IndexProgress:
    reported: dict[str, int] = {}
    advance: list[Callable[[], None]] = []
    with ExitStack() as bars:

        def on_progress(what: str, done: int, of: int) -> None:
            if what not in reported:
                bars.close()
                advance.append(bars.enter_context(out.progress(f"{user}: {what}", of)).advance)
            for _one in range(done - reported.get(what, 0)):
                advance[-1]()
            reported[what] = done

        return memory.reindex(on_progress=on_progress)


def _drop_recall_index(memory: Memory) -> IndexProgress:
    memory.log.index().clear()
    return IndexProgress(0, 0, 0)


def _meaning_notes(memory: Memory) -> list[str]:
    """Why meaning is not searched; empty if it is."""
    return [] if memory.embedder is not None else [f"meaning: not searched, {why_no_embedder()}"]


def _print_recall_json(out: Output, user: str, memory: Memory, result: Found, notes: Sequence[str]) -> None:
    from uac.interfaces.views.search import hit_view, recall_view  # only for JSON
    from uac.interfaces.views.view import view_json

    for hit in result.hits:
        out.json(view_json(hit_view(hit)))
    project = memory.project()
    view = view_json(recall_view(result, len(project.progress.unread)))
    del view["hits"]
    out.json({"user": user, **view, "notes": notes, "waiting": len(project.waiting)})


def _note_omitted_hits(out: Output, result: Found, tokens: int | None) -> None:
    if not result.matched:
        out.note("nothing was found")
    elif not result.hits and tokens is not None:
        fits = f"{counted(result.matched, 'passage')} matched, and none fits into {counted(tokens, 'token')}"
        out.note(f"{fits}; --tokens gives more room")
    elif result.left_out:
        out.note(f"{result.left_out:,} more matched; -k or --tokens shows more")


def _show_hits(out: Output, result: Found, *, is_read: bool, why: bool) -> None:
    """The hits, best first; with a budget in full, under the day they were said."""
    heading = ""
    common = _common_channels(result) if why else {}
    for hit in result.hits:
        day = f"{hit.said:%Y-%m-%d}" if hit.said else ""
        if is_read and hit.kind == "observation" and day != heading:
            heading = day
            out.line((f"[{day}]", "bold"))
        text = mark_line_breaks(hit.text) if is_read else shorten(mark_line_breaks(hit.text), SHORT)
        if hit.kind == "record":
            values = text.removeprefix(hit.record or "").lstrip()
            out.line((hit.record, "bold"), f"  {values}", (_hit_marks(hit), "dim"))
        else:
            when = "" if is_read and hit.kind == "observation" else f"  {day}"
            who = "fact" if hit.kind == "fact" else hit.speaker or hit.role or ""
            out.line((f"{hit.position:>6}", "cyan"), (when, "dim"), f"  {who}: {text}", (_hit_marks(hit), "dim"))
        if why:
            out.line((f"        {_recall_score_line(hit, common)}", "dim"))
    if common:
        shares = ", ".join(f"{name} {value:.3f}" for name, value in common.items())
        out.line((f"        not shown, because every hit has it: {shares}", "dim"))


def _common_channels(result: Found) -> dict[str, float]:
    """The channels that give every hit the same: they do not say why one is before another."""
    scored = [hit.channels for hit in result.hits if hit.channels]
    if len(scored) < 2:
        return {}
    return {name: value for name, value in scored[0].items() if all(other.get(name) == value for other in scored)}


def _hit_marks(hit: Hit) -> str:
    """Notes on a hit, beside its text."""
    marks = [] if hit.is_current else ["ended" if hit.kind == "record" else "no longer so"]
    if hit.kind == "observation" and len(hit.text) < hit.whole:
        marks.append(f"characters {hit.start} to {hit.stop} of {hit.whole}")
    if hit.also:
        marks.append(f"also {', '.join(map(str, hit.also))}")
    return f"  ({'; '.join(marks)})" if marks else ""


def _recall_score_line(hit: Hit, common: Mapping[str, float]) -> str:
    if not hit.channels:
        return "shown beside a hit"
    own = [f"{name} {value:.3f}" for name, value in hit.channels.items() if name not in common]
    return f"{hit.score:.3f} = {' + '.join([*own, *(['…'] if common else [])])}"
