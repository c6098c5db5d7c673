from ..helpers import _in_days


def tax_filing(user, now):
    """A tax return that is not filed and due within 30 days."""
    table = knowledge("finance.tax_deadlines")
    found = []
    for tax in user.finance.tax_returns:
        rule = table.get(_country(tax.country))
        if tax.filed_on is not None or rule is None or tax.year < rule.get("from", 2021):
            continue
        due = tax.extended_until or _due(rule, tax.year)
        if not due_within(due, now, 30):
            continue
        left = days_until(due, now)
        kinds = f" You told me of {', '.join(tax.incomes)}." if tax.incomes else ""
        helper = (
            f"{tax.preparer} needs your papers"
            if tax.preparer is not None
            else "File it, or find somebody to help"
        )
        more = (
            f" If you cannot: {rule['extension']}."
            if rule["extension"] and tax.extended_until is None
            else ""
        )
        text = (
            f"Your {tax.country} {rule['name']} for {tax.year} is due on {due}, {_in_days(left)}, and I know of "
            f"no filing.{kinds} {helper} before that day.{more}"
        )
        found.append(critical(text, tax) if left <= 7 else warning(text, tax))
    return found


def _country(name):
    plain = " ".join(words(name))
    short = {"us": "united states", "usa": "united states", "united states of america": "united states"}
    return {**short, "uk": "united kingdom", "great britain": "united kingdom"}.get(plain, plain)


def _due(rule, year):
    """The date of the table, or the usual day; from a weekend it moves to Monday in most countries."""
    known = rule.get("dates", {}).get(str(year))
    if known is not None:
        return date.fromisoformat(known)
    day = add_months(date(2000, rule["month"], rule["day"]), 12 * (year + rule["years_later"] - 2000))
    on_weekend = rule.get("weekends") != "stay" and day.weekday() >= 5
    return add_months(day, days=7 - day.weekday()) if on_weekend else day


CASES = [
    fires(
        "two weeks before April 15",
        date(2025, 4, 1),
        finance.TaxReturn(country="United States", year=2024, incomes=["salary", "freelance work"]),
        says=["2025-04-15", "in 14 days", "freelance work", "Form 4868"],
    ),
    fires(
        "thirty days before, a year that the table does not name, on a weekend",
        date(2028, 4, 2),
        finance.TaxReturn(country="Canada", year=2027, preparer="Bo"),
        says=["Canada", "2028-05-01", "Bo needs your papers"],
    ),
    silent("thirty-one days before", date(2025, 3, 15), finance.TaxReturn(country="USA", year=2024)),
    silent("the day after", date(2025, 4, 16), finance.TaxReturn(country="USA", year=2024)),
    silent(
        "filed, extended, in a country that is not in the table, before the table begins",
        date(2025, 4, 10),
        finance.TaxReturn(country="USA", year=2024, filed_on=date(2025, 3, 1)),
        finance.TaxReturn(country="Canada", year=2024, extended_until=date(2025, 6, 16)),
        finance.TaxReturn(country="Utopia", year=2024),
        finance.TaxReturn(country="Germany", year=2023),
    ),
]
