from ..helpers import _in_days


def lease_notice(user, now):
    """The last day to give notice or to answer comes, or the user plans to act only after it."""
    found = []
    for lease in user.household.leases:
        last = lease.answer_by
        if lease.ends is not None and lease.notice_days is not None:
            by_notice = add_months(lease.ends, days=-lease.notice_days)
            # A date of last year says nothing of the lease that was renewed since.
            last = by_notice if last is None or (by_notice - last).days > 180 else last
        if last is None or is_past(last, now):
            continue
        if lease.answered_on is not None and (last - lease.answered_on).days <= 270:
            continue
        is_late = lease.acts_on is not None and lease.acts_on > last
        if not is_late and not due_within(last, now, 14):
            continue
        left = days_until(last, now)
        when = _in_days(left)
        when = f"in about {(left + 3) // 7} weeks" if left > 14 else when  # so that it does not change daily
        has_notice = last != lease.answer_by
        notice = f" ({lease.notice_days} days of notice before {lease.ends})" if has_notice else ""
        wish = f" You want {lease.plans}." if lease.plans is not None else ""
        otherwise = f" Otherwise: {lease.otherwise}." if lease.otherwise is not None else ""
        plan = f" You mean to see to it on {lease.acts_on}, which is after that day." if is_late else ""
        text = (
            f"The last day to {_tell(lease.landlord)} what becomes of your {lease.what} "
            f"lease is {last}, {when}{notice}.{plan}{wish}{otherwise} Send the notice or start to talk "
            f"before that day."
        )
        found.append(critical(text, lease) if is_late or left <= 7 else warning(text, lease))
    return found


def _tell(landlord):
    """tell Mrs. Hall, tell the landlord; 'say' if nobody knows whom: a car has no landlord."""
    if not landlord:
        return "say"
    is_noun = landlord == landlord.lower() and first(words(landlord)) not in ("a", "an", "the", "my", "our", "your")
    return f"tell the {landlord}" if is_noun else f"tell {landlord}"


CASES = [
    fires(
        "a week before",
        date(2024, 11, 25),
        household.Lease(
            what="apartment",
            ends=date(2025, 1, 31),
            notice_days=60,
            plans="to negotiate the renewal",
            otherwise="it goes on monthly and costs more",
        ),
        says=["apartment lease", "2024-12-02", "in 7 days", "60 days", "negotiate", "costs more"],
    ),
    fires(
        "two weeks before",
        date(2024, 11, 18),
        household.Lease(what="apartment", ends=date(2025, 1, 31), notice_days=60, landlord="Mrs. Hall"),
        says=["tell Mrs. Hall what becomes of your apartment lease", "in 14 days"],
    ),
    fires(
        "a car, with nobody named",
        date(2024, 11, 18),
        household.Lease(what="car", ends=date(2025, 1, 31), notice_days=60),
        says=["The last day to say what becomes of your car lease is 2024-12-02"],
    ),
    fires(
        "put off until after the last day",
        date(2025, 11, 10),
        household.Lease(
            what="apartment",
            answer_by=date(2025, 12, 2),
            acts_on=date(2026, 1, 5),
            otherwise="the rate is lost",
        ),
        says=["2025-12-02", "in about 3 weeks", "2026-01-05, which is after", "the rate is lost"],
    ),
    silent(
        "fifteen days before",
        date(2024, 11, 17),
        household.Lease(what="apartment", ends=date(2025, 1, 31), notice_days=60),
    ),
    silent(
        "answered, over, given up, and with no notice known",
        date(2024, 12, 3),
        household.Lease(what="flat", answer_by=date(2024, 12, 5), answered_on=date(2024, 12, 1)),
        household.Lease(what="apartment", ends=date(2025, 1, 31), notice_days=60),
        household.Lease(what="garage", ends=date(2024, 12, 10)),
        ended(household.Lease(what="boat", answer_by=date(2024, 12, 5)), "2024-11-01"),
    ),
    silent(
        "the user means to see to it in time",
        date(2025, 11, 10),
        household.Lease(what="apartment", answer_by=date(2025, 12, 2), acts_on=date(2025, 12, 2)),
    ),
    fires(
        "a year after the renewal, with the answer of last year",
        date(2026, 2, 15),
        household.Lease(
            what="apartment",
            ends=date(2026, 4, 30),
            notice_days=60,
            answer_by=date(2025, 3, 1),
            answered_on=date(2025, 2, 20),
        ),
        says=["apartment lease", "2026-03-01", "in 14 days", "60 days of notice before 2026-04-30"],
    ),
    silent(
        "answered half a year ahead",
        date(2026, 2, 15),
        household.Lease(
            what="apartment", ends=date(2026, 4, 30), notice_days=60, answered_on=date(2025, 9, 1)
        ),
    ),
]
