"""The command `uac-bench soak`, run for real but small; and that it finds what it looks for."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from support.postgres_server import Server
from uac import open_store
from uac.testing.store import store_turn
from uac_bench.bench_soak import SoakPart, SoakResult, _bucket, _check_logs
from uac_bench.soak_memory import MemoryCurve, MemorySample

NO_MEMORY = MemoryCurve((MemorySample(0, 0, 0),), 0)


def test_nothing_is_lost_or_doubled_by_two_processes(postgres: Server) -> None:
    sizes = ("--users", "6", "--tenants", "2", "--requests", "60", "--connections", "2")
    command = [str(Path(sys.executable).parent / "uac-bench"), "soak", "--json", "--postgres", postgres.new_database()]
    printed = subprocess.run([*command, *sizes], check=True, capture_output=True, text=True).stdout
    found = json.loads(printed)
    assert {name: found[name] for name in ("failed", "lost", "doubled", "broken", "users")} == {
        "failed": {},
        "lost": 0,
        "doubled": 0,
        "broken": 0,
        "users": 6,
    }
    assert found["requests"] >= 60
    assert [sample["requests"] for sample in found["memory"]["samples"]] == [0, 60]
    assert found["failures"] == ["the run was too short to see memory level off"]


def test_a_lost_and_a_doubled_write_are_found() -> None:
    with closing(open_store("memory:")) as store:
        store.log("tenant-0/user-0").append([store_turn("note #0"), store_turn("note #0")])
        whole = SoakPart((), ("key",), users=2, connections=0, seed=1, start=0, stop=2)
        result = SoakResult({"add": {_bucket(0.01): 99, _bucket(2.0): 1}}, (), {}, "")
        figures = _check_logs(store, whole, [result], 1.0, NO_MEMORY)
        missed = _check_logs(store, whole, [replace(result, missed=(1,))], 1.0, NO_MEMORY)
    assert (figures.lost, figures.doubled, figures.broken, figures.acknowledged) == (1, 1, 0, 2)
    assert (missed.lost, missed.acknowledged) == (0, 1)
    assert figures.latencies == {"add": pytest.approx((0.01, 0.01), rel=0.01)}
    assert figures.requests == 100
    assert figures.failures[:2] == ("1 writes were lost", "1 writes were doubled")


def curve(*megabytes: int, limit: int = 1000) -> MemoryCurve:
    samples = tuple(MemorySample(1000 * place, each * 10**6, 0) for place, each in enumerate(megabytes))
    return MemoryCurve(samples, limit * 10**6)


def test_memory_that_grew_little_in_the_last_third_has_levelled_off() -> None:
    level = curve(100, 200, 300, 380, 400, 405, 410)
    assert (level.growth, level.failures) == (10_000_000, ())


def test_memory_that_still_grows_or_exceeds_its_limit_fails_a_run() -> None:
    assert curve(100, 200, 300, 380, 400, 405, 420).failures == ("memory is still rising",)
    assert curve(100, 200, 300, 380, 400, 405, 410, limit=409).failures == ("memory is above its limit",)


def test_a_run_of_few_samples_does_not_show_whether_memory_levelled_off() -> None:
    assert curve(100, 100, 100).failures == ("the run was too short to see memory level off",)


def test_memory_of_interpreters_counts_as_growth() -> None:
    samples = tuple(MemorySample(1000 * place, 10**8, 10**6 * place) for place in range(9))
    assert MemoryCurve(samples, 10**9).growth == 2_000_000
