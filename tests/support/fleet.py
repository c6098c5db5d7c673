"""Small fleets for tests: users with trips and allergies of their own types, and a rule over them."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime

from uac.interfaces.fleet.jobs import Job, PartWorker
from uac.interfaces.fleet.partition import Question, UserAnswer
from uac.interfaces.fleet.program import read_program
from uac.log.store import Store
from uac.memory.memory import Memory
from uac.schema.patches import Define, Patch
from uac.schema.types import Field, Type

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

TRIP = Type(
    name="Trip",
    domain="travel",
    key=("name",),
    fields=(Field(name="name", type="str"), Field(name="cost", type="int"), Field(name="tags", type="list[str]")),
)
NOTE = Type(name="Note", domain="life", key=("text",), fields=(Field(name="text", type="str"),))

RULE = '''
def dear_trip(user, now):
    """A trip costs more than a hundred."""
    return [warning(f"{t.name} costs {t.cost}, a tenth is {1000 // t.cost}", t) for t in user.travel.trips if t.cost != 7]


CASES = [
    fires("dear", date(2026, 3, 1), travel.Trip(name="Rome", cost=500, tags=[])),
    silent("none", date(2026, 3, 1), travel.Trip(name="Rome", cost=7, tags=[])),
]
'''
"""It fires for every trip that does not cost seven, and fails for one that costs nothing."""


def add_user(store: Store, user: str, costs: Sequence[int], *, types: Sequence[Type] = (TRIP,)) -> None:
    """A user with a trip for each of the costs."""
    with closing(Memory(store.log(user), packs=(), clock=lambda: NOW)) as memory:
        defined: list[Patch] = [Define(type=type_) for type_ in types]
        memory.checkpoint(defined)
        for number, cost in enumerate(costs):
            memory.put("travel.Trip", {"name": f"{user} {number}", "cost": cost, "tags": [user]}, said=NOW)


def add_users(store: Store, count: int) -> list[str]:
    """Users with one to three trips; those whose number ends in 9 have only notes."""
    users = [f"u{number:03}" for number in range(count)]
    for number, user in enumerate(users):
        if number % 10 == 9:
            add_user(store, user, (), types=[NOTE])
        else:
            add_user(store, user, [number + 1] * (1 + number % 3))
    return users


def question(text: str, name: str = "asked", **settings: object) -> Question:
    return Question(read_program(text, name), NOW, **settings)  # type: ignore[arg-type]  # settings by name


def ask(store: Store, text: str, users: Sequence[str], name: str = "asked", **settings: object) -> list[UserAnswer]:
    """The answers of these users, asked in one part in this process."""
    with closing(PartWorker(Job("", question(text, name, **settings)), store)) as worker:
        return worker.run(0, users).answers()
