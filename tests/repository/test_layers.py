"""The shape of the source: who may import whom, what is never called, what is public."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from support.paths import SOURCE

# Each module may import only what stands before it. A package stands for all its modules.
ORDER = (
    "errors",
    "diagnostics",
    "trees",
    "listening",
    "markup",
    "scales",
    "drawing",
    "periods",
    "date_words",
    "date_reader",
    "dates",
    "numerals",
    "quotes",
    "grounds",
    "held",
    "wording",
    "echo",
    "tokens",
    "requests",
    "prompts",
    "model",
    "failures",
    "remote",
    "embedder",
    "reranker",
    "languages",
    "words",
    "asked_words",
    "asked",
    "schema",
    "literals",
    "effects",
    "queries",
    "constraints",
    "constraint_files",
    "patches",
    "entries",
    "passages",
    "stores.passage_sql",
    "stores.sqlite_index",
    "log",
    "store",
    "keys",
    "hooks",
    "alerts",
    "claims",
    "progress",
    "project",
    "terms",
    "draft",
    "retype",
    "enact",
    "checkpoint",
    "fold",
    "forget",
    "prelude",
    "alone",
    "render_constraints",
    "render",
    "explain",
    "diff",
    "export",
    "adopt",
    "sandbox",
    "sandboxes",
    "meant",
    "loading",
    "rule_runner",
    "compute",
    "narrowing",
    "rule_session",
    "watch",
    "prove",
    "why",
    "packs.files",
    "packs",
    "indexing",
    "layout",
    "matching",
    "hits",
    "recall",
    "tables",
    "plots",
    "context",
    "embedders",
    "rerankers",
    "models",
    "calls",
    "windows",
    "extract",
    "support",
    "propose",
    "judge",
    "query_constants",
    "ask",
    "sift",
    "accept",
    "tasks",
    "learning",
    "notebook",
    "stores.memory",
    "stores.sqlite",
    "stores.postgres",
    "stores",
    "memory",
    "background",
    "chat",
    "importing",
    "client",
    "compat",
    "",  # uac itself: the public names
    "mcp",
    "http",
    "inspector",
    "testing",
    "cli",
    "bench",
    "__main__",
)

FORBIDDEN = {"exec", "eval", "compile", "__import__"}
IN_THE_SANDBOX = {"sandboxes.worker"}
"""The module that runs in the sandbox's own process, where foreign code is run: that is its job."""

FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "importlib", "dill", "cloudpickle", "runpy"}

PACK_FILES = {*SOURCE.glob("packs/*/*.py"), *SOURCE.glob("packs/*/constraints/*.py")}
"""Files that are read as trees and never imported."""

MAY_LOOK_FOR_PACKAGES = {"packs", "embedders.static", "bench.recall_speed"}
"""The module that finds the folders of other packages' packs, without running anything in them."""

MODULES = sorted({*SOURCE.rglob("*.py")} - PACK_FILES)


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def layer_of(module: str) -> int:
    while module not in ORDER:
        if not module:
            raise AssertionError("no layer")
        module = module.rpartition(".")[0]
    return ORDER.index(module)


def imports(tree: ast.AST) -> list[tuple[str, list[str]]]:
    """The uac modules a tree imports, with the names it takes from each."""
    found: list[tuple[str, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "uac":
            found.append(((node.module or "").removeprefix("uac").lstrip("."), [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            found += [
                (alias.name.removeprefix("uac").lstrip("."), [])
                for alias in node.names
                if alias.name.split(".")[0] == "uac"
            ]
    return found


def public_names(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(target=ast.Name(id="__all__")):
                names: list[str] = ast.literal_eval(node.value) if node.value else []
                return names
    return None


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_comes_before_it(path: Path) -> None:
    mine = layer_of(name_of(path))
    for imported, _names in imports(ast.parse(path.read_text())):
        theirs = layer_of(imported)
        inside = ORDER[mine] and imported.startswith(ORDER[mine])
        assert theirs < mine or inside, f"{name_of(path)} imports {imported}, which comes later"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_runs_text_as_code_or_unpickles(path: Path) -> None:
    if name_of(path) in IN_THE_SANDBOX:
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN, f"{path.name}:{node.lineno} calls {node.func.id}"
        if isinstance(node, ast.Import):
            used = {alias.name.split(".")[0] for alias in node.names}
            used -= {"importlib"} if name_of(path) in MAY_LOOK_FOR_PACKAGES else set()
            assert used.isdisjoint(FORBIDDEN_MODULES), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in FORBIDDEN_MODULES, f"{path.name}:{node.lineno}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_names_what_is_public_and_has_it(path: Path) -> None:
    tree = ast.parse(path.read_text())
    names = public_names(tree)
    assert names is not None, f"{name_of(path)} has no __all__"
    defined = {name.id for node in ast.walk(tree) for name in [node] if isinstance(name, ast.Name)}
    defined |= {
        node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }
    imported = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    defined |= {alias.asname or alias.name for node in imported for alias in node.names}
    assert set(names) <= defined
    assert all(first != second for first, second in pairwise(sorted(names)))


def test_modules_take_from_each_other_only_what_is_public() -> None:
    public = {name_of(path): public_names(ast.parse(path.read_text())) or [] for path in MODULES}
    for path in MODULES:
        for imported, names in imports(ast.parse(path.read_text())):
            hidden = [
                name
                for name in names
                if name not in public[imported] and f"{imported}.{name}".lstrip(".") not in public
            ]
            assert hidden == [], f"{name_of(path)} takes {hidden} from {imported or 'uac'}"


def test_no_source_file_is_too_long() -> None:
    assert [name_of(path) for path in MODULES if len(path.read_text().splitlines()) > 800] == []


def test_broad_excepts_stand_only_in_the_constraint_runner_and_the_request_handler() -> None:
    """The sandbox parent may have one too, if it comes to need it."""
    found = [
        name_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) == "Exception")
    ]
    assert found == ["http.delivering", "mcp.desk", "rule_runner", "rule_runner"]
