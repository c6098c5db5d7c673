"""uac serve: the memory of many users over HTTP."""

import logging
import sys
from collections.abc import Collection

import click

from uac.errors import Refused
from uac.interfaces.cli.options import Context, common
from uac.interfaces.service.api_keys import Keyring
from uac.interfaces.service.listening import LOOPBACK, is_loopback, url_host

__all__ = ["needs_extra", "serve"]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8311,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option("--no-keys", is_flag=True, help="Let everybody on this machine do everything; only on its own address.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Another name that clients reach it by, such as the one of a proxy (repeatable).",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100,
    show_default=True,
    help="Requests a second for each key, on average; 0: as many as come.",
)
@click.option(
    "--connections", type=click.IntRange(1), default=100, show_default=True, help="Requests that are served at once."
)
@click.option(
    "--body", type=click.IntRange(1), default=10_485_760, show_default=True, help="The longest body, in bytes."
)
@click.option("--no-hooks", is_flag=True, help="Send no webhooks: another process on the same store does.")
@click.option("--local-hooks", is_flag=True, help="Let webhooks go to this machine and its network, without TLS too.")
@click.option(
    "--access-log",
    is_flag=True,
    help="Print a line for each request to standard error: method, route, status and time; no ids and no words.",
)
@common
def serve(
    context: Context,
    *,
    host: str,
    port: int,
    no_keys: bool,
    names: tuple[str, ...],
    rate: float,
    connections: int,
    body: int,
    no_hooks: bool,
    local_hooks: bool,
    access_log: bool,
) -> None:
    """Serve the memory of all users over HTTP, with the inspector at /inspector and all routes at /docs.

    Every request needs a key as a bearer token (uac keys create). If there is none yet, one that may read, write and
    administer is made and printed once to standard error, on this machine's own address only. Put a proxy with TLS in
    front of it before it leaves this machine.

    SIGTERM and SIGINT end it: requests under way have 20 seconds to finish. docs/guides/http.md has the rest.

    \b
      uac serve
      uac serve --host 0.0.0.0 --name memory.example.com
    """
    if no_keys and not is_loopback(host):
        raise Refused(f"--no-keys would let everybody who reaches {host} do everything, needs --host 127.0.0.1")
    try:
        from uac.interfaces.http import make_app
        from uac.interfaces.http.middleware import Limits
        from uac.interfaces.http.server import serve as run
        from uac.interfaces.http.telemetry import chosen_telemetry
        from uac.interfaces.http.webhook_delivery import Rules
        from uac.interfaces.inspector import PATH, mount
    except ImportError as error:
        raise needs_extra(error) from None
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    context.check_settings()
    store = context.store(create=True)
    if not no_keys:
        _first_key(Keyring(store.own(), context.now), context, host)
    telemetry = chosen_telemetry()
    app = make_app(
        store,
        make_memory=lambda name: context.over(store.log(name)),
        clock=context.now,
        with_keys=not no_keys,
        limits=Limits(body=body, rate=rate, at_once=connections),
        hosts=_hosts(host, names, no_keys=no_keys),
        hook_rules=Rules(private=local_hooks),
        with_hooks=not no_hooks,
        telemetry=telemetry,
        access_log=_say if access_log else None,
    )
    mount(app, clock=context.now)

    def announce(address: str) -> None:
        _say(f"serving at {address}")
        _say(f"inspector: {address}{PATH}/ · routes: {address}/docs · Ctrl-C ends it")

    try:
        run(app, host=host, port=port, told=announce)
    finally:
        if telemetry is not None:
            telemetry.close()


def _say(line: str) -> None:
    """On standard error, like all that is no answer."""
    click.echo(line, err=True)


def needs_extra(error: ImportError) -> Refused:
    package = (error.name or "").partition(".")[0]
    return Refused(f"the service needs a package ({package}): pip install '.[serve]'")


def _first_key(keyring: Keyring, context: Context, host: str) -> None:
    """Make a key if there is none that opens anything. Elsewhere than here it might end up in somebody's records."""
    if any(key.is_good(context.now()) for key in keyring.all()):
        return
    if not is_loopback(host):
        raise Refused("there is no key yet, so nobody could use the service: 'uac keys create NAME' makes one")
    _key, text = keyring.create("first", rights=("read", "write", "admin"))
    _say(f"key: {text}")


def _hosts(host: str, names: Collection[str], *, no_keys: bool) -> Collection[str] | None:
    """The names that are answered to; None: all, where a key that no page of another site has protects it enough."""
    if not (no_keys or names or is_loopback(host)):
        return None
    return {name.lower() for name in (*LOOPBACK, url_host(host), *names)}
