"""uac verify: check the digest chain of logs."""

import re
import sys
from typing import Any

import click

from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.log.log import EMPTY, Break, Head
from uac.schema.safe_text import counted

__all__ = ["verify", "verify_log"]

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
    broken = 0
    for user in users or tuple(user.name for user in context.all_users()):
        head, chain_break = (
            verify_log(context, user) if known is None else _verify_log_against_head(context, user, known)
        )
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


def verify_log(context: CliContext, user: str) -> tuple[Head, Break | None]:
    log = context.log(user)
    head = log.head()
    with context.out.progress(user, head.position) as bar:
        return head, log.verify(progress=lambda _position: bar.advance())


def _verify_log_against_head(context: CliContext, user: str, known: tuple[int, bytes]) -> tuple[Head, Break | None]:
    """Like `verify_log`; a log without the known entry is broken, too."""
    position, digest = known
    if position and not context.store().log(user).head().position:
        return EMPTY, Break(1, NO_LOG.format(position))
    head, chain_break = verify_log(context, user)
    if chain_break is not None or context.log(user).contains(position, digest):
        return head, chain_break
    if head.position < position:
        return head, Break(head.position + 1, SHORTER.format(head.position, position))
    return head, Break(position, REWRITTEN.format(position))
