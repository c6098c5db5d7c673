from ..helpers import _checked_before, _country_of, _crosses_border, _dated, _in_text, _is_own


def yellow_fever(user, now):
    """A trip to a country that lets nobody in without a certificate of vaccination against yellow fever."""
    places = knowledge("travel.places")
    profile = user.travel.profile
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    papers = [one for one in user.travel.documents if _is_own(one) and mentions(one.what, "yellow fever")]
    shots = [one.day for one in user.health.vaccinations if not words(one.person) and _is_yellow_fever(one.vaccine)]
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.state != "idea" and not is_past(trip.departs, now)]:
        arrives = trip.arrives or trip.departs
        country = _country_of(trip.country, trip.destination, places)
        rule = knowledge("travel.entry_rules")["yellow_fever"].get((country or "").lower())
        if rule is None or papers or not _crosses_border(trip, country, [home] if home else [], places) and home == country:
            continue
        if [day for day in shots if add_months(day, days=rule["days_before"]) <= arrives]:
            continue
        late = f" The vaccination of {max(shots)} counts from {rule['days_before']} days later on." if shots else ""
        text = (
            f"{_in_text(country)[0].upper()}{_in_text(country)[1:]} asks every traveller for a certificate of vaccination"
            f" against yellow fever, and I know of none for {trip.destination} on {trip.departs}.{late} Have it done at least"
            f" {rule['days_before']} days before you arrive, or tell me of yours.{_checked_before(rule, trip.departs, now)}"
        )
        is_near = due_within(trip.departs, now, 60)
        found.append((critical if is_near else warning)(text, trip, rows=[("travel.entry_rules", rule)]))
    return found


def _is_yellow_fever(vaccine):
    return any(mentions(vaccine, name) for name in ("yellow fever", "gelbfieber", "stamaril", "yf vax"))


CASES = [
    fires(
        "Ghana in a month",
        date(2026, 11, 16),
        travel.Profile(home="Berlin"),
        travel.Trip(destination="Accra", country="Ghana", departs=date(2026, 12, 10)),
        says=["Ghana asks every traveller", "yellow fever", "Accra on 2026-12-10", "10 days before"],
    ),
    fires(
        "vaccinated four days before the arrival",
        date(2026, 11, 16),
        travel.Profile(home="Berlin"),
        health.Vaccination(vaccine="yellow fever", day=date(2026, 12, 6)),
        travel.Trip(destination="Kampala", departs=date(2026, 12, 10)),
        says=["Uganda", "The vaccination of 2026-12-06 counts from 10 days later on"],
    ),
    silent(
        "vaccinated years ago, a certificate, a country that does not ask, a trip that is only an idea",
        date(2026, 11, 16),
        travel.Profile(home="Berlin"),
        health.Vaccination(vaccine="Gelbfieber", day=date(2019, 5, 2)),
        travel.Trip(destination="Accra", country="Ghana", departs=date(2026, 12, 10)),
        travel.Trip(destination="Rome", country="Italy", departs=date(2026, 12, 1)),
    ),
    silent(
        "the certificate is at hand",
        date(2026, 11, 16),
        travel.Document(holder="me", what="yellow fever certificate"),
        travel.Trip(destination="Accra", country="Ghana", departs=date(2026, 12, 10)),
    ),
    silent(
        "a trip that is only an idea, and one to a country that does not ask",
        date(2026, 11, 16),
        travel.Trip(destination="Accra", country="Ghana", departs=date(2026, 12, 10), state="idea"),
        travel.Trip(destination="Nairobi", country="Kenya", departs=date(2026, 12, 1)),
    ),
]
