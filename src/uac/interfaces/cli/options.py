"""Options that several commands share, and how a command gets its store."""

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args
from zoneinfo import ZoneInfo

import click

from uac.errors import Refused, Unavailable
from uac.interfaces.cli.click_groups import AS_JSON, STORE
from uac.interfaces.cli.completion import HintedText, complete_constraint_names, complete_user_names
from uac.interfaces.cli.output import Output, minute_text
from uac.log.log import Log
from uac.log.store import GROUP, Store, User
from uac.log.stores import default_address, open_store

if TYPE_CHECKING:
    from uac.memory.groups import Group, Groups
    from uac.memory.memory import Memory
    from uac.project.clocks import Clocks
    from uac.schema.constraints import Unreviewed

__all__ = [
    "CliContext",
    "Command",
    "Moment",
    "Positions",
    "as_of_option",
    "asked_options",
    "clock_options",
    "common_options",
    "constraint_argument",
    "member_option",
    "moment_with_zone",
    "read_clock_options",
    "unreviewed_setting",
    "user_argument",
]

MEMBER = "uac_member"  # where a context keeps the member of --as

Command = TypeVar("Command", bound=Callable[..., Any])


class CliContext:
    """The context of every command: its output and its store."""

    def __init__(self, store: str | None, *, as_json: bool) -> None:
        self.out = Output(as_json=as_json)
        self.address = store or default_address()
        self._is_default = self.address == default_address()
        self._is_given = store is not None
        self._store: Store | None = None
        self._groups: dict[str, Groups] = {}
        self.member: str = current.meta.get(MEMBER, "") if (current := click.get_current_context(silent=True)) else ""
        self.zone = os.environ.get("UAC_ZONE", "")

    def chosen_store(self) -> str:
        """The address that the command line or a setting gives; "" if it is the default of every shell."""
        if self._is_given or os.environ.get("UAC_STORE") or os.environ.get("XDG_DATA_HOME"):
            return self.address
        return ""

    def store(self, *, create: bool = False) -> Store:
        if self._store is None:
            if create and self._is_default and "://" not in self.address:
                _make_data_folder(Path(self.address).expanduser().parent)
            self._store = open_store(self.address, create=create, clock=self.now)
            self._note_given_time()
            click.get_current_context().call_on_close(self._store.close)
        return self._store

    def all_users(self) -> list[User]:
        users: list[User] = []
        while page := self.store().users(after=users[-1].name if users else ""):
            users += page
        return users

    def groups(self, tenant: str = "", *, create: bool = False) -> "Groups":
        """The groups of a tenant, whose members are users of the same tenant."""
        if tenant not in self._groups:
            from uac.interfaces.service.tenant_store import TenantStore
            from uac.memory.groups import Groups

            store = self.store(create=create)
            of_tenant = TenantStore(store, tenant) if tenant else store
            self._groups[tenant] = Groups(of_tenant, open_memory=self.memory_for_log)
            click.get_current_context().call_on_close(self._groups[tenant].close)
        return self._groups[tenant]

    def groups_of(self, user: str) -> "list[Group]":
        """The groups that a user is a member of. In a store without groups, nothing is imported for it."""
        from uac.interfaces.service.tenants import split_user_id

        tenant, own_id = split_user_id(user)
        prefix = f"{tenant}/{GROUP}" if tenant else GROUP
        first = self.store().users(after=prefix, limit=1)
        is_any = bool(first) and first[0].name.startswith(prefix) and not own_id.startswith(GROUP)
        return self.groups(tenant).of(own_id) if is_any else []

    def _group_log(self, user: str) -> Log | None:
        """The log of a group, for the member of --as; None if the id is that of a user."""
        tenant, own_id = self._split_group(user)
        if not own_id:
            if self.member:
                raise click.UsageError(f"--as is for groups, and {user!r} is a user. Leave it out.")
            return None
        group = self.groups(tenant).find(own_id.removeprefix(GROUP))
        if group is None and self.store().log(user).head().position and not self.member:
            return None  # a user of an earlier version
        if group is None:
            from uac.memory.groups import no_group

            raise no_group(own_id.removeprefix(GROUP))
        group.sync()
        return group.log(self.member)

    @staticmethod
    def _split_group(user: str) -> tuple[str, str]:
        """The tenant and the id of a group; both "" if it is a user, for whom nothing is imported."""
        if GROUP not in user:
            return "", ""
        from uac.interfaces.service.tenants import split_user_id

        tenant, own_id = split_user_id(user)
        return (tenant, own_id) if own_id.startswith(GROUP) else ("", "")

    def check_operator(self, what: str) -> None:
        """Refuse --as for what works on the whole store, where the rights of a member mean nothing."""
        if self.member:
            raise click.UsageError(f"Only the operator of the store can {what}. Leave --as out.")

    def check_admin(self, user: str) -> None:
        """NotAllowed if the member of --as may not erase words of this group."""
        if self.member:
            tenant, own_id = self._split_group(user)
            self.groups(tenant).open(own_id.removeprefix(GROUP)).check(self.member, "admin")

    def group_memory(self, name: str, member: str) -> "Memory":
        """The memory of a group as a member may use it. Both are of the member's tenant."""
        from uac.interfaces.service.tenants import split_user_id

        tenant, own_id = split_user_id(member)
        memory = self.groups(tenant).open(name.removeprefix(GROUP)).memory(own_id)
        click.get_current_context().call_on_close(memory.close)
        return memory

    def new_log(self, user: str, *, create: bool = True) -> Log:
        """The log of a user who may be new, or of a group. With `create=False` the store must exist."""
        return self._group_log(user) or self.store(create=create).log(user)

    def log(self, user: str) -> Log:
        """The log of an existing user; a mistyped name is an error, not an empty list."""
        log = self._group_log(user) or self.store().log(user)
        if not log.head().position:
            where = f"{user!r} has no log in {self.store().address}"
            raise Refused(f"user {where}. 'uac users' lists the users; 'uac add' starts a log.")
        return log

    def memory(self, user: str, *, create: bool = False) -> "Memory":
        memory = self.memory_for_log(self.new_log(user) if create else self.log(user))
        click.get_current_context().call_on_close(memory.close)
        return memory

    def memory_for_log(self, log: Log, *, clock: Callable[[], datetime] | None = None) -> "Memory":
        """The memory that follows a log, with the settings of the environment; the caller closes it."""
        from uac.memory.memory import Memory

        self.check_settings()
        return Memory(log, unreviewed=unreviewed_setting(), clock=clock or self.now)

    def check_settings(self) -> None:
        """Refuse a wrong setting before anything is written."""
        self.now()
        unreviewed_setting()

    def _note_given_time(self) -> None:
        """Say, at a terminal, that the time is not that of the clock."""
        if os.environ.get("UAC_NOW") and self.out.errors_at_terminal:
            self.out.note(f"UAC_NOW is set: everything is dated {minute_text(self.now())}")

    def moment(self, given: datetime | None, zone: str = "", *, option: str = "--said") -> datetime:
        """The time that an option gives, with its zone or that of $UAC_ZONE; the current time by default."""
        return moment_with_zone(given or self.now(), zone or self.zone, option=option)

    def now(self) -> datetime:
        """The time of everything: $UAC_NOW, else the clock; in $UAC_ZONE, because constraints need the user's date."""
        text = os.environ.get("UAC_NOW", "")
        try:
            moment = datetime.fromisoformat(text) if text else None
        except ValueError:
            raise Refused(f"UAC_NOW: {text!r} is not a valid time. Use one such as 2026-03-01T12:00+01:00.") from None
        return moment_with_zone(moment, self.zone, option="UAC_NOW", zone_option="UAC_ZONE")


