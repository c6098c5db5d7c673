from ..helpers import _is_same, _person, _whose


def supply_runs_out_while_away(user, now):
    """The supply of a medicine ends before or during a trip, where it cannot be filled again."""
    drugs = knowledge("health.drugs")
    today = as_date(now)
    trips = [trip for trip in user.travel.trips if not is_past(trip.returns or trip.departs, now)]
    found = []
    for medication in user.health.medications:
        if medication.supply_from is None or (medication.supply_days or 0) < 1 or _leave_out(medication, drugs):
            continue
        whose = _whose(medication.person)
        for trip in trips:
            comes = not whose or any(_is_same(whose, _whose(name)) for name in trip.travellers)
            if trip.departs is None or not comes:
                continue
            last, fills = _lasts(medication, trip.departs)
            needed = trip.returns or trip.departs
            if medication.ends is not None and medication.ends < needed:
                needed = medication.ends
            near = trip.departs <= today or due_within(trip.departs, now, 90)
            # A supply that ended long ago was filled again, though nobody said so.
            stale = is_past(add_months(last, days=45), now)
            if last >= needed or stale or not near:
                continue
            if trip.remote:
                found.append(critical(_message(medication, whose, trip, last, fills, needed), trip, medication))
            elif _matters(medication, trip, last, needed):
                found.append(warning(_message(medication, whose, trip, last, fills, needed), trip, medication))
    return found


def _leave_out(medication, drugs):
    """Vitamins can wait, and nobody knows how long a supply lasts that is taken as needed."""
    if mentions(medication.frequency, "as needed") or mentions(medication.frequency, "when needed"):
        return True
    kinds = drugs["classes"].get(first(drugs["names"].get(" ".join(words(medication.name)), []), ""), [])
    return "supplements" in kinds


