def lease_notice(user, now):
    """The last day to give notice or to answer comes, or the user plans to act only after it."""
    found = []
    for lease in user.household.leases:
        last = lease.answer_by
        if last is None and lease.ends is not None and lease.notice_days is not None:
            last = lease.ends - timedelta(days=lease.notice_days)
        if last is None or lease.answered_on is not None or is_past(last, now):
            continue
        is_late = lease.acts_on is not None and lease.acts_on > last
        if not is_late and not due_within(last, now, 14):
            continue
        left = days_until(last, now)
        when = "today" if left == 0 else "in 1 day" if left == 1 else f"in {left} days"
        has_notice = lease.answer_by is None
        notice = f" ({lease.notice_days} days of notice before {lease.ends})" if has_notice else ""
        wish = f" You want {lease.plans}." if lease.plans is not None else ""
        otherwise = f" Otherwise: {lease.otherwise}." if lease.otherwise is not None else ""
        plan = f" You mean to see to it on {lease.acts_on}, which is after that day." if is_late else ""
        text = (
            f"The last day to tell {lease.landlord or 'your landlord'} what becomes of your {lease.what} "
            f"lease is {last}, {when}{notice}.{plan}{wish}{otherwise} Send the notice or start to talk "
            f"before that day."
        )
        found.append(critical(text, lease) if is_late or left <= 7 else warning(text, lease))
    return found


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
        says=["Mrs. Hall", "in 14 days"],
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
        says=["2025-12-02", "in 22 days", "2026-01-05, which is after", "the rate is lost"],
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
]
