"""Which objects foreign code made itself, and the first place where it could change any other: read from its tree.

A constraint may change what it made in this call: counters, lists, groups. Loaded objects outlive the call, so it may
not change them. A name is the same name in every scope, and doubt counts as a change.
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from uac.schema.code_effects import CHANGING_NAMES
from uac.schema.syntax import bound_names, tree_nodes
from uac.schema.types import GIVEN

__all__ = ["find_unowned_change"]

_MUTATORS = frozenset(
    "append extend extendleft insert remove pop clear sort reverse update add discard setdefault popitem appendleft "
    "popleft intersection_update difference_update symmetric_difference_update subtract move_to_end rotate".split()
)
_REMOVERS = frozenset("remove pop clear sort reverse discard popitem popleft move_to_end rotate".split())
"""Mutators that put nothing new into their object."""

_MAKERS = frozenset(
    "list dict set tuple sorted Counter defaultdict deque OrderedDict str int float sum len round abs Decimal".split()
)
"""Functions whose result is a new object. A constraint must not redefine them."""
_GIVEN_MAKERS = frozenset(
    "words group_by pairs duplicates total month_of quarter_of bool timedelta days_between days_until".split()
)
"""Others, for code that does not redefine them."""
_SCALAR_MAKERS = frozenset("int float len round abs sum Decimal bool timedelta days_between days_until".split())
"""Makers whose result is not a container: adding it to one is an error."""
_MAKING_METHODS = frozenset(
    "copy split rsplit splitlines partition rpartition strip lstrip rstrip lower upper title casefold capitalize join "
    "replace union intersection difference symmetric_difference most_common isoformat strftime".split()
)
"""Methods of texts, containers and dates whose result is a new object."""

_LISTS = frozenset("list sorted deque".split())
_HARMLESS_MODULES = frozenset(
    "calendar collections copy dataclasses datetime decimal enum fractions functools itertools json math re "
    "statistics string textwrap time typing unicodedata zoneinfo".split()
)
"""Modules whose functions leave their arguments alone, except for CHANGING_NAMES."""

_READABLE = frozenset({"__name__", "__class__", "__doc__"})
_METHODS = frozenset(f"__{name}__" for name in "init post_init repr str hash eq lt le gt ge len".split())
_IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor)
"""Operators that change a list, a set, a dict or a Counter in place, as `x += […]` does."""


@dataclass(frozen=True, slots=True)
class _ItemOf:
    """An item of the iterable that a loop goes through."""

    iterable: ast.expr


_OwnershipSource: TypeAlias = ast.expr | _ItemOf | None
"""Where the value of a name comes from; None if that is unknown."""


def find_unowned_change(tree: ast.Module, nodes: Sequence[ast.AST]) -> ast.AST | None:
    """The first place where the code could change an object that it did not make in this call.

    `nodes` are all nodes of the tree: walking it takes the most time.
    """
    rebound = next((node for node in nodes if not _MAKERS.isdisjoint(bound_names(node))), None)
    if rebound is not None:
        return rebound
    # A name that is bound only in an inner scope still means the loaded object in all others.
    entries = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}
    ownership = _Ownership(nodes, given=GIVEN - _module_owned_names(tree), entries=entries)
    return next((node for node in nodes if ownership.may_change_other(node)), None)


class _Ownership:
    """The names that only ever mean objects which the code made."""

    def __init__(self, nodes: Sequence[ast.AST], *, given: Collection[str], entries: Collection[str]) -> None:
        functions = _owned_functions(nodes, entries)
        self.returned = {name: _returned_sources(function) for name, function in functions.items()}
        self.sources = _ownership_sources(nodes, functions)
        self.makers = _MAKERS | (_GIVEN_MAKERS - _rebound_maker_names(nodes))
        self.stored = self._names_stored_into(nodes)
        self.own = {name for name, sources in self.sources.items() if name not in given and None not in sources}
        self.deep: set[str] = set()
        """Own names of containers whose items the code made, too."""
        for name in self.own - self.stored:
            if all(isinstance(each, ast.expr) and _holds_own_items(each, self.makers) for each in self.sources[name]):
                self.deep.add(name)
        # All names and functions count as own until one of their values does not.
        while foreign := (
            {name for name in self.own if not all(map(self._is_own_source, self.sources[name]))}
            | {name for name, values in self.returned.items() if not values or not all(map(self._is_own, values))}
        ):
            self.own -= foreign
            self.deep -= foreign
            self.returned = {name: values for name, values in self.returned.items() if name not in foreign}
        self.decorators = {id(part) for node in nodes for part in _owned_class_decorators(node)}

    def may_change_other(self, node: ast.AST) -> bool:
        match node:
            case ast.Global():
                return True
            case ast.Import(names=aliases):
                return any(alias.name.partition(".")[0] not in _HARMLESS_MODULES for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                harmless = (module or "").partition(".")[0] in _HARMLESS_MODULES
                return not harmless or any(alias.name in CHANGING_NAMES for alias in aliases)
            case ast.FunctionDef(name=name) if name.startswith("__"):
                return name not in _METHODS
            case ast.Attribute(attr="dataclass") | ast.Name(id="dataclass"):
                return id(node) not in self.decorators  # called with a loaded class, it changes that class
            case ast.Name(id=name):
                return name in CHANGING_NAMES or (name.startswith("__") and name not in _READABLE)
            case ast.Attribute(value=value, attr=name, ctx=context):
                if name in CHANGING_NAMES or (name.startswith("__") and name not in _READABLE):
                    return True
                return (not isinstance(context, ast.Load) or name in _MUTATORS) and not self._is_own(value)
            case ast.AugAssign(target=ast.Name() | ast.Subscript() as target, op=op, value=value):
                return self._changes_in_place(target, op, value)
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                return not self._is_own(value)
            case ast.MatchClass(kwd_attrs=names):  # a pattern reaches methods, too
                return any(name in _MUTATORS or name in CHANGING_NAMES or name.startswith("__") for name in names)
        return False

    def _changes_in_place(self, target: ast.expr, op: ast.operator, value: ast.expr) -> bool:
        """Whether `target op= value` could change a foreign container: `x += […]`, but not `x += 1` or `x /= y`."""
        if not isinstance(op, _IN_PLACE) or self._is_own(target):
            return False
        return isinstance(op, ast.Mult) or not _is_own_scalar(
            value, self.makers
        )  # a list times 2 grows; plus 2, it fails

    def _is_own(self, value: ast.expr) -> bool:
        """Whether the code made the object: it is new, has an own name, or is an item of a container of own items."""
        match value:
            case ast.Name(id=name):
                return name in self.own
            case ast.IfExp(body=one, orelse=other):
                return self._is_own(one) and self._is_own(other)
            case ast.BoolOp(values=parts):
                return all(map(self._is_own, parts))
            case ast.Subscript(value=ast.Name(id=name), slice=index) if not isinstance(index, ast.Slice):
                return name in self.deep
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="setdefault"), args=[_, default]):
                return name in self.deep and _is_new(default, self.makers)
            case ast.Call(func=ast.Name(id=name)) if name in self.returned:
                return True
        return _is_new(value, self.makers)

    def _is_own_source(self, source: _OwnershipSource) -> bool:
        if isinstance(source, _ItemOf):
            container = _container(source.iterable)
            if isinstance(container, ast.Name):
                return container.id in self.deep
            return _holds_own_items(container, self.makers) or _yields_own_numbers(container)
        return source is not None and self._is_own(source)

    def _names_stored_into(self, nodes: Sequence[ast.AST]) -> set[str]:
        """Names of containers into which the code puts objects that it may not have made, also by another name."""
        lists = {name for name, sources in self.sources.items() if any(map(_is_new_list, sources))}
        own = {id(part) for node in nodes for part in _stores_of_own(node, lists, self.makers)}
        stored = {name for node in nodes if id(node) not in own for name in self._aliases(_owner_stored_into(node))}
        pairs = [(name, other) for name, sources in self.sources.items() for other in self._aliases(sources)]
        pairs += [(f"{name}()", other) for name, values in self.returned.items() for other in self._aliases(values)]
        while more := {name for pair in pairs if not stored.isdisjoint(pair) for name in pair} - stored:
            stored |= more
        return stored

    def _aliases(self, sources: Sequence[_OwnershipSource]) -> Iterator[str]:
        """The other names that may mean the object of a name with these sources."""
        for source in sources:
            match source:
                case ast.Name(id=name):
                    yield name
                case ast.IfExp(body=one, orelse=other):
                    yield from self._aliases([one, other])
                case ast.BoolOp(values=parts):
                    yield from self._aliases(parts)
                case ast.Call(func=ast.Name(id=name)) if name in self.returned:
                    yield f"{name}()"
                case _:
                    pass


# --- where values come from -------------------------------------------------------------------------------------------


def _ownership_sources(
    nodes: Sequence[ast.AST], functions: Mapping[str, ast.FunctionDef]
) -> dict[str, list[_OwnershipSource]]:
    sources: dict[str, list[_OwnershipSource]] = {}
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    # The arguments of a function come from its calls; those of one that is never called here, from anywhere.
    known = {id(each) for name, function in functions.items() if name in called for each in function.args.args}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _add_ownership_sources(target, value, sources)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                _add_ownership_sources(target, value, sources)
            case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
                _add_loop_ownership(target, iterable, sources)
            case ast.withitem(optional_vars=ast.expr() as target) | ast.AsyncFor(target=target):
                _add_ownership_sources(target, None, sources)
            case ast.Call(func=ast.Name(id=name)) if name in functions:
                for argument, source in _argument_sources(functions[name], node):
                    sources.setdefault(argument, []).append(source)
            case ast.FunctionDef(name=name) if functions.get(name) is node:
                sources.setdefault(name, []).append(None)
            case ast.Name() | ast.AnnAssign():
                pass  # names that are stored were noted with their values
            case ast.arg() if id(node) in known:
                pass  # these were noted with the calls
            case _:
                for name in bound_names(node):
                    sources.setdefault(name, []).append(None)
    return sources


def _add_ownership_sources(
    target: ast.expr, value: _OwnershipSource, sources: dict[str, list[_OwnershipSource]]
) -> None:
    match target, value:
        case ast.Name(id=name), _:
            sources.setdefault(name, []).append(value)
        case ((ast.Tuple(elts=parts) | ast.List(elts=parts)), (ast.Tuple(elts=values) | ast.List(elts=values))) if len(
            parts
        ) == len(values) and not any(isinstance(part, ast.Starred) for part in (*parts, *values)):
            for part, each in zip(parts, values, strict=True):
                _add_ownership_sources(part, each, sources)
        case _:
            for node in ast.walk(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    sources.setdefault(node.id, []).append(None)


def _add_loop_ownership(target: ast.expr, iterable: ast.expr, sources: dict[str, list[_OwnershipSource]]) -> None:
    match target, _owner_of_items(iterable):
        case ast.Tuple(elts=[key, item]), ast.Call(func=ast.Attribute(value=container, attr="items"), args=[]):
            _add_ownership_sources(key, None, sources)
            _add_ownership_sources(item, _ItemOf(container), sources)
        case ast.Tuple(elts=[number, item]), ast.Call(func=ast.Name(id="enumerate"), args=[container, *_]):
            _add_ownership_sources(number, ast.Constant(0), sources)
            _add_ownership_sources(item, _ItemOf(container), sources)
        case _:
            _add_ownership_sources(target, _ItemOf(iterable), sources)


def _owned_functions(nodes: Sequence[ast.AST], entries: Collection[str]) -> dict[str, ast.FunctionDef]:
    """The functions that are defined once and only ever called by their name, with plain arguments.

    The entries are called from outside as well.
    """
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    functions = {name: each[0] for name, each in found.items() if len(each) == 1 and _takes_known_sources(each[0])}
    functions = {name: function for name, function in functions.items() if name not in entries}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call) and _passes_known_sources(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and (isinstance(node.ctx, ast.Store) or id(node) not in called):
            functions.pop(node.id, None)
        elif not isinstance(node, ast.FunctionDef | ast.Name):
            for name in bound_names(node):
                functions.pop(name, None)
    return functions


def _takes_known_sources(function: ast.FunctionDef) -> bool:
    arguments = function.args
    extra = arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
    return not extra and not function.decorator_list


def _passes_known_sources(call: ast.Call) -> bool:
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return not starred and all(keyword.arg is not None for keyword in call.keywords)


def _argument_sources(function: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call with their values, and the defaults of the function."""
    names = [argument.arg for argument in function.args.args]
    yield from zip(names, call.args, strict=False)
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)
    # A default lives as long as the function, which is created again in each call of the constraint.
    defaults = function.args.defaults
    yield from zip(names[len(names) - len(defaults) :], defaults, strict=True)


