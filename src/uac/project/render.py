"""render(project): the user's project as a directory of Python that runs with nothing installed.

The output has only classes and literals. Names were validated before; values are printed as inert literals.
The layout is what `ruff format` would give, so that a person's formatter changes nothing.
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from uac.project.project import Project, Record
from uac.project.render_constraints import render_constraints
from uac.project.render_manifest import render_manifest
from uac.project.runtime import money_source
from uac.schema.literals import WIDTH, literal, text_literal
from uac.schema.safe_text import one_line, shorten
from uac.schema.types import Field, FieldType, Type, parse_type
from uac.schema.values import Money, Typed

__all__ = [
    "CHUNK",
    "field_annotation",
    "render",
    "render_bare_class",
    "render_classes",
    "rendered_fields",
]

MAX_COMMENT = 300
CHUNK = 1000
"""Records of one collection in one file; more are split, so that no file is slow to open."""


def render(project: Project) -> dict[str, str]:
    """The files of the project by path. The same project gives the same bytes."""
    files = {
        "manifest.py": render_manifest(project),
        "domains/__init__.py": '"""One module per domain: from domains import travel."""\n',
        "domains/_money.py": money_source(),
        "tests/__init__.py": "",
        "tests/test_state.py": _render_state_test(project),
    }
    for domain in project.domains:
        types = project.types_of(domain)
        files[f"domains/{domain}/__init__.py"] = _render_domain_init(domain, types)
        files[f"domains/{domain}/schema.py"] = _render_schema(domain, types)
        files.update(_render_state(project, domain, types))
    files |= render_constraints(project)
    return dict(sorted(files.items()))


def render_classes(types: Iterable[Type]) -> str:
    """The dataclasses of types, without imports."""
    return "\n\n".join(_render_class(type_) for type_ in types)


def render_bare_class(type_: Type, name: str) -> str:
    """The dataclass for the sandbox, where objects are made of rows and annotations are not looked at."""
    return "".join([f"@dataclass\nclass {name}:\n", *(f"    {part.name}: object\n" for part in rendered_fields(type_))])


def field_annotation(type_: FieldType) -> str:
    """The field's type in a class; a reference is the key of another record, as text."""
    if type_.kind == "ref":
        text = "str"
    elif type_.kind == "list":
        assert type_.item is not None
        text = f"list[{field_annotation(type_.item)}]"
    elif type_.kind == "choice":
        text = f"Literal[{', '.join(text_literal(choice) for choice in type_.choices)}]"
    else:
        text = type_.kind
    return f"{text} | None" if type_.optional else text


def _render_class(type_: Type) -> str:
    name = type_.name
    key = f"key: {', '.join(type_.key)}" if type_.key else "no key"
    lines = [
        "@dataclass",
        f"class {name}:",
        f'    """{_class_docstring(type_)}"""',
        "",
        f"    # {type_.cardinality}, {key}",
    ]
    aliases: list[str] = []
    for part in rendered_fields(type_):
        parsed = parse_type(part.type)
        text = field_annotation(parsed)
        if (choice := parsed.item or parsed).kind == "choice" and len(text) > WIDTH // 2:
            aliases.append(_render_choices_alias(f"{name}_{part.name}", choice))
            text = f"list[{name}_{part.name}]" if parsed.item else f"{name}_{part.name}"
            text = f"{text} | None" if parsed.optional else text
        default = " = None" if parsed.optional else ""
        if parsed.kind == "list" and not parsed.optional:
            default = " = field(default_factory=list)"
        if note := _field_comment(part, parsed):
            lines.append(f"    # {note}")
        lines.append(f"    {part.name}: {text}{default}")
    return "".join(aliases) + "\n".join(lines) + "\n"


def _render_choices_alias(name: str, type_: FieldType) -> str:
    """A long closed set of texts, one a line, under a name of its own."""
    choices = "".join(f"    {text_literal(choice)},\n" for choice in type_.choices)
    return f"{name} = Literal[\n{choices}]\n\n\n"


def _field_comment(part: Field, type_: FieldType) -> str:
    target = (type_.item or type_).ref
    notes = [f"key of {target}"] if target else []
    notes += [f"policy: {part.policy}"] if part.policy != "latest" else []
    return "; ".join([*notes, *([_comment_text(part.doc)] if part.doc else [])])


