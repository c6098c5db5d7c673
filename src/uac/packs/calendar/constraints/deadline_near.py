from ..helpers import _due_hour, _otherwise


def deadline_near(user, now):
    """A deadline within a week, or within the days before that the user asked for."""
    found = []
    for deadline in user.calendar.deadlines:
        if deadline.due is None or deadline.notice_days is not None:
            continue  # notice_period reports the latter
        lead = 7 if deadline.lead_days is None else deadline.lead_days
        if not due_within(deadline.due, now, lead):
            continue
        left = days_until(deadline.due, now)
        days = "today" if left == 0 else "tomorrow" if left == 1 else f"in {left} days"
        days = f"in about {(left + 3) // 7} weeks" if left > 14 else days  # so that it does not change daily
        text = f"The deadline for {deadline.what} is {days}, on {deadline.due:%A} {deadline.due}{_due_hour(deadline)}."
        make = critical if left <= 1 else warning
        found.append(make(f"{text}{_otherwise(deadline)} Do it before then, or ask for an extension.", deadline))
    return found


CASES = [
    fires(
        "three days are left",
        date(2025, 5, 2),
        calendar.Deadline(what="answer to the school", due=date(2025, 5, 5), consequence="the place is lost"),
        says=["answer to the school", "in 3 days", "2025-05-05", "the place is lost"],
    ),
    fires(
        "the user wanted three weeks",
        date(2025, 5, 2),
        calendar.Deadline(what="grant", due=date(2025, 5, 22), due_at=time(17, 0), zone="UTC", lead_days=21),
        says=["grant", "in about 3 weeks", "2025-05-22 at 17:00 UTC"],
    ),
    fires(
        "a week to the day",
        date(2025, 5, 2),
        calendar.Deadline(what="A", due=date(2025, 5, 9)),
        says=["7 days"],
    ),
    silent("eight days are left", date(2025, 5, 2), calendar.Deadline(what="A", due=date(2025, 5, 10))),
    silent("it was yesterday", date(2025, 5, 2), calendar.Deadline(what="A", due=date(2025, 5, 1))),
    silent(
        "it is done", date(2025, 5, 2), ended(calendar.Deadline(what="A", due=date(2025, 5, 5)), "2025-05-01")
    ),
    silent(
        "notice is another matter",
        date(2025, 5, 2),
        calendar.Deadline(what="A", due=date(2025, 5, 5), notice_days=30),
    ),
    silent("an open task of no day", date(2025, 5, 2), calendar.Deadline(what="fix the gate")),
]
