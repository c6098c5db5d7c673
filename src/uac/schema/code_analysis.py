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
from uac.schema.types import GIVEN

__all__ = ["FUNCTION", "Query", "bound_names", "change_in", "clock_in", "parse", "read_query", "wrapped"]

MAX_CHARACTERS = 200_000
FUNCTION = "query_of_the_user"
"""The query runs as the body of this function, so that its names are gone afterwards."""

_NO_EFFECT = Effect("nothing", frozenset())

_MUTATORS = frozenset(
    "append extend extendleft insert remove pop clear sort reverse update add discard setdefault popitem appendleft "
    "popleft intersection_update difference_update symmetric_difference_update subtract move_to_end rotate".split()
)
_REMOVERS = frozenset("remove pop clear sort reverse discard popitem popleft move_to_end rotate".split())
"""Mutators that put nothing new into their object."""

_CLOCKS = frozenset("now today utcnow time time_ns localtime gmtime monotonic".split())
_MAKERS = frozenset(
    "list dict set tuple sorted Counter defaultdict deque OrderedDict str int float sum len round abs Decimal".split()
)
_LISTS = frozenset("list sorted deque".split())
_HARMLESS = frozenset(
    "calendar collections copy dataclasses datetime decimal enum fractions functools itertools json math re "
    "statistics string textwrap time typing unicodedata zoneinfo".split()
)
"""Modules whose functions leave their arguments alone, but for the names below."""

_REACHING = frozenset("globals locals vars eval exec compile __import__ __globals__".split())
_CHANGING = _REACHING | frozenset(
    "setattr delattr getattr setcontext getcontext localcontext setfirstweekday total_ordering update_wrapper "
    "wraps".split()
)
_READABLE = frozenset({"__name__", "__class__", "__doc__"})
_METHODS = frozenset(f"__{name}__" for name in "init post_init repr str hash eq lt le gt ge len".split())


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
        _reads(nodes, domains),
        effect_of(tree, nodes),
        _knows(nodes),
        clock_in(nodes) is not None,
    )


def _knows(nodes: Sequence[ast.AST]) -> frozenset[str]:
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
        end_row, end = _end_of(last, lines)
        # Parentheses keep an expression of several lines one expression.
        lines[end_row] = lines[end_row][:end] + ")" + lines[end_row][end:]
        lines[row] = lines[row][:column] + "return (" + lines[row][column:]
    inside = _inside_strings(code)
    body = "\n".join(line if number in inside else _indented(line) for number, line in enumerate(lines, 1))
    return f"def {name}({arguments}):\n{body}"


def _indented(line: str) -> str:
    """A form feed sets the indentation back to nothing, so what leads up to one is left out."""
    return " " + re.sub(r"^[ \t\f]*\f", "", line) if line.strip() else ""


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
            return name in _CHANGING
        case ast.Import(names=aliases):
            return any(alias.name in ("time", "operator") for alias in aliases)
        case ast.ImportFrom(module="time" | "operator"):
            return True
        case ast.MatchClass(kwd_attrs=names):  # a pattern reaches attributes too
            return not _CLOCKS.isdisjoint(names)
    return False


def _reads(nodes: Sequence[ast.AST], domains: Mapping[str, Collection[str]]) -> tuple[str, ...]:
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


def change_in(tree: ast.Module, nodes: Sequence[ast.AST], domains: Collection[str]) -> ast.AST | None:
    """The first place where the code could change an object it did not make itself. Doubt counts as yes.

    `nodes` are all of the tree's: walking it is what takes long.
    """
    rebound = next((node for node in nodes if not _MAKERS.isdisjoint(bound_names(node))), None)
    if rebound is not None:
        return rebound
    # Bound only in an inner scope, such a name still stands for what was loaded in all others.
    loaded = {*domains, *GIVEN} - _bound_outside(tree)
    own = {name: deep for name, deep in _own_names(nodes).items() if name not in loaded}
    decorators = {id(part) for node in nodes for part in _decorators(node)}
    return next((node for node in nodes if _changes(node, own, decorators)), None)


