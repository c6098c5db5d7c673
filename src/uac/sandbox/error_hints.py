"""Rewrites a query's errors for its author: the author's own lines and names, and suggestions for unknown names."""

import ast
import difflib
import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal

from uac.errors import CodeError
from uac.project.project import Project
from uac.schema.queries import Query
from uac.schema.syntax import parse_code
from uac.schema.types import GIVEN

__all__ = [
    "error_with_hint",
    "loaded_names",
    "name_hint",
    "name_unknown_yet",
    "with_type_names",
    "without_loaded_names",
]

MAX_SUGGESTED = 3  # names in a suggestion
MAX_LISTED = 24  # names listed if none is similar

_ATTRIBUTE = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_KEYWORD = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")
_FORMER = re.compile(r"^(?:ended|past|old|previous|cancelled|canceled|returned|sold|expired|inactive)_")
_NAME = re.compile(r"name '(\w+)' is not defined")
_NONE = re.compile(r"'NoneType'|values are None")


def error_with_hint(
    error: CodeError, query: Query, project: Project, offered: Callable[[], Collection[str]] = tuple
) -> CodeError:
    """The error at the user's own line, with full type names: travel.Trip.

    `offered` gives the domains of packs, which a project has from its first record of the domain on.
    """
    message = without_loaded_names(str(error).partition(f"{error.kind}: ")[2], project)
    helped = (
        _hint_domain_without_records(message, offered)
        or name_hint(message, project)
        or _hint_records_without_value(message, query, project)
    )
    line = max(error.line - query.offset, 0)
    return CodeError(error.kind, f"{message}. {helped}" if helped else message, line=line, printed=error.printed)


def _hint_domain_without_records(message: str, offered: Callable[[], Collection[str]]) -> str:
    name = found[1] if (found := _NAME.search(message)) else ""
    return f"There are no records of {name} yet." if name and name in offered() else ""


def name_hint(message: str, project: Project) -> str:
    """Suggestions for an unknown name: similar ones, or a list of those that exist; "" if unsure."""
    if found := _NAME.search(message):
        filled = sorted(filter(project.count, project.types)) or sorted(project.types)
        return _hint_similar_names(found[1], _names_for_hint(project)) or _hint_name_list(
            "There is", [_collection_for_hint(project, name) for name in filled]
        )
    if found := _ATTRIBUTE.search(message) or _KEYWORD.search(message):
        known = _members_for_hint(found[1], project)
        return _hint_similar_names(found[2], known) or _hint_name_list(
            "It has", [known[name] for name in known if _hint_name_kind(name) == "plain"]
        )
    return ""


def name_unknown_yet(message: str, project: Project, later: Collection[str]) -> str:
    """The domain or collection that the code reads and that exists only later; "" if there is none."""
    domains = {name.partition(".")[0] for name in later}
    if (found := _NAME.search(message)) and found[1] in domains.difference(project.domains):
        return found[1]
    if found := _ATTRIBUTE.search(without_loaded_names(message, project)):
        name = f"{found[1]}.{found[2]}"
        return name if name in {*later}.difference(project.owners()) else ""
    return ""


def without_loaded_names(message: str, project: Project) -> str:
    """The message without the flat names under which types and domains are loaded."""
    return with_type_names(message, loaded_names(project)).replace(".__init__()", "()")


def loaded_names(project: Project) -> dict[str, str]:
    """The flat names under which types and domains are loaded, each with the name that people know."""
    names = {"user__all": "user"}
    names |= {f"{domain}__domain": domain for domain in project.domains}
    return names | {name.replace(".", "__"): name for name in project.types}


def with_type_names(text: str, names: Mapping[str, str]) -> str:
    """The text with work.Meeting instead of work__Meeting, as a class or an object prints itself."""
    if "__" not in text:
        return text
    return re.sub(r"(?:__main__\.)?\b([a-z]\w*__\w+)", lambda found: names.get(found[1], found[0]), text)


