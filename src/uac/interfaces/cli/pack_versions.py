"""uac pack diff: what changed in the tables and constraints of a pack between two versions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from uac.errors import Refused
from uac.interfaces.cli.completion import complete_pack_names, complete_user_names
from uac.interfaces.cli.options import CliContext, as_of_option, common_options, read_clock_options
from uac.interfaces.cli.output import Output
from uac.interfaces.cli.pack_tables import find_pack
from uac.packs.pack_diff import PackChange, PackVersion, pack_changes, pack_of_folder, pack_of_project, version_of_pack
from uac.schema.safe_text import counted, shorten
from uac.schema.types import Json

__all__ = ["diff_packs"]

SIGNS = {"added": "+", "removed": "-", "changed": "~"}
STYLES = {"added": "green", "removed": "red", "changed": "yellow"}
LONGEST_VALUE = 80


@click.command("diff")
@click.argument("pack", shell_complete=complete_pack_names)
@click.option("--user", default="", shell_complete=complete_user_names, help="Compare what this user's log has.")
@click.option(
    "--from", "before", type=click.Path(path_type=Path), metavar="FOLDER", help="Compare a pack or an exported project."
)
@click.option(
    "--to", "after", type=click.Path(path_type=Path), metavar="FOLDER", help="With it instead of the installed pack."
)
@as_of_option
@common_options
def diff_packs(
    context: CliContext, *, pack: str, user: str, before: Path | None, after: Path | None, as_of: str | None
) -> None:
    """Show what changed in the tables and constraints of PACK: rows added (+), removed (-) and changed (~), by id.

    By default USER's log is compared with the installed pack: what `uac pack upgrade` would bring, and what an
    imported table has that the pack's has not. --from and --to compare folders: packs, or projects that `uac
    export` wrote.

    \b
      uac pack diff health --user ana
      uac pack diff health --from last-year --to this-year
    """
    old, new = _versions(context, pack, user, before, after, as_of)
    changes = pack_changes(old, new)
    if context.out.as_json:
        for change in changes:
            context.out.json(_pack_change_json(change))
        return
    if not changes:
        context.out.note(f"no difference between {old.label} and {new.label}")
        return
    context.out.note(f"from {old.label} to {new.label}")
    _show_pack_changes(context.out, changes)


def _versions(
    context: CliContext, pack: str, user: str, before: Path | None, after: Path | None, as_of: str | None
) -> tuple[PackVersion, PackVersion]:
    if bool(user) == bool(before):
        raise click.UsageError("Give either --user or --from.")
    if as_of and not user:
        raise click.UsageError("--known needs --user.")
    if before is not None:
        old = pack_of_folder(before, pack)
    else:
        memory = context.memory(user)
        known = read_clock_options(known=as_of).known
        project = memory.project() if known is None else memory.project_as_of(known)
        old = pack_of_project(project, pack, f"the log of {user}")
    new = version_of_pack(find_pack(pack)) if after is None else pack_of_folder(after, pack)
    if not (old.tables or old.constraints or new.tables or new.constraints):
        raise Refused(f"Neither side has anything of the pack {pack!r}. 'uac pack list' names the packs.")
    return old, new


def _show_pack_changes(out: Output, changes: Sequence[PackChange]) -> None:
    rows: dict[str, Counter[str]] = {}
    for change in changes:
        if change.kind == "row":
            rows.setdefault(change.what, Counter())[change.change] += 1
    for change in changes:
        style = STYLES[change.change]
        if change.kind == "row":
            out.line((f"  {SIGNS[change.change]} ", style), f"{change.row}{_details_text(change.details)}")
            continue
        counts = rows.get(change.what, Counter())
        numbers = ", ".join(f"{counted(counts[each], 'row')} {each}" for each in SIGNS if counts[each])
        label = "" if change.kind == "table" else "constraint "
        out.line(
            (f"{SIGNS[change.change]} ", style),
            (f"{label}{change.what}", "bold"),
            _details_text(change.details) + (f"; {numbers}" if numbers else ""),
        )


def _details_text(details: Mapping[str, tuple[Json, Json]]) -> str:
    texts: list[str] = []
    for name, (old, new) in details.items():
        match name, old, new:
            case "code", int(), int():
                texts.append(f"code {old} → {new} lines")
            case "cases", list(), list():
                gained, lost = [each for each in new if each not in old], [each for each in old if each not in new]
                texts.append(f"cases {len(old)} → {len(new)}" + _case_names(" +", gained) + _case_names(" -", lost))
            case _:
                texts.append(f"{name} {_value_text(old)} → {_value_text(new)}")
    return f": {', '.join(texts)}" if texts else ""


def _case_names(sign: str, names: Sequence[str]) -> str:
    return "".join(f"{sign}{name!r}" for name in names)


def _value_text(value: Json) -> str:
    if value is None:
        return "nothing"
    return shorten("|".join(map(str, value)) if isinstance(value, list) else str(value) or "''", LONGEST_VALUE)


def _pack_change_json(change: PackChange) -> dict[str, object]:
    about = {"kind": change.kind, "change": change.change, "what": change.what}
    details = {name: {"before": old, "after": new} for name, (old, new) in change.details.items()}
    return about | ({"row": change.row} if change.row else {}) | ({"details": details} if details else {})
