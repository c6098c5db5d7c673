"""Short logs for tests: a story is told turn by turn, and the project is what it adds up to."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from uac import Citation, Fact, Period
from uac.log.log import Stored
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.project.fold import fold_entries
from uac.project.project import Project
from uac.schema.entries import Authority
from uac.schema.patches import Define, Patch, Put
from uac.schema.types import Cardinality, Field, Policy, Type

START = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Story:
    """A memory whose clock moves one hour with every entry."""

    def __init__(self) -> None:
        self._hours = 0
        log = MemoryStore(clock=self._clock).log("ana")
        self.memory = Memory(log, packs=(), clock=lambda: START + timedelta(hours=self._hours))

    def _clock(self) -> datetime:
        self._hours += 1
        return START + timedelta(hours=self._hours)

    @property
    def project(self) -> Project:
        return self.memory.project()

    def said(self, text: str, *, at: datetime | None = None) -> int:
        return self.memory.add(text, said=at or START + timedelta(hours=self._hours))

    def fact(
        self, text: str, *, authority: Authority = "user", held: Period | None = None, at: datetime | None = None
    ) -> int:
        """Words, and a fact that quotes them whole."""
        position = self.said(text, at=at)
        cites = (Citation(position=position, quote=text),)
        entry = Fact(text=text, about="Ana", authority=authority, cites=cites, held=held or Period())
        return self.memory.log.append([entry])[0]

    def types(self, *types: Type) -> None:
        self.memory.checkpoint([Define(type=type_) for type_ in types])

    def change(self, *patches: Patch) -> int:
        return self.memory.checkpoint(patches)

    def tell(
        self, type_name: str, /, *, authority: Authority = "user", at: datetime | None = None, **fields: Any
    ) -> str:
        """A fact and the record it gives; returns the record's id."""
        position = self.fact(f"{type_name} {fields}", authority=authority, at=at)
        self.change(Put(type=type_name, fields=fields, cites=(position,)))
        return self.project.used[position][0]

    def values(self, record: str) -> dict[str, Any]:
        return self.project.record(record).values

    def entries(self) -> list[Stored]:
        return list(self.memory.log.read())

    def refolded(self) -> Project:
        return fold_entries(self.entries())


def type_of(
    full_name: str,
    /,
    *,
    key: Sequence[str] = (),
    cardinality: Cardinality = "many",
    policy: dict[str, Policy] | None = None,
    doc: str = "",
    **fields: Any,
) -> Type:
    """type_of("travel.Trip", key=["city"], city="str", start="date")."""
    domain, _dot, short = full_name.partition(".")
    parts = tuple(Field(name=n, type=t, policy=(policy or {}).get(n, "latest")) for n, t in fields.items())
    return Type(domain=domain, name=short, doc=doc, cardinality=cardinality, key=tuple(key), fields=parts)


TRIP = type_of("travel.Trip", cardinality="event", city="str", start="date", cost="Money | None")
ALLERGY = type_of("health.Allergy", key=["substance"], substance="str", severity="str | None")
PASSPORT = type_of("travel.Passport", cardinality="one", key=["number"], number="str", expires="date")
PERSON = type_of("people.Person", key=["name"], name="str", born="date | None")
