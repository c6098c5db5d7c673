_RISKY = (
    "volatile, speculative, speculation, risky, gamble, hot tip, penny stock, meme stock, meme coin, crypto, "
    "cryptocurrency, bitcoin, leveraged, on margin, options trading, futures, day trading, junk bond, "
    "moonshot, 10x"
).split(", ")
_NOT = "not no low less isn without never barely".split()


def risk_preference(user, now):
    """An investment that is described as risky, by a user who wants to be careful with money."""
    wish = user.finance.risk_preference
    if wish is None or wish.attitude != "conservative":
        return []
    found = []
    for plan in user.finance.planned_payments:
        if plan.kind != "investment":
            continue
        signs = [text for text in plan.described if _is_risky(text)]
        if plan.risk != "high" and not signs and not _is_risky(plan.what):
            continue
        why = (
            f" ({', '.join(signs)})" if signs else ", a high-risk investment," if plan.risk == "high" else ""
        )
        since = f" of {wish.since}" if wish.since is not None else ""
        said = f": '{wish.said}'" if wish.said is not None else ""
        reason = f" ({wish.reason})" if wish.reason is not None else ""
        found.append(
            warning(
                f"Putting {money(plan.amount)} into {plan.what}{why} does not fit your wish{since} to be "
                f"conservative with money{said}{reason}. Reconsider it, or tell me that this has changed.",
                plan,
                wish,
            )
        )
    return found


def _is_risky(text):
    return any(mentions(text, word) for word in _RISKY) and not any(word in _NOT for word in words(text))


CASES = [
    fires(
        "a tip at work",
        date(2024, 11, 5),
        finance.RiskPreference(
            attitude="conservative",
            since=date(2024, 8, 10),
            said="nothing risky from now on",
            reason="a baby is coming",
        ),
        finance.PlannedPayment(
            what="shares of a start-up",
            amount=Money(Decimal("15000"), "USD"),
            kind="investment",
            described=["quite volatile"],
        ),
        says=[
            "$15,000.00",
            "start-up",
            "volatile",
            "conservative",
            "nothing risky from now on",
            "2024-08-10",
        ],
    ),
    fires(
        "the thing itself is a gamble",
        date(2024, 11, 5),
        finance.RiskPreference(attitude="conservative"),
        finance.PlannedPayment(what="Bitcoin", amount=Money(Decimal("500"), "EUR"), kind="investment"),
        says=["500.00 EUR into Bitcoin"],
    ),
    silent(
        "an ordinary fund",
        date(2024, 11, 5),
        finance.RiskPreference(attitude="conservative"),
        finance.PlannedPayment(
            what="a bond fund",
            amount=Money(Decimal("500"), "EUR"),
            kind="investment",
            described=["not volatile"],
        ),
    ),
    silent(
        "a user who likes risk",
        date(2024, 11, 5),
        finance.RiskPreference(attitude="adventurous"),
        finance.PlannedPayment(
            what="Bitcoin", amount=Money(Decimal("500"), "EUR"), kind="investment", risk="high"
        ),
    ),
    silent(
        "no investment, and a wish that no longer holds",
        date(2024, 11, 5),
        ended(finance.RiskPreference(attitude="conservative"), "2024-10-01"),
        finance.PlannedPayment(what="Bitcoin", kind="investment", risk="high"),
        finance.PlannedPayment(
            what="risky business on DVD", amount=Money(Decimal("9"), "EUR"), kind="purchase"
        ),
    ),
    silent(
        "a careful user buys a film",
        date(2024, 11, 5),
        finance.RiskPreference(attitude="conservative"),
        finance.PlannedPayment(
            what="risky business on DVD", amount=Money(Decimal("9"), "EUR"), kind="purchase"
        ),
    ),
]