def _make_data_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder of the store, {folder}, cannot be made: {error.strerror}. Check its permissions, or choose a "
            "file with --store or UAC_STORE."
        ) from None


def common_options(command: Command) -> Command:
    """Adds --store and --json, and passes a Context first. Both may also stand before the command."""
    from functools import wraps

    @wraps(command)
    def run(*args: Any, store: str | None, as_json: bool, **options: Any) -> Any:
        called = click.get_current_context()
        context = CliContext(store or called.meta.get(STORE), as_json=as_json or AS_JSON in called.meta)
        called.find_root().obj = context
        return command(context, *args, **options)

    run = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")(run)
    return click.option(  # type: ignore[return-value]  # click's decorator keeps the signature that matters here
        "--store",
        metavar="URL",
        help="A path, sqlite:///path or postgresql://…  [default: $UAC_STORE, else ~/.local/share/uac/memory.db]",
    )(run)


def user_argument(*, required: bool = True, many: bool = False) -> Callable[[Command], Command]:
    argument: Callable[[Command], Command] = click.argument(
        "users" if many else "user", required=required, nargs=-1 if many else 1, shell_complete=complete_user_names
    )
    return argument if many else lambda command: argument(member_option(command))


def member_option(command: Command) -> Command:
    """Adds --member, also called --as, which the context reads; in the import of files, --as names a type."""

    def keep_member(context: click.Context, _option: click.Parameter, value: str) -> None:
        if value:
            context.meta[MEMBER] = value

    names = ("--member",) if command.__name__ == "import_" else ("--as", "--member")
    return click.option(
        *names,
        MEMBER,
        metavar="MEMBER",
        default="",
        expose_value=False,
        callback=keep_member,
        help="If USER is a group (group:NAME): act as this member, with the member's rights.",
    )(command)


