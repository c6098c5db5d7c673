"""With a model configured, words are learned without another command, and what goes wrong is shown."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.cli import interruptible, uac
from support.cli_conversation import PUT_ALLERGY, PUT_DRUG, READ, RECORDS, TAKEN, json_lines, ok
from support.fake_vendor_server import Loopback, fails, hang, loopback, no_proxy, well
from uac import open_store

pytestmark = pytest.mark.usefixtures("unread_store")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A model behind a server on this machine."""
    no_proxy(monkeypatch)
    with loopback() as server:
        monkeypatch.setenv("UAC_MODEL", "local")
        monkeypatch.setenv("UAC_MODEL_URL", f"{server.address}/v1")
        yield server


@contextmanager
def watching(*options: str) -> Iterator[Iterator[dict[str, Any]]]:
    """The events that 'uac watch' prints, as it prints them."""
    command = interruptible("watch", "ana", "--json", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield (json.loads(line) for line in process.stdout)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()  # or leaving the block would wait for it forever
                raise
    assert process.returncode == 0


def test_add_that_waits_shows_facts_records_and_alerts(server: Loopback) -> None:
    patches = {"patches": [{**PUT_ALLERGY, "cites": [4]}, {**PUT_DRUG, "cites": [5]}]}
    server.will(well(READ), well(json.dumps(patches)))
    shown = ok("add", "ana", "Thanks!", "--session", "s1", "--at", "2026-03-01T12:02Z", "--wait").splitlines()
    assert shown[0] == "ana: kept at 3"
    assert shown[1].startswith("ana: 2 facts taken; 2 calls")
    assert [line[6:] for line in shown[2:4]] == [line[6:] for line in TAKEN]
    assert shown[4:6] == RECORDS
    assert shown[6].startswith("raised critical drug_allergy / amoxicillin / penicillin: ")


def test_add_that_waits_without_a_model_keeps_the_words_and_says_what_to_do() -> None:
    result = uac("add", "ana", "Call me Ana.", "--wait")
    assert (result.exit_code, result.stdout) == (7, "ana: kept at 3\n")
    assert "'uac setup model' finds one" in result.stderr


def test_add_learns_in_the_background_and_watch_shows_it(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_LEARN", "auto")
    server.will(well(READ))
    with watching("--since", "2") as events:
        ok("add", "ana", "Thanks!", "--session", "s1", "--at", "2026-03-01T12:02Z")
        seen = []
        for event in events:
            seen.append((event["event"], event.get("text", "")))
            if event["event"] == "fact" and "amoxicillin" in event["text"]:
                break
    assert seen[0] == ("observation", "Thanks!")
    assert [event for event, _text in seen[1:]] == ["fact", "fact"]


def test_an_alert_is_watched_as_it_is_raised() -> None:
    with watching("--since", "2") as events:
        ok("put", "ana", "health.Allergy", "substance=penicillin")
        ok("put", "ana", "health.Medication", "name=amoxicillin")
        alert = next(event for event in events if event["event"] == "alert")
    assert (alert["constraint"], alert["severity"]) == ("drug_allergy", "critical")


def test_what_stopped_the_worker_is_shown_by_watch_and_doctor_until_it_goes_well(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UAC_LEARN", "auto")
    server.will(*[fails(401, "no such key")] * 9)
    with watching() as events:
        ok("add", "ana", "Thanks!")
        stopped = next(event for event in events if event["event"] == "stopped")
    assert "key" in stopped["why"]
    problems = [line["what"] for line in _doctor() if line["level"] == "problem"]
    assert problems == [f"learning for ana stopped at 2026-03-01 13:00Z: {stopped['why']}"]
    monkeypatch.setenv("UAC_LEARN", "manual")
    server.will()
    ok("learn", "ana")
    assert [line["what"] for line in _doctor() if line["level"] == "problem"] == []


def _doctor() -> list[dict[str, Any]]:
    return [json.loads(line) for line in uac("doctor", "--quick", "--json").stdout.splitlines()]


def test_only_one_worker_learns_for_a_user_and_the_other_says_so(server: Loopback, unread_store: Path) -> None:
    with closing(open_store(unread_store)) as store, store.log("ana").try_lock() as is_mine:
        assert is_mine
        shown = subprocess.run(
            [sys.executable, "-m", "uac", "learn", "ana"], capture_output=True, text=True, check=True, timeout=120
        ).stdout
    assert shown.splitlines()[-1] == "stopped: another process is learning for this user ('uac watch' shows it)"
    assert server.asked == []


def test_a_worker_that_hangs_does_not_hold_up_the_command(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words are durable and the command ends, while the model says nothing."""
    monkeypatch.setenv("UAC_LEARN", "auto")
    monkeypatch.setenv("UAC_MODEL_TIMEOUT", "1")
    server.will(hang())
    assert ok("add", "ana", "Thanks!") == "ana: kept at 3\n"
    assert json_lines("log", "ana", "3")[0]["entry"]["text"] == "Thanks!"


def test_a_setting_leaves_learning_to_the_command(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **_more: started.append(arguments))
    ok("add", "ana", "Thanks!")
    assert started == []
    monkeypatch.setenv("UAC_LEARN", "never")
    assert "UAC_LEARN is 'never'. Set it to auto, manual or work." in uac("add", "ana", "Thanks!").stderr


@pytest.mark.usefixtures("recorded")
def test_what_is_over_can_be_shown_once() -> None:
    ok("learn", "ana")
    shown = ok("watch", "ana", "--since", "2", "--once").splitlines()
    assert shown[:4] == [*TAKEN, *RECORDS]
    assert shown[4].startswith("raised critical drug_allergy / amoxicillin / penicillin: ")
    everything = ok("watch", "ana", "--once")
    assert (everything, "I am allergic to penicillin." in everything.splitlines()[0]) == (
        ok("watch", "ana", "--once", "--since", "0"),
        True,
    )
