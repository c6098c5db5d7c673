from ..helpers import _has, _has_ended, _holder, _is_same, _whose


def altitude_condition(user, now):
    """A trip to a great height with a condition of heart, lungs or blood that thin air makes worse."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.activities")
    found = []
    for trip in user.travel.trips:
        if is_past(trip.returns or trip.departs, now):
            continue
        height = _height(trip, table["places_m"])
        comes = ["", *[_whose(name) for name in trip.travellers]]
        ill = [
            (condition, rule, whose)
            for condition in user.health.conditions
            for whose in [_holder(condition, condition.name)]
            for rule in [_rule(condition, table["altitude_conditions"], now)]
            if rule is not None and height >= table["altitude"][_border(condition)]
            if any(_is_same(whose, name) for name in comes)
        ]
        if not ill:
            continue
        taken = [
            (medication, why)
            for medication in user.health.medications
            for why in [_remark(medication, table["altitude_drugs"], drugs)]
            if why and not _has_ended(medication, now)
            if any(_is_same(_whose(medication.person), whose) for _one, _rule_of, whose in ill)
        ]
        extreme = height >= table["altitude"]["extreme_m"]
        loose = [condition for condition, _why, _name in ill if not condition.controlled]
        raised = critical if extreme or loose else warning
        records = [*[condition for condition, _why, _name in ill], *[medication for medication, _why in taken]]
        rows = [("health.activities", rule) for _condition, rule, _whose_it_is in ill]
        found.append(raised(_message(trip, height, ill, taken), trip, *records, rows=rows))
    return found


def _border(condition):
    return "from_m_if_controlled" if condition.controlled else "from_m"


def _height(trip, places):
    """How high the trip goes, as it was said or as the place is known; 0 if neither."""
    if trip.highest_m is not None:
        return trip.highest_m
    text = " / ".join([trip.destination, *trip.stops, *trip.activities])
    return max([places[name] for name in places if mentions(text, name)], default=0)


def _rule(condition, rules, now):
    if condition.past or _has_ended(condition, now):
        return None
    pregnant = mentions(condition.name, "pregnancy") or mentions(condition.name, "pregnant")
    if pregnant and condition.since is not None and is_past(add_months(condition.since, days=300), now):
        return None
    return first([rule for rule in rules if [word for word in rule["words"] if _has(condition, word)]])


def _remark(medication, remarks, drugs):
    """What the table says about the medicine at such heights, or an empty text."""
    parts = words(medication.name)
    named = [name for part in parts for name in drugs["names"].get(part, [])]
    kinds = [*named, *[kind for name in named for kind in drugs["classes"].get(name, [])]]
    return first([remarks[kind] for kind in kinds if kind in remarks], "")


def _message(trip, height, ill, taken):
    control = {True: ", well controlled", False: ", not well controlled"}
    dates = f" from {trip.departs}" if trip.departs else ""
    dates = f"{dates} to {trip.returns}" if trip.returns else dates
    states = [
        f"{condition.name} ({f'{whose} has' if whose else 'you have'} it{control.get(condition.controlled, '')}):"
        f" {rule['why']}"
        for condition, rule, whose in ill
    ]
    remarks = [f" Also on the list of medicines: {_for_purpose(medication)}: {why}." for medication, why in taken]
    return (
        f"Your trip to {trip.destination}{dates} goes up to {height} m. At that height, {'; '.join(states)}."
        f"{''.join(remarks)} Do not go before a doctor has cleared you for this altitude, and check that your"
        " insurance covers the condition and a rescue there."
    )


def _for_purpose(medication):
    return f"{medication.name} for {medication.purpose}" if medication.purpose else medication.name


CASES = [
    fires(
        "Everest Base Camp with atrial fibrillation, even if it is controlled",
        date(2025, 7, 20),
        health.Condition(name="atrial fibrillation", controlled=True),
        health.Medication(name="acetazolamide", purpose="glaucoma"),
        travel.Trip(
            destination="Everest Base Camp",
            departs=date(2025, 8, 15),
            returns=date(2025, 9, 5),
            highest_m=5364,
        ),
        says=[
            "2025-08-15",
            "2025-09-05",
            "5364 m",
            "atrial fibrillation",
            "well controlled",
            "acetazolamide",
            "glaucoma",
        ],
    ),
    fires(
        "a place known to be high",
        date(2025, 7, 20),
        health.Condition(name="COPD"),
        travel.Trip(destination="La Paz", country="Bolivia", departs=date(2025, 8, 15)),
        says=["La Paz", "3640 m", "COPD"],
    ),
    fires(
        "the child who comes along, on a trip of no date yet",
        date(2025, 7, 20),
        health.Condition(name="sickle cell disease", person="Theo"),
        travel.Trip(destination="La Paz", state="idea", travellers=["Theo"]),
        says=["Your trip to La Paz goes up", "Theo has it"],
    ),
    silent(
        "the one with the condition stays at home",
        date(2025, 7, 20),
        health.Condition(name="COPD", person="Dad"),
        travel.Trip(destination="La Paz", departs=date(2025, 8, 15), travellers=["Mia"]),
    ),
    silent(
        "controlled, and not that high",
        date(2025, 7, 20),
        health.Condition(name="atrial fibrillation", controlled=True),
        travel.Trip(destination="Chamonix", departs=date(2025, 8, 15), highest_m=3400),
    ),
    silent(
        "an unknown height, a past trip, a condition that does not mind",
        date(2025, 9, 6),
        health.Condition(name="atrial fibrillation"),
        health.Condition(name="glaucoma"),
        travel.Trip(destination="Nepal", departs=date(2025, 10, 1)),
        travel.Trip(destination="La Paz", departs=date(2025, 8, 15), returns=date(2025, 9, 5)),
    ),
    silent(
        "high, and in good health",
        date(2025, 7, 20),
        health.Condition(name="hay fever"),
        health.Condition(name="wife is pregnant"),
        ended(health.Condition(name="pregnancy"), "2024-02-01"),
        health.Medication(name="acetazolamide"),
        travel.Trip(destination="Kilimanjaro", departs=date(2025, 8, 15)),
    ),
]