def _lasts(medication, departs):
    """The last day with a dose, and how many automatic fills before the departure that counts in."""
    length = medication.supply_days
    last = add_months(medication.supply_from, days=length - 1)
    missing = max(days_between(last, departs), 0) if medication.auto_refill else 0
    fills = min((missing + length - 1) // length, max(medication.refills or 0, 0))
    return add_months(last, days=fills * length), fills


def _matters(medication, trip, last, needed):
    """Where there are pharmacies: a trip of a week or more, and no fill can be had at home in time."""
    if trip.returns is None or days_between(trip.departs, trip.returns) < 7 or days_between(last, needed) < 2:
        return False
    return last >= trip.departs or medication.refills == 0


def _message(medication, whose, trip, last, fills, needed):
    details = [
        medication.dose,
        medication.frequency,
        f"prescribed by {_person(medication.prescriber)}" if medication.prescriber else None,
    ]
    shown = ", ".join([text for text in details if text])
    counted = f", with {fills} automatic refill{'s' if fills > 1 else ''} counted in," if fills else ""
    away = f"from {trip.departs} to {trip.returns}" if trip.returns else f"from {trip.departs}"
    place = ", with no pharmacy nearby" if trip.remote else ""
    begins = max(add_months(last, days=1), trip.departs)
    missing = days_between(begins, needed) + 1
    before = days_between(last, trip.departs)
    early = (
        f"The supply ends {before} day{'s' if before > 1 else ''} before you leave, and"
        if last < trip.departs
        else "So"
    )
    left = None if medication.refills is None else max(medication.refills - fills, 0)
    refill = "Get a refill" if left else "Get a new prescription, for no refill is left, and have it filled"
    if left is None:
        refill = "Get a refill or a new prescription"
    owner = f"{whose[0].upper()}{whose[1:]}'s" if whose else "Your"
    return (
        f"{owner} supply of {medication.name}{f' ({shown})' if shown else ''}, {medication.supply_days} days"
        f" from {medication.supply_from}{counted or ','} lasts until {last}. Your trip to {trip.destination}"
        f" is {away}{place}. {early} the {missing} days from {begins} to {needed} are not covered. {refill}"
        f" before you leave, enough to last until {needed}."
    )


CASES = [
    fires(
        "ninety pills, no refills, rural Indonesia (a leap year)",
        date(2028, 1, 15),
        health.Medication(
            name="blood pressure medication",
            frequency="one pill daily",
            supply_from=date(2027, 11, 5),
            supply_days=90,
            refills=0,
        ),
        travel.Trip(
            destination="rural Indonesia", departs=date(2028, 2, 10), returns=date(2028, 3, 20), remote=True
        ),
        says=[
            "2027-11-05",
            "2028-02-02",
            "8 days before you leave",
            "2028-02-10",
            "2028-03-20",
            "new prescription",
        ],
    ),
    fires(
        "automatic refills stop at the cabin door",
        date(2025, 6, 25),
        health.Medication(
            name="lisinopril",
            dose="20 mg",
            supply_from=date(2025, 5, 20),
            supply_days=30,
            refills=3,
            auto_refill=True,
        ),
        travel.Trip(destination="Montana", departs=date(2025, 7, 10), returns=date(2025, 7, 31), remote=True),
        says=[
            "lisinopril",
            "1 automatic refill",
            "2025-07-18",
            "13 days from 2025-07-19 to 2025-07-31",
            "Get a refill",
        ],
    ),
    fires(
        "three weeks abroad, supply for one of them",
        date(2025, 6, 25),
        health.Medication(name="Eliquis", supply_from=date(2025, 6, 10), supply_days=30),
        travel.Trip(destination="Lisbon", departs=date(2025, 7, 1), returns=date(2025, 7, 22)),
        says=["Eliquis", "2025-07-09", "Lisbon", "2025-07-22"],
    ),
    fires(
        "the medicine of one who comes along",
        date(2025, 6, 25),
        health.Medication(name="Eliquis", person="Dad", supply_from=date(2025, 6, 10), supply_days=30),
        travel.Trip(destination="Lisbon", departs=date(2025, 7, 1), returns=date(2025, 7, 22), travellers=["Dad"]),
        says=["Dad's supply of Eliquis", "2025-07-09"],
    ),
    silent(
        "the medicine of one who stays at home; a trip of no date",
        date(2025, 6, 25),
        health.Medication(name="Eliquis", person="Dad", supply_from=date(2025, 6, 10), supply_days=30),
        health.Medication(name="lisinopril", supply_from=date(2025, 6, 10), supply_days=60),
        travel.Trip(destination="Lisbon", departs=date(2025, 7, 1), returns=date(2025, 7, 22), travellers=["Mia"]),
        travel.Trip(destination="Patagonia", state="idea", remote=True),
    ),
    silent(
        "enough to the last day",
        date(2025, 6, 25),
        health.Medication(name="lisinopril", supply_from=date(2025, 6, 1), supply_days=61),
        travel.Trip(destination="Montana", departs=date(2025, 7, 10), returns=date(2025, 7, 31), remote=True),
    ),
    silent(
        "the course ends before the supply does",
        date(2025, 6, 25),
        health.Medication(
            name="doxycycline", supply_from=date(2025, 7, 5), supply_days=10, ends=date(2025, 7, 14)
        ),
        travel.Trip(destination="Montana", departs=date(2025, 7, 10), returns=date(2025, 7, 31), remote=True),
    ),
    silent(
        "a city trip after the next refill, a weekend, a trip that is over",
        date(2025, 6, 25),
        health.Medication(name="lisinopril", supply_from=date(2025, 6, 1), supply_days=30, refills=2),
        travel.Trip(destination="Lisbon", departs=date(2025, 7, 10), returns=date(2025, 7, 31)),
        travel.Trip(destination="Porto", departs=date(2025, 6, 29), returns=date(2025, 7, 2)),
        travel.Trip(destination="Montana", departs=date(2025, 6, 1), returns=date(2025, 6, 20), remote=True),
    ),
    silent(
        "a remote trip far ahead, a supply of last year, vitamins, as needed",
        date(2025, 6, 25),
        health.Medication(name="lisinopril", supply_from=date(2025, 6, 1), supply_days=30, refills=2),
        health.Medication(name="metformin", supply_from=date(2024, 6, 1), supply_days=30),
        health.Medication(name="vitamin D3", supply_from=date(2025, 6, 1), supply_days=30),
        health.Medication(
            name="Imitrex", frequency="as needed", supply_from=date(2025, 6, 1), supply_days=20
        ),
        travel.Trip(
            destination="Patagonia", departs=date(2025, 12, 10), returns=date(2025, 12, 31), remote=True
        ),
        travel.Trip(destination="Yukon", departs=date(2025, 6, 26), returns=date(2025, 6, 30), remote=True),
    ),
]
