_SHOPS = "amazon apple costco google microsoft paypal samsung target walmart".split()


def cancelled_subscription_charged(user, now):
    """A charge for a subscription after the day on which it should have ended."""
    running = [one for one in user.finance.subscriptions if one.ends is None and one.cancelled_on is None]
    over = [one for one in user.finance.subscriptions if one.ends is not None or one.cancelled_on is not None]
    cancelled = [(one, _words(one)) for one in [*over, *user.finance.former_subscriptions]]
    refunds = [made for made in user.finance.transactions if made.direction == "in"]
    found = []
    seen = set()
    for charge in user.finance.transactions:
        if charge.direction == "in" or charge.amount.amount <= 0:
            continue
        if not due_within(add_months(charge.on, days=120), now, 120):  # older ones are past dispute
            continue
        paid = words(charge.payee)
        for subscription, named in cancelled:
            may_be = charge.what is not None or any(word in named for word in paid)
            if not may_be or not _is_for(charge, subscription):
                continue
            last = _last(subscription)
            key = (charge.on, " ".join(paid), charge.amount.amount, charge.reference, subscription.name)
            if last is None or charge.on <= last or key in seen:  # one charge may be mentioned twice
                continue
            seen.add(key)
            if any(_is_for(charge, other) for other in running):
                continue
            if any(_is_back(charge, refund) for refund in refunds):
                continue
            when = f" on {subscription.cancelled_on}" if subscription.cancelled_on is not None else ""
            when = f"{when}, effective {subscription.ends}" if subscription.ends is not None else when
            found.append(
                warning(
                    f"You cancelled {subscription.name}{when}, but {charge.payee} charged "
                    f"{money(charge.amount)} on {charge.on}, after the cancellation. Contact "
                    f"{subscription.provider or charge.payee} to confirm that it is cancelled and dispute "
                    f"the charge, unless it is for something else.",
                    charge,
                    subscription,
                )
            )
    return found


def _is_back(charge, refund):
    """Whether the charge was refunded."""
    return same(charge.payee, refund.payee) and charge.amount == refund.amount and refund.on >= charge.on


def _words(subscription):
    return words(f"{subscription.name} {subscription.provider or ''}")


def _last(subscription):
    """The last day on which a charge is right; if only the cancellation is known, a period later."""
    if subscription.ends is not None or subscription.cancelled_on is None:
        return subscription.ends
    return add_months(subscription.cancelled_on, days=366 if subscription.every == "year" else 31)


def _is_for(charge, subscription):
    """The same words; or the firm's name alone, if the firm sells little else or the price is the same."""
    paid = words(charge.payee)
    if all(word in paid for word in words(subscription.name)) or same(charge.what, subscription.name):
        return True
    if not paid or not all(word in _words(subscription) for word in paid):
        return False
    return charge.amount == subscription.price or not any(word in _SHOPS for word in paid)


CASES = [
    fires(
        "four months after it ended",
        date(2025, 1, 20),
        finance.Subscription(name="Canva Pro Teams", cancelled_on=date(2024, 8, 22), ends=date(2024, 9, 15)),
        finance.Transaction(payee="Canva", amount=Money(Decimal("59.99"), "USD"), on=date(2025, 1, 15)),
        says=[
            "Canva Pro Teams",
            "2024-08-22",
            "2024-09-15",
            "$59.99",
            "2025-01-15",
            "after the cancellation",
        ],
    ),
    fires(
        "the line of a bank statement, and a subscription that was ended",
        date(2025, 1, 20),
        ended(finance.Subscription(name="Hulu", ends=date(2024, 12, 31)), "2024-12-31"),
        finance.Transaction(payee="HULU *8771923", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 1)),
        says=["Hulu", "$9.99"],
    ),
    fires(
        "a shop that charges just the price",
        date(2025, 1, 20),
        finance.Subscription(
            name="Amazon Prime", price=Money(Decimal("14.99"), "USD"), ends=date(2024, 12, 31)
        ),
        finance.Transaction(payee="Amazon", amount=Money(Decimal("14.99"), "USD"), on=date(2025, 1, 4)),
        says=["Amazon Prime", "$14.99"],
    ),
    silent(
        "something else from a shop",
        date(2025, 1, 20),
        finance.Subscription(
            name="Amazon Prime", price=Money(Decimal("14.99"), "USD"), ends=date(2024, 12, 31)
        ),
        finance.Transaction(payee="Amazon", amount=Money(Decimal("23.10"), "USD"), on=date(2025, 1, 4)),
    ),
    silent(
        "on the last day that was paid for",
        date(2025, 1, 20),
        finance.Subscription(name="Hulu", cancelled_on=date(2024, 12, 1), ends=date(2025, 1, 1)),
        finance.Transaction(payee="Hulu", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 1)),
    ),
    silent(
        "three weeks after it was cancelled, the last day not known",
        date(2025, 1, 20),
        finance.Subscription(name="Hulu", cancelled_on=date(2024, 12, 20)),
        finance.Transaction(payee="Hulu", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 10)),
    ),
    silent(
        "another subscription of the firm still runs",
        date(2025, 1, 20),
        finance.Subscription(name="Canva Pro Teams", ends=date(2024, 9, 15)),
        finance.Subscription(name="Canva Print"),
        finance.Transaction(payee="Canva", amount=Money(Decimal("19.99"), "USD"), on=date(2025, 1, 15)),
    ),
    silent(
        "the refund, and a charge of another firm",
        date(2025, 1, 20),
        finance.Subscription(name="Hulu", ends=date(2024, 12, 31)),
        finance.Transaction(
            payee="Hulu", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 9), direction="in"
        ),
        finance.Transaction(payee="Netflix", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 9)),
    ),
    silent(
        "half a year later nobody can dispute it",
        date(2025, 7, 20),
        finance.Subscription(name="Hulu", ends=date(2024, 12, 31)),
        finance.Transaction(payee="Hulu", amount=Money(Decimal("9.99"), "USD"), on=date(2025, 1, 9)),
    ),
    silent(
        "the charge was refunded",
        date(2026, 1, 26),
        finance.Subscription(name="Netflix", cancelled_on=date(2026, 1, 15), ends=date(2026, 1, 19)),
        finance.Transaction(payee="Netflix", amount=Money(Decimal("15.99"), "USD"), on=date(2026, 1, 20)),
        finance.Transaction(
            payee="Netflix", amount=Money(Decimal("15.99"), "USD"), on=date(2026, 1, 25), direction="in"
        ),
    ),
]
