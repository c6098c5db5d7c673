"""The command `uac`, run as people run it."""

import json
import os
import pty
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import lines, uac

HELLO = ["add", "ana", "I am allergic to penicillin", "--at", "2026-03-01T12:00+01:00"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "memory.db"
    monkeypatch.setenv("UAC_STORE", str(path))
    return path


def words(*arguments: str) -> list[object]:
    return [line["entry"] and line["entry"]["text"] for line in lines(uac("log", "ana", "--json", *arguments))]  # type: ignore[index]  # observations only


def test_what_was_added_is_shown(store: Path) -> None:
    assert uac(*HELLO).output == "ana: kept at 1\n"
    shown = uac("log", "ana").output
    assert (
        shown.split("Z  ", 1)[1] == "observation   user: I am allergic to penicillin  (said 2026-03-01T12:00+01:00)\n"
    )


def test_json_holds_the_whole_entry(store: Path) -> None:
    uac(*HELLO, "--session", "s1", "--speaker", "Ana", "--source", "chat", "--key", "k1")
    (line,) = lines(uac("log", "ana", "--json"))
    assert line["entry"] == {
        "kind": "observation",
        "text": "I am allergic to penicillin",
        "said": "2026-03-01T12:00:00+01:00",
        "zone": "",
        "role": "user",
        "speaker": "Ana",
        "session": "s1",
        "source": "chat",
        "key": "k1",
    }
    assert (line["position"], line["kind"]) == (1, "observation")


def test_text_comes_from_standard_input_or_a_file_exactly(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes("früh\r\n\0".encode())
    uac("add", "ana", stdin="from a pipe\n")
    uac("add", "ana", "-", stdin="from a dash")
    uac("add", "ana", "--file", str(file))
    uac("add", "ana", "--file", "-", stdin="from a file named dash")
    assert words() == ["from a pipe\n", "from a dash", "früh\r\n\0", "from a file named dash"]


def test_a_conversation_in_the_openai_shape_is_kept_in_order(store: Path) -> None:
    chat = {
        "messages": [
            {"role": "developer", "content": "Be kind"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}],
                "name": "Ana",
            },
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "content": "sunny"},
            {"role": "assistant", "content": ""},
        ]
    }
    result = uac("add", "ana", "--chat", "--json", "--key", "c1", stdin=json.dumps(chat))
    assert lines(result) == [{"user": "ana", "positions": [1, 2, 3, 4], "left_out": 2}]
    assert lines(uac("add", "ana", "--chat", "--json", "--key", "c1", stdin=json.dumps(chat)))[0]["positions"] == [
        1,
        2,
        3,
        4,
    ]
    entries = [line["entry"] for line in lines(uac("log", "ana", "--json"))]
    assert [(entry["text"], entry.get("role", "user")) for entry in entries] == [  # type: ignore[index,attr-defined]  # parsed JSON
        ("Be kind", "system"),
        ("Look", "user"),
        ('[{"id": "1"}]', "assistant"),
        ("sunny", "tool"),
    ]


def test_messages_keep_the_times_they_name(store: Path) -> None:
    chat = [
        {"role": "user", "content": "one", "created_at": "2026-03-01T09:00:00+01:00"},
        {"role": "user", "content": "two", "timestamp": 1772355600},
        {"role": "user", "content": "three"},
    ]
    uac("add", "ana", "--chat", "--at", "2026-03-02T00:00Z", stdin=json.dumps(chat))
    assert [line["entry"]["said"] for line in lines(uac("log", "ana", "--json"))] == [  # type: ignore[index]  # observations
        "2026-03-01T09:00:00+01:00",
        "2026-03-01T09:00:00Z",
        "2026-03-02T00:00:00Z",
    ]


