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
            return _notebook_project(value).text
        case Result():
            return _notebook_result(value).text
        case Found():
            return _notebook_hits(value).text
        case Explanation():
            return _notebook_explanation(value).text
        case Context():
            return _notebook_context(value).text
        case Answer():
            return _notebook_answer(value).text
        case Plot():
            return value.svg
        case _:
            return table(value).html()


def summary(project: Project) -> str:
    """A memory in one line: its position, its records by type, active alerts and waiting facts."""
    counts = [f"{name}: {project.count(name):,}" for name in sorted(project.types) if project.count(name)]
    return "; ".join([f"at {project.position:,}", ", ".join(counts) or "no records", *_notebook_open_work(project)])


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


def _notebook_project(project: Project) -> Markup:
    now = f", {cell_text(project.now)}" if project.now else ""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, project.count(name)) for name in sorted(project.types) if project.count(name)
    )
    coverage = coverage_table(project)
    covered = tuple(row for row in coverage if any(row[1:]))
    alerts = project.standing()
    return _notebook_frame(
        f"Memory at {project.position:,}{now}",
        _notebook_table(Table(("type", "records"), rows, "Records")),
        *([_notebook_table(alert_table(alerts))] if alerts else []),
        *([_notebook_table(Table(coverage.columns, covered, coverage.title))] if covered else []),
        *(_notebook_note(text) for text in _notebook_open_work(project)),
    )


def _notebook_open_work(project: Project) -> list[str]:
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


def _notebook_result(result: Result) -> Markup:
    reads = "; ".join(map(_notebook_read_line, result.reads))
    trust = f"{'complete' if result.is_complete else 'not complete'}; {reads}" if reads else "no records were read"
    return _notebook_frame(
        "",
        *([element("pre", result.printed)] if result.printed else []),
        _notebook_table(table(result.value)),
        _notebook_note(f"{trust} (at {result.position:,})"),
    )


def _notebook_read_line(read: CollectionRead) -> str:
    return f"{read.collection}: {read.records:,}" + (f" ({read.lacks})" if read.lacks else "")


def _notebook_hits(hits: Found) -> Markup:
    counts = f"matched: {hits.matched:,}; left out: {hits.left_out:,}"
    return _notebook_frame("", _notebook_table(hit_table(hits)), *map(_notebook_note, [counts, *hits.notes]))


def _notebook_explanation(explanation: Explanation) -> Markup:
    disputed = ", disputed" if explanation.disputed else ""
    head = f"{explanation.record}.{explanation.field} = {text_of(explanation.value)}"
    return _notebook_frame(
        head,
        _notebook_note(f"policy: {explanation.policy}{disputed}"),
        _notebook_list(map(_notebook_claim, explanation.claims)),
    )


def _notebook_claim(explained: Explained) -> Part:
    claim = explained.claim
    mark = "✓ " if explained.stands else "✗ "
    source = f" [{claim.attribution}, {cell_text(claim.said)}, entry {claim.position}]"
    return fragment(mark, element("strong", text_of(claim.value)), source, *map(_notebook_evidence, explained.evidence))


def _notebook_evidence(evidence: Evidence) -> Markup:
    words = evidence.words if evidence.words is not None else "(erased)"
    said = f", {cell_text(evidence.said)}" if evidence.said else ""
    source = _notebook_note(f"{evidence.speaker}{said}, entry {evidence.observation}")
    return element("blockquote", words if evidence.quote is None else _notebook_quote(words, evidence.quote), source)


def _notebook_quote(words: str, quote: str) -> Markup:
    before, match, after = words.partition(quote)
    return fragment(before, *([element("mark", match)] if match else []), after)


def _notebook_context(context: Context) -> Markup:
    left = ", ".join(f"{number:,} {name}" for name, number in context.left_out._asdict().items() if number)
    return _notebook_frame(
        "", element("pre", context.text), _notebook_note(f"{context.tokens:,} tokens; left out: {left or 'nothing'}")
    )


def _notebook_answer(answer: Answer) -> Markup:
    if not answer.is_known:
        return _notebook_frame("Not known", *([_notebook_note(answer.why)] if answer.why else []))
    ran = [element("pre", f"{computed.code.strip()}\n→ {computed.value}") for computed in answer.computed]
    quotes = [
        element("blockquote", quote.words, _notebook_note(f"{quote.speaker}, entry {quote.position}"))
        for quote in answer.quotes
    ]
    trust = "complete" if answer.is_complete else f"not complete: {answer.why}"
    return _notebook_frame(
        answer.text, *ran, *quotes, *([_notebook_list(answer.records)] if answer.records else []), _notebook_note(trust)
    )


def _notebook_frame(head: str, *parts: Part) -> Markup:
    title = [element("p", element("strong", head))] if head else []
    return element("div", *title, *parts, class_="uac-shown")


def _notebook_table(made: Table) -> Markup:
    return Markup(made.html())


def _notebook_note(text: str) -> Markup:
    return element("p", text, class_="uac-note")


def _notebook_list(parts: Iterable[Part]) -> Markup:
    return element("ul", *(element("li", part) for part in parts))
