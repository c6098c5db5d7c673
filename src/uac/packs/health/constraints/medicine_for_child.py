from ..helpers import _has_ended, _is_local, _kinds, _whose, _with_details

# Of what goes on the skin or into the eye, little reaches the blood.
LOCAL = ("cream", "ointment", "lotion", "shampoo", "eye", "ear")


def medicine_for_child(user, now):
    """A medicine for somebody who is too young for it: aspirin, codeine, cough medicine for a child."""
    drugs = knowledge("health.drugs")
    rules = sorted(knowledge("health.child_medicines"), key=lambda rule: rule["severity"] != "critical")
    found = []
    for medication in user.health.medications:
        born, name = _born(medication, user.people.persons, user.health.profile)
        if born is None or _has_ended(medication, now) or _is_local(medication, LOCAL):
            continue
        kinds = _kinds(medication, drugs)
        own = [rule for rule in rules if [kind for kind in kinds if kind in rule["drugs"]]]
        rule = first([rule for rule in own if as_date(now) < add_months(born, rule["months"])])
        if rule is None:
            continue
        look_again(add_months(born, rule["months"]))
        limit = f"{rule['months'] // 12} years" if rule["months"] >= 24 else f"{rule['months']} months"
        raised = critical if rule["severity"] == "critical" else warning
        message = (
            f"{_with_details(medication)} is on the list of {name} (born {born}), and it is not for children under"
            f" {limit}: {rule['why']}. Ask a doctor or a pharmacist before you give it."
        )
        found.append(raised(message, medication, rows=[("health.child_medicines", rule)]))
    return found


def _born(medication, persons, own):
    """When the one who takes a medicine was born, and the name; (None, '') if that is not known."""
    whose = _whose(medication.person)
    if not whose:
        return (own.born, "yours") if own is not None else (None, "")
    kin = whose.removeprefix("your ")
    known = [
        person
        for person in persons
        if person.born is not None and (same_person(person.name, whose) or (kin != whose and mentions(person.relation, kin)))
    ]
    # Two sons: nobody knows which one is meant.
    return (known[0].born, known[0].name) if len(known) == 1 else (None, "")


CASES = [
    fires(
        "aspirin for a child",
        date(2025, 1, 8),
        people.Person(name="Theo", relation="son", born=date(2016, 5, 1)),
        health.Medication(name="Aspirin", dose="100 mg", person="Theo"),
        says=["Aspirin (100 mg)", "Theo (born 2016-05-01)", "under 16 years", "Reye"],
    ),
    fires(
        "codeine, by brand, for somebody who is only called a daughter",
        date(2025, 1, 8),
        people.Person(name="Mia", relation="daughter", born=date(2018, 5, 1)),
        health.Medication(name="Solpadol", person="my daughter"),
        says=["Solpadol", "Mia", "under 12 years", "breathing"],
    ),
    fires(
        "a syrup against coughs",
        date(2025, 1, 8),
        people.Person(name="Mia", born=date(2022, 5, 1)),
        health.Medication(name="dextromethorphan syrup", person="Mia"),
        says=["dextromethorphan", "under 6 years"],
    ),
    silent(
        "old enough, an adult, an unknown day of birth, and medicines for children",
        date(2025, 1, 8),
        people.Person(name="Theo", born=date(2008, 5, 1)),
        people.Person(name="Mia", born=date(2021, 5, 1)),
        people.Person(name="Dad"),
        health.Medication(name="aspirin", person="Theo"),
        health.Medication(name="aspirin", person="Dad"),
        health.Medication(name="aspirin"),
        health.Medication(name="paracetamol", person="Mia"),
        health.Medication(name="amoxicillin", person="Mia"),
        health.Profile(born=date(1980, 5, 1)),
    ),
    silent(
        "two sons, and a course that is over",
        date(2025, 1, 8),
        people.Person(name="Theo", relation="son", born=date(2016, 5, 1)),
        people.Person(name="Ben", relation="son", born=date(2004, 5, 1)),
        health.Medication(name="aspirin", person="my son"),
        health.Medication(name="codeine", person="Theo", ends=date(2025, 1, 2)),
    ),
]
