"""The dashboard and the alerting rules: their queries parse, and ask for metrics that the service really serves."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from fastapi.testclient import TestClient
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from support.http_service import app_over
from support.paths import ROOT
from support.scripted_model import facts, new_memory
from uac.interfaces.http.telemetry import Telemetry
from uac.interfaces.work.job_client import QueueState, WorkState, prometheus_text
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel

yaml = pytest.importorskip("yaml", reason="comes with the requirements of the documentation")

MONITORING = ROOT / "deploy" / "monitoring"
DASHBOARD = json.loads((MONITORING / "grafana-dashboard.json").read_text())
RULES: list[dict[str, Any]] = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]

PROMETHEUS_OWN = {"up"}
"""Metrics that Prometheus makes by itself for each target."""


def queries() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "5m").replace("$job", "uac")
    for rule in RULES:
        yield rule["expr"]


def selectors(expression: object) -> Iterator[promql_parser.VectorSelector]:
    """All selections of series in a parsed query."""
    if isinstance(expression, promql_parser.VectorSelector):
        yield expression
    for name in ("expr", "lhs", "rhs", "vector_selector"):
        yield from selectors(getattr(expression, name, None)) if getattr(expression, name, None) is not None else ()
    for argument in getattr(expression, "args", None) or ():
        yield from selectors(argument)


@pytest.fixture(scope="module")
def served() -> dict[str, set[str]]:
    """The series that Prometheus gets from a service that was used, with a model, and from a worker: name to labels."""
    # The reader registers itself with the process's registry, which other tests use, too.
    reader = PrometheusMetricReader()
    telemetry = Telemetry(TracerProvider(), MeterProvider([reader]))
    with TestClient(app_over(MemoryStore(), telemetry=telemetry, with_keys=False)) as client:
        client.post("/v1/users/ana/observations", json={"turns": [{"text": "I am allergic to penicillin."}]})
        client.post("/v1/users/ana/recall", json={"query": "penicillin"})
    memory = telemetry.trace_memory(new_memory())
    memory.add("Hello.")
    memory.learn(OneModel(ScriptedModel(facts(), name="openai:gpt-5-mini")))
    memory.close()
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(reader._collector)
    queue = QueueState(
        queue="learn", waiting=1, later=0, running=0, done=0, failed=0, oldest=1.0, concurrency=0, is_paused=False
    )
    text = generate_latest(registry).decode() + prometheus_text(
        WorkState(at=datetime(2026, 11, 18, tzinfo=UTC), workers=1, queues=(queue,))
    )
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_each_query_parses_and_asks_for_a_metric_and_labels_that_are_served(served: dict[str, set[str]]) -> None:
    added_by_prometheus = {"job", "instance"}
    only_on_errors = {"error_type"}
    checked = 0
    for query in queries():
        for selector in selectors(promql_parser.parse(query)):
            checked += 1
            if selector.name in PROMETHEUS_OWN:
                continue
            assert selector.name in served, query
            asked = {matcher.name for matcher in selector.matchers.matchers}
            assert asked <= served[selector.name] | added_by_prometheus | only_on_errors, query
    assert checked > 15


def test_what_a_dashboard_groups_by_is_a_label_that_is_served(served: dict[str, set[str]]) -> None:
    labels = set().union(*served.values()) | {"instance", "error_type", "le"}
    named = {
        label.strip()
        for query in queries()
        for group in re.findall(r"by \(([^)]*)\)", query)
        for label in group.split(",")
    }
    assert named <= labels
    shown = {
        label
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
        for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
    }
    assert shown <= labels


def test_each_alert_of_the_rules_is_explained_in_the_guide() -> None:
    guide = Path(ROOT / "docs/guides/operations.md").read_text()
    assert [rule["alert"] for rule in RULES if f"`{rule['alert']}`" not in guide] == []


def test_panels_do_not_overlap_and_have_their_own_ids() -> None:
    places = [tuple(panel["gridPos"][side] for side in "xywh") for panel in DASHBOARD["panels"]]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
    for number, (x, y, w, h) in enumerate(places):
        assert x + w <= 24
        for other_x, other_y, other_w, other_h in places[:number]:
            assert x >= other_x + other_w or other_x >= x + w or y >= other_y + other_h or other_y >= y + h
