from ..helpers import _your


def service_during_trip(user, now):
    """A vehicle's service on a day when the user is away, or when the vehicle is on the road."""
    found = []
    for service in user.household.services:
        last = service.last_day or service.day
        if service.booked is False or is_past(last, now):
            continue
        for trip in user.travel.trips:
            if trip.departs is None or trip.state == "idea":
                continue
            back = trip.returns or trip.departs
            # On the day of departure or return the user may still be, or be again, at home.
            if trip.departs >= service.day or (trip.returns is not None and trip.returns <= service.day):
                if trip.means != "car" or _is_no_car(service) or not overlap(trip.departs, back, service.day, last):
                    continue
            elif not overlap(trip.departs, back, service.day, last):
                continue
            what = f"{service.what or 'service'} of {_your(service.vehicle)}"
            at = f" at {service.at:%H:%M}" if service.at is not None else ""
            shop = f" at {service.shop}" if service.shop is not None else ""
            until = f"to {trip.returns}" if trip.returns is not None else "on"
            how = "you take a car" if trip.means == "car" else "you are away"
            found.append(
                warning(
                    f"The {what} is on {service.day}{at}{shop}, but {how} for {trip.destination} from "
                    f"{trip.departs} {until}. Move the service, or let somebody else bring the vehicle.",
                    service,
                    trip,
                )
            )
    return found


def _is_no_car(service):
    others = ("bicycle", "bike", "boat", "motorbike", "motorcycle", "scooter")
    return any(word in others for word in words(service.vehicle))


CASES = [
    fires(
        "an oil change while the owner is in Tokyo",
        date(2025, 1, 10),
        household.Service(
            vehicle="Honda Accord",
            day=date(2025, 1, 17),
            what="oil change",
            at=time(9, 0),
            shop="SF Honda Service Center",
        ),
        travel.Trip(destination="Tokyo", departs=date(2025, 1, 15), returns=date(2025, 1, 25)),
        says=["oil change of your Honda Accord", "2025-01-17 at 09:00", "Tokyo", "2025-01-15 to 2025-01-25"],
    ),
    fires(
        "the car is needed on the very day",
        date(2025, 1, 10),
        household.Service(vehicle="Golf", day=date(2025, 1, 17)),
        travel.Trip(destination="Lyon", departs=date(2025, 1, 17), means="car"),
        says=["service of your Golf", "Lyon", "you take a car"],
    ),
    silent(
        "on the day of departure and of the return",
        date(2025, 1, 10),
        household.Service(vehicle="Golf", day=date(2025, 1, 15)),
        household.Service(vehicle="Golf", day=date(2025, 1, 25)),
        travel.Trip(
            destination="Tokyo", departs=date(2025, 1, 15), returns=date(2025, 1, 25), means="flight"
        ),
    ),
    silent(
        "the day after the return, by car",
        date(2025, 1, 10),
        household.Service(vehicle="Golf", day=date(2025, 1, 26)),
        travel.Trip(destination="Lyon", departs=date(2025, 1, 15), returns=date(2025, 1, 25), means="car"),
    ),
    silent(
        "past, cancelled, or only an idea",
        date(2025, 1, 18),
        household.Service(vehicle="Golf", day=date(2025, 1, 17)),
        household.Service(vehicle="Golf", day=date(2025, 2, 17)),
        travel.Trip(destination="Lyon", departs=date(2025, 1, 15), returns=date(2025, 1, 25), means="car"),
        household.Service(
            vehicle="Polo", day=date(2025, 3, 17), what="tyres, some day in March", booked=False
        ),
        travel.Trip(destination="Rome", departs=date(2025, 2, 15), returns=date(2025, 2, 25), state="idea"),
        travel.Trip(destination="Oslo", departs=date(2025, 3, 15), returns=date(2025, 3, 25)),
        ended(
            travel.Trip(destination="Bonn", departs=date(2025, 2, 15), returns=date(2025, 2, 25)),
            "2025-01-01",
        ),
    ),
    silent(
        "the motorbike, on the day when the car leaves",
        date(2026, 1, 5),
        household.Service(vehicle="motorbike", day=date(2026, 2, 14)),
        travel.Trip(destination="Bath", departs=date(2026, 2, 14), returns=date(2026, 2, 16), means="car"),
    ),
]
