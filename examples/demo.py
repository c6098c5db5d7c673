"""What exists today, shown on a real store in a temporary folder: no key, no server, no network."""

import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from jessica import play
from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax

import uac
import uac.errors
from uac.entries import Role
from uac.export import export
from uac.patches import Define, Patch, Put
from uac.sandboxes import open_sandbox
from uac.schema import Field, Type

console = Console(highlight=False, soft_wrap=True)

CONVERSATION: tuple[tuple[Role, str], ...] = (
    ("user", "Hi, I'm Jessica. I'm allergic to penicillin, please never forget that."),
    ("assistant", "Noted: no penicillin."),
    ("user", "We fly to Paris on 1 May 2026 for 1,300 euros, and to Tokyo on 3 October for 2,450 euros."),
    ("user", "My locker code at the gym is tulip-4711."),
)

TRIP = Type(
    domain="travel",
    name="Trip",
    doc="A journey.",
    cardinality="event",
    fields=(Field(name="city", type="str"), Field(name="start", type="date"), Field(name="cost", type="Money")),
)
ALLERGY = Type(domain="health", name="Allergy", key=("substance",), fields=(Field(name="substance", type="str"),))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with closing(uac.open_store(path)) as store:
            jessica = uac.Memory(store.log("jessica"))
            listen(jessica)
            structure(jessica)
            compute(jessica)
            correct(jessica)
            show_code(jessica, Path(folder) / "jessica")
            forget(jessica, path)
            live_a_year(store)
        tamper(path)
    console.print("\n[bold]Not there yet:[/] extraction by models, recall; see CHANGELOG.md.")


def listen(memory: uac.Memory) -> None:
    heading("Every word is kept, in order, durably, once")
    for number, (role, text) in enumerate(CONVERSATION):
        said = datetime(2026, 3, 1, 9, number, tzinfo=UTC)
        position = memory.add(text, said=said, role=role, session="morning", key=f"turn-{number}")
        again = memory.add(text, said=said, role=role, session="morning", key=f"turn-{number}")
        console.print(f"  {position}  [dim]{role}:[/] {text}" + ("" if again == position else "  (doubled!)"))
    console.print(f"  sent twice each with a key, stored once: {memory.log.head().position} entries")


def structure(memory: uac.Memory) -> None:
    heading("Patches go through one door: all are accepted, or none, with reasons")
    patches: list[Patch] = [
        Define(type=TRIP),
        Define(type=ALLERGY),
        Put(type="health.Allergy", fields={"substance": "penicillin"}, cites=(1,)),
        Put(type="travel.Trip", fields={"city": "Paris", "start": "2026-05-01", "cost": "1300 EUR"}, cites=(3,)),
        Put(type="travel.Trip", fields={"city": "Tokyo", "start": "in October", "cost": "2450 EUR"}, cites=(3,)),
    ]
    try:
        memory.checkpoint(patches)
    except uac.errors.Rejected as rejected:
        console.print(f"  [red]refused:[/] {rejected.reasons[0]}")
    patches[4] = Put(
        type="travel.Trip", fields={"city": "Tokyo", "start": "2026-10-03", "cost": "2450 EUR"}, cites=(3,)
    )
    position = memory.checkpoint(patches)
    console.print(
        f"  [green]accepted[/] at {position}: "
        + ", ".join(r.id for t in (ALLERGY, TRIP) for r in memory.project().records(t.full_name))
    )


def compute(memory: uac.Memory) -> None:
    heading("Aggregates are Python over all records, in a sandbox")
    with closing(open_sandbox()) as sandbox, closing(uac.Computer(sandbox)) as computer:
        for code in (
            "total(t.cost for t in travel.trips if t.start.year == 2026)",
            "max(travel.trips, key=lambda t: t.cost.amount).city",
            "open('/etc/passwd').read()",
        ):
            try:
                result = computer.run(memory.project(), code)
                complete = "complete" if result.is_complete else "may be incomplete"
                console.print(
                    f"  {code}\n    [bold]= {result.value}[/]  [dim]({complete}, {result.seconds * 1000:.1f} ms)[/]"
                )
            except uac.errors.RunError as error:
                console.print(f"  {code}\n    [red]{error}[/]")


def correct(memory: uac.Memory) -> None:
    heading("A correction stands above what was learned before; every value leads back to a sentence")
    trip = memory.project().records("travel.Trip")[0].id
    memory.correct(trip, "start", "2026-05-14", why="a slip")
    explanation = memory.explain(trip, "start")
    console.print(f"  {trip}.start = {explanation.value}")
    for item in explanation.claims:
        mark = "✓" if item.stands else "·"
        words = f": “{item.evidence[0].words}”" if item.evidence else ""
        console.print(f"    {mark} {item.claim.value}  [dim]{item.claim.authority}{words}[/]")


def show_code(memory: uac.Memory, folder: Path) -> None:
    heading("The user as code: a folder of Python that runs with nothing installed")
    export(memory.project(), folder)
    console.print(
        Syntax((folder / "domains" / "travel" / "state.py").read_text(), "python", background_color="default")
    )


def forget(memory: uac.Memory, path: Path) -> None:
    heading("Erasure destroys the words and keeps the chain")
    memory.log.erase([4], why="Jessica asked")
    left = any(b"tulip-4711" in file.read_bytes() for file in path.parent.glob("memory.db*"))
    console.print(f"  entry 4: {'STILL THERE' if left else 'nothing of it is left in the file'}")
    console.print(f"  the chain of digests: {memory.log.verify() or 'whole'}")


def tamper(path: Path) -> None:
    heading("A changed word is found")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE entries SET body = replace(body, 'penicillin', 'peanuts') WHERE position = 1")
        raw.commit()
    with closing(uac.open_store(path, create=False)) as store:
        found = store.log("jessica").verify()
    console.print(f"  {found.problem if found else 'NOT FOUND'}")


STYLES = {"critical": "bold red", "warning": "yellow", "info": "blue"}


def live_a_year(store: uac.Store) -> None:
    heading("Constraints run by themselves: a year of Jessica Thompson, alerts in the session that makes them true")
    for session, memory, changes in play(store, "jessica-thompson"):  # noqa: B007 - memory is used after the loop
        console.print(f"  [dim]{session.day:%Y-%m-%d}[/]  {session.text}")
        for change in changes:
            style = STYLES[change.severity]
            told = f"[{style}]{change.severity}[/] [bold]{change.constraint}[/]: {escape(change.message)}"
            console.print(f"              {told}")
    project = memory.project()
    told = f"{len(project.constraints)} constraints over {len(project.domains)} domains, all from packs"
    console.print(f"  {told}; {len(memory.alerts())} alerts stand. Why one fired:")
    for test in memory.why("conflicting_transfers").tests[:4]:
        values = ", ".join(f"{name} = {value}" for name, value in test.values)
        console.print(f"    line {test.line}: {escape(test.text)}  [dim]{escape(values)}[/]  {test.result}")


def heading(text: str) -> None:
    console.print(f"\n[bold]{text}[/]")


if __name__ == "__main__":
    main()