def _changes(node: ast.AST, own: Mapping[str, bool], decorators: Collection[int]) -> bool:
    match node:
        case ast.Global() | ast.Nonlocal() | ast.Delete():
            return True
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] not in _HARMLESS for alias in aliases)
        case ast.ImportFrom(module=module, names=aliases):
            return (module or "").partition(".")[0] not in _HARMLESS or any(a.name in _CHANGING for a in aliases)
        case ast.FunctionDef(name=name) if name.startswith("__"):
            return name not in _METHODS
        case ast.Attribute(attr="dataclass") | ast.Name(id="dataclass"):
            return id(node) not in decorators  # called with a loaded class, it changes that class
        case ast.Name(id=name):
            return name in _CHANGING or (name.startswith("__") and name not in _READABLE)
        case ast.Attribute(value=value, attr=attr, ctx=context):
            if attr in _CHANGING or (attr.startswith("__") and attr not in _READABLE):
                return True
            return (isinstance(context, ast.Store) or attr in _MUTATORS) and not _is_own(value, own)
        case ast.AugAssign(target=ast.Subscript() as target, value=value):
            # `x[0] += […]` changes the list that x holds; a number added to a list is an error.
            return not _is_own(target, own) and not isinstance(value, ast.Constant)
        case ast.AugAssign(target=ast.Name(id=name)):
            # `x += […]` changes a list in place if x is one that was loaded.
            return name not in own
        case ast.Subscript(value=value, ctx=ast.Store()):
            return not _is_own(value, own)
        case ast.MatchClass(kwd_attrs=names):  # a pattern reaches methods too
            return any(name in _MUTATORS or name in _CHANGING or name.startswith("__") for name in names)
    return False


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


def _bound_outside(tree: ast.Module) -> set[str]:
    """The names bound outside all inner functions, classes and comprehensions."""
    names: set[str] = set()
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        names.update(bound_names(node))
        if not isinstance(node, _SCOPES):
            nodes += ast.iter_child_nodes(node)
    return names


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _decorators(node: ast.AST) -> list[ast.expr]:
    if not isinstance(node, ast.ClassDef):
        return []
    return [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]


def _own_names(nodes: Sequence[ast.AST]) -> dict[str, bool]:
    """Names that only ever stand for objects the code made; True if all they hold was made by it too."""
    made: dict[str, list[ast.expr | None]] = {}
    for node in nodes:
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
            case ast.Name():
                pass  # stored ones were noted with their values
            case _:
                for name in bound_names(node):
                    made.setdefault(name, []).append(None)
    own = {
        name: values for name, values in made.items() if all(value is not None and _makes(value) for value in values)
    }
    lists = {name for name, values in own.items() if any(_makes_list(value) for value in values)}
    kept = {id(target) for node in nodes for target in _kept_own(node, lists)}
    stored = {name for node in nodes if id(node) not in kept for name in _stored_into(node)}
    return {name: name not in stored and all(_starts_empty(value) for value in values) for name, values in own.items()}


def _note(target: ast.expr, value: ast.expr | None, made: dict[str, list[ast.expr | None]]) -> None:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.setdefault(node.id, []).append(value if node is target else None)


def _stored_into(node: ast.AST) -> list[str]:
    """Names of containers into which the code puts something it may not have made: found.append(trip)."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()) | ast.AugAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _MUTATORS - _REMOVERS:
            return [name]
    return []


def _kept_own(node: ast.AST, lists: Collection[str]) -> list[ast.AST]:
    """The parts of a node that put only what the code made into a container: groups[key] = [trip]."""
    match node:
        case ast.Assign(targets=targets, value=value) if _starts_empty(value):
            return list(targets)
        case ast.Assign(targets=targets, value=value) if _makes(value):
            # Into a list, a slice would put the items of the value and not the value.
            return [
                target
                for target in targets
                if isinstance(target, ast.Subscript)
                and isinstance(target.value, ast.Name)
                and target.value.id not in lists
            ]
        case ast.AugAssign(target=ast.Subscript() as target):
            return [target]
        case ast.Call(func=ast.Attribute(attr="append" | "add" | "appendleft") as called, args=[value], keywords=[]):
            return [called] if _makes(value) else []
        case ast.Call(func=ast.Attribute(attr="setdefault") as called, args=[_, value], keywords=[]):
            return [called] if _makes(value) else []
    return []


def _makes(value: ast.expr | None) -> bool:
    """Whether the expression gives a new object."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.Constant():
            return True
        case ast.JoinedStr() | ast.Compare():
            return True
        case ast.Call(func=ast.Name(id="sum"), args=[_, *more], keywords=named):
            return not more and not named  # with a start, the sum of nothing is that very object
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="collections"), attr=name)):
            return name in _MAKERS
    return False


def _makes_list(value: ast.expr | None) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _LISTS
    return isinstance(value, ast.List | ast.ListComp)


def _starts_empty(value: ast.expr | None) -> bool:
    match value:
        case ast.Constant():
            return True
        case ast.List(elts=items) | ast.Dict(values=items):
            return all(_starts_empty(item) for item in items)
        case ast.ListComp(elt=item) | ast.DictComp(value=item):
            return _starts_empty(item)
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
