from ..helpers import _has_words

_ANYTHING = "a all any anything every everything in my on purchase purchases spending the".split()


def budget_exceeded(user, now):
    """More spent in this day, week, month or year than the budget for it."""
    found = []
    for limit in user.finance.limits:
        if limit.per == "transaction":
            continue
        today = as_date(now)
        start, following = _period(limit.per, today)
        seen = set()
        spent = Decimal(0)
        for charge in user.finance.transactions:
            if charge.direction == "in" or charge.amount.currency != limit.amount.currency:
                continue
            if start <= charge.on < following and _covers(limit, charge):
                key = (charge.on, " ".join(words(charge.payee)), charge.amount.amount, charge.reference)
                if key not in seen:  # one charge mentioned twice
                    seen.add(key)
                    spent = spent + charge.amount.amount
        spent = spent - _refunds(user.finance.transactions, seen, limit, start, following)
        look_again(today + timedelta(days=1))  # nothing changes within a day
        if spent > limit.amount.amount:
            over = Money(spent - limit.amount.amount, limit.amount.currency)
            found.append(
                warning(
                    f"You have spent {money(Money(spent, limit.amount.currency))} on {limit.covers} since "
                    f"{start}, {money(over)} above your limit of {money(limit.amount)} a {limit.per}. A new "
                    f"{limit.per} begins on {following}.",
                    limit,
                )
            )
    return found


def _refunds(transactions, charged, limit, start, following):
    """What came back in the period from those who were paid in it, no more than each was paid."""
    paid = {}
    for _day, payee, amount, _reference in charged:
        paid[payee] = paid.get(payee, Decimal(0)) + amount
    counted = set()
    back = {}
    for refund in transactions:
        payee = " ".join(words(refund.payee))
        key = (refund.on, payee, refund.amount.amount, refund.reference)
        if refund.direction == "in" and payee in paid and key not in counted and start <= refund.on < following:
            if refund.amount.currency == limit.amount.currency:
                counted.add(key)
                back[payee] = back.get(payee, Decimal(0)) + refund.amount.amount
    return sum([min(back[payee], paid[payee]) for payee in back], Decimal(0))


def _period(per, today):
    if per == "day":
        return today, today + timedelta(days=1)
    if per == "week":
        return week_start(today), week_start(today) + timedelta(days=7)
    begins = date(today.year, today.month if per == "month" else 1, 1)
    return begins, add_months(begins, 1 if per == "month" else 12)


def _covers(limit, charge):
    about = [word for word in words(limit.covers) if word not in _ANYTHING]
    texts = [charge.category, charge.account, charge.payee, charge.what]
    return not about or any(_has_words(text, about) for text in texts if text)


CASES = [
    fires(
        "three dinners",
        date(2025, 3, 20),
        finance.Limit(covers="dining", per="month", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="A", amount=Money(Decimal("40"), "EUR"), on=date(2025, 3, 1), category="Dining"
        ),
        finance.Transaction(
            payee="B", amount=Money(Decimal("40"), "EUR"), on=date(2025, 3, 9), category="dining"
        ),
        finance.Transaction(
            payee="A", amount=Money(Decimal("40"), "EUR"), on=date(2025, 3, 20), category="dining"
        ),
        says=["120.00 EUR on dining since 2025-03-01", "20.00 EUR above", "100.00 EUR a month", "2025-04-01"],
    ),
    fires(
        "all spending of a week",
        date(2025, 3, 20),
        finance.Limit(covers="all spending", per="week", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(payee="A", amount=Money(Decimal("100.01"), "EUR"), on=date(2025, 3, 17)),
        says=["100.01 EUR", "2025-03-17", "2025-03-24"],
    ),
    silent(
        "one mentioned twice, one of last month, one in dollars, one refund",
        date(2025, 3, 20),
        finance.Limit(covers="dining", per="month", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="A", amount=Money(Decimal("60"), "EUR"), on=date(2025, 3, 1), category="dining"
        ),
        finance.Transaction(
            payee="A", amount=Money(Decimal("60"), "EUR"), on=date(2025, 3, 1), category="dining"
        ),
        finance.Transaction(
            payee="A", amount=Money(Decimal("60"), "EUR"), on=date(2025, 2, 28), category="dining"
        ),
        finance.Transaction(
            payee="B", amount=Money(Decimal("60"), "USD"), on=date(2025, 3, 2), category="dining"
        ),
        finance.Transaction(
            payee="C",
            amount=Money(Decimal("60"), "EUR"),
            on=date(2025, 3, 2),
            category="dining",
            direction="in",
        ),
    ),
    silent(
        "just the budget, and another category",
        date(2025, 3, 20),
        finance.Limit(covers="dining", per="month", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="A", amount=Money(Decimal("100"), "EUR"), on=date(2025, 3, 1), category="dining"
        ),
        finance.Transaction(
            payee="B", amount=Money(Decimal("100"), "EUR"), on=date(2025, 3, 1), category="fuel"
        ),
    ),
    silent(
        "a new month has begun",
        date(2025, 4, 1),
        finance.Limit(covers="dining", per="month", amount=Money(Decimal("100"), "EUR")),
        finance.Transaction(
            payee="A", amount=Money(Decimal("140"), "EUR"), on=date(2025, 3, 31), category="dining"
        ),
    ),
    silent(
        "a refund brings it back to the limit; a salary is not a refund",
        date(2026, 1, 20),
        finance.Limit(covers="anything", per="month", amount=Money(Decimal("200"), "USD")),
        finance.Transaction(payee="Nopa", amount=Money(Decimal("200"), "USD"), on=date(2026, 1, 8)),
        finance.Transaction(payee="Chez", amount=Money(Decimal("60"), "USD"), on=date(2026, 1, 15)),
        finance.Transaction(
            payee="Chez", amount=Money(Decimal("60"), "USD"), on=date(2026, 1, 17), direction="in"
        ),
    ),
    fires(
        "a salary is not a refund, nor is more than was paid",
        date(2026, 1, 20),
        finance.Limit(covers="anything", per="month", amount=Money(Decimal("200"), "USD")),
        finance.Transaction(payee="Nopa", amount=Money(Decimal("210"), "USD"), on=date(2026, 1, 8)),
        finance.Transaction(payee="Acme", amount=Money(Decimal("5"), "USD"), on=date(2026, 1, 9)),
        finance.Transaction(
            payee="Acme", amount=Money(Decimal("4000"), "USD"), on=date(2026, 1, 15), direction="in"
        ),
        says=["$210.00", "$10.00 above", "$200.00"],
    ),
]
