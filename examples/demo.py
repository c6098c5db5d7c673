"""A year of conversations becomes a typed project, on a real store in `build/demo`: no key, no server, no network.

The model's replies are recorded, and pass the same checks as a live model's.
"""

import difflib
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from jessica import QUESTIONS, SESSIONS, Clock, Lived, play, recorded
from rich.console import Console
from rich.markup import escape

import uac
import uac.errors
from uac.conversation.ask import Answer
from uac.project.export import export
from uac.schema.entries import Fact
from uac.schema.patches import Put

console = Console(highlight=False, soft_wrap=True)
FOLDER = Path.cwd() / "build" / "demo"
STYLES = {"critical": "bold red", "warning": "yellow", "info": "blue"}
LINES = 14  # shown of a diff


def main() -> None:
    began = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    clock = Clock(datetime(2024, 3, 1, tzinfo=UTC))
    with closing(uac.open_store(FOLDER / "memory.db", clock=clock)) as store:
        memory = live_a_year(store, clock)
        answer_questions(memory)
        explain(memory)
        refuse(memory)
        export(memory.project(), FOLDER / "jessica")
        sum_up(memory)
        forget(memory)
    tamper()
    invite(time.monotonic() - began)


def live_a_year(store: uac.Store, clock: Clock) -> uac.Memory:
    heading("A year of conversations: facts, the checkpoint as a diff of code, alerts when they become true")
    console.print("  [dim]The model's replies are recorded; they pass the same checks as a live model's.[/]")
    shown: dict[str, str] = {}
    for number, lived in enumerate(play(store, clock), 1):
        day = lived.session["session"]
        console.print(f"\n[bold]{day}[/]  [dim]session {number} of {len(SESSIONS)}[/]")
        for turn in lived.session["turns"]:
            console.print(f"  [dim]{turn['speaker'] or turn['role']}:[/] {escape(turn['text'])}")
        show_facts(lived)
        now = lived.memory.render()
        show_diff(shown, now)
        shown = now
        for change in lived.changes:
            style = STYLES[change.severity]
            told = f"[{style}]{change.change}: {change.severity}[/] [bold]{change.constraint}[/]"
            console.print(f"  {told} {escape(change.message or change.subject)}")
    return lived.memory


def show_facts(lived: Lived) -> None:
    for outcome in lived.outcomes:
        for finding in outcome.findings:
            fate = "sent back" if outcome.is_open else "left waiting"
            console.print(f"    [yellow]{fate}:[/] {escape(finding.why)}")
        for position in outcome.facts:
            (stored,) = lived.memory.log.read(position, position + 1)
            assert isinstance(stored.entry, Fact)
            console.print(f"    [cyan]fact {position}[/] {escape(stored.entry.text)}")


def show_diff(before: dict[str, str], after: dict[str, str]) -> None:
    """What a session changed in the user's state, as lines of Python."""
    for name in sorted(after):
        if "/state" not in name or before.get(name) == after[name]:
            continue
        old, new = before.get(name, "").splitlines(), after[name].splitlines()
        lines = [line for line in difflib.unified_diff(old, new, lineterm="", n=0) if is_about_the_user(line)]
        if lines:
            console.print(f"    [dim]{name}[/]")
        for line in lines[:LINES]:
            console.print(f"      [{'green' if line[0] == '+' else 'red'}]{escape(line)}[/]")
        if len(lines) > LINES:
            console.print(f"      [dim]and {len(lines) - LINES} more[/]")


def is_about_the_user(line: str) -> bool:
    """Whether a line of a diff says something about the user: not an import, a bracket or an empty value."""
    text = line[1:].strip()
    is_import = "import" in text or re.fullmatch(r"[A-Z]\w+,", text) is not None
    is_empty = text in ("", "]", ")", "),") or text.endswith(("=None,", "=[],", " = []")) or text.startswith('"""')
    return line[:1] in "+-" and line[:3] not in ("+++", "---") and not is_import and not is_empty


def answer_questions(memory: uac.Memory) -> None:
    heading("Questions: aggregates are Python over all records, and the answer shows the code")
    models = recorded()
    for question in QUESTIONS:
        show_answer(question, memory.ask(question, models))


def show_answer(question: str, answer: Answer) -> None:
    console.print(f"\n  [bold]{question}[/]")
    for computed in answer.computed:
        console.print(f"    [cyan]{escape(computed.code)}[/]\n    = {escape(computed.value)}")
    for quote in answer.quotes:
        console.print(f"    [dim]entry {quote.position}: “{escape(quote.words)}”[/]")
    state = "complete" if answer.is_complete else f"may be incomplete: {answer.why}"
    told = f"{escape(answer.text)}  [dim]({state})[/]" if answer.is_known else "[dim]not known[/]"
    console.print(f"    → {told}")


