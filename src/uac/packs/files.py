"""The files of a pack, read as trees and data; nothing in them is run."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from uac.errors import Refused
from uac.packs.row_checks import path_of_checks, with_unconfirmed_rows
from uac.packs.shipped_tables import shipped_table
from uac.schema.constraint_code import read_constraint
from uac.schema.constraint_files import SourceLine, parse_constraint, source_lines
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.helper_files import read_helpers
from uac.schema.literals import plain_value
from uac.schema.shipped_analysis import shipped_analysis
from uac.schema.syntax import module_tree
from uac.schema.types import Cardinality, Field, Policy, Type, check_name, check_type

__all__ = ["Pack", "analyse_pack_types", "load_pack", "pack_table"]

_GAP = r"[\s\\]*\.[\s\\]*"
READ = re.compile(rf"user{_GAP}(\w+){_GAP}(\w+)")
"""How code reads a collection; a chain may be broken over lines."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A ready-made domain. Its constraints, helpers and tables are read on first use."""

    name: str
    version: str
    date: str
    summary: str
    types: tuple[Type, ...]
    sources: Mapping[str, str] = field(repr=False)
    """The text of each constraint's file, by the constraint's name."""
    folder: Path
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    """The collections that each constraint may read. Found by searching its text: complete, but not exact."""
    helpers: str = field(default="", repr=False)
    """The text of helpers.py."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(self.constraint(name) for name in self.sources)

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        return tuple(_read_pack_table(path, self.name) for path in sorted(self.folder.glob("knowledge/*.json")))

    def table(self, name: str) -> Knowledge | None:
        """The table of this full name, such as 'health.drugs', or None. Reads no other if its file has that name."""
        pack, _dot, stem = name.partition(".")
        if pack != self.name:
            return None
        path = self.folder / "knowledge" / f"{stem}.json"
        found = _read_pack_table(path, self.name) if path.is_file() else None
        named = (found,) if found is not None and found.name == name else self.knowledge
        return next((table for table in named if table.name == name), None)

    @property
    def words(self) -> Mapping[str, str]:
        """Words by which a fact finds a type, by the name of the type."""
        return _read_pack_words(self.folder)

    def constraint(self, name: str) -> Constraint:
        """The constraint with the helpers that it uses, or Refused with the file and the line."""
        return _read_pack_constraint(
            self.folder.name, name, self.sources[name], f"{self.name} {self.version}", self.helpers
        )

    def locate(self, name: str, why: str) -> str:
        """An error in a constraint's code, with the file and line of the pack instead of the line of the code."""
        return _locate_in_pack(
            self.folder.name, name, why, source_lines(self.sources[name], read_helpers(self.helpers))
        )


def load_pack(folder: Path) -> Pack:
    """Read the pack in a folder, or raise Refused with the file and the reason."""
    about = _read_pack_toml(folder)
    name = about["name"]
    check_name(name, "pack")
    types = _load_pack_types(folder / "types.py", name) if (folder / "types.py").is_file() else ()
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("constraints/*.py"))}
    reads = {stem: frozenset(f"{domain}.{each}" for domain, each in READ.findall(sources[stem])) for stem in sources}
    helpers = (folder / "helpers.py").read_text(encoding="utf-8") if (folder / "helpers.py").is_file() else ""
    return Pack(name, about["version"], about["date"], about["summary"], types, sources, folder, reads, helpers)


def _read_pack_toml(folder: Path) -> dict[str, str]:
    path = folder / "pack.toml"
    if not path.is_file():
        raise Refused(f"{folder} is not a pack. Add a pack.toml with name, version, date and summary.")
    about = _read_toml(path)
    for name in ("name", "version", "date", "summary"):
        if not isinstance(about.get(name), str) or not about[name].strip():
            raise Refused(f"{path}: {name} is missing. Add it as a text.")
    for name in ("version", "date"):
        if not re.fullmatch(r"[\w.+-]{1,40}", about[name]):
            raise Refused(f"{path}: {name} is {about[name]!r}. Use only letters, digits and . + - in it.")
    return about


@lru_cache(maxsize=64)
def _read_pack_words(folder: Path) -> Mapping[str, str]:
    path = folder / "words.toml"
    words = _read_toml(path) if path.is_file() else {}
    if not all(isinstance(each, str) for each in words.values()):
        raise Refused(f"{path}: a value is not a text. Give the words of each type as one text.")
    return words


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise Refused(f"{path}: {error}") from None


@lru_cache(maxsize=1024)
def _read_pack_constraint(folder: str, name: str, text: str, pack: str, helpers: str) -> Constraint:
    try:
        shared = read_helpers(helpers)
    except Refused as error:
        raise Refused(f"{folder}/helpers.py: {error}") from None
    try:
        constraint = parse_constraint(text, name, origin="pack", pack=pack, helpers=shared)
    except Refused as error:
        raise Refused(f"{folder}/constraints/{name}.py: {error}") from None
    try:
        read_constraint(constraint.name, constraint.code)
    except Refused as error:
        raise Refused(_locate_in_pack(folder, name, str(error), source_lines(text, shared))) from None
    return constraint


