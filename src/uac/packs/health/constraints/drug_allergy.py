from ..helpers import (
    _clauses,
    _has_ended,
    _holder,
    _ingredients,
    _is_same,
    _kinds,
    _names_in,
    _person,
    _whose,
    _with_classes,
    _with_details,
)

# These classes say what a medicine does, not what it is made of: who reacts to aspirin may take clopidogrel.
BY_EFFECT = ("antiplatelets", "anticoagulants", "supplements", "hormonal contraceptives")
# Denied, wherever it stands: no known allergies, never had a reaction, not allergic, negative skin test.
DENIED = (
    r"\bnkda\b|\bnka\b|^none\b|\bden(?:ies|ied)\b|\bfamily history\b|\blabel removed\b"
    r"|\bno (?:\w+ ){0,4}(?:allerg\w+|reactions?)\b|\bnever (?:\w+ ){0,4}(?:reactions?|reacted|allergic|allergy|problems?)\b"
    r"|\b(?:not|isn t|aren t|wasn t|no longer) (?:\w+ly |a |an |true )*(?:allergic|allergy|reacting)\b"
    r"|\b(?:tested negative|negative (?:\w+ )?test|test (?:was )?negative|without (?:a |any )?(?:reaction|problems?))\b"
)
GONE = r"\b(?:ruled out|de ?labell?ed|disproved|disproven|outgrew|outgrown|excluded|tolerate[sd]?|tolerating|unfounded)\b"
NOT_GONE = ("not", "never", "cannot", "t", "no", "barely", "poorly", "hardly", "badly", "yet")


