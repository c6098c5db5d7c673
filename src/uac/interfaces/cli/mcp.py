"""uac mcp: one user's memory for agents that speak the Model Context Protocol."""

import logging
import os
import secrets
import signal
import sys

import click

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, common_options, user_argument

__all__ = ["mcp"]


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
    key and no model are needed: the agent answers pending requests itself. It never sees another user.
    docs/guides/mcp.md has the configuration of common clients.

    With --http, every request needs the key in $UAC_MCP_KEY as a bearer token; without that setting a key is created
    and printed once to standard error. Put a proxy with TLS in front of it before you serve other machines.

    \b
      uac mcp ana
      UAC_MCP_KEY=… uac mcp ana --http --port 8321
    """
    if not http and (host is not None or port is not None or names):
        raise click.UsageError("--host, --port and --name require --http. Add it, or drop them.")
    try:
        from uac.interfaces.mcp import serve_memory, serve_stdio
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(f"{package} is not installed. The MCP server needs it: pip install '.[mcp]'") from None
    # Standard output belongs to the protocol.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    memory = context.memory(user, create=True)
    try:
        if http:
            serve_memory(
                memory,
                context.now,
                host=host or "127.0.0.1",
                port=8321 if port is None else port,
                key=_configured_or_new_mcp_key(),
                names=names,
                on_listening=lambda address: click.echo(f"serving at {address}", err=True),
            )
        else:
            # A thread is blocked on input, so an interrupt must end the process; stored text is durable.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            serve_stdio(memory, context.now)
    except KeyboardInterrupt:
        return


def _configured_or_new_mcp_key() -> str:
    """The key from the settings, or a new one, which is printed once."""
    if key := os.environ.get("UAC_MCP_KEY", "").strip():
        return key
    key = secrets.token_urlsafe(32)
    click.echo(f"key: {key}", err=True)
    return key
