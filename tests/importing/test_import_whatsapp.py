"""uac import: chats of WhatsApp, as Android phones and iPhones of several languages write them."""

import zipfile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.importing import file, told, uac
from support.samples import sample, stored_observations, stored_words
from uac.importing import MessageCounts, MessageOptions, import_messages, read_message_file
from uac.importing.whatsapp_times import match_line_start
from uac.log.stores.in_memory import MemoryStore

ANDROID = "WhatsApp Chat with Ben.txt"
OPTIONS = ("--me", "Ana", "--zone", "Europe/Oslo", "--json")


def test_an_android_chat_gives_each_message_its_speaker_and_the_users_own_words_the_role_user(store: Path) -> None:
    result = uac("import", "ana", sample(ANDROID), *OPTIONS)
    assert result.exit_code == 1
    assert told(result) == [
        {"line": 8, "why": "has a time that does not exist: day is out of range for month. Correct it."},
        {
            "user": "ana",
            "file": ANDROID,
            "format": "whatsapp",
            "dry_run": False,
            "conversations": 1,
            "kept": 4,
            "already": 0,
            "left_out": {"system line": 2, "media message": 1, "attached file": 1, "deleted message": 1},
            "broken": 1,
        },
    ]
    assert stored_words(store) == [
        (
            "2024-12-31T17:03:00+01:00",
            "user",
            "Ana",
            "Shall we meet at 8?\nBring the red wine:\nnot the white one",
        ),
        ("2024-12-31T17:04:00+01:00", "person", "Ben", "Look at this: my new flat"),
        ("2025-01-01T00:01:00+01:00", "person", "Ben", "Happy new year"),
        ("2025-01-01T00:01:00+01:00", "person", "Ben", "Happy new year"),
    ]
    first = stored_observations(store)[0]
    assert (first.session, first.source, first.zone) == (
        "whatsapp:WhatsApp Chat with Ben",
        "import:whatsapp",
        "Europe/Oslo",
    )


def test_a_later_export_adds_only_new_messages_even_if_its_first_lines_are_cut_off(store: Path) -> None:
    uac("import", "ana", sample(ANDROID), *OPTIONS)
    before = stored_words(store)
    again = told(uac("import", "ana", ANDROID, *OPTIONS))[-1]
    assert (again["kept"], again["already"]) == (0, 4)
    lines = Path(ANDROID).read_text().splitlines(keepends=True)
    newer = file("WhatsApp Chat with Ben (1).txt", "".join(lines[5:]) + "02/01/2025, 08:00 - Ana: Awake?\n")
    later = told(uac("import", "ana", newer, *OPTIONS))[-1]
    assert (later["kept"], later["already"]) == (1, 3)
    assert stored_words(store) == [*before, ("2025-01-02T08:00:00+01:00", "user", "Ana", "Awake?")]


