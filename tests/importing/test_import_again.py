"""uac import: once, and only once: again, after a crash, and at the same time."""

import random
import signal
import subprocess
import threading
import time
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from support.importing import SAID, TRIPS, command, file, memory_at, quiet, told, uac, values
from uac.importing import CsvRows, PlanOptions, RecordCounts, import_records, plan_import
from uac.importing import import_file as run_module
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.schema.entries import Observation

# -- once, and only once --------------------------------------------------------------------------------------------------


def test_the_same_file_again_adds_nothing_and_a_longer_one_its_new_lines(store: Path) -> None:
    arguments = ["import", "ana", "trips.csv", "--as", "journeys.Trip", "--yes", "--json"]
    file("trips.csv", TRIPS)
    counts = []
    for text in ("", "", "Oslo,2024-07-01,5,9\n", "Oslo,2024-07-01,5,9\n"):
        file("trips.csv", TRIPS + text)
        summary = told(uac(*arguments))[-1]
        counts.append((summary["records"], summary["already"]))
    assert counts == [(2, 0), (0, 2), (1, 2), (0, 3)]
    assert [record["city"] for record in values(store, "journeys.Trip")] == ["Paris", "Rome", "Oslo"]


def test_lines_that_say_the_same_are_records_of_their_own(store: Path) -> None:
    uac("import", "ana", file("f.csv", "what,price\ncoffee,2\ncoffee,2\n"), "--as", "some.Sale", "--yes")
    assert values(store, "some.Sale") == [{"what": "coffee", "price": 2}] * 2


def test_an_import_that_was_undone_can_be_made_again_in_another_way(store: Path) -> None:
    arguments = ["import", "ana", file("trips.csv", TRIPS), "--as", "journeys.Trip", "--yes"]
    uac(*arguments)
    uac("retract", "ana", "3", "--why", "the id is a text")
    assert memory_at(store).project().types == {}
    assert uac(*arguments, "--field", "id=number:str").exit_code == 0
    assert [record["number"] for record in values(store, "journeys.Trip")] == ["7", "8"]
    kinds = Counter(stored.kind for stored in memory_at(store).log.read())
    assert kinds == {"observation": 2, "checkpoint": 2, "retraction": 1}


def test_one_file_can_become_records_of_two_types(store: Path) -> None:
    name = file("trips.csv", TRIPS)
    uac("import", "ana", name, "--as", "journeys.Trip", "--yes")
    uac("import", "ana", name, "--as", "finance.Expense", "--yes", "--without", "City")
    assert (len(values(store, "journeys.Trip")), len(values(store, "finance.Expense"))) == (2, 2)
    assert Counter(stored.kind for stored in memory_at(store).log.read()) == {"observation": 2, "checkpoint": 2}


def test_lines_that_were_erased_retracted_or_dropped_do_not_come_back(store: Path) -> None:
    arguments = ["import", "ana", "f.csv", "--as", "some.Thing", "--yes", "--json"]
    file("f.csv", "a,b\n" + "".join(f"{n},x\n" for n in range(6)))
    uac(*arguments)
    memory_at(store).log.erase([2], why="asked")
    uac("retract", "ana", "4", "--why", "wrong")
    Path("p.json").write_text('[{"op": "drop", "record": "some.Thing:#7.6", "why": "never was"}]')
    assert uac("checkpoint", "ana", "p.json").exit_code == 0
    file("f.csv", Path("f.csv").read_text() + "6,new\n")
    result = uac(*arguments)
    assert told(result)[-1] == {
        "user": "ana",
        "file": "f.csv",
        "type": "some.Thing",
        "dry_run": False,
        "records": 1,
        "already": 3,
        "left_out": {
            "line that was retracted": 1,
            "line that was set aside": 1,
            "line whose words were erased before, and stay so": 1,
        },
        "broken": 0,
        "notes": [],
        "alerts": [],
    }
    assert result.exit_code == 0
    assert [record["a"] for record in values(store, "some.Thing")] == [0, 2, 4, 6]


def numbered(lines: int) -> str:
    return "number,text\n" + "".join(f"{n},line {n}\n" for n in range(lines))


def check_numbered(store: Path, lines: int) -> None:
    memory = memory_at(store)
    assert memory.log.verify() is None
    assert [record.values["number"] for record in memory.project().records("some.Line")] == list(range(lines))
    entries = [stored.entry for stored in memory.log.read()]
    assert len([entry for entry in entries if isinstance(entry, Observation)]) == lines
    assert memory.project().orphans == ()


def test_an_import_that_was_killed_at_any_moment_goes_on_without_doubles(store: Path) -> None:
    lines, chance = 1500, random.Random()
    run = command("import", "ana", file("f.csv", numbered(lines)), "--as", "some.Line", "--yes", batch=40)
    reached = []
    for _kill in range(5):
        process = subprocess.Popen(run, stdout=subprocess.DEVNULL)
        begun = memory_at(store).log.head().position if store.exists() else 0
        aim, end = begun + chance.randrange(1, 350), time.monotonic() + 300
        while process.poll() is None and time.monotonic() < end and (not store.exists() or head(store) < aim):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        reached.append(head(store))
    assert subprocess.run(run, check=False, stdout=subprocess.DEVNULL).returncode == 0
    print("killed at", reached)
    assert reached == sorted(reached)
    check_numbered(store, lines)


def head(store: Path) -> int:
    opened = SqliteStore(store, create=False)
    try:
        return opened.log("ana").head().position
    finally:
        opened.close()


def test_two_that_bring_in_the_same_file_at_once_bring_it_in_once(tmp_path: Path) -> None:
    path, name = tmp_path / "memory.db", tmp_path / "f.csv"
    name.write_text(numbered(4000))
    store = SqliteStore(path)
    done: list[list[RecordCounts]] = [[], []]

    def work(index: int) -> None:
        memory, source = Memory(store.log("ana")), CsvRows(name)
        plan = plan_import(source, None, PlanOptions("some.Line"), quiet)
        done[index] = [
            found for found in import_records(memory, plan, source, said=SAID) if isinstance(found, RecordCounts)
        ]

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    check_numbered(path, 4000)
    assert sum(found.records for part in done for found in part) == 4000
    assert [sum(found.records + found.already for found in part) for part in done] == [4000, 4000]


def test_what_others_write_in_between_does_not_disturb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 10)
    name = tmp_path / "f.csv"
    name.write_text(numbered(35))
    memory, source = Memory(MemoryStore().log("ana")), CsvRows(name)
    plan = plan_import(source, None, PlanOptions("some.Line"), quiet)
    for found in import_records(memory, plan, source, said=SAID):
        assert isinstance(found, RecordCounts)
        memory.add("somebody speaks")
    project = memory.project()
    assert [record.values["number"] for record in project.records("some.Line")] == list(range(35))
    explained = memory.explain(project.records("some.Line")[34].id, "text").claims[0].evidence[0]
    assert explained.words == "34,line 34"


def test_memory_stays_flat_however_long_the_file(tmp_path: Path) -> None:
    peaks = []
    for lines in (1500, 3000):
        name = tmp_path / f"{lines}.csv"
        name.write_text(numbered(lines))
        store = SqliteStore(tmp_path / f"{lines}.db")
        memory, source = Memory(store.log("ana")), CsvRows(name)
        tracemalloc.start()
        plan = plan_import(source, None, PlanOptions("some.Line"), quiet)
        records = sum(
            found.records
            for found in import_records(memory, plan, source, said=SAID)
            if isinstance(found, RecordCounts)
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        store.close()
        assert records == lines
    assert peaks[1] < peaks[0] * 1.2
