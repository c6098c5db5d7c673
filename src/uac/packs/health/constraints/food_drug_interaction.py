from ..helpers import _for_whom, _has_ended, _is_local, _is_same, _kinds, _person, _whose, _with_details

NOT = ("no", "not", "non", "without", "quit", "stop", "stopped", "avoid", "avoiding", "free", "zero", "never")
SKIN = ("cream", "ointment", "lotion", "gel", "topical")
OTHER = ("root beer", "ginger beer", "beer battered", "vinegar", "oat milk", "almond milk", "rice milk", "coconut milk")


def food_drug_interaction(user, now):
    """Something that is eaten or drunk, regularly or at a planned meal, against a medicine of who eats it."""
    drugs = knowledge("health.drugs")
    rules = knowledge("health.foods")
    taken = [
        (medication, _whose(medication.person), _kinds(medication, drugs))
        for medication in user.health.medications
        if not _has_ended(medication, now) and not _is_local(medication, SKIN)
    ]
    plans = [(habit, True, [habit.what], _when(habit.how_often, habit.since), [""]) for habit in user.food.habits]
    for meal in user.food.meals:
        if not is_past(meal.day, now):
            eaters = ["", *[_whose(name) for name in meal.who]]
            plans = [*plans, (meal, False, [meal.what, *meal.dishes], f" on {meal.day}", eaters)]
    for booking in user.food.bookings:
        if not is_past(booking.last_day or booking.day, now):
            eaters = [_whose(name) for name in booking.who]
            eaters = eaters if booking.without_me else ["", *eaters]
            plans = [*plans, (booking, False, booking.dishes, f" at {booking.place} on {booking.day}", eaters)]
    found = []
    for plan, is_habit, texts, when, eaters in plans:
        for medication, taker, kinds in taken:
            if not any(_is_same(taker, eater) for eater in eaters):
                continue
            rule, text = _rule(rules, kinds, texts, is_habit)
            if rule is not None:
                raised = critical if rule["severity"] == "critical" else warning
                message = (
                    f"{_for_whom(taker)}{text}{when} does not go with {_with_details(medication)}: {rule['effect']}. {rule['advice']}"
                    f" If in doubt, ask {_person(medication.prescriber) or 'your doctor or a pharmacist'}."
                )
                found.append(raised(message, plan, medication, rows=[("health.foods", rule)]))
    return found


def _rule(rules, kinds, texts, is_habit):
    """The first rule for the medicine, and the text that names the food."""
    for rule in rules:
        if (is_habit or not rule.get("habits_only")) and [kind for kind in kinds if kind in rule["drugs"]]:
            for text in texts:
                if not [word for word in words(text) if word in NOT] and not [
                    w for w in OTHER if mentions(text, w)
                ]:
                    if [word for word in rule["words"] if mentions(text, word)]:
                        return rule, text
    return None, ""


def _when(how_often, since):
    details = [text for text in [how_often, f"since {since}" if since else None] if text]
    return f" ({', '.join(details)})" if details else ""


CASES = [
    fires(
        "grapefruit that a label rules out",
        date(2025, 1, 8),
        food.Habit(what="grapefruit", how_often="every morning"),
        health.Medication(name="Carmen"),
        says=["grapefruit", "Carmen", "rule it out"],
    ),
    silent(
        "drinks without the calcium of milk, and medicines that do not mind",
        date(2025, 1, 8),
        food.Habit(what="oat milk"),
        food.Habit(what="bananas"),
        health.Medication(name="doxycycline"),
        health.Medication(name="ramipril"),
    ),
    fires(
        "grapefruit juice every morning with simvastatin",
        date(2025, 3, 1),
        health.Medication(name="simvastatin", dose="40 mg", frequency="daily"),
        food.Habit(what="fresh grapefruit juice", how_often="every morning"),
        says=["grapefruit juice", "every morning", "simvastatin", "40 mg", "muscle", "rosuvastatin"],
    ),
    fires(
        "aged cheese at a planned meal with an MAO inhibitor",
        date(2025, 3, 1),
        health.Medication(name="Nardil", prescriber="Dr. Weiss"),
        food.Meal(what="wine and aged cheese evening", day=date(2025, 3, 7)),
        says=["aged cheese", "2025-03-07", "Nardil", "blood pressure", "Dr. Weiss"],
    ),
    fires(
        "a green smoothie every day with warfarin",
        date(2025, 3, 1),
        health.Medication(name="Coumadin"),
        food.Habit(what="kale and spinach smoothie", how_often="daily"),
        says=["kale", "Coumadin", "INR"],
    ),
    fires(
        "linezolid and a cheese board",
        date(2025, 3, 1),
        health.Medication(name="Zyvox", ends=date(2025, 3, 10)),
        food.Meal(what="cheese board with friends", day=date(2025, 3, 7)),
        says=["cheese board", "Zyvox", "tyramine"],
    ),
    fires(
        "a guest who takes it",
        date(2025, 3, 1),
        health.Medication(name="Nardil", person="Dad"),
        food.Meal(what="cheese board", day=date(2025, 3, 7), who=["Dad"]),
        says=["For Dad: cheese board on 2025-03-07", "Nardil"],
    ),
    silent(
        "the one who takes it is not there",
        date(2025, 3, 1),
        health.Medication(name="Nardil", person="Dad"),
        food.Meal(what="cheese board", day=date(2025, 3, 7), who=["Mia"]),
        food.Habit(what="aged cheese"),
    ),
    silent(
        "creams and gels stay on the skin",
        date(2025, 3, 1),
        health.Medication(name="metronidazole gel"),
        health.Medication(name="tacrolimus", form="ointment"),
        food.Habit(what="wine"),
        food.Habit(what="grapefruit juice"),
    ),
    silent(
        "rosuvastatin is hardly affected",
        date(2025, 3, 1),
        health.Medication(name="rosuvastatin"),
        food.Habit(what="grapefruit juice"),
    ),
    silent(
        "one salad with spinach is not a change of habit",
        date(2025, 3, 1),
        health.Medication(name="warfarin"),
        food.Meal(what="spinach salad", day=date(2025, 3, 2)),
    ),
    silent(
        "a meal that is over, a medicine that ended, a habit that was given up",
        date(2025, 3, 8),
        health.Medication(name="metronidazole", ends=date(2025, 3, 7)),
        health.Medication(name="Nardil"),
        ended(health.Medication(name="simvastatin"), "2025-01-01"),
        food.Meal(what="blue cheese burger", day=date(2025, 3, 7)),
        food.Habit(what="no alcohol, alcohol-free beer only"),
        food.Habit(what="grapefruit"),
        health.Medication(name="Xanax"),
        food.Meal(what="burger and root beer", day=date(2025, 3, 9)),
    ),
]
