"""What a self-check reports: `uac doctor` collects these from stores, sandboxes and models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Diagnostic"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One result of a self-check. `remedy` says how to fix a problem."""

    level: Literal["ok", "note", "problem"]
    what: str
    remedy: str = ""
    rows: tuple[Mapping[str, str], ...] = ()
    """What it lists, one object each, for programs."""