@pytest.mark.parametrize(
    ("chat", "complaint"),
    [
        ('[{"role": "user", "content": "hi", "timestamp": "2026-03-01T09:00"}]', "Add a zone"),
        ('[{"role": "user", "content": "hi", "created_at": "noon"}]', "Use a time with its zone"),
        ("{", "chat: this is not JSON"),
        ("[" * 100_000, "chat: this is not JSON"),
        ('{"a": 1}', "this is not a list of messages"),
        ("[1]", "message 1 is 1. Use an object"),
        ('[{"role": "user", "content": "hi"}, {"role": "king", "content": "hi"}]', "message 2 has role 'king'"),
        ('[{"role": "user", "content": 5}]', "content of message 1 is 5"),
        ('[{"role": "user", "name": 5, "content": "hi"}]', "name of message 1 is 5"),
        ("[]", "no message contains text"),
    ],
)
def test_a_conversation_that_does_not_fit_is_refused_whole(store: Path, chat: str, complaint: str) -> None:
    result = uac("add", "ana", "--chat", stdin=chat)
    assert result.exit_code == 3
    assert complaint in result.stderr
    assert not store.exists()


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "complaint"),
    [
        (["add", "ana", ""], None, 3, "text is empty"),
        (["add", "ana", " \n"], None, 3, "text is empty"),
        (["add", "ana", "hi", "--at", "2026-03-01T12:00"], None, 3, "has no time zone"),
        (["add", "ana", "hi", "--at", "soon"], None, 2, "'soon' is not a valid time"),
        (["add", "ana", "hi", "--at", "2999-01-01T00:00Z"], None, 3, "is in the future"),
        (["add", "ana", "hi", "--zone", "Mars/Base"], None, 3, "'Mars/Base' is not a time zone"),
        (["add", "a\nb", "hi"], None, 3, "user id"),
        (["add", "ana", "hi", "--file", "x"], None, 2, "Both TEXT and --file"),
        (["add", "ana", "--file", "missing.txt"], None, 3, "missing.txt cannot be read"),
        (["add", "ana", "hi", "--chat", "--role", "tool"], None, 2, "--chat takes role"),
        (["add", "ana"], b"\xff\xfe", 3, "byte 0 is not UTF-8"),
        (["log", "ana"], None, 4, "There is no store at"),
        (["users"], None, 4, "There is no store at"),
        (["verify"], None, 4, "There is no store at"),
        (["add", "ana", "hi", "--store", "mysql://host/db"], None, 3, "'mysql' is not a kind of store"),
        (["add", "ana", "hi", "--store", "/no/such/folder/m.db"], None, 4, "the folder /no/such/folder does not exist"),
    ],
)
def test_bad_input_gets_one_clear_line_and_makes_no_store(
    store: Path, arguments: list[str], stdin: bytes | None, code: int, complaint: str
) -> None:
    result = uac(*arguments, stdin=stdin)
    assert result.exit_code == code
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr
    assert not store.exists() or uac("users").stdout == ""


def test_an_error_is_json_when_json_was_asked_for(store: Path) -> None:
    result = uac("log", "ana", "--json")
    assert json.loads(result.stderr) == {
        "error": "NoStore",
        "message": f"There is no store at {store}. Check the path, or add an entry to create it.",
    }


def test_a_named_zone_is_kept_beside_the_offset(store: Path) -> None:
    uac("add", "ana", "hi", "--at", "2026-07-01T12:00", "--zone", "Europe/Berlin")
    entry = lines(uac("log", "ana", "--json"))[0]["entry"]
    assert isinstance(entry, dict)
    assert (entry["said"], entry["zone"]) == ("2026-07-01T12:00:00+02:00", "Europe/Berlin")


def test_filters_choose_entries(store: Path) -> None:
    uac("add", "ana", "Tea, please", "--session", "s1")
    uac("add", "ana", "Here is your tea", "--role", "assistant", "--session", "s1")
    uac("add", "ana", "Coffee now", "--speaker", "Ana", "--session", "s2")
    assert words("--text", "TEA") == ["Tea, please", "Here is your tea"]
    assert words("--role", "assistant") == ["Here is your tea"]
    assert words("--speaker", "Ana") == ["Coffee now"]
    assert words("--session", "s1", "--last", "1") == ["Here is your tea"]
    assert words("2-3") == ["Here is your tea", "Coffee now"]
    assert words("1", "3") == ["Tea, please", "Coffee now"]
    assert words("--kind", "fact") == []
    assert words("--until", "2020-01-01T00:00Z") == []
    assert len(words("--since", "2020-01-01T00:00Z")) == 3


def test_control_characters_are_shown_not_obeyed(store: Path) -> None:
    uac("add", "ana", "red \x1b[31m and \u202e reversed\nnext line")
    assert "red \\x1b[31m and \\u202e reversed ⏎ next line" in uac("log", "ana").output


def test_long_text_says_how_much_is_not_shown(store: Path) -> None:
    uac("add", "ana", "x" * 1000)
    assert "(+766 characters; --full shows them)" in uac("log", "ana").output
    assert "x" * 1000 in uac("log", "ana", "--full").output


def test_an_unknown_user_is_an_error_not_an_empty_list(store: Path) -> None:
    uac(*HELLO)
    result = uac("log", "anna")
    assert result.exit_code == 3
    assert "user 'anna' has no log" in result.stderr


def test_users_are_listed(store: Path) -> None:
    for name in ("ben", "ana", "cleo"):
        uac("add", name, "hello")
    assert [line["user"] for line in lines(uac("users", "--json"))] == ["ana", "ben", "cleo"]
    assert [line["user"] for line in lines(uac("users", "--json", "--after", "ana", "--limit", "1"))] == ["ben"]
    assert uac("users").output.split("\t")[:2] == ["ana", "1"]


