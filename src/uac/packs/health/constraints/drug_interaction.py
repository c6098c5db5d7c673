from ..helpers import _for_whom, _is_local, _is_same, _kinds, _whose, _with_details

LOCAL = ("cream", "ointment", "lotion", "gel", "shampoo", "topical", "eye", "ear")


def drug_interaction(user, now):
    """Two medicines or supplements that are dangerous together, or that need care."""
    drugs = knowledge("health.drugs")
    known = [(medication, _kinds(medication, drugs)) for medication in user.health.medications]
    taken = [
        (one, kinds)
        for one, kinds in known
        if "nitrates" in kinds or not _is_local(one, LOCAL)
    ]
    takers = [_whose(one.person) for one, _kinds_of in taken]
    found = []
    done = {}
    present = defaultdict(list)
    for at, (_one, kinds) in enumerate(taken):
        for kind in kinds:
            present[kind].append(at)
    # The table has the severe before the mild and the particular before the general; the first rule for two counts.
    for rule in knowledge("health.interactions"):
        left = sorted({at for kind in rule["a"] if kind in present for at in present[kind]})
        right = sorted({at for kind in rule["b"] if kind in present for at in present[kind]}) if left else []
        for i, j in [(i, j) for i in left for j in right if i != j]:
            pair = (min(i, j), max(i, j))
            if pair in done or not _is_same(takers[i], takers[j]) or _share(taken[i][1], taken[j][1], rule, drugs):
                continue
            done[pair] = True
            a, b = taken[i][0], taken[j][0]
            if not _over(a, rule.get("a_days", 0), now) and not _over(b, rule.get("b_days", 0), now):
                raised = {"critical": critical, "warning": warning, "info": info}[rule["severity"]]
                message = _for_whom(takers[i]) + _message(a, b, rule)
                records = [taken[pair[0]][0], taken[pair[1]][0]]
                found.append(raised(message, *records, rows=[("health.interactions", rule)]))
    return found


def _share(kinds, others, rule, drugs):
    """Whether the rule is about one ingredient that both hold, which another constraint reports."""
    both = [kind for kind in rule["a"] if kind in rule["b"]]
    shared = [kind for kind in kinds if kind in others and kind not in drugs["titles"]]
    return bool(
        [name for name in shared for kind in [name, *drugs["classes"].get(name, [])] if kind in both]
    )


def _over(medication, days, now):
    """Whether a course ended more than `days` days ago, the time that it needs to leave the body."""
    return medication.ends is not None and is_past(add_months(medication.ends, days=days), now)


def _message(a, b, rule):
    together = {
        "critical": "are dangerous together",
        "warning": "affect each other",
        "info": "need some care",
    }
    closing = {
        "critical": "Ask the prescriber or a pharmacist before you take both; do not stop one on your own.",
        "warning": "Ask the prescriber or a pharmacist about it.",
        "info": "",
    }
    effect = rule["effect"].replace("{a}", a.name).replace("{b}", b.name)
    texts = [
        f"{_with_details(a, until=a.ends)} and {_with_details(b, until=b.ends)} {together[rule['severity']]}: {effect}.",
        rule["advice"].replace("{a}", a.name).replace("{b}", b.name),
        closing[rule["severity"]],
    ]
    return " ".join([text for text in texts if text])


