"""uac-bench time: seven kinds of questions about time, each answered by one query over a generated user's memory."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from uac import Clocks, Memory, Project
from uac.errors import UacError
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.lives import Life
from uac_bench.conversations.replay import lived_through
from uac_bench.conversations.time_questions import KINDS_OF_QUESTIONS, TimeQuestion, time_questions
from uac_bench.conversations.wording import LANGUAGES
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem

__all__ = ["bench_time", "writable_questions", "wrong_answers"]

ABOUT = "Questions about three clocks, computed over made-up lives: what was true, told and known when."
LISTED = 20  # wrong answers that are listed


@click.command("time")
@click.option("--sessions", type=click.IntRange(min=2), default=24, show_default=True, help="Sessions of each user.")
@click.option("--users", type=click.IntRange(min=1), default=4, show_default=True, help="How many users.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds are other users.")
@click.option("--each", type=click.IntRange(min=1), default=12, show_default=True, help="Questions of a kind per user.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_time(
    context: click.Context,
    sessions: int,
    users: int,
    seed: int,
    each: int,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Measure the answers to questions about time: what was true, told or known then, and what is over.

    Users tell of their lives as in 'uac-bench conversations'. Each question is one query; also printed
    is how many of them can be written with the names in the manifest. Laws: what had been told by the
    end of a session is what memory knew after it, and all that was told by the last day is the
    present. Exits with 1 if a law is broken.
    """
    suite = SuiteRun("time", ABOUT, out_folder, as_json=as_json, seed=seed)
    out = suite.out
    lives = {
        f"user {number}": (number, generate_life(number, sessions, LANGUAGES[(number - seed) % len(LANGUAGES)]))
        for number in range(seed, seed + users)
    }
    measured = suite.measure("users", partial(_answer_questions, suite, each), lives, TimeAnswers)
    asked, right, writable = Counter[str](), Counter[str](), Counter[str]()
    for item in suite.items:
        asked[item.group] += 1
        right[item.group] += item.verdict == "right"
    for answers in measured.values():
        writable.update(answers.writable)
    wrong = [line for answers in measured.values() for line in answers.wrong]
    broken = [f"{name}: {law}" for name, answers in measured.items() for law in answers.broken]
    laws = sum(answers.laws for answers in measured.values())
    if as_json:
        by_kind = {
            kind: {"right": right[kind], "all": asked[kind], "writable": writable[kind]} for kind in KINDS_OF_QUESTIONS
        }
        out.json({"kinds": by_kind, "laws": laws, "broken": broken, "wrong": wrong})
    else:
        suite.compare()
        rows = [
            (kind, f"{right[kind]}/{asked[kind]}", f"{writable[kind]}/{asked[kind]}") for kind in KINDS_OF_QUESTIONS
        ]
        totals = ("all", f"{right.total()}/{asked.total()}", f"{writable.total()}/{asked.total()}")
        out.table(("kind", "right", "names in the manifest"), [*rows, totals])
        out.line(f"Laws checked: {laws} times on {users} generated histories, broken: {len(broken)}.")
        for line in [*broken, *wrong][:LISTED]:
            out.line(line)
    suite.finish()
    context.exit(1 if broken else 0)


class TimeAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """How one user's questions were answered, beside the items."""

    writable: dict[str, int]
    """How many questions of each kind can be written with the names in the manifest."""
    wrong: tuple[str, ...]
    laws: int
    broken: tuple[str, ...]


def _answer_questions(suite: SuiteRun, each: int, user: tuple[int, Life]) -> TimeAnswers:
    """Record an item for each question about a user's life, and check the laws."""
    seed, life = user
    with lived_through(life) as (memory, _watcher, _model):
        questions = list(time_questions(life, each=each, seed=seed))
        missed = wrong_answers(memory, questions)
        writable = Counter(question.kind for question in writable_questions(memory, questions))
        laws, broken = _check_laws(memory, life)
    why = {id(question): reason for question, reason in missed}
    for number, question in enumerate(questions):
        suite.record(
            BenchItem(
                id=f"user {seed}/{number}",
                system=OURS,
                verdict="wrong" if id(question) in why else "right",
                group=question.kind,
                why=why.get(id(question), ""),
            )
        )
    wrong = (f"user {seed}: {one.kind}: {one.query} ({one.clocks}): {reason}" for one, reason in missed)
    return TimeAnswers(writable=writable, wrong=tuple(wrong), laws=laws, broken=tuple(broken))


def wrong_answers(memory: Memory, questions: Sequence[TimeQuestion]) -> list[tuple[TimeQuestion, str]]:
    """The questions that are answered wrongly, and how."""
    found: list[tuple[TimeQuestion, str]] = []
    for question in questions:
        try:
            answer = memory.compute(question.query, clocks=question.clocks).value
        except UacError as error:
            found.append((question, str(error)))
            continue
        if _without_open(answer, question) != question.answer:
            found.append((question, f"{answer} instead of {question.answer}"))
    return found


def writable_questions(memory: Memory, questions: Sequence[TimeQuestion]) -> list[TimeQuestion]:
    """The questions whose query can be written by somebody who sees the manifest only."""
    shown = set(re.findall(r"\w+", memory.manifest()))
    words = [{word for name in question.names for word in name.split(".")} for question in questions]
    return [question for question, needed in zip(questions, words, strict=True) if needed <= shown]


def _without_open(answer: Any, question: TimeQuestion) -> Any:
    """The answer without what the words leave open."""
    return [each for each in answer if each not in question.open_to] if question.open_to else answer


def _check_laws(memory: Memory, life: Life) -> tuple[int, list[str]]:
    """How often the laws were checked, and where they are broken."""
    broken: list[str] = []
    days = [session[-1].said.date() for session in life.sessions]
    for day in days:
        told = memory.project_at(Clocks(told=day))
        known = memory.project_at(Clocks(known=datetime.combine(day, time.max, UTC)))
        if _outcome(told) != _outcome(known):
            broken.append(f"told by {day} is not what was known then")
    if _outcome(memory.project_at(Clocks(told=days[-1]))) != _outcome(memory.project()):
        broken.append("told by the last day is not the present")
    return len(days) + 1, broken


def _outcome(project: Project) -> dict[str, tuple[Any, str]]:
    """Each record with its values and its end."""
    return {
        record.id: (record.values, record.ended.when if record.ended else "")
        for name in sorted(project.types)
        for record in project.records(name)
    }
