"""The application: routes, limits and errors around one store. `server.py` runs it, and so can any ASGI server."""

import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache, partial
from typing import Protocol

import anyio
from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from uac import __version__
from uac.errors import UacError
from uac.interfaces.http.access_log import AccessLog
from uac.interfaces.http.docs_page import serve_docs_page
from uac.interfaces.http.memory_cache import MEMBER, MemoryCache
from uac.interfaces.http.middleware import ServiceLimits, add_limits
from uac.interfaces.http.openapi import complete_openapi, operation_name
from uac.interfaces.http.plain_requests import PlainRequests, PlainRoute, plain_routes
from uac.interfaces.http.problems import Problem, handle_problems
from uac.interfaces.http.process_group import open_coordination, relay_changes, run_in_role
from uac.interfaces.http.request_threads import RequestThreads
from uac.interfaces.http.routes import (
    alerts,
    changes,
    constraints,
    events,
    forgetting,
    groups,
    health,
    imports,
    keys,
    learning,
    log,
    mem0,
    observations,
    project,
    records,
    search,
    users,
    webhooks,
)
from uac.interfaces.http.routes.health import Readiness, readiness_checks
from uac.interfaces.http.streams import Streams
from uac.interfaces.http.telemetry import Telemetry
from uac.interfaces.http.user_context import Service
from uac.interfaces.http.webhook_delivery import Rules, WebhookSender
from uac.interfaces.service.api_keys import Keyring
from uac.interfaces.service.webhooks import Hooks
from uac.log.log import Log
from uac.log.store import Store
from uac.memory.groups import group_name, no_group
from uac.memory.memory import Memory

__all__ = ["BackgroundRunner", "make_app"]

logger = logging.getLogger(__name__)

ABOUT = """
The memory of users, as a service: everything that the library does, for each user under `/v1/users/{user}/…`.

Every request carries a key as a bearer token. Answers about a user carry an `ETag` that changes with the log; send it
back as `If-None-Match` to hear only of news, or as `If-Match` to write only if nobody else has. Where a route takes an
`Idempotency-Key`, a change that is sent again is made once. Questions to a model (`ask`, `learn`) and the routes under
`/v1/memories` take none: sent again, they are done again.

A group is reached as the user `group:NAME`. A key for one user acts there as that member; a key for all users as the
operator, or as the member in the header `Uac-Member`.
"""

SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}

DEFAULT = ServiceLimits()
SPARE = 20  # threads for probes, streams and hooks
SENDING = Rules()
FINISH_EVERY = 5.0
LONGEST_WAIT = 600.0  # seconds until an erasure that cannot be finished is tried again


class BackgroundRunner(Protocol):
    """What runs beside the requests until it is cancelled: a learner, or what enqueues jobs for workers."""

    async def run(self) -> None: ...


ROUTERS = (
    health.router,
    keys.router,
    observations.router,
    events.router,
    webhooks.router,
    log.router,
    project.router,
    records.router,
    changes.router,
    forgetting.router,
    alerts.router,
    constraints.router,
    learning.router,
    search.router,
    imports.router,
    users.router,
    groups.router,
    mem0.router,
)


