"""Spans and metrics for OpenTelemetry, if its OTEL_… settings ask for them; otherwise nothing is sent.

They record the route, the operation, the model, the duration, the result and the number of tokens.
They never contain a user's id or words: no paths, queries, bodies, messages of errors, prompts or replies.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from fastapi import FastAPI
from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Histogram, Meter, MeterProvider, Observation
from opentelemetry.trace import SpanKind, StatusCode, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac import __version__
from uac.interfaces.http.access_log import METHODS, logged_route
from uac.interfaces.http.memory_cache import MemoryCache
from uac.memory.memory import Memory
from uac.models import Estimate, Models, ModelsFor, chosen_models
from uac.models.model import Model
from uac.models.requests_and_replies import Reply, Request, Step

__all__ = ["Telemetry"]

P = ParamSpec("P")
T = TypeVar("T")

OPERATIONS = (
    *("recall", "context", "compute", "explain", "project_as_of"),
    *("checkpoint", "put", "correct", "end", "retract", "tick"),
    *("pending", "answer", "remember", "learn", "ask"),
)
"""The operations of a memory that get a span."""

ASKING = ("learn", "ask")
"""Operations that call models, which they take as their argument `models`."""

PROVIDERS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "google-gla": "gcp.gemini",
    "google-vertex": "gcp.vertex_ai",
    "bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "mistral": "mistral_ai",
    "grok": "x_ai",
}
"""The conventions' names of vendors that the settings name differently."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
MODEL_SECONDS = tuple(0.01 * 2**power for power in range(14))
TOKENS = tuple(4**power for power in range(14))


