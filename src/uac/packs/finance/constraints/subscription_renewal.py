from ..helpers import _in_days

_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def subscription_renewal(user, now):
    """A subscription that renews though the user wants to be rid of it, or a trial that becomes one."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    found = []
    for subscription in user.finance.subscriptions:
        if (
            subscription.renews is None
            or subscription.cancelled_on is not None
            or subscription.ends is not None
        ):
            continue
        renews = _next(subscription, now)
        last = add_months(renews, days=-(subscription.notice_days or 0))
        left = days_until(last, now)
        cost = f" ({_price(subscription)})" if subscription.price is not None else ""
        notice = f"{subscription.notice_days} days of notice"
        if not subscription.notice_days:
            last_day = f"Cancel it before that day, {_in_days(left)}"
        elif left >= 0:
            last_day = f"It asks for {notice}, so the last day is {last}, {_in_days(left)}"
        else:
            last_day = f"The {notice} began on {last}: ask at once if it is still possible"
        if subscription.wants_to_cancel:
            if due_within(last, now, 14) or (left < 0 and not is_past(renews, now)):
                found.append(
                    warning(
                        f"You want to cancel {subscription.name}{cost}, and it renews on {renews}. "
                        f"{last_day}. Send the cancellation now if you have not.",
                        subscription,
                    )
                )
        elif subscription.trial and subscription.wants_to_cancel is None and due_within(last, now, 3):
            found.append(
                info(
                    f"Your trial of {subscription.name} turns into a paid subscription{cost} on {renews}. "
                    f"{last_day}, if you do not want it.",
                    subscription,
                )
            )
    return found


def _next(subscription, now):
    """The next renewal: of a date in the past, the same day a month, a quarter or a year later."""
    renews, today = subscription.renews, as_date(now)
    step = _MONTHS.get(subscription.every or "", 0)
    if not step or subscription.trial or renews >= today:
        return renews
    passed = (today.year - renews.year) * 12 + today.month - renews.month
    later = add_months(renews, max(passed // step, 1) * step)
    return later if later >= today else add_months(renews, (passed // step + 1) * step)


def _price(subscription):
    every = f" a {subscription.every}" if subscription.every is not None else ""
    return f"{money(subscription.price)}{every}"


CASES = [
    fires(
        "four days before the notice",
        date(2024, 9, 28),
        finance.Subscription(
            name="yoga studio",
            price=Money(Decimal("600"), "USD"),
            every="year",
            renews=date(2024, 11, 1),
            notice_days=30,
            wants_to_cancel=True,
        ),
        says=["yoga studio", "$600.00 a year", "2024-11-01", "30 days", "2024-10-02", "in 4 days"],
    ),
    fires(
        "the notice is over, the renewal is not",
        date(2024, 10, 20),
        finance.Subscription(name="gym", renews=date(2024, 11, 1), notice_days=30, wants_to_cancel=True),
        says=["gym", "2024-10-02", "ask at once"],
    ),
    fires(
        "one that renews each month, with an old date",
        date(2025, 3, 1),
        finance.Subscription(name="Max", every="month", renews=date(2024, 12, 10), wants_to_cancel=True),
        says=["Max", "2025-03-10", "in 9 days"],
    ),
    fires(
        "a trial of which nothing was decided",
        date(2025, 3, 1),
        finance.Subscription(name="Audible", renews=date(2025, 3, 4), trial=True),
        says=["trial of Audible", "2025-03-04", "in 3 days"],
    ),
    silent(
        "fifteen days before the notice",
        date(2024, 9, 17),
        finance.Subscription(name="gym", renews=date(2024, 11, 1), notice_days=30, wants_to_cancel=True),
    ),
    silent(
        "nobody wants to cancel it, or it is cancelled already",
        date(2024, 9, 28),
        finance.Subscription(name="gym", renews=date(2024, 10, 1)),
        finance.Subscription(
            name="pool", renews=date(2024, 10, 1), wants_to_cancel=True, cancelled_on=date(2024, 9, 1)
        ),
        ended(
            finance.Subscription(name="sauna", renews=date(2024, 10, 1), wants_to_cancel=True), "2024-09-01"
        ),
    ),
    silent(
        "it has renewed, and how often it does is not known",
        date(2024, 11, 2),
        finance.Subscription(name="gym", renews=date(2024, 11, 1), notice_days=30, wants_to_cancel=True),
    ),
    silent(
        "a trial that the user wants to keep, and one that ends later",
        date(2025, 3, 1),
        finance.Subscription(name="Audible", renews=date(2025, 3, 4), trial=True, wants_to_cancel=False),
        finance.Subscription(name="Calm", renews=date(2025, 3, 5), trial=True),
    ),
]
