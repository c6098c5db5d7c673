"""What users import: the names of `uac`, and the import paths of earlier versions."""

import ast
import inspect
import json
import subprocess
import sys

import pytest

import uac
import uac.importing
from support.paths import SOURCE

OLD_PATHS = sorted(
    str(path.relative_to(SOURCE / "interfaces" / "old_paths").with_suffix("")).replace("/", ".")
    for path in (SOURCE / "interfaces" / "old_paths").rglob("*.py")
    if path.name != "__init__.py"
)


def run(code: str) -> str:
    return subprocess.check_output([sys.executable, "-c", code], text=True)


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in uac.__all__ if not hasattr(uac, name)] == []


def test_import_paths_of_earlier_versions_give_the_same_objects() -> None:
    imports = "".join(
        f"from uac.{path} import __all__ as names; import uac.{path} as old;"
        f"found[{path!r}] = [name for name in names if not hasattr(old, name)];"
        for path in OLD_PATHS
    )
    found = json.loads(run(f"import json; found = {{}}; {imports} print(json.dumps(found))"))
    assert found == {path: [] for path in OLD_PATHS}


SAME_OBJECTS = [
    ("uac.client.Client", "uac.Client"),
    ("uac.patches.Put", "uac.Put"),
    ("uac.schema.Field", "uac.Field"),
    ("uac.compat.mem0.Memory", "uac.interfaces.mem0.Memory"),
    ("uac.log.Log", "uac.Log"),
    ("uac.memory.Memory", "uac.Memory"),
    ("uac.project.Project", "uac.Project"),
    ("uac.recall.Hit", "uac.Hit"),
    ("uac.sandbox.Limits", "uac.sandbox.port.Limits"),
    ("uac.Finding", "uac.Diagnostic"),
    ("uac.ask.Answer", "uac.Answer"),
    ("uac.learning.Cadence", "uac.Cadence"),
    ("uac.export.export", "uac.project.export.export"),
    ("uac.entries.settle", "uac.schema.entries.with_fixed_offsets"),
    ("uac.importing.Wish", "uac.importing.PlanOptions"),
    ("uac.importing.bring_in", "uac.importing.import_records"),
    ("uac.importing.bring_in_chats", "uac.importing.import_chats"),
    ("uac.importing.survey", "uac.importing.plan_import"),
]


@pytest.fixture(scope="module")
def is_same_object() -> dict[str, bool]:
    """Whether each old path gives the object of the new one, in a process that has imported nothing else."""
    lines = ["import json", "found = {}"]
    for old, new in SAME_OBJECTS:
        for name, path in (("old", old), ("new", new)):
            module, _, attribute = path.rpartition(".")
            lines.append(f"from {module} import {attribute} as {name}")
        lines.append(f"found[{old!r}] = old is new")
    found: dict[str, bool] = json.loads(run("\n".join([*lines, "print(json.dumps(found))"])))
    return found


@pytest.mark.parametrize("old", [old for old, _new in SAME_OBJECTS])
def test_a_name_is_the_same_object_under_its_old_path(old: str, is_same_object: dict[str, bool]) -> None:
    assert is_same_object[old]


def test_every_former_name_of_an_import_is_the_name_of_something() -> None:
    assert [old for old in uac.importing._NEW_NAMES if not hasattr(uac.importing, old)] == []
    assert not hasattr(uac.importing, "Unknown")


def test_public_names_are_imported_on_first_use() -> None:
    code = "import sys, uac; print(*sys.modules); uac.Money; print(*sys.modules); from uac import *; print(Memory.__name__)"
    before, after, last = run(code).splitlines()
    assert [name for name in before.split() if name.split(".")[0] == "uac"] == ["uac"]
    assert ("uac.schema.values" in after.split(), "uac.memory" in after.split()) == (True, False)
    assert last == "Memory"


def test_type_checkers_see_the_public_names_in_the_modules_that_they_are_imported_from() -> None:
    block = next(node for node in ast.parse(inspect.getsource(uac)).body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == uac._MODULE_OF
    assert {*seen, "__version__"} == set(uac.__all__) < set(dir(uac))


def test_a_package_is_an_attribute_with_its_modules() -> None:
    code = "import uac; print(uac.errors.Refused.__name__, uac.conversation.ask.Answer is uac.Answer)"
    assert run(code) == "Refused True\n"
    assert not hasattr(uac, "unknown")


def test_using_the_library_does_not_import_optional_packages() -> None:
    heavy = {"fastapi", "mcp", "numpy", "psycopg", "pydantic_ai", "uvicorn", "jinja2", "IPython", "uac.interfaces"}
    loaded = set(run("import sys; from uac import Memory; print(*sys.modules)").split())
    assert loaded & heavy == set()
