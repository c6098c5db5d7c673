def pet_papers(user, now):
    """A pet that comes along on a trip, or moves, with a health certificate that has ended by then."""
    found = []
    for pet in user.household.pets:
        if pet.certificate_until is None:
            continue
        for trip in user.travel.trips:
            if trip.departs is None or is_past(trip.departs, now) or not _comes_along(pet, trip):
                continue
            arrives = trip.returns if _is_move(trip) and trip.returns is not None else trip.departs
            if not expires_before(pet.certificate_until, arrives):
                continue
            days = (arrives - pet.certificate_until).days
            found.append(
                warning(
                    f"The health certificate of {pet.name}, your {pet.kind}, ends on "
                    f"{pet.certificate_until}, {days} {'day' if days == 1 else 'days'} before {arrives}, when you travel to "
                    f"{trip.destination}. Get {pet.name} a new certificate before you leave, and check what "
                    f"{trip.destination} asks for.",
                    pet,
                    trip,
                )
            )
    return found


def _comes_along(pet, trip):
    return _is_move(trip) or any(
        mentions(traveller, pet.name) or same(traveller, pet.kind) for traveller in trip.travellers
    )


def _is_move(trip):
    return any(word in ("move", "moving", "relocation", "relocating") for word in words(trip.purpose))


CASES = [
    fires(
        "a move to another state",
        date(2025, 10, 1),
        household.Pet(name="Max", kind="dog", certificate_until=date(2025, 10, 15)),
        travel.Trip(destination="Austin", departs=date(2025, 10, 28), purpose="moving to Texas", means="car"),
        says=["Max", "dog", "2025-10-15", "13 days before 2025-10-28", "Austin", "new certificate"],
    ),
    fires(
        "on a journey with the cat",
        date(2025, 10, 1),
        household.Pet(name="Miso", kind="cat", certificate_until=date(2025, 10, 27)),
        travel.Trip(destination="Bonn", departs=date(2025, 10, 28), travellers=["Ana", "Miso"]),
        says=["Miso", "1 day before 2025-10-28", "Bonn"],
    ),
    silent(
        "valid on the very day",
        date(2025, 10, 1),
        household.Pet(name="Max", kind="dog", certificate_until=date(2025, 10, 28)),
        travel.Trip(destination="Austin", departs=date(2025, 10, 28), purpose="move"),
    ),
    silent(
        "the dog stays at home, or the trip is past",
        date(2025, 10, 29),
        household.Pet(name="Max", kind="dog", certificate_until=date(2025, 10, 15)),
        travel.Trip(destination="Rome", departs=date(2025, 11, 28), purpose="holiday", travellers=["Ana"]),
        travel.Trip(destination="Austin", departs=date(2025, 10, 28), purpose="move"),
    ),
    silent(
        "no certificate known",
        date(2025, 10, 1),
        household.Pet(name="Max", kind="dog"),
        travel.Trip(destination="Austin", departs=date(2025, 10, 28), purpose="move"),
    ),
]
