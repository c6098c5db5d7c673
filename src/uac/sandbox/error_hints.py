"""What an error of a query says to whoever wrote it: its own lines and names, and what could have been meant."""

import difflib
import re
from collections.abc import Mapping
from typing import Literal

from uac.errors import CodeError
from uac.project.project import Project
from uac.schema.code_analysis import Query
from uac.schema.types import GIVEN

__all__ = ["hint", "placed", "plain"]

NEAR = 3  # names that are proposed
LISTED = 24  # names that are listed where none is near

_ATTRIBUTE = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_KEYWORD = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")
_NAME = re.compile(r"name '(\w+)' is not defined")


def placed(error: CodeError, query: Query, project: Project) -> CodeError:
    """The error at the line that the user wrote, with types as they are called: travel.Trip."""
    message = plain(str(error).partition(f"{error.kind}: ")[2], project)
    helped = hint(message, project)
    line = max(error.line - query.offset, 0)
    return CodeError(error.kind, f"{message}. {helped}" if helped else message, line=line, printed=error.printed)


def hint(message: str, project: Project) -> str:
    """What could have been meant by a name that is not there: of the type concerned, or what there is; "" if unsure."""
    if found := _NAME.search(message):
        filled = sorted(filter(project.count, project.types)) or sorted(project.types)
        return _near(found[1], _reachable(project)) or _listed("There is", [_path(project, name) for name in filled])
    if found := _ATTRIBUTE.search(message) or _KEYWORD.search(message):
        known = _members(found[1], project)
        return _near(found[2], known) or _listed("It has", [known[name] for name in known if _kind(name) == "plain"])
    return ""


def plain(message: str, project: Project) -> str:
    """What the sandbox said, without the flat names under which types and domains are loaded."""
    names = {"user__all": "user"}
    names |= {f"{domain}__domain": domain for domain in project.domains}
    names |= {name.replace(".", "__"): name for name in project.types}
    return re.sub(r"\w+__\w+", lambda found: names.get(found[0], found[0]), message).replace(".__init__()", "()")


def _reachable(project: Project) -> dict[str, str]:
    """What can be written where a name is wanted, by the word that it is known by."""
    known = {name: name for name in ("user", "now", *project.domains, *sorted(GIVEN))}
    for name in sorted(project.types):
        type_ = project.types[name]
        known.setdefault(type_.name, name)
        known.setdefault(type_.collected_as, _path(project, name))
    return known


def _members(owner: str, project: Project) -> dict[str, str]:
    """What can stand behind the dot of an object; nothing of objects that are not ours."""
    if owner in project.types:
        return {part.name: part.name for part in project.types[owner].fields}
    if owner in project.domains:
        types = project.types_of(owner)
        names = [name for type_ in types for name in (type_.collected_as, type_.former, type_.name)]
        return {name: f"{owner}.{name}" for name in names}
    if owner == "user":
        return {domain: f"user.{domain}" for domain in project.domains}
    return {name: name for name in ("amount", "currency")} if owner == "Money" else {}


def _near(wanted: str, known: Mapping[str, str]) -> str:
    """The names that look like the wanted one; those of its own kind first."""
    alike = [name for name in sorted(known) if _kind(name) == _kind(wanted)]
    near = [wanted] if wanted in known else _matches(wanted, alike) or _matches(wanted, sorted(known))
    proposed = [text for text in dict.fromkeys(known[name] for name in near) if text != wanted]
    return f"Did you mean {' or '.join(proposed)}?" if proposed else ""


def _matches(wanted: str, names: list[str]) -> list[str]:
    return difflib.get_close_matches(wanted, names, n=NEAR, cutoff=0.6)


def _listed(lead: str, names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{lead}: {', '.join(names[:LISTED])}{more}." if names else ""


def _kind(name: str) -> Literal["class", "former", "plain"]:
    """Classes and collections of what has ended are there, too, but seldom looked for."""
    return "class" if name[:1].isupper() else "former" if name.startswith("former_") else "plain"


def _path(project: Project, name: str) -> str:
    type_ = project.types[name]
    return f"{type_.domain}.{type_.collected_as}"