def _hint_records_without_value(message: str, query: Query, project: Project) -> str:
    """The records whose field is None, where the code reads that field of each record and failed because of a None."""
    if not _NONE.search(message):
        return ""
    nodes = list(ast.walk(parse_code(query.code)[1]))
    loops = {name: collection for node in nodes for name, collection in _looped_collections(node, project)}
    tested = {
        id(part)
        for node in nodes
        if isinstance(node, ast.comprehension)
        for each in node.ifs
        for part in ast.walk(each)
    }
    found: dict[str, None] = {}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=field) if name in loops and id(node) not in tested:
                type_ = project.types[project.owners()[loops[name]]]
                records = project.collected(loops[name]) if type_.field(field) else []
                empty = [one.id for one in records if one.values.get(field) is None and not one.is_incomplete]
                more = f" and {len(empty) - MAX_SUGGESTED} more" if len(empty) > MAX_SUGGESTED else ""
                if empty:
                    found[f"{field} is None in {', '.join(empty[:MAX_SUGGESTED])}{more}"] = None
    return f"Its {'; its '.join(found)}." if found else ""


def _looped_collections(node: ast.AST, project: Project) -> list[tuple[str, str]]:
    """The name of a loop with the collection that it goes through."""
    match node:
        case ast.comprehension(target=ast.Name(id=name), iter=source) | ast.For(target=ast.Name(id=name), iter=source):
            named = ast.unparse(source).removeprefix("user.")
            return [(name, named)] if named in project.owners() else []
    return []


def _names_for_hint(project: Project) -> dict[str, str]:
    """The expressions that code can use, by their last word."""
    known = {name: name for name in ("user", "now", "end_of", "history", *project.domains, *sorted(GIVEN))}
    for name in sorted(project.types):
        type_ = project.types[name]
        known.setdefault(type_.name, name)
        known.setdefault(type_.collected_as, _collection_for_hint(project, name))
    return known


def _members_for_hint(owner: str, project: Project) -> dict[str, str]:
    """The attributes of an object, if its class is ours."""
    if owner in project.types:
        return {part.name: part.name for part in project.types[owner].fields}
    if owner in project.domains:
        types = project.types_of(owner)
        names = [name for type_ in types for name in (type_.collected_as, type_.former, type_.name)]
        return {name: f"{owner}.{name}" for name in names}
    if owner == "user":
        return {domain: f"user.{domain}" for domain in project.domains}
    return {name: name for name in ("amount", "currency")} if owner == "Money" else {}


def _hint_similar_names(wanted: str, known: Mapping[str, str]) -> str:
    """A suggestion of names similar to the wanted one; those of its own kind first."""
    wanted = former if (former := _FORMER.sub("former_", wanted)) in known else wanted
    alike = [name for name in sorted(known) if _hint_name_kind(name) == _hint_name_kind(wanted)]
    near = [wanted] if wanted in known else _similar_names(wanted, alike) or _similar_names(wanted, sorted(known))
    proposed = [text for text in dict.fromkeys(known[name] for name in near) if text != wanted]
    return f"Did you mean {' or '.join(proposed)}?" if proposed else ""


def _similar_names(wanted: str, names: list[str]) -> list[str]:
    return difflib.get_close_matches(wanted, names, n=MAX_SUGGESTED, cutoff=0.6)


def _hint_name_list(lead: str, names: list[str]) -> str:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return f"{lead}: {', '.join(names[:MAX_LISTED])}{more}." if names else ""


def _hint_name_kind(name: str) -> Literal["class", "former", "plain"]:
    """Classes and collections of ended records exist, too, but are seldom wanted."""
    return "class" if name[:1].isupper() else "former" if name.startswith("former_") else "plain"


def _collection_for_hint(project: Project, name: str) -> str:
    type_ = project.types[name]
    return f"{type_.domain}.{type_.collected_as}"
