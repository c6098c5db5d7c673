from ..helpers import _for_whom, _has_ended, _ingredients, _is_local, _is_same, _person, _whose, _with_details

LOCAL = ("cream", "ointment", "lotion", "gel", "topical", "drops", "spray", "patch")
SHORT = {"qd": 1, "bid": 2, "tid": 3, "qid": 4}
NUMBERS = {
    "once": 1,
    "one": 1,
    "twice": 2,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "eight": 8,
    "twelve": 12,
}


def dose_limit(user, now):
    """The daily dose of a painkiller or a similar medicine against what adults usually may take."""
    drugs = knowledge("health.drugs")
    table = knowledge("health.doses")
    taken = defaultdict(list)
    for medication in user.health.medications:
        names = set(_ingredients(medication, drugs))
        # Of a combination, nobody knows which ingredient the dose means.
        if len(names) == 1 and not _has_ended(medication, now) and not _is_local(medication, LOCAL):
            taken[(_whose(medication.person), first(sorted(names)))].append(medication)
    weights = [(_whose(one.person), one) for one in user.health.measurements]
    found = []
    for (whose, ingredient), medications in taken.items():
        weight = _weight([one for other, one in weights if _is_same(whose, other)], now)
        born = user.health.profile.born if user.health.profile is not None and not whose else None
        age = -days_until(born, now) // 365.25 if born is not None else 0
        message, severity = _checked(ingredient, medications, table, weight, whose, age)
        if message:
            raised = critical if severity == "critical" else warning
            row = table["daily"].get(ingredient, {})
            found.append(raised(_for_whom(whose) + message, *medications, rows=[("health.doses", row)]))
    return found


def _checked(ingredient, medications, table, weight, whose, age):
    """The message and its severity, or two empty texts."""
    shown = " and ".join([_with_details(medication) for medication in medications])
    asked = first([_person(medication.prescriber) for medication in medications if medication.prescriber])
    if ingredient in table["weekly"] and [one for one in medications if (_times(one) or 0) >= 0.5]:
        return (
            f"{shown} is on record as taken daily; against arthritis or psoriasis {ingredient} is taken once"
            f" a WEEK, and daily use can be fatal. Ask {asked or 'the prescriber'} before the next dose."
        ), "critical"
    limits = table["daily"].get(ingredient)
    amounts = [(_mg(medication.dose), _times(medication) or 1) for medication in medications]
    day = sum([mg * times for mg, times in amounts if mg])
    if limits is None or not day:
        return "", ""
    text = f"{shown}: that makes {day:g} mg of {ingredient} a day"
    closing = f"Ask {asked or 'your doctor or a pharmacist'} before you go on: {limits['harm']}."
    if day > limits["most_mg"]:
        most = f"above the {limits['most_mg']:g} mg that are the usual maximum for adults"
        return f"{text}, {most}. {closing}", "critical"
    older = limits.get("older", {"years": 200, "mg": 0})
    if age >= older["years"] and day > older["mg"]:
        return f"{text}, above the {older['mg']:g} mg that are the maximum from {older['years']} years on. {closing}", "critical"
    stronger = [limits["label_if"][name] for name in limits.get("label_if", {}) if mentions(shown, name)]
    label = min([limits["label_mg"], *stronger])
    if day > label and not asked:
        most = f"above the {label:g} mg that labels allow without a doctor"
        return f"{text}, {most}. {closing}", "warning"
    if weight is None or "mg_per_kg" not in limits:
        return "", ""
    measured, kg = weight
    # Under 30 kg it is a child, and these limits are not for children.
    if kg >= 30 and day / kg > limits["mg_per_kg"]:
        return (
            f"{text}. At {'a' if whose else 'your'} weight of {kg:.0f} kg ({measured}) that is {day / kg:.0f} mg per kg,"
            f" above the {limits['mg_per_kg']:g} mg per kg that are the ceiling where doses go by weight."
            f" Labels allow {limits['label_mg']:g} mg a day without a doctor, and the most for adults is"
            f" {limits['most_mg']:g} mg. Ask {asked or 'your doctor'}"
            f" whether this dose is meant for that weight: {limits['harm']}."
        ), "warning"
    return "", ""


