"""What the constraints of health share. This file is read, never run."""


def _whose(person):
    """Whom a record is about: '' is the user, else Theo, or 'your son' for my son."""
    name = " ".join([word for word in words(person) if word not in ("my", "our", "your", "the")])
    if name in ("", "me", "i", "myself", "self", "user"):
        return ""
    return f"your {name}" if person == person.lower() else person.removeprefix("My ")


def _is_same(whose, other):
    """Whether two records are about one person; both names are from `_whose`."""
    return whose == other or (bool(whose and other) and same_person(whose, other))


def _for_whom(whose):
    """The beginning of a message about somebody else: 'For Theo: '; nothing for the user."""
    return f"For {whose}: " if whose else ""


def _has_ended(record, now):
    """Whether a medicine or a condition is over; one without an end is not."""
    return record.ends is not None and is_past(record.ends, now)


# Behind another name these are its salt: losartan potassium.
_SALTS = ("potassium", "calcium", "magnesium", "zinc", "iron", "kalium")


def _key(parts, table):
    """The entry of a table that some words name, also in German (Metoprololsuccinat)."""
    phrase = " ".join(parts)
    drugs = knowledge("health.drugs")
    german, romance = drugs.get("german", {}), drugs.get("romance", [])
    if len(parts) == 2 and parts[0] in ("ácido", "acido", "acide"):
        phrase = f"{_respelt(parts[1], romance)} acid"
    if phrase in table or len(phrase) < 4 or len(parts) > 1:
        return phrase if phrase in table else ""
    # Told by its end.
    is_german = phrase.endswith("ure") or (phrase.isascii() and phrase[-1] not in "aeol")
    spelt = _respelt(phrase, german.get("letters", []) if is_german else romance)
    names = [phrase, re.sub(r"\d+(?:mg|g|mcg)?$", "", phrase), spelt if is_german or len(phrase) > 6 else ""]
    bare = [name.removesuffix(salt).strip() for name in names for salt in german.get("salts", []) if name.endswith(salt)]
    return first([form for name in [*names, *bare] for form in (name, f"{name}e") if form in table], "")


def _respelt(word, letters):
    """How the table spells a name: amoxicillin for amoxicilina."""
    for pair in letters:
        word = word.replace(*pair.split(":"))
    return re.sub("[aeo]$", "", " ".join(words(word)))


def _spans(text, table):
    """Where a text names entries of a table: (first word, how many, entry), longest first.

    Tylenol PM is more than Tylenol, and penicillin G potassium holds no potassium.
    """
    parts = words(text)
    begins = _list_begins(text)
    spans = []
    at = 0
    while at < len(parts):
        keys = [_key(parts[at : at + n], table) for n in range(1, 7) if at + n <= len(parts)]
        size = max([n for n, key in enumerate(keys, 1) if key], default=0)
        is_salt = size == 1 and parts[at] in _SALTS and at not in begins and parts[at - 1] not in _SALTS and spans
        spans = [*spans, (at, size, keys[size - 1])] if size and not is_salt else spans
        at = at + max(size, 1)
    return spans


def _list_begins(text):
    """Which words begin a part of a list: behind a comma, a slash, an and."""
    begins = []
    at = 0
    for part in re.split(r"([,;:+/&()]|\b(?:and|with|plus|und|mit)\b)", (text or "").lower()):
        begins = [*begins, at]
        at = at + len(words(part))
    return begins


def _names_in(text, table):
    """The table's entries for the words of a text."""
    return [kind for _at, _size, entry in _spans(text, table) for kind in table[entry]]


def _ingredients(medication, drugs):
    """The ingredients that the name and the ingredients of a medicine mean."""
    return [kind for text in [medication.name, *medication.ingredients] for kind in _names_in(text, drugs["names"])]


def _with_classes(ingredients, text, drugs):
    """The ingredients, their classes, and the classes that the text names."""
    classes = [kind for name in ingredients for kind in drugs["classes"].get(name, [])]
    return [*ingredients, *classes, *_names_in(text, drugs["class_names"])]


def _kinds(medication, drugs):
    """The ingredients of a medicine, their classes, and the classes that the record names."""
    return _with_classes(_ingredients(medication, drugs), f"{medication.name} {medication.drug_class or ''}", drugs)


_SWALLOWED = (
    "cap capsule caplet tab tablet pill soft softgel gelcap liqui liquid oral mouth swallow kapsel kapseln weichkapsel"
    " weichkapseln tablette tabletten"
).split()


def _is_local(medication, forms):
    """Whether a medicine has one of these forms and is not swallowed: gel capsules are."""
    parts = words(f"{medication.name} {medication.form or ''}")
    swallowed = [word for word in [*parts, *words(medication.dose)] if word.removesuffix("s") in _SWALLOWED]
    return bool([word for word in parts if word in forms]) and not swallowed


