from ..helpers import _in_days


def promo_rate_ends(user, now):
    """A promotional rate that ends while money is owed: at half of its time, and in the last 60 days."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    found = []
    for account in user.finance.accounts:
        ends = account.promo_until
        if ends is None or account.balance is None or account.closes is not None:
            continue
        if account.balance.amount <= 0 or account.kind not in ("card", "loan", None):
            continue
        lead = _lead(account.promo_from, ends)
        if not due_within(ends, now, lead):
            continue
        months = max(_months(as_date(now), ends), 1)
        each = Money(account.balance.amount / months, account.balance.currency)
        rate = f"{account.promo_rate}% rate" if account.promo_rate is not None else "promotional rate"
        as_of = f", as far as I know ({account.balance_on})" if account.balance_on is not None else ""
        after = f" at {account.rate}%" if account.rate is not None else ""
        count = "1 month" if months == 1 else f"{months} months"
        text = (
            f"The {rate} of your {account.name} ends on {ends}, {_in_days(days_until(ends, now))}, and you owe "
            f"{money(account.balance)}{as_of}. What is left then costs interest{after}. To pay it off in "
            f"time takes about {money(each)} a month for {count}: check the balance and set up the payments."
        )
        found.append(warning(text, account) if days_until(ends, now) <= 60 else info(text, account))
    return found


def _lead(begins, ends):
    """How many days ahead to say it: half of the months of the promotion, at least 60 days."""
    if begins is None:
        return 60
    half = add_months(begins, _months(begins, ends) // 2)
    return max((ends - half).days, 60)


def _months(day, end):
    """Whole months from one day to another, a part of a month as one from the middle of it on."""
    count = (end.year - day.year) * 12 + end.month - day.month
    return count if abs(end.day - day.day) < 15 else count - 1 if end.day < day.day else count + 1


CASES = [
    fires(
        "half of fifteen months",
        date(2024, 11, 20),
        finance.Account(
            name="Barclays card",
            kind="card",
            balance=Money(Decimal("8000"), "USD"),
            balance_on=date(2024, 4, 10),
            promo_rate=Decimal("0"),
            promo_from=date(2024, 4, 10),
            promo_until=date(2025, 7, 10),
        ),
        says=[
            "Barclays card",
            "0% rate",
            "2025-07-10",
            "$8,000.00",
            "2024-04-10",
            "$1,000.00 a month for 8 months",
        ],
    ),
    fires(
        "sixty days before, no beginning known",
        date(2025, 5, 11),
        finance.Account(name="Visa", balance=Money(Decimal("500"), "EUR"), promo_until=date(2025, 7, 10)),
        says=["Visa", "in about 9 weeks", "250.00 EUR a month for 2 months"],
    ),
    silent(
        "before half of the time",
        date(2024, 11, 9),
        finance.Account(
            name="Barclays card",
            balance=Money(Decimal("8000"), "USD"),
            promo_from=date(2024, 4, 10),
            promo_until=date(2025, 7, 10),
        ),
    ),
    silent(
        "sixty-one days before, no beginning known",
        date(2025, 5, 10),
        finance.Account(name="Visa", balance=Money(Decimal("500"), "EUR"), promo_until=date(2025, 7, 10)),
    ),
    silent(
        "paid off, unknown, and over",
        date(2025, 7, 11),
        finance.Account(name="A", balance=Money(Decimal("0"), "EUR"), promo_until=date(2025, 7, 20)),
        finance.Account(name="B", promo_until=date(2025, 7, 20)),
        finance.Account(name="C", balance=Money(Decimal("500"), "EUR"), promo_until=date(2025, 7, 10)),
    ),
    silent(
        "a high rate on savings is not a debt",
        date(2025, 7, 1),
        finance.Account(
            name="Savings",
            kind="savings",
            balance=Money(Decimal("500"), "EUR"),
            promo_until=date(2025, 7, 10),
        ),
    ),
]
