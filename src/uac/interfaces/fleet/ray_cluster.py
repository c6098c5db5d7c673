"""Does the parts of a job on a Ray cluster. Ray schedules them, and does those of a lost node again on another."""

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from uac.errors import Refused, Unavailable
from uac.interfaces.fleet.jobs import Job, Part, run_part_in_process
from uac.interfaces.fleet.pool import Parts

__all__ = ["run_on_ray"]

MAX_RETRIES = 10
"""How often a part is done again because its node or process was lost. An error in the part itself is an answer."""


def run_on_ray(job: Job, parts: Parts, address: str, processes: int = 2) -> Iterator[Part]:
    """The parts as they are finished, from the cluster at the address; "local" starts one on this machine.

    Every node needs this package, and access to the store at the job's address. A part needs one core.
    """
    ray = _import_ray()
    is_ours = not ray.is_initialized()
    if is_ours:
        _connect(ray, address, processes)
    # By its name: a node runs the code that is installed there, and nothing is sent but data.
    task = ray.remote(num_cpus=1, max_retries=MAX_RETRIES)(run_part_in_process)
    try:
        yield from _finished_parts(ray, task, job, parts)
    finally:
        if is_ours:
            ray.shutdown()


def _finished_parts(ray: Any, task: Any, job: Job, parts: Parts) -> Iterator[Part]:
    encoded = ray.put(msgspec.json.encode(job))
    waiting = iter(parts)
    running: list[Any] = []
    while True:
        room = max(2 * int(ray.cluster_resources().get("CPU", 1)), 2) - len(running)
        running += [task.remote(encoded, number, users) for number, users in islice(waiting, max(room, 0))]
        if not running:
            return
        done, running = ray.wait(running, num_returns=1)
        for reference in done:
            try:
                part: Part = ray.get(reference)
            except ray.exceptions.RayError as error:
                text = str(error).strip().splitlines()
                raise Unavailable(f"Ray could not do a part of the users: {text[-1] if text else error}") from None
            yield part


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing about a run leaves the cluster
    try:
        import ray
    except ImportError:
        raise Refused("Ray is not installed. Install it with: pip install 'user-as-code[fleet]'") from None
    return ray


def _connect(ray: Any, address: str, processes: int) -> None:
    settings: dict[str, Any] = {"include_dashboard": False, "num_cpus": processes} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False, **settings)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise Unavailable(f"The Ray cluster at {address} does not answer: {error}") from None
