from ..helpers import ONLINE, _clock, _dated, _is_never, _length, _places_of


def trip_conflict(user, now):
    """An appointment that the user cannot keep because a trip has begun and is not over."""
    trips = [trip for trip in _dated(user.travel.trips) if not is_past(trip.returns or trip.departs, now)]
    trips = [trip for trip in trips if not _is_never(trip.departs)]
    ones = [one for one in user.calendar.appointments if not one.remote and one.attends is not False]
    ones = [one for one in ones if not _is_never(one.starts)]
    # An ordinary series pauses while its people are away.
    ones = [one for one in ones if (one.must if one.repeats else not is_past(one.starts, now))]
    ones = [one for one in ones if one.must or not _is_a_date(one)]
    profile = user.travel.profile
    home = profile.home if profile is not None else None
    land = profile.home_country if profile is not None else None
    found = []
    for trip in sorted(trips, key=lambda trip: (trip.departs, trip.destination)):
        for one in ones:
            start = first(
                [day for day in _starts(one, trip) if not is_past(day, now) and _is_away(day, one, trip)]
            )
            if trip.state == "idea" and not one.must:
                continue  # it may come to nothing
            if start is not None and (_is_at_home(one, home) or _is_in_land(one, land, trip)) and not _is_there(one, trip):
                found.append((critical if one.must else warning)(_text(one, start, trip), one, trip))
    return found


def _is_a_date(one):
    """A birthday that is only noted down asks nobody to be there; a party does."""
    parties = ("party", "dinner", "lunch", "brunch", "celebration", "bbq")
    named = words(one.what)
    noted = any(word in ("birthday", "birthdays", "anniversary", "holiday", "holidays") for word in named)
    return bool(one.all_day and not one.where and noted) and not any(word in parties for word in named)


def _text(one, start, trip):
    until = f" to {trip.returns}" if trip.returns is not None else ""
    leaves = f", leaving at {_clock(trip.departs_at)}" if trip.departs_at is not None else ""
    journey = f"{'flight' if trip.means == 'flight' else 'trip'} to {trip.destination}"
    hours = (
        f" at {_clock(start)}" if one.ends is None else f" from {_clock(start)} to {_clock(_end(start, one))}"
    )
    text = f"Your {journey}, {trip.departs}{until}{leaves}, conflicts with {one.what} on {start:%A}"
    text = f"{text} {start.date()}"
    text = f"{text}{'' if one.all_day else hours}: you will be away or on your way then"
    text = f"{text}." if one.where or one.must else f"{text}, unless it takes place there."
    return f"{text} Reschedule it, let someone else take it over, or adjust the trip."


