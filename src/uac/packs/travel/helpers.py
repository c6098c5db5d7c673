"""What the constraints of travel share. This file is read, never run."""


def _dated(trips):
    """The trips whose day of departure is known; an idea may have none."""
    return [trip for trip in trips if trip.departs is not None]


def _is_own(paper):
    """Whether a passport, a visa or another document is the user's own."""
    return first(words(paper.holder)) in ("me", "i", "user", "self", "myself")


def _holder_travels(paper, trip):
    """Whether the holder of a document is on the trip; the user always is."""
    return _is_own(paper) or any(same_person(paper.holder, name) for name in trip.travellers)


_OF_A_CITIZEN = "a citizen citizenship national nationality passport the i am holder staatsbürger staatsangehörig pass".split()


def _country_of(country, place, places):
    """The usual English name of a country, as given or as the place tells; None if unknown."""
    named = " ".join(words(country))
    if named:
        own = " ".join([word for word in words(country) if word not in _OF_A_CITIZEN])  # a US citizen, German passport
        lists = [places["countries"], places["codes"], places.get("nationalities", {}), places["cities"]]
        return first([names[said] for said in (named, own) for names in lists if said in names]) or country
    parts = [" ".join(words(part)) for part in [place, *reversed((place or "").split(","))]]
    known = [c for n in parts for c in [places["cities"].get(n) or places["countries"].get(n)] if c]
    state, code = places.get("states", {}).get(parts[1]), places["codes"].get(parts[1])
    if state is None or len(parts) < 3 or code in known:  # Berlin, DE is not Delaware
        return first(known)
    # Melbourne, FL is not in Australia; of Bonn, DE nothing is known.
    return state if known or not (code or parts[1] == "georgia") else None


def _crosses_border(trip, country, homes, places):
    """Whether a trip leads abroad; False if that is not known."""
    if trip.international is not None:
        return trip.international
    origin = _country_of(None, trip.origin, places)
    return country is not None and country not in ([origin] if origin else homes or [country])


def _is_same_place(place, other):
    return mentions(place, other) or mentions(other, place)


def _is_for(visa, country, places):
    """Whether a visa is for the country, or for the Schengen area that it is in."""
    in_area = mentions(visa.country, "schengen") and country in places["schengen"]
    return in_area or _country_of(visa.country, None, places) == country


def _area_of(visa):
    """Where a visa is for, in a sentence: India, the Schengen area."""
    return f"the {visa.country}" if mentions(visa.country, "area") else visa.country


def _checked_before(rule, day, now):
    """What to say of a row that is in date today but will not be on the day of the journey; else an empty text."""
    if "expires" not in rule or not str(as_date(now)) <= rule["expires"] < str(day):
        return ""
    return f" As of {rule['reviewed_on']}, check again before you travel: such rules change."


def _citizenships(profile, passports, places):
    """The countries of which the user is a citizen or has a passport, in the order in which they are known."""
    named = [*(profile.citizenships if profile is not None else []), *[p.country for p in passports if _is_own(p)]]
    known = [_country_of(name, None, places) for name in named if name]
    return list(dict.fromkeys([name for name in known if name]))


def _in_text(country):
    """The name of a country inside a sentence: the United Kingdom, France."""
    takes_article = first(country.split()) in ("United", "Netherlands", "Philippines", "Maldives", "Bahamas", "Czech")
    return f"the {country}" if takes_article else country


def _counted_days(days):
    """1 day, 30 days."""
    return f"{days} day" if days == 1 else f"{days} days"
