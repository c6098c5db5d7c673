"""uac group: groups, their members, and what members share with them."""

import click

from uac.errors import Refused
from uac.interfaces.cli.click_groups import Group as CommandGroup
from uac.interfaces.cli.options import CliContext, common_options, member_option
from uac.interfaces.service.tenants import check_tenant, split_user_id
from uac.interfaces.views.groups import group_view
from uac.interfaces.views.view import view_json
from uac.log.store import GROUP
from uac.memory.groups import Group, GroupRight

__all__ = ["group"]

RIGHTS = ("read", "write", "admin")
RIGHTS_HELP = "read; also write to the group's memory; also add and remove members."


@click.group("group", cls=CommandGroup)
def group() -> None:
    """Groups: a household or a team with a memory of its own, and what its members share with it.

    A group has a log like a user, under the id group:NAME: every command takes it as USER, and --as MEMBER acts as one
    member, with that member's rights. Members see the group's memory, never each other's. A member shares records with
    the group only by 'uac group share', and can stop at any time. A group of a tenant of the service is TENANT/NAME.

    \b
      uac group create lunch --admin ana
      uac group add lunch ben --as ana
      uac group share lunch health.Allergy.substance --as ana
      uac put group:lunch food.Booking place="The Crab Shack" day=2026-11-20 --as ben
      uac alerts group:lunch --as ben
    """


@group.command("create")
@click.argument("name")
@click.option("--admin", "member", required=True, metavar="MEMBER", help="The first member, who may add others.")
@click.option("--called", default="", help="What the group's records call that member.  [default: the id]")
@common_options
def create_group(context: CliContext, *, name: str, member: str, called: str) -> None:
    """Create the group NAME with its first member."""
    tenant, own_name = split_user_id(name)
    _check_member(tenant, member)
    _show_group(
        context, context.groups(tenant, create=True).create(own_name.removeprefix(GROUP), member, called=called)
    )
    _note_new_member(context, tenant, member)


@group.command("add")
@click.argument("name")
@click.argument("member")
@click.option(
    "--right", type=click.Choice(RIGHTS), default="write", show_default=True, help=f"What they may do: {RIGHTS_HELP}"
)
@click.option("--called", default="", help="What the group's records call the member.  [default: the id]")
@member_option
@common_options
def add_member(context: CliContext, *, name: str, member: str, right: GroupRight, called: str) -> None:
    """Add MEMBER, a user of the store, to the group NAME."""
    tenant = split_user_id(name)[0]
    _check_member(tenant, member)
    opened = _open_group(context, name)
    opened.add(member, right, called=called, by=context.member)
    _show_group(context, opened)
    _note_new_member(context, tenant, member)


@group.command("rights")
@click.argument("name")
@click.argument("member")
@click.argument("right", type=click.Choice(RIGHTS))
@member_option
@common_options
def change_right(context: CliContext, *, name: str, member: str, right: GroupRight) -> None:
    """Give MEMBER of the group NAME another right: read; also write; also add and remove members (admin)."""
    opened = _open_group(context, name)
    if not opened.state().member(member).is_member:
        raise Refused(f"{member!r} is not a member of the group {opened.name!r}. 'uac group add' adds members.")
    opened.add(member, right, by=context.member)
    _show_group(context, opened)


@group.command("remove")
@click.argument("name")
@click.argument("member")
@click.option("--erase", "erases", is_flag=True, help="Also erase what they said to the group. It cannot be undone.")
@member_option
@common_options
def remove_member(context: CliContext, *, name: str, member: str, erases: bool) -> None:
    """Remove MEMBER from the group NAME, at once.

    What they shared is erased there. What they said to the group stays, with their name, unless --erase is given;
    'uac erase MEMBER --all' erases it in all groups, with their own memory.
    """
    opened = _open_group(context, name)
    opened.remove(member, by=context.member)
    if erases:
        opened.erase_member(member)
    _show_group(context, opened, readable=context.member != member)


