from ..helpers import _names_account


def balance_shortfall(user, now):
    """Planned payments that the balance, less what was paid since, cannot bear with the bills before the next income."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    today = as_date(now)
    paydays = sorted([income.next_on for income in user.finance.incomes if income.next_on is not None])
    payday = first([day for day in paydays if day > today])
    found = []
    for account in user.finance.accounts:
        if (
            account.balance is None
            or account.balance_on is None
            or account.kind in ("card", "loan", "deposit")
        ):
            continue
        # A balance of last month, or of before the last income, says little about today.
        is_stale = days_until(account.balance_on, now) < -31 or any(
            account.balance_on < day <= today for day in paydays
        )
        if is_stale or _has_income(account, user.finance.transactions):
            continue
        horizon = payday or today + timedelta(days=14)
        plans = []
        cost = Decimal(0)
        for plan in user.finance.planned_payments:
            if plan.amount is None or plan.amount.currency != account.balance.currency:
                continue
            if plan.paid_from is None and plan.on is None:  # a wish, such as a house
                continue
            if _is_from(plan.paid_from, account) and (plan.on is None or today <= plan.on < horizon):
                plans.append(plan)
                cost = cost + plan.amount.amount
        known = Decimal(0)
        bills = []
        open_bills = []
        for bill in user.finance.regular_payments:
            is_due = bill.still_to_pay if bill.next_due is None else today <= bill.next_due < horizon
            if not is_due or (bill.paid_from is not None and not _is_from(bill.paid_from, account)):
                continue
            if bill.amount is None:
                open_bills.append(bill.what)
            elif bill.amount.currency == account.balance.currency:
                known = known + bill.amount.amount
                bills.append(bill.what)
        paid = _paid_since(account, user.finance.transactions, user.finance.transfers, today)
        left = account.balance.amount - paid - cost - known
        own = [bill for bill in user.finance.regular_payments if bill.paid_from is not None and bill.what in bills]
        soon = [bill for bill in own if bill.amount is not None and due_within(bill.next_due, now, 7)]
        # Of a balance of this week it can be said that it does not cover the rent, whatever else is planned.
        if soon and not plans and days_until(account.balance_on, now) >= -7 and _total(soon) > account.balance.amount - paid:
            short = Money(_total(soon) - account.balance.amount + paid, account.balance.currency)
            last = max([bill.next_due for bill in soon if bill.next_due is not None])
            text = f"{', '.join(bill.what for bill in soon)}, due by {last}, cannot be paid from"
            text = f"{text} your {account.name}, which is {money(short)} short (balance {money(account.balance)} on {account.balance_on})."
            found.append(warning(f"{text} Move money there in time.", account, *soon))
        takes_most = bool(open_bills) and cost * 2 >= account.balance.amount - paid - known
        if plans and (left < 0 or takes_most):
            currency = account.balance.currency
            named = ", ".join(plan.what for plan in plans)
            before = f" before the next income on {payday}" if payday is not None else ""
            since = f", less {money(Money(paid, currency))} paid since" if paid else ""
            minus = f"{since}, less {money(Money(known, currency))} for {', '.join(bills)}" if bills else since
            ahead = f", with {' and '.join(open_bills)} still to pay{before}" if open_bills else before
            rest = (
                f"leaves about {money(Money(left, currency))}"
                if left >= 0
                else f"is {money(Money(-left, currency))} short"
            )
            found.append(
                warning(
                    f"{named} at {money(Money(cost, currency))} from your {account.name} {rest}{ahead} "
                    f"(balance {money(account.balance)} on {account.balance_on}{minus}). Pay less, or "
                    f"wait{f' until {payday}' if payday is not None else ''}.",
                    account,
                    *plans,
                )
            )
    return found


def _total(bills):
    return sum([bill.amount.amount for bill in bills if bill.amount is not None], Decimal(0))


def _is_from(text, account):
    """Whether a payment comes from the account; one of which nothing is said, from a checking account."""
    if text is None:
        return account.kind == "checking"
    return _names_account(text, account)


def _paid_since(account, transactions, transfers, today):
    """What has left the account after the day of its balance; of that day itself nobody knows."""
    moved = [
        *[(one.amount, one.on, one.account) for one in transactions if one.direction != "in"],
        *[(one.amount, one.on, one.paid_from) for one in transfers if one.status == "sent" and one.on is not None],
    ]
    return sum(
        [
            amount.amount
            for amount, on, source in moved
            if amount.currency == account.balance.currency and account.balance_on < on <= today
            if _is_from(source, account)
        ],
        Decimal(0),
    )


def _has_income(account, transactions):
    return any(made.direction == "in" and made.on > account.balance_on for made in transactions)


CASES = [
    fires(
        "a gift that leaves little for bills of unknown amount",
        date(2024, 10, 22),
        finance.Account(
            name="checking",
            kind="checking",
            balance=Money(Decimal("2000"), "USD"),
            balance_on=date(2024, 10, 15),
        ),
        finance.Income(source="salary", next_on=date(2024, 11, 1)),
        finance.RegularPayment(what="rent", still_to_pay=True),
        finance.RegularPayment(what="utilities", still_to_pay=True),
        finance.PlannedPayment(what="donation", amount=Money(Decimal("1500"), "USD"), on=date(2024, 10, 22)),
        says=[
            "donation at $1,500.00",
            "about $500.00",
            "rent and utilities",
            "2024-11-01",
            "$2,000.00 on 2024-10-15",
        ],
    ),
    fires(
        "a known bill",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("2000"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.Income(source="salary", next_on=date(2024, 11, 1)),
        finance.RegularPayment(
            what="rent", amount=Money(Decimal("1200"), "EUR"), every="month", next_due=date(2024, 10, 31)
        ),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("801"), "EUR"), paid_from="ING account"),
        says=["a bike at 801.00 EUR", "is 1.00 EUR short", "1,200.00 EUR for rent"],
    ),
    fires(
        "enough on the day of the balance, not after what was paid since",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("2000"), "EUR"), balance_on=date(2024, 10, 15)
        ),
        finance.Transaction(
            payee="garage", amount=Money(Decimal("900"), "EUR"), on=date(2024, 10, 18), account="ING"
        ),
        finance.Transfer(
            recipient="Tom", amount=Money(Decimal("400"), "EUR"), status="sent", on=date(2024, 10, 20), paid_from="ING"
        ),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING"),
        says=["a bike at 800.00 EUR", "is 100.00 EUR short", "2,000.00 EUR on 2024-10-15, less 1,300.00 EUR paid since"],
    ),
    silent(
        "paid before the balance, from another account, or in another currency",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("2000"), "EUR"), balance_on=date(2024, 10, 15)
        ),
        finance.Transaction(
            payee="garage", amount=Money(Decimal("1500"), "EUR"), on=date(2024, 10, 15), account="ING"
        ),
        finance.Transaction(
            payee="shop", amount=Money(Decimal("1500"), "EUR"), on=date(2024, 10, 18), account="Visa"
        ),
        finance.Transaction(
            payee="fair", amount=Money(Decimal("1500"), "USD"), on=date(2024, 10, 18), account="ING"
        ),
        finance.Transfer(
            recipient="Tom", amount=Money(Decimal("1500"), "EUR"), status="pending", on=date(2024, 10, 20), paid_from="ING"
        ),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING"),
    ),
    fires(
        "the balance of today does not cover the rent of this week",
        date(2026, 11, 17),
        finance.Account(
            name="Girokonto", kind="checking", balance=Money(Decimal("310"), "EUR"), balance_on=date(2026, 11, 17)
        ),
        finance.RegularPayment(
            what="rent", amount=Money(Decimal("900"), "EUR"), next_due=date(2026, 11, 20), paid_from="Girokonto"
        ),
        says=["rent, due by 2026-11-20", "Girokonto, which is 590.00 EUR short"],
    ),
    silent(
        "the rent of this week, with income before it, from a balance of last week, and with enough",
        date(2026, 11, 17),
        finance.Account(
            name="Girokonto", kind="checking", balance=Money(Decimal("900"), "EUR"), balance_on=date(2026, 11, 17)
        ),
        finance.Account(name="N26", kind="checking", balance=Money(Decimal("10"), "EUR"), balance_on=date(2026, 11, 9)),
        finance.RegularPayment(
            what="rent", amount=Money(Decimal("900"), "EUR"), next_due=date(2026, 11, 20), paid_from="Girokonto"
        ),
        finance.RegularPayment(
            what="gym", amount=Money(Decimal("50"), "EUR"), next_due=date(2026, 11, 20), paid_from="N26"
        ),
    ),
    silent(
        "just enough",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("2000"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.Income(source="salary", next_on=date(2024, 11, 1)),
        finance.RegularPayment(
            what="rent", amount=Money(Decimal("1200"), "EUR"), next_due=date(2024, 10, 31)
        ),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING account"),
    ),
    silent(
        "the bill and the plan come with the next income",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("900"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.Income(source="salary", next_on=date(2024, 11, 1)),
        finance.RegularPayment(what="rent", amount=Money(Decimal("1200"), "EUR"), next_due=date(2024, 11, 1)),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING"),
        finance.PlannedPayment(what="a boat", amount=Money(Decimal("8000"), "EUR"), on=date(2024, 11, 1)),
    ),
    silent(
        "the salary has come since",
        date(2024, 11, 2),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("100"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.Income(source="salary", next_on=date(2024, 11, 1)),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING"),
    ),
    silent(
        "an old balance, another currency, another account",
        date(2024, 12, 2),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("100"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.Account(
            name="N26", kind="savings", balance=Money(Decimal("100"), "EUR"), balance_on=date(2024, 12, 1)
        ),
        finance.PlannedPayment(what="a bike", amount=Money(Decimal("800"), "EUR"), paid_from="ING"),
        finance.PlannedPayment(what="a kite", amount=Money(Decimal("800"), "USD"), paid_from="N26"),
        finance.PlannedPayment(what="a tent", amount=Money(Decimal("800"), "EUR")),
    ),
    silent(
        "little of it, with bills of unknown amount",
        date(2024, 10, 22),
        finance.Account(
            name="ING", kind="checking", balance=Money(Decimal("2000"), "EUR"), balance_on=date(2024, 10, 20)
        ),
        finance.RegularPayment(what="rent", still_to_pay=True),
        finance.PlannedPayment(what="a book", amount=Money(Decimal("30"), "EUR"), on=date(2024, 10, 23)),
        finance.PlannedPayment(what="a house", amount=Money(Decimal("300000"), "EUR")),
    ),
]
