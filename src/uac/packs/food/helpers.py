"""What the constraints of food share. This file is read, never run."""


def _at_table(who, occasion, groups):
    """Those who come, with the members of every group that is named: the whole team, a team lunch."""
    small = ("the", "my", "our", "your", "whole", "entire", "all", "of", "everyone", "in", "from", "and")
    members = []
    for group in groups:
        named = [word for word in words(group.name) if word not in small]
        texts = [*[[word for word in words(name) if word not in small] for name in who], words(occasion)]
        if named and any(all(word in text for word in named) for text in texts):
            members = [*members, *group.members]
    return [*who, *members]


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
