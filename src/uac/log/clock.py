"""The clock that stamps entries, and the text of a time in the log."""

from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["Clock", "log_timestamp", "wall_clock"]

Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    return datetime.now(UTC)


def log_timestamp(moment: datetime) -> str:
    """A UTC time of fixed width, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