class Telemetry:
    """Records to the given providers. `close` sends the rest; `metrics_address` is where metrics are served, if so."""

    def __init__(
        self,
        tracers: TracerProvider,
        meters: MeterProvider,
        *,
        close: Callable[[], None] = lambda: None,
        metrics_address: str = "",
    ) -> None:
        meter = self._meter = meters.get_meter("uac", __version__)
        self._tracer = tracers.get_tracer("uac", __version__)
        self._served = _make_histogram(
            meter, "http.server.request.duration", "Duration of HTTP server requests.", SECONDS
        )
        self._done = _make_histogram(
            meter, "uac.memory.operation.duration", "Duration of a memory's operations.", SECONDS
        )
        self._asked = _make_histogram(
            meter, "gen_ai.client.operation.duration", "GenAI operation duration.", MODEL_SECONDS
        )
        self._tokens = _make_histogram(
            meter, "gen_ai.client.token.usage", "Number of input and output tokens used.", TOKENS, unit="{token}"
        )
        self.close = close
        self.metrics_address = metrics_address

    def observe_cache(self, cache: MemoryCache) -> None:
        """Report how many memories are open, and their estimated bytes, each time metrics are read."""

        def report(read: Callable[[], int]) -> Callable[[CallbackOptions], list[Observation]]:
            return lambda _options: [Observation(read())]

        self._meter.create_observable_up_down_counter(
            "uac.memory.cache.count", [report(cache.open_count)], "{memory}", "Memories that are open."
        )
        self._meter.create_observable_up_down_counter(
            "uac.memory.cache.usage", [report(cache.weight)], "By", "Estimated bytes of the open memories."
        )

    def trace_requests(self, app: FastAPI) -> None:
        """Record each request that the application serves."""
        app.add_middleware(_RequestTracing, telling=partial(self._span, duration=self._served, kind=SpanKind.SERVER))

    def trace_memory(self, memory: Memory) -> Memory:
        """Wrap the memory so that its operations and model calls emit spans and metrics."""
        for name in ASKING:
            setattr(memory, name, self._trace_models(getattr(memory, name)))
        for name in OPERATIONS:
            setattr(memory, name, self._trace_operation(name, getattr(memory, name)))
        return memory

    def _trace_operation(self, name: str, act: Callable[P, T]) -> Callable[P, T]:
        @wraps(act)
        def timed(*args: P.args, **options: P.kwargs) -> T:
            with self._span(f"memory.{name}", {"uac.operation.name": name}, duration=self._done):
                return act(*args, **options)

        return timed

    def _trace_models(self, act: Callable[..., T]) -> Callable[..., T]:
        arguments = signature(act)

        @wraps(act)
        def asking(*args: Any, **options: Any) -> T:
            given = arguments.bind(*args, **options)
            models = given.arguments.get("models")
            given.arguments["models"] = _TracedModels(chosen_models() if models is None else models, self.ask_model)
            return act(*given.args, **given.kwargs)

        return asking

    def ask_model(self, model: Model, request: Request, provider: str, name: str) -> Reply:
        """The model's reply. Its name, the step and the tokens are recorded."""
        known = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": name}
        with self._span(f"chat {name}", known, duration=self._asked, kind=SpanKind.CLIENT) as record:
            record.only_span |= {"gen_ai.output.type": "json", "gen_ai.request.max_tokens": request.reply_tokens}
            record.only_span["uac.step"] = request.step
            reply = model.ask(request)
            record.both["gen_ai.response.model"] = reply.model
            used = {"input": reply.input_tokens, "output": reply.output_tokens}
            record.only_span |= {f"gen_ai.usage.{kind}_tokens": tokens for kind, tokens in used.items()}
        for kind, tokens in used.items():
            self._tokens.record(tokens, {**record.both, "gen_ai.token.type": kind})
        return reply

    @contextmanager
    def _span(
        self,
        name: str,
        known: Mapping[str, str],
        *,
        duration: Histogram,
        kind: SpanKind = SpanKind.INTERNAL,
        context: Context | None = None,
    ) -> Iterator["_SpanRecord"]:
        """A span and a duration. Of an error, only the kind is recorded: its message may contain a user's words."""
        record = _SpanRecord(name, dict(known))
        started = time.perf_counter()
        with self._tracer.start_as_current_span(
            name, context, kind, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield record
            except BaseException as error:
                record.both.setdefault("error.type", type(error).__name__)
                raise
            finally:
                duration.record(time.perf_counter() - started, record.both)
                span.update_name(record.name)
                span.set_attributes({**record.both, **record.only_span})
                if "error.type" in record.both:
                    span.set_status(StatusCode.ERROR)


@dataclass(slots=True)
class _SpanRecord:
    """The attributes recorded for one operation."""

    name: str
    both: dict[str, str | int]
    """Recorded with the span and with the metrics, so it has few values."""
    only_span: dict[str, str | int] = field(default_factory=dict)


def _make_histogram(meter: Meter, name: str, about: str, bounds: tuple[float, ...], *, unit: str = "s") -> Histogram:
    return meter.create_histogram(name, unit=unit, description=about, explicit_bucket_boundaries_advisory=bounds)


class _RequestTracing:
    """Records each request: its method, its route as the OpenAPI document has it, and its status."""

    def __init__(self, app: ASGIApp, telling: Callable[..., AbstractContextManager[_SpanRecord]]) -> None:
        self._app = app
        self._span = telling

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        known = {"http.request.method": method, "url.scheme": scope["scheme"]}
        context = TraceContextTextMapPropagator().extract(dict(Headers(scope=scope)))
        name = "HTTP" if method == "_OTHER" else method
        with self._span(name, known, context=context) as record:

            async def noted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    record.both["http.response.status_code"] = message["status"]
                    if message["status"] >= 500:
                        record.both["error.type"] = str(message["status"])
                await send(message)

            try:
                return await self._app(scope, receive, noted)
            finally:
                if route := logged_route(scope):
                    record.both["http.route"] = route
                    record.name = f"{name} {route}"


@dataclass(frozen=True, slots=True)
class _TracedModels:
    """The caller's models, with telemetry."""

    models: ModelsFor
    ask: Callable[[Model, Request, str, str], Reply]

    def for_step(self, step: Step) -> Model | None:
        model = self.models.for_step(step)
        at_server = isinstance(self.models, Models) and bool(self.models.url)
        return (
            None
            if model is None
            else _TracedModel(model, self.ask, *_traced_model_names(model.name, at_server=at_server))
        )

    def estimate(self, request: Request) -> Estimate:
        return self.models.estimate(request)


@dataclass(frozen=True, slots=True)
class _TracedModel:
    """A model with telemetry."""

    model: Model
    telling: Callable[[Model, Request, str, str], Reply]
    provider: str
    called: str

    @property
    def name(self) -> str:
        return self.model.name

    def ask(self, request: Request) -> Reply:
        return self.telling(self.model, request, self.provider, self.called)


def _traced_model_names(name: str, *, at_server: bool) -> tuple[str, str]:
    """The provider and the model; names on your own server may contain colons."""
    vendor, colon, model = name.partition(":")
    return ("_OTHER", name) if at_server or not colon else (PROVIDERS.get(vendor, vendor), model)