def _starts(one, trip):
    """The dates of an appointment that may fall into the trip."""
    step = {"daily": 1, "weekly": 7}.get(one.repeats or "")
    if not step:
        return [one.starts]
    begun = max((trip.departs - one.starts.date()).days // step, 0)
    # The first date that falls into the trip is enough, and nobody is away for ten years.
    length = min(max(((trip.returns or trip.departs) - trip.departs).days, 0), 3660) // step + 2
    starts = [one.starts + timedelta(days=step * (begun + n)) for n in range(length)]
    starts = [start for start in starts if start.date() not in one.skips]
    return [start for start in starts if one.until is None or start.date() <= one.until]


def _end(start, one):
    return start + min(_length(one, timedelta(hours=1)), timedelta(days=366))


def _is_away(start, one, trip):
    """Whether the user has left and is not yet back; the days of travel count only if the hours are known."""
    day, last = start.date(), trip.returns or trip.departs
    if trip.departs < day < last:
        return True
    if one.all_day:
        return False
    if day == trip.departs and trip.departs_at is not None:
        reserve = timedelta(hours=2) if trip.means in ("flight", None) else timedelta()
        leaves = datetime.combine(day, trip.departs_at, start.tzinfo)
        later = last > trip.departs or start < leaves + timedelta(hours=3)
        return _end(start, one) > leaves - reserve and later
    if day == last > trip.departs and trip.returns_at is not None:
        return start < datetime.combine(day, trip.returns_at, start.tzinfo)
    return False


def _is_at_home(one, home):
    """Whether it may be where the user lives; a venue that nobody knows may as well be at the destination."""
    usual = ("home", "house", "apartment", "flat", "office", "school", "work", "kindergarten", "garden")
    known = not one.where or any(word in usual for word in words(one.where))
    return known or bool(one.must) or bool(home and mentions(one.where, home))


def _is_in_land(one, land, trip):
    """Whether it is in a city of the country where the user lives, and the trip leads to another one."""
    cities = knowledge("travel.places")["cities"]
    country = trip.country or cities.get(" ".join(words(trip.destination)))
    return bool(land and country) and same(cities.get(" ".join(words(one.where))), land) and not same(country, land)


def _is_there(one, trip):
    """Whether it belongs to the trip or can be kept from there."""
    if any(word in ONLINE for word in words(one.where)) or (one.away and not one.where):
        return True
    texts = [text for text in [one.what, one.where] if text]
    if any(mentions(text, place) or mentions(place, text) for place in _places_of(trip) for text in texts):
        return True
    common = ("meeting", "trip", "visit", "appointment", "business", "work", "dinner", "with", "from")
    purpose = [*words(trip.purpose), *words(" ".join(trip.activities))]
    if any(len(word) > 3 and word not in common and word in purpose for word in words(one.what)):
        return True
    return bool(one.who) and all(any(same_person(name, t) for t in trip.travellers) for name in one.who)


CASES = [
    fires(
        "a city at home while the user is abroad",
        date(2026, 11, 17),
        travel.Profile(home_country="Germany"),
        travel.Trip(destination="Vienna", country="Austria", departs=date(2026, 12, 3), returns=date(2026, 12, 7)),
        calendar.Appointment(what="tax adviser", starts=datetime(2026, 12, 4, 14, 0), where="Munich"),
        says=["trip to Vienna", "tax adviser", "2026-12-04"],
    ),
    silent(
        "a city abroad, and one at home on a trip through the own country",
        date(2026, 11, 17),
        travel.Profile(home_country="Germany"),
        travel.Trip(destination="Vienna", country="Austria", departs=date(2026, 12, 3), returns=date(2026, 12, 7)),
        travel.Trip(destination="Berlin", departs=date(2026, 12, 13), returns=date(2026, 12, 17)),
        calendar.Appointment(what="client", starts=datetime(2026, 12, 4, 14, 0), where="Graz"),
        calendar.Appointment(what="client", starts=datetime(2026, 12, 14, 14, 0), where="Munich"),
    ),
    fires(
        "the electrician comes while nobody is at home",
        date(2025, 5, 2),
        travel.Trip(destination="Peru", departs=date(2025, 6, 1), returns=date(2025, 6, 14)),
        calendar.Appointment(what="electrician", starts=datetime(2025, 6, 7, 10, 0), where="home"),
        says=["Peru", "2025-06-01 to 2025-06-14", "electrician", "2025-06-07 at 10:00", "away"],
    ),
    fires(
        "a flight during the weekly meeting that cannot be missed",
        date(2025, 5, 2),
        travel.Trip(destination="Boston", departs=date(2025, 6, 3), departs_at=time(15, 30), means="flight"),
        calendar.Appointment(
            what="board meeting",
            starts=datetime(2025, 1, 7, 14, 0),
            ends=datetime(2025, 1, 7, 15, 0),
            repeats="weekly",
            must=True,
        ),
        says=[
            "flight to Boston",
            "15:30 (3:30 PM)",
            "board meeting",
            "2025-06-03 from 14:00 (2 PM) to 15:00 (3 PM)",
        ],
    ),
    silent(
        "it ends well before the flight; the day of return; an ordinary series; a call",
        date(2025, 5, 2),
        travel.Trip(
            destination="Peru", departs=date(2025, 6, 1), returns=date(2025, 6, 14), departs_at=time(15, 0)
        ),
        calendar.Appointment(what="A", starts=datetime(2025, 6, 1, 10, 0), ends=datetime(2025, 6, 1, 13, 0)),
        calendar.Appointment(what="B", starts=datetime(2025, 6, 14, 18, 0)),
        calendar.Appointment(what="yoga", starts=datetime(2025, 1, 7, 18, 0), repeats="weekly"),
        calendar.Appointment(what="interview", starts=datetime(2025, 6, 7, 10, 0), remote=True),
    ),
    silent(
        "it belongs to the trip",
        date(2025, 5, 2),
        travel.Trip(
            destination="Lima",
            country="Peru",
            departs=date(2025, 6, 1),
            returns=date(2025, 6, 14),
            purpose="client workshop",
            travellers=["Jo"],
        ),
        calendar.Appointment(what="workshop with Acme", starts=datetime(2025, 6, 3, 10, 0)),
        calendar.Appointment(what="dinner", starts=datetime(2025, 6, 4, 20, 0), who=["Jo"]),
        calendar.Appointment(what="museum", starts=datetime(2025, 6, 5, 10, 0), where="Lima"),
        calendar.Appointment(what="table for two", starts=datetime(2025, 6, 5, 20, 0), where="Central"),
        calendar.Appointment(what="review", starts=datetime(2025, 6, 5, 10, 0), where="Zoom"),
    ),
    silent(
        "past; cancelled; only others go",
        date(2025, 6, 20),
        travel.Trip(destination="Peru", departs=date(2025, 6, 1), returns=date(2025, 6, 14)),
        calendar.Appointment(what="electrician", starts=datetime(2025, 6, 7, 10, 0)),
        ended(
            travel.Trip(destination="Rome", departs=date(2025, 7, 1), returns=date(2025, 7, 14)), "2025-06-01"
        ),
        calendar.Appointment(what="plumber", starts=datetime(2025, 7, 7, 10, 0)),
        travel.Trip(destination="Oslo", departs=date(2025, 8, 1), returns=date(2025, 8, 14)),
        calendar.Appointment(what="camp", starts=datetime(2025, 8, 7, 10, 0), who=["Mia"], attends=False),
    ),
    silent(
        "a birthday that is only noted down",
        date(2026, 2, 6),
        travel.Trip(destination="Vienna", departs=date(2026, 2, 18), returns=date(2026, 2, 24)),
        calendar.Appointment(what="Mom's birthday", starts=datetime(2026, 2, 20, 0, 0), all_day=True),
    ),
    fires(
        "a birthday party",
        date(2026, 2, 6),
        travel.Trip(destination="Vienna", departs=date(2026, 2, 18), returns=date(2026, 2, 24)),
        calendar.Appointment(what="Mom's birthday party", starts=datetime(2026, 2, 20, 0, 0), all_day=True),
        says=["Vienna", "birthday party", "2026-02-20"],
    ),
    silent(
        "a trip that is only thought of",
        date(2026, 2, 3),
        travel.Trip(destination="Japan", departs=date(2026, 3, 25), returns=date(2026, 4, 5), state="idea"),
        calendar.Appointment(what="dentist", starts=datetime(2026, 3, 28, 10, 0)),
    ),
]
