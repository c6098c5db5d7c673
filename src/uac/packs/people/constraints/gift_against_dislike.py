from ..helpers import _has, _made_with


def gift_against_dislike(user, now):
    """A gift for somebody who does not like it, or for whom it is food that they must not have."""
    table = knowledge("food.dishes")
    found = []
    for gift in user.people.gifts:
        if gift.given or (gift.on is not None and is_past(gift.on, now)):
            continue
        for person in user.people.persons:
            if same_person(gift.to, person.name):
                for thing in person.dislikes:
                    if _has(gift.what, thing):
                        found.append(
                            info(
                                f"{gift.what} for {person.name}: you told me that {person.name} does not "
                                f"like {thing}. Think of something else.",
                                gift,
                                person,
                            )
                        )
        for food in user.food.intolerances:
            if not same_person(gift.to, food.who):
                continue
            why = "" if _has(gift.what, food.what) else _made_with(gift.what, food.what, table, food.severity == "severe")
            if why or _has(gift.what, food.what):
                found.append(
                    warning(
                        f"{gift.what} for {gift.to}: {food.who} must not have {food.what}{why}. Choose something "
                        f"without it.",
                        gift,
                        food,
                    )
                )
    return found


CASES = [
    fires(
        "what the gift is made of",
        date(2026, 11, 19),
        food.Intolerance(what="gluten", who="Anna"),
        people.Gift(to="Anna", what="Christstollen"),
        says=["Anna must not have gluten, and christstollen is usually made with gluten"],
    ),
    fires(
        "flowers for somebody who hates them",
        date(2025, 5, 1),
        people.Person(name="Ana Silva", dislikes=["roses"]),
        people.Gift(to="Ana", what="a dozen roses"),
        says=["roses", "Ana", "does not like"],
    ),
    fires(
        "nuts for somebody who must not have them",
        date(2025, 5, 1),
        food.Intolerance(what="hazelnut", who="Ben"),
        people.Gift(to="Ben", what="hazelnut chocolates", on=date(2025, 5, 1)),
        says=["hazelnut", "Ben", "must not have"],
    ),
    silent(
        "something else",
        date(2025, 5, 1),
        people.Person(name="Ana", dislikes=["roses"]),
        people.Gift(to="Ana", what="tulips"),
        people.Gift(to="Bo", what="roses"),
    ),
    silent(
        "given already",
        date(2025, 5, 2),
        people.Person(name="Ana", dislikes=["roses"]),
        people.Gift(to="Ana", what="red roses", given=True),
        people.Gift(to="Ana", what="roses", on=date(2025, 5, 1)),
    ),
    silent(
        "free of it",
        date(2026, 2, 1),
        food.Intolerance(what="nut", who="Leo"),
        people.Gift(to="Leo", what="nut-free cookies"),
        people.Gift(to="Leo", what="brownies without nuts"),
    ),
]
