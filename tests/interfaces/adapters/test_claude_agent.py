"""The Claude Agent SDK with the Claude Code that it brings, against a server that stands in for the vendor's API.

`make adapters` installs it.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="The Claude Agent SDK is not installed here: make adapters")

import claude_agent_sdk
from frameworks.claude_agent import reply

from support.adapters import new_memory, spoken_words
from support.paths import ROOT
from uac import Memory, open_store

CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
PLUGIN = ROOT / "integrations" / "claude-code"
LONG = 120.0


class Vendor(ThreadingHTTPServer):
    """Answers every request for a message with one sentence, and keeps the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.requests: list[dict[str, Any]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def sent_text(self) -> str:
        """Everything that the models were sent, as one text."""
        return json.dumps(self.requests, ensure_ascii=False)


class _Answer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
            self._send("application/json", b'{"input_tokens": 1}')
            return
        assert isinstance(self.server, Vendor)
        self.server.requests.append(request)
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
            "usage": usage,
        }
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Noted."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        if request.get("stream"):
            text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            self._send("text/event-stream", text.encode())
        else:
            whole = {**message, "content": [{"type": "text", "text": "Noted."}], "stop_reason": "end_turn"}
            self._send("application/json", json.dumps(whole).encode())

    def do_GET(self) -> None:
        self._send("application/json", b"{}")

    do_HEAD = do_GET  # noqa: N815 - the base class looks for this name

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_rest: Any) -> None: ...  # noqa: A002 - the base class names it


@contextmanager
def serving() -> Iterator[Vendor]:
    vendor = Vendor()
    thread = threading.Thread(target=vendor.serve_forever, daemon=True)
    thread.start()
    try:
        yield vendor
    finally:
        vendor.shutdown()
        vendor.server_close()
        thread.join(LONG)


def settings(home: Path, vendor: Vendor) -> dict[str, str]:
    """The environment of a Claude Code that knows no other server."""
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        "ANTHROPIC_BASE_URL": vendor.address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "UAC_STORE": str(home / "memory.db"),
        "UAC_USER": "ana",
        "UAC_EMBEDDER": "none",
    }


def test_the_example_agent_knows_tomorrow_what_it_was_told_today(tmp_path: Path) -> None:
    memory = new_memory()
    with serving() as vendor:
        options: dict[str, Any] = {"env": settings(tmp_path, vendor), "cwd": tmp_path, "setting_sources": []}
        assert asyncio.run(reply("I get hives from penicillin.", memory, **options)) == "Noted."
        vendor.requests.clear()
        asyncio.run(reply("What does penicillin do to me?", memory, **options))
        assert "I get hives from penicillin." in vendor.sent_text()
        assert "mcp__memory__compute" in vendor.sent_text()
    assert [(role, text) for role, _session, text in spoken_words(memory)] == [
        ("user", "I get hives from penicillin."),
        ("assistant", "Noted."),
        ("user", "What does penicillin do to me?"),
        ("assistant", "Noted."),
    ]


def test_the_plugin_is_valid(tmp_path: Path) -> None:
    run = subprocess.run(
        [CLAUDE, "plugin", "validate", PLUGIN, "--json"],
        env={"HOME": str(tmp_path), "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    report = json.loads(run.stdout)
    assert (run.returncode, report["success"], report["manifest"]["errors"]) == (0, True, [])


def test_the_plugin_gives_claude_code_a_memory(tmp_path: Path) -> None:
    with serving() as vendor:

        def claude(prompt: str) -> str:
            run = subprocess.run(
                [CLAUDE, "--plugin-dir", PLUGIN, "-p", prompt],
                env=settings(tmp_path, vendor),
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONG,
            )
            assert run.returncode == 0, run.stdout + run.stderr
            return run.stdout.strip()

        assert claude("I get hives from penicillin.") == "Noted."
        vendor.requests.clear()
        claude("What does penicillin do to me?")
        assert "I get hives from penicillin." in vendor.sent_text()
    with closing(open_store(str(tmp_path / "memory.db"))) as store:
        said = spoken_words(Memory(store.log("ana")))
    assert [(role, text) for role, _session, text in said] == [
        ("user", "I get hives from penicillin."),
        ("assistant", "Noted."),
        ("user", "What does penicillin do to me?"),
        ("assistant", "Noted."),
    ]