def rendered_fields(type_: Type) -> list[Field]:
    """Fields as a dataclass needs them: those without a default first."""
    return sorted(type_.fields, key=lambda field: (parsed := parse_type(field.type)).optional or parsed.kind == "list")


def _render_domain_init(domain: str, types: list[Type]) -> str:
    names = [type_.name for type_ in types]
    lists = [name for type_ in types for name in (type_.collected_as, type_.former)]
    return f'"""{domain}: {", ".join(type_.collected_as for type_ in types)}."""\n\n' + "\n".join(
        [
            *(_relative_import("schema", f"{name} as {name}") for name in names),
            *(_relative_import("state", f"{n} as {n}") for n in lists),
            "",
        ]
    )


def _render_schema(domain: str, types: list[Type]) -> str:
    kinds: set[str] = {
        (parsed.item or parsed).kind for type_ in types for f in type_.fields for parsed in [parse_type(f.type)]
    }
    has_list = any(
        parsed.kind == "list" and not parsed.optional
        for type_ in types
        for f in type_.fields
        for parsed in [parse_type(f.type)]
    )
    head = f'"""The types of {domain}."""\n\nfrom __future__ import annotations\n\n' + _render_imports(
        kinds, dataclass="dataclass, field" if has_list else "dataclass"
    )
    return f"{head}\n\n{render_classes(types)}"


def _render_state(project: Project, domain: str, types: list[Type]) -> dict[str, str]:
    folder = f"domains/{domain}"
    files: dict[str, str] = {}
    imports: list[str] = []
    body: list[str] = []
    inline: list[Record] = []
    for type_ in types:
        records = project.complete_records(type_.full_name)
        body += [_incomplete_comment(record) for record in project.records(type_.full_name) if record.is_incomplete]
        standing = [record for record in records if record.ended is None]
        ended = [record for record in records if record.ended is not None]
        if type_.cardinality == "one":
            body.append(_render_single_record(type_, standing))
            inline += standing
        elif len(standing) > CHUNK:
            parts = [standing[start : start + CHUNK] for start in range(0, len(standing), CHUNK)]
            for number, part in enumerate(parts, 1):
                name = f"{type_.collected_as}_{number:04}"
                files[f"{folder}/state_{name}.py"] = _render_state_file(
                    f"{domain}: {type_.collected_as}, part {number} of {len(parts)}",
                    [type_],
                    _render_record_list(name, type_, part),
                    part,
                )
                imports.append(_relative_import(f"state_{name}", name))
            joined = "".join(f"    *{type_.collected_as}_{number:04},\n" for number in range(1, len(parts) + 1))
            body.append(f"{type_.collected_as}: list[{type_.name}] = [\n{joined}]\n")
        else:
            body.append(_render_record_list(type_.collected_as, type_, standing))
            inline += standing
        body.append(_render_record_list(type_.former, type_, ended))
        inline += ended
    files[f"{folder}/state.py"] = _render_state_file(
        f"The records of {domain}", types, "\n".join(body), inline, imports
    )
    return files


def _render_state_file(
    title: str, types: list[Type], body: str, records: Iterable[Record], imports: Iterable[str] = ()
) -> str:
    values = (value for record in records for value in record.values.values() if not isinstance(value, _PLAIN))
    kinds = {kind for value in values for kind in _rendered_value_imports(value)}
    lines = [_relative_import("schema", *sorted(type_.name for type_ in types)), *imports]
    return (
        f'"""{title}."""\n\n'
        + _render_imports(kinds)
        + ("\n" if kinds - {"Money"} and "Money" not in kinds else "")
        + "\n".join(lines)
        + f"\n\n{body}"
    )


def _incomplete_comment(record: Record) -> str:
    """A line for a record that code does not see, because a field that its type requires has no value."""
    whys = ", ".join(f"{each.field}: {each.why}" for each in record.unsure if record.values[each.field] is None)
    return f"# {_comment_text(shorten(f'left out: {record.id} ({whys})', MAX_COMMENT))}\n"


