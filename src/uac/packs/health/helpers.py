"""What the constraints of health share. This file is read, never run."""


def _whose(person):
    """Whom a record is about: '' is the user, else Theo, or 'your son' for my son."""
    name = " ".join([word for word in words(person) if word not in ("my", "our", "your", "the")])
    if not name or name in ("me", "i", "myself", "self", "user"):
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


def _names_in(text, table):
    """The table's entries for the words of a text, longest names first: Tylenol PM is more than Tylenol."""
    parts = words(text)
    kinds = []
    at = 0
    while at < len(parts):
        size = max([n for n in (6, 5, 4, 3, 2, 1) if " ".join(parts[at : at + n]) in table], default=0)
        kinds = [*kinds, *table.get(" ".join(parts[at : at + size]), [])]
        at = at + max(size, 1)
    return kinds


def _ingredients(medication, drugs):
    """The ingredients that the name and the ingredients of a medicine mean."""
    texts = [medication.name, *medication.ingredients]
    return [kind for text in texts for kind in _names_in(text, drugs["names"])]


def _with_classes(ingredients, text, drugs):
    """The ingredients, their classes, and the classes that the text names."""
    classes = [kind for name in ingredients for kind in drugs["classes"].get(name, [])]
    return [*ingredients, *classes, *_names_in(text, drugs["class_names"])]


def _kinds(medication, drugs):
    """The ingredients of a medicine, their classes, and the classes that the record names."""
    named = f"{medication.name} {medication.drug_class or ''}"
    return _with_classes(_ingredients(medication, drugs), named, drugs)


def _is_local(medication, forms, swallowed=("caps",)):
    """Whether a medicine has one of these forms, such as a cream, and is not swallowed: gel caps are."""
    parts = words(f"{medication.name} {medication.form or ''}")
    return bool([word for word in parts if word in forms]) and not [word for word in parts if word in swallowed]


def _with_details(medication, purpose=None, until=None):
    """A medicine in a message: aspirin (100 mg, once daily, prescribed by Dr. Lee, from 2024-01-02)."""
    times = f"{medication.times_per_day:g} times a day" if medication.times_per_day else None
    details = [
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
    own = bool(words(name)) and name == name.lower() and first(words(name)) not in ("a", "an", "the", "my", "your")
    return f"your {name}" if own else name
