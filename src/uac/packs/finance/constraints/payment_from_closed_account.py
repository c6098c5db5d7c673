from ..helpers import _names_account


def payment_from_closed_account(user, now):
    """A regular or planned payment from an account that is closed, or will be when the payment is due."""
    former = user.finance.former_accounts
    known = [*user.finance.accounts, *former]
    others = [
        account.name for account in user.finance.accounts if account.closes is None and _can_pay(account)
    ]
    advice = f"another account, such as {others[0]}" if others else "another account"
    found = []
    for regular in user.finance.regular_payments:
        account = _meant(regular.paid_from, known)
        if account is None or (regular.until is not None and is_past(regular.until, now)):
            continue
        goes_on = account.closes is not None and (regular.until is None or regular.until >= account.closes)
        if goes_on or account in former:
            how = "autopay" if regular.autopay else "regular payment"
            due = f" (due on day {regular.day} of the month)" if regular.day is not None else ""
            what = f"Your {how} of {money(regular.amount)} for {regular.what}{due}"
            found.append(warning(f"{what} {_fails(account)} {advice}.", regular, account))
    for plan in user.finance.planned_payments:
        account = _meant(plan.paid_from, known)
        if account is None or (plan.on is not None and is_past(plan.on, now)):
            continue
        comes_later = account.closes is not None and (
            plan.on >= account.closes if plan.on is not None else is_past(account.closes, now)
        )
        if comes_later or account in former:
            day = f" on {plan.on}" if plan.on is not None else ""
            what = f"Your planned payment of {money(plan.amount)} for {plan.what}{day}"
            found.append(warning(f"{what} {_fails(account)} {advice}.", plan, account))
    return found


def _meant(text, accounts):
    """The one account that the text names, or None; words such as 'my' and 'account' do not count."""
    ignored = ("my", "the", "our", "account", "card", "bank")
    matching = [account for account in accounts if _names_account(text, account, ignored)]
    return matching[0] if len(matching) == 1 else None


def _fails(account):
    closed = (
        f"which you closed or plan to close on {account.closes}"
        if account.closes is not None
        else "which is closed"
    )
    return f"comes from {account.name}, {closed}. It may fail: switch it to"


def _can_pay(account):
    return account.kind in (None, "checking", "savings")


CASES = [
    fires(
        "rent from an account that was to be closed",
        date(2024, 10, 2),
        finance.Account(name="Ally checking", kind="checking", closes=date(2024, 9, 27)),
        finance.Account(name="Citi account", institution="Citi"),
        finance.RegularPayment(
            what="rent",
            amount=Money(Decimal("1500"), "USD"),
            every="month",
            day=1,
            paid_from="my Ally account",
            autopay=True,
        ),
        says=[
            "Ally",
            "autopay",
            "$1,500.00",
            "clos",
            "switch it to another account, such as Citi account",
        ],
    ),
    fires(
        "planned for a later day",
        date(2025, 3, 1),
        finance.Account(name="N26", closes=date(2025, 3, 31)),
        finance.PlannedPayment(
            what="the dentist", amount=Money(Decimal("80"), "EUR"), paid_from="N26", on=date(2025, 3, 31)
        ),
        says=["80.00 EUR", "the dentist", "2025-03-31"],
    ),
    fires(
        "an account that has ended",
        date(2025, 3, 1),
        ended(finance.Account(name="N26"), "2025-02-01"),
        finance.RegularPayment(what="gym", amount=Money(Decimal("30"), "EUR"), paid_from="N26"),
        says=["N26", "closed"],
    ),
    silent(
        "planned for the day before it closes",
        date(2025, 3, 1),
        finance.Account(name="N26", closes=date(2025, 3, 31)),
        finance.PlannedPayment(
            what="dentist", amount=Money(Decimal("80"), "EUR"), paid_from="N26", on=date(2025, 3, 30)
        ),
    ),
    silent(
        "the last instalment comes before",
        date(2025, 3, 1),
        finance.Account(name="N26", closes=date(2025, 3, 31)),
        finance.RegularPayment(what="bike loan", every="month", paid_from="N26", until=date(2025, 3, 15)),
    ),
    silent(
        "two accounts of one bank, and it is not said which",
        date(2025, 3, 1),
        finance.Account(name="ING checking", closes=date(2025, 2, 1)),
        finance.Account(name="ING savings"),
        finance.RegularPayment(what="rent", paid_from="ING", autopay=True),
    ),
    silent(
        "another account",
        date(2025, 3, 1),
        finance.Account(name="ING checking", closes=date(2025, 2, 1)),
        finance.Account(name="N26 checking"),
        finance.RegularPayment(what="rent", paid_from="N26", autopay=True),
        finance.RegularPayment(what="phone"),
    ),
    silent(
        "the last instalment and the day of the plan are past",
        date(2026, 1, 25),
        ended(finance.Account(name="Chase checking", kind="checking"), "2026-01-21"),
        finance.RegularPayment(what="car loan", paid_from="Chase checking", until=date(2026, 1, 10)),
        finance.PlannedPayment(what="sofa", on=date(2026, 1, 22), paid_from="Chase checking"),
    ),
]
