"""The types of health."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Allergy:
    """A record of health."""

    # many, key: substance
    substance: str
    severity: str | None = None
