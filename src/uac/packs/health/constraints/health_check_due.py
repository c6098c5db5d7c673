def health_check_due(user, now):
    """A visit or a vaccination that was to be repeated by now, or soon."""
    dues = [
        *[(visit, visit.what, visit.day, visit.next_due) for visit in user.health.visits],
        *[
            (shot, f"{shot.vaccine} vaccination", shot.day, shot.next_due)
            for shot in user.health.vaccinations
        ],
    ]
    latest = {}
    for _record, what, day, _due in dues:
        name = " ".join(words(what))
        latest[name] = max(day, latest.get(name, day))
    found = []
    for record, what, day, due in dues:
        if due is None or latest[" ".join(words(what))] > day:
            continue
        # What is half a year overdue was done or decided against.
        if due_within(due, now, 30) or -180 <= days_until(due, now) < 0:
            overdue = days_until(due, now) < 0
            message = (
                f"{what}: the last one was on {day}, and the next {'was' if overdue else 'is'} due on {due}"
                f" ({abs(days_until(due, now))} days {'ago' if overdue else 'ahead'}). Make an appointment."
            )
            found.append(info(message, record))
    return found


CASES = [
    fires(
        "a booster next week",
        date(2025, 6, 1),
        health.Vaccination(vaccine="tetanus", day=date(2015, 6, 10), next_due=date(2025, 6, 10)),
        says=["tetanus", "2015-06-10", "2025-06-10", "9 days ahead"],
    ),
    fires(
        "a check-up a month overdue",
        date(2025, 6, 1),
        health.Visit(what="dental cleaning", day=date(2024, 11, 1), next_due=date(2025, 5, 1)),
        says=["dental cleaning", "2024-11-01", "2025-05-01", "31 days ago"],
    ),
    silent(
        "not yet",
        date(2025, 5, 10),
        health.Vaccination(vaccine="tetanus", day=date(2015, 6, 10), next_due=date(2025, 6, 10)),
        health.Visit(what="annual physical", day=date(2025, 1, 1)),
    ),
    silent(
        "the next one is booked or done",
        date(2025, 6, 1),
        health.Visit(what="Dental cleaning", day=date(2024, 11, 1), next_due=date(2025, 5, 1)),
        health.Visit(what="dental cleaning", day=date(2025, 6, 20)),
    ),
    silent(
        "long forgotten",
        date(2025, 6, 1),
        health.Visit(what="eye exam", day=date(2022, 11, 1), next_due=date(2023, 11, 1)),
    ),
]
