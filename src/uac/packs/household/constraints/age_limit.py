def age_limit(user, now):
    """A thing or a food for a child who is too young for it."""
    today = as_date(now)
    table = knowledge("household.age_limits")
    found = []
    for child in user.people.persons:
        if child.born is None or today >= add_months(child.born, 18 * 12):
            continue
        age = _age_in_months(child.born, today)
        look_again(add_months(child.born, age + 1))
        for purchase in user.household.purchases:
            if purchase.for_whom is None or not same_person(purchase.for_whom, child.name):
                continue
            name = _listed(table, purchase.item)
            if purchase.age_from is not None and age < purchase.age_from * 12:
                found.append(
                    warning(
                        f"{purchase.item} is meant for children from {purchase.age_from} years on, and "
                        f"{child.name} is {_shown(age)} old (born {child.born}). Keep it until then, or "
                        f"choose something else.",
                        purchase,
                        child,
                    )
                )
            elif name is not None and age < table[name]["months"]:
                found.append(_alert(purchase.item, table[name], child, age, purchase))
        for meal in user.food.meals:
            if is_past(meal.day, now) or not any(same_person(name, child.name) for name in meal.who):
                continue
            for dish in [meal.what, *meal.dishes]:
                name = _listed(table, dish)
                if name is not None and age < table[name]["months"]:
                    found.append(_alert(dish, table[name], child, age, meal))
    return found


def _age_in_months(born, today):
    months = (today.year - born.year) * 12 + today.month - born.month
    return months if add_months(born, months) <= today else months - 1


def _listed(table, text):
    named = words(text)
    if any(word in named for word in ("free", "without")):
        return None
    shapes = ("bear", "blanket", "book", "colored", "coloured", "doll", "plush", "toy")
    called = ["honey"] if any(word in named for word in shapes) else []  # only called after it
    names = [(-len(name), key) for key in table for name in [key, *table[key].get("also", [])] if mentions(text, name)]
    return first([key for _size, key in sorted(names) if key not in called])


def _shown(months):
    return f"{months} months" if months < 24 else f"{months // 12} years"


def _alert(what, entry, child, age, record):
    text = (
        f"{what} is not for {child.name}, who is {_shown(age)} old (born {child.born}): {entry['why']}."
    )
    until = f"The limit is {_shown(entry['months'])}. Leave it until then; ask a doctor if in doubt."
    text = f"{text} {'No age makes it safe: do not use it.' if entry.get('never') else until}"
    raised = critical if entry["grave"] else warning
    return raised(text, record, child, rows=[("household.age_limits", entry)])


CASES = [
    fires(
        "what is safe at no age",
        date(2026, 1, 9),
        people.Person(name="Lily", born=date(2025, 6, 10)),
        household.Purchase(item="padded crib bumper", bought=date(2026, 1, 9), for_whom="Lily"),
        says=["crib bumper", "Lily", "No age makes it safe"],
    ),
    fires(
        "a toy with a coin battery at two",
        date(2026, 1, 9),
        people.Person(name="Lily", born=date(2024, 1, 10)),
        household.Purchase(item="light-up ring, coin battery", bought=date(2026, 1, 9), for_whom="Lily"),
        says=["coin battery", "burns through the gullet"],
    ),
    fires(
        "honey at eleven months",
        date(2025, 6, 30),
        people.Person(name="Lily", relation="daughter", born=date(2024, 7, 1)),
        food.Meal(what="breakfast", day=date(2025, 7, 1), dishes=["porridge with honey"], who=["Lily"]),
        says=["honey", "Lily", "11 months", "botulism", "12 months"],
    ),
    fires(
        "the age on the box",
        date(2025, 6, 30),
        people.Person(name="Ben", born=date(2021, 1, 1)),
        household.Purchase(item="chemistry set", bought=date(2025, 6, 20), for_whom="Ben", age_from=10),
        says=["chemistry set", "from 10 years on", "Ben", "4 years"],
    ),
    silent(
        "honey on the first birthday",
        date(2025, 7, 1),
        people.Person(name="Lily", born=date(2024, 7, 1)),
        food.Meal(what="breakfast", day=date(2025, 7, 1), dishes=["porridge with honey"], who=["Lily"]),
    ),
    silent(
        "somebody else has the honey, or had it",
        date(2025, 6, 30),
        people.Person(name="Lily", born=date(2024, 7, 1)),
        people.Person(name="Ana", born=date(1988, 7, 1)),
        food.Meal(what="breakfast", day=date(2025, 7, 1), dishes=["porridge with honey"], who=["Ana"]),
        food.Meal(what="honey cake", day=date(2025, 6, 29), who=["Lily"]),
        household.Purchase(item="honey", bought=date(2025, 6, 20)),
    ),
    silent(
        "old enough for the box, and no birthday known",
        date(2025, 6, 30),
        people.Person(name="Ben", born=date(2015, 6, 30)),
        people.Person(name="Zoe"),
        household.Purchase(item="chemistry set", bought=date(2025, 6, 20), for_whom="Ben", age_from=10),
        household.Purchase(item="marbles", bought=date(2025, 6, 20), for_whom="Zoe", age_from=3),
    ),
    silent(
        "what is only called after honey",
        date(2026, 1, 9),
        people.Person(name="Lily", born=date(2025, 6, 10)),
        household.Purchase(item="honey-coloured blanket", bought=date(2026, 1, 9), for_whom="Lily"),
        household.Purchase(item="plush honey bear", bought=date(2026, 1, 9), for_whom="Lily"),
    ),
    fires(
        "toy marbles at two",
        date(2026, 1, 9),
        people.Person(name="Lily", born=date(2024, 1, 10)),
        household.Purchase(item="toy marbles", bought=date(2026, 1, 9), for_whom="Lily"),
        says=["marbles", "Lily", "23 months", "3 years"],
    ),
]
