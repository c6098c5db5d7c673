"""The shape of the source: which package may import which, what is never called, what is public, how large it may grow."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from support.paths import ROOT, SOURCE

# A package imports only packages before it in this list; inside a package, modules have no cycle.
PACKAGES = (
    "errors",
    "schema",
    "text",
    "log",
    "project",
    "sandbox",
    "packs",
    "constraints",
    "models",
    "recall",
    "conversation",
    "display",
    "memory",
    "importing",
    "",  # uac itself: the public names
    "interfaces",
    "testing",
    "__main__",
)
INTERFACES = (
    "service",
    "setup",
    "views",
    "client",
    "mem0",
    "agent_tools",
    "adapters",
    "mcp",
    "http",
    "work",
    "inspector",
    "fleet",
    "cli",
)

FORBIDDEN = {"exec", "eval", "compile", "__import__"}
IN_THE_SANDBOX = {"sandbox.linux.worker"}
"""The module that runs foreign code, in the sandbox's own process."""

FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "importlib", "dill", "cloudpickle", "runpy"}
MAY_LOOK_FOR_PACKAGES = {
    *("interfaces.cli.setup", "packs.installed", "models.embedders.model_files"),
    *("uac_bench.recall_speed", "uac_bench.systems.peers"),
}
"""Modules that find other packages' folders or versions, without running anything in them."""

IMPORT_ON_FIRST_USE = {"", "interfaces.cli.click_groups"}
"""Modules that import others of this package by name: public names and commands."""

BENCH = ROOT / "src" / "uac_bench"
PACK_FILES = {*SOURCE.glob("packs/*/*.py"), *SOURCE.glob("packs/*/constraints/*.py")}
"""Files that are read as trees and never imported."""

OLD_PATHS = {*SOURCE.glob("interfaces/old_paths/**/*.py")}
"""Two-line modules that only re-export."""


def name_of(path: Path) -> str:
    if BENCH in path.parents:
        return ".".join(path.relative_to(BENCH.parent).with_suffix("").parts).removesuffix(".__init__")
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


PATHS = {name_of(path): path for path in sorted({*SOURCE.rglob("*.py"), *BENCH.rglob("*.py")} - PACK_FILES - OLD_PATHS)}


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in PATHS.items()}


def imports(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """The uac modules that a tree imports, with the names it takes from each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "uac":
            yield (node.module or "").removeprefix("uac").lstrip("."), [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "uac":
                    yield alias.name.removeprefix("uac").lstrip("."), []


def modules_imported(module: str) -> Iterator[str]:
    """The modules that a module imports: `from uac.log import index` imports the module `log.index`."""
    for imported, names in imports(trees()[module]):
        inside = [f"{imported}.{name}".lstrip(".") for name in names]
        yield from (name if name in PATHS else imported for name in inside or [imported])


def public_names(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(target=ast.Name(id="__all__")):
                names: list[str] = ast.literal_eval(node.value) if node.value else []
                return names
    return None


def test_the_package_has_at_most_16_entries() -> None:
    entries = {name.split(".")[0] for name in PATHS if not name.startswith("uac_bench")}
    assert entries == set(PACKAGES)
    assert len(entries - {"", "__main__"}) <= 16


def test_a_package_imports_only_packages_before_it() -> None:
    for module in PATHS:
        mine = module.split(".")[0]
        if mine == "uac_bench":
            continue
        for imported in modules_imported(module):
            theirs = imported.split(".")[0]
            if (module, imported) == ("", "interfaces.client"):
                continue  # uac.Client
            assert PACKAGES.index(theirs) <= PACKAGES.index(mine), f"{module} imports {imported}, which comes later"


def test_an_interface_imports_only_interfaces_before_it() -> None:
    for module in PATHS:
        _package, _, mine = module.partition(".")
        if not module.startswith("interfaces."):
            continue
        for imported in modules_imported(module):
            if imported.startswith("interfaces."):
                order = [INTERFACES.index(name.split(".")[0]) for name in (imported.partition(".")[2], mine)]
                assert order == sorted(order), f"{module} imports {imported}, which comes later"


def test_modules_import_each_other_without_a_cycle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a cycle: {' → '.join((*path, module))}"
        if module not in done:
            for imported in dict.fromkeys(modules_imported(module)):
                if imported in PATHS and imported != module:
                    visit(imported, (*path, module))
            done.add(module)

    for module in PATHS:
        visit(module, ())


def test_no_module_runs_text_as_code_or_unpickles() -> None:
    nodes = [(module, node) for module in PATHS if module not in IN_THE_SANDBOX for node in ast.walk(trees()[module])]
    assert [f"{module}:{node.lineno}" for module, node in nodes if is_forbidden(module, node)] == []  # type: ignore[attr-defined]  # a statement or an expression


def is_forbidden(module: str, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in FORBIDDEN
        case ast.Import(names=aliases):
            used = {alias.name.split(".")[0] for alias in aliases}
            return not (used - {"importlib"} if module in MAY_LOOK_FOR_PACKAGES else used).isdisjoint(FORBIDDEN_MODULES)
        case ast.ImportFrom(module="importlib", names=[ast.alias(name="import_module")]):
            return module not in IMPORT_ON_FIRST_USE
        case ast.ImportFrom(module=source):
            return (source or "").split(".")[0] in FORBIDDEN_MODULES
        case _:
            return False


def test_a_module_names_what_is_public_and_has_it() -> None:
    for module, tree in trees().items():
        names = public_names(tree)
        assert names is not None, f"{module} has no __all__"
        defined = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        defined |= {
            node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        }
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        defined |= {alias.asname or alias.name for node in imported for alias in node.names}
        assert set(names) <= defined, module
        assert all(first != second for first, second in pairwise(sorted(names))), module


def test_modules_take_from_each_other_only_what_is_public() -> None:
    public = {module: public_names(tree) or [] for module, tree in trees().items()}
    for module, tree in trees().items():
        for imported, names in imports(tree):
            hidden = [
                name
                for name in names
                if name not in public[imported] and f"{imported}.{name}".lstrip(".") not in public
            ]
            assert hidden == [], f"{module} takes {hidden} from {imported or 'uac'}"


def test_no_source_file_is_too_long() -> None:
    assert [name for name, path in PATHS.items() if len(path.read_text(encoding="utf-8").splitlines()) > 800] == []


def test_only_the_constraint_runner_and_the_request_handlers_catch_every_exception() -> None:
    found = [
        module
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) == "Exception")
    ]
    assert found == [
        "interfaces.agent_tools.dispatcher",
        "project.runtime.rule_runner",
        "project.runtime.rule_runner",
    ]


def test_the_benchmarks_use_the_public_names_of_packages() -> None:
    packages = {f"interfaces.{name}" for name in INTERFACES} | set(PACKAGES)
    deep = {
        f"{module}: uac.{imported}"
        for module, tree in trees().items()
        if module.startswith("uac_bench")
        for imported, _names in imports(tree)
        if imported not in packages
    }
    assert deep == set()
