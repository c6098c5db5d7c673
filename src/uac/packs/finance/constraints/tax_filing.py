from ..helpers import _in_days


def tax_filing(user, now):
    """A tax return that is not filed and due within 30 days, or overdue."""
    table = knowledge("finance.tax_deadlines")
    found = []
    for tax in user.finance.tax_returns:
        rule = _rule(tax.country, table)
        if tax.filed_on is not None or tax.year < (rule or {}).get("from", 2021):
            continue
        if rule is None and tax.extended_until is None:
            text = (
                f"Not checked: {tax.country} is not in the table of filing dates, so nobody watches your return for"
                f" {tax.year} there. Tell me the date that it is due on."
            )
            found.extend([info(text, tax)] if tax.year >= as_date(now).year - 2 else [])
            continue
        found.extend(_quarterly(tax, rule, now))
        due = tax.extended_until or _due(rule, tax.year, _has_adviser(tax))
        left = days_until(due, now)
        if left > 30:
            continue
        name = rule["name"] if rule is not None else "tax return"
        rows = [("finance.tax_deadlines", rule)] if rule is not None and tax.extended_until is None else []
        kinds = f" You told me of {', '.join(tax.incomes)}." if tax.incomes else ""
        if left < 0:
            text = (
                f"Your {tax.country} {name} for {tax.year} was due on {due}, and I know of no filing."
                f"{kinds} File it now: penalties and interest grow by the month. If it was filed, tell me when."
            )
            found.append(warning(text, tax, rows=rows))
            continue
        helper = (
            f"{tax.preparer} needs your papers"
            if tax.preparer is not None
            else "File it, or find somebody to help"
        )
        more = f" If you cannot: {rule['extension']}." if rule and rule["extension"] and tax.extended_until is None else ""
        text = (
            f"Your {tax.country} {name} for {tax.year} is due on {due}, {_in_days(left)}, and I know of "
            f"no filing.{kinds} {helper} before that day.{more}"
        )
        found.append(warning(text, tax, rows=rows))
    return found


def _rule(country, table):
    """The row of a country, by any of its names: U.S., Deutschland, the UK, England."""
    plain = " ".join(words(country)).removeprefix("the ")
    return first([row for name, row in table.items() if plain == name or plain in row.get("also", [])])


def _quarterly(tax, rule, now):
    """The updates that a year's return takes every three months, with some kinds of income: two weeks before each."""
    quarters = (rule or {}).get("quarters")
    above = (rule or {}).get("quarters_above", {}).get(str(tax.year))
    if quarters is None or above is None:
        return []
    earned = [kind for kind in tax.incomes if [word for word in words(kind) if word.startswith(tuple(quarters["kinds"]))]]
    found = []
    for month, day in quarters["days"]:
        due = date(tax.year if month > 4 and (month, day) != (5, 7) else tax.year + 1, month, day)
        if earned and 0 <= days_until(due, now) <= 14:
            text = (
                f"A quarterly update for {tax.year} ({', '.join(earned)}) is due on {due}, {_in_days(days_until(due, now))}, if that"
                f" income, before costs, was more than {above} (Making Tax Digital). I do not know whether it was."
            )
            found.append(info(text, tax, subject=f"{record_id(tax)} {due}", rows=[("finance.tax_deadlines", rule)]))
    return found


def _has_adviser(tax):
    """Whether somebody licensed makes the return, for whom some countries have a later date."""
    roots = ("steuerberat", "lohnsteuerhilfe", "accountant", "advis", "agent", "cpa", "kanzlei")
    return bool([word for word in words(tax.preparer) if word.startswith(roots)])


def _due(rule, year, has_adviser):
    """The date of the table, or the usual day; from a weekend it moves to Monday in most countries."""
    known = rule.get("adviser_dates", {}).get(str(year)) if has_adviser else None
    known = known or rule.get("dates", {}).get(str(year))
    if known is not None:
        return date.fromisoformat(known)
    day = add_months(date(2000, rule["month"], rule["day"]), 12 * (year + rule["years_later"] - 2000))
    on_weekend = rule.get("weekends") != "stay" and day.weekday() >= 5
    return add_months(day, days=7 - day.weekday()) if on_weekend else day


