from ..helpers import _for_whom, _is_same, _kinds, _whose, _with_details


def medicine_abroad(user, now):
    """A medicine that may not be brought into the country of a trip, or only with a permit."""
    drugs = knowledge("health.drugs")
    places = knowledge("travel.places")
    rules = sorted(knowledge("health.medicines_abroad"), key=lambda rule: rule["severity"] != "critical")
    found = []
    for trip in user.travel.trips:
        if trip.departs is None or trip.state == "idea" or is_past(trip.departs, now):
            continue
        there = {_country(text, places) for text in [trip.country or trip.destination, *trip.stops]}
        local = [rule for rule in rules if [name for name in rule["countries"] if name in there]]
        for medication in user.health.medications if local else []:
            whose = _whose(medication.person)
            comes = not whose or any(_is_same(whose, _whose(name)) for name in trip.travellers)
            if not comes or (medication.ends is not None and medication.ends < trip.departs):
                continue
            kinds = _kinds(medication, drugs)
            rule = first([rule for rule in local if _is_about(rule, medication, kinds)])
            if rule is not None:
                country = first([name for name in rule["countries"] if name in there])
                message = (
                    f"{_for_whom(whose)}{_with_details(medication)} on the trip to {trip.destination} on {trip.departs}:"
                    f" {rule['why'].replace('{country}', country)}. Ask the embassy of that country before you pack it."
                )
                raised = critical if rule["severity"] == "critical" else warning
                found.append(raised(message, medication, trip, rows=[("health.medicines_abroad", rule)]))
    return found


def _country(text, places):
    """The usual English name of the country that a text names, or of its city; the text itself if it is unknown."""
    named = " ".join(words(text))
    parts = [named, *[" ".join(words(part)) for part in reversed((text or "").split(","))]]
    known = [places["countries"].get(part) or places["codes"].get(part) or places["cities"].get(part) for part in parts]
    return first([name for name in known if name], text or "")


def _is_about(rule, medication, kinds):
    named = [word for word in rule.get("words", []) if mentions(medication.name, word)]
    return bool(named or [kind for kind in kinds if kind in rule["drugs"]])


CASES = [
    fires(
        "Adderall in Japan",
        date(2026, 11, 16),
        health.Medication(name="Adderall", dose="20 mg"),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 1)),
        says=["Adderall (20 mg)", "Tokyo", "Japan bans", "embassy"],
    ),
    fires(
        "a sleeping pill in Dubai needs a permit",
        date(2026, 11, 16),
        health.Medication(name="diazepam", person="Mia"),
        travel.Trip(destination="Dubai", departs=date(2026, 12, 1), travellers=["Mia"]),
        says=["For Mia: diazepam", "permit"],
    ),
    silent(
        "what may be brought, a medicine that ends before, somebody who stays at home, an idea",
        date(2026, 11, 16),
        health.Medication(name="paracetamol"),
        health.Medication(name="tramadol", ends=date(2026, 11, 20)),
        health.Medication(name="Adderall", person="Theo"),
        travel.Trip(destination="Tokyo", departs=date(2026, 12, 1)),
        travel.Trip(destination="Cairo", country="Egypt", departs=date(2027, 2, 1), state="idea"),
    ),
    silent(
        "at home and in a country that has no row",
        date(2026, 11, 16),
        health.Medication(name="Ritalin"),
        health.Medication(name="oxycodone"),
        travel.Trip(destination="Boston", departs=date(2026, 12, 1)),
        travel.Trip(destination="Madrid", departs=date(2027, 1, 5)),
    ),
]
