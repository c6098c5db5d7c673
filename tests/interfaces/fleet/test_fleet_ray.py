"""A job on a Ray cluster gives the same bytes as in this process, also if a node is lost. `make fleet` installs Ray."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from support.fleet import NOW, RULE, add_users, question
from support.postgres_server import Server
from uac.interfaces.fleet.jobs import Job
from uac.interfaces.fleet.ray_cluster import run_on_ray
from uac.interfaces.fleet.run import Place, run_job
from uac.interfaces.fleet.run_folder import split_users
from uac.log.stores import open_store

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray", reason="Ray is not installed: `make fleet` installs it and runs these tests")

# Ray leaves sockets and files to the collector when it shuts down, and warns of what it will change.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextmanager
def cluster_of(nodes: int) -> Iterator[Any]:
    """Ray nodes with one core each, on this machine."""
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.others = [cluster.add_node(num_cpus=1) for _node in range(nodes - 1)]
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def test_a_cluster_of_several_nodes_gives_the_same_bytes_as_this_process(postgres: Server) -> None:
    address = postgres.new_database()
    with closing(open_store(address, clock=lambda: NOW)) as store, cluster_of(2) as cluster:
        users = add_users(store, 24)
        for text, name in ((RULE, "dear_trip"), ("[t for t in travel.trips]", "asked")):
            job = Job(address, question(text, name), NOW)
            here, there = (
                [part.lines for part in run_job(job, users, store, place, folder=None, size=5)]
                for place in (Place(1), Place(2, cluster.address))
            )
            assert there == here


def test_a_cluster_that_loses_a_node_in_the_middle_still_gives_the_right_answers(postgres: Server) -> None:
    address = postgres.new_database()
    with closing(open_store(address, clock=lambda: NOW)) as store, cluster_of(3) as cluster:
        users = add_users(store, 60)
        slow = "n = 0\nwhile n < 300000:\n    n = n + 1\n[n, sum(t.cost for t in travel.trips)]"
        job = Job(address, question(slow), NOW)
        expected = [part.lines for part in run_job(job, users, store, Place(1), folder=None, size=3)]
        found: dict[int, bytes] = {}
        for part in run_on_ray(job, [*enumerate(split_users(users, 3))], cluster.address):
            assert part.number not in found
            found[part.number] = part.lines
            if len(found) == 4:
                cluster.remove_node(cluster.others[0], allow_graceful=False)
        assert [found[number] for number in sorted(found)] == expected


def test_a_cluster_is_started_here_if_none_is_named(postgres: Server) -> None:
    address = postgres.new_database()
    with closing(open_store(address, clock=lambda: NOW)) as store:
        users = add_users(store, 12)
        job = Job(address, question("len(travel.trips)"), NOW)
        here = [part.lines for part in run_job(job, users, store, Place(1), folder=None, size=4)]
        assert [part.lines for part in run_job(job, users, store, Place(2, "local"), folder=None, size=4)] == here
