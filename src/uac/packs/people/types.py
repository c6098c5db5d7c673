"""The user, the people around the user, their groups, and the address book."""


@one
class Profile:
    """The user."""

    name: str | None
    born: date | None
    age: int | None
    "As the user said, if the birthday is not known."
    age_on: date | None
    "The day on which the user said so."
    gender: str | None
    nationality: str | None
    email: str | None
    phone: str | None
    address: str | None
    lives_in: str | None
    "The city or the place."
    country: str | None
    work: str | None
    "What the user does, and for whom."
    work_since: date | None


@many("name", union=("likes", "dislikes"))
class Person:
    """Somebody in the user's life."""

    name: str
    relation: str | None
    "To the user: mother, partner, child, friend, dentist…"
    born: date | None
    likes: list[str]
    dislikes: list[str]
    lives_in: str | None
    work: str | None
    notes: str | None


@many("name", union=("members",))
class Group:
    """A team, family, club or circle, with those who belong to it."""

    name: str
    "As the user calls it: team, book club."
    members: list[str]
    "Other than the user."
    notes: str | None


@many("name", union=("emails", "phones"))
class Contact:
    """A person or an organisation in an address book."""

    name: str
    emails: list[str]
    phones: list[str]
    birthday: date | None
    organisation: str | None
    note: str | None


@many("to", "what")
class Gift:
    """A gift that the user thinks of, has bought or has given."""

    to: str
    what: str
    occasion: str | None
    on: date | None
    given: bool | None
