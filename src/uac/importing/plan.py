"""An import plan: the type of a file's lines and how each column is read. It takes one pass over the whole file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from uac.errors import Refused
from uac.importing.field_names import currency_in, field_names, plain_name
from uac.importing.files import BadLine, Progress, RecordFile, SourceLine
from uac.importing.infer_types import Inferred, Profile, infer, kinds_for, open_profile, style_of
from uac.importing.value_formats import Form, ReadingOptions, form, forms_of
from uac.schema.safe_text import shorten
from uac.schema.types import Cardinality, Field, FieldType, Json, Type, check_type, is_blank, parse_type

__all__ = ["Column", "ImportPlan", "Named", "PlanOptions", "survey"]

MAX_COLUMNS = 1000


class Named(NamedTuple):
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
    named: Mapping[str, Named] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    reading: ReadingOptions = field(default_factory=ReadingOptions)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file and its field; `form` parses its text, if it is parsed at all."""

    name: str
    field: str
    type: FieldType
    form: Form | None
    sample: str

    def value(self, raw: Json, reading: ReadingOptions) -> Json:
        """The raw value as JSON of the field; None if it is missing. Raises ValueError with the expected form."""
        if _is_missing(raw, reading):
            return [] if self.type.kind == "list" else None
        if self.type.kind != "list":
            return self._single(raw, self.type)
        assert self.type.item is not None
        items = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, list) else [raw]
        item_type = self.type.item
        items = [item.strip() if isinstance(item, str) else item for item in items]
        return [self._single(item, item_type) for item in items if not _is_missing(item, reading)]

    def _single(self, raw: Json, type_: FieldType) -> Json:
        if type_.kind in ("str", "choice", "ref"):
            return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
        if type_.kind in ("Decimal", "Money") and type(raw) in (int, float):
            raw = repr(raw)
        if self.form is not None and isinstance(raw, str):
            try:
                return self.form.read(raw)
            except ValueError as error:
                raise ValueError(f"{self.name} is {shorten(repr(raw), 60)}, {error}") from None
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

    def fields(self, line: SourceLine) -> dict[str, Json]:
        """The line's values by field. Raises ValueError if one does not fit or is missing."""
        values: dict[str, Json] = {}
        for column in self.columns:
            value = column.value(line.cells.get(column.name), self.reading)
            if value is not None:
                values[column.field] = value
            elif not column.type.optional:
                raise ValueError(f"{column.name} is empty, needs {column.type}")
        return values


def survey(source: RecordFile, known: Type | None, options: PlanOptions, progress: Progress) -> ImportPlan:
    """Read the whole file once and plan its import into the known type, or into an inferred one."""
    profiles: dict[str, Profile] = {}
    lines, first = 0, None
    for item in source.read(progress):
        if isinstance(item, SourceLine):
            lines += 1
            _see(item, profiles, source, known, options)
        elif isinstance(item, BadLine):
            first = first or item
    if not lines:
        where = f"; {source.noun} {first.number} {first.why}" if first else ""
        raise Refused(f"{source.path.name}: holds no {source.noun} that can be read{where}")
    for profile in profiles.values():
        profile.missing = lines - profile.seen
    without = [name for name, profile in profiles.items() if _is_empty(name, profile)]
    notes = [f"{name}: has neither a name nor values, left out" for name in without]
    unknown = [name for name in (*options.without, *options.named) if name not in profiles]
    if unknown:
        raise Refused(f"{source.path.name}: there is no column {unknown[0]!r}, needs one of {_listed(profiles)}")
    used = {name: profile for name, profile in profiles.items() if name not in options.without and name not in without}
    if known is not None:
        columns = _columns_of(known, used, options, notes)
        type_ = known
    else:
        type_, columns = _new_type(source, used, options, notes)
    left = tuple(name for name in profiles if name not in used)
    return ImportPlan(type_, known is None, columns, left, tuple(notes), lines, options.reading)


def _is_missing(raw: Json, reading: ReadingOptions) -> bool:
    """Whether a cell has no value: empty, nothing visible, or a text that means a missing value."""
    return raw is None or (isinstance(raw, str) and (is_blank(raw) or raw in reading.missing))


def _see(
    line: SourceLine, profiles: dict[str, Profile], source: RecordFile, known: Type | None, options: PlanOptions
) -> None:
    for name, raw in line.cells.items():
        profile = profiles.get(name)
        if profile is None:
            if len(profiles) == MAX_COLUMNS:
                raise Refused(f"{source.path.name}: has more than {MAX_COLUMNS:,} columns, needs fewer")
            profile = profiles[name] = _profile(name, source, known, options)
        if not _is_missing(raw, options.reading):
            profile.see(raw)


