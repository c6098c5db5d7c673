"""Code that runs next to a user's records, in the sandbox and in exported projects. It is read as text.

`prelude` has the names that constraints and queries may use; `rule_runner` runs them inside the sandbox; `standalone`
lets an exported project run without this package.
"""

from functools import cache
from pathlib import Path

__all__ = ["money_source", "source", "source_without_money"]


@cache
def source(name: str) -> str:
    """The text of one file of this package, such as `prelude.py`."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def money_source() -> str:
    """The class Money as a module of its own, for exported projects."""
    return f'"""Amounts of money."""\n\nfrom dataclasses import dataclass\nfrom decimal import Decimal\n{_parts()[1]}'


def source_without_money(place: str) -> str:
    """The prelude that takes Money from another module: records and constraints must have the same class."""
    before, _money, after = _parts()
    imports, names = before.split("\n__all__", 1)
    return f"{imports}\nfrom {place} import Money\n\n__all__{names}{after.lstrip()}"


def _parts() -> tuple[str, str, str]:
    """The prelude before, in and after the part with Money."""
    before, _mark, rest = source("prelude.py").partition("# --- money\n")
    money, _mark, after = rest.partition("# --- queries\n")
    return before, f"{money.rstrip()}\n", after
