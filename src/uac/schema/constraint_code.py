"""The analysis of a constraint's code. It is read as a tree and never run here; `constraints.runner` runs it."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from uac.errors import CodeError, LimitError, Refused
from uac.schema.code_effects import FRAMES, Effect, effect_of, find_clock_use
from uac.schema.code_ownership import find_unowned_change
from uac.schema.code_wrapping import indent_in_function, lines_inside_strings
from uac.schema.constraints import BUILT_IN, Severity
from uac.schema.shipped_analysis import shipped_analysis
from uac.schema.syntax import bound_names, free_names, parse_code, tree_nodes
from uac.schema.types import GIVEN, RESERVED_AT_TOP, check_name
from uac.schema.word_caches import word_cache

__all__ = [
    "Pace",
    "Reading",
    "analyse_constraint",
    "check_helpers_code",
    "constraint_definition",
    "constraint_function_name",
    "read_constraint",
]

Pace = Literal["known", "asked", "tick"]
"""When a constraint that reads the time is run again without a change: at the times that the prelude's functions note,
at times that it asks for (look_again), or on every tick."""

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

LEADING_AWAY = FRAMES | FORMATTING

BUILTINS = frozenset(
    "abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max min range "
    "repr reversed round set sorted str sum tuple zip True False None Exception ValueError KeyError IndexError "
    "TypeError ZeroDivisionError ArithmeticError AttributeError".split()
)
"""Python builtins that a constraint may use."""

MAX_CODE = 20_000

MAX_DEPTH = 40


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


@word_cache(4096)
def read_constraint(name: str, code: str) -> Reading:
    """The analysis of the code, or Refused with the line and the reason. Cached by text; that of packs ships."""
    return shipped_analysis("reading", Reading, name, code) or analyse_constraint(name, code)


def analyse_constraint(name: str, code: str) -> Reading:
    """The same, made now."""
    check_name(name, "constraint", reserved=RESERVED_AT_TOP | GIVEN | BUILT_IN)
    if len(code) > MAX_CODE:
        raise Refused(f"The code has {len(code):,} characters. Shorten it to {MAX_CODE:,}.")
    text, tree = _parse_constraint_code(code)
    nodes = tree_nodes(tree)
    function = _constraint_function(tree, name)
    doc = " ".join((ast.get_docstring(function) or "").split())
    if not doc:
        raise _refused_constraint_line(
            function, f"{name} has no docstring. Add a sentence that says what it looks for."
        )
    _check_constraint_effects(tree, nodes)
    _check_constraint_names(text, nodes)
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == "now"]
    return Reading(
        name,
        doc,
        _constraint_collections(function, nodes),
        _constraint_tables(nodes),
        bool(uses),
        _constraint_pace(tree, nodes, uses),
        _worst_constraint_severity(nodes),
        effect_of(tree, nodes),
    )


def check_helpers_code(code: str) -> tuple[str, ast.Module]:
    """The text and the tree of a pack's helpers.py, which keeps to what a constraint may do; Refused with the line.

    Each function is checked by itself. A constraint is checked again with the helpers that it uses.
    """
    text, tree = _parse_constraint_code(code)
    for node in tree.body:
        _check_constraint_statement(node, "Start its name with an underscore.")
        alone = ast.Module([node], [])
        _check_constraint_effects(alone, tree_nodes(alone))
    nodes = tree_nodes(tree)
    for part in nodes:
        if "user" in (getattr(part, "id", ""), getattr(part, "arg", "")):
            raise _refused_constraint_line(
                part, "A helper cannot use `user`. Pass it the records, as in _helper(user.travel.trips)."
            )
    _check_constraint_arguments(nodes)
    if "now" in free_names(text):
        raise Refused("A helper uses `now` without having it. Add `now` to its arguments, and pass it.")
    _check_constraint_names(text, nodes)
    _constraint_tables(nodes)
    return text, tree


def constraint_function_name(name: str) -> str:
    """The function's name inside the sandbox; no field or domain can have it."""
    return f"constraint__{name}"


@word_cache(1024)
def constraint_definition(name: str, code: str) -> str:
    """The constraint as one function, so that its names do not clash with those of others in the sandbox."""
    inside = shipped_analysis("strings", set[int], code)
    if inside is None:
        code, _tree = parse_code(code)
        inside = lines_inside_strings(code)
    body = f"{code}\nreturn ({name}(user, now))"
    return indent_in_function(body, constraint_function_name(name), "user, now, knowledge=knowledge", inside)


def _parse_constraint_code(code: str) -> tuple[str, ast.Module]:
    try:
        text, tree = parse_code(code)
    except (CodeError, LimitError) as error:
        raise Refused(str(error)) from None
    _check_constraint_depth(tree)
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
            _check_constraint_statement(
                node, f"Define one function {name}; start the names of others with an underscore."
            )
    if found is None:
        raise Refused(f"The function {name} is missing. Define {name}(user, now).")
    arguments = found.args
    names = [argument.arg for argument in arguments.args]
    extra = arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults
    if names != ["user", "now"] or extra or found.decorator_list:
        raise _refused_constraint_line(
            found, f"{name} has a wrong signature. Write def {name}(user, now) without decorators or other arguments."
        )
    return found