def test_an_iphone_chat_is_read_from_its_zip_archive_or_folder_and_is_the_same_chat(store: Path) -> None:
    sample("_chat.txt")
    with zipfile.ZipFile("WhatsApp Chat - Trip.zip", "w") as archive:
        archive.write("_chat.txt")
        archive.writestr("00000012-PHOTO-2024-12-31.jpg", b"\xff\xd8")
    result = told(uac("import", "ana", "WhatsApp Chat - Trip.zip", *OPTIONS))[-1]
    assert (result["kept"], result["left_out"], result["broken"]) == (2, {"system line": 2, "attached file": 1}, 0)
    assert stored_words(store) == [
        ("2024-12-31T17:03:25+01:00", "person", "Ben", "Who drives?"),
        ("2024-12-31T17:04:01+01:00", "user", "Ana", "Me"),
    ]
    Path("WhatsApp Chat - Trip").mkdir()
    Path("_chat.txt").rename("WhatsApp Chat - Trip/_chat.txt")
    folder = told(uac("import", "ana", "WhatsApp Chat - Trip", *OPTIONS))[-1]
    assert (folder["kept"], folder["already"]) == (0, 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--zone", "Europe/Oslo"), "has the speakers 'Ana', 'Ben'; it does not say which one is you."),
        (("--zone", "Europe/Oslo", "--me", "ana"), "'ana' is not one of them. Use --me with one of the names."),
        (("--me", "Ana"), "has times without a zone. Use --zone"),
    ],
)
def test_a_chat_is_refused_if_the_user_or_the_zone_is_not_known(
    options: tuple[str, ...], reason: str, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UAC_ZONE", raising=False)
    result = uac("import", "ana", sample(ANDROID), *options)
    assert result.exit_code == 3
    assert reason in result.stderr
    assert not store.exists()


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("12/31/24, 5:03\u202fPM - Ana: Hi", "2024-12-31T17:03:00"),
        ("[12/31/24, 12:03:09 AM] Ana: Hi", "2024-12-31T00:03:09"),
        ("31.12.24, 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("31/12/24 5:03 p. m. - Ana: Hi", "2024-12-31T17:03:00"),
        ("31/12/2024 à 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("31/12/2024 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("31-12-2024 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("2024-12-31 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("2024/12/31 17:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("2024/12/31 下午5:03 - Ana: Hi", "2024-12-31T17:03:00"),
        ("2024. 12. 31. 오전 9:03 - Ana: Hi", "2024-12-31T09:03:00"),
        ("٣١/١٢/٢٠٢٤، ٥:٠٣ م - Ana: Hi", "2024-12-31T17:03:00"),
    ],
)
def test_times_are_read_as_phones_of_several_languages_write_them(line: str, moment: str, store: Path) -> None:
    start = match_line_start(line)
    assert start is not None
    assert line[start.end :] == "Ana: Hi"
    uac("import", "ana", file("chat.txt", f"{line}\n"), "--me", "Ana", "--zone", "UTC")
    assert stored_words(store) == [(f"{moment}+00:00", "user", "Ana", "Hi")]


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (["01/02/2024", "13/02/2024"], "2024-02-01"),
        (["01/02/2024", "01/13/2024"], "2024-01-02"),
        (["03/01/2024", "01/02/2024"], "2024-01-03"),
        (["01/03/2024", "02/01/2024"], "2024-01-03"),
    ],
)
def test_the_order_of_day_and_month_follows_from_all_dates(dates: list[str], first: str, store: Path) -> None:
    text = "".join(f"{day}, 10:00 - Ana: message {number}\n" for number, day in enumerate(dates))
    uac("import", "ana", file("chat.txt", text), "--me", "Ana", "--zone", "UTC")
    assert stored_words(store)[0][0] == f"{first}T10:00:00+00:00"


def test_an_ambiguous_order_of_day_and_month_is_asked_for(store: Path) -> None:
    chat = file("chat.txt", "01/02/2024, 10:00 - Ana: Hi\n03/04/2024, 10:00 - Ana: Ho\n")
    options = ("--me", "Ana", "--zone", "UTC")
    refused = uac("import", "ana", chat, *options)
    assert (refused.exit_code, store.exists()) == (3, False)
    assert "Use --dates day-first or month-first." in refused.stderr
    uac("import", "ana", chat, *options, "--dates", "month-first")
    assert [said for said, *_rest in stored_words(store)] == ["2024-01-02T10:00:00+00:00", "2024-03-04T10:00:00+00:00"]


def test_a_line_before_the_first_message_is_reported_and_other_text_files_are_refused(store: Path) -> None:
    chat = file("chat.txt", "hello\n31/12/2024, 10:00 - Ana: Hi\n")
    bad, summary = told(uac("import", "ana", chat, "--me", "Ana", "--zone", "UTC", "--json"))
    assert bad == {"line": 1, "why": "comes before the first message, and has no time. Remove it."}
    assert summary["kept"] == 1
    assert "unknown extension" in uac("import", "ana", file("letter.txt", "Dear Ana\n")).stderr
    assert "UTF-16" in uac("import", "ana", file("wide.txt", "31/12/2024".encode("utf-16"))).stderr
    assert [words for *_rest, words in stored_words(store)] == ["Hi"]


LINES = st.one_of(
    st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20),
    st.builds(
        "{}/{}/20{:02}, {}:{:02} - {}{}".format,
        st.integers(0, 32),
        st.integers(0, 13),
        st.integers(0, 24),
        st.integers(0, 25),
        st.integers(0, 61),
        st.sampled_from(["Ana: ", "Ben: ", "", "\u200eAna: \u200e"]),
        st.text(alphabet="ab:<>().\u200e ", max_size=8),
    ),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=8))
def test_any_text_is_read_without_a_crash_and_every_message_once(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("".join(f"{line}\n" for line in ["01/01/2020, 10:00 - Ana: Hi", *lines]), newline="")
    options = MessageOptions(me="Ana", zone=ZoneInfo("Europe/Oslo"), dates="day-first")
    log = MemoryStore().log("ana")
    counts = []
    for _run in range(2):
        items = list(read_message_file(path, "whatsapp", options, lambda _size: None))
        assert all(1 <= item.number <= len(lines) + 1 for item in items if not isinstance(item, MessageCounts))
        results = list(import_messages(log, items))
        counts.append(sum(result.kept for result in results if isinstance(result, MessageCounts)))
    assert counts[0] >= 1
    assert counts[1] == 0
