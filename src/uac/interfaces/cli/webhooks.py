"""uac hooks: webhooks for alert changes, and the state of their delivery."""

import click

from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.service.webhooks import HOOK_EVENTS, Hook, HookEvent, Hooks
from uac.interfaces.views.service import hook_view
from uac.interfaces.views.view import view_json

__all__ = ["hooks"]


@click.group(cls=Group)
def hooks() -> None:
    """Add, list and remove the webhooks that the service (uac serve) sends alert changes to."""


@hooks.command("add")
@click.argument("url")
@click.option("--tenant", default="", help="The tenant whose alerts are sent; default: users without a tenant.")
@click.option("--user", default="", help="The only user whose alerts are sent; default: all users of the tenant.")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice(HOOK_EVENTS),
    help="An event to send (repeatable).  [default: all]",
)
@click.option("--local", is_flag=True, help="The address is on this machine or its network (uac serve --local-hooks).")
@common_options
def add_webhook(
    context: CliContext, *, url: str, tenant: str, user: str, events: tuple[HookEvent, ...], local: bool
) -> None:
    """Send alert changes to URL. Prints the secret that signs the messages; it is shown only once.

    \b
      uac hooks add https://example.org/alerts
      uac hooks add https://example.org/alerts --tenant acme --event alert.raised
    """
    registry = Hooks(context.store(create=True).own(), context.now)
    hook = registry.create_webhook(url, tenant=tenant, user=user, events=events or HOOK_EVENTS, private=local)
    if context.out.as_json:
        context.out.json({**_hook_json(hook), "secret": hook.secret})
        return
    context.out.line(hook.secret)
    context.out.note(f"hook {hook.id}: {hook.url} receives alerts of {_webhook_scope(hook)}")


@hooks.command("list")
@common_options
def list_webhooks(context: CliContext) -> None:
    """List all hooks, oldest first: id, address, users and state of delivery.

    A hook is failing after three attempts to deliver a message; earlier errors are shown, too.
    """
    registered = Hooks(context.store().own(), context.now).all_webhooks()
    if context.out.as_json:
        for hook in registered:
            context.out.json(_hook_json(hook))
        return
    rows = ((hook.id, hook.url, _webhook_scope(hook), _delivery_state(hook)) for hook in registered)
    context.out.table(("id", "url", "about", "state"), rows)
    context.out.note_if_empty("no hooks; 'uac hooks add' makes one")


@hooks.command("remove")
@click.argument("hook_id", metavar="ID")
@common_options
def remove_webhook(context: CliContext, *, hook_id: str) -> None:
    """Remove the hook ID. Nothing more is sent to it, and its secret is destroyed."""
    hook = Hooks(context.store().own(), context.now).remove_webhook(hook_id)
    if context.out.as_json:
        context.out.json(_hook_json(hook))
    else:
        context.out.line(f"hook {hook.id} to {hook.url} is removed")


def _webhook_scope(hook: Hook) -> str:
    whom = f"user {hook.user}" if hook.user else "all users"
    return f"{whom} of {hook.tenant}" if hook.tenant else whom


def _delivery_state(hook: Hook) -> str:
    since = f" since {hook.since.isoformat(timespec='minutes')}" if hook.since and hook.state != "well" else ""
    parts = [f"{hook.state}{since}"]
    if hook.why:
        parts.append(f"last try failed: {hook.why}")
    if hook.again is not None:
        parts.append(f"next try after {hook.again.isoformat(timespec='seconds')}")
    if hook.blocked_reason():
        parts.append("only 'uac serve --local-hooks' sends to it")
    return "; ".join(parts)


def _hook_json(hook: Hook) -> dict[str, object]:
    return {**view_json(hook_view(hook, private=False)), "tenant": hook.tenant}