def test_verify_names_the_first_changed_entry_and_exits_with_1(store: Path) -> None:
    uac(*HELLO)
    uac("add", "ana", "second")
    assert uac("verify").exit_code == 0
    raw = sqlite3.connect(store)
    raw.execute("UPDATE entries SET body = replace(body, 'penicillin', 'peanuts')")
    raw.commit()
    raw.close()
    result = uac("verify", "ana")
    assert result.exit_code == 1
    assert result.output == "ana: entry 1 does not match its digest: it was altered or moved\n"
    assert uac("doctor").exit_code == 1


def head_of(user: str) -> str:
    printed = uac("verify", user).output
    return printed.strip().rpartition(" ")[2]


def test_verify_holds_a_log_against_a_head_that_was_printed_before(store: Path) -> None:
    uac(*HELLO)
    old = head_of("ana")
    uac("add", "ana", "second")
    new = head_of("ana")
    assert (old[:2], new[:2]) == ("1:", "2:")
    for head in (old, new):
        assert uac("verify", "ana", "--head", head).exit_code == 0
    uac("erase", "ana", "1", "--why", "asked", "--yes")
    assert uac("verify", "ana", "--head", new).exit_code == 0
    assert uac("verify", "--head", old).exit_code == 2
    assert uac("verify", "ana", "--head", "12").exit_code == 2
    uac("erase", "ana", "--all", "--leave-nothing", "--yes")
    gone = uac("verify", "ana", "--head", new)
    assert gone.exit_code == 1
    assert gone.output.startswith("ana: there is no log, but it had 2 entries: it was removed")
    uac(*HELLO)
    uac("add", "ana", "second")
    another = uac("verify", "ana", "--head", new)
    assert another.exit_code == 1
    assert another.output.startswith("ana: entry 2 is not the one that was known: the log was rewritten")


