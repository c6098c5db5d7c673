"""One run over many users: who they are, where their parts are done, and what is left of an interrupted run."""

import fnmatch
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from uac.errors import Refused
from uac.interfaces.fleet.jobs import Job, Part
from uac.interfaces.fleet.pool import in_order, run_here, run_in_pool
from uac.interfaces.fleet.run_folder import RunFolder, split_users
from uac.interfaces.service.tenants import check_tenant
from uac.log.store import Store
from uac.memory.groups import group_name

__all__ = ["Place", "Selection", "read_list", "run_job", "sample_users", "select_users", "unknown_users"]


class Selection(msgspec.Struct, frozen=True):
    """Which users are asked: those of a tenant whose ids match one of the patterns, or those in a list.

    Groups are not users. They are asked if a pattern such as 'group:*' or the list names them, and never for a report:
    they have copies of what their members share, which would count twice.
    """

    patterns: tuple[str, ...] = ()
    tenant: str = ""
    listed: tuple[str, ...] | None = None
    percent: float = 100.0
    share_of: str = ""
    """What the share is taken for: a rule has the same users in it each time."""
    is_report: bool = False

    def text(self) -> str:
        """The selection as one text, to compare it with that of an earlier run."""
        return msgspec.json.encode(self).decode()


def select_users(store: Store, chosen: Selection, is_in_share: Callable[[str, str, float], bool]) -> list[str]:
    """The ids of the users, in order."""
    prefix = f"{check_tenant(chosen.tenant)}/" if chosen.tenant else ""
    listed = None if chosen.listed is None else {prefix + name for name in chosen.listed}
    return [
        user
        for user in _all_users(store)
        if user.startswith(prefix)
        and (listed is None or user in listed)
        and (not chosen.patterns or _matching(user.removeprefix(prefix), chosen.patterns))
        and (chosen.percent >= 100 or is_in_share(chosen.share_of, user, chosen.percent))
        and (not _is_group(user) or _names_group(chosen, user.removeprefix(prefix)))
    ]


def unknown_users(store: Store, chosen: Selection) -> list[str]:
    """The ids in the list of a selection that have no log in the store, in order."""
    if not chosen.listed:
        return []
    prefix = f"{check_tenant(chosen.tenant)}/" if chosen.tenant else ""
    missing = {prefix + name for name in chosen.listed}
    for user in _all_users(store):
        missing.discard(user)
    return sorted(name.removeprefix(prefix) for name in missing)


def _matching(user: str, patterns: Sequence[str]) -> list[str]:
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(user, pattern)]


def _is_group(user: str) -> bool:
    return bool(group_name(user.rpartition("/")[2]))


def _names_group(chosen: Selection, group: str) -> bool:
    """Whether the selection asks for this group, and does not only happen to match it."""
    return not chosen.is_report and (
        chosen.listed is not None or any(map(_is_group, _matching(group, chosen.patterns)))
    )


def _all_users(store: Store) -> Iterator[str]:
    last = ""
    while page := store.users(after=last):
        for user in page:
            yield user.name
        last = page[-1].name


def sample_users(users: Sequence[str], size: int) -> list[str]:
    """Some of the users, in order: always the same ones, and spread over all ids."""
    chosen = {*sorted(users, key=lambda user: sha256(user.encode()).digest())[:size]}
    return [user for user in users if user in chosen]


@dataclass(frozen=True, slots=True)
class Place:
    """Where parts are done: in this process, in processes of this machine, or on a Ray cluster."""

    processes: int = 1
    ray: str = ""

    def run(self, job: Job, parts: Sequence[tuple[int, Sequence[str]]], store: Store) -> Iterator[Part]:
        if self.ray:
            from uac.interfaces.fleet.ray_cluster import run_on_ray  # Ray is imported where it is used

            return run_on_ray(job, parts, self.ray, self.processes)
        if min(self.processes, len(parts)) == 1:
            return run_here(job, parts, store)
        return run_in_pool(job, parts, min(self.processes, len(parts)))

    def check(self, address: str) -> None:
        """Refused if other processes could not open the store."""
        if address.startswith("memory:") and (self.ray or self.processes > 1):
            raise Refused("A store in memory cannot be read by other processes. Use a file, or --processes 1.")


def run_job(
    job: Job, users: Sequence[str], store: Store, place: Place, *, folder: RunFolder | None, size: int
) -> Iterator[Part]:
    """The parts of a job in the order of the users. Those that a folder has are not done again; new ones go there."""
    parts = folder.parts if folder else split_users(users, size)
    done = {part.number: part for part in folder.done()} if folder else {}
    missing = [(number, part) for number, part in enumerate(parts) if number not in done]
    running = _kept(place.run(job, missing, store) if missing else iter(()), folder)
    try:
        yield from in_order(_with_done(done, running), range(len(parts)))
    finally:
        running.close()


def _kept(parts: Iterator[Part], folder: RunFolder | None) -> Generator[Part, None, None]:
    """Each part is stored as soon as it is done, before it is passed on."""
    try:
        for part in parts:
            if folder:
                folder.keep(part)
            yield part
    finally:
        close = getattr(parts, "close", None)
        if close:
            close()


def _with_done(done: dict[int, Part], running: Iterator[Part]) -> Iterator[Part]:
    yield from done.values()
    yield from running


def read_list(path: Path) -> tuple[str, ...]:
    """The user ids in a file, one in a line; empty lines do not count."""
    try:
        return tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except OSError as error:
        raise Refused(f"--users-from: {path} cannot be read: {error.strerror}. Check its path.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"--users-from: {path}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
