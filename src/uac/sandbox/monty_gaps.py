"""The parts of Python that Monty 1.4 lacks, detected before a run or from its error; and code prepared for Monty.

The tables are valid for the pinned version; a test checks every entry against it.
"""

import ast
import builtins
import re
import sys
import threading
import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from operator import itemgetter
from types import FunctionType
from typing import TypeAlias

from uac.errors import CodeError
from uac.sandbox.linux import allowed_python
from uac.sandbox.monty_order import ordering_edits
from uac.schema.shipped_analysis import shipped_analysis
from uac.schema.syntax import module_tree, tree_nodes
from uac.schema.word_caches import word_cache

__all__ = ["MISSING_MODULES", "MISSING_NAMES", "Prepared", "monty_edits", "monty_gap", "prepare_for_monty"]

MISSING_MODULES = frozenset(
    "calendar collections.abc enum fractions heapq numbers operator statistics string textwrap".split()
)

# fmt: off
MISSING_NAMES = {
    "collections": {"ChainMap", "OrderedDict", "UserDict", "UserList", "UserString"},
    "dataclasses": {"Field", "InitVar", "KW_ONLY", "asdict", "astuple", "fields", "make_dataclass", "replace"},
    "datetime": {"MAXYEAR", "MINYEAR", "UTC", "tzinfo"},
    "functools": {"cached_property", "cmp_to_key", "partialmethod", "singledispatch", "singledispatchmethod",
                  "total_ordering", "update_wrapper", "wraps"},
    "json": {"JSONDecoder", "JSONEncoder"},
    "re": {"RegexFlag", "UNICODE", "VERBOSE", "X", "subn"},
    "typing": {"NamedTuple", "NewType", "TypedDict", "cast", "final", "get_args", "get_origin"},
}
_METHODS = frozenset(
    f"__{name}__" for name in (
        "abs add and call contains copy deepcopy divmod enter eq exit float floordiv getitem hash index init int "
        "invert iter lshift matmul mod mul neg next or post_init pow radd rand rdivmod repr rfloordiv rlshift "
        "rmatmul rmod rmul ror round rpow rrshift rshift rsub rtruediv rxor setitem str sub truediv xor"
    ).split()
)
# fmt: on
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
"""Methods that Monty ignores, and that `monty_order` calls for money. Other classes may be compared with anything."""

_STATEMENTS: tuple[tuple[str, str], ...] = (
    ("Delete", "the del statement"),
    ("Yield", "yield"),
    ("YieldFrom", "yield"),
    ("AsyncFor", "async for"),
    ("AsyncWith", "async with"),
    ("TryStar", "except*"),
    ("TypeAlias", "type aliases"),
)
# A node of interest has one of these words in its code, in ASCII and as a whole. To walk a tree takes long.
_LOOKED_AT = re.compile(r"(?<![A-Za-z_])(?:assert|async|class|del|except|import|raise|type|yield)(?![A-Za-z_0-9])")
_NODES = {getattr(ast, node): what for node, what in _STATEMENTS if hasattr(ast, node)}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Code for Monty. Its last expression, if it ends in one, is stored as `uac_value` instead of being returned.

    A returned value would reach the host unmeasured: `[text] * 100_000` is small inside and huge outside.
    """

    text: str
    value_line: int
    missing: str
    missing_line: int


Edits: TypeAlias = Sequence[tuple[int, int, str]]
"""What to replace, from one byte to another, in the order of the code."""


@word_cache(1024)
def prepare_for_monty(code: str) -> Prepared:
    """The prepared code; CodeError if it is not Python. The edits of packs' constraints ship."""
    edits = shipped_analysis("monty", list[tuple[int, int, str]], code)
    return _prepare_now(code)[0] if edits is None else Prepared(f"{_edited_for_monty(code, edits)}\nNone", 0, "", 0)


def monty_edits(code: str) -> Edits | None:
    """The edits that make the prepared code; None if they are not all: it ends in a value, or Monty cannot run it."""
    prepared, edits = _prepare_now(code)
    return None if prepared.missing or prepared.value_line else edits


def _prepare_now(code: str) -> tuple[Prepared, Edits]:
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parse_for_monty(code)
    nodes = tree_nodes(tree) if _LOOKED_AT.search(code) else []
    missing, line = next(_missing_features(nodes), ("", 0))
    wraps = [(node, "uac_cut(", ")") for node in map(_raised_in_monty, nodes) if node is not None]
    last = tree.body[-1] if tree.body else None
    value = last.value if isinstance(last, ast.Expr) else None
    if value is not None:
        wraps.append((value, "(uac_value := (", "))"))
    edits = _wraps_for_monty(code, wraps, tree)
    text = f"{_edited_for_monty(code, edits)}\nNone"
    return Prepared(text, value.lineno if value is not None else 0, missing, line), edits


def _raised_in_monty(node: ast.AST) -> ast.expr | None:
    """The error, or its text, that a statement raises: it is shortened inside, before it reaches the host."""
    match node:
        case ast.Raise(exc=ast.expr() as error) | ast.Assert(msg=ast.expr() as error):
            return error
    return None


def _wraps_for_monty(code: str, wraps: list[tuple[ast.expr, str, str]], tree: ast.AST) -> Edits:
    """Text before and after some expressions of the code, and its comparisons as calls; lines stay."""
    orders = "<" in code or ">" in code
    if not wraps and not orders:
        return []
    source = code.encode()
    starts = [0, *(found.end() for found in re.finditer(b"\n", source))]
    edits = ordering_edits(tree, source, starts) if orders else []
    for node, before, after in wraps:
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        # Comparisons are inside what is wrapped, never around it.
        edits = [(begin, begin, before), *edits, (end, end, after)]
    return sorted(edits, key=itemgetter(0))


