from ..helpers import _has


def gift_against_allergy(user, now):
    """A gift for somebody who is allergic to what is in it."""
    found = []
    for gift in user.people.gifts:
        if gift.given or (gift.on is not None and is_past(gift.on, now)):
            continue
        for allergy in user.health.allergies:
            if same_person(gift.to, allergy.person) and _has(gift.what, allergy.substance):
                text = f"{gift.what} for {gift.to}: {allergy.person} is allergic to {allergy.substance}."
                found.append(warning(f"{text} Choose something without it.", gift, allergy))
    return found


CASES = [
    fires(
        "hazelnuts for somebody who is allergic to them",
        date(2025, 5, 1),
        health.Allergy(substance="hazelnut", person="Ben Ali"),
        people.Gift(to="Ben", what="hazelnut chocolates"),
        says=["hazelnut chocolates for Ben", "Ben Ali is allergic to hazelnut"],
    ),
    silent(
        "the user's own allergy, another one's, a gift without it, and one that was given",
        date(2025, 5, 1),
        health.Allergy(substance="hazelnut"),
        health.Allergy(substance="hazelnut", person="Mia"),
        people.Gift(to="Ben", what="hazelnut chocolates"),
        people.Gift(to="Mia", what="hazelnut-free chocolates"),
        people.Gift(to="Mia", what="hazelnut cake", given=True),
    ),
]
