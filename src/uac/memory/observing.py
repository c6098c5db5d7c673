"""Keeping observations: the one way in which words enter a log. No project is folded for it."""

from uac.log.log import Log
from uac.schema.entries import Observation

__all__ = ["keep_observations"]


def keep_observations(log: Log, *observations: Observation, after: int | None = None) -> tuple[int, ...]:
    """Store all observations or none, durably, and return their positions; one whose key is known is not stored again.

    With `after`, only if the log still ends there (else Moved).
    """
    return log.append(observations, after=after)
