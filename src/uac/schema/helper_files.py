"""The `helpers.py` of a pack: functions and constants that its constraints share. It is read as a tree, never run.

A constraint gets a copy of the helpers that it imports, and the log keeps the copy with the constraint: replay needs no
pack, and a newer pack changes nothing until its constraints are adopted.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from uac.errors import Refused
from uac.schema.constraint_code import check_helpers_code
from uac.schema.shipped_analysis import shipped_analysis
from uac.schema.syntax import bound_names, free_names
from uac.schema.word_caches import word_cache

__all__ = ["NO_HELPERS", "Helper", "Helpers", "analyse_helpers", "read_helpers"]


@dataclass(frozen=True, slots=True)
class Helper:
    """One definition, with the comments directly above it."""

    name: str
    text: str
    line: int
    """Its first line in the file."""
    uses: frozenset[str]
    """The names that it takes from elsewhere."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """The definitions of a file by name, in the order of the file."""

    by_name: Mapping[str, Helper]
    text: str
    """The whole file."""

    def needed_by(self, names: Iterable[str]) -> tuple[Helper, ...]:
        """The helpers of these names and all that they use, in the order of the file."""
        needed: set[str] = set()
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name in self.by_name and name not in needed:
                needed.add(name)
                waiting += self.by_name[name].uses
        return tuple(helper for name, helper in self.by_name.items() if name in needed)


NO_HELPERS = Helpers(MappingProxyType({}), "")


@word_cache(64)
def read_helpers(code: str) -> Helpers:
    """The helpers of a file, or Refused with the line. Those of packs that ship were read when it was built."""
    stored = shipped_analysis("helpers", list[Helper], code)
    found = analyse_helpers(code) if stored is None else stored
    return Helpers(MappingProxyType({helper.name: helper for helper in found}), code)


def analyse_helpers(code: str) -> list[Helper]:
    """The same as a list, made now."""
    text, tree = check_helpers_code(code)
    lines = text.split("\n")
    helpers: dict[str, Helper] = {}
    end = 0
    for node in tree.body:
        if node.lineno <= end:
            raise Refused(f"line {node.lineno}: Two definitions are on one line. Put each on a line of its own.")
        start = node.lineno - 1
        while start > end and lines[start - 1].startswith("#"):
            start -= 1
        end = node.end_lineno or node.lineno
        for name, source in _helper_definitions(node, "\n".join(lines[start:end])):
            if name in helpers:
                raise Refused(f"line {node.lineno}: {name} is defined twice. Rename or remove one.")
            helpers[name] = Helper(name, source, start + 1, frozenset(free_names(source)))
    return [*helpers.values()]


def _helper_definitions(node: ast.stmt, source: str) -> list[tuple[str, str]]:
    """The names that a statement defines, each with its code; of an import, each name apart."""
    match node:
        case ast.ImportFrom(module=module, names=aliases):
            return [(alias.asname or alias.name, f"from {module} import {ast.unparse(alias)}") for alias in aliases]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [(name, source)]
    return [(name, source) for name in bound_names(node)]
