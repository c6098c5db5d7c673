from ..helpers import _has_ended, _ingredients, _is_same, _kinds, _names_in, _person, _whose, _with_classes, _with_details

# These classes say what a medicine does, not what it is made of: who reacts to aspirin may take clopidogrel.
BY_EFFECT = ("antiplatelets", "anticoagulants", "supplements", "hormonal contraceptives")


def drug_allergy(user, now):
    """A medicine against a known allergy: the same substance, a brand of it, its class or a related one."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.cross_allergies")
    # "No known drug allergies" is a record too.
    real = [a for a in user.health.allergies if first(words(a.substance)) not in ("no", "not", "none", "denies", "nkda")]
    allergies = [(one, _whose(one.person), _meaning(one, drugs)) for one in real]
    found = []
    for medication in user.health.medications:
        if _has_ended(medication, now):
            continue
        named, kinds = _ingredients(medication, drugs), _kinds(medication, drugs)
        taker = _whose(medication.person)
        for allergy, whose, meaning in allergies:
            if not _is_same(taker, whose):
                continue
            severity, what, why = _reason(medication, named, kinds, allergy, meaning, drugs, table)
            if severity:
                raised = critical if severity == "critical" else warning
                found.append(raised(_message(medication, allergy, whose, severity, what, why), medication, allergy))
    return found


def _meaning(allergy, drugs):
    """What the allergy names: medicines, classes, the classes that were noted, and all of it together."""
    substances = _names_in(allergy.substance, drugs["names"])
    said = _with_classes([], allergy.substance, drugs)
    noted = _with_classes([], allergy.drug_class or "", drugs)
    meant = _with_classes(substances, f"{allergy.substance} {allergy.drug_class or ''}", drugs)
    return substances, said, noted, meant


def _reason(medication, named, kinds, allergy, meaning, drugs, table):
    """How bad it is, what the medicine is, and why that matters; or empty texts."""
    substances, said, noted, meant = meaning
    shared = [kind for kind in named if kind in substances]
    if shared or same(medication.name, allergy.substance):
        return "critical", f"contains {shared[0] if shared else allergy.substance}", ""
    for rule in table["between_drugs"]:
        mine = [kind for kind in kinds if kind in rule["drugs"]]
        if mine and [kind for kind in meant if kind in rule["allergy"]]:
            return rule["severity"], f"is {drugs['titles'].get(mine[0], mine[0])}", rule["why"]
    for kind in [*said, *noted]:
        if kind in kinds:
            # Who reacts to one medicine of a class (an opioid) does not always react to the others.
            only_noted = bool(substances) and kind not in said
            if only_noted and kind in BY_EFFECT:
                continue
            why = "that is the class of what caused the reaction" if only_noted else ""
            return "warning" if only_noted else "critical", f"is {drugs['titles'][kind]}", why
    for rule in table["from_foods"]:
        if [kind for kind in named if kind in rule["drugs"]]:
            if [word for word in rule["words"] if mentions(allergy.substance, word)]:
                return rule["severity"], "may be a problem", rule["why"]
    return "", "", ""


def _message(medication, allergy, whose, severity, what, why):
    yours = f"{allergy.severity} allergy" if allergy.severity else "known allergy"
    reaction = f" (reaction: {allergy.reaction})" if allergy.reaction else ""
    asked = _person(medication.prescriber) or "the prescriber or a pharmacist"
    taking = "give" if whose else "take"
    advice = (
        f"Do not {taking} it; tell {asked} about the allergy and ask for an alternative."
        if severity == "critical"
        else f"Tell {asked} about the allergy before you {taking} it."
    )
    has = f"for {whose} {what}, and {whose} has" if whose else f"{what}, and you have"
    return (
        f"{_with_details(medication)} {has} a {yours} to"
        f" {allergy.substance}{reaction}{f': {why}' if why else ''}. {advice}"
    )


CASES = [
    fires(
        "amoxicillin against penicillin",
        date(2025, 1, 10),
        health.Allergy(
            substance="Penicillin", severity="moderate", reaction="Rash and hives", drug_class="penicillin"
        ),
        health.Medication(
            name="Amoxicillin",
            dose="500mg",
            frequency="three times daily",
            prescriber="Dr. Robert Chen",
            started=date(2025, 1, 10),
            drug_class="penicillin",
        ),
        says=[
            "Amoxicillin (500mg, three times daily",
            "moderate",
            "Penicillin",
            "hives",
            "Robert Chen",
            "2025-01-10",
        ],
    ),
    fires(
        "a brand that holds the ingredient",
        date(2025, 1, 8),
        health.Allergy(substance="amoxicillin", reaction="swelling"),
        health.Medication(name="Augmentin"),
        says=["Augmentin", "contains amoxicillin", "swelling"],
    ),
    fires(
        "a sulfa allergy and Bactrim",
        date(2025, 1, 8),
        health.Allergy(substance="sulfa drugs"),
        health.Medication(name="Bactrim DS", prescriber="Dr. Okafor"),
        says=["Bactrim DS", "sulfa antibiotic", "Dr. Okafor", "Do not take it"],
    ),
    fires(
        "ibuprofen for somebody who reacts to aspirin",
        date(2025, 1, 8),
        health.Allergy(substance="aspirin", severity="severe"),
        health.Medication(name="Advil Liqui-Gels", dose="200 mg"),
        says=["Advil", "aspirin", "NSAID"],
    ),
    fires(
        "a cephalosporin is only a matter of asking",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin"),
        health.Medication(name="Keflex"),
        says=["cephalosporin", "before you take it"],
    ),
    fires(
        "the class that the user noted",
        date(2025, 1, 8),
        health.Allergy(substance="statins"),
        health.Medication(name="Lipitor"),
        says=["Lipitor", "a statin"],
    ),
    fires(
        "written in short, and misspelt",
        date(2025, 1, 8),
        health.Allergy(substance="PCN - childhood rash"),
        health.Medication(name="Amoxicilin 500"),
        says=["Amoxicilin", "PCN", "Do not take it"],
    ),
    fires(
        "the class of the medicine was only noted beside it",
        date(2025, 1, 8),
        health.Allergy(substance="codeine", drug_class="opioid"),
        health.Medication(name="fentanyl patch"),
        says=["fentanyl patch is an opioid", "the class of what caused the reaction", "before you take it"],
    ),
    fires(
        "capsules made with peanut oil",
        date(2025, 1, 8),
        health.Allergy(substance="peanuts", severity="severe"),
        health.Medication(name="Prometrium"),
        says=["Prometrium", "peanut oil"],
    ),
    fires(
        "somebody else's allergy and medicine",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin", person="Theo Ruiz", reaction="hives"),
        health.Medication(name="cefalexin", person="Theo", prescriber="Dr. Ito"),
        says=["cefalexin", "for Theo Ruiz is a cephalosporin", "Theo Ruiz has a known allergy to penicillin", "before you give it"],
    ),
    fires(
        "the user, said in words",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin"),
        health.Medication(name="amoxicillin", person="me"),
        says=["amoxicillin", "you have a known allergy to penicillin", "Do not take it"],
    ),
    fires(
        "a person of no name",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin", person="my son"),
        health.Medication(name="amoxicillin", person="son"),
        says=["amoxicillin for your son is a penicillin, and your son has a known allergy", "Do not give it"],
    ),
    silent(
        "one person's allergy and another one's medicine",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin", person="Theo"),
        health.Medication(name="amoxicillin"),
        health.Medication(name="ampicillin", person="Mia"),
        health.Allergy(substance="sulfa"),
        health.Medication(name="Bactrim", person="Theo"),
    ),
    silent(
        "no allergy, said in words",
        date(2025, 1, 8),
        health.Allergy(substance="No known penicillin allergy"),
        health.Allergy(substance="fish"),
        health.Medication(name="amoxicillin"),
        health.Medication(name="algae omega 3"),
    ),
    silent(
        "cetirizine is not a penicillin",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin"),
        health.Allergy(substance="Peanuts", severity="severe", reaction="Anaphylaxis"),
        health.Medication(name="Cetirizine", drug_class="antihistamine"),
    ),
    silent(
        "sulfites and sulfonylureas are no sulfa antibiotics, nor is furosemide",
        date(2025, 1, 8),
        health.Allergy(substance="sulfites"),
        health.Allergy(substance="sulfa"),
        health.Medication(name="furosemide"),
        health.Medication(name="glipizide", drug_class="sulfonylurea"),
    ),
    silent(
        "paracetamol for somebody who reacts to aspirin",
        date(2025, 1, 8),
        health.Allergy(substance="aspirin", drug_class="antiplatelet"),
        health.Medication(name="Tylenol"),
        health.Medication(name="clopidogrel"),
    ),
    silent(
        "a course that is over",
        date(2025, 1, 21),
        health.Allergy(substance="penicillin"),
        health.Medication(name="amoxicillin", ends=date(2025, 1, 20)),
        ended(health.Medication(name="ampicillin"), "2019-05-01"),
    ),
    silent(
        "penicillamine is another medicine",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin"),
        health.Medication(name="penicillamine"),
    ),
]
