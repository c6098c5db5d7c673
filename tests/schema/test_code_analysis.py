"""A query before it runs: read as a tree, never executed."""

import pytest

from uac.errors import CodeError, LimitError
from uac.schema.code_analysis import read_query


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ("len(travel.trips)", ("travel.trips",)),
        ("t = travel\nlen(t.trips)", ("travel.passport", "travel.trips")),
        ("getattr(travel, 'trips')", ("travel.passport", "travel.trips")),
        ("[x for x in travel.trips if x in health.allergies]", ("health.allergies", "travel.trips")),
        ("1 + 1", ()),
    ],
)
def test_the_collections_that_a_query_reads_are_known_before_it_runs(code: str, reads: tuple[str, ...]) -> None:
    assert read_query(code, {"travel": ["trips", "passport"], "health": ["allergies"]}).reads == reads


@pytest.mark.parametrize("code", ["(" * 300, "-" * 100_000 + "1", "x" * 300_000, "\0", "a\x00b", "f(" * 5000])
def test_code_that_cannot_be_parsed_is_refused(code: str) -> None:
    with pytest.raises((CodeError, LimitError)):
        read_query(code, {})


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("sum(t.cost.amount for t in travel.trips)", "nothing"),
        ("groups = defaultdict(list)\nfor t in travel.trips:\n    groups[t.city].append(t)\ngroups", "containers"),
        ("counts = {}\nfor t in travel.trips:\n    counts[t.city] = counts.get(t.city, 0) + 1\ncounts", "containers"),
        ("total = 0\nfor t in travel.trips:\n    total += 1\ntotal", "containers"),
        ("found = []\nfor t in travel.trips:\n    found.append(t.city)\nfound", "containers"),
        ("d = {}\nfor t in travel.trips:\n    d.setdefault(t.city, []).append(t)\nd", "containers"),
        ("sorted(travel.trips, key=lambda t: t.start)", "nothing"),
        ("travel.trips.sort()", "containers"),
        ("travel.trips[0].city = 'Rome'", "anything"),
        ("setattr(travel.trips[0], 'city', 'Rome')", "anything"),
    ],
)
def test_what_a_query_could_change_is_known_before_it_runs(code: str, change: str) -> None:
    assert read_query(code, {"travel": ["trips"]}).effect.change == change
