"""A query before it runs: parsed into a tree, never executed here.

The tree tells which collections a query reads, how much it could change, and where its result is.
"""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from uac.schema.code_effects import REACHING_NAMES, Effect, effect_of, find_clock_use
from uac.schema.code_wrapping import wrap_in_function
from uac.schema.syntax import parse_code, tree_nodes
from uac.schema.word_caches import word_cache

__all__ = ["FUNCTION", "Query", "read_query"]

FUNCTION = "query_of_the_user"
"""The query runs as the body of this function, so that its names are gone afterwards."""

_NO_EFFECT = Effect("nothing", frozenset())


@dataclass(frozen=True, slots=True)
class Query:
    """A query ready to run: a function of the domains that it names. `offset` is the number of lines before its first.

    `code` defines FUNCTION with the parameters `names`; the caller supplies the arguments.
    """

    code: str
    names: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    effect: Effect = _NO_EFFECT
    knows: frozenset[str] = frozenset()
    """The tables that it looks up values in, as far as it names them."""
    asks_ends: bool = False
    """Whether it asks how records ended."""
    asks_history: bool = False
    """Whether it asks for values over time."""
    history_fields: frozenset[str] | None = None
    """The fields whose values it asks for; None if names do not show it."""
    asks_clock: bool = False
    """Whether it calls the clock (date.today()); the name `now` is another matter."""
    offset: int = 1
    attributes: frozenset[str] = frozenset()
    """The attributes that it names, also as texts for getattr: the fields that it may read."""
    asks_ids: bool = False
    """Whether it asks for ids of records, or for what is found by them."""
    catches_errors: bool = True
    """Whether it might go on after reading an attribute that does not exist."""


def read_query(code: str, domains: Mapping[str, Collection[str]]) -> Query:
    """The query as a function that returns its last expression, and what it reads of the domains' collections."""
    return _read_query_cached(code, tuple((domain, tuple(domains[domain])) for domain in domains))


@word_cache(64)
def _read_query_cached(code: str, collections: tuple[tuple[str, tuple[str, ...]], ...]) -> Query:
    domains = dict(collections)
    code, tree = parse_code(code)
    if not tree.body:
        return Query(f"def {FUNCTION}():\n    return None")
    nodes = tree_nodes(tree)
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    names = tuple(name for name in (*sorted(domains), "user") if name in used)
    return Query(
        wrap_in_function(code, tree, FUNCTION, ", ".join(names)),
        names,
        _query_collections(nodes, domains),
        effect_of(tree, nodes),
        _query_tables(nodes),
        "end_of" in used.difference(domains),
        "history" in used.difference(domains),
        _query_history_fields(nodes),
        find_clock_use(nodes) is not None,
        attributes=_query_attributes(nodes),
        asks_ids=not used.isdisjoint(_ID_FUNCTIONS),
        catches_errors=not used.isdisjoint(_CATCHING_NAMES) or any(isinstance(node, _CATCHING) for node in nodes),
    )


_ID_FUNCTIONS = frozenset({"record_id", "end_of", "history"})
_CATCHING = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
_CATCHING_NAMES = frozenset({"getattr", "hasattr"})


def _query_attributes(nodes: Sequence[ast.AST]) -> frozenset[str]:
    return frozenset(
        name
        for node in nodes
        for name in (
            [node.attr]
            if isinstance(node, ast.Attribute)
            else [node.value]
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            else []
        )
    )


def _query_history_fields(nodes: Sequence[ast.AST]) -> frozenset[str] | None:
    """The second argument of each history(record, "field"); None if one is not a plain text."""
    fields: set[str] = set()
    calls: set[int] = set()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="history") as name, args=[_, ast.Constant(value=str(field))], keywords=[]):
                fields.add(field)
                calls.add(id(name))
            case ast.Name(id="history") if id(node) not in calls:
                return None
            case _:
                pass
    return frozenset(fields)


def _query_tables(nodes: Sequence[ast.AST]) -> frozenset[str]:
    return frozenset(
        node.args[0].value
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "knowledge"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def _query_collections(nodes: Sequence[ast.AST], domains: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """`domain.collection` for each that is named; a domain used in any other way counts with all its collections."""
    named: set[str] = set()
    whole: set[str] = set()
    covered: set[int] = set()
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="user"), attr=domain) as inner, attr=attr) if (
                domain in domains and attr in domains[domain]
            ):
                covered.add(id(inner))
                named.add(f"{domain}.{attr}")
            case ast.Attribute(value=ast.Name(id="user") as name, attr=domain) if domain in domains:
                covered.add(id(name))
                if id(node) not in covered:
                    whole.add(domain)
            case ast.Attribute(value=ast.Name(id=domain) as name, attr=attr) if domain in domains:
                if not attr.startswith("__"):
                    covered.add(id(name))
                if attr in domains[domain]:
                    named.add(f"{domain}.{attr}")
            case ast.Name(id=domain) if domain in domains and id(node) not in covered:
                whole.add(domain)
            case ast.Name(id="user") if id(node) not in covered:
                whole.update(domains)
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in REACHING_NAMES:
                whole.update(domains)
            case _:
                pass
    named.update(f"{domain}.{collection}" for domain in whole for collection in domains[domain])
    return tuple(sorted(named))
