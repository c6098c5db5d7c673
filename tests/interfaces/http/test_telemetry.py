"""Telemetry: none unless the settings ask for it; then spans and metrics, and never a user's id or words."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import Histogram, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.semconv.attributes import error_attributes, http_attributes, url_attributes
from opentelemetry.semconv.metrics import http_metrics
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client.parser import text_string_to_metric_families

from support.http_process import bearer, uac_serve
from support.http_service import LONG, app_over, inside, make_key
from support.paths import TESTS
from support.scripted_model import allergy, facts, new_memory, put_allergy
from uac.errors import CodeError, Refused, Unreachable
from uac.interfaces.http.telemetry import Telemetry
from uac.interfaces.http.telemetry_settings import configured_telemetry
from uac.interfaces.inspector import mount
from uac.log.stores.in_memory import MemoryStore
from uac.models import Models, OneModel
from uac.models.scripted import ScriptedModel
from uac.text.token_count import count_tokens

CANARY = "canary7413"


class Heard:
    """What was told, in memory."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.telemetry = Telemetry(tracers, MeterProvider([self._metrics]))

    def spans(self) -> list[ReadableSpan]:
        return list(self._spans.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        (span,) = (span for span in self.spans() if span.name == name)
        return span

    def points(self) -> dict[str, list[tuple[dict[str, Any], int, float]]]:
        """By histogram: the attributes, how often, and the sum."""
        found = self._metrics.get_metrics_data()
        return {
            metric.name: [(dict(point.attributes or {}), point.count, point.sum) for point in metric.data.data_points]
            for resource in (found.resource_metrics if found else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if isinstance(metric.data, Histogram)
        }


@pytest.fixture
def heard() -> Heard:
    return Heard()


# --- requests and operations ----------------------------------------------------------------------------------------


def test_a_request_and_the_operation_inside_are_told_by_route_and_name(heard: Heard) -> None:
    app = app_over(MemoryStore(), telemetry=heard.telemetry)
    with TestClient(app, headers=bearer(make_key(app))) as client:
        client.post("/v1/users/ana/observations", json={"turns": [{"text": "I like tea."}]})
        client.post("/v1/users/ana/recall", json={"query": "tea"})
    outer, inner = heard.named("POST /v1/users/{user}/recall"), heard.named("memory.recall")
    told = {
        http_attributes.HTTP_REQUEST_METHOD: "POST",
        http_attributes.HTTP_ROUTE: "/v1/users/{user}/recall",
        http_attributes.HTTP_RESPONSE_STATUS_CODE: 200,
        url_attributes.URL_SCHEME: "http",
    }
    assert (outer.kind, outer.status.status_code, dict(outer.attributes or {})) == (
        SpanKind.SERVER,
        StatusCode.UNSET,
        told,
    )
    assert (inner.kind, dict(inner.attributes or {})) == (SpanKind.INTERNAL, {"uac.operation.name": "recall"})
    assert inner.parent == outer.context
    points = heard.points()
    assert [(known, count) for known, count, _sum in points[http_metrics.HTTP_SERVER_REQUEST_DURATION]] == [
        ({**told, http_attributes.HTTP_ROUTE: "/v1/users/{user}/observations", "http.response.status_code": 201}, 1),
        (told, 1),
    ]
    assert [(known, count) for known, count, _sum in points["uac.memory.operation.duration"]] == [
        ({"uac.operation.name": "recall"}, 1)
    ]


def test_a_request_belongs_to_the_trace_that_its_client_names(heard: Heard) -> None:
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with TestClient(app_over(MemoryStore(), telemetry=heard.telemetry)) as client:
        client.get("/healthz", headers={"traceparent": f"00-{trace}-{parent}-01"})
    span = heard.named("GET /healthz")
    assert span.parent is not None
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (trace, parent)


def test_paths_without_a_route_and_methods_that_nobody_knows_are_not_told(heard: Heard) -> None:
    app = app_over(MemoryStore(), telemetry=heard.telemetry)
    mount(app)
    with TestClient(app, follow_redirects=False) as client:
        for method, path in (("GET", f"/{CANARY}"), (CANARY, "/healthz"), ("GET", f"/inspector/users/{CANARY}")):
            client.request(method, path)
    assert [span.name for span in heard.spans()] == ["GET", "HTTP /healthz", "GET /inspector/users/{user}"]
    assert CANARY not in everything(heard)


def test_an_error_is_told_by_its_kind(heard: Heard) -> None:
    app = app_over(MemoryStore(), telemetry=heard.telemetry)

    def broken() -> None:
        raise ValueError(CANARY)

    app.add_api_route("/broken", broken)
    with inside(app) as client:
        assert client.get("/broken").status_code == 500
    memory = heard.telemetry.trace_memory(new_memory())
    with pytest.raises(CodeError):
        memory.compute(f"1 / 0  # {CANARY}")
    memory.close()
    spans = [heard.named("GET /broken"), heard.named("memory.compute")]
    assert [(span.attributes or {})[error_attributes.ERROR_TYPE] for span in spans] == ["ValueError", "CodeError"]
    assert {(span.status.status_code, span.status.description) for span in spans} == {(StatusCode.ERROR, None)}
    assert CANARY not in everything(heard)


def test_no_word_and_no_id_of_a_user_is_told_whatever_is_asked(heard: Heard) -> None:
    """Every operation of the document is called, with the canary wherever a text can be."""
    app = app_over(MemoryStore(), telemetry=heard.telemetry)
    mount(app)
    with TestClient(app, headers=bearer(make_key(app)), raise_server_exceptions=False) as client:
        client.post(f"/v1/users/{CANARY}/observations", json={"turns": [{"text": f"My name is {CANARY}."}]})
        client.post(f"/v1/users/{CANARY}/recall", json={"query": CANARY})
        client.post(f"/v1/users/{CANARY}/compute", json={"code": f"undefined_{CANARY}"})
        client.get(f"/inspector/users/{CANARY}")
        asked = 0
        for path, operations in app.openapi()["paths"].items():
            if path.endswith("/events"):  # it does not end
                continue
            filled = "/".join(CANARY if part.startswith("{") else part for part in path.split("/"))
            for method in operations:
                body = dict.fromkeys(("text", "query", "code", "question", "name", "record", "field", "why"), CANARY)
                client.request(method, filled, params={"q": CANARY, "user_id": CANARY}, json=body)
                asked += 1
    assert len(heard.spans()) > asked > 20
    assert {"memory.recall", "memory.compute"} <= {span.name for span in heard.spans()}
    assert CANARY not in everything(heard)


def everything(heard: Heard) -> str:
    """All that was told, as text."""
    return "\n".join(span.to_json() for span in heard.spans()) + json.dumps(heard.points())


# --- models ---------------------------------------------------------------------------------------------------------


VENDOR = "openai-chat:gpt-5-mini"


def test_a_call_to_a_model_is_told_with_the_names_of_the_conventions(heard: Heard) -> None:
    memory = heard.telemetry.trace_memory(new_memory())
    memory.add("I'm allergic to penicillin.")
    model = ScriptedModel(facts(allergy(1)), put_allergy(2), name=VENDOR)
    memory.learn(OneModel(model))
    memory.close()
    extract = next(span for span in heard.spans() if (span.attributes or {}).get("uac.step") == "extract")
    request = model.requests[0]
    reply = count_tokens(json.dumps(facts(allergy(1))))
    known = {
        gen_ai.GEN_AI_OPERATION_NAME: gen_ai.GenAiOperationNameValues.CHAT.value,
        gen_ai.GEN_AI_PROVIDER_NAME: gen_ai.GenAiProviderNameValues.OPENAI.value,
        gen_ai.GEN_AI_REQUEST_MODEL: "gpt-5-mini",
        gen_ai.GEN_AI_RESPONSE_MODEL: VENDOR,
    }
    assert (extract.name, extract.kind, extract.status.status_code) == (
        "chat gpt-5-mini",
        SpanKind.CLIENT,
        StatusCode.UNSET,
    )
    assert dict(extract.attributes or {}) == {
        **known,
        gen_ai.GEN_AI_OUTPUT_TYPE: gen_ai.GenAiOutputTypeValues.JSON.value,
        gen_ai.GEN_AI_REQUEST_MAX_TOKENS: request.reply_tokens,
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: request.tokens,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: reply,
        "uac.step": "extract",
    }
    assert extract.parent == heard.named("memory.learn").context
    points = heard.points()
    assert [(about, count) for about, count, _sum in points[gen_ai_metrics.GEN_AI_CLIENT_OPERATION_DURATION]] == [
        (known, 2)
    ]
    used: dict[str, tuple[int, float]] = {
        about[gen_ai.GEN_AI_TOKEN_TYPE]: (count, total)
        for about, count, total in points[gen_ai_metrics.GEN_AI_CLIENT_TOKEN_USAGE]
    }
    assert {kind: count for kind, (count, _total) in used.items()} == {"input": 2, "output": 2}
    assert used["input"][1] == sum(request.tokens for request in model.requests)
    assert "penicillin" not in everything(heard)


def test_a_model_that_gives_no_answer_is_told_by_the_kind_of_error(heard: Heard) -> None:
    memory = heard.telemetry.trace_memory(new_memory())
    memory.add("I'm allergic to penicillin.")
    memory.learn(models=OneModel(ScriptedModel(Unreachable("the server said: penicillin"), name=VENDOR)))
    memory.close()
    span = heard.named("chat gpt-5-mini")
    assert (span.attributes or {})[error_attributes.ERROR_TYPE] == "Unreachable"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert gen_ai_metrics.GEN_AI_CLIENT_TOKEN_USAGE not in heard.points()
    assert "penicillin" not in everything(heard)


@pytest.mark.parametrize(
    ("models", "name", "told"),
    [
        (Models(), "anthropic:claude-x", ("anthropic", "claude-x")),
        (Models(), "google-gla:gemini-x", (gen_ai.GenAiProviderNameValues.GCP_GEMINI.value, "gemini-x")),
        (Models(), "bedrock:a:b", (gen_ai.GenAiProviderNameValues.AWS_BEDROCK.value, "a:b")),
        (Models(), "recorded", ("_OTHER", "recorded")),
        (Models(url="http://localhost:1/v1"), "llama:8b", ("_OTHER", "llama:8b")),
    ],
)
def test_a_provider_has_the_name_that_the_conventions_give_it(
    heard: Heard, models: Models, name: str, told: tuple[str, str]
) -> None:
    model = ScriptedModel(facts())
    model.name = name
    memory = heard.telemetry.trace_memory(new_memory())
    memory.add("Hello.")
    models = Models(names={"extract": name}, url=models.url, _opened={name: model})
    memory.learn(models)
    memory.close()
    attributes = next(span.attributes for span in heard.spans() if span.kind == SpanKind.CLIENT) or {}
    assert (attributes[gen_ai.GEN_AI_PROVIDER_NAME], attributes[gen_ai.GEN_AI_REQUEST_MODEL]) == told


# --- settings -------------------------------------------------------------------------------------------------------


@pytest.fixture
def otel(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "METRICS_ENDPOINT", "PROTOCOL"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"OTEL_SERVICE_NAME": "memory"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_SDK_DISABLED": "true"},
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1",
            "OTEL_TRACES_EXPORTER": "none",
            "OTEL_METRICS_EXPORTER": "none",
        },
    ],
)
def test_there_is_no_telemetry_unless_the_settings_ask_for_it(
    otel: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    for name, value in settings.items():
        otel.setenv(name, value)
    assert configured_telemetry() is None


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER is 'zipkin'. Use otlp, console or none."),
        (
            {"OTEL_METRICS_EXPORTER": "statsd"},
            "OTEL_METRICS_EXPORTER is 'statsd'. Use otlp, prometheus, console or none.",
        ),
        (
            {"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT": "many"},
            "OTEL_EXPORTER_PROMETHEUS_PORT is 'many'. Use a port, such as 9464.",
        ),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'. Use http/protobuf.",
        ),
    ],
)
def test_settings_that_cannot_be_followed_are_refused(
    otel: pytest.MonkeyPatch, settings: dict[str, str], told: str
) -> None:
    for name, value in settings.items():
        otel.setenv(name, value)
    with pytest.raises(Refused, match=told):
        configured_telemetry()


