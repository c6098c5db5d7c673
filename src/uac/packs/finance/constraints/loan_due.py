from ..helpers import _in_days


def loan_due(user, now):
    """Something that the user owes, or is owed, is due back within a week or overdue."""
    found = []
    for loan in user.finance.loans:
        if loan.due is None or (loan.amount is not None and loan.amount == loan.paid_back):
            continue
        is_late = is_past(loan.due, now) and days_until(loan.due, now) >= -60
        if not is_late and not due_within(loan.due, now, 7):
            continue
        when = f"was due on {loan.due}" if is_late else f"is due on {loan.due}, {_in_days(days_until(loan.due, now))}"
        amount = f" ({money(loan.amount)}{_paid(loan)})" if loan.amount is not None else ""
        if loan.direction == "borrowed":
            text = f"What you borrowed from {loan.who}, {loan.what}{amount}, {when}. Give it back, or ask for more time."
            found.append(warning(text, loan))
        else:
            found.append(info(f"What you lent {loan.who}, {loan.what}{amount}, {when}. Ask for it.", loan))
    return found


def _paid(loan):
    return f", {money(loan.paid_back)} of it paid back" if loan.paid_back is not None else ""


CASES = [
    fires(
        "money that the user owes",
        date(2024, 5, 15),
        finance.Loan(
            who="Mia",
            what="money",
            direction="borrowed",
            amount=Money(Decimal("250"), "EUR"),
            paid_back=Money(Decimal("100"), "EUR"),
            due=date(2024, 5, 20),
        ),
        says=["borrowed from Mia, money (250.00 EUR, 100.00 EUR of it paid back)", "2024-05-20, in 5 days"],
    ),
    fires(
        "a thing that was to be back last week",
        date(2024, 5, 15),
        finance.Loan(who="Jonas", what="the ladder", direction="lent", due=date(2024, 5, 8)),
        says=["What you lent Jonas, the ladder, was due on 2024-05-08"],
    ),
    silent(
        "later, of no date, paid back, back, or forgotten long ago",
        date(2024, 5, 15),
        finance.Loan(who="Mia", what="money", direction="borrowed", due=date(2024, 6, 20)),
        finance.Loan(who="Tom", what="a tent", direction="lent"),
        finance.Loan(
            who="Ana",
            what="money",
            direction="borrowed",
            amount=Money(Decimal("250"), "EUR"),
            paid_back=Money(Decimal("250"), "EUR"),
            due=date(2024, 5, 16),
        ),
        ended(finance.Loan(who="Lee", what="a drill", direction="lent", due=date(2024, 5, 16)), "2024-05-10"),
        finance.Loan(who="Bob", what="a book", direction="lent", due=date(2023, 5, 16)),
    ),
]
