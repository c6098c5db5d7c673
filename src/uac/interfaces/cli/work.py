"""uac work: workers that learn, tick, deliver, index and import on a PostgreSQL store; and what they are doing."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, get_args

import click

from uac.errors import Refused, Unavailable
from uac.interfaces.cli.background_imports import show_imports, work_client
from uac.interfaces.cli.click_groups import AS_JSON, STORE, Group
from uac.interfaces.cli.completion import complete_user_names
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.work.job_names import QUEUES, CallPlace, QueueName, check_work_store, missing_work_extra_error
from uac.schema.safe_text import counted

if TYPE_CHECKING:
    from uac.interfaces.http.webhook_delivery import WebhookSender
    from uac.interfaces.work.job_client import WorkState
    from uac.interfaces.work.jobs import Jobs
    from uac.interfaces.work.worker import CallLimits
    from uac.log.store import Store
    from uac.models import Models

__all__ = ["work"]

CONCURRENCY = 4


@click.group(cls=Group, invoke_without_command=True)
@click.option(
    "--queues",
    default=",".join(QUEUES),
    show_default=True,
    metavar="NAMES",
    help="The queues to serve, with commas between.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=CONCURRENCY,
    show_default=True,
    help="Jobs of one queue at a time, each for another user. The worker that started last sets it for all.",
)
@click.option(
    "--calls",
    type=click.Choice(get_args(CallPlace)),
    default="here",
    show_default=True,
    help="Who calls models: this worker, others ('elsewhere'), or this worker, which then does nothing else ('only').",
)
@click.option("--vendor-calls", type=click.IntRange(1), help="Model calls at a time for each vendor, by all workers.")
@click.option("--vendor-rate", type=click.IntRange(1), help="Model calls per minute for each vendor, by all workers.")
@click.option("--tenant-calls", type=click.IntRange(1), help="Model calls at a time for each tenant, by all workers.")
@click.option("--tenant-rate", type=click.IntRange(1), help="Model calls per minute for each tenant, by all workers.")
@click.option(
    "--keep",
    type=click.IntRange(20),
    default=60,
    show_default=True,
    help="Minutes that finished jobs are kept, with the ids of their users.",
)
@click.option("--local-hooks", is_flag=True, help="Allow webhooks to this machine and its network, also without TLS.")
@click.option(
    "--metrics", default="", metavar="HOST:PORT", help="Serve the state of all queues there, as Prometheus reads it."
)
@click.pass_context
def work(
    called: click.Context,
    *,
    queues: str,
    concurrency: int,
    calls: CallPlace,
    vendor_calls: int | None,
    vendor_rate: int | None,
    tenant_calls: int | None,
    tenant_rate: int | None,
    keep: int,
    local_hooks: bool,
    metrics: str,
) -> None:
    """Run a worker on a PostgreSQL store: it learns, lets time pass, sends webhooks, fills indexes, imports files.

    Jobs are DBOS workflows in the same database. Those of one user run in order, those of many users at the same time.
    If a worker dies, another one resumes its jobs, and no reply of a model that was stored is paid again. Start as many
    workers as you like, on as many machines; set UAC_LEARN=work for services and commands, so that they enqueue jobs
    and do nothing else. SIGTERM lets running jobs finish. Needs the extra 'work'. See docs/guides/work.md.

    \b
      uac work --store postgresql://…
      uac work --queues learn --concurrency 16 --vendor-rate 600 --tenant-calls 2
      uac work --calls elsewhere    # leaves the calls of models to: uac work --calls only
    """
    if called.invoked_subcommand is not None:
        return
    context = CliContext(called.meta.get(STORE), as_json=AS_JSON in called.meta)
    called.find_root().obj = context
    url = check_work_store(context.address)
    chosen = _read_queues(queues)
    context.check_settings()
    try:
        from uac.interfaces.work.worker import CallLimits, WorkerOptions, run_worker, vendors_of
    except ImportError as error:
        raise missing_work_extra_error(error) from None
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    limits = CallLimits(vendor_calls, vendor_rate, tenant_calls, tenant_rate)
    models = _models()
    _check_calls(calls, limits, models)
    context.store(create=True)
    is_queued = limits.is_set or calls != "here"
    with_hooks = "webhooks" in chosen and calls != "only"
    jobs = _make_jobs(
        context, models, is_queued=is_queued, concurrency=concurrency, with_hooks=with_hooks, local_hooks=local_hooks
    )
    options = WorkerOptions(
        queues=chosen,
        concurrency=concurrency,
        limits=limits,
        calls=calls,
        vendors=vendors_of(models.names) if models is not None else (),
        keep=timedelta(minutes=keep),
    )
    if metrics:
        _serve_metrics(url, metrics)

    def announce(name: str) -> None:
        used = ", ".join(dict.fromkeys(models.names.values())) if models else ""
        learning = f"learning with {used}" if used else "not learning: no model is configured"
        work = f"calling {used}" if calls == "only" else f"{', '.join(chosen)} · {learning}"
        click.echo(f"{name}: {work} · Ctrl-C stops it", err=True)

    code, end = 0, "stopped; other workers resume what is left"
    try:
        run_worker(url, jobs, options, on_ready=announce)
    except Unavailable as error:
        code, end = 4, f"{click.style('Unavailable: ', fg='red')}{error}"
    click.echo(end, err=True)
    sys.stderr.flush()
    os._exit(code)  # threads of jobs that did not finish in time would keep the process alive


@work.command("status")
@click.option("--prometheus", is_flag=True, help="Print it in the text format of Prometheus.")
@common_options
def work_status(context: CliContext, *, prometheus: bool) -> None:
    """Show the jobs of each queue: waiting, later, running, done and failed."""
    state = work_client(context).state()
    if prometheus:
        from uac.interfaces.work.job_client import prometheus_text

        sys.stdout.write(prometheus_text(state))
    elif context.out.as_json:
        import msgspec

        context.out.json(msgspec.to_builtins(state))
    else:
        _show_state(context, state)


@work.command("imports")
@click.argument("users", nargs=-1, shell_complete=complete_user_names)
@common_options
def work_imports(context: CliContext, *, users: tuple[str, ...]) -> None:
    """Show the files of USERS (default: all) that workers import, how far they are, and which lines are broken."""
    check_work_store(context.address)
    show_imports(context, users)


@work.command("pause")
@click.argument("queues", nargs=-1, type=click.Choice(QUEUES))
@common_options
def pause_work(context: CliContext, *, queues: tuple[str, ...]) -> None:
    """Let workers take no more jobs of QUEUES (default: all). Running jobs are finished, new ones wait."""
    _show_changed(context, "paused", work_client(context).pause(queues))


@work.command("resume")
@click.argument("queues", nargs=-1, type=click.Choice(QUEUES))
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=CONCURRENCY, show_default=True, help="Jobs at a time."
)
@common_options
def resume_work(context: CliContext, *, queues: tuple[str, ...], concurrency: int) -> None:
    """Let workers take jobs of QUEUES (default: all) again."""
    _show_changed(context, "resumed", work_client(context).resume(queues, concurrency=concurrency))


@work.command("retry")
@click.argument("users", nargs=-1, shell_complete=complete_user_names)
@common_options
def retry_work(context: CliContext, *, users: tuple[str, ...]) -> None:
    """Run failed and postponed jobs of USERS (default: all) now. Replies that were paid are not paid again."""
    count = work_client(context).retry(users)
    if context.out.as_json:
        context.out.json({"retried": count})
    else:
        context.out.line(f"{counted(count, 'job')} to run now")


@work.command("enqueue")
@click.argument("job", type=click.Choice(("learn", "tick", "webhooks", "index", "reindex")))
@click.argument("users", nargs=-1, shell_complete=complete_user_names)
@common_options
def enqueue_work(context: CliContext, *, job: str, users: tuple[str, ...]) -> None:
    """Enqueue JOB for USERS (default: all), such as 'reindex' after a change of the embedder."""
    client = work_client(context)
    names = users or tuple(user.name for user in context.all_users())
    moment = context.now().isoformat(timespec="seconds")
    for name in names:
        context.log(name)
        client.enqueue_user(job, name, moment)
    if context.out.as_json:
        context.out.json({"enqueued": len(names), "job": job})
    else:
        context.out.line(f"{job}: {counted(len(names), 'job')} enqueued")


def _read_queues(text: str) -> tuple[QueueName, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or not set(names) <= set(QUEUES):
        raise Refused(f"--queues is {text!r}. Use some of {', '.join(QUEUES)}, with commas between.")
    return tuple(queue for queue in QUEUES if queue in names)


def _check_calls(calls: CallPlace, limits: "CallLimits", models: "Models | None") -> None:
    if calls == "elsewhere" and limits.is_set:
        raise Refused("--calls elsewhere: This worker makes no calls. Set limits on the workers with --calls only.")
    if calls == "only" and models is None:
        raise Refused("--calls only: No model is configured. Set UAC_MODEL.")


def _models() -> "Models | None":
    """The models that learn; None if no model is configured."""
    from uac.models import chosen_models

    models = chosen_models()
    return models if "extract" in models.names else None


def _make_jobs(
    context: CliContext,
    models: "Models | None",
    *,
    is_queued: bool,
    concurrency: int,
    with_hooks: bool,
    local_hooks: bool,
) -> "Jobs":
    from uac.interfaces.work.jobs import Jobs
    from uac.log.stores import open_store
    from uac.models import chosen_embedder, parse_budget

    names: Mapping[str, str] = {} if models is None else {str(step): name for step, name in models.names.items()}
    return Jobs(
        open_store=lambda: open_store(context.address, create=False, clock=context.now),
        make_memory=context.memory_for_log,
        models=models,
        budget=parse_budget(os.environ),
        clock=context.now,
        vendor_of=lambda step: names.get(step, "").partition(":")[0],
        is_queued=is_queued,
        embeds=chosen_embedder() is not None,
        judged=models is not None and "judge" in models.own,
        concurrency=concurrency,
        make_sender=_sender_maker(context, local_hooks=local_hooks) if with_hooks else None,
    )


def _sender_maker(context: CliContext, *, local_hooks: bool) -> "Callable[[Store], WebhookSender]":
    try:
        from uac.interfaces.http.notify import ChangeNotifier
        from uac.interfaces.http.webhook_delivery import Rules, WebhookSender
        from uac.interfaces.service.webhooks import Hooks
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(
            f"{package} is not installed. Sending webhooks needs it: pip install 'user-as-code[serve]', "
            "or use --queues learn,ticks,index,imports."
        ) from None
    rules = Rules(private=local_hooks)

    def make_sender(store: "Store") -> "WebhookSender":
        return WebhookSender(store, Hooks(store.own(), context.now), ChangeNotifier(), context.now, rules)

    return make_sender


def _serve_metrics(url: str, address: str) -> None:
    from uac.interfaces.work.metrics_server import serve_metrics

    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65_535:
        raise Refused(f"--metrics is {address!r}. Use an address such as 127.0.0.1:9464.")
    click.echo(f"metrics: {serve_metrics(url, host, int(port))}", err=True)


def _show_state(context: CliContext, state: "WorkState") -> None:
    out = context.out
    out.line(f"{'queue':<20} {'waiting':>8} {'later':>8} {'running':>8} {'done':>8} {'failed':>8}  oldest")
    for queue in state.queues:
        figures = (queue.waiting, queue.later, queue.running, queue.done, queue.failed)
        oldest = f"{queue.oldest:.0f} s" if queue.waiting else ""
        paused = "  paused" if queue.is_paused else ""
        out.line(
            f"{queue.queue:<20} " + " ".join(f"{figure:>8}" for figure in figures) + f"  {oldest}{paused}".rstrip()
        )
    out.line(f"{counted(state.workers, 'worker')} busy")
    imports = state.imports
    if imports.files:
        lines = f"{imports.done:,} of {counted(imports.lines, 'line')} done, {imports.broken:,} broken"
        out.line(f"imports: {counted(imports.files, 'file')}, {imports.unfinished:,} unfinished; {lines}")


def _show_changed(context: CliContext, verb: str, queues: Iterable[str]) -> None:
    names = list(queues)
    if context.out.as_json:
        context.out.json({verb: names})
    else:
        context.out.line(f"{verb}: {', '.join(names)}")
