from ..helpers import (
    _condition_kinds,
    _for_whom,
    _has_ended,
    _holder,
    _is_local,
    _is_over,
    _is_same,
    _kinds,
    _relative,
    _stated,
    _whose,
    _with_details,
)

# What works on the skin hardly reaches the blood; eye drops do.
SKIN = ("cream", "ointment", "lotion", "gel", "shampoo", "topical", "creme", "salbe")
# Meant to reach the blood.
THROUGH_SKIN = ("androgens", "oestrogens", "nitrates", "opioids")
# What somebody is, not has.
STATES = ("breastfeeding", "pregnant", "nursing a baby", "on dialysis", "diabetic", "allergic", "smoker")


def drug_condition(user, now):
    """A medicine against a condition that makes it risky: a beta blocker and asthma."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.conditions")
    current = [medication for medication in user.health.medications if not _has_ended(medication, now)]
    taken = [(medication, _whose(medication.person), _kinds(medication, drugs)) for medication in current]
    taken = [each for each in taken if not _is_local(each[0], SKIN) or [kind for kind in each[2] if kind in THROUGH_SKIN]]
    present = {kind for _medication, _taker, kinds in taken for kind in kinds}
    rules = sorted(knowledge("health.cautions"), key=lambda rule: rule["severity"] != "critical")
    rules = [rule for rule in rules if [kind for kind in rule["drugs"] if kind in present]]
    if not rules:
        return []
    profile = user.health.profile
    born = profile.born if profile is not None else None
    age = days_between(born, as_date(now)) // 365.25 if born is not None else None
    found = []
    for record, name, whose, kinds_of, is_over, state in _states(user.health.conditions, user.health.measurements, table, now):
        possible = [rule for rule in rules if rule.get("past_too") or not is_over]
        # A person whom the record names is nobody of the family.
        having = ("own", "family") if not record.person and _relative(name) else ("own",)
        own = [rule for rule in possible if _is_about(rule, name, kinds_of, table, having)]
        # What a relative has is the user's family history.
        kin = [
            rule
            for rule in possible
            if rule.get("family_too") and not record.person
            if (whose and rule in own) or _is_about(rule, name, kinds_of, table, ("family",))
        ]
        for medication, taker, kinds in taken:
            fitting = own if _is_same(taker, whose) else []
            fitting = [rule for rule in fitting if taker or age is None or age >= rule.get("from_age", 0)]
            rule = first([rule for rule in fitting if [kind for kind in kinds if kind in rule["drugs"]]])
            told = state
            if rule is None and not taker:
                rule = first([rule for rule in kin if [kind for kind in kinds if kind in rule["drugs"]]])
                told = f"you told me of {name}, which is in your family"
            if rule is not None:
                is_sure = "from_age" not in rule or (age is not None and not taker)
                raised = critical if rule["severity"] == "critical" and is_sure else warning
                message = (
                    f"{_for_whom(taker)}{_with_details(medication)} is on {'the' if taker else 'your'} list, and"
                    f" {told}: {rule['effect']}. {rule['advice']}"
                )
                found.append(raised(message, medication, record, rows=[("health.cautions", rule)]))
    return found


def _states(conditions, measurements, table, now):
    """Conditions and last values: (record, name, whose, kinds, is it past, in a sentence)."""
    found = []
    for condition in conditions:
        if not _has_ended(condition, now):
            passed = -days_until(condition.since, now) if condition.since else 9999
            degree = f"{condition.severity or ''} {'uncontrolled' if condition.controlled is False else ''} {condition.notes or ''}"
            kinds = _condition_kinds(condition.name, table, f"{degree} days since {passed}")
            whose, is_over = _holder(condition, condition.name), _is_over(condition)
            found = [*found, (condition, condition.name, whose, kinds, is_over, _state(condition, whose, is_over))]
    recent = [value for value in measurements if not is_past(add_months(value.day, 12), now)]
    newest = {(" ".join(words(value.what)), _whose(value.person)): value for value in sorted(recent, key=lambda one: one.day)}
    for (_what, whose), value in newest.items():
        kinds = _condition_kinds(f"{value.what} {value.value:g}", table)
        shown = f"{value.what} was {value.value:g} {value.unit or ''}".strip()
        found = [*found, (value, value.what, whose, kinds, False, f"{shown} on {value.day}")] if kinds else found
    return found


def _is_about(rule, text, kinds, table, having):
    """Whether the rule names a condition that a text states as one of `having`."""
    plain = [name for name in rule["conditions"] if name not in table["names"] and _stated(text, name) in having]
    return bool(plain or [name for name in rule["conditions"] if kinds.get(name) in having])


def _state(condition, whose, is_over):
    """The condition in a sentence: you have asthma, Mia had a stroke, you are breastfeeding."""
    since = f" (since {condition.since})" if condition.since else ""
    is_state = [word for word in STATES if mentions(condition.name, word)]
    now_is = ("was" if whose else "were") if is_over else "is" if whose else "are"
    now_has = "had" if is_over else "has" if whose else "have"
    return f"{whose or 'you'} {now_is if is_state else now_has} {condition.name}{since}"


CASES = [
    fires(
        "a bladder that does not empty",
        date(2025, 1, 8),
        health.Medication(name="Vesicare"),
        health.Condition(name="urinary retention"),
        says=["Vesicare", "you have urinary retention", "ruled out"],
    ),
    fires(
        "the parts of a condition stand the other way round",
        date(2025, 1, 8),
        health.Medication(name="oxybutynin"),
        health.Condition(name="glaucoma, narrow angle"),
        says=["oxybutynin", "pressure in the eye"],
    ),
    fires(
        "a pressure that is not controlled",
        date(2025, 1, 8),
        health.Medication(name="Imigran"),
        health.Condition(name="hypertension, uncontrolled"),
        says=["Imigran", "narrows blood vessels"],
    ),
    silent(
        "what is used in this condition",
        date(2025, 1, 8),
        health.Medication(name="bisoprolol"),
        health.Medication(name="Entresto"),
        health.Medication(name="apixaban"),
        health.Condition(name="heart failure"),
        health.Condition(name="asthma"),
        health.Condition(name="atrial fibrillation"),
        health.Condition(name="heart attack, ruled out"),
    ),
    fires(
        "propranolol and asthma",
        date(2025, 1, 8),
        health.Medication(name="Inderal", dose="40 mg", frequency="twice daily", prescriber="Dr. Lee"),
        health.Condition(name="asthma", since=date(2019, 4, 1)),
        says=["Inderal", "40 mg", "Dr. Lee", "asthma", "2019-04-01", "attack"],
    ),
    fires(
        "a stroke ten weeks ago is recent",
        date(2025, 1, 8),
        health.Medication(name="Viagra"),
        health.Condition(name="stroke", since=date(2024, 10, 30)),
        says=["Viagra", "you have stroke (since 2024-10-30)", "ruled out"],
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
    fires(
        "a state is not had",
        date(2025, 1, 8),
        health.Medication(name="codeine"),
        health.Condition(name="breastfeeding"),
        says=["you are breastfeeding", "milk"],
    ),
    fires(
        "badly controlled is not denied",
        date(2025, 1, 8),
        health.Medication(name="propranolol"),
        health.Condition(name="asthma, not well controlled"),
        says=["propranolol", "you have asthma, not well controlled"],
    ),
    fires(
        "of two conditions one is feared and one was had",
        date(2025, 1, 8),
        health.Medication(name="sumatriptan"),
        health.Condition(name="risk of stroke after TIA"),
        says=["sumatriptan", "narrows blood vessels"],
    ),
    fires(
        "a label that counts the family",
        date(2025, 1, 8),
        health.Medication(name="Ozempic"),
        health.Condition(name="family history of medullary thyroid cancer"),
        says=["Ozempic", "which is in your family", "this tumour"],
    ),
    fires(
        "a relative's tumour is family history",
        date(2025, 1, 8),
        health.Medication(name="Wegovy"),
        health.Condition(name="my mother has MEN2"),
        says=["Wegovy", "my mother has MEN2, which is in your family"],
    ),
    silent(
        "feared, screened for, ruled out or denied, wherever that stands",
        date(2025, 1, 8),
        health.Medication(name="sumatriptan"),
        health.Medication(name="propranolol"),
        health.Condition(name="risk of stroke discussed"),
        health.Condition(name="stroke prevention"),
        health.Medication(name="valproate"),
        health.Condition(name="hepatitis A vaccination"),
        health.Condition(name="TIA (ruled out)"),
        health.Condition(name="has never had asthma"),
        health.Condition(name="mother had a stroke"),
    ),
    silent(
        "somebody else's tumour, who is no relative",
        date(2025, 1, 8),
        health.Medication(name="Ozempic"),
        health.Condition(name="medullary thyroid cancer", person="Theo"),
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
        "high blood pressure that is treated, a stroke of long ago",
        date(2025, 1, 8),
        health.Medication(name="lisinopril"),
        health.Medication(name="acetazolamide"),
        health.Condition(name="high blood pressure"),
        health.Condition(name="glaucoma"),
        health.Condition(name="family history of heart failure"),
        health.Condition(name="atrial fibrillation", controlled=True),
        health.Medication(name="Viagra"),
        health.Condition(name="stroke", since=date(2022, 10, 30)),
        health.Condition(name="carotid stenosis", since=date(2024, 12, 30)),
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
    fires(
        "an abbreviation in capitals, or without other words",
        date(2026, 11, 17),
        health.Medication(name="enoxaparin"),
        health.Condition(name="previous HIT in 2024"),
        says=["enoxaparin", "HIT"],
    ),
    silent(
        "a word that looks like an abbreviation",
        date(2026, 11, 17),
        health.Medication(name="enoxaparin"),
        health.Medication(name="lisinopril"),
        health.Medication(name="sumatriptan"),
        health.Condition(name="hit my head"),
        health.Condition(name="sprained ankle in PE class"),
        health.Condition(name="a cold, he says"),
    ),
    fires(
        "a full stop inside a name",
        date(2026, 11, 17),
        health.Medication(name="Lomotil"),
        health.Condition(name="C. difficile colitis"),
        says=["Lomotil", "C. difficile colitis"],
    ),
]
