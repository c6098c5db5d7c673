from ..helpers import _bought_for, _called, _effect, _harms, _is_without, _pet_kind


def medicine_for_pet(user, now):
    """A medicine for people, or for another animal, that is given to a pet or is within its reach."""
    drugs = knowledge("health.drugs")
    table = knowledge("household.toxic_to_pets")
    found = []
    for pet in user.household.pets:
        kind = _pet_kind(pet, table)
        eaten = [*pet.eats, *_bought_for(pet, user.household.purchases, now)]
        given = [*[(text, True) for text in eaten], *[(text, False) for text in pet.reaches]]
        for text, is_given in [each for each in given if kind is not None]:
            name, rule = _rule(text, kind, drugs, table.get("medicines", {}))
            # What the table names itself is reported by toxic_to_pet.
            if rule is None or _listed(text, kind, table) is not None:
                continue
            how = "given to" if is_given else "within reach of"
            message = (
                f"{text} {how} {pet.name}, your {_called(pet)}, is a medicine for people ({name}) that can poison a {kind}:"
                f" {_effect(rule, kind)}. {'Give none unless a vet prescribed this dose' if is_given else 'Lock it away'}; if"
                f" {pet.name} may have had some, call a vet or an animal poison centre."
            )
            raised = critical if rule["grave"] else warning
            found.append(raised(message, pet, subject=f"{record_id(pet)} {how} {name}", rows=[("household.toxic_to_pets", rule)]))
        for medication in user.health.medications if kind is not None else []:
            if medication.person is None or not same_person(medication.person, pet.name) or _is_from_vet(medication, now):
                continue
            text = " ".join([medication.name, *medication.ingredients])
            name, rule = _rule(text, kind, drugs, table.get("medicines", {}))
            # A listing for pets, such as flea drops, counts before the medicine for people of that name.
            rule = _listed(text, kind, table) or (None if kind in _vet_kinds(rule, name) else rule)
            if rule is not None:
                message = (
                    f"{medication.name} for {pet.name}, your {_called(pet)}, can poison a {kind}: {_effect(rule, kind)}. Give none"
                    f" unless a vet prescribed it and this dose; if {pet.name} has had some, call a vet or an animal poison centre."
                )
                raised = critical if rule["grave"] else warning
                found.append(raised(message, medication, pet, rows=[("household.toxic_to_pets", rule)]))
    return found


def _is_from_vet(medication, now):
    """Whether a vet has prescribed it, or the course is over."""
    said = words(f"{medication.prescriber or ''} {medication.name} {medication.purpose or ''}")
    is_over = medication.ends is not None and is_past(medication.ends, now)
    return is_over or bool([word for word in said if word in ("vet", "vets", "veterinarian", "veterinary", "tierarzt", "tierärztin")])


def _vet_kinds(rule, name):
    """The kinds of animals for which vets prescribe the medicine, too."""
    return (rule or {}).get("vets", {}).get(name, [])


def _listed(text, kind, table):
    """The row of foods and things that a text names, if it harms this kind of animal; None if there is none."""
    rows = [([key, *row.get("also", [])], row) for part in ("foods", "things") for key, row in table.get(part, {}).items()]
    rows = [(names, row) for names, row in rows if _harms(row, kind)]
    return first(
        [row for names, row in rows if [name for name in names if mentions(text, name) and not _is_without(text, name)]]
    )


def _rule(text, kind, drugs, medicines):
    """The medicine that a text names and the rule for it or its class; an empty text and None if there is none."""
    parts = words(text)
    for size in (4, 3, 2, 1):
        for at in range(len(parts) - size + 1):
            for name in drugs["names"].get(" ".join(parts[at : at + size]), []):
                for one in [name, *drugs["classes"].get(name, [])]:
                    if one in medicines and _harms(medicines[one], kind):
                        return name, medicines[one]
    return "", None


CASES = [
    fires(
        "an antidepressant of people was bought for the dog",
        date(2026, 11, 16),
        household.Pet(name="Rex", kind="Labrador"),
        household.Purchase(item="Zoloft", bought=date(2026, 11, 15), for_whom="Rex"),
        says=["Zoloft given to Rex", "sertraline"],
    ),
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
    fires(
        "a medicine of the cat's own",
        date(2025, 3, 1),
        household.Pet(name="Tiger", kind="cat"),
        health.Medication(name="paracetamol", person="Tiger"),
        says=["paracetamol for Tiger, your cat", "red blood cells", "unless a vet prescribed"],
    ),
    fires(
        "drops for dogs on a cat",
        date(2025, 3, 1),
        household.Pet(name="Cleo", kind="cat"),
        health.Medication(name="permethrin spot-on for dogs", person="Cleo"),
        says=["permethrin spot-on for dogs for Cleo"],
    ),
    fires(
        "an antibiotic that kills guinea pigs",
        date(2025, 3, 1),
        household.Pet(name="Nibbles", kind="guinea pig"),
        health.Medication(name="amoxicillin", person="Nibbles"),
        says=["amoxicillin for Nibbles, your guinea pig", "gut"],
    ),
    silent(
        "what the vet prescribed, what vets give as well, a course that is over, and a person",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog"),
        household.Pet(name="Cleo", kind="cat"),
        health.Medication(name="tramadol", person="Max", prescriber="the vet"),
        health.Medication(name="meloxicam", person="Max"),
        health.Medication(name="ibuprofen", person="Max", ends=date(2024, 1, 1)),
        health.Medication(name="ibuprofen", person="Mia"),
        health.Medication(name="ibuprofen"),
    ),
    silent(
        "medicines that vets use too, food, and another animal",
        date(2025, 3, 1),
        household.Pet(name="Max", kind="dog", eats=["amoxicillin from the vet", "rice"], reaches=["a ball"]),
        household.Pet(name="Hop", kind="tortoise", reaches=["Nurofen"]),
        ended(household.Pet(name="Rex", kind="dog", eats=["Aleve"]), "2024-05-01"),
    ),
]
