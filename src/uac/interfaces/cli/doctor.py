"""uac doctor: check the store, its logs and the settings."""

import os
import platform
import sqlite3
import sys
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

import click

from uac import __version__
from uac.errors import Damaged, ModelError, NewerFormat, NoStore, ReadOnly, Refused, SandboxError, StoreError
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.cli.output import minute_text
from uac.interfaces.cli.setting_names import mistyped_settings
from uac.interfaces.cli.verify import verify_log
from uac.interfaces.service.learning_failures import learning_failure
from uac.interfaces.service.tenants import split_user_id
from uac.log.index import is_index_damaged
from uac.log.store import GROUP, Store, User
from uac.memory.snapshots import SnapshotState, check_snapshot
from uac.models import chosen_models, parse_budget
from uac.models.embedders import chosen_embedder, why_no_embedder
from uac.models.rerankers import chosen_reranker
from uac.packs import VERDICTS, StaleRow, checked_rows, chosen_packs, stale_rows
from uac.recall.search import index_progress
from uac.schema.diagnostics import Diagnostic
from uac.schema.entries import Tick
from uac.schema.safe_text import counted

__all__ = ["doctor"]

NAMED = 5  # users listed by name


@click.command()
@click.option("--quick", is_flag=True, help="Do not verify every user's log.")
@common_options
def doctor(context: CliContext, quick: bool) -> None:
    """Check the store, and report problems and how to fix them.

    The exit code is 1 if there is a problem.
    """
    findings = [
        Diagnostic(
            "ok", f"user-as-code {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
        )
    ]
    try:
        store = context.store()
    except StoreError as error:
        findings.append(Diagnostic("problem", str(error), _store_finding_remedy(error, context.address)))
    else:
        findings.append(Diagnostic("ok", f"the store is {store.address}"))
        findings.extend(store.findings())
        findings.extend(_clock_findings(context.all_users()))
        findings.extend(_learning_findings(store, context.all_users()))
        if not quick:
            findings.extend(_log_findings(context))
            findings.extend(_index_findings(store, context.all_users()))
            findings.extend(_snapshot_findings(store, context.all_users()))
            findings.extend(_time_findings(context))
            findings.extend(_old_table_findings(context))
            findings.extend(_group_findings(context))
    findings.extend(_setting_findings())
    findings.extend(_table_findings(context.now().date()))
    findings.extend(_row_check_findings())
    findings.extend(_sandbox_findings())
    findings.extend(_model_findings())
    findings.extend(_embedder_findings())
    for finding in findings:
        if context.out.as_json:
            rows = {"rows": [*finding.rows]} if finding.rows else {}
            context.out.json({"level": finding.level, "what": finding.what, "remedy": finding.remedy, **rows})
        else:
            style = {"ok": "green", "note": "yellow", "problem": "red"}[finding.level]
            context.out.line((f"{finding.level:>7}", style), f"  {finding.what}")
            if finding.remedy:
                context.out.line("         → ", finding.remedy)
    sys.exit(1 if any(finding.level == "problem" for finding in findings) else 0)


def _group_findings(context: CliContext) -> list[Diagnostic]:
    """Brings all groups up to date, which also finishes what a killed process has left, and lists what did not fit."""
    owners = (split_user_id(user.name) for user in context.all_users() if GROUP in user.name)
    tenants = {tenant for tenant, own_id in owners if own_id.startswith(GROUP)}
    if not tenants:
        return []
    found = [
        groups.open(name)
        for tenant in sorted(tenants)
        for groups in [context.groups(tenant)]
        for name in groups.names()
    ]
    for group in found:
        group.sync()
    remedy = "Change the type in the group or in the member's memory, or stop sharing it."
    refused = [
        Diagnostic("note", f"{group.id} cannot take {counted(len(group.refused), 'shared record')}", remedy)
        for group in found
        if group.refused
    ]
    return refused or [Diagnostic("ok", f"{counted(len(found), 'group')} up to date with what members share")]


def _learning_findings(store: Store, users: Sequence[User]) -> list[Diagnostic]:
    """The users for whom learning stopped on this machine, and why: a worker in the background has nobody to tell."""
    failures = [(user.name, learning_failure(store.address, user.name)) for user in users]
    return [
        Diagnostic(
            "problem", f"learning for {name} stopped at {minute_text(failure.at)}: {failure.why}", f"uac learn {name}"
        )
        for name, failure in failures
        if failure is not None
    ]


def _setting_findings() -> list[Diagnostic]:
    """Variables that are read by nobody, and look like a setting."""
    return [
        Diagnostic("problem", f"{name} is not a setting, so it has no effect", f"Did you mean {meant}?")
        for name, meant in mistyped_settings(os.environ)
    ]


def _sandbox_findings() -> tuple[Diagnostic, ...]:
    """Whether foreign code can run here, and how it is confined."""
    from uac.sandbox import open_sandbox

    try:
        with closing(open_sandbox()) as sandbox:
            return sandbox.findings()
    except SandboxError as error:
        return (Diagnostic("problem", f"no sandbox: {error}", "pip install --force-reinstall user-as-code"),)


