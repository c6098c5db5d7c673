from ..helpers import _dated, _due_hour, _is_never, _otherwise


def deadline_while_away(user, now):
    """A deadline that falls into an absence, or that the user means to meet only after it."""
    planned_trips = [trip for trip in _dated(user.travel.trips) if trip.state != "idea"]
    absences = [trip for trip in planned_trips if not is_past(trip.returns or trip.departs, now)]
    found = []
    for deadline in user.calendar.deadlines:
        last = deadline.due
        if last is None:
            continue
        if deadline.notice_days is not None and not deadline.working_days:
            last = add_months(last, days=-deadline.notice_days)
        if is_past(last, now):
            continue
        planned = deadline.planned
        text = f"The deadline for {deadline.what} is {last}{_due_hour(deadline)}"
        if planned is not None and planned > last:
            late = (planned - last).days
            text = f"{text}, but you plan to do it on {planned}, {late} day{'' if late == 1 else 's'} after"
            text = f"{text} it. Do it"
            found.append(critical(f"{text} by {last}.{_otherwise(deadline)}", deadline))
            continue
        for trip in absences:
            first_day, back = trip.departs, trip.returns or trip.departs
            if planned is not None and not first_day <= planned <= back:
                continue
            day = planned or last
            if not first_day <= day <= back or (planned is not None and deadline.remote):
                continue
            there, rows = _local_time(deadline, trip) if planned is None else ("", [])
            why = "" if planned is None else f" and you plan to do it on {planned}"
            away = f"{text},{why} while you are away: {trip.destination} from {first_day} to {back}{there}."
            advice = f"Do it before you leave on {first_day}, or make sure that you can do it from there."
            make = info if deadline.remote else warning
            found.append(make(f"{away}{_otherwise(deadline)} {advice}", deadline, trip, rows=rows))
    return found


def _local_time(deadline, trip):
    """What the clock shows at the destination then and the rows that tell; nothing if a zone is unknown or the same."""
    table = knowledge("calendar.zones")
    names = [" ".join(words((name or "").rpartition("/")[2])) for name in [deadline.zone, trip.destination, trip.country]]
    zones = [table["zones"].get(table["names"].get(name)) for name in names]
    here, there = zones[0], zones[1] or zones[2]
    if deadline.due_at is None or here is None or there is None or _is_never(deadline.due):
        return "", []
    shift = _minutes(there, deadline.due) - _minutes(here, deadline.due)
    if shift == 0:
        return "", []
    local = datetime.combine(deadline.due, deadline.due_at) + timedelta(minutes=shift)
    hours = f"{abs(shift) / 60:g} hours {'ahead' if shift > 0 else 'behind'}"
    text = f", where it is then {local.date()} {local:%H:%M} ({hours})"
    return text, [("calendar.zones", row) for row in [here, there]]


def _minutes(zone, day):
    """How far a zone is ahead of UTC on a day; after the last year of the table, as on that day of it."""
    day = add_months(day, -12 * max(day.year - zone["until"], 0))
    passed = [minutes for since, minutes in zone["changes"] if since <= str(day)]
    return passed[-1] if passed else zone["minutes"]


CASES = [
    fires(
        "an application in Berlin is due while in Seoul",
        date(2026, 5, 2),
        calendar.Deadline(what="the grant", due=date(2026, 6, 10), due_at=time(23, 0), zone="Europe/Berlin"),
        travel.Trip(destination="Seoul", departs=date(2026, 6, 8), returns=date(2026, 6, 14)),
        says=["the grant", "2026-06-10 at 23:00 Europe/Berlin", "Seoul", "2026-06-11 06:00", "7 hours ahead"],
    ),
    fires(
        "the winter hour of New York and the summer hour of Sydney",
        date(2026, 1, 2),
        calendar.Deadline(what="the form", due=date(2026, 1, 20), due_at=time(9, 0), zone="Eastern Time"),
        travel.Trip(destination="Sydney", departs=date(2026, 1, 20), returns=date(2026, 1, 30)),
        says=["2026-01-21 01:00", "16 hours ahead", "before you leave on 2026-01-20"],
    ),
    fires(
        "Vancouver has no winter hour any more",
        date(2026, 11, 16),
        calendar.Deadline(what="the form", due=date(2027, 1, 20), due_at=time(9, 0), zone="Europe/London"),
        travel.Trip(destination="Vancouver", departs=date(2027, 1, 18), returns=date(2027, 1, 30)),
        says=["2027-01-20 02:00", "7 hours behind"],
    ),
    fires(
        "years after the last change in the table",
        date(2026, 11, 16),
        calendar.Deadline(what="the form", due=date(2033, 7, 20), due_at=time(9, 0), zone="London"),
        travel.Trip(destination="Tokyo", departs=date(2033, 7, 18), returns=date(2033, 7, 30)),
        says=["2033-07-20 17:00", "8 hours ahead"],
    ),
    fires(
        "put off until after the last day",
        date(2026, 5, 2),
        calendar.Deadline(what="answer to the landlord", due=date(2026, 6, 10), planned=date(2026, 6, 15)),
        says=["2026-06-10", "2026-06-15", "5 days after"],
    ),
    fires(
        "the notice, not the day itself, falls into the absence",
        date(2026, 5, 2),
        calendar.Deadline(what="the club", due=date(2026, 7, 10), notice_days=30, consequence="it renews"),
        travel.Trip(destination="Oslo", departs=date(2026, 6, 8), returns=date(2026, 6, 14)),
        says=["2026-06-10", "Oslo", "it renews"],
    ),
    silent(
        "the day before leaving and the day after coming back",
        date(2026, 5, 2),
        calendar.Deadline(what="A", due=date(2026, 6, 7)),
        calendar.Deadline(what="B", due=date(2026, 6, 15)),
        travel.Trip(destination="Seoul", departs=date(2026, 6, 8), returns=date(2026, 6, 14)),
    ),
    silent(
        "the user means to do it before, on the last day at home, or from anywhere",
        date(2026, 5, 2),
        calendar.Deadline(what="A", due=date(2026, 6, 10), planned=date(2026, 6, 1)),
        calendar.Deadline(what="B", due=date(2026, 6, 7), planned=date(2026, 6, 7)),
        calendar.Deadline(what="C", due=date(2026, 6, 10), planned=date(2026, 6, 9), remote=True),
        travel.Trip(destination="Seoul", departs=date(2026, 6, 8), returns=date(2026, 6, 14)),
    ),
    silent(
        "an idea, and a trip that was cancelled",
        date(2026, 5, 2),
        calendar.Deadline(what="A", due=date(2026, 8, 10)),
        travel.Trip(destination="Rome", departs=date(2026, 8, 8), returns=date(2026, 8, 14), state="idea"),
        ended(
            travel.Trip(destination="Oslo", departs=date(2026, 8, 8), returns=date(2026, 8, 14)), "2026-05-01"
        ),
    ),
    silent(
        "done or over",
        date(2026, 6, 12),
        ended(calendar.Deadline(what="A", due=date(2026, 6, 13)), "2026-06-01"),
        calendar.Deadline(what="B", due=date(2026, 6, 11)),
        calendar.Deadline(what="an open task of no day"),
        travel.Trip(destination="Seoul", departs=date(2026, 6, 8), returns=date(2026, 6, 14)),
        travel.Trip(destination="Oslo", state="idea"),
    ),
]
