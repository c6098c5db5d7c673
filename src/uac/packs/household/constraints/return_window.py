from ..helpers import _in_days


def return_window(user, now):
    """A purchase that the user doubts or wants to give back, in the last week of its return window."""
    found = []
    for purchase in user.household.purchases:
        if purchase.keeps or purchase.returned_on is not None or (purchase.doubts is None and purchase.keeps is None):
            continue
        last = purchase.return_until
        if last is None and purchase.return_days is not None and purchase.bought is not None:
            last = add_months(purchase.bought, days=purchase.return_days)
        if last is None or not due_within(last, now, 7):
            continue
        left = days_until(last, now)
        when = _in_days(left)
        shop = f" from {purchase.shop}" if purchase.shop is not None else ""
        price = money(purchase.price) if purchase.price is not None else ""
        bought = f"bought {purchase.bought}" if purchase.bought is not None else ""
        about = ", ".join(text for text in (price, bought) if text)
        why = f" You were not happy with it: {purchase.doubts}." if purchase.doubts is not None else ""
        found.append(
            warning(
                f"The return window of your {purchase.item}{shop}{f' ({about})' if about else ''} closes "
                f"on {last}, {when}.{why} Return it by then, or tell me that you keep it.",
                purchase,
            )
        )
    return found


CASES = [
    fires(
        "three days before",
        date(2024, 10, 29),
        household.Purchase(
            item="bread maker",
            bought=date(2024, 10, 2),
            shop="Habitat",
            price=Money(Decimal("400"), "USD"),
            return_days=30,
            doubts="the crust stays pale",
        ),
        says=[
            "bread maker",
            "Habitat",
            "$400.00",
            "2024-11-01",
            "in 3 days",
            "crust",
            "return",
        ],
    ),
    fires(
        "to go back by a date that the shop named",
        date(2025, 1, 31),
        household.Purchase(
            item="coat", bought=date(2024, 12, 20), return_until=date(2025, 1, 31), keeps=False
        ),
        says=["coat", "2025-01-31", "today"],
    ),
    fires(
        "bought nobody knows when",
        date(2025, 1, 31),
        household.Purchase(item="coat", return_until=date(2025, 1, 31), keeps=False),
        says=["coat closes on 2025-01-31"],
    ),
    silent(
        "eight days before",
        date(2024, 10, 24),
        household.Purchase(item="kettle", bought=date(2024, 10, 2), return_days=30, doubts="it is loud"),
    ),
    silent(
        "the day after",
        date(2024, 11, 2),
        household.Purchase(item="kettle", bought=date(2024, 10, 2), return_days=30, doubts="it is loud"),
    ),
    silent(
        "nobody is unhappy, it stays, or nobody knows how long",
        date(2024, 10, 29),
        household.Purchase(item="kettle", bought=date(2024, 10, 2), return_days=30),
        household.Purchase(item="lamp", bought=date(2024, 10, 2), return_days=30, doubts="dim", keeps=True),
        household.Purchase(item="rug", bought=date(2024, 10, 2), doubts="the colour"),
        household.Purchase(item="vase", return_days=30, doubts="the colour"),
    ),
    silent(
        "it went back",
        date(2024, 10, 29),
        ended(
            household.Purchase(item="kettle", bought=date(2024, 10, 2), return_days=30, doubts="loud"),
            "2024-10-20",
        ),
    ),
]
