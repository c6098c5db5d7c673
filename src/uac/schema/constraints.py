"""Constraints as data: a function over the user's state, the cases that prove it, and the analysis of its code.

The code is read as a tree and never run here; `constraints.runner` runs it, in the sandbox.
"""

import ast
import base64
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Literal, get_args

import msgspec

from uac.errors import CodeError, LimitError, Refused
from uac.schema.code_effects import FRAMES, Effect, effect_of
from uac.schema.code_ownership import find_outside_change
from uac.schema.queries import bound_names, clock_in, parse, wrapped
from uac.schema.syntax import free_names
from uac.schema.types import GIVEN, RESERVED_AT_TOP, Json, check_name

__all__ = [
    "MAX_CASES",
    "MAX_GIVEN",
    "OPEN_CONFLICT",
    "Case",
    "Constraint",
    "Given",
    "Knowledge",
    "Origin",
    "Pace",
    "Reading",
    "Severity",
    "case_moment",
    "check_helpers",
    "definition",
    "function_name",
    "read_constraint",
]

Severity = Literal["critical", "warning", "info"]
Pace = Literal["known", "asked", "tick"]
"""When a constraint that reads the time is run again without a change: at the times that the prelude's functions note,
at times that it asks for (look_again), or on every tick."""

Origin = Literal["pack", "person", "model"]
"""Who wrote a constraint. A model's constraint is unreviewed until a person approves it."""

OPEN_CONFLICT = "open_conflict"
"""The one constraint that is not a function: a field whose claims disagree and whose policy is to ask."""

FIXED = GIVEN | {"user", "now"}
"""Names that mean the same in every constraint."""

PACING = frozenset({"due_within", "is_past", "days_until"})
"""Functions of the prelude that note when their answer changes."""

MODULES: Mapping[str, frozenset[str]] = {
    "collections": frozenset({"Counter", "defaultdict", "deque"}),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone"}),
    "decimal": frozenset({"Decimal", "ROUND_HALF_EVEN", "ROUND_HALF_UP", "ROUND_DOWN", "ROUND_UP"}),
    "itertools": frozenset({"accumulate", "chain", "combinations", "groupby", "pairwise", "product"}),
    "json": frozenset({"loads", "dumps"}),
    "math": frozenset("ceil exp floor fsum gcd isclose isfinite isnan log log10 pi pow prod sqrt trunc".split()),
    "re": frozenset({"compile", "escape", "findall", "fullmatch", "match", "search", "split", "sub", "IGNORECASE"}),
}
"""Names a constraint may import from each module. A module exposes others, so it may only be used as `module.name`."""

PLAIN = frozenset("Decimal Money date datetime time timedelta frozenset set dict list tuple".split())
"""Functions that a constant may call."""

IGNORES = re.compile(r"\b(?:type|ty)\s{0,9}:\s{0,9}ignore")

FORMATTING = frozenset({"format", "format_map"})
"""Methods that reach attributes named in a string; in f-strings the tree shows them."""

BUILTINS = frozenset(
    "abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max min range "
    "repr reversed round set sorted str sum tuple zip True False None Exception ValueError KeyError IndexError "
    "TypeError ZeroDivisionError ArithmeticError AttributeError".split()
)
"""Python builtins that a constraint may use."""

MAX_CODE = 20_000
MAX_CASES = 100
MAX_DEPTH = 40
MAX_GIVEN = 1_000  # records of all cases together


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of a constraint that is stored with it."""


class Given(Part, frozen=True, kw_only=True):
    """A record of a case. `ended` is the time at which it ended, or empty."""

    type: str
    fields: dict[str, Json]
    ended: str = ""


class Case(Part, frozen=True, kw_only=True):
    """A state and a time for which the constraint must fire, or must stay silent."""

    name: str
    now: str
    """An ISO 8601 date (meaning noon, UTC) or time."""
    fires: bool
    given: tuple[Given, ...] = ()
    says: tuple[str, ...] = ()
    """Texts that must all occur in one of the messages; letter case does not matter."""


def case_moment(case: Case) -> datetime:
    """The time of a case; noon in UTC for a date."""
    try:
        moment = datetime.fromisoformat(case.now) if "T" in case.now else None
        moment = moment or datetime.combine(date.fromisoformat(case.now), time(12))
    except ValueError:
        raise Refused(f"case {case.name!r}: now is {case.now!r}. Use an ISO 8601 date or time.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Constraint(Part, frozen=True, kw_only=True):
    """A function `name(user, now)` that returns alerts, and its cases."""

    name: str
    code: str
    cases: tuple[Case, ...]
    origin: Origin
    pack: str = ""
    """The pack it is from, with its version: 'health 1'."""


class Knowledge(Part, frozen=True, kw_only=True):
    """A lookup table for constraints. It is kept in the log, so that the same log gives the same alerts."""

    name: str
    version: str
    date: str
    source: str
    note: str
    """Its limits, in words."""
    packed: str
    """The table as compressed JSON in base64: each user's log holds a copy."""

    @classmethod
    def of(cls, table: Json, *, name: str, version: str, date: str, source: str, note: str) -> "Knowledge":
        packed = base64.b64encode(zlib.compress(msgspec.json.encode(table), 9)).decode()
        return cls(name=name, version=version, date=date, source=source, note=note, packed=packed)

    @property
    def table(self) -> Json:
        return _unpack_table(self.packed)