def _render_single_record(type_: Type, standing: list[Record]) -> str:
    lead = f"{type_.collected_as}: {type_.name} | None = "
    if not standing:
        return f"{lead}None\n"
    return (
        f"{lead}{_render_record(type_, standing[0], _blank_rendered_fields(type_), 0)}{_origin_comment(standing[0])}\n"
    )


def _render_record_list(name: str, type_: Type, records: list[Record]) -> str:
    if not records:
        return f"{name}: list[{type_.name}] = []\n"
    fields = _blank_rendered_fields(type_)
    items = "".join(f"    {_render_record(type_, record, fields, 4)},{_origin_comment(record)}\n" for record in records)
    return f"{name}: list[{type_.name}] = [\n{items}]\n"


def _blank_rendered_fields(type_: Type) -> list[tuple[str, Typed]]:
    """The fields in order, each with its value when unset: an empty list, or None."""
    parsed = [(part.name, parse_type(part.type)) for part in rendered_fields(type_)]
    return [(name, () if kind.kind == "list" and not kind.optional else None) for name, kind in parsed]


def _render_record(type_: Type, record: Record, fields: list[tuple[str, Typed]], indent: int) -> str:
    pad = " " * (indent + 4)
    lines = [f"{type_.name}("]
    values = record.values
    for name, blank in fields:
        value = values.get(name)
        lead = f"{pad}{name}="
        text = literal(blank if value is None else value, indent=indent + 4, lead=len(lead) + 1)
        lines.append(f"{lead}{text},")
    return "\n".join([*lines, " " * indent + ")"])


def _origin_comment(record: Record) -> str:
    """Where the record comes from: the positions of the facts in the log."""
    cites = sorted(record.cites)
    text = ", ".join(map(str, cites[:5])) + (f" and {len(cites) - 5} more" if len(cites) > 5 else "")
    ended = f"; {record.ended.reason} {record.ended.when}" if record.ended else ""
    return f"  # from {text}{ended}" if cites else ""


def _render_state_test(project: Project) -> str:
    domains = [domain for domain in project.domains if project.types_of(domain)]
    lines = ['"""The state holds what the manifest says."""', ""]
    lines += [f"from domains import {domain}" for domain in domains] + ["", ""] * bool(domains)
    for domain in domains:
        lines.append(f"def test_{domain}() -> None:")
        for type_ in project.types_of(domain):
            standing = sum(record.ended is None for record in project.complete_records(type_.full_name))
            if type_.cardinality == "one":
                lines.append(f"    assert ({domain}.{type_.collected_as} is not None) is {standing > 0}")
            else:
                lines.append(f"    assert len({domain}.{type_.collected_as}) == {standing}")
        lines += ["", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _relative_import(module: str, *names: str) -> str:
    line = f"from .{module} import {', '.join(names)}"
    return line if len(line) <= WIDTH else f"from .{module} import (\n" + "".join(f"    {n},\n" for n in names) + ")"


def _render_imports(kinds: set[str], *, dataclass: str = "") -> str:
    moments = sorted(kinds & {"date", "datetime", "time", "timedelta", "timezone"})
    lines = [f"from dataclasses import {dataclass}"] if dataclass else []
    lines += [f"from datetime import {', '.join(moments)}"] if moments else []
    lines += ["from decimal import Decimal"] if kinds & {"Decimal"} else []
    lines += ["from typing import Literal"] if kinds & {"choice"} else []
    if "Money" in kinds:
        lines += [*([""] if lines else []), "from .._money import Money"]
    return "".join(f"{line}\n" for line in lines)


_PLAIN = (str, bool, int, float, type(None))


def _rendered_value_imports(value: Typed) -> set[str]:
    match value:
        case Money():
            return {"Money", "Decimal"}
        case datetime():
            return {"datetime", "timezone"} | ({"timedelta"} if value.utcoffset() else set())
        case tuple():
            return {kind for item in value for kind in _rendered_value_imports(item)}
        case date() | time() | timedelta() | Decimal():
            return {type(value).__name__}
        case _:
            return set()


def _class_docstring(type_: Type) -> str:
    return _comment_text(type_.doc) or f"A record of {type_.domain}."


def _comment_text(text: str) -> str:
    """A person's or a model's sentence, made unable to end a comment or a docstring."""
    return one_line(text.replace("\\", "/").replace('"', "'"))