def constraint_argument(name: str = "constraint", *, many: bool = False) -> Callable[[Command], Command]:
    """The name of a constraint, with shell completion from the user's own."""
    hint = "'uac alerts USER' lists the active alerts, 'uac constraints list USER' all constraints."
    return click.argument(
        name,
        type=HintedText(hint),
        required=not many,
        nargs=-1 if many else 1,
        shell_complete=complete_constraint_names,
    )


def as_of_option(command: Any) -> Any:
    return click.option(
        "--known",
        "--as-of",
        "as_of",
        metavar="POSITION|TIME",
        help="What memory knew at a position, a time with its zone, or the end of a day (UTC).",
    )(command)


def clock_options(command: Any) -> Any:
    """Adds --valid, --told and --known (--as-of), and passes them as `clocks`."""
    from functools import wraps

    @wraps(command)
    def run(*args: Any, valid: str | None, told: str | None, as_of: str | None, **options: Any) -> Any:
        return command(*args, clocks=read_clock_options(valid, told, as_of), **options)

    said = click.option("--told", metavar="DAY", help="What had been said by the end of that day, YYYY-MM-DD.")
    true = click.option("--valid", metavar="DAY", help="What was true on that day, YYYY-MM-DD.")
    return true(said(as_of_option(run)))


def asked_options(command: Any) -> Any:
    """Adds --query, --within, --after, --outline and --recent, and passes them as `queries`, `within`, `after`,
    `outline`, `recent`."""
    queries = click.option(
        "--query",
        "queries",
        multiple=True,
        metavar="TEXT",
        help="Another query for the same question (up to three); the results are merged by rank.",
    )
    within = click.option(
        "--within", default="", metavar="SESSION", help="The session in which it is asked: its last turns count."
    )
    after = click.option(
        "--after",
        type=click.IntRange(min=0),
        metavar="POSITION",
        help="The turns after this position are the running conversation: the last ones count.",
    )
    outline = click.option(
        "--outline/--no-outline",
        default=None,
        help="All matching turns of people, shortened, by date.  [default: if the question asks for an order, a list,"
        " a summary or how often]",
    )
    recent = click.option("--recent", is_flag=True, help="What was said lately counts more.")
    return queries(within(after(outline(recent(command)))))


def read_clock_options(valid: str | None = None, told: str | None = None, known: str | None = None) -> "Clocks":
    """The clocks as written on the command line, or a usage error."""
    from uac.project.clocks import parse_clocks

    try:
        return parse_clocks(valid, told, known)
    except Refused as error:
        raise click.UsageError(f"--{error}") from None


class Moment(click.ParamType[datetime]):
    """A time: ISO 8601, with or without a zone (see `moment_in`)."""

    name = "time"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a valid time. Use one such as 2026-03-01T12:00+01:00.", parameter, context)
        if (moment.utcoffset() or timedelta()) % timedelta(minutes=1):
            self.fail(f"{value!r} has an offset with seconds. Use whole minutes.", parameter, context)
        return moment


class Positions(click.ParamType[range]):
    """A position, or a range of them: 3 or 5-8."""

    name = "position"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        match = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", value, re.ASCII)
        if not match:
            self.fail(
                f"{value!r} is not a position. Use a number such as 3 or a range such as 5-8.", parameter, context
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            self.fail(f"the range {value} runs backwards. Put the smaller number first.", parameter, context)
        return range(first, last + 1)


def unreviewed_setting() -> "Unreviewed":
    from uac.schema.constraints import Unreviewed

    text = os.environ.get("UAC_UNREVIEWED") or "mark"
    if text not in get_args(Unreviewed):
        raise Refused(f"UAC_UNREVIEWED is {text!r}. Set it to one of {', '.join(get_args(Unreviewed))}.")
    return text  # type: ignore[return-value]  # checked in the line above


def moment_with_zone(
    moment: datetime | None, zone: str, *, option: str = "--said", zone_option: str = "--zone"
) -> datetime:
    """The time with its zone: its own, else the zone named; now, if none was given."""
    try:
        place = ZoneInfo(zone) if zone else None
    except (KeyError, ValueError, OSError):
        raise Refused(f"{zone_option}: {zone!r} is not a time zone. Use an IANA name such as Europe/Berlin.") from None
    if moment is None:
        return datetime.now(UTC).astimezone(place)
    if moment.tzinfo is None:
        if place is None:
            written = moment.isoformat()
            raise Refused(
                f"{option}: {written} has no time zone. Write {written}Z or {written}+02:00, or set UAC_ZONE."
            )
        return moment.replace(tzinfo=place)
    return moment.astimezone(place) if place else moment
