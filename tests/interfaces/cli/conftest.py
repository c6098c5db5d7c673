"""A store for the commands of conversation, and recorded replies to it."""

from pathlib import Path

import pytest

from support.cli_conversation import NOW, PATCHES, READ, ok, record
from uac.models.requests_and_replies import STEPS


@pytest.fixture
def unread_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ana has said two things, which nobody has read."""
    path = tmp_path / "memory.db"
    for name in ("MODEL", "MODEL_URL", "MODEL_KEY", "REPLIES", "RECORD", "PRICE", "ZONE", "UNREVIEWED"):
        monkeypatch.delenv(f"UAC_{name}", raising=False)
    for name in ("CALL", "DAY", "USER"):
        monkeypatch.delenv(f"UAC_BUDGET_{name}", raising=False)
    for step in STEPS:
        monkeypatch.delenv(f"UAC_MODEL_{step.upper()}", raising=False)
    for name, value in {"UAC_STORE": str(path), "UAC_PACKS": "health", "UAC_NOW": NOW, "UAC_LEARN": "manual"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))  # where failures are noted
    monkeypatch.chdir(tmp_path)
    ok("add", "ana", "I am allergic to penicillin.", "--session", "s1", "--at", "2026-03-01T12:00Z")
    ok("add", "ana", "Dr. Chen gave me amoxicillin yesterday.", "--session", "s1", "--at", "2026-03-01T12:01Z")
    return path


@pytest.fixture
def recorded(unread_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a model says to Ana's two sentences, and then to the facts."""
    record(unread_store, lambda memory, models: memory.learn(models), READ, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
