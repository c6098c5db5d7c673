"""uac-bench recall: whether the words that answer a question are found, and what finding them costs."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Literal, get_args

import click
import msgspec

from uac import Hit, Memory, open_store
from uac.errors import UacError
from uac.interfaces.cli import Output
from uac.models import chosen_embedder
from uac.recall import CHANNELS, Channel, RecallKind
from uac.schema import counted
from uac.text import count_tokens
from uac_bench.chats.formats import chat_files, chat_format, load_chats, load_written, written_files
from uac_bench.chats.generator import make_chats
from uac_bench.chats.measure import ONE
from uac_bench.chats.report import measure_chats, print_chat_report
from uac_bench.dense_schemes import PUBLISHED, Scheme, dense_schemes
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.locomo import (
    CATEGORIES,
    LOCOMO_FILE,
    TUNED,
    Conversation,
    LocomoScore,
    Outcome,
    Piece,
    Roles,
    Shown,
    Suite,
    append_conversation,
    fill_locomo_context,
    load_locomo,
    score_question,
    select_conversations,
)
from uac_bench.measure import embed_passages, machine_description
from uac_bench.recall_items import (
    Part,
    chat_curves,
    chat_items,
    recall_curves,
    recall_items,
    recall_systems,
    wrong_gold_table,
)
from uac_bench.recall_speed import SIZES, measure_recall_speed, print_recall_speed, recall_speed_headline

__all__ = ["GROUPS", "RecallPlan", "RecallReport", "RecallRow", "bench_recall", "measure_schemes", "recall_scheme"]

BUDGETS = (1000, 2000, 4000, 8000)
ABLATED = (1000, 4000)  # the budgets at which each channel is left out
ABOUT = (
    "The share of the evidence for questions that is in a context of a given size, without a model. An item is right if"
    " all of its evidence is there."
)
TURNS_ONLY: tuple[RecallKind, ...] = ("observation",)
ChatSet = Literal[
    "develop",
    "reported",
    "written-develop",
    "written-reported",
    "written-develop-2",
    "written-reported-2",
    "written-develop-3",
    "written-reported-3",
    "written-reported-4",
    "written-develop-all",
    "written-reported-all",
]
NO_CITATION = "WRONG_CITATION"  # what the audit says where the answer is right and only its evidence is not


def _recall_category_filter(number: int) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.category == number


GROUPS: Mapping[str, Callable[[Outcome], bool]] = {
    "all": lambda _outcome: True,
    "tuned": lambda outcome: outcome.conversation in TUNED,
    "held out": lambda outcome: outcome.conversation not in TUNED,
    **{name: _recall_category_filter(number) for number, name in CATEGORIES.items()},
    "gold right": lambda outcome: outcome.fault in ("", NO_CITATION),
    "gold wrong": lambda outcome: outcome.fault not in ("", NO_CITATION),
    "no fault": lambda outcome: not outcome.fault,
}
"""Which questions are scored together."""


class RecallRow(msgspec.Struct, frozen=True):
    """One scheme within one budget (0: as much as it was published with), by group of questions."""

    scheme: str
    budget: int
    scores: dict[str, LocomoScore]


class RecallReport(msgspec.Struct, frozen=True):
    """What was measured."""

    conversations: int
    questions: int
    rows: tuple[RecallRow, ...]
    seconds: dict[str, float]
    """How long the questions took by scheme, all budgets together."""
    notes: tuple[str, ...]


def _parse_recall_numbers(_context: click.Context, option: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in value.replace(" ", "").split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise click.BadParameter(f"{value!r} needs whole numbers such as 1000,4000", param=option)
    return found


@click.command("recall")
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="The folder with locomo10.json (and recorded_facts.json and gold_audit.json if they exist), or with chats in"
    " BEAM's or RealMem's format; or a file with chats of your own.",
)
@click.option(
    "--chats",
    type=click.Choice(get_args(ChatSet)),
    help="Measure on made-up chats with an assistant, or on one that was written by hand: that to develop with, or that"
    " which is only reported. -2, -3 and -4 are by other authors, -all are those of the first three as one log.",
)
@click.option(
    "--budgets",
    default=",".join(map(str, BUDGETS)),
    show_default=True,
    callback=_parse_recall_numbers,
    help="Sizes of the contexts, in tokens.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this conversation, such as conv-26. May be repeated.")
@click.option(
    "--roles",
    type=click.Choice(("person", "user", "both")),
    default="person",
    show_default=True,
    help="Whether the first speaker counts as a person like the other, or as the user.",
)
@click.option("--channels", is_flag=True, help="Also measure without each channel, which takes several times as long.")
@click.option("--ablate", is_flag=True, help="With chats: also measure recall without each of its ideas.")
@click.option("--schemes/--no-schemes", default=True, show_default=True, help="Also measure the schemes of others.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="the number of cores",
    help="The number of conversations measured at a time.",
)
@click.option("--speed", is_flag=True, help="Measure time, memory and size on made-up conversations instead.")
@click.option(
    "--turns",
    default=",".join(map(str, SIZES)),
    show_default=True,
    callback=_parse_recall_numbers,
    help="With --speed: how long the conversations are.",
)
@click.option(
    "--peers",
    is_flag=True,
    help="With --speed: also tantivy, bm25s, chromadb and lancedb, if installed (make peers).",
)
@click.option(
    "--postgres", metavar="URL", help="With --speed: also measure recall on PostgreSQL, in a database to write to."
)
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_recall(
    data: Path | None,
    chats: ChatSet | None,
    budgets: tuple[int, ...],
    only: tuple[str, ...],
    roles: Literal["person", "user", "both"],
    channels: bool,
    ablate: bool,
    schemes: bool,
    jobs: int,
    speed: bool,
    turns: tuple[int, ...],
    peers: bool,
    postgres: str | None,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Measure the share of the evidence for questions in a context of a given size.

    The questions are LOCOMO's, those of chats in BEAM's or RealMem's format, or those of made-up chats.
    A turn counts as found when at least half of it is shown.

    Each conversation becomes a memory. Figures are the mean share of a question's evidence turns in
    the context, and the share of questions with all of it, in per cent. All schemes are measured in
    the same run, with the same embedder and the same count of tokens: a turn costs its line
    "Speaker: text [photo: caption]", and the first of a session the line with its date; what does not
    fit is left out. The recorded facts name only their session, so each is taken to come from the
    turn that shares most words with it, rare words weighing more.
    """
    is_locomo = data is not None and (data / LOCOMO_FILE).exists()
    try:
        if speed:
            run = SuiteRun("recall-speed", "What indexing and answering cost.", out_folder, as_json=as_json)
            found = measure_recall_speed(turns, peers=peers, note=run.out.note, postgres=postgres)
            if as_json:
                run.out.json(msgspec.to_builtins(found))
            print_recall_speed(found, run.out)
            run.finish(headline=recall_speed_headline(found))
            return
        if chats is not None or (data is not None and not is_locomo):
            files = written_files(chats) if chats else chat_files(data) if data is not None else []
            name = f"recall-{chats}" if chats else f"recall-{chat_format(files)}"
            run = SuiteRun(name, ABOUT, out_folder, as_json=as_json, data=files)
            _report_chats(chats, data, budgets, jobs, run, ablate=ablate)
            return
        if data is None:
            raise click.UsageError("needs --data FOLDER, --chats HALF, or --speed")
        each: tuple[Roles, ...] = ("person", "user") if roles == "both" else (roles,)
        plan = RecallPlan(budgets, each, channels=channels, schemes=schemes)
        files = [data / name for name in (LOCOMO_FILE, "recorded_facts.json", "gold_audit.json")]
        name = "ablation-recall" if channels else "recall-locomo"
        run = SuiteRun(name, ABOUT, out_folder, as_json=as_json, data=files)
        suite = select_conversations(load_locomo(data), only)
        report = measure_schemes(suite, plan, run, jobs=jobs)
    except UacError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        run.out.json(msgspec.to_builtins(report))
    _print_recall_report(report, budgets, run.out)
    shown = 4000 if 4000 in budgets else budgets[-1]
    at_shown = (item for item in run.items if item.id.endswith((f"@{shown}", "@0")))
    # Without their budget, so that a scheme as it was published is paired with ours.
    items = [msgspec.structs.replace(item, id=item.id.rpartition("@")[0]) for item in at_shown]
    run.finish(
        recall_systems(items),
        tables=[wrong_gold_table(suite)],
        curves=recall_curves(run.items),
        items=items,
    )


