from ..helpers import _at_table, _is_person

SIGNS = ("anaphylaxis", "anaphylactic", "epipen", "throat closes", "throat swelling", "trouble breathing")
SAYS_NO = ("free", "without", "no", "ohne", "vegan", "vegetarian")
FREE = ("frei", "freie", "freier", "freies", "freien")  # nussfrei, laktosefreie


def meal_suits_everyone(user, now):
    """A planned meal or restaurant against the allergies, intolerances and diets of all who come."""
    table = knowledge("food.dishes")
    needs = [
        *[
            _allergy(record, _owner(record.person or _kin(record.substance), user.people.profile), record.substance, "allergy", table)
            for record in user.health.allergies
            if not _is_denied(record.substance)
        ],
        *[
            _allergy(record, _owner(record.who, user.people.profile), record.what, record.cause, table)
            for record in user.food.intolerances
        ],
        *[_diet(record, _owner(record.who, user.people.profile), table) for record in user.food.diets],
    ]
    plans = []
    for record in user.food.bookings:
        if not is_past(record.last_day or record.day, now):
            until = f" to {record.last_day}" if record.last_day else ""
            places = [record.place, record.kind or "", record.cuisine or ""]
            who = _at_table(record.who, record.occasion, user.people.groups)
            eaters = who if record.without_me else ["me", *who]
            cook = "" if not _is_home(record.place) else "home"
            plans.append((record, f"{record.place} ({record.day}{until})", places, record.dishes, eaters, cook))
    for record in user.food.meals:
        if not is_past(record.day, now):
            dishes = [record.what, *record.dishes]
            eaters = ["me", *_at_table(record.who, record.what, user.people.groups)]
            cook = "home" if not record.where or _is_home(record.where) else "host"
            plans.append((record, f"{record.what} ({record.day})", [], dishes, eaters, cook))
    found = []
    for plan, title, places, dishes, eaters, cook in plans:
        rows = [*_rows(places, "places", table), *_rows(dishes, "dishes", table)]
        plain = [text for text in dishes if not [word for word in words(text) if word in SAYS_NO]]
        remarks, used, unknown = [], [], []
        for who, label, groups, level, record in needs:
            if [name for name in eaters if _is_person(who, name, user.people.persons)]:
                rank, text, ids = _conflict(groups, level, rows, not places, table)
                mixed = [] if text or level else _mixed(record.what, dishes, table)
                if mixed:
                    rank, text = 1 if places else 2, f"{' and '.join(mixed)} (meat with dairy)"
                used = [*used, *ids]
                unknown = [*unknown, label] if level >= 2 and groups else unknown
                # What is in no group of the table (kiwi, tomatoes) counts where a dish is named after it.
                named = [dish for dish in plain if not groups and level and _named(dish, record)]
                if named and not text:
                    rank, text = level, f"{' and '.join(named)} (named after it)"
                if text:
                    remarks.append((rank, f"{label} against {text}", record))
        worst = max([rank for rank, _text, _record in remarks], default=0)
        # A dish that the table does not have is no safe dish.
        missing = [text for text in plan.dishes if text in plain and not _says_free(text) and not _rows([text], "dishes", table)]
        missing = missing if unknown else []
        asked = f"Not checked: {', '.join(missing)} ({'is' if len(missing) == 1 else 'are'} not in the table of dishes)"
        if worst:
            raised = {3: critical, 2: warning, 1: info}[worst]
            records = [record for _rank, _text, record in remarks]
            about = [("food.dishes", {"id": each}) for each in dict.fromkeys(used)]
            text = f"{_message(title, remarks, worst, cook)}{f' {asked}.' if missing else ''}"
            found.append(raised(text, plan, *records, rows=about))
        elif missing:
            text = f"{title}: {asked[0].lower()}{asked[1:]}, against {' and '.join(dict.fromkeys(unknown))}. Ask what is in it."
            found.append(info(text, plan))
    return found


def _says_free(text):
    """Whether a German word says that something is not in it: nussfrei."""
    return bool([word for word in words(text) if word.endswith(FREE)])


def _mixed(diet, dishes, table):
    """The dishes that a diet rules out because they mix what it keeps apart: kosher, meat and dairy."""
    apart = [parts for name, parts in table.get("apart", {}).items() if mentions(diet, name)]
    found = []
    for text in dishes:
        sure = {group for row in _rows([text], "dishes", table) for group in row[2]}
        if [parts for parts in apart if all([group for group in part if group in sure] for part in parts)]:
            found = [*found, text]
    return found


