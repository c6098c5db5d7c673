"""Code that runs next to a user's records, in the sandbox and in exported projects. It is read as text.

`prelude` has the names that constraints and queries may use; `rule_runner` runs them inside the sandbox; `standalone`
lets an exported project run without this package.
"""

from functools import cache
from pathlib import Path

__all__ = ["source"]


@cache
def source(name: str) -> str:
    """The text of one file of this package, such as `prelude.py`."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