def _report_chats(
    chosen: ChatSet | None, data: Path | None, budgets: tuple[int, ...], jobs: int, run: SuiteRun, *, ablate: bool
) -> None:
    match chosen:
        case None:
            title, chats = "chats", load_chats(data) if data is not None else ()
        case "develop" | "reported":
            title, chats = f"made-up chats, {chosen} half", make_chats(chosen)
        case _:
            half = chosen.removeprefix("written-")
            title, chats = f"the chat written by hand, {half}", load_written(chosen)
    if not chats:
        raise click.UsageError(
            f"{data} has no {LOCOMO_FILE} and no chats with questions. Use a folder in the format of LOCOMO, BEAM or"
            " RealMem, or a file of your own (docs/about/benchmark-data.md)."
        )
    report, outcomes = measure_chats(title, chats, budgets, run, jobs=jobs, ablate=ablate)
    if run.out.as_json:
        run.out.json(msgspec.to_builtins(report))
    print_chat_report(report, run.out)
    for item in chat_items(outcomes, 4000 if 4000 in budgets else budgets[-1]):
        run.record(item)
    run.compare(ours=ONE, title="questions with all of their evidence")
    run.finish(recall_systems(run.items), curves=chat_curves(outcomes))


# -- measuring ---------------------------------------------------------------------------------------------------------


