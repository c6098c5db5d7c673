from ..helpers import _pet_kind


def medicine_for_pet(user, now):
    """A medicine for people that is given to a pet, or is within its reach."""
    drugs = knowledge("health.drugs")
    table = knowledge("household.toxic_to_pets")
    found = []
    for pet in user.household.pets:
        kind = _pet_kind(pet)
        given = [*[(text, True) for text in pet.eats], *[(text, False) for text in pet.reaches]]
        for text, is_given in [each for each in given if kind is not None]:
            name, rule = _rule(text, kind, drugs, table.get("medicines", {}))
            # What the table names itself is reported by toxic_to_pet.
            if rule is None or _is_listed(text, kind, table):
                continue
            how = "given to" if is_given else "within reach of"
            message = (
                f"{text} {how} {pet.name}, your {pet.kind}, is a medicine for people ({name}) that can poison a {kind}:"
                f" {rule['effect']}. {'Give none unless a vet prescribed this dose' if is_given else 'Lock it away'}; if"
                f" {pet.name} may have had some, call a vet or an animal poison centre."
            )
            raised = critical if rule["grave"] else warning
            found.append(raised(message, pet, subject=f"{record_id(pet)} {how} {name}", rows=[("household.toxic_to_pets", rule)]))
    return found


def _is_listed(text, kind, table):
    """Whether the tables of foods and things name it for this kind of animal."""
    rows = [*table["foods"].items(), *table.get("things", {}).items()]
    names = [name for key, row in rows if kind in row["to"] for name in [key, *row.get("also", [])]]
    return bool([name for name in names if mentions(text, name)])


def _rule(text, kind, drugs, medicines):
    """The medicine that a text names and the rule for it or its class; an empty text and None if there is none."""
    parts = words(text)
    for size in (4, 3, 2, 1):
        for at in range(len(parts) - size + 1):
            for name in drugs["names"].get(" ".join(parts[at : at + size]), []):
                for one in [name, *drugs["classes"].get(name, [])]:
                    if one in medicines and kind in medicines[one]["to"]:
                        return name, medicines[one]
    return "", None


CASES = [
    fires(
        "Aleve for a limping dog",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="Labrador", eats=["half an Aleve"]),
        says=["half an Aleve given to Max", "naproxen", "kidney failure", "unless a vet prescribed"],
    ),
    fires(
        "Nurofen within reach of a cat",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat", reaches=["Nurofen on the night table"]),
        says=["Nurofen on the night table within reach of Miso", "ibuprofen", "Lock it away"],
    ),
    fires(
        "paracetamol kills cats by their blood",
        date(2025, 3, 1),
        household.Pet(name="Miso", kind="cat", reaches=["Panadol"]),
        says=["Panadol", "red blood cells in cats"],
    ),
    silent(
        "medicines that vets use too, food, and another animal",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog", eats=["amoxicillin from the vet", "rice"], reaches=["a ball"]),
        household.Pet(name="Hop", kind="hamster", reaches=["Nurofen"]),
        ended(household.Pet(name="Rex", kind="dog", eats=["Aleve"]), "2024-05-01"),
    ),
]
