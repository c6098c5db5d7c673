from ..helpers import _for_whom, _has_ended, _is_local, _is_same, _kinds, _whose, _with_details

NOT = (
    "history",
    "past",
    "previous",
    "former",
    "loss",
    "ectopic",
    "false",
    "molar",
    "postpartum",
    "after",
    "no",
    "not",
    "never",
    "negative",
    "unlikely",
    "prevent",
    "prevention",
    "miscarriage",
    "wife",
    "partner",
    "girlfriend",
    "daughter",
    "sister",
    "keine",
    "nicht",
    "frühere",
    "frau",
    "tochter",
    "schwester",
)
WANTED = (
    "trying to conceive",
    "trying for a baby",
    "trying to get pregnant",
    "trying to become pregnant",
    "want to get pregnant",
    "planning to get pregnant",
    "planning pregnancy",
    "planning a pregnancy",
    "ttc",
    "ivf",
    "kinderwunsch",
    "schwanger werden",
)
# Of what goes into the eye or the ear, little reaches the blood.
DROPS = ("eye", "ear", "ophthalmic", "otic")
EXPECTING = ("expecting a baby", "expecting a child", "expecting twins", "expecting our")


def pregnancy_medication(user, now):
    """A medicine that can harm an unborn child, taken during a pregnancy or while one is planned."""
    drugs = knowledge("health.drugs")
    rules = knowledge("health.pregnancy")
    found = []
    for condition in user.health.conditions:
        whose = _whose(condition.person)
        pregnant, wanted = _pregnant(condition, now), _wanted(condition, now)
        if not pregnant and not wanted:
            continue
        week = _week(condition, now)
        for medication in user.health.medications:
            kinds = _kinds(medication, drugs)
            possible = [rule for rule in rules if [kind for kind in kinds if kind in rule["drugs"]]]
            rule = first([rule for rule in possible if _applies(rule, medication, week)])
            if rule is None or _is_local(medication, DROPS):
                continue
            if not _is_same(_whose(medication.person), whose):
                continue
            over = medication.ends is not None and is_past(medication.ends, now)
            if over and is_past(add_months(medication.ends, days=rule.get("days_after", 0)), now):
                continue
            is_late = week >= rule.get("critical_from_week", 100)
            raised = critical if (rule["severity"] == "critical" or is_late) and pregnant else warning
            message = _message(condition, medication, rule, pregnant, over, whose)
            found.append(raised(message, medication, condition, rows=[("health.pregnancy", rule)]))
    return found


def _pregnant(condition, now):
    """Whether the condition is a pregnancy that can still last: found out at most 300 days ago."""
    parts = words(condition.name)
    named = [word for word in parts if word in ("pregnant", "pregnancy", "gravid") or word.startswith("schwanger")]
    expecting = [phrase for phrase in EXPECTING if mentions(condition.name, phrase)]
    if not (named or expecting) or [word for word in parts if word in NOT]:
        return False
    if condition.past or _wanted(condition, now) or _has_ended(condition, now):
        return False
    return condition.since is None or not is_past(add_months(condition.since, days=300), now)


def _week(condition, now):
    """The week of the pregnancy: what its text says, counted on, or by the day the child is due; 0 if nobody knows."""
    text = " ".join(words(condition.name))
    passed = max(-days_until(condition.since, now) // 7, 0) if condition.since is not None else 0
    said = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)? ?(?:weeks?|wks?|woche|wochen|ssw)\b|\b(?:week|ssw) (\d{1,2})\b", text)
    if said is None:
        late = r"\b(?:third|3rd|last|3|drittes|letztes) (?:trimester|trimenon|drittel)\b|\btrimester 3\b"
        due = 40 - days_until(condition.ends, now) // 7 if condition.ends is not None else 0
        # It began on that day or before it was found.
        return max(28 if re.search(late, text) else 0, due, passed)
    return int(said.group(1) or said.group(2)) + passed


def _applies(rule, medication, week):
    """Whether the rule is about this week and this dose: aspirin counts above 150 mg a day."""
    if week < rule.get("from_week", 0):
        return False
    amount = re.search(r"(\d{1,4}) ?mg\b", f"{medication.name} {medication.dose or ''}".lower())
    is_low = amount is not None and int(amount.group(1)) * (medication.times_per_day or 1) <= rule.get("above_mg", -1)
    return not is_low


def _wanted(condition, now):
    over = condition.past or _has_ended(condition, now)
    return not over and bool([phrase for phrase in WANTED if mentions(condition.name, phrase)])


def _message(condition, medication, rule, pregnant, over, whose):
    since = f" (known since {condition.since})" if condition.since else ""
    who = f"{whose} is" if whose else "you are"
    state = f"{who} pregnant{since}" if pregnant else f"your note '{condition.name}'{since}"
    taken = "was taken not long ago" if over else f"is on {'the' if whose else 'your'} list"
    advice = rule["advice"]
    if over:
        advice = "Call the prescriber and your obstetrician today."
    elif not pregnant:
        advice = "Ask the prescriber now, before a pregnancy begins, and do not stop it on your own."
    medicine = _with_details(medication, purpose=medication.purpose, until=medication.ends)
    return f"{_for_whom(whose)}{medicine} {taken}, and {state}: {rule['effect']}. {advice}"


