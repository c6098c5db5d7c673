"""The log: its entries in order, and their verification."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Path, Query

from uac.interfaces.http.auth import Asker, Reader
from uac.interfaces.http.fields import MOST
from uac.interfaces.http.problems import NotFound
from uac.interfaces.views.log import BreakView, EntryView, LogPageView, VerificationView, entry_view
from uac.interfaces.views.view import build_view
from uac.schema.entries import Kind

__all__ = ["LOOKED_AT", "After", "Limit", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["log"])

LOOKED_AT = 5000  # entries that are read for one page, however few of them are wanted

After = Annotated[int, Query(ge=0, le=MOST, description="Start after this position.", examples=[0])]
Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many.", examples=[100])]


@router.get("/log", name="read")
def read_log(
    context: Reader,
    after: After = 0,
    limit: Limit = 100,
    kind: Annotated[list[Kind] | None, Query(description="Only entries of these kinds.")] = None,
) -> LogPageView:
    """Entries of the log, oldest first. A page may hold fewer than `limit` and still have a `next`."""
    with context.memory() as memory:
        end = min(memory.log.head().position, after + LOOKED_AT)
        wanted = (stored for stored in memory.log.read(after + 1, end + 1) if not kind or stored.kind in kind)
        found = list(islice(wanted, limit))
        last = found[-1].position if len(found) == limit else end
        is_end = last >= memory.log.head().position
        return LogPageView(entries=tuple(map(entry_view, found)), next=None if is_end else last)


@router.get("/log/{position}", name="read_one")
def read_entry(
    context: Reader, position: Annotated[int, Path(ge=1, le=MOST, description="Its position.", examples=[1])]
) -> EntryView:
    """One entry of the log."""
    with context.memory() as memory:
        stored = next(memory.log.read(position, position + 1), None)
    if stored is None:
        raise NotFound(f"No entry {position}. GET …/log lists the entries.")
    return entry_view(stored)


@router.post("/verify", name="verify")
def verify_log(context: Asker) -> VerificationView:
    """Verify the whole log and its chain of digests."""
    with context.memory() as memory:
        broken, head = memory.log.verify(), memory.log.head()
    return VerificationView(
        is_whole=broken is None,
        entries=head.position,
        digest=head.digest.hex(),
        broken=None if broken is None else build_view(BreakView, broken),
    )
