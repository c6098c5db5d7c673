_KINDS = {
    "car": ["car", "auto", "automobile", "motor", "vehicle"],
    "health": ["health", "medical", "cobra"],
}
_RISKY = (
    "heli skiing, backcountry skiing, skiing, snowboarding, mountaineering, rock climbing, ice climbing, "
    "trekking, scuba, freediving, skydiving, paragliding, hang gliding, bungee, base jumping, rafting, "
    "canyoning, kitesurfing, mountain biking, motorcycling"
).split(", ")
_RISKY_ON_TRIPS = [*_RISKY, "diving", "climbing", "trek", "backcountry"]  # at home: a deep dive, Star Trek


def coverage_gap(user, now):
    """A drive or a risky activity on a day when the insurance for it is not in force."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    outings = []
    for trip in user.travel.trips:
        last = trip.returns or trip.departs
        if trip.departs is not None and not is_past(last, now):
            what = f"your trip to {trip.destination}"
            if trip.means == "car":
                outings.append(("car", f"{what} by car", trip.departs, last, trip))
            risky = [activity for activity in trip.activities if _is_one_of(_RISKY_ON_TRIPS, activity)]
            if risky:
                outings.append(("health", f"{what} with {', '.join(risky)}", trip.departs, last, trip))
    for meeting in user.calendar.appointments:
        day = as_date(meeting.starts)
        if meeting.repeats is None and meeting.attends is not False and not is_past(day, now):
            if any(same(thing, "car") for thing in meeting.needs):
                outings.append(("car", f"the drive for {meeting.what}", day, day, meeting))
            if _is_one_of(_RISKY, meeting.what):
                outings.append(("health", meeting.what, day, day, meeting))
    for sport in user.health.activities:
        if sport.starts is not None and sport.how_often is None and _is_one_of(_RISKY_ON_TRIPS, sport.what):
            last = sport.ends or sport.starts
            if not is_past(last, now):
                outings.append(("health", sport.what, sport.starts, last, sport))
    found = []
    for kind, what, begins, ends, record in outings:
        own = [policy for policy in user.finance.policies if policy.person is None]
        mine = [policy for policy in own if _is_of(policy, kind)]
        helpful = mine if kind == "car" else [*mine, *[one for one in own if mentions(one.what, "travel")]]
        day = _first_without(helpful, begins, ends)
        if day is None:
            continue
        before = _last(mine, day)
        after = first(sorted([policy for policy in mine if _starts_after(policy, day)], key=_start))
        former = [policy for policy in user.finance.former_policies if policy.person is None]
        given_up = [policy for policy in former if _is_of(policy, kind)]
        if before is None and after is None and not given_up:  # nothing is known of such an insurance
            continue
        if before is not None and after is None and _may_go_on(before, as_date(now)):
            continue
        states = [_over(before, day, as_date(now))] if before is not None else []
        if not states and given_up:
            states = [f"you ended your {given_up[-1].what}"]
        if before is not None and after is None and before.grace_until is None:
            states = [*states, "I know of no renewal"]
        if after is not None:
            states = [*states, f"your {after.what} starts only on {after.starts}"]
        text = " and ".join(states)
        span = f"on {begins}" if begins == ends else f"from {begins} to {ends}"
        gap = "" if begins == ends else f" ({day} is the first day without cover, as far as I know)"
        text = (
            f"{text[0].upper()}{text[1:]}, so {what} {span} may not be insured{gap}. {_advice(before, after)}"
        )
        cited = [policy for policy in (before, after) if policy is not None]
        if cited:
            found.append(critical(text, *cited, record))
        else:  # when it was given up is not known, perhaps with the car
            found.append(warning(text, given_up[-1], record))
    return found


def _may_go_on(policy, today):
    """Whether it ends so far ahead that its renewal is not yet to be heard of."""
    return policy.grace_until is None and policy.renewal is None and (policy.ends - today).days > 60


def _is_one_of(activities, text):
    return any(mentions(text, activity) for activity in activities)


def _is_of(policy, kind):
    return any(word in _KINDS[kind] for word in words(policy.what))


def _first_without(policies, begins, ends):
    """The first day of the span on which none is in force; None if there is none."""
    day = begins
    while day <= ends:
        lasts = [_last_day(policy) for policy in policies if _is_in_force(policy, day)]
        if any(last is None or last >= ends for last in lasts):
            return None
        if not lasts:
            return day
        day = add_months(max([last for last in lasts if last is not None]), days=1)
    return None


def _last_day(policy):
    """The last day on which it is in force; None if it goes on."""
    ends = policy.ends if policy.renewal != "automatic" else None
    return min([day for day in (ends, policy.grace_until) if day is not None], default=None)


def _is_in_force(policy, day):
    if _starts_after(policy, day) or (policy.grace_until is not None and day > policy.grace_until):
        return False
    return policy.ends is None or day <= policy.ends or policy.renewal == "automatic"


def _starts_after(policy, day):
    return policy.starts is not None and policy.starts > day


def _start(policy):
    return policy.starts


def _end(policy):
    return policy.grace_until or policy.ends


def _last(policies, day):
    """The one that ended last; an end of half a year ago says little about the day."""
    over = [one for one in policies if not _starts_after(one, day) and _end(one) is not None]
    return first(sorted([one for one in over if (day - _end(one)).days <= 183], key=_end)[-1:])


def _over(policy, day, today):
    if policy.grace_until is not None and policy.grace_until < day:
        unpaid = money(policy.unpaid) if policy.unpaid is not None else "the premium"
        return f"your {policy.what} is cancelled after {policy.grace_until} unless you pay {unpaid}"
    verb = "ended" if policy.ends < today else "ends"
    return f"your {policy.what} {verb} on {policy.ends}"


def _advice(before, after):
    lapse = f" If it lapses: {before.if_lapsed}." if before is not None and before.if_lapsed else ""
    if before is not None and before.grace_until is not None:
        return f"Pay before that day.{lapse}"
    if before is not None and after is None:
        return f"Renew it, or confirm that you are covered, before you go.{lapse}"
    return f"Let the cover start earlier or get a temporary one, or wait.{lapse}"


CASES = [
    fires(
        "skiing after the health insurance has ended",
        date(2024, 12, 28),
        finance.Policy(what="Health insurance", ends=date(2024, 12, 31), renewal="by hand"),
        travel.Trip(destination="Rockies", departs=date(2025, 1, 8), activities=["heli-skiing"]),
        says=["Health insurance ends on 2024-12-31", "heli-skiing", "2025-01-08", "Renew"],
    ),
    fires(
        "a drive four days before the new policy",
        date(2025, 8, 20),
        finance.Policy(what="car insurance", starts=date(2025, 9, 1)),
        travel.Trip(destination="Vermont", departs=date(2025, 8, 28), means="car"),
        says=["car insurance starts only on 2025-09-01", "Vermont by car on 2025-08-28", "start earlier"],
    ),
    fires(
        "a premium that is not paid",
        date(2025, 6, 8),
        finance.Policy(
            what="auto insurance",
            unpaid=Money(Decimal("847"), "USD"),
            grace_until=date(2025, 6, 16),
            if_lapsed="the registration is suspended",
        ),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 20), means="car"),
        says=[
            "2025-06-16",
            "$847.00",
            "Ohio by car on 2025-06-20",
            "Pay before",
            "registration is suspended",
        ],
    ),
    fires(
        "the last days of a trip; a policy that was given up is no help",
        date(2025, 6, 8),
        ended(finance.Policy(what="travel insurance"), "2025-01-01"),
        finance.Policy(what="health insurance", ends=date(2025, 7, 10)),
        travel.Trip(
            destination="Nepal", departs=date(2025, 7, 1), returns=date(2025, 7, 14), activities=["trekking"]
        ),
        says=["ends on 2025-07-10", "2025-07-11 is the first day without", "from 2025-07-01 to 2025-07-14"],
    ),
    fires(
        "an appointment that takes the car, after the insurance was given up",
        date(2025, 6, 8),
        ended(finance.Policy(what="car insurance"), "2025-06-01"),
        calendar.Appointment(what="pick up Ana", starts=datetime(2025, 6, 9, 14, 0), needs=["car"]),
        says=["You ended your car insurance", "pick up Ana", "2025-06-09"],
    ),
    fires(
        "between an old policy and a new one",
        date(2025, 7, 20),
        finance.Policy(what="COBRA coverage", ends=date(2025, 5, 31)),
        finance.Policy(what="health insurance", starts=date(2025, 8, 30)),
        travel.Trip(
            destination="Nepal", departs=date(2025, 8, 15), returns=date(2025, 9, 5), activities=["trekking"]
        ),
        says=[
            "COBRA coverage ended on 2025-05-31",
            "starts only on 2025-08-30",
            "2025-08-15 is the first day",
        ],
    ),
    fires(
        "a course in the week after the insurance ends",
        date(2025, 6, 8),
        finance.Policy(what="health insurance", ends=date(2025, 6, 30)),
        health.Activity(what="scuba diving course", starts=date(2025, 6, 28), ends=date(2025, 7, 2)),
        says=["ends on 2025-06-30", "scuba diving course", "2025-07-01 is the first day without cover"],
    ),
    silent(
        "in force until the very day, and one that follows the other",
        date(2025, 6, 8),
        finance.Policy(what="car insurance", ends=date(2025, 6, 20)),
        finance.Policy(what="health insurance", ends=date(2025, 7, 4)),
        finance.Policy(what="new health insurance", starts=date(2025, 7, 5)),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 20), means="car"),
        travel.Trip(
            destination="Nepal", departs=date(2025, 7, 1), returns=date(2025, 7, 14), activities=["trekking"]
        ),
    ),
    silent(
        "it renews by itself",
        date(2025, 6, 8),
        finance.Policy(what="car insurance", ends=date(2025, 6, 19), renewal="automatic"),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 20), means="car"),
    ),
    silent(
        "travel insurance helps, and a policy that ended years ago says nothing",
        date(2025, 6, 8),
        finance.Policy(what="health insurance", ends=date(2025, 7, 4)),
        finance.Policy(what="travel insurance", starts=date(2025, 7, 1), ends=date(2025, 7, 14)),
        finance.Policy(what="car insurance", ends=date(2022, 5, 1)),
        travel.Trip(
            destination="Nepal", departs=date(2025, 7, 1), returns=date(2025, 7, 14), activities=["trekking"]
        ),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 20), means="car"),
        calendar.Appointment(what="deep diving into the budget", starts=datetime(2025, 6, 9, 14, 0)),
    ),
    silent(
        "somebody else drives, the car is only parked there, and a weekly sport is not an outing",
        date(2025, 6, 8),
        finance.Policy(what="car insurance", ends=date(2025, 6, 8)),
        finance.Policy(what="health insurance", ends=date(2025, 6, 8)),
        calendar.Appointment(
            what="Bo picks up Ana", starts=datetime(2025, 6, 9, 14, 0), needs=["car"], attends=False
        ),
        calendar.Appointment(what="car wash", starts=datetime(2025, 6, 9, 14, 0)),
        calendar.Appointment(what="rock climbing", starts=datetime(2025, 6, 9, 18, 0), repeats="weekly"),
        health.Activity(what="skiing", starts=date(2025, 12, 1), how_often="every winter"),
    ),
    silent(
        "a course on the last day of the insurance, and one of which the day is not known",
        date(2025, 6, 8),
        finance.Policy(what="health insurance", ends=date(2025, 6, 30)),
        health.Activity(what="rafting", starts=date(2025, 6, 30)),
        health.Activity(what="scuba diving course"),
    ),
    silent(
        "no policy known, and one of another kind or person",
        date(2025, 6, 8),
        finance.Policy(what="home insurance", ends=date(2025, 6, 9)),
        finance.Policy(what="car insurance of Bo", person="Bo", ends=date(2025, 6, 9)),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 20), means="car"),
    ),
    silent(
        "a past drive, a train, a walk",
        date(2025, 6, 8),
        finance.Policy(what="car insurance", ends=date(2025, 5, 1)),
        finance.Policy(what="health insurance", ends=date(2025, 5, 1)),
        travel.Trip(destination="Ohio", departs=date(2025, 6, 1), returns=date(2025, 6, 7), means="car"),
        travel.Trip(destination="Rome", departs=date(2025, 6, 20), means="train", activities=["museums"]),
        calendar.Appointment(what="lunch", starts=datetime(2025, 6, 9, 14, 0)),
    ),
    silent(
        "the policy runs for more than two months yet",
        date(2026, 4, 30),
        finance.Policy(what="car insurance", ends=date(2026, 6, 30)),
        travel.Trip(destination="Portland", departs=date(2026, 9, 1), means="car"),
    ),
    fires(
        "two months before it ends",
        date(2026, 5, 1),
        finance.Policy(what="car insurance", ends=date(2026, 6, 30)),
        travel.Trip(destination="Portland", departs=date(2026, 9, 1), means="car"),
        says=["car insurance ends on 2026-06-30", "no renewal", "Portland"],
    ),
]