def _mg(dose):
    """The milligrams of one dose: '2 x 500 mg' is 1000. None if the text does not say it plainly."""
    # A comma before three digits parts thousands (1,000 mg); otherwise it is a decimal comma (0,5 g).
    text = re.sub(r",(?=\d{3}(?!\d))", "", (dose or "").lower()).replace(",", ".")
    count = r"(?<![\d.])(?:(\d{1,4})\s*(?:x|×|tablets?|tabs?|pills?|caplets?|capsules?|caps?)\s*(?:of\s*)?)?"
    amount = re.search(count + r"(\d{1,9}(?:\.\d{1,9})?)\s*(mg|g|mcg|µg)\b", text)
    if amount is None or "/" in text:
        return None
    scale = {"mg": 1, "g": 1000, "mcg": 0.001, "µg": 0.001}[amount.group(3)]
    return int(amount.group(1) or "1") * float(amount.group(2)) * scale


def _times(medication):
    """How often a day, or None if that is not known."""
    text = " ".join(words(medication.frequency))
    if re.search(r"week|month|other day|alternate|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", text):
        return None
    if medication.times_per_day:
        return medication.times_per_day
    short = first([word for word in words(text) if word in SHORT])
    if short is not None:
        return SHORT[short]
    hours = re.search(r"(?:every|\bq) ?(?:\d{1,3} )?(?:to )?(\d{1,3}|four|six|eight|twelve) ?h", text)
    if hours is not None:
        every = NUMBERS.get(hours.group(1)) or int(hours.group(1))
        return 24 / every if every else None
    pattern = (
        r"(once|twice|one|two|three|four|five|six|(?<!\d)\d{1,3}) ?(?:x|times?)? ?(?:a |per |every |each )?(?:day|daily)"
    )
    times = re.search(pattern, text)
    if times is not None:
        return NUMBERS.get(times.group(1)) or int(times.group(1))
    return 1 if re.search(r"daily|every (?:day|morning|evening|night)|nightly|at bedtime", text) else None


def _weight(measurements, now):
    """The last measured weight in kg and its day, if it is not older than two years; None if not known."""
    scale = {"kg": 1.0, "kilograms": 1.0, "lb": 0.4536, "lbs": 0.4536, "pounds": 0.4536}
    known = [
        (one.day, one.value * scale[" ".join(words(one.unit))])
        for one in measurements
        if " ".join(words(one.unit)) in scale and -730 <= days_until(one.day, now) <= 0
        if same(one.what, "weight") or same(one.what, "body weight")
    ]
    return max(known, default=None)


