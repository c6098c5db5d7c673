"""uac inspect: the inspector, in the browser."""

import secrets
import webbrowser

import click

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.service.listening import LOOPBACK
from uac.interfaces.service.tenants import check_tenant, store_user_id

__all__ = ["inspect"]


@click.command()
@user_argument(required=False)
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser.")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port; 0 chooses a free one.  [default: 0]")
@click.option("--tenant", default="", metavar="NAME", help="Show the users of this tenant.")
@common_options
def inspect(context: CliContext, *, user: str | None, is_opened: bool, port: int, tenant: str) -> None:
    """Open the inspector for USER, or for all users, in the browser.

    The server listens on this machine only, until Ctrl-C. The printed address signs in one browser, once, with all
    rights: read, correct, and permanently erase.

    \b
      uac inspect --open
      uac inspect ana
    """
    try:
        from uac.interfaces.http import make_app
        from uac.interfaces.http.server import serve
        from uac.interfaces.http.user_context import Caller
        from uac.interfaces.inspector import PATH, Invitation, mount
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(f"{package} is not installed. The inspector needs it: pip install '.[serve]'") from None
    context.check_settings()
    context.check_operator("inspect a whole group; 'uac inspect MEMBER' shows a member's groups")
    check_tenant(tenant)
    if user:
        context.log(store_user_id(tenant, user))
    store, token = context.store(), secrets.token_urlsafe(32)
    app = make_app(
        store,
        make_memory=lambda name: context.memory_for_log(store.log(name)),
        open_memory=context.memory_for_log,
        clock=context.now,
        hosts=LOOPBACK,
        with_hooks=False,
    )
    mount(app, clock=context.now, invitation=Invitation(token, Caller("", tenant, user or "")))

    def announce(address: str) -> None:
        whole = f"{address}{PATH}/enter?token={token}"
        if context.out.as_json:
            context.out.json({"address": whole})
        else:
            click.echo(whole)
            click.echo("Open this address; it works once. Ctrl-C ends it.", err=True)
        if is_opened:
            webbrowser.open(whole)

    serve(app, host="127.0.0.1", port=port, on_listening=announce)
