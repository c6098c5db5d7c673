from ..helpers import _names_account


def savings_goal(user, now):
    """An amount needed by a day that the named accounts will not have, with their deposits and interest."""
    found = []
    for goal in user.finance.savings_goals:
        if not goal.accounts or is_past(goal.by, now):
            continue
        free = 0.0
        locked = 0.0
        penalty = 0.0
        shown = []
        usable = []
        for account in user.finance.accounts:
            if not any(_names_account(text, account) for text in goal.accounts) or account.balance is None:
                continue
            if account.balance_on is None or days_until(account.balance_on, now) < -366:
                continue
            if account.balance.currency != goal.amount.currency:
                continue
            usable.append(account)
            expected = _deposits(user.finance.regular_payments, account, goal.by)
            value = _grown(account.balance.amount, account, account.balance_on, goal.by)
            value = value + sum([_grown(amount, account, day, goal.by) for day, amount in expected])
            deposits = float(sum([amount for _day, amount in expected], Decimal(0)))
            since = (
                f", {_round(deposits, goal)} of it deposits after {account.balance_on}" if expected else ""
            )
            if account.matures is not None and account.matures > goal.by:
                monthly = float(account.balance.amount) * float(account.rate or 0) / 1200
                cost = monthly * (account.penalty_months or 0)
                locked = locked + value - cost
                penalty = penalty + cost
                since = f"{since}, locked until {account.matures}"
            else:
                free = free + value
            shown.append(f"{account.name} (about {_round(value, goal)}{since})")
        need = float(goal.amount.amount)
        if len(usable) < len(goal.accounts) or free >= need - 0.5:  # what is not known may be enough
            continue
        toll = f" (the penalty costs about {_round(penalty, goal)})" if penalty else ""
        if free + locked >= need:
            ending = f"That is enough only if you break what is locked{toll}, or wait until it matures."
        elif locked:
            ending = (
                f"Even if you break what is locked{toll}, about {_round(need - free - locked, goal)} is "
                f"missing; without it, {_round(need - free, goal)}. Save more, or move the date."
            )
        else:
            ending = f"About {_round(need - free, goal)} is missing. Save more, or move the date."
        found.append(
            warning(
                f"You need {money(goal.amount)} by {goal.by} for {goal.what}; by then you have "
                f"{' and '.join(shown)}. {ending}",
                goal,
                *usable,
            )
        )
    return found


def _deposits(payments, account, last):
    """Each deposit into the account after the day of its balance, up to the last day: [(day, amount), …]."""
    coming = []
    for payment in payments:
        if (
            payment.paid_into is None
            or payment.amount is None
            or payment.every != "month"
            or payment.day is None
        ):
            continue
        if not _names_account(payment.paid_into, account) or payment.amount.currency != account.balance.currency:
            continue
        begin = date(account.balance_on.year, account.balance_on.month, 1)
        months = (last.year - begin.year) * 12 + last.month - begin.month + 1
        for month in range(min(months, 12_000)):
            first_day = add_months(begin, month)
            last_day = add_months(first_day, 1, days=-1)
            day = min(add_months(first_day, days=payment.day - 1), last_day)
            if account.balance_on < day <= last and (payment.until is None or day <= payment.until):
                coming.append((day, payment.amount.amount))
    return coming


def _grown(amount, account, start, end):
    """The amount with interest; rates and times are limited to plausible ones, at most a hundred years."""
    rate = min(max(float(account.rate or 0), -99.0), 100.0)
    years = min(max((end - start).days / 365, -100.0), 100.0)
    return float(amount) * (1 + rate / 100) ** years


def _round(value, goal):
    return money(Money(Decimal(f"{value:.0f}"), goal.amount.currency))


CASES = [
    fires(
        "savings and a deposit that is locked: not enough even if it is broken",
        date(2025, 6, 20),
        finance.Account(
            name="high-yield savings",
            kind="savings",
            balance=Money(Decimal("8750"), "USD"),
            balance_on=date(2025, 1, 15),
            rate=Decimal("4.85"),
        ),
        finance.Account(
            name="CD",
            kind="deposit",
            balance=Money(Decimal("15000"), "USD"),
            balance_on=date(2025, 4, 10),
            rate=Decimal("5.1"),
            matures=date(2025, 11, 1),
            penalty_months=6,
        ),
        finance.RegularPayment(
            what="deposit of the 1st",
            amount=Money(Decimal("400"), "USD"),
            every="month",
            day=1,
            paid_into="high-yield savings account",
        ),
        finance.RegularPayment(
            what="deposit of the 15th",
            amount=Money(Decimal("250"), "USD"),
            every="month",
            day=15,
            paid_into="high-yield savings account",
        ),
        finance.SavingsGoal(
            what="a down payment",
            amount=Money(Decimal("32000"), "USD"),
            by=date(2025, 9, 15),
            accounts=["high-yield savings", "CD"],
        ),
        says=[
            "$32,000.00 by 2025-09-15",
            "$5,200.00 of it deposits",
            "locked until 2025-11-01",
            "$382.00",
            "missing",
        ],
    ),
    fires(
        "enough only with what is locked",
        date(2025, 6, 20),
        finance.Account(name="savings", balance=Money(Decimal("500"), "EUR"), balance_on=date(2025, 6, 1)),
        finance.Account(
            name="bond",
            balance=Money(Decimal("600"), "EUR"),
            balance_on=date(2025, 6, 1),
            matures=date(2026, 1, 1),
        ),
        finance.SavingsGoal(
            what="a bike",
            amount=Money(Decimal("1000"), "EUR"),
            by=date(2025, 9, 1),
            accounts=["savings", "bond"],
        ),
        says=["a bike", "only if you break", "2026-01-01"],
    ),
    silent(
        "just enough on the day",
        date(2025, 6, 20),
        finance.Account(name="savings", balance=Money(Decimal("500"), "EUR"), balance_on=date(2025, 6, 1)),
        finance.RegularPayment(
            what="saving", amount=Money(Decimal("100"), "EUR"), every="month", day=31, paid_into="savings"
        ),
        finance.SavingsGoal(
            what="a bike", amount=Money(Decimal("800"), "EUR"), by=date(2025, 8, 31), accounts=["savings"]
        ),
    ),
    silent(
        "past, with no account, with an account of unknown balance, in another currency",
        date(2025, 6, 20),
        finance.Account(name="savings", balance=Money(Decimal("5"), "EUR"), balance_on=date(2025, 6, 1)),
        finance.Account(name="fund"),
        finance.SavingsGoal(
            what="a bike", amount=Money(Decimal("900"), "EUR"), by=date(2025, 6, 19), accounts=["savings"]
        ),
        finance.SavingsGoal(what="a car", amount=Money(Decimal("900"), "EUR"), by=date(2025, 9, 1)),
        finance.SavingsGoal(
            what="a boat",
            amount=Money(Decimal("900"), "EUR"),
            by=date(2025, 9, 1),
            accounts=["savings", "fund"],
        ),
        finance.SavingsGoal(
            what="a kite", amount=Money(Decimal("900"), "USD"), by=date(2025, 9, 1), accounts=["savings"]
        ),
    ),
]
