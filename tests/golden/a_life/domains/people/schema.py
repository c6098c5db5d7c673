"""The types of people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass
class Person:
    """A record of people."""

    # many, key: name
    name: str
    born: date | None = None
