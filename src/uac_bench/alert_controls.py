"""Negative controls: for each rule of the packs a danger of our own, and a near miss that differs in one detail.

The near miss must stay silent. The danger must not, so that the silence says something.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from uac import Pack
from uac.memory import PackCase, play_pack_cases
from uac.schema import Json

__all__ = ["CONTROLS", "AlertControl", "ControlVerdict", "play_controls", "read_controls"]

CONTROLS = Path(__file__).parent / "controls" / "near_misses.jsonl"
Side = Literal["danger", "near miss"]


class AlertControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The records of a danger and of a near miss for one rule, and the detail in which they differ."""

    constraint: str
    now: str
    differs: str
    danger: list[tuple[str, dict[str, Json]]]
    near_miss: list[tuple[str, dict[str, Json]]]


class ControlVerdict(msgspec.Struct, frozen=True):
    """What the rule did on one side of a control."""

    constraint: str
    side: Side
    is_right: bool
    raised: str
    differs: str


def read_controls(path: Path = CONTROLS) -> tuple[AlertControl, ...]:
    return tuple(msgspec.json.decode(line, type=AlertControl) for line in path.read_bytes().splitlines())


def play_controls(controls: Sequence[AlertControl], packs: Sequence[Pack]) -> Iterator[ControlVerdict]:
    """Both sides of each control; only alerts of its own rule count, and information counts, too."""
    cases: list[PackCase] = []
    of: dict[str, tuple[AlertControl, Side]] = {}
    for number, control in enumerate(controls):
        sides: tuple[tuple[Side, list[tuple[str, dict[str, Json]]]], ...] = (
            ("danger", control.danger),
            ("near miss", control.near_miss),
        )
        for side, records in sides:
            name = f"{number} {side}"
            of[name] = control, side
            cases.append(
                PackCase(id=name, expect="info", now=control.now, records=records, constraint=control.constraint)
            )
    for case, found in play_pack_cases(cases, packs):
        control, side = of[case.id]
        is_right = (found == "silent") is (side == "near miss")
        yield ControlVerdict(control.constraint, side, is_right, found, control.differs)
