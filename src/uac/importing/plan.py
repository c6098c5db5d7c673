"""An import plan: the type of a file's lines and how each column is read. It takes one pass over the whole file."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from uac.errors import Refused
from uac.importing.column_names import Amounts, Direction, amount_with_currency, direction_in_words
from uac.importing.earlier_files import columns_digest
from uac.importing.field_names import field_name_for, field_names
from uac.importing.files import BadLine, Progress, RecordFile, SourceLine
from uac.importing.infer_types import (
    ColumnProfile,
    InferredType,
    column_style,
    currency_in_column,
    infer_column_type,
    kinds_for_type,
    open_column_profile,
)
from uac.importing.value_formats import (
    Form,
    ReadingOptions,
    Style,
    is_missing_cell,
    plain_amount,
    value_form,
    value_forms,
)
from uac.schema.safe_text import shorten
from uac.schema.types import Cardinality, Field, FieldType, Json, Type, check_type, parse_type

__all__ = ["Column", "FieldChoice", "ImportPlan", "PlanOptions", "join_currency_column", "plan_import"]

MAX_COLUMNS = 1000
DAY_ORDER: Mapping[str, str] = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}


class FieldChoice(NamedTuple):
    """The user's choice for one column: the field's name, and its type unless that is to be inferred."""

    field: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The user's options for an import."""

    type_name: str
    key: tuple[str, ...] = ()
    is_one: bool = False
    doc: str = ""
    named: Mapping[str, FieldChoice] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    amounts: Amounts = field(default_factory=Amounts)
    styles: Mapping[str, Style] = field(default_factory=dict)
    """How days are written in columns where earlier files have shown it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file and its field; `form` parses its text, if it is parsed at all."""

    name: str
    field: str
    type: FieldType
    form: Form | None
    sample: str
    direction: Direction = ""
    currency_column: str = ""
    """The column with the currency of its amounts."""
    is_ambiguous: bool = False
    """Whether its texts can be read in several ways."""

    @property
    def lacks_currency(self) -> bool:
        """Whether its amounts name no currency, nor does anything else."""
        if self.form is None or self.currency_column:
            return False
        try:
            self.form.read(plain_amount(self.sample))
        except ValueError:
            return bool(re.fullmatch(r"-?[\d.,]+", plain_amount(self.sample), re.ASCII))
        return False

    def add_values(self, cells: Mapping[str, Json], values: dict[str, Json], reading: ReadingOptions) -> None:
        """Add the line's value of the field, and the direction that an amount shows."""
        raw = cells.get(self.name)
        if self.direction == "words":
            if way := direction_in_words(str(raw or "")):
                values[self.field] = way
            return
        if self.type.kind == "Money" and isinstance(raw, str) and not is_missing_cell(raw, reading):
            raw = plain_amount(raw)
            code = cells.get(self.currency_column) if self.currency_column else None
            raw = f"{raw} {str(code).strip()}" if code and raw[-1:].isdigit() else raw
        value = self.value(raw, reading)
        if value is None:
            return
        if self.direction:
            is_negative = str(value).startswith("-")
            values["direction"] = self.direction if self.direction != "sign" else "out" if is_negative else "in"
            value = str(value).removeprefix("-")
        values[self.field] = value

    def value(self, raw: Json, reading: ReadingOptions) -> Json:
        """The raw value as JSON of the field; None if it is missing. Raises ValueError with the expected form."""
        if is_missing_cell(raw, reading):
            return [] if self.type.kind == "list" else None
        if self.type.kind != "list":
            return self._parse_cell(raw, self.type)
        assert self.type.item is not None
        items = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, list) else [raw]
        item_type = self.type.item
        items = [item.strip() if isinstance(item, str) else item for item in items]
        return [self._parse_cell(item, item_type) for item in items if not is_missing_cell(item, reading)]

    def _parse_cell(self, raw: Json, type_: FieldType) -> Json:
        if type_.kind in ("str", "choice", "ref"):
            return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
        if type_.kind in ("Decimal", "Money") and type(raw) in (int, float):
            raw = repr(raw)
        if self.form is not None and isinstance(raw, str):
            try:
                return self.form.read(raw)
            except ValueError as error:
                raise ValueError(f"{self.name} is {shorten(repr(raw), 60)}. {error}") from None
        return raw


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How a file is imported. `lines` is the number of lines that were valid when the plan was made."""

    type: Type
    is_new: bool
    columns: tuple[Column, ...]
    without: tuple[str, ...]
    notes: tuple[str, ...]
    lines: int
    reading: ReadingOptions
    digest: str = ""
    """Of the columns, if the file is a table: files with the same ones come from the same source."""

    def fields(self, line: SourceLine) -> dict[str, Json]:
        """The line's values by field. Raises ValueError if one does not fit or is missing."""
        values: dict[str, Json] = {}
        for column in self.columns:
            column.add_values(line.cells, values, self.reading)
        for column in self.columns:
            if column.field not in values and not column.type.optional:
                raise ValueError(f"{column.name} is empty. Use a value of type {column.type}.")
        return values


