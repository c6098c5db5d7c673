"""Asks all users of a store the same: a query or a constraint for everybody, and the rollout of a rule.

Comes in: a store's address, users, and a Python file. Goes out: a line of JSON per user, in the order of the users, or
a report over all of them. The centre is pure: `program.py` reads the file, `batch_code.py` writes the code for many
users, `aggregates.py` computes a report that exposes nobody. `partition.py` does a part of the users in one process;
`pool.py` and `ray_cluster.py` only decide where it runs, so that the results are the same.
"""

from uac.interfaces.fleet.jobs import Job, Part, PartWorker
from uac.interfaces.fleet.partition import Question
from uac.interfaces.fleet.pool import run_in_pool
from uac.interfaces.fleet.program import read_program
from uac.interfaces.fleet.ray_cluster import run_on_ray
from uac.interfaces.fleet.run_folder import split_users

__all__ = ["Job", "Part", "PartWorker", "Question", "read_program", "run_in_pool", "run_on_ray", "split_users"]