def _is_denied(text):
    """Whether an allergy is on record only to say that there is none: never had a reaction to peanuts, ruled out."""
    plain = " ".join(words(text))
    denied = r"\b(?:no known|nkda|never had an? (?:\w+ )?reaction|ruled out|delabell?ed|outgrew|not allergic|no longer allergic)\b"
    return bool(re.search(denied, plain)) and not re.search(r"\b(?:not|never|nor) (?:\w+ )?ruled out\b|\bexcept\b", plain)


def _kin(text):
    """The relative whose allergy it is, if the text begins with that: son: peanut, my wife is allergic to nuts."""
    kin = "wife|husband|partner|son|daughter|mother|father|mom|mum|dad|brother|sister|girlfriend|boyfriend"
    said = re.search(rf"^(?:my |our )?({kin})(?:\s*[:-]| is | has |['\u2019]s )", (text or "").lower().strip())
    return said.group(1) if said is not None else None


def _owner(person, profile):
    """Whose an allergy is, as `who` has it: the user is 'me', named or not."""
    own = profile.name if profile is not None else None
    is_mine = not words(person) or words(person)[0] in ("me", "i", "myself", "self", "user")
    return "me" if is_mine or same_person(person, own) else person


def _allergy(record, who, what, cause, table):
    """Who, the need in words, what must not be in it, and how bad that is: 3 severe, 2, 1 mild."""
    named = _found(what, table["avoid"]) or _found(cause, table["avoid"])
    severe = record.severity == "severe" or bool([sign for sign in SIGNS if mentions(record.reaction, sign)])
    is_allergy = mentions(cause or ("allergy" if record.severity or record.reaction else ""), "allergy")
    details = ", ".join([text for text in [record.reaction, None if is_allergy else cause] if text])
    label = f"{_whose(who)} {record.severity or ''} {'allergy' if is_allergy else 'intolerance'} to {what}"
    shown = " ".join(label.split()) + (f" ({details})" if details else "")
    level = 3 if severe else 1 if record.severity == "mild" else 2
    return who, shown, [group for _name, items in named for group in items], level, record


def _named(dish, record):
    """Whether the dish has the name of the food, in the singular or the plural: tomatoes, cherries."""
    food = _food(record)
    forms = [food, food.removesuffix("s"), food.removesuffix("es")]
    if food.endswith("ies"):
        forms = [*forms, f"{food.removesuffix('ies')}y"]
    if food.endswith("y"):
        forms = [*forms, f"{food.removesuffix('y')}ies"]
    return bool([form for form in forms if mentions(dish, form)])


def _food(record):
    """The food of an allergy or intolerance, without what was written beside it: kiwi - mild."""
    text = record.substance if record_id(record).startswith("health.") else record.what
    noise = ("allergy", "allergies", "mild", "moderate", "severe", "fresh", "raw")
    kept = [word for word in words(text) if word not in noise]
    return " ".join(kept)


def _diet(record, who, table):
    """The same for a diet of the table, or one that names what it leaves out (gluten-free). Level 0."""
    free = [word for word in words(record.what) if word in ("free", "no", "without")]
    named = _found(record.what, table["avoid" if free else "diets"])
    groups = [group for _name, items in named for group in items]
    return who, f"{_whose(who)} {record.what} diet", groups, 0, record


def _whose(who):
    return "your" if who.lower() == "me" else f"{who}'s"


def _rows(texts, kind, table):
    """What each text names: (name, dishes or places, what is in it for sure, what is often in it)."""
    kept = []
    for text in texts:
        parts = words(text)
        spared = [
            group
            for diet, said in (("vegan", "vegan"), ("vegetarian", "vegetari"))
            if [word for word in parts if word.startswith(said)]
            for group in table["diets"][diet]
        ]
        spared = [*spared, *_left_out(parts, table["avoid"])]
        for name, row in _found(text, table[kind]):
            sure = [group for group in row.get("contains", row.get("around", [])) if group not in spared]
            kept.append((name, kind, sure, [group for group in row.get("often", []) if group not in spared]))
        for word, groups in _compounds(parts, table) if kind == "dishes" else []:
            kept.append((word, kind, [group for group in groups if group not in spared], []))
    return kept


