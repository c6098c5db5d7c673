from ..helpers import _bought_for, _called, _effect, _harms, _is_without, _pet_kind

_HARMLESS = "fake artificial silk plastic lego".split()


def toxic_to_pet(user, now):
    """Something in the house, given or within reach, that is poisonous to an animal of the household."""
    table = knowledge("household.toxic_to_pets")
    anything = {**table["plants"], **table["foods"], **table.get("things", {})}
    # Flowers just bought, or nobody knows when, are in the house, unless they are for somebody else or went back.
    bought = [one for one in user.household.purchases if one.for_whom is None and one.returned_on is None]
    days = [(one, one.delivered or one.bought) for one in bought]
    bought = [one for one, day in days if day is None or not is_past(add_months(day, days=30), now)]
    plants = [*[(one, one.name) for one in user.household.plants], *[(one, one.item) for one in bought]]
    found = []
    for pet in user.household.pets:
        kind = _pet_kind(pet, table)
        if kind is None:
            look_up = [*plants, *pet.eats, *pet.reaches]
            found.extend([info(_unchecked(pet), pet, subject=f"{record_id(pet)} kind")] if look_up else [])
            continue
        for plant, plant_name in plants:
            name = _toxic(table["plants"], plant_name, kind)
            if name is not None:
                about = table["plants"][name]
                text = (
                    f"{plant_name} can poison {pet.name}, your {_called(pet)}: {_effect(about, kind)}. Keep it out of "
                    f"the house; if {pet.name} has chewed on it, call a vet."
                )
                make = critical if about["grave"] else warning
                found.append(make(text, plant, pet, rows=[("household.toxic_to_pets", about)]))
        for food in [*pet.eats, *_bought_for(pet, user.household.purchases, now)]:
            name = _toxic(anything, food, kind)
            if name is not None:
                about = anything[name]
                text = (
                    f"{food} can poison {pet.name}, your {_called(pet)}: {_effect(about, kind)}. Do not give it; if "
                    f"{pet.name} has had some, call a vet or an animal poison centre."
                )
                subject = f"{record_id(pet)} {name}"
                make = critical if about["grave"] else warning
                found.append(make(text, pet, subject=subject, rows=[("household.toxic_to_pets", about)]))
        for thing in pet.reaches:
            name = _toxic(anything, thing, kind)
            if name is not None:
                text = (
                    f"{thing} within reach of {pet.name}, your {_called(pet)}, is poisonous: {_effect(anything[name], kind)}. "
                    f"Lock it away; if {pet.name} may have had some, call a vet or an animal poison centre."
                )
                make = critical if anything[name]["grave"] else warning
                rows = [("household.toxic_to_pets", anything[name])]
                found.append(make(text, pet, subject=f"{record_id(pet)} reaches {name}", rows=rows))
    return found


def _unchecked(pet):
    return (
        f"Not checked: what is poisonous to {pet.name}, your {_called(pet)}. The table has cats, dogs, rabbits, birds, small rodents, ferrets and horses only, so silence"
        f" about plants and food is no all-clear. Ask a vet."
    )


def _toxic(entries, text, kind):
    """The gravest entry that the text names and that is poisonous to the kind of animal; a peace lily is not a lily."""
    if any(word in _HARMLESS for word in words(text)):
        return None
    named = []
    for entry, about in entries.items():
        if [other for other in about.get("not", []) if mentions(text, other)]:
            continue
        for name in [entry, *about.get("also", [])]:
            if mentions(text, name) and not _is_without(text, name):  # sugar-free gum with xylitol has it
                named = [*named, (name, entry)]
        named = [*named, *[(word, entry) for word in _compounds(text, about)]]
    whole = [(name, entry) for name, entry in named if not [other for other, _ in named if len(other) > len(name) and mentions(other, name)]]
    bad = [(not entries[entry]["grave"], -len(name), entry) for name, entry in whole if _harms(entries[entry], kind)]
    return sorted(bad)[0][2] if bad else None


def _compounds(text, about):
    """The German words of a text that begin or end with the thing: Zwiebelkuchen, Kinderschokolade; not zwiebelfrei."""
    found = []
    for part in about.get("in_words", []):
        stem = part.strip("-")
        for word in words(text):
            fits = word.startswith(stem) if part.endswith("-") else word.endswith(stem)
            if fits and len(word) > len(stem) + 2 and not word.startswith("frei", len(stem)):
                found = [*found, word]
    return found


