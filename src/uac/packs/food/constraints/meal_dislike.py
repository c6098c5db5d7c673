from ..helpers import _at_table, _is_person


def meal_dislike(user, now):
    """A planned meal or restaurant against what somebody at the table does not like."""
    table = knowledge("food.dishes")
    dislikes = [
        *[(record, record.who, record.what) for record in user.food.dislikes],
        *[(person, person.name, what) for person in user.people.persons for what in person.dislikes],
    ]
    plans = []
    for record in user.food.bookings:
        if not is_past(record.last_day or record.day, now):
            texts = [record.place, record.kind or "", record.cuisine or "", *record.dishes]
            who = _at_table(record.who, record.occasion, user.people.groups)
            eaters = [*([] if record.without_me else ["me"]), *who]
            plans.append((record, f"{record.place} ({record.day})", texts, eaters))
    for record in user.food.meals:
        if not is_past(record.day, now):
            eaters = ["me", *_at_table(record.who, record.what, user.people.groups)]
            plans.append((record, f"{record.what} ({record.day})", [record.what, *record.dishes], eaters))
    found = []
    for plan, title, texts, eaters in plans:
        for dislike, who, what in dislikes:
            if [name for name in eaters if _is_person(who, name, user.people.persons)]:
                text = first([text for text in texts if _holds(text, what, table)])
                if text is not None:
                    whose = "you do not" if who.lower() == "me" else f"{who} does not"
                    message = (
                        f"{title} comes with {what} ({text}), which {whose} like. Choose something else."
                    )
                    found.append(
                        info(message, plan, dislike, subject=f"{record_id(plan)} {record_id(dislike)} {what}")
                    )
    return found


def _holds(text, what, table):
    """Whether the text names the food, or a dish or place that is surely made of it."""
    if [word for word in words(text) if word in ("free", "without", "no", "vegan", "veggie", "vegetarian")]:
        return False
    if mentions(text, what):
        return True
    unwanted = [
        *table["avoid"].get(what.lower(), []),
        *table["avoid"].get(what.lower().removesuffix("s"), []),
    ]
    rows = [*table["dishes"].items(), *table["places"].items()]
    named = [row for name, row in rows if mentions(text, name)]
    sure = [group for row in named for group in row.get("contains", row.get("around", []))]
    return bool(unwanted) and not [group for group in unwanted if group not in sure]


CASES = [
    fires(
        "sushi for somebody who does not like fish",
        date(2025, 4, 20),
        food.Dislike(what="fish", who="Tom"),
        food.Booking(place="Sushi Zen", day=date(2025, 4, 25), who=["Tom"]),
        says=["Sushi Zen", "2025-04-25", "Tom", "fish"],
    ),
    fires(
        "a dislike in the record of the person",
        date(2025, 4, 20),
        people.Person(name="Anna", relation="mother", dislikes=["mushrooms", "jazz"]),
        food.Meal(what="Sunday lunch", day=date(2025, 4, 27), dishes=["mushroom risotto"], who=["my mother"]),
        says=["Sunday lunch", "Anna", "mushroom"],
    ),
    fires(
        "the user's own",
        date(2025, 4, 20),
        food.Dislike(what="cilantro", who="me"),
        food.Meal(what="tacos with cilantro", day=date(2025, 4, 21)),
        says=["cilantro", "you do not like"],
    ),
    fires(
        "one of the team does not like it",
        date(2025, 4, 20),
        people.Group(name="the team", members=["Tom", "Ana"]),
        food.Dislike(what="fish", who="Tom"),
        food.Booking(place="Sushi Zen", day=date(2025, 4, 25), who=["the whole team"]),
        says=["Sushi Zen", "Tom does not like"],
    ),
    silent(
        "somebody else's dinner",
        date(2025, 4, 20),
        food.Dislike(what="fish", who="Tom"),
        food.Booking(place="Sushi Zen", day=date(2025, 4, 25), who=["Mia"]),
    ),
    silent(
        "over, or without it",
        date(2025, 4, 20),
        food.Dislike(what="onions", who="me"),
        food.Dislike(what="seafood", who="me"),
        food.Meal(what="onion soup", day=date(2025, 4, 19)),
        food.Meal(what="burger without onions", day=date(2025, 4, 22)),
        food.Booking(
            place="Trattoria Roma", day=date(2025, 4, 23), cuisine="Italian", dishes=["pizza", "tuna salad"]
        ),
    ),
]