MAX_TABLE = 4 * 1024 * 1024


@lru_cache(maxsize=64)
def _unpack_table(packed: str) -> Json:
    """The table of a packed text. Treat it as read-only: it is cached, and only sent to the sandbox or printed."""
    try:
        unzip = zlib.decompressobj()
        text = unzip.decompress(base64.b64decode(packed, validate=True), MAX_TABLE)
        if not unzip.eof:
            raise Refused(
                f"A table is truncated or has more than {MAX_TABLE:,} bytes. Store it whole, or make it smaller."
            )
        return msgspec.json.decode(text)
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        raise Refused(f"A table cannot be read: {error}. Pack it with Knowledge.of.") from None


@dataclass(frozen=True, slots=True)
class Reading:
    """The analysis of a constraint's code."""

    name: str
    doc: str
    reads: tuple[str, ...]
    """The collections it reads: 'health.medications'."""
    knows: tuple[str, ...]
    """The tables it uses: 'health.drugs'."""
    uses_now: bool
    pace: Pace
    severity: Severity
    """The most severe alert that it can raise."""
    effect: Effect
    """What it could change."""


@lru_cache(maxsize=4096)
def read_constraint(name: str, code: str) -> Reading:
    """Analyse the code, or raise Refused with the line and the reason. Cached by text."""
    check_name(name, "constraint", reserved=RESERVED_AT_TOP | GIVEN | {OPEN_CONFLICT})
    if len(code) > MAX_CODE:
        raise Refused(f"The code has {len(code):,} characters. Shorten it to {MAX_CODE:,}.")
    text, tree = _parse_constraint_code(code)
    nodes = list(ast.walk(tree))
    function = _constraint_function(tree, name)
    doc = " ".join((ast.get_docstring(function) or "").split())
    if not doc:
        raise _refused_at_line(function, f"{name} has no docstring. Add a sentence that says what it looks for.")
    _check_side_effects(tree, nodes)
    _check_known_names(text, nodes)
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == "now"]
    return Reading(
        name,
        doc,
        _collections_read(function, nodes),
        _tables_named(nodes),
        bool(uses),
        _constraint_pace(tree, nodes, uses),
        _worst_severity_named(nodes),
        effect_of(tree, nodes),
    )


def check_helpers(code: str) -> tuple[str, ast.Module]:
    """The text and the tree of a pack's helpers.py, which keeps to what a constraint may do; Refused with the line.

    Each function is checked by itself. A constraint is checked again with the helpers that it uses.
    """
    text, tree = _parse_constraint_code(code)
    for node in tree.body:
        _check_top_level_statement(node, "Start its name with an underscore.")
        alone = ast.Module([node], [])
        _check_side_effects(alone, list(ast.walk(alone)))
    nodes = list(ast.walk(tree))
    for part in nodes:
        if "user" in (getattr(part, "id", ""), getattr(part, "arg", "")):
            raise _refused_at_line(
                part, "A helper cannot use `user`. Pass it the records, as in _helper(user.travel.trips)."
            )
    _check_arguments(nodes)
    if "now" in free_names(text):
        raise Refused("A helper uses `now` without having it. Add `now` to its arguments, and pass it.")
    _check_known_names(text, nodes)
    _tables_named(nodes)
    return text, tree


def function_name(name: str) -> str:
    """The function's name inside the sandbox; no field or domain can have it."""
    return f"constraint__{name}"


@lru_cache(maxsize=1024)
def definition(name: str, code: str) -> str:
    """The constraint as one function, so that its names do not clash with those of others in the sandbox."""
    body, tree = parse(f"{code}\n{name}(user, now)")
    return wrapped(body, tree, function_name(name), "user, now, knowledge=knowledge")


