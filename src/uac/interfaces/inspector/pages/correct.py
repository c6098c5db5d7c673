"""Correct a field in place: a form that suits its type, a preview of what will change, and then the change."""

from starlette.responses import Response

from uac.errors import Moved, Refused
from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.page import Page, PageView, read_page_id, read_page_position
from uac.interfaces.inspector.preview import Preview, preview_entries
from uac.interfaces.inspector.record_names import record_name
from uac.memory.memory import Memory
from uac.project.draft import Draft
from uac.project.project import Project, Record
from uac.project.record_changes import correct_record as correct_draft
from uac.schema.entries import Correction
from uac.schema.safe_text import visible
from uac.schema.types import Field, FieldType, Json, parse_type
from uac.schema.values import Typed, dump_value

__all__ = ["PAGES", "parse_corrected_text", "text_to_correct"]

LONG = 60  # texts longer than this get several lines


def correction_page(view: PageView) -> Response:
    """`?record=` an id, `&field=` one of its fields; with `&text=` (or `&none=1`), what that value would change."""
    fields = view.request.query_params.items()
    return _render_correction_form(view, {name: text.replace("\r\n", "\n") for name, text in fields})


def submit_correction(view: PageView) -> Response:
    """Write the correction, unless the log has changed since the preview."""
    fields = dict(view.form)
    try:
        with view.memory() as memory:
            record, part = _record_and_field(memory.project(), fields)
            with memory.once(after=read_page_position(fields.get("after", ""))):
                value = _corrected_value(parse_type(part.type), fields)
                position = memory.correct(record.id, part.name, value, why=fields.get("why", "").strip())
    except Moved:
        return _render_correction_form(
            view, fields, note="Something was written meanwhile. This is what would change now.", status=409
        )
    except Refused as error:
        return _render_correction_form(view, fields, problem=str(error), status=422)
    return view.redirect("changed", at=position, done=1)


def _render_correction_form(
    view: PageView, fields: dict[str, str], *, note: str = "", problem: str = "", status: int = 200
) -> Response:
    foreseen: Preview | None = None
    with view.memory() as memory:
        project = memory.project()
        record, part = _record_and_field(project, fields)
        kind = parse_type(part.type)
        value = record.values.get(part.name)
        text = fields.get("text", text_to_correct(value))
        if not problem and ("text" in fields or fields.get("none")):
            try:
                foreseen = _preview_correction(memory, record, part, fields)
            except Refused as error:
                problem, status = str(error), 422
    return view.render_template(
        "correct.html",
        status=status,
        record=record,
        name=record_name(record, project.types[record.type]),
        field=part,
        kind=kind,
        item=kind.item or kind,
        value=value,
        text=text,
        is_none=bool(fields.get("none")),
        why=fields.get("why", ""),
        is_long=kind.kind == "list" or len(text) > LONG or "\n" in text,
        foreseen=foreseen,
        note=note,
        problem=problem,
    )


def _preview_correction(memory: Memory, record: Record, part: Field, fields: dict[str, str]) -> Preview:
    project = memory.project()
    value = dump_value(_corrected_value(parse_type(part.type), fields))
    entry = Correction(record=record.id, field=part.name, value=value, why=fields.get("why", "").strip())
    correct_draft(
        Draft(project, bounded=True), entry, project.position + 1, memory.log.now()
    )  # raises if the value is invalid
    return preview_entries(memory, [entry])


def _record_and_field(project: Project, fields: dict[str, str]) -> tuple[Record, Field]:
    wanted = read_page_id(fields, "record")
    try:
        record = project.record(wanted)
    except Refused:
        raise NotFound(f"No record {wanted!r}. It may have been dropped or renamed.") from None
    part = project.types[record.type].field(fields.get("field", ""))
    if part is None:
        raise NotFound(f"{record.type} has no field {fields.get('field', '')!r}.")
    return record, part


def _corrected_value(kind: FieldType, fields: dict[str, str]) -> Json:
    text = fields.get("text", "")
    if (
        not fields.get("none") and visible(text, lines=True) != text
    ):  # a page shows them as escapes, and would submit those
        raise Refused(f"is {text!r}. Remove the invisible characters.")
    return None if fields.get("none") else parse_corrected_text(text, kind)


def parse_corrected_text(text: str, kind: FieldType) -> Json:
    """Typed text as the value that the field's type parses; the type itself validates it."""
    match kind.kind:
        case "str":
            return text
        case "int" | "float":
            return _parse_corrected_number(text.strip(), kind)
        case "bool":
            if text not in ("yes", "no"):
                raise Refused(f"is {text!r}. Use yes or no.")
            return text == "yes"
        case "list":
            assert kind.item is not None
            return [parse_corrected_text(line.strip(), kind.item) for line in text.split("\n") if line.strip()]
        case _:
            return text.strip()


def text_to_correct(value: Typed) -> str:
    """A value as a person would type it: lists with one item per line."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case tuple():
            return "\n".join(map(text_to_correct, value))
        case _:
            return str(dump_value(value))


def _parse_corrected_number(text: str, kind: FieldType) -> int | float:
    try:
        return int(text) if kind.kind == "int" else float(text)
    except ValueError:
        raise Refused(f"is {text!r}. Use {'a whole number' if kind.kind == 'int' else 'a number'}.") from None


PAGES = (
    Page("/users/{user}/correct", correction_page, right="write"),
    Page("/users/{user}/correct", submit_correction, right="write", method="POST"),
)