def _locate_in_pack(folder: str, name: str, why: str, lines: Sequence[SourceLine]) -> str:
    file = f"constraints/{name}.py"
    named = re.match(r"line (\d+): ", why)
    if named is None or not 0 < int(named[1]) <= len(lines):
        return f"{folder}/{file}: {why}"
    source = lines[int(named[1]) - 1]
    where = f"{folder}/{source.file or file}: line {source.number}: {why[named.end() :]}"
    return f"{where} (as {name} uses it)" if source.file else where


@lru_cache(maxsize=256)
def _read_pack_table(path: Path, pack: str) -> Knowledge:
    checks = path_of_checks(path.parent.parent, f"{pack}.{path.stem}")
    text = path.read_bytes()
    packed = shipped_table(pack, text, checks.read_bytes() if checks.is_file() else b"")
    return pack_table(path, pack) if packed is None else packed


def pack_table(path: Path, pack: str) -> Knowledge:
    """The table in a file of a pack, packed, with the rows that no source confirms."""
    names = ("name", "version", "date", "source", "note")
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Refused(f"{path}: {error}") from None
    origins = content.pop("origins", None)
    if set(content) != {*names, "table"} or not all(isinstance(content[name], str) and content[name] for name in names):
        raise Refused(f"{path}: a key is missing, unknown or empty. Give {', '.join(names)} as texts, and table.")
    if not content["name"].startswith(f"{pack}."):
        raise Refused(f"{path}: name is {content['name']!r}. Name it {pack}.{path.stem}.")
    table = Knowledge.of(content["table"], origins, **{name: content[name] for name in names})
    return with_unconfirmed_rows(table, path.parent.parent)


def _load_pack_types(path: Path, domain: str) -> tuple[Type, ...]:
    stored = shipped_analysis("types", list[Type], domain, path.read_text(encoding="utf-8"))
    return analyse_pack_types(path, domain) if stored is None else tuple(stored)


def analyse_pack_types(path: Path, domain: str) -> tuple[Type, ...]:
    """The types that a file declares as classes with @many("key"), @one or @event."""
    try:
        tree = module_tree(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise Refused(f"{path}: {error}") from None
    types: list[Type] = []
    for node in tree.body:
        try:
            if isinstance(node, ast.ClassDef):
                types.append(_pack_type_of_class(node, domain))
                check_type(types[-1])
        except Refused as error:
            raise Refused(f"{path.parent.name}/{path.name}:{node.lineno}: {error}") from None
        if not isinstance(node, ast.ClassDef | ast.Expr):
            raise Refused(f"{path.parent.name}/{path.name}:{node.lineno}: Only classes are allowed. Remove the rest.")
    return tuple(types)


def _pack_type_of_class(node: ast.ClassDef, domain: str) -> Type:
    cardinality, key, options = _pack_class_cardinality(node)
    fields: list[Field] = []
    body = node.body[1:] if ast.get_docstring(node) else node.body
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                policy: Policy = options["policies"].get(name, "latest")
                fields.append(Field(name=name, type=ast.unparse(annotation), policy=policy))
            case ast.Expr(value=ast.Constant(value=str() as doc)) if fields:
                fields[-1] = msgspec.structs.replace(fields[-1], doc=" ".join(doc.split()))
            case _:
                raise Refused(
                    f"line {statement.lineno}: Not a field. Write `name: type`, or a text about the field above."
                )
    doc = " ".join((ast.get_docstring(node) or "").split())
    return Type(
        domain=domain,
        name=node.name,
        doc=doc,
        cardinality=cardinality,
        key=key,
        fields=tuple(fields),
        collection=options["collection"],
    )


def _pack_class_cardinality(node: ast.ClassDef) -> tuple[Cardinality, tuple[str, ...], dict[str, Any]]:
    options: dict[str, Any] = {"collection": "", "policies": {}}
    match node.decorator_list:
        case [ast.Name(id="one" | "many" | "event" as kind)]:
            return kind, (), options
        case [ast.Call(func=ast.Name(id="one" | "many" | "event" as kind), args=arguments, keywords=keywords)]:
            for keyword in keywords:
                value = plain_value(keyword.value)
                if keyword.arg == "collection":
                    options["collection"] = value
                elif keyword.arg in ("authority", "union", "ask"):
                    names: Iterable[str] = value if isinstance(value, tuple) else (value,)
                    options["policies"].update(dict.fromkeys(names, keyword.arg))
                else:
                    raise Refused(f"Unknown argument {keyword.arg}. Use collection=, authority=, union= or ask=.")
            return kind, tuple(str(plain_value(argument)) for argument in arguments), options
    raise Refused(f"Class {node.name} has no cardinality. Put @many(key, …), @one or @event above it.")