def _with_details(medication, purpose=None, until=None):
    """A medicine in a message: asprin (if that is aspirin, 100 mg)."""
    misspelt = knowledge("health.drugs").get("misspelt", {})
    times = f"{medication.times_per_day:g} times a day" if medication.times_per_day else None
    details = [
        *[f"if that is {misspelt[word]}" for word in words(medication.name) if word in misspelt],
        medication.dose,
        medication.frequency or times,
        f"for {purpose}" if purpose else None,
        f"prescribed by {_person(medication.prescriber)}" if medication.prescriber else None,
        f"from {medication.started}" if medication.started else None,
        f"until {until}" if until else None,
    ]
    shown = ", ".join([text for text in details if text])
    return f"{medication.name} ({shown})" if shown else medication.name


def _person(name):
    """A person in a sentence: Dr. Lee, but your dentist."""
    own = words(name) and name == name.lower() and first(words(name)) not in ("a", "an", "the", "my", "your")
    return f"your {name}" if own else name


_RELATIVES = (
    "wife husband partner girlfriend boyfriend son daughter child baby kid mother father mom mum dad brother sister"
    " aunt uncle cousin grandmother grandfather grandma grandpa grandson granddaughter niece nephew"
).split()


def _relative(text):
    """Whose it is if the text says so: 'your son' for son: peanut, my son is allergic; else ''."""
    kin = "|".join(_RELATIVES)
    plain = (text or "").lower().strip()
    said = re.search(
        rf"^(?:my |our |the )?({kin})(?:\s*[:\u2013\u2014-]| ?['\u2019]s\b| (?:is|has|was|had|reacts|cannot|can\b|gets|got)\b)", plain
    ) or re.search(rf"(?:\(|[,:\u2013\u2014-] |\b(?:for|of|in) )(?:my |our )?({kin})\)?\.?$", plain)
    return f"your {said.group(1)}" if said is not None else ""


def _holder(record, text):
    """Whose an allergy or a condition is, by the record or else by the text; '' is the user."""
    return _whose(record.person) or _relative(text)


def _clauses(text):
    """The words of each clause: between punctuation and behind but, except, although."""
    parts = re.split(r"[,;:.()\u2013\u2014]| - |\b(?:but|except|apart from|other than|although|though)\b", (text or "").lower())
    return [" ".join(words(part)) for part in parts if words(part)]


_DENIALS = (
    "no not never denies denied without negative risk risks fear afraid worried worry concern concerned prevent"
    " prevention preventing avoid screening screened exclude neither nor non ex former quit kein keine keinen keiner ohne"
    " nie niemals nicht verneint angst"
).split()
_ONLY_UNTREATED = ("controlled", "treated", "managed", "stable", "medicated", "eingestellt")
_OVERRULED = (
    r"(?:was |were |has been |now |since |later |been |wurde |screen |screening |test )*"
    r"(?:ruled out|excluded|disprove[dn]|unlikely|negative|ausgeschlossen|negativ)"
)


def _manner(parts, start, size, following):
    """How a clause speaks of the condition at `start`: 'own', 'family', or '' if denied or only feared.

    risk of stroke discussed, asthma (ruled out); but not well controlled asthma is asthma.
    """
    cut = max([i + 1 for i in range(start) if parts[i] in ("after", "with", "since", "despite", "nach")], default=0)
    before, rest = parts[cut:start], " ".join(parts[start + size :])
    denied = [word for word in before if word in _DENIALS]
    denied = [] if [word for word in before if word in _ONLY_UNTREATED] else denied
    denied = denied or re.search(r"^(?:[abc] )?(?:risk|prevention|prophylaxis|screening|vaccin|prophylaxe|impfung)", rest)
    if denied or re.search(f"^{_OVERRULED}", rest) or re.search(f"^{_OVERRULED}", following):
        return ""
    kin = [word for word in before if word in ("family", "familial", "familie", "familiär") or word in _RELATIVES]
    return "family" if kin else "own"


def _stated(text, name):
    """How a text speaks of a condition: 'own', 'family', or '' (not named, denied, only feared)."""
    clauses = _clauses(text)
    if len(clauses) == 2 and not [clause for clause in clauses if mentions(clause, name)]:
        clauses = [f"{clauses[1]} {clauses[0]}"]  # glaucoma, narrow angle
    for at, clause in enumerate(clauses):
        if not mentions(clause, name):
            continue
        parts = words(clause)
        start = max([i for i in range(len(parts)) if mentions(" ".join(parts[i:]), name)])
        how = _manner(parts, start, len(words(name)), " ".join(clauses[at + 1 : at + 2]))
        if how:
            return how
    return ""


def _has(condition, name):
    """Whether the one whom the record is about has the condition of this name."""
    how = _stated(condition.name, name)
    return how == "own" or (how == "family" and not condition.person and bool(_relative(condition.name)))


_SPELLINGS = (("ä", "e"), ("ö", "e"), ("ü", "ue"), ("ß", "ss"), ("ï", "i"), ("ae", "e"), ("oe", "e"), ("tumour", "tumor"))


