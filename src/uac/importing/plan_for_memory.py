"""The plan of an import into one user's memory: the pack's type, the user's own, or a new one."""

from collections.abc import Sequence
from dataclasses import replace

from uac.errors import Refused
from uac.importing.column_names import find_column_fields
from uac.importing.csv_files import CsvRows
from uac.importing.earlier_files import EarlierLines, learn_from_earlier_lines
from uac.importing.files import Progress, RecordFile, SourceLine
from uac.importing.plan import FieldChoice, ImportPlan, PlanOptions, join_currency_column, plan_import
from uac.memory.memory import Memory
from uac.packs import Pack
from uac.schema.types import Field, Type, parse_type

__all__ = ["plan_memory_import"]


def plan_memory_import(memory: Memory, source: RecordFile, options: PlanOptions, progress: Progress) -> ImportPlan:
    """Plan the import of a file. A type of a pack is never redefined: its columns are found by their usual names."""
    known = memory.project().types.get(options.type_name)
    type_ = known or (memory.type_named(options.type_name) if source.template is None else None)
    first = next((item for item in source.read(lambda _size: None) if isinstance(item, SourceLine)), None)
    if type_ is None or first is None:
        return plan_import(source, known, options, progress)
    columns = list(first.cells)
    earlier = EarlierLines()
    if isinstance(source, CsvRows) and known is not None:
        earlier = learn_from_earlier_lines(memory, type_, columns, source.used_delimiter())
    notes: list[str] = []
    options = _with_earlier(options, earlier)
    if memory.shadowed(options.type_name) or not any(type_.full_name in _type_names(pack) for pack in memory.packs):
        return plan_import(source, type_, join_currency_column(type_, first.cells, options), progress)
    options = _for_pack(type_, columns, options, earlier, notes)
    plan = plan_import(source, type_, options, progress)
    _refuse_unreadable(plan)
    return replace(plan, notes=(*notes, *plan.notes))


def _with_earlier(options: PlanOptions, earlier: EarlierLines) -> PlanOptions:
    """The options with the way of writing days, and the currency, of earlier files with these columns."""
    reading = options.reading
    styles = {} if reading.dates else earlier.styles
    return replace(options, styles=styles, reading=replace(reading, currency=reading.currency or earlier.currency))


def _refuse_unreadable(plan: ImportPlan) -> None:
    """Refuse a file whose days or amounts no line can give, before every line is reported."""
    for column in plan.columns:
        is_required = not column.type.optional and bool(column.sample)
        if is_required and column.type.kind == "date" and column.is_ambiguous:
            raise Refused(
                f"{column.name}: day and month are ambiguous in every line ({column.sample!r}). Give --dates day-first "
                "or --dates month-first; later files with the same columns are read in the same way."
            )
        if is_required and column.type.kind == "Money" and column.lacks_currency:
            raise Refused(
                f"{column.name}: the amounts have no currency ({column.sample!r}). Give it, as in --currency EUR; "
                "later files with the same columns have the same one."
            )


def _for_pack(
    type_: Type, columns: Sequence[str], options: PlanOptions, earlier: EarlierLines, notes: list[str]
) -> PlanOptions:
    """The options with the field of every column; columns without one are left out, and named."""
    decided = {*options.named, *options.without}
    found = find_column_fields(type_, columns, decided)
    fields = {column: choice.field for column, choice in options.named.items()} | dict(found.fields)
    for column, name in earlier.fields.items():
        if column not in fields and column not in decided and name not in fields.values():
            fields[column] = name
    needed = [part.name for part in type_.fields if _is_required(part)]
    if lacking := [name for name in needed if name not in fields.values()]:
        free = [column for column in columns if column not in fields and column not in options.without]
        raise Refused(
            f"The pack's {type_.full_name} needs {', '.join(lacking)}, and no column has that name. Name the column, "
            f"as in --field {free[0] if free else 'COLUMN'!r}={lacking[0]}, or import the file as a type of your own, "
            f"such as --as {type_.domain}.My{type_.name}. If the first line is no header, delete the lines above it."
        )
    currency = found.amounts.currency_column
    left = [column for column in columns if column not in fields and column not in decided and column != currency]
    if left:
        them = "it" if len(left) == 1 else "them"
        names = ", ".join(map(repr, left))
        hint = f"--field {left[0]!r}=NAME chooses one"
        notes.append(f"left out: {names}: {type_.full_name} has no field for {them} ({hint})")
    named = {column: options.named.get(column) or FieldChoice(name) for column, name in fields.items()}
    without = options.without | {*left} | ({currency} if currency else set())
    amounts = replace(found.amounts, is_signed=earlier.is_signed)
    return replace(options, named=named, without=without, amounts=amounts)


def _type_names(pack: Pack) -> set[str]:
    return {type_.full_name for type_ in pack.types}


def _is_required(part: Field) -> bool:
    parsed = parse_type(part.type)
    return not parsed.optional and parsed.kind != "list"
