from ..helpers import _checked_before, _citizenships, _country_of, _crosses_border, _dated, _in_text

_PARTNERS = "wife husband spouse partner fiance fiancee girlfriend boyfriend frau mann ehefrau ehemann partnerin".split()
_CHILDREN = "son daughter child kid baby stepson stepdaughter sohn tochter kind".split()


def minor_consent(user, now):
    """A child who goes abroad, it seems not with both parents, and no letter of consent is known."""
    places = knowledge("travel.places")
    profile = user.travel.profile
    home = _country_of(profile.home_country, profile.home, places) if profile is not None else None
    homes = [home] if home else _citizenships(profile, user.travel.passports, places)
    found = []
    for trip in [trip for trip in _dated(user.travel.trips) if trip.state != "idea" and not is_past(trip.departs, now)]:
        country = _country_of(trip.country, trip.destination, places)
        if not _crosses_border(trip, country, homes, places):
            continue
        company = [person for person in user.people.persons if any(same_person(person.name, name) for name in trip.travellers)]
        both = any(word in _PARTNERS for person in company for word in words(person.relation))
        for child in company:
            own = any(word in _CHILDREN for word in words(child.relation))
            if not _is_minor(child, trip.departs) or (own and both) or _has_letter(user.travel.documents, child):
                continue
            found.append(_alert(child, trip, country, now))
    return found


def _alert(child, trip, country, now):
    rule = knowledge("travel.entry_rules").get("minors", {}).get((country or "").lower())
    text = f"{child.name} is under 18 and goes to {trip.destination} on {trip.departs}. If not both parents come along, take a letter of"
    text = f"{text} consent of the parent who stays at home, best notarised, and the birth certificate: airlines and border officers ask for them."
    if rule is None:
        return info(f"{text} I know of no such letter.", child, trip)
    text = f"{text} {_in_text(country)} {rule['says']}.{_checked_before(rule, trip.departs, now)}"
    return warning(text, child, trip, rows=[("travel.entry_rules", rule)])


def _is_minor(person, day):
    return person.born is not None and person.born <= day < add_months(person.born, 18 * 12)


def _has_letter(documents, child):
    kinds = ("consent", "authorisation", "authorization", "permission", "reisevollmacht", "einverständniserklärung")
    papers = [paper for paper in documents if any(kind in words(paper.what) for kind in kinds)]
    return any(same_person(paper.holder, child.name) or mentions(paper.what, child.name) for paper in papers)


CASES = [
    fires(
        "a daughter flies with one parent",
        date(2026, 11, 16),
        travel.Profile(home="Munich"),
        people.Person(name="Lily", relation="daughter", born=date(2018, 5, 1)),
        travel.Trip(destination="New York", departs=date(2027, 2, 1), travellers=["Lily"], state="booked"),
        says=["Lily is under 18", "New York on 2027-02-01", "letter of consent", "I know of no such letter"],
    ),
    fires(
        "South Africa asks more",
        date(2026, 11, 16),
        travel.Profile(home="London"),
        people.Person(name="Ben", relation="nephew", born=date(2012, 5, 1)),
        people.Person(name="Ana", relation="wife", born=date(1985, 5, 1)),
        travel.Trip(destination="Cape Town", departs=date(2026, 12, 20), travellers=["Ben", "Ana"]),
        says=["Ben is under 18", "South Africa may ask"],
    ),
    silent(
        "both parents come along; a letter is at hand; grown up by then; a journey at home; an idea; nobody knows the age",
        date(2026, 11, 16),
        travel.Profile(home="Munich"),
        people.Person(name="Lily", relation="daughter", born=date(2018, 5, 1)),
        people.Person(name="Ana", relation="wife", born=date(1985, 5, 1)),
        people.Person(name="Max", relation="son", born=date(2009, 1, 1)),
        people.Person(name="Zoe", relation="niece"),
        people.Person(name="Tom", relation="nephew", born=date(2015, 1, 1)),
        travel.Document(holder="Tom", what="letter of consent of his mother"),
        travel.Trip(destination="New York", departs=date(2027, 2, 1), travellers=["Lily", "Ana"]),
        travel.Trip(destination="London", departs=date(2027, 3, 1), travellers=["Max", "Zoe", "Tom"]),
        travel.Trip(destination="Hamburg", departs=date(2027, 4, 1), travellers=["Lily"]),
        travel.Trip(destination="Tokyo", departs=date(2027, 5, 1), travellers=["Lily"], state="idea"),
    ),
]
