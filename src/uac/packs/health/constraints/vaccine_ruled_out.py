from ..helpers import _condition_kinds, _for_whom, _has, _has_ended, _holder, _is_over, _is_same, _kinds, _whose, _with_details


def vaccine_ruled_out(user, now):
    """A booked vaccination that a medicine, a condition, an allergy or an age rules out."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.vaccines")
    found = []
    for shot in user.health.vaccinations:
        if is_past(shot.day, now):
            continue
        whose = _whose(shot.person)
        is_live = _is_named(shot.vaccine, table["live"]) and not _is_named(shot.vaccine, table["not_live"])
        rules = [
            rule
            for rule in sorted(table["rules"], key=lambda rule: rule["severity"] != "critical")
            if (is_live if rule["vaccines"] == ["live"] else _is_named(shot.vaccine, rule["vaccines"]))
        ]
        against = [
            *_medicines_against(user.health.medications, rules, whose, drugs, now),
            *_conditions_against(user.health.conditions, rules, whose, now),
            *_allergies_against(user.health.allergies, rules, whose),
            *_age_against(_ages(user.people.persons, user.health.profile, shot, whose), rules, shot),
        ]
        for record, reason, rule in against:
            raised = critical if rule["severity"] == "critical" else warning
            message = (
                f"{_for_whom(whose)}{shot.vaccine} vaccination on {shot.day}, and {reason}: {rule['why']}."
                f" Tell whoever gives it before that day."
            )
            found.append(raised(message, shot, record, rows=[("health.vaccines", rule)]))
    return found


def _medicines_against(medications, rules, whose, drugs, now):
    """The medicines against a vaccination: the record, a sentence, and the first rule."""
    found = []
    for medication in medications:
        kinds = _kinds(medication, drugs)
        amount = re.search(r"(\d{1,4}) ?mg\b", f"{medication.name} {medication.dose or ''}".lower())
        daily = int(amount.group(1)) * (medication.times_per_day or 1) if amount is not None else 0
        own = [rule for rule in rules if [kind for kind in kinds if kind in rule.get("drugs", [])]]
        rule = first([rule for rule in own if daily >= rule.get("from_mg", 0)])
        if rule is None or not _is_same(_whose(medication.person), whose):
            continue
        # Its effect lasts for some months.
        if medication.ends is None or not is_past(add_months(medication.ends, 3), now):
            found = [*found, (medication, f"{_with_details(medication, until=medication.ends)} is on the list", rule)]
    return found


def _conditions_against(conditions, rules, whose, now):
    table = knowledge("health.conditions")
    found = []
    for condition in conditions:
        if not _is_same(_holder(condition, condition.name), whose):
            continue
        kinds = _condition_kinds(condition.name, table)
        is_over = _is_over(condition) or _has_ended(condition, now)
        rule = first(
            [
                rule
                for rule in rules
                if (rule.get("past_too") or not is_over)
                and [name for name in rule.get("conditions", []) if kinds.get(name) == "own" or _has(condition, name)]
            ]
        )
        if rule is not None:
            found = [*found, (condition, f"{condition.name} is on record", rule)]
    return found


def _allergies_against(allergies, rules, whose):
    found = []
    for allergy in allergies:
        named = [rule for rule in rules if _is_named(allergy.substance, rule.get("allergies", []))]
        denied = re.search(r"\b(?:no|not|never|none|outgrew|outgrown|ruled out|tolerates?)\b", allergy.substance.lower())
        if named and not denied and _is_same(_holder(allergy, allergy.substance), whose):
            found = [*found, (allergy, f"an allergy to {allergy.substance} is on record", named[0])]
    return found


def _ages(persons, profile, shot, whose):
    """Who gets it and when they were born: (record, who will, the day); the user's day of birth is in the profile."""
    if not whose:
        return [(profile, "you will", profile.born)] if profile is not None and profile.born is not None else []
    named = [person for person in persons if shot.person is not None and same_person(person.name, shot.person)]
    return [(person, f"{person.name} will", person.born) for person in named if person.born is not None]


def _age_against(ages, rules, shot):
    """Whose age on the day speaks against it, in words, and the first rule about it."""
    found = []
    for record, who_will, born in ages:
        months = (shot.day.year - born.year) * 12 + shot.day.month - born.month
        months = months - 1 if shot.day.day < born.day else months
        young = [rule for rule in rules if 0 <= months < rule.get("under_months", 0)]
        rule = first([*young, *[rule for rule in rules if months >= rule.get("from_months", 99999)]])
        if rule is not None:
            age = f"{months} months" if months < 36 else f"{months // 12} years"
            found = [*found, (record, f"{who_will} be {age} old (born {born})", rule)]
    return found


