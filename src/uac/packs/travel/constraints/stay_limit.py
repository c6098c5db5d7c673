from ..helpers import _checked_before, _counted_days, _country_of, _dated, _is_own


def stay_limit(user, now):
    """A trip that brings a visitor over the days allowed in a rolling window, or close to them."""
    places = knowledge("travel.places")
    profile = user.travel.profile
    mine = [p for p in user.travel.passports if _is_own(p)]
    named = [
        *([*profile.citizenships, profile.home_country] if profile is not None else []),
        *[p.country for p in mine],
    ]
    own = [_country_of(name, None, places) for name in named if name]
    own = [*own, _country_of(None, profile.home, places)] if profile is not None else own
    # Nothing older can still be in a window.
    oldest = now.date() - timedelta(days=400)
    recent = [trip for trip in _dated(user.travel.trips) if (trip.returns or trip.departs) >= oldest]
    permits = ("residence", "resident", "work", "student", "study", "family", "national", "settled", "long")
    found = []
    for area, limit in knowledge("travel.entry_rules")["stays"].items():
        inside = places["schengen"] if area == "schengen area" else [places["countries"][area]]
        joint = area == "schengen area" or limit.get("free_movement")
        free = places["free_movement"] if joint else [*inside, *limit.get("exempt", [])]
        visas = [v for v in user.travel.visas if mentions(v.country, area) or v.country in inside]
        if any(name in free for name in own) or any(
            mentions(v.kind, word) for v in visas for word in permits
        ):
            continue
        there = [t for t in recent if _country_of(t.country, t.destination, places) in inside]
        if not own and len(there) < 2:  # perhaps a citizen; who comes again and again may be a visitor
            continue
        rule = limit if own else {**limit, "says": f"{limit['says']}, unless you are a citizen or resident"}
        for trip in there:
            if trip.returns is not None and not is_past(trip.returns, now):
                near = [t for t in there if t is trip or t.state != "idea"]
                found.extend(_alerts(trip, near, rule, oldest, now))
    return found


def _alerts(trip, trips, limit, oldest, now):
    """The alerts for one trip, given all trips to the same area."""
    days = sorted({day for each in trips for day in _days(each, oldest) if day <= trip.returns})
    counts = []
    low = 0
    for high, day in enumerate(days):
        if "window_months" in limit:
            begins = add_months(day, -limit["window_months"], days=1)
        else:
            begins = add_months(day, days=1 - limit["window_days"])
        while days[low] < begins:
            low = low + 1
        if day >= (trip.arrives or trip.departs):
            counts.append((high - low + 1, day, begins))
    most, last, begins = max(counts, default=(0, trip.departs, trip.departs))
    if most <= limit["days"] - 5:
        return []
    length = days_between(trip.arrives or trip.departs, trip.returns) + 1
    earlier = [
        t for t in trips if t is not trip and t.departs < trip.departs and (t.returns or t.departs) >= begins
    ]
    spans = [
        f"{t.destination} {t.departs} to {t.returns or t.departs}"
        for t in sorted(earlier, key=lambda t: t.departs)
    ]
    before = f", with {'; '.join(spans)}" if spans else ""
    text = f"{limit['says']}. Your trip to {trip.destination} from {trip.departs} to {trip.returns} ({length}"
    text = f"{text} days, both ends counted) brings you to {most} days between {begins} and {last}{before}."
    records = [trip, *sorted(earlier, key=lambda t: (t.departs, t.destination))]
    rows, later = [("travel.entry_rules", limit)], _checked_before(limit, trip.departs, now)
    over = [day for count, day, _begins in counts if count > limit["days"]]
    if not over:
        left = limit["days"] - most
        text = f"{text} That leaves {_counted_days(left)} of reserve: check the count against your stamps, and do"
        text = f"{text} not stay longer.{later}"
        return [warning(text, *records, rows=rows)]
    text = f"{text} That is {_counted_days(most - limit['days'])} too many: leave by {add_months(over[0], days=-1)}"
    return [critical(f"{text}, or get a visa for a longer stay.{later}", *records, rows=rows)]


