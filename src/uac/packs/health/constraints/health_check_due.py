from ..helpers import _for_whom, _is_same, _whose

# Words that tell one dose or one visit from the next, not one vaccine or check from another.
NUMBERS = "first second third fourth fifth 1st 2nd 3rd 4th 5th 1 2 3 4 5 one two three i ii iii".split()
DOSES = "dose doses shot jab booster vaccine vaccination of the series final next follow up".split()


def health_check_due(user, now):
    """A visit or a vaccination that was to be repeated by now, or soon; of a series, only the last dose counts."""
    dues = [
        *[(visit, visit.what, visit.day, visit.next_due) for visit in user.health.visits],
        *[
            (shot, f"{shot.vaccine} vaccination", shot.day, shot.next_due)
            for shot in user.health.vaccinations
        ],
    ]
    known = [(_whose(record.person), _name(what), day) for record, what, day, _due in dues]
    found = []
    told = []
    for record, what, day, due in sorted(dues, key=lambda each: (each[2], each[1])):
        whose, name = _whose(record.person), _name(what)
        if due is None or any(
            later > day and _is_same(whose, other) and _is_one(record, name, named) for other, named, later in known
        ):
            continue
        if any(due == said and _is_same(whose, other) and _is_one(record, name, named) for other, named, said in told):
            continue
        # What is half a year overdue was done or decided against.
        if due_within(due, now, 30) or -180 <= days_until(due, now) < 0:
            told = [*told, (whose, name, due)]
            overdue = days_until(due, now) < 0
            message = (
                f"{_for_whom(whose)}{what}: the last one was on {day}, and the next {'was' if overdue else 'is'} due on"
                f" {due} ({_in_weeks(abs(days_until(due, now)))} {'ago' if overdue else 'ahead'}). Make an appointment. No medical"
                " advice."
            )
            found.append(info(message, record))
    return found


def _name(what):
    """What is repeated, without the number of the dose: hepatitis b (2nd dose) is hepatitis b."""
    said = words(what)
    return [word for word in said if word not in NUMBERS and word not in DOSES] or said


def _is_one(record, name, other):
    """Whether the other is of the same kind: a 'tetanus shot at the clinic' is the tetanus vaccination.

    A check-up is not every check-up with more words: the name of a visit must have two words for that.
    """
    is_plain = record_id(record).startswith("health.Vaccination") or len(name) > 1
    return name == other or (is_plain and all(word in other for word in name))


def _in_weeks(days):
    """9 days; from two weeks on in weeks, so that the alert does not change every day."""
    return f"about {(days + 3) // 7} weeks" if days > 14 else "1 day" if days == 1 else f"{days} days"


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
        says=["dental cleaning", "2024-11-01", "2025-05-01", "about 4 weeks ago"],
    ),
    fires(
        "a child's, though the parent had it later",
        date(2025, 6, 1),
        health.Vaccination(vaccine="tetanus", person="Theo", day=date(2020, 6, 10), next_due=date(2025, 6, 10)),
        health.Vaccination(vaccine="tetanus", day=date(2024, 6, 10), next_due=date(2034, 6, 10)),
        says=["For Theo: tetanus vaccination", "2025-06-10"],
    ),
    silent(
        "not yet",
        date(2025, 5, 10),
        health.Vaccination(vaccine="tetanus", day=date(2015, 6, 10), next_due=date(2025, 6, 10)),
        health.Visit(what="annual physical", day=date(2025, 1, 1)),
    ),
    fires(
        "another check-up is another one",
        date(2025, 6, 1),
        health.Visit(what="check-up", day=date(2024, 6, 20), next_due=date(2025, 6, 20)),
        health.Visit(what="check-up of the eyes", day=date(2025, 6, 7)),
        says=["check-up: the last one was on 2024-06-20", "about 3 weeks ahead"],
    ),
    silent(
        "the next one is booked or done",
        date(2025, 6, 1),
        health.Visit(what="Dental cleaning", day=date(2024, 11, 1), next_due=date(2025, 5, 1)),
        health.Visit(what="dental cleaning", day=date(2025, 6, 20)),
        health.Vaccination(vaccine="hepatitis B, 1st dose", day=date(2025, 5, 10), next_due=date(2025, 6, 7)),
        health.Vaccination(vaccine="hepatitis B (2nd dose)", day=date(2025, 6, 7)),
        health.Vaccination(vaccine="rabies", day=date(2025, 5, 10), next_due=date(2025, 6, 7)),
        health.Visit(what="second rabies shot", day=date(2025, 6, 7)),
    ),
    silent(
        "long forgotten",
        date(2025, 6, 1),
        health.Visit(what="eye exam", day=date(2022, 11, 1), next_due=date(2023, 11, 1)),
    ),
]