def make_app(
    store: Store,
    *,
    make_memory: Callable[[str], Memory],
    clock: Callable[[], datetime],
    with_keys: bool = True,
    limits: ServiceLimits = DEFAULT,
    hosts: Collection[str] | None = None,
    hook_rules: Rules = SENDING,
    with_hooks: bool = True,
    telemetry: Telemetry | None = None,
    access_log: Callable[[str], None] | None = None,
    make_learner: Callable[[Service], BackgroundRunner] | None = None,
    finish_every: float = FINISH_EVERY,
    on_close: Callable[[], None] = lambda: None,
    open_memory: Callable[[Log], Memory] = Memory,
    enqueue_import: Callable[[str, str, int], None] | None = None,
) -> FastAPI:
    """The application over a store. `make_memory` opens the memory of a user by the id in the store.

    With `hosts`, only requests to these names are answered, and only pages of these names may ask.
    With `with_hooks=False`, hooks can be made but nothing is sent: another process does that. `access_log` gets a
    line for each request. `make_learner` makes what learns and ticks beside the requests. Every `finish_every` seconds
    it looks for erasures that another process left unfinished. `open_memory` opens the memory of a group by its log.
    `on_close` is called when everything else has ended. `enqueue_import` leaves a staged file to workers.

    On a store that several processes can share, one of them at a time sends webhooks, learns and ticks.
    """
    coordination = open_coordination(store)

    def open_by_name(name: str) -> Memory:
        user, _separator, member = name.partition(MEMBER)
        tenant, _slash, own_id = user.rpartition("/")
        group = app.state.service.groups(tenant).find(group_name(own_id)) if group_name(own_id) else None
        if member and group is None:
            raise no_group(group_name(own_id))
        memory = make_memory(user) if group is None else group.memory(member)
        return memory if telemetry is None else telemetry.trace_memory(memory)

    memories = MemoryCache(open_by_name, most_bytes=limits.cache)
    mem0_service = mem0.Mem0Service(store, clock)
    # Whoever is served finds a thread, also if all others wait for something slow.
    threads = ThreadPoolExecutor(limits.at_once + SPARE, thread_name_prefix="uac-request")

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = limits.at_once + SPARE
        async with anyio.create_task_group() as group:
            if coordination is not None:
                group.start_soon(relay_changes, coordination, app.state.service.notifier)
            if with_hooks:
                group.start_soon(run_in_role, coordination, "webhooks", app.state.webhook_sender.run)
            group.start_soon(run_in_role, coordination, "erasures", partial(_finish_erasures, store, finish_every))
            if make_learner is not None:
                group.start_soon(run_in_role, coordination, "learning", make_learner(app.state.service).run)
            yield
            group.cancel_scope.cancel()
        memories.close_all()
        for each in app.state.service.by_tenant.values():
            each.close()
        mem0_service.close_all()
        if coordination is not None:
            coordination.close()
        on_close()

    app = FastAPI(
        title="User as Code",
        version=__version__,
        description=ABOUT,
        lifespan=life,
        # No page that loads scripts from elsewhere: ours is made from the document at /openapi.json.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # The framework's own telemetry contains paths, queries and input, which are users' words.
        telemetry=SILENT,
        generate_unique_id_function=operation_name,
        responses={"default": {"model": Problem, "description": "Why there is no result."}},
    )
    keyring = Keyring(store.own(), clock) if with_keys else None
    app.state.service = Service(
        store,
        memories,
        keyring,
        coordination=coordination,
        open_memory=open_memory,
        enqueue_import=enqueue_import,
    )
    app.state.webhook_sender = WebhookSender(
        store, Hooks(store.own(), clock), app.state.service.notifier, clock, hook_rules
    )
    app.state.streams = Streams()
    app.state.readiness = Readiness(readiness_checks(store))
    app.state.mem0_service = mem0_service
    handle_problems(app)
    add_limits(app, limits, service=app.state.service, streams=app.state.streams, hosts=hosts)
    if telemetry is not None:
        telemetry.trace_requests(app)
        telemetry.observe_cache(memories)
    if access_log is not None:
        app.add_middleware(AccessLog, on_request=access_log)
    for router in ROUTERS:
        app.include_router(router)
    # Inside the framework's handling of errors, and before its router.
    app.router.middleware_stack = PlainRequests(
        app.router.middleware_stack,
        _plain_routes(),
        app.state.service,
        RequestThreads(threads),
    )
    complete_openapi(app)
    serve_docs_page(app)
    return app


@cache
def _plain_routes() -> Mapping[tuple[str, str], PlainRoute]:
    """Those of the routers above, which are the same for every application: to read their types takes a while."""
    return plain_routes(route for router in ROUTERS for route in router.routes)


async def _finish_erasures(store: Store, every: float) -> None:
    """Finish the work of a killed process until cancelled; less and less often while another process blocks it."""
    wait = every
    while True:
        try:
            is_done = await run_sync(store.finish_erasures, abandon_on_cancel=True)
        except UacError as error:
            logger.warning("unfinished erasures: %s", error)
            is_done = False
        wait = every if is_done else min(2 * wait, LONGEST_WAIT)
        await anyio.sleep(wait)