def _check_constraint_statement(node: ast.stmt, advice: str) -> None:
    """Refuse a statement other than a helper function, a constant, an import or a text."""
    match node:
        case ast.FunctionDef(name=name) if name.startswith("_") and not name.startswith("__"):
            pass
        case ast.FunctionDef(name=name):
            raise _refused_constraint_line(node, f"Function {name} is public. {advice}")
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            if not all(_is_plain_constant(part) for part in tree_nodes(node)):
                raise _refused_constraint_line(
                    node, "The constant is computed. Write a plain value, or compute it in a function."
                )
        case ast.ImportFrom() | ast.Import():
            pass
        case ast.Expr(value=ast.Constant(value=str())):
            pass
        case _:
            raise _refused_constraint_line(
                node, "Only functions and constants are allowed at the top level. Move this into a function."
            )


def _is_plain_constant(part: ast.AST) -> bool:
    """Whether a part of a constant calls only functions that make values: Decimal("0.5"), "a b c".split()."""
    match part:
        case ast.Call(func=ast.Name(id=name)):
            return name in PLAIN
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="split")):
            return True
        case ast.Attribute(value=value):
            return isinstance(value, ast.Constant)
    return not isinstance(part, ast.Call | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)


def _check_constraint_depth(tree: ast.Module) -> None:
    """Refuse code nested so deeply that type checking would take long."""
    level: list[ast.AST] = [tree]
    for _depth in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise _refused_constraint_line(level[0], f"The code is nested deeper than {MAX_DEPTH} levels. Simplify it.")


def _check_constraint_effects(tree: ast.Module, nodes: Sequence[ast.AST]) -> None:
    """Refuse side effects: a constraint shares loaded objects with others and gets the time as an argument."""
    for node in nodes:
        if why := _forbidden_in_constraint(node):
            raise _refused_constraint_line(node, why)
    if (asking := find_clock_use(nodes)) is not None:
        raise _refused_constraint_line(asking, "The code asks the clock or reaches beyond the constraint. Use `now`.")
    if (changing := find_unowned_change(tree, nodes)) is not None:
        raise _refused_constraint_line(
            changing,
            "The code could change an object that it did not create. Create a new one"
            " (sorted(xs) instead of xs.sort(), xs + [x] instead of xs.append(x)).",
        )


def _forbidden_in_constraint(node: ast.AST) -> str:
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
        case ast.Attribute(attr=name) if name.startswith("_") or name in LEADING_AWAY:
            return f".{name} leads beyond the constraint. Use fields and plain methods; format with f-strings."
        case ast.Attribute(value=ast.Name(id="json" | "math" | "re" as module), attr=name) if (
            name not in MODULES[module]
        ):
            return f"{module}.{name} is not allowed. Use one of {', '.join(sorted(MODULES[module]))}."
    if name := _rebound_constraint_name(node):
        return f"This redefines {name}, which every constraint has. Choose another name."
    return ""


def _check_constraint_names(code: str, nodes: Sequence[ast.AST]) -> None:
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
                raise _refused_constraint_line(
                    node, f"The module {name} is used as a value. Use one of its functions: {name}.…"
                )
            case ast.Name(id=name, ctx=ast.Load()) if name in free:
                raise _refused_constraint_line(
                    node, f"{name} is not defined. Use user.domain.collection, or define it in the constraint."
                )
            case _:
                pass
    if free:
        raise Refused(f"{min(free)} is not defined. Use user.domain.collection, or define it in the constraint.")


def _rebound_constraint_name(node: ast.AST) -> str:
    """The name of the prelude, `user` or `now` that a node redefines; empty if it redefines none."""
    if isinstance(node, ast.ImportFrom):
        return next((alias.asname for alias in node.names if alias.asname in FIXED and alias.asname), "")
    return "" if isinstance(node, ast.arg) else next((name for name in bound_names(node) if name in FIXED), "")


def _constraint_collections(function: ast.FunctionDef, nodes: Sequence[ast.AST]) -> tuple[str, ...]:
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
                raise _refused_constraint_line(
                    node, "user is used as a value. Use user.domain.collection, such as user.travel.trips."
                )
            case _:
                pass
    _check_constraint_arguments(node for node in nodes if id(node) not in own)
    return tuple(sorted(found))


def _check_constraint_arguments(nodes: Iterable[ast.AST]) -> None:
    for node in nodes:
        if isinstance(node, ast.arg) and node.arg in FIXED - {"now"}:
            raise _refused_constraint_line(
                node, f"An argument is named {node.arg}, which every constraint has. Rename it."
            )


def _constraint_tables(nodes: Sequence[ast.AST]) -> tuple[str, ...]:
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
                raise _refused_constraint_line(node, 'The name of a table is not a literal. Write knowledge("name").')
            case _:
                pass
    return tuple(sorted(found))


def _worst_constraint_severity(nodes: Sequence[ast.AST]) -> Severity:
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


def _refused_constraint_line(node: ast.AST, why: str) -> Refused:
    return Refused(f"line {getattr(node, 'lineno', 0)}: {why}")