def _parse_constraint_code(code: str) -> tuple[str, ast.Module]:
    try:
        text, tree = parse(code)
    except (CodeError, LimitError) as error:
        raise Refused(str(error)) from None
    _check_nesting_depth(tree)
    if "no_type_check" in code or any(IGNORES.search(line) for line in code.splitlines() if "#" in line):
        raise Refused("The code switches the type checker off. Write code that it accepts.")
    return text, tree


def _constraint_function(tree: ast.Module, name: str) -> ast.FunctionDef:
    """The one public function. Constants and functions with a leading underscore may accompany it."""
    found: ast.FunctionDef | None = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name and found is None:
            found = node
        else:
            _check_top_level_statement(
                node, f"Define one function {name}; start the names of others with an underscore."
            )
    if found is None:
        raise Refused(f"The function {name} is missing. Define {name}(user, now).")
    arguments = found.args
    names = [argument.arg for argument in arguments.args]
    extra = arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults
    if names != ["user", "now"] or extra or found.decorator_list:
        raise _refused_at_line(
            found, f"{name} has a wrong signature. Write def {name}(user, now) without decorators or other arguments."
        )
    return found


def _check_top_level_statement(node: ast.stmt, advice: str) -> None:
    """Refuse a statement other than a helper function, a constant, an import or a text."""
    match node:
        case ast.FunctionDef(name=name) if name.startswith("_") and not name.startswith("__"):
            pass
        case ast.FunctionDef(name=name):
            raise _refused_at_line(node, f"Function {name} is public. {advice}")
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            if not all(_is_plain(part) for part in ast.walk(node)):
                raise _refused_at_line(
                    node, "The constant is computed. Write a plain value, or compute it in a function."
                )
        case ast.ImportFrom() | ast.Import():
            pass
        case ast.Expr(value=ast.Constant(value=str())):
            pass
        case _:
            raise _refused_at_line(
                node, "Only functions and constants are allowed at the top level. Move this into a function."
            )


def _is_plain(part: ast.AST) -> bool:
    """Whether a part of a constant calls only functions that make values: Decimal("0.5"), "a b c".split()."""
    match part:
        case ast.Call(func=ast.Name(id=name)):
            return name in PLAIN
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="split")):
            return True
        case ast.Attribute(value=value):
            return isinstance(value, ast.Constant)
    return not isinstance(part, ast.Call | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)


def _check_nesting_depth(tree: ast.Module) -> None:
    """Refuse code nested so deeply that type checking would take long."""
    level: list[ast.AST] = [tree]
    for _depth in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise _refused_at_line(level[0], f"The code is nested deeper than {MAX_DEPTH} levels. Simplify it.")


def _check_side_effects(tree: ast.Module, nodes: Sequence[ast.AST]) -> None:
    """Refuse side effects: a constraint shares loaded objects with others and gets the time as an argument."""
    for node in nodes:
        if why := _forbidden_node_reason(node):
            raise _refused_at_line(node, why)
    if (asking := clock_in(nodes)) is not None:
        raise _refused_at_line(asking, "The code asks the clock or reaches beyond the constraint. Use `now`.")
    if (changing := find_outside_change(tree, nodes)) is not None:
        raise _refused_at_line(
            changing,
            "The code could change an object that it did not create. Create a new one"
            " (sorted(xs) instead of xs.sort(), xs + [x] instead of xs.append(x)).",
        )


def _forbidden_node_reason(node: ast.AST) -> str:
    """Why a node is not allowed in a constraint; empty if it is."""
    match node:
        case ast.ClassDef() | ast.AsyncFunctionDef() | ast.Yield() | ast.YieldFrom() | ast.Await():
            return "Classes and generators are not allowed. Use plain functions."
        case ast.Import(names=[alias, *_]):
            return f"The module {alias.name} is imported whole. Use from … import … of {', '.join(MODULES)}."
        case ast.ImportFrom(module=module, names=aliases):
            known = MODULES.get(module or "", frozenset())
            if unknown := [alias.name for alias in aliases if alias.name not in known]:
                return f"{unknown[0]} cannot be imported from {module}. Use: {', '.join(sorted(known or MODULES))}."
        case ast.Attribute(attr=name) if name.startswith("_") or name in FRAMES | FORMATTING:
            return f".{name} leads beyond the constraint. Use fields and plain methods; format with f-strings."
        case ast.Attribute(value=ast.Name(id="json" | "math" | "re" as module), attr=name) if (
            name not in MODULES[module]
        ):
            return f"{module}.{name} is not allowed. Use one of {', '.join(sorted(MODULES[module]))}."
    return "This redefines a name that every constraint has. Choose another." if _rebinds_reserved_name(node) else ""


