"""uac import: plain messages with a role, one per line or in a list."""

import json
from pathlib import Path

import pytest

from support.importing import file, told, uac
from support.samples import sample, stored_observations, stored_words


def test_messages_keep_their_roles_times_and_sessions_and_a_broken_line_does_not_stop_the_others(store: Path) -> None:
    result = uac("import", "ana", sample("messages.jsonl"), "--json")
    assert result.exit_code == 1
    bad, summary = told(result)
    assert bad["line"] == 3
    assert bad["why"].startswith("has the role 'king'. Use one of user, ")
    assert (summary["kept"], summary["left_out"]) == (3, {"non-text part": 1, "blank line": 1})
    words = [
        ("2024-05-01T10:00:00+02:00", "user", "", "I moved to Oslo"),
        ("2024-05-01T08:00:10+00:00", "assistant", "", "How nice!"),
        ("2024-05-01T08:00:20+00:00", "person", "Ben", "Welcome"),
    ]
    assert stored_words(store) == words
    assert {entry.session for entry in stored_observations(store)} == {"s1"}
    again = told(uac("import", "ana", "messages.jsonl", "--json"))[-1]
    assert (again["kept"], again["already"]) == (0, 3)
    assert stored_words(store) == words


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("5", "is not an object. Use one with role and content."),
        ('{"role": "user", "role": "system", "content": "Hi"}', "'role' occurs twice in one object. Remove one."),
        ('{"role": "user", "content": "Hi"}', "has no time. Add a timestamp, or use --written."),
        ('{"role": "user", "content": "Hi", "timestamp": "soon"}', "a message has the time 'soon'. Use ISO 8601."),
        (
            '{"role": "user", "content": "Hi", "timestamp": "2024-05-01T10:00"}',
            "has the time '2024-05-01T10:00' without a zone. Add one such as +02:00, or use --zone.",
        ),
        ("hello", "is not JSON: Expecting value (character 1). Correct it."),
    ],
)
def test_a_broken_line_has_its_number_and_reason(
    message: str, why: str, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UAC_ZONE", raising=False)
    whole = '{"role": "user", "content": "Ho", "timestamp": 1714550410}'
    bad, summary = told(uac("import", "ana", file("a.jsonl", f"{whole}\n{message}\n"), "--json"))
    assert bad == {"line": 2, "why": why}
    assert summary["kept"] == 1
    assert [words for *_rest, words in stored_words(store)] == ["Ho"]


def test_a_list_of_messages_is_read_too_and_options_give_missing_times(store: Path) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "ai", "content": "Ho"}, {"role": "user", "content": ""}]
    name = file("talk.json", json.dumps({"messages": messages}))
    summary = told(uac("import", "ana", name, "--written", "2024-05-01T10:00:00Z", "--json"))[-1]
    assert (summary["kept"], summary["left_out"], summary["broken"]) == (2, {"wordless message": 1}, 0)
    local = file("local.jsonl", '{"role": "user", "content": "Hm", "date": "2024-05-01T10:00"}\n')
    uac("import", "ana", local, "--zone", "Europe/Oslo")
    assert stored_words(store) == [
        ("2024-05-01T10:00:00+00:00", "user", "", "Hi"),
        ("2024-05-01T10:00:00+00:00", "assistant", "", "Ho"),
        ("2024-05-01T10:00:00+02:00", "user", "", "Hm"),
    ]
