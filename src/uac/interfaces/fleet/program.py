"""The file that everybody is asked: a query, or a constraint with its cases. It is parsed here and never run."""

import ast
import builtins
from collections.abc import Collection, Mapping
from typing import Literal

import msgspec

from uac.errors import Refused
from uac.schema.code_effects import REACHING_NAMES
from uac.schema.constraint_code import read_constraint
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import Constraint
from uac.schema.queries import Query, read_query
from uac.schema.syntax import free_names, parse_code, tree_nodes
from uac.schema.types import GIVEN, Type
from uac.schema.word_caches import word_cache

__all__ = ["Program", "can_share_session", "domains_of", "missing_name", "read_program", "types_of_program"]

ProgramKind = Literal["query", "constraint"]

_OWN_SESSION = frozenset({"print", "id"})
"""Names that give one user's run something of the session: its output is one text, and an address tells of others."""

_KNOWN = GIVEN | frozenset(dir(builtins)) | frozenset({"end_of", "history", "now", "user"})


class Program(msgspec.Struct, frozen=True):
    """What everybody is asked."""

    kind: ProgramKind
    name: str
    code: str
    constraint: Constraint | None = None


def read_program(text: str, name: str) -> Program:
    """The program in a file. One that assigns CASES is a constraint of that name; any other is a query."""
    _text, tree = parse_code(text)
    if any(_assigns_cases(node) for node in tree.body):
        constraint = parse_constraint(text, name, origin="person")
        read_constraint(constraint.name, constraint.code)
        return Program("constraint", name, constraint.code, constraint)
    if not tree.body:
        raise Refused(f"{name}: The file has no code. Write a query, or a constraint with CASES.")
    read_query(text, {})
    return Program("query", name, text)


def _assigns_cases(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == "CASES" for target in targets)


def domains_of(types: Mapping[str, Type]) -> dict[str, list[str]]:
    """The collections of each domain, for `read_query`."""
    found: dict[str, list[str]] = {}
    for name in sorted(types):
        found.setdefault(types[name].domain, []).extend((types[name].collected_as, types[name].former))
    return dict(sorted(found.items()))


def types_of_program(program: Program, types: Mapping[str, Type]) -> dict[str, Type]:
    """The types of the domains that a program can reach, by name; all of them if it uses the user as a whole."""
    if program.constraint is not None:
        domains = frozenset(name.partition(".")[0] for name in read_constraint(program.name, program.code).reads)
    else:
        domains = _names_in(program.code)
        if not domains.isdisjoint({"user", *REACHING_NAMES}):
            domains = frozenset(type_.domain for type_ in types.values())
    return {name: types[name] for name in sorted(types) if types[name].domain in domains}


@word_cache(64)
def _names_in(code: str) -> frozenset[str]:
    _text, tree = parse_code(code)
    return frozenset(node.id for node in tree_nodes(tree) if isinstance(node, ast.Name))


def missing_name(code: str, types: Mapping[str, Type]) -> str:
    """The first domain or collection that a query names and these types do not have; "" if they have all."""
    text, tree = parse_code(code)
    domains = domains_of(types)
    classes: dict[str, set[str]] = {}
    for type_ in types.values():
        classes.setdefault(type_.domain, set()).add(type_.name)
    unknown = free_names(text) - _KNOWN
    missing: list[str] = []
    for node in tree_nodes(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in unknown:
                missing += _missing_attribute(name, attribute, domains, classes)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="user"), attr=name), attr=attribute):
                missing += _missing_attribute(name, attribute, domains, classes)
            case _:
                pass
    return min(missing, default="")


def _missing_attribute(
    domain: str, attribute: str, domains: Mapping[str, Collection[str]], classes: Mapping[str, Collection[str]]
) -> list[str]:
    known = {*domains.get(domain, ()), *classes.get(domain, ())}
    return [] if attribute in known or attribute.startswith("_") else [f"{domain}.{attribute}"]


def can_share_session(query: Query, code: str) -> bool:
    """Whether many users can be asked in one session: the code can leave nothing behind that a later run could see.

    That is so for code that changes nothing but containers, because each run gets objects that no other has. Output,
    addresses of objects, and what is loaded beside the records need a session of their own.
    """
    if query.effect.change == "anything" or query.asks_ends or query.asks_history:
        return False
    return _OWN_SESSION.isdisjoint(_names_in(code))