def _edited_for_monty(code: str, edits: Edits) -> str:
    if not edits:
        return code
    source = code.encode()
    parts: list[bytes] = []
    at = 0
    for begin, end, text in edits:
        parts += [source[at:begin], text.encode()]
        at = end
    return b"".join((*parts, source[at:])).decode()


_quiet = threading.Lock()


def _parse_for_monty(code: str) -> ast.Module:
    try:
        with _quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return module_tree(code)
    except SyntaxError as error:
        raise CodeError(type(error).__name__, error.msg, line=error.lineno or 0) from None
    except ValueError as error:  # a null character, a lone surrogate
        raise CodeError("SyntaxError", str(error)) from None
    except (RecursionError, MemoryError):
        raise CodeError("SyntaxError", "The code is too deeply nested. Split it into statements.") from None


def _missing_features(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if type(node) in _NODES:
            yield _NODES[type(node)], getattr(node, "lineno", 0)
        elif isinstance(node, ast.ClassDef):
            yield from _missing_in_class(node)
        elif isinstance(node, ast.Import):
            yield from ((f"module {name.name}", node.lineno) for name in node.names if name.name in MISSING_MODULES)
        elif isinstance(node, ast.ImportFrom):
            yield from _missing_in_import(node)
        elif isinstance(node, ast.comprehension) and node.is_async:
            yield "async comprehensions", node.target.lineno


def _missing_in_import(node: ast.ImportFrom) -> Iterator[tuple[str, int]]:
    module = node.module or ""
    if module in MISSING_MODULES:
        yield f"module {module}", node.lineno
    for name in node.names:
        if name.name == "*":
            yield "from … import *", node.lineno
        elif name.name in MISSING_NAMES.get(module, ()):
            yield f"{module}.{name.name}", node.lineno


def _missing_in_class(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    if node.bases or node.keywords:
        yield "class inheritance", node.lineno
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and any(keyword.arg == "order" for keyword in decorator.keywords):
            yield "dataclass(order=…)", decorator.lineno
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            if part.decorator_list:
                yield "decorators of methods (property, classmethod, staticmethod)", part.lineno
            is_known = part.name in _METHODS or (node.name == "Money" and part.name in _ORDER)
            if part.name.startswith("__") and part.name.endswith("__") and not is_known:
                yield f"the method {part.name}", part.lineno
        elif not isinstance(part, ast.Assign | ast.AnnAssign | ast.Expr | ast.Pass):
            yield "class bodies with more than methods and variables", part.lineno


# --- from Monty's errors ------------------------------------------------------------------------------------------

_TYPES = {
    **{kind.__name__: kind for kind in (str, int, float, bool, bytes, list, tuple, dict, set, frozenset, range)},
    **{f"datetime.{kind.__name__}": kind for kind in (date, datetime, time, timedelta)},
    **{f"collections.{kind.__name__}": kind for kind in (defaultdict, deque)},
    "Counter": Counter,
    "decimal.Decimal": Decimal,
    "function": FunctionType,
}
_NO_ATTRIBUTE = re.compile(r"(?:type object )?'([\w.]+)'(?: object)? has no attribute '(\w+)'")
_NO_MEMBER = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'|cannot import name '(\w+)' from '([\w.]+)'")
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_NO_NAME = re.compile(r"name '(\w+)' is not defined")
_NO_INSTANCES = re.compile(r"cannot create '(\w+)' instances")
_NO_ORDER = re.compile(r"'[<>]=?' not supported between instances of 'Money' and 'Money'")


def monty_gap(kind: str, message: str) -> str | None:
    """The feature that CPython has and Monty lacks, if the error is about one."""
    if kind == "NotImplementedError" and ("not yet support" in message or "not supported" in message):
        return message.rpartition(" support ")[2] or message
    if kind == "RuntimeError" and message.startswith("Internal error in monty"):
        return f"this: {message}"
    if kind == "TypeError" and (found := _NO_INSTANCES.match(message)):
        return f"{found[1]}()"
    if kind == "TypeError" and _NO_ORDER.match(message):  # list.sort(), or a comparison in an f-string
        return "an order of money in this place"
    if kind in ("ModuleNotFoundError", "ImportError") and (found := _NO_MODULE.match(message)):
        return f"module {found[1]}" if found[1] in allowed_python.MODULES else None
    if kind in ("AttributeError", "ImportError") and (found := _NO_MEMBER.match(message)):
        return _missing_member(found[1] or found[4], found[2] or found[3])
    if kind == "AttributeError" and (found := _NO_ATTRIBUTE.match(message)):
        known = allowed_python.is_allowed_read(found[2]) and hasattr(_TYPES.get(found[1]), found[2])
        return f"{found[1]}.{found[2]}" if known else None
    if kind == "NameError" and (found := _NO_NAME.match(message)):
        here = (
            hasattr(builtins, found[1]) and found[1] not in allowed_python.NO_BUILTINS and not found[1].startswith("_")
        )
        return f"{found[1]}()" if here else None
    return None


def _missing_member(module: str, name: str) -> str | None:
    known = module in allowed_python.MODULES and hasattr(sys.modules.get(module), name)
    return f"{module}.{name}" if known else None
