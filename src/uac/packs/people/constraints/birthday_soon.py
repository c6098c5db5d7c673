def birthday_soon(user, now):
    """A birthday of somebody in the user's life within a week, of a contact within two days.

    Somebody born on February 29 has it on February 28 in other years.
    """
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    found = []
    named = []
    for person in user.people.persons:
        if person.born is None:
            continue
        named.append(person.name)
        if any(word in ("late", "deceased", "dead") for word in words(person.relation)):
            continue
        day = _next(person.born, now)
        if due_within(day, now, 7):
            who = f"{person.name} ({person.relation})" if person.relation is not None else person.name
            thought_of = [gift for gift in user.people.gifts if not gift.given]
            gifts = [gift.what for gift in thought_of if same_person(gift.to, person.name)]
            likes = f" {person.name} likes {', '.join(person.likes)}." if person.likes else ""
            hint = f" You thought of: {', '.join(gifts)}." if gifts else likes
            found.append(info(f"{who} {_turns(person.born, day)} on {day}, {_in(day, now)}.{hint}", person))
    for contact in user.people.contacts:
        if contact.birthday is None:
            continue
        day = _next(contact.birthday, now)
        if due_within(day, now, 2) and not any(same_person(contact.name, name) for name in named):
            turns = _turns(contact.birthday, day)
            found.append(info(f"{contact.name} {turns} on {day}, {_in(day, now)}.", contact))
    return found


def _next(born, now):
    """The next birthday, today included."""
    today = as_date(now)
    years = max(today.year - born.year, 1)
    day = add_months(born, 12 * years)
    return day if day >= today else add_months(born, 12 * (years + 1))


def _turns(born, day):
    if born.year <= 1904:  # what some address books write if the year is not known
        return "has a birthday"
    return f"turns {day.year - born.year}"


def _in(day, now):
    days = days_until(day, now)
    return "today" if days == 0 else "tomorrow" if days == 1 else f"in {days} days"


CASES = [
    fires(
        "a week before",
        date(2025, 10, 27),
        people.Person(name="Sarah", relation="daughter", born=date(2016, 11, 3), likes=["horses"]),
        people.Gift(to="Sarah", what="a riding lesson"),
        says=["Sarah (daughter) turns 9 on 2025-11-03", "in 7 days", "a riding lesson"],
    ),
    fires(
        "over the end of the year",
        date(2025, 12, 31),
        people.Contact(name="Bo", birthday=date(1980, 1, 2)),
        says=["Bo turns 46 on 2026-01-02", "in 2 days"],
    ),
    fires(
        "born on February 29, in a year without one",
        date(2025, 2, 27),
        people.Person(name="Leo", born=date(2000, 2, 29)),
        says=["Leo turns 25 on 2025-02-28", "tomorrow"],
    ),
    fires(
        "born on February 29, in a leap year",
        date(2028, 2, 29),
        people.Person(name="Leo", born=date(2000, 2, 29)),
        says=["Leo turns 28 on 2028-02-29", "today"],
    ),
    silent(
        "eight days before, the day after, and unknown",
        date(2025, 10, 26),
        people.Person(name="Sarah", born=date(2016, 11, 3)),
        people.Person(name="Bo", born=date(1980, 10, 25)),
        people.Person(name="Zoe"),
    ),
    silent(
        "a contact three days before, and the daughter's own card",
        date(2025, 10, 31),
        people.Contact(name="Bo", birthday=date(1980, 11, 3)),
        people.Person(name="Sarah", born=date(2016, 12, 3)),
        people.Contact(name="Sarah Thompson", birthday=date(2016, 11, 1)),
    ),
    silent(
        "the day after February 28 in a year without a 29th",
        date(2025, 3, 1),
        people.Person(name="Leo", born=date(2000, 2, 29)),
    ),
    silent(
        "the day of birth is not a birthday, and somebody who has left the user's life",
        date(2025, 10, 26),
        people.Person(name="Ida", born=date(2025, 10, 26)),
        ended(people.Person(name="Bo", born=date(1980, 10, 28)), "2024-01-01"),
    ),
    silent(
        "somebody who has died, and their card",
        date(2026, 2, 19),
        people.Person(name="Rose", relation="late grandmother", born=date(1930, 2, 20)),
        people.Contact(name="Rose", birthday=date(1930, 2, 20)),
    ),
]
