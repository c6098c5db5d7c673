"""Caches of what was computed from users' words. They are emptied when words are erased.

A cache whose keys or values may come from a log is a `word_cache`. `functools.cache` is for what ships with the package
(`tests/repository/test_caches.py`).
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar

__all__ = ["forget_cached_words", "on_forget", "word_cache"]

P = ParamSpec("P")
R = TypeVar("R")

_CLEAR: list[Callable[[], object]] = [re.purge]  # a pattern may be made of a name, and `re` keeps the last ones


def word_cache(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Caches the results of a function for the last `most` arguments, until words are erased."""

    def cached(function: Callable[P, R]) -> Callable[P, R]:
        wrapper = lru_cache(maxsize=most)(function)
        on_forget(wrapper.cache_clear)
        return wrapper  # type: ignore[return-value]  # it takes what the function takes

    return cached


def on_forget(clear: Callable[[], object]) -> None:
    """Call `clear` whenever words were erased."""
    _CLEAR.append(clear)


def forget_cached_words() -> None:
    """Empty all caches. Called by whoever erases words, and by whoever notices that another process did."""
    for clear in _CLEAR:
        clear()
