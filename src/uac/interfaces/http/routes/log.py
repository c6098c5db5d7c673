"""The log: its entries in order, and whether they are whole."""

from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from uac.interfaces.http.auth import Asker, Reader
from uac.interfaces.http.fields import MOST, Told
from uac.interfaces.http.problems import NotFound
from uac.log.log import Stored
from uac.schema.entries import Kind, plain_fields

__all__ = ["LOOKED_AT", "After", "EntryTold", "Limit", "entry_told", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["log"])

LOOKED_AT = 5000  # entries that are read for one page, however few of them are wanted

After = Annotated[int, Query(ge=0, le=MOST, description="Start behind this position.", examples=[0])]
Limit = Annotated[int, Query(ge=1, le=1000, description="At most so many.", examples=[100])]


class EntryTold(Told):
    """An entry of the log. Its words are null once they were erased."""

    position: int = Field(examples=[1])
    at: datetime = Field(description="When it was learned.", examples=["2026-03-02T09:00:00Z"])
    kind: Kind = Field(examples=["observation"])
    digest: str = Field(description="The chain up to here, in hexadecimal digits.", examples=["9f86d081884c7d65"])
    entry: dict[str, Any] | None = Field(
        description="What it says; which fields there are follows from the kind.",
        examples=[{"kind": "observation", "text": "I get hives from penicillin.", "role": "user"}],
    )


class LogPage(Told):
    """Entries in the order of the log."""

    entries: list[EntryTold]
    next: int | None = Field(description="What `after` must be to read on; null at the end of the log.", examples=[100])


class BreakTold(Told):
    """The first place where the chain does not hold."""

    position: int = Field(examples=[7])
    problem: str = Field(examples=["entry 7 does not match its digest: it was altered or moved"])


class Verified(Told):
    """Whether every entry still is what was appended."""

    is_whole: bool
    entries: int = Field(description="How many entries the log has.", examples=[12])
    digest: str = Field(description="The head of the chain, in hexadecimal digits.", examples=["9f86d081884c7d65"])
    broken: BreakTold | None = Field(description="Where it is not whole.")


@router.get("/log")
def read(
    place: Reader,
    after: After = 0,
    limit: Limit = 100,
    kind: Annotated[list[Kind] | None, Query(description="Only entries of these kinds.")] = None,
) -> LogPage:
    """Entries of the log, oldest first. A page may hold fewer than asked for, and still have a `next`."""
    with place.memory() as memory:
        end = min(memory.log.head().position, after + LOOKED_AT)
        wanted = (stored for stored in memory.log.read(after + 1, end + 1) if not kind or stored.kind in kind)
        found = list(islice(wanted, limit))
        last = found[-1].position if len(found) == limit else end
        return LogPage(
            entries=[entry_told(stored) for stored in found], next=last if last < memory.log.head().position else None
        )


@router.get("/log/{position}")
def read_one(
    place: Reader, position: Annotated[int, Path(ge=1, le=MOST, description="Where it stands.", examples=[1])]
) -> EntryTold:
    """One entry of the log."""
    with place.memory() as memory:
        stored = next(memory.log.read(position, position + 1), None)
    if stored is None:
        raise NotFound(f"there is no entry {position}")
    return entry_told(stored)


@router.post("/verify")
def verify(place: Asker) -> Verified:
    """Go through the whole log and its chain of digests."""
    with place.memory() as memory:
        broken, head = memory.log.verify(), memory.log.head()
    return Verified(
        is_whole=broken is None,
        entries=head.position,
        digest=head.digest.hex(),
        broken=None if broken is None else BreakTold.model_validate(broken),
    )


def entry_told(stored: Stored) -> EntryTold:
    entry = stored.entry
    return EntryTold(
        position=stored.position,
        at=stored.at,
        kind=stored.kind,
        digest=stored.digest.hex(),
        entry=None if entry is None else {"kind": stored.kind, **plain_fields(entry)},
    )
