"""uac agent-hook: what the plugin for Claude Code runs."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.adapters import spoken_words
from support.cli import lines, uac
from support.paths import ROOT
from uac import Memory, open_store

pytestmark = pytest.mark.usefixtures("store")

PLUGIN = ROOT / "integrations" / "claude-code"


def hook(name: str, **fields: Any) -> str:
    """The context that the answer to an event adds; "" if it adds none."""
    event = {"hook_event_name": name, "session_id": "s1", **fields}
    [answer] = lines(uac("agent-hook", "ana", stdin=json.dumps(event)))
    added = answer.get("hookSpecificOutput", {})
    assert isinstance(added, dict)
    assert added.get("hookEventName", name) == name
    return str(added.get("additionalContext", ""))


def test_a_prompt_is_stored_and_later_ones_get_it_as_context(store: Path) -> None:
    hook("UserPromptSubmit", prompt="I get hives from penicillin.")
    hook("Stop", last_assistant_message="Noted.")
    assert "I get hives from penicillin." in hook("UserPromptSubmit", prompt="What does penicillin do to me?")
    with closing(open_store(str(store))) as opened:
        said = spoken_words(Memory(opened.log("ana")))
    assert said == [
        ("user", "s1", "I get hives from penicillin."),
        ("assistant", "s1", "Noted."),
        ("user", "s1", "What does penicillin do to me?"),
    ]


def test_a_session_starts_with_the_alerts() -> None:
    uac("put", "ana", "health.Allergy", "substance=penicillin")
    uac("put", "ana", "health.Medication", "name=Amoxicillin")
    assert "Amoxicillin is a penicillin" in hook("SessionStart", source="startup")


def test_other_events_and_a_stop_without_words_are_answered_with_nothing() -> None:
    assert hook("PreToolUse", tool_name="Bash") == ""
    assert hook("Stop") == ""


@pytest.mark.parametrize(
    ("event", "reason"),
    [("{", "is not JSON"), ("[]", "is not an object"), ("{}", "has no hook_event_name")],
)
def test_something_else_than_an_event_is_refused_with_a_reason(event: str, reason: str) -> None:
    refused = uac("agent-hook", "ana", stdin=event)
    assert refused.exit_code == 3  # Claude Code shows it and goes on; only 2 would stop the prompt
    assert reason in refused.stderr


def test_the_plugin_runs_commands_that_exist() -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert sorted(hooks) == ["SessionStart", "Stop", "UserPromptSubmit"]
    commands = {each["command"] for matchers in hooks.values() for matcher in matchers for each in matcher["hooks"]}
    assert commands == {'uac agent-hook "${UAC_USER:-me}"'}
    server = json.loads((PLUGIN / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["memory"]
    assert server == {"command": "uac", "args": ["mcp", "${UAC_USER:-me}"]}
    assert Path(PLUGIN / "skills" / "user-memory" / "SKILL.md").is_file()


def test_a_hook_does_not_import_the_tools_of_agents_nor_the_client() -> None:
    slow = "{'uac.interfaces.agent_tools', 'uac.interfaces.client', 'uac.conversation.learning'}"
    code = f"import sys, uac.interfaces.adapters.claude_hooks; print(bool({slow} & {{*sys.modules}}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
