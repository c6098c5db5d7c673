"""uac-bench install: how much room the package takes, with and without extras, and how soon a newcomer has an alert."""

import os
import subprocess
import tempfile
import venv
from pathlib import Path
from time import perf_counter

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli import Output
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description, package_index_settings
from uac_bench.runs import BenchTable

__all__ = ["bench_install"]

ABOUT = "A fresh installation: sizes, and the time to the first alert."
EXTRAS = ("", "mcp", "serve", "models", "postgres", "otel")
FIRST_ALERT = (
    ("pip", "install", "{source}"),
    ("uac", "put", "ben", "health.Allergy", "substance=Penicillin", "reaction=hives"),
    ("uac", "put", "ben", "health.Medication", "name=Amoxicillin"),
)
"""What a newcomer types in a fresh environment. The last of them raises the alert."""


class Installed(msgspec.Struct, frozen=True):
    """What an environment takes on the disk, without Python and pip themselves."""

    extra: str
    bytes: int
    packages: int
    seconds: float


class Typed(msgspec.Struct, frozen=True):
    """One command of the newcomer, and how long it took."""

    command: str
    seconds: float


@click.command("install")
@click.option(
    "--source",
    default=".",
    show_default=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the project.",
)
@click.option("--extra", "extras", multiple=True, help="Only these extras; 'none' means the package alone.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_install(*, source: Path, extras: tuple[str, ...], out_folder: Path | None, as_json: bool) -> None:
    """Measure a fresh installation: sizes, and the time to the first alert. It uses the package index."""
    suite = SuiteRun("install", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    chosen = tuple("" if extra == "none" else extra for extra in extras) or EXTRAS
    with tempfile.TemporaryDirectory(prefix="uac-bench-") as folder:
        out.note("to the first alert …")
        typed = _first_alert(Path(folder) / "newcomer", source.resolve())
        sizes = [_measure_install(Path(folder) / (extra or "alone"), source.resolve(), extra, out) for extra in chosen]
    if as_json:
        out.json({"to_first_alert": msgspec.to_builtins(typed), "sizes": msgspec.to_builtins(sizes)})
    seconds = sum(each.seconds for each in typed)
    out.line(f"to the first alert: {len(typed)} commands, {seconds:.0f} s")
    for each in typed:
        out.line(f"  {each.seconds:5.1f} s  {each.command}")
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        name = f"with the extra {size.extra}" if size.extra else "without extras"
        out.line(f"{name}: {size.bytes / 1e6:,.0f} MB, {size.packages} packages, {size.seconds:.0f} s")
        rows.append((name, f"{size.bytes / 1e6:,.0f}", str(size.packages), f"{size.seconds:.0f}"))
    out.line(machine_description())
    columns = ("installed", "MB", "packages", "seconds")
    suite.finish(tables=[BenchTable(title="a fresh installation", columns=columns, rows=tuple(rows))])


def _first_alert(folder: Path, source: Path) -> list[Typed]:
    venv.create(folder, with_pip=True)
    typed: list[Typed] = []
    said = ""
    for command in FIRST_ALERT:
        words = [word.format(source=source) for word in command]
        start = perf_counter()
        said = _run_command(folder, words)
        typed.append(Typed(" ".join(word.format(source=".") for word in command), perf_counter() - start))
    if "drug_allergy" not in said:
        raise Refused(f"no alert was raised, but this was said: {said}")
    return typed


def _measure_install(folder: Path, source: Path, extra: str, out: Output) -> Installed:
    out.note(f"the extra {extra} …" if extra else "the package alone …")
    venv.create(folder, with_pip=True)
    before = _folder_size(folder)
    start = perf_counter()
    _run_command(folder, ["pip", "install", f"{source}[{extra}]" if extra else str(source)])
    seconds = perf_counter() - start
    packages = len(list(folder.glob("lib/python*/site-packages/*.dist-info")))
    return Installed(extra, _folder_size(folder) - before, packages - 1, seconds)


def _run_command(folder: Path, words: list[str]) -> str:
    name, *rest = words
    program = [str(folder / "bin" / "python"), "-m", "pip", "-q"] if name == "pip" else [str(folder / "bin" / name)]
    done = subprocess.run(  # noqa: S603 - our own program
        [*program, *rest],
        env={
            **package_index_settings(),
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "UAC_STORE": str(folder / "memory.db"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(f"{' '.join(words)} failed: {done.stderr[-2000:]}")
    return done.stdout


def _folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
