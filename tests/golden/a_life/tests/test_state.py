"""The state holds what the manifest says."""

from domains import health
from domains import home
from domains import people
from domains import travel


def test_health() -> None:
    assert len(health.allergies) == 1


def test_home() -> None:
    assert len(home.meters) == 1


def test_people() -> None:
    assert len(people.persons) == 1


def test_travel() -> None:
    assert (travel.passport is not None) is False
    assert len(travel.trips) == 1
