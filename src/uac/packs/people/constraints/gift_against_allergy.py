from ..helpers import _has


_THINGS = "book toy plush doll mug poster shirt socks puzzle game lego soap candle".split()


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
            named, why = _has(gift.what, allergy.substance), ""
            if not named:
                why = _made_with(gift.what, allergy.substance, table)
            if named or why:
                text = f"{gift.what} for {gift.to}: {allergy.person} is allergic to {allergy.substance}{why}."
                signs = mentions(allergy.reaction, "anaphylaxis") or mentions(allergy.reaction, "anaphylactic")
                # A book about peanuts harms nobody.
                is_grave = (allergy.severity == "severe" or signs) and not [word for word in words(gift.what) if word in _THINGS]
                raised = critical if is_grave else warning
                found.append(raised(f"{text} Choose something without it.", gift, allergy))
    return found


def _made_with(gift, substance, table):
    """What the table of dishes says is in the gift of what must not be; an empty text for nothing."""
    if [word for word in words(gift) if word in _THINGS or word in ("free", "vegan", "without", "no", "ohne")]:
        return ""
    wanted = [group for _name, groups in _entries(substance, table["avoid"]) for group in groups]
    held = [(name, group) for name, row in _entries(gift, table["dishes"]) for group in row.get("contains", [])]
    bad = [(name, group) for name, group in held if group in wanted]
    return f", and {bad[0][0]} is usually made with {table['groups'][bad[0][1]]}" if bad else ""


def _entries(text, table):
    """The entries of a table that the words of a text name, longest first: peanut butter is not butter."""
    parts = words(text)
    hits = []
    at = 0
    while at < len(parts):
        grams = [" ".join(parts[at : at + size]) for size in (4, 3, 2, 1) if at + size <= len(parts)]
        forms = [name for gram in grams for name in (gram, gram.removesuffix("s"), gram.removesuffix("es"))]
        name = first([name for name in forms if name in table])
        hits = [*hits, *([] if name is None else [(name, table[name])])]
        at = at + max(len(words(name)), 1)
    return hits


CASES = [
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
