"""Forget text in place: the affected entries and their dependents, a preview of the result, then retract or erase."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from starlette.responses import Response

from uac.errors import Moved, Refused
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.inspector.entry_lines import entry_line
from uac.interfaces.inspector.page import Page, PageView, read_page_id, read_page_position, read_page_positions
from uac.interfaces.inspector.preview import Preview, preview_entries
from uac.interfaces.inspector.record_names import record_link_maker
from uac.memory.memory import Memory
from uac.project.forgetting import positions_behind_record
from uac.schema.entries import Kind, Retraction

__all__ = ["PAGES"]

SHOWN = 50  # entries that are listed
WHY = "asked in the inspector"


@dataclass(frozen=True, slots=True)
class AffectedEntry:
    """An entry whose text would be removed."""

    position: int
    kind: Kind
    line: str
    is_chosen: bool


def forget_page(view: PageView) -> Response:
    """`?record=` an id, for the text it cites, or `?at=3&at=4`, for these entries: the effects of forgetting."""
    if not view.has_right("write") and not view.has_right("erase"):
        raise Forbidden("This key may only read. Forgetting needs the right to write or erase.")
    return _render_forget_form(
        view,
        read_page_positions(view.request.query_params.getlist("at")),
        read_page_id(view.request.query_params, "record"),
    )


def retract_entries(view: PageView) -> Response:
    """Retract the text; undoing the retraction restores it."""
    chosen = read_page_positions(view.form.get("positions", "").split(","))
    why = view.form.get("why", "").strip() or WHY
    try:
        with view.memory() as memory, memory.once(after=read_page_position(view.form.get("after", ""))):
            position = memory.retract(chosen, why=why, reviewed=view.has_right("admin"))
    except Refused as error:
        return _render_forget_form(
            view, chosen, read_page_id(view.form, "record"), problem=_forget_problem(error), status=409
        )
    return view.redirect("changed", at=position, done=1)


def erase_entries(view: PageView) -> Response:
    """Erase the text permanently, here and wherever it was repeated."""
    chosen = read_page_positions(view.form.get("positions", "").split(","))
    why = view.form.get("why", "").strip() or WHY
    if view.form.get("sure") != "yes":
        problem = "Tick the box to say that you are sure: destroyed words cannot be brought back."
        return _render_forget_form(view, chosen, read_page_id(view.form, "record"), problem=problem, status=422)
    try:
        with view.memory() as memory:
            with memory.once(after=read_page_position(view.form.get("after", ""))):
                touched = memory.log.erase(chosen, why=why)
            position = memory.log.head().position
            memory.look()  # the remaining records may give other alerts
    except Refused as error:
        return _render_forget_form(
            view, chosen, read_page_id(view.form, "record"), problem=_forget_problem(error), status=409
        )
    return view.redirect("changed", at=position, done=1) if touched else view.redirect("log")


def _render_forget_form(
    view: PageView, chosen: list[int], record: str, *, problem: str = "", status: int = 200
) -> Response:
    foreseen: Preview | None = None
    touched: list[AffectedEntry] = []
    reached = 0
    with view.memory() as memory:
        project = memory.project()
        words = _forgettable_positions(memory, chosen, record)
        going = [position for position in (chosen or words) if position not in project.gone]
        if chosen or words:
            reach = memory.log.reach(chosen or words)
            touched, reached = list(islice(_affected_entries(memory, reach, {*(chosen or words)}), SHOWN)), len(reach)
        if going:
            foreseen = preview_entries(memory, [Retraction(positions=tuple(going), why=WHY)])
        listed = list(_affected_entries(memory, words, {*(chosen or words)}))
    return view.render_template(
        "forget.html",
        status=status,
        record=record,
        named=record_link_maker(project),
        words=listed,
        chosen=chosen or words,
        going=going,
        touched=[one for one in touched if one.position not in words],
        more=reached - len(touched),
        end=project.position,
        foreseen=foreseen,
        problem=problem,
        why=view.form.get("why", ""),
    )


def _forgettable_positions(memory: Memory, chosen: list[int], record: str) -> list[int]:
    """The entries to choose from: those that the record cites, or those that were named."""
    project = memory.project()
    if record:
        try:
            return positions_behind_record(memory.log, project, record)
        except Refused:
            raise NotFound(f"No record {record!r}. It may have been forgotten already.") from None
    if chosen and chosen[-1] > project.position:
        raise NotFound(f"There is no entry {chosen[-1]}.")
    return chosen


def _affected_entries(
    memory: Memory, positions: list[int] | tuple[int, ...], chosen: set[int]
) -> Iterator[AffectedEntry]:
    for position in positions:
        for stored in memory.log.read(position, position + 1):
            yield AffectedEntry(position, stored.kind, entry_line(stored.entry, memory.project()), position in chosen)


def _forget_problem(error: Refused) -> str:
    if isinstance(error, Moved):
        return "Something was written meanwhile. This is what would change now; look again, and send it again."
    return str(error)


PAGES = (
    Page("/users/{user}/forget", forget_page),
    Page("/users/{user}/forget/take-back", retract_entries, right="write", method="POST"),
    Page("/users/{user}/forget/destroy", erase_entries, right="erase", method="POST"),
)
