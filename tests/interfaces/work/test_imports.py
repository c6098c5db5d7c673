"""Files that workers import: staged by a command or the service, written once and in order, with all broken lines."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.cli import uac
from support.postgres_server import Server, wait_until
from uac import Memory
from uac.interfaces.work.job_client import JobClient
from uac.log.stores.postgres import PostgresStore
from uac_bench.work_imports import run_imports_with_kills

TRIPS = "city,days,cost\nParis,3,300 EUR\nRome,four,200 EUR\nBern,2,100 EUR\n"


@pytest.fixture(scope="module")
def url(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture(scope="module")
def worker(url: str) -> Iterator[None]:
    command = [sys.executable, "-m", "uac", "work", "--queues", "imports", "--store", url]
    process = subprocess.Popen(command, env=os.environ | {"UAC_MODEL": ""}, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "imports" in process.stderr.readline()
    yield
    process.terminate()
    process.communicate()


def wait_for_imports(url: str) -> None:
    with closing(JobClient(url)) as client:
        wait_until(lambda: not client.state().imports.unfinished, "all files are imported")


def imported(url: str, user: str) -> list[dict[str, object]]:
    result = uac("work", "imports", user, "--json", "--store", url)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.usefixtures("worker")
def test_a_file_is_left_to_workers_and_its_broken_lines_are_reported(url: str, tmp_path: Path) -> None:
    file = tmp_path / "trips.csv"
    file.write_text(TRIPS)
    options = ("--as", "travel.Outing", "--field", "days=days:int", "--yes", "--store", url)
    result = uac("import", "ana", str(file), *options, "--background")
    assert result.exit_code == 0, result.stderr
    assert "ana: trips.csv: 3 lines left to workers" in result.stdout
    wait_for_imports(url)
    (done,) = imported(url, "ana")
    assert (done["lines"], done["done"], done["stored"], done["broken"]) == (3, 3, 2, 1)
    assert done["why"] == [{"line": 3, "why": "days is 'four'. Use a number such as 1234.5."}]
    with closing(PostgresStore(url)) as store, closing(Memory(store.log("ana"))) as memory:
        assert [record.values["city"] for record in memory.project().records("travel.Outing")] == ["Paris", "Bern"]
    shown = uac("work", "imports", "ana", "--store", url).stdout
    assert "ana: trips.csv: done: 3 of 3 lines, 2 stored, 1 broken" in shown
    assert "line 3: days is 'four'." in shown
    status = uac("work", "status", "--store", url).stdout
    assert "imports: 1 file, 0 unfinished; 3 of 3 lines done, 1 broken" in status
    metrics = uac("work", "status", "--prometheus", "--store", url).stdout
    assert 'uac_work_import_lines{state="broken"} 1' in metrics


def test_killed_workers_import_every_line_once(postgres: Server) -> None:
    run = run_imports_with_kills(postgres.new_database(), users=3, lines=4_000, kills=4)
    assert (run.kills, run.lost, run.doubled, run.different_logs, run.wrong_counts) == (4, 0, 0, 0, 0)
