"""The language layer of the process sandbox: no private names, few modules, no access to the interpreter.

It is a second layer of defence; the kernel is the first. Runs in the child; standard library only.
"""

import ast
import builtins
import copy
import dataclasses
import functools
import string
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

__all__ = [
    "MODULES",
    "NO_BUILTINS",
    "NotAllowed",
    "allowed_modules",
    "check_allowed_code",
    "deny_audit_events",
    "is_allowed_read",
    "safe_builtins",
]

MODULES = (
    *("math", "statistics", "collections", "collections.abc", "itertools", "functools", "operator", "datetime"),
    *("decimal", "fractions", "re", "json", "random", "string", "calendar", "dataclasses", "typing", "enum", "heapq"),
    *("bisect", "textwrap", "copy", "numbers", "time", "unicodedata", "__future__"),
)
"""The modules that foreign code may import."""

# C code imports these through the caller's __import__ and then takes them from sys.modules itself,
# so a placeholder is enough for it and gives foreign code nothing.
_INTERNAL = frozenset({"_strptime", "locale", "_locale", "_io", "_decimal", "_pydecimal", "copyreg", "_datetime"})

NO_BUILTINS = frozenset(
    ("breakpoint", "compile", "dir", "eval", "exec", "globals", "input", "locals", "memoryview", "open")
)
_NO_MEMBERS = {
    "enum": ("global_enum", "global_enum_repr", "global_flag_repr", "global_str"),  # they write into other modules
    "random": ("SystemRandom",),
    "string": ("Formatter",),
    "typing": ("ForwardRef", "get_type_hints", "evaluate_forward_ref"),
}
_MEMBERS_BESIDES_ALL = {"calendar": ("MONDAY", "SUNDAY"), "datetime": ("UTC",), "re": ("Match", "Pattern")}

_OPERATORS = "add and divmod floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()
_OWN_DUNDERS = frozenset(
    f"__{name}__"
    for name in (
        *_OPERATORS,
        *(f"r{name}" for name in _OPERATORS),
        *(f"i{name}" for name in _OPERATORS),
        *"abs all annotations author bool bytes call ceil class_getitem complex contains copy deepcopy del".split(),
        *"delitem doc enter eq exit float floor format ge get getattr getitem gt hash index init init_subclass".split(),
        *"int invert iter le len length_hint lt missing name ne neg new next pos post_init qualname repr".split(),
        *"delattr delete reversed round set set_name setattr setitem slots str trunc version".split(),
    )
)
"""Special names that foreign code may define or set, such as operators. The standard library trusts the others:
`__match_args__` and `__dataclass_fields__` decide which attributes it reads, `__reduce_ex__` which it sets."""

_DUNDERS = _OWN_DUNDERS | frozenset(("__dataclass_fields__", "__debug__", "__file__", "__main__", "__members__"))
"""Special names that foreign code may read."""

_COPYING = frozenset(f"__{name}__" for name in "getnewargs getnewargs_ex getstate reduce reduce_ex setstate".split())
"""Special names that decide how an object is copied, and so which attributes of the copy are set."""
_NAMED_TUPLE = frozenset(("_asdict", "_fields", "_make", "_replace"))
_FRAMES = frozenset(
    "ag_await ag_code ag_frame cr_await cr_code cr_frame cr_origin f_back f_builtins f_code f_globals f_locals gi_code "
    "gi_frame gi_yieldfrom mro tb_frame tb_next".split()
)
_OWN = frozenset(("self", "cls", "other"))


class NotAllowed(Exception):
    """The code uses a name that is not available; `args` are the message, the kind of error and the line."""

    def __init__(self, kind: str, what: str, line: int) -> None:
        super().__init__(f"{what} is not available in the sandbox", kind, line)


