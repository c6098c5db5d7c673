from ..helpers import _checked_before, _counted_days, _country_of, _dated, _is_own, _is_same_place


def transit_validity(user, now):
    """A passport that is too short for a country on the way, where the stop is so long that one enters it."""
    places = knowledge("travel.places")
    rules = knowledge("travel.entry_rules")["validity"]
    mine = [p for p in user.travel.passports if _is_own(p)]
    if not mine or any(passport.expires is None for passport in mine):
        return []
    expires, passport = max([(p.expires, p) for p in mine if p.expires is not None], key=lambda pair: pair[0])
    own = [_country_of(p.country, None, places) for p in mine]
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.stops and not is_past(trip.departs, now)]:
        for stop in trip.stops:
            country = _country_of(None, stop, places)
            rule = rules.get((country or "").lower())
            if rule is None or rule["after"] != "arrival" or country in own or any(name in rule.get("exempt", []) for name in own):
                continue
            arrives, hours = _stop(stop, trip, user.travel.flights)
            until = add_months(arrives, rule.get("months", 0), rule.get("days", 0))
            if hours is None or hours < 12 or expires >= until:
                continue
            number = f" {passport.number}" if passport.number else ""
            days = (expires - arrives).days
            when = f"{_counted_days(days)} after" if days >= 0 else f"{_counted_days(-days)} before"
            span = f"{rule['days']} days" if "days" in rule else f"{rule['months']} months"
            short = _counted_days((until - expires).days)
            text = f"Your passport{number} expires {expires}, {when} you arrive in {stop} on {arrives} for"
            text = f"{text} {_short(hours)} hours on the way to {trip.destination}. {country} asks that a"
            text = f"{text} passport is valid {span} after you enter, so until {until}, {short} longer than"
            text = f"{text} yours. Renew it, or let the airline confirm that less will do for a transit."
            text = f"{text}{_checked_before(rule, arrives, now)}"
            found.append(warning(text, passport, trip, rows=[("travel.entry_rules", rule)]))
            break
    return found


def _stop(stop, trip, flights):
    """The day of arrival at a stop and how many hours it lasts, from the flights or else from the trip."""
    latest = add_months(trip.departs, days=4)
    for here in flights:
        near = trip.departs <= here.departs.date() <= latest
        if not near or here.arrives is None or not _is_same_place(here.destination, stop):
            continue
        onward = [f.departs for f in flights if f.departs > here.arrives and _is_same_place(f.origin, stop)]
        if onward:
            return here.arrives.date(), (min(onward) - here.arrives) / timedelta(hours=1)
    return trip.arrives or trip.departs, trip.layover_hours if len(trip.stops) == 1 else None


def _short(hours):
    return f"{hours:.1f}".removesuffix(".0")


CASES = [
    fires(
        "a night in Shanghai, three days short, counted from the arrival there",
        date(2025, 10, 1),
        travel.Passport(holder="me", expires=date(2026, 7, 23)),
        travel.Trip(destination="Osaka", departs=date(2026, 1, 24), stops=["Shanghai"]),
        travel.Flight(
            origin="Seattle",
            destination="Shanghai",
            departs=datetime(2026, 1, 24, 23, 0),
            arrives=datetime(2026, 1, 26, 6, 0),
        ),
        travel.Flight(origin="Shanghai", destination="Osaka", departs=datetime(2026, 1, 27, 9, 0)),
        says=[
            "2026-07-23",
            "178 days after",
            "2026-01-26",
            "27 hours",
            "China asks",
            "2026-07-26",
            "3 days longer",
        ],
    ),
    fires(
        "a long stop without flights",
        date(2025, 10, 1),
        travel.Passport(holder="me", expires=date(2026, 3, 1)),
        travel.Trip(destination="Perth", departs=date(2026, 1, 24), stops=["Singapore"], layover_hours=20.0),
        says=["Singapore asks", "2026-07-24"],
    ),
    silent(
        "a short change of planes",
        date(2025, 10, 1),
        travel.Passport(holder="me", expires=date(2026, 3, 1)),
        travel.Trip(destination="Perth", departs=date(2026, 1, 24), stops=["Singapore"], layover_hours=3.0),
    ),
    silent(
        "valid to the day",
        date(2025, 10, 1),
        travel.Passport(holder="me", expires=date(2026, 7, 24)),
        travel.Trip(destination="Perth", departs=date(2026, 1, 24), stops=["Singapore"], layover_hours=20.0),
    ),
    silent(
        "the way leads through the country of the passport; the other trip has begun",
        date(2025, 10, 1),
        travel.Passport(holder="me", country="Singapore", expires=date(2026, 3, 1)),
        travel.Trip(destination="Perth", departs=date(2026, 1, 24), stops=["Singapore"], layover_hours=20.0),
        travel.Trip(destination="Osaka", departs=date(2025, 9, 30), stops=["Beijing"], layover_hours=20.0),
    ),
]
