OTHERS = (
    "wife",
    "husband",
    "partner",
    "son",
    "daughter",
    "mother",
    "father",
    "mom",
    "mum",
    "dad",
    "brother",
    "sister",
)


def drug_condition(user, now):
    """A medicine against a condition that rules it out or makes it risky: a beta blocker and asthma."""
    drugs = knowledge("health.drugs")
    rules = knowledge("health.cautions")
    taken = [
        (medication, _kinds(medication, drugs))
        for medication in user.health.medications
        if (medication.ends is None or not is_past(medication.ends, now)) and not _local(medication)
    ]
    found = []
    for condition in user.health.conditions:
        if _not_mine(condition.name) or (
            condition.ends is not None and is_past(condition.ends, now)
        ):
            continue
        fitting = [
            rule
            for rule in rules
            if [name for name in rule["conditions"] if mentions(condition.name, name)]
            and (rule.get("past_too") or not condition.past)
        ]
        for medication, kinds in taken:
            rule = first([rule for rule in fitting if [kind for kind in kinds if kind in rule["drugs"]]])
            if rule is not None:
                raised = critical if rule["severity"] == "critical" else warning
                had = "had" if condition.past else "have"
                since = f" (since {condition.since})" if condition.since else ""
                message = (
                    f"{_shown(medication)} is on your list, and you {had} {condition.name}{since}:"
                    f" {rule['effect']}. {rule['advice']}"
                )
                found.append(raised(message, medication, condition))
    return found


def _not_mine(name):
    """Whether the text says that the user does not have it: the son's asthma, no history of asthma."""
    parts = words(name)
    if first(parts) in ("no", "not", "never", "denies", "negative") or mentions(name, "ruled out"):
        return True
    return mentions(name, "family history") or bool([word for word in parts if word in OTHERS])


def _local(medication):
    """Whether it works on the skin and hardly reaches the blood; eye drops and gel caps do reach it."""
    parts = words(f"{medication.name} {medication.form or ''}")
    skin = [word for word in parts if word in ("cream", "ointment", "lotion", "gel", "shampoo", "topical")]
    return bool(skin) and not [word for word in parts if word in ("caps", "oral", "mouth")]


def _shown(medication):
    times = f"{medication.times_per_day:g} times a day" if medication.times_per_day else None
    details = [
        medication.dose,
        medication.frequency or times,
        f"prescribed by {_named(medication.prescriber)}" if medication.prescriber else None,
        f"from {medication.started}" if medication.started else None,
    ]
    shown = ", ".join([text for text in details if text])
    return f"{medication.name} ({shown})" if shown else medication.name


def _kinds(medication, drugs):
    """The ingredients, their classes, and the classes that the record names."""
    texts = [medication.name, *medication.ingredients]
    named = [kind for text in texts for kind in _found(text, drugs["names"])]
    classes = [kind for name in named for kind in drugs["classes"].get(name, [])]
    return [
        *named,
        *classes,
        *_found(f"{medication.name} {medication.drug_class or ''}", drugs["class_names"]),
    ]


def _named(person):
    """The person in a sentence: Dr. Lee, but your dentist."""
    own = (
        bool(words(person)) and person == person.lower() and first(words(person)) not in ("a", "an", "the", "my", "your")
    )
    return f"your {person}" if own else person


def _found(text, table):
    """What the table has for the words of a text, longest names first: Tylenol PM is more than Tylenol."""
    parts = words(text)
    kinds = []
    at = 0
    while at < len(parts):
        size = max([n for n in (6, 5, 4, 3, 2, 1) if " ".join(parts[at : at + n]) in table], default=0)
        kinds = [*kinds, *table.get(" ".join(parts[at : at + size]), [])]
        at = at + max(size, 1)
    return kinds


CASES = [
    fires(
        "propranolol and asthma",
        date(2025, 1, 8),
        health.Medication(name="Inderal", dose="40 mg", frequency="twice daily", prescriber="Dr. Lee"),
        health.Condition(name="asthma", since=date(2019, 4, 1)),
        says=["Inderal", "40 mg", "Dr. Lee", "asthma", "2019-04-01", "attack"],
    ),
    fires(
        "an old clot still rules out the combined pill",
        date(2025, 1, 8),
        health.Medication(name="Yasmin"),
        health.Condition(name="deep vein thrombosis", past=True),
        says=["Yasmin", "you had deep vein thrombosis", "clot"],
    ),
    fires(
        "timolol eye drops reach the lungs",
        date(2025, 1, 8),
        health.Medication(name="timolol eye drops"),
        health.Condition(name="Asthma"),
        says=["timolol", "Asthma"],
    ),
    fires(
        "gel caps are swallowed, and the condition is written in short",
        date(2025, 1, 8),
        health.Medication(name="Advil gel caps"),
        health.Condition(name="CHF"),
        says=["Advil gel caps", "CHF", "heart failure worse"],
    ),
    fires(
        "a pill of which the kind is not known",
        date(2025, 1, 8),
        health.Medication(name="birth control pill"),
        health.Condition(name="migraine with aura"),
        says=["birth control pill", "which kind yours is"],
    ),
    fires(
        "another ACE inhibitor after a swelling",
        date(2025, 1, 8),
        health.Medication(name="enalapril"),
        health.Condition(name="angioedema from lisinopril", past=True),
        says=["enalapril", "you had angioedema", "swell again"],
    ),
    silent(
        "somebody else's, or not there",
        date(2025, 1, 8),
        health.Medication(name="propranolol"),
        health.Condition(name="son's asthma"),
        health.Condition(name="no history of asthma"),
    ),
    silent(
        "a selective beta blocker, an inhaler, paracetamol",
        date(2025, 1, 8),
        health.Medication(name="bisoprolol"),
        health.Medication(name="Advair"),
        health.Medication(name="Tylenol"),
        health.Condition(name="asthma"),
    ),
    silent(
        "high blood pressure that is treated",
        date(2025, 1, 8),
        health.Medication(name="lisinopril"),
        health.Medication(name="acetazolamide"),
        health.Condition(name="high blood pressure"),
        health.Condition(name="glaucoma"),
        health.Condition(name="family history of heart failure"),
        health.Condition(name="atrial fibrillation", controlled=True),
    ),
    silent(
        "the condition is gone, the medicine ended",
        date(2025, 1, 8),
        health.Medication(name="Sudafed"),
        health.Medication(name="tramadol", ends=date(2025, 1, 7)),
        health.Condition(name="hypertension", past=True),
        health.Condition(name="epilepsy"),
        ended(health.Condition(name="enlarged prostate"), "2023-03-01"),
    ),
    silent(
        "a gel on the knee",
        date(2025, 1, 8),
        health.Medication(name="Voltaren gel"),
        health.Condition(name="chronic kidney disease"),
    ),
]
