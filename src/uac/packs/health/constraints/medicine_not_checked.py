from ..helpers import _clauses, _for_whom, _has_ended, _holder, _is_same, _spans, _whose

# Words beside a name that are no medicine: 20 mg tablets, extra strength, at night.
BESIDE = (
    "tablet tablets capsule capsules pill pills drops spray cream ointment syrup solution injection inhaler patch"
    " strength extra forte retard daily night morning evening weekly twice once times every hours with food dose"
    " generic brand supplement mono comp plus max junior adult children kids family sugar free"
).split()

# Letters that sound alike at the beginning of a name.
ALIKE = {"c": "ks", "k": "c", "s": "cz", "z": "sx", "x": "z", "f": "p", "p": "f", "y": "i", "i": "y"}


def medicine_not_checked(user, now):
    """A medicine, or an allergy beside medicines, that no table knows, or only by a misspelt name."""
    drugs = knowledge("health.drugs")
    takers = []
    found = []
    for medication in user.health.medications:
        if _has_ended(medication, now):
            continue
        whose = _whose(medication.person)
        takers = [*takers, whose]
        unknown = _unknown_parts(medication, drugs)
        asked = _misspelt([medication.name, *medication.ingredients], drugs)
        if unknown:
            shown = " and ".join(unknown)
            text = (
                f"{_for_whom(whose)}Not checked: {shown} {'is' if len(unknown) == 1 else 'are'} not in the table of medicines."
                f"{_question(unknown, drugs, len(found))} Nobody compared it with allergies, conditions, foods or other medicines, so silence about it is no"
                f" all-clear. Tell me its active ingredients as they are on the pack, or ask a pharmacist."
            )
            found.append(info(text, medication))
        elif asked:
            found.append(info(_for_whom(whose) + asked, medication))
    foods = knowledge("health.cross_allergies")
    known = [*[word for rule in foods["from_foods"] for word in rule["words"]], *foods.get("no_medicine", [])]
    for allergy in user.health.allergies:
        whose = _holder(allergy, allergy.substance)
        if not any(_is_same(whose, taker) for taker in takers):
            continue
        if _is_known(allergy, drugs, known):
            asked = _misspelt([allergy.substance], drugs)
            found = [*found, info(_for_whom(whose) + asked, allergy)] if asked else found
            continue
        text = (
            f"{_for_whom(whose)}Not checked: {allergy.substance}, an allergy on record, is not in the table of medicines"
            f" and common allergens.{_question([allergy.substance], drugs, len(found))} If it is a medicine, nobody compared the others with it: tell me its class or its"
            f" active ingredient, or ask a pharmacist."
        )
        found.append(info(text, allergy))
    return found


def _misspelt(texts, drugs):
    """The question whether a misspelt name means the known one; an empty text if all names are spelt well."""
    meant = drugs.get("misspelt", {})
    pair = first([(text, meant[word]) for text in texts for word in words(text) if word in meant])
    return (
        f"Did you mean {pair[1]} by {pair[0]}? Until you tell me, dangers are reported in case it is {pair[1]}."
        f" Correct the name, or tell me the active ingredient as it is on the pack."
        if pair
        else ""
    )


def _unknown_parts(medication, drugs):
    """The names of a medicine that are in no table; none if its ingredients or its class are known."""
    given = [text for text in medication.ingredients if words(text)]
    if given:
        return [text for text in given if not _is_named(text, drugs)]
    if _is_named(medication.drug_class, drugs):
        return []
    if not _is_named(medication.name, drugs):
        return [medication.name]
    # Of a combination, each part must be known: tilidine + naloxone.
    covered = [at + i for at, size, _entry in _spans(medication.name, drugs["names"]) for i in range(size)]
    unknown = []
    at = 0
    # The slash of a strength (40 mg/0.4 ml, 300/100) parts no names.
    for part in re.split(r"\+|/ ?(?=[A-Za-zÄÖÜäöüß]{4})", medication.name):
        named = words(part)
        is_covered = [i for i in range(at, at + len(named)) if i in covered] or _is_named(part, drugs)
        others = [word for word in named if len(word) > 3 and word not in BESIDE and not re.search(r"\d", word)]
        unknown = unknown if is_covered or not others else [*unknown, part.strip()]
        at = at + len(named)
    return unknown


def _question(texts, drugs, asked):
    """Whether a known name was meant: ' Did you mean metformin?'; nothing if none is near. It is asked, not guessed."""
    named = [word for text in texts for word in words(text[:200]) if 4 < len(word) < 30 and word not in BESIDE]
    # To search takes time: three words of a name, and the first names of many.
    searched = [word for word in named if word.isalpha()][:3] if asked < 12 else []
    near = [name for word in searched for name in _near(word, drugs["names"])]
    return f" Did you mean {' or '.join(near[:3])}?" if near else ""


def _near(word, names):
    """The names that differ least from a word, by ear and by at most two letters; at most two of them."""
    plain = _fold(word)
    most = 2 if len(plain) > 7 else 1
    begins = word[0] + ALIKE.get(word[0], "")
    near = [name for name in names if name[0] in begins and abs(len(name) - len(word)) < 4 and names[name]]
    found = [(_distance(plain, _fold(name), most), name) for name in near]
    best = min([far for far, _name in found], default=most + 1)
    # Of several names of one medicine, its own name comes first.
    kept = sorted([(names[name] != [name], name) for far, name in found if far == best and far <= most])
    return [name for at, (_, name) in enumerate(kept) if names[name] not in [names[one] for _, one in kept[:at]]][:2]


