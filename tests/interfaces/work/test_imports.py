"""Files that workers import: staged by a command or the service, written once and in order, with all broken lines."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from support.cli import uac
from support.postgres_logs import texts_of
from support.postgres_server import Server, wait_until
from uac import Memory
from uac.importing import (
    PlanOptions,
    ReadingOptions,
    SentFile,
    open_record_file,
    plan_memory_import,
    stage_records,
)
from uac.interfaces.http import make_app
from uac.interfaces.service import Keyring
from uac.interfaces.work.job_client import JobClient
from uac.interfaces.work.jobs import Jobs
from uac.log import wall_clock
from uac.log.staging import StagedFile
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.models import NO_BUDGET
from uac.schema.patches import AddField
from uac.schema.types import Field
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


CHAT = [{"role": "user", "content": "I moved to Bern.", "created_at": "2024-05-07T18:30:00Z"}]


@pytest.mark.usefixtures("worker")
def test_messages_are_left_to_workers_too(url: str, tmp_path: Path) -> None:
    file = tmp_path / "messages.json"
    file.write_text(json.dumps(CHAT))
    result = uac("import", "bea", str(file), "--background", "--json", "--store", url)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[-1])["lines"] == 1
    wait_for_imports(url)
    with closing(PostgresStore(url)) as store:
        assert texts_of(store.log("bea")) == ["I moved to Bern."]
    assert [(done["stored"], done["problem"]) for done in imported(url, "bea")] == [(1, "")]


def stage(store: PostgresStore, user: str, name: str, text: str) -> StagedFile:
    """A staged file that nobody has enqueued yet."""
    reading = ReadingOptions()
    with closing(Memory(store.log(user))) as memory:
        source = open_record_file(SentFile(name, text.encode()), "csv", reading)
        plan = plan_memory_import(memory, source, PlanOptions("travel.Spot", reading=reading), lambda _size: None)
        return stage_records(memory, store.staging(), user, plan, source, datetime(2024, 5, 7, tzinfo=UTC))


@pytest.mark.usefixtures("worker")
def test_two_files_of_a_user_are_written_in_the_order_in_which_they_were_sent(url: str) -> None:
    with closing(PostgresStore(url)) as store, closing(JobClient(url)) as client:
        cities = ["Oslo", "Lima", "Rome", "Bern"]
        files = [stage(store, "cem", f"{city}.csv", f"place\n{city}\n") for city in cities]
        assert "cem: Oslo.csv: waiting: 0 of 1 line" in uac("work", "imports", "cem", "--store", url).stdout
        for file in files:
            client.enqueue_import("cem", file.id, file.parts)
        wait_for_imports(url)
        assert texts_of(store.log("cem")) == cities


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("how", [("--leave-nothing",), ("--why", "asked")])
def test_a_file_that_waits_is_gone_when_all_of_its_user_is_erased(url: str, how: tuple[str, ...]) -> None:
    with closing(PostgresStore(url)) as store, closing(JobClient(url)) as client:
        file = stage(store, "dan", "spots.csv", "place\nQuito\n")
        result = uac("erase", "dan", "--all", *how, "--yes", "--store", url)
        assert result.exit_code == 0, result.stderr
        client.enqueue_import("dan", file.id, file.parts)
        wait_until(
            lambda: not any(q.waiting + q.running for q in client.state().queues if q.queue == "imports"), "it ran"
        )
        assert imported(url, "dan") == []
        assert texts_of(store.log("dan")) == []


@pytest.mark.usefixtures("worker")
def test_an_erasure_that_is_refused_leaves_the_files_that_wait(url: str) -> None:
    with closing(PostgresStore(url)) as store:
        stage(store, "eli", "spots.csv", "place\nQuito\n")
        refused = uac("erase", "eli", "--all", "--yes", "--store", url)
        assert refused.exit_code == 2
        assert "--why is missing" in refused.stderr
        assert "eli: spots.csv: waiting: 0 of 1 line" in uac("work", "imports", "eli", "--store", url).stdout
        assert uac("erase", "eli", "--all", "--leave-nothing", "--yes", "--store", url).exit_code == 0


@pytest.mark.usefixtures("worker")
def test_an_import_that_failed_says_why_and_retry_goes_on(url: str) -> None:
    with closing(PostgresStore(url)) as store, closing(JobClient(url)) as client:
        file = stage(store, "eva", "spots.csv", "place\nBern\n")
        with closing(Memory(store.log("eva"))) as memory:
            added = memory.checkpoint([AddField(type="travel.Spot", field=Field(name="stars", type="int | None"))])
            client.enqueue_import("eva", file.id, file.parts)
            wait_for_imports(url)
            (failed,) = imported(url, "eva")
            assert failed["problem"] == "travel.Spot was changed meanwhile. Run the import again."
            assert "'uac work retry eva' tries again" in uac("work", "imports", "eva", "--store", url).stdout
            memory.retract([added], why="a mistake")
        wait_until(lambda: client.retry(["eva"]) == 1, "the job has failed, and is tried again")
        wait_until(lambda: imported(url, "eva")[0]["stored"] == 1, "it went on")
        assert imported(url, "eva")[0]["problem"] == ""


@pytest.mark.usefixtures("worker")
def test_a_file_that_was_sent_over_http_is_shown_to_its_user_alone(url: str) -> None:
    asked = {"text": TRIPS, "name": "trips.csv", "format": "csv", "type": "travel.Outing"}
    asked["fields"] = {"days": {"field": "days", "type": "int"}}  # type: ignore[assignment]
    with closing(PostgresStore(url)) as store, closing(JobClient(url)) as client:
        app = make_app(
            store,
            make_memory=lambda name: Memory(store.log(name)),
            clock=wall_clock,
            with_hooks=False,
            enqueue_import=client.enqueue_import,
        )
        keyring = Keyring(store.own(), wall_clock)
        north, south = ({"Authorization": f"Bearer {keyring.create_key('x', tenant=one)[1]}"} for one in ("n", "s"))
        with TestClient(app, base_url="http://127.0.0.1") as http:
            sent = http.post("/v1/users/finn/imports/background", json=asked, headers=north)
            assert (sent.status_code, sent.json()["lines"]) == (202, 3)
            wait_for_imports(url)
            (done,) = http.get("/v1/users/finn/imports", headers=north).json()["imports"]
            assert (done["id"], done["done"], done["stored"], done["problem"]) == (sent.json()["id"], 3, 2, "")
            assert done["broken"] == [{"number": 3, "why": "days is 'four'. Use a number such as 1234.5."}]
            assert http.get("/v1/users/finn/imports", headers=south).json() == {"imports": []}
            for wrong, why in (({"dry_run": True}, "dry_run writes nothing"), ({"type": ""}, "type is empty")):
                refused = http.post("/v1/users/finn/imports/background", json={**asked, **wrong}, headers=north)
                assert (refused.status_code, why in refused.text) == (422, True)
            group = http.post("/v1/users/group:n/imports/background", json=asked, headers=north)
            assert "Files of a group cannot be left to workers" in group.text or group.status_code == 404


def test_a_service_without_workers_refuses_to_leave_files_to_them() -> None:
    store = MemoryStore()
    app = make_app(store, make_memory=lambda name: Memory(store.log(name)), clock=wall_clock, with_keys=False)
    with TestClient(app, base_url="http://127.0.0.1") as http:
        asked = {"text": TRIPS, "name": "trips.csv", "format": "csv", "type": "travel.Outing"}
        refused = http.post("/v1/users/ana/imports/background", json=asked)
        assert "This service has no workers" in refused.text
        assert http.get("/v1/users/ana/imports").json() == {"imports": []}


def test_a_staged_file_that_nobody_enqueued_is_found_by_the_sweep(postgres: Server) -> None:
    with closing(PostgresStore(postgres.new_database())) as store:
        file = store.staging().add("ana", "trips.csv", b"", [(1, b"a")])
        jobs = Jobs(
            open_store=lambda: store, make_memory=Memory, models=None, budget=NO_BUDGET, clock=wall_clock, concurrency=1
        )
        jobs.start()
        found: list[tuple[str, str, int]] = []

        def sweep() -> None:
            jobs.sweep_imports(lambda *job: found.append(job), keep=-timedelta(days=1), keep_failed=timedelta(days=7))

        sweep()
        assert found == [("ana", file.id, 1)]
        store.staging().finish(file.id)
        sweep()
        assert (len(found), store.staging().files()) == (1, ())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--background",), "Workers need a PostgreSQL store"),
        (("--background", "--dry-run"), "Drop --background"),
    ],
)
def test_what_cannot_be_left_to_workers_is_refused(
    store: Path, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    file = tmp_path / "trips.csv"
    file.write_text(TRIPS)
    result = uac("import", "ana", str(file), "--as", "travel.Outing", "--yes", *options)
    assert result.exit_code in (2, 3)
    assert why in result.stderr
    assert not store.exists()


def test_killed_workers_import_every_line_once(postgres: Server) -> None:
    run = run_imports_with_kills(postgres.new_database(), users=3, lines=4_000, kills=4)
    assert (run.kills, run.lost, run.doubled, run.different_logs, run.wrong_counts) == (4, 0, 0, 0, 0)
