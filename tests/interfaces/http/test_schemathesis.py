"""Schemathesis asks the real server whatever the OpenAPI document allows, and what it forbids: it finds nothing."""

import logging
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from support.http_routes import BOOK, json_of
from support.http_service import LONG, Served, app_over, serving
from uac.log.stores.in_memory import MemoryStore

ASKING = """
request-timeout = 300

[warnings]
fail-on = ["missing_auth"]  # to be turned away everywhere is to find nothing

[generation]
max-examples = {examples}
deterministic = true
database = "none"

[dictionaries.users]
values = ["ana"]

[parameters]
"path.user" = {{ dictionary = "users", probability = 0.9 }}
"query.seconds" = 0  # a stream ends at once

# What is right by its schema may still be refused: a record that is not there, code that fails, a date that is past.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "403", "404", "409", "412", "422", "501", "503"]

# No model is configured, and a hook may lead nowhere: that is what 501 and 503 say.
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501", "503"]

[[operations]]  # or the user whom the others ask about would be gone
include-name = "DELETE /v1/users/{{user}}"
parameters = {{ "path.user" = "nobody" }}
phases.stateful.enabled = false

[[operations]]  # or the key that all of them use would be
include-name = "DELETE /v1/keys/{{id}}"
parameters = {{ "path.id" = "0123456789ab" }}
phases.stateful.enabled = false

[[operations]]  # or words would be sent to addresses on the network
include-name = "POST /v1/hooks/{{hook}}/test"
parameters = {{ "path.hook" = "0123456789ab" }}
phases.stateful.enabled = false
"""

THOROUGH = [
    "POST /v1/users/{user}/observations",
    "GET /v1/users/{user}/records",
    "DELETE /v1/users/{user}/records/{record}",
    "POST /v1/users/{user}/compute",
    "GET /v1/memories",
]
"""Operations of all kinds, of which each value that their schemas name is tried also where time is short."""


def test_every_operation_keeps_to_the_document(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found_nothing(tmp_path, caplog, "--phases=examples,fuzzing,stateful", examples=2)


def test_some_operations_keep_to_the_document_at_the_edges_of_their_schemas(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = [f"--include-name={name}" for name in THOROUGH]
    found_nothing(tmp_path, caplog, "--phases=coverage", *chosen, examples=1)


@pytest.mark.slow
def test_every_operation_keeps_to_the_document_at_length(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found_nothing(tmp_path, caplog, examples=50)


def found_nothing(folder: Path, caplog: pytest.LogCaptureFixture, *options: str, examples: int) -> None:
    """Run it against a server that has a user; what it says is shown if it found something.

    All checks are on but the one that measures time.
    """
    (folder / "asking.toml").write_text(ASKING.format(examples=examples))
    with serving(app_over(MemoryStore(), with_hooks=False)) as served:
        key = filled(served)
        # Built once, here: on a busy machine that takes longer than the tool waits for it.
        httpx2.get(f"{served.address}/openapi.json", timeout=LONG).raise_for_status()
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "asking.toml", "run"]
        header = f"--header=Authorization: Bearer {key}"
        run = subprocess.run(
            [
                *command,
                f"{served.address}/openapi.json",
                header,
                "--no-color",
                "--suppress-health-check=too_slow",
                *options,
            ],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2000:]
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def filled(served: Served) -> str:
    """A key that may do everything, to a service that knows a user with records, an alert and a memory."""
    key = served.key()
    client = served.client(key)
    json_of(client.post("/v1/users/ana/observations", json={"turns": [{"text": "I get hives from penicillin."}]}))
    json_of(client.post("/v1/users/ana/types", json={"type": BOOK}))
    for type_, fields in (
        ("reading.Book", {"title": "Emma", "pages": 474}),
        ("health.Allergy", {"substance": "Penicillin", "reaction": "hives"}),
        ("health.Medication", {"name": "Amoxicillin"}),
    ):
        json_of(client.post("/v1/users/ana/records", json={"type": type_, "fields": fields}))
    return key