class RecallPlan(msgspec.Struct, frozen=True):
    """What is to be measured."""

    budgets: tuple[int, ...]
    roles: tuple[Roles, ...] = ("person",)
    channels: bool = False
    schemes: bool = True


def measure_schemes(suite: Suite, plan: RecallPlan, run: SuiteRun, *, jobs: int = 1) -> RecallReport:
    """All schemes on all questions, each recorded as an item."""
    outcomes: dict[tuple[str, int], list[Outcome]] = {}
    seconds: dict[str, float] = {}
    load_before = os.getloadavg()[0]
    conversations = {each.name: each for each in suite.conversations}
    measure = partial(_measure_recall_conversation, plan=plan)
    for part in run.measure("conversations", measure, conversations, Part, jobs=jobs).values():
        for item in recall_items(part):
            run.record(item)
        for name, taken, found in part:
            seconds[name] = seconds.get(name, 0.0) + taken
            for budget, answered in found.items():
                outcomes.setdefault((name, budget), []).extend(answered)
    rows = [
        RecallRow(
            name,
            budget,
            {group: LocomoScore.from_outcomes([*filter(belongs, found)]) for group, belongs in GROUPS.items()},
        )
        for (name, budget), found in outcomes.items()
    ]
    questions = sum(len(conversation.questions) for conversation in suite.conversations)
    notes = [
        *_recall_report_notes(suite, plan),
        f"{machine_description()}, load {load_before:.1f} to {os.getloadavg()[0]:.1f}",
    ]
    return RecallReport(len(suite.conversations), questions, tuple(rows), seconds, tuple(notes))


def _measure_recall_conversation(conversation: Conversation, plan: RecallPlan) -> Part:
    found: Part = []
    with _recall_schemes(conversation, plan) as contestants:
        for name, scheme in contestants.items():
            start = perf_counter()
            outcomes = {
                budget: list(_score_recall_scheme(conversation, scheme, budget))
                for budget in _scheme_budgets(name, plan.budgets)
            }
            found.append((name, perf_counter() - start, outcomes))
    return found


def _score_recall_scheme(conversation: Conversation, scheme: Scheme, budget: int) -> Iterator[Outcome]:
    for question in conversation.questions:
        yield score_question(question, scheme(question.text, budget), conversation.name)


def _scheme_budgets(name: str, budgets: Sequence[int]) -> Sequence[int]:
    if name.endswith(PUBLISHED):
        return (0,)
    if name.startswith("without "):
        return [budget for budget in budgets if budget in ABLATED] or budgets
    return budgets


@contextmanager
def _recall_schemes(conversation: Conversation, plan: RecallPlan) -> Iterator[dict[str, Scheme]]:
    """The schemes by name; ours over memories in a folder that is gone afterwards."""
    found: dict[str, Scheme] = {}
    embedder = chosen_embedder() if plan.schemes else None
    if embedder is not None:
        found |= dense_schemes(conversation, embedder)
    with (
        tempfile.TemporaryDirectory(prefix="uac-bench-") as folder,
        closing(open_store(Path(folder) / "recall.db")) as store,
    ):
        for role in plan.roles:
            for noted in (False, True) if conversation.notes else (False,):
                name = OURS + (" and facts" if noted else "") + (", first speaker as user" if role == "user" else "")
                memory = Memory(store.log(name), packs=())
                positions = append_conversation(memory.log, conversation, roles=role, notes=noted)
                embed_passages(memory)
                found[name] = recall_scheme(memory, conversation, positions)
        if plan.channels:
            for channel in CHANNELS:
                found[f"without {channel}"] = recall_scheme(memory, conversation, positions, without=(channel,))
        yield found


def recall_scheme(
    memory: Memory, conversation: Conversation, positions: Sequence[int], *, without: Collection[Channel] = ()
) -> Scheme:
    """Recall as a scheme. What it shows is paid for like all else: where our own count is lower, the worst is cut.

    A part of a long turn counts for it if it is at least half of it.
    """
    places = {position: place for place, position in enumerate(positions)}
    headers = conversation.header_tokens()

    def piece(hit: Hit) -> Piece:
        place = places[hit.position]
        turn = conversation.turns[place]
        is_most = 2 * len(hit.text) >= len(turn.text)
        return Piece((place,) if is_most else (), turn.session, count_tokens(f"{turn.speaker}: {hit.text}"))

    def shown(question: str, tokens: int) -> Shown:
        found = memory.recall(question, tokens=tokens, kinds=TURNS_ONLY, without=without)
        best = sorted(found.hits, key=lambda hit: -hit.score)
        return fill_locomo_context(map(piece, best), headers, tokens)

    return shown


