"""uac import: Markdown notes, such as an Obsidian vault."""

import zipfile
from pathlib import Path

import pytest

from support.importing import file, told, uac
from support.samples import sample, stored_observations, stored_words

BIKE = ("2024-05-01T00:00:00+00:00", "document", "Daily/2024-05-01.md", "# Bought a bike\n")
PLANS = (
    "2024-06-02T10:30:00+02:00",
    "document",
    "Plans.md",
    "---\ntitle: Plans\ncreated: 2024-06-02T10:30:00+02:00\n---\nLearn to sail.\n",
)


@pytest.fixture(autouse=True)
def _no_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UAC_ZONE", raising=False)


def test_notes_of_a_folder_are_documents_with_their_paths_and_own_dates(store: Path) -> None:
    result = uac("import", "ana", sample("vault"), "--json")
    assert result.exit_code == 1
    bad, summary = told(result)
    why = "Loose.md: has no date in its front matter or name. Add one, or use --written."
    assert bad == {"note": 2, "why": why}
    assert (summary["format"], summary["kept"], summary["left_out"]) == ("markdown", 2, {})
    assert stored_words(store) == [BIKE, PLANS]
    assert [entry.source for entry in stored_observations(store)] == ["import:Daily/2024-05-01.md", "import:Plans.md"]
    with zipfile.ZipFile("vault.zip", "w") as archive:
        archive.write("vault/Plans.md", "Plans.md")
        archive.write("vault/Daily/2024-05-01.md", "Daily/2024-05-01.md")
    for name in ("vault", "vault.zip"):
        again = told(uac("import", "ana", name, "--json"))[-1]
        assert (again["kept"], again["already"]) == (0, 2)


def test_a_changed_note_is_stored_beside_the_old_one(store: Path) -> None:
    sample("vault")
    uac("import", "ana", "vault/Daily/2024-05-01.md")
    Path("vault/Daily/2024-05-01.md").write_text("# Bought a boat\n")
    uac("import", "ana", "vault/Daily/2024-05-01.md")
    assert [words for *_rest, words in stored_words(store)] == ["# Bought a bike\n", "# Bought a boat\n"]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("date: 2024-05-01", "2024-05-01T00:00:00+02:00"),
        ('tags: [a]\nDate: "2024-05-01 10:30"', "2024-05-01T10:30:00+02:00"),
        ("updated: 2024-06-01\ncreated: '[[2024-05-01]]'", "2024-05-01T00:00:00+02:00"),
        ("date created: 2024-05-01T10:30:00Z", "2024-05-01T10:30:00+00:00"),
        ("date:\ncreated: 2024-05-01", "2024-05-01T00:00:00+02:00"),
        ("title: no date", "2023-12-31T00:00:00+01:00"),
    ],
)
def test_the_date_of_a_note_is_in_its_front_matter_or_else_in_its_name(head: str, said: str, store: Path) -> None:
    note = file("Party 20231231.md", f"---\n{head}\n---\nHello\n")
    uac("import", "ana", note, "--zone", "Europe/Oslo")
    assert [when for when, *_rest in stored_words(store)] == [said]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"---\ndate: soon\n---\n", "has the date 'soon' in its front matter. Use one such as 2024-12-31."),
        (b"---\ndate: 2024-05-01 10:00\n---\n", "has the time '2024-05-01 10:00' without a zone. Use --zone."),
        (b"caf\xe9", "byte 3 (line 1) is 0xe9, which is not UTF-8. Save the file as UTF-8 and try again."),
        (b"\xff\xfea\x00", "byte 0 is 0xff: the file is UTF-16. Save it as UTF-8 and try again."),
        (b"x" * (16 << 20), "is longer than 16 MiB. Split it."),
    ],
)
def test_a_note_that_cannot_be_read_is_reported_and_the_others_are_kept(content: bytes, why: str, store: Path) -> None:
    Path("notes").mkdir()
    file("notes/2024-05-01 a.md", content)
    file("notes/2024-05-01 b.md", "Hello")
    file("notes/2024-05-01 c.md", " \n")
    bad, summary = told(uac("import", "ana", "notes", "--json"))
    assert bad == {"note": 1, "why": f"2024-05-01 a.md: {why}"}
    assert (summary["kept"], summary["left_out"]) == (1, {"empty note": 1})
    assert [words for *_rest, words in stored_words(store)] == ["Hello"]


def test_a_note_without_a_date_takes_the_one_that_is_given(store: Path) -> None:
    note = file("Loose 20249999.md", "Hello")
    assert uac("import", "ana", note).exit_code == 1
    uac("import", "ana", note, "--written", "2024-05-01T10:00:00Z")
    assert [when for when, *_rest in stored_words(store)] == ["2024-05-01T10:00:00+00:00"]
