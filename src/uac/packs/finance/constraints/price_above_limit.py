from ..helpers import _covers, _rule, _way


def price_above_limit(user, now):
    """A purchase, trip, flight, stay or meal out that costs more than somebody said should be spent at once."""
    priced = []
    for bought in user.household.purchases:
        about = [bought.item, bought.shop, bought.project]
        priced.append(("purchase", bought, bought.item, bought.price, bought.bought, bought.bought, about))
    for trip in user.travel.trips:
        about = [trip.destination, trip.purpose, "travel trip trips"]
        last = trip.returns or trip.departs
        priced.append(("trip", trip, f"the trip to {trip.destination}", trip.cost, trip.departs, last, about))
    for flight in user.travel.flights:
        day = as_date(flight.departs)
        about = [flight.destination, "travel flight flights"]
        what = f"the flight to {flight.destination}" if flight.destination else f"the flight from {flight.origin}"
        priced.append(("flight", flight, what, flight.cost, day, day, about))
    for stay in user.travel.stays:
        about = [stay.name, stay.place, "travel hotel hotels lodging"]
        priced.append(("stay", stay, stay.name, stay.price, stay.checks_in, stay.checks_out or stay.checks_in, about))
    for meal in user.food.bookings:
        about = [meal.place, meal.kind, "dining restaurant restaurants eating out"]
        priced.append(("meal", meal, meal.place, meal.cost, meal.day, meal.day, about))
    found = []
    for limit in user.finance.limits:
        if limit.per != "transaction":
            continue
        seen = []
        for paid in user.finance.transactions:
            if paid.direction != "in":
                seen.append((paid.amount, paid.on, "payment"))
        for plan in user.finance.planned_payments:
            seen.append((plan.amount, plan.on, "payment"))
        for kind, record, what, price, first_day, last_day, about in priced:
            over = exceeds(price, limit.amount) if price is not None else None
            if not over or not _covers(limit, about):
                continue
            if last_day is not None and not due_within(add_months(last_day, days=14), now, 400):
                continue
            if any(_is_same_cost(price, first_day, other, day) for other, day, of in seen if of != kind):
                continue  # told elsewhere: the payment of it, or the flight of a trip
            seen.append((price, first_day, kind))
            is_over = last_day is not None and is_past(last_day, now)
            way = "Was it meant?" if is_over else _way(limit)
            found.append(warning(f"{money(price)} for {what} {_rule(limit, over)} {way}", record, limit))
    return found


def _is_same_cost(price, day, paid, paid_on):
    """Whether two amounts are those of one thing: equal, and of days near each other."""
    if paid is None or paid != price:
        return False
    return day is None or paid_on is None or abs(days_between(day, paid_on)) <= 30


CASES = [
    fires(
        "something bought",
        date(2026, 5, 6),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("300"), "CHF")),
        household.Purchase(item="robot vacuum", bought=date(2026, 5, 5), price=Money(Decimal("389"), "CHF")),
        says=["389.00 CHF for robot vacuum", "300.00 CHF", "89.00 CHF"],
    ),
    fires(
        "something bought nobody knows when",
        date(2026, 5, 6),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("300"), "CHF")),
        household.Purchase(item="robot vacuum", price=Money(Decimal("389"), "CHF")),
        says=["389.00 CHF for robot vacuum"],
    ),
    fires(
        "a flight to come",
        date(2026, 5, 6),
        finance.Limit(covers="alle Ausgaben", per="transaction", amount=Money(Decimal("300"), "CHF")),
        travel.Flight(
            origin="Zurich",
            destination="Porto",
            departs=datetime(2026, 7, 1, 9, 0, tzinfo=timezone.utc),
            cost=Money(Decimal("412"), "CHF"),
        ),
        says=["412.00 CHF for the flight to Porto"],
    ),
    fires(
        "a dinner, against a limit for dining",
        date(2026, 5, 6),
        finance.Limit(covers="dining", per="transaction", amount=Money(Decimal("100"), "EUR")),
        food.Booking(place="Osteria Nove", day=date(2026, 5, 4), cost=Money(Decimal("140"), "EUR")),
        says=["140.00 EUR for Osteria Nove", "Was it meant?"],
    ),
    fires(
        "a trip and its flight are one cost",
        date(2026, 5, 6),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("500"), "EUR")),
        travel.Trip(destination="Rome", departs=date(2026, 6, 1), cost=Money(Decimal("800"), "EUR")),
        travel.Flight(
            origin="Bern",
            destination="Rome",
            departs=datetime(2026, 6, 1, 9, 0, tzinfo=timezone.utc),
            cost=Money(Decimal("800"), "EUR"),
        ),
        travel.Stay(name="Hotel Sol", checks_in=date(2026, 6, 1), price=Money(Decimal("400"), "EUR")),
        says=["800.00 EUR for the trip to Rome"],
    ),
    silent(
        "the payment of it is compared by another rule",
        date(2026, 5, 6),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("300"), "CHF")),
        finance.Transaction(payee="Galaxus", amount=Money(Decimal("389"), "CHF"), on=date(2026, 5, 5)),
        household.Purchase(item="robot vacuum", bought=date(2026, 5, 5), price=Money(Decimal("389"), "CHF")),
    ),
    silent(
        "just at the limit, no price, another currency, long ago, given back",
        date(2026, 5, 6),
        finance.Limit(covers="any purchase", per="transaction", amount=Money(Decimal("300"), "CHF")),
        household.Purchase(item="jacket", bought=date(2026, 5, 5), price=Money(Decimal("300"), "CHF")),
        household.Purchase(item="lamp", bought=date(2026, 5, 5)),
        household.Purchase(item="desk", bought=date(2026, 5, 5), price=Money(Decimal("389"), "EUR")),
        household.Purchase(item="bike", bought=date(2026, 4, 1), price=Money(Decimal("1150"), "CHF")),
        ended(
            household.Purchase(item="sofa", bought=date(2026, 5, 5), price=Money(Decimal("900"), "CHF")),
            "2026-05-06",
        ),
    ),
    silent(
        "a limit for something else, or for a month",
        date(2026, 5, 6),
        finance.Limit(covers="shoes", per="transaction", amount=Money(Decimal("100"), "CHF")),
        finance.Limit(covers="any purchase", per="month", amount=Money(Decimal("100"), "CHF")),
        household.Purchase(item="robot vacuum", bought=date(2026, 5, 5), price=Money(Decimal("389"), "CHF")),
        travel.Trip(destination="Rome", cost=Money(Decimal("800"), "CHF")),
    ),
]
