"""The language layer of the process sandbox: no private names, no modules but a few, no road to the interpreter.

It is the second wall, not the first: what gets past it meets the kernel. Runs in the child; standard library only.
"""

import ast
import builtins
import string
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

__all__ = ["MODULES", "NO_BUILTINS", "NotAllowed", "check", "install_audit", "is_open", "proxies", "safe_builtins"]

MODULES = (
    *("math", "statistics", "collections", "collections.abc", "itertools", "functools", "operator", "datetime"),
    *("decimal", "fractions", "re", "json", "random", "string", "calendar", "dataclasses", "typing", "enum", "heapq"),
    *("bisect", "textwrap", "copy", "numbers", "time", "__future__"),
)
"""All that foreign code may import."""

# C code imports these through the caller's __import__ and then takes them from sys.modules itself,
# so that a stand-in is enough for it and gives foreign code nothing.
_INTERNAL = frozenset({"_strptime", "locale", "_locale", "_io", "_decimal", "_pydecimal", "copyreg", "_datetime"})

NO_BUILTINS = frozenset(
    ("breakpoint", "compile", "dir", "eval", "exec", "globals", "input", "locals", "memoryview", "open")
)
_NO_MEMBERS = {
    "random": ("SystemRandom",),
    "string": ("Formatter",),
    "typing": ("ForwardRef", "get_type_hints", "evaluate_forward_ref"),
}
_MEMBERS_BESIDES_ALL = {"calendar": ("MONDAY", "SUNDAY"), "datetime": ("UTC",), "re": ("Match", "Pattern")}

_DUNDERS = frozenset(
    f"__{name}__"
    for name in (
        "abs add all and annotations author bool call class_getitem contains copy dataclass_fields debug deepcopy "
        "delitem doc enter eq exit file float floordiv format ge getattr getitem gt hash index init init_subclass int "
        "invert iter le len lshift lt main match_args matmul members missing mod mul name ne neg new next or pos "
        "post_init pow qualname radd repr reversed rmul round rshift rsub setattr setitem slots str sub truediv "
        "version xor"
    ).split()
)
_NAMED_TUPLE = frozenset(("_asdict", "_fields", "_make", "_replace"))
_FRAMES = frozenset(
    "ag_await ag_code ag_frame cr_await cr_code cr_frame cr_origin f_back f_builtins f_code f_globals f_locals gi_code "
    "gi_frame gi_yieldfrom mro tb_frame tb_next".split()
)
_OWN = frozenset(("self", "cls", "other"))


class NotAllowed(Exception):
    """The code names something that the sandbox does not have; `args` are the message, the kind of error, the line."""

    def __init__(self, kind: str, what: str, line: int) -> None:
        super().__init__(f"{what} is not available in the sandbox", kind, line)