def _check_known_names(code: str, nodes: Sequence[ast.AST]) -> None:
    """Refuse names that are neither defined by the constraint nor available to every constraint.

    The sandbox has others, such as `print`. A name that is bound in one scope is still free in all others.
    """
    try:
        free = free_names(code) - FIXED - BUILTINS
    except SyntaxError as error:  # a tree can be made of more than can be run
        raise Refused(f"line {error.lineno}: {error.msg}") from None
    dotted = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        match node:
            case ast.Name(id=name) if name in ("json", "math", "re") and id(node) not in dotted:
                raise _refused_at_line(
                    node, f"The module {name} is used as a value. Use one of its functions: {name}.…"
                )
            case ast.Name(id=name, ctx=ast.Load()) if name in free:
                raise _refused_at_line(
                    node, f"{name} is not defined. Use user.domain.collection, or define it in the constraint."
                )
            case _:
                pass
    if free:
        raise Refused(f"{min(free)} is not defined. Use user.domain.collection, or define it in the constraint.")


def _rebinds_reserved_name(node: ast.AST) -> bool:
    """Whether a node redefines a name of the prelude, `user` or `now`."""
    if isinstance(node, ast.ImportFrom):
        return any(alias.asname is not None and alias.asname in FIXED for alias in node.names)
    return not isinstance(node, ast.arg) and any(name in FIXED for name in bound_names(node))


def _collections_read(function: ast.FunctionDef, nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    """The collections, from chains user.domain.collection. `user` may be used in no other way."""
    found: set[str] = set()
    covered: set[int] = set()
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="user") as root, attr=domain), attr=collection):
                found.add(f"{domain}.{collection}")
                covered.add(id(root))
            case _:
                pass
    own = {id(argument) for argument in function.args.args}
    for node in nodes:
        match node:
            case ast.Name(id="user") if id(node) not in covered:
                raise _refused_at_line(
                    node, "user is used as a value. Use user.domain.collection, such as user.travel.trips."
                )
            case _:
                pass
    _check_arguments(node for node in nodes if id(node) not in own)
    return tuple(sorted(found))


def _check_arguments(nodes: Iterable[ast.AST]) -> None:
    for node in nodes:
        if isinstance(node, ast.arg) and node.arg in FIXED - {"now"}:
            raise _refused_at_line(node, f"An argument is named {node.arg}, which every constraint has. Rename it.")


def _tables_named(nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    found: set[str] = set()
    covered: set[int] = set()
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Name(id="knowledge") as called, args=[ast.Constant(value=str() as name)], keywords=[]
            ):
                found.add(name)
                covered.add(id(called))
            case ast.Name(id="knowledge") if id(node) not in covered:
                raise _refused_at_line(node, 'The name of a table is not a literal. Write knowledge("name").')
            case _:
                pass
    return tuple(sorted(found))


def _worst_severity_named(nodes: Sequence[ast.AST]) -> Severity:
    """The most severe that it names; critical if it names none, because then it creates alerts in another way."""
    named = {node.id for node in nodes if isinstance(node, ast.Name)}
    named |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return next((severity for severity in get_args(Severity) if severity in named), "critical")


def _constraint_pace(tree: ast.Module, nodes: Sequence[ast.AST], uses: Sequence[ast.Name]) -> Pace:
    """'known' if `now` is passed only to functions that note when their answer changes, or to own ones as `now`."""
    helpers = {node.name: node.args.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    pacing: set[int] = set()
    asks = False
    for node in nodes:
        match node:
            case ast.Name(id="look_again") | ast.keyword(arg="look_again"):
                asks = True
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in PACING:
                pacing.update(id(argument) for argument in arguments)
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in helpers:
                pairs = zip(arguments, helpers[name], strict=False)
                pacing.update(id(argument) for argument, parameter in pairs if parameter.arg == "now")
            case _:
                pass
    return "known" if all(id(use) in pacing for use in uses) else "asked" if asks else "tick"


def _refused_at_line(node: ast.AST, why: str) -> Refused:
    return Refused(f"line {getattr(node, 'lineno', 0)}: {why}")
