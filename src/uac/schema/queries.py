"""What a query is, before it runs: read as a tree, never executed here.

The tree tells which collections a query reads, how much it could change, and where its result is.
"""

import ast
import io
import re
import tokenize
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from uac.errors import CodeError, LimitError
from uac.schema.code_effects import Effect, effect_of
from uac.schema.syntax import module_tree

__all__ = ["CHANGING_NAMES", "FUNCTION", "Query", "bound_names", "clock_in", "parse", "read_query", "wrapped"]

MAX_CHARACTERS = 200_000
FUNCTION = "query_of_the_user"
"""The query runs as the body of this function, so that its names are gone afterwards."""

_NO_EFFECT = Effect("nothing", frozenset())

_CLOCKS = frozenset("now today utcnow time time_ns localtime gmtime monotonic".split())
_REACHING = frozenset("globals locals vars eval exec compile __import__ __globals__".split())
CHANGING_NAMES = _REACHING | frozenset(
    "setattr delattr getattr setcontext getcontext localcontext setfirstweekday total_ordering update_wrapper "
    "wraps".split()
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query ready to run: a function of the domains that it names. `offset` is how many lines stand before its first.

    `code` defines FUNCTION with the parameters `names`; whoever runs it says what it is called with.
    """

    code: str
    names: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    effect: Effect = _NO_EFFECT
    knows: frozenset[str] = frozenset()
    """The tables that it looks things up in, as far as it names them."""
    asks_clock: bool = False
    """Whether it calls the clock (date.today()); the name `now` is another matter."""
    offset: int = 1


def read_query(code: str, domains: Mapping[str, Collection[str]]) -> Query:
    """The query as a function that returns its last expression, and what it reads of the domains' collections."""
    return _read_query(code, tuple((domain, tuple(domains[domain])) for domain in domains))


@lru_cache(maxsize=64)
def _read_query(code: str, collections: tuple[tuple[str, tuple[str, ...]], ...]) -> Query:
    domains = dict(collections)
    code, tree = parse(code)
    if not tree.body:
        return Query(f"def {FUNCTION}():\n    return None")
    nodes = list(ast.walk(tree))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    names = tuple(name for name in (*sorted(domains), "user") if name in used)
    return Query(
        wrapped(code, tree, FUNCTION, ", ".join(names)),
        names,
        _collections_read(nodes, domains),
        effect_of(tree, nodes),
        _tables_named(nodes),
        clock_in(nodes) is not None,
    )


def _tables_named(nodes: Sequence[ast.AST]) -> frozenset[str]:
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


def parse(code: str) -> tuple[str, ast.Module]:
    """The code with its lines ended as Python reads them, and its tree; CodeError if it is none."""
    if len(code) > MAX_CHARACTERS:
        raise LimitError("size", f"the code has {len(code):,} characters, needs at most {MAX_CHARACTERS:,}")
    code = re.sub(r"\r\n?", "\n", code.removeprefix("\ufeff"))  # as Python itself reads a file
    try:
        return code, module_tree(code)
    except SyntaxError as error:
        raise CodeError("SyntaxError", error.msg, line=error.lineno or 0) from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise CodeError(type(error).__name__, f"the code cannot be read: {error}") from None


def wrapped(code: str, tree: ast.Module, name: str, arguments: str = "") -> str:
    """The code as the body of a function, indented line by line, so that line numbers and strings stay as they were."""
    lines = code.split("\n")  # splitlines() would also break at a form feed, which Python does not
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        row, column = last.lineno - 1, len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
        end_row, end = _end_of_expression(last, lines)
        # Parentheses keep an expression of several lines one expression.
        lines[end_row] = lines[end_row][:end] + ")" + lines[end_row][end:]
        lines[row] = lines[row][:column] + "return (" + lines[row][column:]
    inside = _lines_inside_strings(code)
    body = "\n".join(line if number in inside else _indent_line(line) for number, line in enumerate(lines, 1))
    return f"def {name}({arguments}):\n{body}"


def _indent_line(line: str) -> str:
    """A form feed sets the indentation back to nothing, so what leads up to one is left out."""
    return " " + re.sub(r"^[ \t\f]*\f", "", line) if line.strip() else ""


def _end_of_expression(node: ast.Expr, lines: list[str]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    line = lines[node.end_lineno - 1]
    return node.end_lineno - 1, len(line.encode()[: node.end_col_offset].decode())


def _lines_inside_strings(code: str) -> set[int]:
    """The lines that begin inside a string of several lines: indenting them would change the string."""
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name == "FSTRING_START":  # pragma: no cover - a token of Python 3.12 and later
            starts.append(token.start[0])
        elif name == "FSTRING_END":  # pragma: no cover - a token of Python 3.12 and later
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return inside


def clock_in(nodes: Sequence[ast.AST]) -> ast.AST | None:
    """The first place where the code might ask the clock, as date.today() does."""
    return next((node for node in nodes if _asks_clock(node)), None)


def _asks_clock(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in _CLOCKS
        case ast.Name(id=name):
            return name in CHANGING_NAMES
        case ast.Import(names=aliases):
            return any(alias.name in ("time", "operator") for alias in aliases)
        case ast.ImportFrom(module="time" | "operator"):
            return True
        case ast.MatchClass(kwd_attrs=names):  # a pattern reaches attributes too
            return not _CLOCKS.isdisjoint(names)
    return False


def _collections_read(nodes: Sequence[ast.AST], domains: Mapping[str, Collection[str]]) -> tuple[str, ...]:
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
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in _REACHING:
                whole.update(domains)
            case _:
                pass
    named.update(f"{domain}.{collection}" for domain in whole for collection in domains[domain])
    return tuple(sorted(named))


def bound_names(node: ast.AST) -> list[str]:
    """The names that a node binds to something, other than a maker to itself."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
            return [name]
        case ast.ExceptHandler(name=str() as name):
            return [name]
        case ast.ImportFrom(module="collections" | "decimal", names=aliases):
            return [alias.asname for alias in aliases if alias.asname and alias.asname != alias.name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
    return []