CASES = [
    fires(
        "less is allowed from an age on",
        date(2025, 1, 8),
        health.Profile(born=date(1950, 5, 1)),
        health.Medication(name="citalopram", dose="40 mg", times_per_day=1, prescriber="Dr. Lee"),
        says=["citalopram", "40 mg", "20 mg", "from 60 years on", "Dr. Lee"],
    ),
    silent(
        "the same dose for somebody younger",
        date(2025, 1, 8),
        health.Profile(born=date(1980, 5, 1)),
        health.Medication(name="citalopram", dose="40 mg", times_per_day=1, prescriber="Dr. Lee"),
    ),
    fires(
        "a high dose for a light person",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=52, unit="kg"),
        health.Medication(name="ibuprofen", dose="800 mg", times_per_day=3, prescriber="dentist"),
        says=["800 mg", "2400 mg", "52 kg", "2024-09-01", "46 mg per kg", "dentist", "with food"],
    ),
    fires(
        "more than the label allows, and no doctor asked for it",
        date(2024, 11, 15),
        health.Medication(name="Advil", dose="400 mg", frequency="every 6 hours"),
        says=["Advil", "1600 mg", "1200 mg"],
    ),
    fires(
        "too much paracetamol, prescribed or not",
        date(2024, 11, 15),
        health.Medication(name="Tylenol", dose="2 x 500 mg", times_per_day=5, prescriber="Dr. Lee"),
        says=["5000 mg", "4000 mg", "Dr. Lee", "liver"],
    ),
    fires(
        "two products of the same painkiller add up",
        date(2024, 11, 15),
        health.Medication(name="Advil", dose="200 mg", frequency="three times a day"),
        health.Medication(name="Motrin", dose="400 mg", frequency="twice a day"),
        says=["Advil", "Motrin", "1400 mg"],
    ),
    fires(
        "methotrexate every day",
        date(2024, 11, 15),
        health.Medication(name="methotrexate", dose="2.5 mg", frequency="once daily", prescriber="Dr. Ito"),
        says=["methotrexate", "WEEK", "Dr. Ito"],
    ),
    fires(
        "written as on a prescription",
        date(2024, 11, 15),
        health.Medication(name="acetaminophen", dose="2 tabs 650 mg", frequency="q6h prn"),
        says=["5200 mg", "4000 mg"],
    ),
    fires(
        "methotrexate twice a day, in short",
        date(2024, 11, 15),
        health.Medication(name="MTX", dose="2.5 mg", frequency="BID"),
        says=["MTX", "WEEK"],
    ),
    fires(
        "every six hours, weight in KG",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=50, unit="KG"),
        health.Medication(name="Tylenol", dose="1,000 mg", frequency="every six hours"),
        says=["4000 mg", "50 kg", "80 mg per kg"],
    ),
    fires(
        "somebody else, at their own weight",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=52, unit="kg", person="Mia"),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=90, unit="kg"),
        health.Medication(name="ibuprofen", dose="800 mg", times_per_day=3, prescriber="dentist", person="Mia"),
        health.Medication(name="Advil", dose="400 mg", times_per_day=3),
        says=["For Mia: ibuprofen", "52 kg", "46 mg per kg"],
    ),
    fires(
        "a product whose label allows less",
        date(2024, 11, 15),
        health.Medication(name="Tylenol Extra Strength", dose="1000 mg", times_per_day=4),
        says=["4000 mg", "above the 3000 mg that labels allow"],
    ),
    silent(
        "somebody else's weight and medicine",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=31, unit="kg", person="Theo"),
        health.Medication(name="ibuprofen", dose="800 mg", times_per_day=3, prescriber="dentist"),
        health.Medication(name="Advil", dose="200 mg", times_per_day=3, person="Theo"),
    ),
    silent(
        "a decimal comma, a day of the week",
        date(2024, 11, 15),
        health.Medication(name="Tylenol", dose="0,5 g", frequency="TID"),
        health.Medication(name="methotrexate", dose="15 mg", frequency="every Monday", times_per_day=1),
    ),
    silent(
        "the same dose at 60 kg, as prescribed",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=60, unit="kg"),
        health.Medication(name="ibuprofen", dose="800 mg", times_per_day=3, prescriber="dentist"),
    ),
    silent(
        "the same dose at 150 pounds",
        date(2024, 11, 15),
        health.Measurement(what="weight", day=date(2024, 9, 1), value=150, unit="lbs"),
        health.Medication(name="ibuprofen", dose="800 mg", times_per_day=3, prescriber="dentist"),
    ),
    silent(
        "at the limit",
        date(2024, 11, 15),
        health.Medication(name="Tylenol", dose="1 g", frequency="4 times a day"),
        health.Medication(name="ibuprofen", dose="400 mg", frequency="every 8 hours"),
        health.Medication(name="methotrexate", dose="15 mg", frequency="once a week"),
    ),
    silent(
        "no dose, no frequency, a syrup, a combination, an end",
        date(2024, 11, 15),
        health.Medication(name="Advil"),
        health.Medication(name="Motrin", dose="100 mg/5 ml", times_per_day=4),
        health.Medication(name="Aleve", dose="220 mg"),
        health.Medication(name="Percocet", dose="325 mg", times_per_day=20),
        health.Medication(name="Tylenol", dose="1000 mg", times_per_day=6, ends=date(2024, 11, 14)),
        health.Medication(name="Voltaren gel", dose="4 g", times_per_day=4),
    ),
]
