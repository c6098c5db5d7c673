from ..helpers import _is_never


def series_exception(user, now):
    """Something planned that counts on a series or a routine, on a day when that does not take place."""
    series = [
        *[(one, one.what, one.skips, None) for one in user.calendar.appointments if one.repeats],
        *[(one, one.what, one.skips, one.weekday) for one in user.calendar.routines],
    ]
    plans = [
        *[(one, one.what, one.starts.date()) for one in user.calendar.appointments if not one.repeats],
        *[(one, f"the meeting with {one.who}", one.day) for one in user.calendar.meetings],
        *[(one, one.what, one.planned or one.due) for one in user.calendar.deadlines],
    ]
    found = []
    for plan, text, day in plans:
        if day is None or is_past(day, now) or _is_never(day):
            continue
        for one, what, skips, weekday in series:
            if day not in skips or not _counts_on(plan, what):
                continue
            usual = f", otherwise every {weekday}," if weekday else ""
            found.append(
                warning(
                    f"{text} is planned for {day:%A} {day}, but {what}{usual} does not take place that day. "
                    "Choose another day, or check whether it is off.",
                    plan,
                    one,
                )
            )
    return found


def _counts_on(plan, what):
    """Whether the plan names the series in what it is, where it is, or what it is about."""
    kind = record_id(plan)
    texts = [plan.notes]
    if kind.startswith("calendar.Meeting"):
        texts = [*texts, plan.where, plan.about]
    else:
        texts = [*texts, plan.what]
    if kind.startswith("calendar.Appointment"):
        texts = [*texts, plan.where]
    return any(mentions(text, what) for text in texts)


CASES = [
    fires(
        "to the market on a day without it",
        date(2025, 12, 1),
        calendar.Routine(what="farmers' market", weekday="Thursday", skips=[date(2025, 12, 25)]),
        calendar.Deadline(what="buy cheese at the farmers' market", planned=date(2025, 12, 25)),
        says=["buy cheese", "Thursday 2025-12-25", "every Thursday", "does not take place that day"],
    ),
    fires(
        "after choir, which is off",
        date(2025, 4, 20),
        calendar.Appointment(
            what="choir", starts=datetime(2025, 3, 3, 18, 0), repeats="weekly", skips=[date(2025, 5, 5)]
        ),
        calendar.Appointment(what="drinks after choir", starts=datetime(2025, 5, 5, 20, 0)),
        says=["drinks after choir", "2025-05-05", "choir does not take place"],
    ),
    fires(
        "a meeting there",
        date(2025, 4, 20),
        calendar.Routine(what="choir", weekday="Monday", skips=[date(2025, 5, 5)]),
        calendar.Meeting(who="Ana", day=date(2025, 5, 5), where="at choir"),
        says=["the meeting with Ana", "choir"],
    ),
    silent(
        "an ordinary day; something else that day; past; another word",
        date(2025, 4, 20),
        calendar.Routine(what="choir", weekday="Monday", skips=[date(2025, 4, 14), date(2025, 5, 5)]),
        calendar.Appointment(what="drinks after choir", starts=datetime(2025, 5, 12, 20, 0)),
        calendar.Appointment(what="dinner with Ana", starts=datetime(2025, 5, 5, 20, 0)),
        calendar.Meeting(who="Ana", day=date(2025, 4, 14), where="choir"),
        calendar.Deadline(what="pay for choir"),
    ),
]
