"""How much foreign code could change, read from its tree with closed lists: nothing, containers, or anything.

Isolation depends on these lists, so each names what is allowed, and everything else counts as `anything`:

nothing     it has no operation that changes an object: it may share loaded objects with other code
containers  it can change lists, dicts and sets, and nothing else: it gets containers of its own
anything    it might change records, classes, functions, modules or the interpreter: it gets a session of its own

An object that is not a container changes only through assignment to an attribute, a name with an underscore in front,
or a function such as setattr(). None of these is in the first two languages, so no alias and no call can bring it back.
They also have no methods, no generator functions and few modules: what code leaves behind must not run later.
"""

import ast
import builtins
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

__all__ = ["CHANGING_NAMES", "FRAMES", "REACHING_NAMES", "Effect", "EffectKind", "effect_of", "find_clock_use"]

EffectKind = Literal["nothing", "containers", "anything"]

FRAMES = frozenset(
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await ag_frame ag_code ag_await tb_frame tb_next f_back "
    "f_builtins f_code f_globals f_locals mro".split()
)
"""Attributes without an underscore that lead to the interpreter."""

_FAR = FRAMES | {"obj", "register"}
"""Attributes that lead to an object which the code did not name, or that change a class."""

_SAFE_BUILTINS = frozenset(
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset hash "
    "hex id int isinstance issubclass iter len list map max min next oct ord pow print range repr reversed round set "
    "slice sorted str sum tuple zip True False None Ellipsis NotImplemented".split()
)
_WITH_CARE = frozenset({"type", "getattr", "hasattr", "dataclass"})
"""Names that are allowed in one form each; see `_EffectNodes`."""
_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
)
_UNSAFE_BUILTINS = frozenset(dir(builtins)) - _SAFE_BUILTINS - _WITH_CARE - _ERRORS

_READING = frozenset(
    "copy count index keys values items get elements most_common union intersection difference symmetric_difference "
    "isdisjoint issubset issuperset total fromkeys maxlen default_factory".split()
)
_MUTATORS = (
    frozenset(
        name
        for kind in (list, dict, set, deque, Counter, defaultdict, OrderedDict)
        for name in dir(kind)
        if not name.startswith("_")
    )
    - _READING
)
"""Methods of containers that are not known to leave them alone: a method that Python adds later is among them."""

_SAFE_MEMBERS: Mapping[str, frozenset[str]] = {
    "calendar": frozenset("day_abbr day_name isleap leapdays month_abbr month_name monthrange weekday".split()),
    "collections": frozenset("Counter OrderedDict defaultdict deque".split()),
    "dataclasses": frozenset({"dataclass"}),
    "datetime": frozenset("MAXYEAR MINYEAR UTC date datetime time timedelta timezone".split()),
    "decimal": frozenset(
        "Decimal ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP "
        "InvalidOperation DivisionByZero".split()
    ),
    "functools": frozenset({"reduce"}),
    "itertools": frozenset(
        "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse "
        "groupby islice pairwise permutations product repeat starmap takewhile zip_longest".split()
    ),
    "json": frozenset({"JSONDecodeError", "dumps", "loads"}),
    "math": frozenset(
        "acos asin atan atan2 cbrt ceil comb copysign cos cosh degrees dist e erf exp exp2 expm1 fabs factorial floor "
        "fmod fsum gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp log log10 log1p log2 modf nan perm pi "
        "pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc".split()
    ),
    "operator": frozenset({"itemgetter"}),
    "re": frozenset(
        "ASCII DOTALL I IGNORECASE M MULTILINE S VERBOSE X compile escape findall finditer fullmatch match search "
        "split sub subn".split()
    ),
    "statistics": frozenset(
        "StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median "
        "median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance".split()
    ),
    "string": frozenset("ascii_letters ascii_lowercase ascii_uppercase capwords digits punctuation".split()),
}
"""Members of modules that change no object. A module itself may be used only before a dot."""

_GIVEN_MODULES = {"json": "json", "math": "math", "re": "re"}
"""Modules that are defined for every query."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What code could change, and every attribute that it could reach: None if names do not show it."""

    change: EffectKind
    attributes: frozenset[str] | None


def effect_of(tree: ast.Module, nodes: Sequence[ast.AST]) -> Effect:
    """The effect of code, from its tree and all nodes of it."""
    checked = _EffectNodes(tree, nodes)
    return Effect(_worst_effect(map(checked.change, nodes)), _effect_attributes(nodes))