def explain(memory: uac.Memory) -> None:
    heading("Every value leads back to a sentence")
    record = next(r for r in memory.project().records("finance.Transaction") if r.values["payee"] == "Canlis")
    explanation = memory.explain(record.id, "amount")
    console.print(f"  what Jessica paid at {record.values['payee']} = {explanation.value}")
    for item in explanation.claims:
        console.print(f"    {'✓' if item.stands else '·'} {item.claim.value}  [dim]{item.claim.authority}[/]")
        for evidence in item.evidence:
            console.print(f"        [dim]fact {evidence.fact}:[/] {escape(evidence.fact_text or '')}")
            console.print(f"        [dim]entry {evidence.observation}:[/] “{escape(evidence.quote or '')}”")


def refuse(memory: uac.Memory) -> None:
    heading("A change that does not fit is refused with the reason, and nothing is written")
    patch = Put(type="travel.Trip", fields={"destination": "Rome", "departs": "soon"}, cites=(1,))
    try:
        memory.checkpoint([patch])
    except uac.errors.Rejected as rejected:
        console.print(f"  [red]refused:[/] {escape(rejected.reasons[0])}")
    try:
        memory.compute("open('/etc/passwd').read()")
    except uac.errors.RunError as error:
        console.print(f"  [red]refused:[/] {escape(str(error))}")


def sum_up(memory: uac.Memory) -> None:
    heading("In total")
    project = memory.project()
    spent = project.progress.spent_in_all()
    facts = sum(isinstance(stored.entry, Fact) for stored in memory.log.read())
    filled = {name: len(table) for name, table in project.tables.items() if table}
    records = sum(filled.values())
    domains = {name.partition(".")[0] for name in filled}
    aside, waiting = len(project.aside), len(project.waiting)
    console.print(f"  {memory.log.head().position} entries, {facts} facts, {records} records in {len(domains)} domains")
    console.print(f"  {facts - aside - waiting} facts are in records, {aside} set aside with a reason, {waiting} wait")
    console.print(f"  {len(project.constraints)} constraints are active; {len(memory.alerts())} alerts are open")
    console.print(
        f"  {spent.calls} requests, answered from the recording; a model would read about {spent.tokens:,} tokens"
    )


def forget(memory: uac.Memory) -> None:
    heading("Erasure destroys the words and everything made from them, and keeps the chain")
    position = next(hit.position for hit in memory.recall("Nopa birthday dinner") if hit.kind == "observation")
    gone = memory.erase([position], why="Jessica asked")
    left = any(b"at Nopa, 184" in file.read_bytes() for file in FOLDER.glob("memory.db*"))
    console.print(
        f"  entry {position} and {len(gone) - 1} that depend on it: {'STILL THERE' if left else 'nothing is left'}"
    )
    console.print(f"  the chain of digests: {memory.log.verify() or 'whole'}")


def tamper() -> None:
    heading("A changed word is found")
    copy = FOLDER / "tampered.db"
    shutil.copyfile(FOLDER / "memory.db", copy)
    with closing(sqlite3.connect(copy)) as raw:
        raw.execute("UPDATE entries SET body = replace(body, 'penicillin', 'peanuts') WHERE position < 30")
        raw.commit()
    with closing(uac.open_store(copy, create=False)) as store:
        found = store.log("jessica").verify()
    console.print(f"  {found.problem if found else 'NOT FOUND'}")
    copy.unlink()


def invite(seconds: float) -> None:
    """The commands that work now, and an offer to look around."""
    heading(f"Done in {seconds:.0f} s. Now you: each of these works as it stands")
    uac_command = f"{relative(Path(sys.executable).parent / 'uac')} --store {relative(FOLDER / 'memory.db')}"
    tries = {
        f"python3 {relative(FOLDER / 'jessica')}": "the user as code, run with nothing installed",
        f"{uac_command} alerts jessica": "what was raised without being asked",
        f"{uac_command} compute jessica 'len(travel.trips)'": "count over all records",
        f'{uac_command} recall jessica "Which doctor gave me amoxicillin?"': "search what was said",
        f"{uac_command} put me health.Allergy substance=Penicillin": "a record about yourself, and then",
        f"{uac_command} put me health.Medication name=Amoxicillin": "the alert that it raises",
    }
    for command, about in tries.items():
        console.print(f"  [dim]# {about}[/]\n  {escape(command)}")
    inspector = f"{uac_command} inspect jessica --open"
    has_inspector = find_spec("fastapi") is not None
    if not has_inspector:
        console.print("\n  The inspector shows all of this in the browser. It needs one more step, once:")
        console.print(
            f"  {relative(Path(sys.executable))} -m pip install '.[serve]' && {escape(inspector)}", markup=False
        )
    elif not (sys.stdin.isatty() and sys.stdout.isatty()):
        console.print(f"  [dim]# the inspector, in the browser[/]\n  {escape(inspector)}")
    elif console.input("\n  Open the inspector on it now? \\[y/N] ").strip().lower() in ("y", "yes"):
        subprocess.run(inspector.split(), check=False)  # noqa: S603 - our own program


def relative(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def heading(text: str) -> None:
    console.print(f"\n[bold]{text}[/]")


if __name__ == "__main__":
    main()