def check(tree: ast.Module) -> None:
    """Refuse private attributes and names, and make str.format safe, in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in _OWN
            if not is_open(node.attr, own=own):
                raise NotAllowed("AttributeError", f"attribute {node.attr}", node.lineno)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and _is_dunder(node.id) and node.id not in _DUNDERS:
                raise NotAllowed("NameError", f"name {node.id}", node.lineno)
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                if not is_open(name):
                    raise NotAllowed("AttributeError", f"attribute {name}", node.lineno)
    _Formats().visit(tree)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def is_open(name: str, *, own: bool = False) -> bool:
    """Whether foreign code may use an attribute of that name; more may be used of its `own` objects."""
    if _is_dunder(name):
        return name in _DUNDERS
    if name.startswith("_"):
        return own or name in _NAMED_TUPLE
    return name not in _FRAMES


class _Formats(ast.NodeTransformer):
    """Sends `text.format` through a function of ours, for "{0.__class__}" is attribute access too."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in ("format", "format_map") or not isinstance(node.ctx, ast.Load):
            return node
        call = ast.Call(ast.Name("__format_of__", ast.Load()), [node.value, ast.Constant(node.attr)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class _SafeFormatter(string.Formatter):
    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        for part in field_name.replace("[", ".").split("."):
            if not is_open(part):
                raise AttributeError(f"{part} is not available in the sandbox")
        return super().get_field(field_name, args, kwargs)


def _format_of(value: Any, name: str) -> Any:
    """`value.format` or `value.format_map`, with strings and the type str made safe."""
    if isinstance(value, type) and issubclass(value, str):
        return lambda text, *args, **kwargs: _format_of(text, name)(*args, **kwargs)
    if not isinstance(value, str):
        return getattr(value, name)
    if name == "format":
        return lambda *args, **kwargs: _SafeFormatter().vformat(value, args, kwargs)
    return lambda mapping: _SafeFormatter().vformat(value, (), mapping)


def safe_builtins(modules: Mapping[str, ModuleType]) -> dict[str, Any]:
    """The built-in names for foreign code, with an import that knows `modules` only."""
    names = {name: value for name, value in vars(builtins).items() if name[0] != "_" and name not in NO_BUILTINS}
    names |= {"getattr": _getattr, "hasattr": _hasattr, "setattr": _setattr, "delattr": _delattr, "vars": _vars}
    names |= {"__build_class__": builtins.__build_class__, "__debug__": True, "__format_of__": _format_of}
    names["__import__"] = _importer(modules)
    return names


def _importer(modules: Mapping[str, ModuleType]) -> Callable[..., ModuleType]:
    def import_module(
        name: str, _globals: object = None, _locals: object = None, fromlist: object = (), level: int = 0
    ) -> ModuleType:
        if name in _INTERNAL and name in sys.modules:
            return ModuleType(name)
        if level or name not in modules:
            raise ModuleNotFoundError(f"No module named {name!r} in the sandbox", name=name)
        return modules[name] if fromlist else modules[name.partition(".")[0]]

    return import_module


def proxies(time: ModuleType) -> dict[str, ModuleType]:
    """Copies of the allowed modules that hold their public members only: `statistics.sys` is not there."""
    made = {name: _proxy(name, sys.modules[name]) for name in MODULES if name != "time"}
    made["time"] = time
    vars(made["collections"])["abc"] = made["collections.abc"]
    vars(made["operator"]).update(attrgetter=_attrgetter, methodcaller=_methodcaller)
    return made


def _proxy(name: str, module: ModuleType) -> ModuleType:
    public = getattr(module, "__all__", None) or [member for member in vars(module) if member[0] != "_"]
    proxy = ModuleType(name)
    for member in (*public, *_MEMBERS_BESIDES_ALL.get(name, ())):
        value = getattr(module, member, None)
        if not isinstance(value, ModuleType) and member not in _NO_MEMBERS.get(name, ()):
            vars(proxy)[member] = value
    vars(proxy)["__all__"] = [member for member in vars(proxy) if member[0] != "_"]
    return proxy


def _open_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError("attribute name must be string")
    plain = str.__str__(name)  # a subclass may answer one thing here and another there
    if not is_open(plain):
        raise AttributeError(f"{plain} is not available in the sandbox")
    return plain


def _getattr(value: Any, name: str, *default: Any) -> Any:
    plain = _open_name(name)
    return _format_of(value, plain) if plain in ("format", "format_map") else getattr(value, plain, *default)


def _hasattr(value: Any, name: str) -> bool:
    try:
        return hasattr(value, _open_name(name))
    except AttributeError:
        return False


def _setattr(value: Any, name: str, new: Any) -> None:
    setattr(value, _open_name(name), new)


def _delattr(value: Any, name: str) -> None:
    delattr(value, _open_name(name))


def _vars(value: Any) -> dict[str, Any]:
    if isinstance(value, ModuleType | type):
        raise TypeError("vars() is for objects of your own classes in the sandbox")
    return {name: item for name, item in vars(value).items() if is_open(name)}


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


def install_audit() -> None:
    """Refuse, for good, the events of the interpreter that no calculation has: files, processes, new modules."""
    loaded, denied, starts = frozenset(sys.modules), _DENIED, str.startswith

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "import":
            if args[0] not in loaded:
                raise PermissionError(f"import of {args[0]} is not available in the sandbox")
        elif starts(event, denied):
            raise PermissionError(f"{event} is not available in the sandbox")

    sys.addaudithook(hook)