def _profile(name: str, source: RecordFile, known: Type | None, options: PlanOptions) -> Profile:
    """A profile that infers the type or, if it is known, the style of its values."""
    text = ""
    if known is not None:
        field_ = _field_for(known, name, options)
        text = field_.type if field_ else "str"
    elif name in options.named:
        text = options.named[name].type
    elif source.template is not None:
        text = source.template.types[name]
    if not text:
        return open_profile(name, options.reading, is_text=source.is_text)
    kinds = kinds_for(parse_type(text, where=f"column {name!r}"))
    return Profile(forms_of(kinds, options.reading, currency_in(name)), is_strict=False)


def _is_empty(name: str, profile: Profile) -> bool:
    return not profile.seen and name.startswith("column ")


def _columns_of(
    known: Type, profiles: Mapping[str, Profile], options: PlanOptions, notes: list[str]
) -> tuple[Column, ...]:
    """The columns by the fields of an existing type."""
    if difference := _difference(options, known):
        raise Refused(f"{known.full_name} is there already and {difference}; drop the option, or choose another type")
    columns: dict[str, Column] = {}
    for name, profile in profiles.items():
        existing = _field_for(known, name, options)
        if existing is None:
            raise Refused(
                f"{known.full_name} has no field for column {name!r}; --without {name!r} leaves it out, "
                f"--field {name!r}=NAME says which of {', '.join(part.name for part in known.fields)} it is"
            )
        if existing.name in columns:
            raise Refused(
                f"columns {columns[existing.name].name!r} and {name!r} are both {existing.name}, needs --without one"
            )
        wanted = options.named[name].type if name in options.named else ""
        if wanted and str(parse_type(wanted)) not in (existing.type, existing.type.removesuffix(" | None")):
            raise Refused(f"{known.full_name}.{existing.name} is {existing.type} already, not {wanted}")
        columns[existing.name] = _known_column(
            name, existing.name, parse_type(existing.type), profile, options.reading, notes
        )
    for part in known.fields:
        parsed = parse_type(part.type)
        if part.name not in columns and not parsed.optional and parsed.kind != "list":
            raise Refused(f"{known.full_name} needs {part.name}, which no column gives; --field COLUMN={part.name}")
    return tuple(columns.values())


def _difference(options: PlanOptions, known: Type) -> str:
    """How the options differ from the existing type; repeating the same command makes no difference."""
    if options.is_one and known.cardinality != "one":
        return f"is {known.cardinality}, not one"
    names = tuple(part.name if (part := _field_for(known, name, options)) else name for name in options.key)
    if names and names != known.key:
        return f"has {'the key ' + ', '.join(known.key) if known.key else 'no key'}"
    return ""


def _field_for(type_: Type, column: str, options: PlanOptions) -> Field | None:
    """The field of a column: by the user's choice, by its name, by its original column name, or by its plain name."""
    if column in options.named:
        return type_.field(options.named[column].field)
    made_from = next((part for part in type_.fields if part.doc == column), None)
    return type_.field(column) or made_from or type_.field(plain_name(column, 0))


def _known_column(
    name: str, field_name: str, type_: FieldType, profile: Profile, reading: ReadingOptions, notes: list[str]
) -> Column:
    chosen: Form | None = None
    for kind in kinds_for(type_):
        style, ties = style_of(profile, kind, reading)
        if style is None:
            notes.append(
                f"{name}: its values can be read in several ways ({profile.sample!r}), see --dates and --decimal"
            )
        chosen = form(kind, style or ("ymd" if "dmy" in ties else "plain"), reading, currency_in(name))
    return Column(name, field_name, type_, chosen, profile.sample)


def _new_type(
    source: RecordFile, profiles: Mapping[str, Profile], options: PlanOptions, notes: list[str]
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
            column = _known_column(name, names[name], parse_type(text), profile, options.reading, notes)
        else:
            column = _inferred_column(name, names[name], infer(name, profile, options.reading), profile, options, notes)
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
    name: str, field_name: str, inferred: Inferred, profile: Profile, options: PlanOptions, notes: list[str]
) -> Column:
    if inferred.note:
        notes.append(inferred.note)
    chosen: Form | None = None
    for kind in kinds_for(inferred.type):
        chosen = form(kind, inferred.style, options.reading, currency_in(name))
    return Column(name, field_name, inferred.type, chosen, profile.sample)


def _listed(names: Mapping[str, Profile]) -> str:
    return ", ".join(repr(name) for name in names)