def _model_findings() -> list[Diagnostic]:
    """The configured models; none is called, and no key is shown."""
    remedy = "check the UAC_MODEL… and UAC_BUDGET… settings (docs/concepts/conversation.md)"
    try:
        models = chosen_models()
        parse_budget(os.environ)
    except (ModelError, Refused) as error:
        return [Diagnostic("problem", str(error), remedy)]
    if not models.names:
        return [Diagnostic("ok", "no model is configured (UAC_MODEL); an agent can answer in its place (uac pending)")]
    findings: list[Diagnostic] = []
    opened = replace(models, record="")  # recording would create a file
    for name in dict.fromkeys(models.names.values()):
        steps = [step for step in models.names if models.names[step] == name]
        where = (
            f" from {models.replies}" if models.replies else f" at {_finding_host(models.url)}" if models.url else ""
        )
        try:
            opened.for_step(steps[0])
        except ModelError as error:
            findings.append(Diagnostic("problem", str(error), remedy))
        else:
            findings.append(Diagnostic("ok", f"the model for {', '.join(steps)} is {name}{where}"))
    return findings


def _embedder_findings() -> list[Diagnostic]:
    """The embedder of recall, or why there is none; no server is contacted."""
    findings: list[Diagnostic] = []
    try:
        embedder = chosen_embedder()
    except Refused as error:
        findings.append(Diagnostic("problem", str(error), "check the UAC_EMBEDDER… settings (docs/concepts/recall.md)"))
    else:
        if embedder is None:
            findings.append(
                Diagnostic("note", f"recall searches by words, people and times, not by meaning: {why_no_embedder()}")
            )
        else:
            findings.append(Diagnostic("ok", f"recall compares meanings with {embedder.name}"))
    try:
        reranker = chosen_reranker()
    except Refused as error:
        findings.append(Diagnostic("problem", str(error), "check the UAC_RERANKER… settings (docs/concepts/recall.md)"))
    else:
        findings += [Diagnostic("ok", f"recall has its best hits ordered by {reranker.name}")] if reranker else []
    return findings


def _index_findings(store: Store, users: Sequence[User]) -> list[Diagnostic]:
    """How far the search indexes are behind the logs, and which passages have no vector; the next search fixes both."""
    try:
        embedder = chosen_embedder()
    except Refused:  # reported with the settings
        embedder = None
    behind: dict[str, int] = {}
    damaged: list[str] = []
    passages = vectors = 0
    try:
        for user in users:
            damaged += [user.name] if is_index_damaged(store.log(user.name).index()) else []
            made = index_progress(store.log(user.name), embedder)
            passages, vectors = passages + made.passages, vectors + made.vectors
            behind |= {user.name: user.entries - made.entries} if made.entries < user.entries else {}
    except ReadOnly:
        return [
            Diagnostic("note", "there is no search index, and the store cannot be written: each search builds its own")
        ]
    waits = f"; {counted(sum(behind.values()), 'entry')} of {_finding_users(behind)} will be indexed by the next search"
    done = f"the search index is up to date for {len(users) - len(behind)} of {counted(len(users), 'user')}"
    findings = [Diagnostic("ok", f"{done}{waits if behind else ''}")]
    if damaged:
        remedy = "'uac reindex --all' rebuilds them; check the disk"
        findings.append(Diagnostic("problem", f"damaged search indexes: {_finding_users(damaged)}", remedy))
    if embedder is not None and vectors < passages:
        missing = f"{passages - vectors:,} of {counted(passages, 'passage')} have no vector of {embedder.name} yet"
        findings.append(
            Diagnostic("note", missing, "searches add them step by step; 'uac reindex --all' adds them now")
        )
    return findings


def _snapshot_findings(store: Store, users: Sequence[User]) -> list[Diagnostic]:
    """Whether each stored snapshot is what its log gives. Folding the log is the only way to know."""
    states: dict[SnapshotState, list[str]] = {"none": [], "right": [], "unusable": [], "wrong": []}
    with suppress(Damaged, NewerFormat):  # the log itself, which is reported with the logs
        for user in users:
            states[check_snapshot(store.log(user.name))].append(user.name)
    found = [Diagnostic("ok", f"snapshots that equal the log: {len(states['right'])}")]
    if states["unusable"]:
        about = f"snapshots that are damaged or of another version: {_finding_users(states['unusable'])}"
        found.append(Diagnostic("note", about, "nothing to do: the next use folds the log and replaces them"))
    if states["wrong"]:
        about = f"snapshots that were not what the log gives: {_finding_users(states['wrong'])}"
        remedy = "nothing to do here: they are removed; if this comes back, somebody changes the store from outside"
        found.append(Diagnostic("problem", about, remedy))
    return found


