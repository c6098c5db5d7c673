"""How much foreign code could change, read from its tree with closed lists: nothing, containers, or anything.

Isolation depends on these lists, so each names what is allowed, and everything else counts as `anything`:

nothing     it has no operation that changes an object: it may share loaded objects with other code
containers  it can change lists, dicts and sets, and nothing else: it gets containers of its own
anything    it might change records, classes, functions, modules or the interpreter: it gets a session of its own

An object that is no container changes only through an assignment to an attribute, a name with an underscore in front,
or a function such as setattr(). None of these is in the first two languages, so no alias and no call can bring it back.
"""

import ast
import builtins
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["FRAMES", "Change", "Effect", "effect_of"]

Change = Literal["nothing", "containers", "anything"]

FRAMES = frozenset(
    "gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await ag_frame ag_code ag_await tb_frame tb_next f_back "
    "f_builtins f_code f_globals f_locals mro".split()
)
"""Attributes without an underscore that lead to the interpreter."""

_SAFE_BUILTINS = frozenset(
    "abs all any ascii bin bool bytes callable chr classmethod complex dict divmod enumerate filter float format "
    "frozenset hash hex id int isinstance issubclass iter len list map max min next oct ord pow print property range "
    "repr reversed round set slice sorted staticmethod str sum tuple zip True False None Ellipsis "
    "NotImplemented".split()
)
_WITH_CARE = frozenset({"type", "getattr", "hasattr", "dataclass"})
"""Built-in and given names that are allowed in one form each; see `_is_plain_call`."""
_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
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
    "bisect": frozenset("bisect bisect_left bisect_right insort insort_left insort_right".split()),
    "calendar": frozenset("day_abbr day_name isleap leapdays month_abbr month_name monthrange weekday".split()),
    "collections": frozenset("Counter OrderedDict defaultdict deque namedtuple".split()),
    "copy": frozenset({"copy", "deepcopy"}),
    "dataclasses": frozenset({"asdict", "astuple", "dataclass", "field", "replace"}),
    "datetime": frozenset("MAXYEAR MINYEAR UTC date datetime time timedelta timezone".split()),
    "decimal": frozenset(
        "Decimal ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP "
        "InvalidOperation DivisionByZero".split()
    ),
    "fractions": frozenset({"Fraction"}),
    "functools": frozenset({"cache", "cmp_to_key", "lru_cache", "partial", "reduce"}),
    "heapq": frozenset("heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest".split()),
    "itertools": frozenset(
        "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse "
        "groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest".split()
    ),
    "json": frozenset({"dumps", "loads"}),
    "math": frozenset(
        "acos asin atan atan2 ceil comb copysign cos degrees dist e erf exp fabs factorial floor fmod fsum gcd hypot "
        "inf isclose isfinite isinf isnan isqrt lcm ldexp log log10 log1p log2 modf nan perm pi pow prod radians "
        "remainder sin sqrt sumprod tan tau trunc".split()
    ),
    "operator": frozenset(
        "add and_ concat contains countOf eq floordiv ge gt indexOf invert is_ is_not itemgetter le lt mod mul ne neg "
        "not_ or_ pos pow sub truediv truth xor".split()
    ),
    "re": frozenset(
        "ASCII DOTALL I IGNORECASE M MULTILINE S VERBOSE X compile escape findall finditer fullmatch match search "
        "split sub subn".split()
    ),
    "statistics": frozenset(
        "StatisticsError correlation fmean geometric_mean harmonic_mean linear_regression mean median median_high "
        "median_low mode multimode pstdev pvariance quantiles stdev variance".split()
    ),
    "string": frozenset("ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace".split()),
    "textwrap": frozenset({"dedent", "fill", "indent", "shorten", "wrap"}),
    "typing": frozenset("Any Callable Dict Iterable Iterator List Literal Mapping Optional Sequence Set Tuple".split()),
}
"""Members of modules that change no object but containers. A module itself may stand only before a dot."""

_CHANGING_MEMBERS = frozenset(
    "insort insort_left insort_right heapify heappop heappush heappushpop heapreplace".split()
)
"""Those of the above that change a container."""

_GIVEN_MODULES = {"json": "json", "math": "math", "re": "re"}
"""Modules that every query finds there."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What code could change, and every attribute that it could reach: None if that cannot be told from names."""

    change: Change
    attributes: frozenset[str] | None


def effect_of(nodes: Sequence[ast.AST]) -> Effect:
    """The effect of code, from all nodes of its tree."""
    checked = _Nodes(nodes)
    change = _worst(map(checked.change, nodes))
    # The body of a class reads a name that it also binds past the function around it, where its own containers are.
    if change == "containers" and any(isinstance(node, ast.ClassDef) for node in nodes):
        change = "anything"
    return Effect(change, _attributes(nodes))