def _compounds(parts, table):
    """German words that begin with a food and are no entry of their own: Erdnusscurry, Garnelenpfanne."""
    stems = table.get("stems", {})
    unknown = [word for word in parts if len(word) > 6 and word not in table["dishes"] and not word.endswith(FREE)]
    return [(word, stems[word[:size]]) for word in unknown for size in range(4, len(word) - 1) if word[:size] in stems]


def _left_out(parts, table):
    """What a text says is not in it: gluten in "gluten-free pizza with cheese". Free-range eggs are eggs."""
    groups = []
    for at, word in enumerate(parts):
        absent = []
        if word == "free" and parts[at + 1 : at + 2] != ["range"]:
            start = at - 1
            while start > 0 and (
                parts[start - 1] in ("and", "or", "free") or parts[start] in ("and", "or", "free")
            ):
                start = start - 1
            # Two words may name one thing: tree nut free.
            pair = " ".join(parts[max(at - 2, 0) : at])
            absent = [pair] if pair in table else parts[max(start, 0) : at]
        if word in ("without", "no", "ohne"):
            absent = parts[at + 1 :]
        if word.endswith(FREE):
            ending = first([each for each in sorted(FREE, key=len, reverse=True) if word.endswith(each)])
            absent = [word.removesuffix(ending)]
        groups = [*groups, *[group for _name, items in _found(" ".join(absent), table) for group in items]]
    return groups


def _conflict(groups, level, rows, eaten, table):
    """How bad it is (0: only worth a word beside something worse), why, and by which rows; an empty text for nothing."""
    # Only who is in danger must hear of what is merely likely.
    ways = [
        ("dishes", 2, level or (2 if eaten else 1), "usually made with"),
        ("places", 2, level or 2, "a kitchen built around"),
        ("dishes", 3, {3: 3, 2: 1}.get(level, 0), "often made with"),
        ("places", 3, {3: 2}.get(level, 0), "a cuisine that often uses"),
    ]
    worst, why, ids = -1, "", []
    for kind, part, rank, how in ways:
        hits = [row for row in rows if row[1] == kind and [group for group in row[part] if group in groups]]
        if hits and rank > worst:
            bad = [table["groups"][group] for group in groups if [row for row in hits if group in row[part]]]
            names = sorted({row[0] for row in hits})
            worst, why = rank, f"{' and '.join(names)} ({how} {' and '.join(bad)})"
            ids = [f"{kind}:{name}" for name in names if name in table[kind]]
    return max(worst, 0), why, ids


def _is_home(place):
    """Whether the user cooks there: at home, our place. The Fondue House is a restaurant."""
    said = [word for word in words(place) if word not in ("at", "my", "our", "own", "the", "in")]
    return len(said) == 1 and said[0] in ("home", "house", "place", "flat", "apartment", "kitchen", "garden", "ours")


def _message(title, noted, worst, cook):
    traces = "Traces reach other dishes of the same kitchen, so choose another place or speak with the kitchen first"
    advice = {
        "": "Call ahead and ask what they can make without it, or choose something else.",
        "home": "Leave it out, or make something else.",
        "host": "Tell whoever cooks, or bring something without it.",
    }
    severe = {
        "": traces,
        "home": "Traces are enough: keep it out of every dish and off the boards and pans",
        "host": "Traces are enough, so tell whoever cooks to keep it out of every dish",
    }
    closing = advice[cook]
    if worst == 3:
        closing = f"{severe[cook]}, and have the emergency medicine (such as an EpiPen) at hand."
    texts = [text for _rank, text, _record in sorted(noted, key=lambda remark: -remark[0])]
    return f"{title} does not suit everyone: {'; '.join(texts)}. {closing}"


def _found(text, table):
    """The entries that the words of a text name, longest first: peanut butter is not butter."""
    parts = words(text)
    hits = []
    at = 0
    while at < len(parts):
        grams = [" ".join(parts[at : at + size]) for size in (4, 3, 2, 1) if at + size <= len(parts)]
        forms = [form for gram in grams for form in _spellings(gram)]
        singular = [name for form in forms for name in (form, form.removesuffix("s"), form.removesuffix("es"))]
        name = first([name for name in singular if name in table])
        hits = [*hits, *([] if name is None else [(name, table[name])])]
        at = at + max(len(words(name)), 1)
    return hits


