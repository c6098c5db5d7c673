"""uac-bench report: one static page with the story and the figures of kept runs."""

from pathlib import Path

import click
import msgspec

from uac.errors import UacError
from uac.interfaces.cli import Output
from uac_bench.runs import BenchRun, load_runs

__all__ = ["bench_report"]

Folder = click.Path(file_okay=False, path_type=Path)


@click.command("report")
@click.argument("runs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", "out_folder", metavar="FOLDER", required=True, type=Folder, help="Write the page here.")
@click.option("--home", default="", metavar="URL", help="Where the page links to as documentation.")
@click.option("--texts", is_flag=True, help="Copy the runs with the given and expected answers of their items.")
@click.option(
    "--strip",
    "strip_folder",
    metavar="FOLDER",
    type=Folder,
    help="Also write the runs here without any text of their items: ids, verdicts and figures only.",
)
def bench_report(runs: Path, out_folder: Path, home: str, texts: bool, strip_folder: Path | None) -> None:
    """Make a static page of the runs in a folder, as suites write them with --out.

    First the story: five cases that are played with the library while the page is built. Then shares and
    curves with their intervals, peers beside ours, how to repeat each run, and figures that others
    published. It needs the extra `serve`, and the page loads nothing from another host.

    Texts of evaluation data do not belong on a public page, so the copies of the runs have none unless
    --texts is given.
    """
    out = Output(as_json=False)
    try:
        from uac_bench.report.site import build_site, write_runs
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"{error.name} is not installed. Install the extra: pip install '.[serve]'"
        ) from error
    found = _read_runs(runs)
    try:
        page = build_site(found, out_folder, home=home, texts=texts)
        if strip_folder is not None:
            write_runs(found, strip_folder)
    except (UacError, OSError) as error:
        raise click.ClickException(str(error)) from error
    out.line(f"{page}: five cases and {len(found)} {'run' if len(found) == 1 else 'runs'}")


def _read_runs(folder: Path) -> tuple[BenchRun, ...]:
    try:
        return load_runs(folder)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise click.ClickException(
            f"A file in {folder} is not a run: {error}. Keep only files there that suites wrote with --out."
        ) from error