KILLED = """
import os, signal, sys
from uac import open_store
from uac.testing.store import store_turn
log = open_store(sys.argv[1]).log("ana")
log.append([store_turn("the first that is only in the journal"), store_turn("the second")])
print(f"{log.head().position}:{log.head().digest.hex()}", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_journal_that_was_removed_by_hand_is_found_by_the_head_that_was_known(store: Path) -> None:
    uac(*HELLO)
    known = subprocess.run([sys.executable, "-c", KILLED, str(store)], capture_output=True, text=True, check=False)
    Path(f"{store}-wal").unlink()
    Path(f"{store}-shm").unlink()
    assert uac("verify", "ana").exit_code == 0  # what is left is a whole chain
    result = uac("verify", "ana", "--head", known.stdout.strip())
    assert result.exit_code == 1
    assert result.output == (
        "ana: the log ends at 1, but had 3 entries: its end was cut off, it is an older copy,"
        " or a journal (-wal) with newer entries was removed\n"
    )
    found = json.loads(uac("verify", "ana", "--head", known.stdout.strip(), "--json").output)
    assert found["break"]["position"] == 2


def test_doctor_finds_nothing_wrong_with_a_new_store_and_says_what_is_wrong_with_a_bad_one(store: Path) -> None:
    missing = uac("doctor")
    assert missing.exit_code == 1
    assert "There is no store at" in missing.output
    uac(*HELLO)
    assert uac("doctor").exit_code == 0
    store.chmod(0o644)
    result = uac("doctor", "--quick", "--json")
    problems = [json.loads(line) for line in result.output.splitlines() if '"problem"' in line]
    assert problems == [
        {"level": "problem", "what": "others on this machine can read the file", "remedy": f"chmod 600 '{store}'"}
    ]


def test_doctor_finds_a_time_in_the_future_and_its_remedy_brings_the_alerts_back(store: Path) -> None:
    uac("put", "ana", "health.Allergy", "substance=penicillin")
    uac("put", "ana", "health.Medication", "name=amoxicillin", "ends=2990-01-01")
    before = uac("alerts", "ana").output
    uac("tick", "ana", "--now", "2999-01-01T00:00Z", "--yes")
    assert uac("alerts", "ana").output == "no active alerts\n"
    rows = [json.loads(line) for line in uac("doctor", "--json").output.splitlines()]
    (found,) = [row for row in rows if "in the future" in row["what"]]
    assert (found["level"], found["what"]) == ("problem", "the time of ana is 2999-01-01 00:00Z, in the future")
    remedy = found["remedy"].partition("retract it: uac ")[2]
    assert uac(*shlex.split(remedy)).exit_code == 0
    assert [line for line in before.splitlines() if line.startswith("critical")] == [
        line for line in uac("alerts", "ana").output.splitlines() if line.startswith("critical")
    ]
    assert "in the future" not in uac("doctor").output


def test_doctor_names_a_mistyped_setting_and_no_variable_of_another_program(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uac(*HELLO)
    monkeypatch.setenv("UAC_STOR", str(store))
    monkeypatch.setenv("UAC_PORT", "8080")
    result = uac("doctor", "--quick", "--json")
    problems = [json.loads(line) for line in result.output.splitlines() if '"problem"' in line]
    assert problems == [
        {
            "level": "problem",
            "what": "UAC_STOR is not a setting, so it has no effect",
            "remedy": "Did you mean UAC_STORE?",
        }
    ]


def test_erase_asks_for_a_reason_and_for_consent(store: Path) -> None:
    uac(*HELLO)
    assert uac("erase", "ana", "1").exit_code == 2
    assert uac("erase", "ana", "1", "--why", "asked").exit_code == 2
    assert uac("erase", "ana", "--why", "asked", "--yes").exit_code == 2
    assert uac("erase", "ana", "2", "--why", "asked", "--yes").exit_code == 3
    assert words() == ["I am allergic to penicillin"]


def test_erase_shows_what_would_go_and_then_destroys_it(store: Path) -> None:
    uac(*HELLO)
    assert uac("erase", "ana", "1", "--dry-run").output == "     1  user: I am allergic to penicillin\n"
    assert uac("erase", "ana", "1", "--why", "asked", "--yes").output == "ana: the text of 1 entry is destroyed\n"
    assert uac("log", "ana", "1").output.endswith("(erased)\n")
    assert uac("verify", "ana").exit_code == 0
    assert all(b"penicillin" not in file.read_bytes() for file in store.parent.iterdir())


def test_erasing_one_line_spares_what_rests_on_others(store: Path) -> None:
    uac(*HELLO)
    uac("add", "ana", "I like tea")
    uac("define", "ana", "notes.Note", "body:str", "--event")
    patches = [{"op": "put", "type": "notes.Note", "fields": {"body": str(n)}, "cites": [n]} for n in (1, 2)]
    uac("checkpoint", "ana", "-", stdin=json.dumps(patches))
    uac("erase", "ana", "1", "--why", "asked", "--yes")
    assert [line["values"] for line in lines(uac("records", "ana", "--json"))] == [{"body": "2"}]
    assert uac("erase", "ana", "--all", "--why", "asked again", "--yes").exit_code == 0
    assert uac("records", "ana").stdout == ""
    assert uac("verify", "ana").exit_code == 0


def test_erasing_all_can_leave_nothing(store: Path) -> None:
    uac(*HELLO)
    uac("add", "ben", "hello")
    assert uac("erase", "ana", "--all", "--leave-nothing", "--yes").exit_code == 0
    assert [line["user"] for line in lines(uac("users", "--json"))] == ["ben"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: str) -> None:
    assert "_UAC_COMPLETE" in uac("completion", shell).output


def test_completion_knows_the_users(store: Path) -> None:
    uac(*HELLO)
    run = subprocess.run(
        [sys.executable, "-m", "uac"],
        env={**os.environ, "_UAC_COMPLETE": "bash_complete", "COMP_WORDS": "uac log a", "COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "plain,ana\n"


def test_following_shows_new_entries_as_they_come(store: Path) -> None:
    uac(*HELLO)
    follower = subprocess.Popen(
        [sys.executable, "-m", "uac", "log", "ana", "-f", "--json"], stdout=subprocess.PIPE, text=True
    )
    assert follower.stdout is not None
    assert json.loads(follower.stdout.readline())["position"] == 1
    uac("add", "ana", "second")
    assert json.loads(follower.stdout.readline())["entry"]["text"] == "second"
    follower.terminate()
    follower.wait()
    follower.stdout.close()


def test_a_terminal_gets_colours_and_a_question_before_erasing(store: Path) -> None:
    uac(*HELLO)
    terminal, side = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "uac", "erase", "ana", "1", "--why", "asked"],
        stdin=side,
        stdout=side,
        stderr=side,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(side)
    os.write(terminal, b"n\n")
    shown = b""
    try:
        while chunk := os.read(terminal, 1024):
            shown += chunk
    except OSError:
        pass  # the other side was closed
    os.close(terminal)
    assert run.wait() == 1
    assert b"Permanently destroy the text of 1 entry? [y/N]" in shown
    assert b"\x1b[" in shown
    assert words() == ["I am allergic to penicillin"]


def test_the_default_store_lies_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UAC_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    uac(*HELLO)
    assert (tmp_path / "uac" / "memory.db").exists()
    assert (tmp_path / "uac").stat().st_mode & 0o777 == 0o700