def plan_import(source: RecordFile, known: Type | None, options: PlanOptions, progress: Progress) -> ImportPlan:
    """Read the whole file once and plan its import into the known type, or into an inferred one."""
    profiles: dict[str, ColumnProfile] = {}
    lines, first = 0, None
    for item in source.read(progress):
        if isinstance(item, SourceLine):
            lines += 1
            _profile_line(item, profiles, source, known, options)
        elif isinstance(item, BadLine):
            first = first or item
    if not lines:
        remedy = f"{source.noun.capitalize()} {first.number} {first.why}" if first else "Add one."
        raise Refused(f"{source.path.name} has no valid {source.noun}. {remedy}")
    for profile in profiles.values():
        profile.missing = lines - profile.seen
    without = [name for name, profile in profiles.items() if _is_unnamed_empty_column(name, profile)]
    notes = [f"{name}: has neither a name nor values, left out" for name in without]
    unknown = [name for name in (*options.without, *options.named) if name not in profiles]
    if unknown:
        raise Refused(f"{source.path.name} has no column {unknown[0]!r}. Use one of {_quoted_columns(profiles)}.")
    used = {name: profile for name, profile in profiles.items() if name not in options.without and name not in without}
    if known is not None:
        columns = _columns_of_type(known, used, options, notes)
        type_ = known
    else:
        options = _with_joined_money(used, options)
        used.pop(options.amounts.currency_column, None)
        type_, columns = _new_type(source, used, options, notes)
    columns = tuple(_with_amounts(column, profiles[column.name], options, notes) for column in columns)
    left = tuple(name for name in profiles if name not in used and name != options.amounts.currency_column)
    digest = columns_digest(list(profiles)) if source.is_text and source.template is None else ""
    return ImportPlan(type_, known is None, columns, left, tuple(notes), lines, options.reading, digest)


def join_currency_column(known: Type, cells: Mapping[str, Json], options: PlanOptions) -> PlanOptions:
    """The options for another file of a type whose amounts were joined with a column of currencies."""
    amount, currency = amount_with_currency({name: {str(cell).strip()} for name, cell in cells.items()})
    if not currency or {amount, currency} & {*options.named, *options.without}:
        return options
    filled = _field_for_column(known, amount, options)
    if filled is None or parse_type(filled.type).kind != "Money" or _field_for_column(known, currency, options):
        return options
    return replace(options, amounts=Amounts(currency, {amount: ""}), without=options.without | {currency})


def _with_joined_money(profiles: Mapping[str, ColumnProfile], options: PlanOptions) -> PlanOptions:
    """The options for a new type whose amounts have their currency in a column of its own."""
    amount, currency = amount_with_currency({name: profile.choices for name, profile in profiles.items()})
    is_number = amount and any(form.kind in ("int", "float", "Decimal") for form in profiles[amount].forms)
    if not is_number or {amount, currency} & options.named.keys():
        return options
    return replace(options, amounts=Amounts(currency, {amount: ""}))


