BILLS = "invoice invoices bill bills deposit rechnung factura facture".split()


def invoice_paid_twice(user, now):
    """One invoice that was paid twice, days apart or by different means: by card, then by transfer."""
    paid = [
        *[
            (one.on, one.payee, one.amount, one.account, one.invoice, f"{one.what or ''} {one.reference or ''}", one)
            for one in user.finance.transactions
            if one.direction != "in"
        ],
        *[
            (one.on, one.recipient, one.amount, one.paid_from or "transfer", one.invoice, one.purpose or "", one)
            for one in user.finance.transfers
            if one.status == "sent" and one.on is not None
        ],
    ]
    refunds = [one for one in user.finance.transactions if one.direction == "in"]
    usual = [
        *[text for one in user.finance.subscriptions for text in [one.name, one.provider] if text],
        *[text for one in user.finance.regular_payments for text in [one.what, one.payee] if text],
        *[text for one in user.finance.policies for text in [one.what, one.insurer] if text],
    ]
    paid = [each for each in paid if each[4] or any(word in BILLS for word in words(each[5]))]
    paid = sorted(paid, key=lambda each: (each[0], record_id(each[6])))
    groups = group_by(paid, _amount)
    found = []
    for group in groups.values():
        for one, other in pairs(group):
            if not _is_payee(one[1], other[1]) or (other[0] - one[0]).days > 60:
                continue
            if not _is_one_invoice(one, other, [text for text in usual if _is_payee(text, one[1])]):
                continue
            if any(_is_payee(back.payee, one[1]) and _is_back(back, one) for back in refunds):
                continue
            if due_within(add_months(other[0], days=60), now, 60):
                what = one[4] or other[4]
                invoice = f"invoice {what}" if what and any(char.isdigit() for char in what) else what or "one invoice"
                days = "on the same day" if one[0] == other[0] else f"on {one[0]} and again on {other[0]}"
                means = " and ".join([each[3] for each in (one, other) if each[3]])
                found.append(
                    warning(
                        f"{one[1]} seems to have been paid twice for {invoice}: {money(one[2])} {days}"
                        f"{f' (from {means})' if means else ''}. If it was one invoice, ask {one[1]} for the money back.",
                        one[6],
                        other[6],
                    )
                )
    return found


def _amount(payment):
    return (payment[2].amount, payment[2].currency)


def _is_payee(name, other):
    return same(name, other) or mentions(name, other) or mentions(other, name)


def _is_back(refund, payment):
    """Whether a refund is of the amount and came after it was paid."""
    return refund.on >= payment[0] and refund.amount == payment[2]


def _is_one_invoice(one, other, usual):
    """Whether both pay the same: the same invoice is named, or a bill by two means and nothing that comes regularly."""
    if one[4] and other[4]:
        # Told twice: the same day, the same means, and no two references of the bank.
        is_told_twice = one[0] == other[0] and (one[3] is None or other[3] is None or same(one[3], other[3]))
        return same(one[4], other[4]) and not is_told_twice
    named = [text for text in [one[4], other[4]] if text]
    texts = [one[5], other[5]]
    if named and not any(mentions(text, named[0]) for text in texts):
        return False  # of the other it is not known what it pays
    numbers = [[word for word in words(text) if len(word) > 2 and any(c.isdigit() for c in word)] for text in texts]
    if numbers[0] and numbers[1] and not any(word in numbers[1] for word in numbers[0]):
        return False
    is_bill = all(any(word in BILLS for word in words(text)) for text in texts) or bool(named)
    by_two_means = bool(one[3] and other[3]) and not same(one[3], other[3])
    return is_bill and by_two_means and not usual


CASES = [
    fires(
        "the plumber, by card and days later by transfer",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Rossi Plumbing",
            amount=Money(Decimal("480"), "EUR"),
            on=date(2025, 5, 6),
            account="Visa",
            invoice="2025-117",
        ),
        finance.Transfer(
            recipient="Rossi Plumbing",
            amount=Money(Decimal("480"), "EUR"),
            status="sent",
            on=date(2025, 5, 15),
            paid_from="ING",
            invoice="2025-117",
        ),
        says=["Rossi Plumbing", "invoice 2025-117", "480.00 EUR on 2025-05-06 and again on 2025-05-15", "Visa and ING"],
    ),
    fires(
        "the invoice is only in the words",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 6), account="Visa", what="plumber's invoice"
        ),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 9), account="ING", what="invoice"
        ),
        says=["Rossi seems to have been paid twice for one invoice"],
    ),
    silent(
        "two invoices, and two amounts",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 6), account="Visa", invoice="117"
        ),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 9), account="ING", invoice="118"
        ),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("481"), "EUR"), on=date(2025, 5, 9), account="ING", invoice="117"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("50"), "EUR"), on=date(2025, 5, 6), account="Visa", what="invoice A117"
        ),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("50"), "EUR"), on=date(2025, 5, 9), account="ING", what="invoice A118"
        ),
    ),
    silent(
        "one came back; told twice; months apart; what comes every month; shopping",
        date(2025, 5, 20),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 6), account="Visa", invoice="117"
        ),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 9), account="ING", invoice="117"
        ),
        finance.Transaction(
            payee="Rossi", amount=Money(Decimal("480"), "EUR"), on=date(2025, 5, 12), direction="in"
        ),
        finance.Transaction(payee="Sol", amount=Money(Decimal("90"), "EUR"), on=date(2025, 5, 6), invoice="5"),
        finance.Transaction(
            payee="Sol", amount=Money(Decimal("90"), "EUR"), on=date(2025, 5, 6), account="Visa", invoice="5"
        ),
        finance.Transaction(
            payee="Mar", amount=Money(Decimal("70"), "EUR"), on=date(2025, 1, 6), account="Visa", invoice="9"
        ),
        finance.Transaction(
            payee="Mar", amount=Money(Decimal("70"), "EUR"), on=date(2025, 5, 6), account="ING", invoice="9"
        ),
        finance.RegularPayment(what="electricity", payee="Volt", every="month"),
        finance.Transaction(
            payee="Volt", amount=Money(Decimal("60"), "EUR"), on=date(2025, 4, 6), account="Visa", what="bill"
        ),
        finance.Transaction(
            payee="Volt", amount=Money(Decimal("60"), "EUR"), on=date(2025, 5, 6), account="ING", what="bill"
        ),
        finance.Transaction(
            payee="Cafe", amount=Money(Decimal("20"), "EUR"), on=date(2025, 5, 6), account="Visa", what="lunch"
        ),
        finance.Transaction(
            payee="Cafe", amount=Money(Decimal("20"), "EUR"), on=date(2025, 5, 8), account="ING", what="lunch"
        ),
    ),
]
