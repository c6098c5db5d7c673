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
                held = first([(text, ids) for text in texts for ids in _holds(text, what, table)])
                if held is not None:
                    text, ids = held
                    whose = "you do not" if who.lower() == "me" else f"{who} does not"
                    message = (
                        f"{title} comes with {what} ({text}), which {whose} like. Choose something else."
                    )
                    subject = f"{record_id(plan)} {record_id(dislike)} {what}"
                    rows = [("food.dishes", {"id": each}) for each in ids]
                    found.append(info(message, plan, dislike, subject=subject, rows=rows))
    return found


def _holds(text, what, table):
    """The rows by which the text surely holds the food, as one list: of none if it names it, and no list if it does not."""
    if [word for word in words(text) if word in ("free", "without", "no", "vegan", "veggie", "vegetarian")]:
        return []
    if mentions(text, what):
        return [[]]
    unwanted = [
        *table["avoid"].get(what.lower(), []),
        *table["avoid"].get(what.lower().removesuffix("s"), []),
    ]
    rows = [(f"{kind}:{name}", row) for kind in ("dishes", "places") for name, row in table[kind].items()]
    named = [(id, row) for id, row in rows if mentions(text, id.partition(":")[2])]
    sure = [group for _id, row in named for group in row.get("contains", row.get("around", []))]
    return [[id for id, _row in named]] if unwanted and not [group for group in unwanted if group not in sure] else []


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