def _fold(word):
    """A word as it sounds: metphormin is metformin, amoxicilin is amoxicillin."""
    for written, heard in (("ph", "f"), ("th", "t"), ("ck", "k"), ("y", "i"), ("z", "s"), ("c", "k"), ("x", "ks")):
        word = word.replace(written, heard)
    return "".join([letter for at, letter in enumerate(word) if not at or word[at - 1] != letter])


def _distance(word, other, most):
    """How many letters must be changed, added, dropped or swapped with the next; more than `most` is not counted."""
    if abs(len(word) - len(other)) > most:
        return most + 1
    before, last, row = [], [], list(range(len(other) + 1))
    for i, letter in enumerate(word):
        before, last, row = last, row, [i + 1]
        for j, beside in enumerate(other):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (0 if letter == beside else 1))
            if i and j and letter == other[j - 1] and word[i - 1] == beside:
                cost = min(cost, before[j - 1] + 1)
            row = [*row, cost]
        if min(row) > most:
            return most + 1
    return row[-1]


def _is_named(text, drugs):
    """Whether a text names a medicine or a class of the tables."""
    return bool(_spans(text, drugs["names"]) or _spans(text, drugs["class_names"]))


def _is_known(allergy, drugs, known):
    """Whether an allergy names something of the tables, or nothing at all: no known allergies."""
    if _is_named(f"{allergy.substance} {allergy.drug_class or ''}", drugs):
        return True
    is_denied = re.search(r"^(?:no|none|nkda|nka|denies|not)\b", " ".join(_clauses(allergy.substance)[:1]))
    return bool(is_denied or not words(allergy.substance) or [word for word in known if mentions(allergy.substance, word)])


CASES = [
    fires(
        "a medicine that no table knows",
        date(2025, 1, 8),
        health.Medication(name="Zubrolin"),
        health.Medication(name="Diazepam"),
        says=["Not checked: Zubrolin is not in the table", "no all-clear", "active ingredients"],
    ),
    fires(
        "near a name, but not it",
        date(2025, 1, 8),
        health.Medication(name="Amlodip"),
        says=["Not checked: Amlodip is not"],
    ),
    fires(
        "misspelt: asked, not guessed",
        date(2025, 1, 8),
        health.Medication(name="Metphormin 500 mg"),
        says=["Not checked: Metphormin 500 mg is not in the table", "Did you mean metformin?"],
    ),
    fires(
        "two letters changed places",
        date(2025, 1, 8),
        health.Medication(name="levotyhroxine"),
        says=["Did you mean levothyroxine?"],
    ),
    fires(
        "a misspelt allergy",
        date(2025, 1, 8),
        health.Allergy(substance="clarithromicyn"),
        health.Medication(name="Diazepam"),
        says=["Not checked: clarithromicyn, an allergy", "Did you mean clarithromycin?"],
    ),
    fires(
        "a common misspelling is asked about, and its dangers are reported under that condition",
        date(2025, 1, 8),
        health.Medication(name="Warfrin 5 mg"),
        says=["Did you mean warfarin by Warfrin 5 mg?", "in case it is warfarin"],
    ),
    fires(
        "an allergy with a common misspelling",
        date(2025, 1, 8),
        health.Medication(name="Diazepam"),
        health.Allergy(substance="penicilin"),
        says=["Did you mean penicillin by penicilin?"],
    ),
    fires(
        "one half of a combination",
        date(2025, 1, 8),
        health.Medication(name="zubrolin/naloxone 50 mg/4 mg", person="Dad"),
        says=["For Dad: Not checked: zubrolin is not"],
    ),
    fires(
        "an ingredient that no table knows",
        date(2025, 1, 8),
        health.Medication(name="Coldex", ingredients=["paracetamol", "zubrolin"]),
        says=["Not checked: zubrolin is not"],
    ),
    fires(
        "an allergy beside a medicine",
        date(2025, 1, 8),
        health.Allergy(substance="zubrolin"),
        health.Medication(name="Diazepam"),
        says=["Not checked: zubrolin, an allergy on record"],
    ),
    silent(
        "the slash of a strength is between no two medicines",
        date(2025, 1, 8),
        health.Medication(name="Metamizol Hexal 500 mg/ml Tropfen"),
        health.Medication(name="Clexane 40mg/0.4ml pre-filled syringe"),
    ),
    silent(
        "known by its name, its class or its ingredients, or over",
        date(2025, 1, 8),
        health.Medication(name="diazepam 5 mg tablets"),
        health.Medication(name="Lisinopril/HCTZ 20 mg/12.5 mg"),
        health.Medication(name="Zubrolin", ingredients=["paracetamol"]),
        health.Medication(name="the new pill", drug_class="beta blocker"),
        health.Medication(name="multivitamin"),
        health.Medication(name="Amlodipin"),
        health.Medication(name="Metoprololsuccinat 47,5 mg"),
        health.Medication(name="Coldex", ends=date(2025, 1, 2)),
        ended(health.Medication(name="Oldex"), "2024-01-01"),
    ),
    silent(
        "allergies to foods and animals, none at all, or without a medicine",
        date(2025, 1, 8),
        health.Medication(name="cetirizine"),
        health.Allergy(substance="peanuts"),
        health.Allergy(substance="bee stings"),
        health.Allergy(substance="cats"),
        health.Allergy(substance="No known drug allergies"),
        health.Allergy(substance="zubrolin", person="Theo"),
    ),
]
