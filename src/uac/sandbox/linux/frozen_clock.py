"""A frozen clock and repeatable randomness for CPython. Runs in the child; standard library only.

The types of `datetime` stay the same, so that isinstance, comparison and arithmetic work: only the entries `now`,
`today` and `utcnow` of their method tables are replaced, which no Python code can undo.
"""

import ctypes
import gc
import os
import random
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from types import ModuleType
from typing import Any

__all__ = ["freeze_clock", "frozen_time", "set_frozen_clock"]


class _Clock:
    now = datetime(1970, 1, 1, tzinfo=UTC)
    seed = 0
    generators = 0


def freeze_clock() -> None:
    """Replace every function that reads the clock or the system's randomness; `start` sets what they return."""
    _replace_method(datetime, "now", classmethod(_frozen_now))
    _replace_method(datetime, "utcnow", classmethod(_frozen_utcnow))
    _replace_method(date, "today", classmethod(_frozen_today))
    original = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, _next_frozen_seed() if a is None else a, version)

    random.Random.seed = seed  # type: ignore[method-assign]  # unseeded generators must repeat too
    random.seed = random.seed.__self__.seed  # type: ignore[attr-defined]  # bound before the line above


def set_frozen_clock(now: datetime, seed: int) -> None:
    """Freeze the clock at `now`, whose zone becomes the local one, and seed the shared generator."""
    _Clock.now, _Clock.seed, _Clock.generators = now, seed, 0
    offset = now.utcoffset() or timedelta()
    sign = "-" if offset >= timedelta() else "+"  # POSIX counts west of Greenwich
    minutes, seconds = divmod(round(abs(offset).total_seconds()), 60)
    os.environ["TZ"] = f"<now>{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    time.tzset()
    random.seed(seed)


def frozen_time() -> ModuleType:
    """A module `time` whose clocks all show the frozen time; sleeping takes no time."""
    module = ModuleType("time")
    members: dict[str, Callable[..., Any]] = {
        "time": _frozen_timestamp,
        "time_ns": lambda: round(_frozen_timestamp() * 1_000_000) * 1_000,
        "monotonic": _frozen_timestamp,
        "perf_counter": _frozen_timestamp,
        "process_time": lambda: 0.0,
        "sleep": _frozen_sleep,
        "gmtime": lambda seconds=None: time.gmtime(_frozen_timestamp() if seconds is None else seconds),
        "localtime": lambda seconds=None: time.localtime(_frozen_timestamp() if seconds is None else seconds),
        "strftime": lambda form, t=None: time.strftime(form, t or time.localtime(_frozen_timestamp())),
        "strptime": time.strptime,
        "mktime": time.mktime,
        "struct_time": time.struct_time,
    }
    vars(module).update(members)
    return module


def _replace_method(kind: type, name: str, value: object) -> None:
    table = gc.get_referents(kind.__dict__)[0]  # behind the read-only view of a built-in type
    table[name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _frozen_now(cls: type[datetime], tz: tzinfo | None = None) -> datetime:
    return _as_class(cls, _Clock.now.replace(tzinfo=None) if tz is None else _Clock.now.astimezone(tz))


def _frozen_utcnow(cls: type[datetime]) -> datetime:
    return _as_class(cls, _Clock.now.astimezone(UTC).replace(tzinfo=None))


def _frozen_today(cls: type[date]) -> date:
    if issubclass(cls, datetime):
        return _frozen_now(cls)
    return cls(_Clock.now.year, _Clock.now.month, _Clock.now.day)


def _as_class(cls: type[datetime], moment: datetime) -> datetime:
    day = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    return cls(*day, tzinfo=moment.tzinfo, fold=moment.fold)


def _frozen_timestamp() -> float:
    return _Clock.now.timestamp()


def _frozen_sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")


def _next_frozen_seed() -> str:
    _Clock.generators += 1
    return f"{_Clock.seed}/{_Clock.generators}"
