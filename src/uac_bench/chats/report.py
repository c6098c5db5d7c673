"""The table of a measurement on chats: the share of the evidence, by type of question, scheme and budget."""

import math
import os
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from uac.interfaces.cli import Output
from uac.schema import counted
from uac_bench.chats.chat import Chat
from uac_bench.chats.generator import question_types
from uac_bench.chats.measure import ABLATIONS, CHAT_SCHEMES, ONE, SEVERAL, ChatOutcome, measure_chat
from uac_bench.harness import SuiteRun
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
    title: str, chats: Sequence[Chat], budgets: Sequence[int], run: SuiteRun, *, jobs: int, ablate: bool = False
) -> tuple[ChatReport, list[ChatOutcome]]:
    """All schemes on all questions, and each outcome; with `ablate` also recall without each of its ideas."""
    has_queries = any(question.queries for chat in chats for question in chat.questions)
    schemes = [name for name in CHAT_SCHEMES if has_queries or name != SEVERAL] + (list(ABLATIONS) if ablate else [])
    load_before = os.getloadavg()[0]
    measure = partial(measure_chat, budgets=budgets, schemes=schemes)
    named = {f"{number}, {chat.name}": chat for number, chat in enumerate(chats, 1)}
    parts = run.measure("chats", measure, named, list[ChatOutcome], jobs=jobs)
    outcomes = [outcome for part in parts.values() for outcome in part]
    scored = {outcome.type for outcome in outcomes}
    types = [type_ for type_ in question_types(tuple(chats)) if type_ in scored]
    names = dict.fromkeys(outcome.scheme for outcome in outcomes)
    rows = [
        _row(type_, name, budget, [each for each in outcomes if (each.scheme, each.budget) == (name, budget)])
        for budget in budgets
        for type_ in (*types, ALL)
        for name in names
    ]
    notes = (
        "A turn counts as found when at least half of it is shown.",
        f"{machine_description()}, load {load_before:.1f} to {os.getloadavg()[0]:.1f}",
    )
    return ChatReport(title, len(chats), tuple(rows), notes), outcomes


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
        names = [name for name in dict.fromkeys(row.scheme for row in rows) if name not in ABLATIONS]
        out.line(
            (f"{report.title}, {budget} tokens: evidence in the context / questions with all of it", "bold"),
            f", per cent: {counted(rows[-1].questions, 'question')}, {counted(report.chats, 'chat')}",
        )
        types = dict.fromkeys(row.type for row in rows)
        shown = [row for row in rows if row.scheme in names]
        out.table(("", "questions", *names), [*_type_lines(shown, list(types))])
        if ablated := [*_ablation_lines(rows)]:
            out.line(("recall with one query without an idea of it, and what the idea gives:", "bold"))
            out.table(("", "without it", "it gives", "most for"), ablated)
    for note in report.notes:
        out.line(note)


def _ablation_lines(rows: Sequence[ChatRow]) -> Iterator[tuple[str, ...]]:
    """For each idea the figures without it, what it adds, and the type of question that gains most."""
    found = {(row.scheme, row.type): row for row in rows}
    types = [type_ for scheme, type_ in found if scheme == ONE and type_ != ALL]
    compared = [(name.removeprefix("without "), ONE, name) for name in ABLATIONS if (name, ALL) in found]
    compared += [("several queries", SEVERAL, ONE)] if compared and (SEVERAL, ALL) in found else []
    for title, whole, less in compared:
        gains = {type_: found[whole, type_].complete - found[less, type_].complete for type_ in (*types, ALL)}
        without, evidence = found[less, ALL], found[whole, ALL].evidence - found[less, ALL].evidence
        best = max(types, key=lambda type_: gains[type_])
        yield (
            title,
            f"{without.evidence:.1f} / {without.complete:.1f}",
            f"{evidence:+.1f} / {gains[ALL]:+.1f}",
            f"{best} {gains[best]:+.1f}",
        )


def _type_lines(rows: Sequence[ChatRow], types: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for type_ in types:
        found = [row for row in rows if row.type == type_]
        yield (type_, str(found[0].questions), *(f"{row.evidence:.1f} / {row.complete:.1f}" for row in found))
