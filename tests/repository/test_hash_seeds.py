"""Nothing that is stored, hashed, sent or rendered depends on the order of a set: three hash seeds give the same bytes."""

import os
import subprocess
import sys

import pytest

from support.paths import TESTS

SEEDS = ("0", "1", "4711")

SCRIPT = """
import json, sys
from hashlib import sha256
sys.path.insert(0, sys.argv[1])
from support.scripted_model import allergy, facts, new_memory, put_allergy
from uac.models.scripted import ScriptedModel
from uac.models import OneModel
from uac.project.render import render
from uac.schema.entries import encode

model = ScriptedModel(facts(allergy(1)), put_allergy(2), facts(), facts())
memory = new_memory()
memory.add("I'm allergic to penicillin.")
memory.learn(OneModel(model))
memory.put("travel.Trip", {"destination": "Rome", "country": "Italy", "departs": "2026-05-01", "international": True})
memory.put("health.Medication", {"name": "amoxicillin"})
found = {
    "requests": [request.hash for request in model.requests],
    "log": [encode(stored.entry).decode() for stored in memory.log.read()],
    "files": render(memory.project()),
    "manifest": memory.manifest(),
    "context": memory.context("What am I allergic to?").text,
    "alerts": [repr(alert) for alert in memory.alerts()],
}
print(json.dumps({name: sha256(json.dumps(part).encode()).hexdigest() for name, part in found.items()}))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[str]]:
    """Two lines for each seed: the digests of what was made, and what was made."""
    running = {
        seed: subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(TESTS)],
            env=os.environ | {"PYTHONHASHSEED": seed, "UAC_EMBEDDER": "none"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in SEEDS
    }
    found = {seed: process.communicate()[0].splitlines() for seed, process in running.items()}
    assert [process.returncode for process in running.values()] == [0] * len(SEEDS)
    return found


def test_requests_logs_and_rendered_projects_are_the_same_under_every_hash_seed(outputs: dict[str, list[str]]) -> None:
    first, *others = (outputs[seed][0] for seed in SEEDS)
    assert others == [first] * len(others)


def test_what_is_compared_is_there(outputs: dict[str, list[str]]) -> None:
    """The test above means something only if requests were made, alerts raised and files rendered."""
    made = outputs[SEEDS[0]][1]
    for part in ("penicillin", "amoxicillin", "domains/health/state.py", "domains/travel/state.py", "allergy"):
        assert part in made
