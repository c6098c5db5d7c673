"""The trees of code. Foreign code is only ever read here, never run."""

import ast
import symtable
import threading

__all__ = ["expression_tree", "free_names", "module_tree"]

# CPython counts the depth of all trees that are being made in one place: two threads at once can make it fail.
_ONE_AT_A_TIME = threading.Lock()


def module_tree(code: str) -> ast.Module:
    with _ONE_AT_A_TIME:
        return ast.parse(code)


def expression_tree(code: str) -> ast.Expression:
    with _ONE_AT_A_TIME:
        return ast.parse(code, mode="eval")


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
