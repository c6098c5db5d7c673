from ..helpers import _covers, _rule, _way


def spending_limit(user, now):
    """A payment, planned or just made, above the most that somebody said should be spent at once."""
    found = []
    for limit in user.finance.limits:
        if limit.per != "transaction":
            continue
        for plan in user.finance.planned_payments:
            texts = [plan.paid_from, plan.category, plan.what, plan.payee]
            over = plan.amount is not None and exceeds(plan.amount, limit.amount)
            if plan.on is not None and is_past(plan.on, now):
                continue
            if over and _covers(limit, texts):
                found.append(
                    warning(
                        f"Paying {money(plan.amount)} for {plan.what} {_rule(limit, over)} {_way(limit)}",
                        plan,
                        limit,
                    )
                )
        for transfer in user.finance.transfers:
            over = exceeds(transfer.amount, limit.amount)
            texts = [transfer.paid_from, transfer.purpose]
            if transfer.status == "pending" and over and _covers(limit, texts):
                what = f"The transfer of {money(transfer.amount)} to {transfer.recipient}"
                found.append(warning(f"{what} {_rule(limit, over)} {_way(limit)}", transfer, limit))
        seen = set()
        for made in user.finance.transactions:
            over = exceeds(made.amount, limit.amount)
            if not over or made.direction == "in" or not due_within(add_months(made.on, days=14), now, 14):
                continue
            key = (made.on, made.amount.amount, " ".join(words(made.payee)))
            if key not in seen and _covers(limit, [made.account, made.category, made.what, made.payee]):
                seen.add(key)  # one payment mentioned twice
                what = f"The {money(made.amount)} to {made.payee} on {made.on}"
                found.append(warning(f"{what} {_rule(limit, over)} Was it meant?", made, limit))
    return found


CASES = [
    fires(
        "a workshop on a card with a limit",
        date(2025, 1, 15),
        finance.Limit(
            covers="corporate card",
            per="transaction",
            amount=Money(Decimal("3000"), "USD"),
            exception="VP approval",
        ),
        finance.PlannedPayment(
            what="workshop room", amount=Money(Decimal("4200"), "USD"), paid_from="my corporate card"
        ),
        says=["$4,200.00", "$3,000.00", "$1,200.00", "exceeds", "VP approval"],
    ),
    fires(
        "a rule for any purchase",
        date(2025, 1, 15),
        finance.Limit(
            covers="any single purchase", per="transaction", amount=Money(Decimal("200"), "EUR"), by="us"
        ),
        finance.Transfer(recipient="Bo", amount=Money(Decimal("200.01"), "EUR"), status="pending"),
        says=["200.01 EUR to Bo", "200.00 EUR", "0.01 EUR"],
    ),
    fires(
        "made last week",
        date(2025, 1, 15),
        finance.Limit(covers="shoes", per="transaction", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="Runners", amount=Money(Decimal("160"), "EUR"), on=date(2025, 1, 9), category="Shoes"
        ),
        says=["160.00 EUR to Runners", "100.00 EUR"],
    ),
    silent(
        "made two weeks and a day ago",
        date(2025, 1, 24),
        finance.Limit(covers="shoes", per="transaction", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="Runners", amount=Money(Decimal("160"), "EUR"), on=date(2025, 1, 9), category="Shoes"
        ),
    ),
    silent(
        "just at the limit",
        date(2025, 1, 15),
        finance.Limit(covers="corporate card", per="transaction", amount=Money(Decimal("3000"), "USD")),
        finance.PlannedPayment(what="room", amount=Money(Decimal("3000"), "USD"), paid_from="corporate card"),
    ),
    silent(
        "another card, no card, no amount, another currency",
        date(2025, 1, 15),
        finance.Limit(covers="corporate card", per="transaction", amount=Money(Decimal("3000"), "USD")),
        finance.PlannedPayment(what="room", amount=Money(Decimal("4200"), "USD"), paid_from="my own card"),
        finance.PlannedPayment(what="hall", amount=Money(Decimal("4200"), "USD")),
        finance.PlannedPayment(what="tent", paid_from="corporate card"),
        finance.PlannedPayment(
            what="boat", amount=Money(Decimal("420000"), "JPY"), paid_from="corporate card"
        ),
    ),
    silent(
        "a budget of a month is another matter; money that comes in too",
        date(2025, 1, 15),
        finance.Limit(covers="any purchase", per="month", amount=Money(Decimal("300"), "USD")),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("500"), "USD")),
        finance.PlannedPayment(what="room", amount=Money(Decimal("420"), "USD")),
        finance.Transaction(
            payee="employer", amount=Money(Decimal("4200"), "USD"), on=date(2025, 1, 15), direction="in"
        ),
    ),
    silent(
        "the plan was dropped",
        date(2025, 1, 15),
        finance.Limit(covers="corporate card", per="transaction", amount=Money(Decimal("3000"), "USD")),
        ended(
            finance.PlannedPayment(
                what="room", amount=Money(Decimal("4200"), "USD"), paid_from="corporate card"
            ),
            "2025-01-14",
        ),
    ),
    silent(
        "the day of the plan is past",
        date(2026, 1, 26),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("500"), "USD")),
        finance.PlannedPayment(what="sofa", amount=Money(Decimal("900"), "USD"), on=date(2026, 1, 25)),
    ),
]