def drug_allergy(user, now):
    """A medicine against a known allergy: the same substance, a brand of it, its class or a related one."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.cross_allergies")
    allergies = []
    for one in user.health.allergies:
        text, tolerated = _claimed(one, drugs)
        if text:
            allergies.append((one, _holder(one, one.substance), text, _meaning(text, one, drugs), tolerated))
    found = []
    for medication in user.health.medications:
        if _has_ended(medication, now):
            continue
        named, kinds = _ingredients(medication, drugs), _kinds(medication, drugs)
        taker = _whose(medication.person)
        for allergy, whose, text, meaning, tolerated in allergies:
            if not _is_same(taker, whose) or [kind for kind in kinds if kind in tolerated]:
                continue
            severity, what, why, row = _reason(medication, named, kinds, text, meaning, drugs, table)
            if severity:
                severity = row.get("severe", severity) if _is_severe(allergy) else severity
                raised = critical if severity == "critical" else warning
                message = _message(medication, allergy, whose, severity, what, why)
                found.append(raised(message, medication, allergy, rows=[("health.cross_allergies", row)]))
    return found


def _claimed(allergy, drugs):
    """The part of the substance that is not denied, empty if all of it is, and what the text says is tolerated.

    A denial that names no medicine is about all of them: penicillin (ruled out). One that names a medicine is about
    that one: penicillin (tolerates cephalosporins).
    """
    tolerated = []
    claimed = []
    own = _clauses(allergy.substance)
    for clause in [*own, *_clauses(allergy.reaction), *_clauses(allergy.notes)]:
        meant = _with_classes(_names_in(clause, drugs["names"]), clause, drugs)
        if _is_denied(clause):
            tolerated = [*tolerated, *meant]
            is_bare = not meant or (clause not in own and _is_about(meant, allergy, drugs))
            claimed = [] if is_bare else claimed  # it denies what stands before it
        elif clause in own:
            claimed = [*claimed, clause]
    return " / ".join(claimed), tolerated


def _is_about(meant, allergy, drugs):
    """Whether a note is about what the allergy is said to be against."""
    return bool([kind for kind in _names_in(allergy.substance, drugs["names"]) if kind in meant])


def _is_denied(clause):
    """Whether a clause says that there is no allergy: tolerates it, was ruled out; but not: does not tolerate it."""
    if re.search(DENIED, clause) and not re.search(r"\b(?:until|because|due|sure|know)\b", clause):
        return True
    gone = re.search(GONE, clause)
    before = clause[: gone.start()].split() if gone is not None else []
    return gone is not None and not [word for word in before[-3:] if word in NOT_GONE]


def _meaning(text, allergy, drugs):
    """What the allergy names: medicines, classes, the classes that were noted, and all of it together."""
    substances = _names_in(text, drugs["names"])
    said = _with_classes([], text, drugs)
    noted = _with_classes([], allergy.drug_class or "", drugs)
    meant = _with_classes(substances, f"{text} {allergy.drug_class or ''}", drugs)
    return substances, said, noted, meant


def _reason(medication, named, kinds, text, meaning, drugs, table):
    """How bad it is, what the medicine is, why that matters, and the row of the table; or empty texts."""
    substances, said, noted, meant = meaning
    shared = [kind for kind in named if kind in substances]
    if shared or same(medication.name, text):
        return "critical", f"contains {shared[0] if shared else text}", "", {}
    # What rules a medicine out comes before what asks for care.
    for rule in sorted(table["between_drugs"], key=lambda rule: rule["severity"] != "critical"):
        mine = [kind for kind in kinds if kind in rule["drugs"]]
        if mine and [kind for kind in meant if kind in rule["allergy"]]:
            return rule["severity"], f"is {drugs['titles'].get(mine[0], mine[0])}", rule["why"], rule
    for kind in [*said, *noted]:
        if kind in kinds:
            # Who reacts to one medicine of a class (an opioid) does not always react to the others.
            only_noted = bool(substances) and kind not in said
            if only_noted and kind in BY_EFFECT:
                continue
            why = "that is the class of what caused the reaction" if only_noted else ""
            return "warning" if only_noted else "critical", f"is {drugs['titles'][kind]}", why, {}
    for rule in table["from_foods"]:
        if [kind for kind in kinds if kind in rule["drugs"]]:
            if [word for word in rule["words"] if mentions(text, word)]:
                return rule["severity"], "may be a problem", rule["why"], rule
    return "", "", "", {}


def _is_severe(allergy):
    """Whether the reaction was one that must not happen again."""
    signs = r"anaphyla|stevens|\bsjs\b|\bten\b|necrolysis|\bdress\b|blister|trouble breathing|throat|epipen"
    return allergy.severity == "severe" or bool(re.search(signs, (allergy.reaction or "").lower()))


def _message(medication, allergy, whose, severity, what, why):
    yours = f"{allergy.severity} allergy" if allergy.severity else "known allergy"
    misspelt = knowledge("health.drugs").get("misspelt", {})
    details = [f"if that is {misspelt[word]}" for word in words(allergy.substance) if word in misspelt]
    shown = ", ".join([*details, *[f"reaction: {text}" for text in [allergy.reaction] if text]])
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
        f" {allergy.substance}{f' ({shown})' if shown else ''}{f': {why}' if why else ''}. {advice}"
    )


CASES = [
    fires(
        "a class that comes from pigs",
        date(2025, 1, 8),
        health.Allergy(substance="alpha-gal"),
        health.Medication(name="heparin"),
        says=["heparin", "comes from pigs"],
    ),
    fires(
        "one quinolone after another",
        date(2025, 1, 8),
        health.Allergy(substance="ciprofloxacin"),
        health.Medication(name="Tavanic"),
        says=["Tavanic is a fluoroquinolone", "labels rule them out", "Do not take it"],
    ),
    fires(
        "one half of the other",
        date(2025, 1, 8),
        health.Allergy(substance="omeprazole"),
        health.Medication(name="Nexium"),
        says=["Nexium", "Do not take it"],
    ),
    fires(
        "the same side chain after a severe reaction",
        date(2025, 1, 8),
        health.Allergy(substance="amoxicillin", reaction="anaphylaxis"),
        health.Medication(name="cefalexin"),
        says=["cefalexin", "share a side chain", "Do not take it"],
    ),
    fires(
        "two rules, of which one rules it out",
        date(2025, 1, 8),
        health.Allergy(substance="ramipril", reaction="angioedema"),
        health.Medication(name="Entresto"),
        says=["Entresto", "sacubitril is ruled out too", "Do not take it"],
    ),
    fires(
        "the same side chain after a rash",
        date(2025, 1, 8),
        health.Allergy(substance="amoxicillin", reaction="a mild rash"),
        health.Medication(name="cefalexin"),
        says=["cefalexin", "share a side chain", "before you take it"],
    ),
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
        health.Allergy(substance="PCN/penicilin - childhood rash"),
        health.Medication(name="Amoxicilin 500"),
        says=["Amoxicilin 500 (if that is amoxicillin)", "PCN", "if that is penicillin", "Do not take it"],
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
    fires(
        "what is not tolerated, and what was never ruled out",
        date(2025, 1, 8),
        health.Allergy(substance="does not tolerate codeine"),
        health.Medication(name="codeine"),
        says=["codeine", "Do not take it"],
    ),
    fires(
        "an allergy that was not ruled out",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin", notes="Could not be ruled out"),
        health.Medication(name="amoxicillin"),
        says=["amoxicillin", "Do not take it"],
    ),
    fires(
        "one medicine is tolerated, the others are not",
        date(2025, 1, 8),
        health.Allergy(substance="penicillin (tolerates cephalosporins)"),
        health.Medication(name="Keflex"),
        health.Medication(name="amoxicillin"),
        says=["amoxicillin", "Do not take it"],
    ),
    fires(
        "no allergies except one",
        date(2025, 1, 8),
        health.Allergy(substance="no known drug allergies except penicillin"),
        health.Medication(name="amoxicillin"),
        says=["amoxicillin", "Do not take it"],
    ),
    fires(
        "the text says whose it is",
        date(2025, 1, 8),
        health.Allergy(substance="son: penicillin"),
        health.Medication(name="amoxicillin", person="my son"),
        says=["amoxicillin for your son", "Do not give it"],
    ),
    silent(
        "denied, wherever that stands",
        date(2025, 1, 8),
        health.Allergy(substance="never had a reaction to penicillin"),
        health.Allergy(substance="tolerates amoxicillin"),
        health.Allergy(substance="penicillin allergy ruled out"),
        health.Allergy(substance="PCN - delabelled in 2023"),
        health.Allergy(substance="ampicillin", notes="Skin test negative, not an allergy"),
        health.Allergy(substance="is not allergic to Augmentin"),
        health.Medication(name="amoxicillin"),
    ),
    silent(
        "somebody else's by its text",
        date(2025, 1, 8),
        health.Allergy(substance="my husband is allergic to penicillin"),
        health.Allergy(substance="son: peanut"),
        health.Allergy(substance="amoxicillin (my daughter)"),
        health.Medication(name="amoxicillin"),
        health.Medication(name="Prometrium"),
    ),
    silent(
        "a salt is not the mineral",
        date(2025, 1, 8),
        health.Allergy(substance="potassium"),
        health.Medication(name="penicillin G potassium"),
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
