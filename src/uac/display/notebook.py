"""HTML for notebooks.

Memories, tables and plots have HTML of their own. `%load_ext uac.display.notebook` adds projects, results of compute,
hits, explanations, contexts and answers.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from uac.conversation.ask import Answer
from uac.display.html import Markup, Part, element, fragment
from uac.display.plots import Plot
from uac.display.tables import Cell, Table, alert_table, cell_text, coverage_table, hit_table, table, text_of
from uac.project.explain import Evidence, Explained, Explanation
from uac.project.project import Project
from uac.recall.context import Context
from uac.recall.hits import Found
from uac.sandbox.compute import CollectionRead, Result

__all__ = ["html_of", "load_ipython_extension", "summary", "unload_ipython_extension"]


def html_of(value: object) -> str:
    """The HTML of a value, without styles or scripts, and with all text escaped."""
    match value:
        case Project():
            return _project_html(value).text
        case Result():
            return _result_html(value).text
        case Found():
            return _hits_html(value).text
        case Explanation():
            return _explanation_html(value).text
        case Context():
            return _context_html(value).text
        case Answer():
            return _answer_html(value).text
        case Plot():
            return value.svg
        case _:
            return table(value).html()


def summary(project: Project) -> str:
    """A memory in one line: its position, its records by type, active alerts and waiting facts."""
    counts = [f"{name}: {project.count(name):,}" for name in sorted(project.types) if project.count(name)]
    return "; ".join([f"at {project.position:,}", ", ".join(counts) or "no records", *_open_work_lines(project)])


class Formatter(Protocol):
    """The part of IPython that turns objects into HTML."""

    def for_type(self, kind: type, function: Callable[[Any], str]) -> object: ...

    def pop(self, kind: type, default: object = None) -> object: ...


class Shell(Protocol):
    """The part of IPython's shell that is used here."""

    display_formatter: Any


SHOWN = (Project, Result, Found, Explanation, Context, Answer)


def load_ipython_extension(shell: Shell) -> None:
    """`%load_ext uac.display.notebook`."""
    for kind in SHOWN:
        _html_formatter(shell).for_type(kind, html_of)


def unload_ipython_extension(shell: Shell) -> None:
    """`%unload_ext uac.display.notebook`."""
    for kind in SHOWN:
        _html_formatter(shell).pop(kind, None)


def _html_formatter(shell: Shell) -> Formatter:
    formatter: Formatter = shell.display_formatter.formatters["text/html"]
    return formatter


def _project_html(project: Project) -> Markup:
    now = f", {cell_text(project.now)}" if project.now else ""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, project.count(name)) for name in sorted(project.types) if project.count(name)
    )
    coverage = coverage_table(project)
    covered = tuple(row for row in coverage if any(row[1:]))
    alerts = project.standing()
    return _frame_html(
        f"Memory at {project.position:,}{now}",
        _table_html(Table(("type", "records"), rows, "Records")),
        *([_table_html(alert_table(alerts))] if alerts else []),
        *([_table_html(Table(coverage.columns, covered, coverage.title))] if covered else []),
        *(_note_html(text) for text in _open_work_lines(project)),
    )


def _open_work_lines(project: Project) -> list[str]:
    """Active alerts and waiting entries, with their counts."""
    counts = {
        "alerts": len(project.alerts),
        "open conflicts": len(project.conflicts),
        "facts that wait": len(project.waiting),
        "turns that no model has read": len(project.progress.unread),
        "entries that a model could not answer for": len(project.progress.stuck),
        "constraints that gave no result": len(project.failures),
    }
    return [f"{what}: {number:,}" for what, number in counts.items() if number]


def _result_html(result: Result) -> Markup:
    reads = "; ".join(map(_collection_read_line, result.reads))
    trust = f"{'complete' if result.is_complete else 'not complete'}; {reads}" if reads else "no records were read"
    return _frame_html(
        "",
        *([element("pre", result.printed)] if result.printed else []),
        _table_html(table(result.value)),
        _note_html(f"{trust} (at {result.position:,})"),
    )


def _collection_read_line(read: CollectionRead) -> str:
    short = [f"{number:,} {what}" for number, what in ((read.waiting, "waiting"), (read.aside, "set aside")) if number]
    facts = f" ({', '.join(short)})" if short else ""
    return f"{read.collection}: {read.records:,}{facts}"


def _hits_html(hits: Found) -> Markup:
    counts = f"matched: {hits.matched:,}; left out: {hits.left_out:,}"
    return _frame_html("", _table_html(hit_table(hits)), *map(_note_html, [counts, *hits.notes]))


def _explanation_html(explanation: Explanation) -> Markup:
    disputed = ", disputed" if explanation.disputed else ""
    head = f"{explanation.record}.{explanation.field} = {text_of(explanation.value)}"
    return _frame_html(
        head, _note_html(f"policy: {explanation.policy}{disputed}"), _list_html(map(_claim_html, explanation.claims))
    )


def _claim_html(explained: Explained) -> Part:
    claim = explained.claim
    mark = "✓ " if explained.stands else "✗ "
    source = f" [{claim.authority}, {cell_text(claim.said)}, entry {claim.position}]"
    return fragment(mark, element("strong", text_of(claim.value)), source, *map(_evidence_html, explained.evidence))


def _evidence_html(evidence: Evidence) -> Markup:
    words = evidence.words if evidence.words is not None else "(erased)"
    said = f", {cell_text(evidence.said)}" if evidence.said else ""
    source = _note_html(f"{evidence.speaker}{said}, entry {evidence.observation}")
    return element("blockquote", words if evidence.quote is None else _highlight_quote(words, evidence.quote), source)


def _highlight_quote(words: str, quote: str) -> Markup:
    before, match, after = words.partition(quote)
    return fragment(before, *([element("mark", match)] if match else []), after)


def _context_html(context: Context) -> Markup:
    left = ", ".join(f"{number:,} {name}" for name, number in context.left_out._asdict().items() if number)
    return _frame_html(
        "", element("pre", context.text), _note_html(f"{context.tokens:,} tokens; left out: {left or 'nothing'}")
    )


def _answer_html(answer: Answer) -> Markup:
    if not answer.is_known:
        return _frame_html("Not known", *([_note_html(answer.why)] if answer.why else []))
    ran = [element("pre", f"{computed.code.strip()}\n→ {computed.value}") for computed in answer.computed]
    quotes = [
        element("blockquote", quote.words, _note_html(f"{quote.speaker}, entry {quote.position}"))
        for quote in answer.quotes
    ]
    trust = "complete" if answer.is_complete else f"not complete: {answer.why}"
    return _frame_html(
        answer.text, *ran, *quotes, *([_list_html(answer.records)] if answer.records else []), _note_html(trust)
    )


def _frame_html(head: str, *parts: Part) -> Markup:
    title = [element("p", element("strong", head))] if head else []
    return element("div", *title, *parts, class_="uac-shown")


def _table_html(made: Table) -> Markup:
    return Markup(made.html())


def _note_html(text: str) -> Markup:
    return element("p", text, class_="uac-note")


def _list_html(parts: Iterable[Part]) -> Markup:
    return element("ul", *(element("li", part) for part in parts))
