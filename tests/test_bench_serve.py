"""The commands `uac-bench serve` and `install`, run for real but small. What they measure is never asserted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from serving import serving
from uac.bench.load import Asked, Load, press

ROUTES = ["nothing", "add", "compute", "recall", "alerts"]


def bench(*arguments: str) -> str:
    command = [str(Path(sys.executable).parent / "uac-bench"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_each_kind_of_request_is_answered_at_each_number_of_connections_and_memory_is_told() -> None:
    printed = bench(*"serve --users 2 --seconds 0.2 --connections 1,3 --requests 12 --json".split())
    figures: dict[str, Any] = json.loads(printed)
    assert [(row["route"], row["connections"], row["failed"]) for row in figures["rows"]] == [
        (route, connections, 0) for connections in (1, 3) for route in ROUTES
    ]
    assert all(0 < row["p50"] <= row["p99"] and row["rate"] > 0 for row in figures["rows"])
    assert [kept["requests"] for kept in figures["kept"]] == [0, 2, 4, 6, 8, 10, 12]
    assert figures["start"] > 0


def test_an_answer_that_is_no_success_is_counted_and_shown() -> None:
    with serving() as served:
        asked = (Asked("GET", "/v1/users/ana/alerts"),)
        load = Load(served.address, "no key", asked, connections=2, requests=5)
        measured = press(msgspec.json.encode(load).decode())
    assert (len(measured.seconds), measured.failed) == (5, 5)
    assert measured.example.startswith("401 ")


@pytest.mark.slow
def test_the_package_installs_afresh_and_raises_its_first_alert_with_three_commands() -> None:
    source = Path(__file__).parent.parent
    figures = json.loads(bench("install", "--source", str(source), "--extra", "none", "--json"))
    assert [typed["command"].split()[0] for typed in figures["to_first_alert"]] == ["pip", "uac", "uac"]
    assert [size["extra"] for size in figures["sizes"]] == [""]
    assert figures["sizes"][0]["bytes"] > 1_000_000
