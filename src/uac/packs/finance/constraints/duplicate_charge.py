def duplicate_charge(user, now):
    """Two equal charges of one payee on one day, under two references, that look like a mistake."""
    charges = [charge for charge in user.finance.transactions if charge.direction != "in"]
    services = [subscription.name for subscription in user.finance.subscriptions]
    refunds = [charge for charge in user.finance.transactions if charge.direction == "in"]
    refunded = group_by(refunds, _what)
    found = []
    for group in duplicates(charges, _what):
        referenced = sorted([charge for charge in group if charge.reference], key=_when)
        days = group_by(group, _day)
        # Several on one day, and again on others, are a habit (fares, coffee), but not of a subscription.
        is_known = any(same(group[0].payee, name) for name in services)
        if not is_known and (len(days) > 1 or _is_small(group[0].amount)):
            continue
        if any(refund.on >= group[0].on for refund in refunded.get(_what(group[0]), [])):
            continue  # one of them came back
        for one, other in zip(referenced, referenced[1:]):
            if one.on != other.on or one.reference == other.reference or one.account != other.account:
                continue
            if due_within(add_months(one.on, days=60), now, 60):
                text = (
                    f"{one.payee} charged {money(one.amount)} twice on {one.on} (references {one.reference} "
                    f"and {other.reference}). If you bought only once, ask {one.payee} to refund one of them."
                )
                found.append(warning(text, one, other) if is_known else info(text, one, other))
    return found


def _is_small(amount):
    """Two coffees or two fares on one day are no mistake."""
    return amount.currency in ("USD", "EUR", "GBP", "CAD", "AUD", "CHF") and amount.amount < 10


def _what(charge):
    return (" ".join(words(charge.payee)), charge.amount.amount, charge.amount.currency)


def _day(charge):
    return charge.on


def _when(charge):
    return (charge.on, charge.reference)


CASES = [
    fires(
        "a hotel, twice",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Hotel Sol", amount=Money(Decimal("310.50"), "EUR"), on=date(2025, 5, 18), reference="A1"
        ),
        finance.Transaction(
            payee="Hotel Sol", amount=Money(Decimal("310.50"), "EUR"), on=date(2025, 5, 18), reference="A2"
        ),
        says=["Hotel Sol", "310.50 EUR twice on 2025-05-18", "A1", "A2"],
    ),
    fires(
        "a subscription that is charged once a month",
        date(2025, 5, 20),
        finance.Subscription(name="Netflix", every="month"),
        finance.Transaction(
            payee="Netflix", amount=Money(Decimal("15"), "USD"), on=date(2025, 4, 3), reference="1"
        ),
        finance.Transaction(
            payee="Netflix", amount=Money(Decimal("15"), "USD"), on=date(2025, 5, 3), reference="2"
        ),
        finance.Transaction(
            payee="Netflix", amount=Money(Decimal("15"), "USD"), on=date(2025, 5, 3), reference="3"
        ),
        says=["Netflix", "$15.00", "references 2 and 3"],
    ),
    silent(
        "one charge mentioned twice",
        date(2025, 5, 20),
        finance.Transaction(payee="Hotel Sol", amount=Money(Decimal("310.50"), "EUR"), on=date(2025, 5, 18)),
        finance.Transaction(
            payee="hotel sol", amount=Money(Decimal("310.5"), "EUR"), on=date(2025, 5, 18), reference="A1"
        ),
        finance.Transaction(
            payee="Hotel Sol", amount=Money(Decimal("310.5"), "EUR"), on=date(2025, 5, 18), reference="A1"
        ),
    ),
    silent(
        "two bus rides a day, as on other days",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Bus", amount=Money(Decimal("2"), "EUR"), on=date(2025, 5, 18), reference="1"
        ),
        finance.Transaction(
            payee="Bus", amount=Money(Decimal("2"), "EUR"), on=date(2025, 5, 18), reference="2"
        ),
        finance.Transaction(
            payee="Bus", amount=Money(Decimal("2"), "EUR"), on=date(2025, 5, 19), reference="3"
        ),
    ),
    silent(
        "two days, two amounts, two currencies",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("310"), "EUR"), on=date(2025, 5, 18), reference="1"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("310"), "EUR"), on=date(2025, 5, 19), reference="2"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("311"), "EUR"), on=date(2025, 5, 18), reference="3"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("310"), "USD"), on=date(2025, 5, 18), reference="4"
        ),
    ),
    silent(
        "months ago, and a refund",
        date(2025, 9, 20),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("310"), "EUR"), on=date(2025, 5, 18), reference="1"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("310"), "EUR"), on=date(2025, 5, 18), reference="2"
        ),
        finance.Transaction(
            payee="Mar", amount=Money(Decimal("9"), "EUR"), on=date(2025, 9, 18), reference="5"
        ),
        finance.Transaction(
            payee="Mar",
            amount=Money(Decimal("9"), "EUR"),
            on=date(2025, 9, 18),
            reference="6",
            direction="in",
        ),
    ),
    silent(
        "two coffees; a charge of which one came back",
        date(2026, 1, 15),
        finance.Transaction(
            payee="Blue Bottle", amount=Money(Decimal("4.50"), "USD"), on=date(2026, 1, 6), reference="a1"
        ),
        finance.Transaction(
            payee="Blue Bottle", amount=Money(Decimal("4.50"), "USD"), on=date(2026, 1, 6), reference="a2"
        ),
        finance.Transaction(
            payee="Best Buy", amount=Money(Decimal("899"), "USD"), on=date(2026, 1, 10), reference="b1"
        ),
        finance.Transaction(
            payee="Best Buy", amount=Money(Decimal("899"), "USD"), on=date(2026, 1, 10), reference="b2"
        ),
        finance.Transaction(
            payee="Best Buy", amount=Money(Decimal("899"), "USD"), on=date(2026, 1, 14), direction="in"
        ),
    ),
]
