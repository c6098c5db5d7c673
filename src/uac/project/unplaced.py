"""Facts that are in no record although they may belong in one: what an answer over the records may lack."""

from typing import Literal, NamedTuple

from uac.project.project import Project

__all__ = ["UnplacedFact", "unplaced_state"]


class UnplacedFact(NamedTuple):
    """A fact in no record, why it is in none, and the types of which it may be. A text that could not be read counts
    as one."""

    position: int
    state: Literal["waiting", "stuck", "aside"]
    types: frozenset[str]


def unplaced_state(project: Project, position: int) -> Literal["waiting", "stuck", "aside"]:
    if position in project.progress.stuck:
        return "stuck"
    return "waiting" if position in project.waiting else "aside"
