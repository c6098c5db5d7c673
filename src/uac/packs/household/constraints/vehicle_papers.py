from ..helpers import _in_days, _your


def vehicle_papers(user, now):
    """A vehicle's registration or inspection that ends within 14 days, or has ended in the last year."""
    found = []
    for vehicle in user.household.vehicles:
        for what, last in (
            ("registration", vehicle.registered_until),
            ("inspection", vehicle.inspected_until),
        ):
            left = days_until(last, now) if last is not None else 15
            if -365 <= left < 0:
                text = f"The {what} of {_your(vehicle.name)} ended on {last}, and I know of no new one."
                text = f"{text} Renew it before you drive, or tell me until when it counts now."
                found.append(warning(text, vehicle, subject=f"{record_id(vehicle)} {what}"))
            if 0 <= left <= 14:
                when = _in_days(left)
                plate = f" ({vehicle.plate})" if vehicle.plate is not None else ""
                found.append(
                    warning(
                        f"The {what} of {_your(vehicle.name)}{plate} ends on {last}, {when}. Renew it before "
                        f"you drive after that day.",
                        vehicle,
                        subject=f"{record_id(vehicle)} {what}",
                    )
                )
    return found


CASES = [
    fires(
        "two weeks before",
        date(2025, 5, 17),
        household.Vehicle(name="Accord", plate="8ABC123", registered_until=date(2025, 5, 31)),
        says=["registration of your Accord (8ABC123)", "2025-05-31", "in 14 days"],
    ),
    fires(
        "on the last day",
        date(2025, 5, 31),
        household.Vehicle(name="Golf", inspected_until=date(2025, 5, 31)),
        says=["inspection of your Golf", "today"],
    ),
    silent(
        "fifteen days before, long ago, and not known",
        date(2025, 5, 16),
        household.Vehicle(name="Accord", registered_until=date(2025, 5, 31)),
        household.Vehicle(name="Golf", inspected_until=date(2024, 5, 15)),
        household.Vehicle(name="Polo"),
    ),
    fires(
        "the inspection has run out",
        date(2025, 5, 16),
        household.Vehicle(name="the Golf", inspected_until=date(2025, 5, 15)),
        says=["The inspection of the Golf ended on 2025-05-15", "Renew it before you drive"],
    ),
    silent(
        "sold",
        date(2025, 5, 20),
        ended(household.Vehicle(name="Accord", registered_until=date(2025, 5, 31)), "2025-04-01"),
    ),
    fires(
        "a name with an article",
        date(2026, 2, 14),
        household.Vehicle(name="the Accord", registered_until=date(2026, 2, 28)),
        says=["The registration of the Accord ends on 2026-02-28"],
    ),
]
