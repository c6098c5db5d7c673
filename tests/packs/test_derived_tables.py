"""The tables of zones and places are what tzdata and Babel say, not written by hand."""

from datetime import date, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.derive_tables import PLACES, ZONES, derived_places, derived_zones, table_text
from uac.packs import installed_packs

TABLES = {table.name: table.table for pack in installed_packs() for table in pack.knowledge}
CLOCKS = TABLES["calendar.zones"]["zones"]


def is_installed(package: str, wanted: str) -> bool:
    try:
        return version(package) == wanted
    except PackageNotFoundError:
        return False


@pytest.mark.skipif(
    not is_installed("babel", "2.18.0") or not is_installed("tzdata", "2026.6"),
    reason="needs the versions that the tables name",
)
def test_the_tables_are_as_derived() -> None:
    assert table_text(derived_places()) == PLACES.read_text(encoding="utf-8")
    assert table_text(derived_zones()) == ZONES.read_text(encoding="utf-8")


@given(
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo", "Pacific/Auckland"]), st.data()
)
def test_a_clock_of_the_table_shows_what_the_time_zone_database_says(zone: str, data: st.DataObject) -> None:
    day = data.draw(st.dates(date(2025, 1, 1), date(2029, 12, 31)))
    row = CLOCKS[zone]
    minutes = [row["minutes"], *(after for since, after in row["changes"] if since <= day.isoformat())][-1]
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(zone))
    assert timedelta(minutes=minutes) == noon.utcoffset()


def test_every_name_leads_to_a_clock_or_a_country_with_a_code() -> None:
    zones, places = TABLES["calendar.zones"], TABLES["travel.places"]
    assert isinstance(zones, dict)
    assert isinstance(places, dict)
    assert {*zones["names"].values()} <= {*zones["zones"]}
    countries = {*places["codes"].values()}
    assert {*places["countries"].values()} - countries == set()
    assert {*places["cities"].values(), *places["schengen"], *places["free_movement"]} <= countries
