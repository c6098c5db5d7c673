from ..helpers import _counted_days, _country_of, _dated, _is_same_place


def trip_overlap(user, now):
    """Two trips at the same time that are not parts of one journey."""
    places = knowledge("travel.places")
    ahead = [trip for trip in _dated(user.travel.trips) if not is_past(trip.returns or trip.departs, now)]
    ahead = sorted(ahead, key=lambda trip: (trip.departs, trip.destination))
    found = []
    for index, trip in enumerate(ahead):
        last = trip.returns or trip.departs
        for other in ahead[index + 1 :]:
            # Coming home and leaving again on one day is possible.
            if other.departs >= last:
                break
            days = overlap_days(trip.departs, last, other.departs, other.returns or other.departs)
            if not _is_one_journey(trip, other, places):
                text = f"Your trip to {trip.destination} from {trip.departs} to {last} overlaps with your"
                text = f"{text} trip to {other.destination} from {other.departs} to"
                text = f"{text} {other.returns or other.departs} on {_counted_days(days)}."
                text = f"{text} Move or cancel one of them."
                found.append(warning(text, trip, other))
    return found


def _is_one_journey(trip, other, places):
    """Whether two trips may be one mentioned twice, a part of the other, or two ideas to choose from."""
    if trip.state == "idea" and other.state == "idea":
        return True
    if other.origin and _is_same_place(other.origin, trip.destination):
        return True  # an excursion from there
    here = _country_of(trip.country, trip.destination, places)
    there = _country_of(other.country, other.destination, places)
    if here is None or there is None:
        return True
    names = [trip.destination, *trip.stops]
    others = [other.destination, *other.stops]
    if any(_is_same_place(name, place) for name in names for place in others):
        return True
    if here != there:
        stops = [*trip.stops, *other.stops]
        return any(_country_of(None, stop, places) in (here, there) for stop in stops)
    # Two places of one country are one journey, unless a booked one begins in the other and ends after it.
    crossing = (other.returns or other.departs) > (trip.returns or trip.departs)
    at_large = same(trip.destination, here) or same(other.destination, here)
    return at_large or not crossing or "booked" not in (trip.state, other.state)


CASES = [
    fires(
        "Rome while in Oslo",
        date(2025, 4, 1),
        travel.Trip(destination="Oslo", departs=date(2025, 5, 1), returns=date(2025, 5, 9), state="booked"),
        travel.Trip(destination="Rome", departs=date(2025, 5, 8), returns=date(2025, 5, 12), state="idea"),
        says=["Oslo", "2025-05-01 to 2025-05-09", "Rome", "2025-05-08", "2 days"],
    ),
    fires(
        "a weekend elsewhere in the middle",
        date(2025, 4, 1),
        travel.Trip(destination="Oslo", departs=date(2025, 5, 1), returns=date(2025, 5, 19)),
        travel.Trip(destination="Rome", departs=date(2025, 5, 8)),
        says=["Oslo", "Rome", "1 day."],
    ),
    fires(
        "two cities of one country, both booked",
        date(2025, 4, 1),
        travel.Trip(
            destination="Chicago", departs=date(2025, 5, 1), returns=date(2025, 5, 5), state="booked"
        ),
        travel.Trip(destination="Boston", departs=date(2025, 5, 4), returns=date(2025, 5, 6), state="booked"),
        says=["Chicago", "Boston", "2 days"],
    ),
    silent(
        "home in the morning, away in the evening",
        date(2025, 4, 1),
        travel.Trip(destination="Oslo", departs=date(2025, 5, 1), returns=date(2025, 5, 8)),
        travel.Trip(destination="Rome", departs=date(2025, 5, 8), returns=date(2025, 5, 12)),
    ),
    silent(
        "one journey with its stops, or mentioned twice",
        date(2025, 4, 1),
        travel.Trip(
            destination="Italy", departs=date(2025, 5, 1), returns=date(2025, 5, 19), stops=["Vienna"]
        ),
        travel.Trip(destination="Rome", departs=date(2025, 5, 8), returns=date(2025, 5, 12)),
        travel.Trip(destination="Vienna", departs=date(2025, 5, 13), returns=date(2025, 5, 15)),
    ),
    silent(
        "two ideas; a cancelled one; past ones; a place nobody knows",
        date(2025, 7, 1),
        travel.Trip(destination="Oslo", departs=date(2025, 5, 1), returns=date(2025, 5, 9)),
        travel.Trip(destination="Rome", departs=date(2025, 5, 2), returns=date(2025, 5, 12)),
        travel.Trip(destination="Oslo", departs=date(2025, 8, 1), returns=date(2025, 8, 9), state="idea"),
        travel.Trip(destination="Rome", departs=date(2025, 8, 2), returns=date(2025, 8, 12), state="idea"),
        ended(
            travel.Trip(destination="Lima", departs=date(2025, 9, 2), returns=date(2025, 9, 12)), "2025-06-01"
        ),
        travel.Trip(destination="Cusco", departs=date(2025, 9, 3), returns=date(2025, 9, 12)),
        travel.Trip(destination="my sister", departs=date(2025, 9, 4), returns=date(2025, 9, 9)),
    ),
    silent(
        "an excursion that begins there",
        date(2026, 1, 5),
        travel.Trip(destination="Rome", departs=date(2026, 3, 14), returns=date(2026, 3, 28)),
        travel.Trip(
            destination="Vienna", departs=date(2026, 3, 20), returns=date(2026, 3, 22), origin="Rome"
        ),
    ),
]
