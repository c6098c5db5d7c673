"""uac keys: API keys of the service."""

import re
from datetime import datetime, timedelta

import click

from uac.errors import Refused
from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.service.api_keys import RIGHTS, Key, Keyring, Right
from uac.interfaces.views.service import key_view
from uac.interfaces.views.view import view_json

__all__ = ["keys"]

UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@click.group(cls=Group)
def keys() -> None:
    """Create, list and revoke the API keys of the service (uac serve)."""


@keys.command("create")
@click.argument("name")
@click.option(
    "--tenant", default="", help="The tenant whose users the key may access; default: users without a tenant."
)
@click.option("--user", default="", help="The only user that the key may access; default: all users of the tenant.")
@click.option(
    "--right",
    "rights",
    multiple=True,
    type=click.Choice(RIGHTS),
    help="A right of the key (repeatable): read; write and correct; erase permanently; admin: create keys and hooks, "
    "and list users.  [default: read and write]",
)
@click.option("--expires", default="", metavar="WHEN", help="After 12h, 90d or 4w, or at a date or time.")
@common_options
def create_key(
    context: CliContext, *, name: str, tenant: str, user: str, rights: tuple[Right, ...], expires: str
) -> None:
    """Create a key for NAME and print it. It is printed only once and not stored.

    \b
      uac keys create laptop
      uac keys create "support bot" --tenant acme --right read --expires 90d
    """
    until = _parse_expiry(expires, context.now()) if expires else None
    keyring = Keyring(context.store(create=True).own(), context.now)
    key, text = keyring.create_key(name, tenant=tenant, user=user, rights=rights or ("read", "write"), expires=until)
    if context.out.as_json:
        context.out.json({**_key_json(key), "text": text})
        return
    context.out.line(text)
    context.out.note(
        f"key {key.id} for {key.name}: {_key_scope(key)}, {', '.join(key.rights)}, {_key_expiry_text(key)}"
    )


@keys.command("list")
@common_options
def list_keys(context: CliContext) -> None:
    """List all keys, oldest first: id, name, users, rights and expiry."""
    all_keys = Keyring(context.store().own(), context.now).all_keys()
    if context.out.as_json:
        for key in all_keys:
            context.out.json(_key_json(key))
        return
    rows = ((key.id, key.name, _key_scope(key), ", ".join(key.rights), _key_expiry_text(key)) for key in all_keys)
    context.out.table(("id", "name", "reaches", "rights", "until"), rows)
    context.out.note_if_empty("no keys; 'uac keys create' makes one")


@keys.command("revoke")
@click.argument("key_id", metavar="ID")
@common_options
def revoke_key(context: CliContext, *, key_id: str) -> None:
    """Revoke the key ID. It is invalid from now on, in every process that serves the store."""
    key = Keyring(context.store().own(), context.now).revoke_key(key_id)
    if context.out.as_json:
        context.out.json(_key_json(key))
    else:
        context.out.line(f"key {key.id} of {key.name} is revoked")


def _parse_expiry(text: str, now: datetime) -> datetime:
    if match := re.fullmatch(r"(\d{1,5})([hdw])", text, re.ASCII):
        return now + int(match[1]) * UNITS[match[2]]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"--expires: {text!r} is not a valid time. Use one such as 90d or 2027-01-31.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


def _key_scope(key: Key) -> str:
    whom = f"user {key.user}" if key.user else "all users"
    return f"{whom} of {key.tenant}" if key.tenant else whom


def _key_expiry_text(key: Key) -> str:
    if key.revoked:
        return f"revoked {key.revoked.isoformat(timespec='minutes')}"
    return f"until {key.expires.isoformat(timespec='minutes')}" if key.expires else "until it is revoked"


def _key_json(key: Key) -> dict[str, object]:
    return {**view_json(key_view(key)), "tenant": key.tenant}