def _attributes(nodes: Iterable[ast.AST]) -> frozenset[str] | None:
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


class _Nodes:
    """The nodes of one tree, and what their parents tell about them."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self.modules = dict(_GIVEN_MODULES)
        self.plain: set[int] = set()
        """Names in a form in which they are harmless."""
        for node in nodes:
            match node:
                case ast.Import(names=aliases):
                    self.modules |= {alias.asname or alias.name: alias.name for alias in aliases}
                case ast.Attribute(value=ast.Name() as name):
                    self.plain.add(id(name))
                case ast.Call(func=ast.Name() as name) if _is_plain_call(node):
                    self.plain.add(id(name))
                case ast.ClassDef(decorator_list=decorators):
                    self.plain.update(id(part.func if isinstance(part, ast.Call) else part) for part in decorators)
                case _:
                    pass

    def change(self, node: ast.AST) -> Change:
        """What one node, taken by itself, could change."""
        match node:
            case ast.Global() | ast.Await() | ast.AsyncFor() | ast.AsyncWith() | ast.AsyncFunctionDef():
                return "anything"
            case ast.Name(id=name):
                return self._name(name, is_plain=id(node) in self.plain)
            case ast.Attribute(attr="dataclass") if id(node) not in self.plain:
                return "anything"  # called with a loaded class, it changes that class
            case ast.Attribute(value=value, attr=name, ctx=context):
                return self._attribute(value, name, is_read=isinstance(context, ast.Load))
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.AugAssign():
                return "containers"
            case ast.MatchClass(kwd_attrs=names):
                return _worst(_attribute(name) for name in names)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
                return _attribute(name)
            case ast.FunctionDef(name=name) | ast.arg(arg=name):
                return _name(name)
            case ast.ClassDef(name=name, keywords=keywords, decorator_list=decorators):
                plain = all(_is_dataclass(part) for part in decorators)
                return "anything" if keywords or not plain else _name(name)
            case ast.Import(names=aliases):
                return _worst(_module(alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                known = _SAFE_MEMBERS.get(module or "", frozenset()) if not level else frozenset()
                return _worst(_member(alias.name, known) for alias in aliases)
            case ast.alias(name=name, asname=str() as other):
                return "anything" if name in _WITH_CARE else _name(other)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                return _name(name)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                return _name(name)
        return "nothing"

    def _name(self, name: str, *, is_plain: bool) -> Change:
        if (name in _WITH_CARE or name in self.modules) and not is_plain:
            return "anything"
        return _name(name)

    def _attribute(self, value: ast.expr, name: str, *, is_read: bool) -> Change:
        if not is_read:
            return "anything"
        if isinstance(value, ast.Name):
            if value.id in _WITH_CARE:
                return "anything"
            if value.id in self.modules:
                # A given name such as `datetime` may be a class here and a module there; both lists must allow it.
                return _member(name, _SAFE_MEMBERS.get(self.modules[value.id], frozenset()))
        return _attribute(name)


def _name(name: str) -> Change:
    """Names with two underscores or `uac_` are ours or the interpreter's."""
    return "anything" if "__" in name or name.startswith("uac_") or name in _UNSAFE_BUILTINS else "nothing"


def _attribute(name: str) -> Change:
    if name.startswith("_") or name in FRAMES:
        return "anything"
    return "containers" if name in _MUTATORS else "nothing"


def _module(name: str) -> Change:
    return "nothing" if name in _SAFE_MEMBERS else "anything"


def _member(name: str, known: frozenset[str]) -> Change:
    if name not in known:
        return "anything"
    return "containers" if name in _CHANGING_MEMBERS else "nothing"


def _worst(changes: Iterable[Change]) -> Change:
    found = set(changes)
    return "anything" if "anything" in found else "containers" if "containers" in found else "nothing"


def _is_plain_call(node: ast.Call) -> bool:
    """type(x), and getattr(x, 'name') or hasattr(x, 'name') with the name written out."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[argument], keywords=[]):
            return not isinstance(argument, ast.Starred)
        case ast.Call(func=ast.Name(id="getattr"), args=[first, ast.Constant(value=str()), *rest], keywords=[]):
            return not any(isinstance(part, ast.Starred) for part in (first, *rest))
        case ast.Call(func=ast.Name(id="hasattr"), args=[first, ast.Constant(value=str())], keywords=[]):
            return not isinstance(first, ast.Starred)
    return False


def _is_dataclass(decorator: ast.expr) -> bool:
    """@dataclass or @dataclass(…), on a class of the code's own."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    match called:
        case ast.Name(id="dataclass") | ast.Attribute(value=ast.Name(id="dataclasses"), attr="dataclass"):
            return True
    return False
