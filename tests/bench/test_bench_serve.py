"""The commands `uac-bench serve` and `install`, run for real but small. What they measure is never asserted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.http_service import serving
from support.paths import ROOT
from uac.interfaces.cli.output import Output
from uac_bench.bench_serve import ServeFigures, ServeRate, _print_serve_figures
from uac_bench.http_load import Load, LoadRequest, run_load

ROUTES = ["nothing", "add", "compute", "recall", "alerts"]


def bench(*arguments: str) -> str:
    command = [str(Path(sys.executable).parent / "uac-bench"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_each_kind_of_request_is_answered_at_each_number_of_connections_and_memory_is_told() -> None:
    printed = bench(
        *"serve --users 1 --seconds 0.1 --connections 1,2 --requests 12 --large 30 --open 20 --json".split()
    )
    figures: dict[str, Any] = json.loads(printed)
    assert [(row["route"], row["connections"], row["failed"]) for row in figures["rows"]] == [
        (route, connections, 0) for connections in (1, 2) for route in ROUTES
    ]
    assert all(0 < row["p50"] <= row["p99"] and row["rate"] > 0 for row in figures["rows"])
    assert [kept["requests"] for kept in figures["kept"]] == [0, 2, 4, 6, 8, 10, 12]
    assert figures["start"] > 0
    (opened,) = figures["opened"]
    assert (opened["records"], opened["entries"]) == (20, 22)
    assert all(opened[name] > 0 for name in ("first_request", "snapshot", "fold"))
    pauses = figures["pauses"]
    assert (pauses["records"], pauses["failed"]) == (30, 0)
    assert 0 < pauses["beside_p99"] <= pauses["beside"]


@pytest.mark.parametrize("option", ["--processes", "--workers"])
def test_several_processes_are_refused_for_a_file(option: str) -> None:
    command = [str(Path(sys.executable).parent / "uac-bench"), "serve", option, "2"]
    refused = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr.splitlines()[-1]) == (
        2,
        f"Error: {option} needs --postgres: one process serves a SQLite file.",
    )


def test_load_is_spread_over_several_servers() -> None:
    with serving() as one, serving() as other:
        asked = (LoadRequest("GET", "/healthz"),)
        load = Load(one.address, "", asked, connections=2, requests=6, others=(other.address,))
        measured = run_load(msgspec.json.encode(load).decode())
    assert (len(measured.seconds), measured.failed) == (6, 0)


def test_an_answer_that_is_no_success_is_counted_and_shown() -> None:
    with serving() as served:
        asked = (LoadRequest("GET", "/v1/users/ana/alerts"),)
        load = Load(served.address, "no key", asked, connections=2, requests=5)
        measured = run_load(msgspec.json.encode(load).decode())
    assert (len(measured.seconds), measured.failed) == (5, 5)
    assert measured.example.startswith("401 ")


def test_figures_that_are_piped_have_heads(capsys: pytest.CaptureFixture[str]) -> None:
    row = ServeRate(
        "add",
        connections=1,
        rate=250.4,
        p50=0.004,
        p99=0.0101,
        failed=0,
        of_nothing=2.0,
        cpu=0.0015,
        cpu_of_nothing=3.0,
        of_commits=0.5,
        commit_cpu=0.0002,
    )
    _print_serve_figures(ServeFigures(1.25, (row,), (), ("as it was measured",)), Output(as_json=False))
    assert capsys.readouterr().out == (
        "from the start of the process to the first answer: 1.2 s\n"
        "request\tconnections\trequests/s\tp50\tp99\tp99/p50\tof nothing\tCPU\tof nothing\tfailed\n"
        "add\t1\t250/s\t4.0 ms\t10.1 ms\t2.5 ×\t2.0 ×\t1.50 ms\t3.0 ×\t0\n"
        "add at 1 connection: 0.50 of the commits that SQLite alone makes from one thread, each with 0.20 ms of CPU\n"
        "as it was measured\n"
    )


def test_without_the_extra_nothing_is_filled_before_it_says_so() -> None:
    code = "import sys; sys.modules['fastapi'] = None; from uac_bench import main; main()"
    refused = subprocess.run([sys.executable, "-c", code, "serve"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        1,
        "",
        "Error: fastapi is not installed. The service needs it: pip install '.[serve]'\n",
    )


@pytest.mark.slow
def test_the_package_installs_afresh_and_raises_its_first_alert_with_three_commands() -> None:
    source = ROOT
    figures = json.loads(bench("install", "--source", str(source), "--extra", "none", "--json"))
    assert [typed["command"].split()[0] for typed in figures["to_first_alert"]] == ["pip", "uac", "uac"]
    assert [size["extra"] for size in figures["sizes"]] == [""]
    assert figures["sizes"][0]["bytes"] > 1_000_000
