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
    assert len(found["memory"]) == 2


def test_a_lost_and_a_doubled_write_are_found() -> None:
    with closing(open_store("memory:")) as store:
        store.log("tenant-0/user-0").append([store_turn("note #0"), store_turn("note #0")])
        whole = SoakPart((), ("key",), users=2, connections=0, seed=1, start=0, stop=2)
        result = SoakResult({"add": {_bucket(0.01): 99, _bucket(2.0): 1}}, (), {}, "")
        figures = _check_logs(store, whole, [result], 1.0, [0])
        missed = _check_logs(store, whole, [replace(result, missed=(1,))], 1.0, [0])
    assert (figures.lost, figures.doubled, figures.broken, figures.acknowledged) == (1, 1, 0, 2)
    assert (missed.lost, missed.acknowledged) == (0, 1)
    assert figures.latencies == {"add": pytest.approx((0.01, 0.01), rel=0.01)}
    assert figures.requests == 100
