"""Nothing that is stored, hashed, sent or rendered depends on the order of a set: three hash seeds give the same bytes."""

import json
import os
import subprocess
import sys

import pytest

from support.paths import TESTS

SEEDS = ("0", "1", "6")

SCRIPT = """
import json, sys
from hashlib import sha256
sys.path.insert(0, sys.argv[1])
from support.scripted_model import allergy, fact, facts, new_memory, put_allergy
from uac.models.scripted import ScriptedModel
from uac.models import OneModel
from uac.project.render import render
from uac.schema.entries import encode

MOVED = "Lunch with Jonas is moved to Friday"

def answer(request):
    content = json.loads(request.content)
    if request.step == "extract":
        wrong = fact("Lunch with Jonas is moved to 2024-06-30.", 2, MOVED)
        right = fact("Lunch with Jonas is moved to 2024-05-10.", 2, MOVED, topic="calendar")
        return facts(right) if "refused" in content else facts(allergy(1), wrong)
    if request.step == "checkpoint":
        number = content["facts"][-1]["fact"]
        moved = {"fields": {"starts": "2024-05-10T12:00:00+00:00"}, "cites": [number]}
        unknown = {"op": "put", "type": "calendar.Lunch", **moved}
        lunch = next(record for record in content["records"] if record.startswith("calendar."))
        amend = {"op": "amend", "record": lunch, **moved}
        if "refused" in content:
            return {"patches": [amend]}
        return {"patches": [*put_allergy(content["facts"][0]["fact"])["patches"], unknown]}
    return {"answer": "", "known": False}

model = ScriptedModel.answering(answer)
memory = new_memory()
memory.add("I'm allergic to penicillin.", session="a")
memory.add(f"{MOVED}, it takes an hour and a quarter.", session="a")
for name in ("Jonas", "Mia", "Tomasz"):
    memory.put("people.Person", {"name": name, "lives_in": "Lisbon", "likes": ["figs", "plums", "quinces"]})
memory.put("travel.Trip", {"destination": "Rome", "country": "Italy", "departs": "2026-05-01", "international": True})
memory.put("calendar.Appointment", {"what": "lunch with Jonas", "starts": "2024-05-09T12:00:00+00:00"})
memory.learn(OneModel(model))
memory.put("health.Medication", {"name": "amoxicillin"})
answered = memory.ask("How many people do I know?", OneModel(model))
found = {
    "requests": [[request.step, request.id, request.hash, request.content] for request in model.requests],
    "log": [encode(stored.entry).decode() for stored in memory.log.read()],
    "files": render(memory.project()),
    "manifest": memory.manifest(),
    "answer": repr(answered),
    "context": memory.context("What am I allergic to, and where does Mia live?").text,
    "recall": [(hit.position, hit.record, hit.score) for hit in memory.recall("Who lives in Lisbon and likes plums?")],
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
    steps = [(step, "refused" in json.loads(content)) for step, _id, _hash, content in json.loads(made)["requests"]]
    asked_twice = [("extract", False), ("extract", True), ("checkpoint", False), ("checkpoint", True)]
    assert steps == [*asked_twice, ("ask", False)]
    for part in ("penicillin", "amoxicillin", "domains/health/state.py", "domains/travel/state.py", "allergy"):
        assert part in made