def _is_named(text, names):
    """Whether a text has one of the names; Gelbfieberimpfung is Gelbfieber."""
    plain = re.sub(r"(?:schutz)?impf(?:ung|stoff)\b", " ", (text or "").lower())
    return bool([name for name in names if mentions(plain, name)])


CASES = [
    fires(
        "a first yellow fever dose at one's own 68 years",
        date(2026, 11, 17),
        health.Profile(born=date(1958, 2, 3)),
        health.Vaccination(vaccine="yellow fever", day=date(2026, 11, 27)),
        says=["yellow fever vaccination on 2026-11-27, and you will be 68 years old"],
    ),
    fires(
        "a bowel that once folded into itself",
        date(2026, 11, 17),
        health.Condition(name="intussusception", person="Leo", past=True),
        health.Vaccination(vaccine="Rotarix", day=date(2026, 11, 24), person="Leo"),
        says=["For Leo: Rotarix", "intussusception is on record"],
    ),
    fires(
        "yellow fever for a baby",
        date(2026, 11, 17),
        people.Person(name="Juno", relation="daughter", born=date(2026, 7, 20)),
        health.Vaccination(vaccine="yellow fever", day=date(2026, 11, 27), person="Juno"),
        says=["For Juno: yellow fever", "4 months old", "under 6 months"],
    ),
    silent(
        "a child and a grown-up of the right age, and one whose birthday is not known",
        date(2026, 11, 17),
        people.Person(name="Juno", relation="daughter", born=date(2024, 7, 20)),
        people.Person(name="Lea", relation="daughter"),
        health.Vaccination(vaccine="yellow fever", day=date(2026, 11, 27), person="Juno"),
        health.Vaccination(vaccine="MMR", day=date(2026, 11, 27), person="Juno"),
        health.Vaccination(vaccine="yellow fever", day=date(2026, 11, 27), person="Lea"),
    ),
    fires(
        "a live vaccine under an immunosuppressant",
        date(2025, 1, 8),
        health.Vaccination(vaccine="yellow fever", day=date(2025, 2, 1)),
        health.Medication(name="Humira"),
        says=["yellow fever", "2025-02-01", "Humira", "live vaccine"],
    ),
    fires(
        "a live vaccine in a pregnancy",
        date(2025, 1, 8),
        health.Vaccination(vaccine="MMR", day=date(2025, 2, 1)),
        health.Condition(name="pregnant"),
        says=["MMR", "pregnant"],
    ),
    fires(
        "an allergy to a part of the vaccine, of a child",
        date(2025, 1, 8),
        health.Vaccination(vaccine="Stamaril", day=date(2025, 2, 1), person="Theo"),
        health.Allergy(substance="eggs", person="Theo", severity="severe"),
        says=["For Theo: Stamaril", "allergy to eggs", "eggs"],
    ),
    fires(
        "a medicine that ended not long ago",
        date(2025, 1, 8),
        health.Vaccination(vaccine="chickenpox", day=date(2025, 1, 20)),
        health.Medication(name="methotrexate", ends=date(2024, 12, 20)),
        says=["chickenpox", "methotrexate", "2024-12-20"],
    ),
    silent(
        "vaccines that are not live, and what is over",
        date(2025, 1, 8),
        health.Vaccination(vaccine="influenza", day=date(2025, 2, 1)),
        health.Vaccination(vaccine="Shingrix", day=date(2025, 2, 1)),
        health.Vaccination(vaccine="tetanus", day=date(2025, 2, 1)),
        health.Vaccination(vaccine="MMR", day=date(2024, 2, 1)),
        health.Medication(name="Humira"),
        health.Condition(name="pregnant"),
        health.Allergy(substance="egg"),
    ),
    silent(
        "somebody else's, and a medicine that ended long ago",
        date(2025, 1, 8),
        health.Vaccination(vaccine="MMR", day=date(2025, 2, 1)),
        health.Medication(name="Humira", person="Dad"),
        health.Medication(name="azathioprine", ends=date(2024, 5, 1)),
        health.Condition(name="pregnant", person="Mia"),
    ),
]