def _days(trip, oldest):
    """The days of a trip that can be in a window; of one that lasts for years, as many as fill it."""
    start, end = max(trip.arrives or trip.departs, oldest), trip.returns or trip.departs
    return [add_months(start, days=n) for n in range(min((end - start).days + 1, 1_000))]


CASES = [
    fires(
        "91 days in 180",
        date(2025, 6, 1),
        travel.Profile(citizenships=["Canada"]),
        travel.Trip(destination="Spain", departs=date(2025, 3, 1), returns=date(2025, 4, 29)),
        travel.Trip(destination="Rome", departs=date(2025, 7, 1), returns=date(2025, 7, 31)),
        says=[
            "90 days in any 180",
            "91 days between",
            "Spain 2025-03-01 to 2025-04-29",
            "leave by 2025-07-30",
        ],
    ),
    fires(
        "exactly 90 days leave no reserve",
        date(2025, 6, 1),
        travel.Profile(citizenships=["Canada"]),
        travel.Trip(destination="Spain", departs=date(2025, 3, 1), returns=date(2025, 4, 29)),
        travel.Trip(destination="Rome", departs=date(2025, 7, 1), returns=date(2025, 7, 30)),
        says=["90 days between", "0 days of reserve"],
    ),
    fires(
        "more than 180 days of the United Kingdom in twelve months",
        date(2025, 9, 1),
        travel.Passport(holder="me", country="United States"),
        travel.Trip(destination="London", departs=date(2025, 1, 10), returns=date(2025, 5, 9)),
        travel.Trip(destination="UK", departs=date(2025, 10, 1), returns=date(2025, 12, 20)),
        says=["180 days in any 12 months", "201 days", "21 days too many", "leave by 2025-11-29"],
    ),
    silent(
        "the first stay has left the window when the second is long",
        date(2025, 6, 1),
        travel.Trip(destination="Spain", departs=date(2025, 1, 1), returns=date(2025, 2, 28)),
        travel.Trip(destination="Rome", departs=date(2025, 8, 1), returns=date(2025, 10, 15)),
    ),
    silent(
        "citizens of Ireland may stay",
        date(2025, 6, 1),
        travel.Passport(holder="me", country="Ireland"),
        travel.Trip(destination="Spain", departs=date(2025, 7, 1), returns=date(2025, 12, 29)),
    ),
    silent(
        "all of it is past, or mentioned twice, or has a visa for studies",
        date(2025, 6, 1),
        travel.Visa(holder="me", country="United Kingdom", kind="student visa"),
        travel.Trip(destination="Spain", departs=date(2025, 1, 1), returns=date(2025, 5, 20)),
        travel.Trip(destination="Oxford", departs=date(2025, 1, 10), returns=date(2026, 6, 10)),
        travel.Trip(destination="Istanbul", departs=date(2025, 7, 1), returns=date(2025, 8, 20)),
        travel.Trip(destination="Turkey", departs=date(2025, 7, 2), returns=date(2025, 8, 20)),
    ),
    silent(
        "citizens of the EU in Cyprus, of Ireland in the United Kingdom",
        date(2026, 1, 5),
        travel.Profile(citizenships=["Germany", "Ireland"]),
        travel.Trip(destination="Paphos", departs=date(2026, 1, 20), returns=date(2026, 5, 10)),
        travel.Trip(destination="London", departs=date(2026, 5, 20), returns=date(2026, 12, 30)),
    ),
    fires(
        "no citizenship is known, but two visits are",
        date(2025, 6, 1),
        travel.Trip(destination="Spain", departs=date(2025, 3, 1), returns=date(2025, 4, 29)),
        travel.Trip(destination="Rome", departs=date(2025, 7, 1), returns=date(2025, 7, 31)),
        says=["90 days in any 180, unless you are a citizen or resident", "91 days", "Spain", "Rome"],
    ),
    silent(
        "no citizenship is known, and only one stay",
        date(2026, 1, 5),
        travel.Trip(destination="Barcelona", departs=date(2026, 2, 20), returns=date(2026, 6, 10)),
    ),
]
