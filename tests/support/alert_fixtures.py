"""A memory with two constraints, for the tests of alerts, and two more constraints to adopt."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.constraints import ALLERGIES, ENDING, Clock, case, constraint, given, watched
from uac.memory.memory import Memory
from uac.sandbox import shared_sandbox
from uac.sandbox.port import Sandbox

__all__ = ["MEDICINES", "TRIPS", "allergy", "clock", "memory", "sandbox"]

MEDICINES = constraint("medicines", "return [info(f'Takes {m.name}.', m) for m in user.health.medications]")
TRIPS = constraint(
    "trips",
    "return [info(t.city, t, subject=t.city) for t in user.travel.trips]",
    case("one", given("travel.Trip", city="Rome", start="2026-05-01"), fires=True),
    case("none", fires=False),
)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return shared_sandbox()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(sandbox: Sandbox, clock: Clock) -> Iterator[Memory]:
    memory = watched(ALLERGIES, ENDING, sandbox=sandbox, clock=clock)
    yield memory
    memory.close()


def allergy(memory: Memory, substance: str, **more: Any) -> str:
    return memory.put("health.Allergy", {"substance": substance, **more})