@group.command("members")
@click.argument("name")
@member_option
@common_options
def list_members(context: CliContext, *, name: str) -> None:
    """List the members of the group NAME, their rights, and what each of them shares."""
    opened = _open_group(context, name)
    if context.member:
        opened.check(context.member, "read")
    opened.sync()
    _show_group(context, opened)


@group.command("list")
@click.option("--of", "member", default="", metavar="MEMBER", help="Only the groups of this member.")
@click.option("--tenant", default="", help="Those of this tenant.  [default: those without one]")
@common_options
def list_groups(context: CliContext, *, member: str, tenant: str) -> None:
    """List the groups."""
    groups = context.groups(check_tenant(tenant))
    found = groups.of(member) if member else [groups.open(name) for name in groups.names()]
    if context.out.as_json:
        for each in found:
            context.out.json(view_json(group_view(each)))
        return
    context.out.table(
        ("group", "members"), ((each.id, ", ".join(one.name for one in each.members())) for each in found)
    )
    context.out.note_if_empty("no groups; 'uac group create' makes one")


@group.command("share")
@click.argument("name")
@click.argument("what", nargs=-1, required=True)
@member_option
@common_options
def share_records(context: CliContext, *, name: str, what: tuple[str, ...]) -> None:
    """Share WHAT of your own memory with the group NAME: types, fields of types, or records.

    Only these are copied into the group's memory, and copied again when they change. Of a type whose records say whose
    they are, a share of fields covers your own records only, unless that field is shared, too.

    \b
      uac group share lunch health.Allergy.substance health.Allergy.severity --as ana
      uac group share family travel.Trip --as ana
      uac group share lunch health.Allergy:shellfish --as ana
    """
    opened = _open_group(context, name)
    opened.share(_own_member(context), *what)
    _show_group(context, opened)


@group.command("unshare")
@click.argument("name")
@click.argument("what", nargs=-1)
@member_option
@common_options
def unshare_records(context: CliContext, *, name: str, what: tuple[str, ...]) -> None:
    """Stop sharing WHAT, or everything, with the group NAME. The copies are erased from the group's memory."""
    opened = _open_group(context, name)
    opened.unshare(_own_member(context), *what)
    _show_group(context, opened)


def _open_group(context: CliContext, name: str) -> Group:
    tenant, own_name = split_user_id(name)
    return context.groups(tenant).open(own_name.removeprefix(GROUP))


def _check_member(tenant: str, member: str) -> None:
    """Refuse a member of another tenant, whom the group's own tenant could not reach."""
    if split_user_id(member)[0]:
        where = f"The group is of the tenant {tenant}" if tenant else "The group is of no tenant"
        raise Refused(f"{where}, and {member!r} names one. Give the id of a user of the same tenant, without it.")


def _note_new_member(context: CliContext, tenant: str, member: str) -> None:
    """Say that a member has no log of their own: the name may be mistyped, and would let somebody else in."""
    own_id = f"{tenant}/{member}" if tenant else member
    if not context.store().log(own_id).head().position:
        context.out.note(f"{member} is new here")


def _own_member(context: CliContext) -> str:
    if not context.member:
        raise click.UsageError("--as is missing. Say whose records it is about.")
    return context.member


def _show_group(context: CliContext, opened: Group, *, readable: bool = True) -> None:
    if not readable:
        context.out.note(f"{opened.id}: you are no longer a member")
        return
    view = group_view(opened)
    if context.out.as_json:
        context.out.json(view_json(view))
        return
    context.out.line((opened.id, "bold"))
    context.out.table(
        ("member", "called", "may", "since", "shares"),
        (
            (each.member, each.name, each.right, each.since.date().isoformat(), ", ".join(each.shares) or "nothing")
            for each in view.members
        ),
    )
    for each in view.members:
        for refused in each.refused:
            context.out.line(("not shared", "yellow"), f": {refused}")
