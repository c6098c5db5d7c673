from ..helpers import _names_account


def credit_limit(user, now):
    """A card that planned payments, with what is charged to it each month, would push over its limit."""
    found = []
    for card in user.finance.accounts:
        limit, owed = card.credit_limit, card.balance
        if limit is None or owed is None or limit.currency != owed.currency:
            continue
        if card.balance_on is None or days_until(card.balance_on, now) < -45:
            continue
        plans = []
        planned = Decimal(0)
        for plan in user.finance.planned_payments:
            is_soon = plan.on is None or 0 <= days_until(plan.on, now) <= 45
            if plan.amount is not None and is_soon and _is_on(plan.paid_from, card):
                if plan.amount.currency == owed.currency:
                    plans.append(plan)
                    planned = planned + plan.amount.amount
        if not plans:
            continue
        parts = [f"balance {money(owed)}"]
        projected = owed.amount + planned
        # Without a payment that is known to be made, only what is owed and planned is sure.
        if card.autopay is not None:
            monthly = _monthly(user.finance.regular_payments, card)
            monthly = monthly + _charges(user.finance.subscriptions, card)
            interest = _interest(card) if card.autopay == "minimum" else Decimal(0)
            paid = _minimum(card) if card.autopay == "minimum" else owed.amount
            projected = projected + monthly + interest - paid
            if monthly:
                parts.append(f"monthly charges {money(Money(monthly, owed.currency))}")
            if interest:
                parts.append(f"interest of about {money(Money(interest, owed.currency))}")
            parts.append(f"less the payment of {money(Money(paid, owed.currency))}")
        if projected > limit.amount:
            over = Money(projected - limit.amount, owed.currency)
            named = " and ".join(f"{plan.what} ({money(plan.amount)})" for plan in plans)
            found.append(
                warning(
                    f"With {named} your {card.name} would come to about "
                    f"{money(Money(projected, owed.currency))} in a month, {money(over)} over its limit of "
                    f"{money(limit)} ({', '.join(parts)}). Pay some of it down first, or pay in another way.",
                    card,
                    *plans,
                )
            )
    return found


def _is_on(text, card):
    return _names_account(text, card, ("my", "the", "our", "card", "credit"))


def _monthly(payments, card):
    amounts = [one.amount for one in payments if one.every == "month" and _is_on(one.paid_from, card)]
    return total(amounts).get(card.balance.currency, Decimal(0))


def _charges(subscriptions, card):
    going = [one for one in subscriptions if one.cancelled_on is None and one.ends is None]
    amounts = [one.price for one in going if one.every == "month" and _is_on(one.paid_from, card)]
    return total(amounts).get(card.balance.currency, Decimal(0))


def _interest(card):
    """Of a month of 30 days, compounded daily."""
    if card.rate is None or card.promo_until is not None:
        return Decimal(0)
    rate = min(max(float(card.rate), 0.0), 10_000.0)
    grown = float(card.balance.amount) * ((1 + rate / 36500) ** 30 - 1)
    return Decimal(f"{grown:.2f}")


def _minimum(card):
    percent = card.minimum_percent or Decimal(0)
    share_of = card.balance.amount * percent / 100
    fixed = card.minimum_payment
    least = fixed.amount if fixed is not None and fixed.currency == card.balance.currency else Decimal(0)
    return Decimal(f"{max(share_of, least):.2f}")


CASES = [
    fires(
        "a month ahead, with interest and the least payment",
        date(2025, 7, 15),
        finance.Account(
            name="Visa",
            kind="card",
            balance=Money(Decimal("9847.33"), "USD"),
            balance_on=date(2025, 7, 1),
            credit_limit=Money(Decimal("12000"), "USD"),
            rate=Decimal("24.99"),
            minimum_percent=Decimal("2"),
            minimum_payment=Money(Decimal("35"), "USD"),
            autopay="minimum",
        ),
        finance.Subscription(name="gym", price=Money(Decimal("79"), "USD"), every="month", paid_from="Visa"),
        finance.RegularPayment(
            what="phone", amount=Money(Decimal("961.28"), "USD"), every="month", paid_from="Visa"
        ),
        finance.PlannedPayment(what="dentist", amount=Money(Decimal("1200"), "USD"), paid_from="Visa card"),
        finance.PlannedPayment(what="tires", amount=Money(Decimal("650"), "USD"), paid_from="Visa"),
        says=[
            "dentist ($1,200.00) and tires ($650.00)",
            "$12,000.00",
            "$1,040.28",
            "$196.95",
            "over its limit",
        ],
    ),
    fires(
        "no payment known",
        date(2025, 7, 15),
        finance.Account(
            name="Amex",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.PlannedPayment(what="flights", amount=Money(Decimal("101"), "EUR"), paid_from="Amex"),
        says=["flights", "1,001.00 EUR", "1.00 EUR over its limit of 1,000.00 EUR"],
    ),
    silent(
        "just at the limit",
        date(2025, 7, 15),
        finance.Account(
            name="Amex",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.PlannedPayment(what="flights", amount=Money(Decimal("100"), "EUR"), paid_from="Amex"),
    ),
    silent(
        "the whole balance is paid each month",
        date(2025, 7, 15),
        finance.Account(
            name="Amex",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
            autopay="full",
        ),
        finance.PlannedPayment(what="flights", amount=Money(Decimal("800"), "EUR"), paid_from="Amex"),
    ),
    silent(
        "another card, another currency, an old balance, a balance of no day, no plan",
        date(2025, 7, 15),
        finance.Account(
            name="Amex",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.Account(
            name="Visa",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 5, 30),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.Account(
            name="Diners",
            balance=Money(Decimal("1100"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.PlannedPayment(what="flights", amount=Money(Decimal("800"), "EUR"), paid_from="Visa"),
        finance.Account(
            name="Elan", balance=Money(Decimal("900"), "EUR"), credit_limit=Money(Decimal("1000"), "EUR")
        ),
        finance.PlannedPayment(what="hotel", amount=Money(Decimal("800"), "USD"), paid_from="Amex"),
        finance.PlannedPayment(what="train", amount=Money(Decimal("800"), "EUR"), paid_from="Elan"),
        finance.PlannedPayment(what="boat", amount=Money(Decimal("800"), "EUR")),
    ),
    silent(
        "months ahead",
        date(2025, 7, 15),
        finance.Account(
            name="Amex",
            balance=Money(Decimal("900"), "EUR"),
            balance_on=date(2025, 7, 14),
            credit_limit=Money(Decimal("1000"), "EUR"),
        ),
        finance.PlannedPayment(
            what="flights", amount=Money(Decimal("800"), "EUR"), paid_from="Amex", on=date(2025, 12, 1)
        ),
    ),
]
