"""What the constraints of food share. This file is read, never run."""


def _is_person(who, name, persons):
    """Whether the two names mean one person: my wife is Sarah if that is on record."""
    mine, theirs = who.lower().removeprefix("my "), name.lower().removeprefix("my ")
    if mine == "me" or theirs == "me":
        return mine == theirs
    known = [
        person
        for person in persons
        if (same_person(person.name, mine) and mentions(person.relation, theirs))
        or (same_person(person.name, theirs) and mentions(person.relation, mine))
    ]
    return same_person(mine, theirs) or bool(known)
