def transfer_against_instruction(user, now):
    """A transfer or a payment from an account of which somebody said that no money should leave it."""
    found = []
    for hold in user.finance.holds:
        if hold.until is not None and is_past(hold.until, now):
            continue
        for transfer in user.finance.transfers:
            if transfer.status == "pending" and _is_held(transfer, hold):
                where = f" ({_to(transfer)})" if _to(transfer) else ""
                asked = f", asked for by {transfer.asked_by}" if transfer.asked_by is not None else ""
                day = f" on {transfer.asked_on}" if transfer.asked_on is not None else ""
                who = f"{transfer.asked_by} and {hold.by}" if transfer.asked_by and hold.by else "both sides"
                found.append(
                    critical(
                        f"A transfer of {money(transfer.amount)} from the {hold.account} to "
                        f"{transfer.recipient}{where} is pending{asked}{day}, but {_said(hold)}. These "
                        f"instructions conflict: resolve it with {who} before anything is sent.",
                        transfer,
                        hold,
                    )
                )
        for plan in user.finance.planned_payments:
            if _is_held(plan, hold) and not (plan.on is not None and is_past(plan.on, now)):
                found.append(
                    warning(
                        f"You mean to pay {money(plan.amount)} for {plan.what} from the {hold.account}, but "
                        f"{_said(hold)}. Pay it from another account, or clear it with {hold.by or 'them'} "
                        f"first.",
                        plan,
                        hold,
                    )
                )
    return found


def _is_held(payment, hold):
    if not _names(payment.paid_from) or _names(payment.paid_from) != _names(hold.account):
        return False
    return hold.until is None or payment.on is None or payment.on <= hold.until


def _names(text):
    return sorted([word for word in words(text) if word not in ("my", "the", "our", "account")])


def _said(hold):
    until = f" until {hold.until}" if hold.until is not None else ""
    since = f" on {hold.since}" if hold.since is not None else ""
    why = f" ({hold.reason})" if hold.reason is not None else ""
    return f"{hold.by or 'somebody'} said{since} that no money should leave it{until}{why}"


def _to(transfer):
    digits = f"****{transfer.last_four}" if transfer.last_four is not None else ""
    return f"{transfer.institution or ''} {digits}".strip()


CASES = [
    fires(
        "a son asks, the grandmother has said no",
        date(2024, 9, 6),
        finance.Transfer(
            recipient="the roofer",
            amount=Money(Decimal("5000"), "USD"),
            status="pending",
            paid_from="family trust account",
            institution="Chase",
            last_four="4477",
            asked_by="Ben",
            asked_on=date(2024, 9, 5),
        ),
        finance.Hold(
            account="Family trust",
            by="grandmother",
            since=date(2024, 9, 6),
            until=date(2024, 9, 30),
            reason="she is restructuring it",
        ),
        says=[
            "$5,000.00",
            "family trust",
            "asked for by Ben",
            "grandmother said",
            "Chase ****4477",
            "2024-09-30",
            "conflict",
        ],
    ),
    fires(
        "on the last day of it",
        date(2024, 9, 30),
        finance.PlannedPayment(what="a sofa", amount=Money(Decimal("700"), "EUR"), paid_from="joint account"),
        finance.Hold(account="joint account", by="Ana", until=date(2024, 9, 30)),
        says=["700.00 EUR", "a sofa", "Ana", "2024-09-30"],
    ),
    silent(
        "the day after it is over",
        date(2024, 10, 1),
        finance.PlannedPayment(what="a sofa", amount=Money(Decimal("700"), "EUR"), paid_from="joint account"),
        finance.Hold(account="joint account", by="Ana", until=date(2024, 9, 30)),
    ),
    silent(
        "to be sent when it is over",
        date(2024, 9, 12),
        finance.Transfer(
            recipient="Bo",
            amount=Money(Decimal("50"), "EUR"),
            status="pending",
            paid_from="joint account",
            on=date(2024, 10, 1),
        ),
        finance.Hold(account="joint account", until=date(2024, 9, 30)),
    ),
    silent(
        "another account",
        date(2024, 9, 12),
        finance.Transfer(
            recipient="Bo", amount=Money(Decimal("50"), "EUR"), status="pending", paid_from="Chase checking"
        ),
        finance.Hold(account="family trust account"),
    ),
    silent(
        "an account that is not named, and one that was sent before",
        date(2024, 9, 12),
        finance.Transfer(recipient="Bo", amount=Money(Decimal("50"), "EUR"), status="pending"),
        finance.Transfer(
            recipient="Bo", amount=Money(Decimal("50"), "EUR"), status="sent", paid_from="trust"
        ),
        finance.Hold(account="trust"),
    ),
    silent(
        "taken back",
        date(2024, 9, 12),
        finance.Transfer(
            recipient="Bo", amount=Money(Decimal("50"), "EUR"), status="pending", paid_from="trust"
        ),
        ended(finance.Hold(account="trust"), "2024-09-10"),
    ),
    silent(
        "the day of the planned payment is past",
        date(2026, 1, 26),
        finance.Hold(account="trust account", by="father"),
        finance.PlannedPayment(
            what="roof",
            amount=Money(Decimal("900"), "USD"),
            paid_from="trust account",
            on=date(2026, 1, 25),
        ),
    ),
]
