def contribution_limit(user, now):
    """More into US retirement plans than the year allows, or less though the user aims at that."""
    look_again(as_date(now) + timedelta(days=1))  # nothing changes within a day
    today = as_date(now)
    age = _age(user.people.profile, today.year)
    found, shares = [], {}
    for plan in user.finance.retirement_plans:
        kind = _kind(plan.name)
        years = knowledge("finance.contribution_limits").get(kind, {})
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
        by_month = [_pay(pay, today.year, month) * plan.percent / 100 for month in range(1, 13)]
        projected = sum(by_month, Decimal(0))
        shares[kind] = [*shares.get(kind, []), (plan, pay, projected, limits)]
        shown = f"At {plan.percent}% of your pay, {_usd(projected)} goes into your {plan.name} in {today.year}"
        over = _over(shown, projected, limits, age, [plan, pay])
        found.extend(over)
        if not over and plan.goal == "maximum":
            found.extend(_short(shown, plan, pay, by_month, limits, age, today))
    for parts in shares.values():
        if len(parts) > 1 and not [part for part in parts if _over("", part[2], part[3], age, [])]:
            names = " and ".join([part[0].name for part in parts])
            joint = sum([part[2] for part in parts], Decimal(0))
            shown = f"Together {_usd(joint)} goes into your {names} in {today.year}, which share one limit"
            found.extend(_over(shown, joint, parts[0][3], age, [record for part in parts for record in part[:2]]))
    return found


def _over(shown, projected, limits, age, records):
    """That it is too much; if the age is not known, but the limit depends on it, that it may be."""
    rows = [("finance.contribution_limits", limits)]
    most = Decimal(limits["most"] + _extra(limits, age))
    if projected > most and age is not None:
        text = f"{shown}; {_limit(limits, age)}. That is {_usd(projected - most)} too much: lower the rate."
        return [warning(text, *records, rows=rows)]
    highest = Decimal(limits["most"] + max([limits.get(name, 0) for name in ("from_50", "from_55", "from_60_to_63")]))
    if projected > highest:
        text = f"{shown}; the limit is {_usd(most)}, and at no age more than {_usd(highest)}. Lower the rate."
        return [warning(text, *records, rows=rows)]
    if projected > most:
        start = 55 if "from_55" in limits else 50
        text = f"Not checked: {shown}; the limit is {_usd(most)} before the year in which you turn {start}, and I do not know"
        return [info(f"{text} your age. Tell me your birthday, or lower the rate.", *records, rows=rows)]
    return []


def _short(shown, plan, pay, by_month, limits, age, today):
    """How much is missing to the most that the law allows, if the user aims at that."""
    most, projected = Decimal(limits["most"] + _extra(limits, age)), sum(by_month, Decimal(0))
    if projected >= most:
        return []
    rate = ""
    coming = sum([_pay(pay, today.year, month) for month in range(today.month + 1, 13)], Decimal(0))
    if coming > 0:
        needed = (most - sum(by_month[: today.month], Decimal(0))) / coming * 100
        bound = "more than you earn" if needed > 100 else "check what your plan allows"
        rate = f" From next month on it would take {needed:.1f}% of your pay to get there: {bound}."
    text = f"{shown}, {_usd(most - projected)} short of the most you may put in; {_limit(limits, age)}.{rate}"
    return [info(text, plan, pay, rows=[("finance.contribution_limits", limits)])]


def _limit(limits, age):
    """The limit in words, with what is added at this age."""
    extra, start = _extra(limits, age), 55 if "from_55" in limits else 50
    at_age = f" at your age ({_usd(Decimal(limits['most']))} and the catch-up from {start} on)" if extra else ""
    return f"the limit is {_usd(Decimal(limits['most'] + extra))}{at_age}"


def _usd(amount):
    return money(Money(amount, "USD"))


def _kind(name):
    named = words(name)
    if any(word in named for word in ("401k", "403b", "tsp")) or ("401" in named and "k" in named) or ("403" in named and "b" in named) or _is_thrift(named):
        return "401k"  # they share one limit
    if "hsa" in named or ("health" in named and "savings" in named):
        return "hsa family" if "family" in named else "hsa"
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
    if age is None or age < (55 if "from_55" in limits else 50):
        return 0
    if "from_55" in limits:
        return limits["from_55"]
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
    fires(
        "too much for the young, but the age is not known",
        date(2025, 3, 1),
        finance.Income(source="salary", amount=Money(Decimal("240000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("10")),
        says=["Not checked", "$24,000.00", "$23,500.00 before the year in which you turn 50", "Tell me your birthday"],
    ),
    fires(
        "too much at any age",
        date(2026, 11, 19),
        finance.Income(source="salary", amount=Money(Decimal("90000"), "USD"), every="year"),
        finance.RetirementPlan(name="Roth IRA", percent=Decimal("10")),
        says=["$9,000.00", "the limit is $7,500.00, and at no age more than $8,600.00"],
    ),
    fires(
        "two plans that share one limit",
        date(2026, 11, 19),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="salary", amount=Money(Decimal("100000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("15")),
        finance.RetirementPlan(name="403(b)", percent=Decimal("12")),
        says=["Together $27,000.00 goes into your 401k and 403(b)", "share one limit", "$2,500.00 too much"],
    ),
    fires(
        "a health savings account for a family",
        date(2026, 11, 19),
        people.Profile(born=date(1970, 5, 1)),
        finance.Income(source="salary", amount=Money(Decimal("100000"), "USD"), every="year"),
        finance.RetirementPlan(name="family HSA", percent=Decimal("10")),
        says=["$10,000.00", "the limit is $9,750.00 at your age ($8,750.00 and the catch-up from 55 on)"],
    ),
    silent(
        "two plans with a limit each, and two that stay below theirs",
        date(2026, 11, 19),
        people.Profile(born=date(1990, 5, 1)),
        finance.Income(source="salary", amount=Money(Decimal("100000"), "USD"), every="year"),
        finance.RetirementPlan(name="401k", percent=Decimal("20")),
        finance.RetirementPlan(name="457(b)", percent=Decimal("20")),
        finance.RetirementPlan(name="IRA", percent=Decimal("3")),
        finance.RetirementPlan(name="Roth IRA", percent=Decimal("4")),
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
