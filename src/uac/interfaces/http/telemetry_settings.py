"""Telemetry as OpenTelemetry's settings (OTEL_…) ask for it: sent to a collector, printed, or served to Prometheus."""

import os
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING
from uuid import uuid4
from wsgiref.simple_server import WSGIServer

from uac.errors import Refused
from uac.interfaces.http.telemetry import Telemetry

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader

__all__ = ["configured_telemetry"]

EXPORTERS = {"TRACES": ("otlp", "console", "none"), "METRICS": ("otlp", "prometheus", "console", "none")}

PORTS = 64
"""How many ports are tried: the processes of one service on one machine take one after the other."""


def configured_telemetry() -> Telemetry | None:
    """The telemetry that the OTEL_… settings ask for; None if they ask for none."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    traces, metrics = _configured_exporter("TRACES"), _configured_exporter("METRICS")
    if traces == metrics == "none":
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk import metrics as sdk_metrics
        from opentelemetry.sdk import resources, trace
        from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
    except ImportError as error:
        raise _missing_extra_error(error) from None
    resource = resources.Resource.create(_service_attributes())
    tracers = trace.TracerProvider(resource=resource)
    if traces != "none":
        tracers.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter() if traces == "otlp" else ConsoleSpanExporter())
        )
    readers: list[MetricReader] = []
    address = ""
    stop_serving: Callable[[], None] = _do_nothing
    if metrics == "prometheus":
        reader, address, stop_serving = _serve_metrics()
        readers = [reader]
    elif metrics != "none":
        readers = [
            PeriodicExportingMetricReader(OTLPMetricExporter() if metrics == "otlp" else ConsoleMetricExporter())
        ]
    meters = sdk_metrics.MeterProvider(readers, resource)

    def close() -> None:
        stop_serving()
        tracers.shutdown()
        meters.shutdown()

    return Telemetry(tracers, meters, close=close, metrics_address=address)


def _service_attributes() -> dict[str, str]:
    """The name of the service, and an id of this process, by which a collector keeps several of them apart."""
    attributes = {"service.name": os.environ.get("OTEL_SERVICE_NAME", "") or "uac"}
    if "service.instance.id=" not in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""):
        attributes["service.instance.id"] = str(uuid4())
    return attributes


def _serve_metrics() -> "tuple[MetricReader, str, Callable[[], None]]":
    """A reader whose metrics Prometheus fetches, their address, and a function that ends the server.

    If the port is taken, the next free one is used, so that each process of a service has one.
    """
    try:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import start_http_server
    except ImportError as error:
        raise _missing_extra_error(error) from None
    host = os.environ.get("OTEL_EXPORTER_PROMETHEUS_HOST", "").strip() or "localhost"
    setting = os.environ.get("OTEL_EXPORTER_PROMETHEUS_PORT", "").strip() or "9464"
    if not setting.isascii() or not setting.isdigit() or not 0 <= (first := int(setting)) <= 65_535:
        raise Refused(f"OTEL_EXPORTER_PROMETHEUS_PORT is {setting!r}. Use a port, such as 9464.")
    problem = OSError()
    for port in range(first, min(first + PORTS, 65_536)):
        try:
            server, thread = start_http_server(port, host)
        except OSError as error:
            problem = error
        else:
            return (
                PrometheusMetricReader(),
                f"http://{host}:{server.server_port}/metrics",
                partial(_stop_server, server, thread),
            )
    raise Refused(
        f"No port from {first} on is free for metrics on {host}: {problem}. Choose OTEL_EXPORTER_PROMETHEUS_PORT."
    )


def _stop_server(server: WSGIServer, thread: Thread) -> None:
    server.shutdown()
    server.server_close()
    thread.join()


def _do_nothing() -> None:
    pass


def _missing_extra_error(error: ImportError) -> Refused:
    return Refused(
        f"OTEL_… settings ask for telemetry, but {error.name} is not installed. Install it: pip install '.[otel]'"
    )


def _configured_exporter(signal: str) -> str:
    """Where spans or metrics go, by its name in the settings."""
    addresses = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    default = "otlp" if any(os.environ.get(name, "").strip() for name in addresses) else "none"
    setting = f"OTEL_{signal}_EXPORTER"
    exporter = os.environ.get(setting, "").strip().lower() or default
    *others, last = allowed = EXPORTERS[signal]
    if exporter not in allowed:
        raise Refused(f"{setting} is {exporter!r}. Use {', '.join(others)} or {last}.")
    protocols = (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    for name in protocols if exporter == "otlp" else ():
        if (protocol := os.environ.get(name, "").strip()) not in ("", "http/protobuf"):
            raise Refused(f"{name} is {protocol!r}. Use http/protobuf.")
    return exporter