def _table_findings(today: date) -> list[Diagnostic]:
    """The rows of the installed packs' tables that are out of date, one finding a table."""
    tables = [table for pack in chosen_packs() for table in pack.knowledge]
    stale: dict[str, list[StaleRow]] = {}
    for row in stale_rows(tables, today):
        stale.setdefault(f"{row.table} {row.version}", []).append(row)
    if not stale:
        return [Diagnostic("ok", f"no row of the {counted(len(tables), 'table')} of the packs is out of date")]
    remedy = (
        "upgrade user-as-code or the pack, then run 'uac pack upgrade'; until then, alerts that use these rows say so"
    )
    return [
        Diagnostic(
            "note",
            f"{name}: {counted(len(rows), 'row')} out of date, since {min(row.expires for row in rows)} at the"
            f" earliest: {', '.join(f'#{row.row}' for row in rows)}",
            remedy,
            tuple(asdict(row) for row in rows),
        )
        for name, rows in stale.items()
    ]


def _row_check_findings() -> list[Diagnostic]:
    """How many rows of the packs' tables a source confirms, one finding a pack."""
    findings: list[Diagnostic] = []
    for pack in chosen_packs():
        tables = [checked_rows(pack.folder, table) for table in pack.knowledge]
        counts = {verdict: sum(table.count(verdict) for table in tables) for verdict in VERDICTS}
        if any(counts.values()):
            words = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items())
            unchecked = sum(len(table.unchecked) for table in tables)
            findings.append(
                Diagnostic("ok", f"rows of {pack.name} against their sources: {words}, {unchecked:,} unchecked")
            )
    return findings


def _time_findings(context: CliContext) -> list[Diagnostic]:
    """The users whose time is ahead of the clock: for their rules, what ends before then is over."""
    limit = context.now() + timedelta(days=1)
    found: list[Diagnostic] = []
    for user in context.all_users():
        log = context.log(user.name)
        with suppress(Damaged, Refused), closing(context.memory_for_log(log)) as memory:  # reported with the logs
            if (now := memory.project().now) is not None and now > limit:
                ticks = [
                    each.position for each in log.read() if isinstance(each.entry, Tick) and each.entry.now > limit
                ]
                undo = f"uac retract {user.name} {' '.join(map(str, ticks))} --why 'wrong clock'"
                what = f"the time of {user.name} is {minute_text(now)}, in the future"
                found.append(Diagnostic("problem", what, f"if that is wrong, retract it: {undo}"))
    return found


def _old_table_findings(context: CliContext) -> list[Diagnostic]:
    """The users whose logs hold tables with rows out of date, where the installed pack has another version."""
    installed = {table.name: table.version for pack in chosen_packs() for table in pack.knowledge}
    old: dict[tuple[str, str], list[str]] = {}
    for user in context.all_users():
        try:
            with closing(context.memory_for_log(context.log(user.name))) as memory:
                tables = memory.project().knowledge
        except (Damaged, Refused):  # the log is broken, which is reported with the logs
            continue
        named = [tables[name] for name in sorted(tables) if installed.get(name, "") not in ("", tables[name].version)]
        imported = {table.name for table in named if table.is_imported}
        for row in stale_rows(named, context.now().date()):
            remedy = "import a newer one (uac pack import)" if row.table in imported else "run 'uac pack upgrade'"
            users = old.setdefault((f"{row.table} {row.version}", remedy), [])
            users += [] if user.name in users else [user.name]
    return [
        Diagnostic("note", f"{name} in the logs of {_finding_users(users)} has rows out of date", remedy)
        for (name, remedy), users in old.items()
    ]


def _finding_users(users: Collection[str]) -> str:
    first = ", ".join(list(users)[:NAMED])
    return first if len(users) <= NAMED else f"{first} and {len(users) - NAMED:,} more"


def _finding_host(url: str) -> str:
    """The address of a server without parts that may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def _log_findings(context: CliContext) -> list[Diagnostic]:
    users = context.all_users()
    problems: list[Diagnostic] = []
    for user in users:
        chain_break = verify_log(context, user.name)[1]
        if chain_break is not None:
            problems.append(
                Diagnostic(
                    "problem",
                    f"{user.name}: {chain_break.problem}",
                    "restore this log from a backup made before the change",
                )
            )
    whole = len(users) - len(problems)
    return [*problems, Diagnostic("ok", f"{whole} of {len(users)} logs are whole")]


def _clock_findings(users: Sequence[User]) -> list[Diagnostic]:
    """A log with a future time stamp keeps it, because its time never runs backwards."""
    limit = datetime.now(UTC) + timedelta(minutes=5)
    ahead = [user.name for user in users if user.last is not None and user.last > limit]
    if not ahead:
        return []
    return [
        Diagnostic(
            "problem",
            f"the last entry of {', '.join(ahead)} is stamped in the future",
            "check the clocks of the machines that write; new entries carry that time until it has come",
        )
    ]


def _store_finding_remedy(error: StoreError, address: str) -> str:
    if isinstance(error, NewerFormat):
        return "pip install --upgrade user-as-code"
    if "://" in address:
        return "check --store and UAC_STORE, and that the server runs and lets you in"
    if isinstance(error, NoStore):
        return f"check --store and UAC_STORE (now {address}); 'uac add' creates a new store"
    return "check --store and UAC_STORE; if this is your store, restore it from a backup"