def test_settings_that_ask_for_a_package_which_is_missing_name_what_installs_it(otel: pytest.MonkeyPatch) -> None:
    otel.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:1")
    otel.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(Refused, match=r"opentelemetry.* is not installed\. Install it: pip install '\.\[otel\]'"):
        configured_telemetry()


def test_the_framework_tells_nothing_by_itself_even_if_it_is_asked_to() -> None:
    """FastAPI would tell paths, input and messages of errors to whoever is the process's own provider."""
    script = """
import sys
sys.path.insert(0, sys.argv[1])
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
spans, reader, tracers = InMemorySpanExporter(), InMemoryMetricReader(), TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(tracers)
metrics.set_meter_provider(MeterProvider([reader]))
from fastapi.testclient import TestClient
from support.http_service import app_over
from uac.log.stores.in_memory import MemoryStore
with TestClient(app_over(MemoryStore())) as client:
    client.post("/v1/keys", json={"name": 7})
print(len(spans.get_finished_spans()), reader.get_metrics_data())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(TESTS)],
        env={"FASTAPI_OTEL_AUTO_CONFIGURE": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "0 None\n", done.stderr


# --- to a collector -------------------------------------------------------------------------------------------------


@contextmanager
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A server on this machine that takes what is exported: its address, and what came."""
    came: list[tuple[str, bytes]] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", came
        finally:
            server.shutdown()
            thread.join()


