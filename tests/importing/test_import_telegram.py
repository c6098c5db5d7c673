"""uac import: chats of Telegram, one of them or a whole account."""

from pathlib import Path

import pytest

from support.importing import file, told, uac
from support.samples import sample, stored_observations, stored_words

TRAIN = ("2024-05-01T10:00:05+00:00", "person", "Ben", "Which train?")


def test_a_chat_gives_each_message_its_speaker_and_forwarded_words_are_not_the_users(store: Path) -> None:
    result = uac("import", "ana", sample("telegram.json"), "--me", "Ana", "--json")
    assert result.exit_code == 1
    bad, summary = told(result)
    assert bad == {"message": 5, "why": "has the time 'soon'. Export the chat again."}
    assert (summary["conversations"], summary["kept"]) == (1, 3)
    assert summary["left_out"] == {"system line": 1, "attached file": 1}
    assert stored_words(store) == [
        TRAIN,
        ("2024-05-01T10:01:00+00:00", "user", "Ana", "The 9:15 from https://example.org/x"),
        ("2024-05-01T10:04:00+00:00", "person", "Carla", "I am allergic to nuts"),
    ]
    first = stored_observations(store)[0]
    assert (first.session, first.source, first.key) == (
        "telegram:4001",
        "import:telegram",
        "import:telegram:4001:2",
    )
    again = told(uac("import", "ana", "telegram.json", "--me", "Ana", "--json"))[-1]
    assert (again["kept"], again["already"]) == (0, 3)


def test_an_export_of_an_account_says_itself_who_the_user_is(store: Path) -> None:
    summary = told(uac("import", "ana", sample("telegram-account.json"), "--json"))[-1]
    assert (summary["conversations"], summary["kept"], summary["broken"]) == (2, 2, 0)
    assert stored_words(store) == [TRAIN, ("2024-05-02T10:00:00+00:00", "user", "Ana", "Packed")]
    chat = told(uac("import", "ana", sample("telegram.json"), "--me", "Ana", "--json"))[-1]
    assert (chat["kept"], chat["already"]) == (2, 1)


def test_a_chat_is_refused_if_the_user_is_not_known(store: Path) -> None:
    result = uac("import", "ana", sample("telegram.json"))
    assert result.exit_code == 3
    assert "has the speakers 'Ana', 'Ben'; it does not say which one is you." in result.stderr
    assert not store.exists()


def test_a_chat_whose_senders_have_no_names_is_refused(store: Path) -> None:
    message = '{"id": 1, "type": "message", "date": "x", "date_unixtime": "1714557605", "from": null, "text": "Ho"}'
    name = file("result.json", f'{{"name": null, "id": 7, "messages": [{message}]}}')
    result = uac("import", "ana", name)
    assert (result.exit_code, store.exists()) == (3, False)
    assert "result.json has no speakers. Check the file and its format." in result.stderr


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("5", "is not a message with an id. Export the chat again."),
        ('{"type": "message", "from": "Ana", "text": "Hi"}', "is not a message with an id. Export the chat again."),
        (
            '{"id": 2, "type": "message", "from": "Ana", "text": "Hi", "date": "2024-05-01T10:00:00"}',
            "has the time '2024-05-01T10:00:00' without a zone. Use --zone with the computer's.",
        ),
    ],
)
def test_a_broken_message_is_reported_with_its_number_and_the_others_are_kept(
    message: str, why: str, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UAC_ZONE", raising=False)
    whole = '{"id": 1, "type": "message", "date": "x", "date_unixtime": "1714557605", "from": "Ana", "text": "Ho"}'
    name = file("result.json", f'{{"name": "Ben", "id": 7, "messages": [{whole}, {message}]}}')
    bad, summary = told(uac("import", "ana", name, "--me", "Ana", "--json"))
    assert bad == {"message": 2, "why": why}
    assert summary["kept"] == 1
    assert stored_words(store) == [("2024-05-01T10:00:05+00:00", "user", "Ana", "Ho")]
