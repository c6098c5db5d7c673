"""Reads a file of questions: JSON lines, or a table with the columns question and answer."""

import csv
import io
from typing import Any

import msgspec

from uac.errors import Refused

__all__ = ["EvalQuestion", "read_questions"]


class EvalQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and the answers that are right. Without any it is asked, and not scored."""

    question: str
    answers: tuple[str, ...] = ()
    is_unknown: bool = False
    """Whether the right answer is that it is not known."""

    @property
    def is_scored(self) -> bool:
        return bool(self.answers) or self.is_unknown


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the file. `answer: null` says that memory cannot know it."""

    question: str
    answer: str | int | float | list[str] | msgspec.UnsetType | None = msgspec.UNSET


def read_questions(text: str, name: str) -> tuple[EvalQuestion, ...]:
    """The questions of a file called `name`: `.csv`, else JSON lines; or Refused, which names the line."""
    rows = _csv_rows(text, name) if name.lower().endswith(".csv") else _json_rows(text, name)
    questions = tuple(_question(line, where) for where, line in rows)
    if not questions:
        raise Refused(f'{name} has no question. Write one a line: {{"question": "…", "answer": "…"}}')
    return questions


def _json_rows(text: str, name: str) -> list[tuple[str, _Line]]:
    rows = []
    for number, row in enumerate(text.splitlines(), start=1):
        if row.strip():
            where = f"{name}: line {number}"
            try:
                rows.append((where, msgspec.json.decode(row, type=_Line)))
            except msgspec.DecodeError as error:
                raise Refused(f'{where}: {error}. Write {{"question": "…", "answer": "…"}}.') from None
    return rows


def _csv_rows(text: str, name: str) -> list[tuple[str, _Line]]:
    table = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    columns = table.fieldnames or ()
    if "question" not in columns:
        raise Refused(f"{name} has the columns {', '.join(columns) or 'none'}. It needs question and answer.")
    rows = []
    for row in table:
        answer = (row.get("answer") or "").strip()
        line = _Line(row["question"] or "", answer or msgspec.UNSET)
        rows.append((f"{name}: line {table.line_num}", line))
    return rows


def _question(line: _Line, where: str) -> EvalQuestion:
    question = line.question.strip()
    if not question:
        raise Refused(f"{where}: the question is empty. Write one, or remove the line.")
    given: Any = line.answer
    if given is None:
        return EvalQuestion(question=question, is_unknown=True)
    if isinstance(given, msgspec.UnsetType):
        return EvalQuestion(question=question)
    answers = tuple(str(one).strip() for one in (given if isinstance(given, list) else [given]))
    if not all(answers) or not answers:
        raise Refused(f"{where}: the answer is empty. Leave it out if you have none; null means that it is not known.")
    return EvalQuestion(question=question, answers=answers)
