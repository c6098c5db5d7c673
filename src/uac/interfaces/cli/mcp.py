"""uac mcp: one user's memory for agents that speak the Model Context Protocol."""

import logging
import os
import secrets
import signal
import sys
from typing import TYPE_CHECKING

import click

from uac.errors import Refused
from uac.interfaces.cli.background_learning import learns_by_itself
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.service.tenants import split_user_id

if TYPE_CHECKING:
    from uac.memory.background import Background

__all__ = ["mcp"]

logger = logging.getLogger(__name__)


@click.command()
@user_argument()
@click.option("--http", is_flag=True, help="Serve over HTTP (the streamable transport) instead of standard input.")
@click.option("--host", help="With --http: the address to serve on.  [default: 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="With --http: the port; 0 chooses a free one.  [default: 8321]"
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="With --http: another host name that clients use, such as a proxy's (repeatable).",
)
@common_options
def mcp(
    context: CliContext, *, user: str, http: bool, host: str | None, port: int | None, names: tuple[str, ...]
) -> None:
    """Serve the memory of USER to an agent, as an MCP server on standard input and output.

    The agent gets ten tools: remember, pending, answer, recall, compute, read, alerts, explain, correct and forget. No
    key and no model are needed: the agent answers pending requests itself. It never sees another user; if USER is a
    member of groups, the tools also take the name of one of them.
    'uac setup' writes the configuration of common clients. If a model is configured (UAC_MODEL), it also learns from
    words that the agent stores without facts; UAC_LEARN=manual leaves that to 'uac learn'.

    With --http, every request needs the key in $UAC_MCP_KEY as a bearer token; without that setting a key is created
    and printed once to standard error. Put a proxy with TLS in front of it before you serve other machines.

    \b
      uac mcp ana
      UAC_MCP_KEY=… uac mcp ana --http --port 8321
    """
    if not http and (host is not None or port is not None or names):
        raise click.UsageError("--host, --port and --name require --http. Add it, or drop them.")
    try:
        from uac.interfaces import mcp as server

        serve_http = server.serve_memory if http else None
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(f"{package} is not installed. The MCP server needs it: pip install '.[mcp]'") from None
    # Standard output belongs to the protocol.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    memory = context.memory(user, create=True)
    groups = {each.name: each.memory(split_user_id(user)[1]) for each in context.groups_of(user)}
    background = _learn_beside(context, user)
    if background is not None:
        background.start()
    try:
        if serve_http is not None:
            serve_http(
                memory,
                context.now,
                host=host or "127.0.0.1",
                port=8321 if port is None else port,
                key=_configured_or_new_mcp_key(),
                groups=groups,
                names=names,
                on_listening=lambda address: click.echo(f"serving at {address}", err=True),
            )
        else:
            # A thread is blocked on input, so an interrupt must end the process; stored text is durable.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            server.serve_stdio(memory, context.now, groups=groups)
    except KeyboardInterrupt:
        return
    finally:
        if background is not None:
            background.stop(wait=False)  # the client is gone, and a model may take minutes


def _learn_beside(context: CliContext, user: str) -> "Background | None":
    """The thread that learns if a model is configured. What goes wrong is logged once, and kept for 'uac doctor'."""
    from uac.models import chosen_models, parse_budget

    models = chosen_models()
    if not learns_by_itself() or "extract" not in models.names:
        return None
    from uac.interfaces.service.learning_failures import clear_learning_failure, note_learning_failure
    from uac.memory.background import Background

    address = context.store().address
    said = [""]

    def note(stopped: str) -> None:
        if not stopped:
            clear_learning_failure(address, user)
        else:
            note_learning_failure(address, user, stopped, context.now())
            if said[0] != stopped:
                logger.warning("learning stopped, and is tried again: %s", stopped)
        said[0] = stopped

    log = context.new_log(user)
    return Background(
        log,
        models,
        budget=parse_budget(os.environ),
        on_learned=lambda learned: note(learned.stopped),
        on_error=lambda error: note(str(error)),
        memory=context.memory_for_log(log),
    )


def _configured_or_new_mcp_key() -> str:
    """The key from the settings, or a new one, which is printed once."""
    if key := os.environ.get("UAC_MCP_KEY", "").strip():
        return key
    key = secrets.token_urlsafe(32)
    click.echo(f"key: {key}", err=True)
    return key
