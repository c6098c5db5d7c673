"""The TypeScript client is generated from the service's document, and works against the real service."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import uac
from support.http_service import LONG, serving
from support.paths import ROOT
from tools.typescript import API, PACKAGE, SNAPSHOT, generate_api, snapshot_text, stamp_api

GUIDE = ROOT / "docs" / "guides" / "typescript.md"
STALE = (
    "The TypeScript client does not fit the service's OpenAPI document. Run `make typescript` and commit the result."
)

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (PACKAGE / "node_modules").is_dir(),
    reason="needs Node 20 and its packages: `make typescript` installs them in clients/typescript/node_modules",
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, compiled, so that tests write nothing into the repository."""
    folder = tmp_path_factory.mktemp("typescript") / "package"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    (folder / "node_modules").symlink_to(PACKAGE / "node_modules")
    _run(folder, "node_modules/.bin/tsc", "-p", "tsconfig.build.json")
    return folder


def test_the_snapshot_of_the_document_is_current() -> None:
    assert SNAPSHOT.read_text(encoding="utf-8") == snapshot_text(), STALE


def test_the_generated_types_belong_to_the_snapshot_and_nobody_edited_them() -> None:
    text = API.read_text(encoding="utf-8")
    assert text == stamp_api(text.partition("\n")[2]), STALE


@needs_node
def test_generating_the_types_again_gives_the_same_bytes() -> None:
    assert API.read_text(encoding="utf-8") == generate_api(), STALE


def test_the_package_has_the_library_s_version_and_licence_and_no_dependencies() -> None:
    package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == uac.__version__
    assert "dependencies" not in package
    assert all(re.fullmatch(r"[\d.]+", version) for version in package["devDependencies"].values())
    assert (PACKAGE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@needs_node
def test_the_client_its_tests_and_its_guide_compile_strictly_and_run_against_a_real_service(package: Path) -> None:
    blocks = re.findall(r"^```ts\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (package / "test" / "guide.test.ts").write_text("\n".join(blocks), encoding="utf-8")
    _run(package, "node_modules/.bin/tsc", "-p", "tsconfig.json")
    with serving() as served:
        environment = {"UAC_ADDRESS": served.address, "UAC_KEY": served.key()}
        tests = sorted(str(path.relative_to(package)) for path in (package / "build").rglob("*.test.js"))
        output = _run(package, "node", "--test", "--test-reporter=tap", *tests, **environment)
    written = len(
        re.findall(r"^test\(", (package / "test" / "client.test.ts").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert f"# pass {written + 1}\n# fail 0\n" in output, output  # the guide is one test


@needs_node
def test_the_packed_package_has_the_compiled_files_with_their_types_and_nothing_else(package: Path) -> None:
    [packed] = json.loads(_run(package, "npm", "pack", "--dry-run", "--json", "--ignore-scripts", "--offline"))
    modules = ("api", "client", "errors", "events", "index", "transport")
    assert sorted(file["path"] for file in packed["files"]) == sorted(
        ["LICENSE", "README.md", "package.json", *(f"dist/{name}.{end}" for name in modules for end in ("d.ts", "js"))]
    )


def _run(package: Path, *command: str, **environment: str) -> str:
    run = subprocess.run(
        command,
        cwd=package,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