def check_allowed_code(tree: ast.Module) -> None:
    """Refuse private attributes and names; make str.format, __setattr__ and class patterns safe, in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in _OWN
            is_allowed = isinstance(node.ctx, ast.Load) or is_allowed_write(node.attr)
            if not (is_allowed and is_allowed_read(node.attr, own=own)):
                raise NotAllowed("AttributeError", f"attribute {node.attr}", node.lineno)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if _is_dunder(node.id) and node.id not in _DUNDERS:
                raise NotAllowed("NameError", f"name {node.id}", node.lineno)
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                if not is_allowed_read(name):
                    raise NotAllowed("AttributeError", f"attribute {name}", node.lineno)
        for name in _names_to_allow(node):
            if not is_allowed_write(name):
                raise NotAllowed("NameError", f"the definition of {name}", getattr(node, "lineno", 0))
    _SafeRewriter().visit(tree)


def _names_to_allow(node: ast.AST) -> list[str]:
    """The names that the node binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.alias():
            return [node.asname or node.name] if node.name != "__future__" else []
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
    return []


def is_allowed_write(name: str) -> bool:
    """Whether foreign code may define or set that name."""
    return not _is_dunder(name) or name in _OWN_DUNDERS


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def is_allowed_read(name: str, *, own: bool = False) -> bool:
    """Whether foreign code may read an attribute of that name; its `own` objects have fewer restrictions."""
    if _is_dunder(name):
        return name in _DUNDERS
    if name.startswith("_"):
        return own or name in _NAMED_TUPLE
    return name not in _FRAMES


class _SafeRewriter(ast.NodeTransformer):
    """Routes hidden attribute access through our functions: "{0.__class__}", __setattr__, `case C(x)`."""

    def __init__(self) -> None:
        self._matches = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in _SPECIAL or not isinstance(node.ctx, ast.Load):
            return node
        return _call_node("__special__", node, node.value, ast.Constant(node.attr))

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.AST]:
        """Bind the checked classes of positional patterns before the match, to names that no code can change."""
        self.generic_visit(node)
        before: list[ast.AST] = []
        for pattern in [part for case in node.cases for part in ast.walk(case.pattern)]:
            if isinstance(pattern, ast.MatchClass) and pattern.patterns:
                self._matches += 1
                name = f"__match_{self._matches}__"
                made = _call_node("__matched__", node, pattern.cls)
                before.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], made), node))
                pattern.cls = ast.copy_location(ast.Name(name, ast.Load()), pattern.cls)
        return [*map(ast.fix_missing_locations, before), ast.fix_missing_locations(node)] if before else node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        # The class must stay a name; it is checked before the match.
        node.patterns = [self.visit(part) for part in node.patterns]
        node.kwd_patterns = [self.visit(part) for part in node.kwd_patterns]
        return node


