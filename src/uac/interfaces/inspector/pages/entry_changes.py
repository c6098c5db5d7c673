"""The changes made by one entry, and undo: it retracts the entry, and undoing the retraction restores it."""

from starlette.responses import Response

from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.entry_lines import entry_line
from uac.interfaces.inspector.history_cache import Step, history_steps
from uac.interfaces.inspector.page import Page, PageView, read_page_position
from uac.interfaces.inspector.preview import Preview, preview_alert_effects, preview_files, readable_changes
from uac.log.log import Stored
from uac.project.project import Project
from uac.schema.entries import AlertChange, Checkpoint, Correction, Erasure, Retraction, Tick

__all__ = ["PAGES"]

UNDONE = "undone in the inspector"
UNDOABLE = (Checkpoint, Correction, Retraction, AlertChange)


def entry_changes_page(view: PageView) -> Response:
    """`?at=` a position: the changes made by the entry, with the alerts it caused."""
    at = view.query_number("at")
    with view.memory() as memory:
        project = memory.project()
        stored = next(memory.log.read(at, at + 1), None) if at else None
    if stored is None:
        raise NotFound(f"There is no entry {at}.")
    step = next((step for step in history_steps(project) if step.position == at), None)
    return view.render_template(
        "changed.html",
        stored=stored,
        line=entry_line(stored.entry, project),
        is_done=view.query("done") == "1",
        is_gone=at in project.gone,
        can_undo=at not in project.gone and isinstance(stored.entry, UNDOABLE),
        is_erasure=isinstance(stored.entry, Erasure),
        erased=len(stored.entry.erased) if isinstance(stored.entry, Erasure) else 0,
        foreseen=_entry_effect(view, step, stored),
        record=_record_changed_by_entry(project, stored),
    )


def undo_entry(view: PageView) -> Response:
    """Retract one entry."""
    at = read_page_position(view.form.get("at", ""))
    with view.memory() as memory:
        if not 0 < at <= memory.log.head().position:
            raise NotFound(f"There is no entry {at}.")
        position = memory.retract([at], why=UNDONE, reviewed=view.has_right("admin"))
    return view.redirect("changed", at=position, done=1)


def _entry_effect(view: PageView, step: Step | None, stored: Stored) -> Preview | None:
    """The difference that the entry made; None for entries that do not change records."""
    if step is None:
        return None
    cache, log, name = view.state.history_cache, view.user_context.log, view.user_context.store_user_id
    before = cache.project_at(name, log, step.position - 1)
    after = cache.project_at(name, log, step.through)
    entries = [later.entry for later in log.read(step.position + 1, step.through + 1)]
    alerts = preview_alert_effects(before, entries)
    return Preview(
        stored.position,
        readable_changes(before, after),
        tuple(one for one in alerts if one.change != "expired"),
        preview_files(cache.project_files(name, before), cache.project_files(name, after)),
        tuple(one for one in alerts if one.change == "expired"),
        before.now if any(isinstance(entry, Tick) for entry in entries) else None,
    )


def _record_changed_by_entry(project: Project, stored: Stored) -> str:
    """The corrected record, if it still exists under that id."""
    if not isinstance(stored.entry, Correction):
        return ""
    record = stored.entry.record
    table = project.tables.get(record.partition(":")[0])
    return record if table is not None and record in table else ""


PAGES = (
    Page("/users/{user}/changed", entry_changes_page),
    Page("/users/{user}/undo", undo_entry, right="write", method="POST"),
)
