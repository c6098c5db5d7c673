"""Ana's conversation on the command line: what she said, and what a model replies to it."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from support.cli import uac
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.models import Models, Recorder
from uac.models.requests_and_replies import STEPS, Reply
from uac.models.scripted import ScriptedModel

NOW = "2026-03-01T13:00+00:00"
ALLERGY = {
    "text": "The user is allergic to penicillin.",
    "about": "user",
    "cites": [{"turn": 1, "quote": "I am allergic to penicillin"}],
    "topic": "health",
}
DRUG = {
    "text": "Dr. Chen gave the user amoxicillin on 2026-02-28.",
    "about": "user",
    "cites": [{"turn": 2, "quote": "Dr. Chen gave me amoxicillin yesterday"}],
    "when": "yesterday",
    "start": "2026-02-28",
    "end": "2026-02-28",
    "topic": "health",
}
NUTS = {**ALLERGY, "text": "The user is allergic to nuts.", "cites": [{"turn": 1, "quote": "allergic to nuts"}]}
READ = json.dumps({"facts": [ALLERGY, DRUG]})
PUT_ALLERGY = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [3]}
PUT_DRUG = {
    "op": "put",
    "type": "health.Medication",
    "fields": {"name": "amoxicillin", "started": "2026-02-28"},
    "cites": [4],
}
PATCHES = json.dumps({"patches": [PUT_ALLERGY, PUT_DRUG]})
RECORDS = ["+ health.Allergy:penicillin", "+ health.Medication:amoxicillin"]
TAKEN = ["     3  The user is allergic to penicillin.", "     4  Dr. Chen gave the user amoxicillin on 2026-02-28."]


def ok(*arguments: str, stdin: str | None = None) -> str:
    result = uac(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def json_lines(*arguments: str, stdin: str | None = None) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json", stdin=stdin).splitlines()]


def head(user: str = "ana") -> int:
    return next(int(line["entries"]) for line in json_lines("users") if line["user"] == user)


def ids() -> list[str]:
    return [request["id"] for request in json_lines("pending", "ana")]


def record(store: Path, run: Callable[[Memory, Models], object], *replies: str) -> None:
    """Write replies.jsonl: what a model would say to the requests that `run` makes, found out on a copy of the store."""
    copy = Path(shutil.copy(store, store.with_name("copy.db")))
    counted = [Reply(text=text, model="scripted", input_tokens=100, output_tokens=10) for text in replies]
    models = Models(
        names=dict.fromkeys(STEPS, "scripted"), _opened={"scripted": Recorder(ScriptedModel(*counted), "replies.jsonl")}
    )
    with closing(SqliteStore(copy, create=False)) as opened:
        run(Memory(opened.log("ana"), clock=lambda: datetime.fromisoformat(NOW)), models)
    copy.unlink()
