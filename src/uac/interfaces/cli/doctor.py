"""uac verify, uac doctor: check logs and the store."""

import os
import platform
import re
import sqlite3
import sys
from collections.abc import Collection
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import click

from uac import __version__
from uac.errors import ModelError, NewerFormat, NoStore, ReadOnly, Refused, SandboxError, StoreError
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.log.log import EMPTY, Break, Head
from uac.log.store import Store, User
from uac.models import chosen_models, parse_budget
from uac.models.embedders import chosen_embedder, why_no_embedder
from uac.models.rerankers import chosen_reranker
from uac.recall.search import index_progress
from uac.schema.diagnostics import Diagnostic
from uac.schema.safe_text import counted

__all__ = ["all_users", "doctor", "verify"]

NAMED = 5  # users listed by name
NO_LOG = "there is no log, but it had {} entries: it was removed, or the store is another or an older one"
SHORTER = (
    "the log ends at {}, but had {} entries: its end was cut off, it is an older copy,"
    " or a journal (-wal) with newer entries was removed"
)
REWRITTEN = "entry {} is not the one that was known: the log was rewritten from there or from an earlier entry"


class KnownHead(click.ParamType[tuple[int, bytes]]):
    """The head of a log as `uac verify` prints it: POSITION:DIGEST."""

    name = "POSITION:DIGEST"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, bytes]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", value, re.ASCII)
        if not match:
            self.fail(f"{value!r} is not a head. Use POSITION:DIGEST as 'uac verify' prints it.", parameter, context)
        return int(match[1]), bytes.fromhex(match[2])


@click.command()
@user_argument(required=False, many=True)
@click.option("--head", "known", type=KnownHead(), help="A head that was printed earlier; requires one user.")
@common_options
def verify(context: CliContext, users: tuple[str, ...], known: tuple[int, bytes] | None) -> None:
    """Check the digest chain of USERS (default: all) and report the first entry that was changed.

    The exit code is 1 if a log is broken. Keep the printed head elsewhere: --head then also detects a log that was
    rewritten completely, truncated, or replaced by an older copy.

    \b
      uac verify ana
      uac verify ana --head 12:5f1c…
    """
    if known is not None and len(users) != 1:
        raise click.UsageError("--head belongs to one user's log. Name exactly one user.")
    store = context.store()
    broken = 0
    for user in users or tuple(user.name for user in all_users(store)):
        head, chain_break = _verify_log(context, user) if known is None else _verify_log_against(context, user, known)
        broken += chain_break is not None
        if context.out.as_json:
            context.out.json(
                {
                    "user": user,
                    "entries": head.position,
                    "head": head.digest.hex(),
                    "break": None
                    if chain_break is None
                    else {"position": chain_break.position, "problem": chain_break.problem},
                }
            )
        elif chain_break is None:
            context.out.line(
                (user, "bold"),
                f": {counted(head.position, 'entry')}, ",
                ("whole", "green"),
                f", head {head.position}:{head.digest.hex()}",
            )
        else:
            context.out.line((user, "bold"), ": ", (chain_break.problem, "red"))
    sys.exit(1 if broken else 0)


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
        findings.append(Diagnostic("problem", str(error), _store_error_remedy(error, context.address)))
    else:
        findings.append(Diagnostic("ok", f"the store is {store.address}"))
        findings.extend(store.findings())
        findings.extend(_clock_findings(store))
        if not quick:
            findings.extend(_log_findings(context, store))
            findings.extend(_index_findings(store))
    findings.extend(_sandbox_findings())
    findings.extend(_model_findings())
    findings.extend(_embedder_findings())
    for finding in findings:
        if context.out.as_json:
            context.out.json({"level": finding.level, "what": finding.what, "remedy": finding.remedy})
        else:
            style = {"ok": "green", "note": "yellow", "problem": "red"}[finding.level]
            context.out.line((f"{finding.level:>7}", style), f"  {finding.what}")
            if finding.remedy:
                context.out.line("         → ", finding.remedy)
    sys.exit(1 if any(finding.level == "problem" for finding in findings) else 0)


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
        where = f" from {models.replies}" if models.replies else f" at {_host_of_url(models.url)}" if models.url else ""
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


