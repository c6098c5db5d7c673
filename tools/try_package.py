"""Builds the package and tries it as a newcomer would, on every supported Python that is installed: `make package`.

The wheel and the source distribution are built, and each Python gets three clean environments with the extra `serve`:
the wheel with all that it requires, the wheel without wordllama, as on platforms where it has no wheel, and the source
distribution. In each, the same commands run: a record, an alert, recall, compute, the doctor, and the service until it
is ready. It uses the package index.
"""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.matrix import VERSIONS, find_python

__all__ = ["main"]

ROOT = Path(__file__).parent.parent
FIRST = ("uac", "put", "ben", "health.Allergy", "substance=Penicillin", "reaction=hives")
ALERT = ("uac", "put", "ben", "health.Medication", "name=Amoxicillin")
SECONDS_TO_START = 60


class Variant(NamedTuple):
    """What is installed: a wheel or the source distribution, with wordllama or without it."""

    title: str
    package: Path
    has_meaning: bool = True


class Tried(NamedTuple):
    """An environment, its size without Python and pip, and what failed; empty if nothing did."""

    python: str
    variant: Variant
    megabytes: float
    seconds: float
    failed: str = ""


def main(arguments: Sequence[str]) -> int:
    versions = arguments or VERSIONS
    with tempfile.TemporaryDirectory(prefix="uac-package-") as folder:
        wheel, source = build(Path(folder) / "dist")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {source.name}: {source.stat().st_size / 1e6:.1f} MB")
        variants = (
            Variant("wheel", wheel),
            Variant("wheel without wordllama", wheel, has_meaning=False),
            Variant("sdist", source),
        )
        results: list[Tried] = []
        for version in versions:
            python = find_python(version)
            if python is None:
                print(f"Python {version}: not installed", flush=True)
                continue
            for variant in variants:
                environment = Path(folder) / f"{version} {variant.title}".replace(" ", "-")
                results.append(try_environment(environment, python, version, variant))
                print(_line(results[-1]), flush=True)
                shutil.rmtree(environment)
    return int(not results or any(each.failed for each in results))


def build(folder: Path) -> tuple[Path, Path]:
    _run([sys.executable, "-m", "hatchling", "build", "--directory", str(folder)], cwd=ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def try_environment(folder: Path, python: str, version: str, variant: Variant) -> Tried:
    """Install the package into a clean environment and run the commands."""
    _run([python, "-m", "venv", str(folder)])
    before, start = _folder_size(folder), time.monotonic()
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    failed = ""
    try:
        _run([*pip, "install", f"{variant.package}[serve]"])
        seconds = time.monotonic() - start
        if not variant.has_meaning:
            _run([*pip, "uninstall", "--yes", "wordllama", "-r", str(ROOT / "requirements" / "unused.txt")])
        size = _folder_size(folder) - before
        _try_commands(folder)
    except (subprocess.CalledProcessError, AssertionError) as error:
        failed = str(getattr(error, "stderr", "") or error).strip()[-300:]
        seconds, size = time.monotonic() - start, _folder_size(folder) - before
    return Tried(version, variant, size / 1e6, seconds, failed)


def _try_commands(folder: Path) -> None:
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}

    def run(*words: str) -> str:
        return _run([str(folder / "bin" / words[0]), *words[1:]], environment=environment)

    run(*FIRST)
    assert "drug_allergy" in run(*ALERT), "the second record raises no alert"
    run("uac", "add", "ben", "I play the violin on Tuesdays")
    assert "violin" in run("uac", "recall", "ben", "violin"), "recall finds nothing"
    assert run("uac", "compute", "ben", "len(health.medications)").split()[:1] == ["1"], "compute gives another number"
    assert "Python" in run("uac", "doctor", "--quick")
    _try_service(environment)


def _try_service(environment: Mapping[str, str]) -> None:
    """Start the service, wait until it is ready, and stop it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = str(Path(environment["PATH"].partition(":")[0]) / "uac")
    command = [program, "serve", "--port", str(port), "--no-keys"]
    with subprocess.Popen(
        command, env={**environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            deadline = time.monotonic() + SECONDS_TO_START
            while not _is_ready(port):
                assert process.poll() is None, "the service ended"
                assert time.monotonic() < deadline, "the service did not become ready"
                time.sleep(0.2)
        finally:
            process.terminate()
    assert process.returncode == 0, f"the service ended with {process.returncode}"


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _run(command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=None if environment is None else {**environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _line(each: Tried) -> str:
    result = each.failed.replace("\n", " ") if each.failed else "works"
    installed = f"{each.megabytes:.0f} MB installed in {each.seconds:.0f} s"
    return f"Python {each.python}, {each.variant.title}: {installed}: {result}"


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main(sys.argv[1:]))
