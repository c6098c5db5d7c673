"""Regular expressions that are compiled when they are first used: a command uses few of those that it imports."""

import re
from typing import cast

__all__ = ["lazy_pattern"]


def lazy_pattern(written: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """As `re.compile`, but later. Only its methods can be used: it cannot be passed to functions of `re`."""
    return cast("re.Pattern[str]", _LazyPattern(written, flags))


class _LazyPattern:
    """Stands for a compiled pattern, and takes over each of its methods at the first use."""

    def __init__(self, written: str, flags: re.RegexFlag) -> None:
        self._written, self._flags = written, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # of the object itself, such as those that copying it looks for
            raise AttributeError(name)
        value: object = getattr(re.compile(self._written, self._flags), name)
        setattr(self, name, value)
        return value