def _recall_report_notes(suite: Suite, plan: RecallPlan) -> Iterator[str]:
    yield (
        f"Left out: {counted(suite.no_evidence, 'question')} without evidence; names of {suite.unresolved} evidence"
        f" turns that do not exist; {counted(suite.unmatched, 'recorded fact')} that came from no turn in particular."
    )
    if plan.schemes:
        embedder = chosen_embedder()
        used = embedder.name if embedder is not None else "none, so the schemes of others are not measured"
        yield f"Embedder, for all alike: {used}. {MINILM}"
    yield "Tokens are counted by uac.tokens, rather too many than too few; the mean size of contexts is in the JSON."


MINILM = (
    "A field study measured chunks with MiniLM at 4k tokens (cl100k) as 74.1 / 67.8, and 30 turns ± 3 as 73.5 / 67.3."
)


# -- what is printed ---------------------------------------------------------------------------------------------------


def _print_recall_report(report: RecallReport, budgets: Sequence[int], out: Output) -> None:
    out.line(
        ("evidence in the context / questions with all of it", "bold"),
        f", per cent: {counted(report.questions, 'question')}, {counted(report.conversations, 'conversation')}",
    )
    rows = _recall_rows_by_scheme(report.rows)
    whole = {name: found for name, found in rows.items() if not name.startswith("without ")}
    cut = {name: found for name, found in rows.items() if name.startswith("without ")}
    halves = [group for group in ("tuned", "held out") if report.rows[0].scores[group].questions]
    for group in ("all", *halves):
        out.line((f"{group}:", "bold"))
        out.table(
            ("",) * (len(budgets) + 1), [_recall_score_cells(name, found, group) for name, found in whole.items()]
        )
    shown = 4000 if 4000 in budgets else budgets[-1]
    for title, groups in (
        ("by category", tuple(CATEGORIES.values())),
        ("by what an audit says of the golds", ("gold right", "gold wrong", "no fault")),
    ):
        out.line((f"{title}, {_format_budget(shown)}:", "bold"))
        out.table(("",) * (len(groups) + 1), [*_recall_group_rows(whole, shown, groups)])
    if cut:
        for group in halves:
            out.line((f"{group}, without one channel, and what it is worth:", "bold"))
            out.table(
                ("",) * 5,
                [_recall_channel_cells(name, found, _full_recall_rows(whole), group) for name, found in cut.items()],
            )
    for note in report.notes:
        out.line(note)


Table = Mapping[str, Mapping[int, RecallRow]]


def _recall_rows_by_scheme(rows: Iterable[RecallRow]) -> dict[str, dict[int, RecallRow]]:
    found: dict[str, dict[int, RecallRow]] = {}
    for row in rows:
        found.setdefault(row.scheme, {})[row.budget] = row
    return found


def _recall_score_cells(name: str, rows: Mapping[int, RecallRow], group: str) -> tuple[str, ...]:
    return (
        name,
        *(
            f"{_format_budget(budget, row.scores[group])} {_format_recall_score(row.scores[group])}"
            for budget, row in rows.items()
        ),
    )


def _recall_group_rows(table: Table, budget: int, groups: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for name, rows in table.items():
        row = rows.get(budget) or rows.get(0)
        if row is not None:
            scores = [row.scores[group] for group in groups]
            cells = [
                f"{group} {_format_recall_score(score)}"
                for group, score in zip(groups, scores, strict=True)
                if score.questions
            ]
            yield (name, *cells)


def _full_recall_rows(table: Table) -> Mapping[int, RecallRow]:
    """The last of ours, from which channels are taken."""
    return [rows for name, rows in table.items() if name.startswith(OURS)][-1]


def _recall_channel_cells(
    name: str, rows: Mapping[int, RecallRow], full: Mapping[int, RecallRow], group: str
) -> tuple[str, ...]:
    cells = [name]
    for budget, row in rows.items():
        here, there = row.scores[group], full[budget].scores[group]
        worth = f"{there.evidence - here.evidence:+.1f} / {there.complete - here.complete:+.1f}"
        cells += [f"{_format_budget(budget)} {_format_recall_score(here)}", worth]
    return tuple(cells)


def _format_recall_score(score: LocomoScore) -> str:
    return f"{score.evidence:.1f} / {score.complete:.1f}"


def _format_budget(budget: int, score: LocomoScore | None = None) -> str:
    """A budget in short; of a scheme without one, what its contexts cost."""
    if budget == 0:
        return f"({score.tokens / 1000:.1f}k)" if score else ""
    return f"{budget // 1000}k" if budget % 1000 == 0 else str(budget)
