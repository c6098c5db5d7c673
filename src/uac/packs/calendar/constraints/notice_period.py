from ..helpers import _otherwise


def notice_period(user, now):
    """The last day to give notice is near, or has just passed."""
    found = []
    for deadline in user.calendar.deadlines:
        if deadline.due is None or deadline.notice_days is None or is_past(deadline.due, now):
            continue
        last = _last_day(deadline)
        unit = "working days" if deadline.working_days else "days"
        text = f"{deadline.what} ({deadline.due}) needs notice {deadline.notice_days} {unit} before, so by"
        text = f"{text} {last:%A} {last}"
        if due_within(last, now, 14 if deadline.lead_days is None else deadline.lead_days):
            left = days_until(last, now)
            days = "That is today." if left == 0 else f"That is in {left} day{'' if left == 1 else 's'}."
            make = critical if left <= 3 else warning
            found.append(make(f"{text}. {days}{_otherwise(deadline)} Give notice now.", deadline))
        elif is_past(last, now):
            text = f"{text}. That day has passed.{_otherwise(deadline)} If notice was not given, ask at once whether it is"
            text = f"{text} still possible"
            found.append(critical(f"{text}; if it was, mark this as done.", deadline))
    return found


def _last_day(deadline):
    """`notice_days` before it is due; if they are working days, Saturdays and Sundays do not count."""
    if not deadline.working_days:
        return add_months(deadline.due, days=-deadline.notice_days)
    return add_business_days(deadline.due, -max(deadline.notice_days, 0))


CASES = [
    fires(
        "thirty days before November 1 is October 2",
        date(2025, 9, 28),
        calendar.Deadline(
            what="club membership", due=date(2025, 11, 1), notice_days=30, consequence="it renews"
        ),
        says=["club membership", "2025-11-01", "30 days before", "2025-10-02", "in 4 days", "it renews"],
    ),
    fires(
        "five working days before a Monday",
        date(2025, 11, 1),
        calendar.Deadline(what="papers", due=date(2025, 11, 10), notice_days=5, working_days=True),
        says=["5 working days", "Monday 2025-11-03"],
    ),
    fires(
        "one day too late",
        date(2025, 10, 3),
        calendar.Deadline(what="club membership", due=date(2025, 11, 1), notice_days=30),
        says=["2025-10-02", "has passed"],
    ),
    silent(
        "fifteen days before the last day",
        date(2025, 9, 17),
        calendar.Deadline(what="club membership", due=date(2025, 11, 1), notice_days=30),
    ),
    silent(
        "done, or over",
        date(2025, 11, 2),
        ended(calendar.Deadline(what="A", due=date(2025, 11, 20), notice_days=14), "2025-11-01"),
        calendar.Deadline(what="B", due=date(2025, 11, 1), notice_days=14),
    ),
    silent(
        "no notice is asked for, or no day is known",
        date(2025, 11, 2),
        calendar.Deadline(what="C", due=date(2025, 11, 4)),
        calendar.Deadline(what="D", notice_days=30),
    ),
]
