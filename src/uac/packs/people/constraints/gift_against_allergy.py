from ..helpers import _THINGS, _has, _made_with


def gift_against_allergy(user, now):
    """A gift for somebody who is allergic to what is in it."""
    table = knowledge("food.dishes")
    found = []
    for gift in user.people.gifts:
        if gift.given or (gift.on is not None and is_past(gift.on, now)):
            continue
        for allergy in user.health.allergies:
            if not same_person(gift.to, allergy.person):
                continue
            signs = mentions(allergy.reaction, "anaphylaxis") or mentions(allergy.reaction, "anaphylactic")
            named, why = _has(gift.what, allergy.substance), ""
            if not named:
                why = _made_with(gift.what, allergy.substance, table, allergy.severity == "severe" or signs)
            if named or why:
                text = f"{gift.what} for {gift.to}: {allergy.person} is allergic to {allergy.substance}{why}."
                # A book about peanuts harms nobody.
                is_grave = (allergy.severity == "severe" or signs) and not [word for word in words(gift.what) if word in _THINGS]
                raised = critical if is_grave else warning
                found.append(raised(f"{text} Choose something without it.", gift, allergy))
    return found


CASES = [
    fires(
        "chocolates often hold milk",
        date(2026, 11, 19),
        health.Allergy(substance="milk", person="Mia", severity="severe"),
        people.Gift(to="Mia", what="a box of chocolates"),
        says=["Mia is allergic to milk, and chocolate is often made with dairy"],
    ),
    fires(
        "hazelnuts for somebody who is allergic to them",
        date(2025, 5, 1),
        health.Allergy(substance="hazelnut", person="Ben Ali"),
        people.Gift(to="Ben", what="hazelnut chocolates"),
        says=["hazelnut chocolates for Ben", "Ben Ali is allergic to hazelnut"],
    ),
    fires(
        "what the gift is made of",
        date(2025, 5, 1),
        health.Allergy(substance="tree nuts", person="Joel", severity="severe"),
        people.Gift(to="Joel", what="a box of pralines with hazelnuts"),
        says=["Joel is allergic to tree nuts, and", "tree nuts"],
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
