from ..helpers import _dated, _is_own


def name_mismatch(user, now):
    """A name in a booking that is not the name in that person's passport."""
    named = [passport for passport in user.travel.passports if _letters(passport.name)]
    mine = [passport for passport in named if _is_own(passport)]
    found = []
    for trip in _dated(user.travel.trips):
        if is_past(trip.departs, now) or trip.means in ("car", "train"):
            continue
        make = critical if trip.state == "booked" else warning
        rule = (
            "Airlines ask that the name on the ticket is the one in the passport: before you travel, have the"
        )
        if mine and not any(_fits(trip.ticket_name, passport.name) for passport in mine):
            name = mine[0].name
            text = f"Your ticket to {trip.destination} on {trip.departs} is in the name of"
            text = f"{text} {trip.ticket_name}, but your passport in the name of {name}. {rule} ticket"
            text = f"{text} changed to {name} or the passport reissued."
            found.append(make(text, mine[0], trip))
        for passport in [passport for passport in named if passport not in mine]:
            for booked in _other_names(passport, trip)[:1]:
                name = passport.name
                text = f"Your trip to {trip.destination} on {trip.departs} has {booked} among the travellers,"
                text = f"{text} but the passport of {passport.holder} is in the name of {name}. {rule} ticket"
                text = f"{text} changed to {name} or the passport reissued."
                found.append(make(text, passport, trip))
    return found


def _fits(ticket, name):
    """Whether a ticket has no name that the passport has not; a middle name may be left out or short.

    Tickets run names together: JESSICAMARIE, OBRIEN.
    """
    printed = _letters(name)[:20]  # no name has more parts
    joined = ["".join(printed[i:j]) for i in range(len(printed)) for j in range(i + 1, len(printed) + 1)]
    initials = [word[0] for word in printed[1:-1]]
    return all(word in joined or word in initials for word in _letters(ticket))


def _other_names(passport, trip):
    """Names of the booking that must mean the holder of the passport, and have another family name."""
    printed = _letters(passport.name)
    # A first name alone says nothing about the family name; a nickname that the user mentions is not a ticket.
    full = [
        name for name in trip.travellers if len(_letters(name)) > 1 and same_person(passport.holder, name)
    ]
    return [name for name in full if _letters(name)[-1] not in printed and printed[-1] not in _letters(name)]


def _letters(name):
    """The words of a name as a ticket spells them: no titles, no accents."""
    plain = (name or "").lower()
    for letters, other in (
        ("áàâãåä", "a"),
        ("éèêë", "e"),
        ("íìîï", "i"),
        ("óòôõöø", "o"),
        ("úùûü", "u"),
        ("ñ", "n"),
    ):
        for letter in letters:
            plain = plain.replace(letter, other)
    plain = (
        plain.replace("ç", "c").replace("ß", "ss").replace("ae", "a").replace("oe", "o").replace("ue", "u")
    )
    return [word for word in words(plain) if word not in ("mr", "mrs", "ms", "miss", "dr", "little")]


CASES = [
    fires(
        "the child has her mother's new name in the booking only",
        date(2025, 1, 20),
        travel.Passport(holder="Mia", name="Mia Brown"),
        travel.Trip(
            destination="Rome", departs=date(2025, 3, 10), travellers=["Paul", "Mia Weber"], state="booked"
        ),
        says=["Mia Weber", "Mia Brown", "Rome", "2025-03-10"],
    ),
    fires(
        "the user's own ticket has a short form",
        date(2025, 1, 20),
        travel.Passport(holder="me", name="Elizabeth Marie Jones"),
        travel.Trip(destination="Rome", departs=date(2025, 3, 10), ticket_name="Liz Jones"),
        says=["Liz Jones", "Elizabeth Marie Jones"],
    ),
    silent(
        "no middle name, other accents, only a first name, a nickname",
        date(2025, 1, 20),
        travel.Passport(holder="me", name="José Luis Müller"),
        travel.Passport(holder="Mia", name="Mia Brown"),
        travel.Passport(holder="Tom", name="Thomas Brown"),
        travel.Trip(
            destination="Rome",
            departs=date(2025, 3, 10),
            ticket_name="JOSE MUELLER",
            travellers=["Mia", "Tom Brown"],
        ),
    ),
    silent(
        "another person of that first name; a second passport in the name of the ticket",
        date(2025, 1, 20),
        travel.Passport(holder="me", name="Ana Silva"),
        travel.Passport(holder="me (Spain)", name="Ana Silva Costa"),
        travel.Trip(destination="Oslo", departs=date(2025, 4, 10), ticket_name="Ana Costa"),
        travel.Passport(holder="Mia Brown", name="Mia Brown"),
        travel.Trip(destination="Rome", departs=date(2025, 3, 10), travellers=["Mia Weber"], state="booked"),
    ),
    silent(
        "the trip is over, or goes by car",
        date(2025, 1, 20),
        travel.Passport(holder="Mia", name="Mia Brown"),
        travel.Trip(destination="Rome", departs=date(2025, 1, 19), travellers=["Mia Weber"], state="booked"),
        travel.Trip(destination="Pisa", departs=date(2025, 3, 19), travellers=["Mia Weber"], means="car"),
    ),
    silent(
        "names run together, an apostrophe, and the initial of a middle name",
        date(2026, 1, 5),
        travel.Passport(holder="me", name="Jessica Marie O'Brien"),
        travel.Trip(destination="Lima", departs=date(2026, 2, 1), ticket_name="Jessica M OBrien"),
        travel.Trip(destination="Quito", departs=date(2026, 3, 1), ticket_name="OBRIEN/JESSICAMARIE MS"),
    ),
]