def _with_amounts(column: Column, profile: ColumnProfile, options: PlanOptions, notes: list[str]) -> Column:
    """The column with what decides the currency and the direction of its amounts."""
    if column.type.kind != "Money" and column.field != "direction":
        return column
    direction = options.amounts.directions.get(column.name, "")
    if direction == "sign" and not profile.has_negative and not options.amounts.is_signed:
        notes.append(
            f"{column.name}: no amount is negative, so the file does not say whether money went out or came in"
        )
        direction = ""
    return replace(column, direction=direction, currency_column=options.amounts.currency_column)


def _profile_line(
    line: SourceLine, profiles: dict[str, ColumnProfile], source: RecordFile, known: Type | None, options: PlanOptions
) -> None:
    for name, raw in line.cells.items():
        profile = profiles.get(name)
        if profile is None:
            if len(profiles) == MAX_COLUMNS:
                raise Refused(f"{source.path.name} has more than {MAX_COLUMNS:,} columns. Remove some.")
            profile = profiles[name] = _new_column_profile(name, source, known, options)
        if not is_missing_cell(raw, options.reading):
            profile.add_value(raw)


def _new_column_profile(name: str, source: RecordFile, known: Type | None, options: PlanOptions) -> ColumnProfile:
    """A profile that infers the type or, if it is known, the style of its values."""
    text = ""
    if known is not None:
        field_ = _field_for_column(known, name, options)
        text = field_.type if field_ else "str"
    elif name in options.named:
        text = options.named[name].type
    elif source.template is not None:
        text = source.template.types[name]
    if not text:
        return open_column_profile(name, options.reading, is_text=source.is_text)
    kinds = kinds_for_type(parse_type(text, where=f"column {name!r}"))
    currency = currency_in_column(name) or ("XXX" if options.amounts.currency_column else "")
    return ColumnProfile(value_forms(kinds, options.reading, currency), is_strict=False)


def _is_unnamed_empty_column(name: str, profile: ColumnProfile) -> bool:
    return not profile.seen and name.startswith("column ")


def _columns_of_type(
    known: Type, profiles: Mapping[str, ColumnProfile], options: PlanOptions, notes: list[str]
) -> tuple[Column, ...]:
    """The columns by the fields of an existing type."""
    if difference := _difference_from_type(options, known):
        raise Refused(f"{known.full_name} exists already and {difference}. Drop the option, or choose another type.")
    columns: dict[str, Column] = {}
    for name, profile in profiles.items():
        existing = _field_for_column(known, name, options)
        if existing is None:
            raise Refused(
                f"{known.full_name} has no field for column {name!r}. Leave it out with --without {name!r}, or choose "
                f"one of {', '.join(part.name for part in known.fields)} with --field {name!r}=NAME."
            )
        twin = next((column.name for column in columns.values() if column.field == existing.name), "")
        if twin and name not in options.amounts.directions:
            raise Refused(f"columns {twin!r} and {name!r} both fill {existing.name}. Leave one out with --without.")
        wanted = options.named[name].type if name in options.named else ""
        if wanted and str(parse_type(wanted)) not in (existing.type, existing.type.removesuffix(" | None")):
            raise Refused(f"{known.full_name}.{existing.name} is {existing.type}, not {wanted}. Use its type.")
        columns[name] = _known_column(name, existing.name, parse_type(existing.type), profile, options, notes)
    filled = {column.field for column in columns.values()}
    for part in known.fields:
        parsed = parse_type(part.type)
        if part.name not in filled and not parsed.optional and parsed.kind != "list":
            raise Refused(
                f"{known.full_name} needs {part.name}, which no column gives. Use --field COLUMN={part.name}."
            )
    return tuple(columns.values())