def _returned_sources(function: ast.FunctionDef) -> list[ast.expr]:
    """The values that a function may return; those of functions inside it as well."""
    return [node.value for node in tree_nodes(function) if isinstance(node, ast.Return) and node.value is not None]


def _rebound_maker_names(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that the code binds; an import under the same name changes no meaning."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname for alias in node.names if alias.asname not in (None, alias.name))
        else:
            names.update(bound_names(node))
    return names


def _module_owned_names(tree: ast.Module) -> set[str]:
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


def _owned_class_decorators(node: ast.AST) -> list[ast.expr]:
    if not isinstance(node, ast.ClassDef):
        return []
    return [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]


# --- new objects ------------------------------------------------------------------------------------------------------


def _is_new(value: ast.expr, makers: Collection[str]) -> bool:
    """Whether the expression itself makes the object, so that nothing else refers to it."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.Tuple() | ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Subscript(slice=ast.Slice()):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_new(one, makers) and _is_new(other, makers)
        case ast.BoolOp(values=parts):
            return all(_is_new(part, makers) for part in parts)
        case ast.Call(func=ast.Name(id="sum"), args=[_, *more], keywords=named):
            return not more and not named  # with a start, the sum of nothing is that very object
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="collections"), attr=name)):
            return name in makers
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _MAKING_METHODS
    return False


def _is_own_scalar(value: ast.expr, makers: Collection[str]) -> bool:
    """Whether the value is certainly a number or a span of time: adding it to a container is an error."""
    match value:
        case ast.Constant(value=constant):
            return isinstance(constant, int | float)
        case ast.UnaryOp(operand=operand):
            return _is_own_scalar(operand, makers)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _is_own_scalar(left, makers) or _is_own_scalar(right, makers)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _is_own_scalar(left, makers) and _is_own_scalar(right, makers)
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Pow()) | ast.Compare():
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_own_scalar(one, makers) and _is_own_scalar(other, makers)
        case ast.Call(func=ast.Name(id="sum"), args=[_, _, *_]) | ast.Call(func=ast.Name(id="sum"), keywords=[_, *_]):
            return False  # a start may be a list
        case ast.Call(func=ast.Name(id=name)):
            return name in _SCALAR_MAKERS and name in makers
    return False


def _container(iterable: ast.expr) -> ast.expr:
    """The container whose items an iterable gives: that of sorted(groups.values()) is `groups`."""
    match _owner_of_items(iterable):
        case ast.Call(func=ast.Attribute(value=inner, attr="values"), args=[]):
            return inner
        case other:
            return other


def _owner_of_items(iterable: ast.expr) -> ast.expr:
    """The iterable whose items the given one has, in whatever order."""
    match iterable:
        case ast.Call(func=ast.Name(id="sorted" | "list" | "tuple" | "reversed"), args=[inner]):
            return _owner_of_items(inner)
    return iterable


def _yields_own_numbers(iterable: ast.expr) -> bool:
    return isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range"


def _is_new_list(source: _OwnershipSource) -> bool:
    match source:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _LISTS or name in _MAKING_METHODS or name in _GIVEN_MAKERS
    return isinstance(source, ast.List | ast.ListComp | ast.BinOp | ast.Subscript | ast.IfExp | ast.BoolOp)


def _holds_own_items(value: ast.expr, makers: Collection[str]) -> bool:
    """Whether the expression makes a container, and all items in it."""
    match value:
        case ast.Constant():
            return True
        case ast.List(elts=items) | ast.Dict(values=items):
            return all(_holds_own_items(item, makers) for item in items)
        case ast.ListComp(elt=item) | ast.DictComp(value=item):
            return _holds_own_items(item, makers)
        case ast.Call(func=ast.Name(id="group_by" | "duplicates" as name)):
            return name in makers
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _MAKERS
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Name(id=name)], keywords=[]):
            return name in _MAKERS
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Lambda(body=body)], keywords=[]):
            return _is_new(body, makers)
    return False


# --- what is put into containers --------------------------------------------------------------------------------------


def _owner_stored_into(node: ast.AST) -> list[ast.expr]:
    """The container into which a node puts something: `found` in found.append(trip)."""
    match node:
        case ast.Subscript(value=container, ctx=ast.Store()) | ast.AugAssign(target=ast.Name() as container):
            return [container]
        case ast.Attribute(value=container, attr=attr) if attr in _MUTATORS - _REMOVERS:
            return [container]
    return []


def _stores_of_own(node: ast.AST, lists: Collection[str], makers: Collection[str]) -> list[ast.AST]:
    """The parts of a node that put only new objects into a container: groups[key] = [trip]."""
    match node:
        case ast.Assign(targets=targets, value=value) if _holds_own_items(value, makers):
            return list(targets)
        case ast.Assign(targets=targets, value=value) if _is_new(value, makers):
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
            return [called] if _is_new(value, makers) else []
        case ast.Call(func=ast.Attribute(attr="setdefault") as called, args=[_, value], keywords=[]):
            return [called] if _is_new(value, makers) else []
    return []
