def conflicting_transfers(user, now):
    """Pending transfers of one amount to one recipient for one purpose, but to different accounts."""
    pending = [transfer for transfer in user.finance.transfers if transfer.status == "pending"]
    found = []
    for group in duplicates(pending, _what_for):
        if any(_elsewhere(one, other) for one, other in pairs(group)):
            to = group[0].recipient
            ways = []
            for transfer in group:
                if _way(transfer) not in ways:
                    ways.append(_way(transfer))
            found.append(
                critical(
                    f"Conflicting instructions for {money(group[0].amount)} to {to}: {' vs. '.join(ways)}. "
                    f"Ask {to} on a number you know which account is right before you send anything.",
                    *group,
                )
            )
    return found


def _what_for(transfer):
    amount = transfer.amount
    return (
        " ".join(words(transfer.recipient)),
        amount.amount,
        amount.currency,
        " ".join(words(transfer.purpose)),
    )


def _elsewhere(one, other):
    """Whether two transfers surely go to different accounts; an unknown detail is not a difference."""
    if one.last_four is not None and other.last_four is not None and one.last_four != other.last_four:
        return True
    return (
        one.institution is not None
        and other.institution is not None
        and not same(one.institution, other.institution)
    )


def _way(transfer):
    account = f" (****{transfer.last_four})" if transfer.last_four is not None else ""
    asked = f", as {transfer.asked_by} asked" if transfer.asked_by is not None else ""
    day = f" on {transfer.asked_on}" if transfer.asked_on is not None else ""
    return f"{transfer.institution or 'an account'}{account}{asked}{day}"


CASES = [
    fires(
        "mother and husband name two banks",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Patricia Williams",
            amount=Money(Decimal("15000"), "USD"),
            status="pending",
            purpose="Gift to mother",
            institution="Bank of America",
            last_four="3310",
            asked_by="Patricia Williams (mother)",
            asked_on=date(2025, 1, 8),
        ),
        finance.Transfer(
            recipient="Patricia Williams",
            amount=Money(Decimal("15000"), "USD"),
            status="pending",
            purpose="gift to mother",
            institution="Wells Fargo",
            last_four="6654",
            asked_by="James Thompson (husband)",
            asked_on=date(2025, 1, 9),
        ),
        says=[
            "$15,000.00 to Patricia Williams",
            "Bank of America (****3310), as Patricia Williams (mother) asked",
            "Wells Fargo (****6654), as James Thompson (husband) asked",
        ],
    ),
    fires(
        "one bank, two accounts",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana",
            amount=Money(Decimal("90"), "EUR"),
            status="pending",
            institution="ING",
            last_four="1111",
        ),
        finance.Transfer(
            recipient="Ana",
            amount=Money(Decimal("90"), "EUR"),
            status="pending",
            institution="ING",
            last_four="2222",
        ),
        says=["90.00 EUR", "1111", "2222"],
    ),
    silent(
        "the same transfer mentioned twice, once with less detail",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana",
            amount=Money(Decimal("90"), "EUR"),
            status="pending",
            institution="ING",
            last_four="1111",
        ),
        finance.Transfer(
            recipient="ana", amount=Money(Decimal("90.00"), "EUR"), status="pending", institution="ing"
        ),
    ),
    silent(
        "the first one was sent",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana", amount=Money(Decimal("90"), "EUR"), status="sent", institution="ING"
        ),
        finance.Transfer(
            recipient="Ana", amount=Money(Decimal("90"), "EUR"), status="pending", institution="N26"
        ),
    ),
    silent(
        "two purposes",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana",
            amount=Money(Decimal("90"), "EUR"),
            status="pending",
            institution="ING",
            purpose="rent",
        ),
        finance.Transfer(
            recipient="Ana",
            amount=Money(Decimal("90"), "EUR"),
            status="pending",
            institution="N26",
            purpose="gift",
        ),
    ),
    silent(
        "two currencies",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana", amount=Money(Decimal("90"), "EUR"), status="pending", institution="ING"
        ),
        finance.Transfer(
            recipient="Ana", amount=Money(Decimal("90"), "USD"), status="pending", institution="N26"
        ),
    ),
    silent(
        "one of them was called off",
        date(2025, 1, 10),
        finance.Transfer(
            recipient="Ana", amount=Money(Decimal("90"), "EUR"), status="pending", institution="ING"
        ),
        ended(
            finance.Transfer(
                recipient="Ana", amount=Money(Decimal("90"), "EUR"), status="pending", institution="N26"
            ),
            "2025-01-09",
        ),
    ),
]
