"""The C library's allocator in a service: what one thread frees, another one can use."""

import ctypes
import os
import sys

__all__ = ["share_one_arena"]

ARENA_MAX = -8  # M_ARENA_MAX in glibc's malloc.h


def share_one_arena() -> None:
    """Let the threads that start from now on allocate from one arena, unless MALLOC_ARENA_MAX is set.

    By default glibc makes up to eight for each core, and what is free in one is of no use to the others. Few threads
    compute at a time, so one does not make them wait. Other C libraries have no such arenas.
    """
    if sys.platform == "linux" and "MALLOC_ARENA_MAX" not in os.environ:
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)
        if set_option is not None:
            set_option(ARENA_MAX, 1)
