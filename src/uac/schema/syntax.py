"""The trees of code. Foreign code is only ever read here, never run."""

import ast
import re
import symtable
import threading

from uac.errors import CodeError, LimitError

__all__ = [
    "bound_names",
    "expression_tree",
    "free_names",
    "module_tree",
    "normal_line_ends",
    "parse_code",
    "tree_nodes",
]

# CPython counts the depth of all trees that are being made in one place: two threads at once can make it fail.
_ONE_AT_A_TIME = threading.Lock()


def module_tree(code: str) -> ast.Module:
    with _ONE_AT_A_TIME:
        return ast.parse(code)


def expression_tree(code: str) -> ast.Expression:
    with _ONE_AT_A_TIME:
        return ast.parse(code, mode="eval")


_NO_NODES = frozenset(
    "arg asname attr conversion ctx id is_async kind kwd_attrs level module name op ops rest simple "
    "type_comment".split()
)
"""Fields with texts, numbers, operators and whether a name is stored: nothing to walk through."""

_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
"""The other fields of each kind of node, as the kinds are met."""


def tree_nodes(tree: ast.AST, *, without: tuple[type[ast.AST], ...] = ()) -> list[ast.AST]:
    """All nodes in the order of ast.walk, many times faster: without the operators and whether a name is stored.

    Nodes of the kinds in `without` are left out, with all that is in them.
    """
    nodes = [tree]
    for node in nodes:  # which grows
        fields = _FIELDS.get(type(node))
        for name in _node_fields(type(node)) if fields is None else fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if not without or not isinstance(value, without):
                    nodes.append(value)
            elif value and isinstance(value, list):
                items = [item for item in value if isinstance(item, ast.AST)]
                nodes += [item for item in items if not isinstance(item, without)] if without else items
    return nodes


def _node_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The name of a type alias is the one name that is a node; a constant's value never is one."""
    named = ("name",) if kind.__name__ == "TypeAlias" else ()
    fields = () if kind is ast.Constant else tuple(each for each in kind._fields if each not in _NO_NODES)
    _FIELDS[kind] = (*named, *fields)
    return _FIELDS[kind]


def free_names(code: str) -> set[str]:
    """The names that the code uses and does not bind where it uses them, scope by scope, as Python resolves them."""
    with _ONE_AT_A_TIME:
        module = symtable.symtable(code, "<code>", "exec")
    own = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    own |= {symbol.get_name() for symbol in module.get_symbols() if symbol.is_namespace()}
    used = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_referenced()}
    tables = module.get_children()
    while tables:
        table = tables.pop()
        used |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        tables += table.get_children()
    return used - own


MAX_CHARACTERS = 200_000


def parse_code(code: str) -> tuple[str, ast.Module]:
    """The code with line ends as Python reads them, and its syntax tree. CodeError if it is not valid Python."""
    if len(code) > MAX_CHARACTERS:
        raise LimitError("size", f"The code has {len(code):,} characters. Shorten it to {MAX_CHARACTERS:,}.")
    code = normal_line_ends(code)
    try:
        return code, module_tree(code)
    except SyntaxError as error:
        raise CodeError("SyntaxError", error.msg, line=error.lineno or 0) from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise CodeError(type(error).__name__, f"The code cannot be read: {error}. Check its syntax.") from None


def normal_line_ends(code: str) -> str:
    """The code as Python itself reads a file: without a byte order mark, and with one kind of line end."""
    return re.sub(r"\r\n?", "\n", code.removeprefix("\ufeff"))


_BINDING = {
    *(ast.Name, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.MatchAs, ast.MatchStar),
    *(ast.MatchMapping, ast.ExceptHandler, ast.ImportFrom, ast.Import),
}


def bound_names(node: ast.AST) -> list[str]:
    """The names that a node binds to something, other than a maker to itself."""
    if type(node) not in _BINDING:  # most nodes, and most of the time would go into matching them
        return []
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