def _index_findings(store: Store) -> list[Diagnostic]:
    """How far the search indexes are behind the logs, and which passages have no vector; the next search fixes both."""
    try:
        embedder = chosen_embedder()
    except Refused:  # reported with the settings
        embedder = None
    behind: dict[str, int] = {}
    passages = vectors = 0
    users = all_users(store)
    try:
        for user in users:
            made = index_progress(store.log(user.name), embedder)
            passages, vectors = passages + made.passages, vectors + made.vectors
            behind |= {user.name: user.entries - made.entries} if made.entries < user.entries else {}
    except ReadOnly:
        return [
            Diagnostic("note", "there is no search index, and the store cannot be written: each search makes its own")
        ]
    waits = (
        f"; {counted(sum(behind.values()), 'entry')} of {_list_user_names(behind)} will be indexed by the next search"
    )
    done = f"the search index is up to date for {len(users) - len(behind)} of {counted(len(users), 'user')}"
    findings = [Diagnostic("ok", f"{done}{waits if behind else ''}")]
    if embedder is not None and vectors < passages:
        missing = f"{passages - vectors:,} of {counted(passages, 'passage')} have no vector of {embedder.name} yet"
        findings.append(
            Diagnostic("note", missing, "searches make up for it step by step; 'uac reindex --all' does so now")
        )
    return findings


def _list_user_names(users: Collection[str]) -> str:
    first = ", ".join(list(users)[:NAMED])
    return first if len(users) <= NAMED else f"{first} and {len(users) - NAMED:,} more"


def _host_of_url(url: str) -> str:
    """The address of a server without parts that may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def _verify_log(context: CliContext, user: str) -> tuple[Head, Break | None]:
    log = context.log(user)
    head = log.head()
    with context.out.progress(user, head.position) as bar:
        return head, log.verify(progress=lambda _position: bar.advance())


def _verify_log_against(context: CliContext, user: str, known: tuple[int, bytes]) -> tuple[Head, Break | None]:
    """Like `_verify_log`; a log without the known entry is broken, too."""
    position, digest = known
    if position and not context.store().log(user).head().position:
        return EMPTY, Break(1, NO_LOG.format(position))
    head, chain_break = _verify_log(context, user)
    if chain_break is not None or context.log(user).contains(position, digest):
        return head, chain_break
    if head.position < position:
        return head, Break(head.position + 1, SHORTER.format(head.position, position))
    return head, Break(position, REWRITTEN.format(position))


def all_users(store: Store) -> list[User]:
    users: list[User] = []
    while page := store.users(after=users[-1].name if users else ""):
        users += page
    return users


def _log_findings(context: CliContext, store: Store) -> list[Diagnostic]:
    users = all_users(store)
    problems: list[Diagnostic] = []
    for user in users:
        chain_break = _verify_log(context, user.name)[1]
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


def _clock_findings(store: Store) -> list[Diagnostic]:
    """A log with a future time stamp keeps it, because its time never runs backwards."""
    limit = datetime.now(UTC) + timedelta(minutes=5)
    ahead = [user.name for user in all_users(store) if user.last is not None and user.last > limit]
    if not ahead:
        return []
    return [
        Diagnostic(
            "problem",
            f"the last entry of {', '.join(ahead)} is stamped in the future",
            "check the clocks of the machines that write; new entries carry that time until it has come",
        )
    ]


def _store_error_remedy(error: StoreError, address: str) -> str:
    if isinstance(error, NewerFormat):
        return "pip install --upgrade user-as-code"
    if "://" in address:
        return "check --store and UAC_STORE, and that the server runs and lets you in"
    if isinstance(error, NoStore):
        return f"check --store and UAC_STORE (now {address}); 'uac add' creates a new store"
    return "check --store and UAC_STORE; if this is your store, restore it from a backup"
