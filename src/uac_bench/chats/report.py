"""The table of a measurement on chats: the share of the evidence, by type of question, scheme and budget."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import msgspec

from uac.interfaces.cli import Output
from uac.schema import counted
from uac_bench.chats.chat import Chat
from uac_bench.chats.generator import question_types
from uac_bench.chats.measure import ChatOutcome, measure_chat
from uac_bench.measure import machine_description

__all__ = ["ChatReport", "ChatRow", "measure_chats", "print_chat_report"]

ALL = "all"


class ChatRow(msgspec.Struct, frozen=True):
    """One scheme within one budget on one type of question: mean share of the evidence, and share of whole ones."""

    type: str
    scheme: str
    budget: int
    questions: int
    evidence: float
    complete: float
    tokens: float
    """The mean size of the contexts."""


class ChatReport(msgspec.Struct, frozen=True):
    title: str
    chats: int
    rows: tuple[ChatRow, ...]
    notes: tuple[str, ...]


def measure_chats(
    title: str, chats: Sequence[Chat], budgets: Sequence[int], *, jobs: int, out: Output, schemes: Sequence[str] = ()
) -> ChatReport:
    outcomes: list[ChatOutcome] = []
    load_before = os.getloadavg()[0]
    with out.progress("chats", len(chats)) as bar:
        for part in _measured(chats, partial(measure_chat, budgets=budgets, schemes=schemes), jobs):
            outcomes += part
            bar.advance()
    names = dict.fromkeys(outcome.scheme for outcome in outcomes)
    rows = [
        _row(type_, name, budget, [each for each in outcomes if (each.scheme, each.budget) == (name, budget)])
        for budget in budgets
        for type_ in (*question_types(tuple(chats)), ALL)
        for name in names
    ]
    notes = (
        "A turn counts as found when at least half of it is shown.",
        f"{machine_description()}, load {load_before:.1f} to {os.getloadavg()[0]:.1f}",
    )
    return ChatReport(title, len(chats), tuple(rows), notes)


def _measured(
    chats: Sequence[Chat], measure: Callable[[Chat], list[ChatOutcome]], jobs: int
) -> Iterator[list[ChatOutcome]]:
    if jobs == 1 or len(chats) == 1:
        yield from map(measure, chats)
        return
    with ProcessPoolExecutor(min(jobs, len(chats)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(measure, chats)


def _row(type_: str, scheme: str, budget: int, outcomes: Sequence[ChatOutcome]) -> ChatRow:
    found = [outcome for outcome in outcomes if type_ in (ALL, outcome.type)]
    number = max(len(found), 1)
    return ChatRow(
        type_,
        scheme,
        budget,
        len(found),
        100 * math.fsum(outcome.share for outcome in found) / number,
        100 * sum(outcome.share == 1 for outcome in found) / number,
        sum(outcome.tokens for outcome in found) / number,
    )


def print_chat_report(report: ChatReport, out: Output) -> None:
    """One table for each budget: types of questions down, schemes across."""
    for budget in dict.fromkeys(row.budget for row in report.rows):
        rows = [row for row in report.rows if row.budget == budget]
        names = dict.fromkeys(row.scheme for row in rows)
        out.line(
            (f"{report.title}, {budget} tokens: evidence in the context / questions with all of it", "bold"),
            f", per cent: {counted(rows[-1].questions, 'question')}, {counted(report.chats, 'chat')}",
        )
        types = dict.fromkeys(row.type for row in rows)
        out.table(("", "questions", *names), [*_type_lines(rows, list(types))])
    for note in report.notes:
        out.line(note)


def _type_lines(rows: Sequence[ChatRow], types: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for type_ in types:
        found = [row for row in rows if row.type == type_]
        yield (type_, str(found[0].questions), *(f"{row.evidence:.1f} / {row.complete:.1f}" for row in found))