def _difference_from_type(options: PlanOptions, known: Type) -> str:
    """How the options differ from the existing type; repeating the same command makes no difference."""
    if options.is_one and known.cardinality != "one":
        return f"is {known.cardinality}, not one"
    names = tuple(part.name if (part := _field_for_column(known, name, options)) else name for name in options.key)
    if names and names != known.key:
        return f"has {'the key ' + ', '.join(known.key) if known.key else 'no key'}"
    return ""


def _field_for_column(type_: Type, column: str, options: PlanOptions) -> Field | None:
    """The field of a column: by the user's choice, by its name, by its original column name, or by its plain name."""
    if column in options.named:
        return type_.field(options.named[column].field)
    made_from = next((part for part in type_.fields if part.doc == column), None)
    return type_.field(column) or made_from or type_.field(field_name_for(column, 0))


def _known_column(
    name: str, field_name: str, type_: FieldType, profile: ColumnProfile, options: PlanOptions, notes: list[str]
) -> Column:
    chosen: Form | None = None
    is_ambiguous = False
    reading = options.reading
    for kind in kinds_for_type(type_):
        style, ties = column_style(profile, kind, reading)
        learned = options.styles.get(name)
        if style is None and learned is not None and learned in ties:
            notes.append(f"{name}: {DAY_ORDER[learned]}, as in earlier files with the same columns")
            style = learned
        is_ambiguous = style is None
        if style is None:
            notes.append(
                f"{name}: its values can be read in several ways ({profile.sample!r}), see --dates and --decimal"
            )
        chosen = value_form(kind, style or ("ymd" if "dmy" in ties else "plain"), reading, currency_in_column(name))
    return Column(name, field_name, type_, chosen, profile.sample, is_ambiguous=is_ambiguous)


def _new_type(
    source: RecordFile, profiles: Mapping[str, ColumnProfile], options: PlanOptions, notes: list[str]
) -> tuple[Type, tuple[Column, ...]]:
    template = source.template
    names = field_names(name for name in profiles if name not in options.named)
    names |= {name: named.field for name, named in options.named.items()}
    key = tuple(names.get(name, name) for name in options.key or (template.key if template else ()))
    columns: list[Column] = []
    fields: list[Field] = []
    for name, profile in profiles.items():
        text = options.named[name].type if name in options.named else template.types[name] if template else ""
        if text:
            column = _known_column(name, names[name], parse_type(text), profile, options, notes)
        else:
            column = _inferred_column(
                name, names[name], infer_column_type(name, profile, options.reading), profile, options, notes
            )
        if column.field in key:  # a line without it is broken, and new values will come
            is_open = column.type.kind == "choice"
            column = replace(column, type=FieldType("str") if is_open else replace(column.type, optional=False))
        is_union = template is not None and name in template.unions
        doc = name if name != column.field else ""
        fields.append(
            Field(name=column.field, type=str(column.type), doc=doc, policy="union" if is_union else "latest")
        )
        columns.append(column)
    domain, _dot, short = options.type_name.partition(".")
    doc = options.doc or (template.doc if template else f"Imported from {source.path.name}.")
    cardinality: Cardinality = "one" if options.is_one else "many" if key else "event"
    type_ = Type(domain=domain, name=short, doc=doc, cardinality=cardinality, key=key, fields=tuple(fields))
    check_type(type_)
    return type_, tuple(columns)


def _inferred_column(
    name: str, field_name: str, inferred: InferredType, profile: ColumnProfile, options: PlanOptions, notes: list[str]
) -> Column:
    if inferred.note:
        notes.append(inferred.note)
    chosen: Form | None = None
    type_ = inferred.type
    if name in options.amounts.directions and type_.kind in ("int", "float", "Decimal"):
        type_ = FieldType("Money", optional=type_.optional)
    for kind in kinds_for_type(type_):
        chosen = value_form(kind, inferred.style, options.reading, currency_in_column(name))
    return Column(name, field_name, type_, chosen, profile.sample)


def _quoted_columns(names: Mapping[str, ColumnProfile]) -> str:
    return ", ".join(repr(name) for name in names)
