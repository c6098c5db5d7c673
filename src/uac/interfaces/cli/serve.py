"""uac serve: the memory of many users over HTTP."""

import logging
import os
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from uac.errors import Refused
from uac.interfaces.cli.background_learning import learns_by_itself, leaves_to_workers
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.service.allocator import share_one_arena
from uac.interfaces.service.api_keys import Keyring
from uac.interfaces.service.line_writer import LineHandler, LineWriter
from uac.interfaces.service.listening import LOOPBACK, is_loopback, url_host
from uac.log.coordination import CoordinatedStore
from uac.log.store import Store
from uac.log.stores import open_store

if TYPE_CHECKING:
    from fastapi import FastAPI

    from uac.interfaces.http.app import BackgroundRunner
    from uac.interfaces.http.service_learner import ServiceLearner
    from uac.interfaces.http.user_context import Service
    from uac.interfaces.work.job_enqueuer import JobEnqueuer
    from uac.models import Models

__all__ = ["missing_serve_extra_error", "serve"]

CACHE_MB = 1024


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8311,
    show_default=True,
    help="The port; 0 chooses a free one.",
)
@click.option(
    "--no-keys",
    is_flag=True,
    help="Require no key: everybody on this machine may do everything. Only on a loopback address.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Another host name that clients use, such as a proxy's (repeatable).",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100,
    show_default=True,
    help="Requests per second for each key, on average; 0: unlimited.",
)
@click.option(
    "--connections", type=click.IntRange(1), default=100, show_default=True, help="Requests served at the same time."
)
@click.option(
    "--body", type=click.IntRange(1), default=10_485_760, show_default=True, help="The largest request body, in bytes."
)
@click.option(
    "--cache",
    type=click.IntRange(1),
    default=CACHE_MB,
    show_default=True,
    help="Megabytes of users' memories kept open between requests, by estimate, in all processes together.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes behind the one port; more than one on PostgreSQL only.",
)
@click.option("--no-hooks", is_flag=True, help="Send no webhooks; another process on the same store sends them.")
@click.option("--no-learn", is_flag=True, help="Neither learn nor tick; another process on the same store does.")
@click.option("--local-hooks", is_flag=True, help="Allow webhooks to this machine and its network, also without TLS.")
@click.option(
    "--access-log",
    is_flag=True,
    help="Print a line for each request to standard error: method, route, status and duration; no ids, no text.",
)
@common_options
def serve(
    context: CliContext,
    *,
    host: str,
    port: int,
    no_keys: bool,
    names: tuple[str, ...],
    rate: float,
    connections: int,
    body: int,
    cache: int,
    workers: int,
    no_hooks: bool,
    no_learn: bool,
    local_hooks: bool,
    access_log: bool,
) -> None:
    """Serve the memory of all users over HTTP, with the inspector at /inspector and the API at /docs.

    Every request needs a key as a bearer token (uac keys create). If no key exists, one with the rights read, write and
    admin is created and printed once to standard error, on a loopback address only. Put a proxy with TLS in front of
    it before you serve other machines.

    It learns by itself from what is said if a model is configured (UAC_MODEL), and lets time pass for all users every
    hour, so that deadlines are noticed. UAC_LEARN=manual leaves learning to 'uac learn'; UAC_LEARN=work leaves
    learning, ticks and webhooks to workers ('uac work'), for which it enqueues jobs.

    On PostgreSQL, --workers N starts N processes behind the one port, and more may serve the same store on other
    machines. One process at a time sends webhooks, learns and ticks; another one takes over when it dies. SIGHUP
    replaces the processes one by one.

    SIGTERM and SIGINT stop it: running requests have 20 seconds to finish. See docs/guides/http.md.

    \b
      uac serve
      uac serve --store postgresql://… --workers 4
      uac serve --host 0.0.0.0 --name memory.example.com
    """
    if no_keys and not is_loopback(host):
        raise Refused(f"--no-keys would let everybody who reaches {host} do everything. Use --host 127.0.0.1.")
    try:
        from uac.interfaces.http.server import serve as run
        from uac.interfaces.http.server import serve_workers
        from uac.interfaces.inspector import PATH
    except ImportError as error:
        raise missing_serve_extra_error(error) from None
    share_one_arena()  # before the store starts threads
    _log_warnings()
    context.check_settings()
    store = context.store(create=True)
    if workers > 1:
        _check_shareable(store, workers)
    if not no_keys:
        _create_first_key(Keyring(store.own(), context.now), context, host)
    options = ServeOptions(
        address=context.address,
        host=host,
        no_keys=no_keys,
        names=names,
        rate=rate,
        connections=connections,
        body=body,
        cache=cache * 2**20 // workers,
        no_hooks=no_hooks,
        no_learn=no_learn,
        local_hooks=local_hooks,
        access_log=access_log,
    )

    def announce(address: str) -> None:
        _print_server_line(f"serving at {address}")
        _print_server_line(f"inspector: {address}{PATH}/ · routes: {address}/docs · Ctrl-C stops it")
        if leaves_to_workers():
            _print_server_line("learning, ticks and webhooks are left to workers ('uac work')")
        elif not no_learn:
            _print_server_line(_learning_line(_learning_models()))

    if workers > 1:
        store.close()  # each process has its own
        make_app = partial(make_worker_app, options)
        serve_workers(make_app, workers=workers, host=host, port=port, on_listening=announce)
        return
    run(_make_service_app(options, store, context), host=host, port=port, on_listening=announce)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of the service, as its processes need them."""

    address: str
    host: str
    no_keys: bool
    names: tuple[str, ...]
    rate: float
    connections: int
    body: int
    cache: int
    no_hooks: bool
    no_learn: bool
    local_hooks: bool
    access_log: bool


def make_worker_app(options: ServeOptions) -> "FastAPI":
    """The application of one of several processes, over a store of its own."""
    share_one_arena()
    _log_warnings()
    context = CliContext(options.address, as_json=False)
    store = open_store(options.address, clock=context.now)
    return _make_service_app(options, store, context, on_close=store.close)


def _make_service_app(
    options: ServeOptions, store: Store, context: CliContext, on_close: Callable[[], None] = lambda: None
) -> "FastAPI":
    from uac.interfaces.http import make_app
    from uac.interfaces.http.middleware import ServiceLimits
    from uac.interfaces.http.telemetry_settings import configured_telemetry
    from uac.interfaces.http.webhook_delivery import Rules
    from uac.interfaces.inspector import mount
    from uac.interfaces.service.search_preparation import prepare_search

    prepare_search()
    models, telemetry = _learning_models(), configured_telemetry()
    enqueuer = _job_enqueuer(context, store)
    if telemetry is not None and telemetry.metrics_address:
        _print_server_line(f"metrics: {telemetry.metrics_address}")

    def close() -> None:
        if telemetry is not None:
            telemetry.close()
        on_close()

    app = make_app(
        store,
        make_memory=lambda name: context.memory_for_log(store.log(name)),
        open_memory=context.memory_for_log,
        clock=context.now,
        with_keys=not options.no_keys,
        limits=ServiceLimits(body=options.body, rate=options.rate, at_once=options.connections, cache=options.cache),
        hosts=_accepted_hosts(options.host, options.names, no_keys=options.no_keys),
        hook_rules=Rules(private=options.local_hooks),
        with_hooks=not options.no_hooks and enqueuer is None,
        telemetry=telemetry,
        access_log=_log_lines().write_line if options.access_log else None,
        make_learner=_learner_maker(context, models, enqueuer, no_learn=options.no_learn),
        on_close=close,
        enqueue_import=None if enqueuer is None else enqueuer.client.enqueue_import,
    )
    mount(app, clock=context.now, work=None if enqueuer is None else enqueuer.client.state)
    return app


def _check_shareable(store: Store, workers: int) -> None:
    """Refuse a store that several processes cannot share, before anything is started."""
    if not isinstance(store, CoordinatedStore):
        raise Refused(
            f"--workers {workers} needs a store on PostgreSQL, over which processes share sign-ins, rates and webhooks."
            " On SQLite, serve with one process, or move the users with 'uac move'."
        )
    store.coordination().close()


@cache
def _log_lines() -> LineWriter:
    """Where the log of this process goes: standard error, also if nobody reads it."""
    return LineWriter(sys.stderr)


def _log_warnings() -> None:
    handlers = [LineHandler(_log_lines())]
    logging.basicConfig(handlers=handlers, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")


def _learning_models() -> "Models | None":
    """The models that learn by themselves; None if no model is configured, or the settings leave it to a command."""
    from uac.models import chosen_models

    models = chosen_models()
    return models if learns_by_itself() and "extract" in models.names else None


def _learning_line(models: "Models | None") -> str:
    if models is not None:
        return f"learning with {', '.join(dict.fromkeys(models.names.values()))}"
    if not learns_by_itself():
        return "not learning (UAC_LEARN=manual): 'uac learn' does"
    return "not learning: no model is configured ('uac setup model' finds one), so words wait for an agent's reply"


def _make_learner(context: CliContext, service: "Service", models: "Models | None") -> "ServiceLearner":
    from uac.interfaces.http.service_learner import ServiceLearner
    from uac.models import parse_budget

    return ServiceLearner(
        service.store,
        service.memories,
        service.notifier,
        models=models,
        budget=parse_budget(os.environ),
        clock=context.now,
        judged=models is not None and "judge" in models.own,
    )


def _job_enqueuer(context: CliContext, store: Store) -> "JobEnqueuer | None":
    """What enqueues jobs for workers, if they are to do the work (UAC_LEARN=work)."""
    if not leaves_to_workers():
        return None
    from uac.interfaces.work.job_names import check_work_store, missing_work_extra_error

    url = check_work_store(context.address)
    try:
        from uac.interfaces.work.job_client import JobClient
        from uac.interfaces.work.job_enqueuer import JobEnqueuer
    except ImportError as error:
        raise missing_work_extra_error(error) from None
    return JobEnqueuer(JobClient(url), store)


def _learner_maker(
    context: CliContext, models: "Models | None", enqueuer: "JobEnqueuer | None", *, no_learn: bool
) -> "Callable[[Service], BackgroundRunner] | None":
    if no_learn:
        return None
    if enqueuer is not None:
        return enqueuer.bind
    return lambda service: _make_learner(context, service, models)


def _print_server_line(line: str) -> None:
    """Prints to standard error, like everything that is not a result."""
    click.echo(line, err=True)


def missing_serve_extra_error(error: ImportError) -> Refused:
    package = (error.name or "").partition(".")[0]
    return Refused(f"{package} is not installed. The service needs it: pip install '.[serve]'")


def _create_first_key(keyring: Keyring, context: CliContext, host: str) -> None:
    """Create a key if no valid one exists, on a loopback address only: elsewhere the output may end up in a log."""
    if any(key.is_valid(context.now()) for key in keyring.all_keys()):
        return
    if not is_loopback(host):
        raise Refused("No key exists, so nobody could use the service. Create one with 'uac keys create NAME'.")
    _key, text = keyring.create_key("first", rights=("read", "write", "admin"))
    _print_server_line(f"key: {text}")


def _accepted_hosts(host: str, names: Collection[str], *, no_keys: bool) -> Collection[str] | None:
    """The accepted host names; None: all, because a key that other sites do not have is enough protection."""
    if not (no_keys or names or is_loopback(host)):
        return None
    return {name.lower() for name in (*LOOPBACK, url_host(host), *names)}
