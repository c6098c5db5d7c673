"""The command `uac`: one group, its commands, and how errors are printed.

Exit codes: 0 done; 1 a finding (a broken chain, a problem with the store); 2 wrong usage; 3 refused, nothing was
written; 4 the store is unavailable; 5 an entry is damaged; 6 the code gave no result; 7 a model gave no answer.
"""

import gc
import json
from typing import Any

import click

from uac import __version__
from uac.errors import Damaged, ModelError, Refused, Rejected, RunError, UacError
from uac.interfaces.cli.add import add
from uac.interfaces.cli.alerts import ack, alerts, snooze, tick
from uac.interfaces.cli.ask import ask, ask_context
from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.completion import print_completion_script
from uac.interfaces.cli.compute import compute
from uac.interfaces.cli.constraints import constraint_why, constraints
from uac.interfaces.cli.cost import cost
from uac.interfaces.cli.doctor import doctor
from uac.interfaces.cli.edit_project import apply_checkpoint, correct, define, drop, end, migrate, put_record, retract
from uac.interfaces.cli.erase import erase
from uac.interfaces.cli.export import adopt_exported_edits, export
from uac.interfaces.cli.import_files import import_
from uac.interfaces.cli.inspect import inspect
from uac.interfaces.cli.keys import keys
from uac.interfaces.cli.learn import answer, learn, pending
from uac.interfaces.cli.log import log, users
from uac.interfaces.cli.mcp import mcp
from uac.interfaces.cli.options import CliContext
from uac.interfaces.cli.pack import pack
from uac.interfaces.cli.project import conflicts, diff_project, explain, manifest, project_coverage, records
from uac.interfaces.cli.recall import recall, reindex
from uac.interfaces.cli.serve import serve
from uac.interfaces.cli.verify import verify
from uac.interfaces.cli.webhooks import hooks
from uac.schema.safe_text import visible

__all__ = ["main"]


class MainGroup(Group):
    """A group that turns this package's errors into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UacError as error:
            name = type(error).__name__
            if isinstance(ctx.obj, CliContext) and ctx.obj.out.as_json:
                reasons = {"reasons": error.reasons} if isinstance(error, Rejected) else {}
                click.echo(json.dumps({"error": name, "message": str(error), **reasons}, ensure_ascii=False), err=True)
            else:
                click.echo(click.style(f"{name}: ", fg="red") + visible(str(error), lines=True), err=True)
            ctx.exit(_exit_code(error))


def _exit_code(error: UacError) -> int:
    for kind, code in ((Refused, 3), (Damaged, 5), (RunError, 6), (ModelError, 7)):
        if isinstance(error, kind):
            return code
    return 4


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="uac")
def main() -> None:
    """A memory for AI agents that turns what is known about a user into a small software project.

    Each user has one append-only log of everything said. Typed records are derived from it, as Python.

    \b
    Exit codes: 0 done · 1 a problem was found (broken chain, store) · 2 wrong usage
                3 refused, nothing was written · 4 the store is unavailable · 5 an entry is damaged
                6 the code gave no result · 7 the model gave no answer
    """
    # A long fold creates millions of objects and no cycles: fewer garbage collections save a quarter of its time.
    gc.set_threshold(50_000, 20, 20)


SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Say and see": (add, log, users, inspect),
    "Records": (put_record, records, explain, correct, end, drop, import_, compute),
    "The project": (
        manifest,
        define,
        migrate,
        apply_checkpoint,
        retract,
        diff_project,
        conflicts,
        project_coverage,
        export,
        adopt_exported_edits,
    ),
    "Constraints and alerts": (alerts, constraint_why, ack, snooze, tick, constraints, pack),
    "Conversation": (pending, answer, learn, cost),
    "Search": (recall, ask_context, ask, reindex),
    "Serve": (serve, mcp, keys, hooks),
    "Store": (verify, erase, doctor, print_completion_script),
}

for title, commands in SECTIONS.items():
    main.add_section(title, commands)
