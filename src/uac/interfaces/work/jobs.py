"""What jobs do to one user's memory, in pieces that each leave nothing half done. Nothing here knows DBOS.

Each piece returns plain JSON values: DBOS stores them, so they hold no words of the user except in a sealed reply.
"""

import queue
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

import anyio

from uac.conversation.learning import Cadence, Learned
from uac.errors import ModelError, Refused, UacError, Unavailable
from uac.importing.staged_imports import StagedImport
from uac.interfaces.service.learning_failures import clear_learning_failure, note_learning_failure
from uac.interfaces.service.tenant_store import TenantStore
from uac.interfaces.service.tenants import split_user_id
from uac.interfaces.work.sealed_replies import open_reply, seal_reply
from uac.log.log import Log
from uac.log.staging import Staging, StagingStore
from uac.log.store import Store
from uac.memory.groups import Groups, group_name
from uac.memory.memory import Memory
from uac.models import Budget, ModelsFor
from uac.project.project import Project

if TYPE_CHECKING:  # it loads the whole service
    from uac.interfaces.http.webhook_delivery import WebhookSender

__all__ = [
    "LOCK_WAIT",
    "RECENT",
    "FollowUp",
    "ImportJob",
    "JobFailed",
    "Jobs",
    "Planned",
    "SealedReply",
    "Ticked",
    "is_temporary",
    "job_failure",
    "next_tick_time",
]

LOCK_WAIT = 1.0  # seconds between two tries for the lock of a user who is learned elsewhere
SHARE = 4  # jobs that share one store object: each holds a connection for its lock, and needs others
QUEUES_AND_CALLS = 6  # queues whose jobs hold a memory at the same time, and the model calls that learning waits for
AHEAD = timedelta(days=2)  # a rule that asks for a later time gets its tick from the hourly ones
RECENT = timedelta(minutes=15)  # what the sweep looks back; enqueuing twice costs little


class JobFailed(Exception):
    """A job failed. DBOS stores the message, so it is the kind of the error alone: others may repeat a user's words."""


class Planned(TypedDict):
    """The next request of a user; `id` is "" if none is due. Then the rest says what is to be done after it."""

    id: str
    queue: str
    """The vendor whose queue the call goes through; "" if the job calls the model itself."""
    wait: float
    """Seconds until waiting facts are due for records; 0 if none wait."""
    then: "FollowUp"


NOTHING: "FollowUp" = {"position": 0, "tick": "", "webhooks": False, "index": False}


class SealedReply(TypedDict):
    """A reply, sealed; or why there is none."""

    sealed: str
    stopped: str


class FollowUp(TypedDict):
    """What a change of a user's log asks for."""

    position: int
    tick: str
    """When a rule wants to run again, ISO 8601; "" if none does."""
    webhooks: bool
    index: bool


class Ticked(TypedDict):
    """The number of alert changes of a tick."""

    changes: int
    then: FollowUp