def _effect_attributes(nodes: Iterable[ast.AST]) -> frozenset[str] | None:
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Attribute(attr=name):
                found.add(name)
            case ast.MatchClass(patterns=[_, *_]):  # takes fields by their place
                return None
            case ast.MatchClass(kwd_attrs=names):
                found.update(names)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
                found.add(name)
            case _:
                pass
    return frozenset(found)


class _EffectNodes:
    """The nodes of one tree, and what their parents tell about them."""

    def __init__(self, tree: ast.Module, nodes: Sequence[ast.AST]) -> None:
        self.modules = dict(_GIVEN_MODULES)
        self.imports = {id(node) for node in tree.body}
        """Where an import is allowed: not inside a function or a class."""
        self.plain: set[int] = set()
        """Nodes in a form in which they are harmless."""
        self.names: list[str] = []
        """What modules are called; a name of two modules means both."""
        has_walrus = any(isinstance(node, ast.NamedExpr) for node in nodes)
        for node in nodes:
            match node:
                case ast.Import(names=aliases):
                    self.names += [alias.asname or alias.name for alias in aliases]
                    self.modules |= {alias.asname or alias.name: alias.name for alias in aliases}
                case ast.Attribute(value=ast.Call() as call, attr="__name__", ctx=ast.Load()) if _is_harmless_type(
                    call
                ):
                    self.plain |= {id(node), id(call.func)}
                case ast.Attribute(value=ast.Name() as name):
                    self.plain.add(id(name))
                case ast.Compare(left=left, comparators=others):
                    self.plain.update(id(call.func) for call in (left, *others) if _is_harmless_type(call))
                case ast.Call(func=ast.Name() as name) if _is_harmless_getattr(node):
                    self.plain.add(id(name))
                case ast.If() | ast.While() | ast.Assign() | ast.Return() | ast.Expr() | ast.For() if has_walrus:
                    self.plain.update(
                        found for child in ast.iter_child_nodes(node) for found in _harmless_walruses(child)
                    )
                case ast.ClassDef(decorator_list=[decorator]):
                    self.plain.add(id(decorator.func if isinstance(decorator, ast.Call) else decorator))
                case _:
                    pass

    def change(self, node: ast.AST) -> EffectKind:
        """The effect of one node alone."""
        match node:
            case ast.Global() | ast.Await() | ast.AsyncFor() | ast.AsyncWith() | ast.AsyncFunctionDef():
                return "anything"
            case ast.Yield() | ast.YieldFrom():  # what is left of a generator may run in a later query
                return "anything"
            case ast.Name(id=name):
                return self._effect_by_name(name, is_plain=id(node) in self.plain)
            case ast.Attribute(value=value, attr=name, ctx=context):
                if id(node) in self.plain:
                    return "nothing"
                return self._effect_by_attribute(value, name, is_read=isinstance(context, ast.Load))
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.AugAssign():
                return "containers"
            case ast.MatchClass(kwd_attrs=names):
                return _worst_effect(_effect_of_attribute(name) for name in names)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
                return _effect_of_attribute(name)
            case ast.NamedExpr():
                return "nothing" if id(node) in self.plain else "anything"
            case ast.FunctionDef(name=name) | ast.arg(arg=name):
                return _effect_of_name(name)
            case ast.ClassDef(name=name):
                return _effect_of_name(name) if _is_harmless_class(node) else "anything"
            case ast.Import() | ast.ImportFrom():
                return self._effect_by_import(node)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                return _effect_of_name(name)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                return _effect_of_name(name)
        return "nothing"

    def _effect_by_name(self, name: str, *, is_plain: bool) -> EffectKind:
        if (name in _WITH_CARE or name in self.modules) and not is_plain:
            return "anything"
        return _effect_of_name(name)

    def _effect_by_attribute(self, value: ast.expr, name: str, *, is_read: bool) -> EffectKind:
        if not is_read or name == "dataclass":  # called with a loaded class, dataclass() changes that class
            return "anything"
        if isinstance(value, ast.Name):
            if value.id in _WITH_CARE:
                return "anything"
            if value.id in self.modules:
                known = _SAFE_MEMBERS.get(self.modules[value.id], frozenset())
                return "nothing" if name in known else "anything"
        return _effect_of_attribute(name)

    def _effect_by_import(self, node: ast.Import | ast.ImportFrom) -> EffectKind:
        if id(node) not in self.imports:
            return "anything"
        if isinstance(node, ast.Import):
            known = all(alias.name in _SAFE_MEMBERS for alias in node.names)
            single = all(self.names.count(alias.asname or alias.name) == 1 for alias in node.names)
            return (
                _worst_effect(_effect_of_name(alias.asname or alias.name) for alias in node.names)
                if known and single
                else "anything"
            )
        members = _SAFE_MEMBERS.get(node.module or "", frozenset()) if not node.level else frozenset()
        if not all(alias.name in members for alias in node.names):
            return "anything"
        if any(alias.name in _WITH_CARE and alias.asname for alias in node.names):
            return "anything"
        return _worst_effect(_effect_of_name(alias.asname or alias.name) for alias in node.names)


