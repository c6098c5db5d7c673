"""What exists today, shown on a real store in a temporary folder: no key, no server, no network."""

import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

import uac

console = Console(highlight=False, soft_wrap=True)

CONVERSATION = (
    ("user", "Hi, I'm Jessica. I'm allergic to penicillin, please never forget that."),
    ("assistant", "Noted: no penicillin."),
    ("user", "My passport runs out on 3 March 2027."),
    ("user", "My locker code at the gym is tulip-4711."),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with closing(uac.open_store(path)) as store:
            jessica = store.log("jessica")
            listen(jessica)
            look_back(jessica)
            forget(jessica, path)
        tamper(path)
    console.print("\n[bold]Not there yet:[/] typed state, constraints, alerts, compute and recall; see CHANGELOG.md.")


def listen(log: uac.Log) -> None:
    heading("Every word is kept, in order, durably, once")
    for number, (role, text) in enumerate(CONVERSATION):
        said = datetime(2026, 3, 1, 9, number, tzinfo=UTC)
        entry = uac.Observation(text=text, said=said, role=role, session="morning", key=f"turn-{number}")  # type: ignore[arg-type]  # the roles above are roles
        (position,) = log.append([entry])
        (again,) = log.append([entry])
        console.print(f"  {position}  [dim]{role}:[/] {text}" + ("" if again == position else "  (doubled!)"))
    console.print(f"  sent twice each with a key, stored once: {log.head().position} entries")


def look_back(log: uac.Log) -> None:
    heading("The log as it stood at any position or time")
    console.print(f"  as of entry 2 it held {sum(1 for _ in log.as_of(2).read())} entries; now {log.head().position}")
    console.print(f"  the chain of digests: {log.verify() or 'whole'}")


def forget(log: uac.Log, path: Path) -> None:
    heading("Erasure destroys the words and keeps the chain")
    log.erase([4], why="Jessica asked")
    left = any(b"tulip-4711" in file.read_bytes() for file in path.parent.iterdir())
    console.print(f"  entry 4: {'STILL THERE' if left else 'nothing of it is left in the file'}")
    console.print(f"  the chain of digests: {log.verify() or 'whole'}")


def tamper(path: Path) -> None:
    heading("A changed word is found")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE entries SET body = replace(body, 'penicillin', 'peanuts') WHERE position = 1")
        raw.commit()
    with closing(uac.open_store(path, create=False)) as store:
        found = store.log("jessica").verify()
    console.print(f"  {found.problem if found else 'NOT FOUND'}")


def heading(text: str) -> None:
    console.print(f"\n[bold]{text}[/]")


if __name__ == "__main__":
    main()