def _plain_words(text):
    """The words as the table of conditions spells them: hemophilia for haemophilia and Hämophilie."""
    plain = text.lower()
    for said, written in _SPELLINGS:
        plain = plain.replace(said, written)
    return [word for word in words(plain) if word not in ("s", "the", "a", "an", "my")]


def _condition_spans(parts, names):
    """Where conditions are named: (first word, how many, name), the longest first."""
    spans = []
    at = 0
    while at < len(parts):
        forms = []
        for size in range(min(6, len(parts) - at), 0, -1):
            phrase = " ".join(parts[at : at + size])
            singular = " ".join([part.removesuffix("s") for part in parts[at : at + size]])
            forms = forms or [(at, size, form) for form in (phrase, phrase.removesuffix("s"), singular) if form in names]
        spans = [*spans, *forms[:1]]
        at = at + (forms[0][1] if forms else 1)
    return spans


def _condition_kinds(text, table, degree=""):
    """The kinds of conditions that a text states, each 'own' or 'family': CKD stage 4 is severe kidney disease.

    `degree` is what the record says beside its name: severe, eGFR 24.
    """
    clauses = _clauses(text)
    stated = []
    for at, clause in enumerate(clauses):
        parts = _plain_words(clause)
        following = " ".join(clauses[at + 1 : at + 2])
        for start, size, name in _condition_spans(parts, table["names"]):
            if name in table["short"] and _is_another_word(name, text, table):
                continue
            how = _manner(parts, start, size, following)
            stated = [*stated, *[(kind, how) for kind in table["names"][name]]]
    if len(clauses) == 2:  # glaucoma, narrow angle
        parts, seam = _plain_words(f"{clauses[1]} {clauses[0]}"), len(_plain_words(clauses[1]))
        spans = [span for span in _condition_spans(parts, table["names"]) if span[0] < seam < span[0] + span[1]]
        stated = [*stated, *[(kind, "own") for _start, _size, name in spans for kind in table["names"][name]]]
    own = [kind for kind, how in stated if how == "own"]
    # A text that only denies gives no values either: no heart failure NYHA III.
    values = _by_value(f"{text}, {degree}", own, table) if own or not stated else []
    own = [*own, *_by_degree(own, f"{text} {degree}", table), *values]
    family = [kind for kind, how in stated if how == "family"]
    return {
        **{each: "family" for kind in family for each in [kind, *table["broader"].get(kind, [])]},
        **{each: "own" for kind in own for each in [kind, *table["broader"].get(kind, [])]},
    }


def _is_another_word(short, text, table):
    """Whether a short name is a word: hit my head, QTc 510 ms, PE class; not HIT, mi in 2019."""
    parts = _plain_words(text)
    spans = [span for span in _condition_spans(parts, table["names"]) if span[2] not in table["short"]]
    known = [short, *[part for start, size, _name in spans for part in parts[start : start + size]]]
    rest = [part for part in parts if part not in (*known, *table["beside_short"]) and not part.isdigit()]
    in_capitals = table["short"][short] in re.split(r"\W+", text)
    return bool([part for part in rest if not in_capitals or part in table["not_short"]])


def _by_degree(kinds, text, table):
    """The severe or recent forms of the kinds, if the text says severe or recent."""
    plain = re.sub(r"\bnot (?:well )?controlled\b|\bschlecht eingestellt", "uncontrolled", text.lower())
    said = words(re.sub(r"\b(?:not|no longer|never|nicht) (?:very )?\w+", "", plain))
    rows = [row for row in table["degrees"] if [word for word in row["words"] if word in said]]
    return [row["then"][kind] for row in rows for kind in kinds if kind in row["then"]]


def _by_value(text, kinds, table):
    """The kinds that a value in the text means: eGFR 25, stage 4, NYHA III, QTc 510."""
    meant = []
    plain = text.lower()
    for row in table["values"]:
        if "of" in row and row["of"] not in kinds:
            continue
        said = re.search(rf"(?:{row['says']})[^\d,;]{{0,14}}?(\d+(?:[.,]\d+)?|\b[ivx]+\b)", plain)
        if said is None:
            continue
        number = _ROMAN.get(said.group(1)) or float(re.sub(r"[^\d.]", "", said.group(1).replace(",", ".")) or 0)
        if row.get("from", 0) <= number <= row.get("to", 9999):
            meant = [*meant, row["kind"]]
    return meant


_ROMAN = {"i": 1.0, "ii": 2.0, "iii": 3.0, "iv": 4.0, "v": 5.0}


def _is_over(condition):
    """Whether a condition is past: the record or its text says so (outgrown, healed, in 2015)."""
    gone = re.search(
        r"\b(?:resolved|outgrown|outgrew|healed|cured|as a child|childhood|years? ago|in the past|ausgeheilt|abgeheilt"
        r"|als kind|früher|in remission)\b|\b(?:in|from|of|im jahr) (?:\w+ )?(?:19|20)\d\d\b",
        condition.name.lower(),
    )
    lasts = re.search(r"\b(?:since|seit|diagnosed|found|due|current)", condition.name.lower())
    return bool(condition.past) or (gone is not None and lasts is None)
