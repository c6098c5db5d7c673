"""The trees of code. Foreign code is only ever read here, never run."""

import ast
import threading

__all__ = ["expression_tree", "module_tree"]

# CPython counts the depth of all trees that are being made in one place: two threads at once can make it fail.
_ONE_AT_A_TIME = threading.Lock()


def module_tree(code: str) -> ast.Module:
    with _ONE_AT_A_TIME:
        return ast.parse(code)


def expression_tree(code: str) -> ast.Expression:
    with _ONE_AT_A_TIME:
        return ast.parse(code, mode="eval")
