def wash_sale(user, now):
    """A sale at a loss within 30 days of a purchase of the same security: the US wash sale rule."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    buys = group_by([trade for trade in user.finance.trades if trade.side == "buy"], _security)
    found = []
    for sale in user.finance.trades:
        if sale.side != "sell" or sale.gain is None or sale.gain.currency != "USD" or sale.gain.amount >= 0:
            continue
        if _is_sheltered(sale.account):  # a loss there does not count anyway
            continue
        day = sale.on or as_date(now)
        if sale.on is None and not sale.planned:
            continue
        for buy in buys.get(_security(sale), []):
            if buy.on is None and not buy.planned:
                continue
            bought = buy.on or as_date(now)
            days = abs((bought - day).days)
            is_same_lot = buy.account == sale.account and buy.shares is not None and buy.shares == sale.shares
            is_open = sale.planned or buy.planned or _is_recent(day, now)
            if days > 30 or (is_same_lot and bought <= day) or not is_open:
                continue
            if buy.planned:
                safe = f"Wait with the purchase until after {add_months(day, days=30)}"
            elif sale.planned:
                safe = f"Wait with the sale until after {add_months(bought, days=30)}"
            else:
                safe = "Tell whoever does your taxes"
            loss = Money(-sale.gain.amount, "USD")
            where = f" in your {buy.account}" if buy.account is not None else ""
            found.append(
                warning(
                    f"{_verb(sale)} {sale.security} {_day(sale)} at a loss of about {money(loss)} may be a "
                    f"wash sale: you {'plan to buy' if buy.planned else 'bought'} {buy.security}{where} "
                    f"{_day(buy)}, {days} days from it. The loss may not count if the two lie at "
                    f"most 30 days apart, whichever account is used (US rule, check with an adviser). {safe}.",
                    sale,
                    buy,
                )
            )
    return found


def _security(trade):
    return " ".join(words(trade.security))


def _is_sheltered(account):
    return any(word in ("ira", "roth", "401k", "401", "hsa", "retirement") for word in words(account))


def _is_recent(day, now):
    """Sold in this year or the last: the loss may still be on a return."""
    return day.year >= as_date(now).year - 1


def _verb(trade):
    return "Selling" if trade.planned else "The sale of"


def _day(trade):
    return f"on {trade.on}" if trade.on is not None else "now"


CASES = [
    fires(
        "bought in an IRA twenty days before",
        date(2024, 12, 10),
        finance.Trade(
            security="SCHB", side="buy", on=date(2024, 11, 20), shares=Decimal("100"), account="Roth IRA"
        ),
        finance.Trade(
            security="SCHB",
            side="sell",
            planned=True,
            gain=Money(Decimal("-3000"), "USD"),
            account="brokerage",
        ),
        says=["SCHB", "$3,000.00", "Roth IRA", "2024-11-20", "20 days", "wash sale", "after 2024-12-20"],
    ),
    fires(
        "thirty days after the sale",
        date(2025, 2, 1),
        finance.Trade(security="KO", side="sell", on=date(2025, 1, 10), gain=Money(Decimal("-50"), "USD")),
        finance.Trade(security="KO", side="buy", planned=True, on=date(2025, 2, 9)),
        says=["KO", "30 days", "until after 2025-02-09"],
    ),
    silent(
        "thirty-one days after the sale",
        date(2025, 2, 1),
        finance.Trade(security="KO", side="sell", on=date(2025, 1, 10), gain=Money(Decimal("-50"), "USD")),
        finance.Trade(security="KO", side="buy", planned=True, on=date(2025, 2, 10)),
    ),
    silent(
        "a gain, and another security",
        date(2025, 2, 1),
        finance.Trade(security="KO", side="sell", on=date(2025, 1, 10), gain=Money(Decimal("50"), "USD")),
        finance.Trade(security="PEP", side="sell", on=date(2025, 1, 10), gain=Money(Decimal("-50"), "USD")),
        finance.Trade(security="KO", side="buy", on=date(2025, 1, 12)),
    ),
    silent(
        "a loss in an IRA, and one in another currency",
        date(2025, 2, 1),
        finance.Trade(
            security="KO",
            side="sell",
            on=date(2025, 1, 10),
            gain=Money(Decimal("-50"), "USD"),
            account="Roth IRA",
        ),
        finance.Trade(security="KO", side="sell", on=date(2025, 1, 10), gain=Money(Decimal("-50"), "EUR")),
        finance.Trade(security="KO", side="buy", on=date(2025, 1, 12)),
    ),
    silent(
        "the very shares that were bought are sold",
        date(2025, 2, 1),
        finance.Trade(security="KO", side="buy", on=date(2025, 1, 12), shares=Decimal("5"), account="broker"),
        finance.Trade(
            security="KO",
            side="sell",
            on=date(2025, 1, 20),
            shares=Decimal("5"),
            account="broker",
            gain=Money(Decimal("-50"), "USD"),
        ),
    ),
    silent(
        "years ago",
        date(2025, 2, 1),
        finance.Trade(security="KO", side="buy", on=date(2022, 1, 12)),
        finance.Trade(security="KO", side="sell", on=date(2022, 1, 20), gain=Money(Decimal("-50"), "USD")),
    ),
]