CASES = [
    fires(
        "a nickname of a breed",
        date(2026, 11, 19),
        household.Pet(name="Bella", kind="our yorkie", eats=["some dark choc"]),
        says=["some dark choc can poison Bella, your yorkie"],
    ),
    fires(
        "a German word that begins with a poison",
        date(2026, 11, 19),
        household.Pet(name="Minka", kind="Hauskatze", eats=["ein Stück Zwiebelkuchen"]),
        says=["Zwiebelkuchen can poison Minka, your Hauskatze"],
    ),
    fires(
        "a German word that ends with one",
        date(2026, 11, 19),
        household.Pet(name="Bella", kind="malinois", eats=["Vollmilchschokolade"]),
        says=["Vollmilchschokolade can poison Bella"],
    ),
    silent(
        "free of it in one word, and a brand that is called after a lily",
        date(2026, 11, 19),
        household.Pet(name="Minka", kind="moggy", eats=["zwiebelfreie Brühe", "Lily's Kitchen chicken dinner"]),
    ),
    fires(
        "bought for the dog",
        date(2026, 11, 16),
        household.Pet(name="Rex", kind="Labrador"),
        household.Purchase(item="Advil", bought=date(2026, 11, 15), for_whom="the dog Rex"),
        household.Purchase(item="dark chocolate", bought=date(2026, 11, 15), for_whom="Rex"),
        says=["dark chocolate can poison Rex"],
    ),
    silent(
        "bought for somebody else, taken back, or long ago",
        date(2026, 11, 16),
        household.Pet(name="Rex", kind="Labrador"),
        household.Purchase(item="dark chocolate", bought=date(2026, 11, 15), for_whom="Ana"),
        household.Purchase(item="raisins", bought=date(2026, 11, 14), for_whom="Rex", returned_on=date(2026, 11, 15)),
        household.Purchase(item="cocoa", bought=date(2026, 3, 14), for_whom="Rex"),
    ),
    fires(
        "lilies and a cat",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat"),
        household.Plant(name="a bouquet of lilies"),
        says=["lilies", "Miso", "cat", "kidney failure"],
    ),
    fires(
        "grapes for a puppy",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="Labrador puppy", eats=["rice", "Grapes"]),
        says=["Grapes", "Max", "kidney failure"],
    ),
    fires(
        "dark chocolate for a dog",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog", eats=["dark chocolate"]),
        says=["dark chocolate", "Max"],
    ),
    fires(
        "rat bait where the dog can get at it",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog", reaches=["a box of rat bait in the shed"]),
        says=["rat bait", "within reach of Max", "bleeding", "Lock it away"],
    ),
    fires(
        "a bouquet that was bought, and the pills on the table",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat", reaches=["Tylenol on the night table"]),
        household.Purchase(item="lilies for the living room", bought=date(2025, 2, 27)),
        says=["lilies", "Miso", "kidney failure"],
    ),
    fires(
        "a bouquet that was bought nobody knows when",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat"),
        household.Purchase(item="lilies"),
        says=["lilies", "Miso", "kidney failure"],
    ),
    silent(
        "flowers for somebody else, of last year, or taken back; a toy within reach",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat", reaches=["a paper bag", "catnip"]),
        household.Purchase(item="lilies", bought=date(2025, 2, 27), for_whom="Mum"),
        household.Purchase(item="tiger lilies", bought=date(2024, 2, 27)),
        household.Purchase(item="a pot of lilies", bought=date(2025, 2, 26), returned_on=date(2025, 2, 27)),
    ),
    silent(
        "lilies and a dog, roses and a cat, a peace lily is not a lily",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog"),
        household.Plant(name="tiger lily"),
        household.Plant(name="roses"),
    ),
    silent(
        "sugar-free, or of another material",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat", eats=["onion-free broth", "tuna"]),
        household.Plant(name="silk lilies"),
    ),
    fires(
        "a breed names its kind",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="Labrador", eats=["raisins"]),
        says=["raisins can poison Max, your Labrador", "kidney failure"],
    ),
    fires(
        "the breed stands beside it",
        date(2025, 3, 1),
        household.Pet(name="Luna", kind="pet", breed="Maine Coon"),
        household.Plant(name="lilies"),
        says=["lilies can poison Luna"],
    ),
    fires(
        "an animal that is not in the table",
        date(2025, 3, 1),
        household.Pet(name="Hop", kind="tortoise", eats=["chocolate"]),
        says=["Not checked", "Hop, your tortoise", "Ask a vet"],
    ),
    silent(
        "a Labrador and a lily, a Maine Coon and grapes, a rabbit with nothing around it",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="Labrador", reaches=["tiger lily"]),
        household.Pet(name="Luna", kind="Maine Coon", eats=["grapes"]),
        household.Pet(name="Hop", kind="rabbit"),
    ),
    silent(
        "no pet any more, and a plant that is gone",
        date(2025, 3, 1),
        ended(household.Pet(name="Miso", kind="cat"), "2024-05-01"),
        household.Plant(name="lilies"),
    ),
    silent(
        "the plant is gone",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat"),
        ended(household.Plant(name="lilies"), "2025-02-01"),
    ),
    fires(
        "sources name cats and dogs; a ferret is likely to be harmed too",
        date(2026, 1, 12),
        household.Pet(name="Fritz", kind="ferret", reaches=["antifreeze in the garage"]),
        says=["antifreeze in the garage within reach of Fritz", "(known of cats, dogs; likely of ferrets)", "Lock it away"],
    ),
    fires(
        "avocado for a guinea pig",
        date(2026, 1, 12),
        household.Pet(name="Nibbles", kind="guinea pig", eats=["hay", "avocado"]),
        says=["avocado can poison Nibbles, your guinea pig"],
    ),
    fires(
        "yew beside a pony",
        date(2026, 1, 12),
        household.Pet(name="Star", kind="Shetland pony", reaches=["clippings of the yew hedge"]),
        says=["yew hedge within reach of Star"],
    ),
    fires(
        "free of sugar, with xylitol",
        date(2026, 1, 12),
        household.Pet(name="Rex", kind="dog", eats=["sugar-free peanut butter with xylitol"]),
        says=["xylitol", "Rex", "liver failure"],
    ),
    silent(
        "free of what is poisonous, and plants that are lilies by name only",
        date(2026, 1, 12),
        household.Pet(name="Rex", kind="dog", eats=["xylitol-free peanut butter", "treats free of garlic", "broth without onions"]),
        household.Pet(name="Bello", kind="Hund", eats=["Brühe ohne Zwiebeln", "peanut butter without xylitol"]),
        household.Pet(name="Miso", kind="cat"),
        household.Plant(name="canna lily"),
        household.Plant(name="ginger lilies"),
        household.Plant(name="plantain lily"),
    ),
]
