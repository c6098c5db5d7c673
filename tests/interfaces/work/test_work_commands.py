"""uac work and its commands: what they refuse, what they print, and that a signal lets a worker finish."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from support.cli import uac
from support.postgres_server import Server, running_server, wait_until
from uac.interfaces.work.job_client import JobClient


@pytest.mark.parametrize("command", ["work", "work status", "work pause", "work resume", "work retry"])
def test_a_store_that_is_a_file_is_refused(command: str, store: Path) -> None:
    result = uac(*command.split())
    assert result.exit_code == 3
    assert "Workers need a PostgreSQL store" in result.stderr


def test_words_cannot_be_left_to_workers_that_a_file_cannot_have(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_LEARN", "work")
    result = uac("add", "ana", "I live in Bern.")
    assert result.exit_code == 3
    assert "Workers need a PostgreSQL store" in result.stderr


def test_a_missing_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['dbos'] = None\n"
        "from uac.interfaces.cli import main\n"
        "main(['work', 'status', '--store', 'postgresql://localhost/x'])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "dbos is not installed. Workers need it: pip install 'user-as-code[work]'" in result.stderr


def test_a_queue_that_does_not_exist_is_refused() -> None:
    result = uac("work", "--queues", "learn,sleep", "--store", "postgresql://localhost/x")
    assert result.exit_code == 3
    assert "Use some of learn, ticks, webhooks, index" in result.stderr


def test_a_worker_that_makes_no_calls_has_no_limits_of_them() -> None:
    result = uac("work", "--calls", "elsewhere", "--vendor-rate", "60", "--store", "postgresql://localhost/x")
    assert result.exit_code == 3
    assert "This worker makes no calls. Set limits on the workers with --calls only" in result.stderr


def test_a_caller_without_a_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UAC_MODEL", raising=False)
    result = uac("work", "--calls", "only", "--store", "postgresql://localhost/x")
    assert result.exit_code == 3
    assert "No model is configured. Set UAC_MODEL" in result.stderr


def test_a_worker_that_loses_its_database_ends_so_that_others_take_over() -> None:
    with running_server() as server:
        worker = subprocess.Popen(
            [sys.executable, "-m", "uac", "work", "--queues", "learn", "--store", server.new_database()],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert worker.stderr is not None
            assert "learn" in worker.stderr.readline()
            server.kill()
            assert worker.wait(120) == 4
            assert "The worker lost its database" in worker.stderr.read()
        finally:
            worker.kill()
            worker.communicate()


def test_a_worker_serves_its_metrics_enqueues_and_ends_with_a_signal(postgres: Server) -> None:
    url = postgres.new_database()
    environment = {**os.environ, "UAC_STORE": url, "UAC_LEARN": "work"}
    environment.pop("UAC_MODEL", None)
    worker = subprocess.Popen(
        [sys.executable, "-m", "uac", "work", "--queues", "learn,ticks,index", "--metrics", "127.0.0.1:0"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stderr is not None
        metrics = worker.stderr.readline().removeprefix("metrics: ").strip()
        assert "learn, ticks, index · not learning: no model is configured" in worker.stderr.readline()
        subprocess.run(
            [sys.executable, "-m", "uac", "add", "ana", "I live in Bern."], env=environment, check=True, text=True
        )
        client = JobClient(url)
        wait_until(lambda: any(queue.done for queue in client.state().queues if queue.queue == "learn"), "it is done")
        client.close()
        status = uac("work", "status", "--json", "--store", url)
        queues = {queue["queue"]: queue for queue in json.loads(status.stdout)["queues"]}
        assert (queues["learn"]["done"], queues["learn"]["failed"]) == (1, 0)
        paused = uac("work", "pause", "learn", "--json", "--store", url)
        assert json.loads(paused.stdout) == {"paused": ["learn"]}
        assert "paused" in uac("work", "status", "--store", url).stdout
        resumed = uac("work", "resume", "--json", "--store", url)
        assert json.loads(resumed.stdout) == {"resumed": ["index", "learn", "sweep", "ticks"]}
        enqueued = uac("work", "enqueue", "reindex", "--json", "--store", url)
        assert json.loads(enqueued.stdout) == {"enqueued": 1, "job": "reindex"}
        assert json.loads(uac("work", "retry", "--json", "--store", url).stdout) == {"retried": 0}
        assert "uac_work_jobs" in uac("work", "status", "--prometheus", "--store", url).stdout
        with urllib.request.urlopen(metrics) as scraped:  # noqa: S310 - our own address
            assert 'uac_work_jobs{queue="learn",state="done"} 1' in scraped.read().decode()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(120) == 0
    finally:
        worker.kill()
        worker.communicate()
