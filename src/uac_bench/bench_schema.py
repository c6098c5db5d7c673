"""uac-bench schema: types change under rules that are active. A rule that no longer works must be refused or reported.

For each rule of the packs a user has the records of a danger, so that its alert is active. Then random changes of the
types that it reads are tried, one after the other. Each is either refused; or the alert stays; or the rule is reported
as broken. An alert that is gone without a word is a rule that broke unseen: there must be none.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from functools import partial
from pathlib import Path
from typing import Literal

import click

from uac import (
    AddField,
    ChangeKey,
    Field,
    Memory,
    Pack,
    Patch,
    Project,
    Put,
    RenameField,
    RenameType,
    RetireField,
    RetypeField,
    Type,
    __version__,
    open_store,
)
from uac.errors import Refused, Rejected, UacError
from uac.packs import chosen_packs
from uac.sandbox import Sandbox, shared_sandbox
from uac_bench.alert_controls import CONTROLS, AlertControl, read_controls
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem, System

__all__ = ["SchemaOutcome", "bench_schema", "random_migration", "try_migrations"]

ABOUT = "Random changes of types under active rules: refused, harmless, reported, or (never) broken without a word."
SchemaOutcome = Literal["refused", "alert stays", "reported", "unseen"]
OUTCOMES: tuple[SchemaOutcome, ...] = ("refused", "alert stays", "reported", "unseen")
KINDS = ("add", "rename", "retire", "retype", "key", "rename type")


@click.command("schema")
@click.option("--each", type=click.IntRange(min=1), default=6, show_default=True, help="Changes tried for each rule.")
@click.option("--rules", type=click.IntRange(min=1), help="Only so many rules, at random.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds are other changes.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_schema(
    context: click.Context, each: int, rules: int | None, seed: int, out_folder: Path | None, as_json: bool
) -> None:
    """Change types under active rules, at random, and count the rules that break without a word.

    After all changes the log is folded again from its first entry: types, records and alerts must be
    the same. The exit code is 1 if a rule broke unseen, or if the replay differs.
    """
    suite = SuiteRun("schema", ABOUT, out_folder, as_json=as_json, data=[CONTROLS], seed=seed)
    controls = list(read_controls())
    if rules is not None:
        controls = random.Random(seed).sample(controls, min(rules, len(controls)))
    packs, sandbox = chosen_packs("all"), shared_sandbox()
    migrate = partial(try_migrations, suite, packs=packs, sandbox=sandbox, each=each, seed=seed)
    try:
        is_same = suite.measure("rules", migrate, {control.constraint: control for control in controls}, bool)
    except UacError as error:
        raise click.ClickException(str(error)) from error
    differing = [name for name, same in is_same.items() if not same]
    counts = {kind: dict.fromkeys(OUTCOMES, 0) for kind in KINDS}
    for item in suite.items:
        for outcome in OUTCOMES:
            counts[item.group][outcome] += item.given == outcome
    unseen = [item for item in suite.items if item.verdict == "wrong"]
    if as_json:
        suite.out.json({"changes": counts, "unseen": [item.id for item in unseen], "replay_differs": differing})
    suite.out.line((f"{len(suite.items)} changes under {len(controls)} rules:", "bold"))
    rows = [(kind, *(str(found[outcome]) for outcome in OUTCOMES)) for kind, found in counts.items()]
    suite.out.table(("change", *OUTCOMES), rows, headed=True)
    for item in unseen:
        suite.out.line(f"broken unseen: {item.id}: {item.why}")
    suite.out.line(f"Broken unseen: {len(unseen)} (must be 0). Replay differs for {len(differing)} rules (must be 0).")
    suite.compare(title="changes after which no rule is broken unseen")
    suite.finish([System(OURS, __version__, "types, packs and rules as installed", is_ours=True)])
    context.exit(1 if unseen or differing else 0)


def try_migrations(
    suite: SuiteRun, control: AlertControl, *, packs: Sequence[Pack], sandbox: Sandbox, each: int, seed: int
) -> bool:
    """Change the types of a user with an active alert; whether a replay of the log gives the same in the end."""
    chance = random.Random(f"{seed} {control.constraint}")
    now = datetime.combine(date.fromisoformat(control.now), time(12), tzinfo=UTC)
    with closing(open_store("memory:", clock=lambda: now)) as store:
        log = store.log("user")
        with closing(Memory(log, sandbox=sandbox, packs=packs, clock=lambda: now)) as memory:
            words = memory.add("the records of a danger")
            memory.checkpoint(
                [Put(type=name, fields=dict(f), cites=(words,)) for name, f in control.danger], by="bench"
            )
            types = list(dict.fromkeys(name for name, _fields in control.danger))
            for number in range(each):
                kind = KINDS[number % len(KINDS)]
                if not _has_alert(memory, control.constraint):
                    break  # the rule is reported as broken already
                item = _try_migration(memory, control.constraint, types, kind, chance, number)
                if item is not None:
                    suite.record(item)
            end = _outcome(memory)
        with closing(Memory(log, sandbox=sandbox, packs=packs, clock=lambda: now)) as again:
            return _outcome(again) == end


def _try_migration(
    memory: Memory, rule: str, types: list[str], kind: str, chance: random.Random, number: int
) -> BenchItem | None:
    project = memory.project()
    found = random_migration(project, chance.choice([name for name in types if name in project.types]), kind, chance)
    if found is None:
        return None
    patch, names = found
    outcome: SchemaOutcome
    try:
        memory.checkpoint([patch], by="bench", reviewed=True)
    except (Rejected, Refused) as error:
        outcome, why = "refused", str(error)[:200]
    else:
        types[:] = [names.get(name, name) for name in types]
        broken = _reported(memory, rule)
        outcome = "alert stays" if _has_alert(memory, rule) and not broken else "reported" if broken else "unseen"
        why = broken[:200]
    return BenchItem(
        id=f"{rule}/{number} {kind}",
        system=OURS,
        verdict="wrong" if outcome == "unseen" else "right",
        group=kind,
        given=outcome,
        why=why or str(patch)[:200],
    )


def _has_alert(memory: Memory, rule: str) -> bool:
    return any(alert.constraint == rule for alert in memory.alerts())


def _reported(memory: Memory, rule: str) -> str:
    """What memory reports of a rule that cannot run."""
    failed = [change.message for _stored, change in memory.history() if change.change == "failed"]
    return next((alert.text for alert in memory.alerts() if rule in alert.subject and failed), "")


def _outcome(memory: Memory) -> tuple[dict[str, object], list[str]]:
    """Records and alerts as they are now."""
    project = memory.project()
    records: dict[str, object] = {
        record.id: record.values for name in sorted(project.types) for record in project.records(name)
    }
    return records, sorted(f"{alert.constraint} {alert.subject} {alert.text}" for alert in memory.alerts())


def random_migration(
    project: Project, name: str, kind: str, chance: random.Random
) -> tuple[Patch, dict[str, str]] | None:
    """A change of a type, and the new name of a type that it renames; None if the type has nothing to change so."""
    type_ = project.types[name]
    makers: dict[str, Callable[[], Patch | None]] = {
        "add": lambda: AddField(type=name, field=Field(name=_new_name(type_, "note_too"), type="str | None")),
        "rename": lambda: _renamed(type_, chance),
        "retire": lambda: RetireField(type=name, field=chance.choice(_free_fields(type_) or [type_.fields[0].name])),
        "retype": lambda: _retyped(type_, chance),
        "key": lambda: _other_key(type_, chance),
        "rename type": lambda: RenameType(type=name, to=f"{name}Entry"),
    }
    patch = makers[kind]()
    return None if patch is None else (patch, {name: f"{name}Entry"} if kind == "rename type" else {})


def _renamed(type_: Type, chance: random.Random) -> Patch:
    field = chance.choice(type_.fields).name
    return RenameField(type=type_.full_name, field=field, to=_new_name(type_, f"{field}_new"))


def _retyped(type_: Type, chance: random.Random) -> Patch:
    field = chance.choice(type_.fields)
    to = "str | None" if "None" in field.type else "str"
    return RetypeField(type=type_.full_name, field=field.name, to=to, convert="text")


def _other_key(type_: Type, chance: random.Random) -> Patch | None:
    """A key that begins with a required field, and has another field than before."""
    required = [field.name for field in type_.fields if "None" not in field.type and "list" not in field.type]
    others = [field.name for field in type_.fields if field.name not in type_.key and "list" not in field.type]
    if not required or not others:
        return None
    return ChangeKey(type=type_.full_name, key=tuple(dict.fromkeys((required[0], chance.choice(others)))))


def _free_fields(type_: Type) -> list[str]:
    return [field.name for field in type_.fields if field.name not in type_.key]


def _new_name(type_: Type, wanted: str) -> str:
    taken = {field.name for field in type_.fields}
    return wanted if wanted not in taken else f"{wanted}_too"