def _call_node(function: str, node: ast.AST, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(function, ast.Load()), [*arguments], [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


_SPECIAL = ("format", "format_map", "__setattr__", "__delattr__")


def _special_attribute(value: Any, name: str) -> Any:
    """`value.name` for a name of _SPECIAL."""
    return _safe_format(value, name) if name.startswith("format") else _safe_setter(value, name)


def _safe_setter(value: Any, name: str) -> Callable[..., None]:
    """`object.__setattr__` and the like, which could set attributes that setattr() refuses."""
    real = getattr(value, name)
    place = -2 if name == "__setattr__" else -1

    def change(*args: Any) -> None:
        if len(args) >= -place:
            _check_allowed_write(args[place])
        real(*args)

    return change


def _check_match_class(cls: Any) -> Any:
    """The class of a positional pattern, if its `__match_args__` are plain and none of them is private."""
    if type(cls) is type:
        found = next((vars(each)["__match_args__"] for each in cls.__mro__ if "__match_args__" in vars(each)), ())
        if type(found) is tuple and all(type(name) is str and is_allowed_read(name) for name in found):
            return cls
    raise TypeError("positional patterns need a plain class in the sandbox; name the attributes: case C(x=x)")


class _SafeFormatter(string.Formatter):
    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        for part in field_name.replace("[", ".").split("."):
            if not is_allowed_read(part):
                raise AttributeError(f"{part} is not available in the sandbox")
        return super().get_field(field_name, args, kwargs)


def _safe_format(value: Any, name: str) -> Any:
    """`value.format` or `value.format_map`, with strings and the type str made safe."""
    if isinstance(value, type) and issubclass(value, str):
        return lambda text, *args, **kwargs: _safe_format(text, name)(*args, **kwargs)
    if not isinstance(value, str):
        return getattr(value, name)
    if name == "format":
        return lambda *args, **kwargs: _SafeFormatter().vformat(value, args, kwargs)
    return lambda mapping: _SafeFormatter().vformat(value, (), mapping)


def safe_builtins(modules: Mapping[str, ModuleType]) -> dict[str, Any]:
    """The built-in names for foreign code, with an import limited to `modules`."""
    names = {name: value for name, value in vars(builtins).items() if name[0] != "_" and name not in NO_BUILTINS}
    names |= {"getattr": _getattr, "hasattr": _hasattr, "setattr": _setattr, "delattr": _delattr, "vars": _vars}
    names |= {"__build_class__": builtins.__build_class__, "__debug__": True}
    names |= {"__special__": _special_attribute, "__matched__": _check_match_class}
    names["__import__"] = _limited_import(modules)
    return names


def _limited_import(modules: Mapping[str, ModuleType]) -> Callable[..., ModuleType]:
    def import_module(
        name: str, _globals: object = None, _locals: object = None, fromlist: object = (), level: int = 0
    ) -> ModuleType:
        if name in _INTERNAL and name in sys.modules:
            return ModuleType(name)
        if level or name not in modules:
            raise ModuleNotFoundError(f"No module named {name!r} in the sandbox", name=name)
        return modules[name] if fromlist else modules[name.partition(".")[0]]

    return import_module


def allowed_modules(time: ModuleType) -> dict[str, ModuleType]:
    """Copies of the allowed modules with their public members only: without `statistics.sys`."""
    made = {name: _module_proxy(name, sys.modules[name]) for name in MODULES if name != "time"}
    made["time"] = time
    vars(made["collections"])["abc"] = made["collections.abc"]
    vars(made["operator"]).update(attrgetter=_attrgetter, methodcaller=_methodcaller)
    vars(made["functools"]).update(update_wrapper=_safe_update_wrapper, wraps=_safe_wraps)
    _tame_copying()
    vars(made["dataclasses"]).update(fields=dataclasses.fields, replace=_safe_dataclass_replace)
    return made


def _tame_copying() -> None:
    """Make the standard library copy objects of foreign classes without trusting their special methods."""
    known = _all_classes()
    reconstruct, fields = copy._reconstruct, dataclasses.fields  # type: ignore[attr-defined]  # noqa: SLF001 - all copying ends there

    def safely(x: Any, memo: Any, func: Any, args: Any, state: Any = None, *more: Any, **options: Any) -> Any:
        parts = state if isinstance(state, tuple) else (state,)
        is_odd = any(isinstance(key, str) and _is_dunder(key) for part in parts if type(part) is dict for key in part)
        if is_odd or any(id(cls) not in known and not _COPYING.isdisjoint(vars(cls)) for cls in type(x).__mro__):
            raise TypeError(f"{type(x).__name__} says how it is copied, which is not available in the sandbox")
        return reconstruct(x, memo, func, args, state, *more, **options)

    def open_fields(class_or_instance: Any) -> Any:
        found = fields(class_or_instance)
        for field in found:
            _check_allowed_field(field)
        return found

    copy._reconstruct = safely  # type: ignore[attr-defined]  # noqa: SLF001 - the same
    dataclasses.fields = open_fields


def _all_classes() -> dict[int, type]:
    """All classes that exist now, by identity: a metaclass decides what its classes are equal to."""
    found: dict[int, type] = {}
    left: list[type] = [object]
    while left:
        cls = left.pop()
        if id(cls) not in found:
            found[id(cls)] = cls
            left += type.__subclasses__(cls)
    return found


def _check_allowed_field(field: Any) -> None:
    if type(field) is not dataclasses.Field or type(field.name) is not str or _is_dunder(field.name):
        raise AttributeError(f"{field!r:.100} is not available in the sandbox")


def _safe_dataclass_replace(obj: Any, /, **changes: Any) -> Any:
    for field in getattr(type(obj), "__dataclass_fields__", {}).values():
        _check_allowed_field(field)
    return dataclasses.replace(obj, **changes)


def _safe_update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    chosen = tuple(assigned), tuple(updated)
    for name in (*chosen[0], *chosen[1]):
        if name not in (*functools.WRAPPER_ASSIGNMENTS, *functools.WRAPPER_UPDATES):
            _check_allowed_read(name)
    return functools.update_wrapper(wrapper, wrapped, *chosen)


def _safe_wraps(wrapped: Any, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return lambda wrapper: _safe_update_wrapper(wrapper, wrapped, *args, **kwargs)


def _module_proxy(name: str, module: ModuleType) -> ModuleType:
    public = getattr(module, "__all__", None) or [member for member in vars(module) if member[0] != "_"]
    proxy = ModuleType(name)
    for member in (*public, *_MEMBERS_BESIDES_ALL.get(name, ())):
        value = getattr(module, member, None)
        if not isinstance(value, ModuleType) and member not in _NO_MEMBERS.get(name, ()):
            vars(proxy)[member] = value
    vars(proxy)["__all__"] = [member for member in vars(proxy) if member[0] != "_"]
    return proxy


def _check_allowed_read(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError("attribute name must be string")
    plain = str.__str__(name)  # a subclass may answer differently each time
    if not is_allowed_read(plain):
        raise AttributeError(f"{plain} is not available in the sandbox")
    return plain


def _check_allowed_write(name: object) -> str:
    plain = _check_allowed_read(name)
    if not is_allowed_write(plain):
        raise AttributeError(f"setting {plain} is not available in the sandbox")
    return plain


def _getattr(value: Any, name: str, *default: Any) -> Any:
    plain = _check_allowed_read(name)
    return _special_attribute(value, plain) if plain in _SPECIAL else getattr(value, plain, *default)


def _hasattr(value: Any, name: str) -> bool:
    try:
        return hasattr(value, _check_allowed_read(name))
    except AttributeError:
        return False


def _setattr(value: Any, name: str, new: Any) -> None:
    setattr(value, _check_allowed_write(name), new)


def _delattr(value: Any, name: str) -> None:
    delattr(value, _check_allowed_write(name))


def _vars(value: Any) -> dict[str, Any]:
    if isinstance(value, ModuleType | type):
        raise TypeError("vars() is for objects of your own classes in the sandbox")
    return {name: item for name, item in vars(value).items() if is_allowed_read(name)}


def _attrgetter(*names: str) -> Callable[[Any], Any]:
    def get(value: Any, name: str) -> Any:
        for part in name.split("."):
            value = _getattr(value, part)
        return value

    if len(names) == 1:
        return lambda value: get(value, names[0])
    return lambda value: tuple(get(value, name) for name in names)


def _methodcaller(name: str, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return lambda value: _getattr(value, name)(*args, **kwargs)


_DENIED = (
    *("builtins.input", "code.__new__", "cpython.", "ctypes.", "fcntl.", "ftplib.", "function.__new__", "gc."),
    *("glob.", "marshal.", "mmap.", "open", "os.", "pathlib.", "pickle.", "pty.", "shutil.", "signal.", "socket."),
    *("subprocess.", "sys.addaudithook", "sys.setprofile", "sys.settrace", "syslog.", "tempfile.", "urllib."),
)


def deny_audit_events() -> (
    None
):  # pragma: no cover - a process cannot remove an audit hook again, so only workers run it
    """Permanently refuse audit events that no calculation needs: files, processes, new modules."""
    loaded, denied, starts = frozenset(sys.modules), _DENIED, str.startswith

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "import":
            if args[0] not in loaded:
                raise PermissionError(f"import of {args[0]} is not available in the sandbox")
        elif starts(event, denied):
            raise PermissionError(f"{event} is not available in the sandbox")

    sys.addaudithook(hook)
