def contribution_limit(user, now):
    """More into a US retirement plan than the year allows, or less though the user aims at that."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    today = as_date(now)
    table = knowledge("finance.contribution_limits")
    found = []
    for plan in user.finance.retirement_plans:
        years = table.get(_kind(plan.name), {})
        limits = years.get(str(today.year))
        if limits is None and years and plan.percent is not None and str(today.year) > max(years):
            last = years[max(years)]
            text = f"Not checked: the table has no limit for your {plan.name} in {today.year} yet. In {max(years)} it was"
            text = f"{text} {money(Money(Decimal(last['most']), 'USD'))}; the IRS publishes the limits of a year in the autumn before."
            found.append(info(text, plan, rows=[("finance.contribution_limits", last)]))
        pay = first([one for one in user.finance.incomes if same(one.source, plan.income or "salary")])
        if limits is None or plan.percent is None or pay is None or pay.amount is None or pay.every != "year":
            continue
        if pay.amount.currency != "USD" or (pay.since is not None and pay.since.year > today.year):
            continue
        rows = [("finance.contribution_limits", limits)]
        age = _age(user.people.profile, today.year)
        most = Decimal(limits["most"] + _extra(limits, age))
        by_month = [_pay(pay, today.year, month) * plan.percent / 100 for month in range(1, 13)]
        projected = sum(by_month, Decimal(0))
        left = [_pay(pay, today.year, month) for month in range(today.month + 1, 13)]
        amount = money(Money(projected, "USD"))
        shown = f"At {plan.percent}% of your pay, {amount} goes into your {plan.name} in {today.year}"
        limit = f"the limit is {money(Money(most, 'USD'))}"
        if age is not None and age >= 50:
            plain = money(Money(Decimal(limits["most"]), "USD"))
            limit = f"{limit} at your age ({plain} and the catch-up from 50 on)"
        if projected > most and age is not None:
            over = money(Money(projected - most, "USD"))
            found.append(warning(f"{shown}; {limit}. That is {over} too much: lower the rate.", plan, pay, rows=rows))
        elif projected < most and plan.goal == "maximum":
            missing = most - projected
            rate = ""
            coming = sum(left, Decimal(0))
            if coming > 0:
                needed = (most - sum(by_month[: today.month], Decimal(0))) / coming * 100
                bound = "more than you earn" if needed > 100 else "check what your plan allows"
                rate = f" From next month on it would take {needed:.1f}% of your pay to get there: {bound}."
            short = f"{money(Money(missing, 'USD'))} short of the most you may put in"
            found.append(info(f"{shown}, {short}; {limit}.{rate}", plan, pay, rows=rows))
    return found


def _kind(name):
    named = words(name)
    if any(word in named for word in ("401k", "403b", "tsp")) or ("401" in named and "k" in named) or _is_thrift(named):
        return "401k"  # they share one limit
    if "457b" in named or ("457" in named and "b" in named):
        return "457b"
    if "simple" in named:
        return "simple"
    return "ira" if "ira" in named and "sep" not in named else ""


def _is_thrift(named):
    """Whether it is the Thrift Savings Plan of US federal employees."""
    return "thrift" in named and "savings" in named


def _age(profile, year):
    """The age at the end of the year; None if it is not known."""
    if profile is None:
        return None
    if profile.born is not None:
        return year - profile.born.year
    if profile.age is None or profile.age_on is None:
        return None
    return profile.age + year - profile.age_on.year


def _extra(limits, age):
    if age is None or age < 50:
        return 0
    return limits.get("from_60_to_63", limits["from_50"]) if 60 <= age <= 63 else limits["from_50"]


def _pay(pay, year, month):
    """The pay of one month."""
    is_before = pay.since is not None and date(year, month, 1) < date(pay.since.year, pay.since.month, 1)
    amount = pay.earlier_amount if is_before and pay.earlier_amount is not None else pay.amount
    return amount.amount / 12


CASES = [
    fires(
        "a year that the table does not have yet",
        date(2027, 1, 15),
        finance.Income(source="salary", amount=Money(Decimal("240000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("10")),
        says=["Not checked", "no limit for your 401k in 2027", "In 2026 it was $24,500.00"],
    ),
    fires(
        "the Thrift Savings Plan has the limit of a 401(k)",
        date(2026, 3, 1),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="Salary", amount=Money(Decimal("250000"), "USD"), every="year"),
        finance.RetirementPlan(name="Thrift Savings Plan", percent=Decimal("10")),
        says=["$25,000.00", "$24,500.00", "$500.00 too much"],
    ),
    fires(
        "far from the most at 52, with a raise in July",
        date(2025, 9, 15),
        people.Profile(age=52, age_on=date(2025, 2, 15)),
        finance.Income(
            source="salary",
            amount=Money(Decimal("175000"), "USD"),
            every="year",
            since=date(2025, 7, 1),
            earlier_amount=Money(Decimal("145000"), "USD"),
        ),
        finance.RetirementPlan(name="401k", percent=Decimal("8"), goal="maximum"),
        says=["$12,800.00", "$31,000.00", "$18,200.00 short", "49.6%"],
    ),
    fires(
        "too much",
        date(2025, 3, 1),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="Salary", amount=Money(Decimal("240000"), "USD"), every="year"),
        finance.RetirementPlan(name="my 401(k)", percent=Decimal("10")),
        says=["$24,000.00", "$23,500.00", "$500.00 too much"],
    ),
    silent(
        "too much for the young, but the age is not known",
        date(2025, 3, 1),
        finance.Income(source="salary", amount=Money(Decimal("240000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("10")),
    ),
    silent(
        "far from the most, but that is not the goal",
        date(2025, 3, 1),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="salary", amount=Money(Decimal("100000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("8"), goal="match"),
    ),
    silent(
        "another plan, another currency, a year that is not in the table",
        date(2020, 3, 1),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="salary", amount=Money(Decimal("100000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("8"), goal="maximum"),
        finance.RetirementPlan(name="pension", percent=Decimal("8"), goal="maximum"),
    ),
]
