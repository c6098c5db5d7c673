"""What a query is, before it runs: read as a tree, never executed here.

The tree tells which collections a query reads, whether it might change the loaded objects, and where its result is.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from uac.errors import CodeError, LimitError

__all__ = ["FUNCTION", "Query", "read_query"]

MAX_CHARACTERS = 200_000
FUNCTION = "query_of_the_user"
"""The query runs as the body of this function, so that its names are gone afterwards."""

_MUTATORS = frozenset(
    "append extend insert remove pop clear sort reverse update add discard setdefault popitem appendleft popleft "
    "intersection_update difference_update symmetric_difference_update subtract move_to_end rotate __setattr__ "
    "__setitem__ __delitem__ __delattr__ __dict__".split()
)
_CLOCKS = frozenset("now today utcnow time time_ns localtime gmtime monotonic".split())
_MAKERS = frozenset(
    "list dict set tuple sorted Counter defaultdict deque OrderedDict str int float sum len round abs Decimal".split()
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query ready to run. `offset` is how many lines stand before its first one."""

    code: str
    reads: tuple[str, ...] = ()
    may_change: bool = False
    asks_clock: bool = False
    """Whether it calls the clock (date.today()); the name `now` is another matter."""
    offset: int = 1


def read_query(code: str, domains: Mapping[str, Collection[str]]) -> Query:
    """The query as a function that returns its last expression, and what it reads of the domains' collections."""
    if len(code) > MAX_CHARACTERS:
        raise LimitError("size", f"the code has {len(code):,} characters, needs at most {MAX_CHARACTERS:,}")
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise CodeError("SyntaxError", error.msg, line=error.lineno or 0) from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise CodeError(type(error).__name__, f"the code cannot be read: {error}") from None
    if not tree.body:
        return Query("None")
    asks_clock = any(isinstance(node, ast.Attribute) and node.attr in _CLOCKS for node in ast.walk(tree))
    return Query(_wrapped(code, tree), _reads(tree, domains), _may_change(tree), asks_clock)


def _wrapped(code: str, tree: ast.Module) -> str:
    """The code, indented as a function's body line by line, so that line numbers and strings stay as they were."""
    lines = code.splitlines(keepends=True)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        row, column = last.lineno - 1, len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
        end_row, end = _end_of(last, lines)
        # Parentheses keep an expression of several lines one expression.
        lines[end_row] = lines[end_row][:end] + ")" + lines[end_row][end:]
        lines[row] = lines[row][:column] + "return (" + lines[row][column:]
    inside = _inside_strings(code)
    body = "".join(line if number in inside or not line.strip() else " " + line for number, line in enumerate(lines, 1))
    return f"def {FUNCTION}():\n{body}\n{FUNCTION}()"


def _end_of(node: ast.Expr, lines: list[str]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    line = lines[node.end_lineno - 1]
    return node.end_lineno - 1, len(line.encode()[: node.end_col_offset].decode())


def _inside_strings(code: str) -> set[int]:
    """The lines that begin inside a string of several lines: indenting them would change the string."""
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name == "FSTRING_START":
            starts.append(token.start[0])
        elif name == "FSTRING_END":
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return inside


def _reads(tree: ast.Module, domains: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """`domain.collection` for each that is named; a domain used in any other way counts with all its collections."""
    named: set[str] = set()
    covered: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in domains:
            covered.add(id(node.value))
            if node.attr in domains[node.value.id]:
                named.add(f"{node.value.id}.{node.attr}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in domains and id(node) not in covered:
            named.update(f"{node.id}.{collection}" for collection in domains[node.id])
    return tuple(sorted(named))


def _may_change(tree: ast.Module) -> bool:
    """Whether the code could change an object it did not make itself. Doubt counts as yes."""
    own = _own_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Global() | ast.Nonlocal() | ast.Delete():
                return True
            case ast.Attribute(value=value, attr=attr, ctx=context):
                if (isinstance(context, ast.Store) or attr in _MUTATORS) and not _is_own(value, own):
                    return True
            case ast.Subscript(value=value, ctx=ast.Store()) if not _is_own(value, own):
                return True
            case ast.AugAssign(target=ast.Name(id=name)) if name not in own:
                # `x += […]` changes a list in place if x is one that was loaded.
                return True
            case ast.Name(id="setattr" | "delattr" | "vars" | "globals" | "locals" | "getattr"):
                return True
            case _:
                pass
    return False


def _own_names(tree: ast.Module) -> dict[str, bool]:
    """Names that only ever stand for objects the code made; True if all they hold was made by it too."""
    made: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _note(target, value, made)
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                _note(target, value, made)
            case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
                _note(target, None, made)
            case ast.withitem(optional_vars=ast.expr() as target):
                _note(target, None, made)
            case ast.arg(arg=name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                made.setdefault(name, []).append(None)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                made.setdefault(name, []).append(None)
            case _:
                pass
    stored = {name for node in ast.walk(tree) for name in _stored_into(node)}
    return {
        name: name not in stored and all(_starts_empty(value) for value in values)
        for name, values in made.items()
        if all(value is not None and _makes(value) for value in values)
    }


def _note(target: ast.expr, value: ast.expr | None, made: dict[str, list[ast.expr | None]]) -> None:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.setdefault(node.id, []).append(value if node is target else None)


def _stored_into(node: ast.AST) -> list[str]:
    """Names of containers into which the code puts something it may not have made: groups[key] = trip.tags."""
    if not isinstance(node, ast.Assign) or _makes(node.value):
        return []
    return [
        target.value.id
        for target in node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    ]


def _makes(value: ast.expr) -> bool:
    """Whether the expression gives a new object."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.Constant():
            return True
        case ast.JoinedStr() | ast.Compare():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="collections"), attr=name)):
            return name in _MAKERS
    return False


def _starts_empty(value: ast.expr | None) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Constant():
            return True
        case ast.Call(args=[] | [ast.Name(id="list" | "dict" | "set" | "int" | "float" | "Counter")], keywords=[]):
            return True
        case ast.Call(args=[ast.Lambda(body=body)], keywords=[]):
            return _makes(body)
    return False


def _is_own(value: ast.expr, own: Mapping[str, bool]) -> bool:
    """Whether the object is the code's own, or one that a container of its own holds."""
    match value:
        case ast.Name(id=name):
            return name in own
        case (
            ast.Subscript(value=inner)
            | ast.Call(func=ast.Attribute(value=inner, attr="setdefault"), args=[_, ast.List() | ast.Dict()])
        ):
            return isinstance(inner, ast.Name) and own.get(inner.id, False)
    return _makes(value)