def _effect_of_name(name: str) -> EffectKind:
    """Names with two underscores or `uac_` are ours or the interpreter's."""
    return "anything" if "__" in name or name.startswith("uac_") or name in _UNSAFE_BUILTINS else "nothing"


def _effect_of_attribute(name: str) -> EffectKind:
    if name.startswith("_") or name in _FAR:
        return "anything"
    return "containers" if name in _MUTATORS else "nothing"


def _worst_effect(changes: Iterable[EffectKind]) -> EffectKind:
    found = set(changes)
    return "anything" if "anything" in found else "containers" if "containers" in found else "nothing"


_PASSING = (
    *(ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.IfExp),
    *(ast.List, ast.ListComp, ast.NamedExpr, ast.Set, ast.SetComp, ast.Starred, ast.Subscript, ast.Tuple, ast.UnaryOp),
    *(ast.comprehension, ast.keyword),
)
"""Nodes in which `:=` binds a name of the function around it. In others, such as the default of a lambda, an engine may
bind a name of the session."""


def _harmless_walruses(node: ast.AST) -> Iterator[int]:
    """The `:=` in an expression, reached through nodes in which they are understood."""
    if isinstance(node, ast.NamedExpr):
        yield id(node)
    if isinstance(node, _PASSING):
        for child in ast.iter_child_nodes(node):
            yield from _harmless_walruses(child)


def _is_harmless_type(node: ast.expr) -> TypeGuard[ast.Call]:
    """type(x), of which only the name is used, or which is only compared: a class can be called, and make others."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[argument], keywords=[]):
            return not isinstance(argument, ast.Starred)
    return False


def _is_harmless_getattr(node: ast.Call) -> bool:
    """getattr(x, 'name') or hasattr(x, 'name') with the name written out."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[first, ast.Constant(value=str()), *rest], keywords=[]):
            return not any(isinstance(part, ast.Starred) for part in (first, *rest))
        case ast.Call(func=ast.Name(id="hasattr"), args=[first, ast.Constant(value=str())], keywords=[]):
            return not isinstance(first, ast.Starred)
    return False


def _is_harmless_class(node: ast.ClassDef) -> bool:
    """A dataclass of fields alone: @dataclass, no bases, and nothing in it that is run."""
    if node.bases or node.keywords or len(node.decorator_list) != 1:
        return False
    decorator = node.decorator_list[0]
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if not isinstance(called, ast.Name) or called.id != "dataclass":
        return False
    if isinstance(decorator, ast.Call) and (decorator.args or not all(map(_is_harmless_keyword, decorator.keywords))):
        return False  # dataclass(loaded class) would change that class
    return all(_is_harmless_field(part) for part in node.body)


def _is_harmless_keyword(argument: ast.keyword) -> bool:
    return argument.arg is not None and isinstance(argument.value, ast.Constant)


def _is_harmless_field(part: ast.stmt) -> bool:
    match part:
        case ast.AnnAssign(target=ast.Name(), value=None | ast.Constant()):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return True
    return False


_CLOCKS = frozenset("now today utcnow time time_ns localtime gmtime monotonic".split())
REACHING_NAMES = frozenset("globals locals vars eval exec compile __import__ __globals__".split())
CHANGING_NAMES = REACHING_NAMES | frozenset(
    "setattr delattr getattr setcontext getcontext localcontext setfirstweekday total_ordering update_wrapper "
    "wraps".split()
)


def find_clock_use(nodes: Sequence[ast.AST]) -> ast.AST | None:
    """The first place where the code might ask the clock, as date.today() does."""
    return next((node for node in nodes if _uses_clock(node)), None)


def _uses_clock(node: ast.AST) -> bool:
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