def test_a_service_that_stops_has_sent_all_to_the_collector(tmp_path: Path) -> None:
    with (
        collector() as (address, came),
        uac_serve(tmp_path / "memory.db", "--no-keys", OTEL_EXPORTER_OTLP_ENDPOINT=address, NO_PROXY="*") as process,
    ):
        with httpx2.Client(base_url=process.address, trust_env=False, timeout=LONG) as client:
            client.post("/v1/users/ana/observations", json={"turns": [{"text": f"I am {CANARY}."}]})
            client.post("/v1/users/ana/recall", json={"query": CANARY})
        assert process.end(signal.SIGTERM) == 0
        assert process.rest == ""
    spans = [
        (resource.resource.attributes, span.name)
        for path, body in came
        if path == "/v1/traces"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert {name for _attributes, name in spans} == {
        "POST /v1/users/{user}/observations",
        "memory.recall",
        "POST /v1/users/{user}/recall",
    }
    named = {one.key: one.value.string_value for one in spans[0][0]}
    assert named["service.name"] == "uac"
    assert (
        str(UUID(named["service.instance.id"])) == named["service.instance.id"]
    )  # a collector keeps several processes apart by it
    metrics = {
        metric.name
        for path, body in came
        if path == "/v1/metrics"
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    cache = {"uac.memory.cache.count", "uac.memory.cache.usage"}
    assert metrics == {"http.server.request.duration", "uac.memory.operation.duration", *cache}
    assert not [path for path, body in came if CANARY.encode() in body]


# --- for Prometheus -------------------------------------------------------------------------------------------------


def samples(text: str) -> dict[str, float]:
    """The samples of an answer to Prometheus, summed over their labels."""
    totals: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            totals[sample.name] = totals.get(sample.name, 0.0) + sample.value
    return totals


def test_prometheus_reads_the_metrics_of_each_process_at_a_port_of_its_own(tmp_path: Path) -> None:
    settings = {"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_PORT": "19464", "NO_PROXY": "*"}
    with (
        uac_serve(tmp_path / "memory.db", "--no-keys", **settings) as first,
        uac_serve(tmp_path / "memory.db", "--no-keys", **settings) as second,
    ):
        lines = [line for process in (first, second) for line in process.said]
        addresses = [line.removeprefix("metrics: ") for line in lines if line.startswith("metrics: ")]
        with httpx2.Client(base_url=first.address, trust_env=False, timeout=LONG) as client:
            client.post("/v1/users/ana/observations", json={"turns": [{"text": f"I am {CANARY}."}]})
            client.post("/v1/users/ana/recall", json={"query": CANARY})
        with httpx2.Client(trust_env=False, timeout=LONG) as client:
            texts = [client.get(address).text for address in addresses]
    assert len(set(addresses)) == 2
    seen = [samples(text) for text in texts]
    assert seen[0]["http_server_request_duration_seconds_count"] == 2
    assert seen[0]["uac_memory_operation_duration_seconds_count"] == 1
    assert seen[0]["uac_memory_cache_count"] == 1
    assert seen[0]["uac_memory_cache_usage_bytes"] > 0
    assert seen[0]["process_resident_memory_bytes"] > 0
    assert "http_server_request_duration_seconds_count" not in seen[1]
    assert CANARY not in texts[0]
    assert "ana" not in re.findall(r'"([^"]*)"', texts[0])