def _spellings(gram):
    """As written, without accents (crème brûlée), and with umlauts for their two letters (Kaesespaetzle)."""
    plain = gram
    for letters, letter in (("àâáãå", "a"), ("éèêë", "e"), ("îïíì", "i"), ("ôóòõ", "o"), ("ûúù", "u"), ("ç", "c"), ("ñ", "n")):
        for accented in letters:
            plain = plain.replace(accented, letter)
    umlauts = plain.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
    return list(dict.fromkeys([gram, plain, umlauts]))


CASES = [
    fires(
        "names with accents",
        date(2026, 11, 19),
        food.Intolerance(what="dairy", who="me"),
        food.Meal(what="lunch", day=date(2026, 11, 22), dishes=["Gruyère", "crème brûlée"]),
        says=["creme brulee and gruyere"],
    ),
    fires(
        "a dish that the table does not have, and a severe allergy",
        date(2026, 11, 19),
        health.Allergy(substance="peanuts", severity="severe"),
        food.Booking(place="Luma", day=date(2026, 11, 22), dishes=["xanthippe surprise", "rice"]),
        says=["Luma (2026-11-22): not checked: xanthippe surprise (is not in the table of dishes)", "peanuts", "Ask what is in it"],
    ),
    fires(
        "one dish that is known to hold it, and one that nobody knows",
        date(2026, 11, 19),
        health.Allergy(substance="peanuts", severity="severe"),
        food.Booking(place="Luma", day=date(2026, 11, 22), dishes=["xanthippe surprise", "satay"]),
        says=["satay", "Not checked: xanthippe surprise (is not in the table of dishes)"],
    ),
    fires(
        "meat with dairy and a kosher diet",
        date(2026, 11, 19),
        food.Diet(what="kosher", who="me"),
        food.Meal(what="lunch", day=date(2026, 11, 22), dishes=["cheeseburger"]),
        says=["your kosher diet against cheeseburger (meat with dairy)"],
    ),
    silent(
        "a kosher table with dairy and fish, and unknown dishes of who has only a diet",
        date(2026, 11, 19),
        food.Diet(what="kosher", who="me"),
        food.Meal(what="lunch", day=date(2026, 11, 22), dishes=["bagel with cream cheese and salmon", "xanthippe surprise"]),
    ),
    fires(
        "two of the fourteen allergens that hide in sauces",
        date(2025, 1, 8),
        health.Allergy(substance="mustard", severity="severe", reaction="anaphylaxis"),
        food.Meal(what="Rouladen with red cabbage", day=date(2025, 1, 12)),
        says=["mustard", "Rouladen", "usually made with"],
    ),
    fires(
        "sulphites in wine, under their number",
        date(2025, 1, 8),
        health.Allergy(substance="E220"),
        food.Meal(what="mulled wine and biscuits", day=date(2025, 1, 12)),
        says=["E220", "mulled wine", "sulphites"],
    ),
    silent(
        "celery and a dish without it",
        date(2025, 1, 8),
        health.Allergy(substance="celeriac"),
        food.Meal(what="pizza margherita", day=date(2025, 1, 12)),
    ),
    fires(
        "German dishes that are named after what is in them",
        date(2025, 1, 8),
        health.Allergy(substance="Erdnüsse", severity="severe"),
        food.Meal(what="Abendessen", day=date(2025, 1, 12), dishes=["Erdnusscurry", "Erdnuss-Curry"]),
        says=["Erdnüsse", "erdnuss and erdnusscurry", "peanuts"],
    ),
    silent(
        "German dishes without it, and a ham that is named after a fish",
        date(2025, 1, 8),
        health.Allergy(substance="Haselnüsse", severity="severe"),
        health.Allergy(substance="Fisch", severity="severe"),
        health.Allergy(substance="Milch", severity="severe"),
        food.Meal(what="Abendessen", day=date(2025, 1, 12), dishes=["nussfreier Apfelkompott", "Lachsschinken", "Reis ohne Sahne"]),
        food.Meal(what="my brother's dinner", day=date(2025, 1, 13), dishes=["vegane Käsespätzle"]),
    ),
    fires(
        "the allergy of a child who comes",
        date(2025, 3, 1),
        people.Person(name="Theo", relation="son"),
        health.Allergy(substance="peanuts", person="Theo", severity="severe"),
        food.Meal(what="satay with peanut sauce", day=date(2025, 3, 7), who=["Theo"]),
        says=["Theo", "peanut"],
    ),
    silent(
        "denied, or a relative's who does not come",
        date(2025, 3, 1),
        health.Allergy(substance="never had a reaction to peanuts"),
        health.Allergy(substance="peanut allergy, ruled out"),
        health.Allergy(substance="son: peanut"),
        food.Meal(what="satay with peanut sauce", day=date(2025, 3, 7)),
    ),
    fires(
        "a severe shellfish allergy and a restaurant built around it",
        date(2024, 10, 22),
        health.Allergy(substance="shellfish", severity="severe", reaction="anaphylaxis"),
        food.Booking(
            place="The Crab Shack",
            day=date(2024, 10, 28),
            last_day=date(2024, 11, 3),
            kind="seafood restaurant",
            who=["wife"],
        ),
        says=[
            "The Crab Shack",
            "2024-10-28",
            "severe",
            "shellfish",
            "anaphylaxis",
            "EpiPen",
            "another place",
        ],
    ),
    fires(
        "one table, several needs",
        date(2025, 4, 20),
        health.Allergy(substance="shellfish", severity="severe"),
        health.Allergy(substance="tree nuts", severity="mild"),
        food.Diet(what="vegan", who="Sarah"),
        food.Intolerance(what="gluten", who="Sarah", cause="coeliac disease"),
        food.Booking(
            place="the new fusion restaurant downtown",
            day=date(2025, 4, 25),
            cuisine="Japanese-Thai fusion",
            dishes=["tempura", "pad thai"],
            who=["Sarah"],
        ),
        says=["2025-04-25", "shellfish", "tempura", "pad thai", "Sarah's vegan diet", "coeliac", "gluten"],
    ),
    fires(
        "a vegan guest, named by relation, at a steakhouse",
        date(2025, 4, 20),
        people.Person(name="Nina", relation="sister"),
        food.Diet(what="vegan", who="my sister"),
        food.Booking(place="Steakhouse 55", day=date(2025, 4, 25), who=["Nina"]),
        says=["Steakhouse 55", "my sister's vegan diet", "beef"],
    ),
    fires(
        "a planned meal with peanuts",
        date(2025, 4, 20),
        food.Intolerance(what="peanuts", who="Leo", severity="severe"),
        food.Meal(what="birthday dinner", day=date(2025, 4, 20), dishes=["chicken satay"], who=["Leo"]),
        says=["birthday dinner", "Leo's severe allergy", "peanuts", "satay", "keep it out of every dish"],
    ),
    fires(
        "at home nobody is called",
        date(2025, 4, 20),
        health.Allergy(substance="milk"),
        food.Meal(what="dinner", day=date(2025, 4, 21), dishes=["pizza"], where="home"),
        says=["milk", "Leave it out, or make something else."],
    ),
    fires(
        "the allergy of one who is named, at somebody's home",
        date(2025, 4, 20),
        health.Allergy(substance="eggs", person="Theo"),
        food.Meal(what="brunch", day=date(2025, 4, 21), dishes=["omelette"], who=["Theo"], where="Grandma's"),
        says=["Theo's allergy to eggs", "Tell whoever cooks"],
    ),
    fires(
        "the whole team, of which one does not tolerate it",
        date(2025, 4, 20),
        people.Group(name="team", members=["Lena", "Tom"]),
        food.Intolerance(what="lactose", who="Lena"),
        food.Booking(
            place="Fondue House", day=date(2025, 4, 25), dishes=["cheese fondue"], who=["the whole team"]
        ),
        says=["Fondue House", "Lena's intolerance to lactose", "Call ahead"],
    ),
    fires(
        "a team lunch, said by its occasion only",
        date(2025, 4, 20),
        people.Group(name="my team", members=["Lena"]),
        food.Diet(what="vegan", who="Lena"),
        food.Booking(place="Steakhouse 55", day=date(2025, 4, 25), occasion="team lunch"),
        says=["Steakhouse 55", "Lena's vegan diet"],
    ),
    silent(
        "another group, and one whose allergy it is does not come",
        date(2025, 4, 20),
        people.Group(name="book club", members=["Lena"]),
        food.Intolerance(what="lactose", who="Lena"),
        health.Allergy(substance="milk", person="Theo"),
        food.Booking(place="Fondue House", day=date(2025, 4, 25), dishes=["cheese fondue"], who=["the whole team"]),
    ),
    fires(
        "only the gluten is left out",
        date(2025, 4, 20),
        health.Allergy(substance="milk"),
        food.Intolerance(what="gluten", who="me", cause="coeliac disease"),
        food.Meal(what="dinner", day=date(2025, 4, 21), dishes=["gluten-free pizza with cheese"]),
        says=["milk", "cheese and pizza", "dairy"],
    ),
    fires(
        "free-range eggs are eggs",
        date(2025, 4, 20),
        health.Allergy(substance="eggs"),
        food.Meal(what="brunch", day=date(2025, 4, 21), dishes=["free-range eggs on toast"]),
        says=["eggs", "brunch"],
    ),
    fires(
        "a food of no group, by its name",
        date(2025, 4, 20),
        health.Allergy(substance="Kiwi - severe", reaction="anaphylactic shock"),
        food.Meal(what="dessert", day=date(2025, 4, 21), dishes=["kiwi tart"]),
        says=["Kiwi", "kiwi tart", "EpiPen"],
    ),
    fires(
        "the plural of it",
        date(2025, 4, 20),
        health.Allergy(substance="tomatoes", severity="mild"),
        food.Intolerance(what="strawberries", who="Leo"),
        food.Meal(
            what="lunch", day=date(2025, 4, 21), dishes=["tomato soup", "strawberry tart"], who=["Leo"]
        ),
        says=["tomato soup", "strawberry tart"],
    ),
    fires(
        "shell fish in two words",
        date(2025, 4, 20),
        health.Allergy(substance="shell fish", severity="severe"),
        food.Meal(what="lunch", day=date(2025, 4, 21), dishes=["shrimp salad", "grilled salmon"]),
        says=["shell fish against shrimp", "EpiPen"],
    ),
    fires(
        "the user by name",
        date(2025, 4, 20),
        people.Profile(name="Mia Schneider"),
        food.Diet(what="vegan", who="Mia"),
        food.Intolerance(what="lactose", who="Mia Schneider"),
        food.Meal(what="dinner", day=date(2025, 4, 21), dishes=["cheese fondue"]),
        says=["your vegan diet", "your intolerance to lactose"],
    ),
    silent(
        "it only sounds like it",
        date(2025, 4, 20),
        health.Allergy(substance="shellfish", severity="severe"),
        health.Allergy(substance="peanut butter", severity="severe"),
        health.Allergy(substance="cashew nuts"),
        food.Diet(what="pescatarian", who="me"),
        food.Diet(what="halal", who="me"),
        food.Meal(
            what="dinner",
            day=date(2025, 4, 21),
            dishes=["oyster mushroom toast with cheese", "tuna steak", "ginger ale", "kiwi-free fruit salad"],
        ),
    ),
    silent(
        "a mild nut allergy and a Thai restaurant",
        date(2025, 4, 20),
        health.Allergy(substance="tree nuts", severity="mild"),
        health.Allergy(substance="penicillin", severity="severe"),
        food.Booking(place="Thai Garden", day=date(2025, 4, 25), cuisine="Thai"),
    ),
    silent(
        "the one who must not is not there",
        date(2025, 4, 20),
        food.Diet(what="vegan", who="Sarah"),
        health.Allergy(substance="shellfish", severity="severe"),
        food.Booking(place="Steakhouse 55", day=date(2025, 4, 25), who=["Tom"]),
        food.Booking(place="The Crab Shack", day=date(2025, 4, 26), who=["Tom"], without_me=True),
    ),
    silent(
        "past or cancelled",
        date(2025, 4, 26),
        health.Allergy(substance="shellfish", severity="severe"),
        food.Booking(place="The Crab Shack", day=date(2025, 4, 25)),
        ended(food.Booking(place="Lobster House", day=date(2025, 5, 5)), "2025-04-20"),
    ),
    silent(
        "made to suit",
        date(2025, 4, 20),
        food.Diet(what="vegan", who="me"),
        food.Diet(what="gluten-free", who="me"),
        health.Allergy(substance="coconut"),
        food.Meal(
            what="dinner",
            day=date(2025, 4, 21),
            dishes=["vegan burger, gluten-free", "hummus", "gluten-free pasta"],
        ),
        food.Booking(place="Vegan Thai Kitchen", day=date(2025, 4, 22), cuisine="Thai"),
    ),
]
