from ..helpers import _for_whom, _has_ended, _is_local, _is_same, _kinds, _whose, _with_details

# What works on the skin hardly reaches the blood; eye drops and gel caps do reach it.
SKIN = ("cream", "ointment", "lotion", "gel", "shampoo", "topical")
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
        (medication, _whose(medication.person), _kinds(medication, drugs))
        for medication in user.health.medications
        if not _has_ended(medication, now) and not _is_local(medication, SKIN, ("caps", "oral", "mouth"))
    ]
    found = []
    for condition in user.health.conditions:
        whose = _whose(condition.person)
        if _is_denied(condition.name, whose) or _has_ended(condition, now):
            continue
        fitting = [
            rule
            for rule in rules
            if [name for name in rule["conditions"] if mentions(condition.name, name)]
            and (rule.get("past_too") or not condition.past)
        ]
        for medication, taker, kinds in taken:
            if not _is_same(taker, whose):
                continue
            rule = first([rule for rule in fitting if [kind for kind in kinds if kind in rule["drugs"]]])
            if rule is not None:
                raised = critical if rule["severity"] == "critical" else warning
                had = "had" if condition.past else "has" if whose else "have"
                since = f" (since {condition.since})" if condition.since else ""
                message = (
                    f"{_for_whom(whose)}{_with_details(medication)} is on {'the' if whose else 'your'} list, and"
                    f" {whose or 'you'} {had} {condition.name}{since}:"
                    f" {rule['effect']}. {rule['advice']}"
                )
                found.append(raised(message, medication, condition))
    return found


def _is_denied(name, whose):
    """Whether the text says that nobody, or somebody else than the user, has it: no history of asthma."""
    parts = words(name)
    if first(parts) in ("no", "not", "never", "denies", "negative") or mentions(name, "ruled out"):
        return True
    return mentions(name, "family history") or (not whose and bool([word for word in parts if word in OTHERS]))


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
    fires(
        "the condition and the medicine of one who is named",
        date(2025, 1, 8),
        health.Medication(name="propranolol", person="Mia"),
        health.Condition(name="asthma", person="Mia"),
        says=["For Mia: propranolol is on the list", "Mia has asthma"],
    ),
    silent(
        "somebody else's, or ruled out",
        date(2025, 1, 8),
        health.Condition(name="asthma", person="Theo"),
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