CASES = [
    fires(
        "a painkiller in the last three months",
        date(2025, 1, 8),
        health.Medication(name="ibuprofen"),
        health.Condition(name="pregnant, 31 weeks"),
        says=["ibuprofen", "you are pregnant"],
    ),
    fires(
        "a painkiller ten weeks before the day the child is due",
        date(2025, 1, 8),
        health.Medication(name="ibuprofen"),
        health.Condition(name="pregnancy", since=date(2024, 10, 1), ends=date(2025, 3, 19)),
        says=["ibuprofen", "you are pregnant"],
    ),
    fires(
        "much aspirin",
        date(2025, 1, 8),
        health.Medication(name="aspirin", dose="500 mg"),
        health.Condition(name="pregnant"),
        says=["aspirin", "above 150 mg"],
    ),
    fires(
        "an antibiotic near the birth",
        date(2025, 1, 8),
        health.Medication(name="nitrofurantoin"),
        health.Condition(name="pregnant, 34 weeks", since=date(2024, 12, 18)),
        says=["nitrofurantoin", "newborn"],
    ),
    silent(
        "little aspirin, and an antibiotic long before the birth",
        date(2025, 1, 8),
        health.Medication(name="aspirin 75 mg"),
        health.Medication(name="nitrofurantoin"),
        health.Condition(name="pregnant, 20 weeks"),
    ),
    fires(
        "isotretinoin during its course",
        date(2024, 9, 20),
        health.Medication(
            name="Accutane",
            dose="40 mg",
            frequency="daily",
            prescriber="dermatologist",
            started=date(2024, 6, 15),
            ends=date(2024, 11, 15),
        ),
        health.Condition(name="pregnancy", since=date(2024, 9, 20)),
        says=[
            "Accutane",
            "40 mg",
            "dermatologist",
            "2024-06-15",
            "2024-09-20",
            "birth defects",
            "Stop taking it",
        ],
    ),
    fires(
        "an ACE inhibitor inside a combination",
        date(2024, 9, 20),
        health.Medication(name="Zestoretic"),
        health.Condition(name="Pregnant"),
        says=["Zestoretic", "kidneys", "prescriber"],
    ),
    fires(
        "valproate must not be stopped alone",
        date(2024, 9, 20),
        health.Medication(name="Depakote", prescriber="Dr. Ito"),
        health.Condition(name="pregnancy"),
        says=["Depakote", "Dr. Ito", "Do not stop it on your own"],
    ),
    fires(
        "a pregnancy is planned",
        date(2024, 9, 20),
        health.Medication(name="methotrexate", dose="15 mg", frequency="once a week"),
        health.Condition(name="trying to conceive"),
        says=["methotrexate", "15 mg", "trying to conceive"],
    ),
    fires(
        "ten days after the last isotretinoin",
        date(2024, 9, 20),
        health.Medication(name="isotretinoin", ends=date(2024, 9, 10)),
        health.Condition(name="pregnancy"),
        says=["isotretinoin", "2024-09-10", "not long ago"],
    ),
    fires(
        "wanted, in other words",
        date(2024, 9, 20),
        health.Medication(name="Depakote"),
        health.Condition(name="trying to get pregnant"),
        says=["Depakote", "your note 'trying to get pregnant'", "before a pregnancy begins"],
    ),
    fires(
        "expecting",
        date(2024, 9, 20),
        health.Medication(name="Diovan"),
        health.Condition(name="expecting a baby"),
        says=["Diovan", "you are pregnant", "kidneys"],
    ),
    fires(
        "the one who is pregnant takes it",
        date(2024, 9, 20),
        health.Medication(name="Depakote", person="Lena"),
        health.Condition(name="pregnancy", person="Lena"),
        says=["For Lena: Depakote is on the list", "Lena is pregnant"],
    ),
    silent(
        "not pregnant, or somebody else is",
        date(2024, 9, 20),
        health.Medication(name="Accutane"),
        health.Condition(name="not pregnant"),
        health.Condition(name="my partner is pregnant"),
        health.Condition(name="pregnancy", person="Lena"),
    ),
    silent(
        "drops for the eye",
        date(2024, 9, 20),
        health.Medication(name="ciprofloxacin eye drops"),
        health.Condition(name="pregnancy"),
    ),
    silent(
        "medicines that are usual in pregnancy",
        date(2024, 9, 20),
        health.Medication(name="folic acid"),
        health.Medication(name="levothyroxine"),
        health.Medication(name="aspirin", dose="81 mg"),
        health.Medication(name="Tylenol"),
        health.Condition(name="pregnancy"),
    ),
    silent(
        "forty days after the last isotretinoin",
        date(2024, 10, 20),
        health.Medication(name="isotretinoin", ends=date(2024, 9, 10)),
        ended(health.Medication(name="warfarin"), "2024-01-01"),
        health.Condition(name="pregnancy"),
    ),
    silent(
        "the pregnancy is long over, or was never the user's",
        date(2026, 1, 5),
        health.Medication(name="isotretinoin"),
        health.Condition(name="pregnancy", since=date(2024, 9, 20)),
        health.Condition(name="history of ectopic pregnancy"),
        ended(health.Condition(name="pregnant"), "2025-05-20"),
    ),
]