@dataclass(slots=True)
class Jobs:
    """The pieces of all jobs, over one store. `make_memory` opens a log's memory."""

    open_store: Callable[[], Store]
    make_memory: Callable[[Log], Memory]
    models: ModelsFor | None
    budget: Budget
    clock: Callable[[], datetime]
    vendor_of: Callable[[str], str] = lambda _step: ""
    """The vendor of the model for a step."""
    is_queued: bool = False
    """Whether calls go through a queue of their vendor."""
    embeds: bool = False
    """Whether passages are embedded after learning."""
    judged: bool = False
    cadence: Cadence | None = field(default_factory=Cadence)
    concurrency: int = 4
    make_sender: "Callable[[Store], WebhookSender] | None" = None
    _slots: "queue.SimpleQueue[Store]" = field(default_factory=queue.SimpleQueue)
    _stores: list[Store] = field(default_factory=list)
    _sender: "WebhookSender | None" = None

    def start(self) -> None:
        for _store in range(-(-(QUEUES_AND_CALLS * self.concurrency + SHARE) // SHARE)):
            store = self.open_store()
            self._stores.append(store)
            for _slot in range(SHARE):
                self._slots.put(store)
        if self.make_sender is not None:
            self._sender = self.make_sender(self._stores[0])

    def close(self) -> None:
        for store in self._stores:
            store.close()

    @contextmanager
    def memory(self, user: str) -> Iterator[Memory]:
        """The memory of a user, on a store that has connections left."""
        with self.store() as store, closing(self.make_memory(store.log(user))) as memory:
            yield memory

    @contextmanager
    def store(self) -> Iterator[Store]:
        store = self._slots.get()
        try:
            yield store
        finally:
            self._slots.put(store)

    # --- learning -------------------------------------------------------------------------------------------------

    def plan(self, memory: Memory, *, urgent: bool) -> Planned:
        """The next request for the user; or what is to be done when none is due."""
        request = None
        if self.models is not None:
            request = memory.learner.next_request(
                cadence=self.cadence, judged=self.judged, now=self.clock(), urgent=urgent
            )
        project = memory.project()
        if request is not None:
            queue = self.vendor_of(request.step) if self.is_queued else ""
            return Planned(id=request.id, queue=queue, wait=0.0, then=NOTHING)
        waits = self.models is not None and any(fact not in project.progress.stuck for fact in project.waiting)
        wait = 60.0 * self.cadence.minutes if waits and self.cadence else 0.0
        return Planned(id="", queue="", wait=wait, then=self._follow_up(project))

    def ask(self, memory: Memory, request_id: str) -> SealedReply:
        """A model's reply to the request, sealed. This is the piece that costs money: nothing else happens in it."""
        request = memory.learner.request_of(request_id)
        if request is None or self.models is None:
            return SealedReply(sealed="", stopped="")
        try:
            answer = memory.learner.request_reply(request, self.models, self.budget)
        except ModelError as error:  # a wrong key, an unknown model: tried again later, when it may be fixed
            return SealedReply(sealed="", stopped=str(error))
        if isinstance(answer, Learned):
            return SealedReply(sealed="", stopped=answer.stopped)
        positions = request.read or (request.position,)
        return SealedReply(sealed=seal_reply(memory.log, positions, *answer), stopped="")

    def take(self, memory: Memory, request_id: str, sealed: str) -> tuple[bool, str]:
        """Write what a reply gives, once. Returns whether its facts are urgent, and why learning stops, if it does."""
        request = memory.learner.request_of(request_id)
        if not sealed or request is None:
            return False, ""
        opened = open_reply(memory.log, request.read or (request.position,), sealed)
        if opened is None:
            return False, ""
        outcome = memory.learner.take_once(request_id, opened[0], problem=opened[1])
        stopped = outcome.stopped if isinstance(outcome, Learned) else ""
        return memory.learner.is_urgent(outcome), stopped

    def note_learning(self, user: str, stopped: str) -> None:
        """Keep why learning stopped for 'uac doctor', on this machine."""
        address = self._stores[0].address
        if stopped:
            note_learning_failure(address, user, stopped, self.clock())
        else:
            clear_learning_failure(address, user)

    # --- other jobs -----------------------------------------------------------------------------------------------

    def tick(self, user: str) -> Ticked:
        """Let time pass for a user, or for a group once it is up to date. Done twice, the second changes nothing."""
        self._sync_group(user)
        with self.memory(user) as memory:
            if not memory.log.head().position:  # erased meanwhile
                return Ticked(changes=0, then=NOTHING)
            changes = memory.tick()
            return Ticked(changes=len(changes), then=self._follow_up(memory.project()))

    def _sync_group(self, user: str) -> None:
        """Bring a group up to date with what its members share."""
        tenant, own_id = split_user_id(user)
        if name := group_name(own_id):
            with self.store() as store:
                group = Groups(TenantStore(store, tenant), open_memory=self.make_memory).find(name)
                if group is not None:
                    with closing(group):
                        group.sync()

    def _follow_up(self, project: Project) -> FollowUp:
        return FollowUp(
            position=project.position,
            tick=next_tick_time(project, self.clock()),
            webhooks=self.has_webhooks(),
            index=self.embeds,
        )

    # --- imports --------------------------------------------------------------------------------------------------

    @contextmanager
    def staged_import(self, user: str, file: str) -> Iterator["ImportJob"]:
        """A user's staged file, on a store that has connections left."""
        with self.store() as store, closing(self.make_memory(store.log(user))) as memory:
            if not isinstance(store, StagingStore):
                raise Refused(f"{store.address}: Files cannot wait in this store. Use PostgreSQL.")
            yield ImportJob(memory, store.staging(), file)

    def finish_import(self, job: "ImportJob") -> FollowUp:
        """Run the constraints, which the parts of an import do not, and note that it is done."""
        has_entries = bool(job.memory.log.head().position)
        if has_entries:
            job.memory.look()
        job.staging.finish(job.file)
        return self._follow_up(job.memory.project()) if has_entries else NOTHING

    def sweep_imports(
        self, enqueue: Callable[[str, str, int], None], *, keep: timedelta, keep_failed: timedelta
    ) -> None:
        """Enqueue staged files that nobody enqueued, and remove those that were done a while ago."""
        with self.store() as store:
            if not isinstance(store, StagingStore):
                return
            staging, now = store.staging(), self.clock()
            for file in staging.files():
                if file.finished is None:
                    enqueue(file.user, file.id, file.parts)
            staging.remove_finished(now - keep, failed_before=now - keep_failed)

    # --- for all users --------------------------------------------------------------------------------------------

    def users_page(self, after: str, limit: int) -> list[str]:
        with self.store() as store:
            return [user.name for user in store.users(after=after, limit=limit)]

    def changed_users(self, since: datetime) -> Iterator[tuple[str, int]]:
        """The users with entries after a time, with the lengths of their logs."""
        with self.store() as store:
            after = ""
            while page := store.users(after=after):
                yield from ((user.name, user.entries) for user in page if user.last is None or user.last >= since)
                after = page[-1].name

    def embed(self, user: str) -> int:
        """Embed a batch of passages; returns how many are left."""
        with self.memory(user) as memory:
            return memory.embed() if memory.log.head().position else 0

    def reindex(self, user: str) -> None:
        with self.memory(user) as memory:
            if memory.log.head().position:
                memory.reindex()

    def has_webhooks(self) -> bool:
        return self._sender is not None and any(hook.state != "given up" for hook in self._sender.hooks.all_webhooks())

    def deliver(self, user: str) -> bool:
        """Send the user's pending alert changes; False if some are left."""
        return self._sender is None or anyio.run(self._sender.deliver_user, user)


@dataclass(slots=True)
class ImportJob:
    """A staged file that is being written."""

    memory: Memory
    staging: Staging
    file: str
    _import: StagedImport | None = None

    def begin(self) -> int:
        """The end of the log before the first part."""
        return self.memory.log.head().position

    def write_part(self, began: int, number: int) -> bool:
        """Write a part, unless that was done; False if the user was erased. Why it fails is kept with the file."""
        if self._import is None:
            self._import = StagedImport(self.memory, self.staging, self.file, began=began)
        try:
            return self._import.write_part(number)
        except UacError as error:
            if not is_temporary(error):
                self.staging.finish(self.file, str(error))
            raise


def next_tick_time(project: Project, now: datetime) -> str:
    """The earliest time that a rule has asked to be run again at, or a snooze ends; "" if none is within `AHEAD`."""
    times = [again for name, again in project.looks.items() if name in project.constraints]
    times += [alert.until for alert in project.alerts.values() if alert.state == "snoozed" and alert.until is not None]
    ahead = [moment for moment in times if now < moment <= now + AHEAD]
    return min(ahead).isoformat() if ahead else ""


def is_temporary(error: BaseException) -> bool:
    """Whether a step that raised this is worth repeating soon: the store or the network may be back by then."""
    return isinstance(error, Unavailable | OSError) and not isinstance(error, PermissionError)


def job_failure(error: UacError) -> JobFailed:
    return JobFailed(type(error).__name__)
