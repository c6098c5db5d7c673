def one_person_twice(user, now):
    """Two records of people that may be one: the name of one is a part of exactly one other name.

    It only asks. The user merges the two records, or acknowledges the alert if they are two people.
    """
    named = defaultdict(list)
    for person in user.people.persons:
        for word in Counter(words(person.name)):
            named[word].append(person)
    found = []
    for person in user.people.persons:
        near = [other for word in words(person.name)[-1:] for other in named[word] if other.name != person.name]
        alike = [other for other in near if same_person(person.name, other.name)]
        if len(alike) == 1 and _is_part(person.name, alike[0].name) and not _differ(person, alike[0]):
            found.append(
                info(
                    f"Are {person.name} and {alike[0].name} the same person? If so, merge the two records. "
                    f"If not, acknowledge this.",
                    person,
                    alike[0],
                )
            )
    return found


def _is_part(name, other):
    """Whether a name is a shorter form of another one. "Emily's mother" is somebody else than Emily."""
    return len(_without_titles(name)) < len(_without_titles(other)) and not re.search("['’]s|s['’]", other)


def _without_titles(name):
    titles = ("dr", "mr", "mrs", "ms", "miss", "prof", "professor", "doctor", "sir", "madam")
    return [word for word in words(name) if word not in titles]


def _differ(person, other):
    """Whether something known of both tells them apart."""
    relations = person.relation is not None and other.relation is not None and not same(person.relation, other.relation)
    return relations or (person.born is not None and other.born is not None and person.born != other.born)


CASES = [
    fires(
        "a first name, and the whole name",
        date(2025, 5, 1),
        people.Person(name="Jonas", relation="brother"),
        people.Person(name="Jonas Peters", born=date(1990, 2, 3)),
        says=["Are Jonas and Jonas Peters the same person?", "merge"],
    ),
    fires(
        "a doctor",
        date(2025, 5, 1),
        people.Person(name="Dr. Park"),
        people.Person(name="Emily Park", relation="dentist"),
        says=["Dr. Park", "Emily Park"],
    ),
    silent(
        "two people could be meant",
        date(2025, 5, 1),
        people.Person(name="Jonas"),
        people.Person(name="Jonas Peters"),
        people.Person(name="Jonas Weber"),
    ),
    silent(
        "a title, and two people of that name",
        date(2025, 5, 1),
        people.Person(name="Dr. Park"),
        people.Person(name="Emily Park"),
        people.Person(name="Tom Park"),
    ),
    silent(
        "other names, and somebody's mother",
        date(2025, 5, 1),
        people.Person(name="Emily"),
        people.Person(name="Emily's mother"),
        people.Person(name="Jonas Peters"),
        people.Person(name="Karin Peters"),
    ),
    silent(
        "a brother and a dentist, and two birthdays",
        date(2025, 5, 1),
        people.Person(name="Jonas", relation="brother"),
        people.Person(name="Jonas Peters", relation="dentist"),
        people.Person(name="Mia", born=date(2010, 1, 1)),
        people.Person(name="Mia Berg", born=date(1980, 1, 1)),
    ),
    silent(
        "somebody who has left the user's life",
        date(2025, 5, 1),
        people.Person(name="Jonas"),
        ended(people.Person(name="Jonas Peters"), "2024-01-01"),
    ),
]