CASES = [
    fires(
        "a strong inhibitor and a medicine that it must not meet",
        date(2025, 1, 8),
        health.Medication(name="Duragesic"),
        health.Medication(name="Klacid"),
        says=["Duragesic", "Klacid", "the breathing can stop", "before you take both"],
    ),
    fires(
        "an inducer takes the effect away",
        date(2025, 1, 8),
        health.Medication(name="Latuda"),
        health.Medication(name="rifampicin"),
        says=["Latuda", "rifampicin", "contraindicated"],
    ),
    fires(
        "the liver under two medicines",
        date(2025, 1, 8),
        health.Medication(name="Tracleer"),
        health.Medication(name="Euglucon"),
        says=["Tracleer", "Euglucon", "contraindicated"],
    ),
    silent(
        "neighbours of the class that go together",
        date(2025, 1, 8),
        health.Medication(name="pravastatin"),
        health.Medication(name="clarithromycin"),
        health.Medication(name="pantoprazole"),
        health.Medication(name="cetirizine"),
    ),
    fires(
        "an SSRI on top of an MAO inhibitor",
        date(2025, 2, 10),
        health.Medication(name="phenelzine", prescriber="psychiatrist", purpose="depression"),
        health.Medication(name="Zoloft", dose="50 mg", purpose="anxiety"),
        says=[
            "phenelzine",
            "psychiatrist",
            "Zoloft",
            "50 mg",
            "serotonin syndrome",
            "14 days",
            "before you take both",
        ],
    ),
    fires(
        "the MAO inhibitor ended nine days ago and is still at work",
        date(2025, 2, 10),
        health.Medication(name="Nardil", ends=date(2025, 2, 1)),
        health.Medication(name="sertraline", started=date(2025, 2, 10)),
        says=["Nardil", "2025-02-01", "sertraline"],
    ),
    fires(
        "vitamin K2 works against warfarin",
        date(2024, 11, 12),
        health.Medication(name="warfarin"),
        health.Medication(name="vitamin K2", dose="200 mcg"),
        health.Medication(name="vitamin D3"),
        says=["warfarin", "vitamin K2", "200 mcg", "INR"],
    ),
    fires(
        "a nitrate, even as an ointment, and Cialis",
        date(2025, 1, 8),
        health.Medication(name="nitroglycerin", form="ointment", frequency="as needed"),
        health.Medication(name="Cialis"),
        says=["nitroglycerin", "Cialis", "blood pressure"],
    ),
    fires(
        "a class is enough",
        date(2025, 1, 8),
        health.Medication(name="blood thinner"),
        health.Medication(name="Aleve"),
        says=["blood thinner", "Aleve", "bleeding"],
    ),
    fires(
        "which of the two does what",
        date(2025, 1, 8),
        health.Medication(name="Cipro"),
        health.Medication(name="Zanaflex"),
        health.Medication(name="Bactrim"),
        health.Medication(name="warfarin"),
        says=["Bactrim strongly raises the effect of the anticoagulant"],
    ),
    fires(
        "a gel for the mouth is swallowed",
        date(2025, 1, 8),
        health.Medication(name="warfarin"),
        health.Medication(name="miconazole oral gel"),
        says=["miconazole oral gel strongly raises"],
    ),
    fires(
        "two painkillers that also share a sleep aid",
        date(2025, 1, 8),
        health.Medication(name="Advil PM"),
        health.Medication(name="Aleve PM"),
        says=["Advil PM", "Aleve PM", "two anti-inflammatory painkillers"],
    ),
    fires(
        "Paxlovid and a heart medicine",
        date(2025, 1, 8),
        health.Medication(name="Paxlovid", ends=date(2025, 1, 10)),
        health.Medication(name="amiodarone"),
        says=["Paxlovid raises the level of amiodarone"],
    ),
    fires(
        "linezolid is an MAO inhibitor",
        date(2025, 1, 8),
        health.Medication(name="Zyvox"),
        health.Medication(name="mirtazapine"),
        says=["Zyvox", "mirtazapine", "serotonin syndrome"],
    ),
    fires(
        "both are somebody else's",
        date(2025, 1, 8),
        health.Medication(name="warfarin", person="Dad"),
        health.Medication(name="Aleve", person="Dad"),
        says=["For Dad: warfarin", "Aleve"],
    ),
    fires(
        "a gel capsule and soft gels are swallowed",
        date(2025, 1, 8),
        health.Medication(name="warfarin"),
        health.Medication(name="ibuprofen", form="gel capsule"),
        says=["warfarin", "ibuprofen", "bleeding"],
    ),
    fires(
        "a soft gel is swallowed too",
        date(2025, 1, 8),
        health.Medication(name="Eliquis"),
        health.Medication(name="Advil", form="soft gel"),
        says=["Eliquis", "Advil", "bleeding"],
    ),
    fires(
        "which of the two must not be taken",
        date(2025, 1, 8),
        health.Medication(name="isosorbide mononitrate"),
        health.Medication(name="sildenafil"),
        says=["Do not take sildenafil"],
    ),
    silent(
        "a gel for the skin, 5-ASA, and salts, which are no minerals",
        date(2025, 1, 8),
        health.Medication(name="warfarin"),
        health.Medication(name="ibuprofen", form="gel"),
        health.Medication(name="5-ASA"),
        health.Medication(name="lisinopril"),
        health.Medication(name="penicillin G potassium"),
        health.Medication(name="levothyroxine"),
        health.Medication(name="pantoprazole magnesium"),
        health.Medication(name="rosuvastatin calcium"),
    ),
    fires(
        "a mineral that is listed beside a medicine is one",
        date(2025, 1, 8),
        health.Medication(name="lisinopril"),
        health.Medication(name="pantoprazole, potassium"),
        says=["potassium can rise"],
    ),
    silent(
        "one is somebody else's",
        date(2025, 1, 8),
        health.Medication(name="warfarin", person="Dad"),
        health.Medication(name="Aleve"),
    ),
    silent(
        "long after the MAO inhibitor",
        date(2025, 2, 17),
        health.Medication(name="Nardil", ends=date(2025, 2, 1)),
        health.Medication(name="sertraline"),
        ended(health.Medication(name="tramadol"), "2024-05-01"),
    ),
    silent(
        "things that go together",
        date(2025, 1, 8),
        health.Medication(name="warfarin"),
        health.Medication(name="Tylenol"),
        health.Medication(name="calcium"),
        health.Medication(name="vitamin D3"),
        health.Medication(name="losartan potassium"),
        health.Medication(name="amlodipine", drug_class="calcium channel blocker"),
    ),
    silent(
        "a cream hardly reaches the blood",
        date(2025, 1, 8),
        health.Medication(name="warfarin"),
        health.Medication(name="miconazole", form="cream"),
        health.Medication(name="Voltaren gel"),
    ),
    silent(
        "one medicine under two names is not an interaction",
        date(2025, 1, 8),
        health.Medication(name="Advil"),
        health.Medication(name="Motrin"),
        health.Medication(name="Zocor"),
        health.Medication(name="simvastatin"),
    ),
    fires(
        "two triptans, which labels keep 24 hours apart",
        date(2026, 11, 17),
        health.Medication(name="sumatriptan"),
        health.Medication(name="Maxalt"),
        says=["24 hours"],
    ),
]