CASES = [
    fires(
        "a country by another of its names",
        date(2026, 11, 19),
        finance.TaxReturn(country="Deutschland", year=2025),
        says=["Deutschland Einkommensteuererklärung for 2025 was due on 2026-07-31"],
    ),
    fires(
        "quarterly updates of a landlord in the United Kingdom",
        date(2027, 1, 26),
        finance.TaxReturn(country="the UK", year=2026, incomes=["salary", "rental income"]),
        says=["quarterly update for 2026 (rental income)", "2027-02-07, in 12 days", "50,000 GBP in 2024/25"],
    ),
    silent(
        "no quarterly updates of a salary, nor weeks before",
        date(2027, 1, 20),
        finance.TaxReturn(country="England", year=2026, incomes=["salary"]),
        finance.TaxReturn(country="Scotland", year=2027, incomes=["self-employment"]),
    ),
    fires(
        "two weeks before April 15",
        date(2025, 4, 1),
        finance.TaxReturn(country="United States", year=2024, incomes=["salary", "freelance work"]),
        says=["2025-04-15", "in 14 days", "freelance work", "Form 4868"],
    ),
    silent(
        "a German return that a tax adviser makes",
        date(2026, 11, 17),
        finance.TaxReturn(country="Germany", year=2025, preparer="Steuerberaterin Köhler"),
    ),
    fires(
        "a German return that a tax adviser makes, two weeks before",
        date(2027, 2, 15),
        finance.TaxReturn(country="Germany", year=2025, preparer="Steuerberaterin Köhler"),
        says=["2027-03-01", "in 14 days"],
    ),
    fires(
        "the online service of Ireland gives two more weeks",
        date(2026, 10, 20),
        finance.TaxReturn(country="Ireland", year=2025),
        says=["2026-10-31", "If you cannot: who both files and pays through ROS", "November"],
    ),
    fires(
        "thirty days before, a year that the table does not name, on a weekend",
        date(2028, 4, 2),
        finance.TaxReturn(country="Canada", year=2027, preparer="Bo"),
        says=["Canada", "2028-05-01", "Bo needs your papers"],
    ),
    silent("thirty-one days before", date(2025, 3, 15), finance.TaxReturn(country="USA", year=2024)),
    fires(
        "the day after",
        date(2025, 4, 16),
        finance.TaxReturn(country="USA", year=2024),
        says=["was due on 2025-04-15", "File it now"],
    ),
    fires(
        "an extension is over too",
        date(2025, 11, 1),
        finance.TaxReturn(country="USA", year=2024, extended_until=date(2025, 10, 15)),
        says=["was due on 2025-10-15"],
    ),
    fires(
        "in Australia a year is named by its end",
        date(2026, 10, 20),
        finance.TaxReturn(country="Australia", year=2026),
        says=["2026-11-02", "in 13 days"],
    ),
    fires(
        "a country that is not in the table",
        date(2025, 4, 10),
        finance.TaxReturn(country="Utopia", year=2024),
        says=["Not checked: Utopia is not in the table", "2024"],
    ),
    silent(
        "overdue and filed at last, or of a year long gone in a country that is not in the table",
        date(2025, 6, 1),
        finance.TaxReturn(country="USA", year=2024, filed_on=date(2025, 5, 2)),
        finance.TaxReturn(country="Utopia", year=2019),
        finance.TaxReturn(country="Australia", year=2025),
    ),
    silent(
        "filed, extended, before the table begins",
        date(2025, 4, 10),
        finance.TaxReturn(country="USA", year=2024, filed_on=date(2025, 3, 1)),
        finance.TaxReturn(country="Canada", year=2024, extended_until=date(2025, 6, 16)),
        finance.TaxReturn(country="Germany", year=2023),
    ),
]
